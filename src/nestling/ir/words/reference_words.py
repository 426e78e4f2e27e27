"""What was found of a reference whose values are of more types than one, in words."""

from __future__ import annotations

from nestling.ir.facts import ReferenceFacts
from nestling.ir.facts.binary_kinds import OF_UUIDS
from nestling.ir.quantity_words import agreeing, count, counted


def looked_up(reference: ReferenceFacts) -> str:
    """How many values were looked up, and how many of them are found as they are, in another type, and in neither."""
    more, missing = reference.converted, reference.checked - reference.resolved - reference.converted
    values = counted(reference.checked, "different value")
    as_they_are = f"{count(reference.resolved)} {agreeing(reference.resolved)} found as they are, " * bool(
        reference.resolved
    )
    further = "more " * bool(reference.resolved)
    rest = f"{count(missing)} {agreeing(missing)} found in neither type" if missing else "none is missing"
    alike = " of the same bytes" if reference.converts in OF_UUIDS else ""
    return (
        f"of {values} that {agreeing(reference.checked, 'was', 'were')} looked up, possibly not all there are, {as_they_are}"
        f"{count(more)} {further}{agreeing(more)} found as {reference.converts}{alike}, and {rest}"
    )
