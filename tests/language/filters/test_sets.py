"""Filter sets from Python objects, JSON and bytes: how they are parsed, errors with locations, filters in effect."""

from __future__ import annotations

import base64
import json
import pickle
import random
import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.compiler.sql_text import bare
from tests.sizes import randomness
from transpiler import (
    DecodeError,
    LayoutError,
    Message,
    TranspilerError,
    UnsupportedFeatureError,
    matches,
    transpile_filter,
)
from transpiler.compiler.inference import layout_from_schema
from transpiler.language.filters.descriptors import APACHE, DESCRIPTORS, find_descriptor, read_code
from transpiler.language.filters.json import from_json
from transpiler.language.filters.kinds import (
    AndFilter,
    DirectBinding,
    Filter,
    HeadersBinding,
    JmsSelector,
    Match,
    NoLocal,
    NotFilter,
    OrFilter,
    PropertiesFilter,
    TopicBinding,
)
from transpiler.language.filters.sets import read_filters
from transpiler.message.amqp.decoder import decode
from transpiler.message.amqp.encoder import encode
from transpiler.message.amqp.values import AmqpList, AmqpMap, Described, identity
from transpiler.message.types import AmqpType, AmqpValue

CORPUS = Path(__file__).parents[2] / "message" / "amqp" / "data" / "amqp_filter_sets.jsonl"
ROWS = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
SELECTOR = "apache.org:selector-filter:string"
HEADERS = "apache.org:legacy-amqp-headers-binding:map"


def one(value: Any, descriptor: str | int = SELECTOR) -> dict[str, Any]:
    return {"f": {"descriptor": descriptor, "value": value}}


def test_all_filter_sets_of_the_client_library_read_as_what_stands_beside_them() -> None:
    assert len(ROWS) == 80
    for row in ROWS:
        data = base64.b64decode(row["amqp"])
        found = read_filters(data)
        assert found == read_filters(row["filters"]) == read_filters(json.dumps(row["filters"]))
        assert read_filters(found.to_dict()) == found == read_filters(found.to_amqp(wire_names=False))
        assert identity(decode(found.to_amqp(wire_names=False))) == identity(decode(data))
        assert found.ignored == found.findings == ()
        assert transpile_filter(data, connection="c").in_effect == found


def test_the_table_of_descriptors_is_the_documents() -> None:
    rows = {row.symbol: (row.code_text, row.capability) for row in DESCRIPTORS}
    assert rows["apache.org:legacy-amqp-headers-binding:map"] == (
        "0x0000468C:0x00000002",
        "APACHE.ORG:LEGACY_AMQP_EXCHANGE_FILTERS",
    )
    assert rows["apache.org:jms-selector-filter:string"] == ("0x0000468C:0x00000004", "APACHE.ORG:JMS_FILTERS")
    assert rows["apache.org:selector-filter:string"] == ("0x0000468C:0x00000004", "APACHE.ORG:SELECTOR")
    assert rows["apache.org:no-local-filter:list"] == ("0x0000468C:0x00000003", "APACHE.ORG:NO_LOCAL")
    assert rows["apache.org:not-filter:list"] == ("0x0000468C:0x00000007", "APACHE.ORG:LOGIC_FILTERS")
    assert len(rows) == len(DESCRIPTORS) == 14
    for row in DESCRIPTORS:
        assert row.symbol.startswith("amqp:") or row.symbol.endswith(f":{row.payload.value}")
        assert read_code(row.code_text) == row.code
        assert find_descriptor(row.symbol) is row


@pytest.mark.parametrize(
    "name", [SELECTOR, "apache.org:jms-selector-filter:string", APACHE + 4, "0x0000468C:0x00000004", "0x468C00000004"]
)
def test_every_name_of_a_selector_names_it(name: str | int) -> None:
    assert read_filters(one("a = 1", name)).filters == (("f", JmsSelector("a = 1")),)


def test_python_objects_json_and_described_values_mix() -> None:
    selector = JmsSelector("a = 1")
    symbol = AmqpValue(AmqpType.SYMBOL, SELECTOR)
    described = Described(symbol, AmqpValue(AmqpType.STRING, "a = 1"))
    for value in (selector, described, one("a = 1")["f"]):
        assert read_filters({"f": value}).filters == (("f", selector),)
        assert read_filters(value).filters == (("", selector),)
        wrapped = {"descriptor": "apache.org:or-filter:list", "value": [value, DirectBinding("x")]}
        assert read_filters(wrapped).filters == (("", OrFilter((selector, DirectBinding("x")))),)


