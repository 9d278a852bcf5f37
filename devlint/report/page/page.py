"""The page of a run, and the page of a comparison."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Any, TextIO

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from devlint.model.visible import visible
from devlint.report.amounts import count, duration, size
from devlint.report.comparison import Comparison, Verdict, measured, summed, totalled, where
from devlint.report.page.cards import cards, spans
from devlint.report.page.data import data
from devlint.report.profile import Profile
from devlint.report.totals import Seen
from devlint.version import __version__

_SCRIPTS = ("dom", "theme", "model", "filters", "timeline", "keys", "places", "events", "source", "main")
"""The order of the scripts: each uses only those before it while it loads."""


def render(profile: Profile, out: TextIO) -> None:
    """Write the page of a run."""
    script = _script(_SCRIPTS)
    _write(
        "run.html",
        out,
        script,
        profile=profile,
        cards=cards(profile),
        tiles=_tiles(profile),
        notes=list(profile.notes),
        data=data(profile),
    )


def render_comparison(comparison: Comparison, out: TextIO) -> None:
    """Write the page that compares two runs."""
    _write(
        "comparison.html",
        out,
        _script(("dom", "theme", "comparison")),
        comparison=comparison,
        remarks=list(comparison.remarks),
        totals=list(totalled(comparison)),
        verdicts=list(Verdict),
    )


def _write(template: str, out: TextIO, script: str, **values: Any) -> None:
    style = _asset("page.css")
    environment = Environment(
        loader=PackageLoader("devlint.report.page", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "spans": spans,
        "visible": visible,
        "measured": measured,
        "where": where,
        "summed": summed,
    }
    stream = environment.get_template(template).stream(
        devlint=__version__,
        style=Markup(style),
        script=Markup(script),
        policy=f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'",
        **values,
    )
    out.writelines(stream)


def _script(names: tuple[str, ...]) -> str:
    parts = "\n".join(_asset(f"{name}.js") for name in names)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text("utf-8")


def _digest(text: str) -> str:
    """The hash by which a content security policy allows a text."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _tiles(profile: Profile) -> list[tuple[str, str, str]]:
    """Totals: a number, its unit, and its cost."""
    totals = profile.report.run
    assert totals is not None
    shown, usual = len(profile.report.shown), len(profile.report.usual)
    advice = f"and {count(usual, 'piece of advice', 'pieces of advice')}" if usual else ""
    tiles = [
        (f"{shown:,}", "finding" if shown == 1 else "findings", advice),
        _tile(totals.waits, "wait", "waits"),
        _tile(totals.uploads, "copy to devices", "copies to devices"),
        _tile(totals.downloads, "copy to the host", "copies to the host"),
    ]
    if totals.between.count:  # most runs have one device
        tiles.append(_tile(totals.between, "copy between devices", "copies between devices"))
    return tiles


def _tile(seen: Seen, one: str, many: str) -> tuple[str, str, str]:
    cost = [
        *([size(seen.bytes)] if seen.bytes is not None else []),
        *([f"the host waited {duration(seen.seconds)}"] if seen.seconds is not None else []),
    ]
    about = "about " if seen.estimated else ""
    return f"{about}{seen.count:,}", one if seen.count == 1 else many, ", ".join(cost)
