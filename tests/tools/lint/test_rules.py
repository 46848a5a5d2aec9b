"""Warnings about names, lists and orderings that are valid but probably not intended."""

from __future__ import annotations

import itertools

import pytest

from transpiler import Message, evaluate, parse_selector
from transpiler.base.diagnostics import Diagnostic, Fix
from transpiler.base.source import Source
from transpiler.language.selector.dialects import DIALECTS, find_dialect
from transpiler.tools.lint.check import Checker
from transpiler.tools.lint.registry import lint

ALL = " ".join(DIALECTS)
#: Dialects with header fields of JMS. In rabbitmq such a name is an ordinary property.
HEADERS = ALL.replace(" rabbitmq ", " ")
#: Dialects in which every JMS name has the meaning that it has for clients.
OF_CLIENTS = ALL.replace(" artemis-core", "")

CORE, OF_JMS = "artemis-core", "name-of-clients"

#: The selector, the dialects, the code, the underlined text, a piece of the message and the hint.
WARNINGS = (
    ("JMSCorrelationId = 'x'", HEADERS, "unknown-header", "JMSCorrelationId", "no header", "JMSCorrelationID?"),
    ("JMSFoo = 1", HEADERS, "unknown-header", "JMSFoo", "no header", "reserved"),
    ("JMSXGroupId = 'x'", HEADERS, "unknown-header", "JMSXGroupId", "no header", "did you mean JMSXGroupID?"),
    ("a = 1 OR JMSPriorty > 5", HEADERS, "unknown-header", "JMSPriorty", "no header", "did you mean JMSPriority?"),
    ("JMS_AMQP_TTLL > 5", HEADERS, "unknown-header", "JMS_AMQP_TTLL", "no header", "did you mean JMS_AMQP_TTL?"),
    (
        "JMSMessageID BETWEEN 1 AND 2",
        "jms activemq artemis qpid-java qpid-cpp",
        "order-of-text",
        "JMSMessageID",
        "JMSMessageID is a string, and BETWEEN orders numbers",
        "compare it with =",
    ),
    ("JMSMessageID BETWEEN b AND c", "jms qpid-cpp", "order-of-text", "JMSMessageID", "BETWEEN", "="),
    ("JMSType > 5", "jms activemq qpid-java qpid-cpp", "order-of-text", "JMSType", "> orders numbers", "LIKE"),
    (
        "JMSType IN ('closed, saleUpdate')",
        OF_CLIENTS,
        "comma-in-string",
        "'closed, saleUpdate'",
        "one string",
        "'saleUpdate'",
    ),
    ("JMSPriority > 4", CORE, OF_JMS, "JMSPriority", "never set here, so a comparison with it is never", "AMQPriority"),
    ("JMSPriority > 4 AND AMQTimestamp > 5", CORE, OF_JMS, "JMSPriority", "name of clients", "write AMQPriority"),
    ("JMSMessageID = 'ID:1'", CORE, OF_JMS, "JMSMessageID", "never true", "write AMQUserID"),
    ("JMSDeliveryMode = 'PERSISTENT'", CORE, OF_JMS, "JMSDeliveryMode", "never true", "'DURABLE' or 'NON_DURABLE'"),
    ("JMSXGroupID = 'g'", CORE, OF_JMS, "JMSXGroupID", "messages over AMQP only", "write AMQGroupID"),
    ("AMQDurable = 'PERSISTENT'", CORE, "delivery-mode", "'PERSISTENT'", "one of two", "'DURABLE' and"),
    ("a = 1 AND a = 2", ALL, "never-true", "a = 2", "never true together with a = 1", "join them with OR"),
    ("ratio > 1/2", "jms qpid-cpp", "integer-division", "1/2", "1/2 is 0", "write 1.0/2"),
    ("a = a", "jms qpid-cpp", "always-true", "a = a", "every message that has a, unless the value is NaN", "another"),
    ("a = a", "activemq artemis qpid-java rabbitmq rabbitmq-jms", "always-true", "a = a", "has a", "a IS NOT NULL"),
    ("a < a", ALL, "never-true", "a < a", "never true", "another name"),
    ("a <> a", "activemq artemis rabbitmq", "never-true", "a <> a", "never true", "another name"),
    ("b = TRUE OR b = FALSE", ALL, "always-true", "b = TRUE OR b = FALSE", "b as a boolean", "b IS NOT NULL"),
    ("a = 1 OR NOT (a = 1)", "jms", "always-true", "a = 1 OR NOT (a = 1)", "a as a number", "a IS NOT NULL"),
    ("(b) OR NOT (b)", ALL, "always-true", "(b) OR NOT (b)", "every message that has", "write b IS NOT NULL, or"),
    ("a > 5 AND a > 3", ALL, "implied", "a > 3", "a > 5 implies this", "remove it"),
    ("a > 5 OR a > 3", ALL, "implied", "a > 5", "this implies a > 3", "remove it"),
    ("a IS NULL OR a IS NOT NULL", "jms qpid-java", "always-true", "a IS NULL OR a IS NOT NULL", "every", "AND"),
    (
        "a = 1 AND (b = 2 OR a = 2)",
        ALL,
        "unreachable-branch",
        "a = 2",
        "never true together with a = 1",
        "mend one of the two",
    ),
    (
        "JMSPriority BETWEEN 5 AND 3",
        "jms activemq artemis qpid-java qpid-cpp rabbitmq-jms",
        "empty-range",
        "JMSPriority BETWEEN 5 AND 3",
        "nothing is between 5 and 3",
        "exchange the bounds",
    ),
    ("a = NULL", "rabbitmq-jms", "null-name", "NULL", "NULL is the name of a property", "write a IS NULL"),
    ("NULL <> a", "rabbitmq-jms", "null-name", "NULL", "NULL is the name of a property", "write a IS NOT NULL"),
    ("name LIKE '*foo*'", ALL, "like-without-wildcard", "'*foo*'", "one text only", "case counts: write '%foo%'"),
    ("name LIKE '.*foo?'", ALL, "like-without-wildcard", "'.*foo?'", "one text only", "write '%foo_'"),
    ("e >= 2024-01-01", ALL, "date-as-subtraction", "2024-01-01", "gives 2022", "write 1704067200000 for the milli"),
    (
        "e = 2024-12-31",
        ALL,
        "date-as-subtraction",
        "2024-12-31",
        "gives 1981",
        "write '2024-12-31' for text, or 17356",
    ),
    ("e > 2024/12/31", ALL, "date-as-subtraction", "2024/12/31", "a division, and no date", "write 17356"),
    ("e > SYSDATE - 1", ALL, "unquoted-word", "SYSDATE", "a selector has no clock", "perhaps the time of the query"),
    ("a > 5 -- b", "artemis qpid-cpp rabbitmq", "comment-as-minus", "--", "two minus signs", "remove them"),
    ("color = red", ALL, "unquoted-word", "red", "name of a property here", "text goes into single quotes: 'red'"),
    ("place <> NEW_YORK", ALL, "unquoted-word", "NEW_YORK", "name of a property here", "quotes: 'NEW_YORK'"),
)


