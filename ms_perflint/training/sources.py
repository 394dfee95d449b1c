"""What a random-access source of a data pipeline does for a row: the calls in `__getitem__` of its class."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Optional

from ms_perflint.core.findings import Place
from ms_perflint.core.graphs import reachable
from ms_perflint.index.execution_order import root_name
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.signature import Part, receiver_name
from ms_perflint.index.syntax_forms import descendants, given, is_decorated, path_of, word_of
from ms_perflint.infer.bases import ancestors, entered_by, method
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training import conditions
from ms_perflint.training.graph_mode.set_by_calls import all_stores, changed_items
from ms_perflint.training.pipelines import is_read_anew
from ms_perflint.training.profiling import AUTOTUNE
from ms_perflint.training.repetition import repeats
from ms_perflint.training.step_loops import is_dataset
from ms_perflint.training.training import callees

# Last words of calls that open, read, decode or change an image, a sound or a text
_WORK = (
    r"(?i)^(?:open|fromfile|loadmat|loadtxt|get_frame|cvtcolor|stft|mfcc|tokenizer?|encode_plus|parse_xml"
    r"|_*(?:im)?(?:read|decode|resize|warp|crop|augment|transform|preprocess|rotate|blur|load_(?!state))\w*"
    r"|\w*_(?:transforms?|augment\w*|resize|decode|crop|imread|preprocess)|transforms|resample|rescale|melspectrogram)$"
)
_READ = r"(?i)read|open|load|decode|fromfile"
_LOADS = ("numpy", "pickle", "json", "yaml", "torch", "librosa", "soundfile", "nibabel", "h5py", "scipy", "joblib")
_READERS = (
    "cv2.",
    "PIL.Image.open",
    "librosa.",
    "skimage.",
    "soundfile.",
    "imageio.",
    "nibabel.",
    "scipy.io.",
    "h5py.",
)
_CHEAP = (
    r"^(?:append|extend|range|len|int|float|str|list|tuple|dict|set|zip|enumerate|min|max|sum|abs|asarray|array|astype|zeros"
    r"|ones|concatenate|stack|randint|random|choice|get|items|keys|values|index|join|split|format|copy|sqrt|isinstance"
    r"|reshape|ravel|flatten|squeeze|expand_dims|transpose|swapaxes|view|insert|remove|pop|popleft|appendleft|popitem"
    r"|add|discard|clear|update|setdefault|[A-Z]\w*(?:Error|Exception)"
    r"|print|info|debug|warning|_*(?:assert|check|ensure|validate|is|has|get)_\w+)$"
)
# Methods that change a list, an iterator or a file, or the position in it
_CHANGING = frozenset(
    {
        *("append", "extend", "insert", "remove", "popleft", "appendleft", "add", "discard", "pop", "clear"),
        *("update", "setdefault", "popitem", "write", "writelines", "seek"),
    }
)
_SHARED = frozenset(
    {
        *("builtins.open", "io.open", "gzip.open", "bz2.open", "lmdb.open", "tarfile.open", "h5py.File", "codecs.open"),
        *("zipfile.ZipFile", "tarfile.TarFile", "sqlite3.connect", "pathlib.Path.open", "netCDF4.Dataset", "wave.open"),
        *("cv2.VideoCapture", "decord.VideoReader", "soundfile.SoundFile", "redis.Redis", "pymysql.connect"),
        *("numpy.random.RandomState", "numpy.random.default_rng", "numpy.random.Generator", "random.Random"),
    }
)
# What makes rows side by side in the source itself. Run on 2.10: a pool of the source blocks in a forked worker, and a
# worker may make no pool of processes.
_PARALLEL = frozenset(
    {
        *("multiprocessing.Pool", "multiprocessing.pool.Pool", "multiprocessing.pool.ThreadPool", "queue.Queue"),
        *("multiprocessing.Process", "multiprocessing.Queue", "multiprocessing.dummy.Pool", "threading.Thread"),
        *("concurrent.futures.ThreadPoolExecutor", "concurrent.futures.ProcessPoolExecutor"),
    }
)
_VIEWS = ("begin", "cursor")  # methods of an open database that return a part of it
# With these names in the source, `GeneratorDataset` sets the number of workers to 1. Run on 2.10.
_OPERATORS = ("mindspore.nn.", "mindspore.ops.", "mindspore.numpy.")
_SEEDS = ("mindspore.set_seed", "mindspore.dataset.config.set_seed")
_GENERATORS = ("numpy.random.default_rng", "numpy.random.RandomState", "numpy.random.seed")


class Work(NamedTuple):
    """A call of a source for each row that takes time, and what speaks against more workers."""

    site: Site
    changed: Optional[Place]  # where a row changes what outlives it
    shared: Optional[Place] = None  # where a file that all workers read from, or a generator, is made
    drawn: Optional[Site] = None  # forked workers draw the same numbers, if no seed is set
    again: Optional[Site] = None  # they draw the same ones in every epoch, if a seed is set
    computed: Optional[Site] = None  # an operator or layer of MindSpore, which then may leave one worker
    told: Optional[Place] = None  # where the program changes the source between epochs, which workers do not see

    @property
    def is_alone(self) -> bool:
        """Return whether something speaks against more workers."""
        return any(each is not None for each in self[1:])


def work_of(program: Program, call: Call) -> Optional[Work]:
    """Return the work of the source of a `GeneratorDataset`; None without one, and for other sources.

    Of several classes that the source may be of, as where a later cell defines one again, each has to do work; one that
    speaks against more workers comes first.
    """
    source = call.argument("source")
    works = [_work_of(program, call, each.cls) for each in source.alternatives]
    known = [each for each in works if each is not None]
    if source.open or not known or len(known) < len(works):
        return None
    return next((each for each in known if each.is_alone), known[0])


def _work_of(program: Program, call: Call, cls: Optional[Scope]) -> Optional[Work]:
    """Return the work of a source of a class; None without one, and for other sources."""
    get = method(program.evaluator, cls, "__getitem__") if cls is not None else None
    if cls is None or get is None or _is_listed(call):
        return None  # `__iter__` beside `__getitem__` is not called (mindspore 2.10 datasets_user_defined.py:1103)
    functions = _functions(program, cls, get)
    sites = (site for function in functions for site in function.calls)
    works = [site for site in sites if program.evaluator.may_run(site) and _works(program, site)]
    works = [site for site in works if not conditions.is_on_request(program, site)]
    found = next((site for site in works if re.search(_READ, site.word)), next(iter(works), None))
    found = found or next((site for function in functions for site in _looped(program, function)), None)
    if found is None or _is_parallel(program, cls, functions):
        return None
    changed = next((place for function in functions for place in _changes(function)), None)
    drawn, is_seeded = None, any(program.runs(seed) for seed in program.calls(*_SEEDS))
    again = _draw(program, functions, ("numpy.random.", "random.")) if is_seeded else None
    if not is_seeded:
        drawn = _draw(program, functions, ("numpy.random.",))
    elif again is not None and not is_read_anew(program, call):
        again = None
    told = _told(program, cls, functions) if not is_read_anew(program, call) else None
    made = [method(program.evaluator, cls, "__init__")]
    computed = _calling(program, [*filter(None, made), *functions], lambda name: name.startswith(_OPERATORS))
    return Work(found, changed, _held(program, cls, functions, _SHARED), drawn, again, computed, told)


def _is_listed(call: Call) -> bool:
    """Return whether `list(source)` makes the rows before."""
    given = call.given("source")
    made = [binding.value for binding in call.scope.lookup(given)] if isinstance(given, ast.Name) else [given]
    return any(isinstance(each, ast.Call) and word_of(each.func) in ("list", "tuple", "sorted") for each in made)


def _functions(program: Program, cls: Scope, function: Scope) -> list[Scope]:
    """Return a function of a class and the functions of the project that it calls, directly or not.

    `self.load(...)` of a base class is the method of the class, `self.rows[index]` of another source its `__getitem__`.
    """
    evaluator, its = program.evaluator, list(ancestors(program.evaluator, cls))

    def called(caller: Scope) -> Iterator[Scope]:
        own = receiver_name(caller) if caller.cls in its else ""
        for site in (site for site in caller.calls if evaluator.may_run(site)):
            func = getattr(site.node, "func", None)
            is_own = own and isinstance(func, ast.Attribute) and path_of(func.value) == own
            mine = method(evaluator, cls, site.word) if is_own else None
            yield from (each for each in ((mine,) if mine else callees(program, site)) if each.name != "__init__")
            known = evaluator.callees(site).alternatives
            made = (each.creation for each in known if each.type_api.endswith(".Compose"))  # of a library
            lists = (program.value(node, part.scope) for part in made if part for node in given(part.call)[:1])
            inner = (each for value in lists for each in evaluator.each(value).alternatives)
            yield from (entered for each in inner if (entered := entered_by(evaluator, each)) is not None)
        for node in descendants(caller.node):
            yield from _subscripted(program, caller, node)

    return [each for each in reachable([function], called) if each.is_function]


def _subscripted(program: Program, function: Scope, node: ast.AST) -> Iterator[Scope]:
    """Yield the methods `__getitem__` that `self.rows[index]` calls; none for other nodes."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
        found = (known.cls for known in program.value(node.value, function).alternatives)
        rows = (method(program.evaluator, each, "__getitem__") for each in found if each is not None)
        yield from (each for each in rows if each is not None)


