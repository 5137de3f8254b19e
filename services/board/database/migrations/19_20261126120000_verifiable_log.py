from tortoise import BaseDBAsyncClient

RUN_IN_TRANSACTION = True

KINDS = """
            'post', 'vote', 'hide', 'unhide', 'registration', 'profile', 'operator', 'suspension', 'restoration',
            'rotation', 'community', 'limit', 'moderation'"""


async def upgrade(db: BaseDBAsyncClient) -> str:
    return f"""
        CREATE TABLE log_state (
            id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
            size bigint NOT NULL DEFAULT 0,
            root bytea,
            checkpoint text,
            verifier_key text
        );
        INSERT INTO log_state DEFAULT VALUES;
        CREATE TABLE log_begins (
            generation int PRIMARY KEY,
            first_index bigint NOT NULL,
            first_id bigint NOT NULL,
            entry text NOT NULL
        );
        CREATE TABLE log_nodes (
            level smallint NOT NULL CHECK (level > 0),
            position bigint NOT NULL,
            hash bytea NOT NULL,
            PRIMARY KEY (level, position)
        );
        ALTER DOMAIN change_kind DROP CONSTRAINT changes_kind;
        -- the rows that exist are of the other kinds
        ALTER DOMAIN change_kind ADD CONSTRAINT changes_kind CHECK (VALUE IN ({KINDS}, 'checkpoint'
        )) NOT VALID;
        """


async def downgrade(db: BaseDBAsyncClient) -> str:
    return f"""
        DELETE FROM changes WHERE kind = 'checkpoint';
        ALTER DOMAIN change_kind DROP CONSTRAINT changes_kind;
        ALTER DOMAIN change_kind ADD CONSTRAINT changes_kind CHECK (VALUE IN ({KINDS}
        )) NOT VALID;
        DROP FUNCTION IF EXISTS log_hashes;
        DROP FUNCTION IF EXISTS log_entries;
        DROP TABLE log_nodes;
        DROP TABLE log_begins;
        DROP TABLE log_state;
        """


