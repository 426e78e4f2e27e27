"""Random small problems, with everything a problem can have; most allow some choice, not all."""

from __future__ import annotations

from hypothesis import strategies as st

from nestling.ir.design_problem import Charge, DesignProblem, Group, Limit, Load, Mode, Needs, StatementStep, Structure

RATES = st.sampled_from([0.0, 0.001, 0.5, 1.0, 3.0, 900.0])
COSTS = st.one_of(st.integers(0, 40).map(lambda n: n / 8), st.sampled_from([1e-9, 1e-4, 1e3, 1e6]))
SIGNED = st.one_of(COSTS, st.integers(-24, 0).map(lambda n: n / 8))
AMOUNTS = st.integers(0, 20).map(float)
NONE: st.SearchStrategy[list[tuple[str, float]]] = st.just([])


@st.composite
def problems(draw: st.DrawFn) -> DesignProblem:
    """Up to nine structures in up to four groups, and up to five statements."""
    names = [f"s{place}" for place in range(draw(st.integers(1, 9)))]
    some = st.lists(st.sampled_from(names), max_size=2, unique=True).map(tuple)
    few = st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True).map(tuple)
    structures = [
        Structure(name, name, float(draw(st.integers(0, 9))), draw(st.integers(0, 2)), draw(st.booleans()))
        for name in names
    ]
    rates = {f"q{place}": draw(RATES) for place in range(draw(st.integers(1, 5)))}
    statements = st.sampled_from(sorted(rates))
    loads = draw(_loads(names))
    shares = st.lists(st.tuples(st.sampled_from([load.name for load in loads]), SIGNED), max_size=2) if loads else NONE
    mode = st.builds(
        Mode,
        st.just("way"),
        some,
        COSTS,
        st.lists(st.tuples(st.sampled_from(names), SIGNED), max_size=draw(st.sampled_from([0, 2]))).map(tuple),
        st.just(()) if draw(st.booleans()) else some,
        shares.map(tuple),
    )
    default = st.builds(Mode, st.just("always"), st.just(()), COSTS)
    modes = st.tuples(st.lists(mode, max_size=4), st.lists(default, min_size=draw(st.integers(0, 1)), max_size=1))
    steps = draw(st.lists(st.tuples(statements, modes), max_size=5))
    limit = st.tuples(
        st.lists(st.tuples(few, AMOUNTS), min_size=1, max_size=4).map(tuple), st.integers(0, 40).map(float)
    )
    limits = draw(st.lists(limit, max_size=2))
    return DesignProblem(
        tuple(structures),
        draw(_groups(names)),
        tuple(draw(st.lists(st.builds(Needs, st.sampled_from(names), few), max_size=2))),
        tuple(
            StatementStep(statement, f"hop {place}", (*ways[0], *ways[1]) or (Mode("way", (), 1.0),))
            for place, (statement, ways) in enumerate(steps)
        ),
        tuple(draw(st.lists(st.builds(Charge, statements, st.just("upkeep"), few, SIGNED), max_size=5))),
        tuple(Limit(f"limit {place}", amounts, at_most) for place, (amounts, at_most) in enumerate(limits)),
        rates,
        loads,
    )


@st.composite
def _loads(draw: st.DrawFn, names: list[str]) -> tuple[Load, ...]:
    """Up to two loads, mostly of amounts that only grow."""
    amounts = AMOUNTS if draw(st.integers(0, 3)) else SIGNED
    members = st.lists(st.tuples(st.sampled_from(names), amounts), max_size=4, unique_by=lambda pair: pair[0])
    return tuple(Load(f"load {place}", tuple(draw(members)), draw(AMOUNTS)) for place in range(draw(st.integers(0, 2))))


@st.composite
def _groups(draw: st.DrawFn, names: list[str]) -> tuple[Group, ...]:
    """Mostly disjoint groups, as decisions are; now and then one that overlaps others."""
    rest = draw(st.permutations(names))
    groups: list[Group] = []
    while rest and len(groups) < 4:
        size = draw(st.integers(1, min(4, len(rest))))
        groups.append(Group(f"decision {len(groups)}", tuple(rest[:size]), draw(st.booleans())))
        rest = rest[size + draw(st.integers(0, 1)) :]
    if draw(st.integers(0, 4)) == 0:
        among = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
        groups.append(Group("crossing", tuple(among), optional=True))
    return tuple(groups)
