"""Compilation of a topology for one pass over the messages: constant tables, a topic automaton and a few conditions.

The idea: two conditions that differ only in their constants have the same *signature*. A signature is a condition of
``ir`` with parameters instead of constants. The parameters are the columns of a constant table, and the equalities of
the signature are the key of that table. One join evaluates any number of conditions with the same signature, so neither
the plan nor the time to build it grows with that number. Binding keys with wildcards become conditions on words, or one
automaton over words.

Invariants: a plan delivers each message to the same queues as the reference router. No constant of ``tuning`` affects
the results.

Deliberately not here: the engine that runs the plan (``spark_ext.routing``), and the lowering of a binding
(``lowering.conditions``).

In reading order: ``exchange_graph``, ``columns``, ``binding_patterns``, ``parameterize``, ``signatures``,
``constant_rows``, ``plan``, ``specialize``, ``merge_signatures``, ``topic_words``, ``topic_automaton``, ``row_index``,
``interval_index``, ``substring_index``, ``common_lookups``, ``explain``, ``compiled_topology``, ``binding_buckets``,
``compiled_file``, ``tuning``.
"""