#: The selector, the code or "" if there is no note, and the hint.
NOTES = (
    ("account = '00123'", "quoted-number", "to compare the number, write 123"),
    ("zip = ' +80331'", "quoted-number", "to compare the number, write 80331"),
    ("version = '1.20'", "quoted-number", "to compare the number, write 1.20"),
    ("a = 'nan'", "", ""),
    ("a = '1_000'", "", ""),
    ("shipCountry <> billCountry", "unquoted-word", "if text was meant, write 'billCountry'"),
    ("ship_country = bill_country", "unquoted-word", "if text was meant, write 'bill_country'"),
    ("sender <> receiver", "unquoted-word", "if text was meant, write 'receiver'"),
    ("price = limit AND limit > 5", "unquoted-word", "if text was meant, write 'limit'"),
)


@pytest.mark.parametrize(("text", "code", "hint"), NOTES)
def test_a_selector_that_may_be_intended_gets_only_a_note(text: str, code: str, hint: str) -> None:
    for name in DIALECTS:
        tree = parse_selector(text, name)
        assert tree is not None
        findings = lint(tree, Source(text), DIALECTS[name])
        assert [(finding.code, finding.severity, finding.hint) for finding in findings] == (
            [(f"lint.{code}", "info", hint)] if code else []
        ), name


@pytest.mark.parametrize(
    ("text", "hint", "followed"),
    [
        ("user.color = 'red'", "Azure Service Bus", "color = 'red'"),
        ("sys.Label = 'x'", "write JMSType", "JMSType = 'x'"),
        ("a <> 'b' AND a <> 'c'", "a <> 'c') OR a IS NULL", "((a <> 'b' AND a <> 'c') OR a IS NULL)"),
        ("a <> 'b' AND d = 1 AND a <> 'c'", "perhaps each test of a here goes with OR a IS NULL", None),
    ],
)
def test_one_note_is_left_of_which_the_fix_leaves_none(text: str, hint: str, followed: str | None) -> None:
    [found] = _of_jms(text)
    assert hint in (found.hint or "")
    assert (found.fix.apply(text) if isinstance(found.fix, Fix) else None) == followed
    assert followed is None or not _of_jms(followed)


def _of_jms(text: str) -> list[Diagnostic]:
    tree = parse_selector(text)
    assert tree is not None
    return list(lint(tree, Source(text), DIALECTS["jms"]))


@pytest.mark.parametrize(("text", "dialects", "code", "under", "message", "hint"), WARNINGS)
def test_a_violation_is_reported_where_it_is_true(
    text: str, dialects: str, code: str, under: str, message: str, hint: str
) -> None:
    for name in dialects.split():
        tree = parse_selector(text, name)
        assert tree is not None
        (finding,) = lint(tree, Source(text), DIALECTS[name])
        assert (finding.code, finding.severity) == (f"lint.{code}", "warning"), name
        assert finding.span is not None
        assert text[finding.span.start : finding.span.end] == under
        assert message in finding.message
        assert hint in (finding.hint or "")


