"""Errors about names that the layout does not store, with suggestions. This module is imported only for such errors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from transpiler.base.diagnostics import Advice, Fix, Remedy, first_of, nearest
from transpiler.base.errors import LayoutError, SelectorTypeError, TranspilerError
from transpiler.base.hints import Hint, Setting, StoreCall, joined
from transpiler.base.source import Source
from transpiler.compiler.layouts.flat import KAFKA, Unusable, converted, typed_columns_of
from transpiler.compiler.layouts.layout import Layout
from transpiler.language.selector import ast
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.literal_scanner import string_literal
from transpiler.language.selector.parsing import parse_tree
from transpiler.message.header_fields import PROPERTIES, HeaderField, MessageField

#: A name that needs no quotes in a selector; in some dialects, names cannot contain dots.
_IDENTIFIER = re.compile(r"[^\W\d][\w.$]*")

_NUMBERS = (ast.IntegerLiteral, ast.FloatLiteral)
_KAFKA_HEADERS = Advice("Spark reads the headers of Kafka's records only with the option includeHeaders")
_ABSENT = Setting("missing", "null")


@dataclass(frozen=True, slots=True)
class UnknownNames:
    """Makes the errors about names in one selector that the layout does not store, with hints for the user."""

    layout: Layout
    source: Source
    dialect: Dialect

    def property(self, identifier: ast.Identifier) -> LayoutError:
        """Return the error for a name that is neither a column nor a property."""
        return self._no_field(identifier, f"no column contains the property {identifier.name}", self._hints(identifier))

    def header_field(self, identifier: ast.Identifier, field: HeaderField) -> LayoutError:
        """Return the error for a header field that the layout does not store."""
        first = field.message_fields[0]
        own = () if identifier.section else (Advice(f"perhaps add a column {identifier.name} to the table"),)
        if KAFKA.issubset(self.layout.names()):
            own = (_KAFKA_HEADERS,)
        treated = f"perhaps treat the field {first.section}.{first.field} as absent: "
        absent = Advice(Hint(treated, _ABSENT), _ABSENT.fix)
        message = f"{identifier.name} is read from {first.section}.{first.field}, but the layout has no such column"
        return self._no_field(identifier, message, (*(self.layout.offers(first) or own), absent))

    def _no_field(self, identifier: ast.Identifier, message: str, advices: Sequence[Advice]) -> LayoutError:
        return LayoutError.at("layout.no-column", message, self.source, identifier.span, *all_advice(advices))

    def with_location(self, error: LayoutError, identifier: ast.Identifier) -> LayoutError:
        """Return ``error``, which the layout raised for a name, with the position of the name in the selector.

        If the selector compares the name with a number, use the column's hint for such comparisons, if it has one.
        """
        [finding] = error.diagnostics
        typed = typed_columns_of(self.layout)
        column = None if typed is None else typed.columns.get(identifier.name)
        if isinstance(column, Unusable) and column.ordered is not None and self._is_ordered(identifier):
            finding = replace(finding, hint=column.ordered.hint, fix=column.ordered.fix)
        return LayoutError([replace(finding, source=self.source, span=identifier.span)])

    def _is_ordered(self, identifier: ast.Identifier) -> bool:
        """Return True if the selector compares the name with a number, or by order (``<``, ``>=``, BETWEEN, …)."""
        for node in self._nodes():
            match node:
                case ast.Compare(operator=operator) if identifier in ast.children(node):
                    if not operator.is_equality or any(isinstance(side, _NUMBERS) for side in ast.children(node)):
                        return True
                case ast.Between() if identifier in ast.children(node):
                    return True
        return False

    def _nodes(self) -> Iterator[ast.Expression]:
        """Yield the nodes of the selector; none if the text is not a selector."""
        try:
            tree = parse_tree(self.source.text, self.dialect)
        except TranspilerError:
            # The text is a binding or another text that is not a selector.
            return
        if tree is not None:
            yield from ast.walk(tree)

    def _hints(self, identifier: ast.Identifier) -> tuple[Advice, ...]:
        """Return suggestions for a name that the layout does not store."""
        name, names = identifier.name, self.layout.names()
        bare = name.rpartition(".")[2]
        if (
            bare != name
            and bare in names
            and not any(other.startswith(f"{name.rpartition('.')[0]}.") for other in names)
        ):
            return (Advice(f"did you mean {bare}? the argument alias= adds the table's name", Fix(bare)),)
        named = [other for other in names if _IDENTIFIER.fullmatch(other)]
        # For the unknown name ``column.field``, do not suggest ``column``: it is no misspelling.
        near = [other for other in nearest(name, named) if not name.startswith(f"{other}.")]
        halves = [other for other in names if other not in named and name in re.split(r"[^\w$]+", other)]
        if near and not halves:
            return (Advice(f"did you mean {' or '.join(near)}? Names are case-sensitive", Fix(near[0])),)
        if self._is_meant_as_text(identifier):
            fix = Fix(string_literal(name))
            return Advice(f"text goes into single quotes: {fix.text}", fix), Advice(
                f"the columns are {first_of(named, 8)}"
            )
        offered = self.layout.offers(MessageField(PROPERTIES, name))
        return (*offered, *self._facts(name, bool(offered)))

    def _is_meant_as_text(self, identifier: ast.Identifier) -> bool:
        """Return True if the name is probably text without quotes: the right side of an equality with a column."""
        known = set(self.layout.names())
        for node in self._nodes():
            match node:
                case ast.Compare(operator=operator, left=ast.Identifier(name=left), right=right):
                    if right == identifier and right.span == identifier.span and operator.is_equality and left in known:
                        return True
        return False

    def _facts(self, name: str, is_offered: bool) -> Iterator[Advice]:
        """Yield advice for a name that the layout does not store, such as a list of the columns that it has."""
        names = self.layout.names()
        named = [other for other in names if _IDENTIFIER.fullmatch(other)]
        unnamed = [other for other in names if not _IDENTIFIER.fullmatch(other)]
        # An unquoted name that contains a space or a hyphen is parsed as two names, so the unknown name may be one half
        # of a column's name.
        halves = [other for other in unnamed if name in re.split(r"[^\w$]+", other)]
        if KAFKA.issubset(names):
            yield _KAFKA_HEADERS
            if is_offered:
                # The layout's own hint already says how to read properties from Kafka's column ``value``.
                return
            store = StoreCall("variant", "value", {"json": True})
            yield Advice(
                Hint("if the column value contains JSON, cast it to STRING and read it with ", store, *converted(store))
            )
            return
        if named and not halves:
            yield Advice(f"the columns are {first_of(named, 8)}")
        if unnamed:
            yield Advice(
                f"a selector cannot contain the column name {first_of(halves or unnamed, 8)}: perhaps "
                "rename the column or add an alias"
            )
        if not is_offered:
            yield Advice(Hint("perhaps treat unknown names as missing properties: ", _ABSENT), _ABSENT.fix)


def all_advice(advices: Sequence[Advice]) -> tuple[str | None, Remedy | None]:
    """Return the hints of ``advices`` joined to one hint, and the first fix, because a diagnostic has only one fix."""
    hint = joined(advice.hint for advice in advices)
    return hint or None, next((advice.fix for advice in advices if advice.fix is not None), None)


def with_refused_columns(error: SelectorTypeError, text: str, layout: Layout) -> SelectorTypeError:
    """Return ``error`` with a hint about each name in ``text`` whose column has a type that the layout rejects."""
    refused: list[Advice] = []
    for name in dict.fromkeys(re.findall(r"[\w.$]+", text)):
        try:
            layout.property(name)
        except LayoutError as refusal:
            [finding] = refusal.diagnostics
            typed = typed_columns_of(layout)
            column = None if typed is None else typed.columns.get(name)
            # ``error`` is about a comparison by ``<``, ``>`` and so on. So prefer the hint for comparisons with
            # numbers (``ordered``) to the general hint about the column.
            ordered = column.ordered if isinstance(column, Unusable) else None
            hint_text, fix = (finding.hint, finding.fix) if ordered is None else (ordered.hint, ordered.fix)
            refused.append(Advice(Hint(f"{finding.message}: ", hint_text or ""), fix))
    first, *others = error.diagnostics
    own = () if first.hint is None else (Advice(first.hint, first.fix),)
    hint, fix = all_advice((*own, *refused))
    return type(error)([replace(first, hint=hint, fix=fix), *others])
