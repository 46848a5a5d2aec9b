"""The errors and warnings of the parser, the checks and the compiler, as rules with ids and pages.

An error or warning also has a ``find`` function if a rule makes findings of the same kind.
"""

from __future__ import annotations

from functools import partial

from transpiler.language.selector import ast
from transpiler.tools.lint.rule import Rule
from transpiler.tools.lint.rules.literals import id_pattern

_error = partial(Rule, severity="error")
_NESTED = "NOT " * 130 + "active"

RULES = (
    _error(
        "syntax.backslash",
        "A backslash outside of a text",
        "color = \\'red\\'",
        "color = 'red'",
        "A backslash escapes nothing in a selector. Inside of a text, a quote is written twice: `'it''s'`. A backslash "
        "is often left from a string literal of the program that has the selector.",
    ),
    _error(
        "syntax.blank",
        "An empty filter",
        " ",
        "TRUE",
        "In JMS an empty selector selects everything. RabbitMQ's SQL filter refuses one.",
        dialect="rabbitmq",
    ),
    _error(
        "syntax.bracket",
        "A name in brackets",
        "[color] = 'red'",
        "color = 'red'",
        "Only RabbitMQ's SQL filters take a name in brackets, which may have blanks and hyphens in it.",
    ),
    _error(
        "syntax.comment",
        "A comment where there is none",
        "color = 'red' -- the best",
        "color = 'red'",
        "JMS has no comments. ActiveMQ, Artemis and Broker-J take `/* … */`, and `--` up to the end of the line if "
        "another line follows. A `/*` needs its `*/`.",
    ),
    _error(
        "syntax.double-quote",
        "Double quotes around text",
        'color = "red"',
        "color = 'red'",
        "Text goes into single quotes. In JMS a double quote begins nothing; Artemis, Broker-J and Qpid C++ take "
        '`"red"` as the name of a property, and RabbitMQ\'s SQL filters as text.',
    ),
    _error(
        "syntax.escape",
        "An escape character that is not one character",
        "name LIKE '100!%' ESCAPE '!!'",
        "name LIKE '100!%%' ESCAPE '!'",
        "`ESCAPE` takes one character, which makes the wildcard behind it stand for itself.",
    ),
    _error(
        "syntax.number",
        "A malformed number",
        "weight = 08",
        "weight = 8",
        "Numbers are those of Java: a leading 0 makes an octal number, `0x` a hexadecimal one, and `_` separates "
        "nothing.",
    ),
    _error(
        "syntax.number-range",
        "A number beyond its type",
        "id = 9223372036854775808",
        "id = 9223372036854775807",
        "An exact number has 64 bits with its sign. A larger one is written as a floating point number.",
    ),
    _error(
        "syntax.operator",
        "An operator of another language",
        "color == 'red' && weight > 5",
        "color = 'red' AND weight > 5",
        "Selectors have `=`, `<>`, `<`, `<=`, `>`, `>=`, `AND`, `OR` and `NOT`.",
    ),
    _error(
        "syntax.pattern",
        "A pattern that ends in its escape character",
        "name LIKE 'a!' ESCAPE '!'",
        "name LIKE 'a!!%' ESCAPE '!'",
        "The escape character applies to the one behind it, so none may be last.",
    ),
    _error(
        "syntax.prefix",
        "A prefix that the broker does not have",
        "convert_string_expressions:weight > 5",
        "weight > 5",
        "`convert_string_expressions:` and `hyphenated_props:` are ActiveMQ's and Artemis's. Elsewhere they are no "
        "part of a selector.",
    ),
    _error(
        "syntax.quote",
        "Backticks around text",
        "color = `red`",
        "color = 'red'",
        "Text goes into single quotes; a backtick begins nothing.",
    ),
    _error(
        "syntax.reserved-word",
        "A reserved word in another case",
        "color = 'red' and weight > 5",
        "color = 'red' AND weight > 5",
        "RabbitMQ's SQL filters have their keywords in upper case only.",
        dialect="rabbitmq",
    ),
    _error(
        "syntax.section",
        "A section without this field",
        "header.colour > 4",
        "header.priority > 4",
        "RabbitMQ's SQL filters write a field with the section of the message that has it. `header.` and `properties.` "
        "have the fields of AMQP only; a property of the application stands without a section.",
        dialect="rabbitmq",
    ),
    _error(
        "syntax.unexpected-character",
        "A character that begins nothing",
        "color = @red",
        "color = 'red'",
        "The character is no part of the selector language. Among these are placeholders of other tools, and the "
        "quotes of word processors.",
    ),
    _error(
        "syntax.unexpected-end",
        "The end comes too early",
        "color = 'red' AND",
        "color = 'red' AND weight > 5",
        "An operator lacks its operand, or a parenthesis is never closed.",
    ),
    _error(
        "syntax.unexpected-token",
        "A word in the wrong place",
        "color = 'red' AND AND weight > 5",
        "color = 'red' AND weight > 5",
        "The text is well-formed up to the marked word, and no selector goes on with it.",
    ),
    _error(
        "syntax.unterminated-string",
        "A string without its closing quote",
        "color = 'red",
        "color = 'red'",
        "A literal ends at its closing quote. A quote inside is written twice: `'it''s'`.",
    ),
    _error(
        "type.arguments",
        "The wrong number of arguments",
        "REGEX('a.*')",
        "REGEX('a.*', name)",
        "Each of ActiveMQ's functions takes a fixed number of arguments.",
        dialect="activemq",
    ),
    _error(
        "type.function",
        "A function that does not exist",
        "LOWER(name) = 'a'",
        "REGEX('[aA]', name)",
        "ActiveMQ has the functions REGEX, INLIST, MAKELIST, SPLIT and REPLACE, and no other dialect has them.",
        dialect="activemq",
    ),
    Rule(
        "type.header",
        "A column whose type a header field never has",
        "JMSPriority = 5",
        "JMSType = 'order'",
        "The schema has a column of a header field's name, with a type that the field does not have. A cast, or an "
        "option of the layout, gives it the right one.",
        schema="JMSPriority STRING, JMSType STRING",
    ),
    _error(
        "type.in-member",
        "A list member that is no string",
        "weight IN (5, 6)",
        "weight = 5 OR weight = 6",
        "`IN` takes string literals only (Jakarta Messaging 3.8.1.2). Numbers are compared one by one.",
    ),
    _error(
        "type.not-a-condition",
        "A value where a condition is needed",
        "weight + 5",
        "weight + 5 > 10",
        "A selector is a condition. Numbers and strings are not.",
    ),
    _error(
        "type.not-a-name",
        "A test of something that is no name",
        "weight + 5 IS NULL",
        "weight IS NULL",
        "`IN`, `LIKE` and `IS NULL` test a property or a header field.",
    ),
    _error(
        "type.not-a-number",
        "Arithmetic on what is no number",
        "color + 'red' = 'x'",
        "weight + 5 = 6",
        "Arithmetic takes numbers only.",
    ),
    _error(
        "type.not-twice",
        "Two NOT in a row",
        "NOT NOT active",
        "NOT (NOT active)",
        "RabbitMQ's JMS client takes one NOT in a row.",
        dialect="rabbitmq-jms",
    ),
    _error(
        "type.null",
        "NULL as a value",
        "color = NULL",
        "color IS NULL",
        "ActiveMQ's parser takes NULL as a literal and fails on it. A missing property is tested with `IS NULL`.",
        dialect="activemq",
    ),
    _error(
        "type.ordering",
        "The order of strings or booleans",
        "weight > '5'",
        "weight > 5",
        "Only numbers have an order: strings and booleans compare with `=` and `<>` (Jakarta Messaging 3.8.1.2).",
    ),
    _error(
        "type.sign",
        "A sign that the broker's parser refuses",
        "weight > +(limit)",
        "weight > limit",
        "Dialects differ on the signs that may stand before an expression.",
        dialect="qpid-cpp",
    ),
    Rule(
        "type.unlike",
        "Values of unlike types",
        "JMSCorrelationID = 1234",
        "JMSCorrelationID = '1234'",
        "A number, a string and a boolean are never equal to each other. Where the types of both sides are known, by "
        "literals, header fields or the schema, the answer is the same for every message.",
        instead_of=("lint.quoted-number", "lint.quoted-boolean", "lint.wildcard-without-like"),
    ),
    _error(
        "name.unknown-field",
        "A field that AMQP does not have",
        "amqp.correlationid = 'x'",
        "amqp.correlation_id = 'x'",
        "Names that begin with `amqp.` are the fields of an AMQP message, with underscores.",
    ),
    Rule(
        "name.unmapped",
        "A header field that is always missing",
        "JMSXState = 2",
        "JMSXDeliveryCount = 2",
        "The JMS name has no counterpart in AMQP, so a message never has it.",
    ),
    Rule(
        "id.form",
        "A message id in a form that none has",
        "JMSMessageID = 'ID:AMQP_ULONG:abc'",
        "JMSMessageID = 'ID:AMQP_ULONG:17'",
        "The prefix of an id says its type, and the rest has to fit it. No id reads so.",
        nodes=(ast.Like,),
        find=id_pattern,
    ),
    Rule(
        "portability.header",
        "A header field that selectors may not use",
        "JMSExpiration > 0",
        "JMSTimestamp > 0",
        "Jakarta Messaging 3.8.1.1 keeps `JMSDestination`, `JMSReplyTo`, `JMSExpiration` and `JMSRedelivered` out of "
        "selectors. Some brokers take them, others refuse the selector.",
    ),
    _error(
        "layout.no-column",
        "A property that no column has",
        "colour = 'red'",
        "color = 'red'",
        "With `--schema` or a layout of columns, each name has to be a column. With `--missing null` an unknown name "
        "is a missing property.",
        schema="color STRING",
    ),
    Rule(
        "limit.digits",
        "An integer with more digits than Spark has",
        "i > 1" + "0" * 40,
        "i > 1" + "0" * 20,
        "RabbitMQ calculates with integers of any size. Spark's largest integers have 38 digits, so a larger one is "
        "written as a floating point number, with `.0` at the end.",
        dialect="rabbitmq",
    ),
    _error(
        "limit.length",
        "Too many characters",
        "note = '" + "x" * 4_100 + "'",
        "note = 'x'",
        "RabbitMQ refuses filters of more than 4,096 characters. The limit of the other dialects, a million, is this "
        "project's own.",
        dialect="rabbitmq",
    ),
    _error(
        "limit.tokens",
        "Too many tokens",
        "id IN (" + ",".join("1" * 100) + ")",
        "id IN (1, 2, 3)",
        "RabbitMQ refuses filters of more than 200 tokens. Split the filter into several consumers.",
        dialect="rabbitmq",
    ),
    _error(
        "limit.nesting",
        "Nested too deeply",
        _NESTED,
        "a = 1",
        "Conditions nest at most 120 levels deep, so that every pass and Spark's own parser can follow.",
    ),
    _error(
        "limit.terms",
        "Too many names and literals",
        "id IN (" + ",".join(["'1'"] * 50_001) + ")",
        "id IN ('1', '2')",
        "A selector has at most 50,000 names and literals, so that Spark can compile it.",
    ),
    Rule(
        "spark.xpath",
        "An XPath that Spark is not given",
        "XPATH '//a['",
        "XPATH '//a[@b=''c'']'",
        "The selector is legal, and its XPath is none that Spark evaluates as the broker does. The reference evaluator "
        "has no such limit.",
        dialect="activemq",
    ),
    Rule(
        "spark.function",
        "A function call that SQL does not have",
        "INLIST(list, name)",
        "INLIST(SPLIT('Tom,James', ','), name)",
        "The selector is legal, and its function call has no counterpart in Spark SQL. The reference evaluator has it.",
        dialect="activemq",
    ),
    Rule(
        "spark.regex",
        "A regular expression outside of the subset",
        "REGEX('(a+)+b', name)",
        "REGEX('a+b', name)",
        "The selector is legal, and its regular expression is none of the subset that Spark and the reference "
        "evaluator have: literals, classes, groups, alternatives, greedy repeats, anchors and look-aheads, without "
        "repeats that could take longer than the square of the text's length.",
        dialect="activemq",
    ),
)
