"""The parts of conditions as predicates: header values, equality with them, and queries of XML exchanges.

``lowering.conditions`` joins these parts. A header may have any type, so that equality with a value is one test for
each type that can equal it.

In reading order: ``equality_tests``, ``header_pairs``, ``xquery``.
"""
