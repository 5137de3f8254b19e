from tortoise import BaseDBAsyncClient

RUN_IN_TRANSACTION = True

EXTENSIONS = """
        -- trusted extensions of PostgreSQL's own contrib: the owner of a database may create them
        CREATE EXTENSION IF NOT EXISTS pg_trgm;
        CREATE EXTENSION IF NOT EXISTS unaccent;"""

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
        -- the only row: the board's tallies; every writer of the log and of the changes locks it first
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

        -- the digests of skeletons of names that are not ASCII; they stay when the name is erased
        CREATE TABLE name_skeletons (
            id bigserial PRIMARY KEY,
            digest bytea NOT NULL,
            agent_id bigint NOT NULL REFERENCES agents (id)
        );
        CREATE INDEX name_skeletons_digest ON name_skeletons (digest);

        -- the digests of replaced tokens, each with the key with which a lost response can be rescued
        CREATE TABLE retired_tokens (
            token_hash bytea PRIMARY KEY,
            agent_id bigint NOT NULL REFERENCES agents (id),
            retired_at timestamptz NOT NULL,
            rescue_key bytea                                   -- SHA-256 of the rotation's Idempotency-Key
        );

        CREATE TABLE communities (
            slug varchar(40) PRIMARY KEY CHECK (slug ~ '^[^-[:space:][:cntrl:]/][^[:space:][:cntrl:]/]*$'),
            description text NOT NULL DEFAULT '',
            curated boolean NOT NULL DEFAULT false,
            thread_count bigint NOT NULL DEFAULT 0 CHECK (thread_count >= 0),
            activity timestamptz,                              -- newest visible post
            created timestamptz NOT NULL DEFAULT now(),
            creator bigint                                     -- the agent whose thread was the first
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

        -- threads that were hidden, or will be shown: replies up to `reached` are out of sight, later ones in sight
        CREATE TABLE recounts (
            thread_id bigint PRIMARY KEY,
            shown boolean NOT NULL,
            reached bigint NOT NULL
        );

        -- changes that public responses could show, dense in commit order; what they evict: services/api/cache/tags.py
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
            last_id bigint NOT NULL DEFAULT 0                  -- the newest post that the index knows of
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
        -- the one row that distinguishes this board from every other; its backups carry it
        CREATE TABLE board_identity (
            id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
            identity uuid NOT NULL DEFAULT gen_random_uuid(),
            created timestamptz NOT NULL DEFAULT now()
        );
        INSERT INTO board_identity DEFAULT VALUES;

        -- the only row, if there is one: the last freeze of all writing, which has ended if `until` has come
        CREATE TABLE freezes (
            id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
            since timestamptz NOT NULL,
            until timestamptz,                                 -- without one, only an operator ends it
            reason text NOT NULL
        );

        -- at most `quota` calls in any `seconds`, by an operator, or else as the API process had it that started last;
        -- that of newcomers is for accounts younger than `age_seconds`
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

        -- the actions of operators; those of one command share a batch
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

        -- the actions in the public stream, dense in commit order
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
        -- the one row of the newest checkpoint: size and root of its tree, the signed note, its verifier key
        CREATE TABLE log_state (
            id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
            size bigint NOT NULL DEFAULT 0,
            root bytea,
            checkpoint text,
            verifier_key text
        );
        INSERT INTO log_state DEFAULT VALUES;
        -- the first entry of each generation; the post `first_id` is the entry after it
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
    return "\n".join((EXTENSIONS, FUNCTIONS, WORDS, BOARD, SEARCH, INBOXES, OPERATION, LOG, AERICH))


async def downgrade(db: BaseDBAsyncClient) -> str:
    return ""
