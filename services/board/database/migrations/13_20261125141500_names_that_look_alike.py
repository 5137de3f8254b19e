from tortoise import BaseDBAsyncClient

# An index that is built concurrently delays no write, but needs a transaction of its own.
RUN_IN_TRANSACTION = False

# As in sql/name_look.sql, which is applied after the migrations.
NAME_LOOK = r"""
CREATE OR REPLACE FUNCTION name_look(p_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT regexp_replace(replace(replace(translate(lower(p_name COLLATE "C"), '01i', 'oll'), 'm', 'rn'), 'w', 'vv'),
        '([ ._-])\1+', '\1', 'g')
$$
"""


async def upgrade(db: BaseDBAsyncClient) -> str:
    """Build an index that is not unique: agents that look alike already keep their names."""
    async with db.acquire_connection() as connection:
        # It waits for transactions that began before it, such as a backup, and no other waits for it.
        await connection.execute("SET lock_timeout = '60s'")
        await connection.execute(NAME_LOOK)
        await connection.execute("DROP INDEX CONCURRENTLY IF EXISTS agents_look")
        await connection.execute("CREATE INDEX CONCURRENTLY agents_look ON agents (name_look(name))")
    return "SELECT"


async def downgrade(db: BaseDBAsyncClient) -> str:
    return """
        DROP INDEX agents_look;
        DROP FUNCTION name_look;
        """


