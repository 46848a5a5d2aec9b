"""Compiled topologies: they can be saved and loaded, and a changed topology delivers as one that is compiled anew."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler import Message, stores
from transpiler.base.errors import TopologyError
from transpiler.compiler.inference import layout_from_schema
from transpiler.compiler.layouts.header_places import Headers
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.layouts.schemas import schema_in
from transpiler.compiler.layouts.sent import SentLayout
from transpiler.compiler.layouts.store import StoreLayout
from transpiler.compiler.layouts.stored import Stored
from transpiler.message.header_fields import MessageField
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.route import route_message
from transpiler.routing import binding_buckets, tuning
from transpiler.routing.binding_buckets import bucket_number
from transpiler.routing.compiled_file import decode, is_compiled
from transpiler.routing.compiled_topology import CompiledTopology, Destination, Settings, compile_plan
from transpiler.routing.plan import build_plan
from transpiler.topology.broker_rules import QPID_JAVA, RABBITMQ
from transpiler.topology.model import Topology
from transpiler.topology.records import SELECTOR_ARGUMENT, Alternate, Binding, Exchange, Queue

LAYOUT = layout_from_schema(schema_in("color STRING, size BIGINT, routing_key STRING"), None, case_sensitive=False)

EXCHANGES = (
    Exchange("d", "direct"),
    Exchange("t", "topic"),
    Exchange("h", "headers"),
    Exchange("f", "fanout"),
)
_NAMES = [f"q{number}" for number in range(6)]
_KEYS = ["", "a", "b", "a.b", "a.*", "#", "*.b.#"]
_BINDINGS = st.builds(
    Binding,
    st.sampled_from("dthf"),
    st.sampled_from(_NAMES),
    st.sampled_from(_KEYS),
    st.dictionaries(
        st.sampled_from(["color", "size"]),
        st.sampled_from([AmqpValue(AmqpType.STRING, "blue"), AmqpValue(AmqpType.LONG, 3)]),
    ),
)
BETWEEN = (Binding("d", "t", "b", destination_type="exchange"), Binding("f", "h", "", destination_type="exchange"))


def topology(queues: list[str], bindings: list[Binding]) -> Topology:
    return Topology(RABBITMQ, EXCHANGES, tuple(map(Queue, queues)), (*BETWEEN, *bindings))


def saved_and_loaded(compiled: CompiledTopology, path: Path) -> CompiledTopology:
    compiled.save(path)
    return CompiledTopology.load(path)


def delivered(compiled: CompiledTopology, message: Message, exchange: str, whole: Topology) -> set[str]:
    """Return the queues of a message, by the topologies from which the two plans of ``compiled`` are built."""
    if compiled.changes is None:
        return set(route_message(whole, message, exchange=exchange))
    left = set(route_message(whole, message, exchange=exchange)) - set(compiled.changes.queues)
    entries = [entry for entry in compiled.changes.queues.values() if entry is not None]
    touched = topology([queue.name for queue, _ in entries], [each for _, bindings in entries for each in bindings])
    assert compiled.changes.plan == build_plan(touched, LAYOUT, "null")
    return left | set(route_message(touched, message, exchange=exchange))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("compiled") / "file"


@pytest.fixture
def every_topology_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Store changes separately from the plan, as for a topology that takes long to compile."""
    monkeypatch.setattr(tuning, "COMPILED_ANEW", 0)


@given(st.lists(_BINDINGS, max_size=12), st.booleans(), st.booleans(), st.data())
def test_a_change_delivers_as_a_topology_compiled_anew(
    file: Path, bindings: list[Binding], loaded: bool, large: bool, data: st.DataObject
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "BUCKET_SIZE", 2)
        patch.setattr(tuning, "COMPILED_ANEW", 0 if large else len(_NAMES) + len(bindings) + len(BETWEEN))
        _check_changes(file if loaded else None, bindings, large, data)


