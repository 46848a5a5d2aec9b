"""Lowering of arithmetic by the rules of each dialect: signs, sums and products, and the types of their results.

In reading order: ``number_results``, ``arithmetic``.
"""