MODELS_STATE = (
    "eJztHdly2zjyV1B6cVKl9TjykWyyu1VS4my049hTtjIzmckUA5GQhDVFMDysuLL+98XBC7"
    "xE0DoomS+JBaABsBtAH+hu/OiMCXSMw/4UWV7nNfjRseAc0T+k8i7oQNuOStlvD45N3g6y"
    "Fi5vMnY9B+qsmwk0XUSLDOTqDrY9TCzWtm8BqOvEt7zXAHsusB0ywSZtyH540DQxcrvAmy"
    "Fg4ClyPUAmoorcIqsLoGWAxQzReocWA+wC13dtZBnIAMSh1YDYyIEecQ7ZfAyi0wlha7r5"
    "oX0Lf/OR5pEpB6ET+PMvWoxp++/IZT9/dCYYmQb/u0ORhu+wd89AsdFhTdF320GuSxHnht"
    "AhZQTGNQ6EOC3ubV7R4XCUBvzHQxdIg+gOgh4ylMaw0KL6AK5OHKTUvU1s34ROyRAMyL7V"
    "+CjS8sT8Q3i5FsIO8HRoee95W0b/saYT059bcXv73psRKwLAYm3TyTDaISOxci3fNIMlHh"
    "YJotICz/FRRE0jLjDQBPomW/8MWswgLuto2uXVSLs5H2laJ7M3QojEmg2KdIo/ig/MdhnD"
    "wJRN4W9/7/WOj1/2jo7PXp2evHx5+uroFW3L55utevkgJhOjS3TFkTb89/ByxCZE6OYVe5"
    "oVPHAY6EEtJnGMfv5/hgBvZ9DJR3/YPkUA+mF1CBAWxBSID5xNkGAOv2smsqbejP48OSrB"
    "7q/967cf+tfPTo6eyyi+DGp6vOqB76Xo6MVEBbdB8y2jdmX4fHF0VAWjrFkhTkWljNUFGr"
    "vYU1q1CZB9we5pJeSeluD2NItaHdpwjE3sUSaaxW/fceB9PoLTgCksm9itdUDXRvPNN/Od"
    "+PXsS+fgx8PBl87zR6C+BNOj899Hf/6VwqOBKQ+9Qw4ytDsMVVZqFnJfFuyrKuv1VfFyfZ"
    "VdrbEgJKP3HS328BwVrNUYLIVbI4A7DP/YQZ5WtlSHH89vRv2Pv7Du5677zeTI6o/OWU2P"
    "l96nSp+dpQgSdQJ+G44+APYT/HF1ec7RSVxv6vAR43ajP5iA2YG+RzSLLDRoJHESFodFEo"
    "GT4rQKhZNwLYkbTWJvRnejoXGFTk0RSEOuRiWoS9qj3VAEYsQ7yDbv6+A9BdiiXQntkW5d"
    "HeERSItqJVSHhpwcbBNiImjlozsJlsL4mMJtEuX51rdV8InB1dWFxCIGwxQ+Lz99HJxT7Y"
    "zzBtqIqU+5aGYcQWOcVE1jkMGekL4QM82M2sBtlNoMurO8E8KCTgEuZbj0or33BI73R8oZ"
    "XFwNpNVLlYTB8LJ//fnZx/7vzyUp5+Lq8t9h+6TwMvg8Ou/n4r+mWpEBbiXPZkuenF6+m0"
    "fpUgYhA7YsYjmLEBgjDp5iq87JFkPWPNsCu/4ObKN1HW0OmlKeihztFuWo02UkSEO2JHgs"
    "CSZ0YsixHZyvelUgRaqHliQ1SRLd/WowhxTl/D4NuwJ2vzsE2TluH1BLo+KZS3KY0Ah9L1"
    "K/M5BbtsjLusp6bzYk8oa2+Pw9FzZPyAdv2TZ84Hf/k9vE9TMrGEP9dgEdQ5NqZLUyR6Mc"
    "BGDvf75GJuRfmyeEMZeXX8iGlciV7rq4NDgYUrzEw+yOiMtHj0PTtehqxHraV3S5/jjq/H"
    "HYukn0tE/YYluS9EjRJs1WzXvzdAm04JR/EhubjZRwPbtB0NFnnQLHtKC2u8w9TXPjhkud"
    "1EYzBER71gfw6AnPnMGgBXhfAFvAJAvkAB0y8IWDPQ9ZIPT1AgvszZIuZllftLWMsNzlrN"
    "CXSuBI1aMqCdX6Va3Vr6pYytgrv6pNCBWSfYGiVQXZYfsW2TWQ3foI1fcRUpCE18mQbdvE"
    "yHjvW7oXOPVmuHK6SSlrFo21idR6uRM5uEMO8ypmPNNFzh3WkfsT7/4ndq6OKdP8iS5P4M"
    "2gBxbQBcFAwr3bQgvm3m1C18vxEl9t34/gyevybw5YasuGS9mwiAHIUqDMAS+E2AvuIPvg"
    "nZ1U8ME7Oyn0wWNVMjcI9766/UyGbC/LGmc+awiz8g2cG9DEy0vZUtSiWjyTF7CLRAzQa7"
    "CYkS4LGLLYv9DrAtpmMcP6DLj++L9I98KQovtDMJoRF7EeiIWATuZzVuPSkwYBCMbQ02cF"
    "4UybGrlGNJOwcgQjsj8rxAQxvGsJkGpRR3yaKiNEALn9g98+nF+fi48HwxtAdzS4/HRxsY"
    "VQpJZVV2HVNThIyzmayTmkaJ1ZTgxUsWoeNN8L2WvTmnl8XlcVdmOIvUC4LOz2qgSc9IoD"
    "TnqZgJMET6t+exiB7AWKN72m1e9r23vaVeA9Eq4qB6+GALWw3jDPh1Qg61mVMNY0k00EsZ"
    "49b4ztb8D+HRrI8lh8VFatkuu7JeoVL9FwsmmlKzmmojhkISxvHjJNl/6JXcD7AxOHzAG6"
    "Q849IExHecPvx9in+7YLdOjQCpxj8Ftpzys2993MoWk2OKHBi0erDse9l2eRssB+lKkHNx"
    "/7FxfL9YHkypLx+enT8F0RLmOYFEZ9HxuHDHJbPOCADqo5VDEnc41N5tnzgzUxBH4eHYvz"
    "KCnO86/f6xDaJLqpQrI+FO+EGtYMjkNFBoufEmlWE1SU8RidN6l8nySai/Pf9scm1gFFoU"
    "2piugJT3yTGcXI4hC8hfqMFk2IaXJ+gVzOOdw34KuLvn1laYHoSUILmR3NwQwcW9ywhj1A"
    "HAPlJSba+PCPYFN0GDVbVwDQ+oesyNp1Sz9eRbwO2++FErluPT0IDVe150pgtVZ609SYrc"
    "TdbskLrcU9Y5iUR1AM5EnNxWeLBLR/6vtq8no1RJiKSJUjTyXJWCxSBa1wdbHKNqGOqLTi"
    "AHFCut3YczXIuHgIvnKdgDhcemE+NMIFdsFvJgUc97NhVRPsuN6b6K7TBTN4h4BF9fc8sW"
    "rTwyvekrqmP112YZlAuqb7Tqg7lV1chs3S16QJ1Ut1ZOHVtGxgdlFaOrhIjRDOQ+XLY+jS"
    "LxfNKl7aciQoHHZh+9UIUtuVZNeSvrDEmQpJoQ9VDfIpsNYq/wjf2/jsSElWZQHrCag2Wr"
    "1CtHqbkmpLikMz0r01TJjddStka25+qoTOTb1VcnwmgFoLgMoh2gzd9D20iO+99R2XOJ2s"
    "eipVd0s01AlvyPQk2rK6kgodD7OfBzycki1m9zVX91gUB2ALHBjIxDy3rnCdJZMg2ON7UB"
    "+1TiqP2BqT71RFdHPvnTc58CPs/dEkVW+nJcD9sf6v48KaEVDZ7JkAaqXFXTAzPy2EN4Sz"
    "0DN1VphBIFlbyldYu5oZBAAlij9nZzML0wB32MU84l8YFvmNL3aBRTxwj3jcf6AKCuiyzA"
    "Er6PkRfGFrN2WN5ApbuRNuxhYbMmHjI3RuczZYXFe2vbi4os1ps4oyG9sD6I6tfN8GHgmC"
    "m6LkGUzwoV9GNQwTGXTKADLKuUTsCW5joSQFviU1IhbztaCduLfYFq4V+btvYyO3+Tx2d2"
    "8mbVO3PN2SIikSUNuVNnaOGM04Fi/I9APldDmHYlhTdiSaZKrNwkYVnaPNe+YKFlxxMr2Q"
    "d3sQXXW+CXyYWTIh5ISqJB0pqVkGfnO0WL9l6qO48izyml73kK07daudPgVlKamdcszVNH"
    "enYZtq8/7SOUA20WcbSJa/K3ZvTjpl59okVLvP1PdZPTk5A9qiXgn1gTdWHctBXv6vFt3L"
    "H2zKTbm27LGm/HRrLboretJq8cPYCleZOdAtARQJYNFpjX0vuARUQb4M2SJeCfGhX6wWvL"
    "OuiP1c8JYEO2Lw4EnTs9aOMJd6oakjStdezc5hkunr0J1bRLkJRtWl05mP2U25iIAz7zOR"
    "b4DBi+UGvlJhfMacvmeEfpvw++YlBy5gH5Bv8djk4IrO5DZ0kFUxzxZHuZbg8GVO1aJj2a"
    "c65dwtJh/KwmIilabAfQR0bEeZ0x85EYt4eMJSAwbXTGJiKkjJAJbNKH+45AxB//JdeDNX"
    "PFvxMKb6ZNNwleaaBKo8VYnC1aenB0uybGIrHXKGDQMtXUmiFfjHv8BRZtjlIwX7X6PsSm"
    "XNplDM/4aWu0COC/4JjvjvSPhjczuAlkXZoI7YHa97UBbPUX3SFlrUn3OWRgn/2epz4FBo"
    "hdOYkYoHXzgDm9i+CZfuGYUpSJFwtSgTC/6rpZE0s3oES+gkqyadNDtlOsYTWz1FpfNHpm"
    "g3GflYcarBEw6r3oDJSaaI+5hZrpzO0kRjOj9mjisgudLt0SoSerZ35q+r3JnHwmx1EsQw"
    "rQv4YyyF98q+CkmoFve1vVLFCZn//EtJIs5I+t/DBB+rikzdepqDp4ZmD3um0jKOAPYvi0"
    "SvEnp7JfjtZRE8JobSEg7b7+HqfXF2dFQFw7xdSapNXitjeQEtihSt9sNFBfBP8P2i1P3M"
    "hOVb1JVOCBlq/46JKg+sFL+vknleZc8CZtuI6LTDUENi3lsSr4/ExdcZ1ZWz4j5aVa2uql"
    "Z4cVODLOkuWqrUpUp896Pi9R1D7bqnQX3f7xiHoWU0u5bL0gQloLacJigylTY4S5DY8TWS"
    "BKUAd329btq+Ju5a1VCeAGrRrYRuVydO3jlSlik6BGlRreZ2x/yDXK0GxtOQLeLVJA6Sc4"
    "K/NwkskjVI3sE9YQA7gucSlL27+jS4OAe/XJ+/Hd4Mry5ldYpXypzx+rx/kUJo0aO7A2xB"
    "p8DGVvjs7vjeE+a2/dFgByyxY1IK+bV/PRhe9q8/5+eGDNsnFdPB59F5PyOS0C8viPIrfj"
    "NFhmrEqylrp4DCCynYQHObeMjS77VbpGStzwHdP4Nn7/S0yr3I6WnxvQirk5E+oeMjx3Zw"
    "vnBdfIykAGueJQ1D+BaOEsnRR0HQllyI24QHj/L/T1MjR0ihAh+eWj8jsRuGdOYw/2YleD"
    "N7inaSCA/hOgtLExNw4CLy/JLXH/18A5lIiCmXV6D/dsQEmoetxFVcI6HxZ0MrwppuSXSF"
    "g+JQmirJEJPZo1jWe2Ee6wLigAU2TTBG/CUi6xAMPTcMfwiS4XyloPoMGV8Bez6c+DwxlY"
    "unM68LTMgTQFjiQSJemJcScdPDtwmwdueY64Jih0G+KBStlhHMlm2WG+D1qzRe8j2mariM"
    "gFrWvoOhfdfIww4yRuQWWbl8KFFdzox4Q3rc0pYKMX9CxRdpDtmZD3VEeQTrRGTFZQF0VE"
    "0SaYiClGzAZOlxw1f0eHo1yjzob91HRn5033qGUYzjC3EEl4bQydhk4eIc2Xmu8CWe7hxa"
    "m0E3581mKh4OQsVHZmIS0KrsLlvlYxtTlYqZWIL0GVKU+3TIkK1XR6O9OsThkG8SKrNQyH"
    "CtgaKugaIhqTGfrgyTokVrnUhaJ4INKhsnEouvUbYJkTu78OEGqbpMMBQpqYOHG6rLhWEC"
    "yvSjCYk8k9yS4MU5szmleZ5epobHch0HFjmzRRpflo64SFDcwLhfrC8Wl0mDHN+u6Fxkng"
    "jsHXPkUKLQdSEsHukM3136k70GQQHZ+32x+SOZzrxNs9mm2VzFibhzd/dinykjXAJrUa6G"
    "8vC8UkR5Emy7KM/Byi4QoRlWpBt/nMRTRlhIVpcKC4mGle81kkCH4B2XoILM+4x33iLb4w"
    "8FQ8A0ZPDMdnwLaYiuD+N5nMGf24V4gAzgQhjtDEzoIuI5nOZ5FxobG1fRzCRkyCpmJgnd"
    "gey59A3iuPuKj/GuK+FCIBA01uzUjOuTW/rxWfwX+6eE7fcxmvS4SijpcXEc6XEmFhpS/p"
    "Wj5Ra/exxD7AWCl8SHSkaelbx13IY+qhFh1yyoNvTdWnZyCbB98LfJNE4IKIpEliFbKjeZ"
    "yq0xftuqYGuM3xdj/Igbfwsfu5SquyX6tWRErm6Mr/AoZe3XLFtfvR07ZroZZbMZNqg+cn"
    "Du7ggqyvYFjJss2xDFFFnxVctTsY/0Xpy8PHl1fHYSrdSopGyBLrd83CHHzX3cvNj4kQDZ"
    "C/V8A1E5bE8pYDhovofYfVEtU1lZnrJsljL2akmu6Pafm6vLAltHDJJWkLDugf+BjeckW7"
    "tuxJBRbmpKW5W6sr7DOhhs+zbl4f8frnVy"
)
