"""Where a program uses files: loads, copies, lists, uploads them; and whether that is after they were written."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Optional

from ms_perflint.core.facts import fact
from ms_perflint.index import execution_order
from ms_perflint.index.reachability import excludes
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.infer.kept_paths import LISTINGS
from ms_perflint.infer.path_values import Path, is_folder_of, is_same_file, words
from ms_perflint.infer.paths import TEMPORARY, listed, paths, patterns
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import Alternative
from ms_perflint.program.live_code import HOOKS
from ms_perflint.program.program import Program
from ms_perflint.training.conditions import may_lead
from ms_perflint.training.training import MODEL_TRAINS, is_callback, running_callers

# last word of a call that uses a file -> use of the file
_FILES: Mapping[str, str] = {
    **dict.fromkeys(("load_checkpoint", "load_checkpoint_async", "load_distributed_checkpoint"), "loaded"),
    **dict.fromkeys(("load", "load_ckpt", "load_file", "safe_open", "load_model", "load_pretrained"), "loaded"),
    **dict.fromkeys(("open", "read_bytes", "read_text", "write_bytes"), "opened"),
    **dict.fromkeys(("copy", "copy2", "copyfile", "symlink", "link", "symlink_to", "hardlink_to"), "copied"),
    **dict.fromkeys(("move", "rename", "renames", "replace"), "moved"),
    **dict.fromkeys(("remove", "unlink"), "removed"),
    **dict.fromkeys(("exists", "isfile", "is_file", "lexists", "access"), "tested for"),
    **dict.fromkeys(("getsize", "stat", "lstat", "getmtime", "getctime", "chmod"), "tested for"),
    **dict.fromkeys(("upload", "upload_file", "put_file", "putFile", "fput_object", "put_object"), "uploaded"),
    **dict.fromkeys(("log_artifact", "upload_artifact", "log_model", "add_file", "save"), "uploaded"),
    **dict.fromkeys(("upload_from_filename", "put_object_from_file"), "uploaded"),
    **dict.fromkeys(("put", "putfo"), "uploaded"),  # of SFTP and SCP, also to the thread that does it
    **dict.fromkeys(("add", "write"), "packed"),
}
_FOLDERS: Mapping[str, str] = {
    **dict.fromkeys(("copytree", "copy_tree"), "copied"),
    **dict.fromkeys(("move", "rename", "renames", "replace"), "moved"),
    **dict.fromkeys(("rmtree", "removedirs"), "removed"),
    **dict.fromkeys(("listdir", "walk", "fwalk", *LISTINGS), "listed"),
    **dict.fromkeys(("copy_parallel", "sync_data", "upload_folder", "upload_directory"), "uploaded"),
    **dict.fromkeys(("add_dir", "push_model"), "uploaded"),
    **dict.fromkeys(("log_artifacts", "upload", "upload_file", "put_object", "putFile", "put"), "uploaded"),
    **dict.fromkeys(("make_archive", "add", "write"), "packed"),
}
_COMMANDS = frozenset(
    {"system", "popen", "Popen", "run", "call", "check_call", "check_output", "getoutput", "getstatusoutput"}
)
ENDS = "ended"  # the program, at once: no thread is waited for
_ENDS = ("_exit", "abort", "execl", "execlp", "execv", "execve", "execvp", "execvpe")
_WORDS = dict.fromkeys((*_FILES, *_FOLDERS, *_ENDS, *sorted(_COMMANDS)))  # in the order in which uses are reported
_MAKES_FOLDERS = re.compile(r"\s*mkdir\s[^;&|<>$`\n]*")  # one command, which changes no file
# Words that are also those of lists and others: they count where the callee is known
_VAGUE = frozenset({"remove", "replace", "copy", "add", "write", "run", "call", "move", "stat", "access", "save"})
_OF_PATHS = frozenset(
    {
        "exists", "is_file", "stat", "lstat", "unlink", "rename", "replace", "open", "read_bytes", "read_text",
        "write_bytes", "chmod", "symlink_to", "hardlink_to", "walk", "rmtree", *LISTINGS,
    }
)  # fmt: skip
_OTHERS = ("builtins.", "copy.", "re.", "json.", "yaml.", "logging.", "random.")  # packages that use no file by name
_BEFORE, _AFTER = ("begin", "on_train_begin", "__init__"), ("end", "on_train_end")
_DURING = tuple(sorted(HOOKS.difference(_BEFORE, _AFTER)))


class Use(NamedTuple):
    """A call that uses a file, or all files of a folder."""

    site: Site
    verb: str
    path: Path
    is_file: bool
    is_folder: bool
    loads: bool = False

    @property
    def is_unknown(self) -> bool:
        """Return whether nothing is known of its path."""
        return not any(isinstance(piece, str) and any(map(str.isalnum, piece)) for piece in self.path.pieces)

    def is_of(self, written: Path) -> bool:
        """Return whether it uses the file at a path, or ends the program while that is written."""
        if self.verb == ENDS:
            return True
        if self.is_file and is_same_file(written, self.path):
            return True
        return self.is_folder and is_folder_of(self.path, written)


@query
def uses(program: Program) -> tuple[Use, ...]:
    """Return the uses of files in running code."""
    return tuple(use for site in _sites(program) for use in _uses_at(program, site))


@query
def uses_in_training(program: Program) -> tuple[Use, ...]:
    """Return the uses of files during `Model.train`: in a hook of a callback, or in what that calls."""
    hooks = (scope for module in program.modules for name in _DURING for scope in module.defined.get(name, ()))
    if not any(scope in program.reached and _trainings(program, scope) for scope in hooks):
        return ()  # before it is computed which files are used
    sites = (site for site in _sites(program) if _may_use(program, site))
    inside = (site for site in sites if _is_in_training(program, site, ()))  # in any call of its function
    found = (use for site in inside for use in _uses_at(program, site))
    return tuple(use for use in found if _is_in_training(program, use.site, use.path.calls))


def _sites(program: Program) -> Iterator[Site]:
    """Yield the running calls of functions that may use a file, by their words."""
    sites = (site for module in program.modules for site in _calls(module))
    return (site for site in sites if site.scope.owner in program.reached)


@fact
def _calls(module: SemanticIndex) -> tuple[Site, ...]:
    """Return the calls in a file of functions that may use a file, by their words."""
    return tuple(site for word in _WORDS for site in module.sites_of(word))


@query
def _uses_at(program: Program, site: Site) -> tuple[Use, ...]:
    """Return the uses of files in a call."""
    return tuple(_uses(program, site))


def _may_use(program: Program, site: Site) -> bool:
    """Return whether a call may use a file by what it calls: no function of the project, no API that uses none."""
    called = program.evaluator.callees(site).alternatives
    names = _apis(called)
    if any(known.definition is not None for known in called):
        return False
    if any(name.startswith(_OTHERS) and name != "builtins.open" for name in names):
        return False
    return bool(names) or site.word not in _VAGUE or site.word in _OF_PATHS or any(map(_is_of_library, called))


def _apis(called: Iterable[Alternative]) -> list[str]:
    """Return the names of the functions outside of the project among what a call may call."""
    return [known.api for known in called if known.api and known.receiver is None]


def _uses(program: Program, site: Site) -> Iterator[Use]:
    """Yield the uses of files in a call; none of a function of the project, and of an API that uses no file."""
    call = site.node
    assert isinstance(call, ast.Call)
    if not _may_use(program, site) or not program.runs(site):
        return
    callee = program.evaluator.callees(site)
    names = _apis(callee.alternatives)
    word = site.word if site.word in _WORDS else names[0].rpartition(".")[2] if names else ""
    if word in _ENDS:
        if f"os.{word}" in names:
            yield Use(site, ENDS, Path(()), False, False)
        return
    receiver = call.func.value if isinstance(call.func, ast.Attribute) and not names else None
    args = call.args[:1] if word == "open" and receiver is None else call.args  # the next one is its mode
    given = [*(each.value if isinstance(each, ast.Starred) else each for each in args)]
    given += [each.value for each in call.keywords if word != "open" or each.arg == "file"]
    verb, folder = _FILES.get(word, ""), _FOLDERS.get(word, "")
    if word in _COMMANDS:
        if names:
            commands = [path for node in given[:1] for path in paths(program.evaluator, node, site.scope)]
            if commands and commands[0].pieces == ("mkdir",):  # a list of its words
                return
            found = (each for path in commands if not _makes_folders(path) for each in patterns(words(path)))
            yield from (Use(site, "given to a command", path, True, True) for path in found)
        return
    if word in LISTINGS or word in ("listdir", "walk", "fwalk"):
        for path in listed(program.evaluator, call, site.scope):
            yield Use(site, "listed", path, bool(LISTINGS.get(word)), not LISTINGS.get(word))
        return
    if receiver is not None and word in _OF_PATHS and (word != "replace" or len(call.args) == 1):
        for path in paths(program.evaluator, receiver, site.scope):
            yield Use(site, verb or folder, path, True, bool(folder))
    if not names and word in _VAGUE and not any(_is_of_library(known) for known in callee.alternatives):
        return
    for node in given:
        for path in patterns(paths(program.evaluator, node, site.scope)):  # `wandb.save("out/*.ckpt")`
            yield Use(site, verb or folder, path, True, bool(folder), verb == "loaded")


def _makes_folders(command: Path) -> bool:
    """Return whether a command only makes folders."""
    return bool(_MAKES_FOLDERS.fullmatch("".join(text for text in command.pieces if isinstance(text, str))))


def _is_of_library(known: Alternative) -> bool:
    """Return whether something is a method of an object of a library: `tarfile.open(...).add`."""
    made = known.receiver
    return made is not None and bool(made.type_api) and not made.type_api.startswith(_OTHERS)


def use_after(program: Program, site: Site, written: Sequence[Path]) -> Optional[Use]:
    """Return a use of a file that may run after a call has written it; uses in the module of the call come first."""
    steps = _steps(program, site, ())
    others = (each for each in _sites(program) if each.node is not site.node)
    for other in sorted(others, key=lambda other: other.module is not site.module):
        then = _steps(program, other, ())
        if not then or _follow(steps, then, frozenset()) is False:
            continue  # in each call of its function; cheaper than its files
        for use in _uses_at(program, other):
            for path in written:
                if use.is_of(path) and _may_be_after(program, site, path, use):
                    return use
    temporary = (use for module in program.modules for use in _temporary(program, module))
    return next((use for use in temporary if any(use.is_of(path) for path in written)), None)


def _temporary(program: Program, module: SemanticIndex) -> Iterator[Use]:
    """Yield the temporary folders of a file, which are removed after all that is written to them."""
    for site in module.sites_of(TEMPORARY):
        if isinstance(site.node, ast.Call):
            for path in paths(program.evaluator, site.node, site.scope):
                yield Use(site, "removed", path, False, True)


# --- order


class _Step(NamedTuple):
    """A site that leads to another one; `hook`: the hook of a callback by which a training leads there."""

    site: Site
    hook: str = ""


_Steps = Mapping[Scope, Sequence[_Step]]  # by the function, class or module in which the sites stand


def _may_be_after(program: Program, site: Site, path: Path, use: Use) -> bool:
    """Return whether a use may run after a site.

    In a later iteration of a loop that gives the file another name, it uses another file, unless the path of an earlier
    iteration is kept.
    """
    first, then = _steps(program, site, path.calls), _steps(program, use.site, use.path.calls)
    may_follow = _follow(first, then, path.loops_with(use.path)) if then else False
    if may_follow is None:  # a use that only an import runs comes before
        return not any(scope.parent is None for scope in then)
    return may_follow


def _follow(first: _Steps, then: _Steps, loops: frozenset[int]) -> Optional[bool]:
    """Return whether the site of the steps `then` may run after the site of the steps `first`.

    Later iterations of `loops` do not count. None where no function leads to both. A generator, such as the function of
    a context manager, goes on later than its call.
    """
    shared = [scope for scope in first if scope in then]
    if not shared:
        return None
    if any(scope.yields and scope not in first for scope in then):
        return True
    return any(_follows(before, after, loops) for scope in shared for before in first[scope] for after in then[scope])


def _follows(before: _Step, after: _Step, loops: frozenset[int]) -> bool:
    """Return whether a step of a function may run after another one of it."""
    both = {id(loop) for loop in before.site.block.loops} & {id(loop) for loop in after.site.block.loops}
    if before.hook and after.hook and before.site.node is after.site.node:
        return after.hook not in _BEFORE or bool(both)
    if before.site.node is after.site.node:
        return bool(both - loops)
    first, second = (execution_order.place(each.site.node, each.site.scope) for each in (before, after))
    if first is None or second is None or both - loops:
        return True
    return first.rank <= second.rank and not excludes(before.site.block, after.site.block)


def _steps(program: Program, site: Site, calls: Iterable[tuple[Scope, Site]]) -> _Steps:
    """Return the sites that lead to a site, by function; none where each call passes what keeps it from the site.

    `calls`: the one call of a function that counts.
    """
    found: dict[Scope, list[_Step]] = {}
    entered, todo, seen = dict(calls), [_Step(site)], {id(site.node)}
    while todo:
        step = todo.pop()
        scope = step.site.scope.owner
        is_first = scope not in found
        found.setdefault(scope, []).append(step)
        leading = [_Step(entered[scope])] if scope in entered else [*_leading(program, step.site)]
        todo.extend(each for each in leading if (is_first if each.hook else id(each.site.node) not in seen))
        seen.update(id(each.site.node) for each in leading)
    return found if any(_is_start(program, scope) for scope in found) else {}


def _is_start(program: Program, scope: Scope) -> bool:
    """Return whether code runs by itself, as a hook, or by calls that are not known."""
    return not scope.is_function or not running_callers(program, scope) or bool(_trainings(program, scope))


def _leading(program: Program, site: Site) -> Iterator[_Step]:
    """Yield the calls of the function around a site that may lead to it, and the trainings that call it as a hook."""
    scope = site.scope.owner
    if scope.is_function:
        calls = (each for each in running_callers(program, scope) if may_lead(program, each, site))
        yield from map(_Step, calls)
        yield from (_Step(train, scope.name) for train in _trainings(program, scope))


def _trainings(program: Program, scope: Scope) -> Sequence[Site]:
    """Return the trainings that call a function as the hook of a callback."""
    is_hook = scope.name in HOOKS and scope.cls is not None and is_callback(program, scope.cls)
    return program.calls(*MODEL_TRAINS) if is_hook else ()


def _is_in_training(program: Program, site: Site, calls: Iterable[tuple[Scope, Site]]) -> bool:
    """Return whether a hook that runs while `Model.train` does leads to a site."""
    return any(step.hook in _DURING for found in _steps(program, site, calls).values() for step in found)
