"""How a rule page is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from forbidden_words import forbidden

from ms_perflint import pages

PAGE = """\
# some-rule (MSP999)

One sentence
over two lines.

## Example

```python bad file=train.py
a = 1  # !
```

```yaml bad file=default.yaml
mode: 1
```

```python bad file=train.py
b = 1  # !
```

```python bad file=other.py
c = 1  # !
```

Words between.

```python bad file=more.py
d = 1  # !
```

```python good
a = 2
```

## When it is fine

```python ok device=GPU mindspore-version=1.10
## no heading
```

````markdown
```python bad
nested
```
````

```diff
- x
```
"""


def test_a_page_in_parts() -> None:
    page = pages.parse(PAGE, "MSP999-some-rule.md")
    assert (page.code, page.name, page.title) == ("MSP999", "some-rule", "some-rule (MSP999)")
    assert page.summary == "One sentence over two lines."
    assert list(page.sections) == ["Example", "When it is fine"]
    assert page.sections["Example"].startswith("```python bad file=train.py\na = 1  # !\n```")
    assert page.text == PAGE


def test_blocks_of_one_kind_with_file_names_are_one_program() -> None:
    examples = pages.parse(PAGE, "x.md").examples
    assert [(example.kind, [name for name, _ in example.files]) for example in examples] == [
        ("bad", ["train.py", "default.yaml"]),
        ("bad", ["train.py", "other.py"]),  # the name came again
        ("bad", ["more.py"]),  # words between
        ("good", ["train.py"]),
        ("ok", ["train.py"]),
    ]
    assert examples[0].files[1] == ("default.yaml", "mode: 1\n")
    assert examples[0].row == 8
    assert examples[4].options == {"device": "GPU", "mindspore-version": "1.10"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x.md: the first line is not `# name (CODE)`"),
        ("# Some Rule\n\nText.\n", "x.md: the first line is not `# name (CODE)`"),
        ("# some-rule (MSP999)\n\n## Example\n", "x.md: no sentence below the title"),
        ("# some-rule (MSP999)\n\nText.\n\n```python bad\n", "x.md:5: this block is not closed"),
    ],
)
def test_a_page_in_another_form_is_an_error(text: str, message: str) -> None:
    with pytest.raises(pages.PageError) as caught:
        pages.parse(text, "x.md")
    assert str(caught.value) == message


@pytest.mark.parametrize("word", ["MSP301", "msp301", "synchronous-checkpoint", "Synchronous-Checkpoint"])
def test_a_rule_is_found_by_code_and_by_name(word: str) -> None:
    assert pages.find(word) == "MSP301"


@pytest.mark.parametrize(
    ("word", "suggestion"), [("MSP31", "MSP301"), ("synchronous-checkpoints", "synchronous-checkpoint"), ("zzz", "")]
)
def test_an_unknown_rule_is_an_error(word: str, suggestion: str) -> None:
    with pytest.raises(pages.PageError) as caught:
        pages.find(word)
    assert str(caught.value) == f'unknown rule "{word}"' + (f', did you mean "{suggestion}"?' if suggestion else "")


def test_an_installation_without_pages_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "__file__", str(tmp_path / "ms_perflint" / "pages.py"))
    with pytest.raises(pages.PageError, match="this installation has no rule pages; reinstall ms-perflint"):
        pages.codes()
    assert pages.reference("MSP301", "synchronous-checkpoint") == "ms-perflint rule MSP301"


@pytest.mark.parametrize("code", pages.codes())
def test_a_page_keeps_to_the_words_of_the_field(code: str) -> None:
    assert not forbidden(f"{code}.md", pages.page(code).text)


def test_forbidden_words_are_found_outside_of_code_and_quotations() -> None:
    text = "It runs operator\nby operator.\n\n> *the matrix unit*\n\nThen quiet.\n\n```\nmend()\n```\n`who`, [a](who)"
    found = forbidden("x.md", text)
    assert found == ["x.md: 'operator by operator', say 'op by op'", "x.md: 'quiet', say 'not reported'"]
