"""Filters as formulas: each pair, key, field and selector of a filter is an atom, or a formula of its own."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from uuid import UUID

from transpiler.analysis.constants import NOW
from transpiler.dialect_tools.counterexamples.formulas import Accepted, Atom, Atoms, Formula, Junction, Negation
from transpiler.filters.kinds import (
    AndFilter,
    ApplicationPropertiesFilter,
    DirectBinding,
    Filter,
    HeadersBinding,
    JmsSelector,
    NoLocal,
    NotFilter,
    OrFilter,
    Prefix,
    PropertiesFilter,
    Reference,
    SqlFilter,
    Suffix,
    TopicBinding,
)
from transpiler.filters.selector_parsing import dialect_of, parse_text
from transpiler.message.fields import PUBLISHER_CONNECTION, MessageField
from transpiler.message.header_fields import PROPERTIES
from transpiler.message.message import Message
from transpiler.reference.evaluate import Verdict
from transpiler.reference.match import match_filter
from transpiler.reference.receiving import Receiver
from transpiler.selector import ast
from transpiler.selector.dialects import Dialect

_SUBJECT = MessageField("properties", "subject")


def filter_formula(
    atoms: Atoms,
    node: Filter,
    dialect: Dialect,
    other: Dialect,
    connection: str | None = None,
    destination: str | None = None,
) -> Formula:
    """Return the formula of a filter that ``check_filter`` passed; ``other`` is the dialect of its counterpart."""
    return _Filters(atoms, dialect, other, connection, destination).formula(node)


class _Filters:
    def __init__(
        self, atoms: Atoms, dialect: Dialect, other: Dialect, connection: str | None, destination: str | None
    ) -> None:
        self.atoms = atoms
        self.dialect, self.other = dialect, other
        self.connection, self.destination = connection, destination

    def formula(self, node: Filter) -> Formula:
        match node:
            case OrFilter(filters=filters) | AndFilter(filters=filters):
                return Junction(isinstance(node, OrFilter), tuple(self.formula(inner) for inner in filters))
            case NotFilter(filter=inner):
                return Negation(self.formula(inner))
            case JmsSelector() | SqlFilter():
                own = dialect_of(node, self.dialect)
                tree = parse_text(node, self.dialect)
                # No selector is one that every message passes.
                return Junction(False, ()) if tree is None else Accepted(self._selector(tree, own))
            case HeadersBinding(match=how, pairs=pairs) if pairs:
                headers = (self._atom(HeadersBinding(how, (pair,)), PROPERTIES, pair[0]) for pair in pairs)
                return Junction(how.any_pair, tuple(headers))
            case PropertiesFilter(fields=fields):
                tests = (self._atom(PropertiesFilter((field,)), "properties", field[0]) for field in fields)
                return Junction(False, tuple(tests))
            case ApplicationPropertiesFilter(entries=entries):
                tests = (self._atom(ApplicationPropertiesFilter((entry,)), PROPERTIES, entry[0]) for entry in entries)
                return Junction(False, tuple(tests))
            case NoLocal():
                return self._atom(node, PUBLISHER_CONNECTION.section, PUBLISHER_CONNECTION.field)
            case HeadersBinding() | DirectBinding() | TopicBinding():
                return self._atom(node, _SUBJECT.section, _SUBJECT.field)

    def _selector(self, tree: ast.Expression, own: Dialect) -> Formula:
        return self.atoms.selector(tree, own, self.other, self.destination)

    def _atom(self, node: Filter, section: str, name: str) -> Atom:
        def judged(message: Message) -> Verdict:
            return Verdict(match_filter(node, message, self.dialect, self.connection, Receiver(NOW, self.destination)))

        def make(number: int) -> Atom:
            places = frozenset({MessageField(section, name)})
            return Atom(number, _text(node), places, tuple(_constants(node, self.connection)), judged)

        return self.atoms.atom((node, self.connection), make)


def _text(node: Filter) -> str:
    """Return one test of a filter in a few words."""
    match node:
        case DirectBinding(key=key):
            return f"subject = {key!r}"
        case TopicBinding(pattern=pattern):
            return f"subject matches {pattern}"
        case HeadersBinding(pairs=((name, expected),)):
            return f"{name} is present" if expected.value is None else f"{name} = {expected.value!r}"
        case PropertiesFilter(fields=((name, reference),)) | ApplicationPropertiesFilter(entries=((name, reference),)):
            return f"{name} {_compared(reference)}"
        case NoLocal():
            return "sent on another connection"
        case _:
            return "no condition"


def _compared(reference: Reference) -> str:
    match reference:
        case Prefix(text=text):
            return f"begins with {text!r}"
        case Suffix(text=text):
            return f"ends with {text!r}"
        case _:
            return "is present" if reference.value is None else f"= {reference.value!r}"


def _constants(node: Filter, connection: str | None) -> Iterator[object]:
    """Yield the values at which a test can turn."""
    match node:
        case DirectBinding(key=key):
            yield key
        case TopicBinding(pattern=pattern):
            yield from topic_keys(pattern)
        case HeadersBinding(pairs=((_, expected),)):
            yield _plain(expected.value)
        case PropertiesFilter(fields=((_, reference),)) | ApplicationPropertiesFilter(entries=((_, reference),)):
            yield reference.text if isinstance(reference, Prefix | Suffix) else _plain(reference.value)
        case NoLocal() if connection is not None:
            yield connection


def _plain(value: object) -> object:
    match value:
        case UUID():
            return str(value)
        case Decimal():
            return float(value)
        case bytes():
            return value.decode("utf-8", "surrogateescape")
        case _:
            return value


def topic_keys(pattern: str) -> list[str]:
    """Return routing keys that a topic pattern matches, and near ones: a word less, a word more, another word."""
    words = pattern.split(".")
    keys = []
    for many in ("x", "", "x.y"):
        filled = [{"*": "x", "#": many}.get(word, word) for word in words]
        keys.append(".".join(word for word, one in zip(filled, words, strict=True) if word or one != "#"))
    for place, word in enumerate(words):
        if word == "*":
            keys.append(".".join([*keys[0].split(".")[:place], "y", *keys[0].split(".")[place + 1 :]]))
    first = keys[0]
    keys += [f"{first}.x", first.rpartition(".")[0], f"x.{first}"]
    return list(dict.fromkeys(keys))