MODELS_STATE = (
    "eJztXVtz27iS/isovTip0noc23Gymd2tshPnjHccO2U7ey6TKQYiYQnHFKEQpBWdnPz3RQ"
    "O830zQskQpeEksAk2AX+PS3ehufB+MGPad3eMx8YLBG/R94OEpEX/kng/RAM9myVP4HeCR"
    "K+thqMFllREPfGzDa26xy4l45BBu+3QWUOZB3WMPYdtmoRe8QTTgaOazW+qKivAjwK5LCR"
    "+iYEKQQ8eEB4jdqiJ2R7whwp6D5hMiyn3xGFGOeMhnxHOIg5gvihGbER8HzN+F/jjMFh2i"
    "3nj1TYce/RoSK2BjSSI68Mef4jEV9b8RDj+/D24pcR3590BQcuJYLmN3A6hHvs18wrlAjc"
    "ekMVsU3JaikIxYzGTBQNIJBsAP9NffTq9OUea96OwaXVzeoItP5+eDH0OUaz/5FkvgQ92W"
    "fShSPdCZQvXGDolRRO9psID3UKdlfyQRqe1GqRHbJzhQILZuwyPz9g1wm/lE6/UzNgtd7D"
    "c0AUSzO0u2kpuvVH6IfG7FtCd0fOYF72VdmBAjy2ZuOPXS+rNFMGFeQkDVZBedgcFMnMxU"
    "9kLXjeZ8/EiNcvEg8EOSDG8nfeCQWxy6sCAAtepB+mxgWWIAWNenN5Y1KC0WMUVmEkePbI"
    "GfwIPCsgMIjKEL//Gf+/sHB6/29w6OXr88fPXq5eu916Ku7G+56NUP1ZkULvUqCdrZX84u"
    "bqBDTKxmapGDBz8kDQ6wlbI4hV/+X2LA2wn2q+GP6xcYID6sCwPiBykH0hV4FSyY4m+WS7"
    "xxMBE/D/ca0P2/46u3vx1fPTvce56H+CIq2ZdFP+RcSvYiynSwjaqvGdql4flib68NolCt"
    "FlNVmEd1TkacBlqjNkOyLei+bAXuywZsX5ahtfEMj6hLAyFVlPE99n28qAa4SFhA2aW80w"
    "LdGebrr+479evZ58HO9x87nwfPHwF9A9I3p3+7+ePPAo4OFXvoPfGF0HBPsc5ILVNuy4B9"
    "3Wa8vq4frq/LozUVhPLwvhOPAzolNWM1JStg60R0u/EfG7inNQ3Vsw+n1zfHHz7C66ecf3"
    "UlWMc3p1CyL58uCk+fHRUYkrwE/fXs5jcEP9E/Li9OJZyMB2NftpjWu/kHCJgDHAbM8tjc"
    "wk4Wk/hx/CjH4Kw4rcPhLJ1hca9ZHEzEbHQsqeHqKQJFyuWoBF1Zu7cZikAKvE9m7qIL7g"
    "VCA7sW7Ilu3R7whMRArQV1bNmqQJsxl2CvGu4sWQHxkaBbJeTV5shl7BMnl5fnuS3i5KyA"
    "58WnDyenQjuTe4OoBOpTJcywI1iwk+ppDHmyn0hfSDfNktogjbbWBPNJ1QrhYb8Gyzxdcd"
    "AuAoXx9kg5J+eXJ7nRK5SEk7OL46u/P/tw/LfnOSnn/PLiL3H9rPBy8veb0+NK/DuqFSVi"
    "I3n2W/KU/Ap5FacbN4g8odkiHt4iFGLMp2PqdVnZUsqOa1tk19+AafRUS5tPxmJPJb51Ry"
    "rU6SYWFCkNCx7LglvRMeLPfFqterVgReENhiUdWZKe7eIKVjTv90XaJWz3m8OQjdvtKw79"
    "uzE7ITf83gB+W0Ic56xC6Lgh3+rMLSXKNZ/A5HXTpz3JyrE3PnupXmPj6hl58C0su/kVNn"
    "Ll0V9ec4RmrvV5rmXdwEpc/p0sTmJ5pIrBMZWRYTRkGPCmur3LOPTAgxG27+bYd6xcSd5Q"
    "V2GjO4nI3v9+RVwsP7iCHdKr8iNbsVluqUxJn0bjpiCdBxRO3aXG+TiYrtSrbuBN2woXD0"
    "fJyx+H1nXmTduEFkxJts/qJmm5aLo/LT7BHh7LT4K2oaWMd/M1wb49GdT4Pkelw4c8oC2e"
    "VnzQD/pmQpCqD+9AgZChwN8Ye0i+C1EPuWxOfGRjIJ/7NAiIh2J3YjSnwSTrxVx2d36SFh"
    "72aq71TlUY6fqoZqmMp+qTeqrWy/Fb5am6arEdJp4O2HF9A3YHsI3XZXevSw1J+Ck35NnM"
    "pcR5H3p2EIVJlHblYpXGrVlVtm5ztR+OU0L3xIc4DdgzOfHvqU34L/L1v8C6OhKb5i9ieK"
    "JgggM0xxxFDakIIo/MIYLIxTyoCERa7rsfsSc/VcRItKWabbhxG1ZhZmUONLk0xxRbsTvk"
    "vZqPDlt4NR8d1no1Q1F+N4jnvr7JLE9p3A96ZzTryWYVOrQyZlY+b9yWkhrtQmaDaLvIhJ"
    "m+QfMJG0JMqgf/4mCIRJ35hNoTxMPRP4kdxFGri110M2GcwBuYR5DNplMo4WKlIQijEQ7s"
    "SU3E7Kpa1gyYVR0DwqhF+LNFlCXgbmVI2sVxym7qtJAQNMXDykr5KFizVfdyq+6wg5ido5"
    "87Ry7+cVIRVVqvmkfVt0L2WrVmnq7XbYXdlGIrAM8Lu/ttQvj260P49kshfJk9rf35fEKy"
    "FRCvekzre0QYT4hl4J4IV22XkoSgE+o9OxgvpAY4apMYoLjJZtICHJUj1wMyZn6Fb2s9wF"
    "maNY9sJrWHpcG73wbe/Xp494vwdnKaM65yvZUn+2GJOIF/zxwixkmwGJQtEvnyYYNlQj6x"
    "aLZqq9Ns0O59NldG64C4Lhd/Uo7k+9Ctz6aI3BN/geQE/VUeLcOnhzOObOyLAlphK1/qm5"
    "dsKb+eYtftcXalF49YBJXWfbD/6ijRs+FHk2Z9/eH4/PxhVTo7svJ4fvp09q4Oy5SmgGgY"
    "UmcXKNclPu2IRi0few6bWtCZZ893nkiWknvNgVrfsiuX/PqtzueRhVusvU8HsdlxWu84Qh"
    "j05CpR3GqigqY9xpZVWh/Fqupq/Z+FI5faSEA4E1wlYoVnoQv2ZDbfRW+xPRGPbpnryv2C"
    "cLlz8F/RF06+foGkjWIlEQ/BBO1TIKeetEnTADHfIVVpI1fe/CO2KdGMnpk4IjCuVUsyFN"
    "+Jj9dRnOL6W2F/eWoTV5SnRvcoJEfWaaT3TGVaTxKQNTlwGuxhwxR7hECgSmpuMMpkibbP"
    "8rWcJKM9EaYSVlXIU1k21otUUS3aXqyaudgmQlrxkVoh+TB1+o7yYe+iL1InYL6UXsD9TH"
    "mPz+WhvqKTLmpQdEt9HvyauAlwNMH3BHlCf68Sq1bdvKaDAXfD8UNn/RnQLTv0Y92p6cw/"
    "rlb0MMioXrotK4fAhxoGH4PGxlWeprgfOl+eUjd+uarW0t9BgqCx2MX1lyNIrVeSfZJcyg"
    "1+iJlulhCvP8sqkJkDrUe4radrR0Gyasqek6EyqXNapM4x+THXpDj0I/dsz4TZTbdCGnPz"
    "z8royjygDctnhshYAHQW0X7opu+xx8Lgbehz5g/K6mmueNigod7KiqAniZrtlVTsBxR+7s"
    "hIZBjM/I1U9yAACsEARw5xqUz0r7zO2W0UJ/UtKk9qZ5VH6o3YN6Ei8spz51U2/Ah7f9JJ"
    "3dPpHOH2WP+f4sAaGKht9swQGWlxE8zMPxfgPdlZxJo6qU2+kS1t3FegXsfkG0gwJZzC2g"
    "wRTuieciqTZSjDojzxpRx5LEALIlNmRKqgom5KurGENz9iX1jbSVkvd4W1nAn3Y4qdgbDx"
    "Aft3FRMsLWuaXlJcsaaiWkuZDeYAuYeRH85QwKK4wCTvDAg+4suEhuESR3QZYeAcZ2pOSB"
    "uLYCkKvVwl5oGvhXgJv6Mz5VpRPftW1rJJhbO5czNrm7qTmco0WZGhWq+0sXHM6MeyeE6n"
    "NLjC0lRcXBbTsqZl0YVaGisiDIY4CFrSvlHLTj6yeghXCRNXnm0qx2fl9Cx+HH88Az3UFm"
    "poHGodCCVOrFBSw4RD0LFQRr3qZXF1zX/2PnsnLBDrLgR4B2gKijAW+E9HxIf2bAwe3M++"
    "hizAz0Hywd4CiQ5Q5qBnnIiR6fDnEDauuueRuc2mxOcgL8FpcXSJM0cL8d+YwPExFm0KPl"
    "sR9WPX5/Xe5PpTnT3KUVDGunblTepvkSVx/8Xhq8PXB0eHyWKbPGlaYytuxFLDXwPODIUB"
    "tAxo1EFLd5SW6Ay49eDqj9oKSgNwpSWtA7gFKgNsr+RWNj4hcIFPhdgaFzVKrWxsjaCWhu"
    "Qq3eqQ0D0hwg5sWRHzRZUhCHhfZAVL8vbLr1JYlIcf0pkPflEnqeMkfnzqffg2EAJcXeDf"
    "ylp+hKyYdkljjuWJtkeZf+TSVS8mZhitp6kXCI2y3vlcJp5HnfDvwbnMRoMv16wy8vXOmQ"
    "nBVgQWrcIfszcb/G8E57eYfMlD2/skrtQyat9dQIyi8myQb9xJ3O/jJH4qIby0PytTeHx7"
    "Wl28/qPeCQakUxnPDznplc1IOlKwcdbLIoohFY/tO3ClUNKCifM3bhPLWLg24hQ/u0NI5D"
    "r6YRZp++qM+XmwQ2bMnqzgSuncltJjh0zJOu2o7yyVmWf686zbAW6J1EDfAXqZFbIj9lla"
    "A74W+FGMZhd/ou52xJ8Xbp9AAnpNuDNEBu5u8fVqfdbEvYraMECTAZ7o1igMotAAHfDzlA"
    "Z4LeBj1w8rdqvQQ7+S3LBAc60Hy4c6D7AEoBUnCY1xwJX0a44ITgwXPQsI7o2V7zqo8T6L"
    "i4YP2Pl4UksrPWcSoyQvkbInxL6bMYG7MtZx+q8oOxlj0vtKJuPwCRlGxWOPOOC1Hj24Iw"
    "vlInZPfCq+vTqYag3tGxNgD0yAwE297SSmMDuI3g4iZksV0B72a+47jCnMXeEad4XnBNZk"
    "5dI5lstTbUNOrlUczWVxjxZ63xJLvw7yRTqD/SYdi35gTuwwUxaZMoVNQtM0X03n3jXxl/"
    "IsAvfzKJxoiEaLNNfYUIXwkThBrHg5wdNddCHd3rl0hk9zvz6cdHa1bffwCtFNcXlad/yS"
    "uZhsG4/1zG1ZT3wLCzBM+xApQ7RFbtE/R34Hg/2bjb/aqb9LSz+k5I9ifaqQj+XjJskY1j"
    "WNgACXjd/EOXuVsU6dOw6jIE/iKHHTXZSETQT0amyhL2IHnEBm3wkT36aS+8onOxzBB1Tb"
    "EVfZuGbG4JkQtL2W9xBLyK3MgW08pwbDcuZc9eJ84txCBl/V+XiBVB1p1QWZCMqms0Qxem"
    "RHPBaAni1mksolojqmA0qJsKlH1c1le4iOL97F6VfqewucWHTobJGuVV+zRK27muNw++7Z"
    "0ZBs6thSm5xQxyEPjiRVC/3X/6C9UrMPtxTN/+Swq+WYLUAs/8Yen4OS/N9oT/5OzvKhbz"
    "vY81jo2QQS+fCdpqTd7TvtkXn3Ppd5lEmS2r4PkoossRsT1nLhi3swY7PQxQ/OGY0u5K47"
    "6MSZ1I9juTzK9awbwzIuJstmXa532nxMO7Z8jubWnzxHh9nrLVp2FcIJAuItewJmO1lg7m"
    "N6uXQ+5zqa8vkxfVwCy41hsZ+GxVSY1bCPJDRGRX+M4+dCOyFVlspg39k0pVZI3fQ/qfS/"
    "hfaRZaUAWvtdVj8bzAENXK1hnBBsw9F44SrCVvDuN+C7XwZ4xBytIRzX38LR++Job68Nwr"
    "JevSlVleZRnmNPgGLZeIZH1E3uN8uDfuz7uMbRqYa+wASX8tUmI8hHNX7/8bQXFv3xZ9nd"
    "/hYu1ba1Vog81fYtE4dt1uD6Jbi00W3XrSjmlL7qlL4HFxsZFj8di+uPM9orZ/XvMKpaV1"
    "Wt9uCmA1uKrzBc6cqV9OxHJ3wipdp0t//uQRQZB+fIMloey00xYBkqE/n14FWQasZ3uAmy"
    "QLjp43XV9jV11qoHeYbIwK0FN7eZrxt/FZMYqPWiqME/iFsdEC9SGuD1JI6qwLf3LsN1sk"
    "Zl2NstEGwIzg2Qvbv8dHJ+ij5enb49uz67vMirU7IwvzNenR6fF7Ny03F0mXz7YMKUpmM4"
    "4QZpsE8VT+gT8eU1PumfPp29q5NHslQF9MOQOrtAu10ckGa4A2UUyKIqvzQPKnXIdMYC4t"
    "mL6njBeltnBen2GTz3X75scy7y8mX9uQiUFRMFw60sM78yNLZpGSkQmtDkjkuJQIdXmZ0b"
    "FciUaM36Y7Xjec8UyJwvlYYuk/PSNumwdaS+UohFkRsVcqCQqenY+52oBedM9BxXH16pQI"
    "njMdlIJvyIx1n8NNMBH88T57r8+BOf7xCXqCF+cYmO396AzPhjLaErV0QZVcrRK3HJsCGA"
    "xSdp8qk2l4pnb2GFm8uUBVLefjanrotGBPEJm3u76CzgcYRJdKnkF0FqT4jzRcZVs1Cmqe"
    "F0PAmGyMUyXzXcGEk99bDqavFVN28ukt2cZW6IGvLpwKDQ3NcTmjVv6ysQp5ZpH5ZzTNc2"
    "nBCZrf1xW/uatqCA+sS5YXekKstIrrh5M5IVxXIramqEVSorirroCNZ8bBOxR8BL1J0Jcb"
    "4zebtRdLUxciEziNAFZgzye8A9CmLzEL/tkDjVAZRP04xmqGSMEX4wSjGPJiRYlWBXRRs0"
    "BBNIamuC+aQ8p4V4eBLrlvlNLEe0LNPWWvexlWmj9ZtYhvUlVjS7zeQpjeNMrx1n1OJQbX"
    "VrTEyXozM2oI42oL5cMf/zyjAFXhjrRNY6EU3QvHEiM/h6ZZu4Jti3J29DnzO/QjDMFTcJ"
    "hlxWtOy0ZocruuRt6yofXHotVnJLu2oCSU4jIbkgUMNTuU4Sy8o0kMVT7N/VCYoraBeu+p"
    "IyKbNDGWKvXq6Se0T2jinxBVPkBZ5g8ZCp7qRxQbUJeYAZJ9FN8Rnzx61YHSdRJUj9AZXk"
    "Kz97X+aQEES+M+5j9IroPrKoafVLVZvgeyK/BWh5/OUUvlQo3xzwYHfygnqTf7gv+YfNFW"
    "Qr9cVQk1ob8ByZgVwP8nhx1IQ8S7ZeyCtQ2TQmJLuJHhNyZGbc6ycR5N30G24g3yzD7HU4"
    "yuJUkr+zxY3yd6Zi66PCLNEueieVEkcJmSCO3pFZAEIfwgiMTujZzA89YhExGpznQ8SZkh"
    "SlqVWG9SGp10Bm51sxZGTmuWnVGeHK2tW03Cq1rI3lNgd3pM45tcbbKFVM+vp8lrmVp4mJ"
    "xN7eWnL7cSJ5Jz6+jH+9V11cfxtj4A/aBMAf1Ee/H5QyOGAhpWldL5FSbAXAD0S15+ymy7"
    "hbwgRsb/mhxAyHvNPRU45wCUzenAOKjeNxRkDRZHKe0nC5z1w251vrVgXN+da2nG/dyPMU"
    "dYw1KOvXueJhg36dO5dpf74VnR3FZ0DKMylO0azeWX1A1ZbQuL9uzjIzLCmb/bBBHROfVs"
    "6OqKBpXuC0ykMTop4jSz5Q/FnsI/svDl8dvj44OkxGavKkaYA+bPm4Jz7XvKIpQ7IV6vkK"
    "YglhTmkgHFXfQnRftMuv2JRdsZxbUbQYVIpu/3t9eVFj60hJigoStQP0b7TyTIpPrhsBGM"
    "2mpqJVaZjXd+AFa79K88f/A/PaX44="
)
