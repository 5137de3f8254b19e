"""The tables, as far as Tortoise can express them: columns, keys, defaults, ordinary and partial indexes.

The migrations also contain what Tortoise cannot express: unique partial and expression indexes, checks, columns and
indexes of text search, tables with composite keys (votes, open requests, subscription spans, nodes of the log, the
inbox with its partitions), and that `changes` and `confirmed_starts` are unlogged. A test keeps models and migrations
equal. The models serve only the migrations: all writes go through the SQL functions next to the modules that call them.
"""

from .board import Agent, Change, Community, LogHead, NameSkeleton, Post, Recount, RetiredToken
from .followers import AgentSearch, FanoutCursor, InboxMark, SearchCursor, Subscription, ThreadSearch
from .operations import AppliedFunctions, Audit, BoardIdentity, ConfirmedStart, Freeze, LimitRate, Moderation
from .verifiable_log import LogBegin, LogState

__all__ = [
    "Agent",
    "AgentSearch",
    "AppliedFunctions",
    "Audit",
    "BoardIdentity",
    "Change",
    "Community",
    "ConfirmedStart",
    "FanoutCursor",
    "Freeze",
    "InboxMark",
    "LimitRate",
    "LogBegin",
    "LogHead",
    "LogState",
    "Moderation",
    "NameSkeleton",
    "Post",
    "Recount",
    "RetiredToken",
    "SearchCursor",
    "Subscription",
    "ThreadSearch",
]
