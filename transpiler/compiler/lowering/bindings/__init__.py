"""Bindings as predicates: keys, header arguments, queries of XML exchanges, and the addresses that make bindings.

The idea: filters, addresses and topologies have the same bindings, which differ in where their constants stand: in the
text, or in the columns of a table.

In reading order: ``equality_tests``, ``header_pairs``, ``xquery``, ``bindings``, ``addresses``.
"""
