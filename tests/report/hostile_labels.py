"""Names that try to run, to break the page, or to be changed by it: a thousand of them, all different."""

import itertools

PAYLOADS = (
    "</script><script>window.PWNED=1</script>",
    "<script>document.title='PWNED'</script>",
    "<img src=x onerror=window.PWNED=1>",
    "<svg/onload=window.PWNED=1>",
    "</title><script>window.PWNED=1</script>",
    "</style><script>window.PWNED=1</script>",
    "\"><script>window.PWNED=1</script>",
    "' onmouseover='window.PWNED=1",
    "\" autofocus onfocus=\"window.PWNED=1",
    "javascript:window.PWNED=1",
    "<!-- ",
    "--><script>window.PWNED=1</script>",
    "<!--<script>",
    "]]><script>window.PWNED=1</script>",
    "<![CDATA[",
    "&lt;b&gt; &amp;amp; &#60;",
    "{{ 7 * 7 }} {% raw %} {# x #}",
    "${window.PWNED=1} `x`",
    "$\\frac{1}{0}$ \\x00 \\",
    "<iframe srcdoc='<script>parent.PWNED=1</script>'>",
    "<base href='http://127.0.0.1:9/'>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "<style>*{display:none}</style>",
    "</bdi></td></table><h1>",
    "<plaintext>",
    "<textarea>",
    "\u202eturned\u202d\u2066",
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "\U0001f9e0\U0001f468\u200d\U0001f469\u200d\U0001f467 e\u0301\u0327",
    "Z" + "\u0300\u0301\u0489" * 40,
    " \t two\nlines\r\nand\rreturns ",
    "\u2028\u2029\x85\x0b\x0c\x1b[31m\x07\x7f\x9b",
    "\ufeff\u200b\ufffe\uffff\U0010ffff",
    "=cmd|'/c calc'!A0",
    "../../etc/passwd?<x>",
    "W" * 10_000,
    "a b " * 2_500,
    "<b>" * 3_400,
)  # fmt: skip
UNFIT = ("\0a", "a\0b", "\\\0\\x00", "\ud800", "x\udfffy", "<script>\0window.PWNED=1</script>")
"""What HTML cannot hold; names of nodes and graphs may not either, but a site can be called so."""


def hostile_names(count):
    """So many names, each different; a number is put before, behind or within."""
    names = []
    for i, payload in enumerate(itertools.islice(itertools.cycle(PAYLOADS), count)):
        half = len(payload) // 2
        names.append(
            (f"{i}{payload}", f"{payload}{i}", f"{payload[:half]}{i}{payload[half:]}")[i // len(PAYLOADS) % 3]
        )
    assert len(set(names)) == count
    return names


def as_shown(text):
    """The rule of the report: NUL and lone surrogates as Python's codes, then with backslashes doubled."""
    if not any(c == "\0" or "\ud800" <= c <= "\udfff" for c in text):
        return text
    codes = {"\\": "\\\\", "\0": "\\x00"}
    return "".join(codes.get(c, f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c) for c in text)
