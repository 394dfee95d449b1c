"""How the configuration is found, read and refused."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from ms_perflint.codes import previews
from ms_perflint.config.files import load, ruling
from ms_perflint.config.per_file import unread
from ms_perflint.config.settings import EXCLUDE, Config, ConfigError, FileIgnore
from ms_perflint.config.values import override, parse

DEFAULT_SET = ("MSP101", "MSP102", "MSP201", "MSP202", "MSP203", "MSP301", "MSP501", "MSP601")


def configured(root: Path, text: str) -> str:
    """Write the table into a pyproject.toml and return the path of a file beside it."""
    (root / "pyproject.toml").write_text(f"[tool.ms-perflint]\n{text}", encoding="utf-8")
    return str(root / "train.py")


def test_the_default_set_of_rules_is_a_contract(tmp_path: Path) -> None:
    assert tuple(sorted(Config(root=str(tmp_path)).codes)) == DEFAULT_SET


@pytest.mark.parametrize(
    ("select", "idle"),
    [("['MSP9']", ("MSP9",)), ("['MSP4', 'MSP3']", ("MSP4",)), ("['MSP901', 'MSP', 'ALL']", ()), ("['MSP10']", ())],
)
def test_prefixes_of_preview_rules_select_nothing(select: str, idle: tuple[str, ...], tmp_path: Path) -> None:
    assert load([configured(tmp_path, f"select = {select}\n")]).idle == idle
    assert load([configured(tmp_path, f"extend-select = {select}\n")]).idle == idle


def test_every_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = configured(
        tmp_path,
        """
select = ["MSP1", "synchronous-checkpoint"]
ignore = ["MSP102"]
extend-select = ["ALL"]
exclude = ["legacy"]
extend-exclude = ["gen/*.py"]
mindspore-version = "2.4.1"
device = "ascend"
unsafe-fixes = true
extend-safe-fixes = ["MSP3"]
line-length = 120
respect-gitignore = false

