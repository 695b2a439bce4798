#!/usr/bin/env python3
"""What plans for a machine predict, beside what is measured: the table of resources/docs/tuning.md.

    tests/bench/predicted_table.py --fw build/release/bin/fw FOLDER...

For this machine as it is and for each of --cpu, `fw doctor --save` makes the file of a machine that ends there. Every model is planned
with that file (`--machine`), and run so, since this machine plays those below it. The prediction is the sum of the estimates of the
groups; the time is the least of the medians of the rounds. Choices are held against those of the target without a file, where that
measures the machine, too, and else against those of a file that was saved anew.
"""
import argparse
import json
import os
import subprocess
import tempfile


def ask(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def plan(args, folder, options):
    return json.loads(ask([args.fw, "fuse", folder, "--json", *options]))["groups"]


def choices(groups):
    return [(group["nodes"], group["implementation"]) for group in groups]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fw", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cpu", action="append", default=[])
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    print("| model | level | predicted ms | measured ms | ratio | choices |")
    print("|---|---|---|---|---|---|")
    ratios = []
    with tempfile.TemporaryDirectory() as place:
        for cpu in ["native", *(args.cpu or ["x86-64-v3"])]:
            target = f"x86-64 -mcpu={cpu} -threads={args.threads}"
            files = [os.path.join(place, f"{cpu}.{i}.machine") for i in range(2)]
            for machine in files:
                ask([args.fw, "doctor", "--save", machine, "--target", target])
            other = ["--target", target] if cpu == "native" else ["--machine", files[1]]
            for folder in args.folders:
                groups = plan(args, folder, ["--machine", files[0]])
                same = choices(groups) == choices(plan(args, folder, other))
                predicted = sum(group["est_us"] or 0 for group in groups) / 1000
                bench = [args.fw, "bench", folder, "--json", "--seconds", str(args.seconds), "--machine", files[0]]
                measured = min(json.loads(ask(bench))["models"][0]["median_ms"] for _ in range(args.rounds))
                name = os.path.basename(os.path.normpath(folder))
                ratios.append(predicted / measured)
                print(f"| {name} | {cpu} | {predicted:.3f} | {measured:.3f} | {ratios[-1]:.2f} | "
                      f"{'the same' if same else 'others'} |", flush=True)
    outside = sum(not 0.75 <= ratio <= 1.25 for ratio in ratios)
    print(f"\nOf {len(ratios)} predictions {outside} beyond 25 percent: from {min(ratios):.2f} to {max(ratios):.2f}.")


if __name__ == "__main__":
    main()
