"""One form for code that does the same: names erased, temporary values inlined.

A commit that only renames, unfolds or folds leaves this form equal. What it sees
through:

- names of locals, of parameters of private functions, and of private functions, classes
  and constants of a module; docstrings, comments and annotations of locals;
- a local that is bound once and read once, in the statement after (``x = f(); return
  x``);
- a loop whose whole body appends to a list, adds to a set or fills a dictionary that
  the statement before made empty, against the comprehension;
- ``if c: return a`` and ``return b`` against ``return a if c else b``, the same for one
  target.

Everything else counts as another program, also where it does the same.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import cast

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def canonical(text: str) -> str:
    """Return source text whose dump is equal for two texts that do the same.

    Raises:
        SyntaxError: the text is no Python.
    """
    tree = ast.parse(text)
    tree = cast(ast.Module, _Bare().visit(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            _fold(node)
    for number, node in enumerate(_outermost_functions(tree)):
        _erase_names(node, f"_{number}")
    _erase_private_names(tree)
    return ast.dump(ast.fix_missing_locations(tree), indent=1)


class _Bare(ast.NodeTransformer):
    """The code without docstrings and without annotations of locals."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        node.body = _without_docstring(node.body)
        return node

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self.generic_visit(node)
        node.body = _without_docstring(node.body)
        return node

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.body = [
            _unannotated(statement) for statement in _without_docstring(node.body)
        ]
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        node.body = [_unannotated(statement) for statement in node.body]
        node.orelse = [_unannotated(statement) for statement in node.orelse]
        return node


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    if is_text and isinstance(first.value.value, str):
        return body[1:] or [ast.Pass()]
    return body


def _unannotated(statement: ast.stmt) -> ast.stmt:
    """Return ``x: int = 1`` of a function as ``x = 1``, which runs the same."""
    if not isinstance(statement, ast.AnnAssign):
        return statement
    if statement.value is None or not isinstance(statement.target, ast.Name):
        return statement
    return ast.Assign([statement.target], statement.value)


