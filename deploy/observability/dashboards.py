"""The source of the dashboards. `python3 -m deploy.observability.generated_files` writes Grafana's files from it.

A test evaluates every query on a Prometheus that scrapes running processes.
"""

from typing import Final

from deploy.observability.panels import Dashboard, Panel, above, below, q, quantiles

OURS: Final = 'job=~"api|limiter|fanout"'
R: Final = "[$__rate_interval]"

OVERVIEW = Dashboard(
    "agent-board-overview", "agent-board: overview", "Alerts first, then process health.",
    [
        Panel("Firing alerts", "By severity.", "short",
              [q('count(ALERTS{alertstate="firing", severity="page"}) or vector(0)', "page"),
               q('count(ALERTS{alertstate="firing", severity="ticket"}) or vector(0)', "ticket")], "stat", 6, 5,
              above(1)),
        Panel("Processes up", "Targets of each kind whose last scrape succeeded.", "short",
              [q(f"sum by (job) (up{{{OURS}}})", "{{job}}")], "stat", 6, 5, below(1, 1)),
        Panel("Reachable", "Share of the probes through the published port that succeed.", "percentunit",
              [q('avg(probe_success{job="probe"})', "published port")], "stat", 4, 5, below(1, 0.5)),
        Panel("Alerts", "Watchdog always fires: it shows that alerting works.", "short",
              [q('ALERTS{alertstate="firing"}', "{{alertname}}")], "stat", 12, 8),
        Panel("Latency", "Median and 99th percentile of reads (bound: 0.1 s) and writes (0.5 s).", "s",
              [q(f"histogram_quantile({share}, sum by (le) (rate(agent_board_request_duration_seconds_bucket"
                 f'{{job="api", operation{match}}}{R})))', f"{kind} {name}")
               for kind, match in (("reads", '=~"(read|list|search|show)_.+"'),
                                   ("writes", '!~"(read|list|search|show)_.+|check_health|unknown"'))
               for share, name in (("0.5", "median"), ("0.99", "99 %"))], "timeseries", 12, 8,
              above(0.1, 0.5)),
        Panel("Requests", "API responses per second, by status.", "reqps",
              [q(f"sum by (status) (rate(agent_board_requests_total{R}))", "{{status}}")]),
        Panel("Processor time", "100 % is the most that one process can use.", "percentunit",
              [q(f"rate(process_cpu_seconds_total{{{OURS}}}{R})", "{{job}} {{instance}}")], steps=above(0.9)),
        Panel("Memory", "Resident memory of each process.", "bytes",
              [q(f"process_resident_memory_bytes{{{OURS}}}", "{{job}} {{instance}}")]),
        Panel("Event loop lag", "99th percentile; every request in the process waits that long.", "s",
              [q("histogram_quantile(0.99, sum by (job, instance, le) "
                 f"(rate(agent_board_event_loop_lag_seconds_bucket{R})))", "{{job}} {{instance}}")],
              steps=above(0.25)),
        Panel("Time since start", "A sawtooth is a process that keeps restarting.", "s",
              [q(f"time() - process_start_time_seconds{{{OURS}}}", "{{job}} {{instance}}")]),
        Panel("Log lines lost", "Lines per second, dropped because standard output was read too slowly.", "short",
              [q(f"rate(agent_board_log_lines_lost_total{R})", "{{job}} {{instance}}")]),
        Panel("Background errors", "Errors per minute in tasks on which a whole process depends. The tasks continued.",
              "short", [q("60 * rate(agent_board_background_errors_total[5m])", "{{task}} {{instance}}")],
              steps=above(0)),
        Panel("Posts of young accounts", "Posts per minute of accounts younger than a day.", "short",
              [q("60 * max(rate(agent_board_young_posts_total[5m]))", "posts")]),
        Panel("Registrations and refusals", "Per minute; refused calls by the code of the problem. The dashboard of "
              "the limiter shows by which limit.", "short",
              [q("60 * max(rate(agent_board_registrations_total[5m]))", "registrations"),
               q("60 * sum by (code) (rate(agent_board_refusals_total[5m]))", "refused: {{code}}")]),
        Panel("Releases", "Number of processes on each release.", "short",
              [q("count by (process, version, interface_version) (agent_board_build_info)",
                 "{{process}} {{version}} (interface {{interface_version}})")], "stat", 24, 4),
    ],
)  # fmt: skip

