"""Errors of compiled topologies: wrong changes, layouts and members, each with code, message and hint."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.routing.test_compiled_file import archive_of, members_of, signed
from tests.routing.test_compiled_topology import OwnLayout
from transpiler import TranspilerError
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.compiler.presets import find_layout
from transpiler.routing.compiled_topology import CompiledTopology, Settings, compile_plan
from transpiler.topology.broker_rules import RABBITMQ
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding, Exchange, Queue
from transpiler.version import __version__

BOUND = Binding("t", "q", "a")
TOPOLOGY = Topology(RABBITMQ, (Exchange("t", "topic"), Exchange("u", "topic")), (Queue("q"),), (BOUND,))


def compiled() -> CompiledTopology:
    return compile_plan(TOPOLOGY, AmqpLayout(), Settings())


def loaded(path: Path, own: bool = False, copied: dict[str, str] | None = None, **options: Any) -> CompiledTopology:
    """Return the topology from the file ``path``, after it was saved there. Some members are copies of others."""
    compile_plan(TOPOLOGY, OwnLayout() if own else AmqpLayout(), Settings()).save(path)
    members = members_of(path.read_bytes())
    copies = {name: members[other] for name, other in (copied or {}).items()}
    path.write_bytes(signed(archive_of(members | copies)))
    return CompiledTopology.load(path, **options)


#: For each name: a call with the path of a file, and the code, message and hint of its error. ``PATH`` is this path.
WRONG: dict[str, tuple[Callable[[Path], object], tuple[str, str, str | None]]] = {
    "no such queue": (
        lambda _: compiled().updated(removed=[Queue("x")]),
        ("compiled.no-queue", "the topology has no queue called 'x', so it cannot be removed", None),
    ),
    "no such binding": (
        lambda _: compiled().updated(removed=[Binding("t", "q", "b")]),
        (
            "compiled.no-binding",
            "'t' has no such binding to 'q' with the key 'b', so it cannot be removed",
            "a binding is removed only if its arguments are equal, too",
        ),
    ),
    "other arguments": (
        lambda _: compiled().updated(removed=[Binding("t", "q", "a", {"x": 1})]),
        (
            "compiled.no-binding",
            "'t' has no such binding to 'q' with the key 'a', so it cannot be removed",
            "a binding is removed only if its arguments are equal, too",
        ),
    ),
    "a binding to no queue": (
        lambda _: compiled().updated(removed=[Binding("t", "x", "a")]),
        (
            "compiled.no-binding",
            "'t' has no such binding to 'x' with the key 'a', so it cannot be removed",
            "a binding is removed only if its arguments are equal, too",
        ),
    ),
    "no binding between exchanges": (
        lambda _: compiled().updated(removed=[Binding("t", "u", "a", destination_type="exchange")]),
        (
            "compiled.no-binding",
            "'t' has no such binding to 'u' with the key 'a', so it cannot be removed",
            "a binding is removed only if its arguments are equal, too",
        ),
    ),
    "another layout": (
        lambda path: loaded(path, layout=find_layout("color STRING")),
        (
            "compiled.layout",
            "PATH was compiled for messages in the layout amqp, not flat",
            "perhaps pass the layout amqp, for which the topology was compiled",
        ),
    ),
    "a change without the own layout": (
        lambda path: loaded(path, own=True).updated([Binding("t", "q", "b")]),
        (
            "compiled.layout",
            "compiling a change requires the layout own, which is Python code and so is not in the file",
            "perhaps pass the layout when loading the file: CompiledTopology.load(path, layout=...)",
        ),
    ),
    "no bucket": (
        lambda path: loaded(path, copied={"bindings/0": "names"}).updated([Binding("t", "q", "b")]),
        (
            "compiled.file",
            "the bindings in part 0 of the compiled topology cannot be read: expected a Bucket, found a _Names",
            "perhaps compile the topology again",
        ),
    ),
    "no plan": (
        lambda path: loaded(path, copied={"plan": "names"}),
        (
            "compiled.version",
            f"PATH was not written by this build of version {__version__}: expected a _Plans, found a _Names",
            "perhaps compile the topology again",
        ),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_error_of_a_compiled_topology(tmp_path: Path, name: str) -> None:
    call, (code, message, hint) = WRONG[name]
    with pytest.raises(TranspilerError) as refused:
        call(tmp_path / "t")
    [diagnostic] = refused.value.diagnostics
    found = diagnostic.message.replace(str(tmp_path / "t"), "PATH")
    assert (diagnostic.code, found, diagnostic.hint) == (code, message, hint)


@pytest.mark.parametrize("call", [lambda: compiled().save(5), lambda: CompiledTopology.load(5)])  # type: ignore[arg-type]
def test_a_path_of_a_wrong_type_is_named(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match=r"^path: expected "):
        call()


@pytest.mark.parametrize("call", [lambda: compiled().save("s3://bucket/t"), lambda: CompiledTopology.load("s3://b/t")])
def test_a_path_to_another_machine_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(TranspilerError) as refused:
        call()
    [diagnostic] = refused.value.diagnostics
    assert diagnostic.hint == "a compiled topology must be a local file: copy the file to or from this machine"
