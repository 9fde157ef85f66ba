"""What `make bench` runs: `python bench/run.py [part …] [--quick]`; docs/guides/measuring.md."""

import sys
from pathlib import Path

# In place of this folder, so that `bench` can be imported from wherever the script was called.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

if __name__ == "__main__":
    # Here, because it is found only now; the processes of the parts, which begin in this file
    # too, find it by the path they were given.
    from bench.table import main

    sys.exit(main(sys.argv[1:]))
