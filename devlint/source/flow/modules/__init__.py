"""The project's classes and torch's modules: what they hold, where it lies, and what moves it."""
