"""What is said in Chinese: all of it, with the same values, and only to those who want it."""

from __future__ import annotations

import ast
import json
import pickle
import re
import string
import subprocess
import sys
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path

import click
import pytest
from examples import examples
from front import SAFE, TRAIN, UNSAFE, environment, on_terminal, run
from previews import IN_ENGLISH

import ms_perflint
from ms_perflint import languages
from ms_perflint.api import lint_source
from ms_perflint.check import checks
from ms_perflint.commands.front import front
from ms_perflint.commands.help import paragraphs
from ms_perflint.core.findings import Place
from ms_perflint.languages import CHINESE, ENGLISH, VARIABLE, Message, catalogue, chosen, say
from ms_perflint.report.style import width

PACKAGE = Path(ms_perflint.__file__).parent
SAMPLES = Path(__file__).resolve().parent.parent / "sample_scripts"
NOWHERE = {VARIABLE: "", "LC_ALL": "", "LC_MESSAGES": "", "LANG": ""}  # no language is set
IN_CHINESE = {VARIABLE: "zh"}
MENDED = "每次保存该检查点都会阻塞训练：没有设置 `async_save`"
terminal = pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a directory with one program that has one finding."""
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    return tmp_path


ENGLISH_ONLY = tuple(f"checks/{code.lower()}_" for code in IN_ENGLISH)


def templates() -> Iterator[tuple[str, str]]:
    """Yield (place, template) of every message in the code."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == Message.__name__:
                if isinstance(node.args[0], ast.Constant):
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno}", node.args[0].value
                else:
                    assert path.name == "packing.py", f"{path}:{node.lineno}: a template stands where it is said"


def helps() -> Iterator[tuple[str, str]]:
    """Yield (place, text) of what `--help` says of commands and options; click keeps no messages."""
    for command in (front, *front.commands.values()):
        yield from ((f"{command.name} --help", paragraph) for paragraph in paragraphs(command))
        for option in command.params:
            if isinstance(option, click.Option) and option.help and not option.hidden:
                yield f"{command.name} {option.opts[0]}", getattr(option.help, "template", option.help)


def fields(template: str) -> list[str]:
    """Return the names of the fields of a template, sorted: they may stand in another order."""
    return sorted(name for _, name, _, _ in string.Formatter().parse(template) if name is not None)


# --- the catalogue


def test_every_message_has_its_chinese() -> None:
    """Add what is missing to `ms_perflint/languages/zh.json`."""
    missing = [
        f"{place}: {template}"
        for place, template in (*templates(), *helps())
        if template not in catalogue(CHINESE) and not place.startswith(ENGLISH_ONLY)
    ]
    assert not missing, "\n".join(["no Chinese for:", *missing])


def test_chinese_without_message_is_gone() -> None:
    known = {template for _, template in (*templates(), *helps())}
    assert [template for template in catalogue(CHINESE) if template not in known] == []


def test_help_is_in_the_language_of_the_reader(tmp_path: Path) -> None:
    english = run("--help", cwd=tmp_path, env=NOWHERE).out
    assert english.isascii() and english.startswith("Usage: ms-perflint [check] [OPTIONS] [PATH]...")
    asked = [run("--help", "--lang", "zh", cwd=tmp_path), run("--help", cwd=tmp_path, env=IN_CHINESE)]
    asked.append(run("-h", cwd=tmp_path, env={**NOWHERE, "LANG": "zh_CN.UTF-8"}))
    assert {(each.code, each.out) for each in asked} == {(0, asked[0].out)}
    assert asked[0].out.startswith("用法： ms-perflint [check] [OPTIONS] [PATH]...")
    assert run("--help", "--lang=en", cwd=tmp_path, env=IN_CHINESE).out == english


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("command", ["", *front.commands])
def test_help_in_chinese_says_all_and_fits(command: str, columns: int, tmp_path: Path) -> None:
    shown = run(*filter(None, [command]), "--help", cwd=tmp_path, env={**IN_CHINESE, "COLUMNS": str(columns)}).out
    texts = [text for place, text in helps() if place.startswith(f"{command} ") and "{" not in text]
    assert texts or not command
    words = "".join(shown.split())
    assert [text for text in texts if "".join(catalogue(CHINESE)[text].split()) not in words] == []
    wide = [line for line in shown.splitlines() if width(line) > min(columns, 100) and not line.isascii()]
    assert [line for line in wide if len(line.split()) > 3] == []  # but for names of options with their values


