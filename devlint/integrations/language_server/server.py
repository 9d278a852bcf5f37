"""The server: its requests, and when documents are checked."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from devlint.integrations.language_server.actions import KINDS, actions
from devlint.integrations.language_server.diagnostics import diagnostic, uri_of
from devlint.integrations.language_server.hints import hints
from devlint.integrations.language_server.hover import hover
from devlint.integrations.language_server.positions import Positions
from devlint.model import Site
from devlint.pipeline.texts.editing import CancelledError, Checked, Editing
from devlint.project.configuration import ConfigurationError, Configurations
from devlint.project.discover import PYTHON_SUFFIXES
from devlint.version import __version__

QUIET = 0.03
"""Seconds without a change after which a document is checked."""
SECTION = "devlint"
"""The name of this server's settings in clients."""


class _Open:
    """An open document: its latest text, and the result of its last check."""

    def __init__(self, path: Path, text: str, version: int) -> None:
        self.path = path
        self.text = text
        self.version = version
        self.stale = threading.Event()
        """Whether the running check is obsolete."""
        self.checking: asyncio.Task[Checked | None] | None = None


class DeviceServer:
    """Answers the requests of an editor. One thread analyzes all documents, one after the other."""

    def __init__(self, configured: Callable[[Path], Configurations]) -> None:
        """`configured` reads the configuration below a root."""
        self._configured = configured
        self._server = LanguageServer("devlint", __version__)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="devlint")
        self._open: dict[str, _Open] = {}
        self._shows_hints = False
        self._editing: Editing | None = None
        self._directory = Path.cwd()
        self._complained = ""
        for feature, answer in self._features():
            self._server.feature(feature)(_function(answer))
        self._server.feature(
            types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=KINDS)
        )(_function(self._code_action))

    def serve(self) -> None:
        """Serve a client over standard input and output until it exits."""
        self._server.start_io()

    def _features(self) -> list[tuple[str, Callable[[Any], Any]]]:
        return [
            (types.INITIALIZE, self._initialize),
            (types.INITIALIZED, self._initialized),
            (types.TEXT_DOCUMENT_DID_OPEN, self._did_open),
            (types.TEXT_DOCUMENT_DID_CHANGE, self._did_change),
            (types.TEXT_DOCUMENT_DID_SAVE, self._did_save),
            (types.TEXT_DOCUMENT_DID_CLOSE, self._did_close),
            (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._files_changed),
            (types.WORKSPACE_DID_CHANGE_CONFIGURATION, self._settings_changed),
            (types.TEXT_DOCUMENT_HOVER, self._hover),
            (types.TEXT_DOCUMENT_INLAY_HINT, self._inlay_hint),
        ]

    # Notifications of the client

    def _initialize(self, params: types.InitializeParams) -> None:
        self._take(params.initialization_options)

    async def _initialized(self, _: types.InitializedParams) -> None:
        self._restart()
        # Slow imports are done before the first keystroke.
        await asyncio.get_running_loop().run_in_executor(self._worker, self._warm_up)

    def _did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self._put(params.text_document.uri)

    def _did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        self._put(params.text_document.uri)

    def _did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        saved = to_fs_path(params.text_document.uri) or ""
        if Path(saved).suffix == ".toml":
            self._restart()
        self._check_others(params.text_document.uri)

    def _did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        closed = self._open.pop(params.text_document.uri, None)
        if closed is None:
            return
        closed.stale.set()
        if closed.checking is not None:
            closed.checking.cancel()
        if self._editing is not None:
            self._worker.submit(self._editing.drop, closed.path)
        self._publish(params.text_document.uri, [], None)

    def _files_changed(self, _: types.DidChangeWatchedFilesParams) -> None:
        self._restart()
        self._check_others("")

    def _settings_changed(self, params: types.DidChangeConfigurationParams) -> None:
        self._take(params.settings)
        self._check_others("")

    def _take(self, settings: object) -> None:
        """Apply the settings of a client, with or without the section of this server."""
        if isinstance(settings, dict) and isinstance(settings.get(SECTION), dict):
            settings = settings[SECTION]
        if isinstance(settings, dict) and isinstance(settings.get("inlayHints"), bool):
            self._shows_hints = settings["inlayHints"]

    # Checking

    def _restart(self) -> None:
        """Read the configuration again, and drop cached files."""
        root = self._server.workspace.root_path
        self._directory = Path(root) if root else Path.cwd()
        self._editing = Editing(self._configured(self._directory))

    def _warm_up(self) -> None:
        path = self._directory / "warm_up.py"
        editing = Editing(self._configured(self._directory))
        editing.put(path, "import torch\n\nx = torch.ones(3).cuda() + torch.ones(3)\n")
        with suppress(ConfigurationError):  # reported for the first document
            editing.check(path, lambda: False)

    def _put(self, uri: str) -> None:
        """The text of a document changed: check it after a pause."""
        path = to_fs_path(uri) if uri.startswith("file:") else None
        if path is None or Path(path).suffix not in PYTHON_SUFFIXES:
            return
        document = self._server.workspace.get_text_document(uri)
        known = self._open.get(uri)
        if known is not None:
            known.stale.set()
            if known.checking is not None:
                known.checking.cancel()
        self._open[uri] = opened = _Open(Path(path), document.source, document.version or 0)
        self._begin(uri, opened)

    def _check_others(self, uri: str) -> None:
        """Check the other open documents, because files that they use may have changed."""
        for other in self._open:
            if other != uri:
                self._put(other)

    def _begin(self, uri: str, opened: _Open) -> None:
        opened.checking = asyncio.get_running_loop().create_task(self._checked(uri, opened))

    async def _checked(self, uri: str, opened: _Open) -> Checked | None:
        """Check a document and publish its findings, unless it changes meanwhile."""
        await asyncio.sleep(QUIET)
        loop = asyncio.get_running_loop()
        try:
            checked = await loop.run_in_executor(self._worker, self._check, opened)
        except CancelledError:
            return None
        except ConfigurationError as error:
            self._complain(str(error))
            return None
        if self._open.get(uri) is opened:
            positions = self._positions(checked.document.text)
            found = [
                diagnostic(each, positions, lambda site: self._location(site, opened, positions))
                for each in checked.findings
            ]
            self._publish(uri, found, opened.version)
        return checked

    def _check(self, opened: _Open) -> Checked:
        if opened.stale.is_set() or self._editing is None:
            raise CancelledError
        self._editing.put(opened.path, opened.text)
        return self._editing.check(opened.path, opened.stale.is_set)

    def _complain(self, text: str) -> None:
        """Report an invalid configuration, once."""
        if text != self._complained:
            self._complained = text
            self._server.window_show_message(
                types.ShowMessageParams(types.MessageType.Error, f"devlint: {text}")
            )

    def _publish(self, uri: str, found: list[types.Diagnostic], version: int | None) -> None:
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    # Requests of the client

    async def _hover(self, params: types.HoverParams) -> types.Hover | None:
        checked = await self._latest(params.text_document.uri)
        if checked is None:
            return None
        positions = self._positions(checked.document.text)
        said = hover(checked, positions.offset(params.position), self._directory)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, said)) if said else None

    async def _code_action(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        checked = await self._latest(uri)
        if checked is None:
            return []
        positions = self._positions(checked.document.text)
        return actions(checked, _span(params.range, positions), uri, positions, params.context.only)

    async def _inlay_hint(self, params: types.InlayHintParams) -> list[types.InlayHint]:
        checked = await self._latest(params.text_document.uri) if self._shows_hints else None
        if checked is None:
            return []
        positions = self._positions(checked.document.text)
        return hints(checked, _span(params.range, positions), positions)

    async def _latest(self, uri: str) -> Checked | None:
        """The result for the present text of a document; None if the text changes meanwhile."""
        opened = self._open.get(uri)
        if opened is None or opened.checking is None:
            return None
        await asyncio.wait([opened.checking])
        return None if opened.checking.cancelled() else opened.checking.result()

    def _positions(self, text: str) -> Positions:
        codec = self._server.workspace.position_codec
        return Positions(text, codec.client_num_units)

    def _location(self, site: Site, opened: _Open, positions: Positions) -> types.Location:
        uri = uri_of(site, self._directory)
        if (to_fs_path(uri) or "") == str(opened.path):
            return types.Location(uri, positions.of_site(site))
        start = types.Position(site.line - 1, site.column - 1)
        end = types.Position(site.end_line - 1, site.end_column - 1)
        return types.Location(uri, types.Range(start, end))


def _function(method: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A method as a function, because pygls stores its data in attributes of handlers."""

    def answer(params: Any) -> Any:
        return method(params)

    async def answer_later(params: Any) -> Any:
        return await method(params)

    return answer_later if iscoroutinefunction(method) else answer


def _span(range_: types.Range, positions: Positions) -> tuple[int, int]:
    return positions.offset(range_.start), positions.offset(range_.end)
