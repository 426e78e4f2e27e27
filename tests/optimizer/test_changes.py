"""From today's design to a better one in steps, what saves most first."""

from __future__ import annotations

from nestling.ir.design_problem import DesignProblem, Group, Mode, Needs, StatementStep, Structure
from nestling.optimizer.changes import changes


def problem() -> DesignProblem:
    """Two homes to decide, one of which pays only with its index, and an index nobody needs."""
    names = ("a alone", "a in b", "index of a", "c alone", "c in b", "old index")
    return DesignProblem(
        structures=tuple(Structure(name, name) for name in names),
        groups=(
            Group("home of a", ("a alone", "a in b")),
            Group("home of c", ("c alone", "c in b")),
            Group("index of a", ("index of a",), optional=True),
            Group("old index", ("old index",), optional=True),
        ),
        needs=(Needs("c in b", ("a in b", "a alone")),),
        steps=(
            StatementStep("read a", "a", (Mode("join", ("a alone",), 3.0), Mode("scan", ("a in b",), 9.0))),
            StatementStep("find a", "a", (Mode("seek", ("a in b", "index of a"), 1.0), Mode("as it is", (), 8.0))),
            StatementStep("read c", "c", (Mode("join", ("c alone",), 4.0), Mode("together", ("c in b",), 1.0))),
        ),
        charges=(),
        limits=(),
        rates={"read a": 0.1, "find a": 1.0, "read c": 1.0},
    )


def test_changes_are_in_order_of_what_they_save() -> None:
    """What pays only together is one step, the step that saves most comes first, and what saves nothing last."""
    now = frozenset({"a alone", "c alone", "old index"})
    then = frozenset({"a in b", "index of a", "c in b"})
    made = changes(problem(), now, then)
    assert [(each.gone, each.come) for each in made] == [
        (("a alone",), ("a in b", "index of a")),
        (("c alone",), ("c in b",)),
        (("old index",), ()),
    ]
    assert [round(each.gain or 0.0, 9) for each in made] == [6.4, 3.0, 0.0]


def test_what_saves_nothing_by_itself_is_made_with_what_it_prepares() -> None:
    """A copy in the place of a subset needs an index to sort by: neither saves anything without the other."""
    names = ("home", "subset", "copy", "index")
    modes = (
        Mode("subset", ("subset",), 3.0),
        Mode("copy by index", ("copy", "index"), 1.0),
        Mode("copy", ("copy",), 5.0),
        Mode("join", (), 9.0),
    )
    posed = DesignProblem(
        structures=tuple(Structure(name, name) for name in names),
        groups=(Group("home", ("home",)), *(Group(name, (name,), optional=True) for name in names[1:])),
        needs=(),
        steps=(StatementStep("read", "read", modes),),
        charges=(),
        limits=(),
        rates={"read": 1.0},
    )
    made = changes(posed, frozenset({"home", "subset"}), frozenset({"home", "copy", "index"}))
    assert [(each.gone, each.come, each.gain) for each in made] == [
        ((), ("copy", "index"), 2.0),
        (("subset",), (), 0.0),
    ]


def test_a_design_that_cannot_be_priced_is_changed_without_gains() -> None:
    """Where today's design is none of those that are allowed, the changes are told and nothing is said of what they save."""
    made = changes(problem(), frozenset({"a alone"}), frozenset({"a in b", "c in b"}))
    assert [each.gain for each in made] == [None, None]


def test_nothing_to_change() -> None:
    """A design that is the best already is left alone."""
    now = frozenset({"a alone", "c alone"})
    assert changes(problem(), now, now) == ()
