"""Decorators that surround functions of every kind: also generators and coroutines, which run in steps."""

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
    """What a function runs in. It is entered again and again, and so has to allow that."""

    name: str
    """What a message calls it: `a guard`."""
    whole: AbstractContextManager[Any] = _NOTHING
    """From the first step to the last, and so also while others run."""
    step: AbstractContextManager[Any] = _NOTHING
    """Each step, as `torch.no_grad` has it."""


def surrounded(function: Function, by: ContextFactory) -> Function:
    """The function in its surroundings; it stays of its kind.

    Raises:
        TypeError: it is no function.
    """
    return cast(Function, _surrounded(function, by))


def _surrounded(function: Any, by: ContextFactory) -> Any:
    if isinstance(function, staticmethod | classmethod):
        return type(function)(_surrounded(function.__func__, by))
    if isinstance(function, type) or not callable(function):
        what = f"class {function.__name__}" if isinstance(function, type) else type(function).__name__
        raise TypeError(
            f"{by.name} takes a function, and this is none: {what}; decorate functions, or use `with`"
        )
    for kind, surround in _KINDS:
        # An object that can be called is what its class's `__call__` is.
        if kind(function) or kind(type(function).__call__):
            return surround(function, by)
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
    """Whether `types.coroutine` has made a coroutine of a generator."""
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
                given = await _Awaited(_first_step(steps), by.step)
                while True:
                    try:
                        request = yield given
                    except GeneratorExit:  # noqa: PERF203  # a step may be an exception
                        await _Awaited(steps.aclose(), by.step)
                        raise
                    except BaseException as error:
                        given = await _Awaited(steps.athrow(error), by.step)
                    else:
                        given = await _Awaited(steps.asend(request), by.step)
            except StopAsyncIteration:
                return

    return within


def _first_step(steps: AsyncGenerator[Any, Any]) -> Awaitable[Any]:
    """Begin an asynchronous generator of which the event loop is not told: who owns it will close it."""
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
    """Something awaited, with each of its steps in its surroundings."""

    def __init__(self, awaited: Awaitable[Any], step: AbstractContextManager[Any]) -> None:
        self._awaited = awaited
        self._step = step

    def __await__(self) -> Generator[Any, Any, Any]:
        return _steps(self._awaited.__await__(), self._step)


def _steps(steps: Generator[Any, Any, Any], step: AbstractContextManager[Any]) -> Generator[Any, Any, Any]:
    """What a generator does, with each of its steps in its surroundings."""
    try:
        with step:
            given = steps.send(None)
        while True:
            try:
                request = yield given
            except GeneratorExit:  # noqa: PERF203  # a step may be an exception
                with step:
                    steps.close()
                raise
            except BaseException as error:
                with step:
                    given = steps.throw(error)
            else:
                with step:
                    given = steps.send(request)
    except StopIteration as end:
        return end.value
