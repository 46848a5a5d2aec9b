"""Common mistakes have their own messages: what is wrong, where, and the user's text corrected."""

from __future__ import annotations

import re
from itertools import product
from operator import itemgetter
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.language.selector.test_bad_selectors import BAD
from tests.language.selector.test_slips import OF_A_BROKER, SLIPS
from tests.sizes import sample, size
from transpiler import TranspilerError, parse_selector
from transpiler.base.diagnostics import Diagnostic, Fix
from transpiler.language.selector import mistakes
from transpiler.language.selector.dialects import DIALECTS
from transpiler.language.selector.mistakes.table import HINTS, RULES, Rule
from transpiler.language.selector.mistakes.words import Reading

ALL = " ".join(DIALECTS)
NOT_RABBITMQ = "jms activemq artemis qpid-java qpid-cpp rabbitmq-jms"
#: Dialects in which double quotes have no meaning, and dialects in which they enclose names.
NO_DOUBLE_QUOTES, NAMES_IN_QUOTES = "jms activemq rabbitmq-jms", "artemis qpid-java qpid-cpp"
STRINGS_IN_LISTS, ANY_IN_LISTS = "jms activemq artemis qpid-java rabbitmq-jms", "qpid-cpp rabbitmq"
TOKEN, END, SIGN = "syntax.unexpected-token", "syntax.unexpected-end", "syntax.operator"
CHARACTER, PREFIX = "syntax.unexpected-character", "syntax.prefix"

