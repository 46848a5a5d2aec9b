"""Compiled topologies as data: the codec, and that a changed topology delivers as one that is compiled anew."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpiler import Message
from transpiler.errors import TopologyError
from transpiler.inference import layout_from_schema
from transpiler.layouts.schemas import schema_in
from transpiler.message.types import AmqpType, AmqpValue
from transpiler.reference.route import route_message
from transpiler.routing import tuning
from transpiler.routing.column_codec import decode, encode
from transpiler.routing.compiled_topology import CompiledTopology, Destination, Settings, compile_plan, is_compiled
from transpiler.routing.plan import Delivery, build_plan
from transpiler.topology.broker_rules import RABBITMQ
from transpiler.topology.model import Alternate, Binding, Exchange, Queue, Topology

LAYOUT = layout_from_schema(schema_in("color STRING, size BIGINT, routing_key STRING"), None, case_sensitive=False)

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=()))
    | st.binary()
    | st.sampled_from(AmqpType)
)
_DATA = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.frozensets(_SCALARS)
        | st.dictionaries(_SCALARS, inner)
        | st.builds(AmqpValue, st.sampled_from(AmqpType), inner)
        | st.builds(Delivery, st.integers(), st.none() | st.integers(), inner)
    ),
    max_leaves=30,
)


@given(st.lists(_DATA))
def test_what_is_encoded_is_decoded(data: list[object]) -> None:
    header, buffers = encode(data)
    decoded = decode(json.loads(json.dumps(header)), buffers)
    assert decoded == data
    # True is 1, and 0.0 is -0.0. The order of a set is nobody's.
    assert "frozenset" in repr(data) or repr(decoded) == repr(data)
    assert decode(*encode(data * 40)) == data * 40


@dataclass
class Elsewhere:
    number: int


def test_only_plain_data_of_this_package_are_encoded() -> None:
    for data in (len, Elsewhere(1), object(), Path("x")):
        with pytest.raises((TypeError, ValueError)):
            encode(data)


@pytest.mark.parametrize(
    "name", ["subprocess:Popen", "transpiler.routing.plan:build_plan", "transpiler.stores:os", "transpiler.nowhere:X"]
)
def test_nothing_but_data_classes_is_made(name: str) -> None:
    header = {"classes": {}, "order": "little", "root": {"kind": "object", "class": name, "columns": []}}
    with pytest.raises(ValueError, match=r"class|damaged"):
        decode(header, [])


def test_a_class_with_other_fields_is_refused() -> None:
    header, buffers = encode(Delivery(1, 2, 3))
    header["classes"]["transpiler.routing.plan:Delivery"] = ["state", "queue"]
    with pytest.raises(ValueError, match="has other fields here"):
        decode(header, buffers)


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


def delivered(compiled: CompiledTopology, message: Message, exchange: str, whole: Topology) -> set[str]:
    """The queues by the topologies that the two plans of a compiled topology are of."""
    if compiled.changes is None:
        return set(route_message(whole, message, exchange=exchange))
    left = set(route_message(whole, message, exchange=exchange)) - set(compiled.changes.queues)
    entries = [entry for entry in compiled.changes.queues.values() if entry is not None]
    touched = topology([queue.name for queue, _ in entries], [each for _, bindings in entries for each in bindings])
    assert compiled.changes.plan == build_plan(touched, LAYOUT, "null")
    return left | set(route_message(touched, message, exchange=exchange))


@given(st.lists(_BINDINGS, max_size=12), st.data())
def test_a_change_delivers_as_a_topology_compiled_anew(bindings: list[Binding], data: st.DataObject) -> None:
    before = topology(_NAMES, bindings)
    first = compile_plan(before, LAYOUT, Settings(missing="null"))
    added = data.draw(st.lists(_BINDINGS, max_size=3))
    removed = data.draw(st.lists(st.sampled_from(bindings), max_size=3, unique_by=id)) if bindings else []
    gone = data.draw(st.sets(st.sampled_from(_NAMES), max_size=1))
    second = first.updated(removed=removed).updated(
        added, [Queue(name) for name in gone if name not in {binding.destination for binding in added}]
    )
    left = list(bindings)
    for binding in removed:
        left.remove(binding)
    gone -= {binding.destination for binding in added}
    left = [binding for binding in [*left, *added] if binding.destination not in gone]
    after = topology([name for name in _NAMES if name not in gone], left)
    for exchange in ("d", "t", "h", "f", ""):
        for key in ("a", "b", "a.b", "q1"):
            properties = {"color": AmqpValue(AmqpType.STRING, "blue"), "size": AmqpValue(AmqpType.LONG, 3)}
            message = Message.from_dict({"properties": {"subject": key}})
            message = Message(properties=message.properties, application_properties=properties)
            expected = set(route_message(after, message, exchange=exchange))
            assert delivered(second, message, exchange, before) == expected, (exchange, key)


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


def test_progress_ends_with_all_bindings() -> None:
    bindings = [Binding("d", "q1", str(number)) for number in range(25_000)]
    told: list[tuple[int, int]] = []
    compile_plan(topology(_NAMES, bindings), LAYOUT, Settings(Destination("d")), progress=lambda *at: told.append(at))
    assert told == [(10_000, 25_001), (20_000, 25_001), (25_001, 25_001)]


def test_what_depends_on_all_queues_is_compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    added = [Binding("d", "q2", "k")]
    compiled = compile_plan(topology(_NAMES, []), LAYOUT, Settings())
    assert compiled.updated(added).changes is not None
    assert compiled.updated([Binding("t", "f", "#", destination_type="exchange")]).changes is None
    assert compiled.updated(removed=BETWEEN[:1]).changes is None
    alternate = Topology(RABBITMQ, (Exchange("d", "direct", Alternate("amq.fanout")),), (Queue("q2"),))
    changed = compile_plan(alternate, LAYOUT, Settings()).updated(added)
    assert changed.changes is None
    assert changed.plan == build_plan(
        Topology(RABBITMQ, alternate.exchanges, alternate.queues, tuple(added)), LAYOUT, "error"
    )
    monkeypatch.setattr(tuning, "MAX_CHANGED_QUEUES", 1)
    assert compiled.updated([*added, Binding("d", "q3", "k")]).changes is None


@pytest.mark.parametrize(
    ("added", "removed", "message"),
    [
        ([], [Binding("d", "q1", "k")], "no such binding to 'q1' under the key 'k'"),
        ([], [Queue("nowhere")], "no queue called 'nowhere'"),
        ([], [Binding("d", "t", "k", destination_type="exchange")], "no such binding to 't'"),
        ([Binding("nowhere", "q1", "k")], [], "no exchange called 'nowhere'"),
    ],
)
def test_wrong_changes_are_refused(added: list[Binding], removed: list[Binding | Queue], message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        compile_plan(topology(_NAMES, []), LAYOUT, Settings()).updated(added, removed)
