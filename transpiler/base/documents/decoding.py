"""Decoding of a file's bytes to text: XML in the encoding that it declares, and every other file in UTF-8."""

from __future__ import annotations

import codecs
import re

_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")

#: Byte order marks and their encodings. The mark of UTF-32 comes first because it begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

#: Names of Python codecs that an XML declaration must not select, because they are not character encodings.
_NOT_OF_XML = frozenset({"idna", "punycode", "raw_unicode_escape", "unicode_escape", "undefined", "mbcs", "oem"})


class EncodingError(ValueError):
    """Error for a document that cannot be decoded with the encoding that it declares. Its message states why."""


def decode_text(data: bytes) -> str:
    """Decode the bytes of a file, and remove a byte order mark.

    Raise ``EncodingError`` if an XML document declares an encoding that is unknown or differs from its actual encoding,
    and ``UnicodeDecodeError`` for any other file that is not UTF-8.
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
        raise EncodingError(f"declares the unknown encoding {name!r}")
    if declared is not None and codec.name.startswith(("utf-16", "utf-32")):
        raise EncodingError(f"declares the encoding {name!r}, but the declaration itself is not in this encoding")
    try:
        return data.decode(codec.name)
    except UnicodeDecodeError as error:
        raise EncodingError(f"is not valid {name}: the byte at offset {error.start} cannot be decoded") from None
    except LookupError:
        raise EncodingError(f"declares the encoding {name!r}, which is not a text encoding") from None
