"""Every statement on all rivals side by side: the answers compared while all of them hold the same rows, the work counted.

The answer most designs give is the right one; where as many give another, the normalized design's. A different one is stale when
the same statement, asked without copies that may be behind, gives the right one on that design, and wrong otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack

from nestling.executors.drive import Answer, Shape, execute, profiled, same
from nestling.executors.drive.execution import execute_exact
from nestling.ir.trace import Block, Call
from nestling.pipeline.proving.contender import Contender, in_race

SIMPLEST = "normalized"


def check(contenders: list[Contender], block: Block, shapes: Mapping[str, Shape]) -> None:
    """Run a block on all rivals, execution by execution; disqualifies those that answer wrong."""
    with ExitStack() as stack:
        racing = in_race(contenders)
        notes = {each.name: stack.enter_context(profiled(each.database)) for each in racing}
        for call in block:
            racing = in_race(contenders)
            answers = {}
            for each in racing:
                notes[each.name].since()
                _, answers[each.name] = execute(each.running, call.statement, call.values)
                if (work := notes[each.name].since()) is not None:
                    each.examined.setdefault(call.statement, []).append(work)
            judge(racing, call, answers, shapes[call.statement])


def ask_again(contenders: list[Contender], call: Call, shape: Shape) -> None:
    """A read asked again of all rivals, since their digests differed."""
    racing = in_race(contenders)
    judge(racing, call, {each.name: execute(each.running, call.statement, call.values)[1] for each in racing}, shape)


def judge(racing: list[Contender], call: Call, answers: Mapping[str, Answer], shape: Shape) -> None:
    """Compare the answers to one execution."""
    right = _right(answers, shape)
    for each in racing:
        answer = answers[each.name]
        each.compared[call.statement] += 1
        if answer.failed:
            each.out(f"`{call.statement}` fails: {answer.failed}")
        elif right is not None and not same(answer, right, shape):
            exact = execute_exact(each.running, call.statement, call.values)
            if exact is not None and same(exact, right, shape):
                each.stale[call.statement] += 1
            else:
                each.out(f"`{call.statement}` gives another answer: {said(answer)}, where others give {said(right)}")


def _right(answers: Mapping[str, Answer], shape: Shape) -> Answer | None:
    """The answer most give; None when all fail."""
    groups: list[tuple[Answer, list[str]]] = []
    for name, answer in answers.items():
        if answer.failed:
            continue
        group = next((names for first, names in groups if same(first, answer, shape)), None)
        if group is None:
            groups.append((answer, [name]))
        else:
            group.append(name)
    if not groups:
        return None
    return max(groups, key=lambda group: (len(group[1]), SIMPLEST in group[1]))[0]


def said(answer: Answer) -> str:
    """An answer in words."""
    if answer.failed or answer.refused:
        return f"a refusal ({answer.refused})" if answer.refused else answer.failed
    if answer.affected is not None:
        return f"{answer.affected:,} changed rows"
    first = f", first {answer.rows[0]!r:.160}" if answer.rows else ""
    return f"{len(answer.rows):,} rows{first}"
