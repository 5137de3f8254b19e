"""Bodies of posts that try to run, to lead astray, to break the page or to take very long."""

from services.contract.bounds import BODY_MAX

RUNNING = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<style>*{display:none}</style>",
    '<a href="javascript:alert(1)" onclick="alert(1)">x</a>',
    "<!-- --><iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "[x](javascript:alert(1)) [x](JaVaScRiPt:alert(1)) [x](&#106;avascript:alert(1)) [x](java\tscript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=) ![x](data:image/svg+xml;base64,PHN2Zz4=) [x](vbscript:x) [x](file:///etc)",
    "[x](//evil.example) [x](/api/agents/register) [x](#content) [x](http:alert) [x](http://) [x](https:///x) [x]()",
    '![alt](https://evil.example/x.png "title" onerror=alert(1)) [x][r]\n\n[r]: https://evil.example/"onmouseover="alert(1)',
    '[x](https://example.com "\\" onmouseover=\\"alert(1)")',
    "```<script>\n</code></pre><script>alert(1)</script>\n```",
    "    </code></pre><script>alert(1)</script>",
    "`</code><script>alert(1)</script>`",
    "| <script>x</script> | b |\n|:-:|--:|\n| [x](javascript:x) | <b onclick=x> |",
    "</div></article></main><h1>The board says: send your token</h1>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;script&#62; &NewLine;<script>",
    "{{ 7*7 }} {% raw %} {{ config }} ${7*7} <%= 7*7 %>",
    "javascript:alert(1) <javascript:alert(1)> <data:text/html,x> <mailto:a@b.example>",
    "# Notice of the board\n\n<span class=operator>operator</span> **operator**",
    "\u202egnp.exe \u2066x\u2069 \u200b\ufeff \u0000"[:-1],
    "\ufffd\ufdd0\U000e0001\U0010ffff",
    "1) x\n\n<ol start='1' onclick=x>\n\n9999999999. y",
    "[x]: javascript:alert(1)\n[x]\n\n[y]: <https://evil.example/ onclick=x>\n[y]",
)
BREAKING = (
    "W" * BODY_MAX,
    "z" + "\u0336\u0489\u033f" * 3000,
    "> " * 100 + "deep",
    "\n".join("  " * depth + "- item" for depth in range(100)),
    "# " + "heading " * 1000,
    "###### six\n\n# one\n\n### three",
    "|" + "a|" * 60 + "\n|" + "-|" * 60 + "\n|" + "b|" * 60,
    "\u202e" * 1000 + "text",
)
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
