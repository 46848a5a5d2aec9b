"""The loop that runs a grammar's tables over tokens.

SLY's own loop keeps books for the recovery from errors, and here the first error raises. Half of its time goes to
productions that only hand a value to the next layer of the grammar; this one learns where a token ends how many layers,
and then takes them in one step.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from functools import cache, partial
from operator import itemgetter
from typing import Any, NamedTuple

from sly import Parser
from sly.lex import Token

#: The action that ends a parse; a positive one is the next state, a negative one the number of a production.
_ACCEPT = 0


class _Parts(tuple[Any, ...]):
    """The argument of a production's function: its symbols by index, and their values as attributes by name.

    A symbol is a token or, of a production, its value. Each production has a class of its own, with its names.
    """

    __slots__ = ()

    @property
    def start(self) -> int:
        """The offset of the production's first token."""
        start: int = self[0].index
        return start

    @property
    def end(self) -> int:
        """The offset behind the production's last token."""
        end: int = self[-1].end
        return end


def drive(parser: Parser, tokens: Iterator[Token], layers: frozenset[tuple[str, str]]) -> Any:
    """Parse all tokens and return the value of the start symbol.

    ``layers`` are the productions of one symbol whose value is that symbol's. ``parser.state`` says where the parse
    is whenever a token is read or refused; ``parser.error`` must raise.
    """
    tables = _tables(parser.__class__, layers)
    actions, productions, reached = tables.actions, tables.productions, tables.reached
    states: list[int] = [0]
    symbols: list[Any] = []
    state = 0
    while True:
        parser.state = state
        token = next(tokens, None)
        kind = "$end" if token is None else token.type
        action = actions[state].get(kind)
        while action is not None and action < 0:
            name, length, parts, make = productions[-action]
            # A slice from the end would be the whole list if a production has no symbols.
            start = len(symbols) - length
            symbols[start:] = (make(parser, parts(symbols[start:])),)
            del states[start + 1 :]
            key = states[-1], name, kind
            following = reached.get(key)
            if following is None:
                following = reached[key] = tables.reach(*key)
            state, action = following
            states.append(state)
        if action is None:
            parser.error(token)
            raise AssertionError("the parser's error method returned")
        if action == _ACCEPT:
            return symbols[0]
        states.append(action)
        symbols.append(token)
        state = action


class _Production(NamedTuple):
    """One production: its name, the number of its symbols, the class that wraps them, and its function."""

    name: str
    length: int
    parts: type[_Parts]
    make: Callable[[Any, Any], Any]


class _Tables(NamedTuple):
    """LR tables: the action of a state at a token, the productions by number, and the state after each reduction."""

    actions: dict[int, dict[str, int]]
    productions: list[_Production]
    #: By the state before a production, its name and the token: as they are met, for most of them never are.
    reached: dict[tuple[int, str, str], tuple[int, int | None]]
    goto: dict[int, dict[str, int]]
    layers: frozenset[int]

    def reach(self, before: int, name: str, kind: str) -> tuple[int, int | None]:
        """Reduce by a production and by all layers that the token ends; return the state and its action."""
        while True:
            state = self.goto[before][name]
            action = self.actions[state].get(kind)
            if action is None or -action not in self.layers:
                return state, action
            name = self.productions[-action].name


@cache
def _tables(grammar: type[Parser], layers: frozenset[tuple[str, str]]) -> _Tables:
    """The tables of a grammar."""
    table, rules = grammar._lrtable, grammar._grammar.Productions
    productions = [
        _Production(rule.name, rule.len, _parts(rule.prod, grammar._grammar.Terminals), rule.func) for rule in rules
    ]
    numbers = (number for number, rule in enumerate(rules) if rule.len == 1 and (rule.name, rule.prod[0]) in layers)
    return _Tables(table.lr_action, productions, {}, table.lr_goto, frozenset(numbers))


def _parts(symbols: tuple[str, ...], terminals: Container[str]) -> type[_Parts]:
    """Build the class for the symbols of a production; symbols of the same name are numbered from 0."""
    names: dict[str, Any] = {"__slots__": ()}
    for place, symbol in enumerate(symbols):
        name = symbol if symbols.count(symbol) == 1 else f"{symbol}{symbols[:place].count(symbol)}"
        names[name] = property(partial(_token_value, place) if symbol in terminals else itemgetter(place))
    return type("_Parts", (_Parts,), names)


def _token_value(place: int, symbols: _Parts) -> Any:
    return symbols[place].value
