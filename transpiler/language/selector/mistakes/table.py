"""The mistakes that have a message of their own, the most specific first; the notation is that of ``word_patterns``.

Before the table are the mistakes and corrections that need more than a pattern and a template.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from transpiler.base.diagnostics import Diagnostic, nearest
from transpiler.base.source import Span
from transpiler.base.times import iso_time
from transpiler.language.selector.dialect_rules import DoubleQuotes, Extension, Identifiers, ListMember
from transpiler.language.selector.dialects import dialects_with
from transpiler.language.selector.mistakes.word_patterns import Captured, Row
from transpiler.language.selector.mistakes.words import COMPARISONS, TESTS, Reading, literal, shortened
from transpiler.language.selector.parsing import PREFIXES

#: A date and what people write behind it. Nothing of a word or of a text in quotes.
_TIME = re.compile(r"(?<![\w.$'\"-])[12][0-9]{3}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:]+(?:\.[0-9]+)?(?:Z|[+-][0-9:]+)?)?")
_NUMBER = re.compile(r"(?P<grouped>[0-9]{1,3}(,[0-9]{3})+)|[0-9]+,[0-9]+")


def unknown_prefix(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Find ``hyphenated_props:`` and its kin in a dialect that has no such prefix, or misspelled."""
    first, colon = reading.at(0), reading.at(1)
    if colon.text[:1] != ":" or reading.place > 1 or first.kind != "name" or first.end != colon.start:
        return None
    text = reading.source.text[first.start : colon.start + 1]
    near = [text] if text in PREFIXES else nearest(text, PREFIXES)
    if not near:
        return None
    names = dialects_with(PREFIXES[near[0]][0])
    have = f"the dialects {names} have it" if " and " in names else f"the dialect {names} has it"
    message, hint = f"{reading.dialect.title} has no prefix {text}", f"remove it; {have}"
    if reading.dialect.has(PREFIXES[near[0]][0]):
        message, hint = f"{reading.dialect.title} takes one prefix at the start", "remove this one"
        if reading.source.text[first.start - 1 : first.start].isspace():
            message, hint = "no white space stands before a prefix", "remove the white space"
    if near[0] != text:
        message, hint = f"there is no prefix {shortened(text)}", f"did you mean {near[0]}? {have}"
    return replace(finding, code="syntax.prefix", message=message, span=Span(first.start, colon.start + 1), hint=hint)


