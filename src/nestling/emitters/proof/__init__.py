"""A proof for people and machines: its JSON, and an HTML page that needs nothing else."""

from nestling.emitters.proof.as_json import proof_json
from nestling.emitters.proof.page import html

__all__ = ["html", "proof_json"]
