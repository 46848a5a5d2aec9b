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
        "A backslash outside a text",
        "color = \\'red\\'",
        "color = 'red'",
        "In a selector, a backslash is not an escape character. To write a quote inside a text, double it: "
        "`'it''s'`. Often such a backslash comes from the string literal of the program that contains the selector.",
    ),
    _error(
        "syntax.blank",
        "An empty filter",
        " ",
        "TRUE",
        "In JMS an empty selector selects every message. RabbitMQ refuses an empty SQL filter.",
        dialect="rabbitmq",
    ),
    _error(
        "syntax.bracket",
        "A name in brackets",
        "[color] = 'red'",
        "color = 'red'",
        "Only RabbitMQ's SQL filters accept a name in brackets. A name in brackets may contain blanks and hyphens.",
    ),
    _error(
        "syntax.comment",
        "A comment in a dialect without comments",
        "color = 'red' -- the best",
        "color = 'red'",
        "JMS selectors cannot contain comments. ActiveMQ, Artemis and Broker-J accept comments in the form `/* … "
        "*/`, which must end with `*/`. These three brokers also accept comments from `--` to the end of the line, "
        "if another line follows.",
    ),
    _error(
        "syntax.double-quote",
        "Double quotes around text",
        'color = "red"',
        "color = 'red'",
        "Write text in single quotes. In JMS a double quote has no meaning. Artemis, Broker-J and Qpid C++ read "
        '`"red"` as the name of a property, and RabbitMQ\'s SQL filters read it as a text.',
    ),
    _error(
        "syntax.escape",
        "An escape character that is not one character",
        "name LIKE '100!%' ESCAPE '!!'",
        "name LIKE '100!%%' ESCAPE '!'",
        "The text after `ESCAPE` must be one character. In the pattern, a wildcard after this escape character "
        "matches only itself.",
    ),
    _error(
        "syntax.number",
        "A malformed number",
        "weight = 08",
        "weight = 8",
        "Selectors have the number format of Java: a number with a leading 0 is octal, and a number with `0x` is "
        "hexadecimal. But `_` between digits is not allowed.",
    ),
    _error(
        "syntax.number-range",
        "A number outside the range of its type",
        "id = 9223372036854775808",
        "id = 9223372036854775807",
        "An integer literal in a selector has at most 64 bits, including its sign. Write a larger number as a "
        "floating point number.",
    ),
    _error(
        "syntax.operator",
        "An operator of another language",
        "color == 'red' && weight > 5",
        "color = 'red' AND weight > 5",
        "The comparison and logical operators of selectors are `=`, `<>`, `<`, `<=`, `>`, `>=`, `AND`, `OR` and `NOT`.",
    ),
    _error(
        "syntax.pattern",
        "A pattern that ends in its escape character",
        "name LIKE 'a!' ESCAPE '!'",
        "name LIKE 'a!!%' ESCAPE '!'",
        "In a pattern of `LIKE`, the escape character applies to the next character, so it cannot be the last "
        "character of the pattern.",
    ),
    _error(
        "syntax.prefix",
        "A prefix that the broker does not have",
        "convert_string_expressions:weight > 5",
        "weight > 5",
        "At the start of a selector, only ActiveMQ and Artemis accept the prefix `convert_string_expressions:`, "
        "and only Artemis accepts `hyphenated_props:`. In other dialects a selector cannot begin with these "
        "prefixes.",
    ),
    _error(
        "syntax.quote",
        "Backticks around text",
        "color = `red`",
        "color = 'red'",
        "Write text in single quotes. A backtick has no meaning in a selector.",
    ),
    _error(
        "syntax.reserved-word",
        "A reserved word in another case",
        "color = 'red' and weight > 5",
        "color = 'red' AND weight > 5",
        "RabbitMQ's SQL filters accept their keywords only in upper case.",
        dialect="rabbitmq",
    ),
    _error(
        "syntax.section",
        "A field that its section does not have",
        "header.colour > 4",
        "header.priority > 4",
        "In RabbitMQ's SQL filters, write the name of the message section before a field, as in "
        "`properties.subject`. The sections `header.` and `properties.` contain only the fields that AMQP defines. "
        "Write the name of an application property without a section.",
        dialect="rabbitmq",
    ),
    _error(
        "syntax.unexpected-character",
        "A character that is not part of the language",
        "color = @red",
        "color = 'red'",
        "The marked character is not part of the selector language. Often such a character belongs to a "
        "placeholder of another tool, or is a typographic quote that a word processor has inserted.",
    ),
    _error(
        "syntax.unexpected-end",
        "A selector that ends too early",
        "color = 'red' AND",
        "color = 'red' AND weight > 5",
        "At the end of the selector, an operand is missing after an operator, or a closing parenthesis is missing.",
    ),
    _error(
        "syntax.unexpected-token",
        "A word in the wrong place",
        "color = 'red' AND AND weight > 5",
        "color = 'red' AND weight > 5",
        "The selector is valid up to the marked word, but that word isn't allowed at this position.",
    ),
    _error(
        "syntax.unterminated-string",
        "A string without its closing quote",
        "color = 'red",
        "color = 'red'",
        "A literal ends at its closing quote. Write a quote inside a literal twice: `'it''s'`.",
    ),
    _error(
        "type.arguments",
        "The wrong number of arguments",
        "REGEX('a.*')",
        "REGEX('a.*', name)",
        "Each function in ActiveMQ's selectors takes a certain number of arguments.",
        dialect="activemq",
    ),
    _error(
        "type.function",
        "A function that does not exist",
        "LOWER(name) = 'a'",
        "REGEX('[aA]', name)",
        "Only ActiveMQ has functions: REGEX, INLIST, MAKELIST, SPLIT and REPLACE.",
        dialect="activemq",
    ),
    Rule(
        "type.header",
        "A header column of the wrong type",
        "JMSPriority = 5",
        "JMSType = 'order'",
        "The schema has a column with the name of a header field, but the column has a type that the header field "
        "never has. Cast the column, or use an option of the layout that reads the column as the type of the "
        "header field.",
        schema="JMSPriority STRING, JMSType STRING",
    ),
    _error(
        "type.in-member",
        "A list member that is not a string",
        "weight IN (5, 6)",
        "weight = 5 OR weight = 6",
        "`IN` accepts only string literals (Jakarta Messaging 3.8.1.2). To compare a property with several "
        "numbers, write a comparison with `=` for each number, and join them by OR.",
    ),
    _error(
        "type.not-a-condition",
        "A value where a condition is needed",
        "weight + 5",
        "weight + 5 > 10",
        "A selector is a condition. A number or a string is not a condition.",
    ),
    _error(
        "type.not-a-name",
        "A test of something other than a name",
        "weight + 5 IS NULL",
        "weight IS NULL",
        "The operand before `IN`, `LIKE` or `IS NULL` must be the name of a property or of a header field.",
    ),
    _error(
        "type.not-a-number",
        "Arithmetic on something other than a number",
        "color + 'red' = 'x'",
        "weight + 5 = 6",
        "Arithmetic accepts only numbers.",
    ),
    _error(
        "type.not-twice",
        "Two NOT in a row",
        "NOT NOT active",
        "NOT (NOT active)",
        "In selectors of RabbitMQ's JMS client, a NOT cannot directly follow another NOT.",
        dialect="rabbitmq-jms",
    ),
    _error(
        "type.null",
        "NULL as a value",
        "color = NULL",
        "color IS NULL",
        "ActiveMQ's parser reads NULL as a literal, and then fails with an error. To test for a missing property, "
        "write `IS NULL`.",
        dialect="activemq",
    ),
    _error(
        "type.ordering",
        "Strings or booleans compared by order",
        "weight > '5'",
        "weight > 5",
        "Only numbers have an order. Compare strings and booleans with `=` and `<>` (Jakarta Messaging 3.8.1.2).",
    ),
    _error(
        "type.sign",
        "A sign that the broker's parser refuses",
        "weight > +(limit)",
        "weight > limit",
        "In each dialect, a plus or minus sign is allowed only before certain kinds of expressions.",
        dialect="qpid-cpp",
    ),
    Rule(
        "type.unlike",
        "Values of different types",
        "JMSCorrelationID = 1234",
        "JMSCorrelationID = '1234'",
        "A number, a string and a boolean are never equal to each other. If literals, header fields or the schema "
        "determine the types of both operands of a comparison, and the types differ, the result is the same for "
        "every message.",
        instead_of=("lint.quoted-number", "lint.quoted-boolean", "lint.wildcard-without-like"),
    ),
    _error(
        "name.unknown-field",
        "A field that AMQP does not have",
        "amqp.correlationid = 'x'",
        "amqp.correlation_id = 'x'",
        "A name that begins with `amqp.` must be the name of a field of AMQP messages, with underscores instead of "
        "hyphens.",
    ),
    Rule(
        "name.unmapped",
        "A header field that is always missing",
        "JMSXState = 2",
        "JMSXDeliveryCount = 2",
        "AMQP has no field for this JMS name, so no message has a value for it.",
    ),
    Rule(
        "id.form",
        "A message ID in an invalid form",
        "JMSMessageID = 'ID:AMQP_ULONG:abc'",
        "JMSMessageID = 'ID:AMQP_ULONG:17'",
        "The prefix of a message ID, such as `ID:AMQP_ULONG:`, says which type the ID has, and the rest of the ID "
        "must be a value of that type. No message has an ID in any other form.",
        nodes=(ast.Like,),
        find=id_pattern,
    ),
    Rule(
        "portability.header",
        "A header field that the standard forbids in selectors",
        "JMSExpiration > 0",
        "JMSTimestamp > 0",
        "Jakarta Messaging 3.8.1.1 does not allow `JMSDestination`, `JMSReplyTo`, `JMSExpiration` and "
        "`JMSRedelivered` in selectors. Some brokers accept these header fields; other brokers refuse a selector "
        "that contains one of them.",
    ),
    _error(
        "layout.no-column",
        "A property without a column",
        "colour = 'red'",
        "color = 'red'",
        "If you pass `--schema` or a layout in which each property is a column, each name in the selector must be "
        "the name of a column. With `--missing null`, a name without a column is read as a missing property.",
        schema="color STRING",
    ),
    Rule(
        "limit.digits",
        "An integer with more digits than Spark supports",
        "i > 1" + "0" * 40,
        "i > 1" + "0" * 20,
        "RabbitMQ calculates with integers of any size. The largest integers in Spark have 38 digits, so write a "
        "larger integer as a floating point number, with `.0` at the end.",
        dialect="rabbitmq",
    ),
    _error(
        "limit.length",
        "Too many characters",
        "note = '" + "x" * 4_100 + "'",
        "note = 'x'",
        "RabbitMQ refuses filters of more than 4,096 characters. In the other dialects, selector-sql accepts "
        "selectors of up to a million characters.",
        dialect="rabbitmq",
    ),
    _error(
        "limit.tokens",
        "Too many tokens",
        "id IN (" + ",".join("1" * 100) + ")",
        "id IN (1, 2, 3)",
        "RabbitMQ refuses filters of more than 200 tokens. Split the filter among several consumers.",
        dialect="rabbitmq",
    ),
    _error(
        "limit.nesting",
        "Nested too deeply",
        _NESTED,
        "a = 1",
        "The conditions of a selector may be nested at most 120 levels deep, so that selector-sql and Spark's own "
        "parser can process them.",
    ),
    _error(
        "limit.terms",
        "Too many names and literals",
        "id IN (" + ",".join(["'1'"] * 50_001) + ")",
        "id IN ('1', '2')",
        "A selector may contain at most 50,000 names and literals, so that Spark can compile it.",
    ),
    Rule(
        "spark.xpath",
        "An XPath that Spark cannot evaluate",
        "XPATH '//a['",
        "XPATH '//a[@b=''c'']'",
        "The selector is legal, but Spark does not evaluate its XPath in the same way as the broker. The reference "
        "evaluator, which `selector-sql match` uses, does not have this limit.",
        dialect="activemq",
    ),
    Rule(
        "spark.function",
        "A function call that Spark SQL does not have",
        "INLIST(list, name)",
        "INLIST(SPLIT('Tom,James', ','), name)",
        "The selector is legal, but its function call has no counterpart in Spark SQL. The reference evaluator can "
        "evaluate it.",
        dialect="activemq",
    ),
    Rule(
        "spark.regex",
        "A regular expression outside the supported subset",
        "REGEX('(a+)+b', name)",
        "REGEX('a+b', name)",
        "The selector is legal, but its regular expression is outside the subset that Spark and the reference "
        "evaluator support: literals, classes, groups, alternatives, greedy repeats, anchors and look-aheads, "
        "except repeats for which a search could need more steps than the square of the text's length.",
        dialect="activemq",
    ),
)
