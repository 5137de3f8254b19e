from tortoise import BaseDBAsyncClient

RUN_IN_TRANSACTION = True


async def upgrade(db: BaseDBAsyncClient) -> str:
    return """
        -- a trusted extension of PostgreSQL's own contrib: the owner of a database may create it
        CREATE EXTENSION IF NOT EXISTS pg_trgm;

        -- whom a reply is told to: the authors of its thread and of the reply it answers, each once, never its own
        ALTER TABLE posts ADD notified_thread_author bigint, ADD notified_reply_author bigint;
        UPDATE posts r SET
            notified_thread_author = CASE WHEN t.author_id <> r.author_id
                AND t.author_id IS DISTINCT FROM a.author_id THEN t.author_id END,
            notified_reply_author = CASE WHEN a.author_id <> r.author_id THEN a.author_id END
        FROM posts t, posts x LEFT JOIN posts a ON a.id = x.reply_to
        WHERE r.parent IS NOT NULL AND t.id = r.parent AND x.id = r.id;
        CREATE INDEX posts_thread_author ON posts (notified_thread_author, id)
            WHERE notified_thread_author IS NOT NULL AND visible;
        CREATE INDEX posts_reply_author ON posts (notified_reply_author, id)
            WHERE notified_reply_author IS NOT NULL AND visible;
        CREATE INDEX posts_participation ON posts (author_id, parent) WHERE parent IS NOT NULL;
        CREATE INDEX threads_open ON posts (id)
            WHERE parent IS NULL AND visible AND answers = 0 AND community <> 'announcements';

        CREATE TABLE search_cursor (
            id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
            last_id bigint NOT NULL DEFAULT 0                  -- the newest post that the two tables below know of
        );
        INSERT INTO search_cursor DEFAULT VALUES;

        CREATE TABLE thread_search (
            thread_id bigint PRIMARY KEY,
            document tsvector NOT NULL                         -- as index_document.sql makes it
        );
        -- what waits to be sorted into the index is read by every search: little of it, and sorted in often
        CREATE INDEX thread_search_document ON thread_search USING gin (document) WITH (gin_pending_list_limit = 64);

        CREATE TABLE open_requests (
            capability text,                                   -- in lower case
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
        INSERT INTO agent_search (agent_id, name, text, capabilities, document)
        SELECT id, lower(name), lower(concat_ws(E'\\n', name, bio, array_to_string(capabilities, E'\\n'))),
            lower(capabilities::text)::text[],
            -- as index_agent.sql makes it
            setweight(words[1], 'A') || setweight(words[2], 'B') || setweight(words[3], 'C')
                || array_to_tsvector(ARRAY(SELECT b || ':' || (id >> b) FROM generate_series(10, 24, 2) AS b))
        FROM agents CROSS JOIN LATERAL (
            SELECT array_agg(to_tsvector('simple', regexp_replace(t, '[!-/:-@\\[-`{-~]+', ' ', 'g')) ORDER BY n)
                AS words
            FROM unnest(ARRAY[name, array_to_string(capabilities, ' '), bio]) WITH ORDINALITY AS u(t, n)
        ) made;
        CREATE INDEX agent_search_name ON agent_search USING gin (name gin_trgm_ops, document)
            WITH (gin_pending_list_limit = 64);
        CREATE INDEX agent_search_text ON agent_search USING gin (text gin_trgm_ops) WITH (gin_pending_list_limit = 64);
        CREATE INDEX agent_search_capabilities ON agent_search USING gin (capabilities)
            WITH (gin_pending_list_limit = 64);
        CREATE INDEX agent_search_document ON agent_search USING gin (document) WITH (gin_pending_list_limit = 64);"""


