"""Numbers, shares and names in words."""

from __future__ import annotations

from collections.abc import Iterable

from nestling.ir.facts import CollectionFacts, Sample
from nestling.ir.finding import Confidence
from nestling.ir.interval import interval
from nestling.ir.quantity_words import first_of


def share(part: float, of: float) -> str:
    """A share in percent, never 0 % of something."""
    percent = 100 * part / of if of else 0.0
    if part and percent < 1:
        return "< 1 %"
    return f"{percent:.0f} %"


def sampled_share(part: int, of: int, sample: Sample | None) -> str:
    """A share, with its 95 % confidence interval if it comes from a sample."""
    if sample is None or sample.exact:
        return share(part, of)
    low, high = interval(part, of)
    return f"{share(part, of)} ({100 * low:.1f} to {100 * high:.1f} %)"


def confidence(collection: CollectionFacts) -> Confidence:
    """Certain when every document was read, likely when a sample was."""
    return Confidence.CERTAIN if collection.sample is None or collection.sample.exact else Confidence.LIKELY


def listed(names: Iterable[str], most: int = 5) -> str:
    """Names in a sentence, the first few of many."""
    return first_of([f"`{name}`" for name in names], most)