def _works(program: Program, site: Site) -> bool:
    """Return whether a call reads a file, or decodes or changes a row, by its name; no call of the project."""
    value = program.evaluator.callees(site)
    names = [known.api or known.type_api for known in value.alternatives if known.api or known.type_api]
    if not names and program.callees(site):
        return False
    if any(name.startswith(_READERS) or name == "builtins.open" for name in names):
        return True
    if site.word in ("load", "safe_load"):
        roots = {name.partition(".")[0] for name in names} or {root_name(site.call.func)}
        return not roots.isdisjoint({"np", *_LOADS})
    return not value.are_only(lambda known: known.constant is None) and bool(re.match(_WORK, site.word))


def _looped(program: Program, function: Scope) -> Iterator[Site]:
    """Yield the calls in loops over the rows of a batch that take time, also by `self.rows[index]`."""
    loops = (each for each in descendants(function.node) if isinstance(each, ast.For))
    rows = (row for loop in loops for node in descendants(loop) for row in _subscripted(program, function, node))
    for site in (*function.calls, *(site for row in rows for site in row.calls)):
        is_looped = site.scope.owner is not function or any(isinstance(each, ast.For) for each in site.block.loops)
        if is_looped and program.evaluator.may_run(site) and _takes_time(program, site, {function, site.scope.owner}):
            yield site


