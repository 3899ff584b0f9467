"""The HTML report of a result folder."""
