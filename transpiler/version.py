"""The version of this package, which is also in pyproject.toml and in the files that this package writes."""

__version__ = "0.2.0"
