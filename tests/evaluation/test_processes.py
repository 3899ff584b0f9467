"""An evaluation in several processes: the same answer, and a sentence for what cannot be sent to them."""

from pickle import PicklingError

import pytest
from sklearn.dummy import DummyClassifier

from dugraph import RandomSplits, evaluate
from dugraph.exceptions import ClusterError

QUICK = {"cv": RandomSplits(3), "n_subgraphs": [3, 6], "min_expected_frequency": 0.1}
pytestmark = [pytest.mark.system, pytest.mark.xdist_group("joblib")]


def test_the_result_does_not_depend_on_the_number_of_processes(small):
    methods = ["exp-hsic", "freq", "select-k-best"]
    files = [evaluate(*small, methods=methods, n_jobs=n, **QUICK).files() for n in (1, 2, -2)]
    assert len({one["results.csv"] for one in files}) == 1


class Unsendable(DummyClassifier):
    """Cannot be sent to another process, as if memory had run out on the way."""

    def __getstate__(self):
        raise MemoryError


class Failing(DummyClassifier):
    """Can be sent, but fails in its worker."""

    def fit(self, X, y, sample_weight=None):
        raise PicklingError("a model of my own")


def test_an_error_in_a_fit_is_raised_as_it_is(small):
    with pytest.raises(PicklingError, match="a model of my own"):
        evaluate(*small, methods={"own": Failing()}, n_jobs=2, **QUICK)


# The last: it leaves joblib without processes.
def test_an_estimator_that_cannot_be_pickled_is_an_error(small):
    with pytest.raises(ClusterError, match=r"could not be sent to a worker.*memory ran out.*Use one job"):
        evaluate(*small, methods={"own": Unsendable()}, n_jobs=2, **QUICK)
