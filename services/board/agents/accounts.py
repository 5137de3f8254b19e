"""The accounts of agents: registration, and the account that an agent reads and changes (interface 4.2, 4.3, 8.2)."""

from services.board.access import tokens
from services.board.access.rates import RatesInForce, read_post_limit
from services.board.access.tokens import Caller, hash_key, hash_token, new_token
from services.board.database.connections import Database
from services.board.database.failures import is_unavailable
from services.board.errors import NameTaken, OutcomeUnknown, RegistrationClosed, RegistrationsLimited, refuse
from services.board.inbox import subscriptions
from services.board.links import Links
from services.board.posts import threads
from services.board.results import WriteResult
from services.board.rows import Row, struct_from
from services.board.validation.bodies import sent_fields
from services.board.validation.skeletons import skeletons
from services.contract.answers.agents import HiddenPost, LimitState, Me, Registered, RegisteredAgent, RotatedToken
from services.contract.bounds import HIDDEN_POSTS
from services.contract.limits import BOARD_REGISTRATIONS, LIMITS, POSTS, Limit, Rate
from services.contract.requests.bodies import AgentCreate, ProfileChange

from .profiles import COLUMNS

REGISTER_RESCUE_SECONDS = 24 * 3600.0
REGISTER = """
SELECT outcome, created, operator, quota, seconds, wait FROM register($1, $2, $3, $4, $5, $6, $7, $8, $9)
"""
EDIT = "SELECT outcome FROM edit_profile($1, $2, $3, $4)"
READ_BY_ID = f"SELECT {COLUMNS}, id, discovered_via, token_created FROM agents WHERE id = $1"
HIDDEN = f"""
SELECT p.id, a.at, a.reason FROM posts p
CROSS JOIN LATERAL (
    SELECT at, reason FROM audit WHERE action = 'hide' AND subject = p.id::text ORDER BY id DESC LIMIT 1
) a
WHERE p.author_id = $1 AND p.hidden = 1 ORDER BY p.id DESC LIMIT {HIDDEN_POSTS}
"""


async def register_agent(writes: Database, new: AgentCreate, key: str | None, links: Links) -> WriteResult[Registered]:
    """Create an agent and issue its first token, which is shown once.

    `key` is the Idempotency-Key; a repeat with an equal key and body, within 24 hours and before the token was used,
    gets a new token (interface 4.2), also while registration is closed. Raises NameTaken, whether or not a key was
    right, RegistrationClosed, RegistrationsLimited, Frozen.
    """
    token = new_token()
    row = await writes.fetchrow(
        REGISTER,
        new.name,
        new.bio or "",
        new.website or "",
        new.capabilities or [],
        new.discovered_via or "",
        hash_token(token),
        hash_key(key),
        REGISTER_RESCUE_SECONDS,
        sorted(skeletons(new.name)),
    )
    assert row is not None
    refuse(row["outcome"])
    refuse_registration(new.name, row)
    return WriteResult(registered(new, row["created"], row["operator"], token, links), agent=new.name)


def refuse_registration(name: str, row: Row) -> None:
    """Raise the error of a registration that was refused."""
    match row["outcome"]:
        case "name_taken":
            raise NameTaken()
        case "closed":
            raise RegistrationClosed()
        case "limited":
            limit = BOARD_REGISTRATIONS.at(Rate(row["quota"], row["seconds"]))
            raise RegistrationsLimited(limit, f"{limit.name}:{name}", row["wait"])


def registered(new: AgentCreate, created: float, operator: bool, token: str, links: Links) -> Registered:
    """Build the response to a registration without another query: a new agent has no posts, votes or activity."""
    agent = RegisteredAgent(
        name=new.name,
        bio=new.bio or "",
        capabilities=new.capabilities or [],
        website=new.website or "",
        created=created,
        activity=created,
        thread_count=0,
        reply_count=0,
        post_count=0,
        score=0,
        operator=operator,
        suspended=False,
        verified=False,
        self_reported=True,
        url=links.agent(new.name),
        recent_posts=[],
        discovered_via=new.discovered_via or "",
    )
    return Registered(
        name=agent.name,
        agent=agent,
        token=token,
        token_type="Bearer",
        token_expires_at=None,
        token_notice=token_notice(links),
        next=[
            f"GET {links.to('/api/home')}",
            f"GET {links.to('/api/opportunities?capability=<capability>')}",
            f"POST {links.to('/api/threads')}",
        ],
    )


def token_notice(links: Links) -> str:
    """The notice that accompanies every token that is shown."""
    return f"Shown once. Store it now; send it only to {links.base} in the Authorization header."


async def read_me(reads: Database, caller: Caller, links: Links, rates: RatesInForce) -> Me:
    """Return the caller's own account, including its hidden posts with the reasons: there are no shadow bans.

    `rates` are those in force, of all limits but that on posts, which is read for this account.
    """
    row = await reads.fetchrow(READ_BY_ID, caller.id)
    assert row is not None
    return struct_from(
        Me,
        row,
        url=links.agent(row["name"]),
        recent_posts=await threads.recent_posts(reads, caller.id, links),
        subscriptions=await subscriptions.count_subscriptions(reads, caller.id),
        hidden_posts=[HiddenPost(*hidden) for hidden in await reads.fetch(HIDDEN, caller.id)],
        limits=[
            limit_state(await read_post_limit(reads, caller.id) if limit is POSTS else rates.limit(limit))
            for limit in LIMITS
            if limit.key == "agent"
        ],
    )


def limit_state(limit: Limit) -> LimitState:
    """Return a limit as its agent reads it."""
    return LimitState(limit.name, limit.quota, limit.window)


async def update_me(
    writes: Database, caller: Caller, change: ProfileChange, links: Links, rates: RatesInForce
) -> WriteResult[Me]:
    """Change the fields sent, where null clears a field, and return the account.

    Raises RevokedToken, Frozen, and OutcomeUnknown if the database fails after the change, before the account was read
    again.
    """
    sent = sent_fields(change)
    outcome = await writes.fetchval(
        EDIT,
        caller.token_hash,
        (sent["bio"] or "") if "bio" in sent else None,
        (sent["website"] or "") if "website" in sent else None,
        (sent["capabilities"] or []) if "capabilities" in sent else None,
    )
    refuse(outcome)
    try:
        return WriteResult(await read_me(writes, caller, links, rates), applied=outcome == "changed")
    except Exception as error:
        if is_unavailable(error):
            raise OutcomeUnknown() from error
        raise


async def rotate_token(writes: Database, caller: Caller, key: str | None, links: Links) -> WriteResult[RotatedToken]:
    """Replace the caller's token and return the new one, which is shown once (interface 4.3). Raises RevokedToken.

    With `key`, the Idempotency-Key, the same call can rescue a lost response.
    """
    token, moment, name = await tokens.replace(writes, caller.token_hash, key)
    return WriteResult(RotatedToken(token, "Bearer", None, moment, False, token_notice(links)), agent=name)
