from tortoise import BaseDBAsyncClient

RUN_IN_TRANSACTION = True

EXTENSION = """
        -- a trusted extension of PostgreSQL's own contrib: the owner of a database may create it
        CREATE EXTENSION IF NOT EXISTS pg_trgm;"""

# Indexes and triggers need these. The files of sql/ replace them in the same run.
FUNCTIONS = r"""
        CREATE FUNCTION name_key(p_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN p_name;
        CREATE FUNCTION name_look(p_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT p_name';
        CREATE FUNCTION publish_action() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE FUNCTION index_after_crash() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"""

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
            merged_id bigint NOT NULL DEFAULT 0,               -- up to it, documents are in thread_search
            worded_id bigint NOT NULL DEFAULT 0,               -- threads up to it have the words of this version
            words int NOT NULL DEFAULT 4,                      -- as in index_version.sql
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
        -- room for what merge_search moves at once; sort_search empties the list afterwards
        CREATE INDEX thread_search_document ON thread_search USING gin (document) WITH (gin_pending_list_limit = 8192);

        CREATE UNLOGGED TABLE fresh_search (
            thread_id bigint PRIMARY KEY,
            document tsvector NOT NULL,                        -- as in thread_search, to which merge_search moves it
            parent bigint
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
        CREATE TRIGGER start_confirmed AFTER INSERT ON confirmed_starts FOR EACH ROW
            EXECUTE FUNCTION index_after_crash();

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
    "eJztXVtz27iS/isovySp0roc2XGymd2tkhPnjHYcO2s758ycyRQNkbCENUUovFjRyea/Lx"
    "rg/SaCkiVKwUtikWgQ/BpsdDe6G98PRgy71uFgTBz/4C36fuDgKeF/ZK730AGezeKr8NvH"
    "I1u0w9DCE01Gnu9iE7q5x7ZH+CWLeKZLZz5lDrQdOAibJgsc/y2ivodmLrunNm8IP3xs25"
    "R4PeRPCLLomHg+YvfyFnsgTg9hx0LzCeH3XX4ZUQ95gTcjjkUsxFx+G7EZcbHP3EMYj8VM"
    "PiDqjDf/6MChXwNi+GwsSPgA/vyLX6a8/Tfiwc/vB/eU2Jb4+4BTesQybMYeDqAd+TZzie"
    "dx1LyINGKLhNuQFIIRi5m4cSDoOAPgB/rHr+fX5yjVLxreoMurW3T5+eLi4EcPZZ4fv4vB"
    "8aF2wzHkqZYMJte8dkB8FtFH6i+gH2o1HI9NPZ/3LmhJ89FgXwylbBimS7AvYVYdhUPmax"
    "mCZzKXtBnAjM0CG7vtBgHdzh4MMY6MVKACDHHdiLo9o+Oh438QbeGzGxkms4Opk7SfLfwJ"
    "c2ICKkUKHy58MsRKCQwnsO1QskSX5LfEL/huQOKPyEouWOQeBzaIHaCWI0iuHRgGn2bGzf"
    "mtYRwURFJEkRIV4SWTI8yhoiDcAIExDOHf/r3fPz5+3T86Pn3z6uT161dvjt7wtmK8xVuv"
    "f8jBJHDJrgRow78NL29hQIzLTClK4cIPQYN9bCSTIIFf/F9gwLsJdsvhj9rnGMBfrA0Dog"
    "sJBxI5vwkWTPE3wybO2J/wnydHNej+fXD97tfB9fOToxdZiC/DO31x64f42uIVjzIVbMPm"
    "W4Z2bXi+PDpqgig0q8RU3syiOicjj/pKszZFsi/ovmoE7qsabF8VoTXxDI+oTX2uuxTxHb"
    "guXpQDnCfMoQwryEZhvvlqv5e/nn85ePb9x7MvBy9WgL4G6dvz32///CuHo0X5KvtIXL4I"
    "PlKsMlOLlPsyYd80ma9vqqfrm+JsTZSpLLzv+WWfTknFXE3IcthaId1h9McOrml1U3X48f"
    "zmdvDxE3Q/9byvtgBrcHsOd/ri6iJ39flpjiFxJ+gfw9tfEfxE/7y6PBdwMs8fu+KJSbvb"
    "f4IKeoADnxkOmxvYSmMSXY4uZRicVtpVOJym0yzuNIv9Cf8aLUPY0WqGQJ5yPSZBW9Ye7Y"
    "YhkADvkpm9aIN7jlDDrgR7bH03Bzwm0VArQR35z0rQZswm2CmHO02WQ3zE6TYJebnTcx3r"
    "xNnV1UVmiTgb5vC8/Pzx7JxbZ2Jt4I3AfCqFGVYEA1ZSNYshS/YT2QvJolkwG4Rr2Jhgb1"
    "ImIRzsVmCZpctP2oUvMd4fLefs4uosM3u5kXA2vBxc//H84+D3Fxkt5+Lq8m9R+7TycvbH"
    "7fmgFP+WZkWBWGue3dY8Bb8Cr4zTtQtEllAvEcuXCIkYc+mYOm0kW0LZUraFfv0d+IyeSr"
    "S5ZAy7OK7xQErM6ToW5Ck1C1qyIL0xprq45GnXsLbsDkN2bmkp2cdux+yYXPN7B/htcN3P"
    "YyUr3C35VmXbFyi37O7PGkJPu22SYW/k6C+XsVHzlPLxDsRuVsKG0Snq4jVDqL+1Ln9r6c"
    "imApd/I4uzSB8pY3BEpXUYBR0GQnfuH1LRI3BhhM2HOXYtI3MnG1ci4C7xCp2FtB9+uyY2"
    "Fm9dwhMRLXjJu7kImbabtnJyNZxABefZagh9Yht2lW0QHZfLW9gJF1bgajBdy65uoad9hc"
    "sLRnHnq6F1k+ppn9ACycX6rEqWFW9N+9P8FezgsXgleDY8KRXXfEOwa04OKqKew7u9ZbHP"
    "hpc0XBoBfTshSLaHPpDPVU2INMYOEn0h6iCbzYmLTAzkc5f6PnFQFEiM5tSfpOOXi4HOT/"
    "KE5fHMlRGjEiPVuNE0lY4efdLo0WpzZ6+iRzdt3cCHpwJ21F6D3QJsHQnZPhJSwWB4ygV5"
    "NrMpsT4EjumHyQ2FVTnfpHZplo2N+0zr5RlK6JG4kF0BayZkA938zwWK++BXsI/m2ENh9z"
    "JjyCFzyBiyseeXJB6to8cV1t+nytgIl0+95NYuuTKZrMiBupDiiGIvVoJsVPHpSYOo4tOT"
    "yqhiuNUZiRVYtDRlUlyvlU1xi2YZk34oPVJZhm/RfMJ6kJLowL/Y7yHeZj6h5gRxw/J/ie"
    "lHSYuLQ3Q7YR6BHphDkMmmU7jj8SlIEEYj7JuTioTJTT1ZMV9SDgwIwyfCnw0S5AB3I0VS"
    "mhhXSMETw1R5QkxQl3gnGmWTILUM76QMV9+gWNvORNek+T5tTXAxpmKfhc33YlHetHmWyO"
    "umWlBCsReAZ7WgfpPcqn51blW/kFuVWtOa72XHJHsB8abntHr0gI4aWAfusXLVOE87ImiF"
    "esc2kXM526dNMrbzi2wqX/u0mFLskzFzS4IOqwFO02x5ZjNhPawN3n4TePvV8Pbz8LYKMN"
    "NhZZ3VJ7vhiTiDf4cW4fPEXxwUPRLZ+70az4S4YtB000ZbmmDdu2wuvZk+sW1wbFIPif7Q"
    "vcumiDwSd4HEB/qL2F+EVw9mHjKxy2/QEtfpWnteswv1Zoptu8Nlb16uIASl1X3cf30a29"
    "nwo86yvvk4uLhYbkqnZ1YWz8+fh++rsExocogGAbUOgXJb6tMz/lDDxY7FpgYM5vmLZ0+k"
    "S4m15ljKt7TkEm+/14UW0nBz2ft0EOsVp/GKw5VBR0iJ/FIT3qhbY0zRpPF+nGwu5f8sGN"
    "nURBzCGecq4RKeBTb4k9n8EL3D5oRfume2LdYL4omVw/sF3Xnk6x3U7OOShF8EF7RLgZw6"
    "widNfcRci5RVDdz441dYpvhj1NzEIYGOr1mTo/iBv7yK4RS13wv/y1O7uMICIqpbIRmyVj"
    "O9YybTdqozbCmKT2MPCyZfIzgCZVpzjVMmTbR/nq/1VH/siDIVs6pEn0qzsVqlClvR5mrV"
    "zMYm4dqKi6SE9HpJ5G9YDvkQ3QmbgLlCe4G4JBlCPBeb+pJOxC7BrXvqev4vcZiAhyb4kS"
    "CH2+9latWmH68YYODZwXjZXn8KdMMM3Mh2qtvzj5rlIwxSppfqk2Wk2LIHQ4xB7cNlAZ1o"
    "HCpvnlDXvrls1jDeQYCgIOyi9utRpLaryT5JkduaADWSSR1pupeVI9MbWivELieyI6dZ1Z"
    "U1SVHpmiYNaprowoVbMhy6URS0Y8rsrnshtbv5Z2V0aYHGGvGZItIeABUh2hXb1OGW1ZRY"
    "Nz52y6Ldcw16tVZq2NTwoG1jU1W0jrJnPOI+Ehd51OH2o4w6x8hbOObEZQ4LPGjtWKMFt/"
    "/ABrTk7rA/4UwN95BTnUzY3CuzTjfwxFX8/DA6dYGbInsKgbtVq2n3xWzeQuvG5/8B8xnu"
    "vwtcj7klH3/mdt2nfy8agpuEt2zuo+ITlsLPZyIbHUD23orPCRLjEACPLGJTcQCDTDoJv1"
    "kHst7F/bh12ndEnRH7Jr7XsrCTTT54BTEQD7IoCOqDUzKE+7P59xTxKsBA5V2PFJE2Fndh"
    "l+nnArwjK4tLyL/KIkjCG7WriWjScBmRQYT2AoIxeogKMe0S2FFgDkkJddmpSHa0bVEWhb"
    "OrFyp8ILHlYY+8gzsRkHsnLppsWlGDZQPP1CGNHVgihF2grItHRJ1yfWhdPO/y0PH6+8vb"
    "HU7g2p2Muc4oG96kstpb+u4StcObtKz2hjg7gikYgrDYo0fqUajOFlqKWJwo7TAfLYio0B"
    "ZuOknauhpvK/e7gg6xtYi8TpqfW4495UY9Ud3aTGi0a373LKgh+JI+YvehRKQl9+oEmvBG"
    "GVPeTMGWIo8gbYIZ8lnkDY9KS4Jxwt+ML7g2sfiQwarpIY9JSSR20MEpHjiZRtwkglQtB3"
    "kPdCYD58sl3saerKtd7sqXWCcROatFMWJFVqSotutM2jlmdEMsXtAp9a+xX+ZbSu7ViUUb"
    "WilIRJgMUYkrQftWip1s3aweYi4itohclWmt8ebg4NMQthlM4nlRIS25Vye9RBDiOqZc+J"
    "WLxc09/ovzxTljPpe7UL7LR1PQMjHHfzoiLjzPxJCf+/xrwHz8AvRN7CwQHwBlFnruET4z"
    "Le8FFAWTw3PIHHxZrgdaKsQCY1OIag8t+H9jAsHBmD+T89kIqVeVz+UlcKsjS9dbAvenii"
    "wVs6CIdaXkjdvvkTLaf3ny+uTN8elJLGzjK3UytuQgWjn9FeBMUWhAi4CGAzRUZ2mBToNb"
    "Da76rC2h1ACXbpS2ADdHpYHtlN7KxmcEzs0sUVujW7VaKxsbI2iloLmKpCnEbU+onwL+w5"
    "D5vEkPFLw70cAQvL37RSiLwrMoUrXgF7XiNlacpSX7w/c+V+Cqyrps7Mkr6IrJkNRMyCyd"
    "tufXZM+nZoQaP3KE2qpvHZ8TfXCt8O9AfM5Ogy+Em8p2ZUygdyt3areSL/e/Epxdi7J3lu"
    "kBk6iRUnSUDEwSPT6Ls7CjWu7ycCjhqJY+8+ig6frop5Z9gqfpXJR1g6Ao6VwSUVNsnI62"
    "DUsJ8cvmA4TUSrVCx0Z1JTZKh89udIUQyLVMx8vTdiowLZvfTWbMnDxhkveuBTIJ1ikX/0"
    "pT6e9M/Ttrt9NbINXQt4BeHA7QEvs0rQZfCfywVI8a6ikiDbcS3C6BE+EU4U4RabjblVmT"
    "8lkR9zJqzQBFBjh8WKPAD1NEVcDPUmrglYCPYkSMKP5CDf1Scs0CRVkPng+5a2BwQMu2HO"
    "rKQZXSb7kwVOy46FhdqM54+W78ijC16FZviZ/Pi1spndIQ56qLQ2bNCTEfZozj/hZ59F9h"
    "gWrGRIiWqMfoEiKPpfXo2CEWJBTwC3DrkbiUv66LHsii/vyGJ3ymdvV1wNUHXFRbNiIKvV"
    "KorRT8KykD2sFuxRnnEUV+OVj40k7YrYiPOgBhFye9Lvx9cH02vBxc/1G+ERS1Tzvkzv64"
    "PR/kFdNYWqlsv2Wp9qEE8ya24NK4R5Le4JJeBfk8ncZ+l7Y/PzIrCp8pqkapm3XK0TTbTO"
    "WYbf6XDDWCePQwv6iHRouktHRPZlKS6DwQ3jnB00N0KeLgPREdnxz1sfyMkc0+e83a0jqO"
    "odYBUG8bJTTpc6j3cftOH478xIduAsOUN4tSRHsUJ/1z1PPS2L/d+ZN8uytauqElX3I2Xz"
    "BWlvwf36rTkIHEsHkrhXQBi47BeSfi9e+ZOwX9MiqIC/1lKo4Mbt4Nh0g84RANfcgpXUB+"
    "KZH6q2jPm/LZ5BGr3Hf4xM9TPBNGjmbZ2SgJrkZI0Ks4GaXm/JOnUrRDwaj17Fo9O+Fblg"
    "O/kcVZ5DPLJq3FBC1dbF0Tm1vwsXWlcMa2F6ztVWvI8aLIiA/MJXTs8M9AMGPoQOHz0jKG"
    "ch0aRN3sGA9+RLMsuppIQRfPY3GdmXz85S1iE7nNeHmFBu9uh1eXUsRvXDf4xL+1Er1AXK"
    "7TCeAbVVAHbDZ+Gx3fJjfwZOxRL6wIQSzpirIXBUcUAnr5GaM7bh1P4JC3CePvJs95E1ee"
    "eWLVLtcNNvlwRUUhKatFlx6lJiA3UkFbpapCeIia7Dh7hlruMDf1Z0+oZcEh5m2HgAaX75"
    "HsBP3Hf6GjwpCg5wVU1Gk0HOx4c+IuHUfUaWEkYQW8wigkV6OlQqLUaECiWrpJZ7E3eUUO"
    "cV0VNie4WJV18OTAVDhWIKwbUfnjGsMWk0vA1Qebp2s01jRROw43H54Zfi91A1vrI+W3su"
    "yRdV/U8ieFgjGOBGo4Z3MQi7/DDxL9JzoSv+NARxjbM+w4LOBKAJSg9J7VHWzZfNAOmbcf"
    "c5FHqYPEmo9BUJE1DmPCGkrlaAQzNgtsvPSbURhC5kjgVpxJglzXy6PMyNoxLBV/u27WZU"
    "anzMdkYOvnaEb+ZDnaSx8B3XCokGvpc11gzR9gepA55q4yyrXzOTPQhM+rjHENLNe7sd30"
    "EumCu9vLilkol/VMU2nsW+/nSQmpWkQx0f73cFNpXYUUSxKRlLbu0kQa5gYw+9S3laZxTL"
    "AP8YRZdPuN4O3X4NsvAjxiltIUjtrv4ex9eXp01ARh0a56/1nezaI8xw4HxTDxDI+oTf3S"
    "jNGB6+KK6PAK+hwTbOpt1pWfLfnw/ccT1ns4//32z7+KuYj31CKlRzvVCeE01f6JiZMmMr"
    "haBBcWuv06OVyHNpaFNj6WKjJL4lZTdJrFnWZx9XZGc+Osug9tqrU11So3blqwJd+F5kpb"
    "riR7P1k21OecJlS7nivZPvM0lRUWekaLc7kuQT5FpdPiS9Pii042Uc2hjZ8tJtz1+bpp/1"
    "oS/KAQA5cQabiV4PZM5qomrUckGmq1EjMQOOUZLRDPU2rg1TSOsmoBH2yGq3SN0loB90Cw"
    "IzjXQPb+6vPZxTn6dH3+bngD8Zm9tDklbmZXxuvzwUX+bJOK6PC6Cgw6QHz1AHGX8DevSO"
    "T7/Hn4vkofSVPl0A8Cah0C7X5xQLjhjqVTII2qeNMsqNQi0xnziWMuyossVPs6S0j3z+HZ"
    "f/Wqyb7Iq1fV+yJwL1fIX6QgKdovCdGWzZfygPCO2S+ZUB4FVToTJKzzSdaVT1LhfPqZE0"
    "qiAWQzStLzr1MpJddE2vTFrJLoTq8mscQlSWHIBsVYwrwOmd4Jx49KB5g4wnRObRuNCPIm"
    "bO5AoqcXZX6EJ0PfcVJzQqw7UQuFBSJ/1KPjid9DNhZnScCxz9SRF0vqsWz88SuUZAk95q"
    "qCLkOmQwLXFBIoJoXiuh7TbHlZ34BhsE73pPjGVF2TMZFe2ldb2re0BPnUJdYteyBllcEy"
    "t+sXI9GQi1vesmX1A5D52CR8jYBO5HlGkDvIDSF5RGFUpsCGal7c/poxqMkFZxzxxYP/No"
    "MmRQ/W9xjFFMYII7w0SS6LJhQ/F2ArFjwQ1MYEe5PiN12Zdp8lWpdnZavr2Mb8KtWLWIr1"
    "BVbUR21kKXXcRqfjNqRwKHf61BaTzdDpkrK63MWO6jC63MW+lLu4Idg1J+8C12NuiWKYuV"
    "2nGHqioWEmLVscnwmHTIU1XJMjK4UnQRSzF49AgtOIay4IzPAmJ2i26RYO0RQaJTMDkZ8N"
    "tCIHPfJVTInLARUnaIO3QpSWFY4B2SEU4Gdcn+RkULc/cV3cc8k2CRtBOQ1oJLr84tzNoc"
    "iG6DPSV8MuwnM+5encd/KXYZN7nzec4Eci3gSoxTgfiQv6JhL9eXfouXg5I7x8yEXuC138"
    "vyvF//U5nxvd048/WzXAM2QaciXIY6mmBnmGTEOuDHlJKFwt1h2IgjtZGef+y5PXJ2+OT0"
    "9ieOMrdahWlN+Va2wLOyMh1BN3R1ykN8EojVNBE07frtWEUw0bb9qliQ7Re2EeWFJlBOXy"
    "gcx8qOKKMAL3D3o+cwOHGITPButFD3lMqrPC6Snyu5CwMEAHvOdTRtRmm5bt1m3suar1Yu"
    "VIGvhQM3CHhpVV6UYNa4Yk3WfLjW28XoguKttkb/CBv3wR/+rwqqj9PiZDHzfJhD6uToM+"
    "LqTyY67ZKh3OlFDsBcBL0pszHsx1nMykM3f3fHtghgOv1SZQhnANTN6drYKd43FKQVFkcp"
    "ZSc7nLXNY7Tds2BfVO077sNN2K3RG5oXRQtK8zt3s19nVml6X5TlO4zRPt58gYoahWL8gN"
    "uVcUhq/exUGedyJ0VYYThYFD/oR6iIoTAu9kVcK78m2oDTxTh7/ujnDr1Zi4uiLmz+ZvHB"
    "CXlkrC8EadDMRJk2XCrxr/Ne/+/iy+sBV3GKpFQLg9r+LoSpHshStmAwmE8E0pIBw230N0"
    "XzYrqlhXUrFYUJE/0S9dx/775uqywq+VkOSNYWr66P/QxssnPrkdDGDUuxXzHsRe1raFDr"
    "Z+6PiP/wePaiJc"
)
