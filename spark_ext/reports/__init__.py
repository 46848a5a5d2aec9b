"""Questions about the rows of a DataFrame, each answered natively: which match and why, what a change wins and loses.

In reading order: ``match_explanations`` and ``match_report``, ``diff`` and ``differences``, ``compare_dialects``,
``verification``, ``backtests``.
"""
