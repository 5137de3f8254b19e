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
    "oELxG0DkrmS2IRaAL8GkAfaDR+dMYEusZhf4psv/Ma/OjYcIboH9LzLuhAx1k8Zb99OLZ4"
    "PchqeLzK2PNdqLPXTKDlIfrIQJ7uYsfHxGZ1+zaAuk4C238NsO8BxyUTbNGK7IcPLQsjrw"
    "t8EwEDT5HnAzIRReQW2V0AbQPMTUTLXfoYYA94gecg20AGIC4tBsRBLvSJe8j6YxCddgjb"
    "0803Hdj4W4A0n0w5Ce3An3/Rx5jW/4489vNHZ4KRZfC/OxQ0fIf9e0aKjQ6rir47LvI8Cp"
    "wXUUecEYhrnAhxXtw7vKDD6SgP+I+HLpAa0V0EfWQotWGjefUGPJ24SOn1DnECC7olTTAi"
    "51bjrUjDE/MP4c+1iHaAp0Pbf8/rMv6PNZ1YwcyO6zv3vknsBQEWY5t2hvEOGYmRaweWFQ"
    "7x6JFgKn3guwFacNOIHxhoAgOLjX9GLXoQP+to2uXVSLs5H2laJzM3IorEmA0f6RQ/igdm"
    "s4whMGVd+Nvfe73j45e9o+OzV6cnL1+evjp6Revy/maLXj6IzsRwiVdx0Ib/Hl6OWIcInb"
    "xiTrMHD5wG+lCLWRzDz//PMOCtCd18+KP6KQbQD6vDgOhBzIF4wdkEC2bwu2Yhe+qb9OfJ"
    "UQm6v/av337oXz87OXouQ3wZlvR40QOfS4ulFxMVbMPqW4Z2ZXi+ODqqgiirVoipKJRRna"
    "Oxh32lUZsg2Rd0TyuBe1qC7WkWWh06cIwt7FMhmsW377rwPh/gNGEKZQt7tRbo2jDffLPe"
    "iV/PvnQOfjwcfOk8fwT0JUiPzn8f/flXCkcDUxl6h1xkaHcYqozULOW+DNhXVcbrq+Lh+i"
    "o7WmNFSIb3HX3s4xkqGKsxWQpbI6Q7jP7YQZlWNlSHH89vRv2Pv7DXzzzvm8XB6o/OWUmP"
    "P71PPX12lmLI4iXgt+HoA2A/wR9Xl+ccTuL5U5e3GNcb/cEUzA4MfKLZZK5BI4lJ9Dh6JD"
    "E4qU6rcDhJ17K40Sz2TTobDY0bdGqGQJpyNSZBXdYe7YYhEAPvIse6r4N7irCFXQn2hW1d"
    "HfAFSQu1EtSRIycHbUIsBO18uJNkKcTHlG6TkOd731YhJwZXVxeSiBgMU3hefvo4OKfWGZ"
    "cNtBIzn3JhZhJBY5JUzWKQyZ6QvRALzYzZwH2Umgk9M2+FsKFbgKVMlx60977AeH+0nMHF"
    "1UAavdRIGAwv+9efn33s//5c0nIuri7/HdVPKi+Dz6Pzfi7+Nc2KDHGreTZb8+T8Crw8Tp"
    "cKCJmwFRHLRYRAjLh4iu06K1tMWXNtC/36OzCN1rW0uWhKZSpytVuUY06XsSBN2bLgsSyY"
    "0I4h13FxvulVgRWpN7QsqcmSxd6vBnNYUS7v07QrEPe7w5Cdk/YhtzSqnnkkRwiN0Pci8z"
    "tDuWWPvGyrrHdnQ2Jv5IvPn3NR9YR+8JZNwwe+9z+5TWw/swdjqN/OoWtoUolsVuZYlIOQ"
    "7P3P18iC/GvzlDAW8vIL2bARudJZFz8NF4aULPEx2yPi+tHjYLoWrxqxN+0rXF4wXrz8cW"
    "jdJN60T2ixKUl6pGiSZotmvVn6CbThlH8Sa5u1lAg9u0HQ1c1OQWBaWNpdFp6meXHFpUFq"
    "IxMBUZ+9A/h0hWfBYNAG/F0A28Aic+QCHTLyuYt9H9kgivUCc+ybyRCzbCzaWlpYHnJWGE"
    "slMFKNqEpStXFVa42rKtYy9iquahNKheRfoLCqgB3Vb8GuAXYbI1Q/RkhBE16nQHYcCyPj"
    "fWDrfhjUm5HK6SqlollU1iZS7eVB5OAOuSyqmMlMD7l3WEfeT/z1P7F1dUyF5k90eALfhD"
    "6YQw+EDYnwbhvNWXi3BT0/J0p8te9+hExeV3xzKFJbMVwqhsUZgCwHygLwIoq9kA5yDN7Z"
    "SYUYvLOTwhg8ViRLg2juq/vPZMp2s6xx7rOGCKvAwLkHmvjzUrG0qFHtPJMfiovEGaDXYG"
    "6SLjswZLN/od8FtM7cxLoJvGD8X6T70ZGi+4KjSqt4a41TSMI7Eb6N/VnhLA/DS0uQNOUo"
    "Tyvqqoi6Gitwu/I2c+WVTruYOWeIik3bsPpe6C6btmzjdbOqshhT7AXgsrLYq3Jgo1d8YK"
    "OXObCRkC3Vd98WJHsB8abHtPp+Z7vPuYF9zjUqzAP279BAts9OwGQVZ7m8TIHmTzScrFpp"
    "04XYCLhkLnwrPrIsj/6JPcDfByYumQF0h9x7QJg2+4bvgLBPDxwP6NClBTjHpbPSN6/YoX"
    "Mzg5bV4CPrLx6t3B73Xp4t1Fn2o0yBvfnYv7hYrrEmR5aM56dPw3dFWMY0KUSDABuHjHJb"
    "q9QBbVRzqeFGZhrrzLPnB2tasvjqdCzU0qTCyb9+rw9JJuGmKvP6IN4JQ6EZEofqxzZfJd"
    "KiJiwokzE6r1J5x0BUF+u/E4wtrAMKoUO5iugKTwLLAJ5J5ofgLdRN+mhCLIvLC+RxyeG9"
    "AV899O0rS/xCVxL6kPlZXMzIsU3fMJthHxDXQHmpZzbe/CPEFG1GzRsTErQRACvyx9zSj1"
    "exJaP6e2HmrNuSDA//qnocJbJaI71hIbrbOVm5pTijFnsmMKmMoAjkac3Fa4tEVGuBaRr2"
    "a8jc1BBlasGqHH0qycZilSqshaurVY4FdUS1FReIFdLrxrGJYU69Q/CV2wTE5doLi5IQQY"
    "5zk3gopOORFKxogl3Pf7PY8fKACe8QsKn9nqdWbbp5xf00zwqmyzbPEqBreuBGtlPuFhr4"
    "7cP59TmIqj0U5/dTbVnErSxrmE7A8sbF4feoHypfHlOXfrmoBoY3vC+Xny4uSrYVOQgKi1"
    "1UfzWK1HY12bUkqCsJl0FScHtVl3GKrPUbPyK6Ml47UppV2ZHkBFV7HrnCeeQ26dCWDIdm"
    "JPRqmDK7617I1t38VBmdm1ypZPlMELUeAJVFtBm26Xtok8B/G7gecTtZ81Qq7pZYqBNekd"
    "lJtGZ1IxW6PmY/D/iBOTaYvdfc3GNx+oANcGAgC/PsqSKAkkzCcP7vYfmidtJ4xPaYfKcm"
    "ope777zJhh/h7190UnV3WiLcH+//OjasGQOV3Z4JolZb3AU389MCvCGSha6pZuEZ8WRpqV"
    "xh9WqeEQeUKcGMrc0sWB/cYQ/zM93Csch3fLEHbOKDe8RPdoemoKAuOxu+gjc/Qi5sbaes"
    "kVJhK3vCzZhiQ6ZsfITubc4Ei8vKphdXV7QZrVZRZ2NzAN2xkR84wCfhEZdFegSm+NAvox"
    "aGhQzaZQAZ5zwi5gT3sVCWgsCWKhGbxVrQl3i32BGhFfmzb2MttxkbdnduJn1TtzyhjiIr"
    "ElTb1TZ2jhnNWBYvyPQDlXQ5i2JUUrYkWmSqmVGlisHR1j0LBQu3OJldyF97sNjqfBPGML"
    "N0MciNTEnaUtKyDOPm6GP9lpmPYsuzKGp63U224dStdfoUjKWkdcqRq+nuTtM21ef9pXOA"
    "HKKbG0iHvit+b8465eDaJFU7z9TnWT09OUPaQq8EfRiNVcdzkJfhqYV7+ZU8uUm1ll3Hk5"
    "9Qq4W7YiStFl99rLCVmUPdMkCRATbt1jjww01AFfBlyhZ4JeCjuFgtvElbEf1c8pYFO+Lw"
    "4Gmxs96OKFt2oatjkZC7mp/DItPXUTi3OOUmBFWXdmc2Zjvl4gScdZ85+QYYvRhu4CtVxk"
    "0W9G0S+m0i7ps/OfAA+4B8j8cmG1cMJnegi+yKGZk45FpCwpcFVYsXyzHVqeBu0flIFxYd"
    "qdQFHiOgY2eRG/uRHbGJjycs+Vu4zSQ6pgJKhrCsR/nNJXsI+pfvop254t6Kqw/VO5umq9"
    "TXJFHlrkocrt49PRySZR1baZMmNgy0dCSJWuAf/wJHmWaXtxTOf42KK5Uxm4KY/w1tb45c"
    "D/wTHPHfC+WP9e0A2jYVgzpie7zeQdl5juqdttG8fp+zPErEz1bvA6dCK+yGSSoufFEPHO"
    "IEFlw6ZxS6IJ2Eq8WZWPFfLY+kntVjWMImWTXrpN4p8zHu2Oo5Kq0/Mke7yZOPFbsaJulf"
    "9QRMdjLF3Mf0cuV8ljoa8/kxfVwBy5V2j1aRcrLdM39dZc88VmarsyCmaUPAH+MpvFeOVU"
    "hStdjXjkoVK2T+BR8lqSIX2v8eJvhY1cnUrac5eGow+9i3lIbxgmD/skj0KsHbK8G3lwV4"
    "TAylIRzV38PR++Ls6KgKwrxeIcZhqYzyHNoUFK321TQF9E/whprU/syE5VvUlVYImWr/lo"
    "kqV2gU36CRuUBjzw7Mtiei0wFDDTnz3rJ4fSwu3s6obpwVv6M11eqaaoUbNzXYkn5Fy5W6"
    "XIn3flSivmOqXY80qB/7HWMYeUazY7ksTVCCastpghau0gZnCRIzvkaSoBThro/XTfvXxF"
    "6rGuQJohZuJbg9nbh560hZpuiIpIVaLeyOxQd5Wg3E05Qt8GoaB8lZwd9bBBbpGiRv4Z4w"
    "gh3BuQSyd1efBhfn4Jfr87fDm+HVpWxO8UJZMl6f9y9SgBZdqzrANnQLfGyFF6uO733hbt"
    "sfC3bAEjsmtZBf+9eD4WX/+nN+bsioftIwHXwenfczKgn98oJTfsV3pshUjbg1Ze0cULgh"
    "BRto5hAf2fq9douUvPU5pPvn8OydnlbZFzk9Ld4XYWUy6BPaPnIdF+cr18XLSIqw5lrSMM"
    "C3sJRIgT4KirYUQtwmPHhU/H+aGzlKClX48NT+GYnZMKQ9h/k7K+GtyFO0k0x4iMZZ9DTR"
    "ARfOF5Ff8vijn28gCwk15fIK9N+OmELzsJVzFddIWPzZoxVRSbfkdIWL4qM0VZIhJrNHsa"
    "z3wj3WBcQFc2xZYIz4TUT2IRj6XnT8IUyG85WS6iYyvgLoIkACnpjKw1PT7wIL8gQQtriQ"
    "iD/MS4m46ebbBFi7s8x1QXHAIB8Uil7LBc2WfZYbkPWrdF7yOabquFwQtaJ9B4/2XSMfu8"
    "gYkVtk58qhRHG5MOIV6XJLayqc+RMmvkhzyNZ8qCMqI9hLRFZcdoCOmkkiDVGYkg1YLD1u"
    "dIseT69GhQf9rQfIyD/dt55mFM/xRRjBpUfoZDTZcXEOdl4ofEmkO6fWTOiZ2TlN1cNBZP"
    "jIQkwiWpXfZatybGOmUrEQS7A+w4rymA6Zso3qaHRUh1gc8l1CZR4Kma51UNR1UDQkNebT"
    "1WFSvGi9E0nvRDhBZedEYvA1yjchcmcXXtwgFZcphiIldXhxQ3W9MEpAmb40IZFnknsS/D"
    "hnNuc0z9PLzPBYr+PEIme2SOPL0hEXKYobaPeL/cXmOmmY49sTLxeZJ0J/xwy5lCl0XAiP"
    "RzrDd5f+ZLdBUEJ2f1/s/kimM2/TbLZpNlexIu7c3r2YZ8qAS2Qt5GqQR+uVIuRJsu1Cno"
    "PKLjChGV6km2CcxCmjLCSLS5WFRMXK+xpJokPwjmtQYeZ9JjtvkePzi4IhYBYyeOa4gY00"
    "RMeH8TzO4M/9QvyADOBKGH0ZmNBBxHM4zfI2NDbWrqKbSeiQVdxMEtyh7rn0DuL49RUv41"
    "1XwoVQIWis26kZ2ye39OOz+BfHp0T19/E06XGVo6THxedIjzNnoSGVXzlWbvG9xzHFXgC8"
    "5Hyo5ORZyV3H7dFHNSbsmgfVgYFXy08uEbYX/jaZxwkFRZHJMmXL5SZzuXXGb9sUbJ3x++"
    "KMH3Hnb+Fll1Jxt8S+lpzI1Z3xFS6lrH2bZRurt2PLTDdjbDbDB9VHLs6dHWFB2byAcZVl"
    "E6KYIyveankq/pHei5OXJ6+Oz04WI3XxpGyALvd83CHXy73cvNj5kSDZC/N8A6dy2JxSQD"
    "isvofovqiWqawsT1k2Sxm7tSRXdfvPzdVlga8jJkkbSFj3wf/AxnOSrd02YmCUu5rSXqWu"
    "bO+wFwy2vZvy8H8228oa"
)
