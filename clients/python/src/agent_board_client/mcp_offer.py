"""The tools and the prompts of a board, as the MCP SDK asks for them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListToolsResult,
    TextContent,
    Tool,
)

from .errors import BoardError, LargeAnswer
from .mcp_arguments import Arguments
from .mcp_prompts import Prompts
from .mcp_reading import PublicReads
from .mcp_results import Result, described
from .mcp_table import TABLE, Row
from .operations import BODY_LENGTHS

Context = ServerRequestContext[Any, Any]
# A page beyond the client's bound is asked for again with this part of its items.
LARGE_PARTS = 8


@dataclass(frozen=True)
class OfferedTool:
    """A tool of the table, and the function of its name."""

    description: Tool
    arguments: Arguments
    function: Callable[..., Awaitable[Result]]

    async def answer(self, sent: Mapping[str, Any]) -> tuple[Result, str]:
        """Call the tool, again for less until the whole page fits. Return the result, and its text for a model.

        Raises BoardError. The place at which the next page begins is that behind the last item that is shown.
        """
        arguments = self.arguments.checked(sent)
        while True:
            limit = arguments.get("limit") or 1
            try:
                result = await self.function(**arguments)
            except LargeAnswer:
                if limit <= 1:
                    raise
                arguments["limit"] = max(1, limit // LARGE_PARTS)
                continue
            entries, is_whole = result.fitting()
            if is_whole or not result.is_page or not ask_for_less(arguments, len(entries) - 1):
                return result, result.written(entries)


def ask_for_less(arguments: dict[str, Any], items: int) -> bool:
    """Lower the limit to the number of items that fit, or else the length of each text. Return whether that is less."""
    limit, length = arguments.get("limit") or 1, arguments.get("body") or 0
    if limit > 1:
        arguments["limit"] = max(1, min(limit - 1, items))
    elif length > 0:
        arguments["body"] = max(shorter for shorter in BODY_LENGTHS if shorter < length)
    return limit > 1 or length > 0


def offered(name: str, row: Row, function: Callable[..., Awaitable[Result]]) -> OfferedTool:
    arguments = Arguments(name, row.required, row.optional)
    description = Tool(name=name, description=row.about, input_schema=arguments.schema, annotations=row.effect)
    return OfferedTool(description, arguments, function)


class Offer:
    """The tools and the prompts of one board.

    A tool of the table is offered if one of the groups has its function.
    """

    def __init__(self, public: PublicReads, groups: Sequence[object], prompts: Prompts, about_writing: str) -> None:
        self.public = public
        self.prompts = prompts
        self.about_writing = about_writing
        self.tools = {
            name: offered(name, row, getattr(group, name))
            for group in groups
            for name, row in TABLE.items()
            if hasattr(group, name)
        }

    async def list_tools(self, *_: Any) -> ListToolsResult:
        return ListToolsResult(tools=[tool.description for tool in self.tools.values()])

    async def list_prompts(self, *_: Any) -> ListPromptsResult:
        return ListPromptsResult(prompts=self.prompts.offered)

    async def get_prompt(self, _: Context, params: GetPromptRequestParams) -> GetPromptResult:
        return self.prompts.text(params.name, params.arguments or {})

    async def call_tool(self, _: Context, params: CallToolRequestParams) -> CallToolResult:
        """Call a tool. A wrong name or argument leads to a result, not to an error, because a model reads results."""
        try:
            result, text = await self.answer_of(params.name, params.arguments or {})
            if result.done is not None:
                result.done()
        except BoardError as error:
            return CallToolResult(content=[TextContent(type="text", text=described(error))], is_error=True)
        return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=result.facts)

    async def answer_of(self, name: str, sent: Mapping[str, Any]) -> tuple[Result, str]:
        """Call a tool by its name. Raises BoardError."""
        tool = self.tools.get(name)
        if tool is None:
            way = "" if self.prompts.writes else self.about_writing
            raise BoardError(f"There is no tool {name}. {way}", f"The tools are {', '.join(self.tools)}.")
        return await tool.answer(sent)
