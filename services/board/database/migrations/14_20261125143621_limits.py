from tortoise import BaseDBAsyncClient

RUN_IN_TRANSACTION = True

KINDS = """
            'post', 'vote', 'hide', 'unhide', 'registration', 'profile', 'operator', 'suspension', 'restoration',
            'rotation', 'community'"""


async def upgrade(db: BaseDBAsyncClient) -> str:
    return f"""
        CREATE TABLE limits (
            name varchar(40) PRIMARY KEY,
            quota int CHECK (quota > 0),
            seconds int CHECK (seconds > 0),
            default_quota int CHECK (default_quota > 0),
            default_seconds int CHECK (default_seconds > 0),
            CHECK ((quota IS NULL) = (seconds IS NULL)),
            CHECK ((default_quota IS NULL) = (default_seconds IS NULL))
        );
        ALTER DOMAIN change_kind DROP CONSTRAINT changes_kind;
        -- the rows that exist are of the other kinds
        ALTER DOMAIN change_kind ADD CONSTRAINT changes_kind CHECK (VALUE IN ({KINDS}, 'limit'
        )) NOT VALID;
        """


async def downgrade(db: BaseDBAsyncClient) -> str:
    return f"""
        DELETE FROM changes WHERE kind = 'limit';
        ALTER DOMAIN change_kind DROP CONSTRAINT changes_kind;
        ALTER DOMAIN change_kind ADD CONSTRAINT changes_kind CHECK (VALUE IN ({KINDS}
        ));
        DROP TABLE limits;
        """


