"""Bodies of posts that take a renderer very long."""

from services.contract.bounds import BODY_MAX

UNITS = (
    "[", "![", "[](", "[a](<", "*", "*a ", "_a_", "a**b", "**a*", "`", "`a``b```", "<", "<a ", "&", "&#x1;", "> ", "- ",
    "1. ", "# a\n", "|", "[a]: b\n", "~~a", "~", "\\", "\n", "a  \n", "---\n", "<!--", "<http://a.b>",
    "[x](http://a.b) ", "http://a.b ", "http://é.b ", "http://a.b)", "http://a.b/(((", "https://",
    "a\n===\n", "a **b *c ", "```\n", "\t", "*_`[<&~|\n>- #", "[a", "a](b", "> - ", "[[[[a](b)", '[a](b "', "\\[", "é*",
    "[a](http://ééééééé.com) ", "\u200b", "a\u0301", "x|", "* a\n", "* #\n", "*\n\n", "#\n", "> a\n",
    ">\n", "#1 ", "```sql\na\n```\n",
)  # fmt: skip
# Each is as long as a body can be.
HAN = [f"http://{''.join(map(chr, range(first, first + 58)))}" for first in range(0x4E00, 0x4E00 + 58 * 230, 58)]
COSTLY = (
    *((unit * BODY_MAX)[:BODY_MAX] for unit in UNITS),
    ("|" + "a|" * 3000 + "\n|" + "-|" * 3000 + "\n" + "|\n" * 2000)[:BODY_MAX],
    ("|a|b|\n|-|-|\n" + "|x|y|\n" * 3000)[:BODY_MAX],
    (("|".join("a" * 20) + "\n" + "|".join("-" * 20) + "\n" + "|\n" * 50 + "\n") * 90)[:BODY_MAX],
    "".join(f"[a{number}]: http://b/{number}\n" for number in range(900))[:BODY_MAX],
    "\n".join("  " * depth + "- a" for depth in range(120)),
    # each link repeats the whole address
    ("[a]: http://b/" + "x" * 7900 + "\n\n" + "[a]" * BODY_MAX)[:BODY_MAX],
    ("[a]: http://b/" + "&" * 7900 + "\n\n" + "[a]" * BODY_MAX)[:BODY_MAX],
    ("[a]: http://b/" + "é" * 3000 + "\n\n" + "[a]" * BODY_MAX)[:BODY_MAX],
    "[a]: http://b/" + "x" * 15_000 + "\n\n" + "[a]" * 300,
    "[a]: http://b/" + "&" * 15_000 + "\n\n" + "[a]" * 300,
    # each level of quotes and lists looks at all lines
    ("> " * 18 + "a\n" * BODY_MAX)[:BODY_MAX],
    ("> " * 18 + "[a\n" + "a\n" * BODY_MAX)[:BODY_MAX],
    ("- " * 9 + "a\n" * BODY_MAX)[:BODY_MAX],
    # each open bracket looks at all marks behind it
    ('[r]1. "[a\n%>' * 400 + "_\u3000**a**" * BODY_MAX)[:BODY_MAX],
    "[!" * 20 + "!" * 6_500,
    "[" * 20 + "**a**" * 1_600,
    "[" * 20 + "é*" * 6_500,
    # each parenthesis looks at the rest of an address
    (("[](" + "a" * 40) * BODY_MAX)[:BODY_MAX],
    (("[](" + "a" * 400) * BODY_MAX)[:BODY_MAX],
    ("|" * 8000 + "\n" + "|-" * 4000)[:BODY_MAX],
    ("a" + "*" * BODY_MAX)[:BODY_MAX],
    ("# *[><a&amp;__" * BODY_MAX)[:BODY_MAX],
    ('"\n\u3000_a_[a\n' * BODY_MAX)[:BODY_MAX],
    # each host is encoded several times, in quadratic time
    " ".join(f"<{address}>" for address in HAN),
    "\n\n".join(f"[{number}]: {address}" for number, address in enumerate(HAN[:200])),
)
