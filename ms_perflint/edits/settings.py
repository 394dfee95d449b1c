"""Edits of a value at the place that decides it: the call, a constant, an option or a config key."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Optional

from ms_perflint.core.findings import Edit, Place, Related, Remedy, Safety
from ms_perflint.core.source import Source, SourceError
from ms_perflint.edits.arguments import set_argument
from ms_perflint.edits.expressions import replace_expression
from ms_perflint.index.signature import Part
from ms_perflint.index.syntax_forms import inside, names_in, word_of
from ms_perflint.infer.alternatives import Constant
from ms_perflint.infer.parameters import argument
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.resolve import config_documents

if TYPE_CHECKING:
    from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex
    from ms_perflint.program.call_site import Call
    from ms_perflint.program.program import Program

DECIDED = Message("another line, an option, a config file or a launcher decides the value")
_SCALAR = re.compile(rb"[^\s:#]+[ \t]*:[ \t]*(?P<value>[^\s#,}]+)")  # behind its key
_ELEMENT = re.compile(rb"(?P<value>[^\s#,:\]}]+)[ \t]*(?=[,\]}#]|\Z)")
_LONG = re.compile(r"--(?!no[-_])\w")  # an option that can get a `--no-` counterpart
_TRUTHS = (("false", "true"), ("off", "on"), ("no", "yes"))
_COMPUTED = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.UnaryOp)  # of settings: no edit of the call
_READ = ("get", "getattr", "next", "setdefault")  # calls that give a setting
_WORD = re.compile(r"['\"]?(?P<value>[\w.]+)")


def decided(value: Value) -> Optional[Alternative]:
    """Return the default of an option, or the config key, that decides a value; None where code decides it."""
    if len(value.by_default) != 1 or not (value.overridable or len(value.alternatives) > 1):
        return None
    return value.by_default[0]


def set_value(
    call: Call, name: str, text: str, *, yaml: str = "", line_length: int = 88
) -> tuple[Optional[tuple[Edit, ...]], tuple[Related, ...]]:
    """Return the edits that set the parameter `name` of a call to `text`, and the outside places that decide it.

    With places, the edits are in an option's default or a config file, and display-only.
    `yaml` is the same value as a config file writes it.
    """
    given = call.given(name)
    value = call.argument(name)
    setting = decided(value) or _held(call, given, value) if given is not None else call.spread_argument(name)
    source = _behind(given, call.scope) if given is not None else None
    if setting is not None and isinstance(source, ast.IfExp) and _is_one_of_two(source, setting):
        return None, (decided_here(setting, name),)
    if setting is not None:
        return set_setting(call.program, setting, text, yaml or text), (decided_here(setting, name),)
    if isinstance(source, _COMPUTED) and names_in(source):
        return None, ()
    parts = written(call.program, given, call.scope) if given is not None else ()
    if parts:
        edits = [replace_expression(part.scope.module, part.node, text) for part in parts]
        return tuple(edit for made in edits for edit in made or ()) if all(edits) else None, ()
    return set_argument(call, name, text, line_length=line_length), ()


def _is_one_of_two(source: ast.IfExp, setting: Alternative) -> bool:
    """Return whether a value is an arm whose edit makes both equal: `True if args.sink else False`."""
    arms = (source.body, source.orelse)
    at = next((at for at, arm in enumerate(arms) if arm is setting.where[1]), None)
    return at is not None and isinstance(arms[1 - at], (ast.Constant, *_COMPUTED))


def _held(call: Call, given: ast.expr, value: Value) -> Optional[Alternative]:
    """Return the constant that an object, a mapping or another module holds: `Config.sink`; None for others.

    An edit of the call would leave a setting that does nothing.
    """
    source = _behind(given, call.scope)
    bound = call.scope.lookup(source) if isinstance(source, ast.Name) else ()
    is_read = isinstance(source, ast.Call) and word_of(source.func) in _READ
    where = value.only.where if value.only is not None else None
    node = where[1] if isinstance(where, tuple) and not isinstance(where, Place) else None
    is_part = is_read or isinstance(source, (ast.Attribute, ast.Subscript))
    if isinstance(source, ast.Name) and not any(each.kind == "parameter" for each in bound):
        assigned = (each.value for each in bound if each.value is not None and each.kind != "from")
        is_part = not any(part is node for each in assigned for part in ast.walk(each))
    return value.only if is_part and isinstance(node, ast.Constant) else None


def _behind(node: ast.expr, scope: Scope) -> ast.expr:
    """Return the expression that is assigned to a name, also through other names, or converted; others as they are."""
    seen: list[ast.expr] = []
    while node not in seen:
        seen.append(node)
        only = scope.only(node)
        node, scope = (only.whole, only.scope) if only is not None and only.whole is not None else (node, scope)
        node = inside(node, "bool", "int", "str")
    return node


def decided_here(setting: Alternative, name: str) -> Related:
    """Return the place that decides a parameter."""
    return Related(setting.place, Message("`{name}` is decided here", name=name))


def decide(remedy: Remedy, call: Call, name: str, text: str, *, yaml: str = "", line_length: int = 88) -> Remedy:
    """Return a remedy with the edits of `set_value`; display-only, with the place, where it is decided elsewhere."""
    edits, related = set_value(call, name, text, yaml=yaml, line_length=line_length)
    if not related:
        return remedy._replace(edits=edits)
    related = (*remedy.related, *related)
    reason = Message("{reason}; {more}", reason=remedy.reason, more=DECIDED) if remedy.reason else DECIDED
    return remedy._replace(edits=edits, safety=Safety.DISPLAY, reason=reason, related=related)


def written(program: Program, node: ast.expr, scope: Scope) -> tuple[Part, ...]:
    """Return the literals behind a name that is read only here: of its one assignment, or what all callers pass.

    `scope`: where the name is read. An expression that is its own value is such a literal. None of other names: an
    edit there would change more than this.
    """
    known = program.value(node, scope).only
    if known is not None and known.where == (scope.module, node) and isinstance(node, (ast.Constant, ast.Attribute)):
        return (Part(node, scope),)
    home = scope.home(node.id) if isinstance(node, ast.Name) else None
    binding = home.single(node) if home is not None else None
    if home is None or binding is None:
        return ()
    names = (each for each in ast.walk(home.node) if isinstance(each, ast.Name) and each.id == binding.name)
    if sum(isinstance(each.ctx, ast.Load) for each in names) != 1:
        return ()
    if binding.whole is not None:
        return written(program, binding.whole, binding.scope)
    found = list(_passed(program, binding)) if binding.kind == "parameter" and home.is_function else []
    return tuple(part for parts in found for part in parts) if all(found) else ()


def _passed(program: Program, binding: Binding) -> Iterator[tuple[Part, ...]]:
    """Yield the literals behind what each caller passes for a parameter; nothing for one that may pass others."""
    for site in program.callers(binding.scope):
        part = argument(program.evaluator, binding, site).part
        is_alone = program.callees(site) == (binding.scope,)
        is_here = part is not None and any(part.node is each for each in ast.walk(site.call))
        yield written(program, *part) if part is not None and is_here and is_alone else ()


def set_setting(program: Program, setting: Alternative, text: str, yaml: str) -> Optional[tuple[Edit, ...]]:
    """Return the edits that change an option's default, a scalar in a YAML or JSON file, or a flag in a launcher.

    None where the setting is computed from the value: `not args.off`, `config.mode == "graph"`.
    """
    if isinstance(setting.where, Place) and setting.where.path.endswith((".sh", ".bash")):
        return _flag(program, setting, setting.where, yaml)
    if isinstance(setting.where, Place):
        return set_scalar(program, setting.where, setting.constant, yaml)
    module, node = setting.where
    if isinstance(node, ast.Call):
        return _default(module, node, setting.constant, text)
    return _exchanged(module, node, setting.constant, text) if isinstance(node, ast.expr) else None


def _exchanged(module: SemanticIndex, node: ast.expr, constant: object, text: str) -> Optional[tuple[Edit, ...]]:
    """Return the edit of an expression with the value of this constant; None for another value."""
    if not _stands_for(node, constant):
        return None
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and not isinstance(constant, str):
        text = f'"{_worded(node.value, text.lower()) if text in ("True", "False") else text}"'  # which code converts
    edits = replace_expression(module, node, text)
    paired = _paired(module, node)
    return (*edits, *paired) if edits is not None and paired is not None else None


def _paired(module: SemanticIndex, default: ast.expr) -> Optional[tuple[Edit, ...]]:
    """Return the edits that add a negative form to a flag of click that is on by default: `--x/--no-x`.

    With `is_flag=True` alone, passing a flag that is on turns it off. None where there is no free name.
    """
    for site in module.by_word.get("option", ()):
        given = {keyword.arg: keyword.value for keyword in site.node.keywords}  # type: ignore[attr-defined]
        is_flag = given.get("is_flag")
        if given.get("default") is default and isinstance(is_flag, ast.Constant) and is_flag.value is True:
            names = [each for each in site.node.args if isinstance(each, ast.Constant)]  # type: ignore[attr-defined]
            if any("/" in str(name.value) for name in names):
                return ()
            name = next((each for each in names if _LONG.match(str(each.value))), None)
            word = str(name.value)[2:] if name is not None else ""
            return replace_expression(module, name, f'"--{word}/--no-{word}"') if name is not None else None
    return ()


def _default(module: SemanticIndex, node: ast.Call, constant: object, text: str) -> Optional[tuple[Edit, ...]]:
    """Change the default of an `add_argument` call.

    A flag that is off by default becomes a pair that is on, `--x` and `--no-x` (Python 3.9): with another default, or
    another action, passing it would do nothing, or turn it off.
    """
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    default, action = given.get("default"), given.get("action")
    is_flag = isinstance(action, ast.Constant) and action.value in ("store_true", "store_false")
    if action is None or not is_flag:
        return _exchanged(module, default, constant, text) if default is not None else None
    imported = ((name, *each) for name, found in module.imported.items() for each in found)
    library = next((n for n, stmt, of in imported if isinstance(stmt, ast.Import) and of.name == "argparse"), None)
    is_long = any(isinstance(each, ast.Constant) and _LONG.match(str(each.value)) for each in node.args)
    if constant is not False or action.value != "store_true" or library is None or not is_long:  # type: ignore[attr-defined]
        return None
    if default is None:
        return (Edit(module.path, *module.span(action), f"{library}.BooleanOptionalAction, default={text}"),)
    edits = _exchanged(module, default, constant, text)
    pair = replace_expression(module, action, f"{library}.BooleanOptionalAction")
    return (*edits, *pair) if edits is not None and pair is not None else None


def _stands_for(default: ast.expr, constant: object) -> bool:
    """Return whether a default has the value of this constant, also as a string that the option's type converts."""
    if not isinstance(default, ast.Constant):
        return True
    if isinstance(default.value, str):
        return default.value.lower() == str(constant).lower()
    return type(default.value) is type(constant) and default.value == constant


