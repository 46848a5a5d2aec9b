"""The loop that runs a grammar's tables over tokens.

SLY's own loop keeps books for the recovery from errors, and here the first error raises. Half of its time goes to
productions that only hand a value to the next layer of the grammar; this one gives them a new state and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from sly import Parser
from sly.lex import Token


class _Symbol:
    """A token's or a production's value, and where its text begins and ends."""

    __slots__ = ("end", "index", "value")

    def __init__(self, value: Any, index: int | None, end: int | None) -> None:
        self.value = value
        self.index = index
        self.end = end


class _Parts:
    """What a production's function sees: the values of its symbols by place and by name, and their extent."""

    __slots__ = ("_names", "_symbols", "end", "index")

    def __init__(self, symbols: list[_Symbol], names: dict[str, Any]) -> None:
        self._symbols = symbols
        self._names = names
        self.index = next((symbol.index for symbol in symbols if symbol.index is not None), None)
        self.end = next((symbol.end for symbol in reversed(symbols) if symbol.end), None)

    def __len__(self) -> int:
        return len(self._symbols)

    def __getitem__(self, place: int) -> Any:
        return self._symbols[place].value

    def __getattr__(self, name: str) -> Any:
        return self._names[name](self._symbols)


def drive(parser: Parser, tokens: Iterator[Token], layers: frozenset[tuple[str, str]]) -> Any:
    """The value of the grammar's start symbol over all tokens.

    ``layers`` are the productions of one symbol whose value is that symbol's. ``parser.state`` says where the parse
    is whenever a token is asked for or refused; ``parser.error`` must raise.
    """
    table = parser._lrtable
    actions, goto, defaults, productions = (
        table.lr_action,
        table.lr_goto,
        table.defaulted_states,
        _productions(parser.__class__, layers),
    )
    states: list[int] = [0]
    symbols: list[Any] = []
    state, token, kind = 0, None, ""
    while True:
        action = defaults.get(state)
        if action is None:
            if not kind:
                parser.state = state
                token = next(tokens, None)
                kind = "$end" if token is None else token.type
            action = actions[state].get(kind)
        if action is None:
            parser.error(token)
            raise AssertionError("the parser's error method returned")
        if action > 0:
            states.append(action)
            symbols.append(token)
            state, kind = action, ""
        elif action < 0:
            name, length, names, make = productions[-action]
            if make is None:
                states.pop()
            else:
                taken = symbols[-length:] if length else []
                parts = _Parts(taken, names)
                value = _Symbol(make(parser, parts), parts.index, parts.end)
                if length:
                    del symbols[-length:]
                    del states[-length:]
                symbols.append(value)
            state = goto[states[-1]][name]
            states.append(state)
        else:
            return symbols[-1].value


_Production = tuple[str, int, dict[str, Any], Callable[[Any, Any], Any] | None]


@cache
def _productions(grammar: type[Parser], layers: frozenset[tuple[str, str]]) -> list[_Production]:
    """By number: the name, how many symbols it takes, their names, and the function unless it is a layer."""
    found = []
    for rule in grammar._grammar.Productions:
        layer = rule.len == 1 and (rule.name, rule.prod[0]) in layers
        found.append((rule.name, rule.len, rule.namemap, None if layer else rule.func))
    return found
