"""What is known of the data, and what is taken where nobody counted: different values, shares, elements, lengths of walks.

The search for a design and the price of a compiled statement use the same numbers.
"""
