"""Corrections that a template cannot express, for lists, patterns, quotes and names.

Each function accepts the words that a pattern matched and returns a hint, if possible with the correction.
"""

from __future__ import annotations

from transpiler.base.source import Span
from transpiler.language.selector.dialect_rules import BetweenMeaning, DoubleQuotes, Extension, Identifiers, ListMember
from transpiler.language.selector.dialects import dialects_with
from transpiler.language.selector.literal_scanner import string_literal
from transpiler.language.selector.mistakes.word_patterns import INTERVAL, Captured, Proposal, as_pattern
from transpiler.language.selector.mistakes.words import COMPARISONS, TESTS, both_ends


def operator_in_parentheses(taken: Captured) -> Proposal:
    """Correct ``entry (not like '%aa%')`` to ``entry not like '%aa%'``.

    If the parentheses contain several operators, each of them gets the name ``entry`` as its left operand.
    """
    reading, name, at = taken.reading, f"{taken['x']}", taken["open"].behind
    close = reading.partners.get(at - 1, len(reading.words) - 1)
    parts: list[str] = []
    for number in range(at, close):
        test = number + 1 + (reading.at(number + 1).key == "NOT")
        if reading.at(number).key in ("AND", "OR") and reading.at(test).key in TESTS | COMPARISONS:
            parts += [name, reading.shown(at, number + 1)]
            at = number + 1
    text, span = " ".join([*parts, name, reading.shown(at, close)]), taken["x"].span
    return Proposal("write ", text, span=span.to(reading.at(close).span))


def two_comparisons(taken: Captured) -> str | Proposal:
    """Correct two adjacent comparison operators, such as ``< =``; return only a hint if the meaning is unclear."""
    first, second = f"{taken['x']}", f"{taken['y']}"
    joined = first + second
    if first == second:
        return Proposal("remove the second ", "", first, taken.underlined.span)
    if joined in COMPARISONS:
        return Proposal("write ", joined, " without a space")
    return f"perhaps only {first} or only {second} is meant"


def whole_list(taken: Captured) -> Proposal:
    """Correct a list without parentheses, or in square brackets or braces, such as ``a IN ['x', 'y']``.

    The correction is an IN, or comparisons if the dialect's IN accepts only strings.
    """
    reading, first = taken.reading, taken["members"].first
    brackets = reading.at(first).text
    written = [part.strip() for part in brackets.strip("[]").split(",")] if brackets[0] == "[" else None
    if written and reading.dialect.double_quotes is DoubleQuotes.REFUSED:
        written = [string_literal(part[1:-1]) if part[:1] == part[-1:] == '"' else part for part in written]
    is_set = brackets == "{"
    members = written or reading.members_after(first + is_set)[0]
    several = "; several: IN ('one', 'other')" if len(members) == 1 else ""
    behind = first + 1 if written else taken.reading.members_after(first + is_set)[1]
    behind += is_set and reading.at(behind).text == "}"
    span = Span(taken["a"].span.start, taken.reading.at(behind - 1).end)
    return Proposal("write ", _one_of(taken, members), several, span)


def corrected_list(taken: Captured) -> Proposal:
    """Correct an invalid list in parentheses, or a list after a comparison operator, to an IN or to comparisons."""
    reading, first = taken.reading, taken["members"].first
    members, behind = reading.members_after(first)
    close = reading.partners.get(first - 1)
    span = Span(taken["a"].span.start, reading.at(behind - 1 if close is None else close).end)
    return Proposal("write ", _one_of(taken, members), span=span)


def _one_of(taken: Captured, written: list[str]) -> str:
    """Return the condition that ``a`` equals one of the members ``written``: an IN, or comparisons joined by OR.

    Comparisons are needed if the dialect's IN accepts only strings. It then also accepts no names, so a name in the
    list becomes a string.
    """
    takes_any = taken.reading.dialect.list_member is ListMember.ANY
    members = [string_literal(member) if member.isidentifier() and not takes_any else member for member in written]
    name, negated = f"{taken['a']}", taken.is_negated or taken.reading.at(taken.anchor).key == "<>"
    if takes_any or all(member[:1] == "'" for member in members):
        return f"{name} {'NOT ' * negated}IN ({', '.join(members)})"
    sign, joint = ("<>", " AND ") if negated else ("=", " OR ")
    return _beside(taken, joint.join(f"{name} {sign} {member}" for member in members))


def _beside(taken: Captured, joined: str) -> str:
    """Return ``joined``, conditions joined by AND or OR, in parentheses if the selector contains other conditions."""
    words = taken.reading.words
    others = any(word.key in ("AND", "OR") for word in words) or any(
        word.key == "NOT" for word in words[: taken["a"].first]
    )
    return f"({joined})" if others else joined


