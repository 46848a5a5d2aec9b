"""The text of a file's bytes: XML in the encoding that it declares, and all else in UTF-8."""

from __future__ import annotations

import codecs
import re

_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")

#: Marks of Unicode at the beginning of a file, the longer ones first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

#: Encodings of Python that no XML has.
_NOT_OF_XML = frozenset({"idna", "punycode", "raw_unicode_escape", "unicode_escape", "undefined", "mbcs", "oem"})


class EncodingError(ValueError):
    """Bytes that are no text in the encoding that their document declares; the text of the error says why."""


def decode_text(data: bytes) -> str:
    """Decode a file, without a mark of Unicode before its text.

    ``EncodingError`` where an XML document declares an encoding that is unknown or not its own, ``UnicodeDecodeError``
    for any other file that is not UTF-8.
    """
    name = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    declared = None if name else _DECLARED.match(data)
    if declared is not None:
        name = declared[1].decode()
    if name is None or name.lower() == "utf-8":
        return data.decode("utf-8-sig")
    try:
        codec = codecs.lookup(name)
        is_text = codec.name.replace("-", "_") not in _NOT_OF_XML
    except LookupError:
        is_text = False
    if not is_text:
        raise EncodingError(f"declares the encoding {name!r}, which is not known")
    if declared is not None and codec.name.startswith(("utf-16", "utf-32")):
        raise EncodingError(f"declares the encoding {name!r}, and its declaration is not in that")
    try:
        return data.decode(codec.name)
    except UnicodeDecodeError as error:
        raise EncodingError(f"is not in the encoding {name!r}: byte {error.start}") from None
    except LookupError:
        raise EncodingError(f"declares the encoding {name!r}, which is none of text") from None
