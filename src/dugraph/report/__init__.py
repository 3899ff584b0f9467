"""The HTML report: a folder of results as one page that needs no network."""

from dugraph.report.write import write_report

__all__ = ["write_report"]