def _check_changes(file: Path | None, bindings: list[Binding], large: bool, data: st.DataObject) -> None:
    before = topology(_NAMES, bindings)
    first = compile_plan(before, LAYOUT, Settings(missing="null"))
    if file is not None:
        first = saved_and_loaded(first, file)
    added = data.draw(st.lists(_BINDINGS, max_size=3))
    removed = data.draw(st.lists(st.sampled_from(bindings), max_size=3, unique_by=id)) if bindings else []
    gone = data.draw(st.sets(st.sampled_from(_NAMES), max_size=1))
    second = first.updated(removed=removed).updated(
        added, [Queue(name) for name in gone if name not in {binding.destination for binding in added}]
    )
    if file is not None:
        second = saved_and_loaded(second, file)
    assert (second.changes is not None) == large
    left = list(bindings)
    for binding in removed:
        left.remove(binding)
    gone -= {binding.destination for binding in added}
    left = [binding for binding in [*left, *added] if binding.destination not in gone]
    after = topology([name for name in _NAMES if name not in gone], left)
    for exchange in ("d", "t", "h", "f", "") if large else ():
        for key in ("a", "b", "a.b", "q1"):
            properties = {"color": AmqpValue(AmqpType.STRING, "blue"), "size": AmqpValue(AmqpType.LONG, 3)}
            message = Message.from_dict({"properties": {"subject": key}})
            message = Message(properties=message.properties, application_properties=properties)
            expected = set(route_message(after, message, exchange=exchange))
            assert delivered(second, message, exchange, before) == expected, (exchange, key)
    compacted = second.compacted()
    assert compacted.version == second.version
    # A new binding between exchanges compiles everything anew, even for a large topology.
    between = Binding("h", "f", destination_type="exchange")
    whole = replace(after, bindings=(*after.bindings, between))
    for anew, of in ((compacted, after), (second.updated([between]), whole)):
        assert anew.changes is None
        assert anew.compacted() is anew
        assert anew.plan.queues == build_plan(of, LAYOUT, "null").queues
        assert sorted(anew._bindings.bindings(), key=repr) == sorted(left, key=repr)
        assert {queue.name for queue in anew._bindings.queues()} == after.queue_names
        for name in _NAMES:
            found = anew._bindings.find(name)
            assert (found or (None, ()))[1] == tuple(binding for binding in left if binding.destination == name)


def test_the_limit_counts_bindings_or_queues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change = [Binding("d", "q1", "new")]
    bindings = [Binding("d", "q1", str(number)) for number in range(8)]
    monkeypatch.setattr(tuning, "COMPILED_ANEW", 8 + len(BETWEEN))
    for queues, bound, kept in ((_NAMES, bindings, False), (_NAMES, [*bindings, change[0]], True)):
        compiled = compile_plan(topology(queues, bound), LAYOUT, Settings())
        for each in (compiled, saved_and_loaded(compiled, tmp_path / "compiled")):
            assert (each.updated(change).changes is not None) == kept
    queues = [f"q{number}" for number in range(11)]
    assert compile_plan(topology(queues, []), LAYOUT, Settings()).updated(change).changes is not None


@pytest.mark.usefixtures("every_topology_is_large")
def test_a_file_has_everything(tmp_path: Path) -> None:
    bindings = [Binding("t", f"q{number}", f"a.{number}.*") for number in range(30)]
    whole = topology([f"q{number}" for number in range(30)], bindings)
    compiled = compile_plan(whole, LAYOUT, Settings(Destination("t"), "null", True))
    compiled.save(tmp_path / "compiled")
    assert is_compiled(tmp_path / "compiled")
    assert not is_compiled(tmp_path / "nothing")
    loaded = CompiledTopology.load(tmp_path / "compiled")
    assert loaded.plan == compiled.plan
    assert loaded.settings == compiled.settings
    assert loaded.layout == LAYOUT
    assert loaded.version == compiled.version == compile_plan(whole, LAYOUT, compiled.settings).version
    assert loaded.topology == compiled.topology
    again = loaded.updated([Binding("t", "q1", "#")])
    assert again.changes == compiled.updated([Binding("t", "q1", "#")]).changes
    assert again.version not in (loaded.version, again.updated([Binding("t", "q1", "x")]).version)


