"""Words for decisions by cost: the alternatives' costs, the decision tree's answer, and the flip points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from nestling.ir.candidate import HOMES, Bucketed, Candidate, CopiedAttribute, Mirror, Nested
from nestling.ir.design_problem import CHANGE, Solution, Weighing
from nestling.ir.model import ManyToMany, Relationship
from nestling.ir.outline import Outline
from nestling.ir.proposal import UNCHECKED, Alternative, Choice, Decision, Reason
from nestling.ir.quantity_words import first_of
from nestling.ir.rate import full_rate
from nestling.ir.rules import OUTWEIGHS
from nestling.ir.situation.situation import Situation
from nestling.ir.words.proposal_rows import UNTRIED
from nestling.ir.words.work_words import work_rate
from nestling.strategies.placement.decided_relationships import has_payload, in_model_order, plain_links, sides
from nestling.strategies.placement.nesting import Nesting
from nestling.strategies.placement.prices import embedding_price, price, reference_price
from nestling.strategies.placement.stored_twice import MOST_NAMED, copies_along, stored_twice
from nestling.strategies.placement.wording import EITHER, about_equal, causes, causing, flips, is_rounding, more, saving

MOST_STATEMENTS = 4
"""Statements named as walking along a relationship."""


def decisions(
    situation: Situation,
    candidates: Sequence[Candidate],
    solution: Solution,
    weighings: Iterable[Weighing],
    tree: Outline,
    arriving: frozenset[str] = frozenset(),
) -> tuple[Decision, ...]:
    """One decision for each relationship and many-to-many; `tree`: the decision tree's answers.

    `arriving`: structures that the design of a database in use does not have.
    """
    deciding = _Deciding(situation, candidates, solution, weighings, tree, arriving)
    found = {link.name: deciding.plain(link) for link in plain_links(situation)}
    found |= {both.name: deciding.linked(both) for both in situation.model.many_to_many}
    return in_model_order(situation, found)


class _Deciding:
    """Words for decisions; holds the data that all of them need."""

    def __init__(
        self,
        situation: Situation,
        candidates: Sequence[Candidate],
        solution: Solution,
        weighings: Iterable[Weighing],
        tree: Outline,
        arriving: frozenset[str],
    ) -> None:
        self.situation, self.solution, self.arriving = situation, solution, arriving
        self.rates = {each.name: each.rate_per_second for each in situation.reading.workload.statements}
        self.homes = {c.id: c for c in candidates if isinstance(c.part, HOMES)}
        chosen = [candidate for candidate in candidates if candidate.id in solution.chosen]
        self.kept = tuple(chosen)
        self.chosen = {c.part.entity: c for c in chosen if isinstance(c.part, HOMES)}
        self.mirrored = {c.part.link for c in chosen if isinstance(c.part, Mirror)}
        self.weighings = {each.group: each for each in weighings}
        self.tree = {made.relationship: made for made in tree.decisions}

    def plain(self, link: Relationship) -> Decision:
        """The decision on a relationship that is no half of a many-to-many."""
        home = self.chosen[link.child]
        choice = Choice.EMBED if self.along(home, [link]) else Choice.PARENT_REFERENCE
        return self._decision(link.name, choice, home, [link])

    def linked(self, both: ManyToMany) -> Decision:
        """The decision on a many-to-many: where its junction lives, and who else holds ids."""
        joined = list(sides(self.situation, both))
        home = self.chosen[both.through]
        choice = self._word(home, joined, both)
        if both.name in self.mirrored:
            choice = Choice.TWO_WAY_REFERENCE
        return self._decision(both.name, choice, home, joined, both)

    def along(self, home: Candidate, links: Sequence[Relationship]) -> bool:
        """Whether a place is inside the parent of one of the relationships, along it."""
        return isinstance(home.part, Nested) and home.part.links[0] in {link.name for link in links}

    def _word(self, home: Candidate, joined: Sequence[Relationship], both: ManyToMany | None) -> Choice:
        """The choice that a place means for a relationship: a bare junction inside one side is an array of ids."""
        if not self.along(home, joined):
            return Choice.PARENT_REFERENCE
        return Choice.CHILD_REFERENCE if both is not None and not has_payload(self.situation, both) else Choice.EMBED

    def _decision(
        self,
        name: str,
        choice: Choice,
        home: Candidate,
        joined: Sequence[Relationship],
        both: ManyToMany | None = None,
    ) -> Decision:
        weighing = self.weighings.get(f"home of {joined[0].child}", Weighing("", ()))
        others = tuple(self._alternatives(weighing, joined, home, both))
        reasons = [
            self._cost(weighing, home, others, copies_along(self.kept, joined, both)),
            *self._causes(weighing, home, joined),
            *self._walking(joined),
        ]
        reasons += [self._against_the_tree(weighing, name, choice, others), self._price(home, joined, both)]
        reasons += self._outweighing(weighing, home, joined)
        words = {name: str(self._word(candidate, joined, both)) for name, candidate in self.homes.items()}
        grouped = isinstance(home.part, Bucketed) and any(home.part.by == link.child_attributes for link in joined)
        patterns = home.patterns if grouped or self.along(home, joined) else (str(choice),)
        turns = flips(weighing, self.rates, words, str(choice))
        return Decision(name, choice, patterns, tuple(reasons), others, turns)

    def _cost(
        self, weighing: Weighing, home: Candidate, others: tuple[Alternative, ...], copies: Sequence[str]
    ) -> Reason:
        """The choice, with the copies along the relationship, compared with the runner-up."""
        here = f"{home.id} (with {first_of(copies, MOST_NAMED)})" if copies else home.id
        runner_up = next((other for other in others if other.cost is not None), None)
        if runner_up is not None and runner_up.cost is not None:
            saved, other = runner_up.cost - self.solution.cost, runner_up.text.split(":")[0]
            if is_rounding(saved, self.solution):
                return Reason("cost", f"{here} costs as much as {other}, and makes the smaller design", 0.0)
            threshold = _threshold(weighing, runner_up.cost)
            more = 0.0 if is_rounding(saved - threshold, self.solution) else saved - threshold
            is_new = home.id in self.arriving
            said = f"{about_equal(more, self.solution)}{here} {self._beside(saved, other, threshold, is_new=is_new)}"
            return Reason("cost", said if runner_up.checked else f"{said}; {UNCHECKED}", more)
        entity = home.part.entity if isinstance(home.part, HOMES) else ""
        possible = [each for each in self.homes.values() if isinstance(each.part, HOMES) and each.part.entity == entity]
        weighed = {name: cost for name, cost in weighing.alternatives if name is not None}
        others_weighed = weighed.keys() >= {each.id for each in possible if each.id != home.id}
        if weighed and others_weighed and all(cost is None for cost in weighed.values()):
            return Reason(
                "cost", f"{here}: any other place would exceed a document bound or a budget, or remove what is there"
            )
        if len(possible) > 1:
            return Reason("cost", f"{here} costs least; its alternatives were not weighed one by one")
        return Reason("cost", f"{here}: no other place for it was proposed")

    def _beside(self, saved: float, other: str, threshold: float, *, is_new: bool) -> str:
        """What the choice saves over another, or why it stays although the other costs less: a change has a threshold.

        A choice that `is_new` is a change too, but the other one is a larger change.
        """
        if threshold <= 0 and saved < 0:
            return f"is kept, though the runner-up, {other}, would save {saving(-saved, self.solution)}: {UNTRIED}"
        if threshold <= 0:
            return f"saves {saving(saved, self.solution)} over the runner-up, {other}"
        passed = f"the {CHANGE}, {saving(threshold, self.solution)}"
        stays = "is the smaller change" if is_new else "stays"
        if is_rounding(saved - threshold, self.solution):
            return f"{stays}: the runner-up, {other}, costs as much"
        if saved < threshold:
            return f"{stays}: the runner-up, {other}, would save {work_rate(threshold - saved)}, less than {passed}"
        return f"{stays}, and saves {saving(saved - threshold, self.solution)} over the runner-up, {other}"

    def _causes(self, weighing: Weighing, home: Candidate, joined: Sequence[Relationship]) -> Iterator[Reason]:
        """The statements that decide: how much more or less each costs with the runner-up."""
        for (structure, cost), differences in zip(weighing.alternatives, weighing.causes, strict=False):
            other = self.homes.get(structure or "")
            if other is not None and cost is not None and self._kind(other, joined) != self._kind(home, joined):
                if said := causes(differences, self.rates):
                    yield Reason("rule-5", f"the runner-up {said}", statements=causing(differences, self.rates))
                return

    def _outweighing(self, weighing: Weighing, home: Candidate, joined: Sequence[Relationship]) -> Iterator[Reason]:
        """The extra cost of the cheapest place on the other side, inside or outside the parent, and its statements."""
        for (structure, cost), differences in zip(weighing.alternatives, weighing.causes, strict=False):
            other = self.homes.get(structure or "")
            if other is None or cost is None or self.along(other, joined) == self.along(home, joined):
                continue
            saved, threshold = cost - self.solution.cost, dict(differences).get(CHANGE, 0.0)
            said = causes(differences, self.rates)
            text = f"{self._with_others(other, weighing)} costs {more(saved, self.solution)}" + (
                f": it {said}" if said else ""
            )
            if threshold > 0:
                text += f"; {work_rate(threshold)} of it is the {CHANGE}"
            text += EITHER if about_equal(saved, self.solution) else ""
            yield Reason(OUTWEIGHS, text, saved, causing(differences, self.rates))
            return

    def _walking(self, joined: Sequence[Relationship]) -> Iterator[Reason]:
        names = {link.name for link in joined}
        statements = self.situation.reading.workload.statements
        served = [s for s in statements if any(access.via in names for access in s.accesses)]
        if served:
            shown = first_of([f"{s.name} ({full_rate(s.rate_per_second)})" for s in served], MOST_STATEMENTS)
            yield Reason("A9", f"joined along by {shown}", statements=tuple(each.name for each in served))

    def _alternatives(
        self, weighing: Weighing, joined: Sequence[Relationship], home: Candidate, both: ManyToMany | None
    ) -> Iterator[Alternative]:
        """The cheapest alternative of each other kind, cheapest first, then why embedding is not among them."""
        seen = {self._kind(home, joined)}
        behind = dict(zip((structure for structure, _ in weighing.alternatives), weighing.causes, strict=False))
        for structure, cost in weighing.alternatives:
            candidate = self.homes.get(structure or "")
            if candidate is None or cost is None or (kind := self._kind(candidate, joined)) in seen:
                continue
            is_runner_up = len(seen) == 1  # of which `_causes` tells
            seen.add(kind)
            text = f"{self._with_others(candidate, weighing)}: {more(cost - self.solution.cost, self.solution)}"
            said = "" if is_runner_up else causes(behind.get(structure, ()), self.rates)
            text += f": it {said}" if said else ""
            if (threshold := _threshold(weighing, cost)) > 0:
                text += f"; {work_rate(threshold)} of it is the {CHANGE}"
            checked = structure not in weighing.unchecked
            text += "" if checked else f"; {UNCHECKED}"
            yield Alternative(self._word(candidate, joined, both), text, cost, checked)
        proposed = {c.part.links[0] for c in self.homes.values() if isinstance(c.part, Nested)}
        for link in joined:
            if link.name not in proposed:
                yield Alternative(self._embedded_word(both), self._refusal(link))

    def _with_others(self, home: Candidate, weighing: Weighing) -> str:
        """A place, with the other homes that move with it, because its numbers refer to all of them together."""
        come = {structure: names for (structure, _), names in zip(weighing.alternatives, weighing.come, strict=False)}
        others = [self.homes[name] for name in come.get(home.id, ()) if name in self.homes and name != home.id]
        moved = [each.id for each in others if self._moves(each)]
        return f"{home.id}, and with it {first_of(moved, MOST_NAMED)}" if moved else home.id

    def _moves(self, home: Candidate) -> bool:
        """Whether an entity lives elsewhere than it does now; one in its parent's documents may have gone there with these."""
        assert isinstance(home.part, HOMES)
        now = self.chosen.get(home.part.entity)
        both = (home.part, now.part) if now is not None else ()
        nested = [part.links[0] for part in both if isinstance(part, Nested)]
        return len(nested) < 2 or nested[0] != nested[1]

    def _embedded_word(self, both: ManyToMany | None) -> Choice:
        return Choice.CHILD_REFERENCE if both is not None and not has_payload(self.situation, both) else Choice.EMBED

    def _kind(self, home: Candidate, joined: Sequence[Relationship]) -> str:
        """Places that mean the same for these relationships: along which of them, elsewhere, in buckets, or alone."""
        match home.part:
            case Nested(links=links):
                return links[0] if self.along(home, joined) else "elsewhere"
            case Bucketed():
                return "buckets"
            case _:
                return "alone"

    def _refusal(self, link: Relationship) -> str:
        """Why no embedding along a relationship was proposed."""
        refusal = Nesting(self.situation).refusal(link)
        if refusal is not None:
            return refusal.text
        fan_out, footprint = self.situation.fan_outs[link.name], self.situation.footprints[link.name]
        if all(each.kind.writes for each in self.situation.reading.workload.statements):
            return "no statement that reads is known, so neither is what embedding would save"
        if not footprint.with_parent and not footprint.atomic:
            return f"no statement reads `{link.child}` by its `{link.parent}`: embedding would save nothing (rule-5)"
        if fan_out.grows or fan_out.largest is None:
            growing = ", and growing" if fan_out.grows else ""
            return f"`{link.child}` rows in one `{link.parent}`: {fan_out.text}{growing}; the array would have no bound (rule-4)"
        return (
            f"`{link.child}` rows in one `{link.parent}`: {fan_out.text}; more than an array should hold (rule-4, A12)"
        )

    def _against_the_tree(
        self, weighing: Weighing, name: str, choice: Choice, others: tuple[Alternative, ...]
    ) -> Reason:
        """The decision tree's answer, and the number that outweighs it (A10)."""
        made = self.tree.get(name)
        if made is None or made.choice is choice:
            return Reason("A10", "the decision tree says the same")
        deciding = [reason for reason in made.reasons if reason.rule != "A7"]
        why = f" ({deciding[-1].rule}: {deciding[-1].text})" if deciding else ""
        priced = next((o for o in others if o.choice is made.choice and o.cost is not None), None)
        if priced is None or priced.cost is None:
            return Reason("A10", f"the decision tree says {made.choice}{why}; the costs say {choice}")
        saved = priced.cost - self.solution.cost - _threshold(weighing, priced.cost)
        said = f"the costs say {about_equal(saved, self.solution)}{choice}, by {saving(saved, self.solution)}"
        if saved < 0 or is_rounding(saved, self.solution):
            said = f"{choice} stays, as the saving would be less than the {CHANGE}"
        return Reason("A10", f"the decision tree says {made.choice}{why}; {said}", saved)

    def _price(self, home: Candidate, joined: Sequence[Relationship], both: ManyToMany | None) -> Reason:
        """What the place costs writers or readers, and which values are stored more than once."""
        return Reason("price", f"{self._asked(home, joined)}; {stored_twice(self.kept, joined, both)}")

    def _asked(self, home: Candidate, joined: Sequence[Relationship]) -> str:
        inside = {link.name: link for link in joined}
        match home.part:
            case Nested(links=links) if links[0] in inside:
                return embedding_price(self.situation, inside[links[0]])
            case Bucketed():
                return price(self.situation, home)
            case _:
                return reference_price(joined[0], copied=self._is_copied(joined[0]))

    def _is_copied(self, link: Relationship) -> bool:
        """Whether the child keeps attributes of its parent."""
        parts = (each.part for each in self.kept)
        return any(isinstance(part, CopiedAttribute) and part.path[0].relationship == link.name for part in parts)


def _threshold(weighing: Weighing, cost: float) -> float:
    """The part of an alternative's extra cost that is the threshold for a change."""
    for (_, each), differences in zip(weighing.alternatives, weighing.causes, strict=False):
        if each == cost:
            return dict(differences).get(CHANGE, 0.0)
    return 0.0
