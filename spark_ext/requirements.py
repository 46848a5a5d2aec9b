"""The check that PySpark is installed in a version that this package supports. It is imported before other modules."""

from __future__ import annotations

_HINT = "pip install 'pyspark>=4.0'"

try:
    from pyspark import __version__ as _version
except ModuleNotFoundError as error:
    if error.name != "pyspark":
        raise
    raise ImportError(f"spark_ext needs PySpark 4.0 or later: {_HINT}", name="pyspark") from None

if int(_version.partition(".")[0]) < 4:
    raise ImportError(f"spark_ext needs PySpark 4.0 or later, and {_version} is installed: {_HINT}", name="pyspark")
