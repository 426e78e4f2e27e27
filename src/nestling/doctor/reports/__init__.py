"""Reports as text: for machines (JSON, SARIF), for a browser (HTML) and for a wiki or a pull request (Markdown)."""

from nestling.doctor.reports.html import html
from nestling.doctor.reports.json import json_value
from nestling.doctor.reports.markdown import markdown
from nestling.doctor.reports.sarif import sarif

__all__ = ["html", "json_value", "markdown", "sarif"]