EXAMPLES: list[Filter] = [
    DirectBinding("usd.stock"),
    TopicBinding("*.stock.#"),
    HeadersBinding(Match.ANY, (("a", AmqpValue(AmqpType.UBYTE, 1)), ("b", AmqpValue(AmqpType.NULL, None)))),
    NoLocal(),
    AndFilter((OrFilter(()), NotFilter(JmsSelector("a = 1")))),
    PropertiesFilter((("message_id", AmqpValue(AmqpType.ULONG, 5)), ("subject", AmqpValue(AmqpType.STRING, "&a")))),
]


@pytest.mark.parametrize("node", EXAMPLES, ids=str)
def test_a_filter_is_the_same_after_writing_and_reading(node: Filter) -> None:
    found = read_filters({"f": node})
    assert read_filters(found.to_dict()).filters == (("f", node),)
    assert read_filters(found.to_amqp()).filters == (("f", node),)
    assert read_filters(found.to_amqp(numeric=True)).filters == (("f", node),)


EXAMPLE = "JMSCorrelationID = 'abc' AND color = 'blue' AND weight > 2500"
ON_THE_WIRE = "amqp.correlation_id = 'abc' AND color = 'blue' AND weight > 2500"


@pytest.mark.parametrize(
    ("descriptor", "wire_names", "text", "sent"),
    [
        # The example of the older document.
        (SELECTOR, None, EXAMPLE, ON_THE_WIRE),
        (SELECTOR, True, EXAMPLE, ON_THE_WIRE),
        (SELECTOR, False, EXAMPLE, EXAMPLE),
        ("apache.org:jms-selector-filter:string", None, EXAMPLE, EXAMPLE),
        ("apache.org:jms-selector-filter:string", True, EXAMPLE, ON_THE_WIRE),
        (APACHE + 4, None, EXAMPLE, EXAMPLE),
        (SELECTOR, None, "JMSType='a' OR JMSRedelivered", "amqp.jms_type = 'a' OR amqp.delivery_count > 0"),
        (SELECTOR, None, "  a='JMSType'  ", "  a='JMSType'  "),
        (SELECTOR, None, "JMSXGroupID='g'", "JMSXGroupID='g'"),
        (SELECTOR, None, "", ""),
        # A text in another dialect.
        (SELECTOR, None, "JMSType % 2 = 1", "JMSType % 2 = 1"),
    ],
)
def test_a_selector_is_sent_with_the_names_of_its_document(
    descriptor: str | int, wire_names: bool | None, text: str, sent: str
) -> None:
    for numeric in (False, True):
        data = read_filters(one(text, descriptor)).to_amqp(wire_names=wire_names, numeric=numeric)
        assert [str(node.text) for _, node in read_filters(data).filters if isinstance(node, JmsSelector)] == [sent]
    nested = read_filters(one([one(text, descriptor)["f"]], "apache.org:not-filter:list"))
    [(_, found)] = read_filters(nested.to_amqp(wire_names=wire_names)).filters
    assert found == NotFilter(JmsSelector(sent))


def test_a_condition_without_a_name_on_the_wire_is_an_error_with_the_path_of_its_filter() -> None:
    with pytest.raises(UnsupportedFeatureError, match=r"filters\.f\.value:1:1: names\.no-counterpart"):
        read_filters(one("JMSDeliveryMode LIKE 'PER%'")).to_amqp()


@pytest.mark.parametrize(
    ("filters", "capabilities"),
    [
        ({}, ()),
        (one("a = 1"), ("APACHE.ORG:SELECTOR",)),
        (one("a = 1", "apache.org:jms-selector-filter:string"), ("APACHE.ORG:JMS_FILTERS",)),
        (one("a = 1", APACHE + 4), ("APACHE.ORG:JMS_FILTERS",)),
        (one([], "apache.org:no-local-filter:list"), ("APACHE.ORG:NO_LOCAL",)),
        (one({"x-match": "all"}, HEADERS), ("APACHE.ORG:LEGACY_AMQP_EXCHANGE_FILTERS",)),
        (one("a = 1", "amqp:sql-filter"), ("AMQP_FILTEX_SQL_V1_0",)),
        (
            one([one("a", "apache.org:legacy-amqp-direct-binding:string")["f"], one("b")["f"]], APACHE + 5),
            ("APACHE.ORG:LEGACY_AMQP_EXCHANGE_FILTERS", "APACHE.ORG:LOGIC_FILTERS", "APACHE.ORG:SELECTOR"),
        ),
        ({"f": AndFilter((NoLocal(),))}, ("APACHE.ORG:JMS_FILTERS", "APACHE.ORG:LOGIC_FILTERS")),
    ],
)
def test_a_set_says_what_a_peer_must_offer(filters: Any, capabilities: tuple[str, ...]) -> None:
    assert read_filters(filters).capabilities == capabilities


