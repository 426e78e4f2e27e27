"""A description for people: the purpose of each collection, its fields, an example, its indexes, and the reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from nestling.emitters.commands import gaps, indexes_of
from nestling.emitters.content import (
    Array,
    Content,
    ContentLine,
    Either,
    FixedContent,
    Object,
    PlainContent,
    ValueContent,
    lines,
)
from nestling.emitters.documents import documents
from nestling.emitters.explanation.flip_words import flip_text
from nestling.emitters.explanation.weighed_words import not_kept, rejected_text
from nestling.emitters.samples import sample_documents
from nestling.ir.design import Design
from nestling.ir.indexes.planned_index import PlannedIndex
from nestling.ir.literals import shell
from nestling.ir.printable import blanked, markdown_code
from nestling.ir.proposal import Costs, Decision, Proposal, Weighed
from nestling.ir.quantity_words import counted
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.layout import StoredCollection
from nestling.ir.words.proposal_rows import STAYS_MEANS, UNUSED, cost_line, lacking_line, saving
from nestling.ir.words.purposes import purpose
from nestling.ir.words.statement_costs import COLUMNS, TITLE, statement_cost_rows

_SPECIAL = re.compile(r"([\\`|*_\[\]<>#~$])")


def files(proposal: Proposal) -> Mapping[str, str]:
    """The design as one document, `schema.md`."""
    return {"schema.md": description(proposal)}


def description(proposal: Proposal) -> str:
    """The text of the Markdown document that describes the design."""
    design = proposal.design
    indexes: dict[str, list[PlannedIndex]] = {}
    for index in indexes_of(proposal):
        indexes.setdefault(index.collection, []).append(index)
    parts = [f"# {_text(design.model.name or 'Schema')}\n", _summary(proposal)]
    parts += _costly(proposal.costs)
    parts += [_store(design, store, indexes.get(store.name, ())) for store in design.stores]
    parts += [_decisions(proposal.decisions)] if proposal.decisions else []
    parts += _weighed(proposal.weighed)
    unmet = (*map(str, gaps(design)), *map(str, proposal.gaps))
    parts += ["## Gaps\n\n" + "".join(f"- {_prose(gap)}\n" for gap in unmet)] if unmet else []
    parts += ["## Notes\n\n" + "".join(f"- {_prose(note)}\n" for note in proposal.notes)] if proposal.notes else []
    return "\n".join(parts)


def _summary(proposal: Proposal) -> str:
    design = proposal.design
    made = f" Strategy: {proposal.strategy}." if proposal.strategy else ""
    lacking = lacking_line(proposal)
    said = cost_line(proposal.costs, lacking=lacking) if proposal.costs is not None else lacking
    costs = f" {said}" if said else ""
    return f"{counted(len(design.model.entities), 'entity')} in {counted(len(design.stores), 'collection')}.{made}{costs}\n"


def _costly(costs: Costs | None) -> Iterator[str]:
    """The costs of the statements, highest first, if their rates are known."""
    if found := [*statement_cost_rows(costs)]:
        rows = [f"| {' | '.join(COLUMNS)} |", "|---|---:|---:|---:|---:|"]
        rows += [f"| {' | '.join(map(_text, row))} |" for row in found]
        yield f"## {TITLE}\n\n" + "\n".join(rows) + "\n"


def _store(design: Design, store: StoredCollection, indexes: Sequence[PlannedIndex]) -> str:
    words = _prose(purpose(store))
    parts = [f"## {_text(store.name)}\n", f"{words[:1].upper()}{words[1:]}.\n"]
    kinds, samples = documents(design, store), sample_documents(design, store)
    for root, document, sample in zip(store.roots, kinds, samples, strict=True):
        parts += [f"### {_text(root.entity)}\n"] if len(kinds) > 1 else []
        parts += [_fields(document), f"```js\n{shell(sample)}\n```\n"]
    parts += [_indexes(indexes)] if indexes else []
    return "\n".join(parts)


def _fields(document: Object) -> str:
    rows = ["| field | type | from | required | remark |", "|---|---|---|---|---|"]
    rows += [f"| {' | '.join(_cells(line))} |" for line in lines(document)]
    return "\n".join(rows) + "\n"


def _cells(line: ContentLine) -> Iterator[str]:
    yield _code(line.path)
    yield _text(type_words(line.field.content))
    yield _text(line.field.source)
    yield "yes" if line.field.required else ""
    yield _prose(line.field.remark)


def type_words(content: Content) -> str:
    """The content of a field in a few words: `text`, `array of object (at most 20)`."""
    match content:
        case ValueContent():
            words = " or ".join(map(str, content.types))
            return f"{words} ({content.allowed})" if content.allowed is not None else words
        case FixedContent():
            return " or ".join(map(repr, content.values))
        case PlainContent():
            return " or ".join(content.bson_types)
        case Object():
            return "object"
        case Array():
            bound = f" (at most {content.maximum:,})" if content.maximum is not None else ""
            return f"array of {type_words(content.items)}{bound}"
        case Either():
            return " or ".join(dict.fromkeys(type_words(each) for each in content.alternatives))


def _indexes(indexes: Sequence[PlannedIndex]) -> str:
    rows = ["| index | properties | why |", "|---|---|---|"]
    for index in indexes:
        keys = ", ".join(_code(path) + (" descending" if direction < 0 else "") for path, direction in index.keys)
        rows.append(f"| {keys} | {', '.join(_properties(index))} | {'; '.join(map(_prose, index.reasons))} |")
    return "\n".join(rows) + "\n"


def _properties(index: PlannedIndex) -> Iterator[str]:
    if index.unique:
        yield "unique"
    for each in index.partial:
        yield f"only where {_code(each.name)} {_condition_text(each)}"
    if index.expire_after_seconds is not None:
        yield f"expires after {index.expire_after_seconds:,} s"
    if index.collation is not Collation.BINARY:
        yield "regardless of case and accents"


def _condition_text(one: Clause) -> str:
    match one.comparison:
        case ClauseOperator.PRESENT:
            return "exists"
        case ClauseOperator.NULL:
            return "is missing"
        case ClauseOperator.EQUAL:
            return f"is {_text(str(one.value))}"
        case _:
            return f"{one.comparison} {one.value}"


def _decisions(decisions: Sequence[Decision]) -> str:
    parts = ["## Decisions\n"]
    for made in decisions:
        patterns = f" ({', '.join(made.patterns)})" if made.patterns else ""
        reasons = [f"- {_prose(reason.text)} ({reason.rule})\n" for reason in made.reasons]
        reasons += [f"- turns {_prose(flip_text(flip))}\n" for flip in made.flips[:1]]
        reasons += [f"- rejected: {_prose(rejected_text(other, made.choice))}\n" for other in made.alternatives]
        parts.append(f"### {_text(made.relationship)}: {made.choice}{_text(patterns)}\n\n{''.join(reasons)}")
    return "\n".join(parts)


def _weighed(weighed: Sequence[Weighed]) -> Iterator[str]:
    """The additional structures with their price, and those not chosen with the number that decided."""
    kept = [each for each in weighed if each.chosen]
    if kept:
        rows = ["| structure | pattern | saves | for | price | turns |", "|---|---|---|---|---|---|"]
        rows += [f"| {' | '.join(map(_prose, _kept_cells(each)))} |" for each in kept]
        yield "## Kept besides\n\n" + "\n".join(rows) + "\n"
        if any(each.stays for each in kept):
            yield f"{STAYS_MEANS}\n"
    rejected = [each for each in weighed if not each.chosen and (each.gain or (each.gain is None and each.because))]
    if rejected:
        rows = ["| structure | pattern | it | because |", "|---|---|---|---|"]
        for each in rejected:
            more = not_kept(each) if each.gain is not None else "rejected"
            cells = (each.structure, each.pattern, more, each.because)
            rows.append(f"| {' | '.join(map(_prose, cells))} |")
        yield "## Considered, not kept\n\n" + "\n".join(rows) + "\n"


def _kept_cells(each: Weighed) -> Iterator[str]:
    yield each.structure
    yield each.pattern
    yield saving(each)
    yield ", ".join(each.motives) or UNUSED
    yield each.price
    yield flip_text(each.flips[0]) if each.flips else ""


def _text(text: str) -> str:
    """Text in which nothing is markup."""
    return _SPECIAL.sub(r"\\\1", blanked(text))


def _prose(text: str) -> str:
    """Escape our own sentences, in which names are in backticks already; only a table's bar would break them."""
    return blanked(text).replace("|", "\\|")


def _code(text: str) -> str:
    """A name as code, even if it contains backticks."""
    return markdown_code(_prose(text))
