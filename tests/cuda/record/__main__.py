"""`python -m tests.cuda.record`: see `command.py`. Processes that are started import this alone."""

import sys

if __name__ == "__main__":
    from tests.cuda.record.command import main

    sys.exit(main())
