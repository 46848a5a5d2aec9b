"""Comparisons of operands: =, <>, the orders, BETWEEN and IN, and the warnings about those that can never hold.

The idea: two operands are compared alternative by alternative; the types of a pair say which comparison that is.

In reading order: ``comparison_kinds``, ``comparison``, ``converted_texts``, ``type_warnings``,
``column_warnings``.
"""
