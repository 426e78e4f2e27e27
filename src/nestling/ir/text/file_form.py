"""The two files: a reading (`model.yaml`) and a proposal (`design.yaml`), section by section."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from nestling.common.errors import Problem, unknown
from nestling.ir.design import Design
from nestling.ir.indexes.index_text import read_index
from nestling.ir.model import Model
from nestling.ir.proposal import Alternative, Choice, Costs, Decision, Flip, Proposal, Reason, StatementCost, Weighed
from nestling.ir.reading import Gap, GapKind, Reading
from nestling.ir.statements.sql_dialects import DIALECTS, NAMES
from nestling.ir.statistics import Statistics
from nestling.ir.text.defaults_check import default_mistakes
from nestling.ir.text.design_form import DesignForm
from nestling.ir.text.form import FileMap, FormProblems, NamedMap, Texts, without, words_schema
from nestling.ir.text.model_form import ModelForm
from nestling.ir.text.statistics_form import StatisticsForm, check_statistics
from nestling.ir.text.workload_form import RequirementsForm, StatementForm, check_requirements, check_statement
from nestling.ir.text.yaml_reader import YamlPath
from nestling.ir.text.yaml_writer import BlockMap, Plain
from nestling.ir.workload import Requirements, Workload

VERSION = 1
"""Version of the text form; a reader refuses others instead of guessing."""

ChoiceWord = Annotated[str, words_schema(Choice)]


class GapForm(FileMap):
    """Something that could not be carried over."""

    kind: Annotated[str, words_schema(GapKind)]
    what: str
    where: str = ""
    index: str = Field(
        "", description="for an index that a design cannot express: its key and options, in Extended JSON"
    )

    def to_ir(self, path: YamlPath, findings: FormProblems) -> Gap:
        """The gap."""
        if self.index:
            findings.read(lambda: read_index(self.index, self.where), (*path, "index"), otherwise=None)
        kind = findings.word(GapKind, self.kind, (*path, "kind"), otherwise=GapKind.NOTIMPL)
        return Gap(kind, self.what, self.where, index=self.index)


class ReasonForm(FileMap):
    """One step of a decision."""

    rule: str
    text: str
    number: float | None = None
    statements: Texts = Field([], description="the statements it is about")


class AlternativeForm(FileMap):
    """A choice that was not taken."""

    choice: ChoiceWord
    text: str
    cost: float | None = Field(None, description="of the best complete design with it, in seconds of work per second")
    checked: bool = Field(True, description="whether the queries of the designs in question were compiled")


class FlipForm(FileMap):
    """The value of a quantity at which a decision turns to something else."""

    quantity: str
    now: float
    at: float
    to: str
    checked: bool = Field(True, description="whether the queries of the designs in question were compiled")

    def to_ir(self) -> Flip:
        """The flip."""
        return Flip(self.quantity, self.now, self.at, self.to, self.checked)

    @staticmethod
    def from_ir(flip: Flip) -> dict[str, object]:
        """The flip point as plain values for a file."""
        return without(asdict(flip), checked=True)


class WeighedForm(FileMap):
    """A copy, a computed value or an index that was weighed."""

    pattern: str
    chosen: bool = True
    gain: float | None = Field(
        None, description="seconds of work per second that the best design with it saves compared with the best without"
    )
    price: str = Field("", description="what it costs writers")
    motives: Texts = Field([], description="statements that want it")
    flips: list[FlipForm] = Field([])
    because: str = Field("", description="the statements that pay or save most")
    about: str = Field("", description="the relationship it follows")
    instead: Texts = Field([], description="what the best design without it has instead")
    dropped: float | None = Field(
        None, description="further seconds of work per second if nothing replaces it; if omitted, the same as `gain`"
    )
    statements: Texts = Field([], description="all statements that pay or save")
    checked: bool = Field(True, description="whether the queries of the designs in question were compiled")
    threshold: float = Field(
        0.0,
        description="for a live database: what the alternative would also have to save to justify the change; not part of `gain`",
    )

    def to_ir(self, structure: str) -> Weighed:
        """What was weighed."""
        flips = tuple(form.to_ir() for form in self.flips)
        about, motives = self.about, tuple(self.motives)
        return Weighed(
            structure,
            self.pattern,
            self.chosen,
            self.gain,
            self.price,
            motives,
            flips,
            self.because,
            about,
            tuple(self.instead),
            self.dropped,
            tuple(self.statements),
            self.checked,
            self.threshold,
        )

    @staticmethod
    def from_ir(weighed: Weighed) -> Plain:
        """The weighed structure as plain values for a file."""
        entries = {
            "chosen": None if weighed.chosen else False,
            "gain": weighed.gain,
            "price": weighed.price,
            "motives": weighed.motives,
            "flips": [FlipForm.from_ir(flip) for flip in weighed.flips],
            "because": weighed.because,
            "about": weighed.about,
            "instead": weighed.instead,
            "dropped": weighed.dropped,
            "statements": weighed.statements,
            "checked": weighed.checked,
            "threshold": weighed.threshold,
        }
        return {"pattern": weighed.pattern} | without(
            entries, price="", because="", about="", checked=True, threshold=0.0
        )


class DearerForm(FileMap):
    """What the query of a statement really costs."""

    seconds: float = Field(description="of an execution")
    rate: float = Field(description="executions per second")


class CostsForm(FileMap):
    """What the design costs by the cost model, in seconds of work a second."""

    cost: float
    bound: float = Field(description="no design costs less")
    profile: str = ""
    statements: dict[str, float] = Field({}, description="seconds per execution")
    dearer: dict[str, DearerForm] = Field({}, description="statements whose query costs far more than estimated")
    rates: dict[str, float] = Field({}, description="executions per second of the statements")
    threshold: float = Field(
        0.0, description="the part of the cost that stands for the least a change to a live database has to save"
    )

    def to_ir(self) -> Costs:
        """The costs."""
        known = ((name, each) for name, each in self.dearer.items() if name in self.statements)
        dearer = tuple(StatementCost(name, each.seconds, each.rate) for name, each in known)
        statements, rates = tuple(self.statements.items()), tuple(self.rates.items())
        return Costs(self.cost, self.bound, self.profile, statements, dearer, self.threshold, rates=rates)

    @staticmethod
    def from_ir(costs: Costs | None) -> Plain:
        """The costs as plain values for a file; None for None."""
        if costs is None:
            return None
        dearer = {each.statement: {"seconds": each.seconds, "rate": each.rate_per_second} for each in costs.dearer}
        entries = {
            "statements": dict(costs.statements),
            "rates": dict(costs.rates),
            "dearer": dearer,
            "threshold": costs.threshold,
        }
        return {"cost": costs.cost, "bound": costs.bound, "profile": costs.profile} | without(
            entries, rates={}, dearer={}, threshold=0.0
        )


class DecisionForm(FileMap):
    """What was chosen for one relationship, and why."""

    choice: ChoiceWord
    patterns: Texts = Field([])
    reasons: list[ReasonForm] = Field([])
    alternatives: list[AlternativeForm] = Field([])
    flips: list[FlipForm] = Field([], description="where the decision would change")

    def to_ir(self, relationship: str, path: YamlPath, findings: FormProblems) -> Decision:
        """The decision."""
        alternatives = tuple(
            Alternative(
                findings.word(Choice, one.choice, (*path, "alternatives", n), otherwise=Choice.EMBED),
                one.text,
                one.cost,
                one.checked,
            )
            for n, one in enumerate(self.alternatives)
        )
        return Decision(
            relationship,
            findings.word(Choice, self.choice, (*path, "choice"), otherwise=Choice.EMBED),
            tuple(self.patterns),
            tuple(Reason(one.rule, one.text, one.number, tuple(one.statements)) for one in self.reasons),
            alternatives,
            tuple(form.to_ir() for form in self.flips),
        )

    @staticmethod
    def from_ir(decision: Decision) -> Plain:
        """The decision as plain values for a file."""
        reasons = [
            {"rule": reason.rule, "text": reason.text}
            | without({"number": reason.number, "statements": reason.statements})
            for reason in decision.reasons
        ]
        alternatives = [
            {"choice": str(one.choice), "text": one.text}
            | without({"cost": one.cost, "checked": one.checked}, checked=True)
            for one in decision.alternatives
        ]
        flips = [FlipForm.from_ir(flip) for flip in decision.flips]
        entries = {"patterns": decision.patterns, "reasons": reasons, "alternatives": alternatives, "flips": flips}
        return BlockMap({"choice": str(decision.choice)} | without(entries))


class FileForm(FileMap):
    """What both files have."""

    nestling: int = Field(VERSION, description="version of this text form", json_schema_extra={"const": VERSION})
    model: ModelForm
    statistics: StatisticsForm = StatisticsForm.model_validate({})
    requirements: RequirementsForm = RequirementsForm.model_validate({})
    left_out: Texts = Field(
        [], description="statements of the workload that could not be read and are ignored in every design"
    )
    in_part: Texts = Field([], description="statements that are weighed only with the parts that could be read")
    gaps: list[GapForm] = Field([])
    notes: Texts = Field([])

    def _model(self, findings: FormProblems) -> Model | None:
        if self.nestling != VERSION:
            what = f"the file has format version {self.nestling}; this nestling reads version {VERSION}"
            findings.problems.append(Problem(what=what, path=("nestling",)))
        return self.model.to_ir(("model",), findings)

    def _gaps(self, findings: FormProblems) -> tuple[Gap, ...]:
        return tuple(form.to_ir(("gaps", number), findings) for number, form in enumerate(self.gaps))

    def _numbers(self, model: Model | None, findings: FormProblems) -> tuple[Statistics, Requirements]:
        statistics = self.statistics.to_ir(("statistics",), findings, model)
        requirements = self.requirements.to_ir(("requirements",), findings)
        if model is not None:
            check_statistics(statistics, model, ("statistics",), findings)
            check_requirements(requirements, model, ("requirements",), findings)
        return statistics, requirements


class ReadingForm(FileForm):
    """`model.yaml`: one source, read."""

    origin: str = Field("", description="where it was read from")
    dialect: str = ""
    workload: NamedMap[StatementForm] = Field({}, description="name: statement")
    window_seconds: float | None = Field(
        None, gt=0, description="how long the statements were observed to measure their rates"
    )

    def to_ir(self, findings: FormProblems) -> Reading | None:
        """The reading, None when there are findings that prevent it."""
        model = self._model(findings)
        statistics, requirements = self._numbers(model, findings)
        statements = tuple(form.to_ir(n, ("workload", n), findings) for n, form in self.workload.items())
        gaps = self._gaps(findings)
        if model is None:
            return None
        if not self.origin:
            findings.problems.extend(default_mistakes(model, ("model",)))
        for statement in statements:
            check_statement(statement, model, ("workload", statement.name), findings)
        workload = Workload(statements, requirements, self.window_seconds, tuple(self.left_out), tuple(self.in_part))
        dialect = _dialect(self.dialect, findings)
        return Reading(model, workload, statistics, gaps, tuple(self.notes), self.origin, dialect)

    @staticmethod
    def from_ir(reading: Reading) -> dict[str, Plain]:
        """The file's sections."""
        statements = {one.name: StatementForm.from_ir(one) for one in reading.workload.statements}
        head = without({"origin": reading.origin, "dialect": reading.dialect}, origin="", dialect="")
        sections = {
            "statistics": StatisticsForm.from_ir(reading.statistics),
            "requirements": RequirementsForm.from_ir(reading.workload.requirements),
            "workload": BlockMap(statements),
            "window_seconds": reading.workload.window_seconds,
            "left_out": reading.workload.left_out,
            "in_part": reading.workload.in_part,
        }
        model = {"model": ModelForm.from_ir(reading.model)}
        return {"nestling": VERSION} | head | model | without(sections) | _remarks(reading.gaps, reading.notes)