def test_a_template_stands_once_in_the_catalogue() -> None:
    raw = (Path(languages.__file__).parent / "zh.json").read_text(encoding="utf-8")
    names = [name for pairs in json.loads(raw, object_pairs_hook=list) for name, _ in pairs[1]]
    assert len(names) == len(set(names))


def mistakes(template: str, said: str) -> list[str]:
    """Return what is wrong with the Chinese of a template."""
    checks = {
        "other fields": fields(said) != fields(template) and not template.startswith("{found}"),
        "a quote that does not end": said.count("`") % 2,
        "other code": not set(said.split("`")[1::2]) <= set(template.split("`")[1::2]),
        "punctuation": any(mark in said for mark in ("，，", "。。", "：：")) or said != said.strip(),
    }
    return [f"{template}: {name}" for name, wrong in checks.items() if wrong]


def test_chinese_has_the_same_fields_and_code() -> None:
    assert [wrong for pair in catalogue(CHINESE).items() for wrong in mistakes(*pair)] == []


@pytest.mark.parametrize(
    ("template", "said", "wrong"),
    [
        ("a {b}", "{b}", []),
        ("a {b} of {c}", "{c} 的 {b}", []),
        ("a {b}", "甲", ["other fields"]),
        ("a {b}", "{c}", ["other fields"]),
        ("set `x`", "设置 `x", ["a quote that does not end"]),
        ("set `x`", "设置 `y`", ["other code"]),
        ("stop, here", "停，，这里", ["punctuation"]),
        ("stop", "停 ", ["punctuation"]),
    ],
)
def test_mistakes_in_chinese_are_seen(template: str, said: str, wrong: list[str]) -> None:
    assert mistakes(template, said) == [f"{template}: {each}" for each in wrong]


def test_every_rule_says_its_messages_with_their_templates() -> None:
    """What the examples on the pages get: nothing that could only be said in English."""
    for check in checks():
        for example in examples(check.code) if check.code not in IN_ENGLISH else ():
            if example.kind == "bad" and len(example.files) == 1:
                for finding in lint_source(example.files[0][1], select=[check.code]).findings:
                    fix = [finding.fix.message] if finding.fix is not None else []
                    texts = [finding.message, *fix, *(each.message for each in finding.related)]
                    spoken = [text for text in texts if text != check.name]  # a fix without advice has that name
                    assert all(say(text, CHINESE) != text for text in spoken), spoken


# --- messages


def test_a_message_is_its_english() -> None:
    message = Message("the width {width} is chosen here", width=30)
    assert message == "the width 30 is chosen here" and hash(message) == hash("the width 30 is chosen here")
    assert say(message, ENGLISH) is message
    assert say(message, CHINESE) == "宽度 30 在此处确定"
    assert say("no message", CHINESE) == "no message"
    assert say(Message("nobody has translated this {thing}", thing=1), CHINESE) == "nobody has translated this 1"


def test_a_template_without_values_may_hold_braces() -> None:
    assert Message("a {brace}") == "a {brace}"
    assert Message("a {{brace}} and {more}", more="{x}") == "a {brace} and {x}"


def test_values_may_be_messages() -> None:
    inner = Message("{place} loads weights of the old width", place=Place("/a.py", 3, 1).named)
    outer = Message("cannot be read: {reason}", reason=inner)
    assert (outer, say(outer, CHINESE)) == (
        "cannot be read: a.py:3 loads weights of the old width",
        "无法读取：a.py 第 3 行会加载旧宽度的权重",
    )
    again = pickle.loads(pickle.dumps(outer))
    assert again == outer and say(again, CHINESE) == say(outer, CHINESE)


# --- which language