@pytest.mark.parametrize("descriptor", ["apache.org:no-local-filter:list", "apache.org:jms-no-local-filter:list"])
def test_no_local_takes_the_text_that_clients_send_and_any_payload_where_unknown_is_ignored(descriptor: str) -> None:
    for unknown in ("error", "ignore"):
        found = read_filters(one("NoLocalFilter{}", descriptor), unknown)
        assert (found.filters, found.findings) == ((("f", NoLocal()),), ())
        assert read_filters(found.to_amqp()).filters == found.filters
    for payload in ("x", 5, [1], {}, {"a": 1}, None, [one("a = 1")["f"]]):
        with pytest.raises(DecodeError, match=r"filters\.f\.value"):
            read_filters(one(payload, descriptor))
        found = read_filters(one(payload, descriptor), "ignore")
        assert found.filters == (("f", NoLocal()),)
        assert [finding.severity for finding in found.findings] == ["warning"]


NOT_DESCRIBED = "filters.f: expected a filter, found text"
REFUSED: list[tuple[Any, str, str]] = [
    ('{"a":', "filters.json", "filters:1:6: filters.json: this is not JSON"),
    ('{"a": ' + "1" * 5000 + "}", "filters.json", "4300 digits"),
    (one({"x-match": "all", "\ud800": 1}, HEADERS), "filters.value", "surrogates"),
    ("[1]", "filters.type", "filters: expected an object of named filters"),
    (5, "filters.type", "found a Python int"),
    ({"f": "a = 1"}, "filters.not-described", NOT_DESCRIBED),
    ({5: {}}, "filters.key", "the name of a filter must be a symbol"),
    ({"f": {"descriptor": SELECTOR}}, "filters.not-described", "found an object with 'descriptor'"),
    (one("a", "apache.org:selecter-filter:string"), "filters.unknown", f"did you mean {SELECTOR}?"),
    (one("a", 77), "filters.unknown", "there is no filter with the descriptor 0x00000000:0x0000004D"),
    (one("a", -1), "filters.descriptor", "filters.f: -1 is not a descriptor"),
    (one("a", True), "filters.descriptor", "True is not a descriptor"),
    (one("//a", "apache.org:xquery-filter:string"), "filters.unavailable", "does not support the filter"),
    (one("//a", APACHE + 5), "filters.ambiguous-code", "or-filter in Apache AMQP filters 3.1, and xquery-filter in"),
    (one(5), "filters.payload", "filters.f.value: expected a string, found a long"),
    (one("a = = 1"), "syntax.unexpected-token", "filters.f.value:1:5: "),
    (one("a + 1"), "type.not-a-condition", "filters.f.value:1:1: "),
    (one({}, HEADERS), "filters.x-match", "filters.f.value: x-match is missing"),
    (
        one({"x-match": "some"}, HEADERS),
        "filters.x-match",
        "filters.f.value.x-match: x-match must be the symbol all or any",
    ),
    (one({"x-match": "all-with-x"}, HEADERS), "filters.x-match", "not 'all-with-x'"),
    (one({"x-match": 1}, HEADERS), "filters.x-match", "not 1"),
    (one({"x-match": "all", "a": [1]}, HEADERS), "message.type", "filters.f.value.a: expected a simple value"),
    (one({"x-match": "all", "a": {"b": 1}}, HEADERS), "message.unknown-key", "filters.f.value.a: "),
    (one([], "apache.org:not-filter:list"), "filters.payload", "not-filter wraps one filter, found 0"),
    (
        one([{"descriptor": SELECTOR, "value": 5}], "apache.org:or-filter:list"),
        "filters.payload",
        "filters.f.value[0].value: ",
    ),
    (
        one([5], "apache.org:no-local-filter:list"),
        "filters.payload",
        "filters.f.value: the list of a no-local filter must be empty, found 1",
    ),
    (one({"sujbect": "a"}, "amqp:properties-filter"), "filters.field", "did you mean subject?"),
    (one({"message_id": "a"}, "amqp:properties-filter"), "filters.field", "did you mean message-id?"),
    (
        one({"subject": None}, "amqp:properties-filter"),
        "message.type",
        "filters.f.value.subject: expected text, found null",
    ),
    (one({"subject": "&x"}, "amqp:properties-filter"), "filters.modifier", "write &p: for a prefix"),
    (one({"group-sequence": -1}, "amqp:properties-filter"), "message.range", "filters.f.value.group-sequence: -1"),
    (one("a = = 1", "amqp:sql-filter"), "syntax.unexpected-token", "found ="),
    (one([], "apache.org:no-local-filter:list"), "filters.connection", "the receiver's connection"),
    (DirectBinding("\ud800"), "filters.value", "filters: this value has no AMQP 1.0 encoding"),
    ({"f": DirectBinding(5)}, "filters.value", "filters.f: this value has no AMQP 1.0 encoding: 5 as string"),
    (PropertiesFilter((("subject", AmqpValue(AmqpType.LONG, 1)),)), "filters.payload", "expected string, found long"),
    (b"", "amqp.truncated", "at byte 0"),
    (b"\xd1\0\0", "amqp.truncated", "a map needs 4 bytes, and 2 are left, at byte 0"),
    (encode(AmqpValue(AmqpType.STRING, "a")), "filters.type", "a map of symbols to filters, found a string"),
]


