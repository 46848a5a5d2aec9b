"""The loop that runs a grammar's tables over tokens.

SLY's own loop keeps books for the recovery from errors, and here the first error raises: it takes three times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from functools import cache, partial
from operator import itemgetter
from typing import Any, NamedTuple

from sly import Parser
from sly.lex import Token

from transpiler.source import Span


class UnexpectedTokenError(Exception):
    """The failure of a parse: the place of the refused token, None at the end, and the legal ones."""

    def __init__(self, span: Span | None, legal: set[str]) -> None:
        super().__init__(span, legal)
        self.span = span
        self.legal = legal


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


def drive(parser: Parser, tokens: Iterator[Token]) -> Any:
    """Parse all tokens and return the value of the start symbol.

    ``parser.state`` says where the parse is whenever a token is read or refused; ``parser.error`` must raise.
    """
    actions, goto = parser._lrtable.lr_action, parser._lrtable.lr_goto
    productions = _productions(parser.__class__)
    states: list[int] = [0]
    symbols: list[Any] = []
    while True:
        parser.state = states[-1]
        token = next(tokens, None)
        kind = "$end" if token is None else token.type
        while (action := actions[states[-1]].get(kind)) is not None and action < 0:
            name, length, parts, make = productions[-action]
            # A slice from the end would be the whole list if a production has no symbols.
            start = len(symbols) - length
            symbols[start:] = (make(parser, parts(symbols[start:])),)
            states[start + 1 :] = (goto[states[start]][name],)
        if action is None:
            parser.error(token)
            raise AssertionError("the parser's error method returned")
        if action == _ACCEPT:
            return symbols[0]
        states.append(action)
        symbols.append(token)


class _Production(NamedTuple):
    """One production: its name, the number of its symbols, the class that wraps them, and its function."""

    name: str
    length: int
    parts: type[_Parts]
    make: Callable[[Any, Any], Any]


@cache
def _productions(grammar: type[Parser]) -> list[_Production]:
    """The productions of a grammar by number."""
    return [
        _Production(rule.name, rule.len, _parts(rule.prod, grammar._grammar.Terminals), rule.func)
        for rule in grammar._grammar.Productions
    ]


def _parts(symbols: tuple[str, ...], terminals: Container[str]) -> type[_Parts]:
    """Build the class for the symbols of a production; symbols of the same name are numbered from 0."""
    names: dict[str, Any] = {"__slots__": ()}
    for place, symbol in enumerate(symbols):
        name = symbol if symbols.count(symbol) == 1 else f"{symbol}{symbols[:place].count(symbol)}"
        names[name] = property(partial(_token_value, place) if symbol in terminals else itemgetter(place))
    return type("_Parts", (_Parts,), names)


def _token_value(place: int, symbols: _Parts) -> Any:
    return symbols[place].value
