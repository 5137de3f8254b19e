"""The settings: strict values, one sentence for each mistake, and no secret in any message."""

import re
import traceback
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent_board_client.addresses import board_address
from services.process.setting_sources import load_settings
from services.process.settings import Settings, SettingsWithoutDatabase
from services.process.variables import SettingsError, parsed

DATABASE = {"DATABASE_URL": "postgresql://board:hunter2@db.internal:5432/board"}
# The example of Go's package golang.org/x/mod/sumdb/note.
LOG_KEY = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
EXAMPLE = Path(__file__).parents[2] / ".env.example"


def refusal(**env: str) -> str:
    with pytest.raises(SettingsError) as caught:
        load_settings({**DATABASE, **env})
    return str(caught.value)


def test_only_the_database_address_is_required() -> None:
    settings = load_settings(DATABASE)
    assert (settings.port, settings.read_pool_size, settings.communities_open) == (8000, 10, True)
    with pytest.raises(SettingsError, match=r"^DATABASE_URL must be given\.$"):
        load_settings({})


def test_reads_go_to_the_same_database_unless_told_otherwise() -> None:
    assert load_settings(DATABASE).read_database_url.get_secret_value() == DATABASE["DATABASE_URL"]
    apart = load_settings({**DATABASE, "READ_DATABASE_URL": "postgres://reader@replica/board"})
    assert apart.read_database_url.get_secret_value() == "postgres://reader@replica/board"


@pytest.mark.parametrize(
    ("host", "shown"),
    [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]"), ("192.0.2.7", "192.0.2.7"), ("board", "board"),
     ("0.0.0.0", "127.0.0.1"), ("::", "127.0.0.1")],
)  # fmt: skip
def test_base_url_is_where_the_board_listens(host: str, shown: str) -> None:
    assert load_settings({**DATABASE, "HOST": host, "PORT": "8123"}).base_url == f"http://{shown}:8123"


@pytest.mark.parametrize(
    ("spelling", "address"),
    [("https://Board.Example:443", "https://board.example"), ("http://b.example:80/X/", "http://b.example/X"),
     ("http://b.example:443", "http://b.example:443"), ("http://[::1]:80", "http://[::1]"),
     ("https://board.example/x/", "https://board.example/x")],
)  # fmt: skip
def test_base_url_has_the_spelling_that_names_the_folder_of_a_token(spelling: str, address: str) -> None:
    assert load_settings({**DATABASE, "BASE_URL": spelling}).base_url == address == board_address(spelling)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("PORT", "0", "PORT must be at least 1."),
        ("PORT", "65536", "PORT must be at most 65535."),
        ("PORT", "8000.5", "PORT must be a whole number."),
        # Kubernetes sets this for a Service named limiter by default
        ("LIMITER_PORT", "tcp://10.96.7.3:8100", "LIMITER_PORT must be a whole number."),
        ("SECRET_GUARD", "never", "SECRET_GUARD must be true or false."),
        ("LOG_LEVEL", "loud", "LOG_LEVEL must be one of 'debug', 'info', 'warning' or 'error'."),
        ("DRAIN_NOTICE_SECONDS", "nan", "DRAIN_NOTICE_SECONDS must be at most 60."),
        ("DRAIN_NOTICE_SECONDS", "soon", "DRAIN_NOTICE_SECONDS must be a number."),
        ("HOST", "a b", "HOST must be a host name or an address."),
    ],
)
def test_a_wrong_value_is_one_sentence_that_names_the_variable(name: str, value: str, sentence: str) -> None:
    assert refusal(**{name: value}) == sentence


@pytest.mark.parametrize(
    "address",
    [
        "ftp://board.example",
        "https://",
        "https://user:pw@board.example",
        "https://board.example?q=1",
        "https://board.example\r\nX-Evil: 1",
        "https://board.exämple",
        "https://board.example:port",
        "http://[::1",
        "https://board.example/$(id)",
        "https://board.example/`id`",
        "https://board.example;id",
    ],
)
def test_base_url_takes_only_a_plain_web_address(address: str) -> None:
    assert refusal(BASE_URL=address).startswith("BASE_URL must be an http or https address")


def test_every_wrong_setting_has_its_sentence() -> None:
    lines = refusal(PORT="x", REUSE_PORT="x", HOST="/").splitlines()
    assert [line.split()[0] for line in lines] == ["HOST", "PORT", "REUSE_PORT"]


def test_a_default_made_from_a_wrong_setting_is_not_blamed() -> None:
    assert refusal(DATABASE_URL="mysql://h/db").count("\n") == 0


