from tortoise import BaseDBAsyncClient

# Indexes that are built concurrently delay no write, but need a transaction of their own.
RUN_IN_TRANSACTION = False

# As in sql/name_key.sql, which is applied after the migrations.
NAME_KEY = """
CREATE OR REPLACE FUNCTION name_key(p_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(p_name) = char_length(p_name) THEN lower(p_name COLLATE pg_c_utf8)
    ELSE normalize(replace(lower(upper(normalize(p_name, NFKD) COLLATE pg_c_utf8)), 'ß', 'ss'), NFKC) END;
"""
# Every step can be repeated, because an interrupted migration begins again.
TABLES = """
CREATE TABLE IF NOT EXISTS name_looks (
    id bigserial PRIMARY KEY,
    digest bytea NOT NULL,
    agent_id bigint NOT NULL REFERENCES agents (id)
);
CREATE INDEX IF NOT EXISTS name_looks_digest ON name_looks (digest);
ALTER TABLE communities DROP CONSTRAINT IF EXISTS communities_slug_check;
ALTER TABLE communities ADD CONSTRAINT communities_slug_check
    CHECK (slug ~ '^[^-[:space:][:cntrl:]/][^[:space:][:cntrl:]/]*$');
"""


async def upgrade(db: BaseDBAsyncClient) -> str:
    """Let names and slugs have letters of all scripts. The index of names stays until its successor is there."""
    async with db.acquire_connection() as connection:
        # It waits for transactions that began before it, such as a backup, and no other waits for it.
        await connection.execute("SET lock_timeout = '60s'")
        await connection.execute(NAME_KEY)
        await connection.execute(TABLES)
        await connection.execute("DROP INDEX CONCURRENTLY IF EXISTS agents_name_key")
        await connection.execute("CREATE UNIQUE INDEX CONCURRENTLY agents_name_key ON agents (name_key(name))")
        await connection.execute("DROP INDEX CONCURRENTLY IF EXISTS agents_name")
    return "SELECT"


async def downgrade(db: BaseDBAsyncClient) -> str:
    return """
        CREATE UNIQUE INDEX agents_name ON agents (lower(name));
        DROP INDEX agents_name_key;
        DROP FUNCTION name_key;
        DROP TABLE name_looks;
        ALTER TABLE communities DROP CONSTRAINT communities_slug_check;
        ALTER TABLE communities ADD CONSTRAINT communities_slug_check CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,39}$');
        """


