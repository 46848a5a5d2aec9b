"""Messages on which two conditions part, and proofs that there are none.

The idea: a test of one name answers by the type of a value and by where the value stands to the test's constants. So
finitely many values of each place of a message, chosen by the constants, have every answer that a test can give; and a
formula of many tests needs no more than one value for each combination of answers that the tests of a place can have.

Invariants: the same conditions have the same samples in every run; the likeliest values come first, and a sample that
few people have is marked as rare. A message that the search returns was judged by the reference evaluator. A proof
uses supersets only, so it may be missed, but holds where it is made.

Deliberately not here: what the messages are for. ``port`` accepts a rewriting by them, ``diff`` shows them.

In reading order: ``places``, ``constants``, ``sample_messages``; ``formulas``, ``filter_formulas``, ``search``,
``proofs``; ``plain_messages``, ``deciding_rule``.
"""
