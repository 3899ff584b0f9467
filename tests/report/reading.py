"""What a reader finds on a page."""

import re
from html import unescape

import lxml.html


def read(page):
    """The elements of a page."""
    return lxml.html.fromstring(page.read_bytes(), parser=lxml.html.HTMLParser(encoding="utf-8"))


def text(part):
    """The text of an element on one line."""
    return " ".join(part.text_content().split())


def words(page):
    """The text of a page without its pictures."""
    body = re.sub(r"<(script|style|svg)\b.*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    body = re.sub(r"</?(a|bdi|code|em|kbd|span|strong)\b[^>]*>", "", body)
    return " ".join(unescape(re.sub("<[^>]*>", " ", body)).split())
