from tortoise import BaseDBAsyncClient

RUN_IN_TRANSACTION = True


async def upgrade(db: BaseDBAsyncClient) -> str:
    return """
        -- words without a list of words to leave out: a phrase keeps all of its words
        CREATE TEXT SEARCH DICTIONARY board_english (TEMPLATE = snowball, Language = english);
        CREATE TEXT SEARCH DICTIONARY board_russian (TEMPLATE = snowball, Language = russian);
        CREATE TEXT SEARCH CONFIGURATION board_words (COPY = pg_catalog.simple);
        ALTER TEXT SEARCH CONFIGURATION board_words ALTER MAPPING FOR asciiword WITH board_english;
        ALTER TEXT SEARCH CONFIGURATION board_words ALTER MAPPING FOR word WITH board_russian;
        -- the fan-out writes all documents again: until then, a search also looks for the words of before
        ALTER TABLE search_cursor ADD worded_id bigint NOT NULL DEFAULT 0;
        ALTER TABLE search_cursor ADD agents_id bigint NOT NULL DEFAULT 0;
        -- how common words are: the default knows too few of them
        ALTER TABLE thread_search ALTER document SET STATISTICS 300;

        -- as index_fold.sql makes it
        CREATE OR REPLACE FUNCTION index_fold(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN CASE WHEN octet_length(p_text) = char_length(p_text) THEN lower(p_text COLLATE pg_c_utf8)
            ELSE normalize(replace(lower(upper(normalize(regexp_replace(p_text,
                U&'[\\00AD\\034F\\0600-\\0605\\061C\\06DD\\070F\\115F\\1160\\17B4\\17B5\\180B-\\180F\\200B-\\200F\\202A-\\202E\\2060-\\206F\\3164\\FE00-\\FE0F\\FEFF\\FFA0\\FFF9-\\FFFB\\+0E0000-\\+0E0FFF]+',
                '', 'g'), NFKD) COLLATE pg_c_utf8)), 'ß', 'ss'), NFKC) END;
        -- tags are compared in this form: in the same transaction, the topics and the functions that look for them
        DO $$
        DECLARE
            definition text;
            head bigint := (SELECT last_id FROM log_head FOR UPDATE);
        BEGIN
            FOR definition IN SELECT pg_get_functiondef(oid) FROM pg_proc
                WHERE pronamespace = 'public'::regnamespace AND proname IN ('listeners', 'subscribe')
            LOOP
                EXECUTE replace(replace(definition, 'lower(w)', 'index_fold(w)'), 'lower(p_target)',
                    'index_fold(p_target)');
            END LOOP;
            -- of several subscriptions to one tag, the oldest active one stays
            CREATE TEMPORARY TABLE doubled ON COMMIT DROP AS SELECT id FROM (
                SELECT id, row_number() OVER (
                    PARTITION BY agent_id, index_fold(target) ORDER BY paused_at IS NOT NULL, id) AS n
                FROM subscriptions WHERE kind = 'capability' AND deleted_at IS NULL
            ) s WHERE n > 1;
            UPDATE subscriptions SET deleted_at = clock_timestamp() WHERE id IN (SELECT id FROM doubled);
            UPDATE subscription_spans SET to_id = head
            WHERE subscription_id IN (SELECT id FROM doubled) AND to_id > head AND from_id < head;
            DELETE FROM subscription_spans WHERE subscription_id IN (SELECT id FROM doubled) AND from_id >= head;
            UPDATE subscription_spans SET topic = 'capability:' || index_fold(target)
            FROM subscriptions s
            WHERE s.id = subscription_id AND s.kind = 'capability' AND s.target <> index_fold(s.target);
            UPDATE subscriptions SET target = index_fold(target)
            WHERE kind = 'capability' AND target <> index_fold(target);
        END $$;
        """


