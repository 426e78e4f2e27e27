"""The one home of the Hypothesis strategies: what the laws are tried on.

Models with data: `values`, `worlds`, and `plain_worlds`, `spoken_worlds` with values that statements speak of. Valid designs
with every primitive: `designs`, `enriched`. SELECT over a world: `statements`; INSERT, UPDATE and DELETE: `writes`. For the text
forms, models and proposals with names nobody would choose: `nouns`. A new primitive, step or construct joins them in the commit
that makes it.

(`tests/strategies` are the tests of nestling's own strategies.)
"""
