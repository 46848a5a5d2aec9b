"""Mistakes from people's questions: if the hints are followed, the selector matches the intended message.

The mistakes are those that people post: operators of other languages, quotes, wildcards, dates, booleans, names with
prefixes, lists, text copied from XML, URLs and JSON, and forms of Spring, Camel, Jenkins and the cloud services.
"""

from __future__ import annotations

from typing import Any

import pytest

from transpiler import TranspilerError, evaluate, parse_selector, transpile_selector
from transpiler.base.diagnostics import Diagnostic, Fix
from transpiler.language.selector.dialects import DIALECTS
from transpiler.tools.lint.check import Checker

RED: dict[str, Any] = {"color": "red", "size": 7, "active": True, "JMSType": "car"}
AT = 1_704_067_200_000

#: The mistake, a piece of the first hint, the selector after all fixes, and the message's properties in addition to
#: ``RED``.
SLIPS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    # operators
    ("color == 'red'", "write color = 'red'", "color = 'red'", {}),
    ("color === 'red'", "write color = 'red'", "color = 'red'", {}),
    ("color <=> 'red'", "write =", "color = 'red'", {}),
    ("color != 'blue'", "write <>", "color <> 'blue'", {}),
    ("color eq 'red' and size gt 5", "write color = 'red'", "color = 'red' and size > 5", {}),
    ("color equals 'red'", "write color = 'red'", "color = 'red'", {}),
    ("color = 'red' && size > 5", "write AND", "color = 'red' AND size > 5", {}),
    ("color = 'blue' || size > 5", "write OR", "color = 'blue' OR size > 5", {}),
    ("!(color = 'blue')", "write NOT", "NOT(color = 'blue')", {}),
    ("size => 5", "write >=", "size >= 5", {}),
    ("5 < size < 9", "comparisons do not chain", "5 < size AND size < 9", {}),
    ("size >= 5 <= 9", "comparisons do not chain", "size >= 5 AND size <= 9", {}),
    ("color = 'red' or = 'blue'", "repeat the name before each operator", "color = 'red' or color = 'blue'", {}),
    ("color = 'blue' OR 'red'", "write color = 'red'", "color = 'blue' OR color = 'red'", {}),
    ("color LIKE 'b%' OR 'r%'", "write color LIKE 'r%'", "color LIKE 'b%' OR color LIKE 'r%'", {}),
    ("color <> 'blue' AND 'green'", "write color <> 'green'", "color <> 'blue' AND color <> 'green'", {}),
    ("color = ('red' OR 'blue')", "IN ('red', 'blue')", "color IN ('red', 'blue')", {}),
    ("color = 'red' AND AND size > 5", "remove the second AND", "color = 'red' AND  size > 5", {}),
    ("(color = 'red'", "never closed", "(color = 'red')", {}),
    ("(color = 'red' ", "never closed", "(color = 'red') ", {}),
    ("color = 'red')", "remove th", "color = 'red'", {}),
    ("color = 'red';", "remove th", "color = 'red'", {}),
    # quotes
    ('color = "red"', "single quotes: 'red'", "color = 'red'", {}),
    ("color = “red”", "write 'red'", "color = 'red'", {}),
    ("color = `red`", "write 'red'", "color = 'red'", {}),
    ("color = red", "single quotes: 'red'", "color = 'red'", {}),
    ("name = 'O'Reilly'", "written twice", "name = 'O''Reilly'", {"name": "O'Reilly"}),
    ("name = 'O\\'Reilly'", "written twice", "name = 'O''Reilly'", {"name": "O'Reilly"}),
    ("name LIKE '%\\'%'", "written twice", "name LIKE '%''%'", {"name": "O'Reilly"}),
    ('name = "it\\"s"', "single quotes", "name = 'it\"s'", {"name": 'it"s'}),
    ("JMSDeliveryMode IN (1)", "write 'NON_PERSISTENT'", "JMSDeliveryMode IN ('NON_PERSISTENT')", {}),
    ("size &gt; 5 &amp;&amp; color = 'red'", "characters themselves", "size > 5 AND color = 'red'", {}),
    ("\"color = 'red'\"", "without the quotes", "color = 'red'", {}),
    ("'color = ''red'''", "without the quotes", "color = 'red'", {}),
    (
        "JMSCorrelationID = ID:a-1",
        "single quotes: 'ID:a-1'",
        "JMSCorrelationID = 'ID:a-1'",
        {"JMSCorrelationID": "ID:a-1"},
    ),
    ("JMSXGroupID = order-1", "write 'order-1'", "JMSXGroupID = 'order-1'", {"JMSXGroupID": "order-1"}),
    (
        "JMSDeliveryMode = PERSISTENT",
        "'PERSISTENT'",
        "JMSDeliveryMode = 'PERSISTENT'",
        {"JMSDeliveryMode": "PERSISTENT"},
    ),
    ("JMSDeliveryMode = 2", "'PERSISTENT'", "JMSDeliveryMode = 'PERSISTENT'", {"JMSDeliveryMode": "PERSISTENT"}),
    # patterns
    ("color LIKE '*ed*'", "write '%ed%'", "color LIKE '%ed%'", {}),
    ("color LIKE 'r?d'", "write 'r_d'", "color LIKE 'r_d'", {}),
    ('color LIKE "r%"', "single quotes: 'r%'", "color LIKE 'r%'", {}),
    ("color LIKE r%", "single quotes: 'r%'", "color LIKE 'r%'", {}),
    ("color LIKE ('r%')", "write color LIKE 'r%'", "color LIKE 'r%'", {}),
    ("color LIKE ANY ('b%', 'r%')", "LIKE 'r%'", "color LIKE 'b%' OR color LIKE 'r%'", {}),
    ("color =~ 'r.*'", "write color LIKE 'r%'", "color LIKE 'r%'", {}),
    ("color =~ /r.*/", "write LIKE 'r%'", "color LIKE 'r%'", {}),
    ("color REGEXP '^r'", "write color LIKE 'r%'", "color LIKE 'r%'", {}),
    ("color matches 'r.*d'", "write color LIKE 'r%d'", "color LIKE 'r%d'", {}),
    ("color CONTAINS 'ed'", "write color LIKE '%ed%'", "color LIKE '%ed%'", {}),
    ("color begins with 'r'", "write color LIKE 'r%'", "color LIKE 'r%'", {}),
    ("color.startsWith('r')", "write color LIKE 'r%'", "color LIKE 'r%'", {}),
    ("JMSMessageID = '*:10'", "LIKE '%:10'", "JMSMessageID LIKE '%:10'", {"JMSMessageID": "ID:h:10"}),
    # lists
    ("color IN 'red', 'blue'", "IN ('red', 'blue')", "color IN ('red', 'blue')", {}),
    ("color IN red, blue", "IN ('red', 'blue')", "color IN ('red', 'blue')", {}),
    ('color IN ["red", "blue"]', "IN ('red', 'blue')", "color IN ('red', 'blue')", {}),
    ("color IN {'red', 'blue'}", "IN ('red', 'blue')", "color IN ('red', 'blue')", {}),
    ('color IN ("red", "blue")', "'red'", "color IN ('red', 'blue')", {}),
    ("color IN ('red,blue')", "'red', 'blue'", "color IN ('red', 'blue')", {}),
    ("color = 'red', 'blue'", "IN ('red', 'blue')", "color IN ('red', 'blue')", {}),
    ("size IN (5, 7)", "(size = 5 OR size = 7)", "(size = 5 OR size = 7)", {}),
    ("size NOT IN (5, 6)", "(size <> 5 AND size <> 6)", "(size <> 5 AND size <> 6)", {}),
    ("size BETWEEN 5, 9", "BETWEEN 5 AND 9", "size BETWEEN 5 AND 9", {}),
    ("size BETWEEN [5, 9]", "BETWEEN 5 AND 9", "size BETWEEN 5 AND 9", {}),
    ("size BETWEEN [5 AND 9]", "BETWEEN 5 AND 9", "size BETWEEN 5 AND 9", {}),
    ("size BETWEEN [5 TO 9]", "BETWEEN 5 AND 9", "size BETWEEN 5 AND 9", {}),
    ("color IS NOTNULL", "write color IS NOT NULL", "color IS NOT NULL", {}),
    ("color = ''red''", "single quotes: 'red'", "color = 'red'", {}),
    ("color = N'red'", "write 'red'", "color = 'red'", {}),
    ("EXISTS color AND size > 5", "write color IS NOT NULL", "color IS NOT NULL AND size > 5", {}),
    ("color = ANY ('red', 'blue')", "IN ('red', 'blue')", "color IN ('red', 'blue')", {}),
    ("'%ed' IN (color)", "write color = '%ed'", "color LIKE '%ed'", {}),
    ("'red' IN (color, JMSType)", "write (color = 'red'", "(color = 'red' OR JMSType = 'red')", {}),
    ("'r%' LIKE color", "write color LIKE 'r%'", "color LIKE 'r%'", {}),
    ("rate LIKE '%100\\%'", "write '%100\\%' ESCAPE", "rate LIKE '%100\\%' ESCAPE '\\'", {"rate": "is 100%"}),
    ("color = 're*'", "write color LIKE 're%'", "color LIKE 're%'", {}),
    ("color IN ('*ed')", "write color LIKE '%ed'", "color LIKE '%ed'", {}),
    ("name = 'O&apos;Reilly'", "write 'O''Reilly'", "name = 'O''Reilly'", {"name": "O'Reilly"}),
    ("size BETWEEN (5 AND 9)", "BETWEEN 5 AND 9", "size BETWEEN 5 AND 9", {}),
    ("size BETWEEN 9 AND 5", "exchange the bounds", "size BETWEEN 5 AND 9", {}),
    # missing values
    ("shape = NULL", "write shape IS NULL", "shape IS NULL", {}),
    ("color != NULL", "write <>", "color IS NOT NULL", {}),
    ("color NOT NULL", "write color IS NOT NULL", "color IS NOT NULL", {}),
    ("color NOT IS NULL", "write color IS NOT NULL", "color IS NOT NULL", {}),
    ("shape ISNULL", "write shape IS NULL", "shape IS NULL", {}),
    ("ISNULL(shape)", "write shape IS NULL", "shape IS NULL", {}),
    ("color IS NOT EMPTY", "write color IS NOT NULL", "color IS NOT NULL", {}),
    ("shape IS NULL = TRUE", "write shape IS NULL", "shape IS NULL", {}),
    ("EXISTS(color)", "write color IS NOT NULL", "color IS NOT NULL", {}),
    ("NOT EXISTS (shape)", "write shape IS NULL", "shape IS NULL", {}),
    ("not exists(shape)", "write shape IS NULL", "shape IS NULL", {}),
    ("NOT EXISTS shape", "write shape IS NULL", "shape IS NULL", {}),
    ("shape NOT EXISTS", "write shape IS NULL", "shape IS NULL", {}),
    ("color is exists", "write color IS NOT NULL", "color IS NOT NULL", {}),
    ("color is in ('red')", "written without IS", "color IN ('red')", {}),
    ("color is not like 'b%'", "written without IS", "color NOT LIKE 'b%'", {}),
    ("color IS 'red'", "write color = 'red'", "color = 'red'", {}),
    # booleans, numbers and times
    ("active = 'true'", "write TRUE", "active = TRUE", {}),
    ("active IS TRUE", "write active = TRUE", "active = TRUE", {}),
    ("size > '5'", "without quotes: 5", "size > 5", {}),
    ("price > 1,000", "write 1000", "price > 1000", {"price": 1_500}),
    ("price > 1,5", "write 1.5", "price > 1.5", {"price": 2}),
    ("JMSTimestamp >= 1704067200", "write 1704067200000", f"JMSTimestamp >= {AT}", {"JMSTimestamp": AT}),
    ("JMSTimestamp >= '2024-01-01'", f"{AT}", f"JMSTimestamp >= {AT}", {"JMSTimestamp": AT}),
    ("JMSTimestamp >= 2024-01-01", f"{AT}", f"JMSTimestamp >= {AT}", {"JMSTimestamp": AT}),
    ("sent >= DATE '2024-01-01'", f"{AT}", f"sent >= {AT}", {"sent": AT}),
    ("sent >= to_date('2024-01-01')", f"{AT}", f"sent >= {AT}", {"sent": AT}),
    ("sent >= TIMESTAMP '2024-01-01 00:00:00'", f"{AT}", f"sent >= {AT}", {"sent": AT}),
    ("day = 2024-01-01", "'2024-01-01'", "day = '2024-01-01'", {"day": "2024-01-01"}),
    ("size > 5kg", "no unit: write 5", "size > 5", {}),
    ("size > 5%", "write 5", "size > 5", {}),
    ("price > 1.000,50", "write 1000.50", "price > 1000.50", {"price": 2_000}),
    # values after a colon or an arrow, comments, functions, methods and casts
    ("color: red", "write color = 'red'", "color = 'red'", {}),
    ("color: 'red'", "write color = 'red'", "color = 'red'", {}),
    ("color: red AND size: 7", "write color = 'red'", "color = 'red' AND size = 7", {}),
    ("{color: red, size: > 5, shape: null}", "write color", "color = 'red' AND size > 5 AND shape IS NULL", {}),
    ("(name: dark red)", "write name = 'dark red'", "(name = 'dark red')", {"name": "dark red"}),
    ('"active": true', "single quotes", "active = TRUE", {}),
    ("color => 'red'", "write =", "color = 'red'", {}),
    ("color = 'red' # only red", "remove th", "color = 'red' ", {}),
    ("color = 'red' -- only red", "remove th", "color = 'red' ", {}),
    ("color = 'red' // only red", "remove th", "color = 'red' ", {}),
    ("color = 'red' /* only red */", "remove th", "color = 'red' ", {}),
    ("REGEXP_LIKE(color, '^r')", "write color LIKE 'r%'", "color LIKE 'r%'", {}),
    ("color.matches('r.*')", "write color LIKE 'r%'", "color LIKE 'r%'", {}),
    ('"red".equals(color)', "write color = 'red'", "color = 'red'", {}),
    ("CAST(size AS INT) > 5", "write size", "size > 5", {}),
    ("size::int > 5", "write size", "size > 5", {}),
    ("property('color') = 'red'", "the name alone: color", "color = 'red'", {}),
    ("headers.get('color') = 'red'", "the name alone: color", "color = 'red'", {}),
    ("message.getStringProperty('color') = 'red'", "the name alone: color", "color = 'red'", {}),
    ("color LIKE /r.*/", "write LIKE 'r%'", "color LIKE 'r%'", {}),
    ("color LIKE '%' + 'ed'", "write '%ed'", "color LIKE '%ed'", {}),
    ("color = 'blue' OR color 'red'", "write color = 'red'", "color = 'blue' OR color = 'red'", {}),
    # names
    ("@color = 'red'", "the name alone: color", "color = 'red'", {}),
    ("JMSXUserId = 'bob'", "JMSXUserID", "JMSXUserID = 'bob'", {"JMSXUserID": "bob"}),
    ("jmsType = 'car'", "JMSType", "JMSType = 'car'", {}),
    ("JMSMessageID = '1234'", "'ID:1234'", "JMSMessageID = 'ID:1234'", {"JMSMessageID": "ID:1234"}),
    ("[color] = 'red'", "the name alone: color", "color = 'red'", {}),
    ("my:color = 'red'", "rename the property, and write my_color", "my_color = 'red'", {"my_color": "red"}),
    ("size > 5 AND a:b:c IS NOT NULL", "write a_b_c", "size > 5 AND a_b_c IS NOT NULL", {"a_b_c": 1}),
    (
        "b IS NULL == active",
        "write (b IS NULL AND active = TRUE)",
        "(b IS NULL AND active = TRUE) OR (b IS NOT NULL AND active = FALSE)",
        {},
    ),
    ("`color` = 'red'", "without quotes: color", "color = 'red'", {}),
    ("headers['color'] == 'red'", "the name alone: color", "color = 'red'", {}),
    ("${header.color} == 'red'", "the name alone: color", "color = 'red'", {}),
    ("#{color} = 'red'", "the name alone: color", "color = 'red'", {}),
    # copied text
    ("color = &apos;red&apos; AND size &gt; 5", "the characters themselves", "color = 'red' AND size > 5", {}),
    ("color%20%3D%20'red'", "the characters themselves", "color = 'red'", {}),
    ("?selector=color='red'", "the condition alone", "color='red'", {}),
    ("selector=\"color = 'red'\"", "the condition alone", "color = 'red'", {}),
    ("SELECT * FROM queue WHERE color = 'red'", "the condition alone", " color = 'red'", {}),
    ("WHERE color = 'red'", "the condition alone", " color = 'red'", {}),
    ('{"color": ["red", "blue"]}', "color IN ('red', 'blue')", "color IN ('red', 'blue')", {}),
    ('{"color": [{"prefix": "r"}], "size": [{"numeric": [">", 5]}]}', "LIKE 'r%'", "color LIKE 'r%' AND size > 5", {}),
    ('{"shape": [{"exists": false}], "active": [true]}', "IS NULL", "shape IS NULL AND active = TRUE", {}),
    ('hasPrefix(color, "r")', "write color LIKE 'r%'", "color LIKE 'r%'", {}),
)
#: The mistake, the dialect, a piece of the first hint, and the selector after all fixes.
OF_A_BROKER = (
    ("sys.Label = 'x'", "rabbitmq", "write [sys.Label]", "[sys.Label] = 'x'"),
    ('color = "red" AND size BETWEEN 1 AND 9', "rabbitmq", "size >= 1", 'color = "red" AND size >= 1 AND size <= 9'),
    ("order-type = 'x'", "artemis", '"order-type"', "\"order-type\" = 'x'"),
    ("my:prop = 5", "artemis", 'in double quotes: "my:prop"', '"my:prop" = 5'),
    ("my:prop LIKE 'x%'", "rabbitmq", "in brackets: [my:prop]", "[my:prop] LIKE 'x%'"),
    ("my:prop = 5", "activemq", "write my_prop", "my_prop = 5"),
    ("trace.id = 'x'", "qpid-java", '"trace.id"', "\"trace.id\" = 'x'"),
    ("NOT color = 'blue'", "activemq", "NOT (color = 'blue')", "NOT (color = 'blue')"),
    ("color = 'red' -- only red", "artemis", "between /* and */", "color = 'red' "),
    ("color = 'red' # only red", "activemq", "between /* and */", "color = 'red' "),
    ("color = 'red' -- only red", "rabbitmq", "remove th", "color = 'red' "),
    ("properties.userId = 'x'", "rabbitmq", "did you mean properties.user_id?", "properties.user_id = 'x'"),
    ("p.user-id = 'x'", "rabbitmq", "did you mean p.user_id?", "p.user_id = 'x'"),
    ("properties.Subjekt = 'x'", "rabbitmq", "did you mean properties.subject?", "properties.subject = 'x'"),
    ("headers.priority > 4", "rabbitmq", "did you mean header.priority?", "header.priority > 4"),
    ("headers.priority-x > 4", "rabbitmq", "did you mean header.priority?", "header.priority > 4"),
    ("application_properties['color'] = 'x'", "rabbitmq", "the name alone: color", "color = 'x'"),
    ("NOT EXISTS(shape)", "activemq", "write shape IS NOT NULL", "NOT (shape IS NOT NULL)"),
    ("color = 'blue' OR 'red'", "activemq", "write color = 'red'", "color = 'blue' OR color = 'red'"),
)


