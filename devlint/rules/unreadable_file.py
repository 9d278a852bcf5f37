"""DL900: a file that could not be checked."""

from __future__ import annotations

from devlint.model import Severity
from devlint.rules.base import Example, PipelineRule


class UnreadableFile(PipelineRule):
    """
    ## What it does
    Reports a file that devlint could not read or parse: no permission, an encoding that it does not have, a
    syntax error. The other files are checked all the same.

    ## Why it matters
    A file that nobody has looked at must not count as clean, or a typing error in it would switch the check
    off and pass.

    ## Use instead
    Mend the file, or leave it out by `exclude`.

    ## When not to
    Files that are no Python by intent, such as templates: exclude them.

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
