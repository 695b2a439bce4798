#!/usr/bin/env python3
"""What busy processes beside a model cost, ours and ONNX Runtime's, as a table.

    tests/bench/beside_table.py --fw build/release/bin/fw --peer "node peer_ort.mjs" FOLDER...

PEER is as for peer_table.py. Ours and theirs run in turn on two threads, quiet and beside 1, 2 and 4 busy
processes; every figure is the median of the rounds' medians.
"""
import argparse
import ctypes
import os
import signal
import statistics
import subprocess

from peer_table import run, target, theirs

BESIDE = (0, 1, 2, 4)


def busy():
    """A process that ends with this one."""
    ends_with_parent = lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    return subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"], preexec_fn=ends_with_parent)


def beside(count, measure):
    processes = [busy() for _ in range(count)]
    try:
        return measure()
    finally:
        for process in processes:
            process.kill()
            process.wait()


def ours(args, folder, count):
    row = run([args.fw, "bench", folder, "--target", target(args, 2), "--seconds", str(args.seconds),
               "--beside", str(count), "--json"])["models"][0]
    return row["beside_ms"] if count else row["median_ms"]


def rows(args, folder):
    name = os.path.basename(os.path.normpath(folder))
    mine, peer = {}, {}
    for _ in range(args.rounds):
        for count in BESIDE:
            mine.setdefault(count, []).append(ours(args, folder, count))
            peer.setdefault(count, []).append(beside(count, lambda: theirs(args, folder, 2, args.opt)))
    text = ""
    for count in BESIDE:
        m, p = statistics.median(mine[count]), statistics.median(peer[count])
        text += (f"| {name} | {count} | {m:.2f} | {p:.2f} | {m / statistics.median(mine[0]):.2f} "
                 f"| {p / statistics.median(peer[0]):.2f} |\n")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fw", required=True)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--opt", default="all", help="of the peer: all or disabled")
    parser.add_argument("--libs", default="")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    print("| model | busy beside | ours ms | ORT ms | ours to quiet | ORT to quiet |\n"
          "|---|---|---|---|---|---|\n" + "".join(rows(args, folder) for folder in args.folders), end="")


if __name__ == "__main__":
    main()
