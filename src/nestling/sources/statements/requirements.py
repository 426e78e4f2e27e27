"""What the application requires of any design, in comment lines of the workload file.

::

    -- freshness: product.name async(5s)      how stale copies of an attribute (or relationship) may be
    -- atomic: order, order_line              entities that must change together
    -- storage: 20 GB                         what all collections and indexes may take (GB = 10⁹, GiB = 2³⁰ bytes)
    -- document bound: 1 MiB                  no document may be larger
    -- array bound: 500                       no array may be longer
    -- retention: log_message 30 days         rows older than that may go

Each line stands alone; `freshness`, `atomic` and `retention` may come several times. Other comments are prose, but a word that
is nearly one of these is listed as a gap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches

from nestling.common.errors import InputError, Problem, unknown
from nestling.ir.freshness import Freshness
from nestling.ir.model import Model
from nestling.ir.workload import Requirements
from nestling.sources.tables import find_name

KEYS = ("freshness", "atomic", "storage", "document bound", "array bound", "retention")
_LINE = re.compile(
    r"^[ \t]*--[ \t]*(?P<key>[A-Za-z]+(?:[ _][A-Za-z]+)?)[ \t]*:[ \t]*(?P<value>[^\n]*?)[ \t]*$", re.MULTILINE
)
_OTHER_KEYS = ("name", "params")
_SIZE = re.compile(r"^(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b$", re.IGNORECASE)
_DAYS = re.compile(
    r"^(?P<entity>.+?)\s+(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>hour|day|week|month|year)s?$", re.IGNORECASE
)
_UNIT_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.4375, "year": 365.25}


@dataclass
class _Found:
    """What the lines read so far say."""

    freshness: dict[str, Freshness] = field(default_factory=dict)
    atomic: list[tuple[str, ...]] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    retention: dict[str, float] = field(default_factory=dict)


def read_requirements(text: str, model: Model) -> tuple[Requirements, list[tuple[str, int]]]:
    """The requirements, and what is wrong with them: sentences with their lines."""
    found, mistakes = _Found(), []
    for match in _LINE.finditer(text):
        key = match["key"].lower().replace("_", " ")
        line = text.count("\n", 0, match.start()) + 1
        if key in KEYS:
            mistakes += [(problem, line) for problem in _read(key, match["value"], model, found)]
        elif key not in _OTHER_KEYS and (near := get_close_matches(key, KEYS, n=1, cutoff=0.8)):
            mistakes.append((f"`{match['key']}` is no requirement; did you mean `{near[0]}`?", line))
    default = Requirements()
    requirements = Requirements(
        freshness=tuple(found.freshness.items()),
        atomic=tuple(found.atomic),
        storage_budget_bytes=found.numbers.get("storage"),
        document_bound_bytes=found.numbers.get("document bound", default.document_bound_bytes),
        array_bound=found.numbers.get("array bound"),
        retention_days=tuple(found.retention.items()),
    )
    return requirements, mistakes


def _read(key: str, value: str, model: Model, found: _Found) -> Iterator[str]:
    """Take one line into what is found; yield what is wrong with it."""
    try:
        match key:
            case "freshness":
                name, _, freshness = value.rpartition(" ")
                found.freshness[_attribute_or_relationship(name.strip(), model)] = Freshness.parse(freshness)
            case "atomic":
                found.atomic.append(tuple(_entity(name.strip(), model) for name in value.split(",")))
            case "array bound":
                found.numbers[key] = _whole(value)
            case "retention":
                entity, days = _retention(value)
                found.retention[_entity(entity, model)] = days
            case _:
                found.numbers[key] = _bytes(value)
    except InputError as problem:
        yield f"{key}: " + "; ".join(" ".join(filter(None, (p.what, p.known))) for p in problem.problems)


def _entity(name: str, model: Model) -> str:
    names = [entity.name for entity in model.entities]
    found = find_name(name, names)
    if found is None:
        raise InputError(unknown("entity", name, names))
    return found


def _attribute_or_relationship(name: str, model: Model) -> str:
    links = [link.name for link in model.relationships] + [link.name for link in model.many_to_many]
    if (link := find_name(name, links)) is not None:
        return link
    for dot in (match.start() for match in re.finditer(r"\.", name)):
        entity_name = find_name(name[:dot], (entity.name for entity in model.entities))
        if entity_name is not None:
            entity = model.entity(entity_name)
            attribute = find_name(name[dot + 1 :], entity.attribute_names)
            if attribute is None:
                raise InputError(entity.no_attribute(name[dot + 1 :]))
            return f"{entity_name}.{attribute}"
    if "." in name:
        return _entity(name.split(".")[0], model)
    raise InputError(unknown("relationship", name, links))


def _whole(value: str) -> int:
    if not re.fullmatch(r"[1-9]\d*", value):
        raise InputError(Problem(what=f"`{value}` is not a whole number above 0"))
    return int(value)


def _bytes(value: str) -> int:
    match = _SIZE.match(value)
    if match is None:
        raise InputError(Problem(what=f"`{value}` is not a size such as `20 GB` or `512 MiB`"))
    power = " kmgt".index(match[2].lower() or " ")
    return round(float(match[1]) * float(1024 if match[3] else 1000) ** power)


def _retention(value: str) -> tuple[str, float]:
    match = _DAYS.match(value)
    if match is None:
        raise InputError(Problem(what=f"`{value}` is not an entity and a time, such as `log_message 30 days`"))
    return match["entity"], float(match["number"]) * _UNIT_DAYS[match["unit"].lower()]
