"""YAML 1.2 text to plain values, and paths inside them back to lines and columns.

Keys are always text (`NO`, `1.0`, `null` are names like any other), a date is the text it was written as. Anchors, aliases and
tags are refused: a file people edit says everything where it stands. All duplicate keys are found, not only the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from nestling.common.errors import InputError, Problem

YamlPath = tuple[str | int, ...]

_TAG = "tag:yaml.org,2002:"
_TEXT_TAGS = {_TAG + name for name in ("str", "timestamp", "merge", "value")}
_WORDS = {"true": True, "false": False}
_NAMED = re.compile(r"`([^`]+)`")
MOST_LEVELS = 60
"""Nested maps and lists a file may have; the deepest designs need some twenty."""


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """A file's plain value and the node tree it came from."""

    file: str
    value: object
    root: Any

    def placed(self, problem: Problem) -> Problem:
        """The problem with `where` as file:line:column, from its `path`: the deepest part of it that exists.

        A problem that names something (`no attribute `titel``) points to that word if it stands there.
        """
        if problem.where:
            return problem
        key, node, _ = _walk(self.root, problem.path)
        word = key if key is not None and isinstance(node.value, list) else node
        named = _NAMED.search(problem.what)
        if named is not None and key is not None and key.value == named[1]:
            word = key if problem.what.startswith("no ") else word  # the name itself is wrong, not what it is given
        elif named is not None:
            word = next((found for found in _scalars(node) if _names(found.value, named[1])), word)
        return replace(problem, where=_where(self.file, word.start_mark))

    def holds(self, path: YamlPath) -> bool:
        """Whether there is something at `path`."""
        return _walk(self.root, path)[2]


def read_yaml(text: str, file: str) -> tuple[YamlDocument, list[Problem]]:
    """Parse `text`; gives the document and its duplicate keys, aliases and tags. Raises `InputError` on broken syntax."""
    root = _compose(text, file)
    if root is None:
        raise InputError(Problem(what="the file is empty", where=f"{file}:1:1"))
    reading = _Reading(file, [], set())
    value = reading.plain(root)
    return YamlDocument(file, value, root), reading.problems


def _compose(text: str, file: str) -> Any:
    from yaml import MarkedYAMLError, YAMLError, compose

    from nestling.ir.text.yaml_loader import Loader

    try:
        _check_levels(text, file)
        return compose(text, Loader=Loader)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = _where(file, mark) if mark is not None else file
        raise InputError(Problem(what=f"not YAML: {error.problem or error.context}", where=where)) from None
    except (YAMLError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(Problem(what=f"not YAML: {reason}", where=file)) from None


def _check_levels(text: str, file: str) -> None:
    """Refuse what would exhaust the stack of those who walk the tree, libyaml's composer first."""
    from yaml import CollectionEndEvent, CollectionStartEvent, parse

    from nestling.ir.text.yaml_loader import Loader

    level = 0
    for event in parse(text, Loader=Loader):
        level += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if level > MOST_LEVELS:
            what = f"maps and lists are nested more than {MOST_LEVELS} levels deep"
            raise InputError(Problem(what=what, where=_where(file, event.start_mark)))


@dataclass(frozen=True, slots=True)
class _Reading:
    """One pass over the node tree; collects what is wrong on the way."""

    file: str
    problems: list[Problem]
    seen: set[int]

    def plain(self, node: Any) -> object:
        """The plain value of a node; what cannot be read becomes None and a problem."""
        if id(node) in self.seen:
            self._refuse(node, "anchors and aliases are not supported", "write the value out")
            return None
        self.seen.add(id(node))
        kind = type(node).__name__
        if kind == "MappingNode":
            return self._map(node)
        if kind == "SequenceNode":
            return [self.plain(item) for item in node.value]
        return self._scalar(node)

    def _map(self, node: Any) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in node.value:
            if not isinstance(key.value, str):
                self._refuse(key, "a key must be a word or text, not a list or map", "")
            elif key.value in found:
                self._refuse(key, f"`{key.value}` appears twice", "keep one of them")
            else:
                found[key.value] = self.plain(value)
        return found

    def _scalar(self, node: Any) -> object:
        tag, text = str(node.tag), node.value
        if tag in _TEXT_TAGS:
            return text
        try:
            return _number(tag.removeprefix(_TAG), text)
        except ValueError:  # what only looks like a number (`-_`, thousands of digits) is text
            return text
        except KeyError:
            self._refuse(node, f"the tag {tag.replace(_TAG, '!!')} is not supported", "put text in quotes")
            return None

    def _refuse(self, node: Any, what: str, next_move: str) -> None:
        self.problems.append(Problem(what=what, where=_where(self.file, node.start_mark), next_move=next_move))


def _number(kind: str, text: str) -> object:
    """The value of a scalar that is no text; raises `KeyError` or `ValueError`."""
    digits = text.replace("_", "").lower()
    match kind:
        case "null":
            return None
        case "bool":
            return _WORDS[digits]
        case "int":
            return int(digits, 0) if digits.lstrip("+-")[:2] in ("0o", "0x", "0b") else int(digits)
        case "float":
            return float(digits.replace(".inf", "inf").replace(".nan", "nan"))
        case _:
            raise KeyError(kind)


def _where(file: str, mark: Any) -> str:
    return f"{file}:{mark.line + 1}:{mark.column + 1}"


def _walk(root: Any, path: YamlPath) -> tuple[Any, Any, bool]:
    """The deepest value along `path` with its key (None in a list), and whether that is all of the path."""
    key, node = None, root
    for step in path:
        found = _entry(node, step)
        if found is None:
            return key, node, False
        key, node = found
    return key, node, True


def _entry(node: Any, step: str | int) -> tuple[Any, Any] | None:
    if type(node).__name__ == "MappingNode":
        return next(((key, value) for key, value in node.value if key.value == str(step)), None)
    if type(node).__name__ == "SequenceNode" and isinstance(step, int) and step < len(node.value):
        return None, node.value[step]
    return None


def _scalars(node: Any) -> Iterator[Any]:
    stack, seen = [node], set()
    while stack:
        at = stack.pop()
        if id(at) in seen:
            continue
        seen.add(id(at))
        if isinstance(at.value, str):
            yield at
        elif type(at).__name__ == "MappingNode":
            stack.extend(part for pair in reversed(at.value) for part in reversed(pair))
        else:
            stack.extend(reversed(at.value))


def _names(text: str, name: str) -> bool:
    """Whether a word of the file is this name, perhaps with a sort direction before or a way after it."""
    return text.removeprefix("-") == name or text.removesuffix(":up").removesuffix(":down") == name
