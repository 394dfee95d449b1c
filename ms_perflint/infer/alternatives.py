"""What an alternative of a value can be: a constant, an object that a call makes, a list or dict that code shows."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

from ms_perflint.core.records import equal_by
from ms_perflint.index.semantic_index import COMPREHENSIONS, Binding, Scope, SemanticIndex
from ms_perflint.index.signature import Held
from ms_perflint.resolve.resolver import Namespace

if TYPE_CHECKING:
    from ms_perflint.infer.values import Alternative, Value


class Constant(NamedTuple):
    """A Python constant."""

    value: Any

    def same(self, other: object) -> bool:
        """Return whether it equals a constant of the same type: 1 is not True."""
        return type(self.value) is type(other) and self.value == other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self.same(other.value)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@equal_by("name")
class Api(NamedTuple):
    """A name outside of the project by its canonical name, and for a member of an object that object."""

    name: str
    receiver: Optional[Alternative] = None


class Instance(NamedTuple):
    """An object that a call of an Api or a class creates; `node` is that call (None: `self`)."""

    type: Union[Api, Scope]
    node: Optional[ast.Call]
    scope: Scope  # in which the call stands
    row: Optional[tuple[Held, ...]] = None  # arguments of the class in an indirect call: `map(Class, elements)`
    is_parsed: bool = False  # that call makes it of the command line

    @property
    def truth(self) -> Optional[bool]:
        """Return True for an object of MindSpore; None for others."""
        return True if isinstance(self.type, Api) and self.type.name.startswith("mindspore.") else None


@equal_by("function")
class Bound(NamedTuple):
    """A method bound to an object."""

    function: Scope
    receiver: Alternative


# Kinds of displays
LIST, TUPLE, SET, DICT, COMPREHENSION = "list", "tuple", "set", "dict", "comprehension"
YIELDS = "yields"  # what a generator yields
MANY_OF = "many"  # any number of each of its parts, in an order that is not known
_KINDS: dict[type[ast.AST], str] = {ast.List: LIST, ast.Tuple: TUPLE, ast.Set: SET, ast.Dict: DICT}
_KINDS.update(dict.fromkeys(COMPREHENSIONS, COMPREHENSION))


class Display(NamedTuple):
    """A list, tuple, set, dict or comprehension; its elements are evaluated on demand."""

    node: ast.AST  # what makes it
    scope: Scope
    kind: str
    parts: tuple[Held, ...] = ()  # what it holds; of a dict, the values
    keys: tuple[Optional[Held], ...] = ()  # of a dict; None: of a mapping whose entries it gets
    is_deep: bool = False  # mappings inside of its mappings are laid over one another, too
    never: frozenset[str] = frozenset()  # keys that it does not get from its mappings
    binding: Optional[Binding] = None  # the name under which elements are added, if it is made under another one

    def __hash__(self) -> int:
        return hash((self.node, self.scope, self.kind))  # what it holds can be deep

    @property
    def truth(self) -> Optional[bool]:
        """Return whether it holds something; None where that is not known: a list gets more later."""
        if self.kind in (LIST, TUPLE, SET, YIELDS) and not all(part.is_spread for part in self.parts):
            return True
        return False if self.kind == TUPLE and not self.parts else None

    @staticmethod
    def of(node: ast.expr, scope: Scope) -> Display:
        """Return what an expression shows."""
        if isinstance(node, ast.Dict):
            keys = tuple(Held(key, scope) if key is not None else None for key in node.keys)
            return Display(node, scope, DICT, tuple(Held(value, scope) for value in node.values), keys)
        kind = _KINDS[type(node)]
        if kind == COMPREHENSION:
            return Display(node, scope, kind, (Held(node.elt, scope.module.scope_of[id(node)]),))  # type: ignore[attr-defined]
        return Display(node, scope, kind, tuple(Held.of(each, scope) for each in node.elts))  # type: ignore[attr-defined]


class Options(NamedTuple):
    """What a command-line parser returns; `parser` is where the parser was made."""

    parser: Alternative
    words: Optional[tuple[Alternative, ...]] = None  # those that it parses, if not the command line
    namespace: Optional[Value] = None  # the object that gets the options; what it has comes before their defaults
    late: tuple[ast.AST, ...] = ()  # calls of `set_defaults` of that parser that come behind it


@equal_by("path", "line", "keys", "open", "document", "given")
class ConfigDocument(NamedTuple):
    """A mapping or list read from a YAML or JSON file, with the lines of its keys."""

    path: str
    data: Any
    line: int = 1
    keys: tuple[Any, ...] = ()
    open: bool = False  # it may hold more: a file below it cannot be read
    documents: tuple[Any, ...] = ()  # all of a stream: this is the first
    document: Optional[int] = None  # which one of a stream it is
    given: tuple[tuple[str, Optional[str]], ...] = ()  # the keys that the run gives other values


class Member(NamedTuple):
    """A member of an enumeration; `data`: the constant that it also is, as those of `IntEnum` are numbers."""

    owner: Union[Scope, Instance]
    name: str
    data: Optional[Constant] = None

    def __repr__(self) -> str:
        return f"{getattr(self.owner, 'name', '')}.{self.name}"


What = Union[Constant, Member, Api, Instance, Bound, Display, Options, ConfigDocument, SemanticIndex, Namespace, Scope]
