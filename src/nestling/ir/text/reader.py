"""Text to readings and proposals, with every mistake of the file in one error.

Three kinds of mistakes are found in turn: YAML (duplicate keys), shape (unknown keys, a list where a map belongs), sense (names
that do not exist, broken invariants). Sense is checked wherever shape allows: an unknown key is skipped and the rest is read; a
file with worse mistakes of shape is read without the sections that have them, as far as possible.
"""

from __future__ import annotations

import copy
import types
from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from nestling.common.errors import InputError, Problem, unknown
from nestling.ir.proposal import Proposal
from nestling.ir.quantity_words import cut
from nestling.ir.rate import no_rate
from nestling.ir.reading import Reading
from nestling.ir.text.file_form import ProposalForm, ReadingForm
from nestling.ir.text.form import FileMap, FormProblems
from nestling.ir.text.text_given import text_given
from nestling.ir.text.yaml_reader import YamlDocument, YamlPath, read_yaml

_FileForm = TypeVar("_FileForm", ReadingForm, ProposalForm)

_WANTED = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "list": "a list",
    "dict": "a map",
    "model": "a map",
    "literal": "one of its words",
}


def read_file(path: Path | str) -> Reading | Proposal:
    """The reading or proposal in a file; raises `InputError`, also if the file does not exist or is not text."""
    text = text_given(path, f"name a nestling file: `nestling design {path} -o design.yaml` writes one")
    if Path(path).suffix == ".sql":
        move = f"name a nestling file: `nestling design {path} -o design.yaml` makes one from tables"
        raise InputError(Problem(what="this is SQL", where=str(path), next_move=move))
    document, problems = read_yaml(text, str(path))
    if isinstance(document.value, dict) and "design" in document.value:
        return _proposal(document, problems)
    return _reading(document, problems)


def read_reading(text: str, name: str) -> Reading:
    """The reading in `text`; raises `InputError` with all problems."""
    return _reading(*read_yaml(text, name))


def read_proposal(text: str, name: str) -> Proposal:
    """The proposal in `text`; raises `InputError` with all problems."""
    return _proposal(*read_yaml(text, name))


def _reading(document: YamlDocument, problems: list[Problem]) -> Reading:
    form = _form(ReadingForm, document, problems)
    return _checked(form.to_ir(FormProblems(problems)) if form is not None else None, document, problems)


def _proposal(document: YamlDocument, problems: list[Problem]) -> Proposal:
    form = _form(ProposalForm, document, problems)
    return _checked(form.to_ir(FormProblems(problems)) if form is not None else None, document, problems)


Result = TypeVar("Result", Reading, Proposal)


def _checked(result: Result | None, document: YamlDocument, problems: list[Problem]) -> Result:
    if problems or result is None:
        # What follows from a mistake told elsewhere, at a place the file does not even have, is not told again.
        told = {problem.what for problem in problems if problem.where or document.holds(problem.path)}
        kept = (p for p in problems if p.where or document.holds(p.path) or p.what not in told)
        raise InputError(*sorted(dict.fromkeys(map(document.placed, kept)), key=_place))
    return result


def _place(problem: Problem) -> tuple[int, ...]:
    """Order by line and column."""
    return tuple(int(part) for part in problem.where.split(":")[-2:] if part.isdigit())


def _form(form: type[_FileForm], document: YamlDocument, problems: list[Problem]) -> _FileForm | None:
    """The file's form, after noting what is wrong with its shape; None when what is left of it says too little."""
    try:
        return form.model_validate(document.value)
    except ValidationError as error:
        mistakes = error.errors()
    problems += _shape_problems(form, mistakes)
    value = document.value
    if not isinstance(value, dict):
        return None
    left = copy.deepcopy(value)
    for mistake in mistakes:
        if mistake["type"] == "extra_forbidden":
            _mend(left, mistake["loc"], _keys(_form_at(form, mistake["loc"][:-1])))
    worse = {mistake["loc"][0] for mistake in mistakes if mistake["type"] != "extra_forbidden"}
    try:
        return form.model_validate({key: item for key, item in left.items() if key not in worse})
    except ValidationError:
        _check_model(left, worse, problems)
        return None


def _check_model(value: dict[str, object], worse: set[Any], problems: list[Problem]) -> None:
    """Look for mistakes of sense in the model and its numbers when nothing more of the file can be used."""
    shared = {"model", "statistics", "requirements"} - worse
    try:
        ReadingForm.model_validate({key: value[key] for key in shared if key in value}).to_ir(FormProblems(problems))
    except ValidationError:
        return


