"""Many bindings as data: conditions of one shape become rows of a table, and a topology becomes a program of look-ups.

Two conditions have one *shape* when they differ in their constants only. A shape is a condition of the core in which
parameters, columns of a table of constants, stand for the constants; its equalities are the table's key. So one join
answers any number of conditions of a shape, and neither a plan nor the time to make it grows with their number. Which
engine runs the program is not known here.
"""
