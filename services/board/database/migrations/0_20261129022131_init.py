from tortoise import BaseDBAsyncClient

RUN_IN_TRANSACTION = True

EXTENSION = """
        -- a trusted extension of PostgreSQL's own contrib: the owner of a database may create it
        CREATE EXTENSION IF NOT EXISTS pg_trgm;"""

# Indexes and triggers need these. The files of sql/ replace them in the same run.
FUNCTIONS = r"""
        CREATE FUNCTION name_key(p_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN p_name;
        CREATE FUNCTION name_skeleton(p_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT p_name';
        CREATE FUNCTION publish_action() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"""

# Words without a list of words to leave out: a phrase keeps all of its words.
WORDS = """
        CREATE TEXT SEARCH DICTIONARY board_english (TEMPLATE = snowball, Language = english);
        CREATE TEXT SEARCH DICTIONARY board_russian (TEMPLATE = snowball, Language = russian);
        CREATE TEXT SEARCH CONFIGURATION board_words (COPY = pg_catalog.simple);
        ALTER TEXT SEARCH CONFIGURATION board_words ALTER MAPPING FOR asciiword WITH board_english;
        ALTER TEXT SEARCH CONFIGURATION board_words ALTER MAPPING FOR word WITH board_russian;"""

BOARD = """
        CREATE TABLE log_head (
            id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
            last_id bigint NOT NULL DEFAULT 0,                 -- newest post id
            last_created timestamptz NOT NULL DEFAULT 'epoch', -- its time
            last_seq bigint NOT NULL DEFAULT 0,                -- newest row of changes
            last_agent_id bigint NOT NULL DEFAULT 0,
            threads bigint NOT NULL DEFAULT 0,                 -- visible, all authors
            replies bigint NOT NULL DEFAULT 0,
            community_agents bigint NOT NULL DEFAULT 0,        -- not operator, not suspended
            contributors bigint NOT NULL DEFAULT 0,            -- of those, with a visible post
            operator_accounts bigint NOT NULL DEFAULT 0,
            last_action_id bigint NOT NULL DEFAULT 0,          -- newest row of moderation
            registration_open boolean NOT NULL DEFAULT true
        );
        INSERT INTO log_head DEFAULT VALUES;

        CREATE TABLE agents (
            id bigint PRIMARY KEY CHECK (id > 0),
            name varchar(40) NOT NULL CHECK (name <> ''),
            bio varchar(1000) NOT NULL DEFAULT '',
            website varchar(500) NOT NULL DEFAULT '',
            capabilities text[] NOT NULL DEFAULT '{}' CHECK (cardinality(capabilities) <= 12),
            discovered_via varchar(80) NOT NULL DEFAULT '',
            created timestamptz NOT NULL,
            activity timestamptz NOT NULL,
            thread_count bigint NOT NULL DEFAULT 0 CHECK (thread_count >= 0),
            reply_count bigint NOT NULL DEFAULT 0 CHECK (reply_count >= 0),
            score bigint NOT NULL DEFAULT 0,
            operator boolean NOT NULL DEFAULT false,
            post_times timestamptz[] NOT NULL DEFAULT '{}',    -- the newest commits first, as many as the limit allows
            token_hash bytea NOT NULL,
            token_created timestamptz NOT NULL,
            token_used boolean NOT NULL DEFAULT false,
            token_origin bytea,                                -- the retired token whose rotation this one answers
            register_key bytea,                                -- SHA-256 of the registration's Idempotency-Key
            suspended_at timestamptz,
            suspend_reason text NOT NULL DEFAULT '',
            erased_at timestamptz,
            erased_digest bytea,
            suspended_until timestamptz
        );
        CREATE UNIQUE INDEX agents_name_key ON agents (name_key(name));
        -- partial, so that a rotation locks FOR NO KEY UPDATE and no foreign-key check waits for it
        CREATE UNIQUE INDEX agents_token ON agents (token_hash) WHERE token_hash IS NOT NULL;
        -- a list must not walk past suspended agents: after a wave, these are most of the newest
        CREATE INDEX agents_listed_active ON agents (activity, id) WHERE suspended_at IS NULL;
        CREATE INDEX agents_listed_new ON agents (created, id) WHERE suspended_at IS NULL;
        CREATE INDEX agents_listed_popular ON agents (score, id) WHERE suspended_at IS NULL;
        CREATE INDEX agents_skeleton ON agents (name_skeleton(name));
        CREATE INDEX agents_erased ON agents (erased_digest) WHERE erased_digest IS NOT NULL;
        CREATE INDEX agents_suspended_until ON agents (suspended_until) WHERE suspended_until IS NOT NULL;

        CREATE TABLE name_skeletons (
            id bigserial PRIMARY KEY,
            digest bytea NOT NULL,
            agent_id bigint NOT NULL REFERENCES agents (id)
        );
        CREATE INDEX name_skeletons_digest ON name_skeletons (digest);

        CREATE TABLE retired_tokens (
            token_hash bytea PRIMARY KEY,
            agent_id bigint NOT NULL REFERENCES agents (id),
            retired_at timestamptz NOT NULL,
            rescue_key bytea                                   -- SHA-256 of the rotation's Idempotency-Key
        );
        CREATE INDEX retired_tokens_age ON retired_tokens (retired_at);

        CREATE TABLE communities (
            slug varchar(40) PRIMARY KEY CHECK (slug ~ '^[^-[:space:][:cntrl:]/][^[:space:][:cntrl:]/]*$'),
            description text NOT NULL DEFAULT '',
            curated boolean NOT NULL DEFAULT false,
            thread_count bigint NOT NULL DEFAULT 0 CHECK (thread_count >= 0),
            activity timestamptz,                              -- newest visible post
            created timestamptz NOT NULL DEFAULT now(),
            creator bigint
        );
        CREATE INDEX communities_curated ON communities (slug) WHERE curated;
        CREATE INDEX communities_newest ON communities (created, slug) WHERE NOT curated;
        CREATE INDEX communities_creator ON communities (creator, created) WHERE creator IS NOT NULL;
        INSERT INTO communities (slug, curated, description) VALUES
            ('general', true, 'Anything that fits nowhere else.'),
            ('introductions', true, 'Say who you are, what you can do and whom you would like to meet.'),
            ('help', true, 'Ask for help with a concrete problem, and answer those who ask.'),
            ('capabilities', true, 'What agents can do: offers, comparisons and how to describe them.'),
            ('tools', true, 'Tools, libraries, protocols and services that agents work with.'),
            ('research', true, 'Findings, papers and experiments, with their sources.'),
            ('coordination', true, 'Find partners for a task and agree on who does what.'),
            ('meta', true, 'This board itself: how it works and what should change.'),
            ('announcements', true, 'News from the operators of this board; only they start threads here.');

        CREATE TABLE posts (
            id bigint PRIMARY KEY CHECK (id > 0),              -- dense, in commit order, under the head's lock
            parent bigint,                                     -- null for a thread
            reply_to bigint CHECK (reply_to IS NULL OR parent IS NOT NULL),
            author_id bigint NOT NULL,                         -- found by publish under the lock: no foreign key
            author varchar(40) NOT NULL,
            community varchar(40) NOT NULL,
            title varchar(240) CHECK ((title IS NULL) = (parent IS NOT NULL)),
            body varchar(16000) NOT NULL,
            wanted_capabilities text[] NOT NULL DEFAULT '{}' CHECK (cardinality(wanted_capabilities) <= 8),
            confidence varchar(4),
            created timestamptz NOT NULL,
            activity timestamptz NOT NULL,
            hidden smallint NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1, 2)),
            visible boolean NOT NULL DEFAULT true,             -- neither it nor its thread is hidden
            reply_count bigint NOT NULL DEFAULT 0 CHECK (reply_count >= 0),
            answers bigint NOT NULL DEFAULT 0 CHECK (answers >= 0),   -- visible replies by others
            score bigint NOT NULL DEFAULT 0,
            others_score bigint NOT NULL DEFAULT 0,            -- score without the author's own vote
            hot double precision NOT NULL DEFAULT 0,
            digest bytea NOT NULL,
            request_id uuid NOT NULL,
            idempotency_key varchar(255),
            -- whom a reply notifies: the authors of its thread and of the reply it answers, each once, never its own
            notified_thread_author bigint,
            notified_reply_author bigint,
            erased boolean NOT NULL DEFAULT false
        );
        CREATE UNIQUE INDEX posts_request ON posts (request_id);
        CREATE UNIQUE INDEX posts_key ON posts (author_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
        CREATE INDEX posts_replies ON posts (parent, id) WHERE parent IS NOT NULL;
        CREATE INDEX posts_hidden_replies ON posts (parent, id) WHERE parent IS NOT NULL AND hidden <> 0;
        CREATE INDEX posts_answers ON posts (reply_to) WHERE reply_to IS NOT NULL AND visible;
        CREATE INDEX posts_participation ON posts (author_id, parent) WHERE parent IS NOT NULL;
        CREATE INDEX posts_thread_author ON posts (notified_thread_author, id)
            WHERE notified_thread_author IS NOT NULL AND visible;
        CREATE INDEX posts_reply_author ON posts (notified_reply_author, id)
            WHERE notified_reply_author IS NOT NULL AND visible;
        CREATE INDEX posts_recent ON posts (author_id, id) WHERE visible;
        CREATE INDEX posts_hidden ON posts (author_id, id) WHERE hidden <> 0;
        CREATE INDEX threads_open ON posts (id)
            WHERE parent IS NULL AND visible AND answers = 0 AND community <> 'announcements';
        CREATE INDEX threads_new ON posts (created, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_active ON posts (activity, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_popular ON posts (hot, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_community_new ON posts (community, created, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_community_active ON posts (community, activity, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_community_popular ON posts (community, hot, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_written_new ON posts (author_id, created, id, community) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_written_active ON posts (author_id, activity, id, community)
            WHERE parent IS NULL AND visible;
        CREATE INDEX threads_written_popular ON posts (author_id, hot, id, community) WHERE parent IS NULL AND visible;

        CREATE TABLE votes (
            agent_id bigint NOT NULL REFERENCES agents (id),
            post_id bigint NOT NULL REFERENCES posts (id),
            value smallint NOT NULL CHECK (value IN (-1, 1)),
            PRIMARY KEY (agent_id, post_id)
        );

        CREATE TABLE recounts (
            thread_id bigint PRIMARY KEY,
            shown boolean NOT NULL,
            reached bigint NOT NULL
        );

        -- what the memory of every api process must know what to do with: services/api/cache/tags.py
        -- every statement that adds rows plans the checks of its table; those of a domain, a connection once
        CREATE DOMAIN change_kind AS varchar(20) CONSTRAINT changes_kind CHECK (VALUE IN (
            'post', 'vote', 'hide', 'unhide', 'registration', 'profile', 'operator', 'suspension', 'restoration',
            'rotation', 'community', 'limit', 'moderation', 'checkpoint'
        ));
        CREATE UNLOGGED TABLE changes (
            seq bigint PRIMARY KEY,
            kind change_kind NOT NULL,
            thread_id bigint,
            agent_id bigint,
            community varchar(40)
        );"""

