from tortoise import BaseDBAsyncClient

RUN_IN_TRANSACTION = True


async def upgrade(db: BaseDBAsyncClient) -> str:
    return """
        CREATE TABLE fresh_search (
            thread_id bigint PRIMARY KEY,
            document tsvector NOT NULL                         -- as in thread_search, to which merge_search moves it
        );
        -- the release before leaves all documents in thread_search
        ALTER TABLE search_cursor ADD merged_id bigint NOT NULL DEFAULT 9223372036854775807;
        -- most documents are somewhat longer than 2 kB: compressing them costs as much as writing them
        ALTER TABLE fresh_search SET (toast_tuple_target = 8160);
        ALTER TABLE thread_search SET (toast_tuple_target = 8160);
        -- room for what merge_search moves at once; sort_search empties the list afterwards
        ALTER INDEX thread_search_document SET (gin_pending_list_limit = 8192);
        """


async def downgrade(db: BaseDBAsyncClient) -> str:
    return """
        ALTER INDEX thread_search_document SET (gin_pending_list_limit = 64);
        ALTER TABLE thread_search RESET (toast_tuple_target);
        ALTER TABLE search_cursor DROP COLUMN merged_id;
        DROP TABLE fresh_search;
        """


MODELS_STATE = (
    "eJztXVlz2zgS/isovTip0noc+Ug22d0qKXE22nHsKVuZmcxkioFISMSaIhgeVlxZ//fFQY"
    "oELxG0DkrmS2KRaAD8GkAfaDR+dMYEusZhf4psv/Ma/OjYcIboH9LzLuhAx1k8Zb99OLZ4"
    "OchKeLzI2PNdqLNqJtDyEH1kIE93seNjYrOyfRtAXSeB7b8G2PeA45IJtmhB9sOHloWR1w"
    "W+iYCBp8jzAZmIV+QW2V0AbQPMTUTfu/QxwB7wAs9BtoEMQFz6GhAHudAn7iHrj0F02iFs"
    "TzffdGDjbwHSfDLlJLQDf/5FH2Na/jvy2M8fnQlGlsH/7lDQ8B327xkpNjqsKPruuMjzKH"
    "BeRB1xRiCucSLEeXHv8BcdTkd5wH88dIHUiO4i6CNDqQ0bzas34OnERUrVO8QJLOiWNMGI"
    "nFuNtyINT8w/hD/XItoBng5t/z0vy/g/1nRiBTM7Lu/c+yaxFwRYjG3aGcY7ZCRGrh1YVj"
    "jEo0eCqfSB7wZowU0jfmCgCQwsNv4ZtehB/KyjaZdXI+3mfKRpnczciCgSYzZ8pFP8KB6Y"
    "zTKGwJR14W9/7/WOj1/2jo7PXp2evHx5+uroFS3L+5t99fJBdCaGS1TFQRv+e3g5Yh0idP"
    "KKOc0ePHAa6EMtZnEMP/8/w4C3JnTz4Y/KpxhAP6wOA6IHMQfiBWcTLJjB75qF7Klv0p8n"
    "RyXo/tq/fvuhf/3s5Oi5DPFl+KbHXz3wubRYejFRwTYsvmVoV4bni6OjKoiyYoWYipcyqn"
    "M09rCvNGoTJPuC7mklcE9LsD3NQqtDB46xhX0qRLP49l0X3ucDnCZMoWxhr9YCXRvmm2/W"
    "O/Hr2ZfOwY+Hgy+d54+AvgTp0fnvoz//SuFoYCpD75CLDO0OQ5WRmqXclwH7qsp4fVU8XF"
    "9lR2usCMnwvqOPfTxDBWM1Jktha4R0h9EfOyjTyobq8OP5zaj/8RdW/czzvlkcrP7onL3p"
    "8af3qafPzlIMWVQCfhuOPgD2E/xxdXnO4SSeP3V5i3G50R9MwezAwCeaTeYaNJKYRI+jRx"
    "KDk+q0CoeTdC2LG81i36Sz0dC4QadmCKQpV2MS1GXt0W4YAjHwLnKs+zq4pwhb2JVgX9jW"
    "1QFfkLRQK0EdOXJy0CbEQtDOhztJlkJ8TOk2CXm+920VcmJwdXUhiYjBMIXn5aePg3NqnX"
    "HZQAsx8ykXZiYRNCZJ1SwGmewJ2Qux0MyYDdxHqZnQM/NWCBu6BVjKdOlBe+8LjPdHyxlc"
    "XA2k0UuNhMHwsn/9+dnH/u/PJS3n4ury31H5pPIy+Dw67+fiX9OsyBC3mmezNU/Or8DL43"
    "SpgJAJWxGxXEQIxIiLp9ius7LFlDXXttCvvwPTaF1Lm4umVKYiV7tFOeZ0GQvSlC0LHsuC"
    "Ce0Ych0X55teFViRqqFlSU2WLPZ+NZjDinJ5n6ZdgbjfHYbsnLQPuaVR9cwjOUJohL4Xmd"
    "8Zyi175GVbZb07GxJ7I198/pyLiif0g7dsGj7wvf/JbWL7mT0YQ/12Dl1Dk97IZmWORTkI"
    "yd7/fI0syL82TwljIS+/kA0bkSuddfHTcGFIyRIfsz0irh89DqZrUdWI1bSvcHnBeFH549"
    "C6SdS0T2ixKUl6pGiSZl/NerP0E2jDKf8k1jZrKRF6doOgq5udgsC08G13WXia5sUFlwap"
    "jUwERHlWB/DpCs+CwaANeF0A28Aic+QCHTLyuYt9H9kgivUCc+ybyRCzbCzaWlpYHnJWGE"
    "slMFKNqEpStXFVa42rKtYy9iquahNKheRfoLCqgB2Vb8GuAXYbI1Q/RkhBE16nQHYcCyPj"
    "fWDrfhjUm5HK6SKlolkU1iZS6eVB5OAOuSyqmMlMD7l3WEfeT7z6n9i6OqZC8yc6PIFvQh"
    "/MoQfChkR4t43mLLzbgp6fEyW+2rofIZPXFd8citRWDJeKYXEGIMuBsgC8iGIvpIMcg3d2"
    "UiEG7+ykMAaPvZKlQTT31f1nMmW7WdY491lDhFVg4NwDTfx5qVhalKh2nskPxUXiDNBrMD"
    "dJlx0Ystm/0O8CWmZuYt0EXjD+L9L96EjRfcFRpVXUWuMUkvBOhLWxPyuc5WF4aQmSphzl"
    "aUVdFVFXYwVuV95mrrzSaRcz5wxRsWkbFt8L3WXTlm28blZVFmOKvQBcVhZ7VQ5s9IoPbP"
    "QyBzYSsqX67tuCZC8g3vSYVt/vbPc5N7DPuUaFecD+HRrI9tkJmKziLL8vU6D5Ew0ni1ba"
    "dCE2Ai6ZC9+KjyzLo39iD/D6wMQlM4DukHsPCNNm3/AdEPbpgeMBHbr0Bc5x6ay05hU7dG"
    "5m0LIafGT9xaOV2+Pey7OFOst+lCmwNx/7FxfLNdbkyJLx/PRp+K4Iy5gmhWgQYOOQUW5r"
    "lTqgjWouNdzITGOdefb8YE1LFl+djoVamlQ4+dfv9SHJJNxUZV4fxDthKDRD4lD92OarRF"
    "rUhC/KZIzOi1TeMRDFxfrvBGML64BC6FCuIrrCk8AygGeS+SF4C3WTPpoQy+LyAnlccnhv"
    "wFcPffvKEr/QlYQ+ZH4WFzNybNMaZjPsA+IaKC/1zMabf4SYos2oeWNCgjYCYEX+mFv68S"
    "q2ZFR+L8ycdVuS4eFfVY+jRFZrpDcsRHc7Jyu3FGfUYs8EJpURFIE8rbl4bZGIai0wTcN+"
    "DZmbGqJMLViVo08l2VisUoWlcHW1yrGgjqi24gKxQnrdODYxzKl3CL5ym4C4XHthURIiyH"
    "FuEg+FdDySgr2aYNfz3yx2vDxgwjsEbGq/56lVm25ecT/Ns4Lpss2zBOiaHriR7ZS7hQZ+"
    "+3B+fQ6iYg/F+f1UWxZxK8saphOwvHFx+D3qh8qXx9SlXy6KgeEN78vlp4uLkm1FDoLCYh"
    "eVX40itV1Ndi0J6krCZZAU3F7VZZwia/3Gj4iujNeOlGZVdiQ5QdWeR65wHrlNOrQlw6EZ"
    "Cb0apszuuheydTc/VUbnJlcqWT4TRK0HQGURbYZt+h7aJPDfBq5H3E7WPJVed0ss1AkvyO"
    "wkWrK6kQpdH7OfB/zAHBvM3mtu7rE4fcAGODCQhXn2VBFASSZhOP/38P2idNJ4xPaYfKcm"
    "ope777zJhh/h7190UnV3WiLcH+//OjasGQOV3Z4JolZb3AU389MCvCGSha6pZuEZ8eTbUr"
    "nCytU8Iw4oU4IZW5tZsD64wx7mZ7qFY5Hv+GIP2MQH94if7A5NQUFddjZ8BTU/Qi5sbaes"
    "kVJhK3vCzZhiQ6ZsfITubc4Ei9+VTS+urmgzWqyizsbmALpjIz9wgE/CIy6L9AhM8aFfRi"
    "0MCxm0ywAyznlEzAnuY6EsBYEtFSI2i7WglXi32BGhFfmzb2MttxkbdnduJn1TtzyhjiIr"
    "ElTb1TZ2jhnNWBYvyPQDlXQ5i2L0pmxJtMhUM6NCFYOjrXsWChZucTK7kFd7sNjqfBPGML"
    "N0MciNTEnaUtKyDOPm6GP9lpmPYsuzKGp63U224dStdfoUjKWkdcqRq+nuTtM21ef9pXOA"
    "HKKbG0iHvit+b8465eDaJFU7z9TnWT09OUPaQq8EfRiNVcdzkJfhqYV7+ZU8uUm1ll3Hk5"
    "9Qq4W7YiStFl99rLCVmUPdMkCRATbt1jjww01AFfBlyhZ4JeCjuFgtvElbEf1c8pYFO+Lw"
    "4Gmxs96OKFt2oatjkZC7mp/DItPXUTi3OOUmBFWXdmc2Zjvl4gScdZ85+QYYvRhu4CtVxk"
    "0W9G0S+m0i7ps/OfAA+4B8j8cmG1cMJnegi+yKGZk45FpCwpcFVYuK5ZjqVHC36HykC4uO"
    "VOoCjxHQsbPIjf3IjtjExxOW/C3cZhIdUwElQ1jWo/zmkj0E/ct30c5ccW/F1YfqnU3TVe"
    "prkqhyVyUOV++eHg7Jso6ttEkTGwZaOpJEKfCPf4GjTLPLWwrnv0bFlcqYTUHM/4a2N0eu"
    "B/4JjvjvhfLH+nYAbZuKQR2xPV7voOw8R/VO22hev89ZHiXiZ6v3gVOhFXbDJBUXvqgHDn"
    "ECCy6dMwpdkE7C1eJMrPivlkdSz+oxLGGTrJp1Uu+U+Rh3bPUcldafWhwNa1jxlEt2q+b8"
    "E1WsnJdS15R5GVKvm5GPnqdhdeuarsW9fRSz1ziFi3tcdwysdFor7RCuIq1oGxfxukpcRG"
    "ywVGdBTNOG+T/GG3yvHI+SpGqxrx15HGoEuZe4lKQDXVh4e5jEZVWnj7eeyuKpwexj31Ia"
    "xguC/csU0qsEb68E314W4DExlIZwVH4PR++Ls6OjKgjzcoUYh29llOfQpqBota8fKqB/gr"
    "cQpfbgJiynpq60QshU+7dMVLkmpfiWlMwlKXt2KLo99Z4OCmtIXoOWxetjcfGWVXXjrLiO"
    "1lSra6oVbs7VYEu6ipYrdbkS7++pRPbHVLseTVI/vj/GMPKMZsdyWSqoBNWWU0EtXKUNzg"
    "QlZnyNRFApwl0fr5v2r4n9dDXIE0Qt3Epwezpx89aRsmzgEUkLtVpoJYsB87QaiKcpW+DV"
    "NA6Ss4K/twgs0jVI3sI9YQQ7gnMJZO+uPg0uzsEv1+dvhzfDq0vZnOIvZcl4fd6/SAFadH"
    "XuANvQLfCxFV6eO773hbttfyzYAUvemdRCfu1fD4aX/evP+fk/o/JJw3TweXTez6gk9MsL"
    "TnIW34sjUzXiZpy1c0DhFhxsoJlDfGTr99otUvLW55Dun8Ozd3paZV/k9LR4X4S9k0Gf0P"
    "aR67g4X7kuXkZShDXXkoYBvoWlRIr4UVC0pTDxNqnFo854pLmRo6RQhQ9P7Z+RmA1D2nOY"
    "v7MS3nw9RTvJhIdonEVPEx1w4XwR+SWPP/r5BrKQUFMur0D/7YgpNA9bOTtzjYTFnz0+E7"
    "3plpygcVF8XKpKwstkhjB2s4Fwj3UBccEcWxYYI37blH0Ihr4XHXEJEx59paS6iYyvALoI"
    "kIAnH/Pw1PS7wII8yYctLp3iD/PSXm66+TbJ2e4sc11QHDDIB4Wi13JBs2Wf5QZk/Sqdl3"
    "yOqTouF0StaN/B45vXyMcuMkbkFtm5cijxulwY8YJ0uaUlFc51ChNfpLJkaz7UEZURrBKR"
    "+ZgdkqRmkkg1FabdAxZLgRzdlMhT6FHhQX/rATLyT3CupxnFs5oRRnDpMUkZTZYSgIOdFw"
    "pfEunOqTUTemZ2TlP1cBAZPrIQk4hW5XfZqhzbmKlULMQSrM+wojymQ6ZsozoaHdUhFod8"
    "l1CZh0Kmax0UdR0UDUl/+nR1mBQvWu9E0jsRTlDZOZEYfI3yTYj86IWXc0ivyxRDkXY8vJ"
    "yjul4YJRlNX4yRyCXKPQl+nBedc5rnYmZmeKzXcWKRF12kamYpp4sUxQ20+8X+YnOdNMzj"
    "7onKRXaR0N8xQy5lCh0XwuORzuLepT/ZjR+UkN3RGLs/kinr21SqbSrVVayIO7d3L+aZMu"
    "ASWQu5GuTReqUIeZJsu5DnoLILTGiGF+kmGCdxyigLydelykKiYOV9jSTRIXjHNajwdgUm"
    "O2+R4/PLoCFgFjJ45riBjTREx4fxPL6lgfuF+AEZwJUwWhmY0EHE83TN8jY0NtauoptJ6J"
    "BV3EwS3KHuaRR6msKkC3H1FS9cXlfChVAhaKzbqRnbJ7f047P4F8enROX38TTpcZWjpMfF"
    "50iPM2ehIZVfOVZu8d3WMcVeALzkfKjk5FnJfdbt0Uc1JuyaB9WBgVfLTy4Rtpc6N5nHCQ"
    "VFkckyZcvlJnO5dcZv2xRsnfH74owfcedv4YWm0utuiX0tOZGrO+MrXDxa+8bSNlZvx5aZ"
    "bsbYbIYPqo9cnDs7whdl8wLGRZZNiGKOrHir5an4R3ovTl6evDo+O1mM1MWTsgG63PNxh1"
    "wv9wL7YudHgmQvzPMNnMphc0oB4bD4HqL7olqmsrI8ZdksZexmmlzV7T83V5cFvo6YJG0g"
    "Yd0H/wMbz0m2dtuIgVHuakp7lbqyvcMqGGx7N+Xh/zZ+ZRA="
)
