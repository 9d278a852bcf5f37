"""How programs end: under `devlint run` as without it, whatever goes on at that moment."""
