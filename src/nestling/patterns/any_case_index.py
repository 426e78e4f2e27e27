"""Index whatever the case (D1): an index that finds a text regardless of case, for conditions such as `lower(email) = :email`.

An ordinary index cannot serve `upper(email) = upper(:email)`, the same with `lower`, or equality of a text that the source
compares regardless of case (`citext`, `NOCASE`). This index treats texts as equal that differ only in case, accents or form.
The statement's own condition then selects the right ones. Other equality conditions narrow the search. Texts that are unique
regardless of case have such an index in any design.

It finds rows that are documents of a collection of their own, for statements about that table alone: a query that uses it has
the index's collation throughout, so it must not compare, sort, group or join by any other text exactly.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import IndexedAnyCase, Suggestion
from nestling.ir.indexes.case_lookups import lookups_of, texts_asked
from nestling.ir.indexes.indexable import is_array
from nestling.ir.situation import Situation
from nestling.ir.storage.collations import attributes_sought
from nestling.ir.workload import Access, Operator, Statement
from nestling.patterns.compound_index import MOST_KEYS, fits


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each text that single-table statements compare regardless of case, and one narrowed by their other equalities."""
    motives: dict[IndexedAnyCase, list[str]] = {}
    for statement in situation.reading.workload.statements:
        for access in statement.accesses if len(statement.accesses) == 1 else ():
            for attributes in _wanted(situation, statement, access):
                motives.setdefault(IndexedAnyCase(access.entity, attributes), []).append(statement.name)
    for part, statements in motives.items():
        yield Suggestion(part.text, part, tuple(dict.fromkeys(statements)))


def _wanted(situation: Situation, statement: Statement, access: Access) -> Iterator[tuple[str, ...]]:
    """Yield the attributes of the indexes for an access, a text first; none if a unique index serves it already."""
    entity = situation.model.entity(access.entity)
    equal, cased = access.compared(Operator.EQUALITY), access.compared(Operator.CASED)
    if any(each.serves(equal, cased) for each in lookups_of(entity)):
        return
    texts = texts_asked(entity, access, situation.reading.dialect_of(statement))
    named = [each.attribute for each in access.filters if each.attribute in equal]
    plain = [name for name in named if name in attributes_sought(entity, named) and not is_array(entity, name)]
    for text in texts:
        others = dict.fromkeys(name for name in (*texts, *plain) if name != text)
        for attributes in dict.fromkeys(((text,), (text, *others))):
            keys = tuple((name, 1) for name in attributes)
            if (text,) != entity.key and len(keys) <= MOST_KEYS and fits(situation, access.entity, keys):
                yield attributes
