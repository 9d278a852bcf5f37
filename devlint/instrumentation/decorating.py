"""Decorators that run functions of every kind in a context, including generators and coroutines, which run in
steps."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

_NOTHING = nullcontext()


class ContextFactory(NamedTuple):
    """The context of a function, which is entered repeatedly."""

    name: str
    """Its name in messages: `a guard`."""
    whole: AbstractContextManager[Any] = _NOTHING
    """Entered from the first step to the last, even while other code runs in between."""
    step: AbstractContextManager[Any] = _NOTHING
    """Entered for each step, as with `torch.no_grad`."""


def decorated(function: Function, by: ContextFactory) -> Function:
    """The function in its context; its kind stays the same.

    Raises: TypeError: if it is not a function.
    """
    return cast(Function, _decorated(function, by))


def _decorated(function: Any, by: ContextFactory) -> Any:
    if isinstance(function, staticmethod | classmethod):
        return type(function)(_decorated(function.__func__, by))
    if isinstance(function, type) or not callable(function):
        what = f"class {function.__name__}" if isinstance(function, type) else type(function).__name__
        raise TypeError(f"{by.name} takes a function, not {what}; decorate functions, or use `with`")
    for kind, decorate in _KINDS:
        # The kind of a callable object is that of its class's `__call__`.
        if kind(function) or kind(type(function).__call__):
            return decorate(function, by)
    return _function(function, by)


def _function(function: Callable[..., Any], by: ContextFactory) -> Callable[..., Any]:
    @wraps(function)
    def within(*args: Any, **kwargs: Any) -> Any:
        with by.whole, by.step:
            return function(*args, **kwargs)

    return within


def _generator(function: Callable[..., Any], by: ContextFactory) -> Callable[..., Any]:
    @wraps(function)
    def within(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        with by.whole:
            return (yield from _steps(function(*args, **kwargs), by.step))

    return types.coroutine(within) if _is_awaitable(function) else within


def _is_awaitable(function: Callable[..., Any]) -> bool:
    """Whether it is a generator that `types.coroutine` made a coroutine."""
    code = getattr(function, "__code__", None)
    return code is not None and bool(code.co_flags & inspect.CO_ITERABLE_COROUTINE)


def _coroutine(function: Callable[..., Any], by: ContextFactory) -> Callable[..., Any]:
    @wraps(function)
    async def within(*args: Any, **kwargs: Any) -> Any:
        with by.whole:
            return await _Awaited(function(*args, **kwargs), by.step)

    return within


def _async_generator(function: Callable[..., Any], by: ContextFactory) -> Callable[..., Any]:
    @wraps(function)
    async def within(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        steps = function(*args, **kwargs)
        with by.whole:
            try:
                yielded = await _Awaited(_first_step(steps), by.step)
                while True:
                    try:
                        request = yield yielded
                    except GeneratorExit:  # noqa: PERF203  # a step may be an exception
                        await _Awaited(steps.aclose(), by.step)
                        raise
                    except BaseException as error:
                        yielded = await _Awaited(steps.athrow(error), by.step)
                    else:
                        yielded = await _Awaited(steps.asend(request), by.step)
            except StopAsyncIteration:
                return

    return within


def _first_step(steps: AsyncGenerator[Any, Any]) -> Awaitable[Any]:
    """Start an asynchronous generator without registering it at the event loop, because its owner closes
    it."""
    hooks = sys.get_asyncgen_hooks()
    sys.set_asyncgen_hooks(None, None)
    try:
        return steps.asend(None)
    finally:
        sys.set_asyncgen_hooks(*hooks)


_KINDS = (
    (inspect.isgeneratorfunction, _generator),
    (inspect.iscoroutinefunction, _coroutine),
    (inspect.isasyncgenfunction, _async_generator),
)


class _Awaited:
    """An awaitable with each of its steps in the context."""

    def __init__(self, awaited: Awaitable[Any], step: AbstractContextManager[Any]) -> None:
        self._awaited = awaited
        self._step = step

    def __await__(self) -> Generator[Any, Any, Any]:
        return _steps(self._awaited.__await__(), self._step)


def _steps(steps: Generator[Any, Any, Any], step: AbstractContextManager[Any]) -> Generator[Any, Any, Any]:
    """A generator with each of its steps in the context."""
    try:
        with step:
            yielded = steps.send(None)
        while True:
            try:
                request = yield yielded
            except GeneratorExit:  # noqa: PERF203  # a step may be an exception
                with step:
                    steps.close()
                raise
            except BaseException as error:
                with step:
                    yielded = steps.throw(error)
            else:
                with step:
                    yielded = steps.send(request)
    except StopIteration as end:
        return end.value
