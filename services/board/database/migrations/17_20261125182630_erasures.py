from tortoise import BaseDBAsyncClient

RUN_IN_TRANSACTION = True

TRIGGER = """
        CREATE TRIGGER audit_published AFTER INSERT ON audit FOR EACH ROW
            WHEN (NEW.action IN ('hide', 'unhide', 'suspend', 'restore'{})) EXECUTE FUNCTION publish_action();"""


async def upgrade(db: BaseDBAsyncClient) -> str:
    return f"""
        ALTER TABLE agents ADD erased_at timestamptz;
        ALTER TABLE agents ADD erased_look bytea;
        ALTER TABLE posts ADD erased boolean NOT NULL DEFAULT false;
        CREATE INDEX agents_erased ON agents (erased_look) WHERE erased_look IS NOT NULL;
        DROP TRIGGER audit_published ON audit;{TRIGGER.format(", 'erase post', 'erase agent'")}
        """


async def downgrade(db: BaseDBAsyncClient) -> str:
    return f"""
        DROP TRIGGER audit_published ON audit;{TRIGGER.format("")}
        ALTER TABLE posts DROP COLUMN erased;
        DROP INDEX agents_erased;
        ALTER TABLE agents DROP COLUMN erased_look;
        ALTER TABLE agents DROP COLUMN erased_at;
        """