def beside_a_known_filter(payload: Any, descriptor: Any) -> tuple[Any, str, bytes]:
    """Return a filter named f with any payload together with a known filter: as a mapping, as JSON and as bytes."""
    both = one(payload, descriptor) | {"known": one("b = 1")["f"]}
    entries = ((name, from_json(value, name)) for name, value in both.items())
    data = encode(AmqpMap(tuple((AmqpValue(AmqpType.SYMBOL, name), value) for name, value in entries)))
    return both, json.dumps(both), data


ANY_PAYLOAD = [["invoices"], {"a": {"b": 1}}, 5, None, "x", [[1]], [one("a = 1")["f"]]]


@pytest.mark.parametrize("payload", ANY_PAYLOAD)
@pytest.mark.parametrize("descriptor", ["rabbitmq:no-such-filter", "apache.org:xquery-filter:string", 77])
def test_an_unknown_filter_is_the_same_in_json_and_in_bytes_whatever_its_value(payload: Any, descriptor: Any) -> None:
    for filters in beside_a_known_filter(payload, descriptor):
        found = read_filters(filters, "ignore")
        assert (found.ignored, [name for name, _ in found.filters]) == (("f",), ["known"])
        with pytest.raises(UnsupportedFeatureError, match=r"filters\.(unknown|unavailable|ambiguous-code)"):
            read_filters(filters)


@pytest.mark.parametrize("payload", ANY_PAYLOAD)
@pytest.mark.parametrize(
    "descriptor", ["rabbitmq:stream-filter", "rabbitmq:stream-offset-spec", "rabbitmq:stream-match-unfiltered"]
)
def test_a_filter_of_a_stream_is_the_same_in_json_and_in_bytes_whatever_its_value(
    payload: Any, descriptor: str
) -> None:
    texts = descriptor == "rabbitmq:stream-filter" and payload in (["invoices"], "x")
    for filters in beside_a_known_filter(payload, descriptor):
        for found in (read_filters(filters), read_filters(filters, "ignore")):
            if texts:
                assert (found.ignored, found.findings, len(found.filters)) == ((), (), 2)
                continue
            assert (found.ignored, [name for name, _ in found.filters]) == (("f",), ["known"])
            assert [finding.code for finding in found.findings] == ["filters.stream"]


@pytest.mark.parametrize("payload", [["invoices"], [], {"a": 1}, {}, 5])
def test_a_known_filter_with_another_value_is_the_same_error_in_json_and_in_bytes(payload: Any) -> None:
    content: Any = {list: AmqpList(), dict: AmqpMap(), int: AmqpValue(AmqpType.LONG, 5)}[type(payload)]
    described = Described(AmqpValue(AmqpType.SYMBOL, SELECTOR), content)
    data = encode(AmqpMap(((AmqpValue(AmqpType.SYMBOL, "f"), described),)))
    reported = []
    for filters in (one(payload), data):
        with pytest.raises(DecodeError) as refused:
            read_filters(filters, "ignore")
        reported.append(str(refused.value))
    assert reported[0] == reported[1]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("John", """perhaps write {"type": "binary", "value": "Sm9obg=="} for the bytes of the text, or {"type": """),
        ("é", """perhaps write {"type": "binary", "value": "w6k="} for the bytes of the text"""),
    ],
)
def test_base64_is_never_guessed(text: str, hint: str) -> None:
    with pytest.raises(
        DecodeError, match=f"user-id must be bytes, and '{text}' may be the text of the bytes"
    ) as expected_text:
        read_filters(one({"user-id": text}, "amqp:properties-filter"))
    assert (expected_text.value.diagnostics[0].hint or "").startswith(hint)
    typed = one({"user-id": {"type": "binary", "value": "Sm9obg=="}}, "amqp:properties-filter")
    assert "X'4A6F686E'" in transpile_filter(typed).sql
    assert transpile_filter(read_filters(typed).to_dict()).sql == transpile_filter(typed).sql


