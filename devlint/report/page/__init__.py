"""A run as one page for a browser: nothing in it is fetched, and what comes from the program is text in it.

What people read is made by templates that escape; what the page draws is data beside it. The scripts and
styles are files of this package, and the page lets a browser use those alone.
"""

from devlint.report.page.page import render, render_comparison

__all__ = ["render", "render_comparison"]
