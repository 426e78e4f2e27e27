"""The two files: a reading (`model.yaml`) and a proposal (`design.yaml`), section by section."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from nestling.common.errors import Problem
from nestling.ir.model import Model
from nestling.ir.proposal import Alternative, Choice, Decision, Proposal, Reason
from nestling.ir.reading import Gap, GapKind, Reading
from nestling.ir.statistics import Statistics
from nestling.ir.text.design_form import DesignForm
from nestling.ir.text.form import Findings, Form, Named, Texts, without, words_schema
from nestling.ir.text.model_form import ModelForm
from nestling.ir.text.statistics_form import StatisticsForm, check_statistics
from nestling.ir.text.workload_form import RequirementsForm, StatementForm, check_requirements, check_statement
from nestling.ir.text.yaml_reader import Path
from nestling.ir.text.yaml_writer import Block, Plain
from nestling.ir.workload import Requirements, Workload

VERSION = 1
"""Version of the text form; a reader refuses others instead of guessing."""

ChoiceWord = Annotated[str, words_schema(Choice)]


class GapForm(Form):
    """Something that could not be carried over."""

    kind: Annotated[str, words_schema(GapKind)]
    what: str
    where: str = ""

    def to_ir(self, path: Path, findings: Findings) -> Gap:
        """The gap."""
        return Gap(findings.word(GapKind, self.kind, (*path, "kind"), otherwise=GapKind.NOTIMPL), self.what, self.where)


class ReasonForm(Form):
    """One step of a decision."""

    rule: str
    text: str
    number: float | None = None


class AlternativeForm(Form):
    """A choice that was not taken."""

    choice: ChoiceWord
    text: str


class DecisionForm(Form):
    """What was chosen for one relationship, and why."""

    choice: ChoiceWord
    patterns: Texts = Field([])
    reasons: list[ReasonForm] = Field([])
    alternatives: list[AlternativeForm] = Field([])

    def to_ir(self, relationship: str, path: Path, findings: Findings) -> Decision:
        """The decision."""
        alternatives = tuple(
            Alternative(findings.word(Choice, one.choice, (*path, "alternatives", n), otherwise=Choice.EMBED), one.text)
            for n, one in enumerate(self.alternatives)
        )
        return Decision(
            relationship,
            findings.word(Choice, self.choice, (*path, "choice"), otherwise=Choice.EMBED),
            tuple(self.patterns),
            tuple(Reason(one.rule, one.text, one.number) for one in self.reasons),
            alternatives,
        )

    @staticmethod
    def from_ir(decision: Decision) -> Plain:
        """Its entries."""
        reasons = [
            {"rule": reason.rule, "text": reason.text} | without({"number": reason.number})
            for reason in decision.reasons
        ]
        alternatives = [{"choice": str(one.choice), "text": one.text} for one in decision.alternatives]
        entries = {"patterns": decision.patterns, "reasons": reasons, "alternatives": alternatives}
        return Block({"choice": str(decision.choice)} | without(entries))


class FileForm(Form):
    """What both files have."""

    nestling: int = Field(VERSION, description="version of this text form", json_schema_extra={"const": VERSION})
    model: ModelForm
    statistics: StatisticsForm = StatisticsForm.model_validate({})
    requirements: RequirementsForm = RequirementsForm.model_validate({})
    gaps: list[GapForm] = Field([])
    notes: Texts = Field([])

    def _model(self, findings: Findings) -> Model | None:
        if self.nestling != VERSION:
            what = f"the file is in version {self.nestling} of the text form; this nestling reads version {VERSION}"
            findings.problems.append(Problem(what=what, path=("nestling",)))
        return self.model.to_ir(("model",), findings)

    def _gaps(self, findings: Findings) -> tuple[Gap, ...]:
        return tuple(form.to_ir(("gaps", number), findings) for number, form in enumerate(self.gaps))

    def _numbers(self, model: Model | None, findings: Findings) -> tuple[Statistics, Requirements]:
        statistics = self.statistics.to_ir(("statistics",), findings)
        requirements = self.requirements.to_ir(("requirements",), findings)
        if model is not None:
            check_statistics(statistics, model, ("statistics",), findings)
            check_requirements(requirements, model, ("requirements",), findings)
        return statistics, requirements


class ReadingForm(FileForm):
    """`model.yaml`: one source, read."""

    origin: str = Field("", description="where it was read from")
    dialect: str = ""
    workload: Named[StatementForm] = Field({}, description="name: statement")

    def to_ir(self, findings: Findings) -> Reading | None:
        """The reading, None when there are findings that prevent it."""
        model = self._model(findings)
        statistics, requirements = self._numbers(model, findings)
        statements = tuple(form.to_ir(n, ("workload", n), findings) for n, form in self.workload.items())
        gaps = self._gaps(findings)
        if model is None:
            return None
        for statement in statements:
            check_statement(statement, model, ("workload", statement.name), findings)
        workload = Workload(statements, requirements)
        return Reading(model, workload, statistics, gaps, tuple(self.notes), self.origin, self.dialect)

    @staticmethod
    def from_ir(reading: Reading) -> dict[str, Plain]:
        """The file's sections."""
        statements = {one.name: StatementForm.from_ir(one) for one in reading.workload.statements}
        head = without({"origin": reading.origin, "dialect": reading.dialect}, origin="", dialect="")
        sections = {
            "statistics": StatisticsForm.from_ir(reading.statistics),
            "requirements": RequirementsForm.from_ir(reading.workload.requirements),
            "workload": Block(statements),
        }
        model = {"model": ModelForm.from_ir(reading.model)}
        return {"nestling": VERSION} | head | model | without(sections) | _remarks(reading.gaps, reading.notes)


class ProposalForm(FileForm):
    """`design.yaml`: a design, the decisions that led to it and the numbers it rests on."""

    strategy: str
    design: DesignForm
    decisions: Named[DecisionForm] = Field({}, description="relationship: what was chosen, and why")

    def to_ir(self, findings: Findings) -> Proposal | None:
        """The proposal, None when there are findings that prevent it."""
        model = self._model(findings)
        statistics, requirements = self._numbers(model, findings)
        decisions = tuple(form.to_ir(n, ("decisions", n), findings) for n, form in self.decisions.items())
        gaps = self._gaps(findings)
        design = None if model is None else self.design.to_ir(model, ("design",), findings)
        if design is None:
            return None

        def build() -> Proposal:
            return Proposal(self.strategy, design, decisions, statistics, requirements, gaps, tuple(self.notes))

        return findings.read(build, ("design",), otherwise=None)

    @staticmethod
    def from_ir(proposal: Proposal) -> dict[str, Plain]:
        """The file's sections."""
        decisions = {made.relationship: DecisionForm.from_ir(made) for made in proposal.decisions}
        sections = {
            "statistics": StatisticsForm.from_ir(proposal.statistics),
            "requirements": RequirementsForm.from_ir(proposal.requirements),
            "design": DesignForm.from_ir(proposal.design),
            "decisions": Block(decisions),
        }
        model = {"strategy": proposal.strategy, "model": ModelForm.from_ir(proposal.design.model)}
        return {"nestling": VERSION} | model | without(sections) | _remarks(proposal.gaps, proposal.notes)


def _remarks(gaps: tuple[Gap, ...], notes: tuple[str, ...]) -> dict[str, Any]:
    shown = [{"kind": str(g.kind), "what": g.what} | without({"where": g.where}, where="") for g in gaps]
    return without({"gaps": shown, "notes": notes})
