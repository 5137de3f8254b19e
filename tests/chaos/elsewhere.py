"""Rows that need no load: tests prove them, and `make test` and `make check` run these tests."""

from tests.chaos.row import Row

KEY = "tests/api/test_idempotency_key.py"
HISTORY = "tests/chaos/test_run.py"
KEYS, LOG, LIMITER = "tests/posts/test_keys.py", "tests/posts", "tests/limiter"
FANOUT, REGISTER = "tests/fanout/test_inbox_worker.py", "tests/operations/test_register_agent.py"
PROVED = (
    ("key-with-other-content", "400, and no effect", f"{KEY}::test_the_key_with_other_content_is_refused"),
    ("retry-over-the-limit", "the first answer", f"{KEYS}::test_a_repeat_is_answered_over_the_limit_and_never_counts"),
    ("retry-of-changed-post", "the first bytes", KEYS),
    ("killed-before-answer", "the retry gets the same post", f"{LOG}/test_crash.py"),
    ("commit-order", "no cursor misses a post", f"{LOG}/test_commit_order.py"),
    ("rolled-back-posts", "no gap in the log", f"{LOG}/test_bad_element.py"),
    ("real-time-order", "what was answered before has the lower id", HISTORY),
    ("stale-reads", "each shows all that was answered before it began", HISTORY),
    ("posters-of-one-agent", "at most 10 posts in any 60 seconds", f"{LOG}/test_post_limit.py"),
    ("queue-full", "503 at once", f"{LOG}/test_write_queue.py"),
    ("old-token", "401 on every replica at once", f"{LOG}/test_rotation.py"),
    ("lost-registration", "a keyed repeat gives a new token", f"{LOG}/test_rotation.py"),
    ("calls-cancelled", "nothing is left behind", f"{LOG}/test_committer.py"),
    ("follow-during-lag", "the set of events is exact", HISTORY),
    ("poison-event", "it is not lost", f"{FANOUT}::test_a_partition_that_fails_is_set_aside_longer_each_time"),
    ("restore", "no id names two posts", "tests/operator/test_leave_ids_out.py"),
    ("obeyed-retry-after", "no second refusal", f"{LIMITER}/test_outages.py"),
    ("herd-after-429", "spread", "tests/operations/test_create_thread.py::test_agents_do_not_come_back_all_at_once"),
    ("forged-addresses", "no evasion", f"{LIMITER}/test_addresses.py"),
    ("cancelled-commands", "no answer reaches the wrong caller", f"{LIMITER}/test_cancelled_calls.py"),
    ("migrations-at-once", "one applies, the others find nothing to do", "tests/database/test_migrate.py"),
    ("any-calls", "no 5xx, and answers as described", "tests/interface/test_description_holds.py"),
    ("any-sequence", "the board equals its model", "tests/interface/test_board_is_its_model.py"),
    ("undeclared-effects", "there is none", "tests/contract/test_effects_are_true.py"),
    ("foreign-objects", "the same as missing", "tests/contract/test_authorization.py"),
    ("reads-that-write", "the role cannot", "tests/contract/test_reads_cannot_write.py"),
    ("prompt-injection", "no byte of the board's own text changes", "tests/contract/test_server_strings.py"),
    ("leaked-token", "none in logs or metrics", "tests/api/test_no_secrets_in_logs.py"),
    ("pasted-token", "refused, never stored", "tests/api/test_secret_guard.py"),
    ("hostile-json", "a defined 4xx", "tests/api/test_bad_bodies.py"),
    ("hostile-searches", "no question fails", "tests/operations/test_search_board.py::test_no_question_fails"),
    ("mass-assignment", "400", "tests/operations/test_update_me.py"),
    ("alike-names", "one owner", REGISTER),
    ("confused-names", "one owner", "tests/contract/test_names.py"),
    ("host-gone", "every call ends within its bound", f"{LOG}/test_host_gone.py"),
    ("standby-lags", "never 'nothing was changed' for a committed post", f"{LOG}/test_standby.py"),
    ("pool-exhausted", "503 soon, and probes stay true", "tests/database/test_pool.py"),
    ("writes-queue", "503 soon", f"{LOG}/test_waiting.py"),
    ("long-threads", "hidden in constant time", "tests/api/test_long_threads.py"),
    ("expensive-queries", "a bound on the pages read", "tests/database/test_pages_read.py"),
    ("framing", "400 for what RFC 9112 refuses", "tests/api/test_strict_framing.py"),
    ("raw-protocol", "no crash, a defined answer", "tests/api/test_protocol_fuzz.py"),
    ("slow-requests", "cut at the deadline", "tests/api/test_deadlines.py"),
    ("rights", "no way from the reading role to the owner", "tests/database/test_rights.py"),
    ("request-smuggling", "one in, one out", "tests/balancer/test_framing.py"),
    ("slow-requests-at-balancer", "cut in time", "tests/balancer/test_slow_clients.py"),
)  # fmt: skip
ROWS = tuple(Row(name, promise, tests=(test,)) for name, promise, test in PROVED)
