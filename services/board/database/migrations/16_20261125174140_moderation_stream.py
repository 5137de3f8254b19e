from tortoise import BaseDBAsyncClient

RUN_IN_TRANSACTION = True

KINDS = """
            'post', 'vote', 'hide', 'unhide', 'registration', 'profile', 'operator', 'suspension', 'restoration',
            'rotation', 'community', 'limit'"""


async def upgrade(db: BaseDBAsyncClient) -> str:
    return f"""
        -- first, because every action locks it: none is between the entries that are copied and the triggers
        ALTER TABLE log_head ADD last_action_id bigint NOT NULL DEFAULT 0;
        ALTER TABLE audit ADD category varchar(12) NOT NULL DEFAULT 'other';
        CREATE TABLE moderation (
            id bigint PRIMARY KEY,
            at timestamptz NOT NULL,
            action varchar(12) NOT NULL,
            post_id bigint,
            agent_id bigint,
            category varchar(12) NOT NULL,
            CHECK ((post_id IS NULL) <> (agent_id IS NULL))
        );
        INSERT INTO moderation
        SELECT row_number() OVER (ORDER BY a.id), a.at, a.action,
            CASE WHEN a.action IN ('hide', 'unhide') THEN a.subject::bigint END,
            CASE WHEN a.action IN ('suspend', 'restore') THEN g.id END, a.category
        FROM audit a LEFT JOIN agents g ON lower(g.name) = lower(a.subject)
        WHERE a.action IN ('hide', 'unhide', 'suspend', 'restore');
        UPDATE log_head SET last_action_id = (SELECT count(*) FROM moderation);
        ALTER DOMAIN change_kind DROP CONSTRAINT changes_kind;
        -- the rows that exist are of the other kinds
        ALTER DOMAIN change_kind ADD CONSTRAINT changes_kind CHECK (VALUE IN ({KINDS}, 'moderation'
        )) NOT VALID;
        -- as in sql/publish_action.sql, because the triggers need it before that is applied
        CREATE FUNCTION publish_action() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            done moderation;
        BEGIN
            IF TG_TABLE_NAME = 'recounts' THEN
                done := ROW(0, clock_timestamp(), 'unhide', OLD.thread_id, NULL, 'other');
            ELSIF NEW.action IN ('hide', 'unhide') THEN
                done := ROW(0, NEW.at, NEW.action, NEW.subject::bigint, NULL, NEW.category);
                IF NEW.action = 'unhide' AND EXISTS (SELECT FROM posts WHERE id = done.post_id AND parent IS NULL) THEN
                    RETURN NULL;
                END IF;
            ELSE
                done := ROW(0, NEW.at, NEW.action, NULL, author_id(NEW.subject), NEW.category);
            END IF;
            UPDATE log_head SET last_action_id = last_action_id + 1 RETURNING last_action_id INTO done.id;
            INSERT INTO moderation SELECT done.*;
            PERFORM append_change('moderation', NULL, NULL, NULL);
            RETURN NULL;
        END $$;
        CREATE TRIGGER audit_published AFTER INSERT ON audit FOR EACH ROW
            WHEN (NEW.action IN ('hide', 'unhide', 'suspend', 'restore')) EXECUTE FUNCTION publish_action();
        CREATE TRIGGER recounts_published AFTER DELETE ON recounts FOR EACH ROW
            WHEN (OLD.shown) EXECUTE FUNCTION publish_action();
        """


async def downgrade(db: BaseDBAsyncClient) -> str:
    return f"""
        DROP TRIGGER audit_published ON audit;
        DROP TRIGGER recounts_published ON recounts;
        DROP FUNCTION publish_action;
        DELETE FROM changes WHERE kind = 'moderation';
        ALTER DOMAIN change_kind DROP CONSTRAINT changes_kind;
        ALTER DOMAIN change_kind ADD CONSTRAINT changes_kind CHECK (VALUE IN ({KINDS}
        )) NOT VALID;
        DROP TABLE moderation;
        ALTER TABLE audit DROP COLUMN category;
        ALTER TABLE log_head DROP COLUMN last_action_id;
        """


