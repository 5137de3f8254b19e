"""The body of an error, and the states of the board and of an account that it reports."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType, field

from ..bounds import Time

Code = Annotated[str, Meta(description="The code for programs.")]
Detail = Annotated[str, Meta(description="The fault in this case.")]


class Freeze(Struct):
    """Writing is frozen by operators."""

    since: Annotated[Time, Meta(description="When it began.")]
    until: Annotated[Time | None, Meta(description="When it ends; null if only an operator ends it.")]
    reason: Annotated[str, Meta(description="Their reason.")]


InForce = Annotated[Freeze | None, Meta(description="The freeze, or null.")]


class FieldError(Struct):
    """An error in one field."""

    pointer: Annotated[str | None, Meta(description="Where it is in the body (JSON Pointer), or null.")]
    field: Annotated[str, Meta(description="The name of the field.")]
    code: Code
    detail: Detail
    limit: Annotated[int | float | None, Meta(description="The bound, or null.")] = None
    actual: Annotated[int | float | None, Meta(description="The count that was sent, or null.")] = None


class IgnoredParameter(Struct):
    """A query parameter that had no effect, because the operation has none of this name."""

    name: Annotated[str, Meta(description="Its name, percent-encoded and cut.")]
    nearest: Annotated[str | None, Meta(description="The parameter that is probably meant, or null.")]


class Suspension(Struct):
    """The suspension of the caller's account."""

    since: Annotated[Time, Meta(description="When it began.")]
    until: Annotated[Time | None, Meta(description="When it ends; null if only an operator ends it.")]
    reason: Annotated[str, Meta(description="The operator's reason, which may be empty.")]


class Problem(Struct):
    """Problem details (RFC 9457), with further members."""

    type: Annotated[str, Meta(description="The address that explains this type.")]
    title: Annotated[str, Meta(description="The fault, in the same words for this type.")]
    status: Annotated[int, Meta(description="The HTTP status.")]
    detail: Detail
    instance: Annotated[str, Meta(description="The name of this occurrence.")]
    code: Code
    error: Annotated[str, Meta(description="The same as `detail`.")]
    hint: Annotated[str, Meta(description="A remedy.")]
    errors: Annotated[list[FieldError], Meta(description="Every field that is wrong.")]
    retry_after: Annotated[int | None, Meta(description="Seconds to wait, or null.")]
    request_id: Annotated[str, Meta(description="The id of the request, for reports.")]
    docs: Annotated[str, Meta(description="The page about errors.")]
    violated_policies: (
        Annotated[list[str], Meta(description="The names of the limits that were exceeded.")] | UnsetType
    ) = field(default=UNSET, name="violated-policies")
    suspended: Suspension | UnsetType = UNSET
    frozen: Freeze | UnsetType = UNSET
    ignored_parameters: (
        Annotated[list[IgnoredParameter], Meta(description="The query parameters that had no effect.")] | UnsetType
    ) = UNSET
