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
            generation int PRIMARY KEY,
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
    "eJztXVtz2ziy/isovTip0vE4suNkM7unSkqcHe849pSt7O7sZIqBSFjCmiIUgrKiyvF/P7"
    "jwBt5E0LJEyXhJLBINgF/j0t3obvzojAj0ncP+GHlB5x340fHgFLE/lOdd0IGzWfyU/w7g"
    "yBXlIC9BRZERDXxo82puoUsRe+Qgavt4FmDi8bJ9D0DbJnMveAdwQMHMJ7fYZQX5jwC6Lk"
    "a0C4IJAg4eIxoAcitfkTvkdQH0HLCYIPbeZ48BpoDO6Qx5DnIA8dlrQGbIhwHxD3l/HGKz"
    "DmFvvPmm5x7+NkdWQMaChHXgjz/ZY8zKf0eU//zRucXIdcTfHUZJkWO5hNx1eDn0feYjSh"
    "lqNCKN2CLhtiSFYMRyJl50BB1jAP8B/vXL2fUZSNULzm/A5dUQXH6+uOg8dIHSfvwtFsMH"
    "uzX7kKVa0ZlM8coOsVGE73Gw5PVgp2Z/BBEq7UauEdtHMJAg1m7DQ4v6DVCb+Eir+hmZzV"
    "3oVzTBiWZ3lmhFma9YfIh4bkW0Azw+94KPoiyfECPLJu586iXlZ8tgQryYAMvJzjrDBzNy"
    "UlPZm7tuOOejR3KUsweBP0fx8HaSBw66hXOXLwicWvYgedaxLDYArJuzoWV1cotFRJGaxO"
    "Ejm+HH8MB82eEIjHkX/ucvvd7x8Zve0fHp29cnb968fnv0lpUV/c2/evMgO5PAJasSoJ3/"
    "/fxyyDtE2GomFzn+4EHQwABaCYsT+MX/OQa8n0C/GP6ofIYB7MOaMCB6kHAgWYE3wYIp/G"
    "65yBsHE/bz5KgC3X/2r9//0r9+cXL0UoX4MnzTE68exFyK9yJMdLANi28Z2rXh+eroqA6i"
    "vFgppvKliuoCjSgOtEZtimRf0H1dC9zXFdi+zkNrwxkcYRcHTKrI49v3fbgsBjhLmEHZxb"
    "TRAt0Y5ptv7gf568WXzsGPh4MvnZePgL4C6eHZv4d//JnB0cFsD71HPhMa7jHUGal5yn0Z"
    "sG/rjNe35cP1bX60JoKQCu8H9jjAU1QyVhOyDLZOSHcY/bGDe1rVUD3/dHYz7H/6jVc/pf"
    "SbK8DqD8/4m554usw8fXGaYUhcCfjX+fAXwH+C/1xdngk4CQ3GvmgxKTf8DxcwO3AeEMsj"
    "Cws6aUyix9EjhcFpcVqHw2k6w+JWsziYsNnoWELD1VMEspTrUQmasvZoNxSBBHgfzdxlE9"
    "wzhAZ2Ldhj3bo+4DGJgVoL6siyVYA2IS6CXjHcabIM4iNGt0nIi82R69gnBldXF8oWMTjP"
    "4Hn5+dPgjGlnYm9ghbj6VAgz3xEsvpPqaQwq2TPSF5JNM6c2CKOtNYF0UrRCeNAvwVKlyw"
    "7aZSAx3h8pZ3BxNVBGL1MSBueX/evfX3zq//ulIuVcXF3+PSqfFl4Gvw/P+oX4N1QrcsRG"
    "8my35Cn4NadFnK7cIFRCs0Ws3iIkYsTHY+w1WdkSyoZrW2jX34Fp9FRLm4/GbE9FvnWHCt"
    "TpKhZkKQ0LHsuCW9Yx5M98XKx61WBFpgbDkoYsSc52YQErqvf7LO0atvvdYcjO7fYFh/7N"
    "mB2TG37vAL8tJo5TUiB0DNH3MnNLjnLLJzCqbvq0J1kKe6Ozl+I1Niqekgff82VXXWFDVx"
    "795VUhNHOtzXMt7QaW4/KvaDmI5JEiBkdURobRkGG4N9XtXcqhhz8YQftuAX3HUt6ohroC"
    "G90gJPv46zVyofjgAnYIr8rfyIbNcmtlSvI0HDcZ6TzA/NRdaJyPg+laVjXkNe0rXHQ+ii"
    "t/HFo3qZr2CS0+JUmPlE3S/Ktpb5p9Aj04Fp/E2+YtpbybbxD07UmnxPc5fNtd5QFt0aTg"
    "Sj/o4QQBWZ7XAQImQ3F/Y+gBURfAHnDJAvnAhpx84eMgQB6I3InBAgeTtBdz3t35SVpY7d"
    "Vc6p0qMdL1UU1TGU/VJ/VULZfj98pTddNiO594OmBH5Q3YDcA2XpfNvS41JOGn3JBnMxcj"
    "5+Pcs4MwTCK3K2eLVG7NsrB1q5ReHacE7pHP4zT4nkmRf49tRH8S1f/E19UR2zR/YsMTBB"
    "MYgAWkIGxIRhB5aMEjiFxIg4JApPXW/Yg9+akiRsIt1WzDlduwDDPLc6DKpTmi2IvdQfVq"
    "Pj2p4dV8elLq1cxfqbtBNPf1TWYqpXE/aJ3RrCWb1dzBhTGz4nnlthSXqBcyG4TbRSrM9B"
    "1YTEiXx6R6/F8YdAErs5hgewLofPRfZAdR1OryEAwnhCJeA/EQsMl0yt9QttIgAMEIBvak"
    "JGJ2Uy1rBszKjnHCsEX+Z40oS467lSKpF8cpuqnTQkxQFQ8rCqlRsGarbuVW3WAHMTtHO3"
    "cOJf5xUhBVWq6ah8X3QvbatGaerNd1hd2EYi8AV4XdXp0Qvl55CF8vF8KX2tPqn8/HJHsB"
    "8abHtL5HhPGEWAfusXBVdymJCRqh3rKD8UxqgNM6iQGym2wqLcBpPnI9QGPiF/i2lgOcpt"
    "nyyCZCe1gbvL068PbK4e1l4W3kNGdc5VorT7bDEjHg/547iI2TYNnJWyTU990Ky4R4YuF0"
    "0Vqn2Vy798lCGq0D5LqU/YkpEPWBW59MAbpH/hKICfqzOFrmnz6fUWBDn73ABbbytda8Zk"
    "v5zRS6bouzK716xCIote7j3pvTWM/mP6o065tP/YuL1ap0emSpeH7+fP6hDMuEJoPofI6d"
    "Q065LfHpgDVq+dBzyNTinXnx8uCJZCmx1xzL9S29comv3+t8Hmm42dr7dBCbHaf2jsOEQU"
    "+sEtmtJnxRtcfYokjto1hZXK7/s/nIxTZgEM4YVxFb4cnc5fZksjgE76E9YY9uieuK/QJR"
    "sXPQn8FXir595Ukb2UrCHnITtI85OfaETRoHgPgOKkobufHmH7FNsWb0zMQhgXGtWpOh+I"
    "59vI7iFJXfC/vLU5u4wjw1ukchClmjkd4ylWk7SUC25MBpsOcbJtsjGAJFUnOFUSZNtH+W"
    "r/UkGW2JMBWzqkCeSrOxXKQKS+H6YtXMhTZi0ooP5ApJu4nTd5gP+xB8FToB8YX0wt3PpP"
    "f4QhzqSzrhosZf3WKfBj/HbgIUTOA9Ah7T34vEqk03r+lgQN35eNVZfwp0y577ke5UdeYf"
    "Fct6GKRUL92WpUPgqoa5j0Fl4zJPU9QPnS9PqCu/XBar6e8gQNBY7KLy6xGktivJPkku5Q"
    "o/xFQ3c4iXn2VlyMyB1iPc1pO1IyNZVWXPSVGZ1Dk1UueY/JhbUhzakXu2ZcLsrlshjbn5"
    "uTK6MA9oxfKZIjIWAJ1FtB266UfokXnwfu5T4nfy6qnyuluhod6KglxPYiXrK6nQDzD/eS"
    "Aikflgpu+EuscDoAAf4MBBLhaJ/qXXObkN46S+h+/j0mnlEXsj8p2piLTw3HmTDT/C3h93"
    "Uvd0WiHcH+v/UxxYcwZqmz1TREZa3AUz8/MCvCU7C1tTJ6XJN9JvK/cVXq5h8g3AmDKf8r"
    "WZRziBe0yxSJYhDYvixBdT4JEALJFImRGqgpK6KunGGmp+xL6wtZOyVu4KWzkTbscUO+fC"
    "xifo3xVMsORd1fQS4oo1ZcVqymx8DqB7PvLnMxCQMC4wzjvDBR/2ZUzDcJHDugwg5xwlck"
    "4IGwtjKZh7SiHicV8LVgm9wzPpWlE8+zbWskmFs7tzM22buhOZyjRZkaLarrSxc8xox7J4"
    "gac4uIbCVJxdFpN3Vcuiy0tprIh8MERB0IL2nVx21MjqLr9KGLnibFM6PkunZ/aj/9s510"
    "NtpoZGodYBU+LYCiU0TH4IOmbKqFe8LG6u+S/eF29AArbu8gDvAEy5IgwZ/tMR8nl7NuQe"
    "3C++zUkAX3LJB3pLwDqAiQNeUMRGpkNf8rBx2T0PLWwyRT7l8hI/LQ4vcaZgyf4bI358DF"
    "mbjM9WSP3Y9Xm7N7k+q7NHMQryWJeuvHH5PbIk9l6dvDl5e3x6Ei+28ZOqNbbgRiw5/DXg"
    "TFEYQPOAhh20dEdpjs6AWw6u/qgtoDQAF1rSGoCboTLAtkpuJeNfEFSlFfVNpcxKxtYkKl"
    "QzqM9d8hAGefAhajyIvfOiHD8yX6xQT6WmHF2uUhbO96g6uXx5JsL9eMpaKVKKcxYyTh/C"
    "hCEm7LF9x09apHegCQM0pyrrWJh2wsif3gsEcg3dNLK0bfXV+NI5QDNiTzZw4+Su+GsI1m"
    "kHhaWpzDzTn2fN7Ls5UgN9A+hF0qiG2KdpDfha4IchHE2OG5urGc8Xbn5zfGGK81XXzRen"
    "Nzdw1wy/k+uzJu5F1IYBmgzwWLdG8yD0HNQBX6U0wGsBH50MWdGpix76heSGBZprPbd8+O"
    "LqJ4sBWnTvc1WYUCH9lgOGYsNFy+KF2mHl+0QcJPnVyRv6Ui+7Fba+qVpMJ8s4+0u6L/PD"
    "1tB5pgtGyySytisd1lCUDoVVjuD0EFyKQ14qjn6TTCerU6xstu0WXpjR/nPhdnjrmDTc+2"
    "ilMrmhnzjnKGeYtk0kRbRHh4DPI5rBYP9u5xMZt3dpaYeULK5QzsvH0c3KpZJxfHlzvSNw"
    "l4zfRRlqZOI+aUbrhi6NyJHiprvMCZuA08uxBb6yHXDC89hMCPs2mcpGPDmggH9A8Vn5Jh"
    "vXzI8zY4K2V/PWHQG5lbI/VuWJkRWraWIy+Wpk56MFUnakVhdE2KONZ7Fi9MiOeCTAt/yi"
    "sDByRnZMB5QcYVWPiptL9xD0Lz9EwUblveWcWDbobJauVl/TRLW7qnC4fvfscEhWdWytTU"
    "6w46CVI0mWAn/9X3CUa3Z1S+H8j203NcdsBmLxN/TogivJfwNH4ndsmuZ9O4CeR+aejXjY"
    "Gj2oSlFVv9MeWjTvc55HqZQg9fsgqNAauzEhNRe+qAczMpu7cOWc0eiCktyvEWeSY4n18k"
    "jpWTOGpU5M1s06pXfafEw6tn6OKuuPytFuOpljza6GF7qvewKmO5lh7mN6uXY+Kx1N+PyY"
    "Pq6B5caw2E7DYiLMathHYhqjoj/Gj2GpHX6ZpjLYNzZNyRVSN9gtkf730D6yroC3rWdufm"
    "4wBzhwtYZxTLB/ibF7teDtVeDbywM8Io7WEI7K7+HofXV6dFQHYVGu4uI98VZFeQE9Bopl"
    "wxkcYTfO5q2C3vd9uCxGvYQ+wwQX080mKVCd9H88PG163j/+zHuP3fIrpGytFUKl2r9l4q"
    "TOGly+BOc2uv3KAWpO6YtO6VuQxtew+OlYXH6cUV85K6/DqGpNVbXSg5sGbMlWYbjSlCvJ"
    "2Y/KhuqA4IRq1/2gm4cFJxhGltH8WK5yaU5RGUfmlRcfyBnf4N6DDOGuj9dN29fkWase5C"
    "kiA7cW3NQmftE6UnX5ZURioNYLCuL+QdRqgHiW0gCvJ3GQghX8o0tgmaxBihbuW06wIzhX"
    "QPbh6vPg4gz8dn32/vzm/OpSVafES3VnvD7rX2RzUOFxeHVadgx70C+xsSU0WdljGUhz2/"
    "5osAN+V1VaCvln/3pwftm//r34uquofFoxHfw+POvnRBL25SU+6eXXwKtUrbgI/sk5oHHp"
    "O3bQdEYC5NlL6w5pWesLSPfP4Nl7/brOucjr1+XnIvydCvot5jlIZz4uFq7Ll5EMYcO1pG"
    "WAb2EpYejQIrNzpQKZEJmb81YrkIovlYYuo3hpmzTZOlJfLsQiy40COZDJ1Hjs/YrkgnPO"
    "eg6LD69koER/jHaSCQ/ROIuepjrgw0XsXKeOP/b5DnKRHOKXV6D/fshlxoethK5cI2lUyU"
    "evRG+6FQEsPkpyKdS5Qit95wjP0y0tkCLX9wK7LhghQCdk4R2C84BGESbhFQpfGak9Qc5X"
    "EVdN5iIlN8XjSdAFLhTpF/n9CNiTD4su0tp08+balN1Z5rqg3CdTDArNfT2m2fK2vgFxap"
    "32YTHHdG3DMZHZ2h+3tW9pCwqwj5whuUNFWUaU19WbkSjIlltWUiOsUlpR5OVYfM2HNmJ7"
    "BK9EpgDmMYpME2VbRDCJLvIBLs8MwnSBGeH5PXhaYLZ5sN/2HDnFAZRP04xmqGSEEVwZpa"
    "iiyfOFCbCLog0qggkEtTWBdJKf00w8HES6pbqJKUTrMm1tdR/bmDZavomlWJ9jRbXbjEpp"
    "HGda7TgjF4diq1uVEUilMzaghjagtlyo9nxlmAwvjHUibZ0IJ6hqnEgNvlbZJuSNq6XXfS"
    "uvqwRDeZFpeN13fblQvR0iuWo7dctDfCdZeNOq4LS43ZGr4YlcJ4jlTavy8kd+iWWZoLiB"
    "dvnNFUImDW+GpbJymdwjtHdMkc+YwsaFtHhk74Xtsp/8DnF5L1rK/JG+BJen/uCFRJVfvK"
    "8LnhBE1Bn1MawivF4jbFr+ksUm8F7eAcdpafTlmH8pU74px4PcievYzI0a5kaNdSy/O+eL"
    "ISe1NuAKmYFcD/JocdSEPE22XcgLUNk1JsS7iR4TFDIz7vWTCNJm+g01kO+WYfZmPkrjlJ"
    "O/068r5e9UwdpHhWmiQ/BBKCXhFehcHL1Ds0DewQu40Qm8mPlzD1mIjQbnZXKVujC1irA+"
    "IPQantn5lg0ZkXluWnRGuLF2NS23Ui2rY7lV4A7VOafUeBumikmqV7PMbTxNTCj2ttaS24"
    "4TyTv28Xn8y73qovL7GAN/XCcA/rg8+v04l8EBMimtwHA0ZJOm5Ng9ptgLgFdEtSt20wjI"
    "YrNpVDwF/HtuSTUB28/qUGIG57TR0ZNCuAYm784Bxc7xOCWgaDJZpTRcbjOXzfnWtlVBc7"
    "61L+dbQ3GeIo+xOnn9WnndrdCvlXOZ+udb4dlRdAYkPZOiFM2yzuIDqrqExv11d5aZbk7Z"
    "bIcNqo98XDg7whdV8wImRVZNiHKOrPlA8bnYR3qvTt6cvD0+PYlHavykaoCutnzcI59qXt"
    "GUItkL9XwDsYR8TmkgHBbfQ3Rf1cuvWJVdMZ9bkd8EWyi6/ePm6rLE1pGQZBUkbAfg/8DG"
    "Myk+uW7Ewag2NWWtSl1V3+EVDLZ9mvLw/0YT7PU="
)
