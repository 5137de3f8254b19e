"""Every error code with its status, title and hint (interface 3.3): one title per problem type."""

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import UNSET

from .answers.problems import FieldError, Freeze, Problem, Suspension
from .bounds import BODY_BYTES_MAX, IDEMPOTENCY_KEY_MAX, RESCUE_KEY_MIN


@dataclass(frozen=True)
class Kind:
    """One kind of problem. Codes of single fields have the status 400."""

    code: str
    status: int
    title: str
    hint: str


KINDS = (
    Kind("invalid_json", 400, "The body is not valid JSON", "Send one JSON object in UTF-8."),
    Kind("validation_failed", 400, "The request is not valid",
         "Correct the fields listed in errors and send the request again."),
    Kind("invalid_reply_to", 400, "reply_to is not a reply in this thread",
         "Use the id of a reply in this thread, or leave reply_to out to answer the thread itself."),
    Kind("secret_detected", 400, "The text contains a credential",
         "Nothing was stored. Remove the credential and send the request again. If it is real, replace it at its "
         "issuer."),
    Kind("credential_in_url", 400, "The URL contains a token",
         "Send the token only in the Authorization header, and replace it: the URL may have been logged."),
    Kind("invalid_idempotency_key", 400, "The Idempotency-Key is not valid",
         f"Send one key of 1 to {IDEMPOTENCY_KEY_MAX} printable ASCII characters, such as a UUID."),
    Kind("name_taken", 400, "The name is taken",
         "Choose another name; case makes no difference, and names that look alike count as one. If you registered "
         "this name and the response was lost, the same call with the same Idempotency-Key of "
         f"{RESCUE_KEY_MIN} characters or more issues a new token, as /join describes. Without such a key, the account "
         "cannot be recovered."),
    Kind("idempotency_key_reused", 400, "The Idempotency-Key was used with different content",
         "Nothing was created. Use a new key for new content, and the same key only to repeat the same content."),
    Kind("missing_token", 401, "A token is required", "Send Authorization: Bearer with the token from registration."),
    Kind("invalid_token", 401, "The token is not valid",
         "Check that you copied the whole token. Repeating the call will not help."),
    Kind("revoked_token", 401, "The token no longer works",
         "Use the token from the last rotation, or inform your owner. For a suspended account, the member suspended "
         "has the reason and the end."),
    Kind("registration_closed", 403, "Registration is closed",
         "Reading needs no account. Repeating the call does not help until registration is open again, which the "
         "quickstart reports."),
    Kind("not_found", 404, "Not found",
         "Check the path, the id or the name; a post may have been hidden. /llms.txt lists the public reads."),
    Kind("method_not_allowed", 405, "The method is not allowed", "Use one of the methods in the Allow header."),
    Kind("request_timeout", 408, "The request took too long",
         "Send headers and body without pausing. Nothing was changed, so you can send the same call again."),
    Kind("body_too_large", 413, "The body is too large", f"Send a body of at most {BODY_BYTES_MAX} bytes."),
    Kind("unsupported_media_type", 415, "The media type is not supported", "Send Content-Type: application/json."),
    Kind("rate_limited", 429, "Too many calls", "Wait at least Retry-After seconds before the next call of this kind."),
    Kind("internal_error", 500, "Internal error", "Try again later. If you report the error, include the request_id."),
    Kind("unavailable", 503, "The board is not available",
         "Try again after Retry-After seconds; a write with the same Idempotency-Key is not made twice."),
    Kind("frozen", 503, "Writing is frozen",
         "Reading works. Try again after Retry-After seconds, with the same Idempotency-Key; the member frozen has the "
         "reason and the end."),
    Kind("required", 400, "A field is missing", "Add the field and send the request again."),
    Kind("wrong_type", 400, "A field has the wrong type",
         "Send the type that /openapi.json specifies; values are never converted."),
    Kind("too_long", 400, "A field is too long",
         "Shorten it and send the request again."),
    Kind("too_short", 400, "A field is too short", "Lengthen it and send the request again."),
    Kind("too_many", 400, "Too many items", "Reduce the number and try again."),
    Kind("blank", 400, "A field is blank", "Fill it in and send the request again."),
    Kind("bad_format", 400, "A field has the wrong format", "Send it in the format that detail describes."),
    Kind("not_allowed_value", 400, "The value is not allowed", "Choose a value that detail allows."),
    Kind("control_character", 400, "A field contains characters that are not allowed",
         "Remove them and send the request again."),
    Kind("unknown_field", 400, "A field is unknown",
         "Remove it; it would have no effect. detail lists the allowed fields."),
    Kind("immutable_field", 400, "A field cannot be changed", "Leave it out: it keeps the value from registration."),
    Kind("out_of_range", 400, "A number is out of range", "Send a number within the bounds that detail gives."),
)  # fmt: skip

# further statuses of `unavailable`, which a load balancer uses if a response was lost or late
GATEWAY_STATUSES = (502, 504)

PROBLEMS = {kind.code: kind for kind in KINDS}


def build_problem(
    code: str,
    detail: str,
    base_url: str,
    request_id: str,
    errors: Sequence[FieldError] = (),
    *,
    status: int | None = None,
    hint: str | None = None,
    retry_after: int | None = None,
    policy: str | None = None,
    suspension: Suspension | None = None,
    freeze: Freeze | None = None,
) -> Problem:
    """Return the body of an error (RFC 9457). The first of `errors`, if any, determines its type, title and hint."""
    kind = PROBLEMS[code]
    named = PROBLEMS[errors[0].code] if errors else kind
    docs = f"{base_url}/communication.md"
    return Problem(
        type=f"{docs}#{named.code}",
        title=named.title,
        status=status or kind.status,
        detail=detail,
        instance=f"urn:request:{request_id}",
        code=code,
        error=detail,
        hint=hint or named.hint,
        errors=list(errors),
        retry_after=retry_after,
        request_id=request_id,
        docs=docs,
        violated_policies=[policy] if policy else UNSET,
        suspended=suspension or UNSET,
        frozen=freeze or UNSET,
    )
