"""An index as people read it: its keys, and what makes it special."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.ir.programs.command import CreateIndex


def index_words(index: CreateIndex) -> str:
    """`name, -price (unique)`, or `name: text`."""
    weights = index.options.get("weights")  # what a text index is on; its keys do not say
    texts = [f"{path}: text" for path in weights] if isinstance(weights, Mapping) else []
    keys = texts + [_key(path, way) for path, way in index.keys if not (texts and path in ("_fts", "_ftsx"))]
    seconds = index.options.get("expireAfterSeconds")
    kinds = [
        *(["unique"] if index.options.get("unique") else []),
        *(["partial: some documents only"] if "partialFilterExpression" in index.options else []),
        *(["a collation of its own"] if "collation" in index.options else []),
        *(["sparse"] if index.options.get("sparse") else []),
        *([f"TTL: removes documents after {seconds:,} s"] if isinstance(seconds, int | float) else []),
    ]
    return f"{', '.join(keys)} ({'; '.join(kinds)})" if kinds else ", ".join(keys)


def _key(path: str, way: int | str) -> str:
    if isinstance(way, str):
        return f"{path}: {way}"
    return path if way > 0 else f"-{path}"
