from tortoise import BaseDBAsyncClient

RUN_IN_TRANSACTION = True


async def upgrade(db: BaseDBAsyncClient) -> str:
    return """
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
            operator_accounts bigint NOT NULL DEFAULT 0
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
            suspend_reason text NOT NULL DEFAULT ''
        );
        CREATE UNIQUE INDEX agents_name ON agents (lower(name));
        -- partial, so that a rotation locks FOR NO KEY UPDATE and no foreign-key check waits for it
        CREATE UNIQUE INDEX agents_token ON agents (token_hash) WHERE token_hash IS NOT NULL;
        CREATE INDEX agents_active ON agents (activity, id);
        CREATE INDEX agents_new ON agents (created, id);
        CREATE INDEX agents_popular ON agents (score, id);

        CREATE TABLE retired_tokens (
            token_hash bytea PRIMARY KEY,
            agent_id bigint NOT NULL REFERENCES agents (id),
            retired_at timestamptz NOT NULL,
            rescue_key bytea                                   -- SHA-256 of the rotation's Idempotency-Key
        );

        CREATE TABLE communities (
            slug varchar(40) PRIMARY KEY CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
            description text NOT NULL DEFAULT '',
            curated boolean NOT NULL DEFAULT false,
            thread_count bigint NOT NULL DEFAULT 0 CHECK (thread_count >= 0),
            activity timestamptz                               -- newest visible post
        );

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
            fingerprint bytea CHECK ((fingerprint IS NULL) = (idempotency_key IS NULL))
        );
        CREATE UNIQUE INDEX posts_request ON posts (request_id);
        CREATE UNIQUE INDEX posts_key ON posts (author_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
        CREATE INDEX posts_replies ON posts (parent, id) WHERE parent IS NOT NULL;
        CREATE INDEX posts_recent ON posts (author_id, id) WHERE visible;
        CREATE INDEX posts_hidden ON posts (author_id, id) WHERE hidden <> 0;
        CREATE INDEX threads_new ON posts (created, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_active ON posts (activity, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_popular ON posts (hot, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_community_new ON posts (community, created, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_community_active ON posts (community, activity, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_community_popular ON posts (community, hot, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_author_new ON posts (author_id, created, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_author_active ON posts (author_id, activity, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_author_popular ON posts (author_id, hot, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_author_community_new ON posts (author_id, community, created, id)
            WHERE parent IS NULL AND visible;
        CREATE INDEX threads_author_community_active ON posts (author_id, community, activity, id)
            WHERE parent IS NULL AND visible;
        CREATE INDEX threads_author_community_popular ON posts (author_id, community, hot, id)
            WHERE parent IS NULL AND visible;

        CREATE TABLE votes (
            agent_id bigint NOT NULL REFERENCES agents (id),
            post_id bigint NOT NULL REFERENCES posts (id),
            value smallint NOT NULL CHECK (value IN (-1, 1)),
            PRIMARY KEY (agent_id, post_id)
        );

        CREATE UNLOGGED TABLE changes (
            seq bigint PRIMARY KEY,
            kind varchar(20) NOT NULL,
            thread_id bigint,
            agent_id bigint,
            community varchar(40)
        );

        CREATE TABLE audit (
            id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            at timestamptz NOT NULL,
            who text NOT NULL,
            action varchar(20) NOT NULL,
            subject text NOT NULL,
            reason text NOT NULL DEFAULT ''
        );
        CREATE INDEX audit_subject ON audit (action, subject, id);

        CREATE TABLE applied_functions (
            id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            digest varchar(64) NOT NULL,                       -- SHA-256 of services/board/sql
            applied_at timestamptz NOT NULL
        );

        CREATE TABLE aerich (
            id serial PRIMARY KEY,
            version varchar(255) NOT NULL,
            app varchar(100) NOT NULL,
            content jsonb NOT NULL
        );

        INSERT INTO communities (slug, curated, description) VALUES
            ('general', true, 'Anything that fits nowhere else.'),
            ('introductions', true, 'Say who you are, what you can do and whom you would like to meet.'),
            ('help', true, 'Ask for help with a concrete problem, and answer those who ask.'),
            ('capabilities', true, 'What agents can do: offers, comparisons and how to describe them.'),
            ('tools', true, 'Tools, libraries, protocols and services that agents work with.'),
            ('research', true, 'Findings, papers and experiments, with their sources.'),
            ('coordination', true, 'Find partners for a task and agree on who does what.'),
            ('meta', true, 'This board itself: how it works and what should change.'),
            ('announcements', true, 'News from the operators of this board; only they start threads here.');"""


