#!/usr/bin/env python3
"""Latency of models beside ONNX Runtime: the figures of resources/docs/performance.md and gaps.md.

    tests/bench/peer_table.py --fw build/release/bin/fw --peer "node peer_ort.mjs" \\
        --kernels build/release/tests/bench_kernels --write resources/docs FOLDER...

PEER is a command that takes --threads, --seconds, --opt all|disabled and a backend-test folder and prints
one JSON line with median_ms. Ours and theirs run in turn, so that a noisy machine is noisy for both; the
ratio is ours to the better of their two settings. Every figure is the median of the rounds' medians.
Folders of different parents make tables of their own. Without --write both texts go to standard output.
"""
import argparse
import json
import os
import re
import resource
import shlex
import shutil
import statistics
import subprocess
import tempfile

SMALL = 0.2  # ms: models below are told apart, their time is the time of a few calls


def text_of(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, **more)
    if done.returncode != 0:
        raise SystemExit(f"{shlex.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def run(command, **more):
    return json.loads(text_of(command, **more).strip().splitlines()[-1])


def target(args, threads):
    return f"x86-64 -libs={args.libs} -threads={threads}"


def ours(args, folder, threads, **more):
    command = [args.fw, "bench", folder, "--target", target(args, threads), "--seconds", str(args.seconds), "--json"]
    return run(command, **more)["models"][0]


def theirs(args, folder, threads, opt):
    return run([*shlex.split(args.peer), "--threads", str(threads), "--seconds", str(args.seconds), "--opt", opt,
                folder])["median_ms"]


def measure(args, folder, threads):
    mine, best, plain = [], [], []
    for _ in range(args.rounds):
        mine.append(ours(args, folder, threads)["median_ms"])
        best.append(theirs(args, folder, threads, "all"))
        plain.append(theirs(args, folder, threads, "disabled"))
    return [statistics.median(x) for x in (mine, best, plain)]


def starts(args, folder):
    """Cold and warm start with an empty cache of kernels."""
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, XDG_CACHE_HOME=cache)
        cold = ours(args, folder, 2, env=environment)
        warm = ours(args, folder, 2, env=environment)
    return cold, warm


HEAD = "| model | threads | ours ms | ORT all ms | ORT disabled ms | ratio |\n|---|---|---|---|---|---|\n"


def table(args, folders, names, times):
    """One set of models: those worth their arithmetic, the means of the ratios, those under SMALL."""
    rows, small, ratios = "", "", {1: [], 2: []}
    for folder in folders:
        for threads in (1, 2):
            m, a, d = measure(args, folder, threads)
            times[folder, threads] = (m, a, d)
            row = f"| {names[folder]} | {threads} | {m:.3f} | {a:.3f} | {d:.3f} | {m / min(a, d):.2f} |\n"
            if min(m, a, d) < SMALL:
                small += row
            else:
                rows += row
                ratios[threads].append(m / min(a, d))
            print(row, end="", file=args.progress, flush=True)
    text = HEAD + rows
    for threads, found in ratios.items():
        if found:
            text += (f"\nGeometric mean of the ratios, {threads} thread(s): {statistics.geometric_mean(found):.2f}, "
                     f"largest {max(found):.2f}.\n")
    if small:
        text += f"\nUnder {SMALL} ms, where calls cost more than arithmetic:\n\n" + HEAD + small
    return text


def tables(args, names):
    """The sets are the folders that the models lie in."""
    times, sets = {}, {}
    for folder in args.folders:
        sets.setdefault(os.path.basename(os.path.dirname(os.path.abspath(folder))), []).append(folder)
    texts = [f"### Networks of `{title}`\n\n{table(args, folders, names, times)}" for title, folders in sets.items()]
    return "\n".join(texts), times


def start_table(args, names):
    text = ("| model | kernels | compile cold ms | compile cached ms | import ms | load ms | peak MB |\n"
            "|---|---|---|---|---|---|---|\n")
    for folder in args.folders:
        cold, warm = starts(args, folder)
        text += (f"| {names[folder]} | {cold['start']['compiled']} | {cold['compile_ms']:.0f} | {warm['compile_ms']:.0f} "
                 f"| {warm['start']['import_ms']:.0f} | {warm['start']['load_ms']:.0f} | {warm['peak_rss_mb']:.0f} |\n")
    return text


