"""The test for XML documents: a subset of XML 1.0 that all parsers parse the same way and Java's parser always accepts.

Spark's XPath functions fail the whole query if Java's parser rejects one body, so each body is tested before it reaches
them. A document in this module is a well-formed document of XML 1.0 (section 2.1 of the recommendation)

- without a document type declaration, so that no entity exists except the five predefined ones,
- within the limits below, none of which is above those of Java's parser (``jdk.xml.*`` in JDK 17 to 25),
- whose names consist of the letters in ``_NAME_LETTERS``, because editions of XML and parsers differ about other
  letters, and have at most one colon. A prefix need not be declared: Spark's parser ignores namespaces.

Any other body is treated as not XML: XPATH is FALSE, and a path of an XQuery is an error.

Most of the test is regular expressions that mean the same in Java and in Python (with ``re.ASCII``). Their loops are
possessive, so Java runs them in linear time and without recursion. ``DOCUMENT`` matches the tags and the text between
them, ``NO_TAGS`` matches everything except the tags and the attribute names in them, so that it can be removed, and
``TAGS`` and ``REPEATED`` test the remainder. Pairing the tags is not regular: ``INNER_ELEMENT`` removes all elements
that contain no elements, level by level, until only the root is left, which must match ``SINGLE_ELEMENT``.
"""

from __future__ import annotations

#: Maximum nesting depth of elements, the same as in JDK 24 and later (``jdk.xml.maxElementDepth``).
MAX_LEVELS = 200

#: Maximum number of attributes of one element; JDK 24 and later accept 200 (``jdk.xml.elementAttributeLimit``).
MAX_ATTRIBUTES = 200

#: Maximum length of a local name and of a prefix, each in characters. Java accepts 1,000 for both together
#: (``jdk.xml.maxXMLNameLimit``).
MAX_NAME = 400

#: The non-ASCII letters that names may have, as ranges of a regular expression. XML's fourth and fifth edition both
#: allow them: Latin, Greek, Cyrillic, Hebrew, Arabic, Hiragana and Katakana, Chinese, Korean.
_NAME_LETTERS = (
    r"\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u0131\u0134-\u013E\u0141-\u0148\u014A-\u017E\u0388-\u038A\u038E-\u03A1"
    r"\u03A3-\u03CE\u0401-\u040C\u040E-\u044F\u0451-\u045C\u045E-\u0481\u05D0-\u05EA\u0621-\u063A\u0641-\u064A"
    r"\u3041-\u3094\u30A1-\u30FA\u4E00-\u9FA5\uAC00-\uD7A3"
)

#: Pattern of a character that XML 1.0 forbids.
FORBIDDEN = r"[\x00-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]"

#: Pattern of the XML declaration of version 1.0; other versions allow other characters. The encoding in it is ignored,
#: because the body is already text.
_DECLARATION = (
    r"<[?]xml\s++version\s*+=\s*+(?:\x221[.]0\x22|\x271[.]0\x27)"
    r"(?:\s++encoding\s*+=\s*+(?:\x22[A-Za-z][-.\w]*+\x22|\x27[A-Za-z][-.\w]*+\x27))?+"
    r"(?:\s++standalone\s*+=\s*+(?:\x22(?:yes|no)\x22|\x27(?:yes|no)\x27))?+\s*+[?]>"
)
_COMMENT = r"<!--(?:[^-]++|-(?!-))*+-->"
_CDATA = r"<!\[CDATA\[(?:[^\]]++|\](?!\]>))*+\]\]>"
_INSTRUCTION = rf"<[?](?![Xx][Mm][Ll][\s?])[A-Za-z_][-.\w]{{0,{MAX_NAME - 1}}}+(?:\s(?:[^?]++|[?](?!>))*+)?+[?]>"
#: ``_TAG`` matches a tag, and ``_LOOSE_NAME`` a name in a tag. Both match too much: names are checked by
#: ``NOT_IN_TAGS`` and ``TAGS``.
_LOOSE_NAME = r"[^\s<>/=!?\x22\x27]++"
_TAG = rf"</?+{_LOOSE_NAME}(?:\s++{_LOOSE_NAME}\s*+=\s*+(?:\x22[^<\x22]*+\x22|\x27[^<\x27]*+\x27))*+\s*+/?+>"
_MISC = rf"(?:\s++|{_COMMENT}|{_INSTRUCTION})*+"

