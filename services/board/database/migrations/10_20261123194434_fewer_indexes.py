from tortoise import BaseDBAsyncClient

# An index that is built or dropped concurrently delays no write, but needs a transaction of its own.
RUN_IN_TRANSACTION = False

WRITTEN = {"threads_written_new": "created", "threads_written_active": "activity", "threads_written_popular": "hot"}
REPLACED = [f"threads_author_{of}{order}" for of in ("", "community_") for order in ("new", "active", "popular")]


async def upgrade(db: BaseDBAsyncClient) -> str:
    """Build three indexes, then drop the six that they replace; a run that was killed is repeated from its start."""
    async with db.acquire_connection() as connection:
        # It waits for transactions that began before it, such as a backup, and no other waits for it.
        await connection.execute("SET lock_timeout = '60s'")
        for name, order in WRITTEN.items():
            await connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            await connection.execute(
                f"CREATE INDEX CONCURRENTLY {name} ON posts (author_id, {order}, id, community)"
                " WHERE parent IS NULL AND visible"
            )
        for name in REPLACED:
            await connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
    return "SELECT"


async def downgrade(db: BaseDBAsyncClient) -> str:
    return """
        DROP INDEX threads_written_new, threads_written_active, threads_written_popular;
        CREATE INDEX threads_author_new ON posts (author_id, created, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_author_active ON posts (author_id, activity, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_author_popular ON posts (author_id, hot, id) WHERE parent IS NULL AND visible;
        CREATE INDEX threads_author_community_new ON posts (author_id, community, created, id)
            WHERE parent IS NULL AND visible;
        CREATE INDEX threads_author_community_active ON posts (author_id, community, activity, id)
            WHERE parent IS NULL AND visible;
        CREATE INDEX threads_author_community_popular ON posts (author_id, community, hot, id)
            WHERE parent IS NULL AND visible;
        """


