"""The `design` section: collections and indexes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from nestling.common.errors import Problem
from nestling.ir import primitives as ir
from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.rows import AggregateKind
from nestling.ir.statements.clause import Clause, ClauseOperator, ClauseValue
from nestling.ir.text.document_form import DocumentForm, document_text
from nestling.ir.text.form import FileMap, FormProblems, Id, NamedMap, Texts, group_text, without, words_schema
from nestling.ir.text.stored_names import Orders, order_text, orders
from nestling.ir.text.yaml_reader import YamlPath
from nestling.ir.text.yaml_writer import BlockMap, Plain


class OptionsForm(FileMap):
    """What the server makes of a collection."""

    kind: Annotated[str, words_schema(ir.CollectionKind)] | None = None
    time: str | None = Field(None, description="time series: the attribute with the time")
    meta: str | None = Field(None, description="time series: the attribute that identifies the series")
    granularity: str | None = None
    size_bytes: int | None = Field(None, description="capped: its size")

    def to_ir(self, path: YamlPath, findings: FormProblems) -> ir.Options:
        """The options."""
        kind = findings.word(ir.CollectionKind, self.kind, (*path, "kind"), otherwise=ir.CollectionKind.PLAIN)
        return ir.Options(kind, self.time, self.meta, self.granularity, self.size_bytes)

    @staticmethod
    def from_ir(options: ir.Options) -> Plain:
        """The options as plain values for a file."""
        entries = {
            "kind": str(options.kind),
            "time": options.time,
            "meta": options.meta,
            "granularity": options.granularity,
            "size_bytes": options.size_bytes,
        }
        return {
            name: value for name, value in entries.items() if value is not None and (name, value) != ("kind", "plain")
        }


class WindowForm(FileMap):
    """Events of one calendar unit share a bucket."""

    attribute: str
    unit: Annotated[str, words_schema(ir.WindowUnit)]


class SummaryForm(FileMap):
    """An aggregate over one bucket: `count`, or `{avg: attribute}`."""

    short_key = "rows"
    rows: str | None = Field(None, json_schema_extra={"enum": ["count"]})
    count: str | None = None
    sum: str | None = None
    avg: str | None = None
    min: str | None = None
    max: str | None = None

    def to_ir(self, field: str, path: YamlPath, findings: FormProblems) -> ir.Summary:
        """The summary."""
        said = [function for function in AggregateKind if getattr(self, function) is not None]
        if len(said) + (self.rows is not None) != 1 or self.rows not in (None, "count"):
            next_move = "write `count`, or exactly one of count, sum, avg, min and max with its attribute"
            findings.problems.append(Problem(what=f"`{field}` is not a summary", path=path, next_move=next_move))
        function = said[0] if said else AggregateKind.COUNT
        return ir.Summary(field, function, getattr(self, function))

    @staticmethod
    def from_ir(summary: ir.Summary) -> Plain:
        """The summary as a plain value for a file."""
        return str(summary.function) if summary.attribute is None else {str(summary.function): summary.attribute}


class BucketForm(FileMap):
    """Documents that hold many events each."""

    by: Texts = Field([])
    field: str
    limit: int
    window: WindowForm | None = None
    summary: NamedMap[SummaryForm] = Field({})

    def to_ir(self, path: YamlPath, findings: FormProblems) -> ir.Bucket:
        """The bucket."""
        window = None
        if self.window is not None:
            at = (*path, "window", "unit")
            unit = findings.word(ir.WindowUnit, self.window.unit, at, otherwise=ir.WindowUnit.HOUR)
            window = ir.BucketWindow(self.window.attribute, unit)
        summary = tuple(form.to_ir(n, (*path, "summary", n), findings) for n, form in self.summary.items())
        return ir.Bucket(tuple(self.by), self.field, self.limit, window, summary)

    @staticmethod
    def from_ir(bucket: ir.Bucket) -> Plain:
        """The bucket as plain values for a file."""
        window = bucket.window
        return (
            without({"by": bucket.by})
            | {"field": bucket.field, "limit": bucket.limit}
            | without(
                {
                    "window": {"attribute": window.attribute, "unit": str(window.unit)} if window is not None else None,
                    "summary": {summary.field: SummaryForm.from_ir(summary) for summary in bucket.summary},
                }
            )
        )


class MemberForm(DocumentForm):
    """One entity of a variant collection."""

    value: str = Field(description="the discriminator value of its documents")


class VariantForm(FileMap):
    """Several kinds of rows in one collection."""

    discriminator: str
    value: str | None = Field(None, description="the discriminator value of the root's documents")
    members: NamedMap[MemberForm] = Field({}, description="entity: further kinds of documents")
    subtypes: NamedMap[str] = Field({}, description="relationship embedded inline: its discriminator value")

    def to_ir(self, model: Model, path: YamlPath, findings: FormProblems) -> ir.Variant:
        """The variant."""
        members = tuple(
            ir.Member(form.value, form.body(n, model, (*path, "members", n), findings))
            for n, form in self.members.items()
        )
        return ir.Variant(self.discriminator, self.value, members, tuple(self.subtypes.items()))

    @staticmethod
    def from_ir(variant: ir.Variant, model: Model) -> Plain:
        """The variant as plain values for a file."""
        members = {
            member.body.entity: {"value": member.value} | document_text(member.body, model)
            for member in variant.members
        }
        value = {} if variant.value is None else {"value": variant.value}
        rest = without({"members": members, "subtypes": dict(variant.subtypes)})
        return {"discriminator": variant.discriminator} | value | rest


class RowsForm(FileMap):
    """Rows whose attribute is before a value."""

    attribute: str
    before: str = Field(description="a value; ISO text for dates")


class SplitForm(FileMap):
    """Part of an entity in another collection, or in GridFS."""

    attributes: Texts = Field([])
    rows: RowsForm | None = None
    gridfs: bool = False

    def to_ir(self, collection: str) -> ir.Split:
        """The split."""
        rows = None if self.rows is None else ir.Before(self.rows.attribute, self.rows.before)
        return ir.Split(collection, tuple(self.attributes), rows, self.gridfs)

    @staticmethod
    def from_ir(split: ir.Split) -> Plain:
        """The split as plain values for a file."""
        rows = None if split.rows is None else {"attribute": split.rows.attribute, "before": split.rows.value}
        entries = {"attributes": group_text(split.attributes), "rows": rows, "gridfs": split.gridfs}
        return without(entries, gridfs=False)


class CollectionForm(DocumentForm):
    """A root entity's home."""

    root: str = Field(description="the entity")
    id: Texts = Field([], description="attributes stored in `_id`; an ObjectId if none are listed")
    options: OptionsForm | None = None
    bucket: BucketForm | None = None
    variant: VariantForm | None = None
    splits: NamedMap[SplitForm] = Field({}, description="collection: the attributes or rows stored there")
    constants: NamedMap[Id] = Field({}, description="fields in every document, such as a schema version")

    def to_ir(self, name: str, model: Model, path: YamlPath, findings: FormProblems) -> ir.Collection:
        """The collection."""
        return ir.Collection(
            name,
            self.body(self.root, model, path, findings),
            tuple(self.id),
            ir.Options() if self.options is None else self.options.to_ir((*path, "options"), findings),
            None if self.bucket is None else self.bucket.to_ir((*path, "bucket"), findings),
            None if self.variant is None else self.variant.to_ir(model, (*path, "variant"), findings),
            tuple(form.to_ir(split) for split, form in self.splits.items()),
            tuple(self.constants.items()),
        )

    @staticmethod
    def from_ir(collection: ir.Collection, model: Model) -> Plain:
        """The collection as plain values for a file."""
        bucket, variant = collection.bucket, collection.variant
        head: dict[str, Any] = {
            "id": collection.id,
            "options": OptionsForm.from_ir(collection.options),
            "constants": dict(collection.constants),
            "bucket": None if bucket is None else BucketForm.from_ir(bucket),
            "variant": None if variant is None else VariantForm.from_ir(variant, model),
            "splits": {split.collection: SplitForm.from_ir(split) for split in collection.splits},
        }
        return BlockMap({"root": collection.root} | without(head) | document_text(collection.body, model))


