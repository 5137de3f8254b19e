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
    "eJztXW1z2ziS/isof0lSpXM5tuPkMndXJSfOjm8cO2c7uzs7maIhEpZwpgiFoKxos/nviw"
    "b4/maCeqMUfJmJSTQAPQ02uhvdje97A4Z9Z78/JF6w9xZ93/PwmIh/ZJ730B6eTOKn8HeA"
    "B65sh6EFl00GPPCxDd3cY5cT8cgh3PbpJKDMg7Z9D2HbZlMveItowNHEZ/fUFQ3hjwC7Li"
    "W8h4IRQQ4dEh4gdq9esQfi9RD2HDQbEfHeF48R5YhP+YR4DnEQ88VrxCbExwHz92E+DrPF"
    "hKg3XP/QU49+nRIrYENJIibwx5/iMRXtvxEOf37fu6fEdeS/9wQlJ46lRt6DluTbxCecC9"
    "x4RBwxRgFuKRrJivlEvtiTdIIF8Af6269n12co0zM6v0GXV7fo8vPFxd6PHsrMIf49lsCI"
    "ug1nkad6Yjq55rUTEiuJPtJgDv1Qp+F8XMoD0bukJc1ngxU2ZdOwfYIDBbTuLDwyW8oUuM"
    "180mYCEzaZuthvNwnodvJgyXlkJAOVYMjnVtTtKR2ee8EH2RY+vYFlM3c69pL2k3kwYl5M"
    "QJVYEdOFz4Y4KaHhTV03lC7RI/U9iQeBPyXxh+QkDxxyj6cuiB6gVjNInu1Zllhm1s3ZrW"
    "XtFcRSRJESF+EjWyAsoKIg4ACBIUzhP/7z8PDo6PXhwdHJm1fHr1+/enPwRrSV8y2+ev1D"
    "TSaBS3UlQTv/y/nlLUyICbmpxCk8+CFpcICtZBEk8Mv/FxjwboT9cvij9jkGiB/WhgHRg4"
    "QDiaxfBwvG+JvlEm8YjMSfxwc16P61f/3u1/718+ODF1mIL8M3h/LVD/m1xbseZTrYhs03"
    "DO3S8Hx5cNAEUWhWial6mUV1RgacBlqrNkWyK+i+agTuqxpsXxWhtfEED6hLA6G/FPHt+z"
    "6elwOcJ8yhDDvIWmG++eq+V389/7L37PuPZ1/2XiwAfQ3St2d/v/3jzxyODhW77CPxxSb4"
    "SLHOSi1S7sqCfdNkvb6pXq5viqs1Uaay8L4XjwM6JhVrNSHLYeuEdPvRP7ZwT6tbqucfz2"
    "5u+x8/Qfdjzr+6Eqz+7Rm8OZRP57mnz09yDIk7QX87v/0VwZ/oH1eXZxJOxoOhL0dM2t3+"
    "A1TQPTwNmOWxmYWdNCbR4+hRhsFppV2Hw2k6w+JOszgYia/RsaQtrWcI5CmXYxK0Ze3Bdh"
    "gCCfA+mbjzNrjnCA3sWrDH1ndzwGMSA7UW1JEPrQRtxlyCvXK402Q5xAeCbp2Qlzs+l7FP"
    "nF5dXWS2iNPzHJ6Xnz+engnrTO4NohGYT6Uww45gwU6qZzFkyX4ieyHZNAtmg3QPWyPMR2"
    "USwsN+BZZZuvyinQcK493Rck4vrk4zq1cYCafnl/3r359/7P/9RUbLubi6/EvUPq28nP5+"
    "e9Yvxb+lWVEgNppntzVPya8pL+N07QaRJTRbxNNbhEKM+XRIvTaSLaFsKdtCv/4WfEarEm"
    "0+GcIpjm89kBJzuo4FeUrDgpYsSB+M6W4uedol7C3bw5Ct21pKzrHbMTsmN/zeAn5bQvfj"
    "rGSHuyXfqmz7AuWG3f1ZQ2i1xyYZ9kaO/nIZGzVPKR/vQOxmJWwYn6IvXjOE5lvr8reWjW"
    "4q8Pk3Mj+NNJIyFid0Ro/R0GMgfOf+IRVBAg8G2H6YYd+xMm+ysSUWfyAuCSC4qKh1hvQf"
    "frsmLpa/vIQvMnLwUnR1E/a0vXZz8jRcSAVH2mIofWJrdputER1fyF44FZcW4WIwXauubq"
    "GnXYWLTwdx54uhdZPqaZfQAgnGDlmVTCu+Gh+O80+wh4fyJ8HYMFIqzvmGYN8e7VVEQYdv"
    "e0/FQls8afhkRPTtiCDVHvpAgVA7IfIYe0j2haiHXDYjPrIxkM98GgTEQ1FgMZrRYJSOZy"
    "4GPq9khKfjmyujRxVGujGkaSoTSbrSSNJq02enIknXbenAh6cDdtTegN0CbBMV2T4qUsNw"
    "WOWGPJm4lDgfpp4dhIkOhV0536R2a1aNrftM66czltAj8SHTAvZMyA66+b8LFPchnuAAzT"
    "BHYfcqg8gjM8i2cTEPShKRltHjAvvvqrI3wu3TbLm1W26VE6QuvLjC/bGdO0E2wvjkuEGE"
    "8clxZYQxvOqMxJo6tDSFUj6vlU1xi2YZlEEoPVJZh2/RbMR6kKLowX9x0EOizWxE7REShu"
    "X/EzuIkhjn++h2xDiBHphHkM3GY3jDxRIkCKMBDuxRRQLlukbWzJ9UEwPCcET4Z4NkOcDd"
    "SpGUJskV0vHkNHVGiAnqkvBko2xCpJHhnZTh+ocVSzul6Jo036VjCiHGdOyzsPlObMrrNs"
    "8Sed1UC0oodgLwrBZ02CTP6rA6z+qwkGeV2tOan2vHJDsB8brXtH4kgYkgWAbusXLVOGc7"
    "ImiFescOk3P52ydNsrfzm2wqd/ukmF4ckCHzSwIQqwFO02x4ZTNpPSwN3sMm8B5Ww3uYh7"
    "dVsJkJMeusPtkNT8Qp/PfcIWKdBPO9okci+75X45mQTyyabtroSBOse5/NlDfToTwQTJ9S"
    "PiLg4KQcyX7Rvc/GiDwSf47kh/qLPGcECKYTjmzsixe0xIW6khGW7FK9GWPX7XBJnJcLCE"
    "VlhR8dvj6J7W74o87SvvnYv7h42rROr7Qsnp8/n7+vwjKhySE6nVJnHyg3pU49E4NaPvYc"
    "NrZgMs9fPFuRbiX3niMl79KSTP76nS7CkIZbyOLVQWx2oMY7kFAOPSkl8ltP+KJuz7Flk8"
    "bnc6q52gcm04FLbSQgnAiuiq3AZlMX/Mtsto/eYRt2h3vmunLfIFzuIPwXdMfJ1zuo6Sck"
    "iXgILmmfAjn1pI+aBoj5DimrKrj24RfYpsQwem7jkMDE2yzJcfwgfryOIRW13wl/zKpdXm"
    "FxEd2jkQxZq5XeMRNqM5UbNhTVZ7CHDVPsEQKBMq25xkmTJto9T9hyKkN2RJmKWVWiT6XZ"
    "WK1Sha1oc7Vq4mKbCG3FR0pC8l4SCRyWS95Hd9ImYL7UXiBOSYUUz+Qhv6KTsUzw6p76PP"
    "glDhvgaIQfCfKEHV+mVq17eM2AA+5Oh0+d/adAt+ypH9lOdTEAUbN8xEHK9NIdWUWOPTUw"
    "xBzUDq6K60Tz0PnlCXXtL1fNGsY/SBA0hF3UfjmK1GY12ZUUwK0JWCOZVJKmZ1s5MnPAtU"
    "AscyI7cppVXcmTFJWpd9Kg3okparghw6EbBUM7psxuuxfSuJt/VkaXFm+sEZ8pIuMB0BGi"
    "XbFNPWFZjYlzE2C/LPo916BXa6WGTS0ObRubqrJ1lE3Dif9IfMSpJ+xHFYWOEZ979shnHp"
    "tyaO05g7mw/8AGdNTpcDASTFVO/HQnIzbjZdbpGkZcxM8Ps9MXuCmyVQjcjVpN2y9m8xZa"
    "Nz7/D1is8ODd1OfML/n4M6/rPv172RDcJKJlcx+VWLAU/nwms9MBZP5Wfk6QKIcAeOQQl8"
    "rLGVQSSvjNepAFL9/HrdO+I+oN2Df5vZaFn6xz4AXEQDzJoiCoD07JEO7O4d8q4lWAgdqn"
    "HikiYyxuwynTzwV4R3YWn5B/lkWQhC9qdxPZpOE2ooIJ3TkEY/QQlWLaJ3CiwDySEuqqU5"
    "n86LqyTIpgVy9U+EBiq8sgRQd3MkD3Tj602biiJssaxjQhjR3YIqRdoK2LR0Sdcn0YXTzv"
    "8jDx+7vL2y1O6NqeDLpuKBvnYHZ9xP5Dib6RvKtTOaThZo1FMw21gzyC5TedoIBFjqOoKh"
    "vs4+KXibXpEkdMGRSAHuJMeYzkYRP4j6ZeppHQHiCrwUP8gU5UjGm58rG2kU2huG3xJ9fp"
    "MILVso6nJitSVJu1u7aOGd0Qixd0TINrHJSZYcm7OrHoQisNiQiLIaoOI2nfKrGTLTnTQ8"
    "xHxJVBXioTLPaj9z+dg0fOJpxHNWiUW1sZVBANNqRC+JWLxfUN/8X74p2yQMhdqHwToDG4"
    "BLHAfzwgPoxnC7HL0fOvUxbgF5AJgL05EhOgzEHPOREr0+EvoJ6Omp5HZmD2+RyMSAibw7"
    "YU1RzNxf+GBOLosBhT8NkKqReVz5u9h/ynCsKSq6CIdaXkjdvv0JHq4cvj18dvjk6OY2Eb"
    "P6mTsSX3OarlrwFnisIAWgQ0nKClu0oLdAbcanD1V20JpQG49EyhBbg5KgNsp/RWNjwlcP"
    "1cidoavarVWtnQGkArDc1V5hcgYXtCqQGhLqKQ+aJJDxS8O9nAkry9+0Uqi/IYWGY1wF/U"
    "ids4cUKD6g/fB0KBq6qEsLaRF9AVkynpmZBZOmPPL8meT60IPX7kCI1V3/ooO/rgWuHfga"
    "PsrQZfCjcdz35MYBz7W+XYF9v9rwRn96Lsm6f0gFHUSCuQQJ3hyx6fxQmLURlkda+KdFQr"
    "n3l0X2t9oEDLPsHTdCYrIEH8gHIuyQADNkwHpoVVN8Rj+wGiz5RaYcIIuhJGYCLN1rpDSO"
    "RaZq7kaTsVw5FNhSQTZo9WmA+5bWf+knXadXLSVOY70//O2p30FkgN9C2gl3W1W2KfpjXg"
    "a4EfVrXQQz1FZODWgtsncJmSJtwpIgN3u4pESj5r4l5GbRigyQBPTGswDcJsKh3ws5QGeC"
    "3goxgRK4q/0EO/lNywQFPWg+dDnRpYAtCyI4e6yiml9BuuoRI7LjpWQqUzXr6boCJMLXrV"
    "e8LPx+NWWgXO47ROeT+jPSL2w4QJ3N8iTv8Z1nJlTIZoydJlPiHqRkdOhx5xkMcC8QBePR"
    "Kfip/rowcyry95vsIxjauvA64+4KLethFRmJ1Cb6cQX0kZ0B72K64Hjijy28E8UHbCdkV8"
    "1AEIpzjpfeGv/evT88v+9e/lB0FR+7RD7vT327N+XjGNpZXO8VuWaheqla7jCC6NeyTpLS"
    "HpdZDP0xnst+n48yNzovCZomqUelmnHI2zzXRuqBX/UqFGEI8e5hf10GCeVGHtQWS7jEhS"
    "pfNF5wSP99GljIPnMjo+qYr/dDn+9Y7dwVu4TQDU20YJTeYK1108vjP3iq74vjpgmPZhUY"
    "poh+Kkf47SNwb7t1t/CWZ3RUs3tORLweabB+KSoFRPzryu05SBzOJhS43UAYcOwZEnY/cj"
    "cvUX9KiSSykHtx3q37w7P99H5wHklc4hx5QoHVa2FI3EiuLEKfcfrmgczasT1CyeukIgi6"
    "UVEvUqLhGouSpgVYp2KBiNnl2rZyd8y3LgNzI/jXxm2aS1mKCli61rYnMDPrauFM7Y9Ia1"
    "uWoNOV4UGfGB+YQOPfEZSGace1AjuLTil9qD+lE3W8aDH9Eqi54mUtDHs1hcZxaf+PEOyH"
    "2lMVyh/rvb86tLJeLXrht8Et9aiU4gH9fpAvCNaqgALhu+jW46Ugd4KvaoF1aEII5yRbnz"
    "giMKAb36jNGdsI5HcB/SiInfpq5Ekk+ecblzl+sF6xxcU1mYYD9c+PTJW4ck5FYqaKtUVQ"
    "jvG1IdZ68byt17pD/2iDoO3Pfbdgqof/keqU7Qf/0POihMCXqeQ0WdRtPBHp8R/8l5RJ0W"
    "ZvJIOYXlnJ+F4mq0VSiUGk1IFha26ST2Ji/IIaGpwuGEEKvqDhY1MR2OFQjrZlQ+XGPYYn"
    "IFuP5k83SN5pomasfh5tOzw++lbmJLHVJ9K08NWfdFPT1SKBjjSKCGazYHsfx3+EGi/0YH"
    "8u840BHm9gx7HpsKJWAMMY/P6u6Aaz5pj8zaz7nIo9SdO83nIKnIEqcxYg2lcjSDCZtMXf"
    "zkN6Mxhcztma04kwS5LpdHmZm1Y1gq/nbZrMvMTpuPycSWz9GM/MlytJe+LbXhVCHXMhC6"
    "wJI/wPQkc8xdZJZL53NmogmfF5njElhuTmO76SVKNG2NQ6WYxpxrLJIVM9cu65mmMti3Ps"
    "9TElK3iGKi/e/godKyCilu/Gr0nw3mgAau1jKOCXYhnjCL7mEjeA9r8D0sAjxgjtYSjtrv"
    "4Op9eXJw0ARh2a76/Fm9zaI8w54AxbLxBA+oK+8vL4Le931cER1eQZ9jgkv5el352ZIP33"
    "+s9v7rP/4s5iLeU4eU3oJSJ4TTVLsnJo6byOBqEVzY6Hbrkl0T2lgW2tiBe7INi1fH4urj"
    "jObGWXUfxlRra6pVHty0YEu+C8OVtlxJzn6ybKjPOU2otj1Xsn3maSorLPSMFtdyXYJ8is"
    "qkxZemxRedbLKaQxs/W0y47et13f61JPhBIwYuITJwa8HNbebrJq1HJAZqvRIzEDjFrRaI"
    "5ykN8HoaR1m1gA8uw1W6RmmtgHsg2BKcayB7f/X59OIMfbo+e3d+A/GZvbQ5JV9md8brs/"
    "5F/m6TiujwugoMJkB88QBxn4hfXpHI9/nz+fsqfSRNlUN/OqXOPtDuFgekG+5IOQXSqMpf"
    "mgWVOmQ8YQHx7Hl5kYVqX2cJ6e45PA9fvWpyLvLqVfW5CLzLFfKXaUia9ktCtGHzpTwgvG"
    "P2SyaUR0OVzgQJm3ySZeWTVDiffuaEkmgC2YyS9PrrVErJNVE2fTGrJHrTq0ks8UlSGLJB"
    "MZYwr0Mld8L1o8oBJq8wnVHXRQOC+IjNPEj25FHmR3gz9J0gtUfEuZO1UNhU5o5yOhwFPe"
    "RieZcEXPtMPfWwpB7L2odfoCRL6DHXFXQZMhMSuKSQQLkoNPf1mGbD2/oaDINluiflN6br"
    "moyJzNa+2Na+oS0ooD5xbtkDKat4kHldvxnJhkLcipYtKx6AzMc2EXsEdKLuM4LcQWEIqS"
    "sK1T3aGLlQzUvYXxMGNbngjiOxeYi/7WmTggfLG2aRLQbGtkaYj4rfW2VKfJZoWV6Pje4x"
    "a/N5VG8w0dLVrwSWpTQxFZ2OqVAfbrlDprbQa4bOlHs1pSi2VL8wpSh2pRTFDcG+PXo39T"
    "nzS5S2zOs6pY3LhpadtGxxtSVcABXWV02uk5RWviw0L4dAktNIaC4ITOQmt1u26RYuuJTa"
    "HrOnMncaaGV+eORHmEGxCjDR7yK9jwnVDtRCdV+muuX6Tv1lueQ+EA1H+JHIUYFa9vlIfM"
    "hUVP3xuy/eczkTK3pOPTU1S0x6XwjLF6akfldK6pvbM9d6Uh5/cHqAZ8gM5NqQl0Q71WLd"
    "gUCn44VxPnx5/Pr4zdHJcQxv/KQO1YoKq0r8t1BXE0KzcLfEC3YzHaRxKihU6de1ClWqYe"
    "NzmTTRPnovtUxHHWjAaccDmQQ9xJlSfqT7SmbqIKmPgrZxL1aGrLI1Ljt3WXb3HSx1bypw"
    "NjlIeRA/voh/dSxK1H4XM0ePmqSNHlXnjB4V8p6xL76HIrzV96kkFDsB8BO5oBmX0jKusT"
    "Fpjjvur53gKW/llc8QLoHJ2+O73ToeK5daGyZnKQ2Xu8xl4/rftFFlXP+74vq/lTFmysO/"
    "V7RUM697NZZqGKvGk5aNXP+h3z1ysKuAiqiwKcgN5bwPY/3u4oi4Oxnnp2IvwiiLYEQ5ov"
    "I6tTtVwu2u/FxgDWOaWMHtEW69GhPXlA/82Tx3feLTUkkYvqiTgThp8pTwq8Z/ye6wn8UX"
    "tqCvvloEhEewOo6uFMlOuGLWkG0F35QGwmHzHUT3ZbMKdHX154rV58SIQek+9r83V5cVfq"
    "2EJG8MUztA/0JrrzW3cjsYwKh3K+Y9iL2sbQsdbPyG5h//BtfEwLE="
)
