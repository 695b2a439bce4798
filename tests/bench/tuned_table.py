#!/usr/bin/env python3
"""What tuning takes and gains: the table of resources/docs/performance.md.

    tests/bench/tuned_table.py --fw build/release/bin/fw FOLDER...

Every model is tuned from nothing into a log of its own, with the wall and the processor's seconds that this takes; then the
plan without a log and the one with it run in turn, so that noise hits both. Every time is the best of the rounds' medians.
"""
import argparse
import json
import math
import os
import resource
import subprocess
import tempfile
import time


def ask(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def median_ms(args, folder, log):
    command = [args.fw, "bench", folder, "--json", "--seconds", str(args.seconds), "--target", args.target]
    return ask(command + (["--log", log] if log else []))["models"][0]["median_ms"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fw", required=True)
    parser.add_argument("--target", default="x86-64")
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    print("| model | workloads | changed | tuned in s | processor s | untuned ms | tuned ms | gain |")
    print("|---|---|---|---|---|---|---|---|")
    gains = []
    for folder in args.folders:
        with tempfile.TemporaryDirectory() as place:
            log = os.path.join(place, "log.jsonl")
            start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
            tuned = ask([args.fw, "tune", folder, "--json", "--target", args.target, "--log", log])
            wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
            processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            times = {None: float("inf"), log: float("inf")}
            for _ in range(args.rounds):
                for which in times:
                    times[which] = min(times[which], median_ms(args, folder, which))
        gains.append(times[None] / times[log])
        print(f"| {os.path.basename(os.path.normpath(folder))} | {tuned['measured']} | {tuned['improved']} | {wall:.0f} | "
              f"{processor:.0f} | {times[None]:.3f} | {times[log]:.3f} | {gains[-1]:.2f} |", flush=True)
    print(f"\nGeometric mean of the gains: {math.exp(sum(map(math.log, gains)) / len(gains)):.3f}, the least {min(gains):.2f}.")


if __name__ == "__main__":
    main()
