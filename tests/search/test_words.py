"""The words of a text find it, however it is written and whatever stands around them (interface 9.7)."""

import itertools
import random
import unicodedata
from collections.abc import Callable

import asyncpg
import pytest

from services.board.search import search
from services.contract.requests.queries import SearchQuery
from tests.fanout import index
from tests.load import Member, enlist

LOST = """
SELECT text, q FROM unnest($1::text[], $2::text[]) AS pair (text, q), search_words(q)
WHERE NOT index_text('Two ' || text || ', not one.') @@ query
"""
HAS = "SELECT index_text($1) @@ coalesce(query && !!excluded, query) FROM search_words($2)"
# texts, each with searches that find it
FOUND: dict[str, list[str]] = {
    "An em dash—between “curly” words… • bullets": ["dash between", "curly", "BULLET", "“words”"],
    "🦞lobster🦞 and ½cup 3™oz": ["lobster", "cup", "oz"],
    "They were indexing it": ["index", "indexes", "Indexed", '"were indexed"'],
    "Meet at the café": ["cafe", "CAFÉ", "cafe\u0301"],
    "Meet at the cafe\u0301": ["cafe", "café", "Cafés"],
    "Die Straße ist groß": ["STRASSE", "gross", "straße"],
    "ΟΔΟΣ και λόγος": ["οδος", "οδοσ", "ΛΟΓΟΣ"],
    "ﬁnd the №5 ﬆep": ["find", "step", "5"],
    "ＦＵＬＬ　ｗｉｄｔｈ": ["full width"],
    "soft\u00adhyphen and zero\u200bwidth": ["softhyphen", "zerowidth", "zero\u200dwidth"],
    "如何配置数据库连接池": ["数据库", "连接池", "配置"],
    "全文検索の精度を上げるﾃﾞｰﾀ": ["検索", "精度", "データ"],
    "การค้นหาภาษาไทย": ["ค้นหา", "ภาษา"],
    "데이터베이스연결": ["연결", "데이터"],
    "ຄົ້ນຫາພາສາລາວ": ["ພາສາ"],
    "ស្វែងរកភាសាខ្មែរ": ["ភាសា"],
    "မြန်မာဘာသာ": ["ဘာသာ"],
    "Он читал книги, ещё ёж": ["книга", "книгами", "еще", "ёж"],
    "שָׁלוֹם": ["שלום"],
    "कंप्यूटर की भाषा": ["भाषा", "कंप्यूटर"],
    "٣٤ and ²": ["٣٤", "2"],
    "foo_bar node.js CVE-2024-1234 v1.2.3 /usr/lib/x86_64": [
        "foo_bar", "bar", "node.js", "js", "cve-2024-1234", "1234", "v1.2.3", "/usr/lib", "lib", "x86_64"],
    "to be or not to be": ['"to be"', "or", "not", '"be or not"'],
    "private\ue000use": ["private", "use"],
    "Łódź, Tromsø, Æther": ["lodz", "TROMSO", "aether", "łódź"],
    "Đorđević und Ðóra Þórsdóttir": ["dordevic", "dora", "thorsdottir", "ÞÓRSDÓTTIR"],
    "Đương, Dương, Ħamrun, Ŋŋ, œuvre": ["duong", "hamrun", "nn", "oeuvre", "ŒUVRES"],
    "Diyarbakır, Gəncə, Hawaiʻi, Qurʾān": ["diyarbakir", "gence", "hawaii", "quran"],
    "lodz tromso duong aether strasse": ["Łódź", "Tromsø", "Đương", "Æther", "Straße"],
    "5㎏ of it, 60 ㎏, 20℃, ½ cup, №7, ㏂": ["kg", "5kg", "5 kg", "60kg", "20°C", "1/2 cup", "no 7", "a.m."],
    "5kg in 16 GB and 10ms": ["㎏", "5㎏", "16㎇", "16GB", "10 ㎳"],
    "Ⓛⓛⓜⓢ ①② ⼀": ["llm", "1", "2", "一"],
    "dos and tos has was his https css": ["css", "dos"],
    "psycopg2.errors.DeadlockDetected in HTTPServer at OAuth2Client": [
        "deadlock detected", "deadlockdetected", "DeadlockDetected", "deadlock", "detected",
        "psycopg2.errors.DeadlockDetected", "errors.deadlockdetected", "http server", "httpserver", "oauth2client",
        "auth2 client", "errors detected"],
    "deadlock detected, and a deadlockdetected": ["DeadlockDetected", "deadlock_detected"],
    "statement_cache_size=0 statementCacheSize": [
        "statement", "cache", "size", "statement_cache_size", "statementcachesize", '"statement cache size"'],
    "0x80070005 E0277 ECONNREFUSED /var/lib/x.log v1.2.3 pip --no-verify": [
        "0x80070005", "e0277", "econnrefused", "/var/lib/x.log", "x.log", "v1.2.3", "--no-verify", "no-verify"],
    "the GitHub actions of PostgreSQL": ['"the github actions"', "github", "postgresql", "PostgreSQL", "git hub"],
}  # fmt: skip
# searches that must not find a text
MISSED = [
    ("数据的仓库", "数据库"), ("gnu beside kudu", "gnu-kudu"), ("a running", "a -run"), ("a run", "a -running"),
    ("a café", "a -cafe"), ("use node.js", 'use -"node.js"'), ("an indexing", 'an -"index"'), ("a Größe", "a -Grösse"),
    ("cat", "cattle"), ("he has a gas bus to dos", "ha"), ("an https link", "http"), ("the LLMs", "the -llm"),
    ("a Łódź", "a -lodz"), ("css", "cs"), ("a zebra-crossing", "a -crossing"), ("one", "“two or one”"),
    ("one", "＂two or one＂"), ("one two", "one -two -three"), ("a DeadlockDetected", "a -deadlock"),
]  # fmt: skip
# acronyms, and numbers with letters, whose plural only has an s, or es after an s or x
ACRONYMS = ["LLM", "PR", "VM", "SDK", "JWT", "DB", "PDF", "GPU", "API", "ID", "URL", "CVE", "KPI", "SLA", "SLO", "TTY",
            "QA", "CA", "APU", "DNS", "VPS", "SQLX", "UUID", "IDE", "H100", "EC2"]  # fmt: skip