def module_table(args, names):
    """Peak memory of a process that runs the exported module three times, beside what it may take."""
    text = "| model | weights MB | arena MB | peak MB | 20 + 1.3 x (weights + arena) MB |\n|---|---|---|---|---|\n"
    for folder in args.folders:
        with tempfile.TemporaryDirectory() as out:
            text_of([args.fw, "export", folder, "--target", target(args, 2), "-o", out])
            library = next(file for file in os.listdir(out) if file.endswith(".so"))
            program = os.path.join(out, "example")
            text_of([shutil.which("cc"), "-O1", "-I", out, os.path.join(out, "example_main.c"), "-o", program,
                     os.path.join(out, library), "-Wl,-rpath," + out, "-lm"])
            process = subprocess.Popen([program, "--runs", "3"], stdout=subprocess.PIPE, text=True)
            said = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.stdout.close()
            process.returncode = status
            if status != 0:
                raise SystemExit(f"the exported {names[folder]} ended with status {status}")
            weights = sum(os.path.getsize(os.path.join(out, file)) for file in os.listdir(out)
                          if file.endswith(".weights")) / 1e6
            arena = int(re.search(r"arena (\d+) bytes", said)[1]) / 1e6
            # A process inherits the peak of the one that started it.
            own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            peak = f"{usage.ru_maxrss / 1e3:.1f}" if usage.ru_maxrss > own else f"under {own / 1e3:.1f}"
            text += (f"| {names[folder]} | {weights:.1f} | {arena:.1f} | {peak} "
                     f"| {20 + 1.3 * (weights + arena):.1f} |\n")
    return text


def kind(group):
    return re.sub(r"_\d+$", "", group)


def gaps(args, names, times, peak):
    """For each model: the floor, and the groups that lose most against it."""
    text = ""
    for folder in args.folders:
        m, a, d = times[folder, 1]
        profile = run([args.fw, "profile", folder, "--target", target(args, 1), "--seconds", str(args.seconds * 2),
                       "--json"])
        lost, total = {}, 0
        floor = 0
        for row in profile["rows"]:
            least = (row.get("flops") or 0) / peak / 1e6
            ms = row["median_us"] / 1000
            floor += least
            total += ms
            entry = lost.setdefault(kind(row["group"]), [0, 0, 0])
            entry[0] += ms
            entry[1] += max(ms - least, 0)
            entry[2] += 1
        text += f"\n## {names[folder]}\n\n"
        text += (f"One thread: {m:.2f} ms, ONNX Runtime {min(a, d):.2f} ms, floor {floor:.2f} ms "
                 f"({100 * floor / m:.0f} % of peak over the whole run).\n\n")
        text += "| groups | count | ms | above the floor ms | share of the run % |\n|---|---|---|---|---|\n"
        for name, (ms, above, count) in sorted(lost.items(), key=lambda x: -x[1][1])[:6]:
            text += f"| {name} | {count} | {ms:.2f} | {above:.2f} | {100 * ms / total:.0f} |\n"
    return text


def write(path, text):
    """Replaces what stands between the marks of a page."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    begin, end = "<!-- generated -->\n", "<!-- end of generated text -->\n"
    before, rest = page.split(begin)
    after = rest.split(end)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + begin + text + end + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fw", required=True)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--kernels", help="bench_kernels, for the peak of this machine")
    parser.add_argument("--libs", default="")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", metavar="DOCS")
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    args.progress = None if args.write else open(os.devnull, "w", encoding="utf-8")
    names = {folder: os.path.basename(os.path.normpath(folder)) for folder in args.folders}
    speed, times = tables(args, names)
    pages = {"performance.md": f"{speed}\n### Start\n\n{start_table(args, names)}"
             f"\n### Memory of exported modules\n\n{module_table(args, names)}"}
    if args.kernels:
        peak = float(re.search(r"peak ([0-9.]+)", text_of([args.kernels, "none"]))[1])
        pages["gaps.md"] = f"Peak {peak:.0f} GFLOP/s with one thread.\n{gaps(args, names, times, peak)}"
    for name, text in pages.items():
        if args.write:
            write(os.path.join(args.write, name), text)
        else:
            print(text)


if __name__ == "__main__":
    main()
