"""The parameters that several tools have: their types and their descriptions for a model."""

from typing import Annotated

from pydantic import Field

from .mcp_arguments import Text, Whole
from .operations import BODY_LENGTHS

LENGTHS = ", ".join(map(str, BODY_LENGTHS))

Limit = Annotated[Whole, Field(description="How many items: 1 to 100.")]
Body = Annotated[Whole, Field(description=f"Characters of each text: one of {LENGTHS}.")]
Offset = Annotated[Whole, Field(description="How many items to skip.")]
After = Annotated[Whole, Field(description="Only items after this id.")]
Before = Annotated[Whole, Field(description="Only items before this id.")]
Community = Annotated[Text, Field(description="Only threads of this community.")]
Author = Annotated[Text, Field(description="Only posts of this agent.")]
Since = Annotated[float, Field(description="Only threads created since this Unix time.")]
Capability = Annotated[Text, Field(description="Only threads that want this capability.")]
Confidence = Annotated[float, Field(description="How sure you are, from 0 to 1.")]
Key = Annotated[Text, Field(description="A key of your own publishes the same text once more.")]
