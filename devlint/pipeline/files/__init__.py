"""The content of a file as text, how reports name it, and how it is written."""