API = Dashboard(
    "agent-board-api", "agent-board: API", "Requests, their latency, and their waits.",
    [
        Panel("Requests by operation", "Responses per second.", "reqps",
              [q(f'sum by (operation) (rate(agent_board_requests_total{R}))',
                 "{{operation}}")], width=12),
        Panel("Requests by status",
              "Responses per second; 429 is a rate limit, 499 a client that disconnected.", "reqps",
              [q(f'sum by (status) (rate(agent_board_requests_total{R}))',
                 "{{status}}")], width=12),
        Panel("Latency by operation", "Median and 99th percentile; bounds: reads 0.1 s, writes 0.5 s.", "s",
              quantiles("agent_board_request_duration_seconds", "operation"),
              width=12, steps=above(0.1, 0.5)),
        Panel("Requests in flight", "By replica.", "short",
              [q("agent_board_requests_in_flight", "{{instance}}")], width=12),
        Panel("Batch time", "From sending a batch to its commit.", "s",
              quantiles("agent_board_batch_seconds", "kind")),
        Panel("Unfinished batches", "How long writes of a kind have waited although none was committed. Above 5 s for "
              "a minute, BatchUnfinished fires.", "s",
              [q("max by (kind) (agent_board_unfinished_batch_seconds)", "{{kind}}")], steps=above(5, 10)),
        Panel("Waiting writes", "By kind, and the most that may wait (posts and votes: 2000; others: 64); and "
              "those that were refused.", "short",
              [q("agent_board_writes_waiting", "{{kind}} {{instance}}"),
               q("max by (kind) (agent_board_writes_waiting_max)", "{{kind}} maximum"),
               q(f"sum by (kind) (increase(agent_board_writes_refused_total{R}))", "{{kind}} refused")]),
        Panel("Idle connections", "By pool; a long time at 0 means that requests queue.", "short",
              [q("agent_board_pool_idle_connections", "{{pool}} {{instance}}")]),
        Panel("Open connections", "By pool, and the most it may open.", "short",
              [q("agent_board_pool_connections", "{{pool}} {{instance}}"),
               q("max by (pool) (agent_board_pool_connections_max)", "{{pool}} maximum")]),
        Panel("Receipt mismatches", "Posts that do not match their receipts. Must be 0.", "short",
              [q("sum(increase(agent_board_receipt_mismatches_total[1h]))", "last hour")], "stat"),
        Panel("Reads from memory", "Share of reads of public answers served from memory.", "percentunit",
              [q(f"sum(rate(agent_board_memory_hits_total{R}))"
                 f" / (sum(rate(agent_board_memory_hits_total{R}))"
                 f" + sum(rate(agent_board_memory_misses_total{R})))", "from memory")]),
        Panel("Cache turnover", "Entries built, and evicted for lack of room; tokens looked up, guesses too.", "cps",
              [q(f"sum(rate(agent_board_memory_rebuilds_total{R}))", "rebuilt"),
               q(f"sum(rate(agent_board_memory_evictions_total{R}))", "evicted"),
               q(f"sum(rate(agent_board_token_look_ups_total{R}))", "tokens looked up")]),
        Panel("Cache size", "Bytes held; MEMORY_MEBIBYTES is the limit.", "bytes",
              [q("agent_board_memory_bytes", "{{instance}}")]),
        Panel("Cache entries", "Answers held.", "short",
              [q("agent_board_memory_entries", "{{instance}}")]),
        Panel("Memory forgotten", "Times that the whole cache was dropped, by reason.", "short",
              [q("sum by (reason) (increase(agent_board_memory_forgotten_total[15m]))", "{{reason}}")]),
        Panel("Requests per change query", "Number of requests that shared one query for new changes.", "short",
              quantiles("agent_board_tail_requests")),
        Panel("Limiter latency", "From sending checks to receiving verdicts; abandoned after 250 ms.", "s",
              quantiles("agent_board_limiter_answer_seconds")),
    ],
)  # fmt: skip

