"""The `model` section: entities, relationships (and many-to-many links), hierarchies."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nestling.common.errors import Problem
from nestling.ir.model import (
    Attribute,
    Cardinality,
    Entity,
    Hierarchy,
    ManyToMany,
    Model,
    OnDelete,
    Relationship,
)
from nestling.ir.text.form import Findings, Form, Groups, Named, Texts, group_text, without, words_schema
from nestling.ir.text.yaml_reader import Path
from nestling.ir.text.yaml_writer import Block, Plain
from nestling.ir.types import Type, TypeName


class AttributeForm(Form):
    """A column: `decimal(10,2)!` (NOT NULL), or with the other types its values were seen to have."""

    short_key = "type"
    type: str = Field(description="a conceptual type, with `!` when it is NOT NULL: integer!, text, decimal(10,2)")
    nullable: bool | None = Field(None, description="whether it may be NULL; the same as a type without `!`")
    also: Texts = Field([], description="other types its values were seen to have")

    def to_ir(self, name: str, path: Path, findings: Findings) -> Attribute:
        """The attribute; a type that cannot be read counts as `any`."""
        text = self.type.strip()
        required = text.endswith("!")
        if self.nullable is not None and required == self.nullable and required:
            what = f"`{self.type}` says NOT NULL and `nullable: true` says NULL"
            findings.problems.append(Problem(what=what, path=path, next_move="keep one"))
        kind = _type(text.removesuffix("!"), (*path, "type"), findings)
        also = tuple(_type(other, (*path, "also", number), findings) for number, other in enumerate(self.also))
        nullable = not required if self.nullable is None else self.nullable
        return Attribute(name, kind, nullable, also)

    @staticmethod
    def from_ir(attribute: Attribute) -> Plain:
        """Its text, short when it has one type."""
        text = f"{attribute.type}{'' if attribute.nullable else '!'}"
        return {"type": text, "also": [str(other) for other in attribute.also]} if attribute.also else text


def _type(text: str, path: Path, findings: Findings) -> Type:
    return findings.read(lambda: Type.parse(text), path, otherwise=Type(TypeName.ANY))


class EntityForm(Form):
    """A table."""

    key: Texts = Field([], description="attributes that tell its rows apart; none when nothing does")
    attributes: Named[AttributeForm] = Field(description="name: type, in column order")
    uniques: Groups = Field([], description="further attributes, or groups of attributes, that are unique")

    def to_ir(self, name: str, path: Path, findings: Findings) -> Entity:
        """The entity."""
        attributes = (
            form.to_ir(attribute, (*path, "attributes", attribute), findings)
            for attribute, form in self.attributes.items()
        )
        return Entity(name, tuple(attributes), tuple(self.key), tuple(map(tuple, self.uniques)))

    @staticmethod
    def from_ir(entity: Entity) -> Plain:
        """Its entries."""
        attributes = {attribute.name: AttributeForm.from_ir(attribute) for attribute in entity.attributes}
        head = without({"key": entity.key})
        return Block(head | {"attributes": attributes} | without({"uniques": list(map(group_text, entity.uniques))}))


class RelationshipForm(Form):
    """One parent row to its child rows, or (with `through`) two entities linked by a junction."""

    parent: str | None = Field(None, description="the entity on the one side")
    child: str | None = Field(None, description="the entity that holds the foreign key")
    attributes: Texts = Field([], description="the child's foreign key")
    references: Texts = Field([], description="what it refers to in the parent; its key when not said")
    cardinality: Annotated[str, words_schema(Cardinality)] | None = Field(None, description="1:N when not said")
    required: bool = Field(False, description="whether every child has a parent")
    roles: Annotated[list[str], Field(min_length=2, max_length=2)] | None = Field(
        None, description="what the child calls its parent, and what the parent calls its children"
    )
    on_delete: Annotated[str, words_schema(OnDelete)] | None = Field(None, description="restrict when not said")
    through: str | None = Field(None, description="N:M: the junction entity")
    between: Annotated[list[str], Field(min_length=2, max_length=2)] | None = Field(
        None, description="N:M: the two relationships whose child the junction is"
    )

    def to_ir(
        self, name: str, path: Path, keys: dict[str, tuple[str, ...]], findings: Findings
    ) -> Relationship | ManyToMany | None:
        """The relationship or many-to-many; None when it is neither, which is a problem."""
        if self.through is not None or self.between is not None:
            return self._link(name, path, findings)
        for unsaid in ("parent", "child", "attributes"):
            if getattr(self, unsaid) in (None, []):
                findings.problems.append(Problem(what=f"`{name}` does not say its `{unsaid}`", path=path))
        roles = self.roles or ["", ""]
        key = keys.get(self.parent, ()) if self.parent is not None else ()
        return Relationship(
            name,
            self.parent or "",
            self.child or "",
            tuple(self.references) or key,
            tuple(self.attributes),
            findings.word(Cardinality, self.cardinality, (*path, "cardinality"), otherwise=Cardinality.ONE_TO_MANY),
            self.required,
            roles[0],
            roles[1],
            findings.word(OnDelete, self.on_delete, (*path, "on_delete"), otherwise=OnDelete.RESTRICT),
        )

    def _link(self, name: str, path: Path, findings: Findings) -> ManyToMany | None:
        others = self.model_fields_set - {"through", "between"}
        if self.through is None or self.between is None or others:
            what = f"`{name}` is many-to-many: it has `through` and `between`, and nothing else"
            findings.problems.append(Problem(what=what, path=path))
        return ManyToMany(name, self.through or "", *(self.between or ("", "")))

    @staticmethod
    def from_ir(link: Relationship, keys: dict[str, tuple[str, ...]]) -> Plain:
        """Its entries; what goes without saying is left out."""
        roles = [link.parent_role, link.child_role]
        references = () if link.parent_attributes == keys.get(link.parent) else link.parent_attributes
        entries = {
            "attributes": link.child_attributes,
            "references": references,
            "cardinality": str(link.cardinality),
            "required": link.required,
            "roles": roles if any(roles) else None,
            "on_delete": str(link.on_delete),
        }
        shown = without(entries, cardinality="1:N", required=False, on_delete="restrict")
        return {"parent": link.parent, "child": link.child} | shown


class HierarchyForm(Form):
    """A supertype and its subtypes."""

    supertype: str
    subtypes: Texts = Field(description="relationships, each 1:1 on a shared key")
    discriminator: str | None = Field(None, description="the attribute of the supertype that tells the subtype")


class ModelForm(Form):
    """Everything the data can be."""

    name: str
    entities: Named[EntityForm] = Field({})
    relationships: Named[RelationshipForm] = Field({})
    hierarchies: Named[HierarchyForm] = Field({})

    def to_ir(self, path: Path, findings: Findings) -> Model | None:
        """The model, None when it breaks its own rules; those are noted."""
        entities = tuple(form.to_ir(n, (*path, "entities", n), findings) for n, form in self.entities.items())
        keys = {entity.name: entity.key for entity in entities}
        links = [form.to_ir(n, (*path, "relationships", n), keys, findings) for n, form in self.relationships.items()]
        hierarchies = tuple(
            Hierarchy(name, form.supertype, tuple(form.subtypes), form.discriminator)
            for name, form in self.hierarchies.items()
        )
        return findings.read(
            lambda: Model(
                self.name,
                entities,
                tuple(link for link in links if isinstance(link, Relationship)),
                tuple(link for link in links if isinstance(link, ManyToMany)),
                hierarchies,
            ),
            path,
            otherwise=None,
        )

    @staticmethod
    def from_ir(model: Model) -> Plain:
        """The section."""
        keys = {entity.name: entity.key for entity in model.entities}
        links: dict[str, Plain] = {link.name: RelationshipForm.from_ir(link, keys) for link in model.relationships}
        for link in model.many_to_many:
            links[link.name] = {"through": link.through, "between": [link.left, link.right]}
        hierarchies = {
            one.name: without(
                {"supertype": one.supertype, "subtypes": one.subtypes, "discriminator": one.discriminator}
            )
            for one in model.hierarchies
        }
        sections = {
            "entities": Block({entity.name: EntityForm.from_ir(entity) for entity in model.entities}),
            "relationships": Block(links),
            "hierarchies": Block(hierarchies),
        }
        return Block({"name": model.name} | without(sections))
