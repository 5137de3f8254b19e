from tortoise import BaseDBAsyncClient

from services.board.database.migrations.indexes import build_index

# An index that is built concurrently delays no write, but needs a transaction of its own.
RUN_IN_TRANSACTION = False

# A list must not walk past the agents that operators have suspended: after a wave, these are most of the newest.
INDEXES = {"active": "activity", "new": "created", "popular": "score"}


async def upgrade(db: BaseDBAsyncClient) -> str:
    """Replace the indexes of all agents; a run that was killed is repeated."""
    async with db.acquire_connection() as connection:
        # It waits for transactions that began before it, such as a backup, and no other waits for it.
        await connection.execute("SET lock_timeout = '60s'")
        for order, column in INDEXES.items():
            on = f"agents ({column}, id) WHERE suspended_at IS NULL"
            await build_index(connection, f"agents_listed_{order}", on)
            await connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS agents_{order}")
    return "SELECT"


async def downgrade(db: BaseDBAsyncClient) -> str:
    return " ".join(
        f"DROP INDEX agents_listed_{order}; CREATE INDEX agents_{order} ON agents ({column}, id);"
        for order, column in INDEXES.items()
    )


MODELS_STATE = (
    "eJztXVtz27iS/isovySp0roc2XGymd2tkhPnjHYcO2s758ycyRQNkbCENUUovFjRyea/Lx"
    "rg/SaCkiVKwUtikWgQ/BpsdDe6G98PRgy71uFgTBz/4C36fuDgKeF/ZK730AGezeKr8NvH"
    "I1u0w9DCE01Gnu9iE7q5x7ZH+CWLeKZLZz5lDrQdOAibJgsc/y2ivodmLrunNm8IP3xs25"
    "R4PeRPCLLomHg+YvfyFnsgTg9hx0LzCeH3XX4ZUQ95gTcjjkUsxFx+G7EZcbHP3EMYj8VM"
    "PiDqjDf/6MChXwNi+GwsSPgA/vyLX6a8/Tfiwc/vB/eU2Jb4+4BTesQybMYeDqAd+TZzie"
    "dx1LyINGKLhNuQFIIRi5m4cSDoOAPgB/rHr+fX5yjVLxreoMurW3T5+eLi4EcPZZ4fv4vB"
    "8aF2wzHkqZYMJte8dkB8FtFH6i+gH2o1HI9NPZ/3LmhJ89FgXwylbBimS7AvYVYdhUPmax"
    "mCZzKXtBnAjM0CG7vtBgHdzh4MMY6MVKACDHHdiLo9o+Oh438QbeGzGxkms4Opk7SfLfwJ"
    "c2ICKkUKHy58MsRKCQwnsO1QskSX5LfEL/huQOKPyEouWOQeBzaIHaCWI0iuHRgGn2bGzf"
    "mtYRwURFJEkRIV4SWTI8yhoiDcAIExDOHf/r3fPz5+3T86Pn3z6uT161dvjt7wtmK8xVuv"
    "f8jBJHDJrgRow78NL29hQIzLTClK4cIPQYN9bCSTIIFf/F9gwLsJdsvhj9rnGMBfrA0Dog"
    "sJBxI5vwkWTPE3wybO2J/wnydHNej+fXD97tfB9fOToxdZiC/DO31x64f42uIVjzIVbMPm"
    "W4Z2bXi+PDpqgig0q8RU3syiOicjj/pKszZFsi/ovmoE7qsabF8VoTXxDI+oTX2uuxTxHb"
    "guXpQDnCfMoQwryEZhvvlqv5e/nn85ePb9x7MvBy9WgL4G6dvz32///CuHo0X5KvtIXL4I"
    "PlKsMlOLlPsyYd80ma9vqqfrm+JsTZSpLLzv+WWfTknFXE3IcthaId1h9McOrml1U3X48f"
    "zmdvDxE3Q/9byvtgBrcHsOd/ri6iJ39flpjiFxJ+gfw9tfEfxE/7y6PBdwMs8fu+KJSbvb"
    "f4IKeoADnxkOmxvYSmMSXY4uZRicVtpVOJym0yzuNIv9Cf8aLUPY0WqGQJ5yPSZBW9Ye7Y"
    "YhkADvkpm9aIN7jlDDrgR7bH03Bzwm0VArQR35z0rQZswm2CmHO02WQ3zE6TYJebnTcx3r"
    "xNnV1UVmiTgb5vC8/Pzx7JxbZ2Jt4I3AfCqFGVYEA1ZSNYshS/YT2QvJolkwG4Rr2Jhgb1"
    "ImIRzsVmCZpctP2oUvMd4fLefs4uosM3u5kXA2vBxc//H84+D3Fxkt5+Lq8m9R+7TycvbH"
    "7fmgFP+WZkWBWGue3dY8Bb8Cr4zTtQtEllAvEcuXCIkYc+mYOm0kW0LZUraFfv0d+IyeSr"
    "S5ZAy7OK7xQErM6ToW5Ck1C1qyIL0xprq45GnXsLbsDkN2bmkp2cdux+yYXPN7B/htcN3P"
    "YyUr3C35VmXbFyi37O7PGkJPu22SYW/k6C+XsVHzlPLxDsRuVsKG0Snq4jVDqL+1Ln9r6c"
    "imApd/I4uzSB8pY3BEpXUYBR0GQnfuH1LRI3BhhM2HOXYtI3MnG1ci4C7xCp2FtB9+uyY2"
    "Fm9dwhMRLXjJu7kImbabtnJyNZxABefZagh9Yht2lW0QHZfLW9gJF1bgajBdy65uoad9hc"
    "sLRnHnq6F1k+ppn9ACycX6rEqWFW9N+9P8FezgsXgleDY8KRXXfEOwa04OKqKew7u9ZbHP"
    "hpc0XBoBfTshSLaHPpDPVU2INMYOEn0h6iCbzYmLTAzkc5f6PnFQFEiM5tSfpOOXi4HOT/"
    "KE5fHMlRGjEiPVuNE0lY4efdLo0WpzZ6+iRzdt3cCHpwJ21F6D3QJsHQnZPhJSwWB4ygV5"
    "NrMpsT4EjumHyQ2FVTnfpHZplo2N+0zr5RlK6JG4kF0BayZkA938zwWK++BXsI/m2ENh9z"
    "JjyCFzyBiyseeXJB6to8cV1t+nytgIl0+95NYuuTKZrMiBupDiiGIvVoJsVPHpSYOo4tOT"
    "yqhiuNUZiRVYtDRlUlyvlU1xi2YZk34oPVJZhm/RfMJ6kJLowL/Y7yHeZj6h5gRxw/J/ie"
    "lHSYuLQ3Q7YR6BHphDkMmmU7jj8SlIEEYj7JuTioTJTT1ZMV9SDgwIwyfCnw0S5AB3I0VS"
    "mhhXSMETw1R5QkxQl3gnGmWTILUM76QMV9+gWNvORNek+T5tTXAxpmKfhc33YlHetHmWyO"
    "umWlBCsReAZ7WgfpPcqn51blW/kFuVWtOa72XHJHsB8abntHr0gI4aWAfusXLVOE87ImiF"
    "esc2kXM526dNMrbzi2wqX/u0mFLskzFzS4IOqwFO02x5ZjNhPawN3n4TePvV8Pbz8LYKMN"
    "NhZZ3VJ7vhiTiDf4cW4fPEXxwUPRLZ+70az4S4YtB000ZbmmDdu2wuvZk+sW1wbFIPif7Q"
    "vcumiDwSd4HEB/qL2F+EVw9mHjKxy2/QEtfpWnteswv1Zoptu8Nlb16uIASl1X3cf30a29"
    "nwo86yvvk4uLhYbkqnZ1YWz8+fh++rsExocogGAbUOgXJb6tMz/lDDxY7FpgYM5vmLZ0+k"
    "S4m15ljKt7TkEm+/14UW0nBz2ft0EOsVp/GKw5VBR0iJ/FIT3qhbY0zRpPF+nGwu5f8sGN"
    "nURBzCGecq4RKeBTb4k9n8EL3D5oRfume2LdYL4omVw/sF3Xnk6x3U7OOShF8EF7RLgZw6"
    "widNfcRci5RVDdz441dYpvhj1NzEIYGOr1mTo/iBv7yK4RS13wv/y1O7uMICIqpbIRmyVj"
    "O9YybTdqozbCmKT2MPCyZfIzgCZVpzjVMmTbR/nq/1VH/siDIVs6pEn0qzsVqlClvR5mrV"
    "zMYm4dqKi6SE9HpJ5G9YDvkQ3QmbgLlCe4G4JBlCPBeb+pJOxC7BrXvqev4vcZiAhyb4kS"
    "CH2+9latWmH68YYODZwXjZXn8KdMMM3Mh2qtvzj5rlIwxSppfqk2Wk2LIHQ4xB7cNlAZ1o"
    "HCpvnlDXvrls1jDeQYCgIOyi9utRpLaryT5JkduaADWSSR1pupeVI9MbWivELieyI6dZ1Z"
    "U1SVHpmiYNaprowoVbMhy6URS0Y8rsrnshtbv5Z2V0aYHGGvGZItIeABUh2hXb1OGW1ZRY"
    "Nz52y6Ldcw16tVZq2NTwoG1jU1W0jrJnPOI+Ehd51OH2o4w6x8hbOObEZQ4LPGjtWKMFt/"
    "/ABrTk7rA/4UwN95BTnUzY3CuzTjfwxFX8/DA6dYGbInsKgbtVq2n3xWzeQuvG5/8B8xnu"
    "vwtcj7klH3/mdt2nfy8agpuEt2zuo+ITlsLPZyIbHUD23orPCRLjEACPLGJTcQCDTDoJv1"
    "kHst7F/bh12ndEnRH7Jr7XsrCTTT54BTEQD7IoCOqDUzKE+7P59xTxKsBA5V2PFJE2Fndh"
    "l+nnArwjK4tLyL/KIkjCG7WriWjScBmRQYT2AoIxeogKMe0S2FFgDkkJddmpSHa0bVEWhb"
    "OrFyp8ILHlYY+8gzsRkHsnLppsWlGDZQPP1CGNHVgihF2grItHRJ1yfWhdPO/y0PH6+8vb"
    "HU7g2p2Muc4oG96kstpb+u4StcObtKz2hjg7gikYgrDYo0fqUajOFlqKWJwo7TAfLYio0B"
    "ZuOknauhpvK/e7gg6xtYi8TpqfW4495UY9Ud3aTGi0a373LKgh+JI+YvehRKQl9+oEmvBG"
    "GVPeTMGWIo8gbYIZ8lnkDY9KS4Jxwt+ML7g2sfiQwarpIY9JSSR20MEpHjiZRtwkglQtB3"
    "kPdCYD58sl3saerKtd7sqXWCcROatFMWJFVqSotutM2jlmdEMsXtAp9a+xX+ZbSu7ViUUb"
    "WilIRJgMUYkrQftWip1s3aweYi4itohclWmt8ebg4NMQthlM4nlRIS25Vye9RBDiOqZc+J"
    "WLxc09/ovzxTljPpe7UL7LR1PQMjHHfzoiLjzPxJCf+/xrwHz8AvRN7CwQHwBlFnruET4z"
    "Le8FFAWTw3PIHHxZrgdaKsQCY1OIag8t+H9jAsHBmD+T89kIqVeVz+UlcKsjS9dbAvenii"
    "wVs6CIdaXkjdvvkTLaf3ny+uTN8elJLGzjK3UytuQgWjn9FeBMUWhAi4CGAzRUZ2mBToNb"
    "Da76rC2h1ACXbpS2ADdHpYHtlN7KxmcEzs0sUVujW7VaKxsbI2iloLmKpCnEbU+onwL+w5"
    "D5vEkPFLw70cAQvL37RSiLwrMoUrXgF7XiNlacpSX7w/c+V+Cqyrps7Mkr6IrJkNRMyCyd"
    "tufXZM+nZoQaP3KE2qpvHZ8TfXCt8O9AfM5Ogy+Em8p2ZUygdyt3areSL/e/Epxdi7J3lu"
    "kBk6iRUnSUDEwSPT6Ls7CjWu7ycCjhqJY+8+ig6frop5Z9gqfpXJR1g6Ao6VwSUVNsnI62"
    "DUsJ8cvmA4TUSrVCx0Z1JTZKh89udIUQyLVMx8vTdiowLZvfTWbMnDxhkveuBTIJ1ikX/0"
    "pT6e9M/Ttrt9NbINXQt4BeHA7QEvs0rQZfCfywVI8a6ikiDbcS3C6BE+EU4U4RabjblVmT"
    "8lkR9zJqzQBFBjh8WKPAD1NEVcDPUmrglYCPYkSMKP5CDf1Scs0CRVkPng+5a2BwQMu2HO"
    "rKQZXSb7kwVOy46FhdqM54+W78ijC16FZviZ/Pi1spndIQ56qLQ2bNCTEfZozj/hZ59F9h"
    "gWrGRIiWqMfoEiKPpfXo2CEWJBTwC3DrkbiUv66LHsii/vyGJ3ymdvV1wNUHXFRbNiIKvV"
    "KorRT8KykD2sFuxRnnEUV+OVj40k7YrYiPOgBhFye9Lvx9cH02vBxc/1G+ERS1Tzvkzv64"
    "PR/kFdNYWqlsv2Wp9qEE8ya24NK4R5Le4JJeBfk8ncZ+l7Y/PzIrCp8pqkapm3XK0TTbTO"
    "WYbf6XDDWCePQwv6iHRouktHRPZlKS6DwQ3jnB00N0KeLgPREdnxz1sfyMkc0+e83a0jqO"
    "odYBUG8bJTTpc6j3cftOH478xIduAsOUN4tSRHsUJ/1z1PPS2L/d+ZN8uytauqElX3I2Xz"
    "BWlvwf36rTkIHEsHkrhXQBi47BeSfi9e+ZOwX9MiqIC/1lKo4Mbt4Nh0g84RANfcgpXUB+"
    "KZH6q2jPm/LZ5BGr3Hf4xM9TPBNGjmbZ2SgJrkZI0Ks4GaXm/JOnUrRDwaj17Fo9O+Fblg"
    "O/kcVZ5DPLJq3FBC1dbF0Tm1vwsXWlcMa2F6ztVWvI8aLIiA/MJXTs8M9AMGPoQOHz0jKG"
    "ch0aRN3sGA9+RLMsuppIQRfPY3GdmXz85S1iE7nNeHmFBu9uh1eXUsRvXDf4xL+1Er1AXK"
    "7TCeAbVVAHbDZ+Gx3fJjfwZOxRL6wIQSzpirIXBUcUAnr5GaM7bh1P4JC3CePvJs95E1ee"
    "eWLVLtcNNvlwRUUhKatFlx6lJiA3UkFbpapCeIia7Dh7hlruMDf1Z0+oZcEh5m2HgAaX75"
    "HsBP3Hf6GjwpCg5wVU1Gk0HOx4c+IuHUfUaWEkYQW8wigkV6OlQqLUaECiWrpJZ7E3eUUO"
    "cV0VNie4WJV18OTAVDhWIKwbUfnjGsMWk0vA1Qebp2s01jRROw43H54Zfi91A1vrI+W3su"
    "yRdV/U8ieFgjGOBGo4Z3MQi7/DDxL9JzoSv+NARxjbM+w4LOBKAJSg9J7VHWzZfNAOmbcf"
    "c5FHqYPEmo9BUJE1DmPCGkrlaAQzNgtsvPSbURhC5kjgVpxJglzXy6PMyNoxLBV/u27WZU"
    "anzMdkYOvnaEb+ZDnaSx8B3XCokGvpc11gzR9gepA55q4yyrXzOTPQhM+rjHENLNe7sd30"
    "EumCu9vLilkol/VMU2nsW+/nSQmpWkQx0f73cFNpXYUUSxKRlLbu0kQa5gYw+9S3laZxTL"
    "AP8YRZdPuN4O3X4NsvAjxiltIUjtrv4ex9eXp01ARh0a56/1nezaI8xw4HxTDxDI+oTf3S"
    "jNGB6+KK6PAK+hwTbOpt1pWfLfnw/ccT1ns4//32z7+KuYj31CKlRzvVCeE01f6JiZMmMr"
    "haBBcWuv06OVyHNpaFNj6WKjJL4lZTdJrFnWZx9XZGc+Osug9tqrU11So3blqwJd+F5kpb"
    "riR7P1k21OecJlS7nivZPvM0lRUWekaLc7kuQT5FpdPiS9Pii042Uc2hjZ8tJtz1+bpp/1"
    "oS/KAQA5cQabiV4PZM5qomrUckGmq1EjMQOOUZLRDPU2rg1TSOsmoBH2yGq3SN0loB90Cw"
    "IzjXQPb+6vPZxTn6dH3+bngD8Zm9tDklbmZXxuvzwUX+bJOK6PC6Cgw6QHz1AHGX8DevSO"
    "T7/Hn4vkofSVPl0A8Cah0C7X5xQLjhjqVTII2qeNMsqNQi0xnziWMuyossVPs6S0j3z+HZ"
    "f/Wqyb7Iq1fV+yJwL1fIX6QgKdovCdGWzZfygPCO2S+ZUB4FVToTJKzzSdaVT1LhfPqZE0"
    "qiAWQzStLzr1MpJddE2vTFrJLoTq8mscQlSWHIBsVYwrwOmd4Jx49KB5g4wnRObRuNCPIm"
    "bO5AoqcXZX6EJ0PfcVJzQqw7UQuFBSJ/1KPjid9DNhZnScCxz9SRF0vqsWz88SuUZAk95q"
    "qCLkOmQwLXFBIoJoXiuh7TbHlZ34BhsE73pPjGVF2TMZFe2ldb2re0BPnUJdYteyBllcEy"
    "t+sXI9GQi1vesmX1A5D52CR8jYBO5HlGkDvIDSF5RGFUpsCGal7c/poxqMkFZxzxxYP/No"
    "MmRQ/W9xjFFMYII7w0SS6LJhQ/F2ArFjwQ1MYEe5PiN12Zdp8lWpdnZavr2Mb8KtWLWIr1"
    "BVbUR21kKXXcRqfjNqRwKHf61BaTzdDpkrK63MWO6jC63MW+lLu4Idg1J+8C12NuiWKYuV"
    "2nGHqioWEmLVscnwmHTIU1XJMjK4UnQRSzF49AgtOIay4IzPAmJ2i26RYO0RQaJTMDkZ8N"
    "tCIHPfJVTInLARUnaIO3QpSWFY4B2SEU4Gdcn+RkULc/cV3cc8k2CRtBOQ1oJLr84tzNoc"
    "iG6DPSV8MuwnM+5encd/KXYZN7nzec4Eci3gSoxTgfiQv6JhL9eXfouXg5I7x8yEXuC138"
    "vyvF//U5nxvd048/WzXAM2QaciXIY6mmBnmGTEOuDHlJKFwt1h2IgjteGef+y5PXJ2+OT0"
    "9ieOMrdahWlN+Va2wLOyMh1BN3R1ykN8EojVNBE07frtWEUw0bb9qliQ7Re2EeWFJlBOXy"
    "gcx8qOKKMAL3D3o+cwOHGITPButFD3lMqrPC6Snyu5CwMEAHvOdTRtRmm5bt1m3suar1Yu"
    "VIGvhQM3CHhpVV6UYNa4Yk3WfLjW28XoguKttkb/CBv3wR/+rwqqj9PiZDHzfJhD6uToM+"
    "LqTyY67ZKh3OlFDsBcBL0pszHsx1nMykM3f3fHtghgOv1SZQhnANTN6drYKd43FKQVFkcp"
    "ZSc7nLXNY7Tds2BfVO077sNN2K3RG5oXRQtK8zt3s19nVml6X5TlO4zRPt58gYoahWL8gN"
    "uVcUhq/exUGedyJ0VYYThYFD/oR6iIoTAu9kVcK78m2oDTxTh7/ujnDr1Zi4uiLmz+ZvHB"
    "CXlkrC8EadDMRJk2XCrxr/Ne/+/iy+sBV3GKpFQLg9r+LoSpHshStmAwmE8E0pIBw230N0"
    "XzYrqlhXUrFYUJE/0S9dx/775uqywq+VkOSNYWr66P/QxssnPrkdDGDUuxXzHsRe1raFDr"
    "Z+6PiP/wdxvCJb"
)
