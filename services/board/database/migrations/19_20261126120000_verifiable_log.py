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
    "ylp+hKyYdklPhczTGX1+Sfp8ZkTo8aNAaLT6zgc48YTrhH8PDnA2Gny5uJWRr/fiTAi2Ig"
    "JpFY6bvZEEfiM4vxflSx6SAyZxpZbh/e4CghmVC4R8407ipx9n+1OZ46WhWtnM42vW6gL7"
    "H/VOsDSdysB/SF6vjEvS44KNs+4YUbCpeGzfgc+FEitMQgDjX7GMhWsjjvuzO4RErqPDZp"
    "G2r16bnwc7ZMbsyQruns5tKT323JSs0w4Pz1KZeaY/z7qd9JZIDfQdoJfpIztin6U14GuB"
    "HwVzdnE86m5w/Hnh9glkqteEO0Nk4O4WiK/WZ03cq6gNAzQZ4IlujcIgiiHQAT9PaYDXAj"
    "72EbFi/ws99CvJDQs013qwfKhTA0sAWnXk0BQwXEm/5tDhxHDRs8jh3lj5roMaN7W4aPiA"
    "nY8ntbTyeCbBTPK2KXtC7LsZE7i/QZz+K0phxph00ZIZO3xC1P1UnI494oBru3gARffEp+"
    "JzfXRHFs0ZPp+wTWPq64GpD7iot23EFGan0NspxCypAtrDfs0FiDGFuTxc4/LwnGCarFY6"
    "x295qm1I0rWKI7gs7vFKb4mVXgf5Ip3BfpOOPz8wJ3afKYtGmcIm4Wiar6ZzEZv4S7kagT"
    "96FF80RKNFmnxsqGL6SJwxVryc4OkuupB+8Fx6x6fJYB/OQrvatnt4p6hxgHrTKqDJ3FS2"
    "jcd35vqsJ76WBRimfViUIdoiP+mfI+GDwf7Nxt/11N+lpR9S8kexPlXIx/Jxk2QM65pGhI"
    "DLxm/iJL7KSKfOF4dR1CdxlLjpLkrCJgJ6NbbQF7EDTiDV74SJb1PZfuWTHY7gA6pth6ts"
    "XDOF8EwI2l7Li4kl5FbmYDaeU4NhOZWuenE+k24hpa/qfLxAqo606oLMDGXTWaIYPbIjHg"
    "tAzxYzSSUXUR3TAaVE2NSj6uayPUTHF+/ifCz1vQVOLDp0tkjXqq9ZotZdzXG4fffsaEg2"
    "dWypTU6o45AHR5Kqhf7rf9BeqdmHW4rmf3Ko1XLMFiCWf2OPz0FJ/m+0J38nZ/bQtx3seS"
    "z0bAKZffhOUxbv9p32yLx7n8s8ymRNbd8HSUWW2I0Ja7nwxT2YsVno4gfnjEYXcvcfdOJM"
    "6q+xXB7letaNYRlXkmWzLtc7bT6mHVs+R3PrT56jw+x9Fy27CmEDAfGWPQGznSww9zG9XD"
    "qfcx1N+fyYPi6B5caw2E/DYirMathHEhqjoj/GwXOhnaEqS2Ww72yaUiukbj6gVPrfQvvI"
    "snICrf1yq58N5oAGrtYwTgi24Wi8cDdhK3j3G/DdLwM8Yo7WEI7rb+HofXG0t9cGYVmv3p"
    "SqSvMoz7EnQLFsPMMj6iYXnuVBP/Z9XOPoVENfYIJL+WqTDuSjF7//eNobjP74s+xWfwu3"
    "bNtaK0SeavuWicM2a3D9Elza6LbrmhRzSl91St+Dm44Mi5+OxfXHGe2Vs/p3GFWtq6pWe3"
    "DTgS3FVxiudOVKevajEz6RUm2623/3IIqMg3NkGS2P5aZYrwyVifB68G5INeM7XA1ZINz0"
    "8bpq+5o6a9WDPENk4NaCm9vM142/ikkM1HrR0uAfxK0OiBcpDfB6EkdV4Nt7l+E6WaMy7O"
    "0WCDYE5wbI3l1+Ojk/RR+vTt+eXZ9dXuTVKVmY3xmvTo/Pi2m66Ti6Xb59MGFK0zGccIM0"
    "2KeKJ/SJ+PIan/RPn87e1ckjWaoC+mFInV2g3S4OSDPcgTIKZFGVX5oHlTpkOmMB8exFdb"
    "xgva2zgnT7DJ77L1+2ORd5+bL+XATKigmB4ZqWmV8ZGtu0jBQITWhyx6VEoMOrzM6NCmRK"
    "tGb9sdrxvGcKZM6XSkOXyXlpm7TXOlJfKcSiyI0KOVDI1HTs/U7UgnMmeo6rD69UoMTxmG"
    "wkE37E4yx+mumAj+eJc11+/InPd4hL1BC/uETHb29AZvyxltCVK6KMKuXolbhk2BDA4pM0"
    "yVSbW8az17LCVWbKAimvQ5tT10UjgviEzb1ddBbwOMIkumXyiyC1J8T5IuOqWSjT03A6ng"
    "RD5GKZlxqukKSeelh11/iqmzc3y27OMjdEDfl0YFBo7usJzZq39RWIU8u0D8s5pmsbTojM"
    "1v64rX1NW1BAfeLcsDtSlWUkV9y8GcmKYrkVNTXCKpUVRd18BGs+tonYI+Al6m4EiFEUmq"
    "i67ii66xi5kBlE6AIzBvk94L4EsXmI33ZInOoAyqdpRjNUMsYIPxilmEcTEqlKsKuiDRqC"
    "CSS1NcF8Up7TQjw8iXXL/CaWI1qWaWut+9jKtNH6TSzD+hIrmt1m8pTGcabXjjNqcai2uj"
    "UmpsvRGRtQRxtQX+6c/3llmAIvjHUia52IJmjeOJEZfL2yTVwT7NuTt6HPmV8hGOaKmwRD"
    "Litadlqzw1Vc8vp1lQ8uvf4qubZdNYEkp5GQXBCo4alcJ4llZRrI4in27+oExRW0C1d6SZ"
    "mU2aEMsVcvV8k9InvHlPiCKfJGT7B4yFR30rig2oSEwIyT6Or4jPnjVqyOk6gSpP6ASvKV"
    "n70vc0gIIt8Z9zF6RXTvWNS0+qWqTfA9kd8CtDz+cgpfKpRvDniwO3ljvck/3Jf8w+aqsZ"
    "X6YqhJrQ14jsxArgd5vDhqQp4lWy/kFahsGhOS3USPCTkyM+71kwjybvoNN5BvlmH2Ohxl"
    "cSrJ39niRvk7U7H1UWGWaBe9k0qJo4RMEEfvyCwAoQ9hBEYn9Gzmhx6xiBgNzvMh4kxJit"
    "LUKsP6kNRrILPzrRgyMvPctOqMcGXtalpulVrWxnKbgztS55xa422UKiZ9fT7L3MrTxERi"
    "b28tuf04kbwTH1/Gv96rLq6/jTHwB20C4A/qo98PShkcsJDStK6XSCm2AuAHotpzdtNl3C"
    "1hAra3/FBihkPe6egpR7gEJm/OAcXG8TgjoGgyOU9puNxnLpvzrXWrguZ8a1vOt27keYo6"
    "xhqU9etc8bBBv86dy7Q/34rOjuIzIOWZFKdoVu+sPqBqS2jcXzdnmRmWlM1+2KCOiU8rZ0"
    "dU0DQvcFrloQlRz5ElHyj+LPaR/ReHrw5fHxwdJiM1edI0QB+2fNwTn2te0ZQh2Qr1fAWx"
    "hDCnNBCOqm8hui/a5Vdsyq5Yzq0oWgwqRbf/vb68qLF1pCRFBYnaAfo3WnkmxSfXjQCMZl"
    "NT0ao0zOs78IK1X6X54/8B9QBhcw=="
)
