"""Regular expressions that somebody else wrote, before Java runs them in Spark.

Two things end the whole application there and not only the query: an expression that Java does not take, and a group
that is repeated without bound, for each round of it takes a piece of the thread's stack. So only what Java and Python
read alike is let through, and no such group but a possessive one, which Java repeats in a loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Characters of an expression, and the largest number of rounds that a counted repeat may have.
MAX_LENGTH, MAX_ROUNDS = 2_000, 255

#: The same for a group that is not possessive, and stands in no other group.
MAX_GROUP_ROUNDS = 9

_ITEM = re.compile(
    r"(?P<escape>\\[dDsSwWbBtnrf.^$*+?()\[\]{}|\\/ \"'!@#%&=:;,<>~`_-])"
    r"|(?P<set>\[\^?(?:\\[dDsSwWtnrf.^$*+?()\[\]{}|\\/&~-]|[^\[\]\\&~^])++\])"
    r"|(?P<open>\((?:\?[:=!]|(?!\?)))"
    r"|(?P<close>\))"
    r"|(?P<flags>\(\?i\))"
    r"|(?P<quantifier>(?:[*+?]|\{(?P<low>[0-9]{1,3})(?P<comma>,(?P<high>[0-9]{1,3})?)?\})(?P<mode>[?+]?))"
    r"|(?P<plain>[^\\\[(){}*+?])"
)


def objection(expression: str) -> str | None:
    """Why an expression is not run in Spark; None where it can be."""
    if len(expression) > MAX_LENGTH:
        return f"the regular expression has more than {MAX_LENGTH:,} characters"
    at = groups = 0
    after_group = repeatable = False
    for found in _items(expression):
        at = found.end()
        kind = found.lastgroup
        match kind:
            case "open":
                groups += 1
                if groups > 20:
                    return "the groups of the regular expression nest more than 20 deep"
            case "close":
                groups -= 1
            case "flags" if found.start() > 0:
                return "the flags of a regular expression stand at its beginning"
            case "quantifier":
                problem = _repeat(found, after_group, groups) if repeatable else "a repeat stands behind nothing"
                if problem is not None:
                    return problem
            case _:
                pass
        after_group = kind == "close"
        repeatable = kind in ("escape", "set", "close", "plain")
    if at < len(expression):
        return f"Java or Python reads {expression[at : at + 10]!r} in another way"
    try:
        re.compile(expression)
    except (re.error, RecursionError, OverflowError) as error:
        return f"the regular expression is wrong: {error}"
    return None


def _items(expression: str) -> Iterator[re.Match[str]]:
    at = 0
    while at < len(expression) and (found := _ITEM.match(expression, at)):
        yield found
        at = found.end()


def _repeat(found: re.Match[str], after_group: bool, groups: int) -> str | None:
    rounds = [int(found[part]) for part in ("low", "high") if found[part]]
    if any(number > MAX_ROUNDS for number in rounds):
        return f"a repeat has more than {MAX_ROUNDS} rounds"
    unbounded = found[0][0] in "*+" or (found["comma"] is not None and not found["high"])
    few = found[0][0] == "?" or (groups == 0 and not unbounded and max(rounds) <= MAX_GROUP_ROUNDS)
    if after_group and not few and found["mode"] != "+":
        return "a group that is repeated without bound can end the whole application; (…)*+ is taken"
    return None
