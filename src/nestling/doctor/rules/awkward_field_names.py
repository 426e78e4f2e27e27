r"""Field names that queries cannot use, or people cannot see.

Why: a dot or a leading `$` has a special meaning in a query, and an empty name cannot be used in one. Blanks at either end,
control characters and invisible characters make two names look the same, and so do names that differ only in case.

Example: `"\ufeffISO"`, left by a file's byte order mark; `"price "`; `"a.b"`; `""`, left by a column without a heading;
`driverID` and `driverId`.

Remedy: rename the field. The command renames it where no field has the new name yet. Documents that have both are left as they
are, and a second command shows them, because only you can know which of the two values is right. A dot, a leading `$` and an
empty name can be renamed from MongoDB 5.0 on. Applications that still use the old name find nothing afterwards.

Ignore when: never: a rename is cheap, a query that silently finds nothing is not. A DBRef (`$ref`, `$id`, `$db`) is MongoDB's
own form and no finding.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from nestling.doctor.expiring import dates_come
from nestling.doctor.renaming import renaming
from nestling.doctor.rule import Rule, RuleInput
from nestling.doctor.words import confidence
from nestling.ir.facts import ANY_KEY, ELEMENT, CollectionFacts, PathFacts, field_path
from nestling.ir.finding import Confidence, FieldChange, Finding, Severity
from nestling.ir.quantity_words import counted

RULE = Rule("Awkward field names", Severity.WARNING, by_field=True)
DBREF = ("$ref", "$id", "$db")
"""The fields of a DBRef; the last one is optional."""
UNNAMED = "unnamed"
"""New name for a field without a name; only its owner knows a better one."""


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Fields with problematic names."""
    for collection in seen.facts.of_documents():
        for path in collection.paths:
            why = _trouble(path.steps[-1])
            if why and not _is_dbref(collection, path):
                yield _finding(seen, collection, path, why)
        yield from (_of_case(seen, collection, alike) for alike in _alike_but_for_case(collection))


def _alike_but_for_case(collection: CollectionFacts) -> Iterator[Sequence[PathFacts]]:
    """The fields of one document whose names differ only in case, most frequent first."""
    groups: dict[tuple[str, ...], list[PathFacts]] = {}
    for path in collection.paths:
        groups.setdefault((*path.steps[:-1], path.steps[-1].casefold()), []).append(path)
    for found in groups.values():
        if len(found) > 1:
            yield sorted(found, key=lambda path: (-path.present, path.steps))


def _of_case(seen: RuleInput, collection: CollectionFacts, alike: Sequence[PathFacts]) -> Finding:
    main, *others = alike
    right, odd = main.steps[-1], others[0]
    rename = renaming(collection, odd.steps, right, seen.facts.server.version) if len(others) == 1 else ()
    names = ", ".join(f"`{path.steps[-1]}` in {counted(path.present, 'document')}" for path in alike)
    return seen.finding(
        collection,
        odd.text,
        f"names that differ only in case: {names}",
        number=sum(path.present for path in others),
        unit="occurrences",
        cost="a query on one of them misses the other's values",
        remedy=f"If they mean the same, rename them to `{right}`. Documents that have both names stay as they are:"
        " compare their values by hand.",
        commands=rename,
        confidence=Confidence.LIKELY,
        changes=(FieldChange(odd.steps, name=right),) if rename else (),
    )


def _trouble(name: str) -> str:
    """What is wrong with a name, or "" for most names."""
    if name in (ELEMENT, ANY_KEY):
        return ""
    if not name:
        return "is empty, and no query can use it"
    if any(unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp") for character in name):
        return "contains an invisible character"
    if name != name.strip():
        return "begins or ends with a blank"
    if "." in name:
        return "contains a dot, which queries read as a path"
    return "begins with a dollar, which queries read as an operator" if name.startswith("$") else ""


def _is_dbref(collection: CollectionFacts, path: PathFacts) -> bool:
    """Whether the field is part of a DBRef, MongoDB's own form of a reference, which queries and drivers rely on."""
    *around, name = path.steps
    return name in DBREF and all(collection.path(*around, each) is not None for each in DBREF[:2])


def _finding(seen: RuleInput, collection: CollectionFacts, path: PathFacts, why: str) -> Finding:
    name = path.steps[-1]
    clean = UNNAMED if not name else "".join(c for c in name if c.isprintable()).replace(".", "_").lstrip("$ ").rstrip()
    expiry = dates_come(collection, field_path((*path.steps[:-1], clean)))
    rename = renaming(collection, path.steps, clean, seen.facts.server.version) if clean and not expiry else ()
    why_so = ", or to a name that says what its values are" * (not name)
    both = " Documents that have both names stay as they are: compare their values by hand." if rename else ""
    return seen.finding(
        collection,
        ascii(path.text)[1:-1],
        f"the name {name!a} {why}",
        number=path.present,
        unit="occurrences",
        cost=f"queries by the name people see miss it in {counted(path.documents, 'document')} looked at",
        remedy=f"{expiry}Rename it to `{clean}`{why_so}.{both}" if clean else "Rename it.",
        commands=rename,
        confidence=confidence(collection),
        changes=(FieldChange(path.steps, name=clean),) if rename else (),
    )
