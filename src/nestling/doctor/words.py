"""Numbers in words, and commands for the MongoDB shell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from nestling.ir.facts import CollectionFacts, Sample
from nestling.ir.finding import Confidence
from nestling.ir.interval import interval
from nestling.ir.literals import of_collection, quoted
from nestling.ir.quantity_words import first_of
from nestling.ir.storage.names import DOCTOR

_MARK = f"'{DOCTOR}'"
_CALL = re.compile(r'db\.getSiblingDB\(".*?"\)\.getCollection\(".*?"\)\.(?P<method>\w+)\(')
_FOR_EACH = ").forEach("


def share(part: float, of: float) -> str:
    """A share in percent, never 0 % of something."""
    percent = 100 * part / of if of else 0.0
    if part and percent < 1:
        return "< 1 %"
    return f"{percent:.0f} %"


def sampled_share(part: int, of: int, sample: Sample | None) -> str:
    """A share, with its 95 % confidence interval if it comes from a sample."""
    if sample is None or sample.exact:
        return share(part, of)
    low, high = interval(part, of)
    return f"{share(part, of)} ({100 * low:.1f} to {100 * high:.1f} %)"


def confidence(collection: CollectionFacts) -> Confidence:
    """Certain when every document was read, likely when a sample was."""
    return Confidence.CERTAIN if collection.sample is None or collection.sample.exact else Confidence.LIKELY


def listed(names: Iterable[str], most: int = 5) -> str:
    """Names in a sentence, the first few of many."""
    return first_of([f"`{name}`" for name in names], most)


def in_database(database: str, name: str) -> str:
    """The expression for a collection of any database, in the MongoDB shell."""
    return of_collection(f"db.getSiblingDB({quoted(database)})", name)


def aggregation_in(database: str, name: str, stages: Iterable[str]) -> str:
    """The command that runs these stages over a collection of any database, in the MongoDB shell."""
    return f"{in_database(database, name)}.aggregate([{', '.join(stages)}])"


def here(collection: CollectionFacts) -> str:
    """The expression for this collection."""
    return in_database(collection.database, collection.name)


def own_validator(collection: CollectionFacts) -> str:
    """An expression for the current validator, because its text may be pages long."""
    infos = f"db.getSiblingDB({quoted(collection.database)}).getCollectionInfos({{name: {quoted(collection.name)}}})"
    return f"{infos}[0].options.validator"


def create_index(database: str, name: str, keys: Iterable[tuple[str, int | str]], options: str = "") -> str:
    """A command that creates an index."""
    return f"{in_database(database, name)}.createIndex({index_keys(keys)}{f', {options}' if options else ''})"


def index_keys(keys: Iterable[tuple[str, int | str]]) -> str:
    """The keys of an index as the MongoDB shell reads them."""
    return f"{{{', '.join(f'{quoted(field)}: {json.dumps(kind)}' for field, kind in keys)}}}"


def drop_index(collection: CollectionFacts, index: str) -> tuple[str, str]:
    """Commands that hide an index first, which can be taken back at once, and drop it later."""
    later = "// only after a week in which nothing became slow; until then unhideIndex brings it back"
    return (f"{here(collection)}.hideIndex({quoted(index)})", f"{here(collection)}.dropIndex({quoted(index)}) {later}")


def marked(command: str) -> str:
    """A command with a comment by which what servers record of it is told from the application's statements.

    Of an update servers record no comment, but its filter.
    """
    found = _CALL.match(command)
    match found["method"] if found is not None else "":
        case "find":
            call, each, rest = command.partition(_FOR_EACH)
            return f"{call}).comment({_MARK}){each[1:]}{rest}" if each else f"{command}.comment({_MARK})"
        case "aggregate" if command.endswith("])"):
            return f"{command[:-1]}, {{comment: {_MARK}}})"
        case "aggregate" if command.endswith("})"):
            return f"{command[:-2]}, comment: {_MARK}}})"
        case "updateMany" if found is not None and command[found.end() : found.end() + 1] == "{":
            filter_ = command[found.end() + 1 :]
            return f"{command[: found.end()]}{{$comment: {_MARK}{'' if filter_.startswith('}') else ', '}{filter_}"
    return command


def largest_documents(collection: CollectionFacts) -> str:
    """A command that shows the largest documents' ids."""
    sizes = "{$project: {bytes: {$bsonSize: '$$ROOT'}}}"
    return f"{here(collection)}.aggregate([{sizes}, {{$sort: {{bytes: -1}}}}, {{$limit: 5}}])"
