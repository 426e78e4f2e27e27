"""What pipelines join, wherever in them they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nestling.ir.facts.statement import JoinFacts


def joins_of(pipeline: object) -> Iterator[JoinFacts]:
    """The `$lookup`s and `$graphLookup`s of a pipeline, those of its inner pipelines too."""
    if not isinstance(pipeline, list):
        return
    for stage in pipeline:
        for name, body in stage.items() if isinstance(stage, Mapping) else ():
            yield from _joins(str(name), body)


def _joins(name: str, body: object) -> Iterator[JoinFacts]:
    if name == "$facet" and isinstance(body, Mapping):
        for inner in body.values():
            yield from joins_of(inner)
    if not isinstance(body, Mapping):
        return
    if name == "$lookup":
        yield JoinFacts(_text(body, "from"), _text(body, "localField"), _text(body, "foreignField"))
    if name == "$graphLookup":
        yield JoinFacts(_text(body, "from"), _text(body, "startWith").lstrip("$"), _text(body, "connectToField"))
    if name in ("$lookup", "$unionWith"):
        yield from joins_of(body.get("pipeline"))


def _text(body: Mapping[str, object], key: str) -> str:
    found = body.get(key, "")
    return found if isinstance(found, str) else ""
