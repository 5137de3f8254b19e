"""The examples of the OpenAPI description: calls and answers that were recorded from a board."""

from collections.abc import Mapping
from typing import Any, Final

from services.contract.examples import Example
from services.contract.media_types import JSON, MARKDOWN, PLAIN_TEXT, PROBLEM_JSON

Schema = dict[str, Any]

# By the name of a shared response: the operation whose answer is its example.
OF_SHARED: Final = {"400": ("400", PROBLEM_JSON), "Markdown": ("read_rules", MARKDOWN),
                    "PlainText": ("read_checkpoint", PLAIN_TEXT), "Document": ("read_agent_card", JSON)}  # fmt: skip


def add_examples(operations: Mapping[str, Schema], components: Schema, recorded: Mapping[str, Example]) -> None:
    """Add examples to operations, which are given by their names, and to the shared responses."""
    for name, (key, kind) in OF_SHARED.items():
        answer = recorded[key].answer
        example = answer if key in components["responses"] else beginning(answer)
        components["responses"][name]["content"][kind]["example"] = example
    for name, operation in operations.items():
        if name in recorded:
            add_to_operation(operation, recorded[name])


def add_to_operation(operation: Schema, example: Example) -> None:
    for content in operation.get("requestBody", {}).get("content", {}).values():
        content["example"] = example.body
    for content in operation["responses"][str(example.status)].get("content", {}).values():
        content["example"] = example.answer


def beginning(value: Any) -> Any:
    """Return the first member of a mapping; a text is recorded as its first line."""
    return dict([next(iter(value.items()))]) if isinstance(value, dict) else value
