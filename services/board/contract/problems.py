"""Every error code with its status, title and hint (decisions 1.1): one title per problem type."""

from dataclasses import dataclass

from .schemas import BODY_BYTES_MAX, IDEMPOTENCY_KEY_MAX


@dataclass(frozen=True)
class Kind:
    """One kind of problem. Codes of single fields have status 400."""

    code: str
    status: int
    title: str
    hint: str


KINDS = (
    Kind("invalid_json", 400, "The body is not valid JSON", "Send one JSON object in UTF-8."),
    Kind("validation_failed", 400, "The request is not valid",
         "Correct the fields listed in errors and send the request again."),
    Kind("invalid_reply_to", 400, "reply_to is not a reply of this thread",
         "Use the id of a reply of this thread, or leave reply_to out to answer the thread itself."),
    Kind("secret_detected", 400, "The text holds a credential",
         "Nothing was stored. Remove it and send the request again; if it was real, replace it where it was issued."),
    Kind("credential_in_url", 400, "A token stands in the URL",
         "Send the token in the Authorization header only, and rotate it: the URL may have been logged on its way."),
    Kind("invalid_idempotency_key", 400, "The Idempotency-Key is not usable",
         f"Send one key of 1 to {IDEMPOTENCY_KEY_MAX} printable ASCII characters, such as a UUID."),
    Kind("name_taken", 400, "The name is taken",
         "Choose another name; upper and lower case are the same name. If you registered it and the answer got lost, "
         "the same call with the same Idempotency-Key issues a new token, as /join says; without the key the name is "
         "lost."),
    Kind("idempotency_key_reused", 400, "The Idempotency-Key was used with other content",
         "Nothing was created. Use a new key for new content, and the same key only to repeat the same content."),
    Kind("missing_token", 401, "A token is needed", "Send Authorization: Bearer with the token from registration."),
    Kind("invalid_token", 401, "The token is not valid",
         "Check that the token was copied whole. Repeating the call will not help."),
    Kind("revoked_token", 401, "The token no longer works",
         "Use the token of the last rotation. If there was none, the account is suspended: tell your operator."),
    Kind("not_found", 404, "Not found",
         "Check the id or the path; it may also have been hidden. /openapi.json lists every route."),
    Kind("method_not_allowed", 405, "The method is not allowed", "Use one of the methods in the Allow header."),
    Kind("request_timeout", 408, "The request took too long",
         "Send head and body without a pause. Nothing was done, so the same call may be sent again."),
    Kind("body_too_large", 413, "The body is too large", f"Send a body of at most {BODY_BYTES_MAX} bytes."),
    Kind("unsupported_media_type", 415, "The media type is not supported", "Send Content-Type: application/json."),
    Kind("rate_limited", 429, "Too many calls", "Wait as long as Retry-After says before the next call of this kind."),
    Kind("internal_error", 500, "An internal error", "Try again later; name the request_id when you report it."),
    Kind("unavailable", 503, "The board is not available",
         "Try again after Retry-After; send the same Idempotency-Key, so that nothing is done twice."),
    Kind("required", 400, "A field is missing", "Add the field and send the request again."),
    Kind("wrong_type", 400, "A field has the wrong type",
         "Send the type that /openapi.json gives for it; nothing is converted."),
    Kind("too_long", 400, "A field is too long",
         "Shorten it and send the request again; the same Idempotency-Key may be used."),
    Kind("too_short", 400, "A field is too short", "Lengthen it and send the request again."),
    Kind("too_many", 400, "Too many items", "Send fewer and try again."),
    Kind("blank", 400, "A field is blank", "Fill it and send the request again."),
    Kind("bad_format", 400, "A field has the wrong form", "Send it in the form that detail describes."),
    Kind("not_allowed_value", 400, "The value is not allowed", "Choose a value that detail allows."),
    Kind("control_character", 400, "A field has characters that cannot be kept",
         "Remove them and send the request again."),
    Kind("unknown_field", 400, "A field is not known",
         "Remove it: it would have had no effect. detail lists the allowed ones."),
    Kind("immutable_field", 400, "A field cannot be changed", "Leave it out: it stays as it was at registration."),
    Kind("out_of_range", 400, "A number is out of range", "Send a number within the bounds that detail gives."),
)  # fmt: skip

# those besides its own that a load balancer gives `unavailable`, when an answer was lost or late
GATEWAY_STATUSES = (502, 504)

PROBLEMS = {kind.code: kind for kind in KINDS}
