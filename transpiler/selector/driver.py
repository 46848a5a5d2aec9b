"""The loop that runs a grammar's tables over tokens.

SLY's own loop keeps books for the recovery from errors, and here the first error raises. Half of its time goes to
productions that only hand a value to the next layer of the grammar; this one gives them a new state and nothing else,
and none at all where the tables leave no choice.
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
    """What a production's function sees: its symbols by place, and as attributes the values of its symbols by name.

    A symbol is a token or, of a production, its value. Each production has a class of its own, with its names.
    """

    __slots__ = ()

    @property
    def start(self) -> int:
        """Where the token begins that the production begins with."""
        start: int = self[0].index
        return start

    @property
    def end(self) -> int:
        """Where the token ends that the production ends with."""
        end: int = self[-1].end
        return end


def drive(parser: Parser, tokens: Iterator[Token], layers: frozenset[tuple[str, str]]) -> Any:
    """The value of the grammar's start symbol over all tokens.

    ``layers`` are the productions of one symbol whose value is that symbol's. ``parser.state`` says where the parse
    is whenever a token is asked for or refused; ``parser.error`` must raise.
    """
    actions, goto, productions = _tables(parser.__class__, layers)
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
            if make is None:
                states.pop()
            else:
                # A slice from the end would be the whole list where a production takes nothing.
                start = len(symbols) - length
                symbols[start:] = (make(parser, parts(symbols[start:])),)
                del states[start + 1 :]
            state = goto[states[-1]][name]
            states.append(state)
            action = actions[state].get(kind)
        if action is None:
            parser.error(token)
            raise AssertionError("the parser's error method returned")
        if action == _ACCEPT:
            return symbols[0]
        states.append(action)
        symbols.append(token)
        state = action


class _Production(NamedTuple):
    """The name, how many symbols it takes, what they are to the function, and the function unless it is a layer."""

    name: str
    length: int
    parts: type[_Parts]
    make: Callable[[Any, Any], Any] | None


class _Tables(NamedTuple):
    """What to do in a state at a token, where a state goes on behind a production, and the productions by number."""

    actions: dict[int, dict[str, int]]
    goto: dict[int, dict[str, int]]
    productions: list[_Production]


@cache
def _tables(grammar: type[Parser], layers: frozenset[tuple[str, str]]) -> _Tables:
    """The tables of a grammar, in which no state is entered that every token leads out of to the next layer."""
    table, productions = grammar._lrtable, []
    for rule in grammar._grammar.Productions:
        layer = rule.len == 1 and (rule.name, rule.prod[0]) in layers
        parts = _parts(rule.prod, grammar._grammar.Terminals)
        productions.append(_Production(rule.name, rule.len, parts, None if layer else rule.func))
    passed = {}
    for state, actions in table.lr_action.items():
        [action, *others] = set(actions.values())
        if action < 0 and not others and productions[-action].make is None:
            passed[state] = productions[-action].name

    def target(targets: dict[str, int], name: str) -> int:
        state = targets[name]
        return target(targets, passed[state]) if state in passed else state

    goto = {state: {name: target(targets, name) for name in targets} for state, targets in table.lr_goto.items()}
    return _Tables(table.lr_action, goto, productions)


def _parts(symbols: tuple[str, ...], terminals: Container[str]) -> type[_Parts]:
    """The class for the symbols of a production; those of one name are counted from 0."""
    names: dict[str, Any] = {"__slots__": ()}
    for place, symbol in enumerate(symbols):
        name = symbol if symbols.count(symbol) == 1 else f"{symbol}{symbols[:place].count(symbol)}"
        names[name] = property(partial(_token_value, place) if symbol in terminals else itemgetter(place))
    return type("_Parts", (_Parts,), names)


def _token_value(place: int, symbols: _Parts) -> Any:
    return symbols[place].value