class IndexForm(FileMap):
    """An index, and the statements it serves."""

    collection: str
    keys: Orders
    unique: bool = False
    partial: NamedMap[ClauseValue | dict[Literal["<", "<=", ">", ">=", "exists"], ClauseValue] | None] = Field(
        {}, description='path: the value it must have (null: none), or `{">": 100}`, `{exists: true}`'
    )
    expire_after_seconds: int | None = None
    any_case: bool = Field(False, description="it finds texts regardless of case")
    serves: Texts = Field([], description="statements")

    def to_ir(self) -> ir.Index:
        """The index."""
        keys = tuple((name, -1 if descending else 1) for name, descending in orders(self.keys))
        partial = tuple(each for path, said in self.partial.items() for each in _constants(path, said))
        expires, serves = self.expire_after_seconds, tuple(self.serves)
        return ir.Index(self.collection, keys, self.unique, partial, expires, serves, self.any_case)

    @staticmethod
    def from_ir(index: ir.Index) -> Plain:
        """The index as plain values for a file."""
        entries = {
            "unique": index.unique,
            "partial": _partial(index.partial),
            "expire_after_seconds": index.expire_after_seconds,
            "any_case": index.any_case,
            "serves": list(index.serves),
        }
        keys = [order_text(name, descending=direction < 0) for name, direction in index.keys]
        return {"collection": index.collection, "keys": keys} | without(entries, unique=False, any_case=False)


