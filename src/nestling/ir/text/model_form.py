"""The `model` section: entities, relationships (and many-to-many links), hierarchies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from nestling.common.errors import Problem, name_list
from nestling.ir.constraints.condition_text import condition_text
from nestling.ir.constraints.partial_unique import PartialUnique
from nestling.ir.constraints.row_check import RowCheck
from nestling.ir.model import (
    Cardinality,
    Entity,
    Hierarchy,
    ManyToMany,
    Model,
    OnDelete,
    OnUpdate,
    Relationship,
    View,
)
from nestling.ir.statements.operators import Collation
from nestling.ir.text.attribute_form import AttributeForm
from nestling.ir.text.condition_reader import read_condition
from nestling.ir.text.form import FileMap, FormProblems, Groups, NamedMap, Texts, group_text, without, words_schema
from nestling.ir.text.yaml_reader import YamlPath
from nestling.ir.text.yaml_writer import BlockMap, Plain
from nestling.ir.types import TEXTS


class CheckForm(FileMap):
    """A condition that every row keeps, or of which NULL leaves unknown whether it does."""

    short_key = "condition"
    condition: str = Field(description="as in SQL: `end_date IS NULL OR end_date > start_date`, `net + tax <= 100`")
    name: str = Field("", description="the constraint's name in the source")

    def to_ir(self, path: YamlPath, findings: FormProblems) -> RowCheck | None:
        """The check; None when its condition cannot be read, which is noted."""
        condition = findings.read(lambda: read_condition(self.condition), path, otherwise=None)
        return None if condition is None else RowCheck(self.name, condition)

    @staticmethod
    def from_ir(check: RowCheck) -> Plain:
        """The condition as text; with its name if it has one."""
        text = condition_text(check.condition)
        return {"name": check.name, "condition": text} if check.name else text


class PartialUniqueForm(FileMap):
    """Attributes that are unique among some rows."""

    attributes: Texts = Field(description="the attributes that are unique among those rows")
    where: str = Field(description="the rows it covers, as in SQL: `deleted_at IS NULL`")
    name: str = Field("", description="the index's name in the source")
    lower: Texts = Field([], description="the attributes that are compared in lower case, as by PostgreSQL's `lower()`")
    ascii: bool = Field(False, description="whether `lower` covers only A to Z, as SQLite's `lower()` does")

    def to_ir(self, path: YamlPath, findings: FormProblems) -> PartialUnique | None:
        """The unique group; None when its condition cannot be read, which is noted."""
        condition = findings.read(lambda: read_condition(self.where), (*path, "where"), otherwise=None)
        if odd := [name for name in self.lower if name not in self.attributes]:
            what = f"`lower` names {name_list(odd)}, but `attributes` does not"
            findings.problems.append(
                Problem(what=what, path=(*path, "lower"), next_move="name only attributes of the group")
            )
            return None
        if condition is None:
            return None
        return PartialUnique(tuple(self.attributes), condition, self.name, tuple(self.lower), self.ascii)

    @staticmethod
    def from_ir(unique: PartialUnique) -> Plain:
        """The unique group and its condition as plain values for a file."""
        where = condition_text(unique.condition)
        said = {"attributes": unique.attributes, "where": where, "name": unique.name, "lower": unique.lower}
        return without({**said, "ascii": unique.ascii}, name="", ascii=False)


class EntityForm(FileMap):
    """A table."""

    key: Texts = Field([], description="attributes that identify its rows; empty if nothing does")
    attributes: NamedMap[AttributeForm] = Field(description="name: type, in column order")
    uniques: Groups = Field([], description="further attributes, or groups of attributes, that are unique")
    checks: list[CheckForm] = Field([], description="conditions over its attributes that every row satisfies")
    partial_uniques: list[PartialUniqueForm] = Field([], description="attributes that are unique among some rows")
    constraint_names: NamedMap[Texts] = Field(
        {},
        description="name: attributes, of its key and UNIQUE constraints in PostgreSQL whose names are not `TABLE_pkey` or"
        " `TABLE_COLUMN_key`; for `ON CONFLICT ON CONSTRAINT`",
    )
    inherited_by: Texts = Field(
        [],
        description="tables that inherit from it in PostgreSQL: statements over it need ONLY, as its own rows are meant",
    )

    def to_ir(self, name: str, path: YamlPath, findings: FormProblems, texts: Collation = Collation.BINARY) -> Entity:
        """The entity; `texts` is the collation of texts that say none."""
        attributes = (
            form.to_ir(attribute, (*path, "attributes", attribute), findings, texts)
            for attribute, form in self.attributes.items()
        )
        checks = (form.to_ir((*path, "checks", number), findings) for number, form in enumerate(self.checks))
        partial = (
            form.to_ir((*path, "partial_uniques", number), findings) for number, form in enumerate(self.partial_uniques)
        )
        return Entity(
            name,
            tuple(attributes),
            tuple(self.key),
            tuple(map(tuple, self.uniques)),
            tuple(check for check in checks if check is not None),
            tuple(unique for unique in partial if unique is not None),
            tuple((each, tuple(group)) for each, group in self.constraint_names.items()),
            tuple(self.inherited_by),
        )

    @staticmethod
    def from_ir(entity: Entity, texts: Collation = Collation.BINARY) -> Plain:
        """The entity as plain values for a file."""
        attributes = {attribute.name: AttributeForm.from_ir(attribute, texts) for attribute in entity.attributes}
        head = without({"key": entity.key})
        tail = without(
            {
                "uniques": list(map(group_text, entity.uniques)),
                "checks": [CheckForm.from_ir(check) for check in entity.checks],
                "partial_uniques": [PartialUniqueForm.from_ir(unique) for unique in entity.partial_uniques],
                "constraint_names": {each: list(group) for each, group in entity.constraint_names},
                "inherited_by": entity.inherited_by,
            }
        )
        return BlockMap(head | {"attributes": attributes} | tail)


class RelationshipForm(FileMap):
    """One parent row to its child rows, or (with `through`) two entities linked by a junction."""

    parent: str | None = Field(None, description="the entity on the one side")
    child: str | None = Field(None, description="the entity that holds the foreign key")
    attributes: Texts = Field([], description="the child's foreign key")
    references: Texts = Field([], description="what it refers to in the parent; its key by default")
    cardinality: Annotated[str, words_schema(Cardinality)] | None = Field(
        None, description="1:N by default; N:M needs `through`"
    )
    required: bool = Field(False, description="whether every child has a parent")
    roles: Annotated[list[str], Field(min_length=2, max_length=2)] | None = Field(
        None, description="what the child calls its parent, and what the parent calls its children"
    )
    on_delete: Annotated[str, words_schema(OnDelete)] | None = Field(None, description="restrict by default")
    on_delete_columns: Texts = Field(
        [],
        description="the columns of the foreign key that `set null` or `set default` changes; all of them by default",
    )
    on_update: Annotated[str, words_schema(OnUpdate)] | None = Field(None, description="restrict by default")
    enforced: bool = Field(True, description="whether the source refuses writes that break it")
    through: str | None = Field(None, description="N:M: the junction entity")
    between: Annotated[list[str], Field(min_length=2, max_length=2)] | None = Field(
        None, description="N:M: the two relationships whose child is the junction"
    )

    def to_ir(
        self, name: str, path: YamlPath, keys: dict[str, tuple[str, ...]], findings: FormProblems
    ) -> Relationship | ManyToMany | None:
        """The relationship or many-to-many; None when it is neither, which is a problem."""
        if self.through is not None or self.between is not None:
            return self._link(name, path, findings)
        for unsaid in ("parent", "child", "attributes"):
            if getattr(self, unsaid) in (None, []):
                findings.problems.append(Problem(what=f"`{name}` lacks `{unsaid}`", path=path))
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
            findings.word(OnUpdate, self.on_update, (*path, "on_update"), otherwise=OnUpdate.RESTRICT),
            self.enforced,
            tuple(self.on_delete_columns),
        )

    def _link(self, name: str, path: YamlPath, findings: FormProblems) -> ManyToMany | None:
        said = {"through", "between"} | ({"cardinality"} if self.cardinality == Cardinality.MANY_TO_MANY else set())
        if self.through is None or self.between is None or self.model_fields_set - said:
            what = f"`{name}` is many-to-many: it needs `through` and `between`, and nothing else"
            link = f"{{through: {self.through or 'JUNCTION'}, between: [ONE, OTHER]}}"
            move = f"write `{name}: {link}`, where ONE and OTHER are relationships whose child is the junction"
            findings.problems.append(Problem(what=what, path=path, next_move=move))
        return ManyToMany(name, self.through or "", *(self.between or ("", "")))

    @staticmethod
    def from_ir(link: Relationship, keys: dict[str, tuple[str, ...]]) -> Plain:
        """The relationship as plain values for a file; defaults are omitted."""
        roles = [link.parent_role, link.child_role]
        references = () if link.parent_attributes == keys.get(link.parent) else link.parent_attributes
        entries = {
            "attributes": link.child_attributes,
            "references": references,
            "cardinality": str(link.cardinality),
            "required": link.required,
            "roles": roles if any(roles) else None,
            "on_delete": str(link.on_delete),
            "on_delete_columns": link.on_delete_columns,
            "on_update": str(link.on_update),
            "enforced": link.enforced,
        }
        shown = without(
            entries, cardinality="1:N", required=False, on_delete="restrict", on_update="restrict", enforced=True
        )
        return {"parent": link.parent, "child": link.child} | shown


class HierarchyForm(FileMap):
    """A supertype and its subtypes."""

    supertype: str
    subtypes: Texts = Field(description="relationships, each 1:1 on a shared key")


class ViewForm(FileMap):
    """A query statements use like a table."""

    short_key = "sql"
    sql: str = Field(description="its SELECT")
    dialect: str = ""
    columns: Texts = Field([], description="names for its columns; those of the SELECT by default")

    def to_ir(self, name: str) -> View:
        """The view."""
        return View(name, self.sql, self.dialect, tuple(self.columns))

    @staticmethod
    def from_ir(view: View) -> Plain:
        """The view's SELECT, with its dialect and columns if they are given."""
        more = without({"dialect": view.dialect, "columns": view.columns}, dialect="")
        return {"sql": view.sql} | more if more else view.sql


