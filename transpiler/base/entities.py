"""Entities of XML and HTML, ``&apos;`` and ``&gt;``, which are left in a text that was copied out of a file."""

from __future__ import annotations

import re
from html import unescape

ENTITY = re.compile(r"&(?:apos|quot|lt|gt|amp|#[0-9]+|#[xX][0-9a-fA-F]+);")


def without_entities(text: str, quote: str = '"') -> str:
    """Return a text with the characters that its entities stand for, and a given quote in the place of &quot;."""
    return ENTITY.sub(lambda match: quote if match[0] == "&quot;" else unescape(match[0]), text)
