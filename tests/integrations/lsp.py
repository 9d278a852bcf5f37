"""A client of the Language Server Protocol that talks to `devlint server` over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

PATIENCE = 20.0
"""Seconds to wait for an answer, on a machine that has other things to do."""


class Editor:
    """An editor with one window, which shows the documents of a folder."""

    def __init__(self, client: Any, root: Path) -> None:
        self.client = client
        self.root = root
        self.said: list[str] = []
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self._versions: dict[str, int] = {}

        def shown(params: types.PublishDiagnosticsParams) -> None:
            if params.uri.startswith(self.root.as_uri()):
                self.published.put_nowait(params)

        def said(params: types.ShowMessageParams) -> None:
            self.said.append(params.message)

        client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(shown)
        client.feature(types.WINDOW_SHOW_MESSAGE)(said)

    def turn_to(self, root: Path) -> None:
        """Close all documents, and show those of another folder from now on."""
        for name in self._versions:
            self.close(name)
        self.root = root
        self.said.clear()
        self.published = asyncio.Queue()
        self._versions.clear()

    @property
    def process_id(self) -> int:
        """The server's process."""
        return int(self.client._server.pid)

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def open(self, name: str, text: str) -> None:
        self._versions[name] = 1
        document = types.TextDocumentItem(self.uri(name), "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))

    def type(self, name: str, line: int, character: int, text: str) -> int:
        """Insert a text; lines and characters count from 0. Returns the document's version."""
        at = types.Position(line, character)
        return self.change(name, types.TextDocumentContentChangePartial(types.Range(at, at), text))

    def replace(self, name: str, text: str) -> int:
        return self.change(name, types.TextDocumentContentChangeWholeDocument(text))

    def change(self, name: str, change: Any) -> int:
        self._versions[name] += 1
        which = types.VersionedTextDocumentIdentifier(self._versions[name], self.uri(name))
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(which, [change]))
        return self._versions[name]

    def save(self, name: str) -> None:
        which = types.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(which))

    def close(self, name: str) -> None:
        which = types.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(which))

    async def diagnostics(self, name: str, version: int | None = None) -> list[types.Diagnostic]:
        """What is published next for a document, in the version that is asked for."""
        while True:
            params = await asyncio.wait_for(self.published.get(), PATIENCE)
            if params.uri == self.uri(name) and version in (None, params.version):
                return list(params.diagnostics)

    async def hover(self, name: str, line: int, character: int) -> str:
        which = types.TextDocumentIdentifier(self.uri(name))
        asked = types.HoverParams(which, types.Position(line, character))
        found = await asyncio.wait_for(self.client.text_document_hover_async(asked), PATIENCE)
        return "" if found is None else str(found.contents.value)

    async def actions(
        self, name: str, span: types.Range, only: list[str] | None = None
    ) -> list[types.CodeAction]:
        which = types.TextDocumentIdentifier(self.uri(name))
        asked = types.CodeActionParams(which, span, types.CodeActionContext([], only))
        return list(await asyncio.wait_for(self.client.text_document_code_action_async(asked), PATIENCE))

    async def hints(self, name: str, last: int) -> list[tuple[int, int, str]]:
        which = types.TextDocumentIdentifier(self.uri(name))
        asked = types.InlayHintParams(which, types.Range(types.Position(0, 0), types.Position(last, 0)))
        found = await asyncio.wait_for(self.client.text_document_inlay_hint_async(asked), PATIENCE)
        return [(each.position.line, each.position.character, each.label) for each in found]


@asynccontextmanager
async def editor(root: Path, *arguments: str, settings: object = None) -> AsyncIterator[Editor]:
    """An editor that has started the server for a folder."""
    client: Any = LanguageClient("test", "1")
    window = Editor(client, root)
    await client.start_io(sys.executable, "-m", "devlint", "server", *arguments)
    try:
        asked = types.InitializeParams(
            types.ClientCapabilities(), root_uri=root.as_uri(), initialization_options=settings
        )
        await asyncio.wait_for(client.initialize_async(asked), PATIENCE)
        client.initialized(types.InitializedParams())
        yield window
        await asyncio.wait_for(client.shutdown_async(None), PATIENCE)
    finally:
        client.exit(None)
        await asyncio.wait_for(client.stop(), PATIENCE)


def applied(text: str, edits: list[types.TextEdit]) -> str:
    """A text after an editor has made changes. Characters are counted as UTF-16 has them."""
    lines = text.splitlines(keepends=True) or [""]

    def offset(position: types.Position) -> int:
        before = sum(map(len, lines[: position.line]))
        line = lines[position.line] if position.line < len(lines) else ""
        units = line.encode("utf-16-le")[: 2 * position.character]
        return before + len(units.decode("utf-16-le"))

    for edit in sorted(edits, key=lambda each: offset(each.range.start), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text