def _source(program: Program, path: str) -> Source:
    """Return a config file or launcher; an empty one where it cannot be read."""
    try:
        return Source(path, program.project.raw(path) or b"")
    except SourceError:
        return Source(path, b"")


def set_scalar(program: Program, place: Place, constant: object, text: str) -> Optional[tuple[Edit, ...]]:
    """Return the edit of a constant in a YAML or JSON file, behind its key or in a list; quotes stay."""
    source = _source(program, place.path)
    line = source.line(place.row)
    start = len(line.decode()[: place.column - 1].encode())
    match = _ELEMENT.match(line, start) or _SCALAR.search(line, start)
    documents = config_documents.read(match["value"], place.path) if match is not None else ()
    if match is None or not documents or not Constant(documents[0].data).same(constant):
        return None
    quote = match["value"][:1].decode()
    start = source.starts[place.row - 1]
    changed = f"{quote}{text}{quote}" if quote in ("'", '"') else _worded(match["value"].decode(), text)
    return (Edit(place.path, start + match.start("value"), start + match.end("value"), changed),)


def _worded(old: str, new: str) -> str:
    """Return a boolean word in the spelling of the one that it replaces: `on` for `off`, `True` for `False`."""
    words = next((pair for pair in _TRUTHS if old.lower() in pair), None)
    if words is None or new not in ("true", "false"):
        return new
    word = words[new == "true"]
    return word.upper() if old.isupper() else word.capitalize() if old[0].isupper() else word


def _flag(program: Program, setting: Alternative, place: Place, text: str) -> Optional[tuple[Edit, ...]]:
    """Change the value of a flag in a launcher, unless it is a variable."""
    source = _source(program, place.path)
    line = source.line(place.row).decode()
    match = _WORD.match(line, place.column - 1)
    if match is None or match["value"].lower() != str(setting.constant).lower():
        return None
    start = source.starts[place.row - 1]
    changed = text.capitalize() if match["value"][0].isupper() else text
    first, end = (start + len(line[:at].encode()) for at in match.span("value"))
    return (Edit(place.path, first, end, changed),)
