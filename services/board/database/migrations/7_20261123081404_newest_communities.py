from tortoise import BaseDBAsyncClient

RUN_IN_TRANSACTION = True


async def upgrade(db: BaseDBAsyncClient) -> str:
    return """
        ALTER TABLE communities ADD created timestamptz NOT NULL DEFAULT now(), ADD creator bigint;
        UPDATE communities SET created = activity WHERE activity IS NOT NULL;
        CREATE INDEX communities_curated ON communities (slug) WHERE curated;
        CREATE INDEX communities_newest ON communities (created, slug) WHERE NOT curated;
        CREATE INDEX communities_creator ON communities (creator, created) WHERE creator IS NOT NULL;
        """


async def downgrade(db: BaseDBAsyncClient) -> str:
    return """
        DROP INDEX communities_curated;
        ALTER TABLE communities DROP COLUMN created, DROP COLUMN creator;
        """


MODELS_STATE = (
    "eJztXVlz2zgS/isovTip8mYc2U6yye5WSYmz0Y5jT9nKzGSO4kAkJGFNEQxAWnFl/d8XBy"
    "kSvERSF6XwJbEANAB+jaO70Wh864wIpNaz3gQ5Xuc1+NZx4AzxP7T0Y9CBrrtIFb89OLJl"
    "OShKMFlkxDwKTVHNGNoM8SQLMZNi18PEEWV7DoCmSXzHew2wx4BLyRjbvKD44UHbxogdA2"
    "+KgIUniHmAjFUWuUPOMYCOBeZTxPMpTwaYAeYzFzkWsgChPBsQF1HoEfpM9MciJu8Qdibb"
    "b9p38BcfGR6ZSBLegd//5MmYl/+KmPj5rTPGyLbk3x0OGr7H3oMgxVZHFEVfXYoY48CxkD"
    "rkjELckERI8uLBlRkdScd5IH88HgOtEZMi6CGrUhsOmpdvgJmEokrVu8T1bUgLmhBE7p0h"
    "W9GGJ5YfItONkLaPJwPHey/LCv6PDJPY/syJyrsP3pQ4CwKsxjbvjOAdsmIj1/FtOxjiYZ"
    "JiKk/wqI8W3LSiBAuNoW+L8S+oVQ+itI5hXF0PjduLoWF0UnMjpIiN2SDJ5PhxPLCYZQKB"
    "iejC3/7e7Z6evuyenL54dX728uX5q5NXvKzsbzrr5aPqTASXqkqCNvj34GooOkT45FVzWi"
    "Q8ShroQSNicQS//D/FgLdTSLPhD8snGMA/rA4DwoSIA9GCsw0WzOBXw0bOxJvyn2cnBej+"
    "3Lt5+6F38+Ts5KkO8VWQ05VZj3IuLZZeTKpgGxTfMbRrw/P5yUkZREWxXExVpo7qHI0Y9i"
    "qN2hjJoaB7Xgrc8wJsz9PQmtCFI2xjj2+iaXx7lMKHbICThAmUbcxqLdC1Yb79Yr9Tv578"
    "0Tn69nj0R+fpCtAXID28+HX4+58JHC3M99B7RJFl3GNYZaSmKQ9lwL4qM15f5Q/XV+nRGg"
    "lCOrzveLKHZyhnrEZkCWytgO5Z+Mce7mlFQ3Xw8eJ22Pv4k6h+xtgXW4LVG16InK5MfUik"
    "PnmRYMiiEvDLYPgBiJ/gt+urCwknYd6EyhajcsPfhIDZgb5HDIfMDWjFMQmTwySNwXFxug"
    "qH43QtixvNYm/KZ6NlSIWumiKQpFyPSlCXtSf7oQhEwFPk2g91cE8QtrBXgn2hW5cHfEHS"
    "Ql0J6tCQk4E2ITaCTjbccbIE4iNOt03Is61v69gn+tfXl9oW0R8k8Lz69LF/wbUzuTfwQk"
    "J9yoRZ7AiG2EmraQw62XekL0SbZkptkDZKYwrZNGuFcCDNwVKnSw7aB09hfDhSTv/yuq+N"
    "Xq4k9AdXvZvPTz72fn2qSTmX11f/DsvHhZf+5+FFLxP/mmpFiriVPJsteUp++SyL04UbhE"
    "7YbhHLtwiFGKF4gp06K1tEWXNtC+z6ezCNNrW0UTTheyqixh3KUKeLWJCkbFmwKgvGvGOI"
    "uhRnq14lWJGooWVJTZYszn4NmMGK4v0+SbuG7X5/GLJ3u33ALYOLZ4xkbEJD9DVP/U5R7t"
    "gir+sqmz3Z0Ngb2uKz51xYPCYfvBXT8FGe/Y/vYsfPImEEzbs5pJah5ehqZYZG2Q/I3v94"
    "g2wovzZLCBMuLz+RLSuRa511UWqwMCT2Eg+LMyIpH60G042qaihqOlS4mD9aVL4aWrexmg"
    "4JLTElSZfkTdJ01qw7S6ZAB07kJ4m2RUsx17NbBKk57eQ4pgW5x8vc0wwWFVzqpDacIqDK"
    "izqAx1d44QwGHSDrAtgBNpkjCkwoyOcUex5yQOjrBebYm8ZdzNK+aBtpYbnLWa4vlcKoqk"
    "dVnKr1q9qoX1W+lHFQflXbECo0+wKHtQrYYfkW7Bpgtz5C9X2EKkjCm9yQXdfGyHrvO6YX"
    "OPWmduVkkcKtWRU2xlrp5U7k4B5R4VUs9kyG6D02EftBVv+DWFdHfNP8gQ9P4E2hB+aQga"
    "Ah5d7toLlw77Yh8zK8xNdb9wp78qb8m4Mttd2GC7dhdQcgzYEiB7yQ4iB2B90H78VZCR+8"
    "F2e5PngiS98Nwrlf3X6mU7aHZY0znzVks/ItnHmhSaYXbkuLEuXuM3nBdhG7A/QazKfkWF"
    "wYcsS/0DsGvMx8is0pYP7ov8j0witFDzlXldZRa41bSMo6EdQm/ixxl0fgZcRImnKVp93q"
    "ymx1NVbgduVt5sqr3XaZZtwhyldtg+IHIbtsW7ON1s2ywmJEcRCA68Jit8yFjW7+hY1u6s"
    "JGbG8pf/q2IDkIiLc9pqufd7bnnFs459ygwNwX/w4s5HjiBkxacNbziwRomWLgeNFShy7E"
    "QYCSubKteMi2Gf8TMyDrA2NKZgDdI/oAiJBm38gTEPHpvsuACSnPwBkmnbXWvGaDzu0M2n"
    "aDr6w/X1m4Pe2+fLEQZ8WPIgH29mPv8nK5xBofWTqenz4N3uVhGdEkEPV9bD0TlLtapY54"
    "owblihuZGaIzT54ebWjJkqvTqRJL4wKn/PqDviQZh5uLzJuDeC8UhWbsOFw+duQqkdxqgo"
    "yiPcaURUqfGKjiav13/ZGNTcAhdDlXEV/hiW9bgE3J/Bl4C80pTxoT25b7BWJy52BvwF8M"
    "fflLBH7hKwlPFHYWigU5dngNsxn2AKEWygo9s/XmV9imeDPVrDEBQesBsCZ7zB3/+Cq6ZF"
    "j+INScTWuSweXfqhZHjazWSG+Yi+5ublbuyM+oxV5smHyP4AhkSc35a4tGVGuBaRr2G4jc"
    "1BBhasGqDHkqzsZ8kSoohcuLVa4NTcSlFQrUCsmOI9/EIKbeM/CX1AkIldKL8JJQTo7zKW"
    "EooJOeFCJrjCnz3ixOvBiYwnsEHK6/Z4lV226+4nkas/3JssOzGOiG6dNQd8o8QgO/fLi4"
    "uQBhscf8+H5VW1Z+K8sa5hOwuHF1+T3sR5Uvj6gLv1wVA4Nb2ZerT5eXBceKEoQKi11Yfj"
    "2C1G4l2Y0EqCtwl0Gac3tZk3GCrLUbr+BdGa0dCcmq6EpyjKq9j1ziPnIbdGhHikMzAno1"
    "TJjddytka27+XhmdGVypYPmMEbUWgCqLaDN00/fQIb731qeM0E5aPdWyjws01LEsKPQkXr"
    "K8kgqph8XPI3lhTgxm9lqqe8JPH4gBDixkYxk9VTlQknHgzv81yF+UjiuP2BmRr1xFZJnn"
    "zttseAV7/6KTVU+nNcLDsf5v4sBaMLCy2TNG1EqL+2Bm/r4Ab8bOMhAr4UdI7zK2lSivaE"
    "+Ra6kx48VKbijCnwjdi8XYd4FHAv/7xd1tsSrzL+Pij40s3mUABZ8YUYe/UgHkDAS+oxUi"
    "jjgI5pWwO+yqc99sT6attdxeJ98XGa9o5+GsltE+KrIiRrXbpXDvmNGMZfGSTD4gqM9KPa"
    "doSbTJxJiGhUp6btoPwk8lOH8RQqus9mhxDvMmcLAUsSwQDeVc3lJc7A2ceniyeSdkW3Ue"
    "k+fSuekmW1/PVnT+HiS5uOgskatpi0vSNtUg90fnCLnEnG4hVvO+GOUk6yp7/sWp2nlWfZ"
    "7Vk5NTpC30laAPXEXqnN9lhZ9p4V7+XkhmxJ9lb4VkR/tp4S7p5mdE77JWOGfJoG4ZUJEB"
    "Du/WyPeCE4oq4OuULfCVgA+d9ozgmd+K6GeStyzYE4OHjNmbtnaEoXxzTR2LaMHl7Bw2mb"
    "wOfU3VFRy1UR3z7sxG4hhPXc+xH1LXcoCgV8MN/MWF8anwSJ0S/m3KKVWmHDEgPiDb4rHN"
    "xit6urqQBs+ELw8XIyE3Yjt8kcenqlh3+Ex4nqrOh7Kw6kipLsgDTBO7i8C9K3bEIR4ei8"
    "hUgbOX6lgVUFKERT3Kbi7eQ9C7egfuMcNisOf2Vr3LVr2zSbpSfY0Tle6qxuHy3TODIVnU"
    "sbU2OcWWhZaOJFUK/ONf4CTV7PKWgvlv8O2qyphNQCz/hg6bI8rAP8GJ/L0Q/kTfjqDj8G"
    "3QRDMhBx6t9ph82Omi1+SX9jnNo5hzX/k+SCq0xm5MScmFL+zBskfvq3dBu6ZTizOR4L9e"
    "Hmk9q8ewmE6ybtZpvavMx6hj6+eotv7U4mhQw5qnXLxbNeefqmLtvNS6VpmXAfWmGbnyPA"
    "2q29R0ze/tSsze4BTO73HdMbDWaV3phHAdMQ9bv4jXZfwiIoWlPAsimtYHeRVr8ENlf5Q4"
    "VYt9bbfIQCLIfGGiIFbhQsM7wAgT67oaufN79t8bzB727ErDeEFweGEMuqXg7Rbg200DPC"
    "JWpSEclj/A0fv8xclJGYRluVyMg1wd5Tl0OChG7bdRcui/wydSEmdwYxHwz6y0QuhUh7dM"
    "lHnDIf8Jh9QLDgd2Y7O9kpt0CmvIpeuWxZtjcf6RVXnlLL+OVlWrq6rlHs7VYEuyipYrdb"
    "kSne9V8eyPqPbdm6S+f3+EYWgZTY/lojg1Maodx6lZmEobHKZGzfgaUWoShPs+XrdtX1Pn"
    "6dUgjxG1cFeCm5mEZq0jRaGKQ5IW6mqulcIHjBk1EE9StsBXkzhIxgr+3iYwT9YgWQv3WB"
    "DsCc4FkL27/tS/vAA/3Vy8HdwOrq90dUpm6jvjzUXvMgFo3ruefexAmmNjy33Zc/TgKXPb"
    "4WiwfRFZMC6F/Ny76Q+uejefs4MThuXjimn/8/CilxJJ+Jfn3OTMf7RDp2rEsx0b50CFJz"
    "qwhWYu8ZBjPhh3qJK1PoP08Aye3fPzMuci5+f55yIiTwd9zNtH1KU4W7jOX0YShDXXkoYB"
    "voOlRPP4qSBoa27ibVCLle54JLmRIaRwgQ9PnB+Rmg0D3nOYfbISPMs7QXvJhMdwnIWpsQ"
    "5QOF94funjj3++hWykxJSra9B7OxQCzeNO7s7cIA9TZA3JHXI66Ts0WvZxwV0aqgoanihZ"
    "4VKNkq/kW8fySgs0kQVkJSomnrihwvcoFecjiHkEbBEcL3xDR8YvGiHx2/SRlX19ZjPNrB"
    "AkRLZtTCGbpqcPnzf9cEfQ3Rg0onUJpDv1CNzaHpLvDhgO3epvIeuU7XFXo4+71MTNlpWL"
    "RDedrpXc6kpuDYkL18ptAaqt2BYX24IJqkttscHXKKHtFkFqTnNDKmvZRUIbkwWDkMrlZb"
    "Yw+loynHEsyJp6a5f/UE0AyWkZpFK4CRQHdVut2jZw29YOdtvAbU1a3nezEvmjOE6plSie"
    "XbgSxQqWju0eJ3oG3snlOYhpC6nQ51zvmKtsJvRZEDtXrBNjREX8XL44zKTqJxVC6ZYI5A"
    "rPKwMzn4lgkEoxnGWFd99q22te09Zx1SxYnBqrVzbjpln7nGvkR39axon+NN+D/jR1CwRS"
    "Ph/S8OY/ORZRHATASzzjNS1uLc+MtU7f1ZiwbyYSV+xWdQxhGmH71laTeay02DpM1ilbLj"
    "eZy621bdfqWGttOxRr21BebVFGtU5ax9Wyjwt03OCKDItKlrK2BaYuDrQvwnGpM8wwlJeq"
    "M9ueVpZwlVNM9UlV1xmNrA1rspKy2Qw7UA9RnDk7goyieQGjIssmRD5H1mwi+V7sI93nZy"
    "/PXp2+OFuM1EVK0QBdbvm4R5RlviuYb/yIkRyEer4Ff0QxpyogHBQ/QHSfl4vRUBShIR2f"
    "QcTkzhTd/nN7fZVj64hIkgoSNj3wP7D1aAwb140EGMWmpqRV6VjXd0QF/V2faDz+Hxdy0E"
    "g="
)
