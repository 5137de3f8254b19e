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
    "eJztXetz2ziS/1dQ/pKkSudybOdxmburkhNnRzeOnbOd3Z2dmaIhEpZwpgiFoKxoZ/O/Lx"
    "rg+yWC1oNS8GUmJtEA9Guw0d3obvx5MGTYdw77I+IFB+/QnwcenhDxj8zzHjrA02n8FP4O"
    "8NCV7TC04LLJkAc+tqGbe+xyIh45hNs+nQaUedC27yFs22zmBe8QDTia+uyeuqIh/BFg16"
    "WE91AwJsihI8IDxO7VK/ZAvB7CnoPmYyLe++IxohzxGZ8SzyEOYr54jdiU+Dhg/iHMx2G2"
    "mBD1RpsfeubRrzNiBWwkScQEfvtDPKai/TfC4c8/D+4pcR357wNByYljqZEPoCX5NvUJ5w"
    "I3HhFHjFGAW4pGsmIxlS8OJJ1gAfyB/vbz+fU5yvSMBjfo8uoWXX65uDj43kOZOcS/xxIY"
    "UbfhLPJUS6aTa147IbGS6CMNFtAPdRrOx6U8EL1LWtJ8NlhhUzYN2yc4UEDrzsIj85VMgd"
    "vMJ20mMGXTmYv9dpOAbqcPlpxHRjJQCYZ8bkXdntHRwAs+yrbw6Q0tm7mziZe0ny6CMfNi"
    "AqrEipgufDbESQkNb+a6oXSJHqnvSTwI/BmJPyQneeCQezxzQfQAtZpB8uzAssQys27Oby"
    "3roCCWIoqUuAgf2QJhARUFAQcIjGAK//Gfx8cnJ2+Oj05ev311+ubNq7dHb0VbOd/iqzff"
    "1WQSuFRXErTBXwaXtzAhJuSmEqfw4LukwQG2kkWQwC//X2DA+zH2y+GP2ucYIH5YGwZEDx"
    "IOJLJ+EyyY4G+WS7xRMBZ/nh7VoPvX/vX7n/vXz0+PXmQhvgzfHMtX3+XXFu96lOlgGzbf"
    "MrQrw/Pl0VETRKFZJabqZRbVORlyGmit2hTJvqD7qhG4r2qwfVWE1sZTPKQuDYT+UsS37/"
    "t4UQ5wnjCHMuwgG4X55qv7Qf31/PeDZ39+f/b7wYsnQF+D9O35329/+yOHo0PFLvtIfLEJ"
    "PlKss1KLlPuyYN82Wa9vq5fr2+JqTZSpLLwfxOOATkjFWk3Ictg6Id1h9I8d3NPqlurg0/"
    "nNbf/TZ+h+wvlXV4LVvz2HN8fy6SL39PnrHEPiTtDfBrc/I/gT/ePq8lzCyXgw8uWISbvb"
    "f4AKeoBnAbM8Nrewk8Ykehw9yjA4rbTrcDhNZ1jcaRYHY/E1Opa0pfUMgTzlakyCtqw92g"
    "1DIAHeJ1N30Qb3HKGBXQv22PpuDnhMYqDWgjryoZWgzZhLsFcOd5osh/hQ0G0S8nLH5yr2"
    "ibOrq4vMFnE2yOF5+eXT2bmwzuTeIBqB+VQKM+wIFuykehZDluwHsheSTbNgNkj3sDXGfF"
    "wmITzsV2CZpcsv2kWgMN4fLefs4uoss3qFkXA2uOxf//r8U//vLzJazsXV5V+i9mnl5ezX"
    "2/N+Kf4tzYoCsdE8u615Sn7NeBmnazeILKHZIpZvEQox5tMR9dpItoSypWwL/fo78BmtS7"
    "T5ZASnOL71QErM6ToW5CkNC1qyIH0wpru55GlXsLfsDkN2bmspOcdux+yY3PB7B/htCd2P"
    "s5Id7pZ8q7LtC5RbdvdnDaH1Hptk2Bs5+stlbNQ8pXy8B7GblbBhfIq+eM0Qmm+ty99aNr"
    "qpwOdfyOIs0kjKWJzQGT1GQ4+B8J37h1QECTwYYvthjn3HyrzJxpZY/IG4JIDgoqLWGdJ/"
    "/OWauFj+8hK+yMjBS9HVTdjT7trNydNwIRUcaU9D6TPbsNtsg+j4QvbCqbi0CJ8G07Xq6h"
    "Z62le4+GwYd/40tG5SPe0TWiDB2DGrkmnFV5PjSf4J9vBI/iQYG0ZKxTnfEOzb44OKKOjw"
    "bW9ZLLTFk4ZLI6JvxwSp9tAHCoTaCZHH2EOyL0Q95LI58ZGNgXzu0yAgHooCi9GcBuN0PH"
    "Mx8HktIyyPb66MHlUY6caQpqlMJOlaI0mrTZ+9iiTdtKUDH54O2FF7A3YLsE1UZPuoSA3D"
    "YZ0b8nTqUuJ8nHl2ECY6FHblfJParVk1tu4zrZdnLKFH4kOmBeyZkB10838XKO5DPMEBmm"
    "OOwu5VBpFH5pBt42IelCQiraLHJ+y/68reCLdPs+XWbrlVTpC68OIK98du7gTZCOPXpw0i"
    "jF+fVkYYw6vOSKyZQ0tTKOXzWtkUt2iWQRmE0iOVdfgOzcesBymKHvwXBz0k2szH1B4jYV"
    "j+P7GDKIlxcYhux4wT6IF5BNlsMoE3XCxBgjAa4sAeVyRQbmpkzfxJNTEgDEeEfzZIlgPc"
    "rRRJaZJcIR1PTlNnhJigLglPNsomRBoZ3kkZrn9YsbJTiq5J8306phBiTMc+C5vvxaa8af"
    "MskddNtaCEYi8Az2pBx03yrI6r86yOC3lWqT2t+bl2TLIXEG96TetHEpgIglXgHitXjXO2"
    "I4JWqHfsMDmXv/26SfZ2fpNN5W6/LqYXB2TE/JIAxGqA0zRbXtlMWg8rg/e4CbzH1fAe5+"
    "FtFWxmQsw6q092wxNxBv8dOESsk2BxUPRIZN/3ajwT8olF000bHWmCde+zufJmOpQHgukz"
    "yscEHJyUI9kvuvfZBJFH4i+Q/FB/kueMAMFsypGNffGClrhQ1zLCil2qNxPsuh0uifPyCU"
    "JRWeEnx29ex3Y3/FFnad986l9cLDet0ysti+eXL4MPVVgmNDlEZzPqHALlttSpZ2JQy8ee"
    "wyYWTOb5i2dr0q3k3nOi5F1akslfv9dFGNJwC1m8PojNDtR4BxLKoSelRH7rCV/U7Tm2bN"
    "L4fE41V/vAdDZ0qY0EhFPBVbEV2Gzmgn+ZzQ/Re2zD7nDPXFfuG4TLHYT/hO44+XoHNf2E"
    "JBEPwSXtUyCnnvRR0wAx3yFlVQU3PvwTtikxjJ7bOCQw8TYrchw/iB+vY0hF7ffCH7Nul1"
    "dYXET3aCRD1mqld8yE2k7lhi1F9RnsYcMUe4RAoExrrnHSpIn2zxO2msqQHVGmYlaV6FNp"
    "NlarVGEr2lytmrrYJkJb8ZGSkLyXRAKH5ZIP0Z20CZgvtReIU1IhxXN5yK/oZCwTvLqnPg"
    "9+isMGOBrjR4I8YceXqVWbHl4z4IC7s9Gys/8U6JY98yPbqS4GIGqWjzhImV66I6vIsWUD"
    "Q8xB7eCquE40D51fnlDX/nLVrGH8gwRBQ9hF7VejSG1Xk11LAdyagDWSSSVperaVIzMHXE"
    "+IZU5kR06zqit5kqIy9U4a1DsxRQ23ZDh0o2Box5TZXfdCGnfzj8ro0uKNNeIzRWQ8ADpC"
    "tCu2qScsqwlxbgLsl0W/5xr0aq3UsKnFoW1jU1W2jrJpOPEfiY849YT9qKLQMeILzx77zG"
    "MzDq09Z7gQ9h/YgI46HQ7GgqnKiZ/uZMzmvMw63cCIT/Hzw+z0BW6KbB0Cd6tW0+6L2byF"
    "1o3P/yMWKzx4P/M580s+/szruk//XjYEN4lo2dxHJRYshT+fyex0AJm/k58TJMohAB45xK"
    "XycgaVhBJ+sx5kwcv3ceu074h6Q/ZNfq9l4SebHPgJYiCeZFEQ1AenZAj35/BvHfEqwEDt"
    "U48UkTEWd+GU6ccCvCM7i0/IP8siSMIXtbuJbNJwG1HBhO4CgjF6iEox7RM4UWAeSQl11a"
    "lMfnRdWSZFsKsXKnwgsdVlkKKDOxmgeycf2mxSUZNlA2OakMYObBHSLtDWxSOiTrk+jC6e"
    "d3mY+P395e0OJ3TtTgZdN5SNAZhdn7D/UKJvJO/qVA5puFkT0UxD7SCPYPnNpihgkeMoqs"
    "oG+7j4ZWJtusQRUwYFoIc4Ux4jedgE/qOZl2kktAfIavAQf6BTFWNarnxsbGRTKG5X/Ml1"
    "OoxgtazjqcmKFNV27a6dY0Y3xOIFndDgGgdlZljyrk4sutBKQyLCYoiqw0jad0rsZEvO9B"
    "DzEXFlkJfKBIv96P3PA/DI2YTzqAaNcmsrgwqiwUZUCL9ysbi54X/3fvfOWCDkLlS+CdAE"
    "XIJY4D8ZEh/Gs4XY5ej51xkL8AvIBMDeAokJUOag55yIlenwF1BPR03PI3Mw+3wORiSEzW"
    "FbimqOFuJ/IwJxdFiMKfhshdRPlc/bvYf8hwrCkqugiHWl5I3b79GR6vHL0zenb09en8bC"
    "Nn5SJ2NL7nNUy18DzhSFAbQIaDhBS3eVFugMuNXg6q/aEkoDcOmZQgtwc1QG2E7prWx0Ru"
    "D6uRK1NXpVq7WykTWEVhqaq8wvQML2hFIDQl1EIfNFkx4oeHeygSV5e/eTVBblMbDMaoC/"
    "qBO3ceKEBtUfvg+EAldVCWFjIz9BV0ympGdCZumMPb8iez61IvT4kSM0Vn3ro+zog2uFfw"
    "eOsncafCncdDz7MYFx7O+UY19s9z8TnN2Lsm+W6QHjqJFWIIE6w5c9PosTFqMyyOpeFemo"
    "Vj7z6L7W+kCBln2Cp+lcVkCC+AHlXJIBBmyUDkwLq26Ix/YDRJ8ptcKEEXQljMBEmm10h5"
    "DItcxcydN2KoYjmwpJpswerzEfctfO/CXrtOvkpKnMd6b/nbU76S2QGuhbQC/rarfEPk1r"
    "wNcCP6xqoYd6isjArQW3T+AyJU24U0QG7nYViZR81sS9jNowQJMBnpjWcBaE2VQ64GcpDf"
    "BawEcxIlYUf6GHfim5YYGmrAfPhzo1sASgZUcOdZVTSum3XEMldlx0rIRKZ7x8N0FFmFr0"
    "qrfEz8fjVloFzuO0Tnk/oz0m9sOUCdzfIU7/GdZyZUyGaMnSZT4h6kZHTkcecZDHAvEAXj"
    "0Sn4qf66MHsqgveb7GMY2rrwOuPuCi3rYRUZidQm+nEF9JGdAe9iuuB44o8tvBIlB2wm5F"
    "fNQBCKc46X3hr/3rs8Fl//rX8oOgqH3aIXf26+15P6+YxtJK5/gtS7UP1Uo3cQSXxj2S9J"
    "aQ9DrI5+kM9rt0/PmJOVH4TFE1Sr2sU44m2WY6N9SKf6lQI4hHD/OLemi4SKqw9iCyXUYk"
    "qdL5onOCJ4foUsbBcxkdn1TFX16Of7Njd/AWbhMA9a5RQpO5wnUfj+/MvaJrvq8OGKZ9WJ"
    "Qi2qM46R+j9I3B/t3OX4LZXdHSDS35UrD55oG4JCjVkzOv6zRlILN42FIjdcChI3Dkydj9"
    "iFz9BT2q5FLKwW2H+jfvB4NDNAggr3QBOaZE6bCypWgkVhQnTrn/cE3jaF6doGax7AqBLJ"
    "ZWSNSruESg5qqAdSnaoWA0enatnp3wLcuBX8jiLPKZZZPWYoKWLrauic0t+Ni6Ujhj2xvW"
    "9qo15HhRZMRH5hM68sRnIJkx8KBGcGnFL7UH9aNudowH36NVFj1NpKCP57G4ziw+8eMdkP"
    "tKY7hC/fe3g6tLJeI3rht8Ft9aiU4gH9fpAvCNaqgALhu9i246Ugd4KvaoF1aEII5yRbmL"
    "giMKAb36jNGdsI7HcB/SmInfpq5Ekk+ecblzl+sFmxxcU1mYYj9c+HTprUMScisVtFWqKo"
    "T3DamOs9cN5e490h97TB0H7vttOwXUv/yAVCfov/4HHRWmBD0voKJOo+lgj8+Jv3QeUaeF"
    "mTxSTmE552ehuBptFQqlRhOShYVtOo29yU/kkNBU4XBCiFV1B4uamA7HCoR1MyofrjFsMb"
    "kCXH+yebpGc00TteNw8+nZ4fdSN7GVDqm+lWVD1n1Ry0cKBWMcCdRwzeYglv8OP0j03+hI"
    "/h0HOsLcnmHPYzOhBEwg5vFZ3R1wzSftkXn7ORd5lLpzp/kcJBVZ4TTGrKFUjmYwZdOZi5"
    "d+MxpTyNye2YozSZDranmUmVk7hqXib1fNuszstPmYTGz1HM3InyxHe+nbUhtOFXItA6EL"
    "rPgDTE8yx9ynzHLlfM5MNOHzU+a4Apab09hueokSTVvjUCmmMecaT8mKWWiX9UxTGexbn+"
    "cpCalbRDHR/vfwUGlVhRS3fjX6jwZzQANXaxnHBPsQT5hF97gRvMc1+B4XAR4yR2sJR+33"
    "cPW+fH101ARh2a76/Fm9zaI8x54AxbLxFA+pK+8vL4Le931cER1eQZ9jgkv5Zl352ZIPf3"
    "5f7/3Xv/1RzEW8pw4pvQWlTginqfZPTJw2kcHVIriw0e3XJbsmtLEstLED92QbFq+PxdXH"
    "Gc2Ns+o+jKnW1lSrPLhpwZZ8F4YrbbmSnP1k2VCfc5pQ7XquZPvM01RWWOgZLa7lugT5FJ"
    "VJiy9Niy862WQ1hzZ+tphw19frpv1rSfCDRgxcQmTg1oKb28zXTVqPSAzUeiVmIHCKWy0Q"
    "z1Ma4PU0jrJqAR9dhqt0jdJaAfdAsCM410D24erL2cU5+nx9/n5wA/GZvbQ5JV9md8br8/"
    "5F/m6TiujwugoMJkD86QHiPhG/vCKR78uXwYcqfSRNlUN/NqPOIdDuFwekG+5EOQXSqMpf"
    "mgWVOmQyZQHx7EV5kYVqX2cJ6f45PI9fvWpyLvLqVfW5CLzLFfKXaUia9ktCtGXzpTwgvG"
    "P2SyaUR0OVzgQJm3ySVeWTVDiffuSEkmgC2YyS9PrrVErJNVE2fTGrJHrTq0ks8UlSGLJB"
    "MZYwr0Mld8L1o8oBJq8wnVPXRUOC+JjNPUj25FHmR3gz9J0gtcfEuZO1UNhM5o5yOhoHPe"
    "RieZcEXPtMPfWwpB7Lxod/QkmW0GOuK+gyZCYkcEUhgXJRaO7rMc2Wt/UNGAardE/Kb0zX"
    "NRkTma39aVv7lraggPrEuWUPpKziQeZ1/WYkGwpxK1q2rHgAMh/bROwR0Im6zwhyB4UhpK"
    "4oVPdoY+RCNS9hf00Z1OSCO47E5iH+tmdNCh6sbpinbDEwtjXGfFz83ipT4rNEq/J6bHWP"
    "2ZjPo3qDiZaufiWwLKWJqeh0TIX6cMsdMrWFXjN0ptyrKUWxo/qFKUWxL6Uobgj27fH7mc"
    "+ZX6K0ZV7XKW1cNrTspGWLqy3hAqiwvmpynaS08mWheTkEkpxGQnNBYCI3ud2ybbembv3G"
    "oofMFZVdEu/bkUSzYRqngiRKv66VRKmGjR2aaaJD9EGKZ0d5AsFN+ECmQQ9xpqSGtPtkiD"
    "uSghxKQ9+LlSHL00zKHJar7r6DNaJN6bomHsgH8eN1DnGj9vuYcnXSJN/qpDrZ6qSQMIh9"
    "8T0U4a2+iCCh2AuAlyRRZWyxVdz/YPKD9tzRMcUz3sqdlSFcAZN3x+mxczxWtmgbJmcpDZ"
    "e7zGXjM9u2UWV8ZvviM7uVwRnKNXZQtFQzr3s1lmoY5MGTlo18ZqHDSgA9g6p+6iQyqggI"
    "ckN5vcIgmbs4lOROBsioQ8vweDIYU46ovIfoTtU+uit3qG1gTBNkszvCrVdj4pq6Wz+a56"
    "5PfFoqCcMXdTIQJ02WCb9q/FfsDvtRfGHHL0/fnL49eX0ar8v4Sd1yXC4CHonPNa/MSpHs"
    "hStmA2kK8E1pIBw230N0XzYr3VRXuKlYtkmMGJTuY/97c3VZ4ddKSPLGMLUD9C+08SJNa7"
    "eDAYx6t2Leg9jL2rbQwdavNv3+b3R1PMs="
)
