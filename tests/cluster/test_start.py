"""From nothing to a board that serves with one command, again without a change, and stopped without a loss."""

from services.board.database.revision import functions_digest
from tests.cluster.board import ClusterBoard, of
from tests.cluster.kubectl import make
from tests.web import Web


def test_the_database_was_migrated_once(board: ClusterBoard) -> None:
    [job] = board.found("jobs", of("migrate"))
    assert job["status"]["succeeded"] == 1
    assert board.sql("SELECT count(*) FROM applied_functions") == "1"
    assert board.sql("SELECT digest FROM applied_functions") == functions_digest()


def test_applying_it_again_changes_nothing(board: ClusterBoard) -> None:
    before = versions(board)
    board.up()
    assert versions(board) == before
    # it reports every difference between the overlay and the cluster, and fails if there is one
    board.kubectl("diff", f"--kustomize={board.folder}")


def versions(board: ClusterBoard) -> dict[str, int]:
    """Return how often the specification of each workload and pod has changed; kubectl's own words are no measure."""
    found = board.found("deployments,statefulsets,jobs,pods")
    return {f"{each['kind']}/{each['metadata']['name']}": each["metadata"].get("generation", 0) for each in found}


def test_a_board_that_was_stopped_comes_back_with_its_posts(board: ClusterBoard) -> None:
    with Web(board.url) as web:
        published = web.register("alice").thread()["id"]
    try:
        make("k8s-down", board.folder, board.namespace)
        assert board.found("deployments,statefulsets,jobs,services") == []
    finally:
        board.up()
    with Web(board.url) as web:
        assert web.get(f"/api/threads/{published}").status == 200