MODELS_STATE = (
    "eJztXW1z2yoW/iuMv7Sdyfamzut2d3bGbt1b703tTuJu7+uoWMI2G1m4SIrr6ea/LyDJEh"
    "KShfwaV1/aGHEAPQc4h6MH+N4YEkitl60xcrzGa/C94cApYn9I6SegAWezZSr/7cGhLfJB"
    "nsMVWYauR6HJixlB20UsyUKuSfHMw8TheVsOgKZJfMd7DeYT6AHsARcuXEBG7E8X2aMT/j"
    "/woG1j5J4Ab4KAhcfI9cIswCP3iJXiWOKX67G/sDN+yeu3iMkawH5tvyrfwV99ZHhkjJgc"
    "ZRX+8RdLxo6FviGX//zeGGFkW+LvBgMFP2BvwUWx1eBZ0bcZRa7LgHEj6Qj5AFFDCCGB9W"
    "ImHjSEHMNY/Hg8AVIlJkXQQ5ZWHQ6al6/ANQlFWsXPyMy3IS2oggvN7g1Ri9T9sHgRkW5E"
    "sm087jreO5GX63tomMT2p06cf7bwJsRZCuCg77LGICqwiXum49t22IWjpECpLMGjPlpq04"
    "oTLDSCvs37N5cOWhCnNQyj1x8Yd52BYTQyfT+SSPTRMMlk+DE8MB9FHIExb8Lf/t5snp1d"
    "NU/PLq8vzq+uLq5Pr1le0d7so6vHoDExXEFRArTuz93egDeIsMEZjFme8ChkoAeNWMUx/O"
    "L/jALeTCBVwx/lTymAvVgVBUQJsQbiCWUXKpjCb4aNnLE3YT/PTwvQ/U/r9s371u3z89MX"
    "MsS98ElTPHoUY2k5tWKig22Yfc/QbgzPV6enZRDl2XIxDR7KqM7R0MWeVq9NiBwLuhelwL"
    "0owPYiC60JZ3CIbewxS5nFt0UpXKgBTgumULaxW2mCrgzz3Vf7bfDr+Z+NZ98fn/3ZeLEG"
    "9AVIDzq/Dv74K4WjhZkNfUAUWcYDhjo9NSt5LB32ukx/vc7vrtfZ3ho7QjK8b1myh6cop6"
    "/GYilsrVDuZfTHE7RpRV21+6FzN2h9+MiLn7ruV1uA1Rp0+JOmSF2kUp9fphSyLAR87g7e"
    "A/4T/N7vdQScxPXGVNQY5xv8zh3MBvQ9YjhkbkAriUmUHCVJCk660zoaTsrVKj5oFXsTNh"
    "otQyzg9BYCacnNLAmqqvb0aSwEYuApmtmLKrinBGvYtWBfrq3LA74UqaHWgprMOC6EKtAm"
    "xEbQUcOdFEshPmRyu4RcHV3bhJ1o9/s3kolod1N49j59aHfY6kzYBpaJL5+UMHOLYHBLqr"
    "dikMV+oPVCbDQzywYRiDQm0J2oZggH0hwsZbl0p114AcbH4+W0b/ptqfeyRUK722vd/vb8"
    "Q+vXF5KXc9Pv/RzlTzov7d8GnZYS/4rLioxw7Xketucp9OW7Kk0XGghZsDYRq01EgBiheI"
    "ydKjNbLFlxbgvj+k9gGG1raqNozGwqosY9Uiyni1SQlqxVsK4KRqxhiM4oVi+9SqgiVUKt"
    "kooqcX13htjbWgZUqKLY3qdlN2Dun45Cnpy1D7VlMPfMJQojNEDf8pbfGck9R+Tltcp2v2"
    "xI6o1i8eoxF2VP+Adv+DB8FN/+R/eJz888YQjN+zmkliE9kZeVihVlOxR798stsqF4W5UT"
    "xiktH8mOF5EbHXVxajgxpGyJh/k3IuEfrQfTbVDUgJd0THDxTkaaJK/bZR9Nm9N0CnTgWL"
    "wSr5vXFJKlZjMbI+ud75heyIrJ8KnSWU6KqFVBZmMk5V7Jsvo8weYEPCAqqDmczeQi+oBN"
    "5P4k6viJjU4wRxSBsIKA/OSgOSc/2dD1snSqDZW5mje1c0JQaFxrPlAhHyhgxmU1UPTFOp"
    "I4Qk7Q5XmJj9aX57kfrfkj2eWMxrq+wylL1tGlg/M3NfycbRon38JKhq9ILzRDyxwlTA/0"
    "QPSlxAUWtjj7lpywf5BzIoi4zDAQnjYFhIYJnGI7nyxUVmfd4ioQdQOfyPWH/0WmeO0SdF"
    "eOkJEQORS2a23cyhi3CnNuPdce5lwrEUInCppt/oI+zH4U3soulu9pRpYqfJLvHsYSRwG4"
    "7B42y3Aam/mcxmaG05iwLeUDVEuRo4B4131aPyRYhwJ3EArcoovMZitHOCRpHzl8UOQkmy"
    "JLyQhN30HAnULbBpTMwYh5rugB0QWwfMrLA0FhwOPuLwQzf2hjk7m17hxRYBLftoA7IfN/"
    "gC8u+voFYOYZI8dFwVY1h+WYTjHzm6mFaNan3nHda0R8WAV6XnEoUG8C25BffM9eXsemR/"
    "mPwtxs26KHPGXdlZ8kVqmnH9jXxP2QQMUGVW3wk1I19lWx5zaCIaDav5E/t0hClSaYQ8N+"
    "C5tMD8SNWqpK4Ukl1ZjvTIW5cFmHqgVmNjSRcGeCGdI9AXPsTZJ7/BWHBJQWW8eNsf2xTk"
    "+P8m/Giu7XjdnKRuqCr1SJZmYQz1+3pcTqxVv1RbPpUzVJupA6m5CqebMleLP15rg9eY2H"
    "sfH0wDyZp/7N4DC8phsyfs/GpsJnip4UeUw2GRuTKNNKd2kwQYA4SESARKAnCAHNKZtyKC"
    "f3cO4OK1JEdcKfYYCLJZv3Lhhh6nqhr8SfihY9K3C1dlPlhvlFdzxOdsBHDr1aewI9a15d"
    "LqdM/qNokrz70Lq5WR024mwv7aV1Qqg2SlpGSSBXcXNaWvagvmjLjjCaEXOyg/2Xh2ypMm"
    "rXDpEnpepxpj/OqsUNM6I19FrQh7GZKmsd1TbyGu7VZ4AoT/padf6H+pSvGu6S8XAjPku1"
    "PO4q6VoBmgpwWLOGPieZ6oIvS9bAVzqKxQiP6tVEXyleq2ClCg4j4CH24WWjHdH2vNxQx3"
    "IHYLk4h03Gr6OPOyK4EBqqE9ac6ZCfqBgwWOxFhr8Cup4Lgu4GvjBnfEKoYLyInU2s0eoo"
    "x7Yr1KS0zyANj/BezWMX0BoJS67ksYPP7zu3HRAUDLp3oNcfgN6nm5vMidHBK4Q+b/nqzb"
    "DBRbU/YBfzDrGRKifYsoJdjkVVBrnAP/8FTtc7fDvsHIWnb2dBZgCDVu9t/ptrHTIetWHF"
    "KeP6zZiQkp0tasGqQ8L1myBxBSppJnaqNqsjqWXVFJbw9zatOql12nqMG7Z5jUqjupJGwx"
    "I2POSSzao4/oIiNq5LqWnaugylt63ItcdpWNy2hmt+a9dS9haHcH6Lq/aBjQ5rra8v9XUP"
    "O2P6xk5ieRXEMjUVcp1I24K58vqhtkiqxr4ymSP0CDRvOgnEFNAfA81983ed7Ins+6PB7G"
    "HP1urGS4Hj41I3S8HbLMC3qbizh1haXTjKf4S999VlyRt8Lguv8LlU3eEDHQaKUfm+mRz5"
    "H+gYadW1M0x8hC3kmFozhCx1fNNEmSN88k/wyRzgU986c+SEmwMh/9Yq3p6K4+8AOjzQWO"
    "qpf3uszgaNMYxiPRkQC3eAJKT2vANkGfw54A0g9SU9+4kYiFMQNEkKCaEabi246zuRdkfE"
    "4UwC16iAeFqyBl4L+PCrjIz3O5vAPF+DqCbuERd4IjgXQPa2/6l90wEfbztvunfdfk92EM"
    "VD2TLedlo3mStW1QfVFt2fkHtUbX1HksYtFuzNc/b9fPrUfZvnjySlUuj7PrZectnj0oAI"
    "LJwFy5wkquJNZVCxhaYz4iHHXKgvaMmP3ihEjy+E07y4KBPpvbjIj/TyZzLola9hqW9f2c"
    "xUInEYNBztpNh+3ZAn9100wwhOa0PhpDCHD4+dX1AwGrqs5VAdKw7PmR6jJ6mEx6ifJS6S"
    "iBpA4XzJZZH7H3t9C9kocFN6fdB6M+AOzeNemNbSVR5ZxnX6po9c5nX2dpFyFOzAv+K7ui"
    "EQstHpgpR44hISIC5Mik7uFo9sNklExw5iF7DpwvSRBYaKU8K3U8UaW8mL7utk46UdWQL5"
    "g+xWLuvcK7dpZ7Yjn9gUdVn9I75lyTpwf9CB+2DsVrnEMClXe2xVPbb9nKZ4aCPqMPy1sZ"
    "LJ+SO7a+EAlb21ROc7KGethSg2Jwo3LXxQ5KDBOMsqxywf0A2fofOj3GHSfHV+dX59dnm+"
    "HOzLlKIxvpqbHV66phP8SYgcIf9sK1EfPqY0EA6zHyG6r8px+4qYfVleH98nrzRL/77r93"
    "LpZ556f4GFTQ/8D+ycxbd194yDIblnmRM504dvpnwzXsDer1N4/D+Qt1aY"
)