def _mend(value: Any, place: tuple[Any, ...], keys: list[str]) -> None:
    """Go on as if the unknown key at `place` were the known one it was surely meant to be; without it if there is none."""
    *above, name = place
    for step in above:
        value = value[step]
    meant = get_close_matches(name, [key for key in keys if key not in value], n=1)
    entries = [
        (meant[0] if key == name and meant else key, item) for key, item in value.items() if key != name or meant
    ]
    value.clear()
    value.update(entries)


def _shape_problems(form: type[FileMap], mistakes: list[ErrorDetails]) -> Iterator[Problem]:
    """One problem a place: of the branches of a choice only the first is told."""
    seen: set[YamlPath] = set()
    for mistake in mistakes:
        path = _path(mistake["loc"])
        if path not in seen:
            seen.add(path)
            yield _shape_problem(form, mistake, path)


def _shape_problem(form: type[FileMap], mistake: ErrorDetails, path: YamlPath) -> Problem:
    name = str(path[-1]) if path else ""
    match mistake["type"]:
        case "extra_forbidden":
            at = _form_at(form, path[:-1])
            return unknown("key", name, _keys(at), of=_called(path[:-1]), path=path)
        case "missing":
            above = _called(path[:-1])
            return Problem(what=f"`{name}` is missing in {f'`{above}`' if above else 'the file'}", path=path[:-1])
        case "too_short" | "too_long":
            return Problem(what=f"`{name}` must list exactly two names", path=path)
        case "direction":
            return Problem(what=mistake["msg"], path=path, next_move="write 1 for ascending, -1 for descending")
        case kind:
            wanted = _WANTED.get(kind.split("_")[0], mistake["msg"])
            what = f"{f'`{name}`' if path else 'the file'} wants {wanted}, not {_shown(mistake['input'])}"
            if mistake["input"] is None and name.rstrip("!").endswith(")") and "(" not in name:
                move = 'quote values with a comma inside braces: `{price: "decimal(8,2)"}`'
                return Problem(
                    what=f"`{name}` is the end of a value that was split at its comma", path=path, next_move=move
                )
            if name == "rate" and isinstance(mistake["input"], int | float):
                return replace(no_rate(_plain(mistake["input"])), path=path)
            at = _form_at(form, path)
            if mistake["input"] is None and at is not None and at.short_key == "type":
                what, move = f"`{name}` has no type", f"write one after it: `{name}: integer!`"
                return Problem(what=what, path=path, next_move=move)
            if at is not None and at.short_key:
                example = "such as `integer!`, " if at.short_key == "type" else ""
                return Problem(what=what.replace("wants a map", f"wants a text, {example}or a map"), path=path)
            is_text = wanted == "text" and isinstance(mistake["input"], bool | int | float)
            return Problem(what=what, path=path, next_move="put it in quotes" if is_text else "")


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    return f"`{cut(_plain(value), 40)}`"


def _plain(value: object) -> str:
    """The value as YAML writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _called(path: YamlPath) -> str:
    """The last two steps; empty for the file itself."""
    return ".".join(map(str, path[-2:]))


def _path(place: tuple[int | str, ...]) -> YamlPath:
    """A place as the file has it: without the branches of a choice, which pydantic counts as steps."""
    return tuple(step for step in place if step not in ("str", "int", "float") and not _is_branch(step))


def _is_branch(step: int | str) -> bool:
    return isinstance(step, str) and ("[" in step and step.endswith("]"))


def _keys(form: type[FileMap] | None) -> list[str]:
    return [field.alias or name for name, field in form.model_fields.items()] if form is not None else []


def _form_at(form: type[FileMap], path: YamlPath) -> type[FileMap] | None:
    """The form that describes the map at `path`."""
    at: Any = form
    for step in path:
        if isinstance(at, type) and issubclass(at, FileMap):
            names = {field.alias or name: field.annotation for name, field in at.model_fields.items()}
            at = _inner(names.get(str(step)))
        else:
            at = _inner(get_args(at)[-1]) if get_args(at) else None
    return at if isinstance(at, type) and issubclass(at, FileMap) else None


def _inner(annotation: Any) -> Any:
    """The annotation without `| None`."""
    if isinstance(annotation, types.UnionType):
        return next((part for part in get_args(annotation) if part is not type(None)), None)
    return annotation
