"""The version of this package, which pyproject.toml and the files that it writes have as well."""

__version__ = "0.2.0"
