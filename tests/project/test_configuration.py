"""Configuration files: the nearest one holds, and what makes no sense is refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.project.configuration import ConfigurationError, Configurations
from devlint.project.content import read_regular
from devlint.project.settings import SETTINGS, Options
from devlint.report import FORMATS


def configurations(root: Path, options: Options | None = None, **more: object) -> Configurations:
    return Configurations(options or Options(), root, FORMATS, **more)  # type: ignore[arg-type]


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_every_setting_has_its_option_and_every_option_its_setting() -> None:
    assert {setting.field for setting in SETTINGS} == set(Options._fields)


def test_the_nearest_file_holds_alone(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.devlint]\nselect = ["DL1"]\nfix = true\n')
    write(tmp_path / "inner" / "devlint.toml", 'select = ["DL2", "DL4"]\nignore = ["DL4"]\n')
    (tmp_path / "inner" / "deep").mkdir()
    known = configurations(tmp_path)
    assert known.at(tmp_path).fix
    assert "DL201" not in known.at(tmp_path).rules
    inner = known.at(tmp_path / "inner" / "deep")
    assert not inner.fix
    assert {code[:3] for code in inner.rules} == {"DL2", "DL9"}


def test_order_within_a_directory(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.devlint]\noutput-format = "json"\n')
    assert configurations(tmp_path).at(tmp_path).output_format == "json"
    write(tmp_path / "devlint.toml", 'output-format = "github"\n')
    assert configurations(tmp_path).at(tmp_path).output_format == "github"
    write(tmp_path / ".devlint.toml", 'output-format = "concise"\n')
    assert configurations(tmp_path).at(tmp_path).output_format == "concise"


def test_a_pyproject_of_other_tools_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.devlint]\noutput-format = "json"\n')
    write(tmp_path / "inner" / "pyproject.toml", '[project]\nname = "x"\ndependencies = ["devlint"]\n')
    write(tmp_path / "broken" / "pyproject.toml", "[project\n")
    known = configurations(tmp_path)
    assert known.at(tmp_path / "inner").output_format == "json"
    assert known.at(tmp_path / "broken").output_format == "json"


def test_isolated_reads_nothing(tmp_path: Path) -> None:
    write(tmp_path / "devlint.toml", "nonsense = 1\n")
    assert configurations(tmp_path, isolated=True).at(tmp_path).output_format == "full"


def test_a_named_file_holds_everywhere(tmp_path: Path) -> None:
    write(tmp_path / "inner" / "devlint.toml", 'output-format = "json"\n')
    named = write(tmp_path / "ci.toml", 'output-format = "github"\n')
    assert configurations(tmp_path, file=named).at(tmp_path / "inner").output_format == "github"


def test_the_command_line_outranks_files(tmp_path: Path) -> None:
    write(
        tmp_path / "devlint.toml",
        'output-format = "json"\nfix = true\nrespect-gitignore = true\n'
        'exclude = ["a"]\nextend-exclude = ["b"]\n',
    )
    options = Options(output_format="concise", fix=False, respect_gitignore=False, extend_exclude=("c",))
    settings = configurations(tmp_path, options).at(tmp_path)
    assert settings.output_format == "concise"
    assert not settings.fix
    assert not settings.respect_gitignore
    assert [settings.excludes(tmp_path / name) for name in ("a", "b", "c", "dist")] == [
        True,
        True,
        True,
        False,
    ]


def test_per_file_ignores(tmp_path: Path) -> None:
    text = (
        'select = ["ALL"]\n[per-file-ignores]\n'
        '"tests/**" = ["DL2"]\n"__init__.py" = ["DL101"]\n"*_old.py" = ["ALL"]\n'
    )
    write(tmp_path / "devlint.toml", text)
    settings = configurations(tmp_path).at(tmp_path)
    assert "DL201" not in settings.rules_for(tmp_path / "tests" / "deep" / "test_a.py")
    assert "DL101" in settings.rules_for(tmp_path / "tests" / "test_a.py")
    assert "DL101" not in settings.rules_for(tmp_path / "package" / "__init__.py")
    assert settings.rules_for(tmp_path / "package" / "model_old.py") == {"DL900"}
    assert settings.rules_for(tmp_path / "train.py") == settings.rules


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("selct = []\n", ["`selct`", "did you mean `select`?"]),
        ("extend_select = []\n", ["`extend_select`", "did you mean `extend-select`?"]),
        ("lint = {}\n", ["`lint`", "choose from"]),
        ('select = "DL1"\n', ["`select`", "a list of rule codes"]),
        ("select = [1]\n", ["`select`", "a list of rule codes"]),
        ('select = ["DL011"]\n', ["`select`", "`DL011`", "did you mean"]),
        ('ignore = ["DL900"]\n', ["`ignore`", "DL900", "exclude"]),
        ("fix = 1\n", ["`fix`", "true or false"]),
        (
            'output-format = "pretty"\n',
            ["`output-format`", "`pretty`", "azure, concise, full, github, gitlab, json"],
        ),
        ("output-format = 3\n", ["`output-format`", "the name of an output format"]),
        ('per-file-ignores = ["DL1"]\n', ["`per-file-ignores`", "a table"]),
        ('[per-file-ignores]\n"a.py" = "DL1"\n', ["`per-file-ignores`", "a list of rule codes"]),
        ('[per-file-ignores]\n"a.py" = ["DL900"]\n', ["`per-file-ignores`", "DL900"]),
        ('exclude = ["!"]\n', ["`exclude`", "`!`"]),
        ("fix = true\nselect = ?\n", ["valid TOML", "line 2"]),
        ("\udcff", ["valid TOML"]),
        ("select = " + "[" * 5000, ["nested too deeply"]),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, text: str, parts: list[str]) -> None:
    file = tmp_path / "devlint.toml"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigurationError) as refused:
        configurations(tmp_path).at(tmp_path)
    message = str(refused.value)
    assert message.startswith(f"{file}: ")
    assert "\n" not in message
    for part in parts:
        assert part in message


def test_keys_in_pyproject_are_named_in_full(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.devlint]\nfix = 1\n")
    with pytest.raises(ConfigurationError, match=r"`tool\.devlint\.fix`"):
        configurations(tmp_path).at(tmp_path)


def test_a_named_file_must_exist_and_speak_of_devlint(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not exist"):
        configurations(tmp_path, file=tmp_path / "none.toml").at(tmp_path)
    other = write(tmp_path / "pyproject.toml", "[tool.ruff]\n")
    with pytest.raises(ConfigurationError, match=r"no table `\[tool\.devlint\]`"):
        configurations(tmp_path, file=other).at(tmp_path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "devlint.toml").mkdir()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        configurations(tmp_path).at(tmp_path)


def test_a_directory_that_is_closed_has_no_configuration_of_its_own(tmp_path: Path, closed: Path) -> None:
    write(tmp_path / "devlint.toml", 'output-format = "json"\n')
    assert configurations(tmp_path).at(closed).output_format == "json"


def test_a_named_file_in_a_closed_directory_is_refused(tmp_path: Path, closed: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read: Permission denied"):
        configurations(tmp_path, file=closed / "devlint.toml").at(tmp_path)


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "devlint.toml", "")

    def refuse(path: Path) -> bytes:
        if path == file:
            raise PermissionError(13, "Permission denied")
        return read_regular(path)

    monkeypatch.setattr("devlint.project.configuration.read_regular", refuse)
    with pytest.raises(ConfigurationError, match=r"devlint\.toml: cannot be read: Permission denied"):
        configurations(tmp_path).at(tmp_path)


def test_the_configuration_of_a_directory_very_far_above_holds(tmp_path: Path) -> None:
    write(tmp_path / "devlint.toml", 'output-format = "json"\n')
    assert configurations(tmp_path).at(tmp_path.joinpath(*["d"] * 1500)).output_format == "json"


def test_in_a_run_tests_are_no_exception_unless_a_source_says_so(tmp_path: Path) -> None:
    file = tmp_path / "tests" / "test_a.py"
    assert "DL201" not in configurations(tmp_path).at(tmp_path).rules_for(file)
    assert "DL201" in configurations(tmp_path, in_run=True).at(tmp_path).rules_for(file)
    write(tmp_path / "devlint.toml", '[per-file-ignores]\n"tests/**" = ["DL3"]\n')
    rules = configurations(tmp_path, in_run=True).at(tmp_path).rules_for(file)
    assert ("DL201" in rules, "DL301" in rules) == (True, False)


def test_the_folder_of_a_project_is_not_one_of_its_tests(tmp_path: Path) -> None:
    root = tmp_path / "tests" / "project"
    write(root / "devlint.toml", "")
    assert "DL201" in configurations(root).at(root).rules_for(root / "train.py")
    assert "DL201" not in configurations(root).at(root).rules_for(root / "package" / "tests" / "a.py")
