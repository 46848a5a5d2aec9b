"""Reports about the rows of a DataFrame, computed by Spark: which rows match and why, and what a change wins and loses.

In reading order: ``match_explanations`` and ``match_report``, ``diff`` and ``differences``, ``compare_dialects``,
``verification``, ``backtests``.
"""
