"""`python -m matrix`."""

import sys

from matrix.cli.main import main

sys.exit(main())
