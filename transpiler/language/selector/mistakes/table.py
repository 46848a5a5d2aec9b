"""The table of mistakes with their messages and hints, the most specific first, in the notation of ``word_patterns``.

Mistakes that a pattern and a template cannot express are in ``found_in_text``, ``copied`` and ``corrections``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from transpiler.base.diagnostics import Diagnostic
from transpiler.language.selector.mistakes.copied import (
    backslashed_quote,
    encoded_for_url,
    filter_policy,
    name_in_code,
    option_before,
    quoted_whole,
    slashed_regex,
    typed_time,
)
from transpiler.language.selector.mistakes.corrections import (
    as_name,
    bare_before_quote,
    between_in_brackets,
    between_in_parentheses,
    chained,
    closed_text,
    compared_null_test,
    corrected_list,
    doubled_quotes,
    each_pattern,
    functions_elsewhere,
    like_for_regex,
    null_test_alone,
    operator_in_parentheses,
    quote_inside,
    regex_elsewhere,
    two_comparisons,
    whole_list,
    without_brackets,
)
from transpiler.language.selector.mistakes.found_in_text import (
    bind_variable,
    closed_without_opening,
    colon_for_equals,
    line_comment,
    markup_entities,
    name_with_colon,
    number_with_comma,
    select_statement,
    text_without_quotes,
    time_without_quotes,
    unclosed_parenthesis,
    unknown_prefix,
)
from transpiler.language.selector.mistakes.functions import call, call_for_case
from transpiler.language.selector.mistakes.word_patterns import Row
from transpiler.language.selector.mistakes.words import Reading

_COMPARED = "=,<>,<,<=,>,>="
_INSIDE = "a ?NOT IN open members"
_JOIN = "perhaps join conditions with AND or OR"
_EXAMPLE = "a list is written {a} {no}IN ('one', 'other')"
_RESERVED = "{word:raw} is a reserved word and cannot be the name of a property"

Rule = Callable[[Reading, Diagnostic], Diagnostic | None]


def _saying(message: str, *rows: Row, code: str | None = None) -> tuple[Row, ...]:
    return tuple(replace(row, message=message, code=code) for row in rows)


_hint = partial(Row, ends_at_position=True)
_sign = partial(_saying, code="syntax.operator")

#: The rules that recognize a mistake by the words around the error. They are tried in order, and the first rule that
#: matches supplies the error message.
RULES: tuple[Rule, ...] = (
    # Rules for mistakes that are found in the text of the selector, such as an unknown prefix or escaped quotes.
    unknown_prefix,
    markup_entities,
    encoded_for_url,
    filter_policy,
    option_before,
    quoted_whole,
    backslashed_quote,
    slashed_regex,
    name_in_code,
    typed_time,
    call,
    call_for_case,
    time_without_quotes,
    bind_variable,
    name_with_colon,
    colon_for_equals,
    text_without_quotes,
    line_comment,
    select_statement,
    *_saying(
        "a selector has no CASE and no conditional expression",
        Row("@CASE WHEN", "perhaps join the conditions of the branches with OR"),
        Row("ending @?", "perhaps only the condition is meant, without ? and the values after it"),
    ),
    *_saying("a selector has no WHERE", Row("start @WHERE ?NOT b", "«»write the condition alone: {rest}")),
    *_saying("a selector has no {x:key} BY", Row("ending @x:ORDER,GROUP", "a selector is the condition alone")),
    *_saying("a selector has no {x:key}", Row("ending @x:HAVING,LIMIT", "a selector is the condition alone")),
    *_saying(
        "the operator must come before the parenthesis",
        Row("x:called @open ?NOT compares", operator_in_parentheses),
        Row("x:called @open ?NOT tests", operator_in_parentheses),
    ),
    # Rules for mistakes in a LIKE and its ESCAPE.
    *_saying(
        "ESCAPE requires one character in quotes, {found}",
        Row("string,quoted ESCAPE @x:character", "write ESCAPE «{x:text}»"),
        Row("string,quoted ESCAPE @notstring", "perhaps use ESCAPE '!'"),
    ),
    Row("a ?NOT LIKE end", "a pattern is written {a} {no}LIKE 'text%', with % for any characters and _ for one"),
    *_saying(
        "expected a string literal after {before}, {found}",
        Row("a LIKE @NOT ?b", "write «{a} NOT LIKE {b}»"),
        Row("a ?NOT LIKE @NULL", "write «{a} IS {no}NULL»"),
        Row("a ?NOT LIKE @open members", each_pattern),
        Row("a ?NOT LIKE @ANY,SOME open members", each_pattern),
    ),
    *_saying(
        "text goes into single quotes", Row("a ?NOT LIKE @x:quoted", "put the pattern into single quotes: «{x:text}»")
    ),
    *_saying(
        "expected a string literal after {before}, found {x:raw}",
        Row("y:string ?NOT LIKE @x:called", "the name comes before LIKE: write «{x} {no}LIKE {y}»"),
        Row("a ?NOT LIKE @x:unquoted", "put the pattern into single quotes: «{x:text}»"),
    ),
    # Rules for mistakes in an IS NULL test, or with IS before another word.
    *_saying(
        "a test for a missing property is a condition itself",
        Row("a IS ?NOT NULL @op:=,==,<>,!= @x:TRUE,FALSE", null_test_alone),
        Row("a IS ?NOT NULL @op:=,==,===,<>,!= b", compared_null_test),
    ),
    *_saying(
        "expected {nulls} after {before}, {found}",
        Row("a IS @TRUE", "write «{a} = TRUE» or {a}"),
        Row("a IS @FALSE", "write «{a} = FALSE» or NOT {a}"),
        Row("a IS ?NOT @TRUE", "write «{a} = FALSE» or NOT {a}; add OR {a} IS NULL to include messages without {a}"),
        Row("a IS ?NOT @FALSE", "write «{a} = TRUE» or {a}; add OR {a} IS NULL to include messages without {a}"),
        Row("a IS @end", "write «{a} IS NULL» or {a} IS NOT NULL"),
        Row("a IS ?NOT @end", "write «{a} IS NOT NULL»"),
        Row("a IS ?NOT @op:LIKE,IN,BETWEEN", "«{a} {no}{op}» … is written without IS"),
        Row("a IS @op:compares ?b", "write «{a} {op} {b}»"),
        Row("a IS ?NOT @op:compares ?b", "write «{a} {op:opposite} {b}»"),
        Row("a IS ?NOT @EQUAL,EQUALS ?TO ?b", "write «{a} {equals} {b}»"),
        Row("a IS @DEFINED,EXISTING,EXISTS,PRESENT,SET", "write «{a} IS NOT NULL»"),
        Row("a IS ?NOT @DEFINED,EXISTING,EXISTS,PRESENT,SET", "write «{a} IS NULL»"),
        Row("a IS @NOTNULL", "write «{a} IS NOT NULL»"),
        Row("a IS ?NOT @ABSENT,BLANK,EMPTY,MISSING,NIL,NONE,NULLABLE,~NULL", "write «{a} IS {no}NULL»"),
        Row("a IS ?NOT @UNDEFINED,UNKNOWN,UNSET,VOID", "write «{a} IS {no}NULL»"),
        Row(
            "a IS ?NOT @b",
            "IS only tests for a missing property, as in IS NULL; write «{a} {equals} {b}»",
            at="notnull",
        ),
    ),
    *_saying("a number has no unit", Row("x:number @% end,AND,OR,close", "write «{x}»")),
    *_sign(
        "{title} has no remainder operator",
        Row("@%", "the dialects activemq, artemis, qpid-java and rabbitmq have %", "no remainder"),
    ),
    # Rules for mistakes in a BETWEEN.
    *_saying(
        "{title} has no BETWEEN",
        Row("a ?NOT @BETWEEN x:interval", between_in_brackets, "no between"),
        Row("a NOT @BETWEEN ?b ?AND,OR,TO,comma ?c", "write «({a} < {b} OR {a} > {c})»", "no between"),
        Row("a @BETWEEN open b comma c ?also:close", "write «{a} >= {b} AND {a} <= {c}»", "no between"),
        Row("a @BETWEEN ?b ?AND,OR,TO,comma ?c", "write «{a} >= {b} AND {a} <= {c}»", "no between"),
    ),
    *_saying(
        "the bounds of BETWEEN must not be in parentheses",
        Row("a ?NOT BETWEEN @open b AND c close end,OR,AND,close", between_in_parentheses),
        Row("a ?NOT BETWEEN @open b AND c close AND d compares,tests,NOT", between_in_parentheses),
    ),
    Row("a ?NOT BETWEEN @x:bracketed", between_in_brackets, "no brackets"),
    *_saying(
        "expected AND and the upper bound after {before}, {found}",
        Row("a ?NOT BETWEEN open b @comma,TO,OR ?c ?also:close", "write «{a} {no}BETWEEN {b} AND {c}»"),
        Row("a ?NOT BETWEEN b @OR,TO,comma,other,operator,end,close ?c", "write «{a} {no}BETWEEN {b} AND {c}»"),
        Row("a ?NOT BETWEEN b @c", "write «{a} {no}BETWEEN {b} AND {c}»"),
    ),
    # Rules for mistakes with quotation marks.
    Row("x:empty ^@y:called ^z:empty", doubled_quotes),
    Row("also:prefix ^@x:string", "a string literal has no prefix before its quote: write «{x}»"),
    Row("string ^@name,number,keyword", quote_inside),
    *_saying(
        "a double quote begins nothing {where}",
        Row("start,open,AND,OR,NOT @x:doubled end,compares,tests,NOT,AND,OR", as_name),
    ),
    *_saying("a backtick begins nothing {where}", Row("start,open,AND,OR,NOT @x:backtick compares,tests", as_name)),
    *_saying("{mark} cannot be part of a name", Row("start,open,AND,OR,NOT @x:quoted compares,tests", as_name)),
    *_saying(
        "text goes into single quotes",
        Row("@x:unclosedname", "write «{x:text}»{elsewhere}"),
        Row("@unclosed", "a literal has ' at both ends{elsewhere}"),
    ),
    *_saying(
        "a double quote begins nothing {where}",
        Row("@x:doubled", "text goes into single quotes: {x:text}{elsewhere}", fix="{x:text}"),
    ),
    *_saying("text goes into single quotes", Row("@x:quoted", "write {x:text}", fix="{x:text}")),
    *_saying(
        "this name is never closed",
        Row("@opendouble", "perhaps close the name with a double quote", "names in double quotes"),
        code="syntax.double-quote",
    ),
    *_saying(
        "this string literal is never closed",
        Row("@opendouble", "perhaps close the literal with a double quote"),
        code="syntax.double-quote",
    ),
    *_saying(
        "this string literal is never closed",
        Row("x:name,number ^@opentext", bare_before_quote),
        Row("@x:crooked", "close the literal with a straight quote: «{x:text}»"),
        Row("@opentext", closed_text),
        code="syntax.unterminated-string",
    ),
    # Rules for mistakes in the list of an IN.
    *_saying(
        "expected a list in parentheses after {before}, {found}",
        Row("a ?NOT IN @members:bracketed,operand,{", whole_list),
        Row("a ?NOT IN @notopen", _EXAMPLE),
    ),
    *_saying("a list must contain at least one string", Row("a ?NOT IN open @close,end", _EXAMPLE, "lists of strings")),
    *_saying("a list must contain at least one value", Row("a ?NOT IN open @close,end", _EXAMPLE, "lists of anything")),
    *_saying(
        "a comma must separate two members of a list, {found} after {before}",
        Row(_INSIDE, corrected_list, at="comma,open @close,comma"),
    ),
    Row("IN open @x:words", "text goes into single quotes: «{x:text}»", "lists of strings"),
    *_saying("a comma is missing after {before}, {found}", Row(_INSIDE, corrected_list, at="ending operand")),
    *_saying(
        "expected a comma or a closing parenthesis after {before}, {found}",
        Row(
            _INSIDE,
            lambda taken: corrected_list(taken)._replace(before="commas separate the members of a list: write "),
            at="ending ;,|,||,OR,AND",
        ),
    ),
    # Rules for operators of other languages, and misspelled ones.
    *_saying(
        "there is no such operator: {op:raw}",
        Row("a @op:ISNULL", "write «{a} IS NULL»"),
        Row("a @op:NOTNULL,EXISTS", "write «{a} IS NOT NULL»"),
        Row("a NOT @op:EXISTS", "write «{a} IS NULL»"),
        Row("a ?NOT @op:MOD ?b", "the dialects activemq, artemis, qpid-java and rabbitmq have %", "no remainder"),
        Row("a NOT @op:MOD,DIV ?b", "NOT comes before a condition, as in NOT ({a} = …)"),
        Row("a NOT @op:spelled ?TO ?b", "write «NOT ({a} {op:sign} {b})»"),
        Row("a @op:spelled ?TO ?b", "write «{a} {op:sign} {b}»"),
        Row("a ?NOT @op:ILIKE b", "did you mean LIKE? perhaps {a} {no}LIKE {b}, which is case-sensitive"),
        Row("a ?NOT @op:contains ?open x:word", "did you mean LIKE? write «{a} {no}LIKE '%{x:content}%'»"),
        Row("a ?NOT @op:starts ?WITH ?open x:word", "did you mean LIKE? write «{a} {no}LIKE '{x:content}%'»"),
        Row("a ?NOT @op:ends ?WITH ?open x:word", "did you mean LIKE? write «{a} {no}LIKE '%{x:content}'»"),
        Row(
            "a ?NOT @op:regular ?TO ?open x:word",
            "did you mean LIKE, with % and _ as wildcards? otherwise write «{no}REGEX({x:text}, {a})»",
            "functions",
        ),
        Row("a ?NOT @op:regular ?TO ?open x:word", regex_elsewhere),
        Row("ending @op:XOR", _JOIN),
        Row("LIKE string @op:~ESCAPE x:string", "did you mean ESCAPE? write «ESCAPE {x}»"),
        Row("ending @op:~AND ?NOT b compares,tests,NOT", "did you mean «AND»?"),
        Row("ending @op:~AND open", "did you mean «AND»?"),
        Row("ending @op:~OR ?NOT b compares,tests,NOT", "did you mean «OR»?"),
        Row("ending @op:~OR open", "did you mean «OR»?"),
        Row("a ?NOT @op:~LIKE x:string,quoted", "did you mean LIKE? write «{a} {no}LIKE {x}»"),
        Row("a @op:~IS NULL,NOT", "did you mean «IS»?"),
        Row("a ?NOT @op:~IN x:group", "did you mean IN? write «{a} {no}IN {x}»"),
        Row("a ?NOT @op:~BETWEEN b AND", "did you mean «BETWEEN»?", "between"),
        Row("a ?NOT @op:~BETWEEN b AND c", "{title} has no BETWEEN; write «{a} >= {b} AND {a} <= {c}»"),
        Row("a @op:~NOT tests", "did you mean «NOT»?"),
    ),
    Row(f"{_COMPARED} @x:words", "text goes into single quotes: «{x:text}»"),
    _hint(f"{_COMPARED} b name", _JOIN),
    Row("start,open,AND,OR also:NOT EXISTS,HAS,DEFINED,PRESENT @x:called", "write «{x} IS NULL»"),
    Row("start,open,AND,OR also:EXISTS,HAS,DEFINED,PRESENT @x:called", "write «{x} IS NOT NULL»"),
    Row("a = also:ANY,SOME @x:group", "write «{a} IN {x}»"),
    Row("start @op:~NOT name", "did you mean «NOT» at the beginning?"),
    *_saying(
        "there is no such operator: {op:raw}",
        Row("a @op:called b", "the operators are =, <>, <, <=, >, >=, LIKE, IN, {between}IS NULL, AND and OR"),
    ),
    _hint("x:name y:name", f"{_JOIN}, or put text into single quotes: '{{x:content}} {{y:content}}'"),
    _hint("a name", _JOIN),
    # Rules for mistakes with NOT before an operator, such as ``a NOT = 1``.
    *_saying(
        "expected {operators} after {before}, {found}",
        Row("a NOT @IS NOT ?also:NULL", "write «{a} IS NULL»"),
        Row("a NOT @IS x:TRUE,FALSE", "write «NOT ({a} = {x})»"),
        Row("a NOT @IS ?also:NULL", "write «{a} IS NOT NULL»"),
        Row("a NOT @<>,!= ?b", "write «{a} = {b}»"),
        Row("a NOT @==,=== ?b", "write «{a} <> {b}»"),
        Row("a NOT @op:compares ?b", "write «NOT ({a} {op} {b})» or {a} {op:opposite} {b}"),
        Row("a NOT @NULL", "write «{a} IS NOT NULL»"),
        Row("a NOT @b", "write «{a} <> {b}»"),
        Row("a NOT @nottest", "NOT comes before a condition, as in NOT ({a} = …)"),
    ),
    # Rules for a parenthesis that is not closed, and for commas where no comma is allowed.
    unclosed_parenthesis,
    Row("@comma end", "«»remove the comma"),
    number_with_comma,
    Row("a =,<> members:several", corrected_list, at="comma"),
    Row("a =,<> open members:several close", corrected_list, at="comma"),
    _hint("comma", _JOIN),
    Row("a x:compares b @y:compares c", chained, at="compares"),
    # Rules for mistakes in tests for NULL, such as ``a = NULL``.
    Row("a =,== NULL", "a comparison with NULL is never true; write {a} IS NULL", "no null", at="NULL", fix="IS NULL"),
    Row(
        "a <>,!= NULL",
        "a comparison with NULL is never true; write {a} IS NOT NULL",
        "no null",
        at="NULL",
        fix="IS NOT NULL",
    ),
    Row("@NULL = ?b", "a comparison with NULL is never true; write «{b} IS NULL»", "no null"),
    Row("@NULL <>,!= ?b", "a comparison with NULL is never true; write «{b} IS NOT NULL»", "no null"),
    Row(
        "compares NULL",
        "an ordering with NULL is never true; IS NULL and IS NOT NULL test for a missing property",
        "no null",
    ),
    Row(
        "NULL compares",
        "an ordering with NULL is never true; IS NULL and IS NOT NULL test for a missing property",
        "no null",
    ),
    Row(_INSIDE, "a list cannot contain NULL; perhaps add OR … IS NULL after the list", "no null", at="NULL"),
    # Rules for an operator without a left operand. Perhaps the word before it was meant as a name, but is reserved.
    Row("start,open,AND,OR word:tests compares", _RESERVED),
    *_saying(
        "expected an operand before {op:raw}",
        Row(
            "a ?NOT compares,tests b AND,OR @op:compares,tests c",
            "repeat the name before each operator: write «{name} {op} {c}»",
        ),
        Row(
            "a ?NOT compares,tests b AND,OR also:NOT @op:compares,tests c",
            "repeat the name before each operator: write «{name} NOT {op} {c}»",
        ),
        Row("AND,OR ?NOT @op:compares,tests", "perhaps repeat the name before each operator"),
        Row("start,open @op:tests", "the name of a property comes before the operator: color {op} …"),
        Row("start,open @op:compares", "the name of a property comes before the operator: a {op} …"),
    ),
    # Rules for mistakes with operators of other languages, such as ``==`` and ``&&``.
    *_sign(
        "{title} has no operator that concatenates strings",
        Row("x:string @|| y:string", "write «'{x:content}{y:content}'»"),
        Row("LIKE x:string @+ y:string", "write «'{x:content}{y:content}'»"),
        Row("LIKE string @||,+", "perhaps put the whole pattern into one pair of quotes"),
        Row("a @|| string =,<>,LIKE", "perhaps compare {a} with only the rest of the string"),
    ),
    *_sign(
        "{title} has no bitwise operators",
        Row(f"?a @op:&,|,^ number {_COMPARED}", "perhaps list the values of {a} that have these bits: {a} IN (…)"),
    ),
    *_sign("{title} writes {op} as OR", Row("@op:||", "write OR", fix="OR"), Row("@op:|", "write «OR»")),
    *_sign("{title} writes {op} as AND", Row("@op:&&", "write AND", fix="AND"), Row("@op:&", "write «AND»")),
    *_sign(
        "{title} writes 'not equal' as <>",
        Row("@!=", "write <>; the dialect rabbitmq accepts !=", "no !=", fix="<>"),
        Row("a @! @= ?b", "write {a} <> {b}", fix="<>"),
        Row("?a @=!,!== ?b", "write {a} <> {b}", fix="<>"),
    ),
    *_sign(
        "{title} writes ! as NOT",
        Row("a @! x:LIKE,IN,BETWEEN", "write NOT {x}", fix="NOT"),
        Row("ending @! b", "NOT comes before a condition, and <> compares two values"),
        Row("@! b", "write NOT {b}", fix="NOT"),
        Row("@! end", "NOT comes before a condition"),
        Row("@!", "write NOT", fix="NOT"),
    ),
    *_sign("equality is written with a single =", Row("?a @==,===,:= ?b", "write {a} = {b}", fix="=")),
    *_sign(
        "there is no operator {op}",
        Row("?a @op:!> ?b", "write {a} <= {b}", fix="<="),
        Row("?a @op:!< ?b", "write {a} >= {b}", fix=">="),
        Row("?a @op:~,=~,~=,~~,!~,!~~ ?x:word", like_for_regex),
        Row("?a @op:~*,~~* ?x:word", "did you mean LIKE? perhaps {a} LIKE {x:like}, which is case-sensitive"),
        Row("?a @op:!~*,!~~* ?x:word", "did you mean LIKE? perhaps {a} NOT LIKE {x:like}, which is case-sensitive"),
    ),
    *_sign("a selector is one condition, without a semicolon", Row("@;", "«»remove the semicolon")),
    *_saying(
        "{mark} cannot be part of a name", Row("start,open,AND,OR,NOT @:,@ ^x:called", "write the name alone: «{x}»")
    ),
    *_saying(
        "a bracket begins nothing in {title}",
        Row("@x:bracketed", without_brackets, "no brackets"),
        code="syntax.bracket",
    ),
    *_saying(
        "a backslash begins nothing in {title}",
        Row("@\\", "inside a literal, a quote is written twice"),
        code="syntax.backslash",
    ),
)

#: Rules that keep the parser's message and only add a hint. They are tried if no rule of ``RULES`` matches.
HINTS: tuple[Rule, ...] = (
    _hint("BETWEEN b AND end", "the upper bound is missing after AND"),
    _hint("AND,OR,NOT end", "a condition is missing at the end"),
    _hint(f"{_COMPARED},+,-,*,/,%,BETWEEN,comma end", "a value is missing at the end"),
    _hint("AND x:AND", "«»remove the second {x:raw}"),
    _hint("OR x:OR", "«»remove the second {x:raw}"),
    _hint("x:AND,OR y:AND,OR", "keep one of the two, perhaps {x} or {y}"),
    _hint("start,open x:AND,OR", "«»remove the {x:raw}, or write a condition before it"),
    Row("=> string,quoted,TRUE,FALSE", "a comparison has a single operator: write «=»"),
    _hint("=>", "write «>=»"),
    _hint("=<", "write «<=»"),
    _hint("<=>", "write «=», or IS NULL for a missing property"),
    _hint("x:compares y:compares", two_comparisons),
    _hint("incomparable", "the comparison operators are =, <>, <, <=, > and >="),
    closed_without_opening,
    _hint("start /", "a path reads the message's body; the dialects activemq and artemis support XPATH '…'"),
    _hint("start *", "perhaps omit the selector to match every message"),
    _hint("a =,<> *", "perhaps {a} IS NOT NULL, which matches any value"),
    _hint("called open", functions_elsewhere, "no functions"),
    _hint(
        "XPATH,XQUERY string", "{title} cannot read the message's body; the dialects activemq and artemis support XPATH"
    ),
    _hint(
        "ending compares",
        "comparisons do not chain; perhaps join two comparisons with AND, or put the first into parentheses",
    ),
    _hint("start,open,AND,OR,NOT x:called y:string", "an operator is missing: write «{x} = {y}», or another operator"),
    _hint("ending beginning", f"{_JOIN}; a quote inside a literal is written twice"),
    _hint("opening word:reserved", _RESERVED),
)
