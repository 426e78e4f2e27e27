"""Dates kept as texts that begin with the day.

Why: such texts do not sort as dates do: `02.01.2025` comes before `31.12.2024`. No range finds a month, no index
serves one, a TTL index deletes nothing, and `$dateDiff` and the like fail.

Example: `date` is a text such as `31.12.2024` in all of 3,000 reviews.

Remedy: convert the texts to dates. The command reads them as UTC and leaves what is no date of a calendar as it is; the first
command, asked again, finds what is left. First deploy an application that reads both and writes dates.

Ignore when: nobody sorts by the field, or asks for a range of it. Texts such as `2024-12-31` sort as dates do and are not
named; fields of dates and texts are named by `mixed-types`.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.converting import asks_by_type
from nestling.doctor.expiring import outdated_first, unless_outdated
from nestling.doctor.guards import single
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.setting import REFUSED, UNGUARDED, setting
from nestling.doctor.words import confidence, here
from nestling.ir.facts import ELEMENT, CollectionFacts, PathFacts, text_forms
from nestling.ir.facts.steps import is_plain
from nestling.ir.finding import Finding, Severity
from nestling.ir.literals import quoted
from nestling.ir.quantity_words import count

RULE = Rule(
    "Dates as texts",
    Severity.WARNING,
    (
        Threshold(
            "values", "texts of dates that begin with the day, in a field of nothing else", "values", {"nestling": 3}
        ),
    ),
)
_NOTHING = ("null", "undefined")


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Fields of nothing but such texts."""
    for collection in seen.facts.of_documents():
        for path in collection.paths:
            dates = dict(path.forms).get("dayFirst", 0)
            if dates > seen.limits["values"].value and dates >= path.count("string") - path.empty and _is_text(path):
                yield _finding(seen, collection, path, dates)


def _is_text(path: PathFacts) -> bool:
    return all(name in ("string", *_NOTHING) for name, _ in path.types)


def _finding(seen: RuleInput, collection: CollectionFacts, path: PathFacts, dates: int) -> Finding:
    commands = _commands(collection, path)
    how = ""
    if len(commands) > 1:
        refused = REFUSED if len(commands) > UNGUARDED else ""
        how = f" What is no date of a calendar stays as it is.{refused} {asks_by_type(['string'])}"
    return seen.finding(
        collection,
        path.text,
        f"{count(dates)} texts are dates that begin with the day, such as `31.12.2024`",
        number=dates,
        limit="values",
        cost="an order or range of the field goes by the day of the month, and no index serves one of dates",
        remedy=f"{outdated_first(collection, path.field)}Convert the texts to dates, and let a validator keep it that way.{how}",
        commands=commands,
        evidence={"texts": path.count("string"), "dates": dates},
        confidence=confidence(collection),
    )


def _commands(collection: CollectionFacts, path: PathFacts) -> tuple[str, ...]:
    """Finding the texts, and converting them where one update can."""
    if not is_plain(path.steps):
        return ()
    field, texts = path.field, f"$regex: {quoted(f'^{text_forms.DAY_FIRST}$')}"
    found = f"{here(collection)}.find({{{quoted(field)}: {{{texts}}}}})"
    if ELEMENT in path.steps or path.steps[0] == "_id":
        return (found,)
    value = quoted("$" + field)
    read = f"{{$dateFromString: {{dateString: {value}, format: '%d.%m.%Y', onError: {value}}}}}"
    return found, *setting(collection, single(field, texts), field, unless_outdated(collection, field, read))
