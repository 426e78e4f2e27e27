"""The report: one page that needs nothing else, in a browser and on paper."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.emitters.proof.sections import (
    copies,
    decisions,
    latencies,
    open_loop,
    predictions,
    space,
    structures,
    throughput,
    work,
    writes,
)
from nestling.emitters.proof.style import STYLE
from nestling.ir.proof import Proof
from nestling.ir.quantity_words import counted, size
from nestling.ir.words.notebook import plain
from nestling.ir.words.proof_words import labels, other_answer, rate, share, source_notes, verdict


def html(proof: Proof) -> str:
    """The HTML page of a proof."""
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    title = f"nestling prove: {proof.setting.reading}" if proof.setting.reading else "nestling prove"
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<title>{plain(title)}</title>'
        f"<style>{STYLE}</style></head>\n<body>\n{chr(10).join(_body(proof))}\n</body></html>\n"
    )


def _body(proof: Proof) -> Iterator[str]:
    name = f" of {plain(proof.setting.reading)}" if proof.setting.reading else ""
    yield f"<h1>Rival designs{name}, measured</h1>"
    yield _setting(proof)
    bad = "" if proof.equal and proof.is_best and not proof.missing else " bad"
    yield f'<div class="verdict{bad}">{plain(verdict(proof))}.</div>'
    if proof.missing:
        yield f'<div class="out"><strong>Not all of it was measured</strong>: {plain(proof.missing)}.</div>'
    yield _cards(proof)
    names = labels(proof)
    for each in proof.designs:
        if each.disqualified:
            name, why = plain(names[each.name]), plain(each.disqualified)
            yield f'<div class="out"><strong>{name} is disqualified</strong>: {why}.</div>'
    for other in proof.source.differences:
        why = plain(other_answer(other, proof.source.product))
        yield f'<div class="out"><strong>An answer that differs from the source\'s</strong>: {why}.</div>'
    for section in (throughput, structures, decisions, latencies, open_loop, copies, space, writes, work, predictions):
        yield section(proof)
    yield _method(proof)


def _setting(proof: Proof) -> str:
    made = proof.setting
    parts = (
        made.server,
        f"a cache of {size(made.cache_bytes)}" if made.cache_bytes else "",
        counted(made.rows, "row"),
        f"{counted(made.clients, 'client')}",
        f"{made.rounds} rounds",
        f"{made.seconds:.0f} s in all",
    )
    return f'<p class="soft">{plain(", ".join(part for part in parts if part))}.</p>'


def _cards(proof: Proof) -> str:
    advised = proof.design(proof.advised)
    cards = []
    if advised is not None and advised.throughput is not None:
        cards.append((rate(advised.throughput), "statements per second, the chosen design"))
    if proof.regret is not None:
        cards.append((share(proof.regret), "regret: time lost against the fastest rival"))
    cards.append((f"± {share(proof.noise)}", "noise: the chosen design against itself"))
    compared = sum(one.compared for each in proof.designs for one in each.statements)
    cards.append((f"{compared:,}", "answers compared with one another"))
    if proof.source.product:
        cards.append((f"{proof.source.answers:,}", f"answers equal to the source's ({proof.source.product})"))
    inside = "".join(f'<div class="card"><b>{plain(number)}</b>{plain(what)}</div>' for number, what in cards)
    return f'<div class="cards">{inside}</div>'


def _method(proof: Proof) -> str:
    notes = "".join(f"<li>{plain(note)}</li>" for note in (*proof.notes, *source_notes(proof)))
    return (
        "<h2>How it was measured</h2><p>Every design was loaded with the same rows into a database of its own, and"
        " sent the same statements with the same values in the same order, in rounds, the designs in a different"
        " order each time. Throughput is that of the whole mix at its stated rates; the slowest twentieth of each"
        " statement's executions is left out, on all designs. The intervals contain 95 of 100 resampled runs. The"
        " noise is how far two copies of the chosen design were apart. A design whose answers or rows differ from"
        " the others' does not count, nor does one whose answers to reads differ from the source's, where that is a"
        f" SQL database.</p><p>Seed {proof.setting.seed}.</p>" + (f"<ul>{notes}</ul>" if notes else "")
    )
