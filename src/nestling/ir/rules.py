"""The rules that decisions cite, by id: the text of each, and its source.

`A…` are statements of the published decision tree and articles, `rule-1` … `rule-5` MongoDB's general rules for schema design;
the others are nestling's own, for what every design must keep or what breaks a tie.
"""

from __future__ import annotations

from dataclasses import dataclass

ARTICLES = "6 Rules of Thumb for MongoDB Schema Design"
TREE = "MongoDB Schema Design Patterns: decision tree"
GENERAL = "General Rules for MongoDB Schema Design"
OWN_SOURCE = "nestling"
OUTWEIGHS = "outweighs"


@dataclass(frozen=True, slots=True)
class StatedRule:
    """A rule: its id, its title, its text, and its source."""

    id: str
    title: str
    text: str
    source: str


RULES = (
    StatedRule("A1", "one-to-one", "Prefer key-value pairs within the document.", GENERAL),
    StatedRule("A2", "one-to-few", "Fewer than 50 children: embed them in the parent's document.", TREE),
    StatedRule(
        "A3",
        "one-to-many",
        "50 to thousands of children: embed them if they are always read with their parent or must change atomically with"
        " it; otherwise reference, with the child ids in the parent.",
        TREE,
    ),
    StatedRule(
        "A4", "one-to-squillions", "Millions of children: the child holds its parent's id, never the reverse.", TREE
    ),
    StatedRule("A5", "many-to-many", "Reference, with arrays of ids on one or both sides.", TREE),
    StatedRule(
        "A6",
        "the decision tree",
        "Ask in this order: how many children, always accessed with the parent, accessed independently, atomic updates.",
        TREE,
    ),
    StatedRule(
        "A7",
        "the seven decision factors",
        "Read pattern, write pattern, data size, atomicity, duplication, cardinality and document size each lean to embedding"
        " or to referencing.",
        TREE,
    ),
    StatedRule("A8", "the general rules", "The five general rules, cited one by one as `rule-1` to `rule-5`.", GENERAL),
    StatedRule(
        "A9",
        "read to write ratio",
        "Read-heavy applications favour fewer reads, write-heavy ones favour cheap writes.",
        "Schema Design: recommended patterns",
    ),
    StatedRule(
        "A10",
        "where the sources disagree",
        "When two rules give different answers, both are named, with the number that decided.",
        OWN_SOURCE,
    ),
    StatedRule(
        "A11",
        "two-way referencing",
        "Both sides hold the reference; the price is two updates, and no single atomic reassignment outside a transaction.",
        ARTICLES,
    ),
    StatedRule(
        "A12",
        "the distribution decides",
        "Bounds on arrays and documents are checked against the largest fan-out known and its growth, not against the mean.",
        OWN_SOURCE,
    ),
    StatedRule("rule-1", "favour embedding", "Favour embedding unless there is a compelling reason not to.", GENERAL),
    StatedRule(
        "rule-2",
        "stand-alone access",
        "Needing to access an object on its own is a compelling reason not to embed it.",
        GENERAL,
    ),
    StatedRule(
        "rule-3",
        "joins",
        "Avoid joins and lookups if possible, but do not be afraid of them if they provide a better schema design.",
        GENERAL,
    ),
    StatedRule(
        "rule-4",
        "no unbounded arrays",
        "Arrays must not grow without bound: more than a couple of hundred documents are not embedded, and more than a few"
        " thousand are not referenced from an array of ids.",
        GENERAL,
    ),
    StatedRule(
        "rule-5",
        "access patterns decide",
        "Structure the data to match the ways the application queries and updates it.",
        GENERAL,
    ),
    StatedRule(
        "invariant",
        "what every design must keep",
        "Each row has exactly one home, nothing embeds itself, nothing exceeds a bound, and no value is lost.",
        OWN_SOURCE,
    ),
    StatedRule(
        "owner",
        "one owner for each child",
        "A child is embedded in one parent at most: the one that owns it. Preferred are parents whose key is part of the child's"
        " key, that every child has, whose deletion deletes it, that it is most often read with, that it is named after, and"
        " with a smaller fan-out.",
        OWN_SOURCE,
    ),
    StatedRule(
        "cost",
        "least cost",
        "Of all designs that keep the bounds and requirements, the one that costs the workload least by the cost model, proved"
        " against a lower bound.",
        OWN_SOURCE,
    ),
    StatedRule(
        "price",
        "what it costs writers and readers",
        "How many documents a change touches, and how long readers may see the old value.",
        OWN_SOURCE,
    ),
    StatedRule(
        OUTWEIGHS,
        "what outweighs the factors",
        "If most of the seven factors speak against the choice: the number or bound that overrides them.",
        OWN_SOURCE,
    ),
    StatedRule("strategy", "what was asked for", "The chosen strategy decides so for every relationship.", OWN_SOURCE),
)

_BY_ID = {rule.id: rule for rule in RULES}


def rule(rule_id: str) -> StatedRule | None:
    """Return the rule with that id, or None."""
    return _BY_ID.get(rule_id)