def time_without_quotes(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Find ``2024-08-09`` and ``2024-01-01T00:00:00Z``."""
    start = reading.at(reading.place).start
    for match in _TIME.finditer(reading.source.text, reading.start):
        time = iso_time(match[0])
        if match.start() <= start < match.end() and time is not None:
            before = next((word for word in reversed(reading.words) if word.end <= match.start()), reading.at(-1))
            is_ordered = before.key in COMPARISONS - {"=", "<>"} or before.key in ("BETWEEN", "AND")
            text = "" if is_ordered else f"{literal(match[0])} for text, or "
            hint = f"write {text}{time} for the milliseconds since 1970-01-01 in UTC"
            message, span = "a selector has no literal for a time", Span(*match.span())
            return replace(finding, code="syntax.unexpected-token", message=message, span=span, hint=hint)
    return None


def select_statement(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Find ``SELECT * FROM t WHERE a = 1``."""
    first, second = reading.at(0), reading.at(1)
    if first.key != "SELECT" or not (second.kind == "name" or second.key in ("*", "TRUE")):
        return None
    keys = [word.key for word in reading.words]
    behind = keys.index("WHERE") + 1 if "WHERE" in keys else len(keys) - 1
    hint = f"write the condition alone: {reading.shown(behind, len(keys)) or 'a = 1'}"
    message, span = "a selector has no SELECT, FROM and WHERE", Span(first.start, reading.at(behind - 1).end)
    return replace(finding, code="syntax.unexpected-token", message=message, span=span, hint=hint)


def operator_in_parentheses(taken: Captured) -> str:
    """Return ``entry (not like '%aa%')`` with the name before each operator."""
    reading, name, at = taken.reading, f"{taken['x']}", taken["open"].behind
    close = reading.partners.get(at - 1, len(reading.words) - 1)
    parts: list[str] = []
    for number in range(at, close):
        test = number + 1 + (reading.at(number + 1).key == "NOT")
        if reading.at(number).key in ("AND", "OR") and reading.at(test).key in TESTS | COMPARISONS:
            parts += [name, reading.shown(at, number + 1)]
            at = number + 1
    return f"write {' '.join([*parts, name, reading.shown(at, close)])}"


def number_with_comma(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Find ``1,000`` and ``1,5``."""
    comma = reading.at(reading.place)
    match = _NUMBER.match(reading.source.text, reading.at(reading.place - 1).start)
    if comma.kind != "comma" or match is None or match.end() <= comma.start:
        return None
    if match["grouped"]:
        return replace(finding, hint=f"a number has no comma: write {match[0].replace(',', '')}")
    return replace(finding, hint=f"a number has a point before its decimals: write {match[0].replace(',', '.')}")


def unclosed_parenthesis(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Find the parenthesis that is open at the end."""
    if reading.at(reading.place).kind != "end" or reading.opened is None:
        return None
    if reading.at(reading.place - 1).key in COMPARISONS:
        return None
    line, column = reading.source.position(reading.at(reading.opened).start)
    return replace(finding, hint=f"the parenthesis opened at {line}:{column} is never closed")


def closed_without_opening(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
    """Find the parenthesis that closes nothing."""
    if reading.at(reading.place).kind != "close" or reading.opened is not None:
        return None
    return replace(finding, hint="no parenthesis is open here; remove it")


def two_comparisons(taken: Captured) -> str:
    """Return the correction of two signs of comparison side by side."""
    first, second = f"{taken['x']}", f"{taken['y']}"
    joined = first + second
    if first == second:
        return f"remove the second {first}"
    return f"write {joined} without a space" if joined in COMPARISONS else f"write one of {first} and {second}"


def whole_list(taken: Captured) -> str:
    """Return a test for one of the members of a list that has no parentheses."""
    reading, first = taken.reading, taken["members"].first
    brackets = reading.at(first).text
    written = [part.strip() for part in brackets.strip("[]").split(",")] if brackets[0] == "[" else None
    members = written or reading.members_after(first)[0]
    several = "; several: IN ('one', 'other')" if len(members) == 1 else ""
    return f"write {_one_of(taken, members)}{several}"


def corrected_list(taken: Captured) -> str:
    """Return a test for one of the members between parentheses, or of those behind a sign."""
    return f"write {_one_of(taken, taken.reading.members_after(taken['members'].first)[0])}"


def _one_of(taken: Captured, written: list[str]) -> str:
    """Return the test for one of some members: a list, or comparisons where the dialect's lists have strings only.

    A name without quotes was meant as text where a list has no names.
    """
    takes_any = taken.reading.dialect.in_member is ListMember.ANY
    members = [literal(member) if member.isidentifier() and not takes_any else member for member in written]
    name, negated = f"{taken['a']}", taken.is_negated or taken.reading.at(taken.anchor).key == "<>"
    if takes_any or all(member[:1] == "'" for member in members):
        return f"{name} {'NOT ' * negated}IN ({', '.join(members)})"
    sign, joint = ("<>", " AND ") if negated else ("=", " OR ")
    return joint.join(f"{name} {sign} {member}" for member in members)


def each_pattern(taken: Captured) -> str:
    """Return one LIKE for each of some patterns."""
    left = "{a} {no}LIKE".format_map(taken)
    patterns = taken.reading.members_after(taken["members"].first)[0][:5]
    joined = (" AND " if taken.is_negated else " OR ").join(f"{left} {pattern}" for pattern in patterns)
    return f"LIKE takes one string without parentheses: write {joined}"


def quote_inside(taken: Captured) -> str:
    """Return the text of a literal that ended at its apostrophe, with the quote written twice."""
    reading, last = taken.reading, taken.underlined.first
    tail = next(word for word in reading.words[last:] if word.kind not in ("name", "number", "keyword"))
    if tail.kind != "string" or tail.is_closed:
        return "join conditions with AND or OR; a quote inside a literal is written twice"
    text = reading.at(last - 1).text[1:-1] + "''" + reading.source.text[reading.at(last).start : tail.start]
    return f"a quote inside a literal is written twice: '{shortened(text)}'"


def as_name(taken: Captured) -> str:
    """Return how the dialect writes the name between wrong quotes."""
    dialect, hyphens, name = taken.reading.dialect, taken.reading.hyphens, shortened(taken["x"].content)
    if name.replace("-" if hyphens else ".", "_").isidentifier():
        hint = f"write the name without quotes: {name}"
    elif hyphens:
        hint = f'leave the prefix out and write "{name}"'
    elif dialect.has(Extension.BRACKETS):
        hint = f"write the name in brackets: [{name}]"
    elif dialect.double_quotes is DoubleQuotes.IDENTIFIER:
        hint = f'write the name in double quotes: "{name}"'
    else:
        dots = " and dots" if dialect.identifiers is not Identifiers.ASCII else ""
        hint = f"the name of a property has letters, digits, _ and ${dots}"
    return hint + f"{taken['elsewhere']}"


def regex_elsewhere(taken: Captured) -> str:
    """Return a test by a regular expression, which one dialect has as a function."""
    regex, other = "REGEX({x:text}, {a})".format_map(taken), dialects_with(Extension.FUNCTIONS)
    return f"did you mean LIKE, with % and _ as wildcards? the dialect {other} has {regex}"


def functions_elsewhere(taken: Captured) -> str:
    """Return which dialect has functions."""
    own = "has no function but UTC()" if taken.reading.dialect.has(Extension.UTC) else "has no functions"
    return f"{taken.reading.dialect.title} {own}; the dialect activemq has REGEX, INLIST, MAKELIST, SPLIT and REPLACE"


_COMPARED = "=,<>,<,<=,>,>="
_INSIDE = "a ?NOT IN open members"
_JOIN = "join conditions with AND or OR"
_EXAMPLE = "write {a} {no}IN ('one', 'other')"
_RESERVED = "{word:raw} is a reserved word and cannot be the name of a property"

Rule = Callable[[Reading, Diagnostic], Diagnostic | None]


def _saying(message: str, *rows: Row, code: str | None = None) -> tuple[Row, ...]:
    return tuple(replace(row, message=message, code=code) for row in rows)


_hint = partial(Row, ends_at_place=True)
_sign = partial(_saying, code="syntax.operator")

#: Mistakes that are known by the words around the place of an error.
RULES: tuple[Rule, ...] = (
    # prefixes, times and statements
    unknown_prefix,
    time_without_quotes,
    select_statement,
    *_saying("a selector has no WHERE", Row("start @WHERE ?NOT b", "write the condition alone: {rest}")),
    *_saying("a selector has no {x:key} BY", Row("ending @x:ORDER,GROUP", "write the condition alone")),
    *_saying("a selector has no {x:key}", Row("ending @x:HAVING,LIMIT", "write the condition alone")),
    *_saying(
        "the operator stands before the parenthesis",
        Row("x:called @open ?NOT compares", operator_in_parentheses),
        Row("x:called @open ?NOT tests", operator_in_parentheses),
    ),
    # ESCAPE and LIKE
    *_saying(
        "ESCAPE takes one character in quotes, {found}",
        Row("string,quoted ESCAPE @x:character", "write ESCAPE {x:text}"),
        Row("string,quoted ESCAPE @notstring", "write for example ESCAPE '!'"),
    ),
    Row("a ?NOT LIKE end", "write {a} {no}LIKE 'text%', with % for any characters and _ for one"),
    *_saying(
        "expected a string literal after {before}, {found}",
        Row("a LIKE @NOT ?b", "write {a} NOT LIKE {b}"),
        Row("a ?NOT LIKE @NULL", "write {a} IS {no}NULL"),
        Row("a ?NOT LIKE @open members", each_pattern),
    ),
    *_saying("text goes into single quotes", Row("a ?NOT LIKE @x:quoted", "put it into single quotes: {x:text}")),
    *_saying(
        "expected a string literal after {before}, found {x:raw}",
        Row("a ?NOT LIKE @x:unquoted", "put it into single quotes: {x:text}"),
    ),
    # IS
    *_saying(
        "expected {nulls} after {before}, {found}",
        Row("a IS @TRUE", "write {a} = TRUE or {a}"),
        Row("a IS @FALSE", "write {a} = FALSE or NOT {a}"),
        Row("a IS ?NOT @TRUE", "write {a} = FALSE or NOT {a}; add OR {a} IS NULL for the messages without it"),
        Row("a IS ?NOT @FALSE", "write {a} = TRUE or {a}; add OR {a} IS NULL for the messages without it"),
        Row("a IS @end", "write {a} IS NULL or {a} IS NOT NULL"),
        Row("a IS ?NOT @end", "write {a} IS NOT NULL"),
        Row("a IS ?NOT @op:LIKE,IN,BETWEEN", "write {a} {no}{op} … without IS"),
        Row("a IS @op:compares ?b", "write {a} {op} {b}"),
        Row("a IS ?NOT @op:compares ?b", "write {a} {op:opposite} {b}"),
        Row("a IS ?NOT @EQUAL,EQUALS ?TO ?b", "write {a} {equals} {b}"),
        Row("a IS @DEFINED,EXISTING,PRESENT,SET", "write {a} IS NOT NULL"),
        Row("a IS ?NOT @DEFINED,EXISTING,PRESENT,SET", "write {a} IS NULL"),
        Row("a IS ?NOT @ABSENT,BLANK,EMPTY,MISSING,NIL,NONE,NULLABLE,~NULL", "write {a} IS {no}NULL"),
        Row("a IS ?NOT @UNDEFINED,UNKNOWN,UNSET,VOID", "write {a} IS {no}NULL"),
        Row("a IS ?NOT @b", "IS tests for a missing property only, with IS NULL; write {a} {equals} {b}", at="notnull"),
    ),
    *_sign(
        "{title} has no remainder operator",
        Row("@%", "activemq, artemis, qpid-java and rabbitmq have %", "no remainder"),
    ),
    # BETWEEN
    *_saying(
        "{title} has no BETWEEN",
        Row("a NOT @BETWEEN ?b ?AND,OR,TO,comma ?c", "write {a} < {b} OR {a} > {c}", "no between"),
        Row("a @BETWEEN open b comma c", "write {a} >= {b} AND {a} <= {c}", "no between"),
        Row("a @BETWEEN ?b ?AND,OR,TO,comma ?c", "write {a} >= {b} AND {a} <= {c}", "no between"),
    ),
    *_saying(
        "expected AND and the upper bound after {before}, {found}",
        Row("a ?NOT BETWEEN open b @comma,TO,OR ?c", "write {a} {no}BETWEEN {b} AND {c}"),
        Row("a ?NOT BETWEEN b @OR,TO,comma,other,operator,end,close ?c", "write {a} {no}BETWEEN {b} AND {c}"),
        Row("a ?NOT BETWEEN b @c", "write {a} {no}BETWEEN {b} AND {c}"),
    ),
    # quotes
    Row("string ^@name,number,keyword", quote_inside),
    *_saying(
        "a double quote begins nothing {where}",
        Row("start,open,AND,OR,NOT @x:doubled end,compares,tests,NOT,AND,OR", as_name),
    ),
    *_saying("a backtick begins nothing {where}", Row("start,open,AND,OR,NOT @x:backtick compares,tests", as_name)),
    *_saying("{mark} cannot be part of a name", Row("start,open,AND,OR,NOT @x:quoted compares,tests", as_name)),
    *_saying(
        "text goes into single quotes",
        Row("@x:unclosedname", "write {x:text}{elsewhere}"),
        Row("@unclosed", "write ' at both ends{elsewhere}"),
    ),
    *_saying(
        "a double quote begins nothing {where}",
        Row("@x:doubled", "text goes into single quotes: {x:text}{elsewhere}", fix="{x:text}"),
    ),
    *_saying("text goes into single quotes", Row("@x:quoted", "write {x:text}", fix="{x:text}")),
    *_saying(
        "this name is never closed",
        Row("@opendouble", "close it with a double quote", "names in double quotes"),
        code="syntax.double-quote",
    ),
    *_saying(
        "this string literal is never closed",
        Row("@opendouble", "close it with a double quote"),
        code="syntax.double-quote",
    ),
    *_saying(
        "this string literal is never closed",
        Row("x:name,number ^@opentext", "text goes into single quotes: {x:text}"),
        Row("@x:crooked", "close it with a straight quote: {x:text}"),
        Row("@opentext", "close it with a single quote; a quote inside a literal is written twice"),
        code="syntax.unterminated-string",
    ),
    # lists
    Row("a ?NOT IN end", _EXAMPLE),
    *_saying(
        "expected a list in parentheses after {before}, {found}",
        Row("a ?NOT IN @members:bracketed,operand,{", whole_list),
        Row("a ?NOT IN @notopen", _EXAMPLE),
    ),
    *_saying("a list has at least one string", Row("a ?NOT IN open @close,end", _EXAMPLE, "lists of strings")),
    *_saying("a list has at least one value", Row("a ?NOT IN open @close,end", _EXAMPLE, "lists of anything")),
    *_saying(
        "a comma stands between two members, {found} after {before}",
        Row(_INSIDE, corrected_list, at="comma,open @close,comma"),
    ),
    Row("IN open x:words", "text goes into single quotes: {x:text}", "lists of strings"),
    *_saying("a comma is missing after {before}, {found}", Row(_INSIDE, corrected_list, at="ending operand")),
    *_saying(
        "expected a comma or a closing parenthesis after {before}, {found}",
        Row(
            _INSIDE, lambda taken: f"a list is separated by commas: {corrected_list(taken)}", at="ending ;,|,||,OR,AND"
        ),
    ),
    # operators of other languages, and misspelled ones
    *_saying(
        "there is no such operator: {op:raw}",
        Row("a @op:ISNULL", "write {a} IS NULL"),
        Row("a @op:NOTNULL,EXISTS", "write {a} IS NOT NULL"),
        Row("a NOT @op:spelled ?TO ?b", "write NOT ({a} {op:sign} {b})"),
        Row("a @op:spelled ?TO ?b", "write {a} {op:sign} {b}"),
        Row("a ?NOT @op:ILIKE b", "did you mean LIKE? write {a} {no}LIKE {b}; case counts"),
        Row("a ?NOT @op:contains ?open x:word", "did you mean LIKE? write {a} {no}LIKE '%{x:content}%'"),
        Row("a ?NOT @op:starts ?WITH ?open x:word", "did you mean LIKE? write {a} {no}LIKE '{x:content}%'"),
        Row("a ?NOT @op:ends ?WITH ?open x:word", "did you mean LIKE? write {a} {no}LIKE '%{x:content}'"),
        Row(
            "a ?NOT @op:regular ?TO ?open x:word",
            "did you mean LIKE, with % and _ as wildcards? or write {no}REGEX({x:text}, {a})",
            "functions",
        ),
        Row("a ?NOT @op:regular ?TO ?open x:word", regex_elsewhere),
        Row("ending @op:XOR", _JOIN),
        Row("LIKE string @op:~ESCAPE x:string", "did you mean ESCAPE? write ESCAPE {x}"),
        Row("ending @op:~AND ?NOT b compares,tests,NOT", "did you mean AND?"),
        Row("ending @op:~AND open", "did you mean AND?"),
        Row("ending @op:~OR ?NOT b compares,tests,NOT", "did you mean OR?"),
        Row("ending @op:~OR open", "did you mean OR?"),
        Row("a ?NOT @op:~LIKE x:string,quoted", "did you mean LIKE? write {a} {no}LIKE {x}"),
        Row("a @op:~IS NULL,NOT", "did you mean IS?"),
        Row("a ?NOT @op:~IN x:group", "did you mean IN? write {a} {no}IN {x}"),
        Row("a ?NOT @op:~BETWEEN b AND", "did you mean BETWEEN?", "between"),
        Row("a ?NOT @op:~BETWEEN b AND", "{title} has no BETWEEN; write {a} >= … AND {a} <= …"),
        Row("a @op:~NOT tests", "did you mean NOT?"),
    ),
    Row(f"{_COMPARED} x:words", "text goes into single quotes: {x:text}"),
    _hint(f"{_COMPARED} b name", _JOIN),
    Row("start ~NOT name", "did you mean NOT at the beginning?"),
    *_saying(
        "there is no such operator: {op:raw}",
        Row("a @op:called b", "the operators are =, <>, <, <=, >, >=, LIKE, IN, {between}IS NULL, AND and OR"),
    ),
    _hint("x:name y:name", f"{_JOIN}; text goes into single quotes: '{{x:content}} {{y:content}}'"),
    _hint("a name", _JOIN),
    # NOT before an operator
    *_saying(
        "expected {operators} after {before}, {found}",
        Row("a NOT @IS NOT", "write {a} IS NULL"),
        Row("a NOT @IS x:TRUE,FALSE", "write NOT ({a} = {x})"),
        Row("a NOT @IS", "write {a} IS NOT NULL"),
        Row("a NOT @<>,!= ?b", "write {a} = {b}"),
        Row("a NOT @==,=== ?b", "write {a} <> {b}"),
        Row("a NOT @op:compares ?b", "write NOT ({a} {op} {b}) or {a} {op:opposite} {b}"),
        Row("a NOT @b", "write {a} <> {b}"),
        Row("a NOT @nottest", "NOT stands before a condition, as in NOT ({a} = …)"),
    ),
    # commas
    unclosed_parenthesis,
    Row("comma end", "remove the comma"),
    number_with_comma,
    Row("a =,<> members:several", corrected_list, at="comma"),
    Row("a =,<> open members:several close", corrected_list, at="comma"),
    _hint("comma", _JOIN),
    # NULL
    Row("a =,== NULL", "nothing equals NULL; write {a} IS NULL", "no null", at="NULL", fix="IS NULL"),
    Row("a <>,!= NULL", "nothing equals NULL; write {a} IS NOT NULL", "no null", at="NULL", fix="IS NOT NULL"),
    Row("NULL = ?b", "nothing equals NULL; write {b} IS NULL", "no null"),
    Row("NULL <>,!= ?b", "nothing equals NULL; write {b} IS NOT NULL", "no null"),
    Row("compares NULL", "nothing is below or above NULL; write IS NULL or IS NOT NULL", "no null"),
    Row("NULL compares", "nothing is below or above NULL; write IS NULL or IS NOT NULL", "no null"),
    Row(_INSIDE, "a list has no NULL; write OR … IS NULL behind it", "no null", at="NULL"),
    # operators without an operand on the left; a reserved word may have been meant as a name
    Row("start,open,AND,OR word:tests compares", _RESERVED),
    *_saying(
        "expected an operand before {op:raw}",
        Row(
            "a ?NOT compares,tests b AND,OR @op:compares,tests c",
            "the name stands before each operator: write {a} {op} {c}",
        ),
        Row(
            "a ?NOT compares,tests b AND,OR NOT @op:compares,tests c",
            "the name stands before each operator: write {a} NOT {op} {c}",
        ),
        Row("AND,OR ?NOT @op:compares,tests", "the name stands before each operator"),
        Row("start,open @op:tests", "the name of a property stands before the operator: color {op} …"),
        Row("start,open @op:compares", "the name of a property stands before the operator: a {op} …"),
    ),
    # signs of other languages
    *_sign("{title} has no operator that joins texts", Row("x:string @|| y:string", "write '{x:content}{y:content}'")),
    *_sign("{title} writes {op} as OR", Row("@op:||", "write OR", fix="OR"), Row("@op:|", "write OR")),
    *_sign("{title} writes {op} as AND", Row("@op:&&", "write AND", fix="AND"), Row("@op:&", "write AND")),
    *_sign(
        "{title} writes 'not equal' as <>",
        Row("@!=", "write <>; the dialect rabbitmq takes !=", "no !=", fix="<>"),
        Row("a @! @= ?b", "write {a} <> {b}", fix="<>"),
        Row("?a @=!,!== ?b", "write {a} <> {b}", fix="<>"),
    ),
    *_sign(
        "{title} writes ! as NOT",
        Row("a @! x:LIKE,IN,BETWEEN", "write NOT {x}", fix="NOT"),
        Row("@! b", "write NOT {b}", fix="NOT"),
        Row("@!", "write NOT", fix="NOT"),
    ),
    *_sign("an equality is written with one =", Row("?a @==,===,:= ?b", "write {a} = {b}", fix="=")),
    *_sign(
        "there is no operator {op}",
        Row("?a @op:!> ?b", "write {a} <= {b}", fix="<="),
        Row("?a @op:!< ?b", "write {a} >= {b}", fix=">="),
        Row("?a @op:~,=~,~=,~~ ?x:word", "did you mean LIKE? write {a} LIKE {x:text}"),
        Row("?a @op:!~,!~~ ?x:word", "did you mean LIKE? write {a} NOT LIKE {x:text}"),
        Row("?a @op:~*,~~* ?x:word", "did you mean LIKE? write {a} LIKE {x:text}; case counts"),
        Row("?a @op:!~*,!~~* ?x:word", "did you mean LIKE? write {a} NOT LIKE {x:text}; case counts"),
    ),
    *_sign("a selector is one condition, without a semicolon", Row("@;", "remove it")),
    *_saying(
        "a bracket begins nothing in {title}",
        Row("@bracketed", "the dialect rabbitmq takes [a name] in brackets", "no brackets"),
        code="syntax.bracket",
    ),
    *_saying(
        "a backslash begins nothing in {title}",
        Row("@\\", "inside a literal, a quote is written twice"),
        code="syntax.backslash",
    ),
)

#: Hints for patterns of words at the place of the parser's error, whose message stays.
HINTS: tuple[Rule, ...] = (
    _hint("BETWEEN b AND end", "write the upper bound behind it"),
    _hint("AND,OR,NOT end", "write a condition behind it"),
    _hint(f"{_COMPARED},+,-,*,/,%,BETWEEN,comma end", "write a value behind it"),
    _hint("AND x:AND", "remove the second {x:raw}"),
    _hint("OR x:OR", "remove the second {x:raw}"),
    _hint("x:AND,OR y:AND,OR", "keep one of the two: {x} or {y}"),
    _hint("start,open x:AND,OR", "remove the {x:raw}, or write a condition before it"),
    _hint("=>", "write >="),
    _hint("=<", "write <="),
    _hint("x:compares y:compares", two_comparisons),
    _hint("incomparable", "the comparison operators are =, <>, <, <=, > and >="),
    closed_without_opening,
    _hint("called open", functions_elsewhere, "no functions"),
    _hint("XPATH,XQUERY string", "{title} does not look into the body; the dialects activemq and artemis have XPATH"),
    _hint("ending compares", "comparisons do not chain; join two of them with AND, or put the first into parentheses"),
    _hint("ending beginning", f"{_JOIN}; a quote inside a literal is written twice"),
    _hint("opening word:reserved", _RESERVED),
)
