"""The page of a run, as someone with a mouse, a keyboard or a screen reader uses it."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from devlint.report.profile import Lane
from tests.browser.conftest import Open, logged, prefer, problems, visit
from tests.cli.programs import observed
from tests.report.profiles import profile

_NEEDED = "needs Selenium: python -m pip install -e '.[dev]'"
Keys: Any = pytest.importorskip("selenium.webdriver.common.keys", reason=_NEEDED).Keys
WebDriverWait: Any = pytest.importorskip("selenium.webdriver.support.ui", reason=_NEEDED).WebDriverWait
SECONDS = 60
"""How long a browser that has much else to do may take."""
ActionChains: Any = pytest.importorskip("selenium.webdriver", reason=_NEEDED).ActionChains


def text(browser: Any, id_: str) -> str:
    said: str = browser.find_element("id", id_).text
    return said


def says(browser: Any, beginning: str) -> None:
    """Wait until the page says that so much is shown: a form is reset, for one, after the click is done."""
    WebDriverWait(browser, SECONDS).until(
        lambda page: text(page, "status").startswith(beginning), f"not {beginning!r}"
    )


def cards(browser: Any) -> list[str]:
    """The codes of the findings that are shown."""
    found = browser.find_elements("css selector", "[data-finding]")
    return [re.findall(r"DL\d{3}", card.text)[0] for card in found if card.is_displayed()]


def table(browser: Any, id_: str) -> list[list[str]]:
    cells = "[...document.getElementById(arguments[0]).rows].map(r => [...r.cells].map(c => c.innerText))"
    rows: list[list[str]] = browser.execute_script(f"return {cells}", id_)
    return rows


def open_events(browser: Any) -> None:
    """Open the table of events, which is filled when the browser says that it is open."""
    browser.find_element("css selector", "#events summary").click()
    WebDriverWait(browser, SECONDS).until(lambda page: text(page, "events-caption"))


def choose(browser: Any, id_: str, value: str) -> None:
    browser.find_element("css selector", f"#{id_} option[value='{value}']").click()


def focused(browser: Any) -> str:
    named: str = browser.execute_script("return document.activeElement.id")
    return named


def test_it_is_whole_and_asks_for_nothing(shown: Open) -> None:
    browser = shown(profile())
    assert problems(browser) == []
    asked = [
        entry["params"]["request"]["url"]
        for entry in logged(browser)
        if entry["method"] == "Network.requestWillBeSent"
    ]
    assert [url.rpartition("/")[2] for url in asked] == ["report.html"]
    says(browser, "100 of 100 waits and copies, 2 of 2 findings and advice")
    assert cards(browser) == ["DL105", "DL201"]


def test_a_place_is_shown_in_the_source_by_a_click(shown: Open) -> None:
    browser = shown(profile())
    browser.find_element("css selector", "[data-finding='1'] .place").click()
    assert focused(browser) == "code"
    (line,) = browser.find_elements("css selector", "#code .target")
    assert "losses.append(loss.item())" in line.text
    assert "20\N{MULTIPLICATION SIGN}" in line.text
    assert "DL201" in line.text
    assert line.is_displayed()


def test_what_is_typed_filters_everything(shown: Open) -> None:
    browser = shown(profile())
    browser.find_element("id", "text").send_keys("item")
    says(browser, "20 of 100 waits and copies, 1 of 2 findings and advice")
    assert cards(browser) == ["DL201"]
    ((place, what, device, often, waited, _, rules),) = table(browser, "places-rows")
    assert place.splitlines() == ["train.py:6:19", "loss.item()"]
    assert what.strip() == "wait: torch.Tensor.item of loss"
    assert (device, often, waited, rules) == ("cuda:0, cuda:1", "20", "20 ms", "DL201")
    hot = browser.find_elements("css selector", "#code .hot")
    assert [line.text.split() for line in hot] == [["20\N{MULTIPLICATION SIGN}", "20", "ms"]]
    browser.find_element("id", "text").send_keys(" nothing has this name")
    says(browser, "0 of 100 waits and copies, 0 of 2 findings and advice")
    assert browser.find_element("id", "no-findings").is_displayed()


def test_kinds_devices_and_rules_filter(shown: Open) -> None:
    browser = shown(profile())
    waits, to_device, _ = browser.find_elements("css selector", "#kinds input")
    waits.click()
    says(browser, "40 of 100")
    to_device.click()
    says(browser, "20 of 100")
    choose(browser, "lane", "1")
    says(browser, "10 of 100")
    browser.find_element("css selector", "button[type=reset]").click()
    says(browser, "100 of 100")
    choose(browser, "rule", "DL105")
    says(browser, "40 of 100")
    assert cards(browser) == ["DL105"]
    choose(browser, "rule", "none")
    says(browser, "0 of 100")  # one leads to a finding, the others are about one
    assert cards(browser) == []


def test_lines_that_were_not_run_are_grey(shown: Open) -> None:
    browser = shown(replace(profile(), unrun={"train.py": frozenset({6})}))
    (line,) = browser.find_elements("css selector", "#code .idle")
    assert "losses.append(loss.item())" in line.text
    assert browser.find_element("id", "unrun-help").is_displayed()
    browser = shown(profile())
    assert browser.find_elements("css selector", "#code .idle") == []
    assert not browser.find_element("id", "unrun-help").is_displayed()


def test_a_part_of_the_timeline_is_counted_alone(shown: Open) -> None:
    browser = shown(profile())
    plot = browser.find_element("id", "plot")
    width = plot.size["width"]
    move = ActionChains(browser).move_to_element_with_offset(plot, -width // 2 + 2, 0)
    move.click_and_hold().move_by_offset(width // 4, 0).release().perform()
    found = re.match(r"(\d+) of 100 waits and copies, .*, from (\d+)", text(browser, "status"))
    assert found is not None
    assert 24 <= int(found[1]) <= 27, "a quarter of a hundred events, and those that it cuts"
    assert sum(int(row[3]) for row in table(browser, "places-rows")) == int(found[1])
    browser.find_element("id", "zoom-all").click()
    says(browser, "100 of 100 waits and copies, 2 of 2 findings and advice")


def test_the_timeline_is_gone_through_by_keyboard(shown: Open) -> None:
    browser = shown(profile())
    browser.find_element("id", "zoom-all").send_keys(Keys.TAB)
    assert focused(browser) == "plot"

    def press(*keys: str) -> str:
        ActionChains(browser).send_keys(*keys).perform()
        return text(browser, "event")

    assert "wait for cuda:0, torch.Tensor.to of batch" in text(browser, "event")
    assert "torch.Tensor.item of loss, the host waited 1.0 ms" in press(Keys.ARROW_RIGHT)
    assert "torch.Tensor.to of batch" in press(Keys.ARROW_LEFT)
    assert "copy to a device (cuda:0), cpu → cuda" in press(Keys.ARROW_DOWN)
    assert "after 18 steps" in press(Keys.END)
    assert "at 0 s" in press(Keys.HOME)
    press("+", "+")
    assert ", from " in text(browser, "status")
    press(Keys.ESCAPE)
    says(browser, "100 of 100")
    press(Keys.ENTER)
    assert focused(browser) == "code"
    assert 'batch.to("cuda")' in browser.find_element("css selector", "#code .target").text


def test_rows_of_many_ranks_are_scrolled_to(shown: Open) -> None:
    run = profile(steps=64)
    lanes = [replace(act, lane=Lane(act.lane.device, rank)) for rank in range(32) for act in run.acts]
    moments = [replace(each, act=each.act + each.step // 2 * len(run.acts)) for each in run.moments]
    browser = shown(replace(run, acts=lanes, moments=moments))
    browser.find_element("id", "plot").send_keys(*[Keys.ARROW_DOWN] * 40)
    assert "rank 6, cuda:1" in text(browser, "event")
    row, chart = (browser.find_element("css selector", name).rect for name in ("#rows .current", ".chart"))
    assert chart["y"] <= row["y"]
    assert row["y"] + row["height"] <= chart["y"] + chart["height"]


def test_the_timeline_says_what_lies_under_the_mouse(shown: Open) -> None:
    browser = shown(profile())
    plot = browser.find_element("id", "plot")
    down = -plot.size["height"] // 2 + 33  # in the middle of the second row, which is that of the waits
    right = plot.size["width"] // 40  # of a hundred milliseconds the 53rd, in which the value is read
    ActionChains(browser).move_to_element_with_offset(plot, right, down).perform()
    assert text(browser, "event").startswith("wait for cuda:0, torch.Tensor.item of loss")


def test_the_table_of_places_is_sorted_by_its_heads(shown: Open) -> None:
    browser = shown(profile())
    heads = browser.find_elements("css selector", "#places-head th")
    waited = next(head for head in heads if head.text.startswith("Host waited"))
    assert waited.get_attribute("aria-sort") == "descending"
    copied = next(head for head in heads if head.text == "Copied")
    copied.find_element("css selector", "button").click()
    assert copied.get_attribute("aria-sort") == "descending"
    assert [row[5] for row in table(browser, "places-rows")][:2] == ["20 kB", "320 bytes"]
    copied.find_element("css selector", "button").send_keys(Keys.ENTER)
    assert copied.get_attribute("aria-sort") == "ascending"
    assert [row[5] for row in table(browser, "places-rows")][-1] == "20 kB"


def test_the_events_are_a_table_too(shown: Open) -> None:
    browser = shown(profile(steps=30))
    open_events(browser)
    assert text(browser, "events-caption") == "Events 1 to 100 of 150"
    assert table(browser, "events-rows")[2][:3] == ["2.0 ms", "0", "wait: torch.Tensor.item of loss"]
    browser.find_element("id", "events-on").click()
    assert text(browser, "events-caption") == "Events 101 to 150 of 150"
    assert len(table(browser, "events-rows")) == 50
    assert not browser.find_element("id", "events-on").is_enabled()


def test_copies_between_devices_have_a_row_of_the_device_that_they_go_to(
    browser: Any, tmp_path: Path
) -> None:
    (tmp_path / "pipeline.py").write_text(
        "import torch\n"
        "first = torch.ones(4, device='cuda:0')\n"
        "for _ in range(5):\n"
        "    second = first.to('cuda:1')\n"
        "    first.copy_(second)\n"
    )
    options = ("--simulate", "cuda", "--devices", "2", "-q", "--report", "report.html")
    done = observed(tmp_path, *options, "pipeline.py")
    assert done.code == 0, done.err
    page = visit(browser, tmp_path / "report.html")
    assert text(page, "status").startswith("10 of 10 waits and copies")
    rows = [row.text for row in page.find_elements("css selector", "#rows > div")]
    assert rows == ["cuda:0", "Copies between", "cuda:1", "Copies between"]
    page.find_element("id", "plot").send_keys(Keys.HOME)
    assert text(page, "event").startswith(
        "copy between devices (cuda:0), cuda:1 → cuda:0, torch.Tensor.copy_"
    )
    page.find_element("id", "plot").send_keys(Keys.ARROW_DOWN)
    assert text(page, "event").startswith("copy between devices (cuda:1), cuda:0 → cuda:1, torch.Tensor.to")
    assert drawn(page, BETWEEN) > 100
    assert "10 copies between devices\n160 bytes" in page.find_element("css selector", ".tiles").text


def test_a_run_that_measured_no_time_shows_none(shown: Open) -> None:
    browser = shown(profile(timed=False))
    assert "no time was measured" in browser.find_element("css selector", ".notes").text
    assert "No time was measured" in text(browser, "timeline-scale")
    assert "Host waited" not in text(browser, "places-head")
    open_events(browser)
    assert table(browser, "events-rows")[1][0] == "2", "the second event, and not a time"
    shown_text = browser.find_element("css selector", "main").text
    assert not re.search(r"\d (s|ms|µs)\b", shown_text)


def test_a_run_that_neither_waited_nor_copied_has_its_findings_and_source(shown: Open) -> None:
    idle = replace(profile(), acts=[], moments=[])
    browser = shown(idle)
    assert problems(browser) == []
    assert cards(browser) == ["DL105", "DL201"]
    assert not browser.find_element("id", "timeline").is_displayed()
    assert not browser.find_element("id", "places").is_displayed()
    assert "losses.append(loss.item())" in text(browser, "code")
    nothing = replace(idle, origins=[], report=idle.report._replace(findings=[]))
    browser = shown(nothing)
    assert problems(browser) == []
    assert "Nothing was found." in text(browser, "findings")


def test_it_is_dark_where_the_system_is_and_as_the_reader_wants(shown: Open) -> None:
    def lightness() -> int:
        colour = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3]))

    browser = shown(profile())
    assert lightness() > 700
    prefer(browser, "dark")
    assert lightness() < 100
    theme = browser.find_element("id", "theme")
    theme.click()
    assert theme.text == "Theme: light"
    assert lightness() > 700
    theme.click()
    prefer(browser, "light")
    assert lightness() < 100


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(shown: Open, scheme: str) -> None:
    """4.5 to 1, as WCAG 2.1 has it (success criterion 1.4.3)."""
    browser = shown(profile())
    prefer(browser, scheme)
    faint = browser.execute_script(CONTRAST)
    assert faint == []


CONTRAST = """
const channel = (v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const parts = (c) => { const p = c.match(/[\\d.]+/g).map(Number); return [p[0], p[1], p[2], p[3] ?? 1]; };
const over = (top, below) => top.slice(0, 3).map((v, i) => v * top[3] + below[i] * (1 - top[3]));
const light = (c) => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
function behind(node) {
  if (!node) return [255, 255, 255];
  const own = parts(getComputedStyle(node).backgroundColor);
  return own[3] === 1 ? own.slice(0, 3) : over(own, behind(node.parentElement));
}
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  const said = walker.currentNode.data.trim();
  if (!said || !node.checkVisibility() || node.closest("script, noscript, .skip, :disabled")) continue;
  const back = behind(node);
  const front = over(parts(getComputedStyle(node).color), back);
  const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
  const contrast = (a + 0.05) / (b + 0.05);
  if (contrast < 4.5) found.push(`${node.className || node.tagName}: ${said}: ${contrast}`);
}
return [...new Set(found)];
"""


def test_everything_that_can_be_used_has_a_name(shown: Open) -> None:
    browser = shown(profile())
    open_events(browser)
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    seen = [node for node in nodes if not node["ignored"]]
    named = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in seen]
    usable = {"button", "link", "searchbox", "checkbox", "combobox", "table", "application", "region", "main"}
    roles = {role for role, _ in named}
    assert {"button", "link", "searchbox", "checkbox", "combobox", "application"} <= roles
    assert [role for role, name in named if role in usable - {"table", "main"} and not name] == []
    headings = [node.tag_name for node in browser.find_elements("css selector", "h1, h2, h3, h4")]
    assert headings.count("h1") == 1
    assert all(int(below[1]) - int(above[1]) <= 1 for above, below in pairwise(headings))


def test_a_hundred_thousand_events_are_loaded_filtered_and_gone_through(shown: Open) -> None:
    browser = shown(profile(steps=20_000))
    says(browser, "100,000 of 100,000 waits and copies")
    browser.find_element("id", "text").send_keys("item")
    says(browser, "20,000 of 100,000")
    choose(browser, "lane", "0")
    says(browser, "10,000 of 100,000")
    open_events(browser)
    assert text(browser, "events-caption") == "Events 1 to 100 of 10,000"
    plot = browser.find_element("id", "plot")
    plot.send_keys(Keys.END)
    assert "at 100 s" in text(browser, "event")
    browser.find_element("id", "zoom-in").click()
    found = re.match(r"([\d,]+) of 100,000", text(browser, "status"))
    assert found is not None
    assert 4_990 <= int(found[1].replace(",", "")) <= 5_010
    assert drawn(browser) > 100


WAIT, BETWEEN = (217, 115, 13), (130, 80, 196)
"""Colours of the page where the system is light."""


def drawn(browser: Any, colour: tuple[int, int, int] = WAIT) -> int:
    """How many pixels of the timeline have a colour."""
    script = """
    const canvas = document.getElementById("canvas");
    const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let found = 0;
    for (let i = 0; i < data.length; i += 4) {
      found += arguments[0].every((part, j) => data[i + j] === part);
    }
    return found;
    """
    pixels: int = browser.execute_script(script, colour)
    return pixels
