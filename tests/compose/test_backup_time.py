"""The exporter for hosts learns when the last backup was verified."""

import stat
import time
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from deploy.compose.backups import record_time
from deploy.compose.configuration import Configuration


def test_the_time_of_a_backup_is_left_for_the_exporter(tmp_path: Path) -> None:
    before = int(time.time())
    record_time(Configuration({"METRICS_DIR": str(tmp_path / "metrics")}))
    (file,) = (tmp_path / "metrics").iterdir()
    shown = {
        one.name: one.value for family in text_string_to_metric_families(file.read_text()) for one in family.samples
    }
    assert before <= shown["agent_board_backup_timestamp_seconds"] <= time.time() + 1
    # the exporter runs as another user
    assert stat.S_IMODE(file.stat().st_mode) & 0o444 == 0o444