@pytest.mark.usefixtures("every_topology_is_large")
def test_a_change_after_loading_decodes_the_buckets_of_its_queues_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"q{number}" for number in range(400)]
    bindings = [Binding("d", name, f"k{number}") for name in names for number in range(5)]
    monkeypatch.setattr(tuning, "BUCKET_SIZE", 50)
    compiled = compile_plan(topology(names, bindings), LAYOUT, Settings(Destination("d")))
    loaded = saved_and_loaded(compiled, tmp_path / "compiled")
    count = loaded._bindings.count
    assert count == 41
    decoded: list[bytes] = []

    def counted(block: bytes) -> object:
        decoded.append(block)
        return decode(block)

    monkeypatch.setattr(binding_buckets, "decode", counted)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "compiled").read_bytes()
    changed = loaded.updated([Binding("d", "q7", "new"), Binding("d", "no-queue-yet", "new")], [bindings[0]])
    changed = changed.updated(removed=[Queue("q7"), bindings[1]])
    assert changed.version != loaded.version
    changed.save(tmp_path / "changed")
    numbers = {bucket_number(name, count) for name in ("q7", "no-queue-yet", "q0")}
    assert sorted(decoded) == sorted(loaded._bindings.blocks[number] for number in numbers)


def test_progress_ends_with_all_bindings() -> None:
    bindings = [Binding("d", "q1", str(number)) for number in range(25_000)]
    reported: list[tuple[int, int]] = []
    compile_plan(
        topology(_NAMES, bindings), LAYOUT, Settings(Destination("d")), progress=lambda *at: reported.append(at)
    )
    assert reported == [(10_000, 25_001), (20_000, 25_001), (25_001, 25_001)]


@pytest.mark.usefixtures("every_topology_is_large")
def test_what_depends_on_all_queues_is_compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    added = [Binding("d", "q2", "k")]
    compiled = compile_plan(topology(_NAMES, []), LAYOUT, Settings())
    assert compiled.updated(added).changes is not None
    queues = re.fullmatch(r"CompiledTopology\(rabbitmq: ([0-9,]+) queues\)", repr(compiled))
    assert queues is not None
    assert repr(compiled.updated(added)) == f"CompiledTopology(rabbitmq: {queues[1]} queues, 1 queue changed)"
    assert repr(compiled.updated([*added, Binding("d", "q3", "k")])).endswith(", 2 queues changed)")
    assert compiled.updated([Binding("t", "f", "#", destination_type="exchange")]).changes is None
    assert compiled.updated(removed=BETWEEN[:1]).changes is None
    alternate = Topology(RABBITMQ, (Exchange("d", "direct", Alternate("amq.fanout")),), (Queue("q2"),))
    changed = compile_plan(alternate, LAYOUT, Settings()).updated(added)
    assert changed.changes is None
    assert changed.plan == build_plan(
        Topology(RABBITMQ, alternate.exchanges, alternate.queues, tuple(added)), LAYOUT, "error"
    )
    monkeypatch.setattr(tuning, "MAX_CHANGED_QUEUES", 1)
    assert compiled.updated(added).changes is not None
    assert compiled.updated([*added, Binding("d", "q3", "k")]).changes is None


HEADERS: Headers = {"JMSMessageID": "id", "JMSPriority": stores.number("rank"), "JMSTimestamp": stores.time("sent")}
COLUMNS = "id STRING, rank BIGINT, sent TIMESTAMP, routing_key STRING, "
_CONFLUENT = "propertyType: STRING, string: STRING, integer: INT"


def selected(number: int) -> Binding:
    text = f"color = 'c{number}' AND size > {number} OR JMSPriority < {number % 9}"
    return Binding("x", f"q{number}", arguments={SELECTOR_ARGUMENT: AmqpValue(AmqpType.STRING, text)})


def of_selectors(count: int, layout: Layout, destination: Destination) -> CompiledTopology:
    bindings = tuple(map(selected, range(count)))
    queues = tuple(Queue(binding.destination) for binding in bindings)
    whole = Topology(QPID_JAVA, (Exchange("x", "fanout"),), queues, bindings, default_exchange="x")
    return compile_plan(whole, layout, Settings(destination, "null"))