#: Pattern of a whole document: tags, and text, comments, CDATA sections and processing instructions between them. Text
#: and CDATA sections outside the root element do not match.
DOCUMENT = (
    rf"^(?:{_DECLARATION})?+{_MISC}(?=<[^!?])"
    rf"(?:(?:[^<\]]++|\](?!\]>)|{_COMMENT}|{_CDATA}|{_INSTRUCTION})*+{_TAG})++{_MISC}(?![\s\S])"
)

# The decimal code points that a character reference such as ``&#65;`` may contain. XML forbids control characters,
# surrogates, U+FFFE, U+FFFF, and numbers above U+10FFFF.
_DECIMAL = (
    r"0*+(?!(?:[1-8]|1[124-9]|2[0-9]|3[01]|5529[6-9]|55[3-9]..|56...|57[0-2]..|573[0-3].|5734[0-3]|6553[45]);)"
    r"(?:[0-9]{1,6}|10[0-9]{5}|110[0-9]{4}|111[0-3][0-9]{3}|11140[0-9]{2}|111410[0-9]|111411[01])"
)
_HEXADECIMAL = r"x0*+(?!(?:[1-8BCEFbcef]|1.|[Dd][89A-Fa-f]..|[Ff]{3}[EFef]);)(?:[0-9A-Fa-f]{1,5}|10[0-9A-Fa-f]{4})"

_NO_MARKUP = r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<[?].*?[?]>"

#: Pattern of a ``DOCUMENT`` in which each ``&`` begins a valid reference, such as ``&lt;`` or ``&#65;``. In comments,
#: CDATA sections and processing instructions any ``&`` is allowed.
REFERENCES = (
    rf"(?s)^(?:[^<&]++|&(?:lt|gt|amp|quot|apos|#(?:{_DECIMAL}|{_HEXADECIMAL}));|{_NO_MARKUP}|<(?![!?]))*+(?![\s\S])"
)

#: Pattern of the parts of a ``DOCUMENT`` to remove so that only tags with their names remain: ``<a b = "1">x<c/></a>``
#: becomes ``<a b<c/</a``.
NO_TAGS = rf"(?s)^\s++|(?:{_NO_MARKUP}|>)[^<]*+|\s*+=\s*+(?:\x22[^\x22]*+\x22|\x27[^\x27]*+\x27)|(?<=\s)\s++"

#: Pattern of a character that is not allowed in tags. It is applied to the names that ``NO_TAGS`` leaves.
NOT_IN_TAGS = rf"[^-.:/<\s\w{_NAME_LETTERS}]"

_PART = rf"[^-.:/<\s0-9][^:/<\s]{{0,{MAX_NAME - 1}}}+"

#: Pattern of a name with an optional prefix. It checks only the length and the colon, because ``NOT_IN_TAGS`` checks
#: the characters.
NAME = rf"{_PART}(?::{_PART})?+"

#: Pattern of the tags of a whole document, in the form that ``NO_TAGS`` leaves. It also accepts an end tag with
#: attributes or with a second slash; the function that pairs start and end tags rejects them.
TAGS = rf"^(?:</?+{NAME}(?:\s{NAME}){{0,{MAX_ATTRIBUTES}}}+\s?+/?+)++(?![\s\S])"

#: Pattern of an attribute name that occurs twice in one tag.
REPEATED = r"\s([^/<\s]++)(?:\s[^<]*)?\s\1(?![^/<\s])"

_ELEMENT = r"<(?:[^/<]++/|([^/<\s]++)[^/<]*+</\1\s?+)"
INNER_ELEMENT = rf"(?!^){_ELEMENT}(?=<)"
SINGLE_ELEMENT = rf"^{_ELEMENT}(?![\s\S])"
