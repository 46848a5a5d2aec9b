"""The rules, by subject: ``spelling``, ``literals``, ``absence``, ``headers``, ``logic``; the compiler's: ``refusals``.

A rule is a record with a function (``lint.rule``). To add a rule: write the function, add the record to the ``RULES``
of its module, and run ``python docs/rules/pages.py`` to write its page.
"""