#: The selector, the dialects, the code, the underlined text, a piece of the message and the hint.
MISTAKES = (
    # BETWEEN
    ("a between 1 or 2", NOT_RABBITMQ, TOKEN, "or", "expected AND and the upper bound", "write a BETWEEN 1 AND 2"),
    ("2 between 1, 3", NOT_RABBITMQ, TOKEN, ",", "expected AND and the upper bound", "write 2 BETWEEN 1 AND 3"),
    ("a between 1", NOT_RABBITMQ, END, "", "expected AND and the upper bound", "write a BETWEEN 1 AND …"),
    ("a not between 1", NOT_RABBITMQ, END, "", "expected AND and the upper bound", "write a NOT BETWEEN 1 AND …"),
    ("a between 1 to 2", NOT_RABBITMQ, TOKEN, "to", "expected AND and the upper bound", "write a BETWEEN 1 AND 2"),
    ("a between (1, 2)", NOT_RABBITMQ, TOKEN, ",", "expected AND and the upper bound", "write a BETWEEN 1 AND 2"),
    ("a between low high", NOT_RABBITMQ, TOKEN, "high", "expected AND and the upper bound", "AND high"),
    ("a between 1 and", NOT_RABBITMQ, END, "", "expected an operand after and", "the upper bound is missing after AND"),
    ("a between 1 or 2", "rabbitmq", TOKEN, "between", "rabbitmq has no BETWEEN", "write a >= 1 AND a <= 2"),
    ("a NOT BETWEEN 1 AND 2", "rabbitmq", TOKEN, "BETWEEN", "rabbitmq has no BETWEEN", "write (a < 1 OR a > 2)"),
    ("a between [1 AND 2]", "rabbitmq", TOKEN, "between", "rabbitmq has no BETWEEN", "write a >= 1 AND a <= 2"),
    ("a not between [1..2]", "rabbitmq", TOKEN, "between", "rabbitmq has no BETWEEN", "write (a < 1 OR a > 2)"),
    ("a between [b] AND [c]", "rabbitmq", TOKEN, "between", "rabbitmq has no BETWEEN", "write a >= [b] AND a <= [c]"),
    ("a not between 1", "rabbitmq", TOKEN, "between", "rabbitmq has no BETWEEN", "write (a < 1 OR a > …)"),
    # NOT
    ("a NOT = 5", NOT_RABBITMQ, TOKEN, "=", "expected LIKE, IN or BETWEEN after NOT", "write NOT (a = 5) or a <> 5"),
    ("a NOT = 5", "rabbitmq", TOKEN, "=", "expected LIKE or IN after NOT", "write NOT (a = 5) or a <> 5"),
    ("a NOT IS NULL", NOT_RABBITMQ, TOKEN, "IS", "expected LIKE, IN or BETWEEN after NOT", "write a IS NOT NULL"),
    ("a NOT IS NULL", "rabbitmq", TOKEN, "IS", "expected LIKE or IN after NOT", "write a IS NOT NULL"),
    ("a not is not null", NOT_RABBITMQ, TOKEN, "is", "expected LIKE, IN or BETWEEN after not", "write a IS NULL"),
    ("a + 1 not > 5", NOT_RABBITMQ, TOKEN, ">", "expected LIKE, IN", "write NOT (a + 1 > 5) or a + 1 <= 5"),
    ("a NOT 5", NOT_RABBITMQ, TOKEN, "5", "expected LIKE, IN or BETWEEN after NOT", "write a <> 5"),
    ("a NOT", NOT_RABBITMQ, END, "", "expected LIKE, IN or BETWEEN after NOT", "NOT comes before a condition"),
    # quotes
    ("country like `NO` ", ALL, "syntax.quote", "`", "text goes into single quotes", "'NO'"),
    ("JMSType = `car' ", ALL, "syntax.quote", "`", "text goes into single quotes", "write 'car'"),
    ("`a` like `b`", ALL, "syntax.quote", "`", "a backtick begins nothing", "without quotes: a"),
    ("`a b` = 1", NAMES_IN_QUOTES, "syntax.quote", "`", "a backtick begins nothing", '"a b"'),
    ("`a b` = 1", "rabbitmq", "syntax.quote", "`", "a backtick begins nothing", "[a b]"),
    ('a = "text"', NO_DOUBLE_QUOTES, "syntax.double-quote", '"', "a double quote", "single quotes: 'text'"),
    ('a IN ("b", "c")', NO_DOUBLE_QUOTES, "syntax.double-quote", '"', "a double quote", "single quotes: 'b'"),
    ('a LIKE "b%"', NO_DOUBLE_QUOTES, "syntax.double-quote", '"', "text goes into single quotes", "'b%'"),
    ('a LIKE "b%"', NAMES_IN_QUOTES, TOKEN, '"b%"', "expected a string literal", "'b%'"),
    ('a = "x', NAMES_IN_QUOTES, "syntax.double-quote", '"x', "this name is never closed", "double quote"),
    ('a = "x', "rabbitmq", "syntax.double-quote", '"x', "this string literal is never closed", "double quote"),
    ("a = ’x’", ALL, CHARACTER, "’", "text goes into single quotes", "write 'x'"),
    ("a = ‘x’", ALL, CHARACTER, "‘", "text goes into single quotes", "write 'x'"),
    ("a = “x y”", ALL, CHARACTER, "“", "text goes into single quotes", "write 'x y'"),
    ("a = «x»", ALL, CHARACTER, "«", "text goes into single quotes", "write 'x'"),
    ("a IN (‘b’, ‘c’)", ALL, CHARACTER, "‘", "text goes into single quotes", "write 'b'"),
    ("‘a’ = 1", ALL, CHARACTER, "‘", "‘ cannot be part of a name", "without quotes: a"),
    ("a = x'", ALL, "syntax.unterminated-string", "'", "never closed", "single quotes: 'x'"),
    ("a = 'it's fine'", ALL, TOKEN, "s", "expected a comparison, AND, OR or the end", "'it''s fine'"),
    ("a IN ('it's')", ALL, TOKEN, "s", "expected a comma or a closing parenthesis", "'it''s'"),
    # IS
    ("fragile is TRUE", ALL, TOKEN, "TRUE", "expected NULL or NOT NULL", "write fragile = TRUE or fragile"),
    ("fragile is false", ALL, TOKEN, "false", "expected NULL or NOT NULL", "write fragile = FALSE or NOT fragile"),
    ("fragile is not TRUE", ALL, TOKEN, "TRUE", "expected NULL", "write fragile = FALSE or NOT fragile"),
    ("a IS 5", ALL, TOKEN, "5", "expected NULL or NOT NULL after IS", "write a = 5"),
    ("a IS NOT 'x'", ALL, TOKEN, "'x'", "expected NULL after NOT", "write a <> 'x'"),
    ("a IS b", ALL, TOKEN, "b", "expected NULL or NOT NULL after IS", "write a = b"),
    ("a is missing", ALL, TOKEN, "missing", "expected NULL or NOT NULL", "write a IS NULL"),
    ("a is nul", ALL, TOKEN, "nul", "expected NULL or NOT NULL", "write a IS NULL"),
    ("a is present", ALL, TOKEN, "present", "expected NULL or NOT NULL", "write a IS NOT NULL"),
    ("a is equal to 5", ALL, TOKEN, "equal", "expected NULL or NOT NULL", "write a = 5"),
    ("a is not like 'x'", ALL, TOKEN, "like", "expected NULL", "a NOT LIKE … is written without IS"),
    # operators of other languages, and misspelled ones
    ("t flike 'a%'", ALL, TOKEN, "flike", "there is no such operator", "did you mean LIKE? write t LIKE 'a%'"),
    ("t ilike 'a%'", ALL, TOKEN, "ilike", "there is no such operator", "did you mean LIKE? perhaps t LIKE 'a%'"),
    (
        "t ilike 'a'",
        ALL,
        TOKEN,
        "ilike",
        "there is no such operator",
        "perhaps t LIKE 'a', which is case-sensitive",
    ),
    ("t ~* 'a'", ALL, SIGN, "~*", "there is no operator ~*", "perhaps t LIKE '%a%', which is case-sensitive"),
    (
        "t not ilike 'a%'",
        ALL,
        TOKEN,
        "ilike",
        "there is no such operator",
        "did you mean LIKE? perhaps t NOT LIKE 'a%'",
    ),
    ("t contains 'a'", ALL, TOKEN, "contains", "there is no such operator", "did you mean LIKE? write t LIKE '%a%'"),
    ("t starts with 'a'", ALL, TOKEN, "starts", "there is no such operator", "did you mean LIKE? write t LIKE 'a%'"),
    ("t endsWith 'a'", ALL, TOKEN, "endsWith", "there is no such operator", "did you mean LIKE? write t LIKE '%a'"),
    ("t rlike 'a'", ALL, TOKEN, "rlike", "there is no such operator", "REGEX('a', t)"),
    ("t matches 'a'", "activemq", TOKEN, "matches", "there is no such operator", "otherwise write REGEX('a', t)"),
    ("a equals 5", ALL, TOKEN, "equals", "there is no such operator", "write a = 5"),
    ("a = 1 AMD b = 2", ALL, TOKEN, "AMD", "there is no such operator", "did you mean AND?"),
    ("(a = 1) orr (b = 2)", ALL, TOKEN, "orr", "there is no such operator", "did you mean OR?"),
    ("a = 1 xor b = 2", ALL, TOKEN, "xor", "there is no such operator", "join conditions with AND or OR"),
    ("a bewteen 1 and 2", NOT_RABBITMQ, TOKEN, "bewteen", "there is no such operator", "did you mean BETWEEN?"),
    ("a bewteen 1 AND 2", "rabbitmq", TOKEN, "bewteen", "there is no such operator", "rabbitmq has no BETWEEN"),
    ("a LIKE 'b' escpe '!'", ALL, TOKEN, "escpe", "there is no such operator", "did you mean ESCAPE?"),
    ("a isnull", ALL, TOKEN, "isnull", "there is no such operator", "write a IS NULL"),
    ("a | b", ALL, SIGN, "|", "writes | as OR", "write OR"),
    ("a LIKE 'x' || 'y'", NOT_RABBITMQ, SIGN, "||", "no operator that concatenates strings", "write 'xy'"),
    ("!a", ALL, SIGN, "!", "writes ! as NOT", "write NOT a"),
    ("a !> 1", ALL, SIGN, "!>", "there is no operator !>", "write a <= 1"),
    ("a =~ 'x%'", ALL, SIGN, "=~", "there is no operator =~", "write a LIKE 'x%'"),
    ("a => 1", ALL, TOKEN, ">", "expected an operand after =", "write >="),
    ("a > = 1", ALL, TOKEN, "=", "expected an operand after >", "write >= without a space"),
    ("a ≥ 1", ALL, CHARACTER, "≥", "≥ cannot be part of a name", "write >="),
    ("a\u00a0= 1", ALL, CHARACTER, "\u00a0", "no-break space cannot be part of a name", "plain space"),
    # SELECT and WHERE
    ("where a = 1", ALL, TOKEN, "where", "a selector has no WHERE", "write the condition alone: a = 1"),
    ("where (a = 1)", ALL, TOKEN, "where", "a selector has no WHERE", "write the condition alone: (a = 1)"),
    ("select * from t where a = 1", ALL, TOKEN, "select * from t where", "it has no SELECT", "alone: a = 1"),
    ("a = 1 order by b", ALL, TOKEN, "order", "a selector has no ORDER BY", "a selector is the condition alone"),
    # a parenthesis before the operator, and operators without a name
    ("entry (not like '%aa%')", ALL, TOKEN, "(", "before the parenthesis", "write entry NOT LIKE '%aa%'"),
    ("entry (in ('a'))", ALL, TOKEN, "(", "before the parenthesis", "write entry IN ('a')"),
    ("e (like 'a' or like 'b')", ALL, TOKEN, "(", "before the parenthesis", "write e LIKE 'a' OR e LIKE 'b'"),
    ("a > 1 AND < 5", ALL, TOKEN, "<", "expected an operand before <", "write a < 5"),
    ("a = 'x' OR LIKE 'y%'", ALL, TOKEN, "LIKE", "expected an operand before LIKE", "write a LIKE 'y%'"),
    ("LIKE 'x'", ALL, TOKEN, "LIKE", "expected an operand before LIKE", "comes before the operator"),
    # prefixes of other dialects
    ("hyphenated_props:b-ar = '123'", "jms", PREFIX, "hyphenated_props:", "JMS has no prefix", "the dialect artemis"),
    ("hyphenated_props:b-ar = '1'", "qpid-cpp", PREFIX, "hyphenated_props:", "qpid-cpp has no prefix", "artemis"),
    (
        "convert_string_expressions:a = 5",
        "jms qpid-java qpid-cpp rabbitmq rabbitmq-jms",
        PREFIX,
        "convert_string_expressions:",
        "has no prefix convert_string_expressions:",
        "the dialects activemq and artemis have it",
    ),
    ("hyphenated_prop:a = 1", ALL, PREFIX, "hyphenated_prop:", "no prefix", "did you mean hyphenated_props:?"),
    # lists
    ("abc in ('def' 'ghi')", ALL, TOKEN, "'ghi'", "a comma is missing after 'def'", "write abc IN ('def', 'ghi')"),
    (
        "abc in ()",
        STRINGS_IN_LISTS,
        TOKEN,
        ")",
        "a list must contain at least one string",
        "a list is written abc IN ('one', 'other')",
    ),
    (
        "abc in ()",
        ANY_IN_LISTS,
        TOKEN,
        ")",
        "a list must contain at least one value",
        "a list is written abc IN ('one', 'other')",
    ),
    ("abc in ('a' , )", ALL, TOKEN, ")", "a comma must separate two members", "write abc IN ('a')"),
    ("abc not in ('a',,'b')", ALL, TOKEN, ",", "a comma must separate two members", "NOT IN ('a', 'b')"),
    ("abc in ('a'; 'b')", ALL, TOKEN, ";", "expected a comma", "write abc IN ('a', 'b')"),
    ("abc in ('a' or 'b')", ALL, TOKEN, "or", "expected a comma", "write abc IN ('a', 'b')"),
    ("abc in 'a'", ALL, TOKEN, "'a'", "expected a list in parentheses", "write abc IN ('a')"),
    ("abc in a, b", STRINGS_IN_LISTS, TOKEN, "a", "expected a list in parentheses", "write abc IN ('a', 'b')"),
    ("abc in ['a', 'b']", ALL, TOKEN, "['a', 'b']", "expected a list in parentheses", "write abc IN ('a', 'b')"),
    ("abc IN (light blue)", STRINGS_IN_LISTS, TOKEN, "blue", "expected a comma", "'light blue'"),
    ("abc IN (def)", STRINGS_IN_LISTS, "type.in-member", "def", "string literals", "single quotes: 'def'"),
    ("a = 'b', 'c'", ALL, TOKEN, ",", "expected a comparison", "write a IN ('b', 'c')"),
    ("a <> ('b', 'c')", ALL, TOKEN, ",", "expected a comparison", "write a NOT IN ('b', 'c')"),
    ("a = 1, b = 2", ALL, TOKEN, ",", "expected a comparison", "join conditions with AND or OR"),
    ("a = 1,000", ALL, TOKEN, ",", "expected a comparison", "write 1000"),
    ("a = 1,", ALL, TOKEN, ",", "expected a comparison", "remove the comma"),
    # LIKE and ESCAPE
    ("a like 'a%c' escape true", ALL, TOKEN, "true", "ESCAPE requires one character in quotes", "ESCAPE '!'"),
    ("a like 'a%c' escape !", ALL, TOKEN, "!", "ESCAPE requires one character in quotes", "write ESCAPE '!'"),
    ("a like 'a%c' escape \\", ALL, TOKEN, "\\", "ESCAPE requires one character in quotes", "write ESCAPE '\\'"),
    ("a LIKE 'x' ESCAPE 'ab'", ALL, "syntax.escape", "'ab'", "character in quotes", "ESCAPE '!'"),
    ("a like datex%", ALL, TOKEN, "datex%", "expected a string literal", "'datex%'"),
    ("a like %date x%", ALL, TOKEN, "%date x%", "expected a string literal", "'%date x%'"),
    ("a like ('x', 'y')", ALL, TOKEN, "(", "expected a string literal", "write a LIKE 'x' OR a LIKE 'y'"),
    ("a like not 'x'", ALL, TOKEN, "not", "expected a string literal", "write a NOT LIKE 'x'"),
    # numbers and times
    ("a = 1,5", ALL, TOKEN, ",", "expected a comparison", "write 1.5"),
    ("a = 1, 5", STRINGS_IN_LISTS, TOKEN, ",", "expected a comparison", "write a = 1 OR a = 5"),
    ("a <> 1, 5", STRINGS_IN_LISTS, TOKEN, ",", "expected a comparison", "write a <> 1 AND a <> 5"),
    ("a = 1, 5", ANY_IN_LISTS, TOKEN, ",", "expected a comparison", "write a IN (1, 5)"),
    ("a IN 1, 5", STRINGS_IN_LISTS, TOKEN, "1", "expected a list in parentheses", "write a = 1 OR a = 5"),
    ("a NOT IN (1 5)", STRINGS_IN_LISTS, TOKEN, "5", "a comma is missing", "write a <> 1 AND a <> 5"),
    ("a = 00189", "jms", "syntax.number", "00189", "octal", "write 189, or '00189' for a string"),
    ("d = 2024-08-09", "jms activemq artemis qpid-java", TOKEN, "2024-08-09", "no literal for a time", "'2024-08-09'"),
    ("d > 2024-01-01T00:00:00Z", ALL, TOKEN, "2024-01-01T00:00:00Z", "no literal for a time", "write 1704067200000"),
    # names with hyphens and dots
    ("m.x-opt-o = 'a'", "artemis qpid-java", CHARACTER, ".", "cannot contain dots", '"m.x-opt-o"'),
    ("trace-id.v = 'a'", "artemis qpid-java", CHARACTER, ".", "cannot contain dots", '"trace-id.v"'),
    ("trace-id.v = 'a'", "rabbitmq", CHARACTER, "id.v", "letters, digits and _", "[trace-id.v]"),
    ("5-a.b = 1", "artemis qpid-java", CHARACTER, ".", "cannot contain dots", '"a.b"'),
    ('hyphenated_props:"a-b" = 1', "artemis", "syntax.double-quote", '"', "behind hyphenated_props:", "quotes: a-b"),
    ('hyphenated_props:"a b" = 1', "artemis", "syntax.double-quote", '"', "behind hyphenated_props:", 'name is "a b"'),
    ("hyphenated_props:a.b = 1", "artemis", CHARACTER, ".", "cannot contain dots", "remove the prefix"),
    # literals that are never closed
    (
        "a LIKE '%x",
        ALL,
        "syntax.unterminated-string",
        "'%x",
        "never closed",
        "close the literal with a single quote: '%x'",
    ),
    (
        "a = 'x OR b",
        ALL,
        "syntax.unterminated-string",
        "'x OR b",
        "never closed",
        "close the literal with a single quote; a",
    ),
    (
        "a NOT LIKE '%x",
        ALL,
        "syntax.unterminated-string",
        "'%x",
        "never closed",
        "close the literal with a single quote",
    ),
    (
        "a LIKE 'x' ESCAPE '!",
        ALL,
        "syntax.unterminated-string",
        "'!",
        "never closed",
        "close the literal with a single quote",
    ),
    # NULL
    ("a = NULL", "jms qpid-cpp rabbitmq", TOKEN, "NULL", "expected an operand", "write a IS NULL"),
    ("a <> NULL", "jms qpid-cpp rabbitmq", TOKEN, "NULL", "expected an operand", "write a IS NOT NULL"),
    ("NULL = a", "jms qpid-cpp rabbitmq", TOKEN, "NULL", "expected a condition", "write a IS NULL"),
    ("a = NULL", "activemq artemis qpid-java", "type.null", "NULL", "nothing equals NULL", "IS NULL"),
    # no hint offers a function that the dialect lacks, or denies one that it has
    ("UPPERCASE(a) = 'B'", "artemis", TOKEN, "(", "expected a comparison", "artemis has no functions"),
    ("uppercase(a) = 'B'", "rabbitmq", TOKEN, "(", "expected a comparison", "rabbitmq has no function except UTC()"),
    ("regex('a', b)", "activemq", "type.function", "regex('a', b)", "no function regex", "did you mean REGEX?"),
    # rows of the table of mistakes that no case above covers
    ("a = 1 limit 5", ALL, TOKEN, "limit", "a selector has no LIMIT", "a selector is the condition alone"),
    ("entry (= 5)", ALL, TOKEN, "(", "before the parenthesis", "write entry = 5"),
    ("a LIKE NULL", ALL, TOKEN, "NULL", "expected a string literal after LIKE", "write a IS NULL"),
    ("a is not false", ALL, TOKEN, "false", "expected NULL after not", "write a = TRUE or a; add OR a IS NULL"),
    ("a IS NOT", ALL, END, "", "expected NULL after NOT", "write a IS NOT NULL"),
    ("a IS = 5", ALL, TOKEN, "=", "expected NULL or NOT NULL", "write a = 5"),
    ("a IS NOT > 5", ALL, TOKEN, ">", "expected NULL after NOT", "write a <= 5"),
    ("a is not present", ALL, TOKEN, "present", "expected NULL after not", "write a IS NULL"),
    ("a is unknown", ALL, TOKEN, "unknown", "expected NULL or NOT NULL", "write a IS NULL"),
    ("a = “x y", ALL, CHARACTER, "“", "text goes into single quotes", "a literal has ' at both ends"),
    (
        "a = 'x’",
        ALL,
        "syntax.unterminated-string",
        "'x’",
        "never closed",
        "close the literal with a straight quote: 'x'",
    ),
    ("a NOT IN", ALL, END, "", "expected a list in parentheses", "a list is written a NOT IN ('one', 'other')"),
    ("a IN )", ALL, TOKEN, ")", "expected a list in parentheses", "a list is written a IN ('one', 'other')"),
    ("a exists", "jms", TOKEN, "exists", "there is no such operator", "write a IS NOT NULL"),
    ("a not equals 5", ALL, TOKEN, "equals", "there is no such operator", "write NOT (a = 5)"),
    ("a = 1 amd (b = 2)", "jms", TOKEN, "amd", "there is no such operator", "did you mean AND?"),
    ("a = 1 orr b = 2", ALL, TOKEN, "orr", "there is no such operator", "did you mean OR?"),
    ("a iss NULL", ALL, TOKEN, "iss", "there is no such operator", "did you mean IS?"),
    ("a inn ('b')", "jms", TOKEN, "inn", "there is no such operator", "did you mean IN? write a IN ('b')"),
    ("a nto LIKE 'x'", ALL, TOKEN, "nto", "there is no such operator", "did you mean NOT?"),
    ("nto a = 1", ALL, TOKEN, "a", "expected a comparison", "did you mean NOT at the beginning?"),
    ("a foo 5", ALL, TOKEN, "foo", "there is no such operator", "the operators are =, <>"),
    ("color blue", ALL, TOKEN, "blue", "expected a comparison", "'color blue'"),
    ("(a) foo", ALL, TOKEN, "foo", "expected a comparison", "join conditions with AND or OR"),
    ("a NOT IS TRUE", ALL, TOKEN, "IS", "after NOT, found IS", "write NOT (a = TRUE)"),
    ("a NOT <> 5", ALL, TOKEN, "<>", "after NOT, found <>", "write a = 5"),
    ("a NOT == 5", "rabbitmq", TOKEN, "==", "after NOT, found ==", "write a <> 5"),
    ("NULL <> a", "jms qpid-cpp rabbitmq", TOKEN, "NULL", "expected a condition", "write a IS NOT NULL"),
    ("a < NULL", "jms qpid-cpp rabbitmq", TOKEN, "NULL", "expected an operand", "an ordering with NULL is never true"),
    (
        "NULL <= a",
        "jms qpid-cpp rabbitmq",
        TOKEN,
        "NULL",
        "expected a condition",
        "an ordering with NULL is never true",
    ),
    ("a IN ('b' = 'c')", ALL, TOKEN, "=", "expected a comma or a closing parenthesis", "comparisons do not chain"),
    ("a IN ('b', NULL)", "jms qpid-cpp rabbitmq", TOKEN, "NULL", "expected an operand", "a list cannot contain NULL"),
    ("a = 1 AND NOT LIKE 'x'", "jms", TOKEN, "LIKE", "before LIKE", "each operator: write a NOT LIKE 'x'"),
    ("a AND < 5", ALL, TOKEN, "<", "expected an operand before <", "perhaps repeat the name before each operator"),
    ("= 5", ALL, TOKEN, "=", "expected an operand before =", "comes before the operator: a = …"),
    ("a & b", ALL, SIGN, "&", "writes & as AND", "write AND"),
    ("a ! = 5", ALL, SIGN, "! =", "writes 'not equal' as <>", "write a <> 5"),
    ("a =! 5", ALL, SIGN, "=!", "writes 'not equal' as <>", "write a <> 5"),
    ("a ! LIKE 'x'", ALL, SIGN, "!", "writes ! as NOT", "write NOT LIKE"),
    ("a !", ALL, SIGN, "!", "writes ! as NOT", "NOT comes before a condition"),
    ("a ! b", ALL, SIGN, "!", "writes ! as NOT", "NOT comes before a condition, and <> compares two values"),
    ("(a = 1) ! b = 2", "jms", SIGN, "!", "writes ! as NOT", "NOT comes before a condition, and <> compares"),
    (
        "a MOD 2 = 1",
        "activemq artemis qpid-java rabbitmq",
        TOKEN,
        "MOD",
        "there is no such operator: MOD",
        "write a % 2",
    ),
    (
        "a NOT MOD 2 = 1",
        "activemq rabbitmq",
        TOKEN,
        "MOD",
        "there is no such operator: MOD",
        "NOT comes before a condition",
    ),
    ("a NOT DIV 2 = 1", ALL, TOKEN, "DIV", "there is no such operator: DIV", "NOT comes before a condition"),
    ("a MOD 2 = 1", "jms qpid-cpp rabbitmq-jms", TOKEN, "MOD", "no such operator: MOD", "and rabbitmq have %"),
    ("headers['a.b'] = 1", "jms qpid-cpp", TOKEN, "headers['a.b']", "the plain name of a property", "alone: a.b"),
    ("headers['a.b'] = 1", "activemq", TOKEN, "headers['a.b']", "the plain name of a property", "cannot contain dots"),
    ("EXIST(a)", "activemq", "type.function", "EXIST(a)", "there is no function EXIST", "write a IS NOT NULL"),
    ("! NOT a", "jms", SIGN, "!", "writes ! as NOT", "write NOT"),
    ("a !< 5", ALL, SIGN, "!<", "there is no operator !<", "write a >= 5"),
    ("a !~ 'x'", ALL, SIGN, "!~", "there is no operator !~", "write a NOT LIKE '%x%'"),
    (
        "a !~* 'x'",
        ALL,
        SIGN,
        "!~*",
        "there is no operator !~*",
        "perhaps a NOT LIKE '%x%', which is case-sensitive",
    ),
    ("AND a", ALL, TOKEN, "AND", "expected a condition", "remove the AND, or write a condition before it"),
    ("a =< 5", ALL, TOKEN, "<", "expected an operand after =", "write <="),
    ("a >< 5", ALL, TOKEN, "<", "expected an operand after >", "the comparison operators are"),
    # text copied from markup, a statement or a program
    ("a = &apos;x&apos; AND b &gt; 5", "jms", TOKEN, "&apos;", "is XML markup", "a = 'x' AND b > 5"),
    ("a &lt;&gt; &quot;x&quot;", "jms", TOKEN, "&lt;", "is XML markup", "a <> 'x'"),
    ("a = :b", ALL, CHARACTER, ":b", "no bind variables", "perhaps put the value itself in place of :b"),
    ("a = ? AND b = 1", ALL, CHARACTER, "?", "no bind variables", "a number, or text in single quotes"),
    ("a IN (${b})", ALL, CHARACTER, "${b}", "no bind variables", "in place of ${b}"),
    ("a LIKE :b", ALL, CHARACTER, ":b", "no bind variables", "in place of :b"),
    ("JMSCorrelationID = ID:abc", NOT_RABBITMQ, CHARACTER, ":", "begins nothing", "quotes: 'ID:abc'"),
    ("a = topic://b AND c = 1", ALL, CHARACTER, ":", "begins nothing", "quotes: 'topic://b'"),
    ("a = 10.0.0.1", "jms", "syntax.number", "10.0.0.1", "neither a number nor a name", "quotes: '10.0.0.1'"),
    ("a.startsWith('b') OR c = 1", "jms", TOKEN, "a.startsWith('b')", "operators in the place", "write a LIKE 'b%'"),
    ("name = 'it\\'s'", ALL, TOKEN, "'it\\'s'", "a backslash does not escape a quote", "written twice: 'it''s'"),
    (
        "name = 'it\\'s' AND b = 'x'",
        ALL,
        TOKEN,
        "'it\\'s'",
        "a backslash does not escape a quote",
        "written twice: 'it''s'",
    ),
    ("name = 'O'Brien' AND b = 'x'", ALL, TOKEN, "Brien", "expected a comparison", "written twice: 'O''Brien'"),
    ("x BETWEEN (1 AND 5)", NOT_RABBITMQ, TOKEN, "(", "must not be in parentheses", "write x BETWEEN 1 AND 5"),
    ("x BETWEEN (1 AND 5) AND y = 2", "jms", TOKEN, "(", "must not be in parentheses", "write x BETWEEN 1 AND 5"),
    ("a is notnull", "jms", TOKEN, "notnull", "expected NULL or NOT NULL", "write a IS NOT NULL"),
    ("a = ''red''", "jms", TOKEN, "red", "expected a comparison", "text goes into single quotes: 'red'"),
    ("a = N'red'", "jms", TOKEN, "'red'", "expected a comparison", "no prefix before its quote: write 'red'"),
    ("'red' NOT LIKE a", "jms", TOKEN, "a", "expected a string literal", "write a NOT LIKE 'red'"),
    ("b = 1 AND EXISTS a", "jms", TOKEN, "a", "expected a comparison", "write a IS NOT NULL"),
    ("a = ANY ('b', 'c')", "jms", TOKEN, "(", "expected a comparison", "write a IN ('b', 'c')"),
    (
        "a || 'x' = 'redx'",
        "jms",
        SIGN,
        "||",
        "no operator that concatenates strings",
        "perhaps compare a with only the rest",
    ),
    ("size & 1 = 1", "jms", SIGN, "&", "no bitwise operators", "perhaps list the values of size that have these bits"),
    ("size | 4 > 0", "jms", SIGN, "|", "no bitwise operators", "perhaps list the values of size that have these bits"),
    ("a IS NULL = TRUE", "jms", TOKEN, "= TRUE", "a condition itself", "write a IS NULL alone"),
    ("a IS NOT NULL = FALSE", "jms", TOKEN, "= FALSE", "a condition itself", "write a IS NULL alone"),
    ("a =~ 'r.*'", ALL, SIGN, "=~", "there is no operator =~", "write a LIKE 'r%'"),
    ("a ~ 'red'", ALL, SIGN, "~", "there is no operator ~", "write a LIKE '%red%'"),
    ("a =~ '^re[d]$'", ALL, SIGN, "=~", "there is no operator =~", "did you mean LIKE?"),
    # hints without a text to copy
    ("lower(a) = 'red'", "jms", TOKEN, "lower(a)", "no function for the case", "a IN ('red', 'RED', 'Red')"),
    ("a.toLowerCase() LIKE 'r%'", ALL, TOKEN, "a.toLowerCase()", "no function for the case", "list the spellings"),
    ("CASE WHEN a = 1 THEN 1 ELSE 0 END = 1", "jms", TOKEN, "CASE", "no CASE", "join the conditions of the branches"),
    ("a = 'x' ? 1 : 0", ALL, TOKEN, "?", "no conditional expression", "perhaps only the condition"),
    ("a LIKE '%' + :x + '%'", "jms", SIGN, "+", "no operator that concatenates strings", "into one pair of quotes"),
    ("a IN ?", "jms", CHARACTER, "?", "no bind variables", "in place of ?"),
    ("*", ALL, TOKEN, "*", "expected a condition", "perhaps omit the selector"),
    ("a = *", "jms", TOKEN, "*", "expected an operand", "perhaps a IS NOT NULL, which matches any value"),
    ("//book[price>10]", "jms", TOKEN, "/", "expected a condition", "a path reads the message's body"),
    ("a = 'b' -- c d", "artemis", "syntax.comment", "--", "ends at the next line break", "between /* and */"),
    # a message names the words of the text, even in dialects that regroup them
    ("a = NOT", "qpid-java", END, "", "expected an operand after NOT", "a condition is missing at the end"),
    ("a IN ('b') = TRUE", "jms", TOKEN, "=", "after ), found =", "comparisons do not chain"),
    ("a is null null", "rabbitmq-jms", TOKEN, "null", "after null, found null", "join conditions"),
    ("a = TRUE FALSE", ALL, TOKEN, "FALSE", "after TRUE, found FALSE", "join conditions with AND or OR"),
)


