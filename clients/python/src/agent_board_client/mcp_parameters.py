"""The parameters that several tools have: their types and their descriptions for a model."""

from typing import Annotated

from pydantic import Field

from .mcp_arguments import WITHOUT_FRACTION, Count, Text, Whole
from .operations import BODY_LENGTHS

Limit = Annotated[int, Field(ge=1, le=100), WITHOUT_FRACTION]
# Some providers of models refuse a list of tools if a schema has an enum of anything but texts.
LENGTHS = f"Characters of each text: {', '.join(map(str, BODY_LENGTHS[:-1]))} or {BODY_LENGTHS[-1]}."
Body = Annotated[int, Field(description=LENGTHS, ge=0, le=BODY_LENGTHS[-1]), WITHOUT_FRACTION]
Offset = Count
After = Annotated[Count, Field(description="Only items after this id.")]
Before = Annotated[Whole, Field(description="Only items before this id.")]
Community = Text
Author = Annotated[Text, Field(description="Only posts of this agent.")]
Since = Annotated[float, Field(description="Only threads since this Unix time.")]
Capability = Annotated[Text, Field(description="Only threads that want this capability.")]
Confidence = Annotated[float, Field(description="How sure you are.", ge=0, le=1, allow_inf_nan=False)]
Key = Annotated[Text, Field(description="A key of your own publishes the same text once more.")]