MODELS_STATE = (
    "eJztXVtz27iS/isovzip0noc23Gymd2tkhPnjHccO2U755w5kykGImEJa4pQCMqKNpv/vm"
    "iA95sISpYoBS+JRaIB8Gtcuhvdje97A4Z956A/JF6w9wZ93/PwmIg/Ms97aA9PJvFT+B3g"
    "gSvLYSjBZZEBD3xsQzX32OVEPHIIt306CSjzoGzfQ9i22dQL3iAacDTx2T11RUH4EWDXpY"
    "T3UDAiyKFDwgPE7tUr9kC8HsKeg2YjIt774jGiHPEpnxDPIQ5ivniN2IT4OGD+AfTHYbbo"
    "EPWG62966tGvU2IFbChJRAf+/Es8pqL8N8Lh5/e9e0pcR/69Jyg5cSyXsYc9KEe+TXzCuU"
    "CNR6QRWxTclqKQjJhP5Is9SScYAD/QP347vzlHqXrRxS26ur5DV58uL/d+9FCm/fhbLIEP"
    "dRv2IU+1oDO54rUdEqOIPtJgDvVQp2F/JBGp7EahEdsnOFAgNm7DI7PmDXCb+USr+gmbTF"
    "3s1zQBRJMHS7aSma9Ufoh8bkW0Z3R44QXvZVmYEAPLZu507CXlJ/NgxLyYgKrJLjoDg5k4"
    "qansTV03nPPRIzXKxYPAn5J4eDvJA4fc46kLCwJQqx4kz/YsSwwA6/b8zrL2CotFRJGaxO"
    "EjW+An8KCw7AACQ+jCv/370dHx8aujw+PT1y9PXr16+frwtSgr+1t89eqH6kwCl6pKgnbx"
    "t4urO+gQE6uZWuTgwQ9JgwNsJSxO4Jf/FxjwdoT9cvij8jkGiA9rw4DoQcKBZAVeBwvG+J"
    "vlEm8YjMTPk8MadP/ev3n7W//m2cnh8yzEV+GbI/nqh5xL8V5EmQ62YfENQ7syPF8cHjZB"
    "FIpVYqpeZlGdkQGngdaoTZHsCrovG4H7sgbbl0VobTzBA+rSQEgVRXz7vo/n5QDnCXMou5"
    "S3WqBbw3z71X2nfj37vLf//cf+573nS0Bfg/Td+T/v/vwrh6NDxR76SHwhNDxSrDNSi5S7"
    "MmBfNxmvr6uH6+viaE0EoSy878TjgI5JxVhNyHLYOiHdQfTHFu5pdUP14sP57V3/w0eofs"
    "z5V1eC1b87hzdH8uk89/TZaY4hcSXoHxd3vyH4if51fXUu4WQ8GPqyxaTc3b9AwNzD04BZ"
    "HptZ2EljEj2OHmUYnBandTicpjMs7jSLg5GYjY4lNVw9RSBPuRqVoC1rD7dDEUiA98nEnb"
    "fBPUdoYNeCPdatmwMekxiotaCOLFslaDPmEuyVw50myyE+EHTrhLzcHLmKfeLs+voys0Wc"
    "XeTwvPr04excaGdybxCFQH0qhRl2BAt2Uj2NIUv2E+kLyaZZUBuk0dYaYT4qWyE87Fdgma"
    "XLD9p5oDDeHSnn7PL6LDN6hZJwdnHVv/nj2Yf+P59npJzL66u/ReXTwsvZH3fn/VL8W6oV"
    "BWIjeXZb8pT8mvIyTtduEFlCs0Us3iIUYsynQ+q1WdkSypZrW2jX34Jp9FRLm0+GYk8lvv"
    "VAStTpOhbkKQ0LlmXBvegY8Sc+LVe9GrAiV4NhSUuWJGe7uIQV9ft9nnYF2/32MGTrdvuS"
    "Q/92zI7JDb+3gN+WEMc5KxE67si3KnNLgXLDJzBZ3fRpT7Iy7I3OXsrX2Kh4Sh58C8tudo"
    "UNXXn0l9cMoZlrXZ5raTewApd/J/OzSB4pY3BEZWQYDRkGvKnuH1IOPfBggO2HGfYdK/Mm"
    "6+oj4S4x1J2FtO9/vyEull9dwhPpWnklqrkMmbad5ovkaTiACvbM5RD6yNZsvVwjOr5Yb8"
    "E5QSrmy8F0o6q6g5p2FS4+HcSVL4fWbaqmXUILVi52xKrWsuKr8dE4/wR7eCg/CdqGllJO"
    "4LcE+/Zor8JFPHzbW+QobvGk4EJ38bsRQao81IECIWqCWzb2kKwLUQ+5bEZ8ZGMgn/k0CI"
    "iHIq9rNKPBKO3sXfQKf5IWFjt/VzrxKox0XXnTVMah90kdeqvVnZ1y6F23dgMTTwfsqLwB"
    "uwXYxjm1vXOqhsLwlBvyZOJS4ryfenYQRpMUduV8kdqtWRW27jOlF4dzoUfiQzgL7Jmc+I"
    "/UJvwXWf0vsK4OxKb5ixieKBjhAM0wR2FDKtDKIzMItHIxD0ritVZb9xJ78lMF1oRbqtmG"
    "a7dhFY1X5ECd53dEsRO7Q9b5+/SkgfP36Uml8ze8yu4G0dzXtyxmKY2XRudsix3ZrKYOLQ"
    "0tls9rt6W4RLPI4iDcLlLRuG/QbMR6ELrrwb846CFRZjai9gjx6eB/iB1Ewb3zA3Q3YpxA"
    "DcwjyGbjMbzhYqUhCKMBDuxRRWDxulrWjCtWHQPCsEX4s0EwKuBupUiahbvKbuq0EBPUhQ"
    "3LQtlgYbNVd3KrbrGDmJ2jmztHJkx0VBJ8W62ah8V3QvZat2aerNdNhd2EYicAzwq7R00i"
    "HY+qIx2PCpGOqT2tuRtDTLITEK97TOs7jhiHkVXgHgtXTZeSmKAV6h3zH8hlUDhtkj8hv8"
    "mmsiecFgP8AzJkfokLcDXAaZoNj2wmtYeVwXvUBN6janiP8vC28i00HoWdlSe7YYk4g38v"
    "HCLGSTDfK1oksu97NZYJ+cSi6aKNTrNBu/fZTBmtA+K6XPxJOZL1oXufjRF5JP4cyQn6qz"
    "xahk+fTjiysS9e0BJb+UprXrGl/HaMXbfDSaheLLEIKq37+OjVaaxnw486zfr2Q//ycrEq"
    "nR5ZWTw/fbp4V4VlQpNDdDqlzgFQbkp82heNWj72HDa2oDPPnu8/kSwl95pjtb6lVy759T"
    "ud9iQNt1h7nw5is+M03nGEMOjJVSK/1YQv6vYYWxZpfBSriqv1fzIduNRGAsKJ4CoRKzyb"
    "umBPZrMD9BbbI/Honrmu3C8IlzsH/xV94eTrF8htKVYS8RBM0D4FcupJmzQNEPMdUpZdc+"
    "3NL7FNiWb0zMQhgXGtWpGh+EF8vI7iFJXfCfvLU5u4wnQ+ukchGbJWI71jKtNmcqVsyIHT"
    "YA8bptgjBAJlUnONUSZNtHuWr9XkYu2IMBWzqkSeSrOxWqQKS9HmYtXExTYR0oqP1ArJe4"
    "nTd5g2/AB9kToB86X0Au5nynt8Jg/1FZ10UYNX99Tnwa+xmwBHI/xIkCf09zKxat3NazoY"
    "cHc6XHTWnwLdsqd+pDvVnflHxfIeBinVS7dl5RC4qGHwMahtXKWzivqh8+UJde2Xq2IN/R"
    "0kCBqLXVR+NYLUZiXZJ0k5XeOHmOpmAfHqs6wcmTnQWsJtPVk7cpJVXZKhFJXJMNQgw5BJ"
    "I7ohxaEbKXo7JsxuuxXSmJt/VkaXpkutWT5TRMYCoLOIdkU39YRmNSbObYD9Mm/3XIFerZ"
    "YaFrU4lG2sqsrS4EMeyKhm/5H4iFNP6I/K6xwjPvfskc88NuVQ2nMGc6H/gQ7oqNPhYCSY"
    "Gp4hpyoZsRkv007X0OIydn7onf6CmyJ7igV3o1rT9i+zeQ2tG9P/PRYjPHg79TnzSyZ/5n"
    "Xd1L+XBcFMIko2t1GJAUvh575MRAAg8zdyOkH8IwLgkUNcKq9DUUEn4Zz1IOGBfB+XTtuO"
    "qDdg3+R8LXM7WWfDSywDcSeLC0G9c0qGcHcO/57CXwUYqH3qkSIyyuI2nDL9XIB3ZGcRa+"
    "qoMvdO+m3tvgLlWubeQYIp0zGszRDgiB4ppzJXjjpXkJIb5chjAZoTmTEntAQp6rqcOyuo"
    "eYl9YWMH5Z3cFTbiEtKNKXYBwsYH7D+UTLDkXd30kuKKNRbFGspsMAeE+iNG/nSCAhapS1"
    "HaKRB8xJcJydcljugywsA5ztSckCZW0JqmXqYQ88DVSlTCH+hEeVaVz761tWwyYW3v3Eyb"
    "ph9kokJNVqSoNittbB0zurEsXtIxDW6wPCnKL4vJu7pl0YVSGisiDIYoB4KkfaOWnWxihR"
    "5cuE5c6dqg4h5i61H/4wXoobZQQ6NMC8qYozRM8IEYCmXUK18W19f8Z++zd8YCse5CfocA"
    "jUERxgL/8YD40J6NIYDj2dcpC/BzkHywN0eiA5Q56BknYmQ6/DlkjVDd88jMZmPic5CXwF"
    "kkvOqeo7n4b0jAewSLNgWfrZB62fV5s/dd/1SuB3IUFLGuXHnj8jt0kHD04uTVyevj05N4"
    "sY2f1K2xJfcGquGvAWeKwgBaBDTsoKU7Sgt0BtxqcPVHbQmlAbjUktYC3ByVAbZTcisbnh"
    "G45qxEbI1e1UqtbGgNoJSG5Cq9apHQPSHAFmxZIfNFkR4IeF9kAUvy9suvUliUhx/Slxd+"
    "UScu48RuvKo+fB8IAa4q7ndtLS8hKyZd0lMhs3RGn1+RPp8aEXr8yBEarb71AU404Vrh34"
    "EDnK0GXy5uReSrnbhjgp0IQFyH33ZnJIHfCM7uRdk3i+SAUVSoYXYPdw6xzMoFQta4H4fp"
    "RMk+1cUR0lCtbObRZZRVeT2WqhMsTecy7wfcXaGMS9Ljgg3T7hhhrLl4bD+Az4USK0w+EO"
    "NfsYqFayuO+9M7hESupb92nrarTtuf9/bJhNmjJ4wC2g6PwhzbtbNDpKnMPNOfZ+1Oeguk"
    "BvoW0MvssS2xT9Ma8LXAD2O52zgetTc4/rxw+wQuqtCEO0Vk4G6Xh0Otz5q4l1EbBmgywB"
    "PdGkyDMIZAB/wspQFeC/jIR8SK/C/00C8lNyzQXOvB8qFODSwBaNmRQ12+gFL6DWcOiA0X"
    "HUsc0Bkr321Q4aYWveotsPPxuJRWGt84mEleNmePiP0wYQL3N4jT/w0zGDImXbRkwh6fEH"
    "U9HadDjzjg2i4ewKtH4lPxuT56IPP6BL9P2KYx9XXA1Adc1Ns2IgqzU+jtFGKWlAHtYb/i"
    "/tOIIr8dzAOlJ2yXx0cdgHCKk94X/t6/Obu46t/8UX4QFJVPG+TO/rg77+cF03i10jl+y1"
    "LtQo6+dRzBpXGPVnpLrPQ6yOfpDPbbdPz5gTmR+0xRNEq9rBOOxtliOvcwir+UqxH4o4fx"
    "RT00mCe5B3sqpo9ECaNF5QSPD9CV9IPn0js+yQW9OAn1etvu4JXCxgHqTaOAJnNR4S4e35"
    "nb8574ViZgmPZhUYpoh/ykf46EDwb7N1t/1Vt3l5ZuSMlXgs2XjJUF/8ev6iRkILFcUUoj"
    "XMChQzDeSX/9e+aPQb6MMqZBfZncF/3btxcXSLZwgC4CiCmdc3mvuDIEQnlRVIwmTpxy2+"
    "ETt6eZNFz1ZlHy7ARXKyToVV5EvnZB21wI3kTOTviW5cDvZH4W2cyyQWsxQUsTW9eWzQ3Y"
    "2LqSOGPTG9bmsjXkeFFkxHvmEzr0xDSQzLjwIDOmXWbDV/tQP6pmy3jwIxpl0dNkFfTxLF"
    "6uM4NPfLxDXKKOGa+uUf/t3cX1lVri1y4bfBRzrUQukI/rZAKYoxrigMuGb6L7PdQBnvI9"
    "6oUZIYijTFHuvGCIQkCvpjH6IrTjEdwCMmLi29RFIPLJPpe7drlssM7GNQWFCfbDgU8X3r"
    "UhIbdSTlulokJ4y4aqOHvJRu62D9X5aEVUHWnUBZk10qaT2Gi6ZEeESAY2eLF6qMRjqmM6"
    "oBQI63pU3ly6h6h/9S7K1VbdW+DEvEVn83SN+pomatzVDIebd88Oh2Rdx1ba5Ig6Dlk4kl"
    "Qp9B//hQ4LzS5uKZz/scNLwzGbg1j+jT0+AwP6f6JD+Tv254O+7WPPY1Ox10HWP75fd8FP"
    "8057ZNa+z0UepS5UaN4HSUVW2I0Ra7jwRT2YsMnUxQvnjEYXMlejteJM4su5Wh5letaOYS"
    "k301WzLtM7bT4mHVs9RzPrT5ajvfRVeA27CiGFAfFWPQHTncwxd5lerpzPmY4mfF6mjytg"
    "uTl07KYxJBFmNc5OYhpjvl8m+GOunb0yTWWwb31spVZI3VyBifS/g2cnq8oXuPF7b382mA"
    "MauFrDOCbYBbe53LXljeA9qsH3qAjwgDlaQzgqv4Oj98Xp4WEThGW56mNW9TaL8gx7AhTL"
    "xhM8oG58F3IW9L7v4won6Ar6HBNcytdrsc5mNvj+42kvN/3zr2LI3T11SGjFb74Ip6l2b5"
    "k4abIGVy/BhY1ut25QNB58ZR58HbgE1bD46VhcfZzRXDmrrsOoam1VtcqDmxZsyVdhuNKW"
    "K8nZT5YN9aGVCdW2hwS2D7BMBT+FltHiWK6LA09RmejvhdfGqxnf4tb4HOG2j9d129fUWa"
    "se5CkiA7cW3Nxmvm5sdkRioNbLpAL+QdxqgXie0gCvJ3GUBcW/dxmukjVKQ+LvgWBLcK6B"
    "7N31p7PLc/Tx5vztxS24IfbS6pR8md0Zb877l/krPCqcoOsSDRg/6OX9oH0ivrwiXu3Tp4"
    "t3VfJImiqH/nRKnQOg3S0OSDPcsTIKpFGVX5oFlTpkPGEB8ex5eS6BaltnCenuGTyPXr5s"
    "ci7y8mX1uQi8y18WAFe4TfzStBl1y0iO0KQtabmUqFAnTQUyIdqw/ljueN4xBTLjS6Why2"
    "S8tE3cyqriViqsfz9z4ErUgWzkSnr8dSp05YYoo0oxeiV606sJYPFJkoCyQdKXzJXtcM2p"
    "skDKq1Jn1HXRgCA+YjMPAkp5FGES3kD9RZDaI+J8kTlX2FTGqXI6HAU95GJ5ZwVcL0099b"
    "Ak78vamze3zm/PMtdDNbn2YFBo7usxzYa39TWIU6u0D8s5pmsbjonM1r7c1r6hLSigPnHu"
    "2AMpy0CWeV2/GcmCYrkVJVtmWYA1H9tE7BFQibo3CWIUhSaqrkKM0iG4kDVM6AITBrm/4C"
    "4lsXmI3/a0SXKF1TWjGSoZYYQXRilm0YQk6xJszcQKktoaYT4qzunK8P4s0apMWxvdx9am"
    "jVZvYinWF1hR7zaTpTSOM512nFGLQ7nVrTZpbYbO2IBMWo0tlWFMWo1dSatxS7Bvj95Ofc"
    "78EsEw87pOMOSyoGUnJVtc0wmXWYW5YpOrMaUlQSbNl00gyWkkJBcEangi10lilTwrkK/H"
    "2H+oEhTX0C5c9yllUmZPZYi9qlwl9wjtHWPiC6bI277B4iHT4ErjgmoTLgtgQiYVhHDHQG"
    "L+uBer4ygsBKk/oJCs8rP3ZQYJQWSdUR/DKsI7ScOm1S9VbIQfifwWoOXRl1P4UqF8c6Iy"
    "kEG6MnM3QVfuJjDXkK7VF0NNam3AM2QGcj3Io8VRE/I02WYhL0Fl25gQ7yZ6TMiQmXGv50"
    "ka7cwt9BtuIN8uw+ztdJDGqSB/p1/Xyt+pgo2PCtNEB+idVEocJWSCOPpAJgEIfQgjMDqh"
    "ZxN/6hGLiNHgPO8hzpSkKE2tMqwPSb0Gbn24F0NGZp4bl50Rrq1d3Wy4qicNLLcZuEN1zq"
    "k03oapYpLqs1nm1p4mxqTMbXIi+SA+voh/tVddVH4XY+CPmwTAH1dHvx8XMjhgIaVpXT2V"
    "UOwEwAui2jN201XcO2UCtnf8UGKCp7zV0VOGcAVM3p4Diq3jcUpA0WRyltJwuctcNudbm1"
    "YFzfnWrpxv3cnzFHWMtVfUrzOvezX6deZcpvn5Vnh2FJ0BKc+kKEWzqrP8gKopoXF/3Z5l"
    "pldQNrthg+oTn5bOjvBF3bzASZFFE6KaIys+UPxZ7CNHL05enbw+Pj2JR2r8pG6ALrZ8PB"
    "Kfa17fmCLZCfV8DbGEMKc0EA6L7yC6L5rlV6zLrljMrShaDEpFt/++vb6qsHUkJHkFidoB"
    "+j+09kyKT64bARj1pqa8VamX1Xeggo1fs/3j/wHoSKoH"
)