@pytest.mark.parametrize(("text", "dialects", "code", "under", "message", "hint"), MISTAKES)
def test_a_mistake_is_named_and_corrected_in_each_dialect(
    text: str, dialects: str, code: str, under: str, message: str, hint: str
) -> None:
    for dialect in dialects.split():
        with pytest.raises(TranspilerError) as caught:
            parse_selector(text, dialect)
        finding = caught.value.diagnostics[0]
        assert finding.span is not None
        found = (finding.code, text[finding.span.start : finding.span.end])
        assert found == (code, under), f"{dialect}: {finding}"
        assert message in finding.message, dialect
        assert hint in (finding.hint or ""), dialect


class _Read(NamedTuple):
    """The diagnostics of all texts in all dialects, and the indexes of the table's rows that produced one."""

    findings: dict[tuple[str, str], Diagnostic | None]
    met: set[int]


@pytest.fixture(scope="module")
def read() -> _Read:
    """Parse each text in each dialect once, because the hints of a thousand mistakes are slow to compute."""
    met: set[int] = set()

    def noting(number: int, rule: Rule) -> Rule:
        def find(reading: Reading, finding: Diagnostic) -> Diagnostic | None:
            better = rule(reading, finding)
            if better is not None:
                met.add(number)
            return better

        return find

    rules = [noting(number, rule) for number, rule in enumerate((*RULES, *HINTS))]
    texts = dict.fromkeys(row[0] for row in (*MISTAKES, *BAD, *SLIPS, *OF_A_BROKER))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mistakes, "RULES", rules[: len(RULES)])
        patch.setattr(mistakes, "HINTS", rules[len(RULES) :])
        # In a sample, each text is parsed in some of the dialects.
        pairs = sample(product(texts, DIALECTS), 8 * len(texts), stratum=itemgetter(0))
        return _Read({pair: _finding(*pair) for pair in pairs}, met)