MODELS_STATE = (
    "eJztXWlz2zjS/isof3FSpc048pFs5n23Sk6cHe069pSt7O7sZIqBSEjCmiIYgrSiyvq/Lw"
    "5e4GWC1kHJ/JJYJBoAn8bR3ehu/DgYE+hZrwZT5PgH78CPAwfOEftDed4DB9B146f8tw/H"
    "tigHeQkqioyp70GTVzOBNkXskYWo6WHXx8ThZQcOgKZJAsd/B7BPgeuRCbZZQf7Dh7aNEe"
    "0Bf4aAhaeI+oBM5Ctyh5wegI4FFjPE3nvsMcAU0IC6yLGQBYjHXgPiIg/6xHvF+2MRk3UI"
    "O9PNNx04+FuADJ9MBQnrwO9/sMeYlf+OKP/542CCkW2Jvw8YaPge+0tOiq0DXhR9dz1EKQ"
    "OORtQRZyTihiBCghdLV7w4EHSMB+LHQw8ojZgegj6ytNpw0KJ+A9QkHtKq3iVuYEOvoglO"
    "5N4ZohVleGLxIeK5EdGe4+nQ8T+Kspz/Y8MkdjB3kvLu0p8RJybAcmyzznDeISs1cp3Ats"
    "MhHj2STGUPfC9AMTet5IGFJjCw+fjn1LIHybMDw7i6Hhm3FyPDOMjNjYgiNWbDRybDj+GB"
    "+SzjCEx5F/70537/+PhN/+j47O3pyZs3p2+P3rKyor/5V28eZGcSuGRVArThX4dXI94hwi"
    "avnNP8wYOggT40EhYn8Iv/cwx4P4NeMfxR+QwD2Ic1YUD0IOFAsuBsggVz+N2wkTP1Z+zn"
    "yVEFuv8Y3Lz/ZXDz4uTopQrxVfimL149iLkUL72Y6GAbFt8ytCvD8/XRUR1EebFSTOVLFd"
    "UFGlPsa43aFMm+oHtaC9zTCmxP89Ca0IVjbGOfbaJ5fAeeB5fFAGcJMyjbmDZaoBvDfPvN"
    "/iB/vfhycPjj4fDLwcsnQF+B9OjiX6Pf/8jgaGG2h94jD1nGPYY6IzVPuS8D9m2d8fq2fL"
    "i+zY/WRBBS4f3AHvt4jkrGakKWwdYK6V5Ff+zgnlY1VIefLm5Hg0+/8urnlH6zBViD0QV/"
    "0xdPl5mnL84yDIkrAf8cjn4B/Cf49/XVhYCTUH/qiRaTcqN/cwHzAAY+MRyyMKCVxiR6HD"
    "1SGJwWp3U4nKbrWNxqFvszNhstQyh0eopAlnI1KkFT1h7thiKQAO8h1142wT1D2MGuBXus"
    "W9cHPCbpoNaCOjLkFKBNiI2gUwx3miyD+JjRbRLyYuvbKvaJ8+vrS2WLOB9m8Lz6/On8gm"
    "lnYm9ghbj6VAgz3xEMvpPqaQwq2TPSF5JNM6c2CBulMYN0VrRCONArwVKlyw7apS8x3h8p"
    "5/zy+lwZvUxJOB9eDW5+e/Fp8K+XipRzeX3116h8Wng5/210MSjEv6FakSPuJM92S56CXw"
    "Et4nTlBqESdlvE41uERIx4eIqdJitbQtlwbQvt+jswjda1tHloyvZU5Bl3qECdrmJBlrJj"
    "wVNZMGEdQ57r4WLVqwYrMjV0LGnIkvjs14AFrKje77O0K9jud4chO7fbh9wymHhGScEmNE"
    "Lfy9TvHOWWLfKqrrLekw2FvZEtvnjORcVT8sF7Pg0fxNn/5C51/MwfjKF5t4CeZShvVLWy"
    "QKM8D8k+/v0G2VB8bZEQxl1efiUbViJXOuuSp+HCkNlLfMzPiIR89DSYbmRVI17TvsJFg3"
    "Fc+dPQuk3VtE9o8SlJ+qRskuZfzfvz7BPowKn4JN42bynlenaLoGfODkoc08K3vcfc0wya"
    "FHzUSW00Q0CW53UAn63w3BkMOkDUBbADbLJAHjAhJ1942PeRAyJfL7DA/iztYpb3RVtLC4"
    "+7nJX6UkmMdD2q0lSdX9Va/arKpYy98qvahFCh2BcYrDpgR+U7sBuA3fkINfcR0pCE17kh"
    "u66NkfUxcEw/dOrN7crZIpVbsyxsTJTSjzuRg3vkca9ivmdS5N1jE9GfRPU/8XV1zDbNn9"
    "jwBP4M+mABKQgbku7dDlpw924bUr/AS3y1dT9hT16Xf3O4pXbbcOU2LGMA8hyocsCLKPZi"
    "d1B98M5OavjgnZ2U+uDxV+puEM19ffuZStkdlrXOfNaSzSqwcGFAk3heuS3FJerFM/nhdp"
    "GKAXoHFjPS4wFDDv8X+j3Ayixm2JwBGoz/g0w/CilavgKjGaGI10AcBEwyn/M3lK00CEAw"
    "hr45Kwln2lTLDaKZpJUjbJH/WSMmiONupEjqRR2Jbuq0EBMU1g/++cvFzYX8eDC8BWxGg6"
    "vPl5dbCEXqtuo6W3WDHaTbOdq5cyjROrOCGKhy1Twsvhey16Y182S9rivsJhR7Abgq7Pbr"
    "BJz0ywNO+rmAk9SeVv/0MCbZC4g3Pab1z2u7c9pV4B4LV7WDVyOCRqi3zPMhE8h6VieMNb"
    "vJpoJYz/Jxlj6aEq/AE6sc4DTNlkc2EdrDyuDt14G3Xw5v/2VrTKvn/N+hhRyfh5/ltVb1"
    "fa9CexVPDJwuWuvEk2uAHllIw6aPbJuyPzEFoj4w8cgcoHvkLYFg4s/i+JF/euBSYEKPvc"
    "AF9tSV1rxia+rtHNp2i/NFvH7CRJGa2XH/zVmsi/EfVdrX7afB5eXj6lZ6ZKl4fv48/FCG"
    "ZUKTQTQIsPWKU25riz1kjRoedCwyN3hnXrw8XNN+K9ajY7ncp7Ul8fV7HaGchpvpe+uDeC"
    "e03HbsOExgcMQqkd1qwhdVe4wpitQ+rpPF5frvBmMbm4BB6DKuIrbCk8DmNkeyeAXeQ3PG"
    "Hk2IbYv9AlGxc9CfwVeKvn3lWZfYSsIecjOlhzk5doTdEvuAeBYqyvu08eafsE2xZvRMiS"
    "FB536zImPiHft4HeE6Kr8XOvq6zSBh5L2uuVwhazTS26YlbiWseUtOfh32fMNkewRDoEhq"
    "rlDc00T7Zx1ZTdq0lghTMasK5Kk0G8tFqrAUri9WuTY0EZNWPCBXSNpLHIPDhJavwFehEx"
    "BPSC/cRUl6GC/Ewa+kE25M/NUEe9T/OT5KpmAG7xFwmP5eJFZtunnNQ2hqB9PHzoNToBtm"
    "4EW6U9W5cFQsewqdUr10W5ZOY481zM+hKxuXmSeifuh8eUJd+eWyWM0zcQGCxmIXlV+NIL"
    "VdSXYt2SErfNWQEllS97wjQ9YdejzBtTlZOzKSVVU+gBRVlwygRjKALuPXlhSHdmTTa5kw"
    "u+tWyM7c/FwZXZjZrGL5TBF1FgCdRbQduulH6JDAfx94lHgHefVUed2r0FAnoiDXk1jJ+k"
    "oq9HzMfx6KaFU+mOk7oe7xIBnABziwkI1F6mLpmUwmYSzN9/B9XDqtPGJnTL4zFZEWnjtv"
    "suEn2PvjTuqeTiuE+2P9X8eBNWegttkzRdRJi7tgZn5egLdkZ2Fr6qw0QUP6beW+wss1TN"
    "AAGFOCOV+beRQMuMcUi4QK0rAoTnwxBQ7xwRKJtAqhKiipqxIzrKDmJ+wLWzspa+WusJUz"
    "4XZMsSEXNj5B765ggiXvqqaXEFeMOStWU2bjcwDd85EfuMAnYexYnJuECz7sy5iGYSOLdR"
    "lAzjlK5JwQNhbGUhA4SiHicF8LVgm9w650rSiefRtruUuXsrtzM22buhPZrDRZkaLarrSx"
    "c8xox7J4iefYv4HCVJxdFpN3VcuizUtprIh8MESBsoL2nVx21OjbHr8LENnibFM6PkunZ/"
    "Zj8OuQ66EmU0OjcFyfKXFshRIaJj8EnTJl1CleFjfX/Bfni3NOfLbu8iBgH8y5IgwZ/vMx"
    "8nh7JuQe3C++BcSHL7nkA50lYB3AxAIvKGIj06Ivn7rEbvd6uWd1fCgYmce6dPGMy++RMb"
    "D/+uTNydvjs5N4vYyfVC2TBdd0yPGvAWeKogM0D2jYQUN3lOboOnDLwdUftQWUHcCtkpDI"
    "9BcE1U1VfVMpHZGpMYsK1Qwfs5fcWT50AuMih6j2MHYG+zmM8uLZLKUkIczrZJq2vYeRBe"
    "yxeccN7NIprCyubN1NdgFnnf3+OZiT03uCQK6hQ0CWtq1eAV8ODpFLzNkGbmvaFc8AwTrt"
    "8KM0VTfP9OdZM0tijrSDvgH0IoVNQ+zTtB34WuCHwQJNDraaqxnPF25+62phwuXHrmotTr"
    "bcwV0z0Euuz5q4F1F3DNBkgMO6NQ780EdNB3yVsgNeC/joDIJtjuIoVhP9QvKOBTtyHveJ"
    "WJwlEqWswSn1sldhc5qrxRrn3pXOOChK9cCqQXDeCw+wkCVTONjLXOoGMBQuPaw+KL0/WV"
    "X8R+h+UD8F7zo70MKE8u0/UGuHp0KXpnYf7SZd7tQ15OTLXROvu3aliPboWOp5eHJ32L/b"
    "+USf7V1a2iEviytG85JydPNoqYwcX25a71DWJtN3UXYOmbRMGnbqCKOcXo4t8JXtgDOew2"
    "NG2LfJNB7iySEF/AOKj2c32bhmbhAXesipeSuFgNxIWcSqcmTIitUUGZlcHbLz0QIpO1Kr"
    "CyLky8RurCI9sSMO8fGEX6QTRg3IjumAkiOs6lFxc+kegsHVhyjQory3nBPLBp3N0tXqa5"
    "qodlcVDtfvnhkOyaqOrbTJGbYs9OhIkqXA//0FHOWafbylcP4bTDfWGbMZiMXf0KEL5FHw"
    "/+BI/I6Npbxvh9BxSOCYiIfs0MOq9Dz1O+2gRfM+53mUSodQvw+CCq2wGzNSc+GLeuASN7"
    "Dho3NGowtKYrNGnEkM5avlkdKzZgxL2fBXzTqld9p8TDq2eo4q64/K0V46kV3NroYXHq96"
    "AqY7mWHuU3q5cj4rHU34/JQ+roDlnWGxnYbFRJjVsI/ENJ2K/pST9aV26FmaqsO+sWlKrp"
    "C6UUKJ9L+H9pFVRQptPWvtc4PZx76tNYxjgv1LCtyvBW+/At9+HuAxsbSGcFR+D0fv67Oj"
    "ozoIi3IVF1OJtyrKC+gwUAwTunCM7TiTsQr6wPPgshj1EvoME2xMNxugrbqN/3hYb2rS3/"
    "/I+zNN+PU5ptYKoVLt3zJR5zry8tvIc5eR71n+w+6UvuiUvgUpTDsWr4/F5ccZ9ZWz8jo6"
    "Va2pqlZ6cNOALdkqOq405Upy9qOyoTpENaHadc/c5oGqCYaRZTQ/lquyvqeotpz1PTaVtj"
    "jpu5zxDXK+Zwh3fbxu2r4mz1r1IE8RdXBrwU1N4hWtI1UX/0UkHdR6YSrcP4gaDRDPUnbA"
    "60kcpGAF/2gTWCZrkKKFe8IJdgTnCsg+XH8+v7wAv95cvB/eDq+vVHVKvFR3xpuLwWU2eQ"
    "+ehtdGZcewA70SG1tCk5U9lr40t+2PBnvO7+lJSyH/GNycD68GN78VX/UTlU8rpue/jS4G"
    "OZGEfXmJT3r5FdgqVSsuwV47BzQuvMYWmrvER465NO6QlrW+gHT/DJ7909M65yKnp+XnIv"
    "ydCvqEtY8818PFwnX5MpIhbLiWtAzwLSwliqOPhqCtuBB3+WufFC+b5UaBkMIEPjx1/o7k"
    "bBiynsPikxXpxT+Yop1kwkM0zqKnqQ54cBF7fqnjj32+hWwkxZSrazB4P+ICzcNW4ipukN"
    "T486EV0ZteRXSFh5LQ8zp326QvA+AJdKV5TCThXWDbBmMkLpZ3eGQvjcIfwtzmXxmpOUPW"
    "V5FnlwQilS/F05nfAzYU2eoceb+8eFh0w82mm+/uM9idZa4Hyh0GxaDQtFrGNFu2WW5gr1"
    "+l8VLMMV3DZUzUbe1P29q3tAX52EPWiNyhomQYyuvqzUgUZMstK6kR8ydVfHlrDV/zoYnY"
    "HsErkZec8QA6pibJnKnhDRvA5ukmmKDqMt4hcVsG2zzYbzNAVnF033qa0YzjizCCj4bQqW"
    "jy9EoC7CJX+ApPd0FtzCCd5ec0Ew/PI8VH3cQUolXZXba6j21MVSrfxFKsz7Gi2qdDpey8"
    "Olrt1SEXh2KTUJWFQqXrDBRNDRQtueno+cowGV501om0dSKcoKpxIjX4WmWbkFchlt7Dq7"
    "yuEgzlDYPhPbz15cIoW372DtxUUvz4sqDwCkTBaXHtGlfDE7lOEMsrEOWtbPx2uTJBcQPt"
    "8iuLhEwaXtlIZeUy80Ro75gjjzGFjQtp8che2NhjP/nlvozQQYuU+SN9OyXPS8ELiSq/OF"
    "8XPFuFqDPqY1iFzN4ZNS1/yWIzeC8vZ+K0NPpyzL+UKd+U40HuKJgQr7uAoLuAYBXL7845"
    "CshJrQ24QtZBrgd5tDhqQp4m2y7kBajsGhPi3USPCQpZN+71M9zRZvoN7SDfLcPsbTBO45"
    "STv9OvK+XvVMHaR4Vpolfgg1BKwruJuTh6h1yfC30AAm50Ai9cL3CQgdhosF4mdxwLU6uI"
    "OQNCr+G5hydsyIi0aPOiM8KNtatpuZVqWR3LrQJ3qM5ZpcbbMI9JUr2aAm3jOUxCsbe1lt"
    "x2nEjesY/P41/u8hWV38cA7eM60dnH5aHZx7n0ApBJaQWGoxGbNCXH7jHFXgD8SMi1YjeN"
    "gCw2m0bFU8C/55bULpr4WR1KuDCgjY6eFMIVMHl3Dih2jscpAUWTySplx+U2c7k739q2Kt"
    "idb+3L+dZInKfIY6yDvH6tvO5V6NfKuUz9863w7Cg6A5KeSVH+YFln8QFVXcLO/XV3lple"
    "Ttlshw1qgDxcODvCF1XzAiZFHpsQ5RxZ8YHic7GP9F+fvDl5e3x2Eo/U+EnVAH3c8nGPPK"
    "p5f1CKZC/U8w0EuvE5pYFwWHwP0X1dL/lfVeq/fOI/fnFmoej2t9vrqxJbR0KSVZCw6YP/"
    "go2n+Vu7bsTBqDY1Za1KPVXf4RWcb/s05eF/3vzfsQ=="
)
