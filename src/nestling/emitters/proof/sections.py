"""The parts of the page, each from the whole proof; one without figures is empty."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nestling.emitters.proof import strips
from nestling.emitters.proof.scatter import ScatterPoint, scatter
from nestling.emitters.proof.strips import Scale
from nestling.ir.proof import YARDSTICKS, Latency, Proof, RivalFigures, StatementFigures
from nestling.ir.quantity_words import count, size
from nestling.ir.time_units import SECONDS_PER_DAY
from nestling.ir.words.notebook import plain
from nestling.ir.words.proof_words import (
    COPIES_READ,
    STRUCTURES,
    bought,
    copies_read,
    difference,
    labels,
    milliseconds,
    rate,
    ratio,
    spread,
    structure_rows,
)

COLOURS = ("c0", "c1", "c2", "c3")
"""Of the chosen design and the yardsticks; the others share the last."""
MOST_SHOWN = 4
"""Designs that are shown statement by statement."""


def throughput(proof: Proof) -> str:
    """Statements a second of every design, with intervals."""
    known = [each for each in proof.designs if each.throughput is not None]
    if not known:
        return ""
    most = max(each.interval.high if each.interval else each.throughput or 0.0 for each in known)
    scale, colours = Scale(0.0, most), _colours(proof)
    rows = []
    for each in sorted(known, key=lambda each: -(each.throughput or 0.0)):
        marks = [
            strips.box(scale, 0.0, each.throughput or 0.0, colours[each.name] + (" pale" if each.disqualified else ""))
        ]
        if each.interval:
            marks.append(strips.whisker(scale, each.interval.low, each.interval.high))
        out = " ✗" if each.disqualified else ""
        rows.append(
            (
                _label(each, proof) + out,
                strips.strip(marks),
                f"{rate(each.throughput or 0.0)}  ({spread(each.interval)})",
            )
        )
    about = "Statements per second of the whole mix; longer is better."
    return f"<h2>Throughput</h2><p>{about}</p>{strips.rows(rows)}"


def structures(proof: Proof) -> str:
    """The collections of each design."""
    rows = list(structure_rows(proof))
    about = "The collections of each design, with what is inside, copied or in buckets in each."
    return f"<h2>What each design stores</h2><p>{about}</p>{_table(STRUCTURES, rows, of='words')}" if rows else ""


def decisions(proof: Proof) -> str:
    """How much longer the mix takes with one decision reversed."""
    known = bought(proof)
    if not known:
        return ""
    ends = [end for each in known if (i := each.figures.times_interval) for end in (i.low, i.high)]
    scale = Scale(min([0.8, 1 - proof.noise, *ends]), max([1.2, 1 + proof.noise, *ends]))
    rows = []
    for each in known:
        marks = [
            strips.box(scale, 1 - proof.noise, 1 + proof.noise, "noise", top=0, height=20),
            strips.tick(scale, 1.0, "one", top=0, height=20),
        ]
        if interval := each.figures.times_interval:
            marks.append(strips.whisker(scale, interval.low, interval.high))
        marks.append(strips.tick(scale, each.figures.times or 1.0, "p50 c0" if each.certain else "p50 c4"))
        rows.append((each.decision, strips.strip(marks), ratio(each.figures, proof)))
    about = (
        "The chosen design with one decision taken the other way: how many times as long the mix then takes. Right"
        " of the dashed line the decision pays; inside the shaded band its effect cannot be told from noise."
    )
    return f"<h2>Which decision buys what</h2><p>{about}</p>{strips.rows(rows)}"


def latencies(proof: Proof) -> str:
    """Quantiles of every statement on the chosen design and its yardsticks."""
    return _by_statement(
        proof,
        "Latency of each statement",
        "One client. The thick line is the median, then the 95th and 99th of 100 executions; shorter is better. Milliseconds on a"
        " logarithmic scale, the same for all statements.",
        lambda one: one.latency,
    )


def open_loop(proof: Proof) -> str:
    """The load that was due and reached, and the latencies from the moment each execution was due."""
    known = [each for each in proof.designs if each.opened is not None]
    if not known:
        return ""
    rows = []
    for each in known:
        assert each.opened is not None
        one = each.opened
        reached = rate(one.reached) + ("" if one.kept_up else " (falls behind)")
        quantiles = (one.latency.p50, one.latency.p95, one.latency.p99)
        rows.append((labels(proof)[each.name], rate(one.asked), reached, *map(milliseconds, quantiles)))
    heads = ("design", "due a second", "reached", "p50 ms", "p95 ms", "p99 ms")
    about = (
        "Executions are due at random times at a fixed rate, whether or not the server has answered earlier ones,"
        " and their time counts from when they were due: what users feel."
    )
    return f"<h2>Latency at a fixed rate</h2><p>{about}</p>{_table(heads, rows)}"


def copies(proof: Proof) -> str:
    """How old copies were when they were read."""
    rows = [(f"{design}: {copy}", *cells) for design, copy, *cells in copies_read(proof)]
    if not rows:
        return ""
    heads = ("design: copy", *COPIES_READ[2:])
    about = (
        "How long a copy that may be behind its source had been behind when a read of the open loop used it: each"
        " read was repeated as of the same moment, with the copy and without it. The background sync was running,"
        " unless the table says no."
    )
    return f"<h2>Age of copies</h2><p>{about}</p>{_table(heads, rows)}"


def space(proof: Proof) -> str:
    """Bytes on disk and in the cache."""
    known = [(each, each.space) for each in proof.designs if each.space is not None]
    if not known:
        return ""
    scale = Scale(0.0, float(max(one.disk_bytes for _, one in known)))
    rows = []
    for each, one in known:
        marks = [strips.box(scale, 0, one.data_bytes, "c1"), strips.box(scale, one.data_bytes, one.disk_bytes, "c2")]
        cached = f", {size(one.cache_bytes)} cached" if one.cache_bytes else ""
        rows.append((labels(proof)[each.name], strips.strip(marks), f"{size(one.disk_bytes)}{cached}"))
    key = _key((("c1", "documents"), ("c2", "indexes")))
    return f"<h2>Size</h2><p>Bytes on disk after loading.</p>{key}{strips.rows(rows)}"


def writes(proof: Proof) -> str:
    """The cost of writing statements."""
    known = [(each, each.upkeep) for each in proof.designs if each.upkeep is not None and each.upkeep.writes]
    if not known:
        return ""
    rows = []
    for each, one in known:
        documents = _documents_a_write(each)
        stale = f"{each.stale:,}" if each.stale else "0"
        rows.append(
            (
                labels(proof)[each.name], f"{one.writes:,}", size(one.journal_bytes_per_write),
                count(documents) if documents is not None else "", f"{one.committed:,}", f"{one.aborted:,}", stale,
            )
        )  # fmt: skip
    heads = ("design", "writes", "journal a write", "documents a write", "transactions", "tried again", "stale answers")
    about = (
        "Bytes in the server's journal for a statement that writes, documents it changes,"
        " transactions, and answers that were behind as far as the requirements allow."
    )
    return f"<h2>Writing</h2><p>{about}</p>{_table(heads, rows)}"


def _documents_a_write(each: RivalFigures) -> float | None:
    """Documents changed per write, weighted by rate."""
    known = [(one.rate_per_second, one.examined) for one in each.statements if one.writes and one.examined is not None]
    total = sum(often for often, _ in known)
    return sum(often * examined.documents_written for often, examined in known) / total if total else None


def work(proof: Proof) -> str:
    """Keys and documents the server looked at."""
    shown = [each for each in _shown(proof) if any(one.examined for one in each.statements)]
    if not shown:
        return ""
    names = labels(proof)
    rows = []
    for place, one in enumerate(shown[0].statements):
        cells = []
        for each in shown:
            found = each.statements[place].examined
            cells.append(f"{count(found.keys)} / {count(found.documents)}" if found else "")
        rows.append((one.name, *cells))
    heads = ("statement", *(names[each.name] for each in shown))
    return (
        "<h2>Work of the server</h2><p>Index keys / documents examined per execution, from the server's profiler.</p>"
        + _table(heads, rows)
    )


def predictions(proof: Proof) -> str:
    """Predicted and measured times."""
    shown, colours, names = _shown(proof), _colours(proof), labels(proof)
    points = [
        _point(one, names[each.name], colours[each.name])
        for each in shown
        for one in each.statements
        if one.predicted and one.latency
    ]
    drawing = scatter(points)
    if not drawing:
        return ""
    about = (
        "One point for each statement on each design: the median of its executions. On the line the cost model was"
        " right; between the dashed lines it was off by less than a factor of two. The order of designs matters,"
        " not the scale: machines differ."
    )
    return f"<h2>Predicted and measured</h2><p>{about}</p>{_designs_key(proof)}{drawing}"


def _point(one: StatementFigures, design: str, colour: str) -> ScatterPoint:
    assert one.predicted is not None
    assert one.latency is not None
    said, found = milliseconds(one.predicted), milliseconds(one.latency.p50)
    return ScatterPoint(
        one.predicted, one.latency.p50, f"{one.name}, {design}: predicted {said} ms, measured {found} ms", colour
    )


def _by_statement(proof: Proof, title: str, about: str, of: Callable[[StatementFigures], Latency | None]) -> str:
    shown, colours, names = _shown(proof), _colours(proof), labels(proof)
    every = [found for each in shown for one in each.statements if (found := of(one)) is not None]
    if not every:
        return ""
    scale = Scale(min(each.p50 for each in every) / 1.2, max(each.p99 for each in every) * 1.2, log=True)
    parts = []
    for place, one in enumerate(shown[0].statements):
        rows = []
        for each in shown:
            found = of(each.statements[place])
            if found is not None:
                rows.append((names[each.name], _quantiles(scale, found, colours[each.name]), _three(found)))
        per_day = one.rate_per_second * SECONDS_PER_DAY
        often = f"{rate(one.rate_per_second)}/s" if one.rate_per_second >= 0.01 else f"{per_day:.3g}/day"
        parts.append(
            f'<div class="statement"><strong>{plain(one.name)}</strong> <small>{often}</small>{strips.rows(rows)}</div>'
        )
    ends = f"{milliseconds(scale.low)} ms</b><b>{milliseconds(scale.high)} ms"
    value = '<div class="value">p50 · p95 · p99, ms</div>'
    axis = f'<div class="rows axis"><div class="label"></div><span><b>{ends}</b></span>{value}</div>'
    return f"<h2>{title}</h2><p>{about}</p>{_designs_key(proof)}{axis}{''.join(parts)}"


def _quantiles(scale: Scale, found: Latency, colour: str) -> str:
    marks = [
        strips.box(scale, found.p50, found.p99, f"{colour} pale", top=8, height=4),
        strips.tick(scale, found.p50, f"p50 {colour}"),
        strips.tick(scale, found.p95, f"p95 {colour}"),
        strips.tick(scale, found.p99, f"p99 {colour}", top=5, height=10),
    ]
    return strips.strip(marks)


def _three(found: Latency) -> str:
    return " · ".join(map(milliseconds, (found.p50, found.p95, found.p99)))


def _shown(proof: Proof) -> list[RivalFigures]:
    """The chosen design, the designs by rule and those from files, as many as can be distinguished."""
    known = [each for each in proof.designs if any(one.latency for one in each.statements)]
    first = [each for each in known if each.name == proof.advised]
    first += [each for each in known if ":" not in each.name and each.name not in (*YARDSTICKS, proof.advised)]
    first += [each for each in known if each.name in YARDSTICKS]
    return [each for each in first if not each.name.startswith("random")][:MOST_SHOWN]


def _colours(proof: Proof) -> dict[str, str]:
    """A colour class for each design."""
    shown = [each.name for each in _shown(proof)]
    return {each.name: COLOURS[shown.index(each.name)] if each.name in shown else "c4" for each in proof.designs}


def _designs_key(proof: Proof) -> str:
    colours, names = _colours(proof), labels(proof)
    return _key([(colours[each.name], names[each.name]) for each in _shown(proof)])


def _key(entries: Sequence[tuple[str, str]]) -> str:
    inside = "".join(f'<span><i class="{colour}"></i>{plain(what)}</span>' for colour, what in entries)
    return f'<div class="key">{inside}</div>'


def _label(each: RivalFigures, proof: Proof) -> str:
    told = difference(each.name)
    return f"{labels(proof)[each.name]}: {told}" if told else labels(proof)[each.name]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, of: str = "numbers") -> str:
    """A table of aligned numbers or of wrapped words."""
    head = "".join(f"<th>{plain(name)}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(f'<td>{plain(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="scroll"><table class="{of}"><tr>{head}</tr>{body}</table></div>'
