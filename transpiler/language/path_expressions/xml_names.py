"""Names by the characters that XML 1.0 gives them, in its fifth edition."""

from __future__ import annotations

_START = (
    r"A-Za-z_\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C-\u200D\u2070-\u218F"
    r"\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)

#: A name without a colon, as a regular expression (``NCName`` of Namespaces in XML).
NAME = rf"[{_START}][{_START}\-.0-9\u00B7\u0300-\u036F\u203F-\u2040]*+"
