"""Runs every statement on all rivals side by side: compares answers while all hold the same rows, and counts the work.

If answers differ and SQL leaves no choice, each design is asked again without copies that may lag. The majority answer is then
taken as correct; in a tie, the normalized design's. A design that now gives this answer, but did not at first, was stale; the
others are wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack

from nestling.executors.drive import (
    AnswerShape,
    Likeness,
    StatementAnswer,
    both_right,
    execute,
    likeness,
    profiled_operations,
)
from nestling.executors.drive.execution import execute_exact
from nestling.ir.proof import ADVISED
from nestling.ir.quantity_words import counted
from nestling.ir.trace import Block, Execution
from nestling.pipeline.proving.contender import TWIN, Contender, in_race

SIMPLEST = "normalized"
TIMES_SLOWER = 4.0
"""A rival is too slow if a statement takes this many times as long as on the fastest, and exceeds the patience."""


def check_side_by_side(
    contenders: list[Contender], block: Block, shapes: Mapping[str, AnswerShape], patience_seconds: float
) -> dict[str, str]:
    """Run a block on all rivals, execution by execution.

    Disqualifies those that answer wrongly, and leaves out those on which a statement takes avoidably long. Returns the
    statements that no design can answer, each with the failure that all rivals share.
    """
    failing: dict[str, str] = {}
    with ExitStack() as stack:
        racing = in_race(contenders)
        notes = {each.name: stack.enter_context(profiled_operations(each.database)) for each in racing}
        for call in block:
            if call.statement in failing:
                continue
            racing = in_race(contenders)
            answers, seconds = {}, {}
            for each in racing:
                notes[each.name].since()
                seconds[each.name], answers[each.name] = execute(each.running, call)
                if (work := notes[each.name].since()) is not None:
                    each.examined.setdefault(call.statement, []).append(work)
            if all(answer.failed for answer in answers.values()):
                failing[call.statement] = next(answer.failed for answer in answers.values())
            else:
                judge(racing, call, answers, shapes[call.statement])
                leave_out_slow(racing, call.statement, seconds, patience_seconds)
    return failing


def leave_out_slow(
    racing: list[Contender], statement: str, seconds: Mapping[str, float], patience_seconds: float
) -> None:
    """Leave out rivals on which one execution took too long; never the chosen design."""
    fastest = min(seconds.values())
    for each in racing:
        took = seconds[each.name]
        if each.name not in (ADVISED, TWIN) and took > max(patience_seconds, TIMES_SLOWER * fastest):
            each.left_out = f"`{statement}` takes {took:,.3g} s on it, {fastest:,.3g} s on the fastest"


def ask_again(contenders: list[Contender], call: Execution, shape: AnswerShape) -> None:
    """A read asked again of all rivals, since their digests differed."""
    racing = in_race(contenders)
    judge(racing, call, {each.name: execute(each.running, call)[1] for each in racing}, shape)


def judge(racing: list[Contender], call: Execution, answers: Mapping[str, StatementAnswer], shape: AnswerShape) -> None:
    """Compare the answers to one execution."""
    for each in racing:
        each.compared[call.statement] += 1
        each.asked[call.statement] += 1
        each.refused[call.statement] += bool(answers[each.name].refused)
    first = next(iter(answers.values()))
    alike = {likeness(first, answer, shape) for answer in answers.values()}
    if Likeness.OTHER not in alike:
        if Likeness.OPEN in alike:
            for each in racing:
                each.choices[call.statement] += 1
        return
    exact = {each.name: _exact(each, call, answers[each.name]) for each in racing}
    right = _right(exact, shape)
    for each in racing:
        answer = answers[each.name]
        if answer.failed:
            each.out(f"`{call.statement}` fails: {answer.failed}")
        elif right is not None and not both_right(exact[each.name], right, shape):
            each.out(
                f"`{call.statement}` gives another answer: {answer_words(answer)}, where others give {answer_words(right)}"
            )
        elif right is not None and not both_right(answer, right, shape):
            each.stale[call.statement] += 1


def _exact(each: Contender, call: Execution, answer: StatementAnswer) -> StatementAnswer:
    """Return the answer without copies that may lag, or the given answer if none were used."""
    found = execute_exact(each.running, call)
    return answer if found is None else found


def _right(answers: Mapping[str, StatementAnswer], shape: AnswerShape) -> StatementAnswer | None:
    """Return the answer that most rivals give, or None if all fail."""
    groups: list[tuple[StatementAnswer, list[str]]] = []
    for name, answer in answers.items():
        if answer.failed:
            continue
        group = next((names for first, names in groups if both_right(first, answer, shape)), None)
        if group is None:
            groups.append((answer, [name]))
        else:
            group.append(name)
    if not groups:
        return None
    return max(groups, key=lambda group: (len(group[1]), SIMPLEST in group[1]))[0]


def answer_words(answer: StatementAnswer) -> str:
    """An answer in words."""
    if answer.failed or answer.refused:
        return f"a refusal ({answer.refused})" if answer.refused else answer.failed
    if answer.affected is not None:
        return f"{answer.affected:,} changed rows"
    first = f", first {answer.rows[0]!r:.160}" if answer.rows else ""
    return f"{counted(len(answer.rows), 'row')}{first}"