def _finding(text: str, dialect: str) -> Diagnostic | None:
    try:
        parse_selector(text, dialect)
    except TranspilerError as error:
        return error.diagnostics[0]
    return None


def test_a_hint_that_says_what_to_write_has_it_as_its_fix(read: _Read) -> None:
    without = []
    for (text, dialect), finding in read.findings.items():
        hint = "" if finding is None else finding.hint or ""
        if finding is not None and finding.fix is None and "write " in hint and "…" not in hint:
            without.append((dialect, text, hint))
    assert not without


def test_a_text_with_its_fix_parses_or_fails_further_on_and_keeps_its_values(read: _Read) -> None:
    broken = []
    for (text, dialect), finding in read.findings.items():
        if finding is None or not isinstance(finding.fix, Fix):
            continue
        fixed = finding.fix.apply(text)
        left = _finding(fixed, dialect)
        # RabbitMQ reports the case of reserved words last.
        further = left is None or left.code == "syntax.reserved-word"
        if not further and len(fixed) - left.span.start >= len(text) - finding.span.start:
            broken.append((dialect, text, fixed, left.message))
        if fixed == text or not all(value in fixed for value in re.findall(r"'(\w+)'", text)):
            broken.append((dialect, text, fixed, "a value is lost"))
    assert not broken


