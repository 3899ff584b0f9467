"""A SLURM of one node on this machine, for the time of a test: Debian's slurm-wlm and munge, run as root."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NEEDED = ("slurmctld", "slurmd", "sbatch", "munged", "scontrol", "sacct")
CONFIGURATION = """\
ClusterName=dugraph
SlurmctldHost={host}
SlurmctldPort={port}
SlurmdPort={other}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
SlurmUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=3000 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def why_not() -> str:
    """The missing requirements of SLURM on this machine; empty if there are none."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        return f"SLURM is not installed ({', '.join(missing)} missing): apt-get install slurm-wlm"
    return "" if os.geteuid() == 0 else "SLURM's daemons are started as root"


@contextmanager
def one_node(folder: Path) -> Iterator[dict[str, str]]:
    """Start the daemons; gives the environment in which sbatch finds them."""
    host = socket.gethostname().partition(".")[0]
    port, other = _free_port(), _free_port()
    for name in ("state", "spool", "munge"):
        (folder / name).mkdir()
    os.chmod(folder, 0o755)
    configuration = folder / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(host=host, folder=folder, port=port, other=other))
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    socket_file = folder / "munge.socket"
    environment = {**os.environ, "SLURM_CONF": str(configuration)}
    started: list[subprocess.Popen[bytes]] = []

    def start(*command: str) -> None:
        with open(folder / f"{command[0]}.out", "wb") as log:
            started.append(subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT))

    try:
        places = [f"--{name}-file={folder}/munge/{name}" for name in ("pid", "log", "seed")]
        start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={socket_file}", *places)
        _wait(socket_file.exists, "munged does not start", folder)
        start("slurmctld", "-D")
        start("slurmd", "-D", "-N", host)
        _wait(lambda: "idle" in _state(environment), "the node does not come up", folder)
        yield environment
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait()


def wait_until_finished(environment: dict[str, str]) -> None:
    """Wait until no job is left, five minutes at most: daemons do not end before their jobs do."""
    for _ in range(3000):
        queue = ["squeue", "--noheader"]
        if not subprocess.run(queue, env=environment, capture_output=True, check=True).stdout.strip():
            return
        time.sleep(0.1)


def _state(environment: dict[str, str]) -> str:
    return subprocess.run(
        ["sinfo", "--noheader", "-o", "%T"], env=environment, capture_output=True, text=True, check=False
    ).stdout


def _wait(fact: object, otherwise: str, folder: Path) -> None:
    for _ in range(600):
        if fact():  # type: ignore[operator]
            return
        time.sleep(0.1)
    logs = "\n".join(path.read_text(errors="replace")[-2000:] for path in folder.glob("*.out"))
    raise AssertionError(f"{otherwise}\n{logs}")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