def test_no_secret_is_shown_in_errors_tracebacks_or_the_settings_themselves(tmp_path: Path) -> None:
    for env in ({"DATABASE_URL": "mysql://u:hunter2@h/db"}, {"READ_DATABASE_URL": "postgres:// hunter2"}):
        with pytest.raises(SettingsError) as caught:
            load_settings({**DATABASE, **env})
        assert "hunter2" not in "".join(traceback.format_exception(caught.value))
    assert "hunter2" not in repr(load_settings(DATABASE)) + str(load_settings(DATABASE))


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("hunter2", "LOG_KEY must have the form PRIVATE+KEY+NAME+HASH+KEY, as `agent-board log key` prints it."),
        (LOG_KEY.replace("Peter", "Paul"), "LOG_KEY must have the hash of its name and its public key; a part of it"),
    ],
)
def test_a_malformed_key_of_the_log_is_one_sentence_without_it(wrong: str, reason: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings({**DATABASE, "LOG_KEY": wrong})
    assert str(caught.value).startswith(reason)
    shown = "".join(traceback.format_exception(caught.value))
    assert wrong[-20:] not in shown


def test_the_key_of_the_log_is_optional_and_shown_nowhere() -> None:
    assert load_settings(DATABASE).log_key is None
    settings = load_settings({**DATABASE, "LOG_KEY": LOG_KEY})
    assert settings.log_key == SecretStr(LOG_KEY)
    assert LOG_KEY[-20:] not in repr(settings) + str(settings)


def test_a_setting_may_come_from_a_file_named_by_its_variable(tmp_path: Path) -> None:
    secret = tmp_path / "database_url"
    secret.write_text(f"\n {DATABASE['DATABASE_URL']}\n")
    (tmp_path / "port").write_text("8124\n")
    settings = load_settings({"DATABASE_URL_FILE": str(secret), "PORT_FILE": str(tmp_path / "port")})
    assert settings.database_url.get_secret_value() == DATABASE["DATABASE_URL"]
    assert settings.port == 8124


@pytest.mark.parametrize("end", ["", "\r\n"])
def test_a_byte_order_mark_is_no_part_of_a_secret(tmp_path: Path, end: str) -> None:
    file = tmp_path / "database_url"
    file.write_text(f"\ufeff{DATABASE['DATABASE_URL']}{end}", encoding="utf-8")
    settings = load_settings({"DATABASE_URL_FILE": str(file)})
    assert settings.database_url.get_secret_value() == DATABASE["DATABASE_URL"]
    file.write_text("\ufeff\r\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="DATABASE_URL_FILE names an empty file"):
        load_settings({"DATABASE_URL_FILE": str(file)})


def test_value_and_file_together_are_refused(tmp_path: Path) -> None:
    assert refusal(DATABASE_URL_FILE=str(tmp_path)) == (
        "DATABASE_URL and DATABASE_URL_FILE are both given; give one of them."
    )


@pytest.mark.parametrize("content", [None, b"  \n", b"\xff\xfe"])
def test_a_missing_empty_or_unreadable_secret_file_is_refused_without_its_path(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "hunter2"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SettingsError, match=r"^DATABASE_URL_FILE names an? .*file.*\.$") as caught:
        load_settings({"DATABASE_URL_FILE": str(path)})
    assert "hunter2" not in str(caught.value)


def test_unknown_variables_are_ignored_even_if_they_are_empty() -> None:
    env = {**DATABASE, "PROT": "1", "PATH": "/bin", "port": "1", "NO_COLOR": ""}
    assert load_settings(env) == load_settings(DATABASE)


@pytest.mark.parametrize("value", ["", " ", "\t\n"])
@pytest.mark.parametrize("end", ["", "_FILE"])
@pytest.mark.parametrize("kind", [Settings, SettingsWithoutDatabase])
def test_every_empty_setting_is_refused_by_its_name(kind: type[Settings], end: str, value: str) -> None:
    for name in kind.model_fields:
        variable = name.upper() + end
        env = {**DATABASE, variable: value}
        if end and name == "database_url":
            del env["DATABASE_URL"]
        with pytest.raises(SettingsError) as caught:
            load_settings(env, kind)
        assert str(caught.value) == f"{variable} is empty; leave it out."


@pytest.mark.parametrize("name", ["internal_names", "trusted_proxies"])
def test_a_list_of_nothing_is_refused(name: str) -> None:
    for value in (",", " , ,", "10.0.0.0/8,", ",,10.0.0.0/8"):
        with pytest.raises(SettingsError, match=rf"^{name.upper()} .*\.$"):
            load_settings({**DATABASE, name.upper(): value})


def test_the_environment_is_read_only_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "8300")
    monkeypatch.setenv("DATABASE_URL", "postgres://env/db")
    assert load_settings().port == 8300
    assert load_settings(DATABASE).port == 8000
    assert Settings(database_url=SecretStr("postgres://h/db")).port == 8000


# .env.example: every setting is there, explained, with its default, and nothing else is.


def test_the_example_shows_every_setting_in_order_and_nothing_else() -> None:
    names = re.findall(r"^(?:# )?([A-Z_]+)=", EXAMPLE.read_text(), re.M)
    assert names == [name.upper() for name in Settings.model_fields]


def test_only_required_settings_are_not_commented_out_in_the_example() -> None:
    given = re.findall(r"^([A-Z_]+)=", EXAMPLE.read_text(), re.M)
    assert given == [name.upper() for name, field in Settings.model_fields.items() if field.is_required()]


def test_the_example_shows_the_defaults() -> None:
    text = EXAMPLE.read_text()
    everything = re.sub(r"^# ([A-Z_]+=.)", r"\1", text, flags=re.M)
    assert load_settings(parsed(everything)) == load_settings(parsed(text))


def test_the_example_explains_each_setting_in_the_words_of_the_code() -> None:
    blocks = re.findall(r"((?:^# .+\n)+?)(?:# )?([A-Z_]+)=", EXAMPLE.read_text(), re.M)
    explained = {name.lower(): " ".join(comment.replace("# ", "").split()) for comment, name in blocks}
    assert explained == {name: field.description for name, field in Settings.model_fields.items()}