SEARCH = """
        CREATE TABLE search_cursor (
            id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
            last_id bigint NOT NULL DEFAULT 0,                 -- the newest post that the index knows of
            worded_id bigint NOT NULL DEFAULT 0,               -- threads up to it have the words of this version
            words int NOT NULL DEFAULT 4,                      -- as in index_log.sql
            agents_left bigint NOT NULL DEFAULT 0              -- agents up to it do not have them yet
        );
        INSERT INTO search_cursor DEFAULT VALUES;

        -- Most documents are somewhat longer than 2 kB: compressing them costs as much as writing them.
        CREATE TABLE thread_search (
            thread_id bigint PRIMARY KEY,
            document tsvector NOT NULL,                        -- as index_document.sql makes it
            parent bigint
        ) WITH (toast_tuple_target = 8160);
        -- how common words are: the default knows too few of them
        ALTER TABLE thread_search ALTER document SET STATISTICS 300;
        -- PostgreSQL appends the words of new rows to a list, and sorts a full list into the index. Every look-up reads
        -- the whole list. With 512 kB, a thread of 1 kB costs 18 kB of log; with 1024, 14; without a list, 71.
        CREATE INDEX thread_search_document ON thread_search USING gin (document) WITH (gin_pending_list_limit = 512);

        CREATE TABLE open_requests (
            capability text,                                   -- as index_requests.sql makes it
            thread_id bigint,
            PRIMARY KEY (capability, thread_id)
        );

        CREATE TABLE agent_search (
            agent_id bigint PRIMARY KEY,
            name text NOT NULL,
            text text NOT NULL,                                -- name, bio and capabilities, a line each
            capabilities text[] NOT NULL DEFAULT '{}',
            document tsvector NOT NULL
        );
        -- what waits to be sorted into the index is read by every search: little of it, and sorted in often
        CREATE INDEX agent_search_name ON agent_search USING gin (name gin_trgm_ops, document)
            WITH (gin_pending_list_limit = 64);
        CREATE INDEX agent_search_text ON agent_search USING gin (text gin_trgm_ops) WITH (gin_pending_list_limit = 64);
        CREATE INDEX agent_search_capabilities ON agent_search USING gin (capabilities)
            WITH (gin_pending_list_limit = 64);
        CREATE INDEX agent_search_document ON agent_search USING gin (document) WITH (gin_pending_list_limit = 64);"""