MODELS_STATE = (
    "eJztXVtz2ziy/isovTip0vE4suNkM7unSkqcHe849pSt7O7sZIqBSEjCmiIUgrSiyvF/P7"
    "jwBt5E0LpQMl8Si0QD4Ne4dDe6Gz86IwJd67g/QY7XeQd+dBw4Q+wP5XkXdOB8Hj3lvz04"
    "skU5yEtQUWREPReavJoxtClijyxETRfPPUwcXrbvAGiaxHe8dwB7FMxdMsY2K8h/eNC2Ma"
    "Jd4E0RsPAEUQ+QsXxF7pHTBdCxwGKK2HuXPQaYAurTOXIsZAHisteAzJELPeIe8/5YxGQd"
    "ws5k+037Dv7mI8MjE0HCOvDHn+wxZuW/I8p//uiMMbIt8XeHUVJkGTYh9x1eDn2fu4hShh"
    "oNSUO2SLgNSSEYsZyLFx1BxxjAf4B//XJxewES9YLLO3B9MwTXn6+uOo9doLTPmIYfsLfk"
    "dWCrYhcEESrsQqYR00XQk32u3IaDFtUboCZxkVb1czL3beiWNMGJ5veGaEWZHlh8iHhuhL"
    "QDPLl0vI+iLB9/I8Mktj9z4vLzpTclTkSA5dxineFjB1mJmeP4th1MsfCRHFTsgef6KBpN"
    "VvzAQmPo23z+cWrZg/hZxzDYADDuLoaG0cnMzZAiMWeCRybDj+GB+SznCEx4F/7nL73e6e"
    "mb3snp+dvXZ2/evH578paVFf3NvnrzKDsTwyWrEqBd/v3yesg7RNjiIdcU/uBR0EAPGjGL"
    "Y/jF/xkGvJ9CNx/+sHyKAezD6jAgfBBzIF7wtsGCGfxu2MiZeFP28+ykBN1/9m/f/9K/fX"
    "F28lKF+Dp40xOvHsVcipZ+THSwDYrvGNq14fnq5KQKorxYIabypYrqAo0o9rRGbYLkUNB9"
    "XQnc1yXYvs5Ca8I5HGEbe2wTz+Lbd124zAc4TZhC2ca01gJdG+a7b/YH+evFl87Rj8ejL5"
    "2XT4C+BOnhxb+Hf/yZwtHCbA99QC6TGR4w1BmpWcpDGbBvq4zXt8XD9W12tMaCkArvB/bY"
    "wzNUMFZjshS2VkB3HP6xh3ta2VC9/HRxN+x/+o1XP6P0my3A6g8v+JueeLpMPX1xnmJIVA"
    "n41+XwF8B/gv/cXF8IOAn1Jq5oMS43/A8XMDvQ94jhkIUBrSQm4ePwkcLgpDitw+EkXcvi"
    "RrPYm7LZaBlCodRTBNKU61EJ6rL2ZD8UgRh4F83tZR3cU4Qt7FqwR7p1dcAjkhZqLahDQ1"
    "IO2oTYCDr5cCfJUoiPGN02Ic+3/q1jnxjc3FwpW8TgMoXn9edPgwumnYm9gRXi6lMuzHxH"
    "MPhOqqcxqGTPSF+IN82M2iBspMYU0mneCuFAtwBLlS49aJeexPhwpJzB1c1AGb1MSRhcXv"
    "dvf3/xqf/vl4qUc3Vz/fewfFJ4Gfw+vOjn4l9TrcgQt5JnsyVPwS+f5nG6dINQCdstYvUW"
    "IREjLp5gp87KFlPWXNsCu/4eTKNNLW0umrA9FbnGPcpRp8tYkKZsWfBUFoxZx5A7d3G+6l"
    "WBFakaWpbUZEl09mzAHFaU7/dp2jVs9/vDkL3b7QNuGUw8oyRnExqi70Xqd4ZyxxZ5VVfZ"
    "7MmGwt7QFp8/58LiCfngPZ+G6owLPCn0p5tC2M61Js+1pBdOhsu/ouUg3J/yGBxStXuaxp"
    "7GvWvG9wkHD/5gBM37BXQtQ3mjGm5ybDaDgOzjr7fIhuKDc9ghnNp+I1s206yVKfHTYNyk"
    "pDUP81NYoYE8DaZbWdWQ13SocFF/FFX+NLTuEjUdElp8SpIeKZqk2Vez3iz9BDpwIj6Jt8"
    "1bSjiX3iHomtNOgetp8La7ygHVoHHBlW6owykCsjyvA3hMhuLuntABoi6AHWCTBXKBCTn5"
    "wsWehxwQenOCBfamSSfSrLfpRlpY7VRa6K0oMdL1WUxStZ6LG/VcLJbjD8pzcdtiO594Om"
    "CH5Vuwa4DdeuHV98LTkIQ3uSHP5zZG1kffMb3AbT6zK6eLlG7NsrAxVkqvDhMBD8jlfvt8"
    "z6TIfcAmoj+J6n/i6+qIbZo/seEJvCn0wAJSEDQkAzgctOABHDakXk4cyHrrfsKevKkIgm"
    "BLbbfh0m1YRvlkOVDm4hpSHMTuoHq5np9V8HI9Pyv0cuWv1N0gnPv6JjOVsj2ObpzRrCGb"
    "lW/h3JBF8bx0W4pKVItY9ILtIhHl9w4spqTLQwId/i/0uoCVWUyxOQXUH/0XmV4YNLg8Bs"
    "MpoYjXQBwETDKb8TeUrTQIQDCCnjktCFjcVsua8YqyY5wwaJH/WSHqjuNuJEiqxfWJbuq0"
    "EBGUxUaKQmpUZLtVN3KrrrGDtDtHM3cOJR5umhNlWKyaB8UPQvbatmYer9dVhd2Y4iAAV4"
    "XdXpWQrl5xSFcvE9KV2NOqn89HJAcB8bbHtL5HROsJsQ7cI+Gqcnh4SFAL9YYdjKdCxc+r"
    "BIqnN9lEmPh5NpLZQxPi5vg6FgOcpNnxyCZCe1gbvL0q8PaK4e29bIxpdcD/vbSQ4/EAz6"
    "zWqr7vlmiv4omBk0UrnXhyDdAlC2nY9JBtU/YnpkDUB8YumQH0gNwlEEz8WRw/8k/35xSY"
    "0GUvcI49da01r9maejeDtt3gjCyvnjBRpGZ22ntzHuli/EeZ9nX3qX91tVrdSo4sFc/Pny"
    "8/FGEZ06QQ9X1sHXPKXW2xR6xRw4WORWYG78yLl0cb2m/FenQql/uktiS+/qBzACThZvre"
    "5iDeCy23GTsOExgcsUqkt5rgRdkeY4oilY/rZHG5/s/9kY1NwCCcM64itsIT3+Y2R7I4Bu"
    "+hOWWPxsS2xX6BqNg56M/gK0XfvvK8amwlYQ+5mdLFnBw7wm6JPUBcC+Vldtt680/Yplgz"
    "eqbEgKB1v1mTMfGefbyOcB2WPwgdfdNmkCC3ha65XCGrNdKbpiXuJHHAjpz8Wuz5hsn2CI"
    "ZAntRcorgniQ7POrKexIQNEaYiVuXIU0k2FotUQSlcXaya29BETFpxgVwhaTd2DA5S1h6D"
    "r0InIK6QXriLkvQwXoiDX0kn3Jj4qzF2qfdzdJRMwRQ+IOAw/T1PrNp285qH0NT2J6vOgx"
    "OgG6bvhrpT2blwWCx9Cp1QvXRblk5jqxrm59CljcvcLmE/dL48pi79clms4pm4AEFjsQvL"
    "r0eQ2q0ku5H8qyW+akiJLKl63pEiaw89nuDaHK8dKcmqLONGgqpNt1Eh3UabU29HikMz8l"
    "U2TJjddytka25+rozOzR1YsnwmiFoLgM4i2gzd9CN0iO+9911K3E5WPVVed0s01LEoyPUk"
    "VrK6kgpdD/OfRyJalQ9m+k6oezxIBvABDixkY5EcXHomk3EQS/M9eB+VTiqP2BmR70xFpL"
    "nnztts+An2/qiTuqfTCuHhWP83cWDNGaht9kwQtdLiPpiZnxfgDdlZ2Jo6LUzQkHxbuq/w"
    "cjUTNADGFH/G12YeBQMeMMUioYI0LIoTX0yBQzywRCKtQqAKSuqyxAxrqPkJ+8LOTsoauS"
    "vs5Ey4GVPskgsbn6B7nzPB4ndl00uIK8aMFasos/E5gB74yPfnwCNB7FiUm4QLPuzLmIZh"
    "I4t1GUDOOUrknBA2FsZS4DtKIeJwXwtWCb3Hc+lakT/7ttZymy5lf+dm0jZ1L7JZabIiQb"
    "VbaWPvmNGMZfEKz7B3C4WpOL0sxu/KlkWbl9JYEflgCANlBe07ueyo0bddftsnssXZpnR8"
    "lk7P7Ef/t0uuh5pMDQ3DcT2mxLEVSmiY/BB0wpRRJ39Z3F7zX5wvzoB4bN3lQcAemHFFGD"
    "L8ZyPk8vZMyD24X3zziQdfcskHOkvAOoCJBV5QxEamRV8+dYnd7QWOz+r4UDAyi3Xh4hmV"
    "PyBjYO/V2Zuzt6fnZ9F6GT0pWyZzLsKR418DzgRFC2gW0KCDhu4ozdC14BaDqz9qcyhbgB"
    "slIZHJLwiqm6r6plQ6IhNjGhaqGD5mL7mzfOAExkUOUe1R5Az2cxDlxbNZSklCmNfJJGl7"
    "DyIL2GPznhvYpVNYUVzZpptsA85a+/1zMCcn9wSBXE2HgDRtU70CvnSO0JyY0y3ch7Yvng"
    "GCddrhR0mqdp7pz7N6lsQMaQt9DehFCpua2CdpW/C1wA+CBeocbNVXM54v3Pxe49yEy6su"
    "Q85PttzCXTHQS67PmrjnUbcM0GSAw7o18r3AR00HfJWyBV4L+PAMgm2O4ihWE/1c8pYFe3"
    "Ie94lYnCUSpbTBKfGyW2JzmqnFdHLvsr+kwyZxI3eBLhgt41jCrnTRQWECCFY5grNjcC2O"
    "tag47IpzO6xOKrHdthuYRr75x2jN8E9ok9MeorWkzZi6gUx8SYA5w7R18wTRAR1GPQ//7R"
    "b7d3uf3rO5S0szpGRxsWhWPg7vGy2UjKMrTasdxdpk8i7MySFTlUlzTjdw4kKWFDftZUbY"
    "BJxeji3wle2AU565Y0rYt8nkHeLJEQX8A/IPZbfZuGZGkDkTtJ2Kd1EIyI2EHawsM4asWE"
    "2MkcrQITsfLpCyI5W6IAK9TDyPFKMndsQhHh7z63OCWAHZMR1QMoRlPcpvLtlD0L/+EIZX"
    "FPeWc2JZo7Npukp9TRJV7qrC4erdM4MhWdaxtTY5xZaFVo4kWQr89X/BSabZ1S0F899gKr"
    "DOmE1BLP6GDl1wJflv4ET8jkykvG9H0HGI75iIB+rQo7KkPNU77aBF/T5neZRIglC9D4IK"
    "rbEbU1Jx4Qt7MCdz34Yr54xGF5R0ZrU4E5vH18sjpWf1GJaw3K+bdUrvtPkYd2z9HFXWH5"
    "Wj3WT6uopdDa45XvcETHYyxdyn9HLtfFY6GvP5KX1cA8tbw2IzDYuxMKthH4loWhX9Kefp"
    "S+2AsyRVi31t05RcIXVjg2Lp/wDtI+uKD9p5rtrnBrOHPVtrGEcEh5cKuFcJ3l4Jvr0swC"
    "NiaQ3hsPwBjt5X5ycnVRAW5UquoxJvVZQX0GGgGCacwxG2o/zFKuh914XLfNQL6FNMsDHd"
    "bli26iz+43GzCUn/+DPrxTTml+aYWiuESnV4y0SVS8iL7yDPXEF+YFkP21P6vFP6BiQubV"
    "m8ORYXH2dUV86K62hVtbqqWuHBTQ22pKtouVKXK/HZj8qG8sDUmGrf/XHrh6fGGIaW0exY"
    "Lsv1nqDaca73yFTa4FTvcsbXyPSeItz38bpt+5o8a9WDPEHUwq0FNzWJm7eOlF33F5K0UO"
    "sFp3D/IGrUQDxN2QKvJ3GQnBX8o01gkaxB8hbuMSfYE5xLIPtw83lwdQF+u714f3l3eXOt"
    "qlPipboz3l70r9Ipe/AkuCwqPYYd6BbY2GKatOyx9KS57XA02AG/nScphfyzfzu4vO7f/p"
    "5/wU9YPqmYDn4fXvQzIgn78gKf9OKLr1WqRlx9vXEOaFxzjS00mxMPOebSuEda1voc0sMz"
    "ePZev65yLvL6dfG5CH+ngj5m7SN37uJ84bp4GUkR1lxLGgb4DpYShg7NMzuXKpAxUXtX2G"
    "oFUvGl0tBlFC/tNjHwkwKR09zIkQOZTI0nzq9ILjiXrOcw//BKBkr0J2gvmfAYjrPwaaID"
    "LlxEznXq+GOfbyEbySF+fQP674dcZnzcSejKLZJGlWz0SvimWxLA4qI4pr/KpUHJWxZ4Zm"
    "JpgRTZjRfYtsEIATolC+cYXHo0jDAJksZ/ZaTmFFlfRVw18UWOZIonU68LbCjSAPKM8NiR"
    "D/OuDtp28+1FEfuzzHVBsU+mGBSa+3pEs+NtfQvi1Drtw2KO6dqGI6J2a3/a1r6jLcjDLr"
    "KG5B7lZRlRXpdvRqIgW25ZSY2wSmlFkdcB8TUfmojtEbwSeXscj1FkmqhMRhtcXQJsnhmE"
    "6QJzwvN78GtI2ObBfps+svIDKDfTjGaoZIgRXBmlqKLJ81YJsPOiDUqCCQS1MYV0mp3TTD"
    "wchLqluokpROsybe10H9uaNlq8iSVYn2FFuduMStk6zjTacUYuDvlWtzIjkErX2oBq2oCa"
    "coXU85VhUrxorRNJ60QwQVXjRGLwNco2Ie+YLLzgWHldJhjKqxuDC46ry4XhNQTpy4UTtw"
    "1EtzAFd0sKTov77LgaHst1gljeLSmvu+PX9hUJiltol98FJWTS4C5MKiuXyT0Ce8cMuYwp"
    "bFxIi0f6Jswu+8lvTWaEDlokzB/Jaz956g9eSFT5xfm64AlBRJ1hH4MqZFrUsGn5Sxabwg"
    "d56xWnpeGXY/6lTPmmHA9yT8GYbCSjXnuzQ7HrXHuzQ0N8MeSk1gZcIWsh14M8XBw1IU+S"
    "7RbyHFT2jQnRbqLHBIWsHff6SQRpPf2GtpDvl2H2zh8lccrI38nXpfJ3omDlo8Ik0TH4IJ"
    "SS4NJnLo7eo7nHhT4AATc6gRdz13eQgdhosF7Gl0cLU6sI6wNCr+GZncdsyIjMc7O8M8Kt"
    "tatpuZVqWRXLrQJ3oM5ZhcbbIFVMXL2aZW7raWICsbexltxmnEjes4/P4l/sVReWP8QY+N"
    "MqAfCnxdHvp5kMDpBJaTmGoyGbNAXH7hHFQQC8IqpdsZuGQOabTcPiCeDfc0tqG7D9rA4l"
    "5tCntY6eFMI1MHl/Dij2jscJAUWTySply+Umc7k939q1Ktiebx3K+dZQnKfIY6xOVr9WXn"
    "dL9GvlXKb6+VZwdhSeAUnPpDBFs6wz/4CqKmHr/ro/y0w3o2w2wwbVRy7OnR3Bi7J5AeMi"
    "qyZEMUfWfKD4XOwjvVdnb87enp6fRSM1elI2QFdbPh6QSzWvaEqQHIR6voVYQj6nNBAOih"
    "8guq+q5Vcsy66Yza3IbyTNFd3+cXdzXWDriEnSChI2PfB/YOuZFDeuG3Ewyk1NaatSV9V3"
    "eAWDXZ+mPP4/QWmIwA=="
)
