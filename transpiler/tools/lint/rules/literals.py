"""Rules on literals: quotes, numbers, dates, lists and patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator

from transpiler.base.comparison import Comparison
from transpiler.base.diagnostics import Fix
from transpiler.base.entities import ENTITY, without_entities
from transpiler.base.source import Span
from transpiler.base.text_pattern import Wildcard
from transpiler.base.times import iso_time
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Division, Wildcards
from transpiler.language.selector.literal_scanner import string_literal
from transpiler.language.selector.numbers import spelled_number
from transpiler.language.selector.pattern import pattern_of
from transpiler.message.header_fields import Conversion
from transpiler.message.ids import PREFIX
from transpiler.tools.analysis.building import identity_of
from transpiler.tools.lint.rule import Context, Rule, Violation
from transpiler.tools.lint.rules.spelling import is_null

_OCTAL = re.compile(r"(-?)\s*(0[0-7]+)[lL]?")
_DATE = re.compile(r"[12][0-9]{3}([-/])[01][0-9]\1[0-3][0-9]")
#: ``_STARRED`` matches a text that begins or ends with "*", as in patterns of file names. ``_WITH_PERCENT`` matches one
#: that begins or ends with "%", except a percentage such as 50%.
_STARRED = re.compile(r"(?=.*\w)(?:\*.*|.*\*)", re.DOTALL)
_WITH_PERCENT = re.compile(r"(?=.*\w)(?:%.*|.*[^\W\d]%)", re.DOTALL)
_ESCAPED = re.compile(r"\\[%_]")
#: Conversions after which every ID begins with ``PREFIX``.
_PREFIXED = (Conversion.MESSAGE_ID, Conversion.PREFIXED_ID)


def _quoted_number(node: ast.Compare, context: Context) -> Iterator[Violation]:
    # With the prefix that converts strings, comparing a string with a number is not a mistake.
    if context.converts_strings:
        return
    for named, other in ((node.left, node.right), (node.right, node.left)):
        if not isinstance(named, ast.Identifier) or not isinstance(other, ast.StringLiteral):
            continue
        number = spelled_number(other.value)
        if context.header(named) is None and number is not None and not is_null(named, context):
            message = "this compares text: a property that holds a number never equals it"
            yield Violation(message, other.span, f"to compare the number, write {number}", fix=Fix(number))


def _quoted_boolean(node: ast.Compare, context: Context) -> Iterator[Violation]:
    if context.converts_strings or not node.operator.is_equality:
        return
    for named, other in ((node.left, node.right), (node.right, node.left)):
        if not isinstance(named, ast.Identifier) or not isinstance(other, ast.StringLiteral):
            continue
        word = other.value.strip().upper()
        if context.header(named) is None and word in ("TRUE", "FALSE"):
            message = "this compares text: a property that holds a boolean never equals it"
            yield Violation(message, other.span, f"to compare the boolean, write {word}", fix=Fix(word))


def _integer_division(node: ast.Calculate, context: Context) -> Iterator[Violation]:
    if context.dialect.division not in (Division.TRUNCATING, Division.TRUNCATING_THROWING):
        return
    left, right = node.left, node.right
    if node.operator is not ast.Arithmetic.DIVIDE or not isinstance(right, ast.IntegerLiteral) or not right.value:
        return
    if isinstance(left, ast.IntegerLiteral) and left.value % right.value:
        written = context.text(node)
        message = f"{written} is {left.value // right.value}: an integer divided by an integer has no fraction"
        exact, hint = f"{left.value}.0", f"for the fraction, write {left.value}.0/{right.value}"
        yield Violation(message, node.span, hint, fix=Fix(exact, span=left.span))


def _octal_number(node: ast.IntegerLiteral, context: Context) -> Iterator[Violation]:
    text = context.source.text[slice(*node.span)]
    octal = _OCTAL.fullmatch(text)
    decimal = node.value if octal is None else int(octal[1] + octal[2])
    if decimal != node.value:
        hint = f"write {decimal} for the decimal number, or {node.value} for this one"
        message = f"a number that begins with 0 is octal: {text} is {node.value}"
        yield Violation(message, node.span, hint, fix=Fix(str(decimal)))


def _date_as_subtraction(node: ast.Compare | ast.In | ast.Between, context: Context) -> Iterator[Violation]:
    """Warn about ``2024-01-31`` without quotes, which is the number 1992, and about ``2024/01/31``."""
    for part in ast.children(node):
        text = context.source.text[part.span.start : part.span.end]
        time = iso_time(text.replace("/", "-")) if isinstance(part, ast.Calculate) and _DATE.fullmatch(text) else None
        if time is None:
            continue
        year, month, day = map(int, re.split("[-/]", text))
        given = f"is a subtraction and gives {year - month - day}" if "-" in text else "is a division, and no date"
        # Most dialects do not order texts, so suggest a text only for = and IN.
        takes_text = isinstance(node, ast.In) or (isinstance(node, ast.Compare) and node.operator.is_equality)
        text_or = f"write '{text}' for text, or " if takes_text else "write "
        hint = f"{text_or}{time} for the milliseconds since 1970-01-01 in UTC"
        fix = Fix(f"'{text}'" if takes_text else str(time))
        yield Violation(f"this {given}", part.span, hint, fix=fix)


def _comma_in_string(node: ast.In, context: Context) -> Iterator[Violation]:  # noqa: ARG001
    if len(node.members) == 1 and isinstance(node.members[0], ast.StringLiteral) and "," in node.members[0].value:
        member = node.members[0]
        parts = [part.strip(" '\"") for part in member.value.split(",")]
        members = ", ".join(string_literal(part) for part in parts if part)
        message = "this is one string with a comma, not several strings"
        yield Violation(message, member.span, f"write {members}", fix=Fix(members))


def _without_wildcard(node: ast.Like, context: Context) -> Iterator[Violation]:
    parts = pattern_of(node, context.dialect.escapes)
    if parts is not None and all(isinstance(part, str) for part in parts):
        sign, pattern = "<>" if node.negated else "=", node.pattern.value
        hint = f"write {sign}"
        shown = context.source.text[node.operand.span.start : node.operand.span.end]
        texts = "".join(part for part in parts if isinstance(part, str))
        if node.escape is not None and (_STARRED.fullmatch(texts) or _WITH_PERCENT.fullmatch(texts)):
            # An escaped wildcard shows that LIKE is used on purpose. Do not suggest an equality with this text, which
            # would look as if it had a wildcard by mistake.
            return
        fix = Fix(f"{shown} {sign} {string_literal(texts)}", span=context.bare_span(node))
        if node.escape is None and ("*" in pattern or "?" in pattern):
            meant = pattern.replace(".*", "%").replace("*", "%").replace("?", "_")
            hint = f"% stands for any text and _ for one character, and case counts: write {string_literal(meant)}"
            fix = Fix(string_literal(meant))
        yield Violation("a pattern without % or _ matches one text only", node.pattern.span, hint, fix=fix)


def _backslash_without_escape(node: ast.Like, context: Context) -> Iterator[Violation]:
    parts = pattern_of(node, context.dialect.escapes) or ()
    kept = any("\\" in part for part in parts if isinstance(part, str))
    if node.escape is None and kept and _ESCAPED.search(node.pattern.value):
        written = f"{string_literal(node.pattern.value)} ESCAPE '\\'"
        message = "a backslash escapes nothing without ESCAPE: this asks for the backslash itself"
        yield Violation(message, node.pattern.span, f"write {written}", fix=Fix(written))


def _wildcard_without_like(node: ast.Compare | ast.In, context: Context) -> Iterator[Violation]:
    """Warn about ``color = 'bl*'``, because an equality has no wildcards."""
    match node:
        case ast.In(operand=ast.Identifier() as named, members=members, negated=no):
            texts = [one for one in members if isinstance(one, ast.StringLiteral)]
        case (
            ast.Compare(left=ast.Identifier() as named, right=ast.StringLiteral() as text, operator=operator)
            | ast.Compare(left=ast.StringLiteral() as text, right=ast.Identifier() as named, operator=operator)
        ) if operator.is_equality:
            texts, no = [text], operator is Comparison.NE
        case _:
            return
    alone = isinstance(node, ast.Compare) or len(node.members) == 1
    for text in texts:
        wildcard = _wildcard_of(text.value, named, context)
        if wildcard is None:
            continue
        condition = _like(named, text.value, wildcard, no, context)
        message, hint = (
            f"{wildcard} is no wildcard beside {'IN' if isinstance(node, ast.In) else node.operator.value}",
            f"write {condition}",
        )
        if not alone:
            hint = f"perhaps {condition} {'AND' if no else 'OR'} … is meant"
        yield Violation(message, text.span, hint, fix=Fix(condition, span=context.bare_span(node)) if alone else None)


def _wildcard_of(text: str, named: ast.Identifier, context: Context) -> str | None:
    """Return the character in ``text`` that was probably meant as a wildcard, or None."""
    field = context.header(named)
    is_id = field is not None and (field.is_jms_id or field.has_conversion(*_PREFIXED))
    if _STARRED.fullmatch(text) or (is_id and "*" in text):
        return "*"
    return "%" if _WITH_PERCENT.fullmatch(text) else None


def _like(named: ast.Identifier, text: str, wildcard: str, negated: bool, context: Context) -> str:
    """Return a LIKE condition on ``named`` as text, in which ``wildcard`` of ``text`` becomes a wildcard of LIKE."""
    shown, no = context.written(named), "NOT " * negated
    if not text.strip("*"):
        return f"{shown} IS {'' if negated else 'NOT '}NULL"
    if wildcard == "%":
        return f"{shown} {no}LIKE {string_literal(text)}"
    if _has_prefix(named, context):
        text = _with_prefix(text, "*")
    escaped = re.sub("[!%_]", r"!\g<0>", text)
    escape = "" if escaped == text else " ESCAPE '!'"
    return f"{shown} {no}LIKE {string_literal(escaped.replace('*', '%'))}{escape}"


def id_pattern(node: ast.Like, context: Context) -> Iterator[Violation]:
    """Warn about a LIKE pattern that cannot match any message ID, because every ID starts with ``PREFIX``."""
    parts = pattern_of(node, context.dialect.escapes)
    if not _has_prefix(node.operand, context) or not parts or not isinstance(parts[0], str):
        return
    pattern = node.pattern.value
    if parts[0][: len(PREFIX)] != PREFIX[: len(parts[0])]:
        name, outcome = context.text(node.operand), "true of every other" if node.negated else "never true"
        written = string_literal(PREFIX + pattern)
        message = f"each {name} begins with {PREFIX}, so this is {outcome}"
        yield Violation(message, node.pattern.span, f"write {written}", fix=Fix(written))


def _has_prefix(named: ast.Expression, context: Context) -> bool:
    """Return True if ``named`` is an ID that is always read with its prefix, and not a column of the user's table."""
    field = context.header(named)
    own = isinstance(named, ast.Identifier) and not named.section and named.name in (context.known or ())
    return field is not None and field.has_conversion(*_PREFIXED) and not own


