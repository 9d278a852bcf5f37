"""DL900: a file that could not be checked."""

from __future__ import annotations

from devlint.model import Severity
from devlint.rules.base import Example, PipelineRule


class UnreadableFile(PipelineRule):
    """
    ## What it does
    Reports a file that devlint cannot read or parse, because of missing permission, an unknown encoding
    or a syntax error. The other files are still checked.

    ## Why it matters
    A file that was not checked must not count as clean; otherwise a syntax error in it would turn the
    check off and pass.

    ## Use instead
    Fix the file, or exclude it with `exclude`.

    ## When not to
    Exclude files that are not Python on purpose, such as templates.

    ## References
    - [Python: lexical analysis, encoding
      declarations](https://docs.python.org/3/reference/lexical_analysis.html#encoding-declarations)
    """

    code = "DL900"
    name = "unreadable-file"
    severity = Severity.ERROR
    enabled = True
    examples = (
        Example(
            bad="""
                import torch

                def scale x:  # error: [DL900]
                    return x * torch.ones(())
            """,
            good="""
                import torch

                def scale(x):
                    return x * torch.ones(())
            """,
        ),
        Example(
            bad="""
                import torch

                x = torch.ones(3)
                y = x..cuda()  # error: [DL900]
            """,
            good="""
                import torch

                x = torch.ones(3)
                y = x.cuda()
            """,
        ),
    )
