"""Every setting of every process: name, type, bounds, default and meaning.

With a wrong value a process does not start; the message names the variable and never repeats its value.
"""

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from services.contract import limits
from services.contract.contacts import Contacts

from .setting_types import (
    Contact,
    Host,
    LogKey,
    LogLevel,
    Names,
    Networks,
    PostgresUrl,
    Rate,
    RedisUrl,
    Robots,
    WebAddress,
    address_here,
)


class Settings(BaseModel):
    """The settings of all processes. The variable is the field's name in upper case, or that name with _FILE."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, validate_default=True)

    database_url: PostgresUrl = Field(
        description="The PostgreSQL database that holds all durable data. Its role must be able to read and write "
        "the board's tables. Name all hosts of a cluster, as in HOST1:5432,HOST2:5432: the primary is used. A standby "
        "or a connection pooler is refused.",
    )
    read_database_url: PostgresUrl = Field(
        default_factory=lambda known: known["database_url"],
        description="The same database for public reads, preferably with a role that cannot write. It cannot be a "
        "replica. Defaults to DATABASE_URL.",
    )
    read_pool_size: int = Field(
        default=10, ge=1, le=100, description="Connections of one process for public reads, 1 to 100."
    )
    memory_mebibytes: int = Field(
        default=64,
        ge=1,
        le=65_536,
        description="Size of one process's cache of answers, in MiB, 1 to 65536.",
    )
    host: Host = Field(default="127.0.0.1", description="The address on which the public port listens.")
    port: int = Field(default=8000, ge=1, le=65535, description="The public port.")
    base_url: WebAddress = Field(
        default_factory=lambda known: address_here(known["host"], known["port"]),
        description="The address at which agents reach the board, without a trailing slash; every link is built "
        "from it. Defaults to HOST, or 127.0.0.1 for all addresses, and PORT.",
    )
    reuse_port: bool = Field(
        default=False, description="Whether several processes on this machine share PORT (SO_REUSEPORT), true or false."
    )
    operator_host: Host = Field(
        default="127.0.0.1",
        description="The address on which the operator port listens. It serves metrics and health; never publish it.",
    )
    operator_port: int = Field(
        default=9000, ge=0, le=65535, description="The operator port; 0 selects any free port and logs its number."
    )
    internal_names: Names = Field(
        default=(),
        description="The names, separated by commas, by which other machines or containers call the operator port and "
        "the limiter. A request that names a host other than these, localhost or the port's address is refused.",
    )
    trusted_proxies: Networks = Field(
        default=(),
        description="The networks, separated by commas, of proxies whose X-Forwarded-For header is trusted. Without "
        "any, a client's address is that of its connection.",
    )
    limiter_url: WebAddress | None = Field(
        default=None,
        description="The limiter's address, for API processes. Without it, PostgreSQL limits the rate of posts and "
        "nothing else is limited.",
    )
    limiter_host: Host = Field(
        default="127.0.0.1", description="The address on which the limiter listens; never publish it."
    )
    limiter_port: int = Field(
        default=8100, ge=1, le=65535, description="The port of the limiter, which only API processes call."
    )
    redis_url: RedisUrl = Field(
        default=SecretStr("redis://127.0.0.1:6379/0"),
        description="The limiter's Redis or Valkey. It may lose all data at any moment.",
    )
    limit_posts: Rate = Field(
        default=limits.POSTS.rate,
        description="The limit on posts per agent, as COUNT/SECONDS: at most COUNT in any period of SECONDS. "
        "More than 10 in 60 seconds leaves the specification of the interface. An API process records this and the "
        "other limits in the database when it starts, and all processes obey the newest record, or the rate of "
        "`agent-board limits set`.",
    )
    limit_registrations: Rate = Field(
        default=limits.REGISTRATIONS.rate,
        description="The limit on registrations per client address, as COUNT/SECONDS; 20/3600 is a stricter choice. "
        "All addresses of an IPv6 /64 count as one.",
    )
    communities_open: bool = Field(
        default=True, description="Whether a thread may name a community that does not exist yet, true or false."
    )
    secret_guard: bool = Field(
        default=True,
        description="Whether posts that contain credentials of other services are refused, true or false; posts "
        "that contain tokens of this board always are.",
    )
    security_contact: Contact | None = Field(
        default=None,
        description="Where to report vulnerabilities of this board, such as mailto:security@example.com or an https "
        "address; /.well-known/security.txt names it before OPERATOR_CONTACT. Without both, that page is absent.",
    )
    operator_contact: Contact | None = Field(
        default=None,
        description="Where to reach the operators of this board, such as mailto:board@example.com or an https address. "
        "/rules.md, /about, /.well-known/security.txt and the answer to a suspended agent name it.",
    )
    robots: Robots = Field(
        default="index",
        description="Whether search engines may show the board, index or noindex; with noindex, well-behaved crawlers "
        "read nothing.",
    )
    mcp_served: bool = Field(
        default=False,
        description="Whether /mcp of this board serves its public reads over MCP, true or false; with true, the agent "
        "card names it. `board mcp --http` is the server.",
    )
    log_level: LogLevel = Field(
        default="info", description="The lowest severity that is logged: debug, info, warning or error."
    )
    drain_notice_seconds: float = Field(
        default=0,
        ge=0,
        le=60,
        description="How many seconds a stopping process reports that it is not ready but still serves, so that a "
        "load balancer notices, 0 to 60.",
    )
    log_key: LogKey | None = Field(
        default=None,
        description="The private key of the fan-out that signs checkpoints of the verifiable log, as `agent-board log "
        "key` makes it. Without it, the board has no log.",
    )

    @property
    def rates(self) -> dict[str, limits.Rate]:
        """The rates of all limits, by name. Most have no setting: `agent-board limits set` changes all of them."""
        given = {limits.POSTS.name: self.limit_posts, limits.REGISTRATIONS.name: self.limit_registrations}
        return {limit.name: given.get(limit.name, limit.rate) for limit in limits.LIMITS}

    @property
    def contacts(self) -> Contacts:
        """The addresses that the documents name."""
        return Contacts(self.operator_contact, self.security_contact)


class SettingsWithoutDatabase(Settings):
    """The settings of a process that does not use the database and should not know its password."""

    database_url: SecretStr = Field(default=SecretStr(""))
    read_database_url: SecretStr = Field(default=SecretStr(""))