def test_every_row_of_the_table_is_met_by_a_mistake(read: _Read) -> None:
    assert [rule for number, rule in enumerate((*RULES, *HINTS)) if number not in read.met] == []


BLOCKS = (
    (
        "fragile is TRUE",
        "selector:1:12: syntax.unexpected-token: expected NULL or NOT NULL after is, found TRUE\n"
        "  1 | fragile is TRUE\n"
        "    |            ^^^^\n"
        "  hint: write fragile = TRUE or fragile",
    ),
    (
        "a between 1",
        "selector:1:12: syntax.unexpected-end: expected AND and the upper bound after 1, the selector ends\n"
        "  1 | a between 1\n"
        "    |            ^\n"
        "  hint: write a BETWEEN 1 AND …",
    ),
    (
        "abc in ('def' 'ghi')",
        "selector:1:15: syntax.unexpected-token: a comma is missing after 'def', found 'ghi'\n"
        "  1 | abc in ('def' 'ghi')\n"
        "    |               ^^^^^\n"
        "  hint: write abc IN ('def', 'ghi')",
    ),
    (
        "hyphenated_props:b-ar = '123'",
        "selector:1:1: syntax.prefix: JMS has no prefix hyphenated_props:\n"
        "  1 | hyphenated_props:b-ar = '123'\n"
        "    | ^^^^^^^^^^^^^^^^^\n"
        "  hint: remove the prefix; the dialect artemis has it",
    ),
)


