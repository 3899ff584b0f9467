"""
A long search, in parts
=======================

A search that is stopped and continues later, and a search shared by four jobs. Both give exactly the answer
of one uninterrupted search. This search takes less than a second, so that the page builds quickly; the calls
are those for a search of days.
"""

import tempfile
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dugraph as dg

graphs, y, _ = dg.simulate("hiv", random_state=1)
settings = {"n_subgraphs": 10, "min_expected_frequency": 0.3}
whole = dg.mine_subgraphs(graphs, y, **settings)
print(f"{whole.n_visited:,} subgraphs visited. {whole.message}")

# %%
# Stopped and continued
# ---------------------
# ``time_limit`` stands in for a reboot or the end of a time slot: each run visits some more subgraphs and
# stops. The next run continues from the file. Until the last run, the list holds the best subgraphs so far,
# and ``best_open_bound`` says what a subgraph not yet visited could reach at most.

folder = Path(tempfile.mkdtemp())
runs = []
while not runs or not runs[-1].success:
    seconds = 0.005 * (len(runs) + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.exceptions.LimitReachedWarning)
        runs.append(
            dg.mine_subgraphs(graphs, y, time_limit=seconds, checkpoint=folder / "search.npz", **settings)
        )
print(f"{len(runs)} runs; the same subgraphs: {runs[-1].subgraphs == whole.subgraphs}")
print(f"the same values: {np.array_equal(runs[-1].values, whole.values)}")

# %%
# Four jobs
# ---------
# Each job searches its share and keeps it in a file; on a cluster these are the jobs of an array. Merging the
# files gives a checkpoint, and a search that continues from it has nothing left to do.

files = [folder / f"shard-{i}.npz" for i in (1, 2, 3, 4)]
shards = []
for i, file in enumerate(files, start=1):
    shards.append(dg.mine_subgraphs(graphs, y, shard=f"{i}/4", checkpoint=file, **settings))
dg.results.merge_shards(files, folder / "merged.npz")
merged = dg.mine_subgraphs(graphs, y, checkpoint=folder / "merged.npz", **settings)
print(f"merged: the same subgraphs: {merged.subgraphs == whole.subgraphs}")

# %%
# What the jobs found
# -------------------
# No job knows the whole list: the ten best subgraphs are the best of what all of them found.

figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
axes[0].bar([str(i) for i in range(1, len(runs) + 1)], [run.n_visited for run in runs], color="tab:gray")
axes[0].axhline(whole.n_visited, color="black", linestyle=":")
axes[0].set(xlabel="run", ylabel="subgraphs visited so far", title="Stopped and continued")
for i, shard in enumerate(shards, start=1):
    axes[1].plot(range(1, 11), shard.values, "o", markersize=4, label=f"job {i}")
axes[1].plot(range(1, 11), merged.values, "k-", linewidth=1, label="merged")
axes[1].set(xlabel="rank", ylabel="expected HSIC", title="Shared by four jobs")
axes[1].legend()
plt.show()