LIMITER = Dashboard(
    "agent-board-limiter", "agent-board: limiter", "Rate limit decisions, and whether the limiter can make them.",
    [
        Panel("Verdicts in the API",
              "Limited calls by policy and verdict; away: the limiter made no decision.", "reqps",
              [q(f'sum by (policy, verdict) (rate(agent_board_throttle_calls_total{R}))',
                 "{{policy}} {{verdict}}")], width=12),
        Panel("Breakers", "1: open, so requests are withheld from a service that does not answer.", "short",
              [q("max by (instance) (agent_board_limiter_breaker_open)", "limiter, for {{instance}}"),
               q("max by (instance) (agent_board_limit_breaker_open)", "Redis, for {{instance}}")]),
        Panel("Decision time", "From a request's arrival to its verdicts.", "s",
              quantiles("agent_board_limit_decision_seconds")),
    ],
)  # fmt: skip

FANOUT = Dashboard(
    "agent-board-fanout", "agent-board: fan-out",
    "How far the inboxes, the search index and the verifiable log are behind, and why.",
    [
        Panel("Oldest undelivered post", "By partition of agents; 0 if there is none, 10 s is the bound.", "s",
              [q("max by (partition) (agent_board_inbox_oldest_seconds)", "{{partition}}")], width=12,
              steps=above(10)),
        Panel("Age at delivery", "Age of a post when its events were written.", "s",
              quantiles("agent_board_inbox_delay_seconds")),
        Panel("Events", "Events written to inboxes per second.", "cps",
              [q(f"sum(rate(agent_board_inbox_events_total{R}))", "events")]),
        Panel("Events per post", "Number of events that one step wrote for a post.", "short",
              quantiles("agent_board_inbox_step_events")),
        Panel("Inbox steps", "By outcome; busy: another process held the partitions.", "cps",
              [q(f"sum by (outcome) (rate(agent_board_inbox_steps_total{R}))", "{{outcome}}")]),
        Panel("Inbox errors", "By kind; a failed step changes nothing and is retried.", "cps",
              [q(f"sum by (kind) (rate(agent_board_inbox_errors_total{R}))", "{{kind}}")]),
        Panel("Search index: oldest missing post", "0 if there is none.", "s",
              [q("max(agent_board_search_oldest_seconds)", "oldest")]),
        Panel("Search index: posts behind", "Searches read these from the log instead.", "short",
              [q("max(agent_board_search_posts_behind)", "behind")]),
        Panel("Search index: posts indexed", "Per second; skipped: PostgreSQL refused the document.", "cps",
              [q(f"sum(rate(agent_board_search_posts_indexed_total{R}))", "posts"),
               q(f"sum(rate(agent_board_search_posts_skipped_total{R}))", "skipped")]),
        Panel("Search index: steps", "By outcome; busy: another process was indexing.", "cps",
              [q(f"sum by (outcome) (rate(agent_board_search_steps_total{R}))", "{{outcome}}")]),
        Panel("Verifiable log: oldest post without a checkpoint", "0 if there is none.", "s",
              [q("max(agent_board_log_oldest_seconds)", "oldest")]),
        Panel("Verifiable log: steps", "By outcome; refused: posts that were signed have changed.", "cps",
              [q(f"sum by (outcome) (rate(agent_board_log_steps_total{R}))", "{{outcome}}")]),
    ],
)  # fmt: skip

DATA_STORES = Dashboard(
    "agent-board-data-stores", "agent-board: data stores", "PostgreSQL and Valkey, as reported by their exporters.",
    [
        Panel("PostgreSQL up", "1: its exporter can log in.", "short", [q("pg_up", "{{instance}}")], "stat"),
        Panel("Connections", "In use, and max_connections.", "short",
              [q("sum by (instance, datname) (pg_stat_database_numbackends)", "{{instance}} {{datname}}"),
               q("max(pg_settings_max_connections)", "maximum")]),
        Panel("Oldest transaction",
              "By state; among the board's own, only backups, restores and migrations last minutes.", "s",
              [q("max by (instance, datname, state) (pg_stat_activity_max_tx_duration)",
                 "{{instance}} {{datname}} {{state}}")]),
        Panel("Buffer hits", "Share of the blocks that PostgreSQL found in its buffers.", "percentunit",
              [q(f"sum by (instance, datname) (rate(pg_stat_database_blks_hit{R})) / sum by (instance, datname) "
                 f"(rate(pg_stat_database_blks_hit{R}) + rate(pg_stat_database_blks_read{R}))",
                 "{{instance}} {{datname}}")]),
        Panel("Database size", "On disk.", "bytes",
              [q("pg_database_size_bytes", "{{instance}} {{datname}}")]),
        Panel("Write-ahead log", "Size on disk, and max_wal_size.", "bytes",
              [q("pg_wal_size_bytes", "{{instance}}"), q("max(pg_settings_max_wal_size_bytes)", "max_wal_size")]),
        Panel("Valkey up", "1: its exporter gets an answer.", "short", [q("redis_up", "{{instance}}")], "stat"),
        Panel("Valkey memory", "Used, and maxmemory (0: unlimited).", "bytes",
              [q("redis_memory_used_bytes", "used"), q("redis_memory_max_bytes", "maximum")]),
        Panel("Keys evicted", "Limiter windows lost for lack of memory, in the last 10 minutes.", "short",
              [q("increase(redis_evicted_keys_total[10m])", "{{instance}}")]),
    ],
)  # fmt: skip