CLEAN = (
    # Properties as bounds may be any numbers.
    ("JMSPriority BETWEEN a AND b", "jms activemq artemis qpid-java qpid-cpp rabbitmq-jms"),
    ("JMSPriority NOT BETWEEN -1 AND b", "jms activemq artemis qpid-java qpid-cpp"),
    ("JMSCorrelationID = 'x' AND JMSXGroupSeq > 5 AND JMS_AMQP_TTL > 5", "jms rabbitmq"),
    ("JMSXDeliveryCount > 1 AND JMS_IBM_Format = 'MQSTR'", ALL),
    ("JMSFoo = 1", "rabbitmq"),
    ("AMQPriority > 4 AND AMQDurable = 'DURABLE' AND AMQGroupID = 'g'", "artemis artemis-core"),
    ("JMSType = 'x' AND JMSCorrelationID = 'y' AND JMSXGroupSeq > 5", "artemis artemis-core"),
    ("city IN ('Paris, France', 'Rome, Italy')", ALL),
    ("JMSTimestamp BETWEEN 1 AND 2", "jms activemq qpid-cpp"),
    ("p.correlation_id > 500", "rabbitmq"),
    # A NaN is unequal to itself.
    ("a <> a", "jms qpid-cpp"),
    # A quotient without a remainder, and dialects that calculate only with floating-point numbers.
    ("ratio > 4/2 AND n < 1.0/2", ALL),
    ("ratio > 1/2", "activemq artemis qpid-java rabbitmq"),
)


@pytest.mark.parametrize(("text", "dialects"), CLEAN)
def test_an_intended_selector_gets_no_warning(text: str, dialects: str) -> None:
    for name in dialects.split():
        tree = parse_selector(text, name)
        assert tree is not None
        assert lint(tree, Source(text), DIALECTS[name]) == [], name


@pytest.mark.parametrize(
    "name",
    ["JMS_IBM_MsgType", "JMS_Solace_DeliverToOne", "JMS_BEA_Size", "JMS_TIBCO_SENDER", "JMSActiveMQBrokerInTime"],
)
@pytest.mark.parametrize("dialect", ["jms", "activemq"])
def test_names_of_vendors_are_no_misspellings(name: str, dialect: str) -> None:
    found = Checker().check(f"{name} = 5", (find_dialect(dialect),)).findings
    assert "lint.unknown-header" not in [finding.diagnostic.code for finding in found]


@pytest.mark.parametrize("name", ["To", "EnqueuedTimeUtc", "SequenceNumber", "DeliveryCount", "Label", "TimeToLive"])
def test_names_of_service_bus_are_reported(name: str) -> None:
    [finding] = Checker().check(f"sys.{name} = 5").findings
    assert "Azure Service Bus" in (finding.diagnostic.hint or "")


def test_a_name_that_cannot_be_read_hides_no_other_finding() -> None:
    core = find_dialect("artemis-core")
    found = Checker().check("AMQSize > 100 AND AMQDurable = true", (core,)).findings
    assert [finding.diagnostic.code for finding in found] == ["name.unreadable", "type.unlike"]


#: Conditions on a boolean, of which two at a time are joined by OR.
OF_BOOLEANS = ("b", "NOT b", "b = TRUE", "b = FALSE", "b <> TRUE", "NOT (b = FALSE)", "NOT (b <> FALSE)")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_or_that_is_true_of_both_booleans_is_found(dialect: str) -> None:
    """The OR must be true for both booleans, although no branch is true for both."""
    found = 0
    for one, other in itertools.product(OF_BOOLEANS, repeat=2):
        verdicts = [[evaluate(text, Message.of(b=value), dialect) for value in (True, False)] for text in (one, other)]
        whole = [evaluate(f"{one} OR {other}", Message.of(b=value), dialect) for value in (True, False)]
        expected = whole == [True, True] and [True, True] not in verdicts
        findings = Checker().check(f"{one} OR {other}", (find_dialect(dialect),)).findings
        assert ("lint.always-true" in [finding.diagnostic.code for finding in findings]) is expected, (one, other)
        found += expected
    assert found >= 20


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_fix_of_an_or_that_is_true_of_both_booleans_selects_the_same_of_them(dialect: str) -> None:
    """This includes a message without the name: an OR that is true for it, too, does not test for its presence."""
    messages = (Message.of(b=True), Message.of(b=False), Message())
    fixed = 0
    for terms in itertools.permutations(("b", "NOT b", "b = TRUE", "b = FALSE", "b IS NULL"), 3):
        text = " OR ".join(terms)
        for finding in Checker().check(text, (find_dialect(dialect),)).findings:
            fix = finding.diagnostic.fix
            if finding.diagnostic.code == "lint.always-true" and isinstance(fix, Fix):
                after = fix.apply(text)
                same = [evaluate(one, message, dialect) is True for one in (text, after) for message in messages]
                assert same[:3] == same[3:], (text, after)
                fixed += 1
    assert fixed
