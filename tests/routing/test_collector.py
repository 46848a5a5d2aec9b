"""The garbage collector is paused while many objects are created, and restored afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from transpiler.routing.gc_pause import pause_garbage_collection


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    enabled = gc.isenabled()
    yield
    (gc.enable if enabled else gc.disable)()


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_as_it_was_afterwards(enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()
    with pause_garbage_collection():
        assert not gc.isenabled()
        with pause_garbage_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled() is enabled
