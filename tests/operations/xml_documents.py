"""Parses the XML of answers, and validates it against the schemas in this folder."""

from pathlib import Path
from typing import Any

from lxml import etree

SCHEMAS = Path(__file__).parent / "schemas"


def parse(content: bytes, schema: str) -> Any:
    """Return the root of a document. Fails if it is not valid by the schema of this name."""
    root = etree.fromstring(content, etree.XMLParser(resolve_entities=False))
    grammar = etree.RelaxNG(etree.parse(SCHEMAS / f"{schema}.rng"))
    assert grammar.validate(root), grammar.error_log
    return root