def _takes_time(program: Program, site: Site, seen: set[Scope]) -> bool:
    """Return whether a call is more than a look-up or a check; one of the project, whether it makes such a call.

    `seen`: the functions that were entered on the way here.
    """
    if not isinstance(site.node, ast.Call) or re.match(_CHEAP, site.word):
        return False
    functions = [each for each in program.callees(site) if each.is_function and each.name != "__init__"]
    entered = [each for each in functions if each not in seen]
    seen.update(entered)
    return not functions or any(_takes_time(program, each, seen) for function in entered for each in function.calls)


def _changes(function: Scope) -> Iterator[Place]:
    """Yield where a function changes the source, or what is bound outside of it.

    A cache is one: each worker fills its own. Run on 2.10 (CPU, 8 epochs of 100 cached rows of 10 ms): 1.0 s with one
    worker, 2.3 s with two, and 5.0 s where each epoch makes an iterator.
    """
    own = receiver_name(function)
    if is_decorated(function.node, "lru_cache", "cache"):
        yield function.module.place(function.node)
    for node in descendants(function.node):
        changed: list[ast.expr] = []
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            changed = [node]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
            changed = [node.func]
        elif isinstance(node, ast.Call) and word_of(node.func) == "next":
            changed = node.args[:1]
        is_global = isinstance(node, (ast.Global, ast.Nonlocal))
        if is_global or any(_is_kept(each, function, own) for each in changed):
            yield function.module.place(node)


def _is_kept(node: ast.expr, function: Scope, own: str) -> bool:
    """Return whether an expression starts at the object of a method, also by a name for an attribute, or outside."""
    name = root_name(node)
    values = [binding.value for binding in function.bindings.get(name, ())]
    is_attribute = own and any(isinstance(each, ast.Attribute) and root_name(each) == own for each in values)
    return bool(name) and (name == own or is_attribute or _is_outer(node, function))


def _is_outer(node: ast.expr, function: Scope) -> bool:
    """Return whether an expression starts at a name that is bound in the code around a function."""
    name = root_name(node)
    return bool(name) and name not in function.bindings and function.home(name) is not None


def _held(program: Program, cls: Scope, functions: list[Scope], names: frozenset[str]) -> Optional[Place]:
    """Return where an attribute or global that some functions read is made by one of some APIs: an open file, a pool.

    Forked workers share the position in a file, and each has the same copy of a generator: reads race. In one run on
    2.10 (CPU, 24 rows) no read met another one.
    """
    classes = [*ancestors(program.evaluator, cls), *(each.cls for each in functions if each.cls is not None)]
    tables = [table for each in dict.fromkeys(classes) for table in (each.attributes, each.bindings)]
    own = [(name, each) for table in tables for name, bindings in table.items() for each in bindings]
    made = [each for name, each in own if any(name in function.attrs for function in functions)]
    for function in functions:
        free = ((name, function.home(name)) for name in sorted(function.names) if name not in function.bindings)
        made += [
            each for name, home in free if home is not None and home.parent is None for each in home.bindings[name]
        ]
    for each in made:
        if each.value is not None and _is_made_by(program, each.value, each.scope, names):
            return each.scope.module.place(each.value)
    return None