MODELS_STATE = (
    "eJztXVlz2zgS/isovTip0nocO3ayye5WSYmzox3HTtnKnJliIBKSsKYIhYcV16z/+6IBXu"
    "BlgpZ1mS+JRaJJ8GsAfaC78VdnxLBr7fcmxPE7b9BfHQfPCP9Dud5FHTyfx1fht49HtmiH"
    "oYUnmow838UmPGaMbY/wSxbxTJfOfcocaNtzEDZNFjj+G0R9D81dNqY2bwg/fGzblHhd5E"
    "8JsuiEeD5iY3mLXROni7BjocWU8Psuv4yoh7zAmxPHIhZiLr+N2Jy42GfuPvTHYibvEHUm"
    "q3914NBvATF8NhEkvAN//MkvU97+O/Hg51+dMSW2Jf7ucNDoDfVvgZRaHWhKvs9d4nkcOC"
    "+ijjgjETcEERG8uJ2LGx1Bx3kgftx1kfIS0yXYJ5bWOxyyqP8Cz2Qu0Xr8nM0DG7sVrwCi"
    "+bUh3qIMTyo+RFw3Ito+nQwc/4NoC/wfGSazg5mTtJ/f+lPmxARUjm3eGeAdsVIj1wlsOx"
    "zi0SXJVH7BdwMSc9NKLlhkjAMbxj9Qyx4k1zqGcX4xNK5Oh4bRyc2NiCI1ZsNLJseP40Fh"
    "lgECE+jC3/5+eHh09Orw4Ojk9fHLV6+OXx+85m1Ff/O3Xt3JziRwyUcJ0Ab/HpwPoUOMT1"
    "45p+HCnaDBPjYSFifwi/9zDHg3xW4x/FH7DAP4hzVhQHQh4UCy4KyCBTP83bCJM/Gn/OfL"
    "gwp0f+5dvvuxd/ns5cFzFeLz8M6huHUn5lK89FKmg23YfM3QLg3PFwcHdRCFZqWYypsqqg"
    "sy8qivNWpTJLuC7nEtcI8rsD3OQ2viOR5Rm/pciObx7bkuvi0GOEuYQdmmXqMFujHMV9/s"
    "9/LXsy+dvb/u9r50nj8A+gqkh6e/Dv/4M4OjRbkMvSEusYwbinVGap5yVwbs6zrj9XX5cH"
    "2dH62JIqTC+55f9umMlIzVhCyDrRXS7Ud/bKFMqxqqg4+nV8Pex0/w+JnnfbMFWL3hKdw5"
    "FFdvM1efnWQYEj8E/TIY/ojgJ/r94vxUwMk8f+KKNybthr+DgtnBgc8Mhy0MbKUxiS5Hlx"
    "QGp9VpHQ6n6VoWbzSL/SmfjZYhDDo9QyBLuRyToClrD7bDEEiAd8ncvm2Ce4awhV0L9ti2"
    "rg94TNJCrQV15MgpQJsxm2CnGO40WQbxEadbJeTF3rdlyIn+xcWZIiL6gwye558/9k+5dS"
    "ZkA28E5lMhzCARDJCkehaDSvaE7IVEaObMBuGjNKbYmxatEA52S7BU6bKD9taXGO+OltM/"
    "u+gro5cbCf3Bee/yt2cfe78+V7Scs4vzf0ft08pL/7fhaa8Q/4ZmRY641Tw3W/MU/Aq8Ik"
    "5XCgiVsBUR94sIiRhz6YQ6TVa2hLLh2hb69bdgGj3W0uaSCZepxDWuSYE5XcWCLGXLgoey"
    "YMw7Rty5S4tNrxqsyDyhZUlDlsR7vwYuYEW1vM/SLkHcbw9Dtk7ah9wyuHrmsQIhNCTfy8"
    "zvHOWaPfKqrfK4OxsKeyNffPGci5qn9IN3MA3vxN7/+Dq1/QwXRti8XmDXMpQ7qllZYFH2"
    "Q7IPP10SG4uvLVLCIOTlE1uxEbnUWZdcDReGjCzxKewRCf3oYTBdykcN4Um7CpcXjOKHPw"
    "ytq9STdgktmJLskJVN0vyt2eEsewU7eCI+Cd4Nb0qFnl0R7JrTTklgWni3e194muElDe8N"
    "UhtOCZLt4RnI5ys8BINhB4lnIeogmy2Ii0wM5AuX+j5xUBTrhRbUn6ZDzPKxaI/yhvtDzk"
    "pjqSRGuhFVaao2rupR46rKtYydiqtahVKh+Bc4rDpgR+1bsBuA3cYINY8R0tCEH1Mgz+c2"
    "JdaHwDH9MKg3J5WzTSpFs2xsjJXW9weRoxviQlQxyEyPuDfUJN4P4vE/wLo64kLzBz48kT"
    "/FPlpgD4UvkuHdDllAeLeNPb8gSny5z36ATH6s+OZQpLZiuFIMyxyAPAeqAvAiip2QDmoM"
    "3snLGjF4Jy9LY/DglioNormv7z9TKdvNso1zn22IsAosWpjQJK5XiqW4Rb18Jj8UF6kcoD"
    "doMWVdSBhy4F/sdxFvs5hSc4q8YPRfYvpRStHtPhpOmUfgCcwhyGSzGdzx+EpDEEYj7JvT"
    "knSmVb25QTaT9HKEb4Q/a+QEAe5GiqRe1pHops4bYoLC56Nffjy9PJUfjwZXiM9odP757G"
    "wNqUitqK4jqhtIkFZybKbkULJ1pgU5UOWmedh8J3SvVVvmyXpdV9lNKHYCcFXZPayTcHJY"
    "nnBymEs4Scm0+ruHMclOQLzqMa2/X9vu0y4D91i5qp28GhE0Qn3DIh8yiawnddJYs0I2lc"
    "R68nxjfH99+HdgEceH/Ki8WaXe71aYV+KKQdNNa23JgYnisoX0vPnEtj3+J/WQeB4au2yG"
    "yA1xbxEDG+Wt2B+DTw/mHjKxy2/QAoffUp+8ZHff1Qzb9gYXNHjxYNPh6PDVSWwswI8q8+"
    "DqY+/s7H57ID2yVDw/fx68L8MyockgGgTU2gfKdcmAPf5Sw+WGOZsZ0Jlnz/ceSSCI9ehI"
    "rkdpdV58/U6n0Kbh5gbJ40G8FWbYZkgcrjI4YpXIiprwRpWMMUWT2vtJsrlc/+fByKYm4h"
    "DOOVcJX+FZYINTjC320TtsTvmlMbNtIS+IJySH9xZ99ci3r1AWiK8k/CL40VwK5NQRjjXq"
    "I+ZapKgw0cpf/wAxxV+j5+sKCdr4kCV5u675x+uo11H7nTAiH9tOD1PDdf25Clmjkb5pZs"
    "xa8m7XFIXWYg8Ck8sIjkCR1ly+tihEu2e+L6eu14YoUzGrCvSpNBvLVaqwFa2vVs1tbBKu"
    "rbhIrpBeN4lcDSsu7qOvwiZgrtBeIIZGhsAuxM6kpBNxNnBrTF3PfxvvdXpoim8Icrj9Xq"
    "RWrfr1mruknh1M7tuwTIFumIEb2U5VG5dRs+w2acr00n2zjGq678WwUVr5clkaIeqHzpcn"
    "1JVfLpvV3LQVIGgsdlH75ShS69VkH6V8YUUwFVFSH+o65DNkrVf+AbG3ydqR0ayqEtZTVG"
    "22eo1s9bYk1ZoMh80o97Zhyuy2eyFbd/NTZXRh6a2K5TNF1HoAdBbRzbBNP2CHBf67wPWY"
    "28mbp8rtboWFOhYNwU7iLesbqdj1KfzcE+mUMJi9N8LcgywOBAMcWcSmorauDJ1l4zDZ43"
    "t4P26dNh6pM2LfuYnoFe47r/LFD/D3x53U3Z1WCHfH+/8YG9bAQG23Z4qo1Ra3wc38tADf"
    "EMnC19RpaQWB9N1KuQLtGlYQQJwpwQzWZkjTQDfUoyLjXzoWxY4v9ZDDfHRLRN5/aApK6q"
    "rKAUt48gPkwtp2yjZSKqxlT3gzptgAlI2P2L0umGDJvarpJdQVY8ab1dTZYA6QGxj5wRz5"
    "LExuiotngOLDv4xbGDaxeJcRBs55TM4J4WPhLEWBozRiDsRa8Id413QuQyuKZ9/K3tzW89"
    "jeuZn2TV2LckuarEhRrVfb2DpmbMayeEZn1L/EwlWcXRaTe1XLog2tNFZEGAxRJqegfSOX"
    "HTU9tAuH1RFb7G3KwGcZ9Mx/9D4NwA41uRka5Yv63IjjK5SwMGETdMKNUad4WVzd6784X5"
    "w+8/m6C1mqPpqBIYw5/rMRceF9JoYI7mffAubj56D5YOcW8Q5QZqFnHuEj0/KeP3SJXe/5"
    "Z09q+1AwMo916eIZt98hZ+Dhi5evXr4+OnkZr5fxlaplsuAcCTn+NeBMUbSA5gENO2jojt"
    "IcXQtuObj6o7aAsgV4ozQkNvmRYFWoqncqtSM2MaZRo5rpY/YtBMuHQWCgcojH7sXBYG/D"
    "LC8otyg1CeFeZ5O07z3MLOCXzWtwsMugsLK8ssd+ZZtw1vrvn4I7OS0TBHINAwKytJsaFf"
    "Cls0fmzJyu4DihbYkMEKzTTj9KU7XzTH+eNfMk5khb6LWgD+PVm+ytNNd0ny7ccDJlYVHa"
    "+46zLC5I28JdM9dILhGauBdRtwzQZIDDuzUK/DBMSgd8lbIFXgv4yA1uYFPsBmqiX0jesm"
    "BLtoTEsTJ5b0d02kypqyM+0Kaen8NmkzdRwpusAyAFVTfcISGWrBFg3+ZqAyCgl8MNfeXK"
    "+BTS4qaMf5vMjBNX9jwEH1Ds8VjlyzXT7ebYJU7NSqQCciMl4avSzuSD1ayzTPqb7HykC8"
    "uO1OqCiKI06Tw+W+aBHXGYT8dQPDkMxJEd0wElR1jVo+LXpXuIeufvo9il8t7Ko8P1O5ul"
    "q9XXNFHtriocrt89MxySVR1b6iun1LLIvSNJtkL/+Bc6yL32/jeF89/g4kpnzGYgFn9jx1"
    "sQ10P/RAfid6z8Qd/2sONwMWgSiILz9qoyXut32iGL5n3O8yiVYVS/D4KKLLEbU1Zz4Yt6"
    "MGfzwMb3zhmNLii1AhpxJlH8l8sjpWfNGJaySZbNOqV32nxMOrZ8jirrj8rRbro2RM2uho"
    "dcLXsCpjuZYe5Derl0PisdTfj8kD4ugeVau0fLKHm++cEvGxFVmCiz9VmQ0OzQRvgaPIW3"
    "2tGcaaoW+8Z5O3KF1A28S7T/HSyBtqzgu7UXgnpqMPvUt7WGcUywe3W2DmvBe1iB72Ee4B"
    "GztIZw1H4HR++Lk4ODOgiLdhXFyMVdFeUFdjgoRuOjHUvon+AJj5n9mTFUpDa1VgiVaveW"
    "iTpH0JWfQJc7gG7HSoq0NWOyAUMbUhWoZfHjsbh8O6O+cVb+jNZUa2qqlW7cNGBL9hEtV5"
    "pyJdn70Yn6Tqi2PdKgeex3gmHkGc2P5apCiimqNRdSjF2lG1xHUc74BmUUM4TbPl5X7V+T"
    "e616kKeIWri14PZM5hatI1VnaUQkLdR6YXcQH+QZDRDPUrbA62kcrGAF/2AzXKZrsKKFew"
    "wEW4JzBWTvLz73z07Rp8vTd4OrwcW5ak6Jm6pkvDztnWXzYekkrMSeHcMOdkt8bAlNVve4"
    "9aW7bXcs2D6Uvk5rIT/3LvuD897lb8XVs6P2acO0/9vwtJdTSfiXl2T5lZ8qp1JtxLlyj8"
    "4BjTPkqEVmc+YTx7w1romWt76AdPccnofHx3X2RY6Py/dF4J4K+pi/n7hzlxYr1+XLSIaw"
    "4VqyYYCvYSlRAn00FG0lhLgtCfWg+P8sNwqUFK7w0YnzE5GzYcB7jot3VmQUf29CtpIJd9"
    "E4i66mOuDiRRz5pY4//vkWsYlUU84vUO/dEBSau7XkVVwSafHnUyuiO92K7AqXJKk0dcpF"
    "p+trQk0q6R4Tda0W1LbRiIizGp19NPC9KP0hLBf4lZOaU2J9FaWrWCCqY3l0MvW7yMaiAI"
    "Qjj2wUF4uKRq/69W2J0O1Z5rqoPGBQDApNr2VMs2af5Qpk/TKdl2KO6TouY6JWtG9hat8l"
    "8alLrCG7Jk6hHErdrhZGoiFfbnlLjZw/aeLLQtCw5mOTcBkBD5HnBkACHTeTZBmisGgtsq"
    "FuYnTOsChAy4UH/20GxCrO7nuc12jm8UUY4XtT6FQ0IV1cgF0UCl8R6S6ojSn2pvk5zdXD"
    "fmT4qEJMIVqW32WtcmxlplK5EEuxPseK6pgOlbKN6tjoqA65OBS7hKo8FCpd66Bo6qDYkO"
    "LhT1eHyfCi9U6kvRPhBFWdE6nBt1G+CXm6SOnRVsrtKsVQHtoRHm1VXy+MClBmj5VK1ZmM"
    "62+Hp4oITouTDMAMT/Q6QSxPFZEHHcCBDWWK4greC1XAhU4anoLiyYfLyhOhv2NGXM4UPi"
    "6kxyN7BkqX/4TzsjghnHCcuD/SB75AXQpoJB75xfm6gGoV4plRH8NHyGpE0avlL9lMnBIN"
    "3wK0XvTlFL6UG98e4MGuPTiouq3p2db0XMbyu3WBAnJSawOukLWQ60EeLY6akKfJ1gt5AS"
    "rbxoRYmugxQSFrx71emGMkmRvYN14L+XY5Zq+CURqnnP6dvl2pf6ca1t4qTBPto/fCKAmP"
    "+wJ19JrMfVD6EEbgdELP5m7gEIPw0WA9T44NE65WkXOGhF3DH4bGfMiIsmizoj3Clb1X03"
    "MrzbI6nlsF7tCcs0qdt2Edk+Txagm0ldcwCdXejfXkbsaO5DX/+Dz+5SFfUftdTNA+qpOd"
    "fVSemn2UKy+AuZZW4Dga8klTsu0eU+wEwPekXCt+0wjIYrdp1DwF/DvwpLbZxE9qU2KOA6"
    "/R1pNCuAQmb88GxdbxOKWgaDJZpWy5vMlcbve31m0Ktvtbu7K/NRT7KXIbq5O3r5Xb3Qr7"
    "WtmXqb+/Fe4dRXtAMjIpqh8sn1m8QVWXsA1/3Z5lppszNjfDB9UjLi2cHeGNqnmBkyb3TY"
    "hyjix5Q/Gp+EceeIhpuefjhrhe6HCs6/xIkeyEeb6CRDeYUxoIh813EN0X9Yr/VZX+yxf+"
    "g4OAClW3/1xdnJf4OhKSrIFETR/9D628zN+j20YARrWrKetV6qr2Djygv+7dlLv/A8eXb+"
    "A="
)
