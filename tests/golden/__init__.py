"""The golden guard: the SQL of a large corpus, dumped before a refactoring and compared after it.

    python -m tests.golden dump before.jsonl --selectors 20000 --part 0/8
    python -m tests.golden compare before.jsonl after.jsonl
    python -m tests.golden sample

A refactoring leaves every line unchanged. Other tests check whether the SQL is right, with the brokers' results and
with the reference evaluator. The guard only reports what changed. A sample of the dump is kept in the repository and
compared in ``test_golden``. If SQL changes on purpose, ``sample`` writes it again and the commit shows the difference.
``sample`` also writes the findings again: every message, location, hint and warning for wrong and ambiguous inputs.

In reading order: ``corpus`` (what is compiled), ``dump`` (how it is written), ``findings`` (with
``layouts``, ``calls``, ``inner`` and ``tuned``), ``test_golden``.
"""
