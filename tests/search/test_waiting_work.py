"""Open work for which memory has no room waits on the disk, and changes no byte of the answer."""

import errno
import io
import os
import tracemalloc

import numpy as np
import pytest
from random_cohorts import SOAK, random_cohort, random_problems
from slicings import UnreliableWorkers, in_slices, same

import dugraph as dg
from dugraph.exceptions import FewerSubgraphsWarning, LimitReachedWarning, NoneAdmitted
from dugraph.files.archive_writing import write_archive
from dugraph.files.array_archive import read_archive
from dugraph.files.shelf import Shelf
from dugraph.search import in_parts, parted
from dugraph.search.open_work import OpenWork, Task
from dugraph.search.pieces import Piece, StoredPiece
from dugraph.search.search_state import SearchState

GRAPHS, Y, _ = dg.simulate("hiv", n_graphs=20, random_state=1)
ASKED = {"min_expected_frequency": 0.5, "n_subgraphs": 10, "measure": "mode"}

pytestmark = [
    pytest.mark.filterwarnings("ignore", category=category)
    for category in (FewerSubgraphsWarning, LimitReachedWarning)
]


@pytest.fixture
def on_disk(monkeypatch):
    """How many pieces have been put onto the disk so far."""
    count, of = [0], StoredPiece.of

    def counted(piece, shelf):
        count[0] += 1
        return of(piece, shelf)

    monkeypatch.setattr(StoredPiece, "of", counted)
    return count


def little_room(monkeypatch, sent, waiting):
    monkeypatch.setattr(parted, "MOST_SENT", sent)
    monkeypatch.setattr(parted, "MOST_WAITING", waiting)


