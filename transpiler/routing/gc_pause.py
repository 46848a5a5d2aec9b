"""Python's collector of cycles, while much is made that has none.

Each time that the objects of a process have grown by a quarter the collector goes through all of them. To compile
100,000 bindings, or a selector of 10,000 terms, then takes up to twice as long, for trees and tables hold no cycles.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Without the collector; as it was afterwards. Where somebody else has paused it, that is left to them."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
