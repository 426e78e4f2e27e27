"""A Mermaid diagram of the document schema: a box per collection and per embedded document, a line per reference.

Mermaid restricts names: boxes get simple identifiers with the real name as label, and a field whose name Mermaid cannot read is
shown in a readable form, with the real name in the comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from nestling.emitters.content import Array, Content, ContentField, Either, Object, PlainContent, ValueContent, element
from nestling.emitters.documents import documents
from nestling.ir.design import Design
from nestling.ir.model import Cardinality
from nestling.ir.primitives import Holder, Reference
from nestling.ir.printable import blanked
from nestling.ir.proposal import Proposal
from nestling.ir.storage.layout import Role, StoredCollection

_PLAIN_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
_UNREADABLE = re.compile(r"[^A-Za-z0-9_]")


def files(proposal: Proposal) -> Mapping[str, str]:
    """The design as one diagram, `schema.mmd`."""
    return {"schema.mmd": diagram(proposal.design)}


def diagram(design: Design) -> str:
    """The text of the Mermaid diagram of the design."""
    drawing = _Drawing(design)
    for store in design.stores:
        drawing.store(store)
    drawing.references()
    return "erDiagram\n" + "".join(f"  {line}\n" for line in (*drawing.boxes, *drawing.links))


@dataclass(slots=True)
class _Drawing:
    """Collects boxes and links while the documents are walked."""

    design: Design
    boxes: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    homes: dict[str, str] = field(default_factory=dict)  # entity -> box
    found: dict[tuple[str, Reference], None] = field(default_factory=dict)
    count: int = 0

    def store(self, store: StoredCollection) -> None:
        kinds = documents(self.design, store)
        for document, root in zip(kinds, store.roots, strict=True):
            label = store.name if len(kinds) == 1 else f"{store.name}: {root.entity}"
            self.box(document, label, home=store.role is Role.HOME)

    def box(self, document: Object, label: str, *, home: bool) -> str:
        self.count += 1
        name = f"d{self.count}"
        for entity in document.rows_of if home else ():
            self.homes.setdefault(entity, name)
        here = len(self.boxes)
        rows: list[str] = []
        below: list[tuple[str, Object, bool, bool]] = []
        for path, each in _own(document):
            rows.append(f"  {_type(each.content)} {_name(path)}{_key(path, each)}{_comment(path, each)}")
            if each.reference is not None and home:
                self.found[name, each.reference] = None
            below.extend(_boxes_in(path, each))
        self.boxes[here:here] = (
            [f'{name}["{_escaped(label)}"] {{', *rows, "}"] if rows else [f'{name}["{_escaped(label)}"]']
        )
        for path, inner, to_many, always in below:
            child = self.box(inner, f"{label}.{path}", home=home)
            many = "o{" if to_many else "||" if always else "o|"
            self.links.append(f'{name} ||--{many} {child} : "{_escaped(path)}"')
        return name

    def references(self) -> None:
        """Draw dotted lines from where an id is held to the home of the row it refers to."""
        for box, reference in self.found:
            link = self.design.model.relationship(reference.relationship)
            one = link.cardinality is Cardinality.ONE_TO_ONE
            if reference.holder is Holder.CHILD:
                target, near, far = self.homes.get(link.parent), "|o" if one else "}o", "||" if link.required else "o|"
            else:
                target, near, far = self.homes.get(link.child), "|o", "o|" if one else "o{"
            if target is not None:
                self.links.append(f'{box} {near}..{far} {target} : "{_escaped(reference.relationship)}"')


def _own(document: Object, prefix: str = "") -> Iterator[tuple[str, ContentField]]:
    """The fields drawn in one box: fields of mere structure (`_id`, dotted paths) are in the box of the document itself."""
    for each in document.fields:
        yield f"{prefix}{each.name}", each
        if isinstance(each.content, Object) and not each.content.rows_of and not each.remark:
            yield from _own(each.content, f"{prefix}{each.name}.")


def _boxes_in(path: str, each: ContentField) -> Iterator[tuple[str, Object, bool, bool]]:
    """Yield (path, document, whether there may be several, whether it is always present) of everything with its own box."""
    inner, marks = element(each.content)
    if isinstance(inner, Object) and (marks or inner.rows_of or each.remark) and not inner.exact:
        yield path, inner, bool(marks), each.required


def _type(content: Content) -> str:
    match content:
        case ValueContent():
            return _UNREADABLE.sub("_", str(content.types[0].name))
        case Array():
            inner, marks = element(content)
            return _type(inner) + marks
        case Object():
            return "object"
        case PlainContent():
            return content.bson_types[0]
        case Either():
            return _type(content.alternatives[0])
        case _:
            return "constant"


def _name(path: str) -> str:
    readable = _UNREADABLE.sub("_", path)
    return readable if _PLAIN_NAME.match(readable) else f"_{readable}"


def _key(path: str, each: ContentField) -> str:
    if path == "_id":
        return " PK"
    return " FK" if each.reference is not None else ""


def _comment(path: str, each: ContentField) -> str:
    parts = [path] if _name(path) != path else []
    parts += [each.source] if each.source.rpartition(".")[2] != each.name and each.source else []
    parts += [each.remark] if each.remark else []
    return f' "{_escaped("; ".join(parts))}"' if parts else ""


def _escaped(text: str) -> str:
    """A text inside double quotes, where Mermaid knows no escape but its own entities."""
    return blanked(text).replace("#", "#35;").replace('"', "#quot;") or " "