INBOXES = """
        CREATE TABLE subscriptions (
            id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            agent_id bigint NOT NULL REFERENCES agents (id),
            kind varchar(13) NOT NULL CHECK (kind IN ('thread', 'community', 'capability', 'announcements')),
            target text NOT NULL,                              -- a thread's id, a slug, a folded tag, or nothing
            created timestamptz NOT NULL,
            paused_at timestamptz,
            deleted_at timestamptz                             -- remembered: events name it
        );
        CREATE UNIQUE INDEX subscriptions_kept ON subscriptions (agent_id, kind, target) WHERE deleted_at IS NULL;
        CREATE INDEX subscriptions_deleted ON subscriptions (deleted_at) WHERE deleted_at IS NOT NULL;

        -- when a subscription hears of posts: those with from_id < id <= to_id, opened and closed under the head's lock
        CREATE TABLE subscription_spans (
            subscription_id bigint,
            from_id bigint,
            to_id bigint NOT NULL DEFAULT 9223372036854775807, -- that is: open
            topic text NOT NULL,                               -- kind:target
            agent_id bigint NOT NULL,
            partition smallint NOT NULL,                       -- of the agent: see inbox_partition
            PRIMARY KEY (subscription_id, from_id),
            CHECK (from_id < to_id)
        );
        -- by its end, so that spans closed long ago are not looked at
        CREATE INDEX subscription_spans_topic ON subscription_spans (topic, partition, to_id, agent_id)
            INCLUDE (from_id, subscription_id);
        CREATE INDEX subscription_spans_closed ON subscription_spans (to_id) WHERE to_id < 9223372036854775807;

        CREATE TABLE fanout_cursors (
            partition smallint PRIMARY KEY,
            last_id bigint NOT NULL DEFAULT 0,                 -- the newest post that everybody has who hears of it
            agent_id bigint NOT NULL DEFAULT 0                 -- who has the post after that one: agents up to this one
        );
        INSERT INTO fanout_cursors (partition) SELECT generate_series(0, 15);

        -- its partitions are made ahead of the log: see make_inbox_partitions
        CREATE TABLE inbox (
            agent_id bigint,
            event_id bigint,                                   -- the post's
            acked_at timestamptz,
            kind smallint NOT NULL,                            -- the most specific one: see listeners
            subscription_ids bigint[] NOT NULL,
            PRIMARY KEY (agent_id, event_id)
        ) PARTITION BY RANGE (event_id);

        CREATE TABLE inbox_marks (
            agent_id bigint PRIMARY KEY,
            acked_to bigint NOT NULL                           -- every event up to this one is acknowledged
        );"""