class ModelForm(FileMap):
    """Everything the data can be."""

    name: str
    collation: Annotated[str, words_schema(Collation)] | None = Field(
        None, description="how texts without a collation of their own are compared; binary by default"
    )
    strict_types: bool = Field(
        False,
        description="attributes of several types: values of different BSON types are never equal, as in MongoDB; decimals exact",
    )
    entities: NamedMap[EntityForm] = Field({})
    relationships: NamedMap[RelationshipForm] = Field({})
    hierarchies: NamedMap[HierarchyForm] = Field({})
    views: NamedMap[ViewForm] = Field({}, description="name: SELECT")

    def to_ir(self, path: YamlPath, findings: FormProblems) -> Model | None:
        """The model, None when it breaks its own rules; those are noted."""
        texts = findings.word(Collation, self.collation, (*path, "collation"), otherwise=Collation.BINARY)
        entities = tuple(form.to_ir(n, (*path, "entities", n), findings, texts) for n, form in self.entities.items())
        keys = {entity.name: entity.key for entity in entities}
        links = [form.to_ir(n, (*path, "relationships", n), keys, findings) for n, form in self.relationships.items()]
        for link in links:
            if isinstance(link, Relationship):
                findings.problems.extend(_contradicted(link, entities, (*path, "relationships", link.name)))
        hierarchies = tuple(
            Hierarchy(name, form.supertype, tuple(form.subtypes)) for name, form in self.hierarchies.items()
        )
        return findings.read(
            lambda: Model(
                self.name,
                entities,
                tuple(link for link in links if isinstance(link, Relationship)),
                tuple(link for link in links if isinstance(link, ManyToMany)),
                hierarchies,
                tuple(form.to_ir(name) for name, form in self.views.items()),
                self.strict_types,
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
            one.name: without({"supertype": one.supertype, "subtypes": one.subtypes}) for one in model.hierarchies
        }
        texts = _usual_collation(model)
        said = {"name": model.name, "collation": str(texts), "strict_types": model.strict_types}
        head = without(said, collation=str(Collation.BINARY), strict_types=False)
        sections = {
            "entities": BlockMap({entity.name: EntityForm.from_ir(entity, texts) for entity in model.entities}),
            "relationships": BlockMap(links),
            "hierarchies": BlockMap(hierarchies),
            "views": BlockMap({view.name: ViewForm.from_ir(view) for view in model.views}),
        }
        return BlockMap(head | without(sections))


def _contradicted(link: Relationship, entities: Sequence[Entity], path: YamlPath) -> Iterator[Problem]:
    """What a relationship says that its foreign key cannot be."""
    child = next((each for each in entities if each.name == link.child), None)
    if child is None or not all(name in child for name in link.child_attributes):
        return
    lets_go = link.on_delete in (OnDelete.SET_NULL, OnDelete.SET_DEFAULT)
    other = [name for name in link.on_delete_columns if name not in link.child_attributes]
    if other or (link.on_delete_columns and not lets_go):
        what = (
            f"{name_list(other)} is not in the foreign key"
            if other
            else "only `set null` and `set default` change columns"
        )
        yield Problem(
            what=what, path=(*path, "on_delete_columns"), next_move="name columns of the foreign key, or remove it"
        )
        return
    optional = [name for name in link.child_attributes if not child.always_has(name)]
    needed = [name for name in link.let_go if child.always_has(name)]
    if link.required and optional:
        what = f"every `{child.name}` has a `{link.parent}`, but {name_list(optional)} may be NULL"
        move = f"make `{optional[0]}` NOT NULL (`{child.attribute(optional[0]).type}!`), or remove `required`"
        yield Problem(what=what, path=(*path, "required"), next_move=move)
    if link.on_delete is OnDelete.SET_NULL and needed:
        what = f"`on_delete: set null`, but {name_list(needed)} of `{child.name}` is NOT NULL"
        move = "make it nullable, or write `restrict` or `cascade`"
        yield Problem(what=what, path=(*path, "on_delete"), next_move=move)


def _usual_collation(model: Model) -> Collation:
    """The collation more than half of the texts have; binary when there is none."""
    rules = Counter(a.collation for entity in model.entities for a in entity.attributes if a.type.name in TEXTS)
    return next((rule for rule, count in rules.items() if 2 * count > rules.total()), Collation.BINARY)
