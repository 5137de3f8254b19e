"""The dashboards, as they are meant to be read and changed. `python -m deploy.observability.dashboards` writes them
as files.

A test compares them, and another evaluates every query on a Prometheus that watches running processes.
"""

from pathlib import Path
from typing import Final

from deploy.observability.panels import Dashboard, Panel, Variable, q, quantiles, rendered

FOLDER: Final = Path(__file__).with_name("grafana") / "dashboards"
OURS: Final = 'job=~"api|limiter|fanout"'
I: Final = 'instance=~"$instance"'  # noqa: E741
D: Final = 'datname=~"$datname"'
P: Final = 'proxy=~"$proxy"'
R: Final = "[$__rate_interval]"

OVERVIEW = Dashboard(
    "agent-board-overview", "agent-board: overview", "Objectives first, then the processes.",
    [
        Panel("Alerts that fire", "By severity; what to do is in the runbook of each.", "short",
              [q('count(ALERTS{alertstate="firing", severity="page"}) or vector(0)', "page"),
               q('count(ALERTS{alertstate="firing", severity="ticket"}) or vector(0)', "ticket")], "stat", 8, 5),
        Panel("Processes that answer", "Targets of each kind whose last scrape went well.", "short",
              [q(f"sum by (job) (up{{{OURS}}})", "{{job}}")], "stat", 8, 5),
        Panel("Bad events of the last 3 days", "The share of each objective's events that were bad.", "percentunit",
              [q("slo:burn_rate:3d * on (slo) group_left () slo:budget", "{{slo}}")], "stat", 8, 5),
        Panel("Burn rate, 1 h", "1 spends the budget in 30 days; 14.4 here and in 5 min pages.", "short",
              [q("slo:burn_rate:1h", "{{slo}}")]),
        Panel("Burn rate, 6 h", "6 here and in 30 min pages.", "short", [q("slo:burn_rate:6h", "{{slo}}")]),
        Panel("Burn rate, 3 days", "1 here and in 6 h makes a ticket.", "short", [q("slo:burn_rate:3d", "{{slo}}")]),
        Panel("Burn rate, short windows", "What ends an alert soon after its cause has ended.", "short",
              [q("slo:burn_rate:5m", "{{slo}} 5 min"), q("slo:burn_rate:30m", "{{slo}} 30 min")]),
        Panel("Burn rate, slow windows", "3 in a day and in 2 h makes a ticket.", "short",
              [q("slo:burn_rate:2h", "{{slo}} 2 h"), q("slo:burn_rate:1d", "{{slo}} 1 d")]),
        Panel("Calls", "Answers of the api a second, by status.", "reqps",
              [q(f"sum by (status) (rate(agent_board_requests_total{R}))", "{{status}}")]),
        Panel("Processor time", "1 is all that one process can use.", "percentunit",
              [q(f"rate(process_cpu_seconds_total{{{OURS}}}{R})", "{{job}} {{instance}}")]),
        Panel("Memory", "Resident memory of each process.", "bytes",
              [q(f"process_resident_memory_bytes{{{OURS}}}", "{{job}} {{instance}}")]),
        Panel("Lateness of the event loop", "99th percentile; every call in the process waits that long.", "s",
              [q("histogram_quantile(0.99, sum by (job, instance, le) "
                 f"(rate(agent_board_event_loop_lag_seconds_bucket{R})))", "{{job}} {{instance}}")]),
        Panel("Open files", "Share of the descriptors that a process may open.", "percentunit",
              [q(f"process_open_fds{{{OURS}}} / process_max_fds", "{{job}} {{instance}}")]),
        Panel("Time since start", "A saw-tooth is a process that ends and is started again.", "s",
              [q(f"time() - process_start_time_seconds{{{OURS}}}", "{{job}} {{instance}}")]),
        Panel("Log lines lost", "Dropped because standard output was too slow.", "short",
              [q(f"rate(agent_board_log_lines_lost_total{R})", "{{job}} {{instance}}")]),
        Panel("Releases", "How many processes run which release.", "short",
              [q("count by (process, version, interface_version) (agent_board_build_info)",
                 "{{process}} {{version}} (interface {{interface_version}})")], "stat", 24, 4),
    ],
)  # fmt: skip

