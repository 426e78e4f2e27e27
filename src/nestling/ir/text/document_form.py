"""How rows are stored at one place: their fields, pairs, embeddings, and what is kept of related rows.

An entity is never named below a collection's root: it follows from the relationships.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from nestling.ir import primitives as ir
from nestling.ir.model import Cardinality, Model
from nestling.ir.text.form import FileMap, FormProblems, NamedMap, Texts, group_text, without
from nestling.ir.text.related_form import ComputedForm, CopyForm, FormWord, ReferenceForm
from nestling.ir.text.stored_names import Orders, ir_orders, order_texts
from nestling.ir.text.yaml_reader import YamlPath
from nestling.ir.text.yaml_writer import Plain


class PairsForm(FileMap):
    """Attribute pattern: an array of `{k: name, v: value}`."""

    attributes: Texts
    key: str = "k"
    value: str = "v"


class OverflowForm(FileMap):
    """What an array leaves over: pages in another collection."""

    bound: int
    collection: str
    flag: str = "has_overflow"


class SlotsForm(FileMap):
    """A pre-allocated array: an attribute gives the place of an element."""

    attribute: str
    count: int
    first: int = 1


class DocumentForm(FileMap):
    """What every document may hold."""

    fields: NamedMap[str] = Field({}, description="attribute: the name or dotted path it is stored under")
    pairs: NamedMap[PairsForm] = Field({})
    embeddings: NamedMap[EmbeddingForm] = Field({}, description="field: related rows whose home is here")
    references: NamedMap[ReferenceForm] = Field({}, description="relationship: which side holds the id")
    copies: NamedMap[CopyForm] = Field({}, description="field: attributes of other rows, copied here")
    computed: NamedMap[ComputedForm] = Field({}, description="field: an aggregate over related rows")

    def body(self, entity: str, model: Model, path: YamlPath, findings: FormProblems) -> ir.Document:
        """The document of rows of `entity`."""
        return ir.Document(
            entity,
            tuple(ir.Field(name, stored) for name, stored in self.fields.items()),
            tuple(ir.Pairs(n, tuple(form.attributes), form.key, form.value) for n, form in self.pairs.items()),
            tuple(form.to_ir(n, model, (*path, "embeddings", n), findings) for n, form in self.embeddings.items()),
            tuple(form.to_ir(n, (*path, "references", n), findings) for n, form in self.references.items()),
            tuple(form.to_ir(n, entity, model, (*path, "copies", n), findings) for n, form in self.copies.items()),
            tuple(form.to_ir(n, entity, model, (*path, "computed", n), findings) for n, form in self.computed.items()),
        )


class EmbeddingForm(DocumentForm):
    """Related rows whose home is inside this document."""

    of: str = Field(description="the relationship")
    as_: FormWord | None = Field(None, alias="as", description="by default object for 1:1, else array")
    order: Orders = Field([])
    overflow: OverflowForm | None = None
    slots: SlotsForm | None = None
    orphans: str | None = Field(None, description="the collection of rows without a parent")

    def to_ir(self, field: str, model: Model, path: YamlPath, findings: FormProblems) -> ir.Embedding:
        """The embedding."""
        link = model.relationship(self.of) if model.has_relationship(self.of) else None
        one = link is not None and link.cardinality is Cardinality.ONE_TO_ONE
        form = ir.Form.OBJECT if one else ir.Form.ARRAY
        overflow, slots = self.overflow, self.slots
        return ir.Embedding(
            field,
            self.of,
            findings.word(ir.Form, self.as_, (*path, "as"), otherwise=form),
            self.body("" if link is None else link.child, model, path, findings),
            ir_orders(self.order),
            None if overflow is None else ir.Overflow(overflow.bound, overflow.collection, overflow.flag),
            None if slots is None else ir.Slots(slots.attribute, slots.count, slots.first),
            self.orphans,
        )

    @staticmethod
    def from_ir(embedding: ir.Embedding, model: Model) -> Plain:
        """The embedding as plain values for a file."""
        overflow, slots = embedding.overflow, embedding.slots
        entries: dict[str, Plain] = {"order": order_texts(embedding.order), "orphans": embedding.orphans}
        if overflow is not None:
            flag = {"flag": overflow.flag} if overflow.flag != "has_overflow" else {}
            entries["overflow"] = {"bound": overflow.bound, "collection": overflow.collection} | flag
        if slots is not None:
            first = {"first": slots.first} if slots.first != 1 else {}
            entries["slots"] = {"attribute": slots.attribute, "count": slots.count} | first
        head = {"of": embedding.relationship, "as": str(embedding.form)}
        return head | without(entries) | document_text(embedding.body, model)


DocumentForm.model_rebuild()


def document_text(body: ir.Document, model: Model) -> dict[str, Any]:
    """The entries of a document."""
    at = body.entity
    return without(
        {
            "fields": {field.attribute: field.path for field in body.fields},
            "pairs": {pairs.field: _pairs_text(pairs) for pairs in body.pairs},
            "embeddings": {one.field: EmbeddingForm.from_ir(one, model) for one in body.embeddings},
            "references": _reference_texts(body.references),
            "copies": {copy.name: CopyForm.from_ir(copy, at, model) for copy in body.copies},
            "computed": {computed.field: ComputedForm.from_ir(computed, at, model) for computed in body.computed},
        }
    )


def _pairs_text(pairs: ir.Pairs) -> Plain:
    return {"attributes": group_text(pairs.attributes)} | {
        name: value for name, value, usual in (("key", pairs.key, "k"), ("value", pairs.value, "v")) if value != usual
    }


def _reference_texts(references: tuple[ir.Reference, ...]) -> dict[str, Plain]:
    """The references by relationship. A second one of the same (both sides of a tree) gets a key of its own."""
    texts: dict[str, Plain] = {}
    for reference in references:
        key = reference.relationship
        while key in texts or (key != reference.relationship and any(o.relationship == key for o in references)):
            key += " too"
        texts[key] = ReferenceForm.from_ir(reference, keyed_otherwise=key != reference.relationship)
    return texts