def _with_prefix(pattern: str, wildcard: str) -> str:
    """Return ``pattern`` with ``PREFIX`` before it, unless the pattern already matches IDs with this prefix."""
    fixed = pattern.partition(wildcard)[0]
    return pattern if fixed.startswith(PREFIX) or (PREFIX.startswith(fixed) and fixed != pattern) else PREFIX + pattern


def _markup_in_text(node: ast.StringLiteral | ast.Like, context: Context) -> Iterator[Violation]:  # noqa: ARG001
    text = node.pattern if isinstance(node, ast.Like) else node
    if "&" in text.value and ENTITY.search(text.value):
        written = string_literal(without_entities(text.value))
        found = ", ".join(dict.fromkeys(ENTITY.findall(text.value)))
        message = f"{found} in a text is no markup: the text has these characters"
        yield Violation(message, text.span, f"if XML was copied, write {written}", fix=Fix(written))


def _any_text(node: ast.Like, context: Context) -> Iterator[Violation]:
    parts = pattern_of(node, context.dialect.escapes)
    if parts and all(part is Wildcard.ANY for part in parts):
        shown, written = context.text(node.operand), context.written(node.operand)
        of_lines = context.dialect.wildcards in (Wildcards.LINES, Wildcards.BYTES_OF_LINE)
        every = "every text of one line" if of_lines else "every text"
        if node.negated:
            message = f"{every} matches %, so this is true of none"
            hint = f"for messages without {shown}, write {shown} IS NULL"
        else:
            message, hint = f"{every} matches %: this asks if {shown} is text", f"write {shown} IS NOT NULL"
        fix = Fix(f"{written} IS {'' if node.negated else 'NOT '}NULL", span=context.bare_span(node))
        yield Violation(message, node.pattern.span, hint, fix=fix)


