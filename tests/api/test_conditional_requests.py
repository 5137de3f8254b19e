"""Conditional requests (interface 2.6): which tags match.

tests/contract/test_headers.py makes a conditional read of every operation.
"""

import pytest

from services.api.http.etags import matches

# @ is the opaque part of a tag with its quotes, and ~ without them.
LISTED = ["@", "W/@", '"a", @,"b"', 'W/"a",@', '"a,b", W/"c,", @, "",",,"', '"\xe9", @, "!#[]^"', 'W/"a"\t , W/@\t,',
          "  @", ',"x" ,@ ,', "*"]  # fmt: skip
OTHERS = ['"a"', 'W/"a"', "~", "w/@", '"~', '"x~"', '"W/~"', "", '"*"', "é"]
NO_LISTS = ['"a,@,b"', '"a, @, b"', "@ @", "@;q=1", "a, @", "@, a", "@, *", "*, @", "*, *", "W/*", "W/", "W/ @",
            "W/W/@", "'@'", '"@"', '"~', '~"', ",", '"', '" "', '@, "', "," * 4000, '"' * 4001,
            '"",' * 1300 + "x"]  # fmt: skip


def sent(form: str) -> str:
    return form.replace("@", '"0af"').replace("~", "0af")


@pytest.mark.parametrize("tag", ['"0af"', 'W/"0af"'])
def test_a_tag_matches_in_all_its_forms_and_no_other_one_does(tag: str) -> None:
    assert [form for form in LISTED if not matches([sent(form)], tag)] == []
    assert [form for form in (*OTHERS, *NO_LISTS) if matches([sent(form)], tag)] == []
    # several headers are one list
    assert matches(['"a"', tag], tag)
