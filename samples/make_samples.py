#!/usr/bin/python3
"""Makes every committed ONNX file: the samples, the broken files and the operator cases of tests/conformance; and the
values of the library's operators in tests/conformance/values.

    samples/make_samples.py            writes them all
    samples/make_samples.py --check    writes nothing; fails if a committed file differs from what would be written

Needs Debian's python3-onnx and python3-numpy; building and testing need neither. Seeded, so the same bytes come out
again. Expected outputs come from generator/evaluate.py, which follows the text of the standard in double precision.
"""
import filecmp
import pathlib
import sys
import tempfile

from generator import bodies, broken, cases, models, networks, odd, running, table

ROOT = pathlib.Path(__file__).resolve().parent.parent


def write_all(root):
    for sample in models.all_models() + networks.all_networks() + running.all_running() + [bodies.functions()]:
        sample.write(root / "samples")
    for sample in odd.all_odd():
        sample.write(root / "samples/odd")
    models.custom().write(root / "samples/own-operator")
    (root / "samples/control-flow").mkdir(parents=True, exist_ok=True)
    (root / "samples/control-flow/branches_and_loops.onnx").write_bytes(bodies.control_flow())
    (root / "samples/control-flow/lstm_classifier.onnx").write_bytes(running.lstm_classifier())
    (root / "samples/broken").mkdir(parents=True, exist_ok=True)
    for name, content in broken.broken_files().items():
        (root / "samples/broken" / name).write_bytes(content)
    for folder, listed in cases.all_cases().items():
        for case in listed:
            case.write(root / "tests/conformance" / folder)
    (root / "tests/conformance/values").mkdir(parents=True, exist_ok=True)
    for name, text in table.all_values().items():
        (root / "tests/conformance/values" / name).write_text(text)


def generated(root):
    found = []
    for top in ("samples", "tests/conformance"):
        for suffix in ("*.onnx", "*.pb"):
            found += [path.relative_to(root) for path in (root / top).rglob(suffix)]
    found += [path.relative_to(root) for path in (root / "tests/conformance/values").glob("*.txt")]
    return sorted(found)


def check():
    with tempfile.TemporaryDirectory() as folder:
        fresh = pathlib.Path(folder)
        write_all(fresh)
        names = sorted(set(generated(fresh)) | set(generated(ROOT)))
        _, differing, missing = filecmp.cmpfiles(fresh, ROOT, [str(name) for name in names], shallow=False)
    for name in differing:
        print("differs:", name)
    for name in missing:
        print("only on one side:", name)
    return 1 if differing or missing else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(check())
    if sys.argv[1:]:
        sys.exit(__doc__)
    write_all(ROOT)
