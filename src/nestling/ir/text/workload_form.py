"""The `workload` and `requirements` sections."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from nestling.common.errors import Problem, unknown
from nestling.ir.freshness import TRANSACTION, Freshness
from nestling.ir.model import Model
from nestling.ir.rate import parse_rate, rate_text
from nestling.ir.rows import AggregateKind
from nestling.ir.statements.clause import Clause
from nestling.ir.text.design_form import RowsForm
from nestling.ir.text.form import (
    FileMap,
    FormProblems,
    Groups,
    NamedMap,
    Texts,
    group_text,
    link_names,
    without,
    words_schema,
)
from nestling.ir.text.yaml_reader import YamlPath
from nestling.ir.text.yaml_writer import BlockMap, Plain
from nestling.ir.value_forms.written_values import bound_mistake
from nestling.ir.workload import (
    LEAST_TOGETHER,
    UNITS,
    Access,
    AttributeFilter,
    Grouping,
    Operator,
    Requirements,
    Statement,
    StatementKind,
    Walk,
)

LEAST_TOLERANCE = 2
"""An answer that is less than 1 too low is right."""
VALUE = "value"
"""Stands where a unit would, in front of an attribute called like `hour of x`."""


class RequirementsForm(FileMap):
    """What the application asks of any design."""

    freshness: NamedMap[str] = Field({}, description="entity.attribute or relationship: the weakest freshness allowed")
    atomic: Groups = Field(
        [], description="groups of entities that must change together, each a list: `[[invoice, invoice_line]]`"
    )
    storage_budget_bytes: int | None = None
    document_bound_bytes: int | None = Field(None, description="16 MiB by default")
    array_bound: int | None = None
    transaction_bound: int | None = Field(
        None, description="documents that one transaction may change; 100,000 by default"
    )
    retention_days: NamedMap[float] = Field({})
    tolerance: NamedMap[int] = Field(
        {},
        description="entity.attribute or relationship: aggregates over it may be too low by less than this; 2 or more",
    )
    schema_version: int | None = Field(None, description="a number stored in its own field in every document")
    archive: NamedMap[RowsForm] = Field(
        {}, description="entity: {attribute, before}: earlier rows are stored in a separate collection"
    )
    short_names: bool = Field(False, description="attributes are stored under the initials of their names")
    read_only: Texts = Field([], description="entities whose rows are never inserted, changed or deleted")

    def to_ir(self, path: YamlPath, findings: FormProblems) -> Requirements:
        """The requirements."""
        freshness = tuple(
            (name, findings.read(partial(Freshness.parse, text), (*path, "freshness", name), otherwise=TRANSACTION))
            for name, text in self.freshness.items()
        )
        bound = Requirements().document_bound_bytes if self.document_bound_bytes is None else self.document_bound_bytes
        return Requirements(
            freshness,
            tuple(map(tuple, self.atomic)),
            self.storage_budget_bytes,
            bound,
            self.array_bound,
            self.transaction_bound,
            tuple(self.retention_days.items()),
            tuple(self.tolerance.items()),
            self.schema_version,
            self.short_names,
            tuple((entity, rows.attribute, rows.before) for entity, rows in self.archive.items()),
            tuple(self.read_only),
        )

    @staticmethod
    def from_ir(requirements: Requirements) -> Plain:
        """The section; defaults are left out."""
        entries = {
            "freshness": {name: str(freshness) for name, freshness in requirements.freshness},
            "atomic": [group_text(group) for group in requirements.atomic],
            "storage_budget_bytes": requirements.storage_budget_bytes,
            "document_bound_bytes": requirements.document_bound_bytes,
            "array_bound": requirements.array_bound,
            "transaction_bound": requirements.transaction_bound,
            "retention_days": dict(requirements.retention_days),
            "tolerance": dict(requirements.tolerance),
            "schema_version": requirements.schema_version,
            "short_names": requirements.short_names,
            "archive": {
                entity: {"attribute": attribute, "before": before} for entity, attribute, before in requirements.archive
            },
            "read_only": list(requirements.read_only),
        }
        return BlockMap(without(entries, document_bound_bytes=Requirements().document_bound_bytes, short_names=False))


def check_requirements(requirements: Requirements, model: Model, path: YamlPath, findings: FormProblems) -> None:
    """Note entities, attributes and relationships the model does not have."""
    entities, links = [entity.name for entity in model.entities], link_names(model)
    attributes = [f"{entity.name}.{name}" for entity in model.entities for name in entity.attribute_names]
    said = [("freshness", name) for name, _ in requirements.freshness]
    said += [("tolerance", name) for name, _ in requirements.tolerance]
    for key, name in said:
        if name not in attributes and name not in links:
            known = (*attributes, *links)
            findings.problems.append(unknown("attribute or relationship", name, known, path=(*path, key, name)))
    named: list[tuple[YamlPath, str]] = [
        (("atomic", number), name) for number, group in enumerate(requirements.atomic) for name in group
    ]
    named += [(("retention_days", name), name) for name, _ in requirements.retention_days]
    named += [(("read_only", number), name) for number, name in enumerate(requirements.read_only)]
    for at, name in named:
        if name not in entities:
            findings.problems.append(unknown("entity", name, entities, path=(*path, *at)))
    for name, number in requirements.tolerance:
        if number < LEAST_TOLERANCE:
            what = f"a tolerance of {number}: the least that can be allowed is {LEAST_TOLERANCE}"
            findings.problems.append(Problem(what=what, path=(*path, "tolerance", name)))
    _check_atomic(requirements, path, findings)
    _check_archives(requirements, model, path, findings)


def _check_atomic(requirements: Requirements, path: YamlPath, findings: FormProblems) -> None:
    """Note groups of one entity: a list of entities that is not nested is read as such groups."""
    alone = [group[0] for group in requirements.atomic if len(group) == 1]
    together = ", ".join(alone if len(alone) > 1 else (*alone, "ANOTHER"))
    for number, group in enumerate(requirements.atomic):
        if len(set(group)) < LEAST_TOGETHER:
            what = f"a group of {f'`{group[0]}` alone' if group else 'no entity'}: `atomic` lists entities that change together"
            move = f"write each group as a separate list: `atomic: [[{together}]]`"
            findings.problems.append(Problem(what=what, path=(*path, "atomic", number), next_move=move))


def _check_archives(requirements: Requirements, model: Model, path: YamlPath, findings: FormProblems) -> None:
    entities = [entity.name for entity in model.entities]
    for entity, name, before in requirements.archive:
        if entity not in entities:
            findings.problems.append(unknown("entity", entity, entities, path=(*path, "archive", entity)))
        elif name not in model.entity(entity):
            findings.problems.append(model.entity(entity).no_attribute(name, (*path, "archive", entity)))
        elif mistake := bound_mistake(
            model.entity(entity).attribute(name).type, before, (*path, "archive", entity, "before")
        ):
            findings.problems.append(mistake)


class AccessForm(FileMap):
    """One occurrence of an entity in a statement."""

    entity: str
    kind: Annotated[str, words_schema(StatementKind)] | None = Field(None, description="the statement's by default")
    attributes: Texts = Field([], description="attributes read or set")
    filters: Texts = Field(
        [], description=f"an attribute and how it is compared: {', '.join(f'`{each}`' for each in Operator)}"
    )
    any_of: list[Texts] = Field([], description="what each side of an OR compares, in the form of `filters`")
    sort: Texts = Field([], description="attributes the result is ordered by, `-name` for descending")
    unsorted: str = Field(
        "", description="the attribute from which on no index gives the order, as its NULLs sort at the other end"
    )
    via: str | None = Field(None, description="the relationship a join reached it by")
    walk: Annotated[str, words_schema(Walk)] | None = Field(
        None, description="the direction in which a recursive query follows it to the end"
    )
    up: bool = Field(False, description="for a relationship of an entity with itself: this is the parents' side")
    joined: Texts = Field(
        [], description="attributes compared for equality with columns of other tables, not along a relationship"
    )
    ranged: Texts = Field([], description="attributes in a range with a column of another table as a bound")
    aggregates: Texts = Field([], description="`count` or `sum quantity`, if nothing else of its rows is returned")
    grouped: Texts = Field([], description="`sensor` or `hour of time`: what its rows are grouped by")
    of_groups: Texts = Field([], description="`count` or `sum quantity`: everything else returned for a group")
    constants: Texts = Field(
        [], description='`status = "open"`: conditions with constants in its text, on the rows found'
    )
    sets: Texts = Field([], description='`status = "open"`: values given as constants in its text, in the rows written')

    def to_ir(self, kind: StatementKind, path: YamlPath, findings: FormProblems) -> Access:
        """The access."""
        grouping = Grouping(
            tuple(map(_group_key, self.grouped)), _aggregates(self.of_groups, (*path, "of_groups"), findings)
        )
        return Access(
            self.entity,
            findings.word(StatementKind, self.kind, (*path, "kind"), otherwise=kind),
            tuple(self.attributes),
            _filters(self.filters, (*path, "filters"), findings),
            tuple(self.sort),
            self.via,
            _aggregates(self.aggregates, (*path, "aggregates"), findings),
            grouping if self.grouped else None,
            None if self.walk is None else findings.word(Walk, self.walk, (*path, "walk"), otherwise=Walk.DOWN),
            _constants(self.constants, (*path, "constants"), findings),
            _constants(self.sets, (*path, "sets"), findings),
            self.unsorted,
            tuple(_filters(side, (*path, "any_of", number), findings) for number, side in enumerate(self.any_of)),
            tuple(self.joined),
            self.up,
            tuple(self.ranged),
        )

    @staticmethod
    def from_ir(access: Access, kind: StatementKind) -> Plain:
        """The access as plain values for a file."""
        entries = {
            "kind": None if access.kind is kind else str(access.kind),
            "attributes": access.attributes,
            "filters": _filter_texts(access.filters),
            "any_of": [_filter_texts(side) for side in access.any_of],
            "sort": access.sort,
            "unsorted": access.unsorted or None,
            "joined": access.joined,
            "ranged": access.ranged,
            "aggregates": _aggregate_texts(access.aggregates),
            "constants": [str(each) for each in access.constants],
            "sets": [str(each) for each in access.sets],
        }
        if access.grouping is not None:
            entries["grouped"] = [_group_text(name, unit) for name, unit in access.grouping.keys]
            entries["of_groups"] = _aggregate_texts(access.grouping.aggregates)
        via = {} if access.via is None else {"via": access.via}
        walk = {} if access.walk is None else {"walk": str(access.walk)}
        up = {"up": True} if access.up else {}
        return {"entity": access.entity} | without(entries) | via | up | walk


def _filters(texts: Texts, path: YamlPath, findings: FormProblems) -> tuple[AttributeFilter, ...]:
    found = []
    for number, text in enumerate(texts):
        attribute, _, word = text.rpartition(" ")
        operator = findings.word(Operator, word, (*path, number), otherwise=Operator.OTHER)
        found.append(AttributeFilter(attribute, operator))
    return tuple(found)


def _filter_texts(filters: Iterable[AttributeFilter]) -> list[str]:
    return [f"{one.attribute} {one.operator}" for one in filters]


def _constants(texts: Texts, path: YamlPath, findings: FormProblems) -> tuple[Clause, ...]:
    read: list[Clause | None] = [
        findings.read(partial(Clause.parse, text), (*path, number), otherwise=None) for number, text in enumerate(texts)
    ]
    return tuple(each for each in read if each is not None)


def _aggregates(texts: Texts, path: YamlPath, findings: FormProblems) -> tuple[tuple[AggregateKind, str | None], ...]:
    found = []
    for number, text in enumerate(texts):
        word, blank, attribute = text.partition(" ")
        function = findings.word(AggregateKind, word, (*path, number), otherwise=AggregateKind.COUNT)
        found.append((function, attribute if blank else None))
    return tuple(found)


def _aggregate_texts(aggregates: tuple[tuple[AggregateKind, str | None], ...]) -> list[str]:
    return [str(function) if attribute is None else f"{function} {attribute}" for function, attribute in aggregates]


def _group_key(text: str) -> tuple[str, str | None]:
    word, said, attribute = text.partition(" of ")
    if word == VALUE and said:
        return attribute, None
    return (attribute, word) if word in UNITS and said else (text, None)


def _group_text(name: str, unit: str | None) -> str:
    """The attribute, behind its unit; a name that would read as such a text says that it is none."""
    return f"{unit or VALUE} of {name}" if unit is not None or _group_key(name) != (name, None) else name


class StatementForm(FileMap):
    """A named SQL statement."""

    sql: str
    rate: str | None = Field(None, description="900/s, 5/min, 3/h or 2/day; 0/s for one of no weight; 1/s by default")
    kind: Annotated[str, words_schema(StatementKind)] | None = Field(None, description="the SQL's first word")
    dialect: str = ""
    parameters: Texts = Field([])
    samples: dict[str, Any] = Field({}, description="sample values of the parameters")
    quantiles: dict[str, float] = Field(
        {},
        description="for parameters of a range that have no sample: the share (0..1) of the attribute's values that are smaller",
    )
    accesses: list[AccessForm] = Field([], description="which rows it touches, and how")
    limit: int | None = Field(None, description="the most rows it returns")
    measured_ms: float | None = Field(None, description="the measured time of its command per execution")
    asked_with: str = Field("", description="the first statement of the command this is also part of")

    def to_ir(self, name: str, path: YamlPath, findings: FormProblems) -> Statement:
        """The statement."""
        default = first_word(self.sql)
        kind = findings.word(StatementKind, self.kind, (*path, "kind"), otherwise=default)
        rate = findings.read(lambda: parse_rate(self.rate or "1/s"), (*path, "rate"), otherwise=1.0)
        accesses = tuple(
            form.to_ir(kind, (*path, "accesses", number), findings) for number, form in enumerate(self.accesses)
        )
        parameters, samples = tuple(self.parameters), tuple(self.samples.items())
        quantiles = tuple(self.quantiles.items())
        measured = None if self.measured_ms is None else self.measured_ms / 1e3
        return Statement(
            name,
            self.sql,
            kind,
            rate,
            self.dialect,
            parameters,
            samples,
            accesses,
            self.limit,
            quantiles,
            measured,
            self.asked_with,
        )

    @staticmethod
    def from_ir(statement: Statement) -> Plain:
        """The statement as plain values for a file."""
        entries = {
            "kind": None if statement.kind is first_word(statement.sql) else str(statement.kind),
            "dialect": statement.dialect,
            "parameters": statement.parameters,
            "samples": dict(statement.samples),
            "quantiles": dict(statement.quantiles),
            "accesses": [AccessForm.from_ir(access, statement.kind) for access in statement.accesses],
            "limit": statement.limit,
            "measured_ms": None if statement.measured_seconds is None else statement.measured_seconds * 1e3,
            "asked_with": statement.asked_with,
        }
        return BlockMap(
            {"rate": rate_text(statement.rate_per_second), "sql": statement.sql}
            | without(entries, dialect="", asked_with="")
        )


def check_statement(statement: Statement, model: Model, path: YamlPath, findings: FormProblems) -> None:
    """Note entities and attributes its footprint names and the model does not have."""
    entities = {entity.name: entity for entity in model.entities}
    for number, access in enumerate(statement.accesses):
        at = (*path, "accesses", number)
        if access.entity not in entities:
            findings.problems.append(unknown("entity", access.entity, entities, path=(*at, "entity")))
            continue
        names = (
            *access.attributes,
            *(one.attribute for side in (access.filters, *access.any_of) for one in side),
            *(name for name, _ in access.order),
        )
        missing = dict.fromkeys(name for name in names if name not in entities[access.entity])
        findings.problems.extend(entities[access.entity].no_attribute(name, at) for name in missing)
        if access.via is not None and not model.has_relationship(access.via):
            known = (link.name for link in model.relationships)
            findings.problems.append(unknown("relationship", access.via, known, path=(*at, "via")))


def first_word(sql: str) -> StatementKind:
    """What a statement does, going by its first word; a select when that says nothing."""
    word = (sql.split(None, 1) or [""])[0].lower()
    return StatementKind(word) if word in set(StatementKind) else StatementKind.SELECT
