"""The golden guard: the SQL of a large corpus, dumped before a change of structure and compared after it.

    python -m tests.golden dump before.jsonl --selectors 20000 --part 0/8
    python -m tests.golden compare before.jsonl after.jsonl
    python -m tests.golden sample

A refactoring leaves every line as it was. The answers themselves are judged elsewhere, by the brokers' verdicts and by
the reference evaluator; the guard says only what changed. A sample of the dump is kept in the repository and compared
in ``test_golden``; where SQL changes on purpose, ``sample`` writes it anew and the commit shows the difference.

In reading order: ``corpus`` (what is compiled), ``dump`` (how it is written down), ``test_golden``.
"""
