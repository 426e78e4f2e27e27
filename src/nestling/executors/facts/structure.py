"""What relates the rows of a database: asked for when its documents are to become a model, not by the doctor."""

from __future__ import annotations

from collections.abc import Sequence

from pymongo.database import Database

from nestling.executors.facts.composite import composite_links, without_implied
from nestling.executors.facts.keys import keys, lacked_id
from nestling.executors.facts.kinds import kinds_of
from nestling.executors.facts.links import links, targets
from nestling.executors.facts.near_keys import near_keys
from nestling.executors.facts.permitted import Asking, Document
from nestling.executors.facts.repeats import counted, repeats
from nestling.executors.facts.tables import Table, tables
from nestling.ir.facts import Collection
from nestling.ir.facts.structure import Key, Link, Structure, Unclear


def structure(database: Database[Document], collections: Sequence[Collection], asking: Asking) -> Structure:
    """Keys, links, repeated values and kinds of the rows of a database's collections."""
    made: list[Table] = []
    found: list[Key] = []
    for collection in collections:
        own = tables(database, collection, asking)
        made += own
        found += keys(own)
    known = targets(made, found)
    single = list(links(made, found, known))
    sure = [each for each in single if isinstance(each, Link)]
    every = without_implied((*sure, *composite_links(made, found, sure)))
    return Structure(
        keys=tuple(found),
        links=every,
        unclear=tuple(each for each in single if isinstance(each, Unclear)),
        repeats=tuple(repeats(made, every)),
        counted=tuple(counted(made, every)),
        near_keys=tuple(near_keys(made, {(link.collection, steps) for link in every for steps in link.columns})),
        kinds=tuple(each for collection in collections for each in kinds_of(database, collection, asking)),
        partial=tuple((table.collection.name, table.node.steps) for table in made if not table.whole),
        lacked_ids=tuple(each for table in made if (each := lacked_id(table)) is not None),
    )