def _is_made_by(program: Program, node: ast.expr, scope: Scope, names: frozenset[str]) -> bool:
    """Return whether a value is made by one of some APIs, is a part of such a value, or holds one."""

    def parts(part: Part) -> Iterable[Part]:
        base = _whole(part.node)
        if base is not None:
            return (Part(base, part.scope),)
        held = (each for known in program.value(*part).alternatives for each in known.parts)
        return (Part(each.node, each.scope) for each in held)

    found = (each for each in reachable([Part(node, scope)], parts) if _whole(each.node) is None)
    return any(known.type_api in names for each in found for known in program.value(*each).alternatives)


def _whole(node: ast.expr) -> Optional[ast.expr]:
    """Return the value of which an expression is a part, or the values of a table; None for others."""
    if isinstance(node, ast.DictComp) or (isinstance(node, ast.Subscript) and not _is_read(node.slice)):
        return node.value
    is_view = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _VIEWS
    return node.func.value if is_view else None  # type: ignore[attr-defined]


def _is_read(node: ast.expr) -> bool:
    """Return whether an index reads a part of a file into memory: `[:]`, `[...]`, `[()]`."""
    return isinstance(node, (ast.Slice, ast.Tuple)) or (isinstance(node, ast.Constant) and node.value is ...)


def _is_parallel(program: Program, cls: Scope, functions: list[Scope]) -> bool:
    """Return whether a source has threads or processes of its own."""
    is_made = _calling(program, functions, lambda name: name in _PARALLEL) is not None
    return is_made or _held(program, cls, functions, _PARALLEL) is not None


def _calling(program: Program, functions: Iterable[Scope], is_meant: Callable[[str], bool]) -> Optional[Site]:
    """Return the first call of some functions to an API that is meant, or to what one makes; None without one."""
    for site in (site for function in functions for site in function.calls):
        known = program.evaluator.callees(site).alternatives
        if any(is_meant(each.api or each.type_api) for each in known):
            return site
    return None


def _told(program: Program, cls: Scope, functions: list[Scope]) -> Optional[Place]:
    """Return where other code changes an attribute with which rows are made, repeatedly; None without such code.

    Run on 2.10, CPU: one worker makes its rows in the process of the program, and sees `source.epoch = 3`. Several do
    not: they are forked once for each iterator.
    """
    for name in sorted({name for function in functions for name in function.attrs}):
        for each in (*all_stores(program, name), *changed_items(program, name)):
            function, base = each.scope.owner, getattr(each.node, "value", None)
            if function in functions or function.name == "__init__" or not isinstance(base, ast.expr):
                continue
            if function.cls is None or root_name(base) != receiver_name(function):
                is_its = any(known.cls is cls for known in program.value(base, each.scope).alternatives)
            else:
                is_its = function.cls in ancestors(program.evaluator, cls)
            if is_its and program.runs(each.site) and repeats(program, each.site):
                return each.scope.module.place(each.node)
    return None


def _draw(program: Program, functions: list[Scope], libraries: tuple[str, ...]) -> Optional[Site]:
    """Return the call in one of some functions that draws from the global random numbers of a library, if there is one.

    Run on 2.10, CPU: two forked workers give each number of NumPy twice; Python's own `random` is seeded again in each
    process. With a seed of MindSpore each worker has its own, and begins with it each time that an iterator is made: a
    loop that makes one for each epoch gets the same numbers in all of them.
    """
    return _calling(program, functions, lambda name: name.startswith(libraries) and name not in _GENERATORS)


def is_tuned(program: Program) -> bool:
    """Return whether AutoTune may choose the number of workers, or the program sets that of a dataset afterwards."""
    if any(call.argument("enable").may_be(True) for call in program.calls(AUTOTUNE)):
        return True
    stores = ((each.node, each.scope) for each in program.code.stores_anywhere("num_parallel_workers"))
    bases = (program.value(node.value, scope) for node, scope in stores if isinstance(node, ast.Attribute))
    return any(is_dataset(known) for base in bases for known in base.alternatives)