@pytest.mark.usefixtures("every_topology_is_large")
@pytest.mark.parametrize("subject", [None, "s"])
@pytest.mark.parametrize(
    ("store", "properties"),
    [
        (stores.struct(headers=HEADERS), "properties STRUCT<color: STRING, size: BIGINT>"),
        (stores.variant(headers=HEADERS), "properties VARIANT"),
        (stores.text_map(types="by-use", headers=HEADERS), "properties MAP<STRING, STRING>"),
        (stores.confluent_jms(), f"priority INT, properties MAP<STRING, STRUCT<{_CONFLUENT}>>"),
        (
            stores.kafka_headers(headers={"JMSMessageID": "id"}),
            "headers ARRAY<STRUCT<key: STRING, value: BINARY>>",
        ),
    ],
    ids=lambda value: value.name if isinstance(value, StoreLayout) else "",
)
def test_the_layout_of_a_store_is_in_the_file(
    tmp_path: Path, store: StoreLayout, properties: str, subject: str | None
) -> None:
    bound: Layout = store.over(schema_in(COLUMNS + properties))
    if subject is not None:
        bound = SentLayout(bound)
    compiled = of_selectors(20, bound, Destination("x", subject=subject))
    loaded = saved_and_loaded(compiled, tmp_path / "compiled")
    changed = loaded.updated([selected(30)])
    assert changed.changes == compiled.updated([selected(30)]).changes
    assert saved_and_loaded(changed, tmp_path / "changed").updated([selected(31)]).changes is not None


class OwnLayout(Layout):
    """A layout with code that a user defines."""

    def __init__(self, name: str = "own") -> None:
        self._name = name

    @property
    def name(self) -> str:
        """Return the name that errors use."""
        return self._name

    def field(self, message_field: MessageField) -> Stored | None:
        """Return the column or key of ``message_field`` in the tests' layout."""
        return LAYOUT.field(message_field)

    def property(self, name: str) -> Stored | None:
        """Return the column or key of the property ``name`` in the tests' layout."""
        return LAYOUT.property(name)

    def names(self) -> tuple[str, ...]:
        """Return the names in the tests' layout."""
        return LAYOUT.names()


@pytest.mark.usefixtures("every_topology_is_large")
@pytest.mark.parametrize("subject", [None, "s"])
def test_a_layout_of_ones_own_is_given_when_the_file_is_read(tmp_path: Path, subject: str | None) -> None:
    own: Layout = OwnLayout()
    compiled = of_selectors(20, own if subject is None else SentLayout(own), Destination("x", subject=subject))
    compiled.save(tmp_path / "compiled")
    change = [Binding("x", "q1", arguments=selected(30).arguments)]
    with pytest.raises(
        TopologyError, match=r"the layout own, which is Python code.*\n.*CompiledTopology.load\(path, layout="
    ):
        CompiledTopology.load(tmp_path / "compiled").updated(change)
    loaded = CompiledTopology.load(tmp_path / "compiled", layout=own)
    assert loaded.updated(change).changes == compiled.updated(change).changes
    with pytest.raises(TopologyError, match="for messages in the layout own, not other"):
        CompiledTopology.load(tmp_path / "compiled", layout=OwnLayout("other"))
    with pytest.raises(TypeError, match="layout: expected a Layout, found a value of type str"):
        CompiledTopology.load(tmp_path / "compiled", layout="own")  # type: ignore[arg-type]


def test_a_change_that_is_not_a_list_of_bindings_and_queues_is_rejected() -> None:
    compiled, binding = compile_plan(topology(_NAMES, []), LAYOUT, Settings()), Binding("d", "q1", "k")
    for wrong, expected_text in (
        ("q1", "added: expected a list of bindings and queues, found a value of type str"),
        (binding, "added: expected a list of bindings and queues, found a value of type Binding"),
        (None, "added: expected a list of bindings and queues, found None"),
        (["q1"], "added: expected a Binding or a Queue, found a value of type str"),
        ([EXCHANGES[0]], "added: expected a Binding or a Queue, found a value of type Exchange"),
    ):
        with pytest.raises(TypeError, match=expected_text):
            compiled.updated(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="removed: expected a Binding or a Queue"):
        compiled.updated(removed=["q1"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="version: expected a name, found a value of type int"):
        compiled.updated([binding], version=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="version: expected a name"):
        compile_plan(topology(_NAMES, []), LAYOUT, Settings(), version=5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("added", "removed", "message"),
    [
        ([], [Binding("d", "q1", "k")], "no such binding to 'q1' with the key 'k'"),
        ([], [Queue("nowhere")], "no queue called 'nowhere'"),
        ([], [Binding("d", "t", "k", destination_type="exchange")], "no such binding to 't'"),
        ([Binding("nowhere", "q1", "k")], [], "no exchange called 'nowhere'"),
    ],
)
def test_wrong_changes_are_refused(added: list[Binding], removed: list[Binding | Queue], message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        compile_plan(topology(_NAMES, []), LAYOUT, Settings()).updated(added, removed)