[tool.ms-perflint.per-file-ignores]
"tools/*" = ["missing-dataset-sink-mode"]
""",
    )
    assert load([path]) == Config(
        root=str(tmp_path),
        select=("MSP1", "MSP301"),
        ignore=("MSP102",),
        extend_select=("ALL",),
        per_file_ignores=(FileIgnore("tools/*", ("MSP102",)),),
        exclude=("legacy",),
        extend_exclude=("gen/*.py",),
        mindspore_version=(2, 4, 1),
        device="Ascend",
        unsafe_fixes=True,
        extend_safe_fixes=("MSP3",),
        line_length=120,
        respect_gitignore=False,
    )


def test_the_nearest_table_above_the_common_parent_rules(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "c").mkdir()
    configured(tmp_path, "line-length = 100\n")
    configured(tmp_path / "a" / "b", "line-length = 110\n")
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    inner, other = str(tmp_path / "a" / "b" / "x.py"), str(tmp_path / "a" / "c")
    assert (load([inner]).line_length, load([inner]).root) == (110, str(tmp_path / "a" / "b"))
    assert (load([inner, other]).line_length, load([inner, other]).root) == (100, str(tmp_path))
    assert load([inner], isolated=True).line_length == 88
    assert load([str(tmp_path / "a")]).line_length == 100


def test_a_named_file_rules_and_counts_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ci").mkdir()
    configured(tmp_path, "line-length = 100\n")
    configured(tmp_path / "ci", "line-length = 110\n")
    monkeypatch.chdir(tmp_path)
    config = load(["."], file=os.path.join("ci", "pyproject.toml"))
    assert (config.line_length, config.root) == (110, str(tmp_path))


def test_a_broken_file_of_somebody_else_is_not_our_matter(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.other\n")
    assert load([str(tmp_path)]) == Config(root=str(tmp_path))


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    path = configured(tmp_path, "line-length = 100\n")
    file = tmp_path / "pyproject.toml"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert load([path]).line_length == 100


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('selct = ["MSP1"]', 'selct: unknown key, did you mean "select"?'),
        ('extend_select = ["MSP1"]', 'extend_select: unknown key, did you mean "extend-select"?'),
        ("zzz = 1", "zzz: unknown key"),
        ('select = "MSP1"', 'select: expected a list of texts, like ["..."]'),
        ("select = [1]", 'select: expected a list of texts, like ["..."]'),
        ('ignore = ["MSP331"]', 'ignore: unknown rule "MSP331", did you mean "MSP301"?'),
        ('select = ["msp301"]', 'select: unknown rule "msp301", did you mean "MSP301"?'),
        ('select = ["all"]', 'select: unknown rule "all", did you mean "ALL"?'),
        ('select = ["M"]', 'select: unknown rule "M"'),
        (
            'select = ["synchronous-checkpoints"]',
            'select: unknown rule "synchronous-checkpoints", did you mean "synchronous-checkpoint"?',
        ),
        ("per-file-ignores = []", 'per-file-ignores: expected a table, like {"tests/*" = ["MSP101"]}'),
        (
            '[tool.ms-perflint.per-file-ignores]\n"a" = ["MSP30X"]',
            'per-file-ignores.a: unknown rule "MSP30X", did you mean "MSP301"?',
        ),
        ("mindspore-version = 2.4", 'mindspore-version: expected a version like "2.4" or "2.4.1", got 2.4'),
        ('mindspore-version = "two"', 'mindspore-version: expected a version like "2.4" or "2.4.1", got "two"'),
        ('device = "asend"', 'device: expected one of Ascend, GPU, CPU, got "asend", did you mean "Ascend"?'),
        ('unsafe-fixes = "yes"', 'unsafe-fixes: expected true or false, got "yes"'),
        ("line-length = true", "line-length: expected a number from 1 to 1000, got true"),
        ("line-length = 0", "line-length: expected a number from 1 to 1000, got 0"),
        ('exclude = ["a", "!"]', 'exclude: "!" is not a pattern: it names nothing'),
        ("rules = 1", "rules: expected a table of rules, like [tool.ms-perflint.rules.MSP202]"),
        ("rules.unaligned-shap.x = 1", 'rules: unknown rule "unaligned-shap", did you mean "unaligned-shape"?'),
        ("rules.MSP202 = 1", "rules.MSP202: expected a table of options"),
        ("rules.MSP202.mutliple = 8", 'rules.MSP202.mutliple: unknown option, did you mean "multiple"?'),
        ('rules.MSP202.multiple = "8"', 'rules.MSP202.multiple: expected a value like 16, got "8"'),
        ("rules.MSP202.multiple = 1", "rules.MSP202.multiple: expected a number from 2 to 4096, got 1"),
        ("rules.MSP202.min-waste = 101", "rules.MSP202.min-waste: expected a number from 0 to 100, got 101"),
        ("rules.MSP202.min-waste = -1", "rules.MSP202.min-waste: expected a number from 0 to 100, got -1"),
        ("rules.MSP202.min-waste = 9.5", "rules.MSP202.min-waste: expected a value like 10, got 9.5"),
        ("rules.MSP202.min-wast = 9", 'rules.MSP202.min-wast: unknown option, did you mean "min-waste"?'),
        ("rules.MSP202.multiple = true", "rules.MSP202.multiple: expected a value like 16, got true"),
        ("rules.MSP202.multiple = 0", "rules.MSP202.multiple: expected a number from 2 to 4096, got 0"),
        (
            "[tool.ms-perflint.rules.MSP202]\nmultiple = -16",
            "rules.MSP202.multiple: expected a number from 2 to 4096, got -16",
        ),
        (
            'mindspore-version = "9.9"',
            "mindspore-version: there is no MindSpore 9.9; known are 1.0 to 1.10, and 2.0 or later",
        ),
        (
            'mindspore-version = "1.99"',
            "mindspore-version: there is no MindSpore 1.99; known are 1.0 to 1.10, and 2.0 or later",
        ),
        ('device = "910 B"', 'device: expected one of Ascend, GPU, CPU, got "910 B"'),
        ("extend = 1", "extend: expected the name of a file, got 1"),
        ('extnd = "../pyproject.toml"', 'extnd: unknown key, did you mean "extend"?'),
        ("# a\n\n'line-length' = 0", "line-length: expected a number from 1 to 1000, got 0"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError) as caught:
        load([configured(tmp_path, text)])
    assert str(caught.value) == f"pyproject.toml:{2 + text.count(chr(10))}: [tool.ms-perflint] {message}"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"[tool.ms-perflint]\nselect = [\n", "is not valid TOML: "),
        (b"[tool.ms-perflint]\nx = " + b"[" * 20_000, "is not valid TOML: "),
        (b"[tool.ms-perflint]\nx = '\xff'\n", "is not UTF-8: bad byte at offset 24"),
        (b"[tool]\nms-perflint = 1\n", "tool.ms-perflint must be a table"),
    ],
)
def test_a_broken_file_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raw: bytes, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_bytes(raw)
    with pytest.raises(ConfigError) as caught:
        load(["."])
    assert str(caught.value).startswith(f"pyproject.toml: {message}")
    assert "\n" not in str(caught.value)


def test_a_named_file_that_is_missing_or_has_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"^gone\.toml: cannot be read: No such file or directory$"):
        load(["."], file="gone.toml")
    Path("other.toml").write_text("[tool.other]\n")
    with pytest.raises(ConfigError, match=r"^other\.toml: no table \[tool\.ms-perflint\] in it$"):
        load(["."], file="other.toml")


def test_rule_options(tmp_path: Path) -> None:
    config = load([configured(tmp_path, "[tool.ms-perflint.rules.unaligned-shape]\nmultiple = 32\n")])
    assert config.options == {"MSP202": {"multiple": 32}}


@pytest.mark.parametrize(
    ("settings", "on"),
    [
        ({"select": ["MSP3"]}, {"MSP301"}),
        ({"select": ["MSP301", "MSP10"]}, {"MSP301", "MSP101", "MSP102"}),
        ({"select": ["MSP"], "ignore": ["MSP1", "MSP2", "MSP6"]}, {"MSP301", "MSP501"}),
        ({"select": ["MSP301"], "ignore": ["MSP3"]}, {"MSP301"}),
        ({"select": ["MSP3"], "ignore": ["MSP301"]}, set()),
        ({"select": ["MSP301"], "ignore": ["MSP301"]}, set()),
        ({"select": ["MSP3"], "extend-select": ["MSP5"]}, {"MSP301", "MSP501"}),
        ({"select": []}, set()),
        ({"ignore": ["ALL"], "extend-select": ["MSP3"]}, {"MSP301"}),
    ],
)
def test_the_more_exact_selection_wins(tmp_path: Path, settings: dict[str, object], on: set[str]) -> None:
    assert parse(settings, "x", str(tmp_path)).codes == on


def test_per_file_ignores(tmp_path: Path) -> None:
    ignores = {"tools/*": ["MSP1"], "*_eval.py": ["ALL"]}
    config = parse({"per-file-ignores": ignores}, "x", str(tmp_path))

    def on(*parts: str) -> tuple[bool, bool]:
        path = str(tmp_path.joinpath(*parts))
        return config.selects("MSP101", path), config.selects("MSP301", path)

    assert on("tools", "a.py") == (False, True)
    assert on("src", "tools", "a.py") == (True, True)
    assert on("src", "run_eval.py") == (False, False)
    assert on("train.py") == (True, True)


@pytest.mark.parametrize(
    ("pattern", "inside"),
    [("!src/**.py", True), ("!src/", True), ("!*.py", True), ("src/**.py", False), ("!tools/*", False)],
)
def test_an_exclamation_mark_means_all_other_files(tmp_path: Path, pattern: str, inside: bool) -> None:
    config = parse({"per-file-ignores": {pattern: ["MSP301"]}}, "x", str(tmp_path))
    assert config.selects("MSP301", str(tmp_path / "src" / "deep" / "a.py")) is inside
    assert config.selects("MSP301", str(tmp_path / "other.txt")) is (pattern in ("src/**.py",))


def test_ignores_of_the_command_line_replace_or_extend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    config = parse({"per-file-ignores": {"a.py": ["MSP1"]}, "extend-per-file-ignores": {"b.py": ["MSP2"]}}, "x", "/")

    def on(changed: Config, *parts: str) -> list[bool]:
        return [changed.selects(code, str(tmp_path.joinpath(*parts))) for code in ("MSP101", "MSP201", "MSP301")]

    assert (on(config, "a.py"), on(config, "b.py")) == ([False, True, True], [True, False, True])
    replaced = override(config, per_file_ignores={"/a.py": ["MSP3"]})
    assert (on(replaced, "a.py"), on(replaced, "sub", "a.py")) == ([True, True, True], [True, True, False])
    assert on(replaced, "b.py") == [True, False, True]
    extended = override(config, extend_per_file_ignores={"/b.py": ["synchronous-checkpoint"]})
    assert (on(extended, "sub", "b.py"), on(extended, "b.py")) == ([True, False, False], [True, False, True])
    with pytest.raises(ConfigError, match=r'^--per-file-ignores.a: unknown rule "MSP7"'):
        override(config, per_file_ignores={"a": ["MSP7"]})


def test_preview_rules_are_on_only_by_their_full_code(tmp_path: Path) -> None:
    for code in previews():
        for select, on in ([], False), (["ALL"], False), ([code[:-1]], False), ([code], True):
            assert parse({"extend-select": select}, "x", str(tmp_path)).selects(code, str(tmp_path / "a.py")) is on


def test_the_command_line_is_on_top(tmp_path: Path) -> None:
    config = parse({"select": ["MSP1"], "ignore": ["MSP102"], "device": "GPU"}, "x", str(tmp_path))
    assert override(config) == config
    assert override(config, select=("MSP10", "MSP3")).codes == {"MSP101", "MSP102", "MSP301"}
    assert override(config, ignore=("MSP101",)).codes == frozenset()
    assert override(config, extend_select=("MSP102",)).codes == {"MSP101", "MSP102"}
    assert override(config, device="cpu", mindspore_version="2.3").device == "CPU"
    assert override(config, unsafe_fixes=True).unsafe_fixes
    with pytest.raises(ConfigError, match=r'^--select: unknown rule "MSP8"'):
        override(config, select=("MSP8",))
    with pytest.raises(ConfigError, match=r"^--mindspore-version: expected a version"):
        override(config, mindspore_version="new")


def test_promoted_rules(tmp_path: Path) -> None:
    config = parse({"extend-safe-fixes": ["MSP1"]}, "x", str(tmp_path))
    assert (config.promotes("MSP101"), config.promotes("MSP201")) == (True, False)


def test_a_configuration_can_be_sent_to_another_process(tmp_path: Path) -> None:
    config = parse({"per-file-ignores": {"a": ["ALL"]}, "rules": {"MSP202": {"multiple": 8}}}, "x", str(tmp_path))
    assert config.selects("MSP301", str(tmp_path / "b.py"))
    assert pickle.loads(pickle.dumps(config)) == config
    assert config.exclude == EXCLUDE


# --- tables that extend others, and tables of parts of a project


def laid_out(root: Path, **tables: str) -> None:
    """Write the tables of folders: `a__b` is a folder in a folder, `_` the root itself."""
    for name, text in tables.items():
        folder = root if name == "_" else root.joinpath(*name.split("__"))
        folder.mkdir(parents=True, exist_ok=True)
        configured(folder, text)


def test_a_table_extends_another_one(tmp_path: Path) -> None:
    laid_out(
        tmp_path,
        _="""
