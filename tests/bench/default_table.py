#!/usr/bin/env python3
"""Latency of the plan where no library is named beside own code alone and each library alone: the table of
resources/docs/performance.md.

    tests/bench/default_table.py --fw build/release/bin/fw [--cpu x86-64-v3] FOLDER...

The settings run in turn, so that noise hits all; every figure is the best of the rounds' medians, the ratio is that of the
plan to the better of the others. Without --cpu: this machine's.
"""
import argparse
import json
import os
import subprocess

SETTINGS = {"default": "", "own": " -libs=", "onednn": " -libs=onednn"}


def median_ms(args, folder, libs):
    target = f"x86-64 -mcpu={args.cpu}{libs}"
    command = [args.fw, "bench", folder, "--json", "--seconds", str(args.seconds), "--target", target]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise SystemExit(f"{folder}: {done.stderr.strip()}")
    return json.loads(done.stdout)["models"][0]["median_ms"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fw", required=True)
    parser.add_argument("--cpu", default="native")
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    print("| model | default ms | own code ms | oneDNN ms | ratio |\n|---|---|---|---|---|")
    worst = 0
    for folder in args.folders:
        times = dict.fromkeys(SETTINGS, float("inf"))
        for _ in range(args.rounds):
            for name, libs in SETTINGS.items():
                times[name] = min(times[name], median_ms(args, folder, libs))
        ratio = times["default"] / min(times["own"], times["onednn"])
        if times["default"] > 0.2:
            worst = max(worst, ratio)
        figures = " | ".join(f"{times[name]:.3f}" for name in SETTINGS)
        print(f"| {os.path.basename(os.path.normpath(folder))} | {figures} | {ratio:.2f} |", flush=True)
    print(f"\nLargest ratio above 0.2 ms: {worst:.2f}.")


if __name__ == "__main__":
    main()
