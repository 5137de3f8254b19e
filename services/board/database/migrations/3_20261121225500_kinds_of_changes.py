from tortoise import BaseDBAsyncClient

RUN_IN_TRANSACTION = True


async def upgrade(db: BaseDBAsyncClient) -> str:
    return """
        -- what the memory of every api process must know what to do with: services/api/cache/tags.py
        ALTER TABLE changes ADD CONSTRAINT changes_kind CHECK (kind IN (
            'post', 'vote', 'hide', 'unhide', 'registration', 'profile', 'operator', 'suspension', 'restoration',
            'rotation', 'community'
        ));
        """


async def downgrade(db: BaseDBAsyncClient) -> str:
    return """
        ALTER TABLE changes DROP CONSTRAINT changes_kind;
        """


MODELS_STATE = (
    "eJztXetz27gR/1cw+pJkxs058rO5tjNy4lzUc+SMrTT3HB5EQhJqimAA0oom9f9eACRFgi"
    "+R1FvBJ5skFoB+C+wuFrvAt9aAQGq97IyQ47Veg28tB04Q/0d5fwRa0HXnb8WzBwe2LAdF"
    "CSaLDJhHoSmqGUKbIf7KQsyk2PUwcUTZjgOgaRLf8V6D6Rh6AHuAwRkDZMj/ZcgeHom/wI"
    "O2jRE7At4YAQuPEPPCIsAjD4jX4ljyiXn8P+yMXor2LWLyDvCn9TflO/iLjwyPjBCno7zB"
    "3//kr7Fjoa+IicdvrSFGtiX/b3FQ8CP2ZoIUWy1RFH11KWKMA8Mi6gj5AFFDEiGJ9cyVH1"
    "qSjmMsH56OgNKISRH0kFWrDQdNqzfATEJRrepd4vo2pCVNCCL3wZCtKMMPyx8i3xsR7RUe"
    "dR3vnSwr+D0wTGL7Eycu7868MXHmBDgYu7wziEps4pHp+LYdDuHoVcBU/sKjPppz04pfWG"
    "gIfVuMb0Ed9CB+1zKM3m3fuL/uG0YrM/YjisQYDV+ZHD+OBxazSCAwEl3429/b7ZOTi/bx"
    "yfnl2enFxdnl8SUvK/ub/XTxFHQmhiuoSoLW/anb64sOET45gzkrXjxJGuhBI2ZxDL/8m2"
    "HAmzGk+fBH5VMM4D+sCQOiFzEHYoGyCRZM4FfDRs7IG/PH0+MSdP/TuXvzvnP3/PT4hQpx"
    "L/zSlp+e5Fyai1ZM6mAbFt8ytCvD89XxcRVERbFCTIOPKqpTNGDYqzVqEySHgu5ZJXDPSr"
    "A9y0JrQhcOsI09rimz+HYohbN8gNOEKZRtzBoJ6MYw33+x3wZPz/9oPfv29OyP1osloC9B"
    "un/9S//3P1M4Wpjr0EdEkWU8YlhnpGYpD2XAXlYZr5fFw/UyO1pjQ0iF9y1/7eEJKhirMV"
    "kKWyukexn9s4c6rWyodj9c3/c7Hz6K6ieMfbElWJ3+tfjSlm9nqbfPz1MMmVcCPnf774F4"
    "BL/d9q4lnIR5IypbjMv1fxMGZgv6HjEcMjWglcQkeh29UhicNKfrcDhJp1m80yz2xnw2Wo"
    "ZcwNVbCKQpV7MkaMra4/1YCMTAU+Tasya4pwg17LVgn6+tqwM+J9FQ14KauAIXQnPQJsRG"
    "0MmHO0mWQnzA6TYJeb53bRV64ur29kZREVfdFJ69Tx+urvnqTOoGXkgsn3JhFhrBEJq03o"
    "pBJfuO1gux0swsG6Qj0hhDNs6TEA6kBViqdOlBO/MCjA/Hyrm6ub1SRi9fJFx1e527X59/"
    "6PzyQrFybm57P0Xlk8bL1a/9604u/g2XFRlibXnutuUp+eWzPE6XKgiVUKuIxSoiQIxQPM"
    "JOE8kWUzaUbaFffw+m0bpEG0UjrlMRNR5QznK6jAVpSs2CZVkw5B1D1KU4f+lVgRWpGjRL"
    "GrKE+cxF/NdaBsxhRbm+T9OuQN3vD0P2TtuH3DK4ecZIjhLqo69Fy+8M5ZY98upaZb07Gw"
    "p7I198/pyLiifsgzdiGj7Jvf/hQ2L7WbwYQPNhCqllKF/UZWXOivIqJHv38x2yofy1eUaY"
    "CGn5SDa8iFzprIvfhoIhpUs8LPaIpH20HEx3QVV9UdOhwsX8wbzy5dC6T9R0SGiJKUnapG"
    "iSZj9N2pP0G+jAkfxJom3RUiK07B5Bao5bBYFn4dejReFnBosLLgxC+yyiwaADJCXADAyJ"
    "71hgMDsCU4o9Dzlgir2xDPpyKRliG/0IoG0D7ACbTBEFJmQoG3G2wnoXh5cVxk0FeNSNnk"
    "pS6RiqtcZQFVsUBxVDtQkDQvElcFjrgB2V12A3AFvHAzWPB6ph9a5T+bqujZH1zndMLwzg"
    "zWjgdJFSNRwUNoZK6Qq6GJtj8IiojCIWgdcM0UdsIvaDbOMHPjQBV40IhA0EcdoOmoo4bR"
    "syL08Pr6TOJXTwumKXQxWq1W6p2g2C+LMcKAuuiygOQhuo8XXnpxXi685PC+PrxCdV+kdz"
    "vb5vTKXUG2E75xrbEeXkWzg3GUm+L1VD8xLVloFRUAcDFrZEohDhi7Uxco5kzhBXDES8mw"
    "BCwxciG2g6nhWs/paqrkFOUeBrYP7gv8iUP7tCZo5AyEiQ7EpijlZuVZRbA5mrZe1uylol"
    "d2WckxFUvHgNix+EtbLptWssN6uahzHFQQCumoftKukX7eL0i3Ym/SKhW6rvpc1JDgLiTY"
    "/p+ruXetdyA7uWazSRubRypEGStpHDD2VGsimLVPTQ3DoIsInYpqBkCobcckWPiM6A5VNR"
    "HwgqA57c/ACuP7Cxyc1aJvcziG9bgI3J9EfwF0Nf/hK7IhZyGAqy6h1eYjLB3G6mFqJZm3"
    "rDbS/h8eEN1LOKQwK917Iiu/iB//g6Oj0qfxDqZt0aPUypqrvyU8gajfQdC3zaTr7KlnZ0"
    "NfZCVXIdwRHISzUtli0KUSMBs2vYr+E8jB0xo+asyrGkkmwsNqbCUriqQdUBrg1NJM2ZQE"
    "KyozgwJDyOKOc8o8pky5gxtj+qM9Kj8qvRots1Y9Zy5kvJLhVS4sWqrttSZHrxtkQQg0/z"
    "87lKs3wSVDrFp0KKj87j35LVuBtnZOyYJbPvewa7YTW9gw7xvTc+ZYTmGE7K5zLbaSgLGq"
    "YsWdF8ei88QZDKkB3sDAg3aUSID3EQcCH1sCgHxvARCf+OKCJL2mR0FPl9xLPgBYBDD9HA"
    "e8TJsybXeptawkybt56d3PfCXVYoUxXCw/E9nbQvzufCVDyUic/7D52bm8UOJREHVnvRnS"
    "DS6mofnBzfF+C7oT26QpR+gPQhR3XE38r0hhTGxoQXq6g0PrlB6I0IDEWPIj1DbCpwWR6l"
    "azxjAIqAUPOBa1sbWSMRFcpIILGlCco5KMU5EcKaAQchCzjE4+KePABeiA++vKSQjbas00"
    "b2x8dYEuJjPsgMvpqsSFBtVxTuHTN2QyzekNF7vuDNEYrRlzKRyK1OYxwVWigP+0KccDNW"
    "bKtKQRPsq4o0NW6mcukUGrLSjg0fw11j/tp8YGCIKfNCB6T4Knv0rMR/uZkmVxy0X25Nb1"
    "/uvdKm8/dpySVNZ4lcw8Op0rQ7FSaqepeRS8zxBs5f22X3T4btteNOklR6ntWfZ83s5Ayp"
    "hr4W9OGGZ5MNhLw0Uw334jOAczN7F53/m5/Vq+GuGGRixHcpVcc9j1ozoCYDHN6tge+Fux"
    "B1wFcpNfCNjmI2wqu6aqKfS65ZsCcOD3kOV9bbER3PVejqmJ8AVs3PYZPR6yhiSjoXQkV1"
    "xLszGYgbVYKwcHuWCQoHXY+BYLiBv7gxPiZUhpHL4wJ4p/O9HOtusGaeqAtpeIXf4uRQCa"
    "2R0OS5yaHg8/vru2sQVAy696B32we9Tzc3mRvjgp8Q2bxBRyp1QW5UmtidH7q1ZEcc4uGh"
    "yDwPo0qCjtUBJUNY1qP85pI9BJ3eW/CIGRaDurC3wZ0K9TubpqvU1yRR5a4qHK7ePTMckm"
    "UdW2mTY2xZaOFICkqBf/wLHGeaXdxSOOcNrpbqjNkUxPL/IImFgX+CY/k8N/JE355Bx+Hq"
    "zkQTYe89W+4iyKjTZTdBLuxzlke1LryM+rDgxsv63RiTioIv6sGiCyvrd0EJBm/EmdjAXy"
    "2PlJ41Y1hi7bFq1im9q83HuGOr56gifxpxNKxhxVMu2a2G8y+oYuW8VLpWm5ch9boZufQ8"
    "Datb13Qt7u1SzF7jFC7ucdMxsNJpXWsnUF89vLH4h3jBUp0FMY3OdVvG6zurHXeSpNLYNw"
    "5/DC2Cmrduxyu8A8xjXv2921vK5vzeYPawZ9caxnOCw0uWbVeCt12Cbzvn/nhi1RrCUfkD"
    "HL2vziveJn9eep38ed598tDhoBiNzzouoP8OjzxO7bUNsYUcs5aEUKkOT0xUOaO1+IjWzA"
    "mt+gb0Aw/+2pHsTs3i9bG4eMuq+uKsuA69VGu6VCvcnGvAlnQVmitNuRLv79WJ4I+p9j1q"
    "pHkcf4xh5BnNjuWyAzESVFs+EGPuKt3h8zCCGd/gOIwU4b6P103714L99HqQJ4g03LXgZi"
    "aheXKk7EDMiERDXS+EUmYFGw0QT1Nq4OtZHCRHgr+zCSyyNUie4B4Kgj3BuQSyt7efrm6u"
    "wce76zfd++5tT11OyY+qZry77tykAC26t6fs5uvCm3uq3nW9RyvY9d0/zn95Qcbmp0/dt0"
    "X2SJIqhb7vY+uloD0sDkg33EngFEiiKn+pCiq20MQlHnLMmfGAannrc0gPz+HZPjursi9y"
    "dla8LyK+qaAPefuIuhTnG9fFYiRF2FCW7BjgWxAlSsRPDUNbCRPXh1cslcuR5kaOkcINPj"
    "xyfkbBbOjynsP8nZXEVcx7yISnaJwlLrWOOkDhdB75pY4//vMtZKPATOndgs6bvjBonraS"
    "I6Ncwp7NlUnf0V6YM5O9F75a8kxgX8nzioCkjS5boMSTuRkAcd5a0UVm8pMtD7wLbmHADH"
    "BxYfpI3IOdny6z+iaWOAREdsAYQzbOThs+X64iTaCGLyhEqzJEtxoJuDHdURwGGA3Z+jee"
    "qZR6m2unt7mCuZtvI5eZbCqdttiaWmw7cu6bttdCVLW5ljTXwgmqWmuJwbdTxto9gtQcFx"
    "6LrHwuM9aYLBgei1zdVlNOV2NwxoCfOHxSHkMs8oiD2oFkMuBGCxCRAdHpaxXObVumZn08"
    "28a2dfXxbLsk5Lcjj/xBEqeMPEp+LpVHiYIV147yNuzoiFswJLZNpuwl6IBAWltSpMiV2w"
    "QFZyK8Do7HZfKcA4DDu7FlcXEALubVjTgnwZAPGMYfC27gXn+bK5Zh+urs1W7Q6SsCq0TN"
    "n1QJmT8pjpc/yeR8QMrnQxbe4puMYoqDAHhBHLyydlvJ7UU6xLseE/bNMeJCnzVyfymE+g"
    "qfXeZxaJk0YLJKqbm8y1zWPrZtL7+0j+1QfGx9mcgSuNJa2TWt8vmoZE0bJsSwuGTFNe38"
    "mK6gBrGgHBLfyd/frEayzH7ltm7m1gvM5Gjdvq+ngyjOnRHhh7K5AOMiiyZBMUdW7Bb5Xn"
    "wi7VenF6eXJ+en85E6f1M2QBd7Ox4RZbk3BBY7PBIkB7Ek30DEoZhTNRAOix8guq+qncJQ"
    "dgZD9gQGcbp2rrn27/vbXoF/IyZJL4qw6YH/gY2ft7D29ZAAo9y9lPYkHalrHFHB1bZ3LZ"
    "7+D3BZvYs="
)
