"""The bodies that count as XML documents: a subset of XML 1.0 that every parser reads alike and Java's never refuses.

Spark's XPath functions end the query over a body that Java's parser does not take, so each body is tested before they
see it. A document here is a well-formed document of XML 1.0 (section 2.1 of the recommendation)

- without a document type declaration, so that no entity but the predefined five exists,
- within the limits below, none of which is above those of Java's parser (``jdk.xml.*`` in JDK 17 to 25),
- with names of the letters in ``_NAME_LETTERS``, for editions of XML and parsers differ over the rest, and with one
  colon at most in a name. A prefix need not be declared: Spark's parser looks at no namespaces.

A body that is none of these is no XML: XPATH is FALSE, and a path of an XQuery an error.

Most of the test is regular expressions that Java and Python (with ``re.ASCII``) read alike. Their loops are possessive,
which Java runs in linear time and without recursion. ``DOCUMENT`` finds the tags and what stands between them,
``NO_TAGS`` takes away all but the tags and the names of attributes in them, and ``TAGS`` and ``REPEATED`` test what is
left. That tags pair is not regular: ``INNER_ELEMENT`` takes away all elements without elements inside, level by level,
until the root is left, which is a ``SINGLE_ELEMENT``.
"""

from __future__ import annotations

#: Levels of elements; JDK 24 and later take 200 (``jdk.xml.maxElementDepth``).
MAX_LEVELS = 200

#: Attributes of one element; JDK 24 and later take 200 (``jdk.xml.elementAttributeLimit``).
MAX_ATTRIBUTES = 200

#: Characters of a name and of its prefix, each; Java takes 1,000 for both together (``jdk.xml.maxXMLNameLimit``).
MAX_NAME = 400

#: Letters of names beside those of ASCII, which XML's fourth and fifth edition both have: Latin, Greek, Cyrillic,
#: Hebrew, Arabic, Hiragana and Katakana, Chinese, Korean.
_NAME_LETTERS = (
    r"\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u0131\u0134-\u013E\u0141-\u0148\u014A-\u017E\u0388-\u038A\u038E-\u03A1"
    r"\u03A3-\u03CE\u0401-\u040C\u040E-\u044F\u0451-\u045C\u045E-\u0481\u05D0-\u05EA\u0621-\u063A\u0641-\u064A"
    r"\u3041-\u3094\u30A1-\u30FA\u4E00-\u9FA5\uAC00-\uD7A3"
)

#: A character that XML 1.0 has not. Beside these, its white space is ``\s``.
FORBIDDEN = r"[\x00-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]"

#: Versions other than 1.0 have other characters. The encoding counts for nothing: a body is text by then.
_DECLARATION = (
    r"<[?]xml\s++version\s*+=\s*+(?:\x221[.]0\x22|\x271[.]0\x27)"
    r"(?:\s++encoding\s*+=\s*+(?:\x22[A-Za-z][-.\w]*+\x22|\x27[A-Za-z][-.\w]*+\x27))?+"
    r"(?:\s++standalone\s*+=\s*+(?:\x22(?:yes|no)\x22|\x27(?:yes|no)\x27))?+\s*+[?]>"
)
_COMMENT = r"<!--(?:[^-]++|-(?!-))*+-->"
_CDATA = r"<!\[CDATA\[(?:[^\]]++|\](?!\]>))*+\]\]>"
_INSTRUCTION = rf"<[?](?![Xx][Mm][Ll][\s?])[A-Za-z_][-.\w]{{0,{MAX_NAME - 1}}}+(?:\s(?:[^?]++|[?](?!>))*+)?+[?]>"
#: A tag by its quotes and equals signs. Which characters names have, and how many, is tested apart.
_LOOSE_NAME = r"[^\s<>/=!?\x22\x27]++"
_TAG = rf"</?+{_LOOSE_NAME}(?:\s++{_LOOSE_NAME}\s*+=\s*+(?:\x22[^<\x22]*+\x22|\x27[^<\x27]*+\x27))*+\s*+/?+>"
_MISC = rf"(?:\s++|{_COMMENT}|{_INSTRUCTION})*+"

#: Tags, with all else of a document where it may stand: beside the root, comments and instructions only.
DOCUMENT = (
    rf"^(?:{_DECLARATION})?+{_MISC}(?=<[^!?])"
    rf"(?:(?:[^<\]]++|\](?!\]>)|{_COMMENT}|{_CDATA}|{_INSTRUCTION})*+{_TAG})++{_MISC}(?![\s\S])"
)

# The number of a character that XML has: no control character, surrogate, U+FFFE or U+FFFF, and none above U+10FFFF.
_DECIMAL = (
    r"0*+(?!(?:[1-8]|1[124-9]|2[0-9]|3[01]|5529[6-9]|55[3-9]..|56...|57[0-2]..|573[0-3].|5734[0-3]|6553[45]);)"
    r"(?:[0-9]{1,6}|10[0-9]{5}|110[0-9]{4}|111[0-3][0-9]{3}|11140[0-9]{2}|111410[0-9]|111411[01])"
)
_HEXADECIMAL = r"x0*+(?!(?:[1-8BCEFbcef]|1.|[Dd][89A-Fa-f]..|[Ff]{3}[EFef]);)(?:[0-9A-Fa-f]{1,5}|10[0-9A-Fa-f]{4})"

_NO_MARKUP = r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<[?].*?[?]>"

#: A ``DOCUMENT`` in which each ``&`` that counts begins a reference to a character or a predefined entity.
REFERENCES = (
    rf"(?s)^(?:[^<&]++|&(?:lt|gt|amp|quot|apos|#(?:{_DECIMAL}|{_HEXADECIMAL}));|{_NO_MARKUP}|<(?![!?]))*+(?![\s\S])"
)

#: The parts of a ``DOCUMENT`` to take away: ``<a b = "1">x<c/></a>`` becomes ``<a b<c/</a``.
NO_TAGS = rf"(?s)^\s++|(?:{_NO_MARKUP}|>)[^<]*+|\s*+=\s*+(?:\x22[^\x22]*+\x22|\x27[^\x27]*+\x27)|(?<=\s)\s++"

#: A character that no tag has, values apart.
NOT_IN_TAGS = rf"[^-.:/<\s\w{_NAME_LETTERS}]"

_PART = rf"[^-.:/<\s0-9][^:/<\s]{{0,{MAX_NAME - 1}}}+"

#: A name by its length and its colon; ``NOT_IN_TAGS`` checks its characters.
NAME = rf"{_PART}(?::{_PART})?+"

#: Tags. That an end tag has neither attributes nor another slash shows when it is paired.
TAGS = rf"^(?:</?+{NAME}(?:\s{NAME}){{0,{MAX_ATTRIBUTES}}}+\s?+/?+)++(?![\s\S])"

#: An attribute that a tag has twice.
REPEATED = r"\s([^/<\s]++)(?:\s[^<]*)?\s\1(?![^/<\s])"

_ELEMENT = r"<(?:[^/<]++/|([^/<\s]++)[^/<]*+</\1\s?+)"
INNER_ELEMENT = rf"(?!^){_ELEMENT}(?=<)"
SINGLE_ELEMENT = rf"^{_ELEMENT}(?![\s\S])"
