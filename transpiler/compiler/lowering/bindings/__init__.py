"""The parts of conditions as predicates: header values, and equality with them.

``lowering.conditions`` joins these parts. A header may have any type, so that equality with a value is one test for
each type that can equal it.

In reading order: ``equality_tests``, ``header_pairs``.
"""