select = ["MSP1", "MSP2"]
ignore = ["MSP203"]
device = "GPU"
line-length = 100
exclude = ["build", "legacy/old"]
extend-exclude = ["*_pb2.py"]
extend-safe-fixes = ["MSP1"]
baseline = "known.json"
per-file-ignores = {"sub/tools/*" = ["MSP1"]}
rules.MSP202.multiple = 32
rules.MSP102.report-deliberate = true
""",
        sub="""
extend = "../pyproject.toml"
extend-select = ["MSP3"]
ignore = ["MSP202"]
device = "Ascend"
extend-exclude = ["gen"]
extend-safe-fixes = ["MSP2"]
rules.MSP202.multiple = 8
""",
    )
    config = load([str(tmp_path / "sub" / "train.py")])
    assert config.codes == {"MSP101", "MSP102", "MSP201", "MSP301"}
    assert (config.device, config.line_length, config.root) == ("Ascend", 100, str(tmp_path / "sub"))
    assert config.baseline_file == str(tmp_path / "known.json")
    assert config.extend_safe_fixes == ("MSP1", "MSP2")
    assert config.options == {"MSP202": {"multiple": 8}, "MSP102": {"report-deliberate": True}}
    assert not config.selects("MSP101", str(tmp_path / "sub" / "tools" / "a.py"))
    assert config.selects("MSP101", str(tmp_path / "sub" / "sub" / "tools" / "a.py"))
    assert config.excluded == (
        (str(tmp_path / "sub"), ("gen",)),
        (str(tmp_path), ("build", "legacy/old", "*_pb2.py")),
    )


def test_what_replaces_and_what_adds_in_a_table_that_extends(tmp_path: Path) -> None:
    laid_out(
        tmp_path,
        _='ignore = ["MSP1"]\nextend-select = ["MSP501"]\nextend-exclude = ["old"]\n',
        sub='extend = "../pyproject.toml"\nselect = ["MSP1", "MSP5"]\nexclude = ["mine"]\n',
    )
    config = load([str(tmp_path / "sub")])
    assert (config.select, config.ignore, config.extend_select) == (("MSP1", "MSP5"), (), ())
    assert config.excluded == ((str(tmp_path / "sub"), ("mine", "old")),)


def test_chains_of_tables_and_the_origin_of_their_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out(
        tmp_path,
        _='device = "GPU"\nline-length = 100\n',
        a='extend = "../pyproject.toml"\nline-length = 110\n',
        a__b='extend = "../pyproject.toml"\nignore = ["MSP1"]\n',
    )
    monkeypatch.chdir(tmp_path / "a" / "b")
    found = ruling(["."])
    assert found is not None
    assert (found.config.device, found.config.line_length) == ("GPU", 110)
    origins = [found.origin(key) for key in ("device", "line-length", "ignore", "select")]
    above = os.path.join("..", "..", "pyproject.toml"), os.path.join("..", "pyproject.toml")
    assert [each and each.where for each in origins] == [*above, "pyproject.toml", None]


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (
            {"_": 'extend = "a/pyproject.toml"\n', "a": 'extend = "../pyproject.toml"\n'},
            "a/pyproject.toml:2: [tool.ms-perflint] extend: cycle: "
            "pyproject.toml -> a/pyproject.toml -> pyproject.toml",
        ),
        (
            {"_": 'device = "CPU"\nextend = "pyproject.toml"\n'},
            "pyproject.toml:3: [tool.ms-perflint] extend: cycle: pyproject.toml -> pyproject.toml",
        ),
        (
            {"_": 'extend = "a/pyproject.toml"\n', "a": "\ndevise = 1\n"},
            'a/pyproject.toml:3: [tool.ms-perflint] devise: unknown key, did you mean "device"?',
        ),
        (
            {"_": 'device = "CPU"\nextend = "gone.toml"\n'},
            "pyproject.toml:3: [tool.ms-perflint] extend: gone.toml: cannot be read: No such file or directory",
        ),
        (
            {"_": 'extend = "a"\n', "a": ""},
            "pyproject.toml:2: [tool.ms-perflint] extend: a: cannot be read: Is a directory",
        ),
        (
            {"_": 'extend = "other.toml"\n'},
            "pyproject.toml:2: [tool.ms-perflint] extend: no table [tool.ms-perflint] in other.toml",
        ),
    ],
)
def test_what_is_wrong_with_a_table_that_extends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tables: dict[str, str], message: str
) -> None:
    laid_out(tmp_path, **tables)
    (tmp_path / "other.toml").write_text("[tool.other]\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError) as caught:
        load(["."])
    assert str(caught.value) == message


def test_a_circle_through_a_link_is_one(tmp_path: Path) -> None:
    laid_out(tmp_path, _='extend = "here/pyproject.toml"\n')
    (tmp_path / "here").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(ConfigError, match="cycle"):
        load([str(tmp_path)])


@pytest.mark.parametrize(
    "device", ["Ascend", "ASCEND", "npu", "NPU", "Ascend910B", "ascend910b4", "910B", "910b", "Ascend 310P", "910"]
)
def test_an_npu_by_any_name_is_an_ascend(tmp_path: Path, device: str) -> None:
    assert parse({"device": device}, "x", str(tmp_path)).device == "Ascend"
    assert override(Config(root=str(tmp_path)), device=device).device == "Ascend"


def test_versions_that_may_come_are_taken(tmp_path: Path) -> None:
    for version in ("1.0", "1.10.1", "2.0", "2.10", "2.11.0rc1", "2.12"):
        assert parse({"mindspore-version": version}, "x", str(tmp_path)).mindspore_version is not None


def hinted(root: Path) -> list[str]:
    """Return what is said of settings that are not read."""
    return [str(each) for each in unread([str(root)])]


def test_settings_that_are_not_read_get_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert hinted(tmp_path) == []
    Path("pyproject.toml").write_text("[project]\nname = 'ms_perflint'\n\n[tool.ms_perflint]\ndevice = 'CPU'\n")
    Path("ms-perflint.toml").write_text("device = 'CPU'\n")
    assert hinted(tmp_path) == [
        "pyproject.toml:4: [tool.ms_perflint] is not read: the table is [tool.ms-perflint]",
        "ms-perflint.toml: is not read: put it into [tool.ms-perflint] of pyproject.toml, or name it with `--config`",
    ]
    assert load(["."]) == Config(root=str(tmp_path))
    for name in ("tool.msperflint", "tool.MS-Perflint", "tool.ms-perf-lint", "ms-perflint", "ms_perflint"):
        Path("pyproject.toml").write_text(f"[tool.other]\n[{name}]\ndevice = 'CPU'\n")
        assert hinted(tmp_path)[0] == f"pyproject.toml:2: [{name}] is not read: the table is [tool.ms-perflint]"
    Path("pyproject.toml").write_text("[project]\ndependencies = ['ms-perflint']\n[tool.perflint]\n")
    assert len(hinted(tmp_path)) == 1  # that of ms-perflint.toml
    Path("pyproject.toml").write_text("[tool.ms-perflint]\n[tool.ms_perflint]\n")
    assert hinted(tmp_path) == []  # the right table is there
