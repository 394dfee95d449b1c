"""The values of `object.name`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.signature import Held, Layer
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer import bases, bulk_updates, calls, configs, method_writes, narrowing, protocols, sequences
from ms_perflint.infer.alternatives import Api, Constant, Instance, Member
from ms_perflint.infer.bases import lineage, method
from ms_perflint.infer.call_context import NESTED, CallContext, depth_of
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import BOTTOM, MANY, TOP, Alternative, Value, join

READS = ("builtins.dict.get", "builtins.dict.__getitem__")  # methods that are given the name of a missing attribute
CALLED, READ = 8, 2  # how often one member is called, and read, along a chain: `data.map(f).map(g)`


def of_object(evaluator: Evaluator, known: Alternative, name: str, node: ast.expr, scope: Scope) -> Value:
    """Return a member of an object of a class of the project."""
    what, cls = known.what, known.cls
    assert isinstance(what, Instance) and cls is not None
    kind = evaluator.libraries.methods.get(name)
    if kind is not None and known.is_made:  # of a class of its own, made like the well-known one
        return evaluator.known(Api(f"{kind}.{name}", known), node, scope)
    found = of_class(evaluator, cls, name, known, node, scope)
    if len(found.alternatives) > 1 and name in cls.attributes:
        this = known if known.is_made else _only_object(evaluator, cls).only
        found = (_as_written(evaluator, this, name, node, scope) if this is not None else None) or found
    classes = tuple(bases.ancestors(evaluator, cls))
    sets_any = any(each.may_set(name) for each in classes)
    is_named = any(name in each.attributes or name in each.bindings for each in classes)
    own = updated(evaluator, known, what, name) if sets_any and (known.is_made or not is_named) else BOTTOM
    if own.alternatives or (own.open and own != bulk_updates.UNTOLD):
        return own
    if (found.alternatives and not sets_any) or not known.is_made:
        return found
    if any(name in each.attributes for each in classes) and not sets_any:
        return found  # what a method stores, though a config file that the constructor gets has a key of this name
    held = setting(evaluator, known, name, node, scope)
    if held.alternatives:
        return held
    return _delegated(evaluator, known, name) or found._replace(open=found.open or own.open)


@query
def _only_object(evaluator: Evaluator, cls: Scope) -> Value:
    """Return the object of a class of which the program makes only one, which is then `self`; BOTTOM for others."""
    sites = evaluator.program.callers(cls) if not evaluator.program.derived(cls) else ()
    made = evaluator.value(sites[0].node, sites[0].scope).only if len(sites) == 1 else None
    return Value((made,)) if made is not None and made.cls is cls and made.is_made else BOTTOM


def _as_written(evaluator: Evaluator, known: Alternative, name: str, node: ast.expr, scope: Scope) -> Optional[Value]:
    """Return the value of an attribute by the methods called on its object; None where these are not known."""
    stores = method_writes.counting(evaluator, known, name, node, scope)
    if stores is None or known.cls is None:
        return None
    if not stores:  # no method of its own class was called that sets it
        is_inherited = name not in known.cls.bindings
        inherited = of_class(evaluator, known.cls, name, known, node, scope, known.cls) if is_inherited else BOTTOM
        return inherited if inherited.alternatives else None
    entered = constructed(evaluator, known)
    return join(evaluator.weighed(each, context or entered.get(each.scope)) for each, context in stores)


def has(evaluator: Evaluator, known: Alternative, name: str) -> Optional[bool]:
    """Return whether a class or an object of the project has a member; None where that is not known, and of others."""
    answer = bases.has(evaluator, known, name)
    return None if answer is False and bulk_updates.is_updated(evaluator, known) else answer


def _delegated(evaluator: Evaluator, known: Alternative, name: str) -> Optional[Value]:
    """Return the result of `__getattr__` for a missing member; None without such a method."""
    made = known.creation
    if made is None or name.startswith("__"):
        return None
    for cls in bases.ancestors(evaluator, known.cls) if known.cls is not None else ():
        named = cls.bindings.get("__getattr__", ())
        if named and evaluator.binding(named[-1]).are(lambda each: each.api in READS):
            return evaluator.item(known, name)
    word = Held(made.call, made.scope, evaluator.known(Constant(name), made.call, made.scope))
    return evaluator.operated(known, "__getattr__", made._replace(row=(word,), is_word=True))


def outside(
    evaluator: Evaluator, base: str, name: str, receiver: Optional[Alternative], node: ast.expr, scope: Scope
) -> Value:
    """Return a member of an object outside of the project; open where the chain repeats it too often.

    A name that gets a member of itself has no last value: `model = model.network`, `x = x.relu()`.
    """
    if base.split(".").count(name) >= (CALLED if scope.module.calls(node) else READ):
        return TOP
    return evaluator.known(Api(mindspore_api.canonical(f"{base}.{name}"), receiver), node, scope)


def setting(evaluator: Evaluator, known: Alternative, name: str, node: ast.expr, scope: Scope) -> Value:
    """Return a setting of an object; BOTTOM for a callee: settings are data."""
    return BOTTOM if scope.module.calls(node) else configs.setting(evaluator, known, name)


def above(evaluator: Evaluator, what: Instance, name: str, node: ast.expr, scope: Scope) -> Value:
    """Return the value of `super().name`: a member of a base of the class around it, or of `super(Class, self)`."""
    function = what.scope.owner
    cls = function.parent
    if cls is None or not cls.is_class:
        return TOP
    first = next(iter(what.node.args), None) if what.node is not None else None
    if isinstance(first, (ast.Name, ast.Attribute)) and word_of(first) not in (cls.name, "__class__"):
        named = evaluator.value(first, what.scope).only
        cls = named.what if named is not None and isinstance(named.what, Scope) and named.what.is_class else cls
    receiver = what.scope.receiver if isinstance(what.scope, CallContext) else None
    if receiver is None:
        receiver = Alternative(Instance(cls, None, function), (function.module, function.node))
    own = receiver.cls or receiver.definition
    classes = [own] if own is not None and not receiver.is_any else [cls, *evaluator.program.derived(cls)]
    left_out = 1 if len(classes) > 1 and _is_only_derived_from(evaluator, cls) else 0
    orders = {bases.behind(evaluator, each, cls): each for each in reversed(classes[left_out:])}
    return join(of_class(evaluator, each, name, receiver, node, scope, cls) for each in orders.values())


# --- classes of the project


def of_class(
    evaluator: Evaluator,
    cls: Scope,
    name: str,
    receiver: Optional[Alternative],
    node: ast.expr,
    scope: Scope,
    below: Optional[Scope] = None,
    met: Optional[Alternative] = None,
) -> Value:
    """A member of a class of the project: its own (set on self, made in the class body), else inherited.

    `below`: only what stands behind this one of its bases, or behind itself, in lookup order. `met`: the class as it is
    known where its member is read.
    """
    holder = receiver or met or _class_itself(cls)
    is_any = below is None and holder.is_any
    private = _private_class(name, scope)
    if private is not None and private in bases.ancestors(evaluator, cls):
        found = _defined_by(evaluator, private, name, holder, receiver is not None)
        return found if found.alternatives or found.open else TOP
    late: list[Value] = []  # values by derived classes, which replace that of a base
    for known in lineage(evaluator, cls) if below is None else bases.behind(evaluator, cls, below):
        if isinstance(known.what, Scope):
            found = _defined_by(evaluator, known.what, name, holder, receiver is not None)
            if found.alternatives or found.open:
                if receiver is not None:
                    found = _with_bases(evaluator, cls, known.what, name, holder, found)
                late.append(_or_overridden(evaluator, cls, name, receiver, found, known.what) if is_any else found)
                if not method_writes.is_set_later(evaluator, cls, known.what, name):
                    break
        elif known.api.startswith("mindspore.") and not late:
            api = mindspore_api.canonical(f"{known.api}.{name}")
            is_left = is_any and mindspore_api.parameters(api, mindspore_api.newest()) is None
            derived = _of_derived(evaluator, cls, name, receiver) if is_left else TOP  # `self.features` of a template
            return derived if derived.alternatives else evaluator.known(Api(api, receiver), node, scope)
    return join(late) if late else _of_derived(evaluator, cls, name, receiver) if is_any else TOP


def _private_class(name: str, scope: Scope) -> Optional[Scope]:
    """Return the class around code that reads a private member, `self.__name`, which no other class sees."""
    around: Optional[Scope] = scope if name.startswith("__") and not name.endswith("__") else None
    while around is not None and not around.is_class:
        around = around.parent
    return around


def _with_bases(
    evaluator: Evaluator, cls: Scope, owner: Scope, name: str, receiver: Alternative, found: Value
) -> Value:
    """Return a member of an object that a class gives it, or what methods of the bases of that store in its place."""
    above = method_writes.set_by_bases(evaluator, cls, owner, name)
    if not above:
        return found
    values = [_defined_by(evaluator, each, name, receiver, True) for each in above]
    is_replaced = name not in owner.attributes and method_writes.is_set_when_made(evaluator, cls, above[0], name)
    return join(values if is_replaced else [found, *values])


def _or_overridden(
    evaluator: Evaluator, cls: Scope, name: str, receiver: Optional[Alternative], found: Value, owner: Scope
) -> Value:
    """Return what a class has from `owner`, or the classes that derive from it instead.

    A method or a property that does nothing, or only raises, is left to these, as is all of a class of which no object
    is made, but of these.
    """
    derived = _of_derived(evaluator, cls, name, receiver)
    if not derived.alternatives:
        return found
    setting = [each for each in evaluator.program.derived(cls) if name in each.attributes]
    is_own = name in owner.attributes
    is_kept = is_own and any(owner in method_writes.set_by_bases(evaluator, each, each, name) for each in setting)
    if is_own and not setting:  # then what a class below has of it is hidden
        return found if method_writes.is_set_when_made(evaluator, owner, owner, name) else join((found, derived))
    known = _in_general(evaluator, owner, name).only
    function = known.definition if known is not None else None
    is_method = function is not None and function.is_method
    body: list[ast.stmt] = getattr(function.node, "body", []) if function is not None else []
    own = (each for each in body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)))
    is_left_open = is_method and isinstance(next(own, None), (ast.Pass, ast.Raise, type(None)))
    is_hidden = (is_left_open or _is_only_derived_from(evaluator, cls)) and not is_kept
    return derived if is_hidden else join((found, derived))


@query
def _is_only_derived_from(evaluator: Evaluator, cls: Scope) -> bool:
    """Return whether the program makes objects of classes that derive from one, and none of that one."""
    program = evaluator.program
    return not program.callers(cls) and any(program.callers(each) for each in program.derived(cls))


def _of_derived(evaluator: Evaluator, cls: Scope, name: str, receiver: Optional[Alternative]) -> Value:
    """Return the joined values of a member in the derived classes."""
    found = [
        _defined_by(evaluator, each, name, receiver or _class_itself(each), receiver is not None)
        for each in (_below(evaluator, cls) if evaluator.program.derived(cls) else ())
    ]
    is_known = any(each.alternatives for each in found)
    return join(each for each in found if each.alternatives or each.open) if is_known else TOP


@query(bottom=(), top=())
def _below(evaluator: Evaluator, cls: Scope) -> tuple[Scope, ...]:
    """Return the classes that derive from a class, and those that come before it in the lookup order of these."""
    orders = ([known.what for known in lineage(evaluator, each)] for each in evaluator.program.derived(cls))
    before = (each for order in orders if cls in order for each in order[: order.index(cls)] if isinstance(each, Scope))
    return (*dict.fromkeys(before),)


def _defined_by(evaluator: Evaluator, cls: Scope, name: str, holder: Alternative, is_object: bool) -> Value:
    """A member that a class has by itself; NOTHING where it may have it from a base.

    `holder`: what it is taken from, an object or a class.
    """
    found = _in_general(evaluator, cls, name)
    if not found.alternatives and not found.open:
        return BOTTOM
    is_set = found.overridable and evaluator.libraries.is_record(cls)  # by the fields that the object is made with
    if is_object and (calls.depends(found) or is_set or isinstance(holder.what, Member)):
        found = _of_this(evaluator, cls, name, holder, found)
    return protocols.read(evaluator, found, holder, is_object, name in cls.attributes)


@query(bottom=BOTTOM, top=MANY)
def _in_general(evaluator: Evaluator, cls: Scope, name: str) -> Value:
    """Return the value of a member by a class itself, for all of its objects."""
    value = _own_member(evaluator, cls, name, {})
    is_replaced = bool(value.alternatives) and protocols.is_replaced(evaluator, cls, name, value)
    return value._replace(open=True) if is_replaced else value


def _own_member(evaluator: Evaluator, cls: Scope, name: str, entered: Mapping[Scope, CallContext]) -> Value:
    """Return the value of a member by a class itself; `entered`: call contexts of its methods."""
    stores = method_writes.kept(cls, name)
    if stores:
        left = (_left(evaluator, binding, stores, entered.get(binding.scope)) for binding in stores)
        values = [value for value in left if value is not None]
        if name in cls.bindings and not any(map(bases.is_always_stored, stores)):
            values.append(evaluator.bindings(cls.flow.at_end(name)))
        value = join(values)
        return Value(value.alternatives, value.open or cls.may_set(name), value.overridable)
    if name in cls.bindings:
        value = evaluator.bindings(cls.flow.at_end(name))
        return Value(value.alternatives, value.open, True) if evaluator.libraries.is_record(cls) else value
    return BOTTOM


def _left(
    evaluator: Evaluator, store: Binding, stores: Sequence[Binding], entered: Optional[CallContext]
) -> Optional[Value]:
    """Return what a store in a method leaves in an object, after the other stores there; None for nothing."""
    others = tuple(each for each in stores if each.scope is store.scope)
    return narrowing.remaining(evaluator, store, evaluator.weighed(store, entered), others, entered)


def _of_this(evaluator: Evaluator, cls: Scope, name: str, receiver: Alternative, found: Value) -> Value:
    """Return the value of a member of one object, whose constructor call is known."""
    what = receiver.what
    if name not in cls.attributes:
        return found
    if isinstance(what, Member):
        entered = _of_member(evaluator, what, cls, receiver)
    elif isinstance(what, Instance) and isinstance(what.type, Scope) and what.node is not None:
        entered = constructed(evaluator, receiver)
    else:
        return found
    if not entered:
        return found
    value = _own_member(evaluator, cls, name, entered)
    is_replaced = found.open and not value.open and protocols.is_replaced(evaluator, cls, name, value)
    return value._replace(open=True) if is_replaced else value


def _of_member(evaluator: Evaluator, what: Member, cls: Scope, receiver: Alternative) -> dict[Scope, CallContext]:
    """Return the constructor of an enumeration, as it is entered for a member: with the elements of its tuple."""
    init, only = cls.method("__init__"), bases.members(evaluator, what.owner)[what.name].only
    if init is None or only is None or only.shown is None:
        return {}
    row = sequences.whole(evaluator, Value((only,)))
    layer = Layer(*only.shown[:2], row=tuple(row), callee=only.shown.node) if row is not None else None  # type: ignore[arg-type]
    return {init: evaluator.call_context(init, layer, only.shown.scope, receiver)} if layer is not None else {}


@query(bottom=BOTTOM, top=TOP)
def updated(evaluator: Evaluator, known: Alternative, what: Instance, name: str) -> Value:
    """Return the value of a member that constructors set under a computed name; NOTHING for others."""
    assert isinstance(what.type, Scope)
    entered = [*constructed(evaluator, known).values()]
    scopes: list[Scope] = [*(entered or _constructors(evaluator, what.type))]
    is_mapping = bases.is_mapping(evaluator, what.type)
    scopes = [each for scope in scopes for each in (scope, *_helpers(evaluator, scope, is_mapping))]
    stores = [each for cls in bases.ancestors(evaluator, what.type) for each in cls.attributes.get(name, ())]
    return bulk_updates.own(evaluator, scopes, stores, name, known) or BOTTOM


def _constructors(evaluator: Evaluator, cls: Scope) -> Iterator[Scope]:
    """Yield the constructor of a class, and those of bases that it calls, one from the other, for all calls of them."""
    init, seen = method(evaluator, cls, "__init__"), set[Scope]()
    while init is not None and init not in seen:
        yield init
        seen.add(init)
        above = _above(evaluator, init, init)
        init = above[0] if above is not None else None


def _helpers(evaluator: Evaluator, init: Scope, takes_all: bool) -> Iterator[Scope]:
    """Yield the methods that a constructor calls, as it enters them: all, or those that it always calls."""
    for site in init.calls:
        if not isinstance(site.node, ast.Call) or not isinstance(site.node.func, ast.Attribute):
            continue
        if not takes_all and site.block.parent is not None:
            continue
        for known in evaluator.value(site.node.func, init).alternatives:
            function = known.definition
            is_part = function is not None and function.parent is not None and function.parent.is_class
            if function is not None and is_part and function.name != "__init__":
                entered = calls.entered_context(evaluator, function, Layer(site.node, init), known.receiver)
                if entered is not None or len(evaluator.program.callers(function)) == 1:
                    yield entered or function


def constructed(evaluator: Evaluator, receiver: Alternative) -> dict[Scope, CallContext]:
    """Return the constructors that made an object, its own and those of its bases, as they were entered."""
    what = receiver.what
    assert isinstance(what, Instance) and isinstance(what.type, Scope)
    found: dict[Scope, CallContext] = {}
    init = method(evaluator, what.type, "__init__")
    layer = Layer(what.node, what.scope, row=what.row) if what.node is not None else None
    if init is not None:
        _enter(evaluator, init, calls.entered_context(evaluator, init, layer, receiver), found)
    is_record = what.node is not None and depth_of(what.scope) < NESTED and evaluator.libraries.is_record(what.type)
    for name in evaluator.libraries.afterwards if is_record else ():
        behind = method(evaluator, what.type, name)
        if behind is not None:
            _enter(evaluator, behind, evaluator.call_context(behind, None, what.scope, receiver), found)
    return found


def _enter(
    evaluator: Evaluator, function: Scope, context: Optional[CallContext], found: dict[Scope, CallContext]
) -> None:
    """Add the call context of a constructor, and of those of bases that it calls, one from the other."""
    while context is not None and function not in found:
        found[function] = context
        above = _above(evaluator, function, context)
        if above is None:
            break
        function, layer = above
        context = calls.entered_context(evaluator, function, layer, context.receiver)


def _above(evaluator: Evaluator, function: Scope, context: Scope) -> Optional[tuple[Scope, Layer]]:
    """Return the constructor of a base that a constructor calls, and that call."""
    for site in function.calls:
        if site.word == function.name:
            for known in evaluator.value(site.call.func, context).alternatives:
                if known.definition is not None and known.definition.is_function:
                    return known.definition, Layer(site.call, context)
    return None


def _class_itself(cls: Scope) -> Alternative:
    return Alternative(cls, (cls.module, cls.node))