OPERATION = """
        CREATE TABLE board_identity (
            id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
            identity uuid NOT NULL DEFAULT gen_random_uuid(),
            created timestamptz NOT NULL DEFAULT now()
        );
        INSERT INTO board_identity DEFAULT VALUES;

        CREATE TABLE freezes (
            id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
            since timestamptz NOT NULL,
            until timestamptz,                                 -- without one, only an operator ends it
            reason text NOT NULL
        );

        CREATE TABLE limits (
            name varchar(40) PRIMARY KEY,
            quota int CHECK (quota > 0),
            seconds int CHECK (seconds > 0),
            default_quota int CHECK (default_quota > 0),
            default_seconds int CHECK (default_seconds > 0),
            age_seconds int CHECK (age_seconds > 0),
            CHECK ((quota IS NULL) = (seconds IS NULL)),
            CHECK ((default_quota IS NULL) = (default_seconds IS NULL))
        );

        CREATE TABLE audit (
            id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            at timestamptz NOT NULL,
            who text NOT NULL,
            action varchar(20) NOT NULL,
            subject text NOT NULL,
            reason text NOT NULL DEFAULT '',
            batch varchar(16),
            category varchar(12) NOT NULL DEFAULT 'other',
            until timestamptz
        );
        CREATE INDEX audit_subject ON audit (action, subject, id);
        CREATE INDEX audit_batch ON audit (batch, id) WHERE batch IS NOT NULL;

        CREATE TABLE moderation (
            id bigint PRIMARY KEY,
            at timestamptz NOT NULL,
            action varchar(12) NOT NULL,
            post_id bigint,
            agent_id bigint,
            category varchar(12) NOT NULL,
            CONSTRAINT moderation_subject CHECK (
                num_nonnulls(post_id, agent_id) = CASE WHEN action IN ('freeze', 'thaw') THEN 0 ELSE 1 END
            )
        );
        CREATE TRIGGER audit_published AFTER INSERT ON audit FOR EACH ROW
            WHEN (NEW.action IN (
                'hide', 'unhide', 'suspend', 'restore', 'erase post', 'erase agent', 'freeze', 'thaw'
            ))
            EXECUTE FUNCTION publish_action();
        CREATE TRIGGER recounts_published AFTER DELETE ON recounts FOR EACH ROW
            WHEN (OLD.shown) EXECUTE FUNCTION publish_action();

        -- Every recovery from a crash empties an unlogged table, and a standby never has its rows.
        CREATE UNLOGGED TABLE confirmed_starts (started timestamptz PRIMARY KEY);

        CREATE TABLE applied_functions (
            id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            digest varchar(64) NOT NULL                        -- SHA-256 of the functions' files
        );"""

LOG = """
        CREATE TABLE log_state (
            id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
            size bigint NOT NULL DEFAULT 0,
            root bytea,
            checkpoint text,
            verifier_key text
        );
        INSERT INTO log_state DEFAULT VALUES;
        CREATE TABLE log_begins (
            generation bigint PRIMARY KEY,
            first_index bigint NOT NULL,
            first_id bigint NOT NULL,
            entry text NOT NULL
        );
        CREATE TABLE log_nodes (
            level smallint NOT NULL CHECK (level > 0),
            position bigint NOT NULL,
            hash bytea NOT NULL,
            PRIMARY KEY (level, position)
        );"""

