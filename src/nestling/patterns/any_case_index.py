"""Index whatever the case (D1): one that finds a text by its lower or upper case, as `lower(email) = :email` asks for it.

Where `upper(email) = upper(:email)` or the same by `lower` is asked of a text, or equality of one that is compared so anyway
(`citext`, `NOCASE`), an index that finds texts to the letter finds nothing. This one takes all for equal that differ in case,
accents or form alone. The statement says which of these are meant, as before. What is equal besides narrows what it finds.
Texts that are unique whatever their case have such an index in any design.

It finds rows that are documents of a collection of their own, for statements about that table alone: a whole read has the
collation of such an index, and compares no other text to the letter where it sorts, groups or joins by one.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import IndexedAnyCase, Suggestion
from nestling.ir.indexes.case_lookups import lookups_of, texts_asked
from nestling.ir.indexes.indexable import is_array
from nestling.ir.situation import Situation
from nestling.ir.storage.collations import sought
from nestling.ir.workload import Access, Operator, Statement
from nestling.patterns.compound_index import MOST_KEYS, fits


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each text that statements about its table alone ask for whatever its case, and one narrowed by what is equal."""
    motives: dict[IndexedAnyCase, list[str]] = {}
    for statement in situation.reading.workload.statements:
        for access in statement.accesses if len(statement.accesses) == 1 else ():
            for attributes in _wanted(situation, statement, access):
                motives.setdefault(IndexedAnyCase(access.entity, attributes), []).append(statement.name)
    for part, statements in motives.items():
        yield Suggestion(part.text, part, tuple(dict.fromkeys(statements)))


def _wanted(situation: Situation, statement: Statement, access: Access) -> Iterator[tuple[str, ...]]:
    """The attributes of the indexes for an access, a text first; none where what is unique has one."""
    entity = situation.model.entity(access.entity)
    equal, cased = access.compared(Operator.EQUALITY), access.compared(Operator.CASED)
    if any(each.serves(equal, cased) for each in lookups_of(entity)):
        return
    texts = texts_asked(entity, access, situation.reading.dialect_of(statement))
    named = [each.attribute for each in access.filters if each.attribute in equal]
    plain = [name for name in named if name in sought(entity, named) and not is_array(entity, name)]
    for text in texts:
        others = dict.fromkeys(name for name in (*texts, *plain) if name != text)
        for attributes in dict.fromkeys(((text,), (text, *others))):
            keys = tuple((name, 1) for name in attributes)
            if (text,) != entity.key and len(keys) <= MOST_KEYS and fits(situation, access.entity, keys):
                yield attributes