def _fold(function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Fold a function's loops, branches and single-use names until it is stable."""
    before = ""
    while before != ast.dump(function):
        before = ast.dump(function)
        function.body = _fold_body(function.body, function)


def _fold_body(body: list[ast.stmt], function: ast.AST) -> list[ast.stmt]:
    for statement in body:
        for name in ("body", "orelse", "finalbody"):
            below = getattr(statement, name, None)
            if isinstance(below, list) and not isinstance(statement, _SCOPES):
                setattr(statement, name, _fold_body(below, function))
        for handler in getattr(statement, "handlers", ()):
            handler.body = _fold_body(handler.body, function)
    for fold in (_loop_as_comprehension, _branches_as_ternary, _name_in_place):
        body = _fold_neighbours(body, fold, function)
    return [_assignment_as_ternary(statement) for statement in body]


_Fold = Callable[[ast.stmt, ast.stmt, ast.AST], ast.stmt | None]


def _fold_neighbours(
    body: list[ast.stmt], fold: _Fold, function: ast.AST
) -> list[ast.stmt]:
    folded: list[ast.stmt] = []
    for statement in body:
        both = fold(folded[-1], statement, function) if folded else None
        if both is None:
            folded.append(statement)
        else:
            folded[-1] = both
    return folded


def _loop_as_comprehension(
    first: ast.stmt, second: ast.stmt, function: ast.AST
) -> ast.stmt | None:
    """Return ``x = []`` and the loop that fills it as ``x = [... for ...]``."""
    name = _single_target(first)
    if name is None or not isinstance(second, ast.For) or second.orelse:
        return None
    generators: list[ast.comprehension] = []
    statement: ast.stmt = second
    while True:
        if isinstance(statement, ast.For) and not statement.orelse:
            generator = ast.comprehension(statement.target, statement.iter, [], 0)
            generators.append(generator)
        elif isinstance(statement, ast.If) and not statement.orelse:
            generators[-1].ifs.append(statement.test)
        else:
            break
        if len(statement.body) != 1:
            return None
        statement = statement.body[0]
    assert isinstance(first, ast.Assign)
    value = _filled(first.value, name, statement, generators)
    parts = [
        *(part.iter for part in generators),
        *(x for part in generators for x in part.ifs),
    ]
    inside = [node for part in parts for node in ast.walk(part)]
    if value is None or any(isinstance(n, ast.Name) and n.id == name for n in inside):
        return None
    loop_names = {
        n.id for g in generators for n in ast.walk(g.target) if isinstance(n, ast.Name)
    }
    if any(
        _uses(function, loop_name) != _uses(second, loop_name)
        for loop_name in loop_names
    ):
        return None
    return ast.Assign(first.targets, value)


def _filled(
    empty: ast.expr, name: str, statement: ast.stmt, generators: list[ast.comprehension]
) -> _Comprehension | None:
    """Return the comprehension of what one statement adds to an empty collection."""
    kind = ast.unparse(empty)
    if isinstance(statement, ast.Assign) and kind == "{}":
        target = statement.targets[0]
        if not isinstance(target, ast.Subscript) or ast.unparse(target.value) != name:
            return None
        if _uses(statement.value, name) or _uses(target.slice, name):
            return None
        return ast.DictComp(target.slice, statement.value, generators)
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    call = statement.value
    if len(call.args) != 1 or call.keywords or _uses(call.args[0], name):
        return None
    method = ast.unparse(call.func)
    if (kind, method) == ("[]", f"{name}.append"):
        return ast.ListComp(call.args[0], generators)
    if (kind, method) == ("set()", f"{name}.add"):
        return ast.SetComp(call.args[0], generators)
    return None


def _branches_as_ternary(
    first: ast.stmt, second: ast.stmt, function: ast.AST
) -> ast.stmt | None:
    """Return ``if c: return a`` and ``return b`` as one return."""
    if not isinstance(first, ast.If) or first.orelse or len(first.body) != 1:
        return None
    taken = first.body[0]
    if not isinstance(taken, ast.Return) or not isinstance(second, ast.Return):
        return None
    if taken.value is None or second.value is None:
        return None
    return ast.Return(ast.IfExp(first.test, taken.value, second.value))


def _assignment_as_ternary(statement: ast.stmt) -> ast.stmt:
    """Return an ``if`` that only assigns or returns as one ternary statement.

    ``if c: x = a`` ``else: x = b`` becomes one assignment.
    """
    if (
        not isinstance(statement, ast.If)
        or len(statement.body) != 1
        or len(statement.orelse) != 1
    ):
        return statement
    taken, other = statement.body[0], statement.orelse[0]
    if isinstance(taken, ast.Return) and isinstance(other, ast.Return):
        if taken.value is None or other.value is None:
            return statement
        return ast.Return(ast.IfExp(statement.test, taken.value, other.value))
    if isinstance(taken, ast.Assign) and isinstance(other, ast.Assign):
        if [*map(ast.dump, taken.targets)] != [*map(ast.dump, other.targets)]:
            return statement
        value = ast.IfExp(statement.test, taken.value, other.value)
        return ast.Assign(taken.targets, value)
    return statement


def _name_in_place(
    first: ast.stmt, second: ast.stmt, function: ast.AST
) -> ast.stmt | None:
    """Return the second statement with the value of a name that it alone reads, once.

    The value moves behind whatever the second statement computes before it reads the
    name, so only a name that is read first may go.
    """
    name = _single_target(first)
    if name is None or _uses(function, name) != 2 or _uses(second, name) != 1:
        return None
    assert isinstance(first, ast.Assign)
    slot = _first_read(second)
    if slot is None:
        return None
    parent, field, index = slot
    holder = getattr(parent, field)
    node = holder if index is None else holder[index]
    if not isinstance(node, ast.Name) or node.id != name:
        return None
    if index is None:
        setattr(parent, field, first.value)
    else:
        holder[index] = first.value
    return second


def _single_target(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Name):
            return target.id
    return None


def _uses(tree: ast.AST, name: str) -> int:
    """Count how often a name stands in a tree, as read or as bound."""
    return sum(
        isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree)
    )


_Slot = tuple[ast.AST, str, int | None]

