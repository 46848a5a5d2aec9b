"""Translate header names between JMS and the wire: ``JMSCorrelationID`` to ``amqp.correlation_id`` and back.

The result selects the same messages. Where the value changes with the name, the
comparison is translated with it: ``JMSDeliveryMode = 'PERSISTENT'`` is ``amqp.durable = TRUE``. What has no exact
counterpart is an error. Source: the older Apache filter document, selector-filter.

That document's own table gives each of ten headers one field, whatever else the header may be read from. By it the
names are exchanged wherever they stand, and only the delivery mode and the redelivery are translated with their
comparisons, for their fields have other types.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from transpiler.diagnostics import Diagnostic
from transpiler.errors import UnsupportedFeatureError
from transpiler.message import ids
from transpiler.message.fields import DELIVERY_MODES, RECEIVER
from transpiler.message.header_fields import PROPERTIES, Conversion, HeaderField
from transpiler.message.jms_fields import JMS_FIELDS, WIRE
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.selector import ast
from transpiler.selector.header_links import (
    LINKS,
    PIECES,
    RETYPED,
    STANDARD,
    Form,
    Link,
    Piece,
    Table,
    behind,
    exchanged,
    shown_of,
)
from transpiler.selector.integer_sets import comparison, joined, literal, number, selected
from transpiler.selector.pattern import read_pattern
from transpiler.source import Source

_EQUALITIES = (ast.Comparison.EQ, ast.Comparison.NE)


class _NoCounterpartError(Exception):
    """A name, or a comparison with it, has no counterpart in the other form; the message gives the reason."""


def translate_names(tree: ast.Expression, form: Form, source: Source, table: Table = "meaning") -> ast.Expression:
    """Translate the header names to that form; raise ``UnsupportedFeatureError`` for all that have no counterpart.

    By the table of the standard, a JMS name that the table does not have stays as it is.
    """
    kept: frozenset[str] = frozenset()
    if table == "standard":
        plain = {jms: wire for jms, wire in STANDARD.items() if jms not in RETYPED}
        tree = exchanged(tree, plain if form == "amqp" else {wire: jms for jms, wire in plain.items()})
        kept = frozenset(JMS_FIELDS.table).difference(RETYPED) if form == "amqp" else frozenset()
    renaming = _Renaming(form, source, kept)
    result = renaming.condition(tree, True)
    if renaming.findings:
        raise UnsupportedFeatureError(renaming.findings)
    return result


class _Renaming:
    def __init__(self, form: Form, source: Source, kept: frozenset[str] = frozenset()) -> None:
        self.form = form
        #: Names that stay although they are of the form that is left.
        self.kept = kept
        self.links = LINKS[form]
        self.source = source
        self.findings: list[Diagnostic] = []

    def condition(self, node: ast.Expression, polarity: bool | None) -> ast.Expression:
        """Translate a condition; ``polarity`` is the truth value that selects messages, None if either may."""
        match node:
            case ast.And(terms=terms) | ast.Or(terms=terms):
                return replace(node, terms=tuple(self.condition(term, polarity) for term in terms))
            case ast.Not(operand=operand):
                return replace(node, operand=self.condition(operand, None if polarity is None else not polarity))
            case _:
                return self._reported(node, polarity)

    def _reported(self, node: ast.Expression, polarity: bool | None) -> ast.Expression:
        try:
            return self._atom(node, polarity)
        except _NoCounterpartError as reason:
            self.findings.append(
                Diagnostic("names.no-counterpart", "error", str(reason), self.source, node.span, self._hint())
            )
            return node

    def _hint(self) -> str:
        kind = "JMS" if self.form == "amqp" else "amqp."
        return f"keep the {kind} name there, or write the condition anew; table standard exchanges names one to one"

    def _foreign(self, name: str) -> bool:
        """Return True if the name is a header field in the form that is translated from."""
        if name in self.kept or name.startswith(WIRE) is not (self.form == "jms"):
            return False
        return JMS_FIELDS.find(name) is not None and not _is_property(name)

    def _atom(self, node: ast.Expression, polarity: bool | None) -> ast.Expression:
        identifiers = {inner.name: inner for inner in ast.walk(node) if isinstance(inner, ast.Identifier)}
        foreign = [identifier for name, identifier in identifiers.items() if self._foreign(name)]
        if not foreign:
            return node
        node = _name_first(node)
        named = _named(node)
        if named is not None and self._foreign(named.name) and len(foreign) == 1 and _beside_literals(node):
            link = self.links.get(named.name)
            if link is not None:
                return self._linked(node, named, link, polarity)
            return self._several(node, named)
        return self._operands(node)

    def _operands(self, node: ast.Expression) -> ast.Expression:
        """Replace each name by an operand that has the same value in every message."""
        match node:
            case ast.Identifier(name=name) if self._foreign(name):
                return self._operand(node)
            case ast.Compare(operator=operator, left=left, right=right):
                side = self._operands if operator.is_equality else self._number
                return replace(node, left=side(left), right=side(right))
            case ast.Calculate(left=left, right=right):
                return replace(node, left=self._number(left), right=self._number(right))
            case ast.Sign(operand=operand):
                return replace(node, operand=self._number(operand))
            case ast.Between(operand=operand, low=low, high=high):
                return replace(node, operand=self._number(operand), low=self._number(low), high=self._number(high))
            case ast.IsNull(operand=operand):
                replaced = self._operands(operand)
                if isinstance(operand, ast.Identifier):
                    # What stands for the name is NULL where the name in it is, and IS NULL takes a name.
                    [replaced] = (inner for inner in ast.walk(replaced) if isinstance(inner, ast.Identifier))
                return replace(node, operand=replaced)
            case ast.And() | ast.Or() | ast.Not():
                return self.condition(node, None)
            case _:
                return node

    def _number(self, node: ast.Expression) -> ast.Expression:
        replaced = self._operands(node)
        if replaced != node and isinstance(replaced, ast.Compare) and not isinstance(node, ast.Compare):
            raise _NoCounterpartError("a condition cannot stand where a number is expected")
        return replaced

    def _operand(self, node: ast.Identifier) -> ast.Expression:
        link = self.links.get(node.name)
        if link is None:
            raise _NoCounterpartError(self._why(node.name))
        other = ast.Identifier(link.wire.name if self.form == "amqp" else link.jms.name)
        match link.conversion:
            case Conversion.AS_IS if link.jms.default == link.wire.default:
                return other
            case Conversion.REDELIVERED:
                return ast.Compare(ast.Comparison.GT, other, ast.IntegerLiteral(0))
            case Conversion.DELIVERY_COUNT:
                operator = ast.Arithmetic.ADD if self.form == "amqp" else ast.Arithmetic.SUBTRACT
                return ast.Calculate(operator, other, ast.IntegerLiteral(1))
            case Conversion.DELIVERY_MODE if self.form == "jms":
                return ast.Compare(ast.Comparison.EQ, other, ast.StringLiteral(DELIVERY_MODES[True]))
            case _:
                raise _NoCounterpartError(
                    f"{node.name} and {other.name} differ in value, and translate beside a literal only"
                )

    def _linked(self, node: ast.Expression, named: ast.Identifier, link: Link, polarity: bool | None) -> ast.Expression:
        other = ast.Identifier(link.wire.name if self.form == "amqp" else link.jms.name)
        if isinstance(node, ast.IsNull) and link.jms.default is link.wire.default is None:
            return ast.IsNull(other, node.negated)
        match link.conversion:
            case Conversion.AS_IS if link.jms.default == link.wire.default:
                return _with_name(node, other)
            case Conversion.AS_IS if self._default_is_silent(node, link, polarity):
                return _with_name(node, other)
            case Conversion.AS_IS if self.form == "amqp" and link.jms.default is not None:
                return self._several(node, named)
            case Conversion.AS_IS:
                raise _NoCounterpartError(
                    f"where the field is absent, {link.jms.name} and {link.wire.name} are not the same, and this tells"
                )
            case Conversion.PRIORITY | Conversion.DELIVERY_COUNT | Conversion.GROUP_SEQUENCE:
                return self._numbers(node, other, PIECES[link.conversion])
            case Conversion.REDELIVERED:
                return self._operands(node)
            case Conversion.DELIVERY_MODE:
                return self._delivery_mode(node, other)
            case Conversion.MESSAGE_ID | Conversion.CORRELATION_ID:
                return self._id(node, other, link.conversion, polarity)
            case _:
                raise _NoCounterpartError(f"no literal of a selector is the bytes of {link.wire.name}")

    def _numbers(self, node: ast.Expression, other: ast.Identifier, pieces: tuple[Piece, ...]) -> ast.Expression:
        low, high = pieces[0].low, pieces[-1].high
        seen = joined(piece.seen for piece in pieces)
        if not isinstance(node, ast.Compare | ast.Between):
            return _with_name(node, other)
        accepted = selected(node, *((seen[0][0], seen[-1][1]) if self.form == "amqp" else (low, high)))
        if accepted is None:
            return _with_name(node, other)
        likely = _likely(node, pieces, 1 if self.form == "jms" else -1)
        if self.form == "amqp":
            return comparison(other, behind(accepted, pieces), low, high, likely)
        shown = joined(pair for piece in pieces for pair in shown_of(accepted, piece))
        if behind(shown, pieces) != accepted:
            raise _NoCounterpartError(f"{other.name} does not tell all of these values apart")
        return comparison(other, shown, seen[0][0], seen[-1][1], likely)

    def _delivery_mode(self, node: ast.Expression, other: ast.Identifier) -> ast.Expression:
        if self.form == "jms":
            match node:
                case ast.Compare(operator=operator, right=ast.BooleanLiteral(value=durable)) if operator.is_equality:
                    return ast.Compare(operator, other, ast.StringLiteral(DELIVERY_MODES[durable]))
                case _:
                    return self._operands(node)
        modes = {mode: durable for durable, mode in DELIVERY_MODES.items()}
        match node:
            case ast.Compare(operator=operator, right=ast.StringLiteral(value=mode)) if mode in modes:
                return ast.Compare(operator, other, ast.BooleanLiteral(modes[mode]))
            case ast.In(members=members, negated=negated):
                texts = {member.value for member in members if isinstance(member, ast.StringLiteral)}
                listed = [durable for mode, durable in modes.items() if mode in texts]
                if len(listed) == 1:
                    operator = ast.Comparison.NE if negated else ast.Comparison.EQ
                    return ast.Compare(operator, other, ast.BooleanLiteral(listed[0]))
                return ast.BooleanLiteral(bool(listed) is not negated)
            case ast.IsNull(negated=negated):
                return ast.BooleanLiteral(negated)
            case _:
                raise _NoCounterpartError(f"JMSDeliveryMode is {' or '.join(modes)}, and {other.name} is a boolean")

    def _id(
        self, node: ast.Expression, other: ast.Identifier, conversion: Conversion, polarity: bool | None
    ) -> ast.Expression:
        match node:
            case ast.Compare(operator=ast.Comparison.EQ, right=right):
                return ast.Compare(ast.Comparison.EQ, other, self._id_literal(right, conversion))
            case ast.Compare(operator=ast.Comparison.NE, right=right) if self.form == "amqp":
                # An id of another type is unlike the literal on the wire, and unequal as a JMS text.
                return ast.Not(ast.Compare(ast.Comparison.EQ, other, self._id_literal(right, conversion)))
            case ast.In(members=members, negated=negated):
                literals = [self._id_literal(member, conversion) for member in members]
                texts = tuple(item for item in literals if isinstance(item, ast.StringLiteral))
                if len(texts) == len(literals) and (self.form == "jms" or polarity is (not negated)):
                    return self._of_strings(ast.In(other, texts, negated), other, polarity)
                terms = tuple(ast.Compare(ast.Comparison.EQ, other, item) for item in literals)
                whole = terms[0] if len(terms) == 1 else ast.Or(terms)
                return ast.Not(whole) if negated else whole
            case ast.Like(pattern=pattern, escape=escape):
                parts = read_pattern(pattern.value, escape.value if escape else None)
                start = parts[0] if parts and isinstance(parts[0], str) else ""
                apart = not start.startswith("ID:AMQP_") and not "ID:AMQP_".startswith(start)
                if apart and (conversion is Conversion.CORRELATION_ID or start.startswith(ids.PREFIX)):
                    return self._of_strings(replace(node, operand=other), other, polarity)
                raise _NoCounterpartError("the pattern may match the text of an id that is no string")
            case _:
                raise _NoCounterpartError(f"an id is not like this in {other.name}")

    def _of_strings(self, node: ast.In | ast.Like, other: ast.Identifier, polarity: bool | None) -> ast.Expression:
        """Return a test of an id with the other form's answer where the id is no string.

        The JMS text of such an id is a string that is not listed and does not match; on the wire the test is unknown.
        """
        if polarity is not None and polarity is not node.negated:
            return node
        if self.form == "amqp":
            # TRUE of a string, FALSE of another type.
            is_text = ast.Or(tuple(ast.Compare(sign, other, ast.StringLiteral("")) for sign in _EQUALITIES))
            return ast.Or((node, ast.Not(is_text))) if node.negated else ast.And((node, is_text))
        if polarity is None:
            raise _NoCounterpartError(f"this is unknown of an id that is no string, and {other.name} is a string then")
        forms = (ast.StringLiteral(prefix.replace("_", "!_") + "%") for prefix in (ids.BINARY, ids.UUID_, ids.ULONG))
        tests = tuple(ast.Like(other, pattern, ast.StringLiteral("!"), negated=polarity) for pattern in forms)
        return ast.And((node, *tests)) if polarity else ast.Or((node, *tests))

    def _id_literal(self, node: ast.Expression, conversion: Conversion) -> ast.Expression:
        write = ids.message_id_text if conversion is Conversion.MESSAGE_ID else ids.correlation_id_text
        if self.form == "jms":
            value = number(node)
            if isinstance(node, ast.StringLiteral):
                return ast.StringLiteral(write(AmqpValue(AmqpType.STRING, node.value)) or "")
            if isinstance(value, int):
                return ast.StringLiteral(write(AmqpValue(AmqpType.ULONG, value)) or "")
            raise _NoCounterpartError("no id is equal to this")
        if not isinstance(node, ast.StringLiteral):
            raise _NoCounterpartError("no id is equal to this")
        text = ids.canonical(node.value)
        if ids.text_of(text, message_id=conversion is Conversion.MESSAGE_ID) != text:
            raise _NoCounterpartError(f"no id has the text '{node.value}'")
        amqp_id = ids.read_id(text)
        if isinstance(amqp_id.value, str):
            return ast.StringLiteral(amqp_id.value)
        if amqp_id.type is AmqpType.ULONG:
            assert isinstance(amqp_id.value, int)
            # The coercion table: a ulong is a long, which wraps.
            return literal((amqp_id.value + 2**63) % 2**64 - 2**63)
        raise _NoCounterpartError(f"no literal of a selector is {amqp_id.type.value}")

    def _default_is_silent(self, node: ast.Expression, link: Link, polarity: bool | None) -> bool:
        """Return True if the condition selects no message by the default that only one form has."""
        if polarity is None or isinstance(node, ast.IsNull):
            return False
        default = link.jms.default if link.wire.default is None else link.wire.default
        return _with_default(node, default) is not polarity

    def _several(self, node: ast.Expression, named: ast.Identifier) -> ast.Expression:
        """Translate a name with a default or several origins: one case for each of them."""
        field = JMS_FIELDS.table.get(named.name)
        if field is None or self.form == "jms":
            raise _NoCounterpartError(self._why(named.name))
        if isinstance(node, ast.IsNull) and field.default is not None:
            return ast.BooleanLiteral(node.negated)
        wires = list(self._wires(field))
        if isinstance(node, ast.IsNull):
            tests = tuple(ast.IsNull(wire, node.negated) for wire in wires)
            return ast.Or(tests) if node.negated else ast.And(tests)
        terms: list[ast.Expression] = []
        absent: list[ast.Expression] = []
        for index, wire in enumerate(wires):
            last = index == len(wires) - 1 and field.default is None
            present = [] if last else [ast.IsNull(wire, negated=True)]
            terms.append(_all([*absent, *present, _with_name(node, wire)]))
            absent.append(ast.IsNull(wire))
        if field.default is not None:
            holds = _with_default(node, field.default)
            if holds is None:
                raise _NoCounterpartError(f"where the field is absent, {field.name} has a default, and this is unknown")
            if holds:
                terms.append(_all(absent))
        return terms[0] if len(terms) == 1 else ast.Or(tuple(terms))

    def _wires(self, field: HeaderField) -> Iterator[ast.Expression]:
        """Yield the wire operand of each origin; ``amqp.jms_type`` stands for both annotations that it reads."""
        named = {wire.origins: wire for wire in JMS_FIELDS.table.values() if wire.name.startswith(WIRE)}
        left = tuple(origin for origin in field.origins if origin.places[0].section != RECEIVER)
        if not left:
            raise _NoCounterpartError(self._why(field.name))
        while left:
            taken = next((size for size in range(len(left), 0, -1) if left[:size] in named), 0)
            if taken:
                yield ast.Identifier(named[left[:taken]].name)
            elif left[0].conversion is Conversion.EXPIRY:
                raise _NoCounterpartError(f"{field.name} may be a time from now on, and the wire has no name for now")
            else:
                raise _NoCounterpartError(f"{field.name} takes {left[0].places[0].field} for an integer only")
            left = left[max(taken, 1) :]

    def _why(self, name: str) -> str:
        field = JMS_FIELDS.find(name)
        assert field is not None
        if field.unavailable_because:
            return f"{name} has no field: {field.unavailable_because}"
        readers = [
            other.name
            for other in JMS_FIELDS.table.values()
            if not other.name.startswith(WIRE) and set(other.places) & set(field.places)
        ]
        if not readers:
            return f"JMS has no name for {name}"
        verb = "reads" if len(readers) == 1 else "read"
        return f"{' and '.join(readers)} {verb} {name}, and other fields where it is absent"


def _is_property(name: str) -> bool:
    field = JMS_FIELDS.table.get(name)
    return field is not None and {place.section for place in field.places} == {PROPERTIES}


def _name_first(node: ast.Expression) -> ast.Expression:
    """Mirror a comparison of a literal with a name, so that the name is on the left."""
    match node:
        case ast.Compare(operator=operator, left=left, right=ast.Identifier() as right) if not any(
            isinstance(inner, ast.Identifier) for inner in ast.walk(left)
        ):
            return ast.Compare(operator.mirrored, right, left, node.span)
        case _:
            return node


def _named(node: ast.Expression) -> ast.Identifier | None:
    match node:
        case ast.Identifier():
            return node
        case (
            ast.Compare(left=ast.Identifier() as name)
            | ast.Between(operand=ast.Identifier() as name)
            | ast.In(operand=ast.Identifier() as name)
            | ast.Like(operand=ast.Identifier() as name)
            | ast.IsNull(operand=ast.Identifier() as name)
        ):
            return name
        case _:
            return None


def _beside_literals(node: ast.Expression) -> bool:
    return sum(isinstance(inner, ast.Identifier) for inner in ast.walk(node)) == 1


def _with_name(node: ast.Expression, other: ast.Expression) -> ast.Expression:
    """Replace the name in the node by another operand."""
    match node:
        case ast.Compare():
            return replace(node, left=other)
        case ast.Between() | ast.IsNull():
            return replace(node, operand=other)
        case ast.In() | ast.Like() if isinstance(other, ast.Identifier):
            return replace(node, operand=other)
        case ast.Identifier() if isinstance(other, ast.Identifier):
            return other
        case _:
            raise _NoCounterpartError("only a name can stand here")


def _with_default(node: ast.Expression, default: object) -> bool | None:
    """Return the truth of the condition for a default value; None if it is unknown."""
    match node:
        case ast.Identifier():
            return default if isinstance(default, bool) else None
        case ast.Compare(operator=operator, right=ast.BooleanLiteral(value=value)) if isinstance(default, bool):
            return operator.is_equality and (default is value) is (operator is ast.Comparison.EQ)
        case ast.Compare() | ast.Between() if isinstance(default, int) and not isinstance(default, bool):
            return bool(selected(node, default, default))
        case ast.IsNull(negated=negated):
            return negated
        case ast.Compare():
            return False
        case _:
            return None


def _all(terms: list[ast.Expression]) -> ast.Expression:
    flat = [inner for term in terms for inner in (term.terms if isinstance(term, ast.And) else (term,))]
    return flat[0] if len(flat) == 1 else ast.And(tuple(flat))


def _likely(node: ast.Expression, pieces: tuple[Piece, ...], sign: int) -> list[tuple[ast.Comparison, int]]:
    """Return the comparison with its number as it is, or shifted as in each piece."""
    value = number(node.right) if isinstance(node, ast.Compare) else None
    if not isinstance(node, ast.Compare) or not isinstance(value, int):
        return []
    return [(node.operator, value + sign * piece.shift) for piece in pieces if piece.constant is None]
