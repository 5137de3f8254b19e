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
            merged_id bigint NOT NULL DEFAULT 0,               -- up to it, documents are in thread_search
            worded_id bigint NOT NULL DEFAULT 0,               -- threads up to it have the words of this version
            words int NOT NULL DEFAULT 2,                      -- as in index_version.sql
            agents_left bigint NOT NULL DEFAULT 0              -- agents up to it do not have them yet
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
    "eJztXW1z2ziS/isof0lSpfM4suPkMndXJSfOjm4cO2U7uzs7maIhEpZ4pgiFIK3ocvnvhw"
    "b4/iaCkiVKwZfEItEk+DTQ6G50N74fjCj2rMPBmLj+wVv0/cDFU8L/yFzvoQM8m8VX4beP"
    "R45oh6EFE01GzPewCY+5xw4j/JJFmOnZM9+mLrQduAibJg1c/y2yfYZmHr23Hd4QfvjYcW"
    "zCesifEGTZY8J8RO/lLfpA3B7CroXmE8Lve/wyshliAZsR1yIWoh6/jeiMeNin3iH0x6Im"
    "75Dtjjf/6sC1vwbE8OlYkPAO/PkXv2zz9t8Ig5/fD+5t4lji7wNOyYhlOJQ+HEA78m3mEc"
    "Y4aiwijdgi4TYkhWDEYiZuHAg6zgD4gf7x2/n1OUo9Fw1v0OXVLbr8fHFx8KOHMu+Pv8Xg"
    "+NhOwz7kqZZ0Jte8tkN8FNmPtr+A59hWw/4IIlLZjcJLTI9gX4LY+B0umTd/ATOpR5QeP6"
    "OzwMFezSuAaPZgiLdk5qstPkRcNyLaM3s8dP0Poi1MiJFhUieYukn72cKfUDcmsOVk552B"
    "wUys1FR2A8cJ53x0SY5yfsH3AhIPbyu5YJF7HDggEIBa9iC5dmAYfAAYN+e3hnFQEBYRRW"
    "oSh5dMjh/HwwaxAwiMoQv/9u/9/vHx6/7R8embVyevX796c/SGtxX9Ld56/UN2JoFLPkqA"
    "Nvzb8PIWOkS5NJNCDi78EDTYx0bC4gR+8X+BAe8m2CuHP2qfYwD/sDYMiC4kHEgk8CZYMM"
    "XfDIe4Y3/Cf54c1aD798H1u98G189Pjl5kIb4M7/TFrR9iLsVrkU1VsA2bbxnateH58uio"
    "CaLQrBJTeTOL6pyMmO0rjdoUyb6g+6oRuK9qsH1VhNbEMzyyHdvnWkUR34Hn4UU5wHnCHM"
    "qOzVoJ6NYw33x13stfz78cPPv+49mXgxcrQF+D9O35P2///CuHo2XzNfSReFxpeLSxykgt"
    "Uu7LgH3TZLy+qR6ub4qjNVGEsvC+55d9e0oqxmpClsPWCukOoz92cE2rG6rDj+c3t4OPn+"
    "DxU8a+OgKswe053OmLq4vc1eenOYbED0H/GN7+huAn+tfV5bmAkzJ/7Ik3Ju1u/wUK5gEO"
    "fGq4dG5gK41JdDm6lGFwWp1W4XCaTrO40yz2J3w2WoawcNUMgTzlekyCtqw92g1DIAHeIz"
    "Nn0Qb3HKGGXQn22LZuDnhMoqFWgjrybJWgTalDsFsOd5osh/iI020S8nJ35DrWibOrq4vM"
    "EnE2zOF5+fnj2Tm3zsTawBuB+VQKM6wIBqykahZDluwnsheSRbNgNginrTHBbFImIVzsVW"
    "CZpcsP2oUvMd4fLefs4uosM3q5kXA2vBxc//H84+CfLzJazsXV5d+i9mnl5eyP2/NBKf4t"
    "zYoCsdY8u615Cn4FrIzTtQtEllAvEcuXCIkY9eyx7baRbAllS9kW+vV3YBo9lWjzyJivqc"
    "QzHkiJOV3HgjylZkFLFiQbibjE5KpfXPK0a1hbdochO7e0lOwwt2N2TK75vQP8Nrjux2jJ"
    "CndLvlXZ9gXKLbv7s4bQ026bZNgbOfrLZWzUPKV8vAOxm5WwYdyIunjNEOq51uW5lo45Kn"
    "D5d7I4i/SRMgZHVFqHUdBhIHTn/iEVPQIXRth8mGPPMjJ3snElAu4Sr9BZSPvh92viYPHV"
    "JTwRcXyX/DEXIdN201ZOroYDqOA8Ww2hT3TDrrINouNxeQs74cIKXA2ma/moW3jSvsLFgl"
    "H88NXQukk9aZ/QAslF+7RKlhVvTfvT/BXs4rH4JHg3vCkVcXxDsGdODirikcO7vWVRyQZL"
    "Gi6NTb6dECTbwzOQz1VNiAHGLhLPQraLHDonHjIxkM892/eJi6IQXzS3/Uk6srgYgvwkb1"
    "geaVwZMSoxUo0bTVPp6NEnjR6tNnf2Knp009YNTDwVsKP2GuwWYOtIyPaRkAoGw1MuyLOZ"
    "YxPrQ+Cafpi6UFiV801ql2bZ2LjPtF6eO4QeiQe5E7BmMuI92iZhv4jH/wJydcQXzV/48E"
    "T+BPtojhkKXySzelwyh6weBzO/JDlovc9eYU1+qiyOcEnVy3DtMixTv4ocqAszjij2YnXI"
    "RhqfnjSIND49qYw0hludkWKBZZcmOIrrtfIqbtEsv9EP5UgqJ/Atmk9oDxIIXfgX+z3E28"
    "wntjlB3Nj8H2L6UYrh4hDdTigj8ATqEmTS6RTuMD4ECcJohH1zUpHeuKk3K2Y3yo4BYfhG"
    "+LNBShzgbqRImiXdiW6qvCEmqEteFI2yKYtahndShqtvWqxtt6Jr0nyftiu4GFOx2cLme7"
    "Eob9pkS+R1Uy0oodgLwLNaUL9JvlW/Ot+qX8i3Sq1pzfe3Y5K9gHjTY1o9okBHEqwD91i5"
    "apy7HRG0Qr1jG8u5PO7TJlnc+UU2lcN9Wkwz9smYeiWBiNUAp2m2PLKpsB7WBm+/Cbz9an"
    "j7eXhbBZ3pULPO6pPd8EScwb9Di/Bx4i8Oih6J7P1ejWdCXDHsdNNG25xg3Xt0Lr2ZPnEc"
    "xv+0GRLPQ/cenSLySLwFEhP0V7HnCJ8ezBgyscdv2CVO1LU+ec0u1JspdpwOl8J5uYIQlF"
    "b3cf/1aWxnw486y/rm4+DiYrkpnR5ZWTw/fx6+r8IyockhGgS2dQiU21KfnvGXGh52LTo1"
    "oDPPXzx7Il1KrDXHUr6lJZf4+r0uvpCGm8vep4NYrziNVxyuDLpCSuSXmvBG3RpjiiaN9+"
    "hkcyn/Z8HIsU3EIZxxrhIu4WnggD+Zzg/RO2xO+KV76jhivSBMrBzsV3THyNc7qLDHJQm/"
    "CC5ozwZy2xU+adtH1LNIWY2/jb9+hWWKv0bNTRwS6JibNTmKH/jHqxhOUfu98L88tYsrLC"
    "qiuhWSIWs10jtmMm2nYsOWIvs09rBg8jWCI1CmNdc4ZdJE++f5Wk9FyI4oUzGrSvSpNBur"
    "Vaqwld1crZo52CRcW/GQlJCsl0QDh8WLD9GdsAmoJ7QXiEuSYcVzsakv6UTsEty6tz3m/x"
    "qHCTA0wY8Eudx+L1OrNv16xQAD5gTjZXv9KdANM/Ai26luzz9qlo8wSJleqm+WkWLLXgwx"
    "BrUvl0V1on6ofHlCXfvlslnDeAcBgoKwi9qvR5Harib7JIVvawLUSCadpOleVo5Mb2itEM"
    "+cyI6cZlVX6iRFpeucNKhzoosZbslw6Eah0I4ps7vuhdTu5p+V0aVFG2vEZ4pIewBUhGhX"
    "bFOXW1ZTYt342CuLds816NVaqWFTg0HbxqaqaA0x5L5Id/UeiYeY7XL7UUadY8QWrjnxqE"
    "sDBq1da7Tg9h/YgJbcHfYnnKnhHnLqIRM6Z2XW6QbeuIqfH3qnLnBTZE8hcLdqNe2+mM1b"
    "aN2Y/h8wH+H+u8Bj1CuZ/JnbdVP/XjQENwlv2dxHxQesDT+fiQx1AJm9FdMJEuMQAI8s4t"
    "jiUAaZdBLOWRcy4cX9uHXad2S7I/pNzNeysJNNvngFMRB3sigI6oNTMoT7s/n3FPEqwEDl"
    "XY8UkTYWd2GX6ecCvCMrC5epk8qiLOm7tesKtGtZlAVxpgRTkM2Q4IgebWaLIipyX0Fobj"
    "ZDLvXRgohSKqEnSFLXFWNZw5NXWBe2tlHeyVVhKyEh3ZhiQ1A2PmLvoWSCJffqppdQV4wp"
    "b9ZQZ4M5wM0fPvKDGfJpZC5F9YhA8eFfxjVfh1i8ywgD5xiVc0K4WMFqCtxMI+pCqBV/CH"
    "uwZzKyqnz2bezNukTS7s7NtGv6QVSwU2RFimq72sbOMaMbYvHCntr+NRY7RXmxmNyrE4sO"
    "tFKQiDAYohoIgvatFDvZwgo9OPaZOCK0QeY9xN6jwach2KEmN0OjSgvSmSMtTIiBGHNj1C"
    "0Xi5t7/Rf3i3tGfS53ob6Dj6ZgCGOO/3REPHifiSGB4/nXgPr4BWg+2F0g3gGbWug5I3xk"
    "WuwFVI2Q3XPJ3KRT4jHQlyBYJDxwm6EF/29MIHoE83dyPhsh9aryebun7v5UoQdiFBSxrp"
    "S8cfs92kjovzx5ffLm+PQkFrbxlToZW3J6mRz+CnCmKDSgRUDDDhqqo7RAp8GtBld91JZQ"
    "aoBLPWktwM1RaWA7pbfS8RmBw5ZK1NboVq3WSsfGCFopaK4iqhZx2xMSbMGXFTKfN+mBgn"
    "cnGhiCt3e/CmVRbH6IWF74ZVtxGysO45XPw/c+V+Cq8n439uYVdMWkS2omZJZO2/NrsudT"
    "I0KNHzlCbdW33sCJJlwr/DuwgbPT4AvhVkS+Oog7JtiLBMRNxG13RhP4jeDsWpS9s0wPmE"
    "SNGlb3cBaQyyxDIMQTn8VpOlGxT3migHBUS595dDphVV2PlZ4JnqZzUfcDDjWQziURcUHH"
    "6XCMMNecXzYfIOZCqhW6HoiOr1iH4NqJ7f70CiGQaxmvnaftatD2l4NnZEbNyQbOCc8sKZ"
    "2LKMyxXbk6RJpKzzP1edZup7dAqqFvAb2oHtsS+zStBl8J/DCXu03gUXuH488Lt0fgyBBF"
    "uFNEGu52dTikfFbEvYxaM0CRAS7v1ijwwxwCFfCzlBp4JeCjGBEjir9QQ7+UXLNAUdaD50"
    "PuGhgc0LIth7p6AaX0W64cEDsuOlY4oDNevhu/IkwtutVb4udjcSulMr5xMpM4hcycEPNh"
    "RjnubxGz/zesYEipCNESBXs8QuS5Zcweu8SC0HZ+AW49Es/mn+uhB7KoL/D7hO/Urr4OuP"
    "qAi2rLRkShVwq1lYLPkjKgXexVHIwZUeSXg4Uv7YTdivioAxB2cdLrwt8H12fDy8H1H+Ub"
    "QVH7tEPu7I/b80FeMY2llcr2W5ZqH2r0bWILLo17JOkNLulVkM/Taex3afvzI7Wi8Jmiap"
    "S6WaccTbPNVM5h5H/JUCOIRw/zi3potEhqD/ZkTh+JCkbzhxM8PUSXIg6eiej4pBb08iLU"
    "m313B8+a1QFQbxslNOmDCvdx+06fnvfEpzIBw5Q3i1JEexQn/XMUfNDYv935o966K1q6oS"
    "VfcjZfUFqW/B/fqtOQgcRweCuFdAF5dr2M17+n3hT0y6hiGjwvU/ticPNuOETiDYdo6ENO"
    "6YKJc8WlIxDa86Z8NDFilfsOn/h9ikXDZW+WFc9OcDVCgl7lQeQbV7T1geBN9OyEb1kO/E"
    "4WZ5HPLJu0FhO0dLF1TWxuwcfWlcIZ216wtletIceLIiM+UI/YY5dPA8GMoQuVMc0yH75c"
    "hwbRY3aMBz+iURZdTaSgh+exuM4MPv7xFnGI3Ga8vEKDd7fDq0sp4jeuG3zic61ELxCX63"
    "QCmKMK6oBDx2+j8z3kBp6MPeqFFSGIJV1RzqLgiEJAL6cxuuPW8QROAZlQ/m3yIBBx5RkT"
    "q3a5brDJlysqCjPshQPfXnrWhoDcSAVtlaoK4Skb8sHZQzZyp33IzkcSUXakURdE1UjTns"
    "VO0xU7wlUy8MFz6SELj8mOqYBSIKzrUfnr0j1Eg8v3Ua226t4CJxYtOpuna9TXNFHjrmY4"
    "3Lx7Zjgk6zq21ldObMsiS0eSbIX+47/QUeG1y98Uzv844KXhmM1BLP7GLpuDA/0/0ZH4Hc"
    "fzQd+eYdelAV/roOofe1Z3wE/zTrtk3r7PRR6lDlRo3gdBRdbYjQltKPiiHszoLHDw0jmj"
    "0IXM0WitOJPEcq6XR5metWNYKsx03azL9E6Zj0nH1s/RjPzJcrSXPgqvYVchpdAn7ronYL"
    "qTOeau0su18znT0YTPq/RxDSzXm47ddIYkyqzC3klMo933qyR/LJSrV6apNPatt62khFSt"
    "FZho/3u4d7KueoFbP/f2Z4PZt31HaRjHBPsQNpc7trwRvP0afPtFgEfUUhrCUfs9HL0vT4"
    "+OmiAs2lVvs8q7WZTn2OWgGCae4ZHtxGchZ0EfeB6uCIKuoM8xwbHZZj3W2coG33887eGm"
    "f/5VTLm7ty0SevGbC+E01f6JiZMmMrhaBBcWuv06QVFH8JVF8HXgEFTN4qdjcfV2RnPjrP"
    "oZ2lRra6pVbty0YEv+EZorbbmS7P1k2VCfWplQ7XpKYPsEy1TyU+gZLY7lujzwFJXO/l56"
    "bLyc8S1Ojc8R7vp43bR/Te61qkGeItJwK8HNTOqp5mZHJBpqtUoqEB/EjBaI5yk18GoaR1"
    "lS/AeH4ipdozQl/h4IdgTnGsjeX30+uzhHn67P3w1vIAyxlzanxM3synh9PrjIH+FREQRd"
    "V2hAx0GvHgftEf7lFflqnz8P31fpI2mqHPpBYFuHQLtfHBBuuGPpFEijKr40C6ptkemM+s"
    "Q1F+W1BKp9nSWk++fw7L961WRf5NWr6n0RuJerVy8ybRTtl4Roy+ZLedxzx+yXTCiPgiqd"
    "CRLWaRPrSpuocD79zHkTUQeyiRPp8depzIlrIm36YvJEdKdXkz/hkaT+YYOaI5kTw+GUTe"
    "kAEyd1zm3HQSOC2ITOXchnZFGCQ3gA8h0nNSfEuhMlP2gg0iSZPZ74PeRgcWQCnG5su/Ji"
    "SdmRjb9eH3q+O2Kuh2pKvcGgUFzXY5otL+sbMAzW6Z4Uc0zVNRkT6aV9taV9S0uQb3vEuq"
    "UPpKwAVuZ2/WIkGnJxy1u2TPIHmY9NwtcIeIg8tgdS5LghJE/ii7LxHShaxe2vGYXSU3CU"
    "D188+G8zaJLbv77XKGbqRRjhpUlyWTShxrcAWzGvX1AbE8wmxTldmV2eJVqXZ2Wr69jG/C"
    "rVi1iK9QVW1EdtZCl13Ean4zakcCh3+tTWTM3Q6cqpuqrDjuowuqrDvlR1uCHYMyfvAo9R"
    "r0QxzNyuUwyZaGiYScsWp0TCWUphqdLkZEbhSRA128UrkOA04poLAjO8yUGRbR4LZ0UKjZ"
    "KagcjPlrSyMkTorZgSj0MqjooGf4WooSpcA/KRUGmeco2SE0KB+sR5cc9l2yRsBHUjoJF4"
    "5Bf3bg7VJMQzI401fER4oKU8hvpO/jIccu/zhhP8SMS3ALXo6SPxQONE4nnsDj3nYvYX8Y"
    "lGeOuQX3mhK913pdK9PtRyozv78dRVAzxDpiFXgjyWbGqQZ8g05MqQlwTE1WLdgVi4/so4"
    "91+evD55c3x6EsMbX6lDtaLWrFxnW1gbCaEeuDviKL0JRmmcCvpw+natPpxq2HjrLk10iN"
    "4LI8GSaiMomA9k5kPJUoQROIHQ85kXuMQgfDRYL3qIUanUCtenyPJCws4APfCeDxlRiGxa"
    "tme3sfeqFkeVPWngSc3AHZpXVqUzNawckjw+W3Rs41VDdAXVJjuED/zji/hXB1lF7fcxJf"
    "q4ST70cXUy9HEhoR9zzVbpJKKEYi8AXpLknPFjruMYIp2/u+ebBDMcsFZbQRnCNTB5dzYM"
    "do7HKQVFkclZSs3lLnNZ7zdt2xTU+037st90K3ZI5LbSQdG+ztzu1djXmZ2W5vtN4WZPtK"
    "sjI4Wiir3ymeU7Sk0JdTjq7oiZXsHY7IYPakA8u3R2hDfq5gVOmiybENUcWfOO4M/iH1nR"
    "61zt+Qi3bFWcHymSvTDPN5BaBnNKAeGw+R6i+7JZub26YnvFUnv8jX6p6vbfN1eXFb6OhC"
    "RvINmmj/4Pbbyw3pPbRgBGvasp71XqZe0deMDWT13+8f8AB/Hs"
)