@pytest.mark.parametrize(("filters", "code", "expected_text"), REFUSED)
def test_what_is_no_filter_set_is_refused_with_its_path(filters: Any, code: str, expected_text: str) -> None:
    for use in (lambda: transpile_filter(filters), lambda: matches(filters, Message())):
        with pytest.raises(TranspilerError) as refused:
            use()
        assert refused.value.diagnostics[0].code == code
        assert expected_text in str(refused.value)
        assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


@pytest.mark.parametrize(
    ("value", "expected_text"),
    [
        (AmqpList((AmqpValue(AmqpType.LONG, 1),)), "expected a simple value, found a list"),
        (AmqpMap(), "expected a simple value, found a map"),
        (Described(AmqpValue(AmqpType.SYMBOL, "a"), AmqpList()), "expected a simple value, found a described value"),
    ],
)
def test_a_compound_value_of_a_headers_binding_is_refused_on_the_wire(value: Any, expected_text: str) -> None:
    key, match = AmqpValue(AmqpType.STRING, "x-match"), AmqpValue(AmqpType.SYMBOL, "all")
    entries = AmqpMap(((key, match), (AmqpValue(AmqpType.STRING, "a"), value)))
    data = encode(
        AmqpMap(((AmqpValue(AmqpType.SYMBOL, "f"), Described(AmqpValue(AmqpType.SYMBOL, HEADERS), entries)),))
    )
    with pytest.raises(DecodeError, match=f"filters.f.value.a: {expected_text}"):
        read_filters(data)


def test_a_string_for_x_match_is_read_with_a_warning() -> None:
    tagged = {"x-match": {"type": "string", "value": "all"}}
    [finding] = transpile_filter(one(tagged, HEADERS)).diagnostics
    assert (finding.severity, finding.code) == ("warning", "filters.x-match")
    assert read_filters(one(tagged, HEADERS)).filters == (("f", HeadersBinding(Match.ALL)),)


def test_only_a_binding_made_in_python_compares_keys_that_begin_with_x() -> None:
    binding = HeadersBinding(Match.ALL_WITH_X, (("x-a", AmqpValue(AmqpType.LONG, 2)),))
    transpiled = transpile_filter(binding)
    assert bare(transpiled.sql) == "application_properties['x-a'].long = 2"
    assert transpiled.in_effect is not None
    with pytest.raises(DecodeError, match="x-match must be the symbol all or any, not 'all-with-x'"):
        read_filters(transpiled.in_effect.to_amqp())
    with pytest.raises(TypeError, match="expected a Match"):
        HeadersBinding("all")  # type: ignore[arg-type]


def test_the_code_of_two_filters_says_so_and_a_list_decides_it() -> None:
    transpiled = transpile_filter(one([{"descriptor": APACHE, "value": "a"}], APACHE + 5))
    assert bare(transpiled.sql) == "properties.subject = 'a'"
    assert [finding.code for finding in transpiled.diagnostics] == ["filters.ambiguous-code"]


def test_an_unknown_filter_can_be_ignored_and_the_result_says_what_is_in_effect() -> None:
    unknown = {"descriptor": "example.com:x:string", "value": {"whatever": [1, {"a": None}]}}
    filters = {
        "known": one("a = 1")["f"],
        "unknown": unknown,
        "inside": {"descriptor": "apache.org:or-filter:list", "value": [one("b = 1")["f"], unknown]},
    }
    with pytest.raises(UnsupportedFeatureError, match="there is no filter with the descriptor"):
        transpile_filter(filters)
    transpiled = transpile_filter(filters, unknown="ignore")
    assert (
        bare(transpiled.sql)
        == "coalesce(application_properties['a'].long = 1, application_properties['a'].double = 1D)"
    )
    assert transpiled.in_effect is not None
    assert transpiled.in_effect.to_dict() == {"known": filters["known"]}
    assert transpiled.in_effect.ignored == ("unknown", "inside")
    assert [finding.severity for finding in transpiled.diagnostics] == ["warning", "warning"]
    assert "filters.inside.value[1]: " in transpiled.diagnostics[1].message
    assert matches(filters, Message.from_dict({"application_properties": {"a": 1}}), unknown="ignore")


