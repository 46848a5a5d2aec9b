"""Texts that are XML documents: the reference evaluator and expat agree."""

from __future__ import annotations

import re
from xml.parsers import expat

import pytest

from tests.reference.xml_bodies import BODIES, edited_bodies
from transpiler.reference.documents import read_document


@pytest.mark.parametrize("name", BODIES)
def test_documents_are_distinguished_from_other_texts(name: str) -> None:
    text, expected = BODIES[name]
    assert (read_document(text) is not None) is expected


#: Text that expat accepts and that is not in the subset: a byte order mark at the start, colons in some positions,
#: targets of instructions beyond ASCII, versions other than 1.0.
_NOT_IN_SUBSET = re.compile(r"^\ufeff|:|<[?]\w*[^\x00-\x7f]|version=(?!'1[.]0')")


def is_well_formed(text: str) -> bool:
    """Return True if expat parses ``text`` and the text has no document type."""
    types: list[str] = []
    parser = expat.ParserCreate("UTF-8")
    parser.StartDoctypeDeclHandler = lambda name, *_: types.append(name)
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError:
        return False
    return not types


def test_edited_bodies_are_documents_where_expat_reads_them() -> None:
    for text in edited_bodies(5_000, seed=3):
        found = read_document(text) is not None
        if found or not _NOT_IN_SUBSET.search(text):
            assert found is is_well_formed(text), text


def test_a_text_with_half_a_character_is_no_document() -> None:
    assert read_document("<a>\ud800</a>") is None


def test_names_keep_their_prefixes_and_are_found_without() -> None:
    document = read_document("<p:a xmlns:p='u' xmlns='v' b='1' p:b='2'>x<![CDATA[y]]><!-- c -->z</p:a>")
    assert document is not None
    [root] = document.content
    assert (root.name, root.local_name, root.text) == ("p:a", "a", "xyz")
    assert [(one.local_name, one.text) for one in root.attributes] == [("b", "1"), ("b", "2")]
    assert [node.kind for node in root.content] == ["text", "other", "text"]
