"""`python -m devlint`."""

import sys

from devlint.cli import main

if __name__ == "__main__":
    sys.exit(main())