@pytest.mark.parametrize(("slip", "hint", "meant", "beside"), SLIPS)
def test_a_slip_whose_hints_are_followed_finds_the_message_that_was_meant(
    slip: str, hint: str, meant: str, beside: dict[str, Any]
) -> None:
    assert _followed(slip, "jms", hint) == meant
    assert evaluate(meant, RED | beside) is True
    assert transpile_selector(meant).sql


@pytest.mark.parametrize(("slip", "dialect", "hint", "meant"), OF_A_BROKER)
def test_a_slip_of_a_brokers_own_language_is_mended_in_it(slip: str, dialect: str, hint: str, meant: str) -> None:
    assert _followed(slip, dialect, hint) == meant


def _followed(text: str, dialect: str, hint: str) -> str:
    """Apply the fix of the first diagnostic until none remains. Check that the first diagnostic has ``hint``."""
    for step in range(5):
        finding = _first(text, dialect)
        if finding is None:
            assert step
            return text
        assert step or hint in (finding.hint or "")
        assert isinstance(finding.fix, Fix), (text, finding)
        text = finding.fix.apply(text)
    raise AssertionError(text)


def _first(text: str, dialect: str) -> Diagnostic | None:
    """Return the first error, otherwise the first warning. Notes are excluded, because they are no hints to follow."""
    found = [one.diagnostic for one in Checker().check(text, (DIALECTS[dialect],)).findings]
    ranked = [one for level in ("error", "warning") for one in found if one.severity == level]
    return ranked[0] if ranked else None