def test_no_local_needs_a_place_for_the_publishers_connection() -> None:
    def layout(*names: str) -> Any:
        columns = [{"name": name, "type": "string", "nullable": True, "metadata": {}} for name in names]
        return layout_from_schema({"type": "struct", "fields": columns})

    with pytest.raises(LayoutError, match="the layout has no place for it"):
        transpile_filter(NoLocal(), layout("a"), connection="c")
    found = transpile_filter(NoLocal(), layout("a", "x-opt-publisher-connection"), connection="c")
    assert bare(found.sql) == "(`x-opt-publisher-connection` = 'c') IS NOT TRUE"


def test_a_name_without_a_column_is_refused_with_the_path_of_its_filter() -> None:
    column = {"name": "color", "type": "string", "nullable": True, "metadata": {}}
    flat = layout_from_schema({"type": "struct", "fields": [column]})
    binding = HeadersBinding(Match.ALL, (("colour", AmqpValue(AmqpType.STRING, "red")),))
    with pytest.raises(
        LayoutError, match=r"filters\.h: no column contains the property colour\n  hint: did you mean color"
    ):
        transpile_filter({"h": binding}, flat)
    with pytest.raises(LayoutError, match=r"filters\.t: the filter reads properties\.subject"):
        transpile_filter({"t": TopicBinding("a")}, flat)
    assert bare(transpile_filter({"t": TopicBinding("a")}, flat, missing="null").sql) == "false"


def test_filters_inside_filters_have_a_limit() -> None:
    node: Any = DirectBinding("a")
    data: Any = one("a")["f"]
    for _ in range(5000):
        node = NotFilter(node)
        data = {"descriptor": "apache.org:not-filter:list", "value": [data]}
    text = '{"descriptor": "apache.org:not-filter:list", "value": [' * 100_000
    for filters in (node, data):
        with pytest.raises(DecodeError, match="filters are nested more than 16 levels deep"):
            read_filters(filters)
    with pytest.raises(DecodeError):
        read_filters(text)
    with pytest.raises(DecodeError, match="filters are too many: the maximum is 10,000"):
        read_filters(OrFilter((DirectBinding("a"),) * 10_001))


def mutated(data: bytes, draw: random.Random) -> bytes:
    """Return ``data`` with one or two changes: mostly a changed byte, or some bytes removed, repeated or added."""
    result = bytearray(data)
    for _ in range(draw.randint(1, 2)):
        at = draw.randrange(len(result))
        match draw.randrange(10):
            case 0:
                del result[at : at + draw.randint(1, 8)]
            case 1:
                result[at:at] = result[at : at + draw.randint(1, 30)]
            case 2:
                result[at:at] = draw.randbytes(draw.randint(1, 4))
            case _:
                result[at] = draw.choice((draw.randrange(256), result[at] ^ 1 << draw.randrange(8)))
        if not result:
            break
    return bytes(result)


def outcomes(count: int, seed: int) -> dict[str, int]:
    """Count the mutated filter sets that are read, and those that are rejected with one of our errors.

    Anything else fails the test.
    """
    draw, found = randomness(seed), {"read": 0, "refused": 0}
    originals = [base64.b64decode(row["amqp"]) for row in ROWS]
    for _ in range(count):
        try:
            read_filters(mutated(draw.choice(originals), draw))
            found["read"] += 1
        except (DecodeError, UnsupportedFeatureError):
            found["refused"] += 1
    return found


def test_mutated_filter_sets_are_read_or_refused() -> None:
    found = outcomes(4000, 1)
    assert min(found.values()) > 200


def test_the_page_on_filters_is_what_its_script_writes(capsys: pytest.CaptureFixture[str]) -> None:
    docs = Path(__file__).parents[3] / "docs"
    runpy.run_path(str(docs / "filters.py"), run_name="__main__")
    assert capsys.readouterr().out == (docs / "filters.md").read_text(encoding="utf-8")