_EXISTS = "exists"


def _constants(path: str, said: ClauseValue | Mapping[Any, ClauseValue] | None) -> Iterator[Clause]:
    if not isinstance(said, Mapping):
        yield Clause(path, ClauseOperator.NULL if said is None else ClauseOperator.EQUAL, said)
        return
    for word, value in said.items():
        yield Clause(path, ClauseOperator.PRESENT) if word == _EXISTS else Clause(path, ClauseOperator(word), value)


def _partial(constants: Iterable[Clause]) -> Plain:
    """For each path, its value, or the comparison and the value it is compared with."""
    found: dict[str, Any] = {}
    for each in constants:
        if each.comparison in (ClauseOperator.EQUAL, ClauseOperator.NULL):
            found[each.name] = each.value
            continue
        told = found.setdefault(each.name, {})
        if isinstance(told, dict):
            is_present = each.comparison is ClauseOperator.PRESENT
            told[_EXISTS if is_present else str(each.comparison)] = True if is_present else each.value
    return found


class DesignForm(FileMap):
    """A document schema."""

    collections: NamedMap[CollectionForm]
    indexes: list[IndexForm] | None = Field(
        None, description="indexes to build; those for keys, references and upkeep are built even if not listed"
    )

    def to_ir(self, model: Model, path: YamlPath, findings: FormProblems) -> Design | None:
        """The design over `model`, None when it breaks an invariant; those are noted."""
        collections = tuple(
            form.to_ir(n, model, (*path, "collections", n), findings) for n, form in self.collections.items()
        )
        indexes = tuple(form.to_ir() for form in self.indexes or ())
        return findings.read(lambda: Design(model, collections, indexes), path, otherwise=None)

    @staticmethod
    def from_ir(design: Design) -> Plain:
        """The section."""
        collections = {one.name: CollectionForm.from_ir(one, design.model) for one in design.collections}
        indexes = [IndexForm.from_ir(index) for index in design.indexes]
        return BlockMap({"collections": BlockMap(collections)} | ({"indexes": indexes} if indexes else {}))
