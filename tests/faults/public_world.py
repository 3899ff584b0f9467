"""Valid values for every parameter of the public API, and one object of every public class."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas

import dugraph as dg
from dugraph.results import record_of

MODELS = ("SubgraphSelector", "SparseSubgraphClassifier", "SparseSubgraphRegressor")


class World:
    """Valid values, by the names of parameters."""

    MADE_BY_USERS = ("UncertainGraphs", "LabelledGraphs", "probability.ScoreDistribution")
    """Classes other than estimators whose objects users create; objects of the others are results."""

    def __init__(self, folder: Path) -> None:
        rng = np.random.default_rng(0)
        self.X, self.y = rng.uniform(0.3, 0.5, (12, 3)), np.arange(12) % 2
        self.X[self.y == 1, :2] += 0.4
        self.graphs = dg.UncertainGraphs(
            self.X, node_coordinates=np.eye(3), participants={"age": np.arange(12.0)}
        )
        self.cohort = dg.LabelledGraphs(self.graphs, self.y)
        self.file, self.results = folder / "cohort.npz", folder / "results"
        dg.save_cohort(self.file, self.graphs, self.y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.mined = dg.mine_subgraphs(self.cohort, n_subgraphs=3)
            self.tested = dg.significant_subgraphs(self.cohort, n_permutations=59)
            self.evaluated = dg.evaluate(
                self.cohort, methods=["all-edges", "exp-hsic"], cv=dg.RandomSplits(2), n_subgraphs=[2]
            )
            self.path = dg.sparse.sparse_path(self.cohort, n_alphas=3)
            dg.save_result(self.mined, self.results, self.cohort)
            dg.save_result(self.tested, folder / "tested", self.cohort)
            dg.save_result(self.evaluated, folder / "evaluated", self.cohort)
            models = {name: folder / f"{name}.json" for name in MODELS}
            for name, path in models.items():
                self.made(name).to_json(path)
        X, y = self.X, self.y
        self.right: dict[str, Any] = {
            "X": X,
            "y": y,
            "graphs": self.graphs,
            "edges": np.array([[1, 0], [2, 0], [2, 1]]),
            "edge_probability": X,
            "array": np.full((12, 3, 3), 0.5) + 0.5 * np.eye(3),
            "matrices": np.full((3, 3, 3), 0.5),
            "probabilities": X[0],
            "n_graphs": 12,
            "graph_ids": [f"g{k}" for k in range(12)],
            "is_positive": y == 1,
            "group": 1,
            "edge": 0,
            "subgraph": (0, 1),
            "subgraphs": [(0, 1), (2,)],
            "score": "hsic",
            "measure": "expectation",
            "phi": 0.1,
            "quantile": 0.5,
            "min_expected_frequency": 0.2,
            "n_subgraphs": 2,
            "max_edges": 2,
            "n_permutations": 59,
            "n_splits": 2,
            "n_folds": 2,
            "n_repeats": 1,
            "cv": 2,
            "method": "all-edges",
            "methods": ["all-edges"],
            "metric": "error",
            "ranks": [[1.0], [2.0]],
            "values": [0.1, 0.2],
            "like": "hiv",
            "path": folder / "written.bin",
            "folder": self.results,
            "files": [],
            "checkpoint": folder / "merged.npz",
            "command": "mine",
            "result": self.mined,
            "title": "a title",
            "name": "phi",
            "kind": "csv",
            "names": ["a", "b"],
            "features": X[:, :2],
            "distribution": self.made("probability.ScoreDistribution"),
            "classifier": self.made("SparseSubgraphClassifier"),
            "selector": self.made("SubgraphSelector"),
        }
        # Values for parameters with another meaning in one function, and values that make a call fast.
        self.special: dict[str, dict[str, Any]] = {
            "evaluate": {"n_subgraphs": [2]},
            "save_cohort": {"path": folder / "saved.npz"},
            "load_cohort": {"path": self.file},
            "read_cohort": {"path": _edge_list(folder), "format": "edge-list", "values": "probability"},
            "read_study": {"path": folder / "edges.csv", "format": "edge-list", "values": "probability"},
            "replicate": {"result": self.tested, "statistic": "z"},
            "find_and_replicate": {"size_classes": 1},
            "power_analysis": {"n_edges": 1, "frequencies": (0.8, 0.4)},
            "from_nilearn": {"bunch": _bunch(), "node_labels": ["Precentral_L", "Precentral_R"]},
            "evaluation.make_method": {"name": "exp-hsic"},
            "simulation.possible_worlds": {"X": [[0.5, 0.5, 0.5]]},
            "results.SubgraphRecord.to_json": {"more": [{}] * len(self.mined)},
            "results.merge_shards": {"files": self._shards(folder)},
            "save_result": {"folder": folder / "written", "X": X, "y": y},
            "write_report": {"output": folder / "page.html", "X": X, "y": y},
            "simulate": {"n_graphs": 4},
            "estimators.load_model": {"path": models["SubgraphSelector"]},
            **{f"{name}.from_json": {"path": path} for name, path in models.items()},
            "EvaluationResult.save": {"folder": folder / "written evaluation"},
            "EvaluationResult": {"metric": "error"},
            "plot.plot_metric": {"result": self.evaluated},
            "plot.plot_ranks": {"result": self.evaluated},
            "plot.plot_null_maxima": {"result": self.tested},
            "plot.plot_significant_subgraphs": {"result": self.tested},
            "paper_text": {"X": X, "y": y},
            "results.tested_subgraphs": {"folder": folder / "tested"},
            "plot.plot_power": {"result": self.made("PowerResult")},
            "plot.plot_replication": {"result": self.made("ReplicationResult"), "subgraph": 0},
            "plot.plot_sensitivity": {"result": self.made("SensitivityResult")},
            "sensitivity_analysis": {"statistics": ["z"], "min_expected_frequencies": [0.2]},
            "plot.plot_sparse_path": {"path": self.path},
            "plot.plot_phenotype": {"y": np.arange(12.0)},
            "plot.save_figure": {"figure": _figure(), "path": folder / "figure.png"},
            "sparse.SparseModel": {"graphs": self.graphs},
            "plot.subgraph_figure": {"result": self.tested, "kind": "brain"},
            "results.record_of": {"X": X, "y": y},
            "probability.ScoreDistribution()": {
                "values": np.array([0.0, 1.0]),
                "probabilities": np.array([0.5, 0.5]),
            },
            "SparseSubgraphRegressor": {"y": np.arange(12.0)},
            "SparseSubgraphClassifier()": {"n_alphas": 3},
            "SparseSubgraphRegressor()": {"n_alphas": 3},
            "TimeSeriesEdgeProbability()": {"n_resamples": 20},
            "TimeSeriesEdgeProbability": {"X": self.fit_with("TimeSeriesEdgeProbability")[0]},
            "UncertainGraphs.from_networkx": {"graphs": self.graphs.to_networkx()},
        }

    def _shards(self, folder: Path) -> list[Path]:
        files = [folder / f"{k}.npz" for k in (1, 2)]
        for k, file in enumerate(files, start=1):
            dg.mine_subgraphs(self.cohort, n_subgraphs=2, shard=f"{k}/2", checkpoint=file)
        return files

    def fit_with(self, name: str) -> tuple[Any, Any]:
        """Training data of an estimator."""
        if name == "TimeSeriesEdgeProbability":
            return np.random.default_rng(1).standard_normal((4, 30, 3)), None
        return self.X, np.arange(12.0) if name == "SparseSubgraphRegressor" else self.y

    def made(self, name: str) -> Any:
        """An object of a class; estimators are fitted."""
        makers: dict[str, Callable[[], Any]] = {
            "UncertainGraphs": lambda: self.graphs,
            "LabelledGraphs": lambda: self.cohort,
            "MiningResult": lambda: self.mined,
            "SignificanceResult": lambda: self.tested,
            "ReplicationResult": lambda: dg.replicate(self.tested, self.cohort, n_permutations=59),
            "PowerResult": lambda: dg.power_analysis(self.graphs, n_edges=1, frequencies=(0.8, 0.4)),
            "SensitivityResult": lambda: dg.sensitivity_analysis(
                self.cohort, min_expected_frequencies=[0.2], n_permutations=99
            ),
            "EvaluationResult": lambda: self.evaluated,
            "sparse.SparseModel": lambda: self.path[-1],
            "probability.ScoreDistribution": lambda: dg.score_distribution(self.X, self.y, (0,), "hsic"),
            "Deconfound": lambda: dg.Deconfound(covariates=[0]),
            "EdgeProbability": dg.EdgeProbability,
            "TimeSeriesEdgeProbability": lambda: dg.TimeSeriesEdgeProbability(n_resamples=20),
            "SubgraphSelector": lambda: dg.SubgraphSelector(n_subgraphs=2),
            "SparseSubgraphClassifier": lambda: dg.SparseSubgraphClassifier(cv=2, n_alphas=3),
            "SparseSubgraphRegressor": lambda: dg.SparseSubgraphRegressor(cv=2, n_alphas=3),
            "simulation.SimulatedCohort": lambda: dg.simulate("hiv", n_graphs=4),
            "RandomSplits": lambda: dg.RandomSplits(2),
            "RepeatedFolds": lambda: dg.RepeatedFolds(2, n_repeats=1),
            "results.SubgraphRecord": lambda: record_of(self.mined, X=self.X, y=self.y),
            "results.TestRecord": lambda: record_of(self.tested, X=self.X, y=self.y),
            "results.EvaluationRecord": lambda: record_of(self.evaluated, X=self.X, y=self.y),
        }
        one = makers[name]()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return one.fit(*self.fit_with(name)) if hasattr(one, "fit") else one


def _edge_list(folder: Path) -> Path:
    file = folder / "edges.csv"
    rows = [f"{g},A,B,0.{g + 1},{g % 2}\n" for g in range(4)]
    file.write_text("graph_id,source,target,probability,label\n" + "".join(rows), encoding="utf-8")
    return file


def _figure() -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(1, 1))


def _bunch() -> dict[str, Any]:
    """The structure that nilearn's fetch_abide_pcp returns."""
    t = np.arange(8.0)
    return {
        "rois_aal": [np.c_[t, np.sin(t)], np.c_[t, np.cos(t)]],
        "phenotypic": pandas.DataFrame({"FILE_ID": ["a", "b"], "DX_GROUP": [1, 2]}),
    }
