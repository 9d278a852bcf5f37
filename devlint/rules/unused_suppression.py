"""DL901: a suppression that suppresses nothing."""

from __future__ import annotations

from devlint.model import Severity
from devlint.rules.base import Example, PipelineRule


class UnusedSuppression(PipelineRule):
    """
    ## What it does
    Reports a suppression that suppresses nothing.

    Such a suppression is:

    - a `# devlint: ignore[...]` comment, or a code of devlint in it or in a `# noqa: ...` comment,
      without a finding
    - a code that no rule has
    - a `# devlint:` comment that devlint does not understand

    Codes of rules that are not selected, and codes of other tools in `# noqa`, are not reported.

    ## Why it matters
    A comment that suppresses nothing hides the next finding on its line, which nobody has reviewed.

    ## Use instead
    Remove the comment, or the code that is no longer needed.

    ## When not to
    Ignore the finding where the same line is checked with several configurations, and one of them needs
    the comment.

    ## References
    - [Ruff: detecting unused suppression
      comments](https://docs.astral.sh/ruff/linter/#detecting-unused-suppression-comments)
    """

    code = "DL901"
    name = "unused-suppression"
    severity = Severity.WARNING
    enabled = True
    examples = (
        Example(
            bad="""
                import torch

                x = torch.ones(3, device="cuda")
                y = torch.ones(3, device="cuda")
                z = x + y  # devlint: ignore[DL101]  # error: [DL901]
            """,
            good="""
                import torch

                x = torch.ones(3, device="cuda")
                y = torch.ones(3, device="cuda")
                z = x + y
            """,
        ),
        Example(
            bad="""
                import torch

                x = torch.ones(3, device="cuda")
                y = torch.ones(3)
                z = x + y  # devlint: ignore[DL101, DL105]  # error: [DL901]
            """,
            good="""
                import torch

                x = torch.ones(3, device="cuda")
                y = torch.ones(3)
                z = x + y  # devlint: ignore[DL101]
            """,
        ),
    )
