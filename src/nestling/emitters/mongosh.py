"""A script for mongosh that creates collections, validators and indexes; running it again changes nothing."""

from __future__ import annotations

from collections.abc import Mapping

from nestling.emitters.commands import InexpressibleIndex, gaps, indexes_of, inexpressible_indexes, storage, validation
from nestling.emitters.validators.enforcement import MODERATE, STRICT
from nestling.ir.design import Design
from nestling.ir.indexes.planned_index import PlannedIndex
from nestling.ir.literals import comment, of_collection, quoted, shell, shell_ordered
from nestling.ir.proposal import Proposal
from nestling.ir.storage.layout import StoredCollection
from nestling.ir.words.purposes import purpose

_HEAD = """\
// Creates the collections and indexes of a design in the current database: mongosh "<uri>/<database>" create.js
// Running it again changes nothing; collections that exist keep their documents.

const STRICT = @STRICT;
const FAILING = @FAILING;

// Creates a collection, or gives an existing one its validator. Documents already there are counted first: while some fail,
// they stay changeable (level "moderate").
function ensureCollection(name, storage, validator) {
  const validation = validator === null ? {} : { validator, ...STRICT };
  if (db.getCollectionInfos({ name }).length === 0) {
    db.createCollection(name, { ...storage, ...validation });
  } else if (validator !== null) {
    const failing = db.getCollection(name).countDocuments({ $nor: [validator] });
    if (failing > 0) print(`${name}: ${failing} documents fail the validator`);
    db.runCommand({ collMod: name, ...validation, ...(failing > 0 ? FAILING : {}) });
  }
}

// Keys are given as pairs: an object would put names that look like numbers first.
function ensureIndex(name, keys, options) {
  db.runCommand({ createIndexes: name, indexes: [{ key: new Map(keys), ...options }] });
}
"""


def files(proposal: Proposal) -> Mapping[str, str]:
    """The design as one script, `create.js`."""
    return {"create.js": script(proposal)}


def script(proposal: Proposal) -> str:
    """The text of the mongosh script that creates the design."""
    design = proposal.design
    parts = [_head(), *(_collection(design, store) for store in design.stores)]
    parts += ["// Indexes. Before a large load, leave them out, and create them after it.\n"]
    parts += [_index(index) for index in indexes_of(proposal)]
    parts += [f"// Not done: {comment(str(gap))}\n" for gap in gaps(design)]
    parts += map(_inexpressible, inexpressible_indexes(proposal))
    return "\n".join(parts)


def _inexpressible(lost: InexpressibleIndex) -> str:
    """An index that a design cannot say: made as the database has it where it fits, else left to people."""
    index, gap = lost.index, lost.gap
    if lost.fits:
        options = shell(dict(index.options))
        made = f"ensureIndex({quoted(index.collection)}, {_pairs(index.keys)}, {options});"
        return f"// As the database has it: {comment(str(gap))}\n{made}\n"
    by_hand = f"{of_collection('db', index.collection)}.createIndex({shell_ordered(index.keys)}, {shell(dict(index.options))})"
    return f"// Not done: {comment(str(gap))}. If its fields are still there:\n// {comment(by_hand)};\n"


def _pairs(keys: tuple[tuple[str, int | str], ...]) -> str:
    return "[" + ", ".join(f"[{quoted(path)}, {shell(way)}]" for path, way in keys) + "]"


def _head() -> str:
    text = _HEAD.replace("@STRICT", shell(STRICT))
    return text.replace("@FAILING", shell(MODERATE))


def _collection(design: Design, store: StoredCollection) -> str:
    validator = validation(design, store).get("validator")
    arguments = ", ".join((quoted(store.name), shell(storage(store)), shell(validator)))
    return f"// {comment(store.name)}: {comment(purpose(store))}\nensureCollection({arguments});\n"


def _index(index: PlannedIndex) -> str:
    options = dict(index.command().options)
    reasons = "".join(f"// {comment(reason)}\n" for reason in index.reasons)
    return f"{reasons}ensureIndex({quoted(index.collection)}, {_pairs(index.keys)}, {shell(options)});\n"