@pytest.mark.parametrize("seed", range(500 if SOAK else 6))
def test_answers_do_not_depend_on_the_room(seed, tmp_path, monkeypatch, on_disk):
    random = np.random.default_rng(seed)
    cohort = random_cohort(random)
    little_room(monkeypatch, int(random.integers(1, 400)), int(random.integers(0, 400)))
    for k, problem in enumerate(random_problems(random, cohort, 3)):
        asked = problem.keywords()
        try:
            whole = dg.mine_subgraphs(cohort.graphs, cohort.y, **asked)
        except NoneAdmitted:
            continue
        file, most = tmp_path / f"{k}.npz", max(60, whole.n_visited // 3)  # every slice is a file written
        with monkeypatch.context() as patch:
            patch.setattr(in_parts, "InThisProcess", lambda subject: UnreliableWorkers(subject, random))
            assert same(dg.mine_subgraphs(cohort.graphs, cohort.y, **asked), whole)
            assert same(in_slices(file, random, most, cohort.graphs, cohort.y, **asked), whole)
        file.unlink()
        assert same(in_slices(file, random, most, cohort.graphs, cohort.y, **asked), whole)


@pytest.mark.parametrize("waiting", [0, 600])
def test_a_larger_search_goes_on_from_the_disk(waiting, tmp_path, monkeypatch, on_disk):
    """In one process and among workers; nothing is to be seen of the file, and nothing is left of it."""
    random, asked = np.random.default_rng(waiting), {**ASKED, "bound": "frequency"}
    whole = dg.mine_subgraphs(GRAPHS, Y, **asked)
    little_room(monkeypatch, 500, waiting)
    file, seen = tmp_path / "search.npz", set()

    def workers(subject):
        seen.update(os.listdir(tmp_path))
        return UnreliableWorkers(subject, random, whole.n_visited // 10)

    first = dg.mine_subgraphs(GRAPHS, Y, **asked, checkpoint=file, node_limit=whole.n_visited // 3)
    assert first.status is dg.Status.NODE_LIMIT
    with monkeypatch.context() as patch:
        patch.setattr(in_parts, "InThisProcess", workers)
        sliced = in_slices(file, random, whole.n_visited // 2, GRAPHS, Y, most_jobs=1, **asked)
        assert same(sliced, whole)
    assert on_disk[0] > 20
    assert seen == set(os.listdir(tmp_path)) == {"search.npz"}


def test_ten_million_open_children_take_no_more_than_their_room(tmp_path):
    """They are as much as 256 workers may leave open; 40 MB here, of which 4 are allowed."""
    n_tasks, n_children, room = 5_000, 2_000, 4 * 2**20
    whole = OpenWork(
        False,
        3 * np.arange(n_tasks + 1),
        np.arange(3 * n_tasks, dtype=np.int32),
        n_children * np.arange(n_tasks + 1),
        np.repeat(np.arange(n_tasks, dtype=np.int32), n_children),
        np.tile([0, n_children], (n_tasks, 1)),
    )
    state, shelf = SearchState(10, ready=(Piece(whole, 1.0),)), Shelf(tmp_path)
    tracemalloc.start()
    try:
        state = state.packed(shelf, parted.MOST_SENT, room)
        n_bytes = [piece.work.n_bytes for piece in state.ready]
        for task in range(20):
            state = state.taken_back(4)
            piece = state.ready[-1]
            state = state.sent(task, piece).recalled([task]).shelved(shelf, room)
        write_archive(tmp_path / "open.npz", state.arrays())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert max(n_bytes) <= parted.MOST_SENT
    assert sum(n_bytes) <= room
    assert len(state.stored) > 30
    assert peak <= room + 4 * parted.MOST_SENT
    kept = OpenWork.from_arrays(read_archive(tmp_path / "open.npz"))
    assert kept.n_open == whole.n_open == 10**7
    assert all(np.array_equal(a, b) for a, b in zip(kept, whole, strict=True))


def test_the_most_promising_pieces_stay_in_memory(tmp_path):
    shelf = Shelf(tmp_path)
    work = OpenWork.of_tasks([Task(np.arange(2), np.arange(5), 0, 3)])
    ready = tuple(Piece(work, bound) for bound in (3.0, 1.0, 2.0, 2.0))
    state = SearchState(1, ready=ready).shelved(shelf, 2 * work.n_bytes)
    assert [piece.bound for piece in state.ready] == [3.0, 2.0]
    assert state.ready[1] is ready[3]  # of equals, the one that is to be done first
    assert [piece.bound for piece in state.stored] == [1.0, 2.0]
    assert state.best_open_bound == 3.0
    assert not SearchState(1, ready=(), stored=state.stored).is_done
    back = state.taken_back(3)
    assert [piece.bound for piece in back.ready] == [2.0, 3.0, 2.0]
    assert [piece.bound for piece in back.stored] == [1.0]


def test_a_shelf_gives_back_what_was_put_and_uses_its_room_again(tmp_path):
    random, shelf, kept = np.random.default_rng(0), Shelf(tmp_path), {}
    for k in range(300):
        shape = (int(random.integers(0, 50)), *((2,) if k % 2 else ()))
        arrays = [random.integers(0, 100, shape).astype(dtype) for dtype in (np.int32, np.int64)]
        kept[k] = arrays, shelf.put(arrays)
        if len(kept) > 10:
            del kept[int(random.choice(list(kept)))]
        for put, shelved in kept.values():
            for i, array in enumerate(put):
                assert np.array_equal(shelved.array(i), array)
                assert shelved.array(i).dtype == array.dtype
                assert shelved.length(i) == len(array)
    assert shelf.n_bytes < 60 * 12 * 100
    assert os.listdir(tmp_path) == []


def test_what_the_disk_does_not_keep_is_noticed(tmp_path, monkeypatch):
    shelf = Shelf(tmp_path)
    shelved = shelf.put([np.arange(100)])
    shelf._file.seek(80)
    shelf._file.write(b"x")
    with pytest.raises(OSError, match="what was put into a temporary file came back damaged") as raised:
        shelved.array(0)
    assert raised.value.filename == str(tmp_path)

    class Full(io.BytesIO):
        def write(self, data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(shelf, "_file", Full())
    with pytest.raises(OSError, match="No space left on device") as raised:
        shelf.put([np.arange(100)])
    assert raised.value.filename == str(tmp_path)
