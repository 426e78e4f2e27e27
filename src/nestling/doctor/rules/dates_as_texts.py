"""Dates stored as texts that do not sort by date.

Why: `02.01.2025` comes before `31.12.2024`, and `12/31/2023` after `01/01/2025`; among texts such as `2024-12-31`, both are out
of place. No range finds a month, no index helps, a TTL index deletes nothing, and `$dateDiff` and the like fail.

Example: `date` is a text such as `31.12.2024` in all of 3,000 reviews.

Remedy: convert the texts to dates. The command reads them as UTC and leaves texts that are no calendar date; run the first
command again to find the rest. First deploy an application that reads both and writes dates. For dates with slashes, the order
follows from those whose second number exceeds 12, if the first never does, or the other way round. Otherwise only their writers
can know whether the day or the month comes first, and there is no command that converts them.

Ignore when: nobody sorts by the field, or searches for a range of it. Fields whose texts are all like `2024-12-31` sort by date
and are not reported; fields with both dates and texts are reported by `mixed-types`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from nestling.doctor.commands import find, here
from nestling.doctor.converting import asks_by_type
from nestling.doctor.expiring import outdated_first, unless_outdated
from nestling.doctor.guards import single
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.setting import REFUSED_STAY, UNGUARDED, setting, while_fenced
from nestling.doctor.words import confidence
from nestling.ir.facts import ELEMENT, CollectionFacts, PathFacts, text_forms
from nestling.ir.facts.path import NULL_TYPES
from nestling.ir.facts.steps import is_plain
from nestling.ir.finding import FieldChange, Finding, Severity
from nestling.ir.programs.compiled import Mql
from nestling.ir.quantity_words import count

RULE = Rule(
    "Dates as texts",
    Severity.WARNING,
    (
        Threshold(
            "values",
            "dates stored as text that do not sort by date, in a field of nothing but dates",
            "values",
            {"nestling": 3},
        ),
    ),
    by_field=True,
)


LEAST_TELLING, TELLING_SHARE = 3, 0.1
"""Texts, and their share of those with slashes, that must tell the order."""
MONTH_FIRST, DAY_FIRST = "%m/%d/%Y", "%d/%m/%Y"
"""The orders, as the server reads them."""
_SHOWN = {MONTH_FIRST: "MM/DD/YYYY", DAY_FIRST: "DD/MM/YYYY"}
_TOLD = {
    MONTH_FIRST: " The month comes first: the second number often exceeds 12, and the first never does.",
    DAY_FIRST: " The day comes first: the first number often exceeds 12, and the second never does.",
}


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Fields with only texts of dates, some of which do not sort by date."""
    for collection in seen.facts.of_documents():
        for path in collection.paths:
            forms = _Forms.of(path)
            every = forms.unsorted + forms.sorted
            if (
                forms.unsorted > seen.limits["values"].value
                and every >= path.count("string") - path.empty
                and _is_text(path)
            ):
                yield _finding(seen, collection, path, forms)


@dataclass(frozen=True, slots=True)
class _Forms:
    """How many texts of a field begin with the day, contain slashes, and look like `2024-12-31`.

    `order`: how those with slashes are to be read ("": nobody can tell).
    """

    day_first: int
    slashed: int
    sorted: int
    order: str = ""

    @classmethod
    def of(cls, path: PathFacts) -> Self:
        """The counts for the texts of a field."""
        known = dict(path.forms)
        slashed = known.get("slashed", 0)
        days, months = known.get("slashedDayFirst", 0), known.get("slashedMonthFirst", 0)
        enough = max(LEAST_TELLING, TELLING_SHARE * slashed)
        order = MONTH_FIRST if months >= enough and not days else DAY_FIRST if days >= enough and not months else ""
        return cls(known.get("dayFirst", 0), slashed, known.get("date", 0), order)

    @property
    def unsorted(self) -> int:
        """The number of texts that do not sort by date."""
        return self.day_first + self.slashed

    def text(self) -> str:
        """The finding in words."""
        every, kinds = count(self.unsorted + self.sorted), []
        if self.day_first:
            kinds.append((self.day_first, "begin with the day, of the form `DD.MM.YYYY`"))
        if self.slashed:
            kinds.append((self.slashed, f"have slashes, of the form `{_SHOWN.get(self.order, 'NN/NN/YYYY')}`"))
        if self.sorted:
            kinds.append((self.sorted, "are of the form `YYYY-MM-DD`"))
        if len(kinds) == 1:
            return f"{every} dates stored as text {kinds[0][1]}"
        return f"of {every} dates stored as text, {'; '.join(f'{count(number)} {what}' for number, what in kinds)}"


def _is_text(path: PathFacts) -> bool:
    return all(name in ("string", *NULL_TYPES) for name, _ in path.types)


def _finding(seen: RuleInput, collection: CollectionFacts, path: PathFacts, forms: _Forms) -> Finding:
    commands = _commands(collection, path, forms)
    how = while_fenced(collection)
    if len(commands) > 1:
        refused = REFUSED_STAY if len(commands) > UNGUARDED else ""
        order = _TOLD.get(forms.order, "")
        how = f"{order} Texts that are no calendar date stay as they are.{refused} {asks_by_type(['string'])}"
    elif forms.slashed and not forms.order:
        how = " Ask whoever writes those with slashes whether the day or the month comes first."
    return seen.finding(
        collection,
        path.text,
        forms.text(),
        number=forms.unsorted,
        limit="values",
        cost="sorts and ranges compare its characters, not its dates, and no index helps",
        remedy=f"{outdated_first(collection, path.field)}Convert the texts to dates, and let a validator keep it that way.{how}",
        commands=commands,
        evidence={"texts": path.count("string"), "dates": forms.unsorted},
        confidence=confidence(collection),
        changes=(FieldChange(path.steps, types=_types(path)),) if len(commands) > 1 else (),
    )


def _types(path: PathFacts) -> tuple[str, ...]:
    """The types for a validator after the texts have become dates."""
    nothing = (name for name in NULL_TYPES if path.count(name))
    return ("date", *nothing, *(("string",) if path.empty or not path.exact else ()))


def _commands(collection: CollectionFacts, path: PathFacts, forms: _Forms) -> tuple[str, ...]:
    """Commands that find and convert the texts if one update can, including those that sort, so that all become dates."""
    if not is_plain(path.steps):
        return ()
    patterns = {
        text_forms.DAY_FIRST: forms.day_first,
        text_forms.SLASHED: forms.slashed,
        text_forms.REAL_DATE: forms.sorted,
    }
    there = "|".join(pattern for pattern, number in patterns.items() if number)
    field = path.field
    texts: Mql = {"$regex": f"^(?:{there})$"}
    found = find(here(collection), {field: texts})
    if ELEMENT in path.steps or path.steps[0] == "_id" or (forms.slashed and not forms.order):
        return (found,)
    value = f"${field}"
    read: object = {"$dateFromString": {"dateString": value, "onError": value}} if forms.sorted else value
    for form in (form for form, number in ((forms.order, forms.slashed), ("%d.%m.%Y", forms.day_first)) if number):
        read = {"$dateFromString": {"dateString": value, "format": form, "onError": read}}
    return found, *setting(collection, single(field, texts), field, unless_outdated(collection, field, read))