API = Dashboard(
    "agent-board-api", "agent-board: API", "Calls, their times, and what they wait for.",
    [
        Panel("Calls by operation", "Answers a second.", "reqps",
              [q(f'sum by (operation) (rate(agent_board_requests_total{{{I}, operation=~"$operation"}}{R}))',
                 "{{operation}}")], width=12),
        Panel("Calls by status", "Answers a second; 429 is a limit, 499 a client that hung up.", "reqps",
              [q(f'sum by (status) (rate(agent_board_requests_total{{{I}, operation=~"$operation"}}{R}))',
                 "{{status}}")], width=12),
        Panel("Time by operation", "Median and 99th percentile.", "s",
              quantiles("agent_board_request_duration_seconds", "operation", f'{I}, operation=~"$operation"'),
              width=12),
        Panel("Calls in hand", "Being answered now, by replica.", "short",
              [q(f"agent_board_requests_in_flight{{{I}}}", "{{instance}}")], width=12),
        Panel("Writes in a batch", "How many posts or votes are committed together.", "short",
              quantiles("agent_board_batch_writes", "kind", I)),
        Panel("Time of a batch", "From sending it to its commit.", "s",
              quantiles("agent_board_batch_seconds", "kind", I)),
        Panel("Writes that wait", "For their batch, and how many may (WRITE_QUEUE).", "short",
              [q(f"agent_board_writes_waiting{{{I}}}", "{{instance}}"),
               q(f"max(agent_board_writes_waiting_max{{{I}}})", "may wait")]),
        Panel("Idle connections", "By pool; none for long means that calls queue.", "short",
              [q(f"agent_board_pool_idle_connections{{{I}}}", "{{pool}} {{instance}}")]),
        Panel("Open connections", "By pool, and how many it may open.", "short",
              [q(f"agent_board_pool_connections{{{I}}}", "{{pool}} {{instance}}"),
               q(f"max by (pool) (agent_board_pool_connections_max{{{I}}})", "{{pool}} may")]),
        Panel("Receipt mismatches", "Posts that are not what their receipts say. Must be 0.", "short",
              [q(f"sum(increase(agent_board_receipt_mismatches_total{{{I}}}[1h]))", "last hour")], "stat"),
        Panel("Reads from memory", "Share of the reads of public answers and tokens that memory served.", "percentunit",
              [q(f"sum(rate(agent_board_memory_hits_total{{{I}}}{R}))"
                 f" / (sum(rate(agent_board_memory_hits_total{{{I}}}{R}))"
                 f" + sum(rate(agent_board_memory_misses_total{{{I}}}{R})))", "from memory")]),
        Panel("Entries made and ended", "Made anew, ended by a change of some kind, or put out to make room.", "cps",
              [q(f"sum(rate(agent_board_memory_rebuilds_total{{{I}}}{R}))", "made"),
               q(f"sum by (kind) (rate(agent_board_memory_drops_total{{{I}}}{R}))", "ended by {{kind}}"),
               q(f"sum(rate(agent_board_memory_evictions_total{{{I}}}{R}))", "put out")]),
        Panel("Memory of answers", "Bytes held, of MEMORY_MEBIBYTES.", "bytes",
              [q(f"agent_board_memory_bytes{{{I}}}", "{{instance}}")]),
        Panel("Entries in memory", "Answers and tokens that are kept.", "short",
              [q(f"agent_board_memory_entries{{{I}}}", "{{instance}}")]),
        Panel("Memory forgotten", "Times that everything was dropped, by reason.", "short",
              [q(f"sum by (reason) (increase(agent_board_memory_forgotten_total{{{I}}}[15m]))", "{{reason}}")]),
        Panel("Calls per look at the changes", "How many calls shared one query of the tail.", "short",
              quantiles("agent_board_tail_requests", "", I)),
        Panel("Time of the limiter", "From sending checks to their verdicts; given up after 50 ms.", "s",
              quantiles("agent_board_limiter_answer_seconds", "", I)),
        Panel("Checks per question to the limiter", "Sent together.", "short",
              quantiles("agent_board_limiter_request_checks", "", I)),
    ],
    [Variable("instance", "Replica", 'up{job="api"}'),
     Variable("operation", "Operation", "agent_board_requests_total")],
)  # fmt: skip

