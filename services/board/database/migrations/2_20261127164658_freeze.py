from tortoise import BaseDBAsyncClient

RUN_IN_TRANSACTION = True


TRIGGER = """
        DROP TRIGGER audit_published ON audit;
        CREATE TRIGGER audit_published AFTER INSERT ON audit FOR EACH ROW
            WHEN (NEW.action IN ({}))
            EXECUTE FUNCTION publish_action();"""
PUBLISHED = "'hide', 'unhide', 'suspend', 'restore', 'erase post', 'erase agent'"


async def upgrade(db: BaseDBAsyncClient) -> str:
    return f"""
        CREATE TABLE freezes (
            id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
            since timestamptz NOT NULL,
            until timestamptz,                                 -- without one, only an operator ends it
            reason text NOT NULL
        );
        ALTER TABLE moderation DROP CONSTRAINT moderation_check;
        ALTER TABLE moderation ADD CONSTRAINT moderation_subject CHECK (
            num_nonnulls(post_id, agent_id) = CASE WHEN action IN ('freeze', 'thaw') THEN 0 ELSE 1 END
        );
        {TRIGGER.format(PUBLISHED + ", 'freeze', 'thaw'")}"""


async def downgrade(db: BaseDBAsyncClient) -> str:
    return f"""
        {TRIGGER.format(PUBLISHED)}
        DELETE FROM moderation WHERE num_nonnulls(post_id, agent_id) = 0;
        ALTER TABLE moderation DROP CONSTRAINT moderation_subject;
        ALTER TABLE moderation ADD CHECK ((post_id IS NULL) <> (agent_id IS NULL));
        DROP TABLE freezes;"""