def each_pattern(taken: Captured) -> Proposal:
    """Correct a LIKE with a list of patterns, ``a LIKE ('x%', 'y%')``, to one LIKE for each pattern, joined by OR."""
    left = "{a} {no}LIKE".format_map(taken)
    reading, first = taken.reading, taken["members"].first
    patterns = reading.members_after(first)[0]
    joined = (" AND " if taken.is_negated else " OR ").join(f"{left} {pattern}" for pattern in patterns)
    text = _beside(taken, joined) if len(patterns) > 1 else joined
    span = Span(taken["a"].span.start, reading.at(reading.partners.get(first - 1, first)).end)
    return Proposal("LIKE requires one string without parentheses: write ", text, span=span)


def quote_inside(taken: Captured) -> str | Proposal:
    """Correct a literal that ends too early, at an apostrophe in its text: ``'it's'`` → ``'it''s'``.

    If no string follows that could be the end of the literal, return only a hint.
    """
    reading, last = taken.reading, taken.underlined.first
    text, start = reading.source.text, reading.at(last - 1).start
    advice = "a quote inside a literal is written twice: "
    tail = next(word for word in reading.words[last:] if word.kind not in ("name", "number", "keyword"))
    if tail.kind != "string":
        return "perhaps join conditions with AND or OR; a quote inside a literal is written twice"
    inner = reading.at(last - 1).text[1:-1].replace("''", "'") + "'" + text[reading.at(last).start : tail.start]
    return Proposal(advice, string_literal(inner), span=Span(start, tail.start + 1))


def bare_before_quote(taken: Captured) -> Proposal:
    """Correct a text that has only its closing quote: ``red'`` → ``'red'``."""
    text = taken["x"]
    return Proposal("text goes into single quotes: ", f"{text:text}", span=Span(text.span.start, text.span.end + 1))


def doubled_quotes(taken: Captured) -> Proposal:
    """Correct a text with two single quotes on each side: ``''red''`` → ``'red'``."""
    return Proposal("text goes into single quotes: ", f"{taken['y']:text}", span=taken["x"].span.to(taken["z"].span))


def as_name(taken: Captured) -> str | Proposal:
    """Correct a name in the wrong quotes to the spelling of the dialect, such as without quotes or in brackets.

    If the dialect cannot express the name, return only a hint.
    """
    dialect, hyphens, name = taken.reading.dialect, taken.reading.hyphens, both_ends(taken["x"].content)
    where, elsewhere = taken["x"].span, f"{taken['elsewhere']}"
    if name.replace("-" if hyphens else ".", "_").isidentifier():
        return Proposal("write the name without quotes: ", name, elsewhere, where)
    if hyphens:
        return f'without the prefix, the name is "{name}"' + elsewhere
    if dialect.has(Extension.BRACKETS):
        return Proposal("write the name in brackets: ", f"[{name}]", elsewhere, where)
    if dialect.double_quotes is DoubleQuotes.IDENTIFIER:
        return Proposal("write the name in double quotes: ", f'"{name}"', elsewhere, where)
    dots = ", dots" if dialect.identifiers is not Identifiers.ASCII else ""
    return f"the name of a property contains letters, digits{dots}, _ and $" + elsewhere


def regex_elsewhere(taken: Captured) -> str | Proposal:
    """Correct an operator for regular expressions that another dialect has as the function REGEX, to a LIKE.

    If no LIKE is equivalent, only return a hint.
    """
    regex, other = "REGEX({x:text}, {a})".format_map(taken), dialects_with(Extension.FUNCTIONS)
    pattern = as_pattern(taken["x"].content)
    if pattern is None:
        return f"perhaps use LIKE, with % and _ as wildcards; the dialect {other} has {regex}"
    text = "{a} {no}LIKE ".format_map(taken) + string_literal(pattern)
    span = taken["a"].span.to(taken["x"].span)
    return Proposal("did you mean LIKE? write ", text, f"; the dialect {other} has {regex}", span)


def like_for_regex(taken: Captured) -> str | Proposal:
    """Correct an operator for regular expressions, such as ``=~``, to an equivalent LIKE.

    If no LIKE is equivalent, only return a hint.
    """
    name, expression = taken["a"], taken["x"]
    has_both = name.behind > name.first and expression.behind > expression.first
    pattern = as_pattern(expression.content) if has_both else None
    if pattern is None:
        return "did you mean LIKE? perhaps use % for any text and _ for one character; LIKE is case-sensitive"
    text = f"{name} {'NOT ' * (taken['op'].content[:1] == '!')}LIKE {string_literal(pattern)}"
    return Proposal("did you mean LIKE? write ", text, span=name.span.to(expression.span))