MODELS_STATE = (
    "eJztXeuT2ygS/1cof0lSNZedeJ6Xvbsqz8TZ+HZip2aczT5LwRK2uZGFIqRxXLn53xeQZA"
    "m9LOSXxtEnW4gG9GugG+imv7VGBDrGy84EWW7rNfjWsuAMsT9S+hFoQdtepvJnF45MkQ/y"
    "HFRkGVHXgTovZgxNiliSgajuYNvFxOJ5OxaAuk48y30N5lPoAuwCChcUkDH7S5E5PuK/wI"
    "WmiRE9Au4UAQNPEHWDLMAl94iVYhniibrsH7YmL3n9BtFZA9jT9qvyLPzFQ5pLJojROazC"
    "P/5iydgy0FdE+eO31hgj0xD/WwwU/IDdBSfFRotnRV9tB1HKgKEhdYi8j6gmiJDAemGLFy"
    "1BxzAWD49HQKpEdxB0kaFUh4Xm5SugOnGQUvE2sT0TOgVVcCL7XhO1SN0Piw8R6VpIe4Un"
    "Pct9K/Jyfo80nZjezIry2wt3SqwlAfb7LmsMcgQ2Uc+0PNMMunCY5DOVJbiOh5bcNKIEA4"
    "2hZ/L+zan9FkRpLU3rD4baXXeoaa1U3w8pYn00SNIZfgwPzEcRR2DCm/CPf7bbJycX7eOT"
    "88uz04uLs8vjS5ZXtDf96uLRb0wEl1+UAK33U68/5A0ibHD6Y5YnPAoa6EItYnEEv/hNMe"
    "B6Cp1s+MP8CQawD6vCgDAh4kA0oeyCBTP4VTORNXGn7PH0uADdXzq31+86t89Pj1/IEPeD"
    "N23x6lGMpeXUiokKtkH2PUO7MTxfHR+XQZRny8XUfymjOkcjil2lXhsjORR0z0qBe1aA7V"
    "kaWh3acIRN7DJJmca34zhwkQ1wkjCBsolppQm6Msx3X8w3/tPzP1vPvj0++7P1Yg3oC5Ae"
    "dn8d/vFXAkcDMxn6gBxkaA8YqvTUNOWhdNjLMv31Mr+7XqZ7a6QIyfC+YckunqGcvhqRJb"
    "A1ArqX4Z8nKNOKumrvffdu2Hn/gRc/o/SLKcDqDLv8TVukLhKpz88TDFkWAj71hu8AfwS/"
    "D/pdASeh7sQRNUb5hr9zBbMFPZdoFplr0IhjEiaHSRKD4+q0CofjdA2La81id8pGo6GJBZ"
    "zaQiBJuZklQVXWHj+NhUAEvINsc1EF9wRhA7sS7Mu1dXnAlyQN1EpQE5vjQpwMtAkxEbSy"
    "4Y6TJRAfMbpdQp69u7YJOXE1GNxIIuKql8Cz//H9VZetzoRsYJn48ikTZi4RNC5J1VYMMt"
    "l3tF6IhGZq2SA2IrUppNOsGcKCTg6WMl2y0y5cH+PD0XKubgZXUu9li4SrXr9z+9vz951f"
    "X0hazs2g/1OYP668XP027HYy8a+4rEgRN5pnvTVPwS+PZnG6UEDIhI2IWC0ifMSIgyfYqj"
    "KzRZQV57ZgX/8JDKNtTW0OmjCZihztHmUsp4tYkKRsWLAuC8asYcixHZy99CrBikQJDUsq"
    "soR61Ebsaw0NZrCiWN4naTcg7p8OQ56ctA+4pTH1jJIMITREX/OW3ynKPe/Iy2uV7Z5sSO"
    "wN9+Kzx1yYPaYfXPNh+CjO/sf3seNnnjCC+v0cOoYmvZGXlRkryquA7O3Pt8iE4muzlDBu"
    "0vKB7HgRudFRF6UGE0NClriYnxEJ/Wg9mG79ooa8pEOCi3cy0iZ53S79ataeJVOgBSfik3"
    "jdvKaYsdQdgo4+beWYUgVvj1YZVGk0yrjSrOoTt2+CFhCUAFMwJp5lgNHiCMwd7LrIAnPs"
    "ToUZk+2QMTbRjwCaJsAWMMkcOUCHFKVtqDZY7mqDqVxLIB8PVXugOFVjFbRVq6B8GXlQVk"
    "G7EInS6pjBqgJ2mL8BuwLYjYVLdQsXBT1um8LXtk2MjLeepbuBSWpKAiezFIphP7M2lnKX"
    "kMVYn4IH5Ai7WG5KTJHzgHVEfxB1/MC6JmCiEYGgAt/y2EJzbnlsQupmyeGNlLmGDN6WNW"
    "4gQhuxWyh2fbP0NAeKzMVCioOQBrLF2PlpCYux89NcizH+Sp79w7GuvtsjUzZHO7Xb7KmJ"
    "cPIMnOleI9ILxdAyR7llYGimQIGBDe76QthibYqsI+EFwwQD4WkzQJwggfu3zKeLnNXfWs"
    "VV8JLxNySoN/of0sVnl/A14QhpMZK6uJo0wq2McKsw5zZzbT3nWskbY5rh45K/eA2yH4S2"
    "suu1azRvllUPI4qDAFxWD9tlHAra+Q4F7ZRDQUy2lD8dWpIcBMS77tPq53HNOdwOzuG2qC"
    "Kz2coSCklSRw5eFCnJushScodmYCFAZ/yYwiFzMGaaK3pAzgIYnsPLA35hwBWHH8D2RibW"
    "mVpLxXkG8UwD0CmZ/wg+U/TlMz8VMZBFke8nbrEcsxlmerNjICetU++47jV2fFgFalpxQN"
    "CctWxIL75nH68i08P8ByFuti3RAych1ZWfRFapp9fMlGc/Hhh7OtFtsOeikskIhkCW82T+"
    "3CIRVZpg6ob9Fm54qIkatWRVhiYVZ2O+MhXkwmUVqg6wTagjoc74MyQ9igxDggt2Mm7oKU"
    "22jhpjehOVnh7m34wU3a8as5VbTApOqWLNTCGev25LkDWLtzWMGDwn20Op0G8lRtU4rZRw"
    "Wmk80/ekNdbj1oeaaTJP/cygHlrTDZm8Y2MzQ2cK3xRpTCaZaNMw00p1aThFgFhI7ACJjR"
    "5/C4hb1CKHG/dw2x1WpNjVCR6DDS6WrN9TMMYOdQNdib8VLXpWoGrtpsoN2xfd8X2yGt/3"
    "92rtCfSkfXG+nDL5Q9Ekefe+c3OzetuIW3spL61jRI1QUhJKArmKnuFJ2lqdaMuKMLKJPt"
    "3B5Qd1llQptitvkcepmnGmPs6q7RumSBvolaAP9maqrHWyLOIbuFdfwJXphLDq8q1sB4QG"
    "7pL74Vp0kXl53LOoGwYoMsBizRp53MhUFXyZsgG+0j1oWnBPviL6meQNC1ayoB4bHsIJPr"
    "3bEfrG5251LN3vy+1zmGTyOjzcEZsLgaA6Ys2Zjfh1xr4Fi7lI2a+AnkuB393AZ6aMT4kj"
    "LF6EZxNrdPYux7YrVDRpt6ETxM9YbccuoNVikjzTjh18ete97QK/YNC7A/3BEPQ/3tykwj"
    "X4nxDqvH5DSjWB5XWxju3l/QBrNsQiLh5zJ5lgA9xvmAooKcKiFmVXF28h6PTfgAdMMe/U"
    "ua31LzRVb2ySrlRb40SlmypxuHzz9KBLFjVso1VOsWGglT3JzwX+9R9wnKp2dU3BmNeYWF"
    "LpswmIxX/f3o6Cf4Nj8bxU8njbnkHLYuJORzOu7z1bLwpL2OiiMCwr25zmkVK0mbANK8LN"
    "qDdjSkpOfGELVkWLUW+CZLdSiTORgr9ZHkktq8aw2Npj06yTWqfMx6hhm+eoNP9U4mhQwo"
    "aHXLxZFcefX8TGeSk1TZmXAfW2Gbn2OA2K29ZwzW/tWsze4hDOb3HVPrDRYa10EtjE/dqZ"
    "1Xm0YCnPgoimMctdZ9d3wZaV6tu+IVWDfWXDokAjUAx5F63wDtDlYvNB7/ZkeP69wexi11"
    "TqxkuCw7Prb5eCt12AbzsjeCMxlLpwmP8Ae++r85KhHM8LYzmeZwVzhBYDRat8LVsO/Xd4"
    "O1virG2MDWTpSjOETHV400SZ66Tyb5NKXSbVhB88cOOvmhiiNyzeHovzj6zKL87yy2iWal"
    "WXarmHcxXYkiyi4UpVrkTneyoW/BHVU7caqW7HH2EY7oym+3KR716Mas++e8ut0hq77jWx"
    "Tfezv+afp6tBHiNq4FaCuwkluzsTSm4DRrUKiCcpG+DVNA6SMYO/NQnM0zVI1sQ95gRPBO"
    "cCyN4MPl7ddMGH2+5176436MvLKfFSloy33c5NAtC8K8aLws7lXjLehJZVCP7HvjzHY/Pj"
    "x96bPH0kTpVA3/Ow8ZLTHhYHxDbcib8pEEdVfKkMKjbQzCYusvRFdlzL/L3ODNLD2/Bsn5"
    "2VORc5O8s/F+HvZNArR69sglZuZiqRLH4UFG3JTHyvasiT2wRJ+XIkuZGhpDCFD0+sn5E/"
    "Gnqs5TD7ZCUWNe4JMuEx7Gex+HthAxw4X1p+yf2Pfb6BTOSrKf0B6FwPuULzuBcfGSkCYt"
    "pXJhkgMddnJh2UsZzzjK9f8fs4IBC04b2wDnGFbwYQcWbDmAvilckmifDCWEwBmy50D/GQ"
    "fdnuMpuvYo1LQPyg3lNIp+lhw8bLVSgJZPMFiWhTiuheLQF3JjvyzQDDLqsenEGmbI65an"
    "3M5Y/dKrHf43SNxlZVY6tJZNNGXwtQbdS1ZLjklLYW63y1Utb8wMrXnkOJk6GsSa+LlDU/"
    "7rKmRznVL3SjcEGBZ/vBsXjoRj4RCD9iv3QgmAyY0gK4ZUB4+1qJe9vWKbm5nm1nx7rN9W"
    "x1muT3Mh8NhdFPbjB46XXRfBQYD6mHg1+6NPslxMO350V6X0WyztpuXwEX6rW026eTVz3G"
    "RQc5OHNEBC+KxgKMsqwaBPkc2bAY/F6iRLZfnV6cXp6cny576jKlqIOulohBWGuVQ5oYyQ"
    "F6VWzldIaPKQWEg+wHiO6rch4rRf4qaW8VfhNZ5vLxv3eDfq5ThZvtNWtg3QX/Bzv3Tdn6"
    "NgoHQ9pGScU8SIY3OJL3UHgBew9Y9/g3r5sARQ=="
)
