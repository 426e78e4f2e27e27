"""A proof for people and machines: its sentences, its JSON, and an HTML page that needs nothing else."""

from nestling.emitters.proof.as_json import proof_json
from nestling.emitters.proof.page import html
from nestling.ir.proof_words import Bought, bought, labels, verdict

__all__ = ["Bought", "bought", "html", "labels", "proof_json", "verdict"]
