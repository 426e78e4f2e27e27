"""What a document keeps of related rows without being their home: references, copies, computed values."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from nestling.common.errors import Problem
from nestling.ir import primitives as ir
from nestling.ir.freshness import TRANSACTION, Freshness
from nestling.ir.model import Model
from nestling.ir.rows import AggregateKind
from nestling.ir.text.form import FileMap, FormProblems, Texts, group_text, without, words_schema
from nestling.ir.text.hops import hop_texts, hops
from nestling.ir.text.stored_names import Orders, Renames, field_texts, fields, ir_orders, order_texts
from nestling.ir.text.yaml_reader import YamlPath
from nestling.ir.text.yaml_writer import Plain

FormWord = Annotated[str, words_schema(ir.Form)]


def _freshness(text: str, path: YamlPath, findings: FormProblems) -> Freshness:
    return findings.read(lambda: Freshness.parse(text), path, otherwise=TRANSACTION)


class ReferenceForm(FileMap):
    """Ids of the other side: `parent-reference`, or `{child-reference: field}`."""

    short_key = "holder"
    holder: str | None = Field(None, json_schema_extra={"enum": ["parent-reference"]})
    child_reference: str | None = Field(None, alias="child-reference", description="the field of the children's ids")
    of: str | None = Field(None, description="the relationship, if the key is not its name")
    copies: Renames = Field([], description="attributes of the child, copied beside each id")
    freshness: str | None = Field(None, description="of those copies; transaction by default")

    def to_ir(self, name: str, path: YamlPath, findings: FormProblems) -> ir.Reference:
        """The reference."""
        holder = ir.Holder.CHILD if self.child_reference is None else ir.Holder.PARENT
        if self.holder not in (None, str(ir.Holder.CHILD)):
            what = f"no reference `{self.holder}`"
            known = "there is `parent-reference` and `{child-reference: field}`"
            findings.problems.append(Problem(what=what, path=path, known=known))
        elif self.holder is not None and self.child_reference is not None:
            next_move = "give the other reference a key of its own, with `of: …`"
            findings.problems.append(
                Problem(what=f"`{name}` names both kinds of reference", path=path, next_move=next_move)
            )
        freshness = _freshness(self.freshness or "transaction", (*path, "freshness"), findings)
        copied = fields(self.copies)
        if holder is ir.Holder.CHILD and copied:
            what = f"`{name}`: only a child-reference can have copies beside its ids"
            findings.problems.append(Problem(what=what, path=path, next_move="list them under the document's `copies`"))
        return ir.Reference(name if self.of is None else self.of, holder, self.child_reference or "", copied, freshness)

    @staticmethod
    def from_ir(reference: ir.Reference, *, keyed_otherwise: bool) -> Plain:
        """The reference as plain values for a file; a single word if that is enough."""
        entries = {
            "of": reference.relationship if keyed_otherwise else None,
            "copies": field_texts(reference.copied),
            "freshness": str(reference.freshness),
        }
        head = {"holder": "parent-reference"}
        if reference.holder is ir.Holder.PARENT:
            head = {"child-reference": reference.field}
        shown = head | without(entries, freshness=str(TRANSACTION))
        return "parent-reference" if shown == {"holder": "parent-reference"} else shown


class CopyForm(FileMap):
    """Attributes of related rows, kept here too."""

    of: Texts = Field(description="the relationships that lead to the rows; `tree:up` where the direction is ambiguous")
    attributes: Renames
    as_: FormWord | None = Field(None, alias="as", description="object or array by default")
    order: Orders = Field([])
    limit: int | None = None
    freshness: str = Field(description="same-document, transaction, async(5s), scheduled(1h) or snapshot")
    closure: bool = Field(False, description="all ancestors (or descendants) along a self-relationship")
    separator: str = "/"
    home: bool = Field(False, description="these copies are the only place the rows are stored")
    orphans: str | None = Field(None, description="the collection of rows that nothing refers to")

    def to_ir(self, name: str, at: str, model: Model, path: YamlPath, findings: FormProblems) -> ir.Copy:
        """The copy, into a document of the entity `at`."""
        way = hops(self.of, at, model, (*path, "of"), findings)
        known = all(model.has_relationship(hop.relationship) for hop in way)
        to_one = known and all(hop.to_one(model) for hop in way) and not self.closure
        form = ir.Form.OBJECT if to_one else ir.Form.ARRAY
        return ir.Copy(
            name,
            way,
            fields(self.attributes),
            findings.word(ir.Form, self.as_, (*path, "as"), otherwise=form),
            _freshness(self.freshness, (*path, "freshness"), findings),
            ir_orders(self.order),
            self.limit,
            self.closure,
            self.separator,
            self.home,
            self.orphans,
        )

    @staticmethod
    def from_ir(copy: ir.Copy, at: str, model: Model) -> Plain:
        """The copy as plain values for a file."""
        entries = {
            "of": group_text(hop_texts(copy.path, at, model)),
            "attributes": field_texts(copy.attributes),
            "as": str(copy.form),
            "order": order_texts(copy.order),
            "limit": copy.limit,
            "freshness": str(copy.freshness),
            "closure": copy.closure,
            "home": copy.home,
            "orphans": copy.orphans,
        }
        separator = {} if copy.separator == "/" else {"separator": copy.separator}
        return without(entries, closure=False, home=False) | separator


class ComputedForm(FileMap):
    """An aggregate: `{count: relationship}`, or `{sum: attribute, of: relationship}`."""

    count: Texts | None = Field(None, description="the relationship whose rows are counted; with `of`, an attribute")
    sum: str | None = None
    avg: str | None = None
    min: str | None = None
    max: str | None = None
    of: Texts | None = Field(None, description="the relationships that lead to the rows")
    freshness: str
    step: int = Field(1, description="approximation: changed only every so many events")
    stamp: str | None = Field(None, description="a field with the time it was last computed")

    def to_ir(self, name: str, at: str, model: Model, path: YamlPath, findings: FormProblems) -> ir.Computed:
        """The computed value, in a document of the entity `at`."""
        said = [function for function in AggregateKind if getattr(self, function) is not None]
        if len(said) != 1:
            what = f"`{name}` has {len(said)} functions"
            next_move = "write exactly one of count, sum, avg, min and max"
            findings.problems.append(Problem(what=what, path=path, next_move=next_move))
        function = said[0] if said else AggregateKind.COUNT
        value: Any = getattr(self, function)
        attribute = value if isinstance(value, str) else None
        if self.of is not None and isinstance(value, list):
            attribute = value[0] if len(value) == 1 else None
        way = self.of if self.of is not None else value if isinstance(value, list) else []
        return ir.Computed(
            name,
            hops(way, at, model, (*path, "count" if self.of is None else "of"), findings),
            function,
            _freshness(self.freshness, (*path, "freshness"), findings),
            attribute,
            self.step,
            self.stamp,
        )

    @staticmethod
    def from_ir(computed: ir.Computed, at: str, model: Model) -> Plain:
        """The computed value as plain values for a file."""
        way = group_text(hop_texts(computed.path, at, model))
        head = {str(computed.function): way}
        if computed.attribute is not None:
            head = {str(computed.function): computed.attribute, "of": way}
        entries = {"freshness": str(computed.freshness), "step": computed.step, "stamp": computed.stamp}
        return head | without(entries, step=1)
