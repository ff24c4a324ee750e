"""Ours beside PyTorch and NumPy, turn by turn, on the rows of `frameworks` and `products` that they can run.

`pip install torch numpy`, then `python benches/peers/torch.py [--threads N] [--row TITLE]`. Ours run in a process of their own,
which takes its turn when this one asks for it (`turns/src/follow.rs`). Each side makes its own Gaussian values of the same
shapes. A figure is the median of the rounds, a ratio the median of the rounds' ratios: above 1 we are faster.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
# This file bears the name of what it imports.
sys.path = [entry for entry in sys.path if pathlib.Path(entry or ".").resolve() != HERE]

ROUNDS = 25
SLICE = 4e-3
N = 1024
CLASSES = 10


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1, help="threads of each; the products are timed with one")
    parser.add_argument("--row", default="", help="rows whose title contains this")
    return parser.parse_args()


class Ours:
    """A bench of ours that waits for our word."""

    def __init__(self, package, *flags):
        command = ["cargo", "run", "--release", "--quiet", "--package", package, "--", *flags]
        self.process = subprocess.Popen(
            command, cwd=HERE, env={**os.environ, "TURNS_FOLLOW": "1"}, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def rows(self):
        """Title, unit and work of each row, which lasts until the next is asked for."""
        for line in self.process.stdout:
            if line.startswith("row\t"):
                _, title, unit, work = line.rstrip("\n").split("\t")
                yield title, unit, float(work)
                self.say("next")
        if self.process.wait() != 0:
            sys.exit(f"{self.process.args}: exit code {self.process.returncode}")

    def turn(self):
        self.say("turn")
        return float(self.process.stdout.readline())

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()


class Theirs:
    """A call of a peer's."""

    def __init__(self, call):
        self.call = call
        self.reps = 1
        while (took := self.turn() * self.reps) < SLICE / 2:
            self.reps *= 2
        self.reps = max(1, round(self.reps * SLICE / took))

    def turn(self):
        start = time.perf_counter()
        for _ in range(self.reps):
            self.call()
        return (time.perf_counter() - start) / self.reps


def median(values):
    return sorted(values)[len(values) // 2]


def figure(unit, work, seconds):
    return {
        "GFLOP/s": work / seconds * 1e-9,
        "ns/elem": seconds / work * 1e9,
        "us": seconds * 1e6,
    }[unit]


def print_row(ours, title, unit, work, peers):
    contenders = {"fucina": ours} | {name: Theirs(call) for name, call in peers.items()}
    times = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, contender in contenders.items():
            times[name].append(contender.turn())
    line = f"{title:<34} {unit:>8}"
    for name, seconds in times.items():
        ordered = sorted(seconds)
        spread = ordered[ROUNDS * 9 // 10] / ordered[ROUNDS // 10] - 1
        line += f" | {name} {figure(unit, work, median(seconds)):.4g}"
        if name != "fucina":
            line += f" ({median([t / o for t, o in zip(seconds, times['fucina'])]):.2f}x)"
        line += f" ±{spread:.0%}"
    print(line, flush=True)


def step(torch, batch, inputs, hidden):
    """A training step: forwards, cross entropy, backwards, SGD."""
    net = torch.nn.Sequential(torch.nn.Linear(inputs, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, CLASSES))
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    x, labels = torch.randn(batch, inputs), torch.arange(batch) * 7 % CLASSES

    def call():
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(x), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return call


def ops(torch, numpy):
    """What each peer does on a row: title to peer to call."""
    functional = torch.nn.functional
    a, b, x = torch.randn(16), torch.randn(16), torch.randn(N, N)
    na, nb, nx = a.numpy(), b.numpy(), x.numpy()
    weight, bias = torch.randn(N), torch.randn(N)
    image, filters = torch.randn(1, 64, 56, 56), torch.randn(64, 64, 3, 3)
    q, k, v = torch.randn(3, 1, 8, 256, 64)
    return {
        "add, 16 elements": {"torch": lambda: a + b, "numpy": lambda: na + nb},
        "exp": {"torch": lambda: x.exp(), "numpy": lambda: numpy.exp(nx)},
        "tanh": {"torch": lambda: x.tanh(), "numpy": lambda: numpy.tanh(nx)},
        "gelu": {"torch": lambda: functional.gelu(x)},
        "softmax": {"torch": lambda: torch.softmax(x, 1)},
        "layer norm": {"torch": lambda: functional.layer_norm(x, (N,), weight, bias, 1e-5)},
        "rms norm": {"torch": lambda: functional.rms_norm(x, (N,), weight, 1e-5)},
        "sum over the last axis": {"torch": lambda: x.sum(1), "numpy": lambda: nx.sum(1)},
        "sum over the first axis": {"torch": lambda: x.sum(0), "numpy": lambda: nx.sum(0)},
        "conv2d": {"torch": lambda: functional.conv2d(image, filters, padding=1)},
        "causal attention": {"torch": lambda: functional.scaled_dot_product_attention(q, k, v, is_causal=True)},
    }


def peers_of(torch, numpy, table, title):
    """The calls of a row's peers; none where they have no such row."""
    if found := re.fullmatch(r"step, MLP (\d+) x (\d+)-(\d+)-10", title):
        return {"torch": step(torch, *map(int, found.groups()))}
    if found := re.fullmatch(r"(\d+) x (\d+) x (\d+)", title):
        m, k, n = map(int, found.groups())
        a, b = torch.randn(m, k), torch.randn(k, n)
        na, nb = a.numpy(), b.numpy()
        return {"torch": lambda: a @ b, "numpy": lambda: na @ nb}
    return next((calls for name, calls in table.items() if title.startswith(name)), {})


def main():
    args = arguments()
    for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]:
        os.environ[name] = str(args.threads)
    import numpy
    import torch

    torch.set_num_threads(args.threads)
    print(f"PyTorch {torch.__version__}, NumPy {numpy.__version__}; {args.threads} thread(s) each; "
          f"median of {ROUNDS} rounds, ± the middle 80 %; (ratio: above 1 we are faster)")
    benches = [["frameworks", "--threads", str(args.threads), "--row", args.row]]
    if args.threads == 1:
        benches.append(["products"])
    with torch.no_grad():
        table = ops(torch, numpy)
    for bench in benches:
        ours = Ours(*bench)
        for title, unit, work in ours.rows():
            peers = peers_of(torch, numpy, table, title) if args.row in title else {}
            if peers:
                with torch.set_grad_enabled(title.startswith("step")):
                    print_row(ours, title, unit, work, peers)


main()
