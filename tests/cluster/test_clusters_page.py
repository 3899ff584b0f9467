"""docs/clusters.md: its commands run, and its job array runs on a real SLURM where there is one."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import slurm
from clusters import local_client

import dugraph as dg
from dugraph.cli import main
from dugraph.cluster.dask import LOCAL

pytestmark = pytest.mark.system

PAGE = (Path(__file__).parents[2] / "docs" / "clusters.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ dugraph (.*)$", PAGE, re.MULTILINE)
BASH = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SLURM = bool(os.environ.get("DUGRAPH_SLURM"))
WITH_DAEMONS = pytest.mark.skipif(not SLURM, reason="daemons are started: make cluster-test")


def test_the_commands_of_the_page_run_and_agree(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    assert len(COMMANDS) == 8
    for line in COMMANDS:
        assert main(shlex.split(line)) == 0, line
        if "--dask" in line and not os.environ.get("DUGRAPH_SOAK"):  # once with processes is enough
            monkeypatch.setitem(LOCAL, "processes", False)
            monkeypatch.setitem(LOCAL, "protocol", "tcp")
    tables = [(tmp_path / name / "results.csv").read_bytes() for name in ("results", "merged", "with_dask")]
    assert tables[0] == tables[1] == tables[2]


def test_the_calls_of_the_page_run(tmp_path, monkeypatch):
    """Those with a client of a scheduler that is there."""
    monkeypatch.chdir(tmp_path)
    block, _ = PYTHON
    with local_client(2, processes=False) as client:
        assert "tcp://host:8786" in block
        names = run(block.replace("tcp://host:8786", client.scheduler.address))
    assert names["result"].success
    assert names["test"].n_permutations == 1000
    assert names["evaluation"].n_splits == 3


def run(block):
    graphs, y, _ = dg.simulate("hiv", n_graphs=20, random_state=1)
    names = {"graphs": graphs, "y": y}
    exec(block, names)
    return names


@WITH_DAEMONS
def test_the_cluster_with_certificates_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for line in COMMANDS[:2]:
        assert main(shlex.split(line)) == 0, line
    *_, block = BASH
    here = f"trap 'kill $(jobs -p)' EXIT\n{block}".replace("$(hostname)", "127.0.0.1")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    subprocess.run(["bash", "-euc", here], env={**os.environ, "PATH": path}, check=True)
    assert Path("with_tls/results.csv").read_bytes() == Path("results/results.csv").read_bytes()


@WITH_DAEMONS
def test_workers_as_slurm_jobs_find_the_same(tmp_path, monkeypatch):
    pytest.importorskip("dask_jobqueue", reason="pip install dask-jobqueue")
    if missing := slurm.why_not():
        pytest.skip(missing)
    monkeypatch.chdir(tmp_path)
    _, block = PYTHON
    smaller = {
        'cores=8, processes=8, memory="16GB"': 'cores=1, processes=1, memory="1GB"',
        "jobs=10": "jobs=2",
    }
    for one, other in smaller.items():
        assert one in block
        block = block.replace(one, other)
    daemons = tmp_path / "slurm"
    daemons.mkdir()
    with slurm.one_node(daemons) as environment:
        monkeypatch.setenv("SLURM_CONF", environment["SLURM_CONF"])
        names = run(block)
        slurm.wait_until_finished(environment)
    whole = dg.mine_subgraphs(names["graphs"], names["y"], min_expected_frequency=0.4)
    assert names["result"].subgraphs == whole.subgraphs
    assert names["result"].values.tobytes() == whole.values.tobytes()


@WITH_DAEMONS
def test_the_job_array_of_the_page_runs_on_slurm(tmp_path, monkeypatch):
    if missing := slurm.why_not():
        pytest.skip(missing)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    assert main(["simulate", "--like", "hiv", "-o", "cohort.npz"]) == 0
    assert main(["mine", "cohort.npz", "--min-expected-frequency", "0.4", "-o", "whole"]) == 0
    script, submission, _ = BASH
    (work / "mine.sbatch").write_text(script)
    daemons = tmp_path / "slurm"
    daemons.mkdir()
    with slurm.one_node(daemons) as environment:
        environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
        subprocess.run(["bash", "-euc", submission], env=environment, check=True)
        slurm.wait_until_finished(environment)
        for log in sorted(work.glob("*.log")):
            print(f"{log.name}: {log.read_text().strip()}")
    assert (work / "results/results.csv").read_bytes() == (work / "whole/results.csv").read_bytes()
