"""Emit XPath conditions on texts that may not be XML documents; ``message.documents`` defines what a document is."""

from __future__ import annotations

from transpiler.compiler import ir
from transpiler.compiler.sql.quoting import quote_pattern, quote_text
from transpiler.message.documents import (
    DOCUMENT,
    FORBIDDEN,
    INNER_ELEMENT,
    MAX_LEVELS,
    NO_TAGS,
    NOT_IN_TAGS,
    REFERENCES,
    REPEATED,
    SINGLE_ELEMENT,
    TAGS,
)


def xpath_text(text: str, test: ir.XPathTest) -> str:
    """Return SQL that evaluates ``test`` on the document ``text``; NULL if the text is not XML.

    Spark's XPath functions are called only on XML, because any other text would fail the job.
    """
    # In SQL, a lambda over an array of one element gives a name to a value.
    return (
        f"transform(array({text}), document -> CASE WHEN {_is_document()} THEN {_xpath_test('document', test)} END)[0]"
    )


def _is_document() -> str:
    tags = f"regexp_replace(document, {quote_pattern(NO_TAGS)}, '')"
    # To check that the tags are paired, each level of the ``aggregate`` removes the innermost elements. The result
    # becomes NULL as soon as no element can be removed, so that later levels need not search unpaired tags.
    level = (
        f"CASE WHEN {_matches('rest', SINGLE_ELEMENT)} THEN rest"
        f" WHEN {_matches('rest', INNER_ELEMENT)}"
        f" THEN regexp_replace(rest, {quote_pattern(INNER_ELEMENT)}, '') END"
    )
    root = f"aggregate(sequence(2, least({MAX_LEVELS}, regexp_count(tags, '/'))), tags, (rest, level) -> {level})"
    paired = " AND ".join(
        (
            _matches("tags", NOT_IN_TAGS, negated=True),
            _matches("tags", TAGS),
            _matches("tags", REPEATED, negated=True),
            _matches(root, SINGLE_ELEMENT),
        )
    )
    return " AND ".join(
        (
            _matches("document", FORBIDDEN, negated=True),
            _matches("document", DOCUMENT),
            _matches("document", REFERENCES),
            f"exists(array({tags}), tags -> {paired})",
        )
    )


def _matches(text: str, pattern: str, negated: bool = False) -> str:
    return f"{'NOT ' if negated else ''}rlike({text}, {quote_pattern(pattern)})"


def _xpath_test(document: str, test: ir.XPathTest) -> str:
    if isinstance(test, str):
        return f"xpath_boolean({document}, {quote_text(test)})"
    terms = [_xpath_test(document, term) for term in test.terms]
    return f" {test.word} ".join(
        f"({text})" if isinstance(term, ir.XPathChain) else text for text, term in zip(terms, test.terms, strict=True)
    )
