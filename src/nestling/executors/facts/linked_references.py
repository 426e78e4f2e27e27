"""References that values reveal, whatever the fields' names: the links as references from a field to a key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pymongo.database import Database

from nestling.executors.facts.name_words import names_an_id
from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.executors.facts.references import in_another_type
from nestling.ir.facts import ANY_KEY, CollectionFacts, ReferenceFacts
from nestling.ir.facts.steps import is_plain
from nestling.ir.facts.structure import Evidence, Link


def with_links(
    database: Database[FoundDocument],
    references: Sequence[ReferenceFacts],
    links: Sequence[Link],
    collections: Sequence[CollectionFacts],
    asking: Asking,
) -> tuple[ReferenceFacts, ...]:
    """Add the links to the references; if a name led nowhere and values lead somewhere, the values are believed.

    A name led somewhere, too, if its values are there in another type. The values of a link that were not found are looked up
    in that other type as well.
    """
    known = {(each.collection, each.steps) for each in references if each.resolved or each.converted}
    told = {(each.collection, each.steps): each for each in _references(links)}
    named = [
        each
        for each in references
        if (each.collection, each.steps) in known or (each.collection, each.steps) not in told
    ]
    added = (each for place, each in told.items() if place not in known)
    return (*named, *(in_another_type(database, each, collections, asking) for each in added))


def _references(links: Sequence[Link]) -> Iterator[ReferenceFacts]:
    for link in links:
        if len(link.columns) == 1 and not link.target_node and len(link.target_columns[0]) == 1 and _is_sure(link):
            (steps,), (target,) = link.columns, link.target_columns
            where = (link.database, link.collection, steps, link.target, target[0])
            yield ReferenceFacts(*where, link.checked, link.resolved, link.evidence is Evidence.NAME)


def _is_sure(link: Link) -> bool:
    """Whether it is a reference: not that the values are nearly all there is, and not that a document shares its own key.

    A field other than `_id` may be unique and said again elsewhere, as an address of mail is: its name must be that of a key.
    """
    steps, target = link.columns[0], link.target_columns[0]
    is_said = link.evidence is not Evidence.COVERAGE and is_plain(steps) and ANY_KEY not in steps
    return is_said and steps[0] != "_id" and (target == ("_id",) or names_an_id(steps))