# Latin letters in ASCII, as PostgreSQL knows them
RULES = "SELECT pg_read_file(setting || '/tsearch_data/unaccent.rules') FROM pg_config() WHERE name = 'SHAREDIR'"
LETTERS = "aZéßñжЙσİıǆﬁάᾳकشאაԱ中か한ท"
BETWEEN = " .,;:!?'\"()[]{}<>/\\|@#$%^&*+=~`—–…“”‘’«»•·¿¡§©™€→∑☃🦞\u3000\u3001\u2028\u00a0\n\t"
FORMS: list[Callable[[str], str]] = [
    str,
    str.upper,
    str.lower,
    lambda t: unicodedata.normalize("NFC", t),
    lambda t: unicodedata.normalize("NFD", t),
]


async def lost(db: asyncpg.Connection, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs of a text and a search that does not find it."""
    found: list[tuple[str, str]] = []
    # All at once would exceed the time for a statement on a busy machine.
    for start in range(0, len(pairs), 500):
        texts, searches = zip(*pairs[start : start + 500], strict=True)
        found += [tuple(row) for row in await db.fetch(LOST, list(texts), list(searches))]
    return found


@pytest.mark.parametrize("text", FOUND)
async def test_a_text_is_found_by_its_words(shared_db: asyncpg.Connection, text: str) -> None:
    assert [q for q in FOUND[text] if not await shared_db.fetchval(HAS, text, q)] == []


@pytest.mark.parametrize(("text", "q"), MISSED)
async def test_a_text_is_not_found(shared_db: asyncpg.Connection, text: str, q: str) -> None:
    assert await shared_db.fetchval(HAS, text, q) is False


async def test_the_plural_of_an_acronym_and_its_singular_find_each_other(shared_db: asyncpg.Connection) -> None:
    pairs: list[tuple[str, str]] = []
    for acronym in ACRONYMS:
        plural = f"{acronym}es" if acronym[-1] in "SX" else f"{acronym}s"
        forms = [acronym, plural, f"{acronym}'s", f"{acronym}’s", f"{plural}'"]
        forms += [form.lower() for form in forms] + [form.upper() for form in forms]
        pairs += itertools.product(forms, forms)
    # in small letters, these are other words
    capitals = [("OSes", "OS"), ("GAs", "GA"), ("TOs", "to"), ("2FAs", "2FA"), ("MOUs", "MOU"), ("ＬＬＭｓ", "LLM")]
    pairs += capitals + [(q, text) for text, q in capitals]
    assert await lost(shared_db, pairs) == []


async def test_a_latin_letter_and_its_form_in_ascii_find_each_other(shared_db: asyncpg.Connection) -> None:
    # Unicode decomposes ŀ into l and a dot, which separates
    rules = [line.split("\t") for line in (await shared_db.fetchval(RULES)).splitlines()]
    letters = [
        (f"ki{rule[0]}ki", f"ki{rule[1]}ki")
        for rule in rules
        if rule[0].isalpha() and rule[0] not in "Ŀŀ" and rule[1:] and rule[1].isascii() and rule[1].isalpha()
    ]
    assert len(letters) > 1500
    assert await lost(shared_db, letters + [(plain, letter) for letter, plain in letters]) == []


@pytest.mark.parametrize("count", [300, pytest.param(20_000, marks=pytest.mark.slow)])
async def test_a_word_finds_a_text_that_has_it_in_any_form_between_any_characters(
    shared_db: asyncpg.Connection, count: int
) -> None:
    chance = random.Random(count)
    for _ in range(count):
        word = "".join(chance.choices(LETTERS, k=chance.randrange(1, 9)))
        written, sought = chance.choice(FORMS)(word), chance.choice(FORMS)(word)
        text = f"one{chance.choice(BETWEEN)}{written}{chance.choice(BETWEEN)}two"
        assert await shared_db.fetchval(HAS, text, sought), (text, sought)
        assert not await shared_db.fetchval(HAS, text, f'one -"{sought}"'), (text, sought)


# The first results


@pytest.fixture
async def alice(db: asyncpg.Connection) -> Member:
    return (await enlist(db, 1))[0]


async def titles(db: asyncpg.Connection, q: str) -> list[tuple[str, str]]:
    result = await search.search_board(db, SearchQuery(q, limit=50), index.LINKS)
    return [(thread.title, thread.matched) for thread in result.threads]


async def test_the_form_of_the_search_comes_first_then_rare_words_then_common_ones(
    db: asyncpg.Connection, alice: Member
) -> None:
    for title in ("A café", "A cafe", "Run it", "Running it", "Lynx and kudu", "Kudu one", "Kudu two", "Kudu red"):
        await index.publish(db, alice, title, "-")
    await index.index_all(db)
    assert [title for title, _ in await titles(db, "café")] == ["A café", "A cafe"]
    assert [title for title, _ in await titles(db, "cafe")] == ["A cafe", "A café"]
    assert [title for title, _ in await titles(db, "run")] == ["Run it", "Running it"]
    assert [title for title, _ in await titles(db, "running")] == ["Running it", "Run it"]
    found = [title for title, _ in await titles(db, "has anybody seen a kudu with a lynx")]
    assert found[0] == "Lynx and kudu"


async def test_an_option_may_be_any_word(db: asyncpg.Connection, alice: Member) -> None:
    for _ in range(2):
        await index.publish(db, alice, "Options", "A \ufdfa and a -\ufdfa\ufdfa\ufdfa.")
    assert len(await titles(db, "missing options -\ufdfa\ufdfa\ufdfa")) == 2


async def test_threads_with_all_words_come_first_and_those_with_what_is_excluded_last(
    db: asyncpg.Connection, alice: Member
) -> None:
    for title in ("Zebra crossing rules", "A zebra", "Crossing", "Nothing", "Other", "Others still"):
        await index.publish(db, alice, title, "-")
    await index.index_all(db)
    assert (await titles(db, "which rule for zebra crossings"))[0] == ("Zebra crossing rules", "some")
    assert await titles(db, "crossing zebras") == [
        ("Zebra crossing rules", "all"), ("Crossing", "some"), ("A zebra", "some")]  # fmt: skip
    some = [("Zebra crossing rules", "some"), ("Crossing", "some"), ("A zebra", "some")]
    for q in (
        '"crossing zebra"',
        'unicorn "zebra crosses"',
        "unicorn crossing zebra -lion",
        "no zebra OR lion crossing",
    ):
        assert sorted(await titles(db, q)) == sorted(some), q
    assert (await titles(db, 'rule "zebra crossing" OR "a zebra"'))[0][1] == "all"
    assert await titles(db, "zebra -crossing") == [("A zebra", "all"), ("Zebra crossing rules", "some")]
    assert await titles(db, "unicorn zebra -crossing") == [("A zebra", "some"), ("Zebra crossing rules", "some")]
    assert await titles(db, 'unicorn rule -"zebra crossing"') == [("Zebra crossing rules", "some")]
    # in a sentence, OR is a word
    assert len(await titles(db, "Is it a unicorn, zebra OR lion crossing?")) == 3
    assert {matched for _, matched in await titles(db, "Crossing OR lion?")} == {"some"}
    # a short text with one of the words counts more than a long one with all
    await index.publish(db, alice, "Notes", "A quagga. " + "Very many other things. " * 40 + "A lagoon.")
    await index.publish(db, alice, "Lagoon, lagoon", "-")
    assert await titles(db, "quagga lagoon") == [("Notes", "all"), ("Lagoon, lagoon", "some")]


async def test_only_common_words_find_threads_however_late_the_index_is(db: asyncpg.Connection, alice: Member) -> None:
    for number in range(4):
        await index.publish(db, alice, f"How do cafes page {number}", "-")
    for _ in range(2):  # behind the cursor, and in the index
        found = await titles(db, "How does a cafe drift?")
        assert sorted(found) == [(f"How do cafes page {number}", "some") for number in range(4)]
        await index.index_all(db)


async def test_rare_words_count_more_and_long_texts_less(db: asyncpg.Connection, alice: Member) -> None:
    titles_of = ["Red and fox"] * 10 + ["A quokka"] + ["Nothing at all"] * 20 + ["Lemurs"]
    for title in titles_of:
        await index.publish(db, alice, title, "-")
    await index.publish(db, alice, "Lemurs", "A text about many other things. " * 20)
    await index.index_all(db)
    assert (await titles(db, "red quokka fox"))[0] == ("A quokka", "some")
    lemurs = [thread.body for thread in (await index.searched(db, "lemurs")).threads]
    assert lemurs[0] == "-"


async def test_the_page_is_filled_with_the_rarest_words_however_common_the_others(
    db: asyncpg.Connection, alice: Member
) -> None:
    rare = await index.publish(db, alice, "Quokka", "common")
    await index.write_threads(db, "common words of all", 3000)
    await index.index_all(db)
    for statistics in ("SELECT", "ANALYZE thread_search"):
        await db.execute(statistics)
        result = await search.search_board(db, SearchQuery("is a quokka a common word of all things"), index.LINKS)
        assert [(thread.id, thread.matched) for thread in result.threads] == [(rare, "some")]
        assert not result.incomplete


@pytest.mark.parametrize("spelling", ["C\u0327a va", "ça VA", "ça\u200b va", "Ｃ\u0327A VA"])
async def test_a_tag_is_one_in_every_spelling(db: asyncpg.Connection, alice: Member, spelling: str) -> None:
    (bob,) = await enlist(db, 1)
    subscribe = "SELECT outcome, id FROM subscribe($1, 'capability', $2, 100)"
    first = await db.fetchrow(subscribe, bob.token_hash, "ça va")
    again = await db.fetchrow(subscribe, bob.token_hash, spelling)
    assert (first["outcome"], again["outcome"], again["id"]) == ("created", "exists", first["id"])
    post = await index.publish(db, alice, wanted=[spelling])
    heard = "SELECT agent_id FROM listeners($1, $2, $3, NULL, 'general', $4)"
    partitions = list(range(16))
    assert [row[0] for row in await db.fetch(heard, partitions, post, alice.id, [spelling])] == [bob.id]
    await index.index_all(db)
    asked = "SELECT search_requests(ARRAY[$1], NULL, 50)"
    assert [row[0] for row in await db.fetch(asked, "ça va")] == [post]