class ProposalForm(FileForm):
    """`design.yaml`: a design, the decisions that led to it and the numbers it rests on."""

    strategy: str
    dialect: str = Field("sqlite", description="of the SQL in its source and workload: sqlite, postgresql or mysql")
    design: DesignForm
    decided: str = Field(
        "", description="the digest of the design as decided; if it differs, the design was changed by hand"
    )
    decisions: NamedMap[DecisionForm] = Field({}, description="relationship: what was chosen, and why")
    weighed: NamedMap[WeighedForm] = Field({}, description="structure: whether it was chosen, and what it saves")
    costs: CostsForm | None = None

    def to_ir(self, findings: FormProblems) -> Proposal | None:
        """The proposal, None when there are findings that prevent it."""
        model = self._model(findings)
        statistics, requirements = self._numbers(model, findings)
        decisions = tuple(form.to_ir(n, ("decisions", n), findings) for n, form in self.decisions.items())
        gaps = self._gaps(findings)
        dialect = _dialect(self.dialect, findings)
        design = None if model is None else self.design.to_ir(model, ("design",), findings)
        if design is None:
            return None

        def build() -> Proposal:
            weighed = tuple(form.to_ir(name) for name, form in self.weighed.items())
            costs = self.costs.to_ir() if self.costs is not None else None
            notes = tuple(self.notes)
            return Proposal(
                self.strategy,
                design,
                decisions,
                statistics,
                requirements,
                gaps,
                notes,
                weighed,
                costs,
                dialect,
                tuple(self.left_out),
                tuple(self.in_part),
                is_changed=bool(self.decided) and self.decided != _digest(design),
            )

        return findings.read(build, ("design",), otherwise=None)

    @staticmethod
    def from_ir(proposal: Proposal) -> dict[str, Plain]:
        """The file's sections."""
        decisions = {made.relationship: DecisionForm.from_ir(made) for made in proposal.decisions}
        sections = {
            "statistics": StatisticsForm.from_ir(proposal.statistics),
            "requirements": RequirementsForm.from_ir(proposal.requirements),
            "design": DesignForm.from_ir(proposal.design),
            "decided": _decided(proposal),
            "decisions": BlockMap(decisions),
            "weighed": BlockMap({each.structure: WeighedForm.from_ir(each) for each in proposal.weighed}),
            "costs": CostsForm.from_ir(proposal.costs),
            "left_out": proposal.left_out,
            "in_part": proposal.in_part,
        }
        head = {"strategy": proposal.strategy} | without({"dialect": proposal.dialect}, dialect="sqlite")
        model = {"model": ModelForm.from_ir(proposal.design.model)}
        return {"nestling": VERSION} | head | model | without(sections) | _remarks(proposal.gaps, proposal.notes)


def _decided(proposal: Proposal) -> str | None:
    """What tells the design that was decided from others; nothing where nobody decided."""
    if not (proposal.decisions or proposal.costs):
        return None
    return _CHANGED if proposal.is_changed else _digest(proposal.design)


_CHANGED = "another design"
"""In place of the digest where the design was changed by hand: written again, its file goes on saying so."""


def _digest(design: Design) -> str:
    """Twelve hexadecimal digits, the same for all that is written alike."""
    written = json.dumps(DesignForm.from_ir(design), default=str)
    return hashlib.sha256(written.encode()).hexdigest()[:12]


def _dialect(text: str, findings: FormProblems) -> str:
    """The dialect that goes by this name; empty where there is none."""
    if text and text.lower() not in NAMES:
        findings.problems.append(unknown("dialect", text, DIALECTS, path=("dialect",)))
    return NAMES.get(text.lower(), "")


def _remarks(gaps: tuple[Gap, ...], notes: tuple[str, ...]) -> dict[str, Any]:
    shown = [
        {"kind": str(g.kind), "what": g.what} | without({"where": g.where, "index": g.index}, where="", index="")
        for g in gaps
    ]
    return without({"gaps": shown, "notes": notes})