@pytest.mark.parametrize(("text", "block"), BLOCKS)
def test_the_caret_block_of_a_mistake_is_printed_below_the_text(text: str, block: str) -> None:
    with pytest.raises(TranspilerError) as caught:
        parse_selector(text)
    assert str(caught.value) == block


#: Selectors with names that are operators elsewhere, and with words of the language that a dialect allows as names.
LEGAL = (
    ("where = 1 AND contains = 2", ALL),
    ("where LIKE 'x%' OR limit > 5", ALL),
    ("BETWEEN = 1", "rabbitmq"),
    ("a = (TRUE OR FALSE)", "activemq artemis"),
    ("IS = 1 AND NULL = 2", "rabbitmq-jms"),
    ('a = "text"', "artemis qpid-java qpid-cpp rabbitmq"),
    ("hyphenated_props:b-ar = '123'", "artemis"),
    ('hyphenated_props:no_hyphenated_props:"b-ar" = 1', "artemis"),
    ("a LIKE 'x' ESCAPE ''", "qpid-cpp"),
    ("€uro = 1 AND a€ = 2 AND _a‿b = 3 AND Ⅳ = 4 AND ª1 = 5 AND $ = 6", "jms"),
)


@pytest.mark.parametrize(("text", "dialects"), LEGAL)
def test_what_looks_like_a_mistake_and_is_none_parses(text: str, dialects: str) -> None:
    for dialect in dialects.split():
        assert parse_selector(text, dialect) is not None