def functions_elsewhere(taken: Captured) -> str:
    """Return the hint that the dialect lacks functions, and that the dialect ``activemq`` has some."""
    own = "has no function except UTC()" if taken.reading.dialect.has(Extension.UTC) else "has no functions"
    return f"{taken.reading.dialect.title} {own}; the dialect activemq has REGEX, INLIST, MAKELIST, SPLIT and REPLACE"


def between_in_parentheses(taken: Captured) -> Proposal:
    """Correct a BETWEEN with parentheses around its bounds: ``a BETWEEN (1 AND 5)``."""
    span = taken["a"].span.to(taken["close"].span)
    return Proposal("write ", "{a} {no}BETWEEN {b} AND {c}".format_map(taken), span=span)


def between_in_brackets(taken: Captured) -> str | Proposal:
    """Correct an interval in brackets, such as ``a BETWEEN [1, 5]``, to BETWEEN or to two comparisons.

    Comparisons are for a dialect without BETWEEN. If there are not two bounds, return only a hint.
    """
    bounds = [part.strip() for part in INTERVAL.split(taken["x"].content.strip("[]"))]
    if len(bounds) != 2 or not all(bounds):
        return "BETWEEN requires two bounds without brackets, as in {a} {no}BETWEEN 1 AND 9".format_map(taken)
    name, low, high = taken["a"], *bounds
    text = "{a} {no}BETWEEN ".format_map(taken) + f"{low} AND {high}"
    if taken.reading.dialect.between_meaning is BetweenMeaning.ABSENT:
        text = f"({name} < {low} OR {name} > {high})" if taken.is_negated else f"{name} >= {low} AND {name} <= {high}"
    return Proposal("write ", text, span=name.span.to(taken["x"].span))


def chained(taken: Captured) -> str | Proposal:
    """Correct the chains ``1 < a < 5`` and ``a > 1 < 5`` to two comparisons; return only a hint for other operators."""
    first, second = f"{taken['x']}", f"{taken['y']}"
    if not {first, second} <= {"<", "<=", ">", ">="}:
        return "comparisons do not chain; perhaps join two comparisons with AND, or put the first into parentheses"
    middle = taken.reading.at(taken["b"].first)
    compared = taken["b"] if middle.kind == "name" else taken["a"]
    text = f"{taken['a']} {first} {taken['b']} AND {compared} {second} {taken['c']}"
    return Proposal("comparisons do not chain: write ", text, span=taken["a"].span.to(taken["c"].span))


def without_brackets(taken: Captured) -> str | Proposal:
    """Correct a name in brackets to the bare name: ``[color]`` → ``color``; return only a hint if that is invalid."""
    name = taken["x"].content.strip("[]")
    dots = taken.reading.dialect.identifiers is not Identifiers.ASCII
    elsewhere = "the dialect rabbitmq accepts [a name] in brackets"
    if not name.replace("." if dots else "_", "_").isidentifier():
        return elsewhere
    return Proposal("write the name alone: ", name, f"; {elsewhere}", taken["x"].span)


def null_test_alone(taken: Captured) -> Proposal:
    """Correct ``a IS NULL = TRUE`` to ``a IS NULL``."""
    negated = taken.is_negated ^ (taken["op"].content in ("<>", "!=")) ^ (taken["x"].content.upper() == "FALSE")
    return Proposal("write ", f"{taken['a']} IS {'NOT ' * negated}NULL", " alone")


def compared_null_test(taken: Captured) -> str | Proposal:
    """Correct ``a IS NULL = b``: two conditions if ``b`` is a name, otherwise a hint to write the test alone."""
    reading, other = taken.reading, taken["b"]
    is_unequal = taken["op"].content in ("<>", "!=")
    tests = [f"{taken['a']} IS {'NOT ' * negated}NULL" for negated in (taken.is_negated, not taken.is_negated)]
    if reading.at(other.first).kind != "name" or other.behind > other.first + 1:
        return f"write {tests[is_unequal]} alone, or join two conditions with AND or OR"
    values = ("FALSE", "TRUE") if is_unequal else ("TRUE", "FALSE")
    joined = [f"({test} AND {other} = {value})" for test, value in zip(tests, values, strict=True)]
    return Proposal("write ", " OR ".join(joined), span=taken["a"].span.to(other.span))


def closed_text(taken: Captured) -> str | Proposal:
    """Correct a string literal without a closing quote by adding the quote.

    If the literal contains white space, its end is not known, so only return a hint.
    """
    text = taken.underlined.content
    advice = "close the literal with a single quote; a quote inside a literal is written twice"
    if not text or any(character.isspace() for character in text):
        return advice
    return Proposal(
        "close the literal with a single quote: ", string_literal(text), "; a quote inside a literal is written twice"
    )