#: Functions of other languages by their spellings, and the operator that a selector has instead.
CALLS = (
    ("PREFIX starts_with startsWith begins_with beginsWith", "'x'", "LIKE 'x%'"),
    ("suffix ends_with endsWith", "'x'", "LIKE '%x'"),
    ("contains includes", "'x'", "LIKE '%x%'"),
    ("equals EQ eq", "'x'", "= 'x'"),
    ("regexp_like REGEX_LIKE regexp regex_match rlike match matches", "'^x.*$'", "LIKE 'x%'"),
)
TESTS_OF_ABSENCE = (
    ("EXISTS exist has hasProperty defined is_not_null isNotNull", "IS NOT NULL", "IS NULL"),
    ("is_null isNull empty is_empty isEmpty", "IS NULL", "IS NOT NULL"),
)


@pytest.mark.parametrize(("names", "text", "operator"), CALLS, ids=lambda part: part.split()[0])
def test_a_call_of_a_function_or_method_is_an_operator(names: str, text: str, operator: str) -> None:
    for name in names.split():
        for call in (f"{name}(a, {text})", f"{name}( a , {text} )", f"a.{name}({text})"):
            _assert_written(call, f"a {operator}")


@pytest.mark.parametrize(("names", "asked", "denied"), TESTS_OF_ABSENCE, ids=["present", "absent"])
def test_a_call_that_asks_for_a_property_is_a_test_for_null(names: str, asked: str, denied: str) -> None:
    for name in names.split():
        _assert_written(f"{name}(a)", f"a {asked}")
        _assert_written(f"NOT {name}( a )", f"a {denied}")


def _assert_written(call: str, condition: str) -> None:
    with pytest.raises(TranspilerError) as caught:
        parse_selector(call)
    finding = caught.value.diagnostics[0]
    assert isinstance(finding.fix, Fix), call
    assert (finding.hint, finding.fix.apply(call)) == (f"write {condition}", condition), call