#: For each kind of node, the fields in the order in which Python computes them; the
#: first one is followed to the value that is computed before all others.
_FIRST: dict[type[ast.AST], str] = {
    ast.Return: "value",
    ast.Expr: "value",
    ast.Assign: "value",
    ast.AugAssign: "value",
    ast.If: "test",
    ast.For: "iter",
    ast.Raise: "exc",
    ast.Assert: "test",
    ast.Attribute: "value",
    ast.Subscript: "value",
    ast.Call: "func",
    ast.BinOp: "left",
    ast.Compare: "left",
    ast.UnaryOp: "operand",
    ast.IfExp: "test",
    ast.Await: "value",
    ast.YieldFrom: "value",
    ast.Yield: "value",
    ast.keyword: "value",
    ast.Starred: "value",
}
_FIRST_OF: dict[type[ast.AST], str] = {
    ast.BoolOp: "values",
    ast.List: "elts",
    ast.Tuple: "elts",
    ast.Set: "elts",
    ast.JoinedStr: "values",
}


def _first_read(statement: ast.stmt) -> _Slot | None:
    """Return where the value stands that a statement computes first.

    Names of functions that a call looks up come before their arguments; looking up a
    global does nothing, so the walk goes on into the arguments there.
    """
    node: ast.AST = statement
    while True:
        slot = _next_slot(node)
        if slot is None:
            return None
        parent, field, index = slot
        holder = getattr(parent, field)
        below = holder if index is None else holder[index]
        if isinstance(below, ast.Name):
            return slot
        if below is None or isinstance(below, ast.Constant):
            return None
        node = below


def _next_slot(node: ast.AST) -> _Slot | None:
    if isinstance(node, ast.Call) and _only_looks_up(node.func):
        if node.args:
            return node, "args", 0
        return (node.keywords[0], "value", None) if node.keywords else None
    for kinds, index in ((_FIRST, None), (_FIRST_OF, 0)):
        field = kinds.get(type(node))
        if field is not None and getattr(node, field):
            return node, field, index
    comprehension = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
    if isinstance(node, comprehension):
        return node.generators[0], "iter", None
    return None


def _only_looks_up(func: ast.expr) -> bool:
    while isinstance(func, ast.Attribute):
        func = func.value
    return isinstance(func, ast.Name)


def _outermost_functions(tree: ast.AST) -> Sequence[_Function]:
    functions: list[_Function] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            functions.append(node)
        else:
            functions.extend(_outermost_functions(node))
    return functions


def _erase_names(function: _Function, prefix: str) -> None:
    """Replace the local names in a function by numbers, in text order.

    Parameters of a public function can be given by name, and keep theirs.
    """
    name = getattr(function, "name", "_")
    is_private = name.startswith("_") and not name.startswith("__")
    bound = _bound_names(function)
    if not is_private:
        bound -= _parameters(function)
    numbers: dict[str, str] = {}
    for node in _in_order(function):
        for field in ("id", "arg", "name"):
            value = getattr(node, field, None)
            if node is function or not isinstance(value, str) or value not in bound:
                continue
            if isinstance(node, ast.keyword | ast.alias):
                continue
            numbers.setdefault(value, f"{prefix}_{len(numbers)}")
            setattr(node, field, numbers[value])
        if isinstance(node, ast.Global | ast.Nonlocal):
            node.names = [numbers.get(each, each) for each in node.names]


def _erase_private_names(tree: ast.Module) -> None:
    """Replace a module's private names by numbers, in the order of definition."""
    private: dict[str, str] = {}
    for statement in tree.body:
        for name in _defined(statement):
            if name.startswith("_") and not name.startswith("__"):
                private.setdefault(name, f"_private_{len(private)}")
    for node in ast.walk(tree):
        for field in ("id", "name"):
            name = getattr(node, field, None)
            if (
                isinstance(name, str)
                and name in private
                and not isinstance(node, ast.alias)
            ):
                setattr(node, field, private[name])


def _defined(statement: ast.stmt) -> Sequence[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _parameters(function: _Function) -> set[str]:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    return {argument.arg for argument in every}


def _bound_names(function: _Function) -> set[str]:
    """Return every name that a function or one inside it binds, but for globals."""
    names: set[str] = set()
    declared: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.Global):
            declared.update(node.names)
        elif (isinstance(node, ast.MatchAs | ast.MatchStar) and node.name) or (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and node is not function
        ):
            names.add(node.name)
    return names - declared


def _in_order(node: ast.AST) -> Sequence[ast.AST]:
    nodes = [node]
    for child in ast.iter_child_nodes(node):
        nodes.extend(_in_order(child))
    return nodes
