"""Remarks about what was not observed, for the end of the report."""

from __future__ import annotations

from threading import RLock


class Remarks:
    """Sentences, each once. Those with counts are formatted when they are read."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, str], int] = {}
        self._lock = RLock()

    def say(self, text: str) -> None:
        """Add a sentence."""
        self.count(text, text)

    def count(self, one: str, many: str, name: str = "") -> None:
        """Count one more occurrence. `{name}` is replaced by the name, and in `many` `{count}` by the
        count."""
        with self._lock:
            key = (one, many, name)
            self._counts[key] = self._counts.get(key, 0) + 1

    def texts(self) -> list[str]:
        """All sentences, in the order in which they were first added."""
        with self._lock:
            counts = list(self._counts.items())
        return [
            one.replace("{name}", name)
            if count == 1
            else many.replace("{name}", name).replace("{count}", str(count))
            for (one, many, name), count in counts
        ]
