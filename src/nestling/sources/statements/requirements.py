"""What the application requires of any design, in comment lines of the workload file.

::

    -- freshness: product.name async(5s)      how stale copies of an attribute (or relationship) may be
    -- atomic: order, order_line              entities that must change together
    -- storage: 20 GB                         what all collections and indexes may take (GB = 10⁹, GiB = 2³⁰ bytes)
    -- document bound: 1 MiB                  no document may be larger
    -- array bound: 500                       no array may be longer
    -- transaction bound: 1000                no transaction may change more documents
    -- retention: log_message 30 days         rows older than that may go
    -- archive: order.placed before 2024-01-01
                                           older rows lie in a collection of their own
    -- tolerance: page_visits 100             a count by the relationship may be less than 100 too low
    -- schema version: 2                      a number that every document carries
    -- short names: yes                       attributes are stored under initials of their names
    -- read only: country, currency           no row of them comes, changes or goes

Each line stands alone; `freshness`, `atomic`, `retention`, `archive`, `tolerance` and `read only` may come several times. Other
comments are prose, but a word that is nearly one of these is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches

from nestling.common.errors import InputError, Problem, unknown
from nestling.ir.freshness import Freshness
from nestling.ir.model import Model
from nestling.ir.quantity_words import read_size
from nestling.ir.time_units import SECONDS_PER_DAY, seconds_of
from nestling.ir.types import TIMES
from nestling.ir.value_forms.written_values import bound_mistake
from nestling.ir.workload import LEAST_TOGETHER, Requirements
from nestling.sources.tables import find_name

KEYS = (
    "freshness",
    "atomic",
    "storage",
    "document bound",
    "array bound",
    "transaction bound",
    "retention",
    "archive",
    "tolerance",
    "schema version",
    "short names",
    "read only",
)
_OF_NO_MODEL = ("storage", "document bound", "array bound", "transaction bound", "schema version", "short names")
"""The keys of requirements that name no part of a model."""
_NOTHING = Model("any", ())
_LINE = re.compile(
    r"^[ \t]*--[ \t]*(?P<key>[A-Za-z]+(?:[ _][A-Za-z]+)?)[ \t]*:[ \t]*(?P<value>[^\n]*?)[ \t]*$", re.MULTILINE
)
_OTHER_KEYS = ("name", "params", "window")
_DAYS = re.compile(r"^(?P<entity>.+?)\s+(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[a-z]+)$", re.IGNORECASE)
_FRESHNESS = re.compile(r"(?P<name>.*?)\s*(?P<freshness>[^\s()]*\s*(?:\([^()]*\)?)?)")
"""A name, which may have blanks, and a level with its time in brackets or without."""


@dataclass
class _Found:
    """What the lines read so far say."""

    freshness: dict[str, Freshness] = field(default_factory=dict)
    atomic: list[tuple[str, ...]] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    retention: dict[str, float] = field(default_factory=dict)
    tolerance: dict[str, int] = field(default_factory=dict)
    short_names: bool = False
    archive: dict[str, tuple[str, str]] = field(default_factory=dict)
    read_only: dict[str, None] = field(default_factory=dict)


def read_requirements(text: str, model: Model | None, path: str = "") -> tuple[Requirements, tuple[Problem, ...]]:
    """The requirements that comments of a workload file state, such as `-- storage: 10 GB`, and every mistake in them.

    None of these may be ignored, as the design would then break what the file requires. Without a model, only lines that name
    nothing of it are read.
    """
    found, problems = _Found(), list[Problem]()
    for match in _LINE.finditer(text):
        key = match["key"].lower().replace("_", " ")
        line = text.count("\n", 0, match.start()) + 1
        where = f"{path}:{line}" if path else f"line {line}"
        if key in KEYS:
            if model is not None or key in _OF_NO_MODEL:
                problems += [Problem(what, where) for what in _read(key, match["value"], model or _NOTHING, found)]
        elif key not in _OTHER_KEYS and (near := get_close_matches(key, KEYS, n=1, cutoff=0.8)):
            what = f"`{match['key']}` is not a requirement; did you mean `{near[0]}`?"
            move = f"write `-- {near[0]}: …`, or start the comment with another word"
            problems.append(Problem(what, where, next_move=move))
    default = Requirements()
    requirements = Requirements(
        freshness=tuple(found.freshness.items()),
        atomic=tuple(found.atomic),
        storage_budget_bytes=found.numbers.get("storage"),
        document_bound_bytes=found.numbers.get("document bound", default.document_bound_bytes),
        array_bound=found.numbers.get("array bound"),
        transaction_bound=found.numbers.get("transaction bound"),
        retention_days=tuple(found.retention.items()),
        tolerance=tuple(found.tolerance.items()),
        schema_version=found.numbers.get("schema version"),
        short_names=found.short_names,
        archive=tuple((entity, attribute, before) for entity, (attribute, before) in found.archive.items()),
        read_only=tuple(found.read_only),
    )
    return requirements, tuple(problems)


def _read(key: str, value: str, model: Model, found: _Found) -> Iterator[str]:
    """Take one line into what is found; yield what is wrong with it."""
    try:
        match key:
            case "freshness":
                name, freshness = _freshness(value)
                found.freshness[_attribute_or_relationship(name, model)] = freshness
            case "atomic":
                found.atomic.append(_together(value, model))
            case "read only":
                found.read_only |= dict.fromkeys(_entity(name.strip(), model) for name in value.split(","))
            case "array bound" | "transaction bound" | "schema version":
                found.numbers[key] = _whole(value)
            case "retention":
                entity, days = _retention(value)
                found.retention[_entity(entity, model)] = days
            case "archive":
                entity, attribute, before = _archive(value, model)
                found.archive[entity] = attribute, before
            case "short names":
                found.short_names = _yes(value)
            case "tolerance":
                name, _, number = value.rpartition(" ")
                found.tolerance[_attribute_or_relationship(name.strip(), model)] = _more_than_one(number)
            case _:
                found.numbers[key] = read_size(value)
    except InputError as problem:
        yield f"{key}: " + "; ".join("; ".join(filter(None, (p.what, p.known))) for p in problem.problems)


def _freshness(value: str) -> tuple[str, Freshness]:
    """The name that the freshness is for, and the freshness."""
    match = _FRESHNESS.fullmatch(value)
    return (match["name"], Freshness.parse(match["freshness"])) if match else ("", Freshness.parse(value))


def _together(value: str, model: Model) -> tuple[str, ...]:
    """Entities that change together: two at least."""
    names = tuple(_entity(name.strip(), model) for name in value.split(","))
    if len(set(names)) < LEAST_TOGETHER:
        move = "list all entities that change together: `order, order_line`"
        raise InputError(Problem(f"a group of `{names[0]}` alone", known=move))
    return names


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


def _archive(value: str, model: Model) -> tuple[str, str, str]:
    what, said, before = value.partition(" before ")
    entity, _, attribute = _attribute_or_relationship(what.strip(), model).rpartition(".")
    kind = model.entity(entity).attribute(attribute).type if entity else None
    if not said or kind is None or kind.name not in TIMES:
        raise InputError(
            Problem(what=f"`{value}` is not a date of an entity, such as `order.placed before 2024-01-01`")
        )
    if mistake := bound_mistake(kind, before.strip()):
        raise InputError(mistake)
    return entity, attribute, before.strip()


def _yes(value: str) -> bool:
    if value.lower() not in ("yes", "no"):
        raise InputError(Problem(what=f"`{value}` is neither yes nor no"))
    return value.lower() == "yes"


def _more_than_one(value: str) -> int:
    number = _whole(value)
    if number < 2:
        raise InputError(
            Problem(what=f"`{value}` allows nothing: a computed value that is less than 1 too low is exact")
        )
    return number


def _retention(value: str) -> tuple[str, float]:
    match = _DAYS.match(value)
    seconds = seconds_of(match["unit"]) if match is not None else None
    if match is None or seconds is None:
        raise InputError(Problem(what=f"`{value}` is not an entity and a time, such as `log_message 30 days`"))
    return match["entity"], float(match["number"]) * seconds / SECONDS_PER_DAY
