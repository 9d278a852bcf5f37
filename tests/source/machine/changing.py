"""Changes of programs that change nothing of what they do. Lines stay where they are."""

from __future__ import annotations

import ast
import builtins
import io
import tokenize
from collections.abc import Iterable, Iterator

WORDS = ("debug", "export", "test", "mock", "transform", "cpu", "spawn", "logging", "benchmark", "legacy")
"""Words that could tell a reader something, and must tell the check nothing."""


def renamed(text: str) -> str:
    """The program with other names for its functions, variables and parameters."""
    tree = ast.parse(text)
    fixed = set(dir(builtins)) | set(_fixed(tree))
    names = sorted(name for name in set(_own(tree)) - fixed if not name.startswith("__"))
    known = {name: f"{WORDS[at % len(WORDS)]}_{name}" for at, name in enumerate(names)}
    rows = text.splitlines(keepends=True)
    for token in reversed(list(_names(text))):
        if token.string in known:
            (row, start), (_, end) = token.start, token.end
            rows[row - 1] = rows[row - 1][:start] + known[token.string] + rows[row - 1][end:]
    return "".join(rows)


def _own(tree: ast.AST) -> Iterator[str]:
    """The names that a program gives."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg


def _fixed(tree: ast.AST) -> Iterator[str]:
    """The names that mean something elsewhere: imported, keywords, attributes, those in formatted strings,
    parameters that a decorator may name."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (each.asname or each.name.split(".")[0] for each in names)
            case ast.keyword(arg=str(name)) | ast.Attribute(attr=name):
                yield name
            case ast.ClassDef(body=body):
                yield from _own(ast.Module(list(body), []))
            case ast.FunctionDef(decorator_list=[_, *_], args=parameters):
                yield from _own(parameters)
            case ast.JoinedStr():
                yield from (each.id for each in ast.walk(node) if isinstance(each, ast.Name))
            case ast.MatchAs(name=str(name)):
                yield name
            case _:
                pass


def _tokens(text: str) -> Iterable[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(text).readline)


def _names(text: str) -> Iterator[tokenize.TokenInfo]:
    before = ""
    for token in _tokens(text):
        if token.type == tokenize.NAME and before != ".":
            yield token
        before = token.string


def without_comments(text: str) -> str:
    """The program without its comments."""
    rows = text.splitlines(keepends=True)
    for token in _tokens(text):
        if token.type == tokenize.COMMENT:
            row, start = token.start
            rows[row - 1] = rows[row - 1][:start].rstrip() + "\n"
    return "".join(rows)


def with_comments(text: str) -> str:
    """The program with a telling comment at the end of each statement."""
    bare = without_comments(text)
    rows = bare.splitlines()
    for at, token in enumerate(_tokens(bare)):
        if token.type == tokenize.NEWLINE and token.start[0] <= len(rows):
            rows[token.start[0] - 1] += f"  # {WORDS[at % len(WORDS)]} only, on the cpu, to spawn, once"
    return "\n".join(rows) + "\n"


def with_one_more_bug(text: str) -> str:
    """The program with a further bug at its end."""
    return (
        text
        + "\nimport torch as one_more\n"
        + 'one_more.ones(3, device="cuda:0") + one_more.zeros(3, device="cpu")\n'
    )