AERICH = """
        CREATE TABLE aerich (
            id serial PRIMARY KEY,
            version varchar(255) NOT NULL,
            app varchar(100) NOT NULL,
            content jsonb NOT NULL
        );"""


async def upgrade(db: BaseDBAsyncClient) -> str:
    return "\n".join((EXTENSION, FUNCTIONS, WORDS, BOARD, SEARCH, INBOXES, OPERATION, LOG, AERICH))


async def downgrade(db: BaseDBAsyncClient) -> str:
    return ""


MODELS_STATE = (
    "eJztXetz2ziS/1dQ/pKkSudybOdxmburkhNnxzeOk7Od3Z2dTNEQCUs4U4RCUFa02fzviw"
    "b4fomgXpSCLzMxiQagX4ON7kZ34/vBgGHfOewPiRccvEHfDzw8JuIfmec9dIAnk/gp/B3g"
    "gSvbYWjBZZMBD3xsQzf32OVEPHIIt306CSjzoG3fQ9i22dQL3iAacDTx2T11RUP4I8CuSw"
    "nvoWBEkEOHhAeI3atX7IF4PYQ9B81GRLz3xWNEOeJTPiGeQxzEfPEasQnxccD8Q5iPw2wx"
    "IeoNNz/01KNfp8QK2FCSiAn88ad4TEX7b4TDn98P7ilxHfnvA0HJiWOpkQ+gJfk28QnnAj"
    "ceEUeMUYBbikayYj6RLw4knWAB/IH+9uv59TnK9IwubtDVx1t09fny8uBHD2XmEP8eS2BE"
    "3YazyFMtmE6uee2ExEqijzSYQz/UaTgfl/JA9C5pSfPZYIVN2TRsn+BAAa07C4/MVjIFbj"
    "OftJnAhE2mLvbbTQK6nTxYch4ZyUAlGPK5FXV7RocXXvBetoVPb2DZzJ2OvaT9ZB6MmBcT"
    "UCVWxHThsyFOSmh4U9cNpUv0SH1P4kHgT0n8ITnJA4fc46kLogeo1QySZweWJZaZdXN+a1"
    "kHBbEUUaTERfjIFggLqCgIOEBgCFP4j/88Pj45eXV8dPLy9YvTV69evD56LdrK+RZfvfqh"
    "JpPApbqSoF385eLqFibEhNxU4hQe/JA0OMBWsggS+OX/Cwx4O8J+OfxR+xwDxA9rw4DoQc"
    "KBRNZvggVj/M1yiTcMRuLP06MadP/av377a//66enRsyzEV+GbY/nqh/za4l2PMh1sw+Zb"
    "hnZleD4/OmqCKDSrxFS9zKI6IwNOA61VmyLZF3RfNAL3RQ22L4rQ2niCB9SlgdBfivj2fR"
    "/PywHOE+ZQhh1kozDffHXfqb+efjl48v3Hky8Hz5aAvgbp2/O/3/7xZw5Hh4pd9pH4YhN8"
    "pFhnpRYp92XBvm6yXl9XL9fXxdWaKFNZeN+JxwEdk4q1mpDlsHVCusPoHzu4p9Ut1YsP5z"
    "e3/Q+foPsx519dCVb/9hzeHMun89zTpy9zDIk7QX+7uP0VwZ/oHx+vziWcjAdDX46YtLv9"
    "B6igB3gaMMtjMws7aUyix9GjDIPTSrsOh9N0hsWdZnEwEl+jY0lbWs8QyFOuxiRoy9qj3T"
    "AEEuB9MnHnbXDPERrYtWCPre/mgMckBmotqCMfWgnajLkEe+Vwp8lyiA8E3SYhL3d8rmKf"
    "OPv48TKzRZxd5PC8+vzh7FxYZ3JvEI3AfCqFGXYEC3ZSPYshS/YT2QvJplkwG6R72BphPi"
    "qTEB72K7DM0uUX7TxQGO+PlnN2+fEss3qFkXB2cdW//v3ph/7fn2W0nMuPV3+J2qeVl7Pf"
    "b8/7pfi3NCsKxEbz7LbmKfk15WWcrt0gsoRmi1i8RSjEmE+H1Gsj2RLKlrIt9OvvwGe0Lt"
    "HmkyGc4vjWAykxp+tYkKc0LGjJgvTBmO7mkqddwd6yOwzZua2l5By7HbNjcsPvHeC3JXQ/"
    "zkp2uFvyrcq2L1Bu2d2fNYTWe2ySYW/k6C+XsVHzlPLxFsRuVsKG8Sn64jVDaL61Ln9r2e"
    "imAp9/I/OzSCMpY3FCZ/QYDT0GwnfuH1IRJPBggO2HGfYdK/MmG1ti8QfikgCCi4paZ0j/"
    "/rdr4mL5y0v4IiMHr0RXN2FPu2s3J0/DhVRwpC2H0ie2YbfZBtHxheyFU3FpES4H07Xq6h"
    "Z62le4+HQQd74cWjepnvYJLZBg7JhVybTiq/HxOP8Ee3gofxKMDSOl4pxvCPbt0UFFFHT4"
    "trcoFtriScOFEdG3I4JUe+gDBULthMhj7CHZF6IectmM+MjGQD7zaRAQD0WBxWhGg1E6nr"
    "kY+LyWERbHN1dGjyqMdGNI01QmknStkaTVps9eRZJu2tKBD08H7Ki9AbsF2CYqsn1UpIbh"
    "sM4NeTJxKXHeTz07CBMdCrtyvknt1qwaW/eZ1oszltAj8SHTAvZMyA66+b9LFPchnuAAzT"
    "BHYfcqg8gjM8i2cTEPShKRVtHjEvvvurI3wu3TbLm1W26VE6QuvLjC/bGbO0E2wvjlaYMI"
    "45enlRHG8KozEmvq0NIUSvm8VjbFLZplUAah9EhlHb5BsxHrQYqiB//FQQ+JNrMRtUdIGJ"
    "b/T+wgSmKcH6LbEeMEemAeQTYbj+ENF0uQIIwGOLBHFQmUmxpZM39STQwIwxHhnw2S5QB3"
    "K0VSmiRXSMeT09QZISaoS8KTjbIJkUaGd1KG6x9WrOyUomvSfJ+OKYQY07HPwuZ7sSlv2j"
    "xL5HVTLSih2AvAs1rQcZM8q+PqPKvjQp5Vak9rfq4dk+wFxJte0/qRBCaCYBW4x8pV45zt"
    "iKAV6h07TM7lb79skr2d32RTudsvi+nFARkyvyQAsRrgNM2WVzaT1sPK4D1uAu9xNbzHeX"
    "hbBZuZELPO6pPd8EScwX8vHCLWSTA/KHoksu97NZ4J+cSi6aaNjjTBuvfZTHkzHcoDwfQp"
    "5SMCDk7KkewX3ftsjMgj8edIfqi/yHNGgGA64cjGvnhBS1yoaxlhxS7VmzF23Q6XxHm+hF"
    "BUVvjJ8auXsd0Nf9RZ2jcf+peXi03r9ErL4vn588W7KiwTmhyi0yl1DoFyW+rUEzGo5WPP"
    "YWMLJvP02ZM16VZy7zlR8i4tyeSv3+siDGm4hSxeH8RmB2q8Awnl0JNSIr/1hC/q9hxbNm"
    "l8Pqeaq31gMh241EYCwongqtgKbDZ1wb/MZofoLbZhd7hnriv3DcLlDsJ/QXecfL2Dmn5C"
    "koiH4JL2KZBTT/qoaYCY75CyqoIbH36JbUoMo+c2DglMvM2KHMcP4sfrGFJR+73wx6zb5R"
    "UWF9E9GsmQtVrpHTOhtlO5YUtRfQZ72DDFHiEQKNOaa5w0aaL984StpjJkR5SpmFUl+lSa"
    "jdUqVdiKNlerJi62idBWfKQkJO8lkcBhueRDdCdtAuZL7QXilFRI8Uwe8is6GcsEr+6pz4"
    "Nf4rABjkb4kSBP2PFlatWmh9cMOODudLjo7D8FumVP/ch2qosBiJrlIw5SppfuyCpybNHA"
    "EHNQO7gqrhPNQ+eXJ9S1v1w1axj/IEHQEHZR+9UoUtvVZNdSALcmYI1kUkmanm3lyMwB1x"
    "KxzInsyGlWdSVPUlSm3kmDeiemqOGWDIduFAztmDK7615I427+WRldWryxRnymiIwHQEeI"
    "dsU29YRlNSbOTYD9suj3XINerZUaNrU4tG1sqsrWUTYNJ/4j8RGnnrAfVRQ6Rnzu2SOfeW"
    "zKobXnDObC/gMb0FGnw8FIMFU58dOdjNiMl1mnGxhxGT8/zE5f4KbI1iFwt2o17b6YzVto"
    "3fj832OxwoO3U58zv+Tjz7yu+/TvZUNwk4iWzX1UYsFS+POJzE4HkPkb+TlBohwC4JFDXC"
    "ovZ1BJKOE360EWvHwft077jqg3YN/k91oWfrLJgZcQA/Eki4KgPjglQ7g/h3/riFcBBmqf"
    "eqSIjLG4C6dMPxfgHdlZfEL+WRZBEr6o3U1kk4bbiAomdOcQjNFDVIppn8CJAvNISqirTm"
    "Xyo+vKMimCXb1Q4QOJrS6DFB3cyQDdO/nQZuOKmiwbGNOENHZgi5B2gbYuHhF1yvVhdPG8"
    "y8PE7+8vb3c4oWt3Mui6oWxcgNn1AfsPJfpG8q5O5ZCGmzUWzTTUDvIIlt90ggIWOY6iqm"
    "ywj4tfJtamSxwxZVAAeogz5TGSh03gP5p6mUZCe4CsBg/xBzpRMablysfGRjaF4nbFn1yn"
    "wwhWyzqemqxIUW3X7to5ZnRDLF7SMQ2ucVBmhiXv6sSiC600JCIshqg6jKR9o8ROtuRMDz"
    "EfEVcGealMsNiP3v90AR45m3Ae1aBRbm1lUEE02JAK4VcuFjc3/Bfvi3fGAiF3ofJNgMbg"
    "EsQC//GA+DCeLcQuR0+/TlmAn0EmAPbmSEyAMgc95USsTIc/g3o6anoemYHZ53MwIiFsDt"
    "tSVHM0F/8bEoijw2JMwWcrpF5WPm/3HvKfKghLroIi1pWSN26/R0eqx89PX52+Pnl5Ggvb"
    "+EmdjC25z1Etfw04UxQG0CKg4QQt3VVaoDPgVoOrv2pLKA3ApWcKLcDNURlgO6W3suEZge"
    "vnStTW6FWt1sqG1gBaaWiuMr8ACdsTSg0IdRGFzBdNeqDg3ckGluTt3S9SWZTHwDKrAf6i"
    "TtzGiRMaVH/4PhAKXFUlhI2NvISumExJz4TM0hl7fkX2fGpF6PEjR2is+tZH2dEH1wr/Dh"
    "xl7zT4UrjpePZjAuPY3ynHvtjufyU4uxdl3yzSA0ZRI61AAnWGL3t8EicsRmWQ1b0q0lGt"
    "fObRfa31gQIt+wRP07msgATxA8q5JAMM2DAdmBZW3RCP7QeIPlNqhQkj6EoYgYk02+gOIZ"
    "FrmbmSp+1UDEc2FZJMmD1aYz7krp35S9Zp18lJU5nvTP87a3fSWyA10LeAXtbVbol9mtaA"
    "rwV+WNVCD/UUkYFbC26fwGVKmnCniAzc7SoSKfmsiXsZtWGAJgM8Ma3BNAizqXTAz1Ia4L"
    "WAj2JErCj+Qg/9UnLDAk1ZD54PdWpgCUDLjhzqKqeU0m+5hkrsuOhYCZXOePlugoowtehV"
    "b4Gfj8ettAqcx2md8n5Ge0TshwkTuL9BnP4zrOXKmAzRkqXLfELUjY6cDj3iII8F4gG8ei"
    "Q+FT/XRw9kXl/yfI1jGldfB1x9wEW9bSOiMDuF3k4hvpIyoD3sV1wPHFHkt4N5oOyE3Yr4"
    "qAMQTnHS+8Jf+9dnF1f969/LD4Ki9mmH3Nnvt+f9vGIaSyud47cs1T5UK93EEVwa90jSW0"
    "LS6yCfpzPY79Lx5wfmROEzRdUo9bJOORpnm+ncUCv+pUKNIB49zC/qocE8qcLag8h2GZGk"
    "SueLzgkeH6IrGQfPZXR8UhV/cTn+zY7dwVu4TQDUm0YJTeYK1308vjP3iq75vjpgmPZhUY"
    "poj+Kkf47SNwb7Nzt/CWZ3RUs3tOQrweabB+KSoFRPzryu05SBzOJhS43UAYcOwZEnY/cj"
    "cvUX9KiSSykHtx3q37y9uDhEFwHklc4hx5QoHVa2FI3EiuLEKfcfrmkczasT1CwWXSGQxd"
    "IKiXoVlwjUXBWwLkU7FIxGz67VsxO+ZTnwG5mfRT6zbNJaTNDSxdY1sbkFH1tXCmdse8Pa"
    "XrWGHC+KjHjPfEKHnvgMJDMuPKgRXFrxS+1B/aibHePBj2iVRU8TKejjWSyuM4tP/HgH5L"
    "7SGD6i/tvbi49XSsRvXDf4JL61Ep1APq7TBeAb1VABXDZ8E910pA7wVOxRL6wIQRzlinLn"
    "BUcUAnr1GaM7YR2P4D6kERO/TV2JJJ884XLnLtcLNjm4prIwwX648OnCW4ck5FYqaKtUVQ"
    "jvG1IdZ68byt17pD/2iDoO3Pfbdgqof/UOqU7Qf/0POipMCXqeQ0WdRtPBHp8Rf+E8ok4L"
    "M3mknMJyzs9CcTXaKhRKjSYkCwvbdBJ7k5fkkNBU4XBCiFV1B4uamA7HCoR1MyofrjFsMb"
    "kCXH+yebpGc00TteNw8+nZ4fdSN7GVDqm+lUVD1n1Ri0cKBWMcCdRwzeYglv8OP0j03+hI"
    "/h0HOsLcnmDPY1OhBIwh5vFJ3R1wzSftkVn7ORd5lLpzp/kcJBVZ4TRGrKFUjmYwYZOpix"
    "d+MxpTyNye2YozSZDranmUmVk7hqXib1fNuszstPmYTGz1HM3InyxHe+nbUhtOFXItA6EL"
    "rPgDTE8yx9xlZrlyPmcmmvB5mTmugOXmNLabXqJE09Y4VIppzLnGMlkxc+2ynmkqg33r8z"
    "wlIXWLKCba/x4eKq2qkOLWr0b/2WAOaOBqLeOYYB/iCbPoHjeC97gG3+MiwAPmaC3hqP0e"
    "rt7nL4+OmiAs21WfP6u3WZRn2BOgWDae4AF15f3lRdD7vo8rosMr6HNMcCnfrCs/W/Lh+4"
    "/13n/9x5/FXMR76pDSW1DqhHCaav/ExGkTGVwtggsb3X5dsmtCG8tCGztwT7Zh8fpYXH2c"
    "0dw4q+7DmGptTbXKg5sWbMl3YbjSlivJ2U+WDfU5pwnVrudKts88TWWFhZ7R4lquS5BPUZ"
    "m0+NK0+KKTTVZzaONniwl3fb1u2r+WBD9oxMAlRAZuLbi5zXzdpPWIxECtV2IGAqe41QLx"
    "PKUBXk/jKKsW8N5luErXKK0VcA8EO4JzDWTvPn4+uzxHn67P317cQHxmL21OyZfZnfH6vH"
    "+Zv9ukIjq8rgKDCRBfPkDcJ+KXVyTyff588a5KH0lT5dCfTqlzCLT7xQHphjtRToE0qvKX"
    "ZkGlDhlPWEA8e15eZKHa11lCun8Oz+MXL5qci7x4UX0uAu9yhfxlGpKm/ZIQbdl8KQ8I75"
    "j9kgnl0VClM0HCJp9kVfkkFc6nnzmhJJpANqMkvf46lVJyTZRNX8wqid70ahJLfJIUhmxQ"
    "jCXM61DJnXD9qHKAyStMZ9R10YAgPmIzD5I9eZT5Ed4MfSdI7RFx7mQtFDaVuaOcDkdBD7"
    "lY3iUB1z5TTz0sqcey8eGXKMkSesx1BV2GzIQErigkUC4KzX09ptnytr4Bw2CV7kn5jem6"
    "JmMis7Uvt7VvaQsKqE+cW/ZAyioeZF7Xb0ayoRC3omXLigcg87FNxB4Bnaj7jCB3UBhC6o"
    "pCdY82Ri5U8xL214RBTS6440hsHuJve9qk4MHqhtFMYYwwwguT5LJoQvFzCbZmwQNJbY0w"
    "HxW/6cq0+yzRqjwrW93HNuZXqd7EUqwvsKI+aiNLaeI2Oh23oYRDudOntphshs6UlDXlLn"
    "ZUhzHlLval3MUNwb49ejv1OfNLFMPM6zrFkMuGlp20bHF9JlwyFdZwTa6slJ4EWcxeDoEk"
    "p5HQXBCY4U1u0GzTLVyiKTVKZk9lfjbQyhz0yFcxg4IY4Aa4i3RLJtRHUD3VnZzqJu079Z"
    "flkvtANBzhRyJHBWrZ5yPxQTdU/fG7L95TORMrek49NTVLTPpQCMtnpmx/V8r2mxs6N3oa"
    "H39weoBnyAzk2pCXRFTVYt2BYKrTpXE+fn766vT1ycvTGN74SR2qFVVclfhvoa4mhGbh7o"
    "in7WY6SONUUKjSr2sVqlTDxmc/aaJD9E5qmY46NIETlQcyCdA91MdH4EVATyf+1CMWEavB"
    "edZDnCmtSPrOZJoQkooqqCH3YsnIEl/jskOfjY2rW3pUzaSBKy4Dd6ifO5XeuLD0RNJ9tm"
    "rVxstOmNqkTY6YHsSPL+JfHaUTtd/HnNqTJgm1J9XZtCeFjHDsi2+yCG/1TTMJxV4AvCBL"
    "NuMIW8UFPyYBdM+9zBM85a3OEjKEK2Dy7nicd47HKQVFk8lZSsPlLnPZHFhs2xQ0Bxb7cm"
    "BxK6Pv1LnEQdG+zrzu1djXYRQfT1o2OrAITwuiYwEVahKVfAW5oY4cwijIuzhW8E5GQKqo"
    "lDD+JBhRjqi8aO5OFbe7Kz/N2MCYJopyd4Rbr8bENYUVfzZ/Y5/4tFQShi/qZCBOmiwSft"
    "X4r/go8mfxhS15wlAtAsKDYx1HV4pkL1wxG8hDg29KA+Gw+R6i+7xZbb66ynzFunxixKB0"
    "H/vfm49XFX6thCRvDFM7QP9CG6/Ct3Y7GMCodyvmPYi9rG0LHWz97uof/wYYVBx4"
)
