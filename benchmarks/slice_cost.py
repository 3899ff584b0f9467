"""What slices and checkpoints cost on one thread, as shares of the processor time of one and the same run.

python benchmarks/slice_cost.py hiv --min-expected-frequency 0.1

Two runs of a search differ by several per cent for reasons of the machine, so one run is taken apart. Every
slice is done twice: first with a limit of no subgraphs at all, which only takes the open work up and lays it
down again, then as it is. The first is what a slice costs beyond the search. What a checkpoint costs is all
that happens outside slices: joining lists, writing the file. The subgraphs that slices meet are counted
against those of one search.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

import one_search
from cohorts import named

import dugraph as dg
from dugraph.search import parted

search_slice = parted.search_slice


class Taken:
    """Processor seconds, by what they went into."""

    def __init__(self) -> None:
        self.n_slices, self.in_slices, self.around = 0, 0.0, 0.0

    def slice(self, problem: Any, work: Any, effort: Any, *more: Any) -> Any:
        """Do a slice that does nothing, then the slice."""
        problem.ready()  # the first one would make it
        begin = time.process_time()
        search_slice(problem, work, effort._replace(n_nodes=0), *more)
        middle = time.process_time()
        found = search_slice(problem, work, effort, *more)
        self.n_slices += 1
        self.around += middle - begin
        self.in_slices += time.process_time() - middle
        return found


def main() -> None:
    options = one_search.search_parser(__doc__).parse_args()
    asked = one_search.asked(options)
    [(_, (X, y))] = named([options.cohort])
    whole = dg.mine_subgraphs(X, y, **asked)
    taken = Taken()
    parted.search_slice = taken.slice
    with tempfile.TemporaryDirectory() as folder:
        begin = time.process_time()
        sliced = dg.mine_subgraphs(X, y, **asked, checkpoint=Path(folder) / "search.npz")
        seconds = time.process_time() - begin - taken.around
    assert sliced.subgraphs == whole.subgraphs
    assert sliced.values.tobytes() == whole.values.tobytes()
    print(f"{taken.n_slices} slices, {seconds:.1f} s of the processor, {sliced.n_visited:,} subgraphs met")
    print(f"taking up and laying down open work: {taken.around / seconds:.3%}")
    print(f"outside slices, checkpoints included: {(seconds - taken.in_slices) / seconds:.3%}")
    print(f"subgraphs met beyond those of one search: {sliced.n_visited / whole.n_visited - 1:+.3%}")


if __name__ == "__main__":
    main()