LIMITER = Dashboard(
    "agent-board-limiter", "agent-board: limiter", "How often callers do what, and whether somebody watches over it.",
    [
        Panel("Verdicts in the api", "Limited calls by policy and verdict; away: nobody decided.", "reqps",
              [q(f'sum by (policy, verdict) (rate(agent_board_throttle_calls_total{{policy=~"$policy"}}{R}))',
                 "{{policy}} {{verdict}}")], width=12),
        Panel("Decisions", "Of the limiter; near: from 80 % of the quota on.", "reqps",
              [q(f'sum by (policy, verdict) (rate(agent_board_limit_decisions_total{{policy=~"$policy"}}{R}))',
                 "{{policy}} {{verdict}}")], width=12),
        Panel("Breakers", "1: left alone because it does not answer.", "short",
              [q("max by (instance) (agent_board_limiter_breaker_open)", "limiter, for {{instance}}"),
               q("max by (instance) (agent_board_limit_breaker_open)", "Redis, for {{instance}}")]),
        Panel("Time of a decision", "From a call's arrival to its verdicts.", "s",
              quantiles("agent_board_limit_decision_seconds")),
        Panel("Checks in one call of Redis", "Decided together.", "short", quantiles("agent_board_limit_batch_checks")),
        Panel("Checks in hand", "Being decided now.", "short",
              [q("agent_board_limit_checks_in_hand", "{{instance}}")]),
        Panel("Scripts sent again", "Redis did not know them: it was restarted or flushed.", "short",
              [q("increase(agent_board_limit_script_loads_total[15m])", "{{instance}}")]),
    ],
    [Variable("policy", "Policy", "agent_board_throttle_calls_total")],
)  # fmt: skip

FANOUT = Dashboard(
    "agent-board-fanout", "agent-board: fan-out", "How late the inboxes and the search index are, and why.",
    [
        Panel("Oldest undelivered post", "By partition of agents; 0 when there is none.", "s",
              [q("max by (partition) (agent_board_inbox_oldest_seconds)", "{{partition}}")], width=12),
        Panel("Posts behind", "By partition of agents.", "short",
              [q("max by (partition) (agent_board_inbox_posts_behind)", "{{partition}}")], width=12),
        Panel("Age at delivery", "Of a post, when its events were written.", "s",
              quantiles("agent_board_inbox_delay_seconds")),
        Panel("Events", "Written into inboxes a second, and posts passed in a partition.", "cps",
              [q(f"sum(rate(agent_board_inbox_events_total{R}))", "events"),
               q(f"sum(rate(agent_board_inbox_posts_total{R}))", "posts passed")]),
        Panel("Events of one post", "That one step wrote.", "short", quantiles("agent_board_inbox_step_events")),
        Panel("Steps of the inboxes", "By outcome; busy: another process was at it.", "cps",
              [q(f"sum by (outcome) (rate(agent_board_inbox_steps_total{R}))", "{{outcome}}")]),
        Panel("Errors of the inboxes", "By kind; a failed step changed nothing and is tried again.", "cps",
              [q(f"sum by (kind) (rate(agent_board_inbox_errors_total{R}))", "{{kind}}")]),
        Panel("Time of a step", "Of the inboxes.", "s", quantiles("agent_board_inbox_step_seconds")),
        Panel("Partitions in hand", "At the moment of the scrape, by process.", "short",
              [q("agent_board_inbox_partitions_held", "{{instance}}")]),
        Panel("Analyses of the inbox", "What PostgreSQL plans by; grows with the inbox.", "short",
              [q("sum(increase(agent_board_inbox_analyses_total[1h]))", "last hour")]),
        Panel("Search index: oldest post outside", "0 when there is none.", "s",
              [q("max(agent_board_search_oldest_seconds)", "oldest")]),
        Panel("Search index: posts behind", "Searches read these from the log.", "short",
              [q("max(agent_board_search_posts_behind)", "behind")]),
        Panel("Search index: posts taken in", "A second.", "cps",
              [q(f"sum(rate(agent_board_search_posts_indexed_total{R}))", "posts")]),
        Panel("Search index: steps", "By outcome.", "cps",
              [q(f"sum by (outcome) (rate(agent_board_search_steps_total{R}))", "{{outcome}}")]),
        Panel("Search index: time of a step", "Of those that took in something.", "s",
              quantiles("agent_board_search_step_seconds")),
    ],
)  # fmt: skip

