#!/usr/bin/env python3
"""Latency of models beside ONNX Runtime, as the table of resources/docs/performance.md.

    tests/bench/peer_table.py --fw build/release/bin/fw --peer "node peer_ort.mjs" FOLDER... > table.md

PEER is a command that takes --threads, --seconds, --opt all|disabled and a backend-test folder and prints
one JSON line with median_ms. Ours and theirs run in turn, so that a noisy machine is noisy for both; the
ratio is ours to the better of their two settings. Every figure is the median of the rounds' medians.
"""
import argparse
import json
import os
import shlex
import statistics
import subprocess


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise SystemExit(f"{shlex.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def ours(fw, folder, threads, seconds):
    row = run([fw, "bench", folder, "--target", f"x86-64 -libs= -threads={threads}", "--seconds", str(seconds), "--json"])
    return row["models"][0]


def theirs(peer, folder, threads, seconds, opt):
    return run([*shlex.split(peer), "--threads", str(threads), "--seconds", str(seconds), "--opt", opt, folder])["median_ms"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fw", required=True)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    print("| model | threads | ours ms | ORT all ms | ORT disabled ms | ratio | compile ms | load ms | peak MB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for folder in args.folders:
        for threads in (1, 2):
            mine, best, plain = [], [], []
            for _ in range(args.rounds):
                row = ours(args.fw, folder, threads, args.seconds)
                mine.append(row["median_ms"])
                best.append(theirs(args.peer, folder, threads, args.seconds, "all"))
                plain.append(theirs(args.peer, folder, threads, args.seconds, "disabled"))
            m, a, d = (statistics.median(x) for x in (mine, best, plain))
            print(f"| {os.path.basename(os.path.normpath(folder))} | {threads} | {m:.3f} | {a:.3f} | {d:.3f} | "
                  f"{m / min(a, d):.2f} | {row['compile_ms']:.0f} | {row['load_ms']:.0f} | {row['peak_rss_mb']:.0f} |", flush=True)


if __name__ == "__main__":
    main()
