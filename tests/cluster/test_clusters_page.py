"""docs/clusters.md: its commands run, and its job array runs on a real SLURM where there is one."""

import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
import slurm

from dugraph.cli import main
from dugraph.cluster.dask_client import LOCAL

PAGE = (Path(__file__).parents[2] / "docs" / "clusters.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ dugraph (.*)$", PAGE, re.MULTILINE)


def test_the_commands_of_the_page_run_and_agree(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    assert len(COMMANDS) == 9
    for line in COMMANDS:
        assert main(shlex.split(line)) == 0, line
        if "--dask" in line and not os.environ.get("DUGRAPH_SOAK"):  # once with processes is enough
            monkeypatch.setitem(LOCAL, "processes", False)
            monkeypatch.setitem(LOCAL, "protocol", "tcp")
    tables = [(tmp_path / name / "results.csv").read_bytes() for name in ("results", "merged", "with_dask")]
    assert tables[0] == tables[1] == tables[2]


@pytest.mark.skipif(not os.environ.get("DUGRAPH_SLURM"), reason="daemons are started: make cluster-test")
def test_the_job_array_of_the_page_runs_on_slurm(tmp_path, monkeypatch):
    if missing := slurm.why_not():
        pytest.skip(missing)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    assert main(["simulate", "--like", "hiv", "-o", "cohort.npz"]) == 0
    assert main(["mine", "cohort.npz", "--min-expected-frequency", "0.4", "-o", "whole"]) == 0
    script, submission = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
    (work / "mine.sbatch").write_text(script)
    daemons = tmp_path / "slurm"
    daemons.mkdir()
    with slurm.one_node(daemons) as environment:
        environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
        subprocess.run(["bash", "-euc", submission], env=environment, check=True)
        for _ in range(3000):
            if slurm.finished(environment):
                break
            time.sleep(0.1)
        for log in sorted(work.glob("*.log")):
            print(f"{log.name}: {log.read_text().strip()}")
    assert (work / "results/results.csv").read_bytes() == (work / "whole/results.csv").read_bytes()
