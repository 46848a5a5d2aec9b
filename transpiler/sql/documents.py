"""XPath conditions on texts that may or may not be XML documents."""

from __future__ import annotations

from transpiler.predicate.core import Joined, XPathTest
from transpiler.sql.quoting import quote_text

#: The element that is put around a document, so that what stands beside its root shows.
_AROUND = "message-body"

#: What may stand before the root and not inside another element: a byte order mark and the declaration.
_DECLARATION = "^\ufeff?(<[?]xml[ \t\r\n][^>]*[?]>)?"

#: Characters that XML has not; Spark's two XML parsers do not agree about them.
_NO_XML = "[\ufffe\uffff]"

#: One root, and nothing but white space beside it.
_ONE_ROOT = "count(/*/*) = 1 and not(/*/text()[normalize-space()])"


def xpath_text(text: str, test: XPathTest, alone: bool) -> str:
    """Conditions on an XML document, which are never asked of a text that is none: that would end the job."""
    inner = f"regexp_replace({text}, {quote_text(_DECLARATION)}, '')"
    closing = f"</{_AROUND}>"
    options = "map('mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', '_corrupt_record')"
    sound = " AND ".join(
        (
            f"instr(document, '{closing[:-1]}') = length(document) - {len(closing) - 1}",
            f"NOT rlike(document, {quote_text(_NO_XML)})",
            f"from_xml(document, '_corrupt_record STRING', {options})._corrupt_record IS NULL",
        )
    )
    asked = _xpath_test("document", Joined("AND", (_ONE_ROOT,) if alone else (_ONE_ROOT, test)))
    if alone:
        within = f"substring(document, {len(closing)}, length(document) - {2 * len(closing) - 1})"
        asked += f" AND {_xpath_test(within, test)}"
    # An array of one is how SQL gives a name to a value.
    documents = f"array(concat('<{_AROUND}>', {inner}, '{closing}'))"
    return f"transform({documents}, document -> CASE WHEN {sound} THEN {asked} END)[0]"


def _xpath_test(document: str, test: XPathTest) -> str:
    if isinstance(test, str):
        return f"xpath_boolean({document}, {quote_text(test)})"
    terms = [_xpath_test(document, term) for term in test.terms]
    return f" {test.word} ".join(
        f"({text})" if isinstance(term, Joined) else text for text, term in zip(terms, test.terms, strict=True)
    )
