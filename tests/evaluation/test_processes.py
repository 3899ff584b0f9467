"""An evaluation in several processes: the same answer, and a sentence for what cannot be sent to them."""

import pytest
from sklearn.dummy import DummyClassifier

from dugraph import evaluate_methods
from dugraph.exceptions import ClusterError

QUICK = {"n_splits": 3, "n_subgraphs": [3, 6], "min_expected_frequency": 0.1}
pytestmark = [pytest.mark.system, pytest.mark.xdist_group("joblib")]


def test_processes_do_not_show_in_the_answer(small, tmp_path):
    methods = ["exp-hsic", "freq", "select-k-best"]
    for n_jobs in (1, 2):
        evaluate_methods(*small, methods=methods, n_jobs=n_jobs, **QUICK).save(tmp_path / str(n_jobs))
    assert (tmp_path / "1/results.csv").read_bytes() == (tmp_path / "2/results.csv").read_bytes()


class Unsendable(DummyClassifier):
    """Cannot be sent to another process, as if memory had run out on the way."""

    def __getstate__(self):
        raise MemoryError


# The last: it leaves joblib without processes.
def test_what_cannot_be_sent_to_a_worker_is_an_error_in_a_sentence(small):
    with pytest.raises(ClusterError, match=r"could not be sent to a worker.*memory ran out.*Use one job"):
        evaluate_methods(*small, methods={"own": Unsendable()}, n_jobs=2, **QUICK)