def _empty_range(node: ast.Between, context: Context) -> Iterator[Violation]:
    match node:
        case ast.Between(
            low=ast.IntegerLiteral(value=low) | ast.FloatLiteral(value=low),
            high=ast.IntegerLiteral(value=high) | ast.FloatLiteral(value=high),
            negated=negated,
        ) if low > high:
            what = "everything is outside of" if negated else "nothing is between"
            first, last = node.low.span, node.high.span
            text = context.source.text
            exchanged = text[slice(*last)] + text[first.end : last.start] + text[slice(*first)]
            fix = Fix(exchanged, span=first.to(last))
            yield Violation(f"{what} {low} and {high}", node.span, "exchange the bounds", fix=fix)


def _repeated(node: ast.In | ast.And | ast.Or, context: Context) -> Iterator[Violation]:  # noqa: ARG001
    what = "member occurs in the list" if isinstance(node, ast.In) else "condition occurs"
    seen: set[object] = set()
    before: ast.Expression | None = None
    for part in node.members if isinstance(node, ast.In) else node.terms:
        key = identity_of(part)
        if key in seen and before is not None:
            fix = Fix("", span=Span(before.span.end, part.span.end))
            yield Violation(f"this {what} twice", part.span, "remove one of the two", fix=fix)
        seen.add(key)
        before = part


