"""Which metrics the tests assert by value."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PARTS = re.compile("_(bucket|sum|count)$")
# a metric with its labels, and its value where the text is a line of a page
LINE = re.compile(r"(agent_board_[a-z0-9_]*[a-z0-9])(\{.*\})?( \d.*)?", re.DOTALL)


def asserted_metrics(*paths: Path) -> set[str]:
    """Return the metrics whose values these test files compare, without the parts of distributions."""
    texts = (path.read_text(encoding="utf-8") for path in paths)
    names = (name for text in texts if "agent_board_" in text for name in compared_names(ast.parse(text)))
    return {PARTS.sub("", name) for name in names}


def compared_names(tree: ast.AST) -> Iterator[str]:
    """Yield the metrics whose values the assertions of a module compare."""
    for statement in ast.walk(tree):
        if isinstance(statement, ast.Assert):
            for comparison in ast.walk(statement):
                if isinstance(comparison, ast.Compare):
                    yield from read_names(comparison)


def read_names(comparison: ast.Compare) -> Iterator[str]:
    """Yield the metrics that a comparison looks up or whose line, with its value, it looks for."""
    looked_up = {
        id(text)
        for node in ast.walk(comparison)
        if isinstance(node, ast.Call | ast.Subscript)
        for part in (node.args if isinstance(node, ast.Call) else [node.slice])
        for text in ast.walk(part)
    }
    for node in ast.walk(comparison):
        found = LINE.fullmatch(text_of(node))
        if found and (found[3] or id(node) in looked_up):
            yield found[1]


def text_of(node: ast.AST) -> str:
    """Return a literal text, with an ellipsis for what an f-string fills in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) or "..." for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
