"""The base class of enumerations whose members are looked up as dictionary keys many times in each compilation."""

from __future__ import annotations

from enum import Enum


class IdentityEnum(Enum):
    """Base class of enumerations with a fast hash: that of the object, which fits because members are singletons.

    ``Enum`` hashes the member's name in Python, which took a tenth of the time of a compilation.
    """

    __hash__ = object.__hash__
