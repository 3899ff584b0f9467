"""A test in ranges of permutations gives the bytes of one, however it is divided, stopped and resumed."""

import os

import numpy as np
import pytest
from refusals import refusal
from slicings import UnreliableWorkers
from small_cases import design_settings, random_case

import dugraph as dg
from dugraph.exceptions import ShardDone, UnfinishedTestError
from dugraph.significance import maxima

SOAK = bool(os.environ.get("DUGRAPH_SOAK"))
KINDS = ("classes", "phenotype", "groups")
GRAPHS, Y, _ = dg.simulate("hiv", n_graphs=20, random_state=1)
SETTINGS = {"min_expected_frequency": 0.6, "n_permutations": 199, "max_edges": 3}
LONG = {**SETTINGS, "n_permutations": 2_999}


@pytest.fixture(scope="module")
def whole():
    return dg.significant_subgraphs(GRAPHS, Y, **SETTINGS)


def same(one, other):
    arrays = ("p_values", "statistics", "effects", "critical_values", "null_maxima", "n_admitted")
    return (
        one.subgraphs == other.subgraphs
        and one.message == other.message
        and all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in arrays)
    )


def stop_at_random(monkeypatch, random, share, stop):
    """Some ranges raise an exception; returns the lengths of all that were begun."""
    null_maxima, begun = maxima.null_maxima, []

    def perhaps(*arguments, **more):
        begun.append(len(arguments[1]))
        if random.random() < share:
            raise stop()
        return null_maxima(*arguments, **more)

    monkeypatch.setattr(maxima, "null_maxima", perhaps)
    return begun


def resumed(*given, **more):
    """The result, and how many runs it took."""
    for n_runs in range(1, 10_000):
        try:
            return dg.significant_subgraphs(*given, **more), n_runs
        except (KeyboardInterrupt, UnfinishedTestError):
            continue
    raise AssertionError("no end")


@pytest.mark.parametrize("seed", range(2_000 if SOAK else 12))
def test_several_ranges_give_the_result_of_one_range(seed, tmp_path, monkeypatch):
    random, file = np.random.default_rng(seed), tmp_path / "test.npz"
    case = random_case(random, KINDS[seed % 3], 9, n_covariates=seed % 2)
    settings = {"n_permutations": 60, "alpha": 0.5, "size_classes": 2, "max_edges": 3}
    settings |= {"step_down": seed % 4 == 0, "min_expected_frequency": 0.05, **design_settings(case)}
    try:
        whole = dg.significant_subgraphs(case.X, case.y, **settings)
    except dg.InputError:
        return  # nothing to test
    monkeypatch.setattr(maxima, "N_RANGES", int(random.integers(1, 60)))
    with monkeypatch.context() as patch:
        patch.setattr(maxima, "make_pool", lambda client, subject: UnreliableWorkers(subject, random))
        assert same(dg.significant_subgraphs(case.X, case.y, **settings), whole)
    with monkeypatch.context() as patch:
        stop_at_random(patch, random, 0.3, KeyboardInterrupt)
        assert same(resumed(case.X, case.y, **settings, checkpoint=file)[0], whole)
    assert same(dg.significant_subgraphs(case.X, case.y, **settings, checkpoint=file), whole)


def test_a_test_stopped_by_its_time_limit_resumes(tmp_path, monkeypatch, whole):
    begun = stop_at_random(monkeypatch, np.random.default_rng(0), 0.3, lambda: maxima.unfinished(0))
    result, n_runs = resumed(GRAPHS, Y, **SETTINGS, checkpoint=tmp_path / "test.npz")
    assert same(result, whole)
    assert n_runs > 1
    assert sum(begun) < 200 + 13 * n_runs  # no range was computed again, except those that were stopped


