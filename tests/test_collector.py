"""The collector of cycles is paused while much is made, and afterwards as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from transpiler import SelectorSyntaxError, transpile_selector
from transpiler.collector import paused_collector


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    enabled = gc.isenabled()
    yield
    (gc.enable if enabled else gc.disable)()


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_as_it_was_afterwards(enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()
    with paused_collector():
        assert not gc.isenabled()
        with paused_collector():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled() is enabled


def test_an_error_in_a_long_selector_leaves_the_collector_on() -> None:
    gc.enable()
    text = " OR ".join(f"p = 'v{number}'" for number in range(2_000))
    transpile_selector(text)
    assert gc.isenabled()
    with pytest.raises(SelectorSyntaxError):
        transpile_selector(f"{text} OR")
    assert gc.isenabled()