MODELS_STATE = (
    "eJztXelz27oR/1cw/mJ7RvVz7NhJk7YzkuM06nPsjK28M28YiIQk1BTB8LCiSf2/Fwcv8D"
    "JBXZTML4lFYknwtwD2wO7ix96QQMc46o6R5e29AT/2LDhF9A/pegfsQduOrrLfHhyavB1k"
    "LVzeZOh6DtTZY0bQdBG9ZCBXd7DtYWKxtl0LQF0nvuW9Adhzge2QETZpQ/bDg6aJkdsB3g"
    "QBA4+R6wEyErfIPbI6AFoGmE0Qve/QywC7wPVdG1kGMgBx6G1AbORAjzhHrD8G0WmHsDVe"
    "/6t9C3/zkeaRMSehHfjzL3oZ0/bfkct+/tgbYWQa/O89Chp+wN6ckWJjjzVF320HuS4Fzg"
    "2pQ84IxDVOhDgv5ja/scfpKA/4j8cOkF6iOwh6yFB6h4Vm1V/g6sRBSo+3ie2b0Cl5BSOy"
    "7zX+Fml4Yv4h/LoW0vbwuG9573lbxv+hphPTn1pxe3vuTYgVEWAxtmlnGO+QkRi5lm+awR"
    "APLwmm0gue46OIm0Z8wUAj6Jts/DNq0YP42p6mXd8MtLvLgabtZeZGSJEYs8ElneJH8cBs"
    "ljEExqwLf/v7ycnp6auT49Pz12cvX706e338mrbl/c3eevUoOhPDJR7FQev/u389YB0idP"
    "KKOc0uPHIa6EEtZnEMP/8/w4CLCXTy4Q/bpxhAP6wOA8ILMQfiBWcdLJjC75qJrLE3oT9f"
    "Hpeg+0v39uJD9/bg5fGhDPF1cOeE33rkcylaejFRwTZovmFol4bni+PjKoiyZoWYipsyqj"
    "M0dLGnNGoTJLuC7lklcM9KsD3LQqtDGw6xiT0qRLP4dh0HzvMBThOmUDaxW2uBrg3z3Tfz"
    "nfh18GVv/8fj/pe9wwWgL0F6cPnb4M+/UjgamMrQB+QgQ3vAUGWkZil3ZcC+rjJeXxcP19"
    "fZ0RorQjK87+hlD09RwViNyVLYGgHdUfjHFsq0sqHa/3h5N+h+/MQeP3XdbyYHqzu4ZHdO"
    "+NV56urBeYoh0UPAr/3BB8B+gj9uri85nMT1xg5/Y9xu8AdTMPeg7xHNIjMNGklMwsvhJY"
    "nBSXVahcNJupbFjWaxN6Gz0dC4QadmCKQpl2MS1GXt8XYYAjHwDrLNeR3cU4Qt7EqwR7Z1"
    "dcAjkhZqJahDR04O2oSYCFr5cCfJUogPKd06Ic/3vi1DTvRubq4kEdHrp/C8/vyxd0mtMy"
    "4baCNmPuXCzCSCxiSpmsUgkz0jeyEWmhmzgfsotQl0J3krhAWdAixluvSgnXsC493RcnpX"
    "Nz1p9FIjode/7t7+fvCx+9uhpOVc3Vz/O2yfVF56vw8uu7n41zQrMsSt5tlszZPzy3fzOF"
    "0qIGTCVkQ8LSIEYsTBY2zVWdliypprW+DX34JptKqlzUFjKlORo92jHHO6jAVpypYFi7Jg"
    "RDuGHNvB+aZXBVakntCypCZLor1fDeawolzep2mXIO63hyFbJ+0DbmlUPXNJjhAaoO9F5n"
    "eGcsMeedlWWe3OhsTe0BefP+fC5gn94IJNw0e+9z+6T2w/swtDqN/PoGNo0h3ZrMyxKHsB"
    "2fufb5EJ+dfmKWEs5OUTWbMRudRZF18NFoaULPEw2yPi+tFiMN2KRw3Yk3YVLtcfRg9fDK"
    "27xJN2CS02JckJKZqk2VvTk2n6CrTgmH8Sezd7UyL07A5BR5/sFQSmBXc7T4WnaW7c8Mkg"
    "tcEEAdGePQN4dIVnwWDQAvxZAFvAJDPkAB0y8pmDPQ9ZIIz1AjPsTZIhZtlYtJW84emQs8"
    "JYKoGRakRVkqqNq1ppXFWxlrFTcVXrUCok/wKFVQXssH0Ldg2w2xih+jFCCprwKgWybZsY"
    "Ge99S/eCoN6MVE43KRXNorE2klo/HUQOHpDDooqZzHSR84B15P7EH/8TW1eHVGj+RIcn8C"
    "bQAzPoguBFIrzbQjMW3m1C18uJEl/usxeQyauKbw5EaiuGS8WwyAHIcqAsAC+k2AnpIMfg"
    "nb+sEIN3/rIwBo/dkqVBOPfV/WcyZbtZ1jj3WUOElW/g3IQmfr1ULEUtquUzeYG4SOQAvQ"
    "GzCemwhCGL/Qu9DqBtZhOsT4DrD/+LdC9MKZofgcGEuIg9gVgI6GQ6ZXdcutIgAMEQevqk"
    "IJ1pXW+ukc0kvBzBG9mfFXKCGO5agqRa1hHvpsobIoLc54NfP1zeXoqPB/07QGc0uP58db"
    "WBVKRWVFcR1TUkSCs5mik5pGydSU4OVLFpHjTfCd1r3ZZ5vF5XVXZjip0AXFZ2T6oknJwU"
    "J5ycZBJOEjKt+u5hRLITEK97TKvv17b7tMvAPVKuKievhgS1UG9Y5EMqkfW8ShprWsgmkl"
    "jPDxvj++uxf/sGsjyWH5U1q+T7nRLzil/RcLJppS05ZqI4ZCY8bx4yTZf+iV3AnwdGDpkC"
    "9ICcOSDMRnnL98fYp/u2C3To0Bs4x+G31Ccv2d13N4Wm2eCCBi8WNh1OT16dR8YC+1FmHt"
    "x97F5dPW0PJEeWjOfnz/13RVjGNClEfR8bR4xyUzJgn75Uc6hhTqYa68zB4f6KBAJfj07F"
    "epRU5/nX73QKbRJuapCsDuKtMMOaIXGoymDxVSItaoIbZTJG500q7yeJ5mL9t/2hiXVAIb"
    "QpVxFd4YlvMqcYmR2BC6hP6KURMU0uL5DLJYf7Fnx10bevrCwQXUnoReZHczAjxxZ3rGEP"
    "EMdAeYWJ1v76BcQUfY2arysgaONDluTtuqcfr6Jeh+13wohctZ0epIar+nMlslojvWlmzE"
    "bybjcUhdZizwQmlREUgTytuXhtkYh2z3xfTl2vhihTEaty9KkkG4tVqqAVrq5W2SbUEdVW"
    "HCBWSLcTR64GFRePwFduExCHay8shkaEwM74zqSg43E27NYIO673NtrrdMEEPiBgUfs9T6"
    "1a9+sVd0ld0x8/tWGZAF3TfSe0nco2LsNm6W3ShOml+mYR1fTUi9lGaenLRWmEsB8qXx5T"
    "l365aFZx05aDoLDYhe2Xo0htVpNdSfnCkmAqJKU+VHXIp8har/wCsbfx2pHSrMoS1hNUbb"
    "Z6hWz1tiTVhgyHZpR7a5gyu+1eyNbd/FwZnVt6q2T5TBC1HgCVRbQZtul7aBHfu/Adlzh7"
    "WfNUut0psVBHvCGzk2jL6kYqdDzMfu7zdEo2mN033NxjWRyADXBgIBPz2roidJaMgmSP78"
    "H9qHXSeMTWkHynJqKbu++8zhcv4O+POqm6Oy0R7o73fxUb1oyBym7PBFGrLW6Dm/l5Ad4Q"
    "yULX1ElhBYHk3VK5wtrVrCAAKFP8KVubWZoGeMAu5hn/wrHId3yxCyzigTnief+BKSioyy"
    "oHLOHJC8iFje2UNVIqbGRPuBlTrM+UjY/Quc+ZYPG9sunF1RVtSptV1NnYHEAPbOT7NvBI"
    "kNwUFc9gig/9MmphmMigXQaQcc4lYk5wHwtlKfAtqRGxWKwFfYh7j20RWpE/+9b25raex/"
    "bOzaRv6p6XW1JkRYJqs9rG1jGjGcviFZ5i7xZyV3F6WYzvlS2LJmulsCKywRBmcnLaN2LZ"
    "kdNDO+ywOmTyvU0R+CyCnumP7qc+s0N1aoaG+aIeNeLoCsUtTLYJOqbGqJW/LK7v9V+sL1"
    "aPeHTdZVmqHpgyQxhS/KdD5LD36ZBFcB9884kHD5nmA605oB3AxAAHLqIj03APF11iN3v+"
    "2bPaPuSMzGJduHhG7XfIGXjy4uWrl69Pz19G62V0pWyZzDlHQox/BTgTFC2gWUCDDmqqoz"
    "RD14JbDK76qM2hbAFulIZExh8QlIWqfKdUOyJjbRI2qpg+Zs5ZsHwQBMZUDv7Y/SgY7G2Q"
    "5cXKLQpNgrvXyTjpew8yC+hl/Z452EVQWFFe2apf2Sactf775+BOTsoEjlzNgIA0bVOjAr"
    "7s7SOb6JM1HCe0LZEBnHXK6UdJqnaeqc+zep7EDGkLvRL0Qbx6nb2V+pru84WbnUyZW5T2"
    "qeMs8wvStnBXzDUSS4Qi7nnULQMUGWDRbg19LwiTUgFfpmyBVwI+dINrUOe7gYro55K3LN"
    "iSLSF+rEzW2xGeNlPo6ogOtKnm5zDJ+E2Y8CbqAAhB1Ql2SJAhagSY80xtAMDoxXADX6ky"
    "PmFpcRNCv01kxvEr+y5gH5Dv8VjnyxXT7WzoIKtiJVIOuZaQ8GVpZ+LBctZZKv1NdD7UhU"
    "VHKnWBR1Hq2I7OllmwIxbx8IgVTw4CcUTHVEDJEJb1KP91yR6C7vW7MHapuLfi6HD1zqbp"
    "KvU1SVS5qxKHq3dPD4ZkWceW+soJNgz05EgSrcA//gWOM699+k3B/NeouFIZsymI+d/Qcm"
    "fIccE/wTH/HSl/rG/70LKoGNQRi4Jz98syXqt32kKz+n3O8iiRYVS9D5wKLbEbE1Jx4Qt7"
    "YBPbN+GTc0ahC1KtgFqciRX/5fJI6lk9hiVskmWzTuqdMh/jji2fo9L6I3O0k6wNUbGrwS"
    "FXy56AyU6mmLtIL5fOZ6mjMZ8X6eMSWK60e7SMkufND35pRFRhrMxWZ0FMs0Mb4RvwFM6V"
    "ozmTVC32tfN2xAqpGngXa/87WAJtWcF3Gy8E9dxg9rBnKg3jiGD36mydVIL3pATfkyzAQ2"
    "IoDeGw/Q6O3hfnx8dVEObtSoqR87syyjNoUVC02kc7FtA/wxMeU/szI1aRWldaIWSq3Vsm"
    "qhxBV3wCXeYAuh0rKdLWjEkHDDWkKlDL4tWxuHg7o7pxVvyM1lSra6oVbtzUYEv6ES1X6n"
    "Il3vtRifqOqbY90qB+7HeMYegZzY7lskKKCaoNF1KMXKUNrqMoZnyNMoopwm0fr+v2r4m9"
    "VjXIE0Qt3Epwuzpx8taRsrM0QpIWarWwOxYf5Go1EE9TtsCraRwkZwV/bxJYpGuQvIV7xA"
    "i2BOcSyN7dfO5dXYJPt5cX/bv+zbVsTvGbsmS8vexepfNh8TioxJ4ewxZ0CnxsMU1a95h7"
    "wt22OxZsj5W+Tmohv3Rve/3r7u3v+dWzw/ZJw7T3++Cym1FJ6JcXZPkVnyonUzXiXLmVc0"
    "DhDDlsoKlNPGTpc+0eKXnrc0h3z+F5cnZWZV/k7Kx4X4Tdk0Ef0fcjx3ZwvnJdvIykCGuu"
    "JQ0DfANLiRToo6BoSyHEbUmoheL/09zIUVKowofH1s9IzIY+7TnM31kRUfzdMdpKJjyG4y"
    "y8muiAA2dR5Jc8/ujnG8hEQk25vgHdiwFTaB43kldxi4TFn02tCO90SrIrHBSn0lQpF52s"
    "r8lqUgn3GK9rNcOmCYaIn9VoHYG+54bpD0G5wK+UVJ8g4ysvXUV8Xh3LxeOJ1wEm5AUgLH"
    "FkI7+YVzR63a9vS4RuzzLXAcUBg3xQKHotI5oN+yzXIOuX6bzkc0zVcRkRtaJ9C1P7bpGH"
    "HWQMyD2ycuVQ4na5MOIN6XJLWyrk/AkTXxSCZms+1BGVEewh4twAlkBHzSRRhigoWgtMVj"
    "cxPGeYF6ClwoP+1n1k5Gf3reY1inl8IUbwyRQ6GU2WLs7BzguFL4l059TaBLqT7Jym6mEv"
    "NHxkISYRLcvvslE5tjZTqViIJVifYUV5TIdM2UZ1NDqqQywO+S6hMg+FTNc6KOo6KBpSPP"
    "z56jApXrTeiaR3IpigsnMiMfga5ZsQp4sUHm0l3S5TDMWhHcHRVtX1wrAAZfpYqUSdyaj+"
    "dnCqCOc0P8mAmeGxXseJxaki4qADdmBDkaK4hveyKuBcJw1OQXHFw0XlicDfMUUOZQodF8"
    "LjkT4DpUN/svOyKCE74Th2fyQPfGnLbLZlNpexIm7d3r2YZ8qAS2Qt5GqQh+uVIuRJss1C"
    "noPKNjChGV6kO3+YxCmjLCRvlyoLiYaV9zWSREfgHdeggrOJmOy8R7YHRsQBEDALGRzYjm"
    "8hDdHxYRzGZxxxvxBPkAFcCaMPAyM6iHgNp2nehsba3qvoZhI6ZBU3kwR3oHsahZ6moOhC"
    "/Hi5XtPaCy4ECkFj3U7N2D65px+fxb84PiVsv4vZpKdVUklPi/NITzO50JDKrxwrd0AnTc"
    "EeYUSxEwA/kR8qOXlCIPN9PGHzBPAXzO3Tpj4+Kw+qDX23lp9cIlwCk7fHm7p1PE4oKIpM"
    "lilbLjeZy60zftOmYOuM3xVn/IA7fwuPA5dud0rsa8mJXN0ZX+HY7trnfbexelu2zHQyxm"
    "YzfFBd5ODc2RHcKJsXMG7y1IQo5siSt1qei39kwRMXiz0fD8hxA4djVedHgmQnzPM1ZOWw"
    "OaWAcNB8B9F9Ua1SWVmdsmyVMnZqSa7q9p+7m+sCX0dMkjaQsO6B/4G11yRbuW3EwCh3Na"
    "W9Sh3Z3mEP6G16N+Xx/2E0ZG0="
)
