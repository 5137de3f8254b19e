from tortoise import BaseDBAsyncClient

RUN_IN_TRANSACTION = True

EXTENSION = """
        -- a trusted extension of PostgreSQL's own contrib: the owner of a database may create it
        CREATE EXTENSION IF NOT EXISTS pg_trgm;"""

# Indexes and triggers need these. The files of sql/ replace them in the same run.
FUNCTIONS = r"""
        CREATE FUNCTION name_key(p_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN p_name;
        CREATE FUNCTION name_look(p_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT p_name';
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
            register_fingerprint bytea,
            suspended_at timestamptz,
            suspend_reason text NOT NULL DEFAULT '',
            erased_at timestamptz,
            erased_look bytea,
            suspended_until timestamptz
        );
        CREATE UNIQUE INDEX agents_name_key ON agents (name_key(name));
        -- partial, so that a rotation locks FOR NO KEY UPDATE and no foreign-key check waits for it
        CREATE UNIQUE INDEX agents_token ON agents (token_hash) WHERE token_hash IS NOT NULL;
        CREATE INDEX agents_active ON agents (activity, id);
        CREATE INDEX agents_new ON agents (created, id);
        CREATE INDEX agents_popular ON agents (score, id);
        CREATE INDEX agents_look ON agents (name_look(name));
        CREATE INDEX agents_erased ON agents (erased_look) WHERE erased_look IS NOT NULL;
        CREATE INDEX agents_suspended_until ON agents (suspended_until) WHERE suspended_until IS NOT NULL;

        CREATE TABLE name_looks (
            id bigserial PRIMARY KEY,
            digest bytea NOT NULL,
            agent_id bigint NOT NULL REFERENCES agents (id)
        );
        CREATE INDEX name_looks_digest ON name_looks (digest);

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
            fingerprint bytea CHECK ((fingerprint IS NULL) = (idempotency_key IS NULL)),
            -- whom a reply notifies: the authors of its thread and of the reply it answers, each once, never its own
            notified_thread_author bigint,
            notified_reply_author bigint,
            erased boolean NOT NULL DEFAULT false
        );
        CREATE UNIQUE INDEX posts_request ON posts (request_id);
        CREATE UNIQUE INDEX posts_key ON posts (author_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
        CREATE INDEX posts_replies ON posts (parent, id) WHERE parent IS NOT NULL;
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
            marked_id bigint NOT NULL DEFAULT 0,
            merged_id bigint NOT NULL DEFAULT 9223372036854775807,
            worded_id bigint NOT NULL DEFAULT 0,
            agents_id bigint NOT NULL DEFAULT 0,
            words int NOT NULL DEFAULT 1                       -- index_version
        );
        INSERT INTO search_cursor DEFAULT VALUES;

        -- Most documents are somewhat longer than 2 kB: compressing them costs as much as writing them.
        CREATE TABLE thread_search (
            thread_id bigint PRIMARY KEY,
            document tsvector NOT NULL                         -- as index_document.sql makes it
        ) WITH (toast_tuple_target = 8160);
        -- how common words are: the default knows too few of them
        ALTER TABLE thread_search ALTER document SET STATISTICS 300;
        -- room for what merge_search moves at once; sort_search empties the list afterwards
        CREATE INDEX thread_search_document ON thread_search USING gin (document) WITH (gin_pending_list_limit = 8192);

        CREATE TABLE fresh_search (
            thread_id bigint PRIMARY KEY,
            document tsvector NOT NULL                         -- as in thread_search, to which merge_search moves it
        ) WITH (toast_tuple_target = 8160);

        CREATE TABLE open_requests (
            capability text,                                   -- as index_key.sql makes it
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
            CHECK ((post_id IS NULL) <> (agent_id IS NULL))
        );
        CREATE TRIGGER audit_published AFTER INSERT ON audit FOR EACH ROW
            WHEN (NEW.action IN ('hide', 'unhide', 'suspend', 'restore', 'erase post', 'erase agent'))
            EXECUTE FUNCTION publish_action();
        CREATE TRIGGER recounts_published AFTER DELETE ON recounts FOR EACH ROW
            WHEN (OLD.shown) EXECUTE FUNCTION publish_action();

        -- Every recovery from a crash empties an unlogged table, and a standby never has its rows.
        CREATE UNLOGGED TABLE confirmed_starts (started timestamptz PRIMARY KEY);

        CREATE TABLE applied_functions (
            id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            digest varchar(64) NOT NULL,                       -- SHA-256 of services/board/database/sql
            applied_at timestamptz NOT NULL
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


MODELS_STATE = (
    "eJztXW1z2ziS/isof3FSpfM4tuPkMndXJSfOjm8cO2U7uzs7mWIgEpZwpgiFoKzocvnvhw"
    "b4/iaCkiVKwZfEItEA+DTQ6G40Gt/3Bgz7zkF/SLxg7w36vufhMRF/ZJ730B6eTOKn8DvA"
    "A1eWw1CCyyIDHvjYhmruscuJeOQQbvt0ElDmQdm+h7Bts6kXvEE04Gjis3vqioLwI8CuSw"
    "nvoWBEkEOHhAeI3atX7IF4PYQ9B81GRLz3xWNEOeJTPiGeQxzEfPEasQnxccD8A+iPw2zR"
    "IeoN19/01KNfp8QK2FCSiA78+Zd4TEX5b4TDz+9795S4jvx7T1By4lguYw97UI58m/iEc4"
    "Eaj0gjtii4LUUhGTGfyBd7kk4wAH6gf/x2fnOOUvWii1t0dX2Hrj5dXu796KFM+/G3WAIf"
    "6jbsQ55qQWdyxWs7JEYRfaTBHOqhTsP+SCJS2Y1CI7ZPcKBAbNyGR2bNG+A284lW9RM2mb"
    "rYr2kCiCYPlmwlM1+p/BD53Ipoz+jwwgvey7IwIQaWzdzp2EvKT+bBiHkxAVWTXXQGBjNx"
    "UlPZm7puOOejR2qUiweBPyXx8HaSBw65x1MXBAJQqx4kz/YsSwwA6/b8zrL2CsIiokhN4v"
    "CRLfATeFAQO4DAELrwb/9+dHR8/Oro8Pj09cuTV69evj58LcrK/hZfvfqhOpPApaqSoF38"
    "7eLqDjrEhDRTQg4e/JA0OMBWwuIEfvl/gQFvR9gvhz8qn2OA+LA2DIgeJBxIJPA6WDDG3y"
    "yXeMNgJH6eHNag+/f+zdvf+jfPTg6fZyG+Ct8cyVc/5FyK1yLKdLANi28Y2pXh+eLwsAmi"
    "UKwSU/Uyi+qMDDgNtEZtimRX0H3ZCNyXNdi+LEJr4wkeUJcGQqso4tv3fTwvBzhPmEPZpb"
    "yVgG4N8+1X95369ezz3v73H/uf954vAX0N0nfn/7z7868cjg4Va+gj8YXS8EixzkgtUu7K"
    "gH3dZLy+rh6ur4ujNVGEsvC+E48DOiYVYzUhy2HrhHQH0R9buKbVDdWLD+e3d/0PH6H6Me"
    "dfXQlW/+4c3hzJp/Pc02enOYbElaB/XNz9huAn+tf11bmEk/Fg6MsWk3J3/wIFcw9PA2Z5"
    "bGZhJ41J9Dh6lGFwWp3W4XCazrC40ywORmI2Opa0cPUMgTzlakyCtqw93A5DIAHeJxN33g"
    "b3HKGBXQv22LZuDnhMYqDWgjrybJWgzZhLsFcOd5osh/hA0K0T8nJ35CrWibPr68vMEnF2"
    "kcPz6tOHs3Nhncm1QRQC86kUZlgRLFhJ9SyGLNlPZC8ki2bBbJBOW2uE+ahMQnjYr8AyS5"
    "cftPNAYbw7Ws7Z5fVZZvQKI+Hs4qp/88ezD/1/Ps9oOZfXV3+LyqeVl7M/7s77pfi3NCsK"
    "xEbz7LbmKfk15WWcrl0gsoRmiVi8RCjEmE+H1Gsj2RLKlrIt9OtvwTR6KtHmk6FYU4lvPZ"
    "ASc7qOBXlKw4JlWXAvOkb8iU/LTa8GrMjVYFjSkiXJ3i4uYUX9ep+nXcFyvz0M2brVvmTT"
    "vx2zY3LD7y3gtyXUcc5KlI478q3K3VKg3PAOTNY2fdqdrAx7o72XchkbFU/pg29B7GYlbB"
    "jKoy9eM4RmrnV5rqXDwApc/p3MzyJ9pIzBEZXRYTR0GIimun9IBfTAgwG2H2bYd6zMm2yo"
    "j4S7xFF3FtK+//2GuFh+dQlPZGjllajmMmTadrovkqfhACr4M5dD6CNbs/dyjej4Qt5CcI"
    "I0zJeD6UZVdQc17SpcfDqIK18OrdtUTbuEFkgudsSqZFnx1fhonH+CPTyUnwRtQ0upIPBb"
    "gn17tFcRIh6+7S0KFLd4UnBhuPjdiCBVHupAgVA1ISwbe0jWhaiHXDYjPrIxkM98GgTEQ1"
    "HUNZrRYJQO9i5GhT9JC4uDvyuDeBVGuqG8aSoT0PukAb3V5s5OBfSu27qBiacDdlTegN0C"
    "bBOc2j44VcNgeMoFeTJxKXHeTz07CE+TFFblfJHapVkVtu4zpRcf50KPxIfjLLBmcuI/Up"
    "vwX2T1v4BcHYhF8xcxPFEwwgGaYY7ChtRBK4/M4KCVi3lQcl5rtXUvsSY/1cGacEk1y3Dt"
    "MqxO4xU5UBf5HVHsxOqQDf4+PWkQ/H16Uhn8Da+yq0E09/U9i1lKE6XROd9iRxarqUNLjx"
    "bL57XLUlyi2cniIFwuUqdx36DZiPXg6K4H/+Kgh0SZ2YjaI8Sng/8hdhAd7p0foLsR4wRq"
    "YB5BNhuP4Q0XkoYgjAY4sEcVB4vX1bLmuWLVMSAMW4Q/GxxGBdytFEmz466ymzotxAR1x4"
    "ZloexhYbNUd3KpbrGCmJWjmytH5pjoqOTwbbVpHhbfCd1r3ZZ5Iq+bKrsJxU4AnlV2j5qc"
    "dDyqPul4VDjpmFrTmocxxCQ7AfG6x7R+4IgJGFkF7rFy1VSUxAStUO9Y/EAug8Jpk/wJ+U"
    "U2lT3htHjAPyBD5peEAFcDnKbZ8Mhm0npYGbxHTeA9qob3KA9vq9hCE1HYWX2yG56IM/j3"
    "wiFinATzvaJHIvu+V+OZkE8smi7aaDcbrHufzZTTOiCuy8WflCNZH7r32RiRR+LPkZygv8"
    "qtZfj06YQjG/viBS3xla+05hV7ym/H2HU7nITqxRJCUFndx0evTmM7G37UWda3H/qXl4tN"
    "6fTIyuL56dPFuyosE5ocotMpdQ6AclPq075o1PKx57CxBZ159nz/iXQpudYcK/mWllzy63"
    "c67UkabiF7nw5is+I0XnGEMuhJKZFfasIXdWuMLYs03opVxZX8n0wHLrWRgHAiuEqEhGdT"
    "F/zJbHaA3mJ7JB7dM9eV6wXhcuXgv6IvnHz9ArkthSQRD8EF7VMgp570SdMAMd8hZdk119"
    "78EsuUaEbPTRwSmNCqFTmKH8TH6xhOUfmd8L88tYsrTOejuxWSIWs10jtmMm0mV8qGAjgN"
    "9rBgijVCIFCmNdc4ZdJEu+f5Wk0u1o4oUzGrSvSpNBurVaqwFG2uVk1cbBOhrfhISUjeS4"
    "K+w7ThB+iLtAmYL7UXCD9T0eMzuamv6GSIGry6pz4Pfo3DBDga4UeCPGG/l6lV625eM8CA"
    "u9Phor3+FOiWPfUj26luzz8qlo8wSJleui2rgMBFDUOMQW3jKp1V1A+dL0+oa79cFWsY7y"
    "BB0BB2UfnVKFKb1WSfJOV0TRxiqpsFxKv3snJkZkNribD1RHbkNKu6JEMpKpNhqEGGIZNG"
    "dEOGQzdS9HZMmd12L6RxN/+sjC5Nl1ojPlNExgOgI0S7Ypt6wrIaE+c2wH5ZtHuuQK/WSg"
    "2LWhzKNjZVZWmIIQ/kqWb/kfiIU0/YjyrqHCM+9+yRzzw25VDacwZzYf+BDeio3eFgJJga"
    "7iGnKhmxGS+zTtfQ4jJ+fuidvsBNkT2FwN2o1bT9YjZvoXVj+r/HYoQHb6c+Z37J5M+8rp"
    "v697IguElEyeY+KjFgKfzcl4kIAGT+Rk4nOP+IAHjkEJfK61DUoZNwznqQ8EC+j0unfUfU"
    "G7Bvcr6WhZ2ss+ElxEDcyaIgqA9OyRDuzubfU8SrAAO1dz1SRMZY3IZdpp8L8I6sLEKmji"
    "pz76Tf1q4rUK5l7h0kmDIdg2yGA47okXIqc+WofQWpuVGOPBagOZEZc0JPkKKuy7mzgpqX"
    "WBc2tlHeyVVhIyEh3ZhiF6BsfMD+Q8kES97VTS+prlhjUayhzgZzQJg/YuRPJyhgkbkUpZ"
    "0CxUd8mdB8XeKILiMMnONMzQnpYgWraeplCjEPQq1EJfyBTlRkVfnsW1vLJhPW9s7NtGv6"
    "QSYq1GRFimqz2sbWMaMbYvGSjmlwg+VOUV4sJu/qxKILpTQkIgyGKAeCpH2jxE42sUIPLl"
    "wnrgxtUOceYu9R/+MF2KG2MEOjTAvKmaMsTIiBGApj1CsXi+tr/rP32TtjgZC7kN8hQGMw"
    "hLHAfzwgPrRnYzjA8ezrlAX4OWg+2Jsj0QHKHPSMEzEyHf4cskao7nlkZrMx8TnoSxAsEl"
    "51z9Fc/DckED2CRZuCz1ZIvax83ux91z9V6IEcBUWsKyVvXH6HNhKOXpy8Onl9fHoSC9v4"
    "SZ2MLbk3UA1/DThTFAbQIqBhBy3dUVqgM+BWg6s/aksoDcClnrQW4OaoDLCd0lvZ8IzANW"
    "clamv0qlZrZUNrAKU0NFcZVYuE7QkHbMGXFTJfFOmBgvdFFrAkb7/8KpVFufkhY3nhF3Xi"
    "Mk4cxqvqw/eBUOCqzv2ureUldMWkS3omZJbO2PMrsudTI0KPHzlCY9W33sCJJlwr/Duwgb"
    "PV4EvhVkS+Oog7JtiJA4jriNvujCbwG8HZtSj7ZpEeMIoKNczu4c7hLLMKgZA17sfHdKJk"
    "n+riCOmoVj7z6DLKqrweS9UJnqZzmfcD7q5QziUZccGG6XCM8Ky5eGw/QMyFUitMPhATX7"
    "EKwbUV2/3pFUIi1zJeO0/b1aDtz3v7ZMLs0ROeAtqOiMIc27WzQ6SpzDzTn2ftdnoLpAb6"
    "FtDL7LEtsU/TGvC1wA/PcrcJPGrvcPx54fYJXFShCXeKyMDdLg+Hks+auJdRGwZoMsAT3R"
    "pMg/AMgQ74WUoDvBbwUYyIFcVf6KFfSm5YoCnrwfOhdg0sAWjZlkNdvoBS+g1nDogdFx1L"
    "HNAZL99tUBGmFr3qLfDz8biUVhrf+DCTvGzOHhH7YcIE7m8Qp/8bZjBkTIZoyYQ9PiHqej"
    "pOhx5xILRdPIBXj8Sn4nN99EDm9Ql+n7BN4+rrgKsPuKi3bEQUZqXQWynELCkD2sN+xf2n"
    "EUV+OZgHyk7YroiPOgBhFye9Lvy9f3N2cdW/+aN8Iygqn3bInf1xd97PK6axtNLZfstS7U"
    "KOvnVswaVxjyS9JSS9DvJ5OoP9Nm1/fmBOFD5TVI1SL+uUo3G2mM49jOIvFWoE8ejh+aIe"
    "GsyT3IM9daaPRAmjReUEjw/QlYyD5zI6PskFvTgJ9Xrb7uCVwiYA6k2jA03mosJd3L4zt+"
    "c98a1MwDDtzaIU0Q7FSf8cCR8M9m+2/qq37oqWbmjJV4LNl4yVHf6PX9VpyEBiuaKUxnEB"
    "hw7BeSfj9e+ZPwb9MsqYBvVlcl/0b99eXCDZwgG6COBM6ZzLe8WVIxDKi6JiNHHilPsOn7"
    "g9zaThqjeLkmcnuFohQa/yIvK1K9rmQvAmenbCtywHfifzs8hnlj20FhO0dLF1TWxuwMfW"
    "lcQZm16wNpetIceLIiPeM5/QoSemgWTGhQeZMe0yH75ah/pRNVvGgx/RKIueJlLQx7NYXG"
    "cGn/h4h7hEbTNeXaP+27uL6ysl4teuG3wUc61EL5CP63QCmKMa6oDLhm+i+z3UBp6KPeqF"
    "GSGIo1xR7rzgiEJAr6Yx+iKs4xHcAjJi4tvURSDyyT6Xq3a5brDOxjUVhQn2w4FPF961IS"
    "G3UkFbpapCeMuGqjh7yUbutg/V+Ugiqo406oLMGmnTSew0XbIjQiUDH7yQHirxmOqYDigF"
    "wroelTeX7iHqX72LcrVV9xY4MW/R2Txdo76miRp3NcPh5t2zwyFZ17GVNjmijkMWjiRVCv"
    "3Hf6HDQrOLWwrnfxzw0nDM5iCWf2OPz8CB/p/oUP6O4/mgb/vY89hUrHWQ9Y/v113w07zT"
    "Hpm173ORR6kLFZr3QVKRFXZjxBoKvqgHEzaZunjhnNHoQuZqtFacSWI5V8ujTM/aMSwVZr"
    "pq1mV6p83HpGOr52hG/mQ52ktfhdewq3CkMCDeqidgupM55i7Ty5XzOdPRhM/L9HEFLDeb"
    "jt10hiTKrMbeSUxj3PfLHP6Ya2evTFMZ7FtvWykJqZsrMNH+d3DvZFX5Ajd+7+3PBnNAA1"
    "drGMcEuxA2l7u2vBG8RzX4HhUBHjBHawhH5Xdw9L44PTxsgrAsV73Nqt5mUZ5hT4Bi2XiC"
    "B9SN70LOgt73fVwRBF1Bn2OCS/l6PdbZzAbffzzt5aZ//lU8cndPHRJ68ZsL4TTV7omJky"
    "YyuFoEFxa63bpB0UTwlUXwdeASVMPip2Nx9XZGc+Osug5jqrU11So3blqwJV+F4UpbriR7"
    "P1k21B+tTKi2/Uhg+wOWqcNPoWe0OJbrzoGnqMzp74XXxqsZ3+LW+Bzhto/XdfvX1F6rHu"
    "QpIgO3FtzcZr7u2eyIxECtl0kF4oO41QLxPKUBXk/jKDsU/95luErXKD0Sfw8EW4JzDWTv"
    "rj+dXZ6jjzfnby9uIQyxlzan5Mvsynhz3r/MX+FREQRdl2jAxEEvHwftE/HlFefVPn26eF"
    "elj6SpcuhPp9Q5ANrd4oB0wx0rp0AaVfmlWVCpQ8YTFhDPnpfnEqj2dZaQ7p7D8+jlyyb7"
    "Ii9fVu+LwLv8ZQFwhdvEL02bUSdGcoQmbUlLUaKOOmkakAnRhu3H8sDzjhmQmVgqDVsmE6"
    "Vtzq2s6txKhffvZz64EnUge3IlPf46dXTlhiinSvH0SvSmV3OAxSdJAsoGSV8yV7bDNafK"
    "AymvSp1R10UDgviIzTw4UMqjEybhDdRfBKk9Is4XmXOFTeU5VU6Ho6CHXCzvrIDrpamnHp"
    "bkfVl78+bW+e0Rcz1Uk2sPBoXmuh7TbHhZX4M6tUr/sJxjur7hmMgs7cst7RtaggLqE+eO"
    "PZCyDGSZ1/WLkSwoxK0o2TLLAsh8bBOxRkAl6t4kOKMoLFF1FWKUDsGFrGHCFpgwyP0Fdy"
    "mJxUP8tqdNkiusrhnNo5IRRnjhKcUsmpBkXYKtmVhBUlsjzEfFOV15vD9LtCrX1kbXsbVZ"
    "o9WLWIr1BVbUh81kKU3gTKcDZ5RwKPe61SatzdAZH5BJq7GlOoxJq7EraTVuCfbt0dupz5"
    "lfohhmXtcphlwWtOykZItrOuEyqzBXbHI1pvQkyKT5sgkkOY2E5oLADE/0OkmskmcF8vUY"
    "+w9ViuIa2oXrPqVOyuypPGKvKlfJPUJ/x5j4ginytm/weMg0uNK5oNqEywKY0EkFIdwxkL"
    "g/7oV0HIWFIPUHFJJVfva+zCAhiKwz6mNYRXgnadi0+qWKjfAjkd8CtDz6cgpfKoxvTlQG"
    "MkhX1kP0HskmuLygnAb8syeRsR6JD0rus+fm/oKu3F9gripda7yGmvjagGfIDOR6kEcCVB"
    "PyNNlmIS9BZduYEK84ekzIkJlxrxdtGq3eLWwgbiBvO8pLwntrh3cHInuX10yOXpy8Onl9"
    "fHoSwxs/qUO1S+7v2+kgjUDBykm/rrVyUgUbb8imiQ7QO2n6OUqVB6X/gUwCUK0RRuDaQ8"
    "8m/tQjFhF8dp73EGdKH5cObXl4EknrEe7WuBeDQeb3G5ftxK6tXd2cw6onDfzjGbhDo9mp"
    "dJGHCXmS6rO5/NaejMckJm6y7/sgPr6If3XsYlR+FzMNHDdJM3BcnWPguJAnAws9V+uCr4"
    "RiJwBekDsg451exe1e5lj8jm/9TPCUt9rgyxCugMnbsw20dTxOKSiaTM5SGi53mctmF9Hs"
    "InaEB1u/i3gnd63UZuFe0b7OvO7V2NeZ3a/mu4jhDl2006biv6JE2KrO8m3ApoQmyHh7xE"
    "yvYGx2wwfVJz4tnR3hi7p5gZMiiyZENUdWvCX7s/hHlnJ/Fgdj5iZornlJZopkJ8zzNZzY"
    "hDmlgXBYfAfRfdEsi2VdDstiBkvRYlCquv337fVVha8jIckbSNQO0P+hteerfHLbCMCodz"
    "XlvUq9rL0DFWz8MvMf/w8VwhwR"
)
