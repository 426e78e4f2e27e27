"""The `statistics` section: numbers with their provenance, by entity and by relationship."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from pydantic import Field

from nestling.common.errors import Problem, unknown
from nestling.ir.distribution import Distribution
from nestling.ir.model import Model
from nestling.ir.statistics import (
    AttributeStatistics,
    EntityStatistics,
    Origin,
    Quantity,
    RelationshipStatistics,
    Statistics,
    quantities,
)
from nestling.ir.text.distribution_form import Shares, Values, distribution, distribution_text
from nestling.ir.text.form import Findings, Form, Named, Number, link_names, without
from nestling.ir.text.yaml_reader import Path
from nestling.ir.text.yaml_writer import Block, Plain
from nestling.ir.types import Type

Record = TypeVar("Record", AttributeStatistics, EntityStatistics, RelationshipStatistics)
_BELOW_ZERO = frozenset({"growth_per_day"})
_NO_NUMBERS = frozenset({"attributes", "quantiles", "common", "values"})


class AttributeStatisticsForm(Form):
    """One attribute."""

    average_bytes: Number | None = None
    maximum_bytes: Number | None = None
    distinct: Number | None = None
    null_share: Number | None = Field(None, description="share of NULLs, 0 to 1")
    ordered_otherwise: Number | None = Field(
        None, description="texts with characters that the source orders otherwise than MongoDB; 0: none has such yet"
    )
    quantiles: Values = Field([], description="values that cut those not common into parts of equally many rows")
    common: Shares = Field([], description="the most common values, each with its share of those there: [FR, 0.2]")
    values: str | None = Field(None, description="where both are from: `measured`, `measured over 100000 rows`")

    def to_ir(self, kind: Type | None, path: Path, findings: Findings) -> AttributeStatistics:
        """The statistics; `kind` is what the values are read as, None where the model does not say."""
        known = _record(AttributeStatistics(), self, path, findings)
        if not self.quantiles and not self.common:
            return known
        read: Callable[[], Distribution | None] = partial(
            distribution, self.quantiles, self.common, self.values or "", kind
        )
        return replace(known, values=findings.read(read, (*path, "quantiles"), otherwise=None))


class EntityStatisticsForm(Form):
    """One entity."""

    count: Number | None = None
    growth_per_day: Number | None = None
    attributes: Named[AttributeStatisticsForm] = Field({})


class RelationshipStatisticsForm(Form):
    """Fan-out: children of one parent, over all parents."""

    mean: Number | None = None
    p50: Number | None = None
    p95: Number | None = None
    p99: Number | None = None
    p999: Number | None = None
    maximum: Number | None = None
    grows: Number | None = Field(
        None, description="1 when a parent keeps getting children for ever, 0 when it gets no more"
    )
    dangling: Number | None = Field(None, description="children whose parent does not exist")
    orphans: Number | None = Field(None, description="children without a parent")
    respelled: Number | None = Field(
        None,
        description="children that spell their parent's key otherwise, as in another case; the source takes both for one",
    )
    depth: Number | None = Field(None, description="levels of a tree")


class StatisticsForm(Form):
    """What is known about the data: `412`, `412 (measured)`, `0.031 (measured over 100000 rows)`."""

    entities: Named[EntityStatisticsForm] = Field({})
    relationships: Named[RelationshipStatisticsForm] = Field({})

    def to_ir(self, path: Path, findings: Findings, model: Model | None = None) -> Statistics:
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
        sections = {"entities": Block(entities), "relationships": Block(relationships)}
        return Block(without(sections))


def check_statistics(statistics: Statistics, model: Model, path: Path, findings: Findings) -> None:
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


def _record(start: Record, form: Form, path: Path, findings: Findings) -> Record:
    found: dict[str, Quantity] = {}
    for name in type(form).model_fields:
        text = getattr(form, name)
        if name not in _NO_NUMBERS and text is not None:
            parse: Callable[[], Quantity | None] = partial(Quantity.parse, text)
            quantity = findings.read(parse, (*path, name), otherwise=None)
            if quantity is not None and quantity.value < 0 and name not in _BELOW_ZERO:
                findings.problems.append(_impossible(f"`{name}` cannot be {quantity.value:g}", (*path, name)))
            elif quantity is not None:
                found[name] = quantity
    mean, most = found.get("mean"), found.get("maximum")
    if mean is not None and most is not None and mean.value > most.value:
        what = f"a mean of {mean.value:g} is more than the maximum, {most.value:g}"
        findings.problems.append(_impossible(what, (*path, "mean")))
    return replace(start, **found)  # type: ignore[arg-type]  # the forms have the fields of the records


def _impossible(what: str, path: Path) -> Problem:
    return Problem(what=what, path=path, next_move="give what the data has, or leave it out")


def _entity_text(known: EntityStatistics) -> Plain:
    attributes = {name: _texts(record) | distribution_text(record.values) for name, record in known.attributes}
    return Block(_texts(known) | ({"attributes": Block(attributes)} if attributes else {}))


def _texts(record: Record) -> dict[str, Plain]:
    return {name: _quantity(quantity) for name, quantity in quantities(record)}


def _quantity(quantity: Quantity) -> Plain:
    """A declared number is a bare number."""
    if quantity.origin is not Origin.DECLARED or quantity.rows is not None:
        return str(quantity)
    return int(str(quantity)) if str(quantity).lstrip("-").isdigit() else float(str(quantity))
