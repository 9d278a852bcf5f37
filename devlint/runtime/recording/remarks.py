"""What a run did that was not looked into, for the end of the report."""

from __future__ import annotations

from threading import Lock


class Remarks:
    """Sentences, each once. Those that count how often are written when they are asked for."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, str], int] = {}
        self._lock = Lock()

    def say(self, text: str) -> None:
        """Say a sentence."""
        self.count(text, text)

    def count(self, one: str, many: str, name: str = "") -> None:
        """Say what has happened one more time. `{name}` stands for the name, and in `many` `{count}` for how
        often."""
        with self._lock:
            key = (one, many, name)
            self._counts[key] = self._counts.get(key, 0) + 1

    def texts(self) -> list[str]:
        """All sentences, in the order in which they were first said."""
        with self._lock:
            counts = list(self._counts.items())
        return [
            one.replace("{name}", name)
            if count == 1
            else many.replace("{name}", name).replace("{count}", str(count))
            for (one, many, name), count in counts
        ]