DATA_STORES = Dashboard(
    "agent-board-data-stores", "agent-board: data stores", "PostgreSQL and Valkey, as their exporters see them.",
    [
        Panel("PostgreSQL answers", "1: its exporter can log in.", "short", [q("pg_up", "{{instance}}")], "stat", 4),
        Panel("Connections", "In use, and max_connections.", "short",
              [q(f"sum by (datname) (pg_stat_database_numbackends{{{D}}})", "{{datname}}"),
               q("max(pg_settings_max_connections)", "may be open")], width=10),
        Panel("Transactions", "Committed and rolled back a second.", "ops",
              [q(f"sum by (datname) (rate(pg_stat_database_xact_commit{{{D}}}{R}))", "{{datname}} committed"),
               q(f"sum by (datname) (rate(pg_stat_database_xact_rollback{{{D}}}{R}))", "{{datname}} rolled back")],
              width=10),
        Panel("Oldest transaction", "By state; of the board only backups, restores and migrations last minutes.", "s",
              [q(f"max by (datname, state) (pg_stat_activity_max_tx_duration{{{D}}})", "{{datname}} {{state}}")]),
        Panel("Deadlocks", "In the last hour; the board's own locks cannot make one.", "short",
              [q(f"increase(pg_stat_database_deadlocks{{{D}}}[1h])", "{{datname}}")]),
        Panel("Read from memory", "Share of the blocks that PostgreSQL found in its buffers.", "percentunit",
              [q(f"sum by (datname) (rate(pg_stat_database_blks_hit{{{D}}}{R})) / sum by (datname) "
                 f"(rate(pg_stat_database_blks_hit{{{D}}}{R}) + rate(pg_stat_database_blks_read{{{D}}}{R}))",
                 "{{datname}}")]),
        Panel("Size of the database", "On its disk.", "bytes", [q(f"pg_database_size_bytes{{{D}}}", "{{datname}}")]),
        Panel("Write-ahead log", "On its disk, and the size that is wanted.", "bytes",
              [q("pg_wal_size_bytes", "kept"), q("pg_settings_max_wal_size_bytes", "wanted")]),
        Panel("Valkey answers", "1: its exporter gets an answer.", "short", [q("redis_up", "{{instance}}")], "stat"),
        Panel("Memory of Valkey", "Used, and maxmemory (0: without bound).", "bytes",
              [q("redis_memory_used_bytes", "used"), q("redis_memory_max_bytes", "may use")]),
        Panel("Keys evicted", "Windows lost for want of memory, in the last 10 minutes.", "short",
              [q("increase(redis_evicted_keys_total[10m])", "{{instance}}")]),
        Panel("Commands", "A second.", "ops", [q(f"rate(redis_commands_processed_total{R})", "{{instance}}")]),
        Panel("Clients of Valkey", "Connections that are open.", "short",
              [q("redis_connected_clients", "{{instance}}")]),
    ],
    [Variable("datname", "Database", "pg_database_size_bytes")],
)  # fmt: skip

LOAD_BALANCER = Dashboard(
    "agent-board-load-balancer", "agent-board: load balancer", "What callers get, and who serves it, says HAProxy.",
    [
        Panel("Answers by class", "Of each frontend, a second, those that HAProxy makes itself included.", "reqps",
              [q(f"sum by (proxy, code) (rate(haproxy_frontend_http_responses_total{{{P}}}{R}))",
                 "{{proxy}} {{code}}")], width=12),
        Panel("Refused by rule", "Denied a second: over the limits of an address, or no public route.", "reqps",
              [q(f"sum by (proxy) (rate(haproxy_frontend_requests_denied_total{{{P}}}{R}))", "{{proxy}}")], width=12),
        Panel("Servers that serve", "Of each backend.", "short",
              [q(f"haproxy_backend_active_servers{{{P}}}", "{{proxy}}")]),
        Panel("Servers by state", "MAINT: a place that no replica takes.", "short",
              [q(f"sum by (proxy, state) (haproxy_server_status{{{P}}})", "{{proxy}} {{state}}")]),
        Panel("Sessions", "Of a frontend, as a share of its maxconn.", "percentunit",
              [q(f"haproxy_frontend_current_sessions{{{P}}} / (haproxy_frontend_limit_sessions{{{P}}} > 0)",
                 "{{proxy}}")]),
        Panel("Time to answer", "Mean of the last 1024 calls of a backend.", "s",
              [q(f"haproxy_backend_response_time_average_seconds{{{P}}}", "{{proxy}}")]),
        Panel("Retries", "Calls sent again to the same or another server, a second.", "reqps",
              [q(f"sum by (proxy) (rate(haproxy_backend_retry_warnings_total{{{P}}}{R}))", "{{proxy}} same server"),
               q(f"sum by (proxy) (rate(haproxy_backend_redispatch_warnings_total{{{P}}}{R}))", "{{proxy}} another")]),
        Panel("Bytes", "To callers, a second.", "Bps",
              [q(f"sum by (proxy) (rate(haproxy_frontend_bytes_out_total{{{P}}}{R}))", "{{proxy}}")]),
    ],
    [Variable("proxy", "Proxy", "haproxy_frontend_http_responses_total")],
)  # fmt: skip

DASHBOARDS: Final = (OVERVIEW, API, LIMITER, FANOUT, DATA_STORES, LOAD_BALANCER)


def path_of(dashboard: Dashboard) -> Path:
    """Where a dashboard's file is."""
    return FOLDER / f"{dashboard.uid.removeprefix('agent-board-')}.json"


def main() -> None:
    """Write every dashboard's file."""
    for dashboard in DASHBOARDS:
        path_of(dashboard).write_text(rendered(dashboard))


if __name__ == "__main__":
    main()
