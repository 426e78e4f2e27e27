"""What a pipeline asks of a collection's own documents, which an index can serve: not of what its stages make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from nestling.ir.capture.clauses import LOGICAL
from nestling.ir.storage.names import is_within, overlap


@dataclass(slots=True)
class _Passed:
    """What the stages so far did to the paths of documents: those they changed, and those each `$project` left."""

    changed: set[str] = field(default_factory=set)
    left: list[set[str]] = field(default_factory=list)

    def keeps(self, path: str) -> bool:
        """Whether a path still is what the collection has."""
        return not any(overlap(path, each) for each in self.changed) and all(
            any(is_within(path, each) for each in paths) for paths in self.left
        )

    def lets_sorts_by(self, name: str, body: Any) -> bool:
        """Whether the server puts a `$sort` behind a stage before it."""
        if name == "$unwind" and isinstance(body, Mapping):  # that of what a `$lookup` joins becomes a part of it
            return all(map(self.keeps, _unwound(body)))
        if name == "$match":  # one that cannot go before the stages so far stays where it is
            return bool(_about_kept_paths(body, self.keeps) == body)
        return name in ("$sort", "$lookup")

    def passes(self, name: str, body: Any) -> bool:
        """Notes what a stage changes; False for one behind which an index serves nothing."""
        changes = _CHANGES.get(name) if name == "$unset" or isinstance(body, Mapping) else None
        if changes is None:
            return False
        if name == "$project" and not _leaves_out(body):
            self.left.append(_chosen(body))
        else:
            self.changed.update(changes(body))
        return True


def indexable_part(pipeline: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, int]]:
    """The condition and the order of a pipeline that an index of its collection can serve."""
    passed, conditions = _Passed(), list[dict[str, Any]]()
    order: dict[str, int] | None = None
    for name, body in ((name, body) for stage in pipeline for name, body in stage.items()):
        if name == "$match":
            conditions.append(_about_kept_paths(body, passed.keeps))
        elif name == "$sort" and order is None:
            order = body if all(map(passed.keeps, body)) else {}
        if not passed.lets_sorts_by(name, body):
            order = order or {}
        if not passed.passes(name, body):
            break
    return {"$and": conditions}, order or {}


def field_tests(condition: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The fields of a condition, wherever in it they are, with their tests."""
    for name, test in condition.items():
        if name in LOGICAL:
            for inner in test if isinstance(test, list) else ():
                yield from field_tests(inner)
        elif not name.startswith("$") and isinstance(test, dict):
            yield name, test


def _about_kept_paths(condition: Mapping[str, Any], keeps: Callable[[str], bool]) -> dict[str, Any]:
    """What of a condition is about paths that are kept; alternatives with another path are left out whole."""
    kept: dict[str, Any] = {}
    for name, test in condition.items():
        if name == "$and" and isinstance(test, list):
            kept[name] = [_about_kept_paths(each, keeps) for each in test]
        elif all(keeps(path) for path, _ in field_tests({name: test})):
            kept[name] = test
    return kept


def _leaves_out(projection: Mapping[str, Any]) -> bool:
    return all(each in (0, False) for path, each in projection.items() if path != "_id")


def _chosen(projection: Mapping[str, Any]) -> set[str]:
    """The paths a projection shows as they are, `_id` without being asked to."""
    return {path for path, each in {"_id": 1, **projection}.items() if each in (1, True)}


def _nothing(_: Any) -> Iterator[str]:
    return iter(())


def _unset(body: Any) -> Iterator[str]:
    yield from [body] if isinstance(body, str) else body


def _unwound(body: Mapping[str, Any]) -> Iterator[str]:
    yield str(body.get("path", "")).lstrip("$")
    if "includeArrayIndex" in body:
        yield str(body["includeArrayIndex"])


def _joined(body: Mapping[str, Any]) -> Iterator[str]:
    yield str(body.get("as", ""))


_CHANGES: dict[str, Callable[[Any], Iterator[str]]] = {
    "$match": _nothing,
    "$sort": _nothing,
    "$project": iter,
    "$addFields": iter,
    "$set": iter,
    "$unset": _unset,
    "$unwind": _unwound,
    "$lookup": _joined,
    "$graphLookup": _joined,
}
"""The paths each stage changes that leaves the others as they are."""