_WORDS = """a b.c AND or NOT not ( ) = <> < => !~ 5 .5 'x' 'y "z `q` ’r’ LIKE like IN , ; BETWEEN IS NULL ESCAPE + - * /
TRUE is [k] ilike contains where select : | ! % -- /* */ { } xor amd"""
_SOUP = st.lists(st.sampled_from([*_WORDS.split(), " ", "hyphenated_props:"]), max_size=12)


@given(_SOUP, st.sampled_from(["", " "]), st.sampled_from(list(DIALECTS)))
@settings(max_examples=size(60, 750))
def test_any_soup_of_words_ends_in_a_tree_or_in_an_error_inside_the_text(
    words: list[str], joint: str, dialect: str
) -> None:
    text = joint.join(words)
    try:
        parse_selector(text, dialect)
    except TranspilerError as error:
        for finding in error.diagnostics:
            assert finding.span is not None
            assert 0 <= finding.span.start <= finding.span.end <= len(text)
            assert finding.message


@pytest.mark.parametrize(
    "text",
    ["a = " + "/*" * 40_000, "a IN (" + "'b' " * 15_000, "`" * 99_999, '"' * 99_999, "a = (" * 20_000, "a b " * 20_000],
)
def test_a_long_mistake_ends(text: str) -> None:
    for dialect in ("jms", "activemq"):
        with pytest.raises(TranspilerError):
            parse_selector(text, dialect)
