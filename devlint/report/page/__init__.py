"""A run as one page for a browser. It loads nothing, and shows text of the program as text only.

Templates that escape make the text for readers; the data for the scripts is separate. Scripts and styles are
files of this package, and the page's policy lets a browser use these only.
"""

from devlint.report.page.page import render, render_comparison

__all__ = ["render", "render_comparison"]
