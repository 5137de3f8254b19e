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
            suspended_at timestamptz,
            suspend_reason text NOT NULL DEFAULT '',
            erased_at timestamptz,
            erased_look bytea,
            suspended_until timestamptz
        );
        CREATE UNIQUE INDEX agents_name_key ON agents (name_key(name));
        -- partial, so that a rotation locks FOR NO KEY UPDATE and no foreign-key check waits for it
        CREATE UNIQUE INDEX agents_token ON agents (token_hash) WHERE token_hash IS NOT NULL;
        -- a list must not walk past suspended agents: after a wave, these are most of the newest
        CREATE INDEX agents_listed_active ON agents (activity, id) WHERE suspended_at IS NULL;
        CREATE INDEX agents_listed_new ON agents (created, id) WHERE suspended_at IS NULL;
        CREATE INDEX agents_listed_popular ON agents (score, id) WHERE suspended_at IS NULL;
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
    "eJztXW1z2ziS/isof0lSpXM5suPkMndXJTvOjm4cO2c7uzs7maIhEpZwpgiFpKxos/nviw"
    "b4/iaCeqNkfJmJSTQAPQ02uhvdjR8HA4Zd67A3JI5/8B79OHDwmPB/pJ530AGeTKKn8LeP"
    "B7Zoh6GFJ5oMPN/FJnTzgG2P8EcW8UyXTnzKHGjbcxA2TTZ1/PeI+h6auOyB2rwh/OFj26"
    "bE6yB/RJBFh8TzEXuQr9gjcToIOxaajQh/7/LHiHrIm3oT4ljEQszlrxGbEBf7zD2E+VjM"
    "5BOiznDzQ08d+m1KDJ8NBQmfwB9/8seUt/9OPPjzx8EDJbYl/n3AKT1iGTZjjwfQjnyfuM"
    "TzOGpeSBqyRcJtSArBiPlEvDgQdJwB8Af6268XNxco0S/q36Kr6zt09eXy8uBnB6XGj36L"
    "wfGhds05ZKkWTCbTvHJCfBXRJ+rPoR9q1ZyPTT2f9y5oSf3ZYF9MpWgapkuwL2FWnYVDZi"
    "uZgmcylzSZwIRNpjZ2m00Cup08GmIeKalABRjiuRF2e0aHfcf/KNrCZzcwTGZPx07cfjL3"
    "R8yJCKgUKXy68MkQKyEwnKltB5IlfCS/Jf7Ad6ck+ois+IFFHvDUBrED1HIG8bMDw+DLzL"
    "i9uDOMg5xICikSoiJ4ZHKEOVQUhBsgMIQp/Md/drvHx2+7R8en796cvH375t3RO95WzDf/"
    "6u1POZkYLtmVAK3/l/7VHUyIcZkpRSk8+ClosI+NeBHE8Iv/5xhwPsJuMfxh+wwD+A9rwo"
    "DwQcyBWM5vggVj/N2wiTP0R/zPk6MKdP/auzn/tXfz8uToVRriq+BNV7z6Kb62aMejTAXb"
    "oPmWoV0Znq+PjuogCs1KMZUv06jOyMCjvtKqTZDsC7pvaoH7pgLbN3loTTzBA2pTn+sueX"
    "x7rovnxQBnCTMoww6yUZhvv9kf5F8vvx68+PHzxdeDV0tAX4H03cXf7/74M4OjRfku+0Rc"
    "vgk+UayyUvOU+7Jg39VZr+/Kl+u7/GqNlak0vB/4Y5+OSclajcky2FoB3WH4jx3c06qWav"
    "/Txe1d79Nn6H7sed9sAVbv7gLedMXTeebpy9MMQ6JO0N/6d78i+BP94/rqQsDJPH/oihHj"
    "dnf/ABX0AE99ZjhsZmAriUn4OHyUYnBSaVfhcJJOs7jVLPZH/Gu0DGFHqxkCWcrVmARNWX"
    "u0G4ZADLxLJva8Ce4ZQg27EuyR9V0f8IhEQ60Edeg/K0CbMZtgpxjuJFkG8QGn2yTkxU7P"
    "VewTZ9fXl6kt4qyfwfPqy6ezC26dib2BNwLzqRBm2BEM2EnVLIY02TOyF+JNM2c2CNewMc"
    "LeqEhCONgtwTJNl120c19ivD9aztnl9Vlq9XIj4ax/1bv5/eWn3t9fpbScy+urv4Ttk8rL"
    "2e93F71C/BuaFTlirXm2W/MU/Jp6RZyu3CDShHqLWLxFSMSYS4fUaSLZYsqGsi3w6+/AZ7"
    "Qu0eaSIZziuMYjKTCnq1iQpdQsaMiC5MGY6uaSpV3B3rI7DNm5raXgHLsZsyNyze8d4LfB"
    "dT+PFexwd+R7mW2fo9yyuz9tCK332CTF3tDRXyxjw+YJ5eMcxG5awgbRKeriNUWov7U2f2"
    "vJyKYcl38j87NQHylicEildRgFHQZCdx4eE9Ej8GCAzccZdi0j9SYdVyLgLvAKnQW0H3+7"
    "ITYWv7qAJyJa8Ip3cxkwbTdt5fhpsIByzrPlEPrMNuwq2yA6Lpe3cBIurMDlYLqRXd1BT/"
    "sKlzcdRJ0vh9Ztoqd9QgskF+uyMlmWfzXujrNPsIOH4ifB2DBSIq75lmDXHB2URD0HbzuL"
    "Yp8NL264MAL6bkSQbA99IJ+rmhBpjB0k+kLUQTabEReZGMhnLvV94qAwkBjNqD9Kxi/nA5"
    "3XMsLieObSiFGJkWrcaJJKR4+uNXq03NzZq+jRTVs38OGpgB2212A3AFtHQjaPhFQwGNa5"
    "IU8mNiXWx6lj+kFyQ25Xzjap3JplY+Mh1XpxhhJ6Ii5kV8CeCdlAt/93iaI++BPsoxn2UN"
    "C9zBhyyAwyhmzs+QWJR6vocYn9d10ZG8H2qbfcyi1XJpPlOVAVUhxS7MVOkI4qPj2pEVV8"
    "elIaVQyvWiOxphYtTJkUzytlU9SiXsakH0iPRJbhezQbsQ6kJDrwX+x3EG8zG1FzhLhh+f"
    "/E9MOkxfkhuhsxj0APzCHIZOMxvPH4EiQIowH2zVFJwuSmRlbMl5QTA8JgRPhnjQQ5wN1I"
    "kBQmxuVS8MQ0VUaICKoS70SjdBKkluGtlOHqBxQrO5lomzTfp6MJLsZU7LOg+V5syps2z2"
    "J5XVcLiin2AvC0FtStk1vVLc+t6uZyqxJ7Wv2z7IhkLyDe9JpWjx7QUQOrwD1SrmrnaYcE"
    "jVBv2SFyJmf7tE7GdnaTTeRrn+ZTin0yZG5B0GE5wEmaLa9sJqyHlcHbrQNvtxzebhbeRg"
    "FmOqystfpkOzwRZ/DfvkX4OvHnB3mPRPp9p8IzIZ4YNNm01pEmWPcum0lvpk9sGxyb1EOi"
    "P/TgsjEiT8SdI/GB/iLOF+GnTyceMrHLX9AC1+lKe16xC/V2jG27xWVvXi8hBKXVfdx9ex"
    "rZ2fBHlWV9+6l3ebnYlE6urDSeX770P5RhGdNkEJ1OqXUIlNtSn17wQQ0XOxYbGzCZl69e"
    "rEmXEnvNsZRvScklfv1eF1pIws1l7/og1jtO7R2HK4OOkBLZrSZ4UbXHmKJJ7fM42VzK/8"
    "l0YFMTcQgnnKuES3g2tcGfzGaH6BybI/7ogdm22C+IJ3YO7xd075Fv91Czj0sS/hBc0C4F"
    "cuoInzT1EXMtUlQ1cOPDL7FN8WHU3MQBgY6vWZGj+JH/eBXDKWy/F/6Xdbu4ggIiqkchKb"
    "JGK71lJtN2qjNsKYpPYw8bJt8jOAJFWnOFUyZJtH+er9VUf2yJMhWxqkCfSrKxXKUKWtH6"
    "atXExibh2oqLpIT0OnHkb1AO+RDdC5uAuUJ7gbgkGUI8E4f6kk7ELsGrB+p6/i9RmICHRv"
    "iJIIfb70Vq1aaHVwww8OzpcNFZfwJ0w5y6oe1UdeYfNstGGCRML9WRZaTYooEhxqBycFlA"
    "J5yHyi+PqSt/uWxWM95BgKAg7ML2q1GktqvJrqXIbUWAGkmljtQ9y8qQ6QOtJWKXY9mR0a"
    "yqypokqHRNkxo1TXThwi0ZDu0oCtoyZXbXvZDa3fxcGV1YoLFCfCaItAdARYi2xTZ1uGU1"
    "Jtatj92iaPdMg06llRo0NTxoW9tUFa3D7BmPuE/ERR51uP0oo84x8uaOOXKZw6YetHaswZ"
    "zbf2ADWvJ02B9xpgZnyIlORmzmFVmnGxhxGT8/zE5d4CbI1iFwt2o17b6YzVpo7fj8P2K+"
    "wv3zqesxt+DjT72u+vQfRENwk/CW9X1UfMFS+POFyEYHkL334nOCxDgEwCOL2FRcwCCTTo"
    "Jv1oGsd/E+ap30HVFnwL6L77Uo7GSTAy8hBqJJ5gVBdXBKinB/Dv/WEa8CDFQ+9UgQaWNx"
    "F06ZnhfgLdlZXEL+WRRBEryo3E1Ek5rbiAwitOcQjNFBVIhpl8CJAnNIQqjLTkWyo22Lsi"
    "icXZ1A4QOJLS975B3ci4Dce/HQZOOSGiwbGFOHNLZgixB2gbIuHhK1yvWhdfGsy0PH6+8v"
    "b3c4gWt3MubaoWz0wez6hN3HAn0jflelcgjDzRjzZgpqB3kCy286QT4LHUdhFTbYx/kv42"
    "vTJhafMigAHeQx6TESh03gP5o6qUZce4CsBgd5j3QiY0yLlY+NjawLw+2KP7lKh+GsFnU7"
    "FVmRoNqu3bVzzGiHWLykY+rfYL/IDIvfVYlFG1opSERYDGE1GEH7XoqddImZDmIuIrYI8p"
    "IZYJEfvfe5Dx45k3heWHNGurWlQQXRYEPKhV+xWNzc8F+dr84Z87nchUo3PhqDSxBz/McD"
    "4sJ4JoZUtpffpszHryATADtzxCdAmYVeeoSvTMt7BfVz5PQcMgOzz/XAiISwOWwKUe2hOf"
    "/fkEAcHeZjcj4bAfWy8nm7d40/qyAssQryWJdK3qj9Hh2pdl+fvD15d3x6Egnb6EmVjC24"
    "s1EufwU4ExQa0DygwQQN1VWao9PgloOrvmoLKDXAhWcKDcDNUGlgW6W3suEZgSvmCtTW8F"
    "Wl1sqGxgBaKWiuIr8AcdsTSg1wdREFzOdNOqDg3YsGhuDt/S9CWRTHwCKrAf6iVtTGihIa"
    "ZH/4wecKXFkFhI2NvISuGE9JzYRM02l7fkX2fGJFqPEjQ6it+sZH2eEH1wj/Fhxl7zT4Qr"
    "ipePYjAu3Y3ynHPt/ufyU4vRel3yzSA0ZhI6VAAnmGL3p8ESUshmWP5T0qwlEtfebhnazV"
    "gQIN+wRP04WogATxA9K5JAIM2DAZmBZU3eCPzUeIPpNqhQ4jaEsYgY402+gOIZBrmLmSpW"
    "1VDEc6FZJMmDlaYz7krp35C9Yp18lJUunvTP07a3bSmyPV0DeAXtTRboh9klaDrwR+UNVC"
    "DfUEkYZbCW6XwOVJinAniDTczSoSSfmsiHsRtWaAIgMcPq3B1A+yqVTAT1Nq4JWAD2NEjD"
    "D+Qg39QnLNAkVZD54PeWpgcECLjhyqKqcU0m+5hkrkuGhZCZXWePlu/ZIwtfBVZ4Gfz4ta"
    "KRU0j9I6xX2M5oiYjxPGcX+PPPrPoJYrYyJES5QucwmRNzh6dOgQCznM5w/g1RNxKf+5Ln"
    "ok8+pS52scU7v6WuDqAy6qbRshhd4p1HYK/pUUAe1gt+Q64JAiux3MfWkn7FbERxWAcIqT"
    "3Bf+2rs561/1bn4vPggK2ycdcme/3130soppJK1Ujt/SVPtQrXQTR3BJ3ENJb3BJr4J8lk"
    "5jv0vHn5+YFYbP5FWjxMsq5WicbqZyIy3/lww1gnj0IL+ogwbzuAprByLbRUSSLJ3POyd4"
    "fIiuRBy8J6Lj46r4i8vxb3bsFt66rQOg3tdKaNJXtu7j8Z2+R3TN99MBw5QPixJEexQn/T"
    "xK32js3+/8pZftFS3t0JKvOJsvGStK/o9eVWnIQGLYvJVCuoBFh+C8E/H6D8wdg34Z1o6E"
    "/mRKKfXAWYd6t+f9PhIjHKK+Dzmlc8gvJVJ/Fe15U76aPGIV+w7XPJ7i9QlyNouuEYhxNQ"
    "KCTsklAhVXBaxL0Q4Eo9azK/XsmG9pDvxG5mehzyydtBYRNHSxtU1sbsHH1pbCGdvesLZX"
    "rSHDizwjPjKX0KHDPwPBjL4DNYILK37JfagXdrNjPPgZrrLwaSwFXTyLxHVq8fEfbxGbyG"
    "PGq2vUO7/rX19JEb9x3eAz/9YK9ALxuEongG9UQR2w2fB9eNORPMCTsUedoCIEsaQryp7n"
    "HFEI6OVnjO65dTyC+5BGjP82eSWSePLCE7t2sW6wycEVFYUJdoOFTxfeOiQgNxJBW4WqQn"
    "DfkOw4fd1Q5t4j9bFH1LLgvt+mU0C9qw9IdoL+63/QUW5K0PMcKurUmg52vBlxF84j7DQ3"
    "kyfqUVjO2VlIroZbhUSp1oREYWGTTiJv8pIc4roqHE5wsSrvYJETU+FYjrBqRsXD1YYtIp"
    "eAq082S1drrkmiZhyuPz0z+F6qJrbSIeW3smjIqi9q8UiBYIwigWqu2QzE4t/BB4n+Gx2J"
    "v6NAR5jbC+w4bMqVgDHEPL6ougOu/qQdMms+5zyPEnfu1J+DoCIrnMaI1ZTK4QwmbDK18c"
    "JvRmEKqdszG3EmDnJdLY9SM2vGsET87apZl5qdMh/jia2eoyn5k+ZoJ3lbas2pQq6lz3WB"
    "FX+AyUlmmLvMLFfO59REYz4vM8cVsFyfxrbTSxRr2gqHShGNPtdYJitmrlzWM0mlsW98ni"
    "clpGoRxVj738NDpVUVUtz61ejPDWaf+rbSMo4I9iGeMI1utxa83Qp8u3mAB8xSWsJh+z1c"
    "va9Pj47qICzalZ8/y7dplGfY4aAYJp7gAbXF/eV50Huui0uiw0voM0ywqbdZV3665MOPn+"
    "u9//qPP/O5iA/UIoW3oFQJ4STV/omJkzoyuFwE5za6/bpkV4c2FoU2tuCebM3i9bG4/Dij"
    "vnFW3oc21ZqaaqUHNw3Yku1Cc6UpV+KznzQbqnNOY6pdz5VsnnmayAoLPKP5tVyVIJ+g0m"
    "nxhWnxeSebqObQxM8WEe76et20fy0OflCIgYuJNNxKcHsmc1WT1kMSDbVaiRkInPKMBohn"
    "KTXwahpHUbWAjzbDZbpGYa2AByDYEZwrIPtw/eXs8gJ9vrk4799CfGYnaU6Jl+md8eaid5"
    "m926QkOryqAoMOEF8+QNwl/JeXJPJ9+dL/UKaPJKky6E+n1DoE2v3igHDDHUunQBJV8UvT"
    "oFKLjCfMJ445Ly6yUO7rLCDdP4dn982bOucib96Un4vAu0whf5GCpGi/xERbNl+KA8JbZr"
    "+kQnkUVOlUkLDOJ1lVPkmJ8+k5J5SEE0hnlCTXX6tSSm6ItOnzWSXhm05FYolL4sKQNYqx"
    "BHkdMr0Trh+VDjBxhemM2jYaEOSN2MyBRE8vzPwIboa+56TmiFj3ohYKm4r8UY8OR34H2V"
    "jcJQHXPlNHPiyox7Lx4ZcoyRJ4zFUFXYpMhwSuKCRQLArFfT2i2fK2vgHDYJXuSfGNqbom"
    "IyK9tS+3tW9pC/KpS6w79kiKKoOlXldvRqIhF7e8ZcPqByDzsUn4HgGdyPuMIHeQG0Lyis"
    "KwTIEN1by4/TVhUJML7jjimwf/25zWKXqwumEUUxhDjPDCJLk0mlD8XICtWPBAUBsj7I3y"
    "33Rp2n2aaFWela3uYxvzq5RvYgnW51hRHbWRptRxG62O25DCodjpU1lMNkWnS8rqchc7qs"
    "Pochf7Uu7ilmDXHJ1PXY+5BYph6nWVYuiJhoYZt2xwfSZcMhXUcI2vrBSeBFHMXgyBBKcR"
    "11wQmOF1btBs0i1coik0SmZORX420Ioc9NBXMYOCGOAGuA91S8bVR1A95Z2c8ibte/mXYZ"
    "MHnzcc4SciRgVq0ecTcUE3lP1591+dl2ImRvD8kMvHV7pSf1sq9etLOTd6AB99Y2qAp8g0"
    "5MqQFwRRVWLdgvipk6Vx7r4+eXvy7vj0JII3elKFaknhVinxG2ioMaFeuDviXLudDpI45X"
    "So5OtKHSrRsPZxT5LoEH0QiqUlz0ngEOWRTHyo/4kwAscBejlxpw4xCF8N1qsO8phUhIS7"
    "TGQGIaGbgkbywJeMqOo1Ljrn2di4qpVG5UxqeN9ScAcquVXqgAuqTcTdpwtVbbzShC5HWu"
    "dU6ZH/+Dz+5YE5Yft9TKM9rpNDe1yeQHucSwLHLv8m8/CWXy4TU+wFwAsSY1O+r1Xc6aNz"
    "PvfcsTzBU6/R8UGKcAVM3h0n887xOKGgKDI5Tam53GYu6zOKbZuC+oxiX84o7kTAnTyKOM"
    "jb16nXnQr7Ogjc8+KWtc4oggOC8CRARpeEVV5BbshThiDw8T4KD7wXQY8yECUIOfFH1ENU"
    "3C13L+vZ3RcfYGxgTB04uTvCrVNh4upais/N39gjLi2UhMGLKhmI4yaLhF85/is+inwuvr"
    "AlTxjKRUBwVqzi6EqQ7IUrZgOpZ/BNKSAcNN9DdF/XK8dXVYwvX4qPj+gX7mP/e3t9VeLX"
    "ikmyxjA1ffQvtPHCe2u3gwGMardi1oPYSdu20MHWr6v++W8OTwk2"
)
