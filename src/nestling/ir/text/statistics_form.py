"""The `statistics` section: numbers with their provenance, by entity and by relationship."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TypeVar

from pydantic import Field

from nestling.common.errors import Problem, unknown
from nestling.ir.distribution import Distribution
from nestling.ir.model import Cardinality, Model, Relationship
from nestling.ir.statistics import (
    AttributeStatistics,
    EntityStatistics,
    Origin,
    Quantity,
    RelationshipStatistics,
    Statistics,
    quantities,
)
from nestling.ir.text.distribution_form import Shares, ValueList, distribution, distribution_text
from nestling.ir.text.form import FileMap, FormProblems, NamedMap, NumberText, link_names, without
from nestling.ir.text.yaml_reader import YamlPath
from nestling.ir.text.yaml_writer import BlockMap, Plain
from nestling.ir.types import Type

Record = TypeVar("Record", AttributeStatistics, EntityStatistics, RelationshipStatistics)
_BELOW_ZERO = frozenset({"growth_per_day"})
_NO_NUMBERS = frozenset({"attributes", "quantiles", "common", "values"})
_COUNT = "count"
"""The number there is only whole."""
_SHARES = frozenset({"null_share"})
_QUANTILES = ("p50", "p95", "p99", "p999", "maximum")
"""Numbers of children, each of which is at least the one before."""
_MOST = 1e15
"""More than that is a slip: a quadrillion rows of a byte are a thousand TB."""
_FAR = 2.0
"""The factor between a number of rows and the one that follows from other numbers beyond which it is a mistake: people round."""


class AttributeStatisticsForm(FileMap):
    """One attribute."""

    average_bytes: NumberText | None = None
    maximum_bytes: NumberText | None = None
    distinct: NumberText | None = None
    null_share: NumberText | None = Field(None, description="share of NULLs, 0 to 1")
    ordered_otherwise: NumberText | None = Field(
        None, description="texts with characters that the source sorts differently from MongoDB; 0: none so far"
    )
    elements: NumberText | None = Field(None, description="elements of one array on average")
    distinct_elements: NumberText | None = Field(None, description="different elements of all arrays")
    quantiles: ValueList = Field(
        [], description="values that divide the less common values into parts with equally many rows"
    )
    common: Shares = Field(
        [], description="the most common values, each with its share of the non-NULL values: [FR, 0.2]"
    )
    values: str | None = Field(None, description="where both come from: `measured`, `measured over 100000 rows`")

    def to_ir(self, kind: Type | None, path: YamlPath, findings: FormProblems) -> AttributeStatistics:
        """The statistics; `kind` is what the values are read as, None where the model does not say."""
        known = _record(AttributeStatistics(), self, path, findings)
        if not self.quantiles and not self.common:
            return known
        read: Callable[[], Distribution | None] = partial(
            distribution, self.quantiles, self.common, self.values or "", kind
        )
        return replace(known, values=findings.read(read, (*path, "quantiles"), otherwise=None))


class EntityStatisticsForm(FileMap):
    """One entity."""

    count: NumberText | None = None
    growth_per_day: NumberText | None = None
    attributes: NamedMap[AttributeStatisticsForm] = Field({})


class RelationshipStatisticsForm(FileMap):
    """Fan-out: children of one parent, over all parents."""

    mean: NumberText | None = None
    p50: NumberText | None = None
    p95: NumberText | None = None
    p99: NumberText | None = None
    p999: NumberText | None = None
    maximum: NumberText | None = None
    grows: NumberText | None = Field(
        None, description="1 if a parent keeps getting children forever, 0 if it gets no more"
    )
    dangling: NumberText | None = Field(None, description="children whose parent does not exist")
    orphans: NumberText | None = Field(None, description="children without a parent")
    respelled: NumberText | None = Field(
        None,
        description="children that spell their parent's key differently, as in another case; the source treats both as equal",
    )
    depth: NumberText | None = Field(None, description="levels of a tree")


class StatisticsForm(FileMap):
    """What is known about the data: `412`, `412 (measured)`, `0.031 (measured over 100000 rows)`."""

    entities: NamedMap[EntityStatisticsForm] = Field({})
    relationships: NamedMap[RelationshipStatisticsForm] = Field({})

    def to_ir(self, path: YamlPath, findings: FormProblems, model: Model | None = None) -> Statistics:
        """The statistics, values as `model` has their types; a number that cannot be read is left out and noted."""
        types = (
            {(entity.name, each.name): each.type for entity in model.entities for each in entity.attributes}
            if model
            else {}
        )
        entities = []
        for name, form in self.entities.items():
            at = (*path, "entities", name)
            attributes = tuple(
                (attribute, inner.to_ir(types.get((name, attribute)), (*at, "attributes", attribute), findings))
                for attribute, inner in form.attributes.items()
            )
            entities.append((name, _record(EntityStatistics(attributes=attributes), form, at, findings)))
        relationships = tuple(
            (name, _record(RelationshipStatistics(), form, (*path, "relationships", name), findings))
            for name, form in self.relationships.items()
        )
        return Statistics(tuple(entities), relationships)

    @staticmethod
    def from_ir(statistics: Statistics) -> Plain:
        """The section."""
        entities = {name: _entity_text(known) for name, known in statistics.entities}
        relationships = {name: _texts(known) for name, known in statistics.relationships}
        sections = {"entities": BlockMap(entities), "relationships": BlockMap(relationships)}
        return BlockMap(without(sections))


def check_statistics(statistics: Statistics, model: Model, path: YamlPath, findings: FormProblems) -> None:
    """Note entities, attributes and relationships the model does not have."""
    entities = {entity.name: entity for entity in model.entities}
    for name, known in statistics.entities:
        at = (*path, "entities", name)
        if name not in entities:
            findings.problems.append(unknown("entity", name, entities, path=at))
            continue
        for attribute, _ in known.attributes:
            if attribute not in entities[name]:
                findings.problems.append(entities[name].no_attribute(attribute, (*at, "attributes", attribute)))
    links = link_names(model)
    for name, _ in statistics.relationships:
        if name not in links:
            findings.problems.append(unknown("relationship", name, links, path=(*path, "relationships", name)))
    for link in model.relationships:
        numbers, at = statistics.relationship(link.name), (*path, "relationships", link.name)
        findings.problems.extend((*_several(link, numbers, at), *_other_count(link, model, numbers, statistics, at)))


def _several(link: Relationship, known: RelationshipStatistics, path: YamlPath) -> Iterator[Problem]:
    """Several children of one parent, where there is one at most."""
    if link.cardinality is Cardinality.ONE_TO_ONE:
        for name in ("mean", *_QUANTILES):
            quantity = getattr(known, name)
            if _is_declared(quantity) and quantity.value > 1:
                most = f"`{link.name}` is 1:1: a `{link.parent}` has at most one `{link.child}`"
                yield _impossible(f"`{name}` is {quantity.value:g}, but {most}", (*path, name))


def _other_count(
    link: Relationship, model: Model, known: RelationshipStatistics, statistics: Statistics, path: YamlPath
) -> Iterator[Problem]:
    """The children there are, and those that all parents have by the mean: as many, where every child has a parent."""
    mean = known.mean
    parents, children = (statistics.entity(name).count for name in (link.parent, link.child))
    if mean is None or parents is None or children is None or not all(map(_is_declared, (mean, parents, children))):
        return
    implied, there = mean.value * parents.value, children.value
    is_less = there > _FAR * implied and model.is_total(link)
    if implied > _FAR * there or is_less:
        what = (
            f"a mean of {mean.value:g} over {parents.value:,.0f} `{link.parent}` implies {implied:,.0f} `{link.child}`, "
            f"but their count is {there:,.0f}"
        )
        yield _impossible(what, (*path, "mean"))


def _is_declared(quantity: Quantity | None) -> bool:
    """Whether people said it; what was measured may differ a little, as it is of other moments or of samples."""
    return quantity is not None and quantity.origin is Origin.DECLARED and quantity.rows is None


def _record(start: Record, form: FileMap, path: YamlPath, findings: FormProblems) -> Record:
    found: dict[str, Quantity] = {}
    for name in type(form).model_fields:
        text = getattr(form, name)
        if name not in _NO_NUMBERS and text is not None:
            parse: Callable[[], Quantity | None] = partial(Quantity.parse, text)
            quantity = findings.read(parse, (*path, name), otherwise=None)
            if quantity is not None and _is_out_of_range(name, quantity):
                findings.problems.append(_impossible(f"`{name}` cannot be {quantity.value:g}", (*path, name)))
            elif quantity is not None:
                found[name] = quantity
    mean, most = found.get("mean"), found.get("maximum")
    if mean is not None and most is not None and mean.value > most.value:
        what = f"a mean of {mean.value:g} is more than the maximum, {most.value:g}"
        findings.problems.append(_impossible(what, (*path, "mean")))
    findings.problems.extend(_falling(found, path))
    return replace(start, **found)  # type: ignore[arg-type]  # the forms have the fields of the records


def _is_out_of_range(name: str, quantity: Quantity) -> bool:
    value = quantity.value
    if name == _COUNT and _is_declared(quantity) and value % 1:
        return True
    return (value < 0 and name not in _BELOW_ZERO) or (value > 1 and name in _SHARES) or abs(value) > _MOST


def _falling(found: Mapping[str, Quantity], path: YamlPath) -> Iterator[Problem]:
    """Quantiles that are more than a later one."""
    said = [(name, found[name]) for name in _QUANTILES if name in found and _is_declared(found[name])]
    for (name, less), (later, more) in pairwise(said):
        if less.value > more.value:
            what = f"a {name} of {less.value:g} is more than the {later}, {more.value:g}"
            yield _impossible(what, (*path, name))


def _impossible(what: str, path: YamlPath) -> Problem:
    return Problem(what=what, path=path, next_move="correct it, or remove it")


def _entity_text(known: EntityStatistics) -> Plain:
    attributes = {name: _texts(record) | distribution_text(record.values) for name, record in known.attributes}
    return BlockMap(_texts(known) | ({"attributes": BlockMap(attributes)} if attributes else {}))


def _texts(record: Record) -> dict[str, Plain]:
    return {name: _quantity(quantity) for name, quantity in quantities(record)}


def _quantity(quantity: Quantity) -> Plain:
    """A declared number is a bare number."""
    if quantity.origin is not Origin.DECLARED or quantity.rows is not None:
        return str(quantity)
    return int(str(quantity)) if str(quantity).lstrip("-").isdigit() else float(str(quantity))
