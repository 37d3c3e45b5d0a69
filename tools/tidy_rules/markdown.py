"""Rules for pages."""

import re

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:")
INLINE_CODE = re.compile(r"`[^`]*`")


def _prose(source):
    """Numbered lines outside of fenced blocks."""
    fenced = False
    for number, line in enumerate(source.lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def one_title(source):
    titles = [number for number, line in _prose(source) if line.startswith("# ")]
    if len(titles) != 1:
        yield (titles[1] if titles else 1,
               f"{len(titles)} titles: a page has one line that begins with '# '")


def links_lead_somewhere(source):
    for number, line in _prose(source):
        for link in LINK.findall(INLINE_CODE.sub("", line)):
            if not _exists(source, link):
                yield number, f"{link} does not exist: correct the link"


def _exists(source, link):
    """Addresses outside and places in the same page are taken as they are."""
    if ADDRESS.match(link) or link.startswith("#"):
        return True
    target = link.split("#")[0]
    root = source.project.root
    base = root if target.startswith("/") else (root / source.name).parent
    return (base / target.lstrip("/")).exists()


RULES = (one_title, links_lead_somewhere)
