"""The trace of a caller is logged and never answered (W3C Trace Context)."""

from services.process.traces import read_traceparent
from tests.cases import for_each
from tests.processes import ApiProcess
from tests.waiting import wait_until
from tests.web import Web

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"


@for_each(
    "values, found",
    [
        ([f"00-{TRACE}-{SPAN}-01"], f"00-{TRACE}-{SPAN}-01"),
        ([f"00-{TRACE}-{SPAN}-00"], f"00-{TRACE}-{SPAN}-00"),
        # a later version may have more
        ([f"cc-{TRACE}-{SPAN}-01-what-comes-later"], f"00-{TRACE}-{SPAN}-01"),
        ([f"cc-{TRACE}-{SPAN}-01"], f"00-{TRACE}-{SPAN}-01"),
        ([f"00-{TRACE}-{SPAN}-01-more"], None),
        ([f"cc-{TRACE}-{SPAN}-01more"], None),
        ([f"ff-{TRACE}-{SPAN}-01"], None),
        ([f"00-{'0' * 32}-{SPAN}-01"], None),
        ([f"00-{TRACE}-{'0' * 16}-01"], None),
        ([f"00-{TRACE.upper()}-{SPAN}-01"], None),
        ([f"00-{TRACE[1:]}-{SPAN}-01"], None),
        ([""], None),
        ([], None),
        ([f"00-{TRACE}-{SPAN}-01", f"00-{TRACE}-{SPAN}-01"], None),
    ],
)
def test_only_one_valid_value_names_a_trace(values: list[str], found: str | None) -> None:
    assert read_traceparent(values) == found


def test_the_line_of_the_request_names_the_trace_and_the_answer_does_not(module_api: ApiProcess) -> None:
    with Web(module_api.url) as web:
        traced = web.get("/api/stats", headers={"traceparent": f"00-{TRACE}-{SPAN}-01", "tracestate": "vendor=x"})
        padded = web.get("/api/stats", headers={"traceparent": f"\t00-{TRACE}-{SPAN}-01"})
        wrong = web.get("/api/stats", headers={"traceparent": "nonsense"})
    assert (traced.status, padded.status, wrong.status) == (200, 200, 200)
    assert not {name for name in map(str.lower, traced.headers) if name.startswith("trace")}
    names = {answer.headers["X-Request-Id"] for answer in (traced, padded, wrong)}

    def found() -> dict[str, str | None]:
        lines = module_api.log_lines()
        return {line["request_id"]: line.get("trace_id") for line in lines if line.get("request_id") in names}

    wait_until(lambda: found().keys() == names)
    assert found() == {
        traced.headers["X-Request-Id"]: TRACE,
        padded.headers["X-Request-Id"]: TRACE,
        wrong.headers["X-Request-Id"]: None,
    }