RULES = (
    Rule(
        id="lint.quoted-number",
        title="A number in quotes",
        severity="info",
        wrong="weight = '2600'",
        right="weight = 2600",
        why="`'2600'` is a text, and a text never equals a number. So the comparison selects only messages whose "
        "property is the text `'2600'`. Ignore this warning if producers set the property as a text, as for "
        "account numbers and postal codes.",
        nodes=(ast.Compare,),
        find=_quoted_number,
    ),
    Rule(
        id="lint.quoted-boolean",
        title="A boolean in quotes",
        wrong="isActive = 'true'",
        right="isActive = TRUE",
        why="`'true'` is a text, and a text never equals a boolean. So the comparison selects only messages whose "
        "property is the text `'true'`. Ignore this warning if producers set the property as a text.",
        nodes=(ast.Compare,),
        find=_quoted_boolean,
    ),
    Rule(
        id="lint.octal-number",
        title="A number that begins with 0",
        wrong="code = 0777",
        right="code = 777",
        why="Selectors have the number format of Java: a number with a leading 0 is octal, so `0777` is 511.",
        nodes=(ast.IntegerLiteral,),
        find=_octal_number,
    ),
    Rule(
        id="lint.integer-division",
        title="A division of integers that loses its fraction",
        wrong="ratio > 1/2",
        right="ratio > 1.0/2",
        why="As in Java, the quotient of two integers is an integer without the fraction: `1/2` is 0, and `ratio > "
        "1/2` selects every positive ratio. To keep the fraction, write one of the numbers with a decimal point. "
        "In dialects that calculate only with floating point numbers, `check` does not give this warning.",
        nodes=(ast.Calculate,),
        find=_integer_division,
    ),
    Rule(
        id="lint.date-as-subtraction",
        title="A date without quotes",
        wrong="expiry >= 2024-01-01",
        right="expiry >= 1704067200000",
        why="Without quotes, `2024-01-01` is a subtraction: 2024 minus 1 minus 1 is 2022. The header fields of JMS "
        "that contain a time, such as `JMSTimestamp`, are numbers of milliseconds since 1970-01-01. If a property "
        "contains a date as text, compare it with `=` or `IN` and a text in quotes. In most dialects `<` and `>` "
        "do not apply to texts.",
        nodes=(ast.Compare, ast.In, ast.Between),
        find=_date_as_subtraction,
        instead_of=("lint.integer-division",),
    ),
    Rule(
        id="lint.comma-in-string",
        title="One string with a comma instead of several strings",
        wrong="JMSType IN ('closed, saleUpdate')",
        right="JMSType IN ('closed', 'saleUpdate')",
        why="In the list after `IN`, each string needs its own quotes. If the list contains only one string with a "
        "comma inside, `IN` matches only that whole string.",
        nodes=(ast.In,),
        find=_comma_in_string,
    ),
    Rule(
        id="lint.like-without-wildcard",
        title="LIKE without a wildcard",
        wrong="region LIKE 'eu'",
        right="region LIKE 'eu%'",
        why="The wildcards of `LIKE` are `%` for any text and `_` for one character. A pattern without wildcards "
        "matches only one text, so `LIKE` with such a pattern is the same as `=`.",
        nodes=(ast.Like,),
        find=_without_wildcard,
    ),
    Rule(
        id="lint.backslash-without-escape",
        title="A backslash before a wildcard",
        wrong="name LIKE '%100\\%'",
        right="name LIKE '%100\\%' ESCAPE '\\'",
        why="In a pattern of `LIKE`, a backslash escapes a wildcard only if the selector declares it, with `ESCAPE "
        "'\\'` after the pattern. Without `ESCAPE`, the backslash is an ordinary character of the pattern, and the "
        "`%` or `_` after it is still a wildcard.",
        nodes=(ast.Like,),
        find=_backslash_without_escape,
    ),
    Rule(
        id="lint.wildcard-without-like",
        title="A wildcard without LIKE",
        wrong="color = 'bl*'",
        right="color LIKE 'bl%'",
        why="`=`, `<>` and `IN` compare a text character by character, so `*` and `%` are ordinary characters. "
        "Wildcards belong to `LIKE`: `%` stands for any text and `_` for one character. `check` does not warn "
        "about the text `'*'` or about a percentage such as `'50%'`. If the values of the property really begin or "
        "end with `*` or `%`, ignore the warning.",
        nodes=(ast.Compare, ast.In),
        find=_wildcard_without_like,
        instead_of=("id.form", "lint.comma-in-string"),
    ),
    Rule(
        id="lint.markup-in-text",
        title="XML markup in a text",
        wrong="name = 'O&apos;Brien'",
        right="name = 'O''Brien'",
        why="Outside an XML file `&apos;`, `&amp;` and `&gt;` have no special meaning: a text with `&amp;` equals "
        "only a value that contains the same five characters. When an XML file is read, each of these XML entities "
        "is replaced by the character for which it stands. If a selector from an XML file still contains an entity "
        "after that, the file contains the character in doubly escaped form.",
        nodes=(ast.StringLiteral, ast.Like),
        find=_markup_in_text,
    ),
    Rule(
        id="lint.like-any-text",
        title="LIKE '%'",
        wrong="region LIKE '%'",
        right="region IS NOT NULL",
        why="Every text matches the pattern `%`. A missing property, or a value that is not a text, does not match "
        "the pattern. So `LIKE '%'` tests whether the property is a text; to test whether the property exists, "
        "write `IS NOT NULL`.",
        nodes=(ast.Like,),
        find=_any_text,
        instead_of=("lint.may-be-absent",),
    ),
    Rule(
        id="lint.empty-range",
        title="A range from high to low",
        wrong="weight BETWEEN 10 AND 5",
        right="weight BETWEEN 5 AND 10",
        why="`BETWEEN` takes its lower bound first. If the first bound of `BETWEEN` is higher than the second, no "
        "number is in the range.",
        nodes=(ast.Between,),
        find=_empty_range,
        instead_of=("lint.never-true", "lint.out-of-range"),
        claim="never",
    ),
    Rule(
        id="lint.repeated",
        title="The same condition or member twice",
        wrong="color = 'red' OR color = 'red'",
        right="color = 'red' OR color = 'blue'",
        why="If an AND or an OR contains the same condition twice, or if a list contains the same member twice, "
        "the second one has no effect. Often the author meant a different condition or member.",
        nodes=(ast.In, ast.And, ast.Or),
        find=_repeated,
        instead_of=("lint.implied",),
    ),
)
