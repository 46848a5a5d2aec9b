"""The rules, by subject: ``spelling``, ``literals``, ``absence``, ``headers``, ``logic``; the compiler's: ``refusals``.

A rule is a record with a function beside it (``lint.rule``). To add one: write the function, add the record
to the ``RULES`` of its module, and run ``python docs/rules/pages.py`` for its page.
"""