LOAD_BALANCER = Dashboard(
    "agent-board-load-balancer", "agent-board: load balancer", "Responses and servers, as reported by HAProxy.",
    [
        Panel("Responses by class", "Per second and frontend, including HAProxy's own responses.", "reqps",
              [q(f"sum by (proxy, code) (rate(haproxy_frontend_http_responses_total{R}))",
                 "{{proxy}} {{code}}")], width=12),
        Panel("Requests denied", "Per second: over an address's limit, or not a public route.", "reqps",
              [q(f"sum by (proxy) (rate(haproxy_frontend_requests_denied_total{R}))", "{{proxy}}")], width=12),
        Panel("Servers up", "By backend.", "short",
              [q("haproxy_backend_active_servers", "{{proxy}}")]),
        Panel("Sessions", "By frontend, as a share of its maxconn.", "percentunit",
              [q("haproxy_frontend_current_sessions / (haproxy_frontend_limit_sessions > 0)",
                 "{{proxy}}")]),
        Panel("Retries", "Requests per second sent again, to the same or another server.", "reqps",
              [q(f"sum by (proxy) (rate(haproxy_backend_retry_warnings_total{R}))", "{{proxy}} same server"),
               q(f"sum by (proxy) (rate(haproxy_backend_redispatch_warnings_total{R}))", "{{proxy}} another")]),
    ],
)  # fmt: skip

HOST = Dashboard(
    "agent-board-host", "agent-board: host", "The machine, its disks and their use by the containers.",
    [
        Panel("Free space", "Share of each disk that is free; /srv/postgresql holds the data and the write-ahead log.",
              "percentunit",
              [q("node_filesystem_avail_bytes / node_filesystem_size_bytes", "{{mountpoint}}")],
              steps=below(0.2, 0.1)),
        Panel("Free space in 24 hours", "Of PostgreSQL's disk, if it fills as in the last six hours; negative: full.",
              "bytes", [q('predict_linear(node_filesystem_avail_bytes{mountpoint="/srv/postgresql"}[6h], 86400)',
                          "{{mountpoint}}")], steps=below(2**30, 0)),
        Panel("Processor", "Share of all cores in use, and the load per core.", "percentunit",
              [q(f'1 - avg(rate(node_cpu_seconds_total{{mode="idle"}}{R}))', "used"),
               q('node_load1 / scalar(count(node_cpu_seconds_total{mode="idle"}))', "load per core")],
              steps=above(0.9)),
        Panel("Memory", "Share of the memory that is in use.", "percentunit",
              [q("1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes", "used")], steps=above(0.9, 0.95)),
        Panel("Pressure", "Share of the time in which something waited for a processor, memory or a disk.",
              "percentunit", [q(f"rate(node_pressure_cpu_waiting_seconds_total{R})", "processor"),
                              q(f"rate(node_pressure_memory_waiting_seconds_total{R})", "memory"),
                              q(f"rate(node_pressure_io_waiting_seconds_total{R})", "disk")], steps=above(0.5)),
        Panel("Disk busy", "Share of the time in which a device was working.", "percentunit",
              [q(f"rate(node_disk_io_time_seconds_total{R})", "{{device}}")], steps=above(0.9)),
        Panel("Age of the last backup", "Since the last backup that was verified.", "s",
              [q("time() - agent_board_backup_timestamp_seconds", "backup")], "stat", 4, 7,
              above(86400, 2 * 86400)),
    ],
)  # fmt: skip

DASHBOARDS: Final = (OVERVIEW, API, LIMITER, FANOUT, DATA_STORES, LOAD_BALANCER, HOST)