def test_a_checkpoint_of_another_test_is_refused_with_all_that_differs(tmp_path):
    file = tmp_path / "test.npz"
    dg.significant_subgraphs(GRAPHS, Y, **SETTINGS, checkpoint=file)
    other = {**SETTINGS, "n_permutations": 99, "random_state": 1}
    assert refusal(dg.significant_subgraphs, GRAPHS, Y, **other, checkpoint=file) == (
        f"checkpoint must belong to the same computation, but in {file} the labels, blocks or covariates "
        "differ; its n_permutations is 199, not 99; its random_state is 0, not 1. Use the settings of that "
        "file, name another file, or remove this one."
    )
    with pytest.raises(dg.InputError, match="it was written by `test`, not by `mine`"):
        dg.mine_subgraphs(GRAPHS, Y, min_expected_frequency=0.6, checkpoint=file)


def test_a_damaged_checkpoint_is_refused_or_gives_the_same_answer(tmp_path, whole):
    random, file = np.random.default_rng(5), tmp_path / "test.npz"
    dg.significant_subgraphs(GRAPHS, Y, **SETTINGS, checkpoint=file)
    intact = file.read_bytes()
    for _ in range(1_000 if SOAK else 40):
        content = bytearray(intact)
        content[random.integers(len(content))] ^= int(random.integers(1, 256))
        file.write_bytes(content)
        try:
            result = dg.significant_subgraphs(GRAPHS, Y, **SETTINGS, checkpoint=file)
        except dg.InputError:
            continue
        assert same(result, whole)


def run_shard(file, shard):
    with pytest.raises(ShardDone) as ended:
        dg.significant_subgraphs(GRAPHS, Y, **SETTINGS, shard=shard, checkpoint=file)
    assert str(ended.value) == f"Shard {shard} is done; the p-values come from merging all shards."
    return file


@pytest.mark.parametrize("n_shards", [1, 3, 16])
def test_merged_shards_give_the_result_of_one_test(n_shards, tmp_path, whole):
    files = [run_shard(tmp_path / f"{k}.npz", f"{k}/{n_shards}") for k in range(1, n_shards + 1)]
    merged = tmp_path / "merged.npz"
    assert dg.results.merge_shards(files, merged) == ("test", True)
    assert same(dg.significant_subgraphs(GRAPHS, Y, **SETTINGS, checkpoint=merged), whole)


def test_shards_of_a_test_must_be_finished_to_be_merged(tmp_path, monkeypatch):
    stopped = {"shard": "2/2", "checkpoint": tmp_path / "2.npz"}
    files = [run_shard(tmp_path / "1.npz", "1/2"), stopped["checkpoint"]]
    stop_at_random(monkeypatch, np.random.default_rng(0), 1.0, KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        dg.significant_subgraphs(GRAPHS, Y, **SETTINGS, **stopped)
    assert refusal(dg.results.merge_shards, files, tmp_path / "merged.npz") == (
        f"{files[1]}: all shards must be done, but 2/2 is not. Run it again: it resumes where it stopped."
    )
    with pytest.raises(dg.InputError, match="step_down needs the maxima of all permutations"):
        dg.significant_subgraphs(GRAPHS, Y, **SETTINGS, step_down=True, **stopped)


def test_a_killed_test_resumes(tmp_path, kill_after_saves):
    """Killed at a random instant after it has saved something new."""
    file = tmp_path / "test.npz"
    program = f"""\
        import test_parted_maxima as here
        from dugraph.cluster import parts as cluster_parts
        cluster_parts.SECONDS, cluster_parts.SHARE = 0.0, 1.0
        here.maxima.N_RANGES = 200
        here.dg.significant_subgraphs(here.GRAPHS, here.Y, **here.LONG, checkpoint={str(file)!r})
    """
    kill_after_saves(file, program, 20 if SOAK else 1)
    found = dg.significant_subgraphs(GRAPHS, Y, **LONG, checkpoint=file)
    assert same(found, dg.significant_subgraphs(GRAPHS, Y, **LONG))