MODELS_STATE = (
    "eJztXVlz2zgS/isovTip0noc2U6yye5WSYmz0Y5jT9nK3FMMREIS1hTBgKQVV9b/fXGQIs"
    "FLBHXLfEksAE2AX4PoA43G99aQQGodd8fI8VtvwPeWA6eI/aGUt0ELuu68lP/24dAW7SBv"
    "4YkmQ8+n0OSPGUHbQ6zIQp5Jsetj4vC2XQdA0ySB478B2PeAS8kI26wh/+FD28bIawN/go"
    "CFx8jzARnJKnKHnDaAjgVmE8TqKSsG2ANe4LnIsZAFCGXVgLiIQp/QYz4ei5hsQNgZb77r"
    "wMFfA2T4ZCxI2AD++IsVY9b+G/L4z++tEUa2Jf5uMdDwPfYfOCm2Wrwp+uZS5HkMOC+ijj"
    "gjETcEERK8eHBFRUvQMR6IH49toHRiUgR9ZGn14aBZ9Q48k1Ck9XiXuIENaUkXnMi9M0Qv"
    "yvTE4kVEuRHR9vC47/gfRFvO/6FhEjuYOnF798GfEGdOgOXcZoPhvENWYuY6gW2HUzwqkk"
    "xlBT4N0JybVlxgoREMbD7/ObUcQVzWMoyr64FxezEwjFbm24goEnM2LDIZfgwPzL8yjsCY"
    "D+Fvf+90Tk9fdU5OX74+P3v16vz1yWvWVow3W/XqUQ4mhks+SoDW/3f/asAHRNjHK79pXv"
    "AoaKAPjZjFMfzi/wwD3k0gzYc/ap9iAHuxOgyICmIOxAvOJlgwhd8MGzljf8J+np2UoPtz"
    "9+bdx+7Ns7OT5yrEV2FNR1Q9im9pvvRiooNt2HzL0K4MzxcnJ1UQ5c0KMZWVKqozNPSwrz"
    "VrEySHgu55JXDPS7A9z0JrQhcOsY19JkSz+HYphQ/5AKcJUyjb2Ku1QNeG+far/V7+evZn"
    "6+j749GfredLQF+C9ODi18Eff6VwtDCTofeIIsu4x1BnpmYpD2XCvq4yX18XT9fX2dkaK0"
    "IqvO9ZsY+nqGCuxmQpbK2Q7jj6Yw9lWtlU7X+6uB10P/3EHz/1vK+2AKs7uOA1HVH6kCp9"
    "9jLFkPlDwC/9wUfAf4Lfr68uBJzE88dU9Bi3G/zOFcwWDHxiOGRmQCuJSVQcFSkMTqrTOh"
    "xO0jUs3mkW+xP2NVqGMOj0DIE05WpMgrqsPdkPQyAGniLXfqiDe4qwgV0L9rltXR3wOUkD"
    "tRbUkSMnB21CbASdfLiTZCnEh4xuk5Dne99WISd619eXiojo9VN4Xn3+1Ltg1pmQDawRN5"
    "9yYeYSweCSVM9iUMmekL0QC82M2SB8lMYEepO8FcKBtABLlS49aR98ifHhaDm9y+ueMnuZ"
    "kdDrX3Vvfnv2qfvrc0XLuby++nfUPqm89H4bXHRz8a9pVmSIG81ztzVPwa/Ay+N0qYBQCR"
    "sRsVhESMQIxWPs1FnZYsqaa1vo19+Dz2hdSxtFYyZTETXuUI45XcaCNGXDgmVZMGIDQ9Sl"
    "ON/0qsCK1BMaltRkyXzv14A5rCiX92naFYj7/WHI3kn7kFsGU888kiOEBuhbkfmdodyyR1"
    "61Vda7s6GwN/LF539zUfOEfvCOf4aPYu9/dJfYfuYFQ2jezSC1DKVGNStzLMpeSPbhxxtk"
    "Q/G2eUoYD3n5iWzYiFzpVxeXhgtDSpb4mO8RCf1oOZhu5KMG/EmHCpcXDOcPXw6t28STDg"
    "kt/kmSDin6SLNV0840XQIdOBavxPvmPSVCz24RpOakVRCYFta2F4WnGV7ccGGQ2mCCgGzP"
    "nwF8tsLzYDDoAPEsgB1gkxmiwIScfEax7yMHRLFeYIb9STLELBuLtpYeFoecFcZSSYx0I6"
    "qSVE1c1Vrjqoq1jIOKq9qEUqH4FxisOmBH7Ruwa4DdxAjVjxHS0ITXKZBd18bI+hA4ph8G"
    "9WakcrpJqWiWjY2R0npxEDm4R5RHFXOZ6SF6j03k/SAe/wNfV4dMaP7ApifwJ9AHM+iBsC"
    "MZ3u2gGQ/vtqHn50SJr/bZS8jkdcU3hyK1EcOlYlieAchyoCwAL6I4COmgxuC9PKsQg/fy"
    "rDAGj1ep0iD69vX9Zypls1m2c+6zHRFWgYVzDzSJ8lKxNG9R7TyTH4qLxBmgN2A2IW1+YM"
    "jh/0K/DVib2QSbE+AFw/8i04+OFD0UHFVaxVNrnEKS3onwafzPCmd5OF5GgmRXjvI0oq6K"
    "qKuxAjcr726uvMppl0nOGaJi0zZsfhC6y6Yt23jdrKosxhQHAbiqLHaqHNjoFB/Y6GQObC"
    "RkS/XdtznJQUC86Tmtv9/Z7HNuYJ9zjQpzj//bt5Dj8xMwWcVZrS9ToEWJgZNNK226EAcB"
    "SmbSt+Ij2/bYn9gD4nlgRMkUoHtEHwDh2uxbsQPCXz1wPWBCyipwjktnpU9esUPndgpte4"
    "ePrL9YWrk97bx6OVdn+Y8yBfb2U/fycrHGmpxZKp6fP/ffF2EZ06QQDQJsHXPKba1SR6xT"
    "gzLDjUwNPphnz4/WtGSJ1elUqqVJhVO8/UEfkkzCzVTm9UG8F4bCbkgcph87YpVIi5qwok"
    "zGmKJJ5R0D2Vyu/24wtLEJGIQu4ypiKzwJbAt4EzI7Bu+gOWFFI2LbQl4gT0gO7y344qGv"
    "X3jiF7aSsELuZ6GYk2OHPWE6xT4g1EJ5qWc23v0SYop1o+eNCQmaCIAV+WPu2Mvr2JJR+4"
    "Mwc9ZtSYaHf3U9jgpZrZm+YyG62zlZuaU4owZ7LjCZjGAI5GnNxWuLQlRrgdk17NeQuWlH"
    "lKk5q3L0qSQbi1WqsBWurla5NjQR01YokCuk145jE8Ocesfgi7AJCBXaC4+SkEGOswnxUE"
    "gnIil41QhTz3873/HywATeI+Aw+z1Prdp095r7aZ4djBdtniVAN8yARrZT7hYa+OXjxc0F"
    "iJo9Fuf30+1Zxq0s6ph9gOWdy8Pv0Th03jymLn1z2Qz0b8VYrj5fXpZsKwoQNBa7qP1qFK"
    "ntarJrSVBXEi6DlOD2qi7jFFnjN14iujJeO1KaVdmR5ARVcx65wnnkJunQlgyH3UjotWPK"
    "7L57IRt381NldG5ypZLlM0HUeAB0FtHdsE0/QIcE/ruAeoS2suapUt0usVBHoiG3k1jL6k"
    "YqpD7mP4/EgTk+mb03wtzjcfqAT3BgIRuL7KkygJKMwnD+b2H9vHXSeMTOkHxjJqKXu++8"
    "yY6X8PfPB6m7O60QHo73fx0b1pyB2m7PBFGjLe6Dm/lpAb4bkqXPV8JPkN7liJW4rkymiL"
    "XUmLJmFQUKjydC93wxDlzgkzD+fn52m6/K7M2Y+mMjiw0ZQM4nj8jNX2EAMgaCwFEaEYdv"
    "BLOHeHfYlfu++ZFMG+u5OU6+LzpemeRhrBbZPjRZkaDa7lK4d8zYjWXxkow/Iqh+lWpN2Z"
    "Jok7ExiRpVjNy0H3icSrj/wpVW8dij+T7M2zDAkueyQDTSc1lPSbU3DOphxeYd123lfkxR"
    "SOe6u2xiPRvV+SlocknVWSBX0xeXpt1Vh9yfrSPkEnOygVzN++KUE6zTjvxLUjXfmf53Vk"
    "9PzpA20GtBH4aK1Nm/y0s/08C9+L6Q3Iw/i+4Kyc/208BdMczPiO9l1dhnyaFuGKDJAIcN"
    "axj44Q6FDvgqZQO8FvBR0J4RXvOriX4uecOCPXF4iJy9WW9HlMq30NUxzxZczc9hk/GbKN"
    "ZUHsGRgqrNhjMd8m08eTzHfsgcywGcXk438IUp4xMekToh7N1kUKooOfIAf4F8j8cmO9eM"
    "dHUhDa8JX5wuRkBuJCR8WcSnfLAa8JmKPJWDj3RhOZBKQxAbmCZ254l7lxyIQ3w84pmpwm"
    "AvOTAdUDKEZSPK7y45QtC9eg/usYf5ZC8crbyXTX+wabpKY00SVR6qwuHqwzPDKVk2sJV2"
    "OcGWhRbOJNkK/ONf4CTT7eKewu/fYOJKZ86mIBZ/Q8ebIeqBf4IT8Xuu/PGxHUHHYWLQRF"
    "OuBx4td5l8NOiy2+QXjjnLo0RwX/UxCCq0wmFMSMWFLxrBokvv9YegHNOpxZlY8V8tj5SR"
    "1WNYwiZZNeuU0WnzMR7Y6jmqrD8qR9vJY1kVhxpmEF/1B5gcZIq5y4xy5XxWBhrzeZkxro"
    "DlWrtHq8iH1+yZv6myZx4rs9VZENM08anLeAoftGMVklQN9rVD5uQKmX/7QEkeu7n2f4DZ"
    "B1Z1bG7rZ7CfGsw+9m2taTwnOLwj7p1K8HZK8O1kAR4SS2sKR+0PcPa+eHlyUgVh0a4Q47"
    "BWRXkGHQaKUfvejAL6J3h9Rmp/ZsSTwZlaK4RKdXjLRJX8/sXp/TPZ/Q/sNF9zXDMdMLQj"
    "B3IbFq+PxcXbGdWNs+JnNKZaXVOtcOOmBlvSj2i4Upcr8d6PTtR3TLXvkQb1Y79jDCPPaH"
    "Yul+UwSVBtOYfJ3FW6wylM5BdfI4NJinDf5+um/Wtyr1UP8gRRA7cW3J5JaN46UpbGNiJp"
    "oNYLu+PxQZ5RA/E0ZQO8nsZBclbwDzaBRboGyVu4R5xgT3Augez99efe5QX46ebiXf+2f3"
    "2lmlOiUpWMNxfdyxSgRXc+9rADaYGPrfDWx+GDL91th2PB9njWuaQW8nP3pte/6t78lp+4"
    "LmqfNEx7vw0uuhmVhL15wSm/4gsdVKqduNJh7RzQuL4BW2jqEh855oNxh7S89Tmkh+fw7J"
    "yfV9kXOT8v3hfhdSroI9Y/oi7F+cp18TKSIqy5luwY4FtYSpRAHw1FWwkhbhIeLBX/n+ZG"
    "jpLCFD48dn5E8mvos5HD/J2V8MrWMdpLJjxG8ywqTQyAwtk88kudf+z1LWQjqaZcXYPuuw"
    "FXaB63cq7iBkmLP3u0Iqppl5yuoCg+SlMlU1uYjXt+t7p0j7UBoWCGbRsMkbgmxTkGfd+L"
    "jj+EyXC+MFJzgqwvAFIESOCLG9zxeOK3gQ1FAghH3pYiCvPytW26+yUSTGztHosmYDC7zo"
    "lJoem1nNNs2We5AVm/Suel+MZ0HZdzoka07+HRvhvkY4qsAblDTq4cSlSXCyPRkC23rKXG"
    "mT9p4our2MWaD03EZAR/iEzZyQ/QMTNJpiEKU7IBm+fujK74EunVmPBgv80AWfmn+9bTje"
    "Y5vggjuPAInYomPy4uwM4LhS+JdBfUxgR6k+w3zdTDXmT4qEJMIVqV32WrcmxjplKxEEuw"
    "PsOK8pgOlbKJ6tjpqA65OOS7hMo8FCpd46Co66DYkdSYT1eHSfGi8U4kvRPhB6o6JxKTb6"
    "d8E7cIUnNSmFVeqS5TDD3RMMwqX10vjBJQpjO6J/JMyuvG2Q/ZBRCcFnl6uRke63WCWDTG"
    "Mo0vT0dcpChuqN8m++XGIqCa7Jc7sqUup7824ApZA/me+BVug2ESp4z4SFaXio9Ew8qe7i"
    "TRMXgvZGqYi537j++Q64t7LSHgNhN45tLAQQZis8F6Hud0F54CcWQCCLHMHgZGbMqIrD7T"
    "PBf3xvrVdDxIraKK40GBO9RGFl6ZGT++4t2R6zqCH8qinXVE7IZDvbkCPT5feFrlcOFp8c"
    "nC08zpWEjZN5mFt/iazpjiIABecGJQMftXcjVncxhOjwn75lNzYeDV8pwqhM39lLvM44SC"
    "oslklbLh8i5zuXHPbtsUbNyzh+KeHYhYI+mFbWXta6W6XWJfhzFLXtyykns2dH0yoAOewl"
    "JurEfpL+Uz8/2rVQmb6K39WWbaGWNzN3xQXURx7tcRVpR9FzBusuiDKObIir38T8U/0nlx"
    "9urs9enLs/lMnZeUTdDFno97RL3cu3iLnR8JkoMwzzdwToN/UxoIh80PEN0X1XJXlWWuyu"
    "at4vdY5Kpu/7m9virwdcQkaQMJmz74H9h4lqq120YcjHJXU9qr1FbtHf6A3rZ3Ux7/D3++"
    "FkE="
)
