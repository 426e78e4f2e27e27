"""What all forms share: a form is one map of a file, checked key by key before anything is made of it.

Forms know the shape of the text and nothing else. Reading a leaf (a type, a quantity, a freshness) can fail too; `FormProblems`
collects those problems and goes on with a stand-in, so that one bad word does not hide the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, GetJsonSchemaHandler, WithJsonSchema, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from nestling.common.errors import NestlingError, Problem, unknown
from nestling.ir.model import Model
from nestling.ir.text.yaml_reader import YamlPath

Value = TypeVar("Value")
Word = TypeVar("Word", bound=StrEnum)


class FileMap(BaseModel):
    """One map of a file: unknown keys are refused, nothing is converted in silence."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=False, protected_namespaces=())

    short_key: ClassVar[str] = ""
    """The key a bare word stands for: `price: integer!` is `price: {type: integer!}`."""

    @model_validator(mode="before")
    @classmethod
    def _long_form(cls, value: object) -> object:
        return {cls.short_key: value} if cls.short_key and isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Editors learn the short form beside the long one."""
        schema = handler(core_schema)
        return {"anyOf": [{"type": "string"}, schema]} if cls.short_key else schema


@dataclass(frozen=True, slots=True)
class FormProblems:
    """Problems met while forms become values."""

    problems: list[Problem]

    def read(self, parse: Callable[[], Value], path: YamlPath, *, otherwise: Value) -> Value:
        """What `parse` gives, or `otherwise` after noting why it could not, below `path`."""
        try:
            return parse()
        except NestlingError as error:
            self.problems.extend(replace(problem, path=(*path, *problem.path)) for problem in error.problems)
            return otherwise

    def word(self, kind: type[Word], text: str | None, path: YamlPath, *, otherwise: Word) -> Word:
        """One word of a closed set; None is `otherwise`."""
        if text is None or text in set(kind):
            return otherwise if text is None else kind(text)
        self.problems.append(unknown(path_kind(path), text, kind, path=path))
        return otherwise


def path_kind(path: YamlPath) -> str:
    """What to call the word at a path: its key, or the key's meaning if the key is not a noun."""
    key = next((step for step in reversed(path) if isinstance(step, str)), "value")
    return {"as": "form", "filters": "operator", "on_delete": "action", "on_update": "action"}.get(key, key)


def without(values: Mapping[str, object], **defaults: object) -> dict[str, Any]:
    """The entries whose value is neither None, an empty list or map, nor its default.

    Empty text stays: it may be a name.
    """
    left: dict[str, Any] = {}
    for name, value in values.items():
        plain = list(value) if isinstance(value, tuple) else value
        if plain is None or plain in ([], {}):
            continue
        if name in defaults and defaults[name] == plain and type(defaults[name]) is type(plain):
            continue
        left[name] = plain
    return left


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else [] if value is None else value


def _nothing_is_empty(value: object) -> object:
    return {} if value is None else value


def link_names(model: Model) -> list[str]:
    """All relationships of a model, many-to-many ones too."""
    return [link.name for link in model.relationships] + [link.name for link in model.many_to_many]


_TEXT_SCHEMA: dict[str, Any] = {"type": "string"}
_TEXTS_SCHEMA: dict[str, Any] = {"anyOf": [_TEXT_SCHEMA, {"type": "array", "items": _TEXT_SCHEMA}]}

Texts = Annotated[list[str], BeforeValidator(_listed), WithJsonSchema(_TEXTS_SCHEMA)]
"""A list of words; a single word may stand alone."""


def _groups(value: object) -> object:
    items = _listed(value)
    return [_listed(item) for item in items] if isinstance(items, list) else items


Groups = Annotated[
    list[list[str]],
    BeforeValidator(_groups),
    WithJsonSchema({"anyOf": [_TEXT_SCHEMA, {"type": "array", "items": _TEXTS_SCHEMA}]}),
]
"""A list of groups of words; a group of one may stand alone."""

NamedMap = Annotated[dict[str, Value], BeforeValidator(_nothing_is_empty)]
"""A map from names to forms; an empty section (`indexes:` and nothing after it) is an empty map."""

NumberText = Annotated[str | int | float, WithJsonSchema({"type": ["number", "string"]})]
"""A quantity: a number, or its text with provenance."""

Id = Annotated[str | int, WithJsonSchema({"type": ["integer", "string"]})]


def words_schema(kind: type[StrEnum]) -> WithJsonSchema:
    """The JSON Schema of one word of a closed set."""
    return WithJsonSchema({"enum": [str(word) for word in kind]})


def group_text(names: tuple[str, ...]) -> str | list[str]:
    """A group of words: alone when it is one."""
    return names[0] if len(names) == 1 and names[0] else list(names)
