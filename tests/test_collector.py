"""The collector of cycles is paused while much is made, and afterwards as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from transpiler import SelectorSyntaxError, transpile_selector
from transpiler.gc_pause import pause_garbage_collection


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    enabled = gc.isenabled()
    yield
    (gc.enable if enabled else gc.disable)()


@pytest.fixture
def collections() -> Iterator[list[str]]:
    """The phases of all collections."""
    found: list[str] = []

    def heard(phase: str, _info: dict[str, int]) -> None:
        found.append(phase)

    gc.callbacks.append(heard)
    yield found
    gc.callbacks.remove(heard)


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_as_it_was_afterwards(enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()
    with pause_garbage_collection():
        assert not gc.isenabled()
        with pause_garbage_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled() is enabled


def test_a_long_selector_pauses_the_collector_and_an_error_in_one_leaves_it_on(collections: list[str]) -> None:
    gc.enable()
    text = " OR ".join(f"(p = 'v{number}' AND q > {number})" for number in range(2_000))
    collections.clear()
    transpile_selector(text)
    # One comes as soon as the collector is on again.
    assert collections.count("start") <= 1
    assert gc.isenabled()
    with pytest.raises(SelectorSyntaxError):
        transpile_selector(f"{text} OR")
    assert gc.isenabled()
