"""The plugin in runs of pytest of its own: simulated devices, findings by test, failures, workers."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent

import pytest

from devlint.integrations.under_pytest import begin  # noqa: F401 - so that no inner run imports torch anew
from devlint.report import FORMATS, renderer
from devlint.rules.registry import all_rules

pytest_plugins = "pytester"

SIMULATED = ("--devlint-simulate=cuda", "--devlint-format=concise")


@pytest.fixture(autouse=True)
def _imported() -> None:
    """Import now what would else be imported within an inner run, and be dropped after it."""
    all_rules()
    for name in FORMATS:
        renderer(name)


def run(pytester: pytest.Pytester, source: str, *options: str) -> pytest.RunResult:
    pytester.makepyfile(test_it=dedent(source))
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", *options)


READS = """
    import pytest, torch

    def read(times=12):
        x = torch.ones(3, device="cuda")
        for _ in range(times):
            x.sum().item()
"""


def test_without_torch_one_line_says_what_to_install(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it="def test_nothing(): pass")
    script = """
        import importlib.util, sys, pytest
        find = importlib.util.find_spec
        importlib.util.find_spec = lambda name, *rest: None if name == "torch" else find(name, *rest)
        sys.exit(pytest.main(["-p", "no:cacheprovider", "--devlint"]))
    """
    done = subprocess.run(
        [sys.executable, "-c", dedent(script)], capture_output=True, text=True, check=False, cwd=pytester.path
    )
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert done.stderr.strip() == "ERROR: devlint needs torch to observe tests: `pip install torch`"


def test_switched_off_it_imports_neither_torch_nor_the_observer(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it="def test_nothing(): pass")
    script = """
        import sys, pytest
        assert pytest.main(["-p", "no:cacheprovider"]) == 0
        assert "devlint.integrations.pytest_plugin" in sys.modules
        print([name for name in sys.modules if name == "torch" or name.startswith("devlint.r")])
    """
    done = subprocess.run(
        [sys.executable, "-c", dedent(script)], capture_output=True, text=True, check=False, cwd=pytester.path
    )
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_the_marker_is_known_when_it_is_off(pytester: pytest.Pytester) -> None:
    source = """
        import pytest

        @pytest.mark.devlint(sync="disallow")
        def test_nothing():
            pass
    """
    result = run(pytester, source, "--strict-markers")
    result.assert_outcomes(passed=1)
    assert "devlint ===" not in result.stdout.str()


def test_devices_are_there_when_modules_are_imported(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("import torch\nAVAILABLE = torch.cuda.is_available()")
    source = """
        import pytest, torch
        from conftest import AVAILABLE

        pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")

        @pytest.mark.parametrize("ordinal", range(torch.cuda.device_count()))
        def test_device(ordinal):
            assert torch.zeros(2, device=f"cuda:{ordinal}").device.index == ordinal

        def test_conftest():
            assert AVAILABLE
    """
    run(pytester, source, *SIMULATED, "--devlint-devices=2").assert_outcomes(passed=3)


def test_afterwards_the_devices_are_gone(pytester: pytest.Pytester) -> None:
    import torch  # noqa: PLC0415

    before = torch.cuda.is_available
    run(pytester, "def test_nothing(): pass", *SIMULATED)
    assert torch.cuda.is_available is before


def test_a_finding_of_several_tests_is_one(pytester: pytest.Pytester) -> None:
    source = (
        READS
        + """
    @pytest.mark.parametrize("number", range(5))
    def test_read(number):
        read()

    def test_other():
        pass
    """
    )
    result = run(pytester, source, *SIMULATED)
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines(
        [
            "*= devlint =*",
            "test_it.py:6:9: DL201 *(60 times)",
            "   in test_it.py::test_read?0?, test_it.py::test_read?1?, test_it.py::test_read?2? and 2 more",
            "Found 1 finding.",
            "In all: 60 waits.",
        ]
    )


def test_a_mismatch_fails_where_it_is_and_is_explained(pytester: pytest.Pytester) -> None:
    source = """
        import torch

        def test_mismatch():
            x = torch.ones(3, device="cuda")
            y = torch.ones(3)
            x + y
    """
    result = run(pytester, source, *SIMULATED)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            ">       x + y",
            "E  *RuntimeError: Expected all tensors to be on the same device*",
            "E  *devlint: DL102 *",
        ]
    )
    result.stdout.fnmatch_lines(
        [
            "test_it.py:5:?: DL102 *",  # Python 3.10 knows lines only
            "   in test_it.py::test_mismatch",
        ]
    )
    result.stdout.no_fnmatch_line("*devlint/runtime/*: *Error")


def test_a_marker_forbids(pytester: pytest.Pytester) -> None:
    source = (
        READS
        + """
    @pytest.mark.devlint(sync="disallow")
    class TestStrict:
        def test_refused(self):
            read(1)

        @pytest.mark.devlint(sync="log")
        def test_the_nearest_marker_decides(self):
            read(1)

    def test_others_go_on():
        read(1)
    """
    )
    result = run(pytester, source, *SIMULATED)
    result.assert_outcomes(failed=1, passed=2)
    result.stdout.fnmatch_lines([">           x.sum().item()", "E *DisallowedError: *makes the host wait*"])


def test_a_level_for_all_tests_leaves_collection_alone(pytester: pytest.Pytester) -> None:
    source = (
        READS
        + """
    def test_refused():
        read(1)

    @pytest.mark.devlint(sync="allow")
    def test_allowed():
        read()
    """
    )
    result = run(pytester, source, *SIMULATED, "--devlint-sync=disallow")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.no_fnmatch_line("*DL201*")


@pytest.mark.parametrize(
    ("marker", "complaint"),
    [
        ('sync="never"', "*test_it.py::test_it: @pytest.mark.devlint: sync='never': choose from allow, log*"),
        ('synk="log"', "*test_it.py::test_it: @pytest.mark.devlint takes mismatch=, sync=, *nothing else*"),
        ('"disallow"', "*test_it.py::test_it: @pytest.mark.devlint takes *"),
        ('fail_on="DL999"', "*test_it.py::test_it: @pytest.mark.devlint: fail_on: unknown rule code*"),
        ("sync=True", "*test_it.py::test_it: @pytest.mark.devlint: sync=True: choose from*"),
    ],
)
def test_a_marker_that_makes_no_sense(pytester: pytest.Pytester, marker: str, complaint: str) -> None:
    source = f"""
        import pytest

        @pytest.mark.devlint({marker})
        def test_it():
            pass
    """
    result = run(pytester, source, "--devlint")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {complaint}"])


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--devlint-simulate=tpu"], "--devlint-simulate: 'tpu': choose from cuda, xpu, mps"),
        (["--devlint", "--devlint-devices=2"], "--devlint-devices needs --devlint-simulate*"),
        (
            ["--devlint-simulate=cuda", "--devlint-devices=no"],
            "--devlint-devices: `no` is not a number of devices",
        ),
        (
            ["--devlint-simulate=cuda", "--devlint-devices=1000"],
            "--devlint-devices: so many devices cannot be simulated; there can be 1 to 128",
        ),
        (["--devlint", "--devlint-sync=maybe"], "--devlint-sync='maybe': choose from allow, log, disallow"),
        (["--devlint", "--devlint-select=XX"], "*unknown rule code `XX`*"),
        (["--devlint", "--devlint-fail-on=XX"], "--devlint-fail-on: unknown rule code `XX`*"),
        (["--devlint", "--devlint-format=xml"], "--devlint-format: 'xml': choose from full, concise, github"),
    ],
)
def test_an_option_that_makes_no_sense(pytester: pytest.Pytester, options: list[str], complaint: str) -> None:
    result = run(pytester, "def test_it(): pass", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {complaint}"])


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            ["--devlint-fail-on=DL1", "--devlint-sync=log"],
            "--devlint-sync, --devlint-fail-on: no effect without --devlint, *",
        ),
        (["--devlint-fail-on=XX"], "--devlint-fail-on: unknown rule code `XX`*"),
        (["--devlint-sync=maybe"], "--devlint-sync='maybe': choose from allow, log, disallow"),
        (["--devlint-devices=2"], "--devlint-devices needs --devlint-simulate*"),
    ],
)
def test_an_option_without_the_switch_is_refused(
    pytester: pytest.Pytester, options: list[str], complaint: str
) -> None:
    result = run(pytester, "def test_it(): pass", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {complaint}"])
    assert len(result.stderr.str().strip().splitlines()) == 1


def test_settings_of_a_file_wait_for_the_switch(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ndevlint_fail_on = DL1\ndevlint_sync = disallow")
    result = run(pytester, "def test_it(): pass")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*= devlint =*")


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("devlint.toml", 'select=["XX"]', "*devlint.toml: `select`: unknown rule code `XX`*"),
        (
            "pyproject.toml",
            "[tool.devlint]\ncolour = 1",
            "*`tool.devlint.colour` is not a setting of devlint*",
        ),
        (".devlint.toml", "select = [", "*.devlint.toml: is not valid TOML*"),
    ],
)
@pytest.mark.parametrize("options", [["--devlint"], ["--devlint", "-n2"]])
def test_a_configuration_that_makes_no_sense_is_refused_before_any_test(
    pytester: pytest.Pytester, name: str, text: str, complaint: str, options: list[str]
) -> None:
    pytester.path.joinpath(name).write_text(text)
    result = run(pytester, "raise AssertionError('it was imported')", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {complaint}"])
    assert len(result.stderr.str().strip().splitlines()) == 1


def test_findings_fail_tests(pytester: pytest.Pytester) -> None:
    source = (
        READS
        + """
    def test_read():
        read()

    @pytest.mark.devlint(fail_on=[])
    def test_pardoned():
        read()

    @pytest.mark.xfail(reason="known")
    def test_fails_anyway():
        read()
        raise ValueError

    @pytest.fixture
    def reads_late():
        yield
        read()

    def test_teardown(reads_late):
        pass
    """
    )
    result = run(pytester, source, *SIMULATED, "--devlint-fail-on=DL1,DL201")
    result.assert_outcomes(failed=1, passed=2, xfailed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["devlint has findings that fail this test:", "", "test_it.py:6:9: DL201 *", "*12 times*", "*help: *"]
    )


def test_the_configuration_file_has_the_same_settings(pytester: pytest.Pytester) -> None:
    pytester.makeini(
        """
        [pytest]
        devlint = true
        devlint_simulate = cuda
        devlint_devices = 3
        devlint_fail_on = DL2
        devlint_ignore = DL202 DL203
        devlint_format = concise
        """
    )
    source = (
        READS
        + """
    def test_devices():
        assert torch.cuda.device_count() == 3

    def test_read():
        read()

    def test_ignored():
        for _ in range(12):
            str(torch.ones(1, device="cuda"))
    """
    )
    result = run(pytester, source)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["test_it.py:6:9: DL201 *"])
    result.stdout.no_fnmatch_line("*DL203*")


def test_the_command_line_outranks_the_configuration_file(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ndevlint_simulate = cuda\ndevlint_devices = 3\ndevlint_select = DL1")
    source = (
        READS
        + """
    def test_devices():
        assert torch.cuda.device_count() == 2
        read()
    """
    )
    result = run(pytester, source, "--devlint-devices=2", "--devlint-select=DL2")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*DL201*"])


def test_comments_suppress(pytester: pytest.Pytester) -> None:
    source = """
        import torch

        def test_read():
            x = torch.ones(3, device="cuda")
            for _ in range(12):
                x.sum().item()  # devlint: ignore[DL201]
    """
    result = run(pytester, source, *SIMULATED, "--devlint-fail-on=DL2")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*= devlint =*", "Nothing was found."])


def test_workers_hand_over_what_they_found(pytester: pytest.Pytester) -> None:
    source = (
        READS
        + """
    @pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
    @pytest.mark.parametrize("number", range(4))
    def test_read(number):
        read()

    @pytest.mark.devlint(sync="disallow")
    def test_refused():
        read(1)
    """
    )
    result = run(pytester, source, *SIMULATED, "-n2")
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(
        ["*= devlint =*", "test_it.py:6:9: DL201 *(48 times)", "   in *and 1 more", "Found 1 finding."]
    )
