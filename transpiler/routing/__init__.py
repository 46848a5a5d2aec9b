"""A topology compiled for one pass over its messages: constant tables, a topic automaton and a few conditions.

The idea: two conditions have one *signature* when they differ in their constants only. A signature is a condition of
``ir`` in which parameters, the columns of a constant table, stand for the constants; its equalities are the key of the
table. One join answers any number of conditions of a signature, so neither a plan nor the time to make it grows with
them. Binding keys with wildcards are such conditions on words, or become one automaton over words.

Invariants: a plan delivers a message to the queues to which the reference router does; every constant of ``tuning`` may
change without changing an answer.

Deliberately not here: the engine that runs the plan (``spark_ext.routing``), and the meaning of a binding
(``lowering.conditions``).

In reading order: ``exchange_graph``, ``columns``, ``binding_patterns``, ``parameterize``, ``signatures``,
``constant_rows``, ``plan``, ``specialize``, ``merge_signatures``, ``topic_words``, ``topic_automaton``, ``row_index``,
``interval_index``, ``substring_index``, ``common_lookups``, ``explain``, ``compiled_topology``, ``binding_buckets``,
``compiled_file``, ``tuning``.
"""
