"""`python -m devlint`, for where the `devlint` command is not on the path."""

import os
import sys


def _keep_out_the_working_directory() -> None:
    """Python looks for modules where it was started. What lies there is to be checked, and is not run."""
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    safe = getattr(sys.flags, "safe_path", sys.flags.isolated)  # then it was not put first
    if not safe and sys.path[0] != own and sys.argv[1:2] != ["run"]:
        del sys.path[0]


if __name__ == "__main__":
    _keep_out_the_working_directory()
    from devlint.cli import main

    sys.exit(main())