MODELS_STATE = (
    "eJztXW1z2ziS/isof0lSpXM5suPkMndXJSfOjm4cO2c7uzs7maIhEpZwpgiFL1a02fz3RQ"
    "N8fxNByRKl4EtikWgAfBpoNBrdje8HI4Zd63AwJo5/8BZ9P3DwlPA/Ms976ADPZvFT+O3j"
    "kS3KYSjhiSIjz3exCdXcY9sj/JFFPNOlM58yB8oOHIRNkwWO/xZR30Mzl91TmxeEHz62bU"
    "q8HvInBFl0TDwfsXv5ij0Qp4ewY6H5hPD3Ln+MqIe8wJsRxyIWYi5/jdiMuNhn7iH0x2Im"
    "7xB1xptvOnDo14AYPhsLEt6BP/7kjykv/4148PP7wT0ltiX+PuCUHrEMm7GHAyhHvs1c4n"
    "kcNS8ijdgi4TYkhWDEYiZeHAg6zgD4gf726/n1OUrVi4Y36PLqFl1+vrg4+NFDmfbjbzE4"
    "PtRu2Ic81ZLO5IrXdoiPIvpI/QXUQ62G/RFEpLIbhUZMl2Bfgti4DYfMmzfgmcwlStXP2C"
    "ywsVvTBBDNHgzRSma+UvEh4rkR0Z7R8dDxP4iyMCFGhsnsYOok5WcLf8KcmIDKyc47A4OZ"
    "WKmp7AS2Hc756JEc5fyB7wYkHt5W8sAi9ziwQSAAtexB8uzAMPgAMG7Obw3joCAsIorUJA"
    "4fmRw/jgcFsQMIjKEL//Gf/f7x8ev+0fHpm1cnr1+/enP0hpcV/S2+ev1DdiaBS1YlQBv+"
    "ZXh5Cx1iXJpJIQcPfgga7GMjYXECv/i/wIB3E+yWwx+VzzGAf1gbBkQPEg4kEngTLJjib4"
    "ZNnLE/4T9PjmrQ/evg+t2vg+vnJ0cvshBfhm/64tUPMZfitYgyFWzD4luGdm14vjw6aoIo"
    "FKvEVL7MojonI4/6SqM2RbIv6L5qBO6rGmxfFaE18QyPqE19rlUU8R24Ll6UA5wnzKFsU6"
    "+VgG4N881X+7389fzLwbPvP559OXixAvQ1SN+e//32jz9zOFqUr6GPxOVKwyPFKiO1SLkv"
    "A/ZNk/H6pnq4vimO1kQRysL7nj/26ZRUjNWELIetFdIdRn/s4JpWN1SHH89vbgcfP0H1U8"
    "/7aguwBrfn8KYvni5yT5+f5hgSV4L+Nrz9FcFP9I+ry3MBJ/P8sStaTMrd/gMUzAMc+Mxw"
    "2NzAVhqT6HH0KMPgtDqtwuE0nWZxp1nsT/hstAyxw1XbCOQp17MlaMvao93YCCTAu2RmL9"
    "rgniPUsCvBHu+tmwMek2iolaCOLFslaDNmE+yUw50myyE+4nSbhLzcHLmOdeLs6uois0Sc"
    "DXN4Xn7+eHbOd2dibeCFYPtUCjOsCAaspGo7hizZT7RfSBbNwrZBGG2NCfYmZRLCwW4Fll"
    "m6/KBd+BLj/dFyzi6uzjKjl28SzoaXg+vfn38c/P1FRsu5uLr8S1Q+rbyc/X57PijFv+W2"
    "okCsNc9ua56CX4FXxunaBSJLqJeI5UuERIy5dEydNpItoWwp20K7/g5Mo6cSbS4Z8zWVuM"
    "YDKdlO17EgT6lZ0JIFyUEiLtly1S8uedo1rC27w5CdW1pKTpjbMTsm1/zeAX4bXPfzWMkK"
    "d0u+Ve3tC5RbNvdnN0JPe2ySYW9k6C+XsVHxlPLxDsRuVsKGfiPq4jVDqOdal+da2ueowO"
    "XfyOIs0kfKGBxRaR1GQYcB1537h5T3CDwYYfNhjl3LyLzJ+pUIuEusQmch7YffromNxVeX"
    "8ET48V3yai5Cpu3mXjl5Gg6ggvFsNYQ+sQ2byjaIjsvlLZyEi13gajBdy6puoaZ9hcsLRn"
    "Hlq6F1k6ppn9ACycX6rEqWFV9N+9P8E+zgsfgkaBtaSnkc3xDsmpODCn/k8G1vmVey4SUF"
    "l/om304IkuWhDuRzVRN8gLGDRF2IOshmc+IiEwP53KW+TxwUufiiOfUnac/iogvyk7Sw3N"
    "O40mNUYqTqN5qm0t6jT+o9Wr3d2Svv0U3vbmDiqYAdlddgtwBbe0K294RU2DA85YI8m9mU"
    "WB8Cx/TD0IXCqpwvUrs0y8LGfab08tgh9EhciJ2ANRPidG7+7wLFdfAn2Edz7KGwehnL45"
    "A5xPLY2PNLQoLWUeMK6+9TRWyEy6decmuXXBnmVeRAnUtxRLEXK0HWq/j0pIFX8elJpVcx"
    "vOqMxAosWhrMKJ7Xyqa4RLNYRj+UHqn4v7doPmE9CBZ04F/s9xAvM59Qc4L4xvL/ielH4Y"
    "SLQ3Q7YR6BGphDkMmmU3jj8SFIEEYj7JuTilDGTbWsGMkoOwaEYYvwZ4PwN8DdSJE0C7AT"
    "3VRpISaoC1QUhbLhiVqGd1KGqx9QrO1komvSfJ+OJrgYU9mfhcX3YlHe9PYskddNtaCEYi"
    "8Az2pB/SaxVf3q2Kp+IbYqtaY1P8uOSfYC4k2PaXXvAe01sA7cY+WqcZx2RNAK9Y4dIudi"
    "tk+bRGznF9lUvPZpMaTYJ2PmljgdVgOcptnyyGZi97A2ePtN4O1Xw9vPw9vKwUy7lXVWn+"
    "yGJeIM/h1ahI8Tf3FQtEhk3/dqLBPiiUHTRRsdacLu3mVzac30iW2DYZN6SNSH7l02ReSR"
    "uAskJugv4nwRPj2YecjELn9BS0yna615zSbUmym27Q6nvXm5ghCUu+7j/uvTeJ8NP+p21j"
    "cfBxcXy7fS6ZGVxfPz5+H7KiwTmhyiQUCtQ6Dclvr0jDdquNix2NSAzjx/8eyJdCmx1hxL"
    "+ZaWXOLr9zrRQhpuLnufDmK94jRecbgy6AgpkV9qwhd1a4wpijQ+j5PFpfyfBSObmohDOO"
    "NcJVzCs8AGezKbH6J32JzwR/fMtsV6QTyxcni/oDuPfL2DbHpckvCHYIJ2KZBTR9ikqY+Y"
    "a5GyfH4bb36FZYo3o2YmDgm0f82aDMUP/ONVNk5R+b2wvzy1iStMIKJ6FJIhazXSO7Zl2k"
    "52hi158WnsYcHkawRHoExrrjHKpIn2z/K1nuyPHVGmYlaV6FNpNlarVGEp2lytmtnYJFxb"
    "cZGUkF4v8fwNExUfojuxJ2Cu0F7AL0m6EM/Fob6kE75L8Oqeup7/S+wm4KEJfiTI4fv3Mr"
    "Vq080rOhh4djBedtafAt0wAzfaO9Wd+UfF8h4Gqa2XasvSU2xZw+BjUNu4TKAT9UPlyxPq"
    "2i+XxRr6OwgQFIRdVH49itR2NdknSXJb46BGMqEjTc+ycmT6QGsF3+VEduQ0q7q0Jikqnd"
    "OkQU4TnbhwSxuHbiQF7Zgyu+tWSG1u/lkZXZqgsUZ8poi0BUBFiHZlb+rwndWUWDc+dsu8"
    "3XMFerW71LCo4UHZxltVUTqKnvGI+0hc5FGH7x+l1zlG3sIxJy5zWOBBaccaLfj+D/aAlj"
    "wd9iecqeEZcqqSCZt7ZbvTDbS4ip0feqcucFNkTyFwt7pr2n0xm9+hdWP6f8B8hPvvAtdj"
    "bsnkz7yum/r3oiCYSXjJ5jYqPmAp/HwmotEBZO+tmE4QGIcAeGQRm4oLGGTQSThnHYh6F+"
    "/j0mnbEXVG7JuYr2VuJ5tseAUxEHeyKAjqnVMyhPtz+PcU/irAQOVTjxSR3izuwinTzwV4"
    "R1YWl5B/lnmQhC9qVxNRpOEyIp0I7QU4Y/QQFWLaJXCiwBySEuqyUhHsaNsiLQpnVy9U+E"
    "Biy2sYeQV3wiH3Tjw02bQiB8sG2tQujR1YIsS+QFkXj4g6ZfrQunje5KH99feXtzscwLU7"
    "EXOdUTa8SWW2t/TbJWqHN2mZ7Q1xdgRT2AjCYo8eqUdFdjbpxCDMRFw7cJiPFkTkaAuPnS"
    "R1XZa3NdS8gh6xNa+8Tm5Bt+J/2o0pNgTLxkfsPpRMsORd3fQSthFjyospaPbkEUZ+MEM+"
    "i2yzUaJDUJX5l3HxbxOLdxl07B7ymJwT4jwXTLSBkynEFXQIHHKQ90Bn0o27fPZtrGWde3"
    "F352b6HPxBpMZVZEWKarumjZ1jRjfE4gWdUv8a+2WWjuRdnVi0oZSCRITBECVcErRvpdjJ"
    "ZnHqIeYiYgs/ShlkGR9VDT4NwehtEs+L0jrJkyNpswCHyzHlwq9cLG6u+S/OF+eM+VzuQj"
    "IpH03B6o45/tMRcaE9E0O06POvAfPxC9B8sLNAvAOUWei5R/jItLwXkKJKds8hc7CsuB7o"
    "S+CZik0hqj204P+NCbiqYt4m57MRUq8qn8sTslb7Oa43IetP5ecoRkER60rJG5ffI6+F/s"
    "uT1ydvjk9PYmEbP6mTsSXXosrhrwBnikIDWgQ07KChOkoLdBrcanDVR20JpQa49NiuBbg5"
    "Kg1sp/RWNj4jcItjidoavarVWtnYGEEpBc1VhPAgvveEbB5gywqZz4v0QMG7EwUMwdu7X4"
    "SyKDwtROAQ/KJWXMaKY4Zkffje5wpcVZKRjbW8gq6YdEltC5ml0/v5Ne3nUyNCjR85Qr2r"
    "b+0tEk24Vvh3wFtkp8EXwk3l8Cwm0GdnO3V2xpf7XwnOrkXZN8v0gElUSMlXR7rJiBqfxT"
    "HBUWZxeVWRMFRLm3l07XG9L07LOsHSdC6SjIGLjjQuCR8eNk77foaJbfhj8wEcPKVaoT11"
    "uuKpo505N7pCCORaBoflaTvlJpWNNiYzZk6eMOR419xqBOuUU1GlqfQ8U59n7U56C6Qa+h"
    "bQi1T1LbFP02rwlcAPE8e0cTxqb3D8eeF2CdxPpgh3ikjD3S7pl5TPiriXUWsGKDLA4d0a"
    "BX4YsKgCfpZSA68EfOQjYkT+F2rol5JrFijKerB8yFMDgwNaduRQl5yolH7LaYpiw0XHsh"
    "R1xsp341e4qUWvekvsfF5cSunOgDhyWlx5ak6I+TBjHPe3yKP/DNMlMyZctER2QJcQeUmq"
    "R8cOscC1nT+AV4/EpfxzXfRAFvW3CTxhm9rU1wFTH3BRbdmIKPRKobZS8FlSBrSD3Yobty"
    "OK/HKw8OU+Ybc8PuoAhFOc9Lrw18H12fBycP17+UFQVD5tkDv7/fZ8kFdMY2mlcvyWpdqH"
    "hMCbOIJL4x5JeoNLehXk83Qa+106/vzIrMh9pqgapV7WKUfTbDGVS5/5X9LVCPzRw/iiHh"
    "otkkTHPRnTR6LbKXjlBE8P0aXwg/eEd3xy8cTyGy8223YHL7bXDlBvGwU06VuR9/H4Tl/V"
    "+8RXQALDlA+LUkR75Cf9c2SX0ti/3fl7ZbsrWrqhJV9yNl8wVhb8H7+q05CBxLB5KYVwAY"
    "uOwXgn/PXvmTsF/TJKzwr1ZXJfDG7eDYdItHCIhj7ElC4gvpRI/VWU50X5aPKIVW47fOL2"
    "FG8okb1ZdlNHgqsREvQq7umouY3jqRTtUDBqPbtWz074luXAb2RxFtnMskFrMUFLE1vXxO"
    "YWbGxdSZyx7QVre9kacrwoMuIDcwkdO3waCGYMHUjDXZpUT65Dg6iaHePBj2iURU8TKeji"
    "eSyuM4OPf7xFbCKPGS+v0ODd7fDqUor4jesGn/hcK9ELxOM6nQDmqII6YLPx2+gyMXmAJ3"
    "2PemFGCGJJU5S9KBiiENDLaYzu+O54AleOTRj/NnnrmHjyzBOrdrlusMnGFRWFGXbDgU+X"
    "XuwlIDdSTlulqkJ4pZesOHujV+5qMdn5SCLKjjTqgkhRbdJZbDRdsSNcJQMbPJceMvGY7J"
    "gKKAXCuh6VN5fuIRpcvo9ytVX3FjixaNHZPF2jvqaJGnc1w+Hm3TPDIVnXsbU2OaGWRZaO"
    "JFkK/df/oKNCs8tbCud/7PDScMzmIBZ/Y8ebgwH9v9GR+B3780HfnmHHYQFf6yDrn/es7j"
    "bB5p12yLx9n4s8St3e1LwPgoqssRsT1lDwRT2YsVlg46VzRqELmXtYW3Em8eVcL48yPWvH"
    "sJSb6bpZl+mdMh+Tjq2foxn5k+VoL33vbsOuQkihT5x1T8B0J3PMXaWXa+dzpqMJn1fp4x"
    "pYrg8du2kMSZRZhbOTmEab71cJ/lgoZ69MU2nsWx9bSQmpmisw0f738OxkXfkCS+JtlE6o"
    "0kQa5gYw+9S3lYZxTLAPbnNZdPuN4O3X4NsvAjxiltIQjsrv4eh9eXp01ARhUa76mFW+za"
    "I8xw4HxTDxDI+oTf3SwMiB6+IKJ+gK+hwTbOpt1mKdzWzw/cfT3qT+x5/FkLt7apHS+3Tq"
    "hHCaav/ExEkTGVwtggsL3X5d16w9+Mo8+Dpw47pm8dOxuPo4o/nmrLoOvVVru1WrPLhpwZ"
    "Z8FZorbbmSnP1k2VAfWplQ7XpIYPsAy1TwU2gZLY7lujjwFJWO/i6N/i4a2UTSgjZ2tphw"
    "18frpu1r8qxVDfIUkYZbCW7PZK5qbHZEoqFWy6QC/kGe0QLxPKUGXk3jKAuK/2AzXKVrlI"
    "bE3wPBjuBcA9n7q89nF+fo0/X5u+ENuCH20tsp8TK7Ml6fDy7yV3hUOEHXJRrQftCr+0G7"
    "hH95Rbza58/D91X6SJoqh34QUOsQaPeLA8IMdyyNAmlUxZdmQaUWmc6YTxxzUZ5LoNrWWU"
    "K6fwbP/qtXTc5FXr2qPheBd7l89SLSRnH/khBteftS7vfcsf1LxpVHQZXOOAnrsIl1hU1U"
    "GJ9+5riJqAPZwIn0+OtU5MQ1kXv6YvBE9KZXEz/hkiT/YYOcI5kbw+GWTWkAEzd1zqltox"
    "FB3oTNHYhn9KIAh/AC5DtOak6IdSdSfrBAhEl6dDzxe8jG4soEuN2YOvJhSdqRjTevLz3f"
    "HTHXQzWp3mBQKK7rMc2Wl/UNbAzWaZ4Uc0zVNBkT6aV9taV9S0uQT11i3bIHUpYAK/O6fj"
    "ESBbm45SVbBvmDzMcm4WsEVCKv7YEQOb4RkjfxRdH4NiSt4vuvGYPUU3CVD188+G8zaBLb"
    "v75mFCP1Iozw0iC5LJqQ41uArRjXL6iNCfYmxTldGV2eJVqXZWWr69jG7CrVi1iK9QVW1H"
    "ttZCm130an/TakcCg3+tTmTM3Q6cypOqvDjuowOqvDvmR1uCHYNSfvAtdjbolimHldpxh6"
    "oqBhJiVb3BIJdymFqUqTmxmFJUHkbBdNIMFpxDUXBNvwJhdFtqkW7ooUGiUzAxGfLWllZo"
    "jQWjElLodUXBUN9gqRQ1WYBmSVkGmecY2SE0KC+sR4cc9l2yQsBHkjoJCo8otzN4dsEqLO"
    "SGMNqwgvtJTXUN/JX4ZN7n1ecIIfifgWoBY9fSQuaJxI1Ofdoefi84zw8SEXui90lvuuZL"
    "nXF1pu9FQ/nrZqgGfINORKkMdSTQ3yDJmGXBnyEme4Wqw74AfXXxnn/suT1ydvjk9PYnjj"
    "J3WoVuSZlWtsi51GQqgH7o4YSW+CURqngi6cfl2rC6cKNj62SxMdovdig2BJlRGUywcy8y"
    "FdKcIIDEDo+cwNHGIQPhqsFz3kManQCrOniPBCYo8BOuA9HzIiCdm07LxuY+2qJkaVPWlg"
    "Rc3AHW6trEpDapg1JKk+m3Bs4xlDdPbUJqeDD/zji/hXO1hF5fcxHPq4SSz0cXUg9HEhmB"
    "9zzVbpFqKEYi8AXhLgnLFhruMKIh27u+cHBDMceK2OgTKEa2Dy7hwW7ByPUwqKIpOzlJrL"
    "XeayPmva9lZQnzXty1nTrTgdkUdKB8X9deZ1r2Z/nTllaX7WFB70RCc60ksoytYr6yw/TW"
    "pKqF1Rd0fM9AqbzW7YoAbEpaWzI3xRNy9wUmTZhKjmyJpPBH8W+8iKVudqy0d4ZKti/EiR"
    "7MX2fANhZTCnFBAOi+8hui+bpdqrS7RXTLPHW/RLVbf/vbm6rLB1JCT5DRI1ffQvtPGkek"
    "++NwIw6k1NeatSL7vfgQq2fuPyj38Dn5qacA=="
)
