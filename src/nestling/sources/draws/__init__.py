"""Values for the parameters of statements, drawn from the rows of a source."""

from nestling.sources.draws.draw import draw

__all__ = ["draw"]