@pytest.mark.parametrize(
    ("asked", "setting", "variables", "language"),
    [
        (None, None, {}, ENGLISH),
        (None, None, {"LANG": "zh_CN.UTF-8"}, CHINESE),
        (None, None, {"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, ENGLISH),
        (None, None, {"LANG": "en_US.UTF-8", "LC_ALL": "zh_TW.UTF-8"}, CHINESE),
        (None, None, {"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, ENGLISH),
        (None, "en", {"LANG": "zh_CN.UTF-8"}, ENGLISH),
        (None, "zh", {"LANG": "C"}, CHINESE),
        ("en", "zh", {"LANG": "zh_CN.UTF-8"}, ENGLISH),
        ("zh", "en", {}, CHINESE),
    ],
)
def test_the_nearest_wish_counts(
    asked: str | None,
    setting: str | None,
    variables: Mapping[str, str],
    language: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in {**NOWHERE, **variables}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", None)
    assert chosen(asked, setting) == language


def test_option_variable_configuration_locale(here: Path) -> None:
    """The order in which they count, as a user sets them."""
    (here / "pyproject.toml").write_text('[tool.ms-perflint]\nselect = ["MSP301"]\nlang = "zh"\n')
    plain = dict(NOWHERE)
    assert MENDED in run("train.py", cwd=here, env=plain).out
    assert MENDED not in run("train.py", cwd=here, env={**plain, VARIABLE: "en"}).out
    assert MENDED in run("train.py", "--lang", "zh", cwd=here, env={**plain, VARIABLE: "en"}).out
    chinese = {**plain, "LANG": "zh_CN.UTF-8"}
    assert MENDED in run(*SAFE, "train.py", cwd=here, env=chinese).out
    (here / "pyproject.toml").write_text('[tool.ms-perflint]\nselect = ["MSP301"]\nlang = "en"\n')
    assert MENDED not in run("train.py", cwd=here, env=chinese).out


def test_an_unknown_language_is_an_error(here: Path) -> None:
    ran = run("train.py", "--lang", "fr", cwd=here)
    assert (ran.code, "fr" in ran.err) == (2, True)
    (here / "pyproject.toml").write_text('[tool.ms-perflint]\nlang = "fr"\n')
    ran = run("train.py", cwd=here)
    assert (ran.code, '[tool.ms-perflint] lang: expected one of en, zh, got "fr"' in ran.err) == (2, True)


# --- reports


def test_a_report_in_chinese(here: Path) -> None:
    ran = run(*SAFE, "train.py", cwd=here, env=IN_CHINESE)
    lines = ran.out.splitlines()
    assert (ran.code, ran.err) == (1, "")
    assert lines[0] == f"train.py:8:14: MSP301 [*] {MENDED}"
    assert "建议: 设置 `async_save=True`，改为异步保存；`Model.train` 会等待最后一次保存完成（安全修复）" in lines
    assert lines[-1] == "发现 1 个问题。其中 [*] 1 个可用 `--fix` 修复。"


def test_what_is_kept_in_the_cache_answers_in_both_languages(here: Path) -> None:
    cache = {"MS_PERFLINT_CACHE_DIR": str(here / "cache")}
    english = run(*SAFE, "train.py", cwd=here, env=cache)
    (kept,) = (here / "cache").glob("*.cache")
    chinese = run(*SAFE, "train.py", cwd=here, env={**cache, **IN_CHINESE})
    assert chinese.out == run(*SAFE, "-n", "train.py", cwd=here, env=IN_CHINESE).out
    assert run(*SAFE, "train.py", cwd=here, env=cache) == english
    assert list((here / "cache").glob("*.cache")) == [kept]


def _without_words(value: object) -> object:
    """Return JSON without what is said to people."""
    words = {
        "message",
        "text",
        "markdown",
        "description",
        "help",
        "shortDescription",
        "fullDescription",
        "expectedGain",
    }
    if isinstance(value, dict):
        return {name: _without_words(each) for name, each in value.items() if name not in words}
    return [_without_words(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", ["json", "sarif", "gitlab"])
def test_what_programs_read_does_not_depend_on_the_language(name: str, here: Path) -> None:
    english, chinese = (
        json.loads(run(*SAFE, "--output-format", name, "train.py", cwd=here, env=env).out) for env in ({}, IN_CHINESE)
    )
    assert english != chinese
    assert _without_words(english) == _without_words(chinese)


def test_fixing_and_its_patch_in_chinese(here: Path) -> None:
    patch = run(*SAFE, "--diff", "train.py", cwd=here, env=IN_CHINESE)
    assert patch.err == "共 1 个问题，将修复 1 个。\n"
    assert patch.out.startswith("# safe: train.py:8:14: MSP301 设置 `async_save=True`，改为异步保存")
    fixed = run(*SAFE, "--fix", "train.py", cwd=here, env=IN_CHINESE)
    assert fixed.out == "已修复 train.py：MSP301\n发现 1 个问题（已修复 1 个，剩余 0 个）。\n"


@terminal
def test_a_person_is_asked_in_chinese(here: Path) -> None:
    ran = on_terminal(*UNSAFE, "--fix", "train.py", cwd=here, answers=["y"], env={**IN_CHINESE, "NO_COLOR": "1"})
    assert "是否应用此修复？[y] 是，[n] 否，[a] 所有 MSP301，[A] 全部，[q] 退出：" in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gone.py"], "gone.py: 错误：文件或目录不存在"),
        (["--select", "MSP31", "train.py"], 'ms-perflint: 错误：--select: 未知规则 "MSP31"，是否想写 "MSP301"？'),
        (["--config", "gone.toml", "train.py"], "ms-perflint: 错误：gone.toml: 无法读取："),
        (["--fxi", "train.py"], 'ms-perflint: 错误：没有选项 --fxi，是否想写 "--fix"？'),
        (["chekc", "train.py"], 'ms-perflint: 错误：没有命令 "chekc"，是否想写 "check"？'),
        (["--output-format", "jsn", "train.py"], "ms-perflint: 错误：'--output-format' 的值无效：未知格式"),
        (["--per-file-ignores", "x", "train.py"], "ms-perflint: 错误：'--per-file-ignores' 的值无效：应为"),
        (["--quiet", "--verbose", "train.py"], "ms-perflint: 错误：--quiet 与 --verbose 不能同时使用"),
        (["--fix", "--write-baseline", "."], "ms-perflint: 错误：--write-baseline 与 --fix 不能同时使用：请分两次运行"),
        (["--watch", "--fix", "."], "ms-perflint: 错误：--watch 只做报告"),
        (["rule", "MSP31"], 'ms-perflint: 错误：未知规则 "MSP31"，是否想写 "MSP301"？'),
    ],
)
def test_errors_in_chinese(arguments: list[str], said: str, here: Path) -> None:
    by_option = run(*arguments, "--lang=zh", cwd=here)
    assert (by_option.code, by_option.err.startswith(said)) == (2, True), by_option.err
    assert run(*arguments, cwd=here, env=IN_CHINESE) == by_option


def test_verbose_in_chinese(here: Path) -> None:
    (here / "other.py").touch()
    ran = run(*SAFE, "--no-cache", "--verbose", ".", cwd=here, env=IN_CHINESE)
    assert ran.err.splitlines()[:-1] == [
        "配置：无配置文件",
        "规则：MSP301",
        "已跳过 other.py：文件中没有出现 mindspore",
        "程序 train.py：训练，PyNative模式，MindSpore 2.10，任意设备，1 个文件",
        "缓存：关闭",
    ]
    assert re.fullmatch(
        "耗时：查找文件 .+ 秒、检查 .+ 秒、修复并生成报告 .+ 秒、保存缓存 .+ 秒", ran.err.splitlines()[-1]
    )


PROGRAM = """\
程序 train.py

文件           5
  src/__init__.py
  src/config.py
  src/dataset.py
  src/network.py
配置文件       1
  default_config.yaml:1  在 config.py 第 34 行加载
    src/config.py:30     --config_path，默认值 default_path
版本           2.10，由命令行或配置指定
设备           未设置：按加速器处理
训练           是
  train.py:40  model.train(...): 在 train 中
运行模式       静态图模式
  train.py:14  ms.set_context(mode=ms.GRAPH_MODE): 静态图模式
数据下沉       是
  train.py:40               model.train(dataset_sink_mode=config.dataset_sink_mode, ...): 默认为 True；回调每个 step 打印
    default_config.yaml:12  dataset_sink_mode: True
精度           float32
  train.py:28               Model(amp_level=config.amp_level, ...): amp_level 默认为 'O0'
    default_config.yaml:11  amp_level: "O0"
检查点         没有发现在训练过程中写检查点
  train.py:48  ms.save_checkpoint(...): 没有发现重复执行
Profiler       是
  train.py:36  profile(data_process=True, ...): 数据处理流水线 True
AutoTune       是
  src/dataset.py:12  ds.config.set_enable_autotune(enable=True): True；与 train.py:36 的 Profiler 冲突
没有           启动脚本、并行模式

规则
  MSP201  1 个问题：train.py:28
  MSP202  1 个问题：src/network.py:13
  MSP203  1 个问题：src/network.py:21
  MSP501  1 个问题：src/dataset.py:12
  无问题  MSP101, MSP102, MSP301, MSP601
"""  # noqa: E501


def test_the_facts_of_a_program_in_chinese() -> None:
    asked = ("program", "--isolated", "--mindspore-version", "2.10", "train.py")
    assert run(*asked, cwd=SAMPLES / "zoo_project", env=IN_CHINESE).out == PROGRAM
    english, chinese = (
        json.loads(run(*asked, "--output-format", "json", cwd=SAMPLES / "zoo_project", env=env).out)["programs"][0]
        for env in ({}, IN_CHINESE)
    )
    assert english["facts"].keys() == chinese["facts"].keys()
    assert [fact["answer"] for fact in english["facts"].values()] == [
        fact["answer"] for fact in chinese["facts"].values()
    ]
    assert chinese["facts"]["trains"]["says"] == "是"


class Words(HTMLParser):
    """Collects what people read on a page, and what is read to them; not code."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.silent = 0

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.silent += name in SILENT
        self.words += [value or "" for key, value in attributes if key == "aria-label"]

    def handle_endtag(self, name: str) -> None:
        self.silent -= name in SILENT

    def handle_data(self, data: str) -> None:
        self.words += [] if self.silent else [data.strip()]


SILENT = ("code", "style", "script", "title")


def test_a_page_in_chinese_has_no_english_labels() -> None:
    page = run("--isolated", "--no-cache", "--output-format", "html", ".", cwd=SAMPLES, env=IN_CHINESE).out
    reader = Words()
    reader.feed(page[: page.index('id="rules"')])
    english = {word for word in reader.words if re.search("[a-z]{2}", word) and word.isascii()}
    names = {f"{check.code} {check.name}" for check in checks()} | {check.name for check in checks()}
    known = {"--fix", "float32", "data_parallel", ": amp_level 'O2'", "CheckPoint", "Profiler", "AutoTune"}
    assert {word for word in english if not word.endswith(".py")} - names - known == set()
    assert {"问题（预期收益大的在前）", "筛选问题", "收益大", "训练"} <= set(reader.words)


# --- outputs that have no signs for it


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "gbk", "gb18030", "utf-8"])
def test_no_encoding_stops_a_report(encoding: str, here: Path) -> None:
    """Whoever asks gets Chinese, with escapes where the output has no signs; in other cases English is better."""
    done = subprocess.run(
        [sys.executable, "-m", "ms_perflint", *SAFE, "train.py"],
        cwd=here,
        env={**environment(), **NOWHERE, VARIABLE: "zh", "PYTHONIOENCODING": encoding},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert MENDED.encode(encoding, "backslashreplace") in done.stdout
    by_locale = {**NOWHERE, "LANG": "zh_CN.UTF-8", "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [sys.executable, "-m", "ms_perflint", *SAFE, "train.py"],
        cwd=here,
        env={**environment(), **by_locale},
        capture_output=True,
        timeout=60,
        check=False,
    )
    shows = encoding in ("gbk", "gb18030", "utf-8")
    assert (MENDED.encode(encoding, "replace") in done.stdout) is shows
    assert (done.returncode, done.stderr) == (1, b"")


def test_flake8_speaks_english_unless_asked(here: Path) -> None:
    arguments = [sys.executable, "-m", "flake8", "--isolated", "--select", "MSP301", "train.py"]
    plain = {**environment(), **NOWHERE, "PYTHONIOENCODING": "utf-8"}
    said = [
        subprocess.run(
            arguments, cwd=here, env={**plain, **env}, capture_output=True, encoding="utf-8", timeout=60, check=False
        ).stdout
        for env in ({"LANG": "zh_CN.UTF-8"}, {VARIABLE: "zh"})
    ]
    assert "MSP301 saving this checkpoint blocks" in said[0]
    assert f"MSP301 {MENDED}" in said[1]
