"""Each press of Ctrl-C runs the handler of SIGINT once and ends exactly one call, wherever it falls."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]
N_PRESSES = 2000 if os.environ.get("DUGRAPH_SOAK") else 25


@pytest.mark.parametrize("name", ["mine", "fit", "test", "evaluate"])
def test_every_press_ends_one_call(name: str) -> None:
    program = Path(__file__).with_name("interrupted_loops.py")
    chance, census, threads = random.Random(name), Counter[str](), set()
    command = [sys.executable, str(program), name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as loop:
        assert loop.stdin is not None
        assert loop.stdout is not None
        try:
            for _ in range(N_PRESSES):
                print("go", file=loop.stdin, flush=True)
                assert loop.stdout.readline() == "ready\n"
                time.sleep(chance.uniform(0.002, 0.05))
                loop.send_signal(signal.SIGINT)
                answer = json.loads(loop.stdout.readline())
                assert len(answer["presses"]) == 1, answer
                assert 0 <= answer["began"] - answer["ended"] <= 1, answer
                census[answer["presses"][0]] += 1
                threads.add(answer["threads"])
        finally:
            loop.kill()
    for where, number in census.most_common():
        print(f"{number:6} {where}")
    assert max(threads) - min(threads) <= 1, threads  # the kernel takes a moment to forget a thread
    inside = sum(number for where, number in census.items() if not where.endswith("interrupted_loops.py"))
    assert inside > 0.9 * N_PRESSES, census
