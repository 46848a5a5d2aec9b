"""Entities of XML and HTML, such as ``&apos;`` and ``&gt;``, that remain in a text copied out of a file."""

from __future__ import annotations

import re
from html import unescape

ENTITY = re.compile(r"&(?:apos|quot|lt|gt|amp|#[0-9]+|#[xX][0-9a-fA-F]+);")


def without_entities(text: str, quote: str = '"') -> str:
    """Replace XML entities in ``text``, such as ``&lt;``, by their characters, and ``&quot;`` by ``quote``."""
    return ENTITY.sub(lambda match: quote if match[0] == "&quot;" else unescape(match[0]), text)
