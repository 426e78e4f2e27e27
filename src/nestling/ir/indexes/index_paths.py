"""The paths of documents that a server index reads, whatever its kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nestling.ir.programs.command import CreateIndex

_EVERY = "$**"
_OF_TEXTS = ("_fts", "_ftsx")


def index_paths(index: CreateIndex) -> Iterator[str]:
    """The paths in the index's keys, weights, condition and projection; an index on every field has none."""
    projection = _mapping(index.options.get("wildcardProjection"))
    named = [path for path, _ in index.keys if path not in _OF_TEXTS]
    named += _mapping(index.options.get("weights"))
    named += [path for path, is_in in projection.items() if is_in]
    named += _in_condition(_mapping(index.options.get("partialFilterExpression")))
    if "language_override" in index.options:
        named.append(str(index.options["language_override"]))
    yield from (path for each in named if (path := each.removesuffix(_EVERY).removesuffix(".")))


def _in_condition(condition: Mapping[str, object]) -> Iterator[str]:
    for name, asked in condition.items():
        if not name.startswith("$"):
            yield name
        elif isinstance(asked, list):
            for each in asked:
                yield from _in_condition(_mapping(each))


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}
