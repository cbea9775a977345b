"""``python -m hexgames_env``: the command line."""

import sys

from hexgames_env.cli import main

if __name__ == "__main__":
    sys.exit(main())
