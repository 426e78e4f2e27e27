"""The indexes of a design: which are built, when two are the same, and which keys and UNIQUE they keep."""
