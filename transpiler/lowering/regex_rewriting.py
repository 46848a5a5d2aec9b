"""Regular expressions rewritten so that Java's backtracking matcher takes a time that grows with the text.

Where the next character decides, or the continuation cannot fail, a repeat becomes possessive and a choice atomic. A
part between two ``.*`` is taken where it is found first, as in LIKE, and a match is not looked for inside of a run
that an earlier one would have begun with. What is left to try is counted, as powers of the text's length and ways
through choices, and refused beyond the first power. For a test, where only the answer counts, the expression is
simplified first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from transpiler.ir.java_regex import escape_text
from transpiler.lowering.regex_search_starts import before_wide, commit, has_loop, leading, overlaps
from transpiler.lowering.regex_simplification import simplify_test
from transpiler.regex.characters import ALL, CLASSES, LINE_ENDS, NONE, SURROGATES, CharacterSet
from transpiler.regex.determinism import (
    FREE,
    Follow,
    apart,
    check_possessive,
    determined,
    ends_by_itself,
    inside,
    nullable,
    start,
)
from transpiler.regex.matcher import MAX_STATES, state_count
from transpiler.regex.replacement import Replacement, print_replacement
from transpiler.regex.syntax import (
    Ahead,
    At,
    Choice,
    Group,
    Mode,
    Node,
    One,
    Place,
    RegexError,
    Repeat,
    Sequence,
    parse_regular,
)

#: Ways through the choices of an expression, which Java may try at each place of a text.
MAX_WAYS = 100

#: Rounds of a group that gives rounds back: Java matches them by recursion.
MAX_GROUP_ROUNDS = 9

TOO_MANY = "the repeats can divide a text among them in too many ways, which Java would all try"


class Cost(NamedTuple):
    """The cost of a continuation: powers of the text's length to fail and in all, and ways that are tried.

    ``tries`` says that it may look at characters again, so that a round can take more than its own characters.
    """

    fail: int = 0
    whole: int = 0
    ways: int = 1
    tries: bool = False

    def beside(self, other: Cost) -> Cost:
        """The cost of two parts of which the second does not bring Java back into the first."""
        return Cost(
            max(self.fail, other.fail),
            max(self.whole, other.whole),
            max(self.ways, other.ways),
            self.tries or other.tries,
        )

    def ahead(self) -> Cost:
        """The cost as a look-ahead, whose success does not end the match."""
        return Cost(self.whole, self.whole, self.ways, True)


def test_form(text: str) -> str:
    """A Java regular expression that matches in the same texts; ``RegexError`` where none is fast."""
    written = []
    for branch in _branches(simplify_test(_checked(text))):
        committed, guard = commit(branch)
        begin = "" if guard is None else f"(?<!{_class(guard)})"
        written.append(begin + _Writer().branch(committed, guard or NONE))
    return "|".join(written)


def replace_form(text: str, replacement: Replacement) -> tuple[str, str]:
    """A Java regular expression and its replacement that replace the same; ``RegexError`` where none is fast."""
    node = _checked(text)
    if _empty_anywhere(node):
        message = "this matches the empty text at every place, in Java even between the halves of a character"
        raise RegexError(message, 0)
    # Only the groups that the replacement names capture, and are numbered anew.
    named = sorted({part for part in replacement if isinstance(part, int) and part > 0})
    writer = _Writer({number: place for place, number in enumerate(named, 1)}, frozenset(_optional(node, False)))
    if isinstance(node, Choice):
        form = "|".join(writer.branch(branch, NONE) for branch in node.branches)
        return form, print_replacement(replacement, writer.kept)
    # Behind an empty match the search goes on one character further, where \G is not.
    characters = NONE if nullable(node) else leading(node)
    if characters:
        # A match that begins behind one of these could begin before it, but not before the last match's end.
        return f"(?:\\G|(?<!{_class(characters)})){writer.branch(node, characters)}", print_replacement(
            replacement, writer.kept
        )
    first, others, characters = before_wide(node)
    # The whole match would begin with the text before it.
    if (
        not first
        or 0 in replacement
        or any(number in writer.kept for part in first for number in _optional(part, True))
    ):
        return writer.branch(node, NONE), print_replacement(replacement, writer.kept)
    # As for a test, only the first of these places in a run can begin a match; the text before it is kept.
    writer.kept = {number: place + 1 for number, place in writer.kept.items()}
    each = _class(characters)
    begin, _ = writer.write(Sequence(first), FREE, Cost())
    rest = writer.branch(Sequence(others), characters)
    form = f"(?:\\G|(?<!{each}))(?>({each}*?){begin}){rest}"
    return form, "$1" + print_replacement(replacement, writer.kept, behind_group=True)


def _branches(node: Node) -> tuple[Node, ...]:
    return node.branches if isinstance(node, Choice) else (node,)


def _checked(text: str) -> Node:
    node = parse_regular(text)
    check_possessive(node)
    if state_count(node) > MAX_STATES:
        raise RegexError(f"the regular expression has more than {MAX_STATES:,} states", 0)
    return node


def _empty_anywhere(node: Node) -> bool:
    """Return True if the expression may match the empty text elsewhere than at an end of the text."""
    match node:
        case Place(at=at):
            return at is At.NO_WORD_EDGE
        case Ahead():
            return True
        case Sequence(parts=parts):
            return all(map(_empty_anywhere, parts))
        case Choice(branches=branches):
            return any(map(_empty_anywhere, branches))
        case Repeat(body=body, low=low):
            return low == 0 or _empty_anywhere(body)
        case Group(body=body):
            return _empty_anywhere(body)
        case One():
            return False


def _optional(node: Node, inside_one: bool) -> Iterator[int]:
    """The groups that take no part in some matches."""
    match node:
        case Group(body=body, number=number):
            if inside_one:
                yield number
            yield from _optional(body, inside_one)
        case Sequence(parts=parts):
            for part in parts:
                yield from _optional(part, inside_one)
        case Choice(branches=branches):
            for branch in branches:
                yield from _optional(branch, True)
        case Repeat(body=body, low=low):
            yield from _optional(body, inside_one or low == 0)
        case Ahead(body=body):
            yield from _optional(body, True)
        case _:
            pass


class _Writer:
    """Write ways of an expression as Java reads them."""

    def __init__(self, kept: dict[int, int] | None = None, optional: frozenset[int] = frozenset()) -> None:
        self.kept = kept or {}
        self.optional = optional & self.kept.keys()
        #: The leftmost repeat or choice at which Java may have to try another way.
        self.tried = 0
        #: What stands behind the part that is written, in the outermost sequence.
        self.tail: tuple[Node, ...] = ()
        self.nested = -1

    def branch(self, node: Node, guard: CharacterSet) -> str:
        """The text of a way that begins behind none of some characters; ``RegexError`` where it takes too long."""
        parts = node.parts if isinstance(node, Sequence) else (node,)
        rest, after = Cost(), FREE
        written: list[str] = []
        for number in reversed(range(len(parts))):
            self.tail = parts[number + 1 :]
            text, rest = self.write(parts[number], after, rest)
            after = start(parts[number], after)
            written.append(text)
        again = parts[:1] != (Place(At.BEGIN),) and overlaps(parts, guard)
        if again:
            self.tried = next(getattr(part, "offset", 0) for part in parts if has_loop(part))
        if rest.whole + again > 1 or rest.ways > MAX_WAYS:
            raise RegexError(TOO_MANY, self.tried)
        return "".join(reversed(written))

    def write(self, node: Node, after: Follow, rest: Cost) -> tuple[str, Cost]:
        """The text of a node, and the cost of it and of what follows; what cannot fail costs nothing to fail."""
        self.nested += 1
        text, cost = self._write(node, after, rest)
        self.nested -= 1
        return text, cost._replace(fail=0) if start(node, after).free else cost

    def _write(self, node: Node, after: Follow, rest: Cost) -> tuple[str, Cost]:
        match node:
            case One(characters=characters):
                return _class(characters), rest
            case Place(at=at):
                return _PLACES[at], rest
            case Ahead(body=body, negated=negated):
                if any(number in self.kept for number in _optional(body, True)):
                    raise RegexError("a group inside of a look-ahead stands in no replacement", node.offset)
                text, cost = self.write(body, FREE, Cost())
                return f"(?{'!' if negated else '='}{text})", rest.beside(cost.ahead())
            case Sequence(parts=parts):
                written = []
                for part in reversed(parts):
                    text, rest = self.write(part, after, rest)
                    after = start(part, after)
                    written.append(text)
                return "".join(reversed(written)), rest
            case Group(body=body, number=number):
                text, cost = self.write(body, after, rest)
                return (f"({text})" if number in self.kept else text), cost
            case Choice():
                return self._choice(node, after, rest)
            case Repeat(body=body, low=1, high=1, mode=Mode.POSSESSIVE) if not self._captures(body):
                text, cost = self.write(body, FREE, Cost())
                return f"(?>{text})", rest.beside(cost)
            case Repeat(body=body, low=1, high=1):
                return self.write(body, after, rest)
            case Repeat():
                return self._repeat(node, after, rest)

    def _captures(self, node: Node) -> bool:
        """Return True if a group could keep what it took before a way was given up: Java does not forget it."""
        return any(number in self.optional for number in _optional(node, True))

    def _choice(self, node: Choice, after: Follow, rest: Cost) -> tuple[str, Cost]:
        one_way = apart(node.branches, after)
        if determined(node, after) and not self._captures(node):
            written = [self.write(branch, after, Cost()) for branch in node.branches]
            text, costs = "|".join(text for text, _ in written), [cost for _, cost in written]
            return f"(?>{text})", rest.beside(_sum(costs, one_way))
        if not one_way:
            self.tried = node.offset
        written = [self.write(branch, after, rest) for branch in node.branches]
        text = "|".join(text for text, _ in written)
        return f"(?:{text})", _sum([cost for _, cost in written], one_way)

    def _repeat(self, node: Repeat, after: Follow, rest: Cost) -> tuple[str, Cost]:
        body, low, high = node.body, node.low, node.high
        if after.free and node.mode is Mode.LAZY:
            high = low
            node = replace(node, high=high)
        within = inside(node, after)
        greedy = replace(node, mode=Mode.GREEDY)
        if isinstance(body, One):
            return self._loop(greedy if node.mode is Mode.POSSESSIVE else node, body, after, rest)
        if low > 1 and low != high and not determined(body, within) and not self._any_group(body):
            # The rounds that must be, and those that may: nothing needs to come back to the latter.
            more = replace(node, low=0, high=None if high is None else high - low)
            return self.write(Sequence((replace(node, high=low), more)), after, rest)
        if (after.free and low <= 1) or determined(greedy, after):
            if self._captures(body) and high != 1:
                raise RegexError("a group that takes no part in every round stands in no replacement", node.offset)
            if not self._captures(body):
                text, cost = self.write(body, within, Cost())
                rounds = _rounds(low, high)
                inner = text if self._is_group(body) else f"(?>{text})" if not determined(body, within) else (
                    f"(?:{text})")  # fmt: skip
                whole = cost.whole + (high is None and (cost.tries or cost.ways > 1))
                unbounded = int(high is None)
                spent = Cost(max(cost.fail, unbounded), max(whole, unbounded), cost.ways, cost.tries)
                return f"{inner}{rounds}+", rest.beside(spent)
        if high is None or high > MAX_GROUP_ROUNDS:
            raise RegexError(TOO_MANY, node.offset)
        if not ends_by_itself(node, after):
            self.tried = node.offset
        total, text = rest, ""
        for number in range(high):
            text, cost = self.write(body, within, total)
            total = _sum([cost, rest], False) if high - number > low else cost
            if total.ways > MAX_WAYS:
                raise RegexError(TOO_MANY, node.offset)
        inner = text if self._is_group(body) else f"(?:{text})"
        return f"{inner}{_rounds(low, high)}{node.mode.value if node.mode is Mode.LAZY else ''}", total

    def _loop(self, node: Repeat, body: One, after: Follow, rest: Cost) -> tuple[str, Cost]:
        """Write a repeat of one character, which Java repeats without recursion."""
        text, low, high = _class(body.characters) + _rounds(node.low, node.high), node.low, node.high
        unbounded = high is None
        if low == high:
            return text, rest
        if ends_by_itself(node, after) or (after.free and node.mode is Mode.GREEDY):
            return f"{text}+", rest.beside(Cost(int(unbounded), int(unbounded)))
        self.tried = node.offset
        text += node.mode.value
        if high is None:
            fail = rest.fail + 1 if self.nested or overlaps(self.tail, NONE) else 1
            return text, Cost(fail, max(rest.whole, fail), rest.ways, True)
        return text, rest._replace(ways=rest.ways * (high - low + 1))

    def _is_group(self, node: Node) -> bool:
        return isinstance(node, Group) and node.number in self.kept

    def _any_group(self, node: Node) -> bool:
        return any(number in self.kept for number in _optional(node, True))


def _sum(costs: list[Cost], one_way: bool) -> Cost:
    """The cost of ways of which the next character chooses one, or all are tried."""
    fails, wholes, ways, tries = zip(*costs, strict=True)
    return Cost(max(fails), max(wholes), max(ways) if one_way else sum(ways), any(tries))


_PLACES = {
    At.BEGIN: "^",
    At.END: "$",
    At.VERY_END: r"\z",
    # Java's own edges of words go by all letters up to 18, and by ASCII since.
    At.WORD_EDGE: r"(?:(?<=\w)(?!\w)|(?<!\w)(?=\w))",
    At.NO_WORD_EDGE: r"(?:(?<=\w)(?=\w)|(?<!\w)(?!\w))",
}


def _rounds(low: int, high: int | None) -> str:
    match low, high:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
        case _:
            return f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"


_NAMED = {characters: f"\\{letter}" for letter, characters in CLASSES.items()} | {
    ~LINE_ENDS: ".",
    ALL: r"[\s\S]",
    NONE: r"[^\s\S]",
}


def _class(characters: CharacterSet) -> str:
    """One character of a set."""
    named = _NAMED.get(characters)
    if named is not None:
        return named
    single = characters.single
    if single is not None:
        return escape_text(single)
    negated = bool(characters & SURROGATES)
    ranges = (~characters if negated else characters).ranges
    text = "".join(
        "".join(map(_code, range(low, high + 1))) if high - low < 2 else f"{_code(low)}-{_code(high)}"
        for low, high in ranges
    )
    return f"[{'^' if negated else ''}{text}]"


def _code(code: int) -> str:
    character = chr(code)
    if character.isascii() and not character.isalnum():
        return f"\\x{code:02x}" if not character.isprintable() or character == " " else f"\\{character}"
    return character if character.isprintable() else f"\\x{{{code:x}}}"
