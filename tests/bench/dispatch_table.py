#!/usr/bin/env python3
"""One module with free sizes beside modules compiled for each size alone: the table of resources/docs/performance.md.

    tests/bench/dispatch_table.py --fw build/release/bin/fw ../shared/models/bert_mini

MODEL is a folder with model.onnx whose inputs are [batch, sequence]. Both sizes are made free in a copy: reshapes keep the first two
sizes of what they read, and a table of positions is read as far as the sequence goes. That copy is exported once as it is, and once
for each size with `--dim`; the modules are loaded into this process and run in turn, so that noise hits both. Times are the least of
the medians of the turns; a size above --limit is measured twice as long.
"""
import argparse
import copy
import ctypes
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import onnx
from onnx import helper, numpy_helper

BATCHES = [1, 2, 4, 8, 16]
SEQUENCES = [1, 7, 16, 17, 64, 128, 512]


def freed(model):
    """A copy of the model whose inputs are [batch, sequence]."""
    model = copy.deepcopy(model)
    graph = model.graph
    constants = {one.name: one for one in graph.initializer}
    inputs = [one for one in graph.input if one.name not in constants]
    batch, sequence = (one.dim_value for one in inputs[0].type.tensor_type.shape.dim[:2])
    for value in inputs + list(graph.output):
        for dim, size, name in zip(value.type.tensor_type.shape.dim, (batch, sequence), ("batch", "sequence")):
            if dim.dim_value == size:
                dim.Clear()
                dim.dim_param = name
    values = {name: numpy_helper.to_array(one) for name, one in constants.items()}
    for node in graph.node:
        if node.op_type == "Constant":
            values[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
    nodes = []
    for node in graph.node:
        index = values.get(node.input[1]) if len(node.input) > 1 else None
        if node.op_type == "Reshape" and index is not None and list(index[:2]) == [batch, sequence]:
            kept = numpy.array([0, 0, *index[2:]], dtype=numpy.int64)
            name = node.output[0] + ".kept"
            graph.initializer.append(numpy_helper.from_array(kept, name))
            node.input[1] = name
        if node.op_type == "Gather" and index is not None and index.shape == (batch, sequence):
            assert (index == numpy.arange(sequence)).all(), node.name
            for name, number in ("from", 0), ("along", 0):
                graph.initializer.append(numpy_helper.from_array(numpy.array([number], numpy.int64), f"{node.output[0]}.{name}"))
            nodes.append(helper.make_node("Shape", [inputs[0].name], [node.output[0] + ".to"], start=1, end=2))
            node = helper.make_node("Slice", [node.input[0]] + [f"{node.output[0]}.{part}" for part in ("from", "to", "along")],
                                    [node.output[0]])
        nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)
    del graph.value_info[:]
    onnx.checker.check_model(model)
    return model


class Dtype(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("dtype", Dtype), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("threads", ctypes.c_int32), ("flush_denormals", ctypes.c_int32),
                ("verify_weights", ctypes.c_int32), ("clamp_indices", ctypes.c_int32)]


class StepTime(ctypes.Structure):
    _fields_ = [("start", ctypes.c_int64), ("end", ctypes.c_int64), ("flops", ctypes.c_int64), ("bytes", ctypes.c_int64)]


class StepInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("count", ctypes.c_int32), ("nodes", ctypes.POINTER(ctypes.c_char_p))]


class Module:
    """An exported module, opened."""

    def __init__(self, folder, threads):
        self.library = ctypes.CDLL(str(next(pathlib.Path(folder).glob("lib*.so"))), mode=os.RTLD_LOCAL | os.RTLD_NOW)
        self.library.fw_last_error.restype = ctypes.c_char_p
        self.library.fw_step.restype = ctypes.POINTER(StepInfo)
        self.model = ctypes.c_void_p()
        options = Options(ctypes.sizeof(Options), threads, 0, 0, 0)
        self.check(self.library.fw_open(None, ctypes.byref(options), ctypes.byref(self.model)))
        self.kept = []

    def check(self, status):
        if status != 0:
            raise SystemExit(f"a module says {status}: {self.library.fw_last_error(self.model).decode()}")

    def set(self, arrays):
        self.kept = []
        for index, array in enumerate(arrays):
            shape = (ctypes.c_int64 * array.ndim)(*array.shape)
            tensor = Tensor(array.ctypes.data, 1, 0, array.ndim, Dtype(0, 64, 1), shape, None, 0)
            self.kept += [array, shape]
            self.check(self.library.fw_set_input(self.model, index, ctypes.byref(tensor)))

    def output(self):
        view = Tensor()
        self.check(self.library.fw_output_view(self.model, 0, ctypes.byref(view)))
        shape = [view.shape[i] for i in range(view.ndim)]
        numbers = (ctypes.c_float * int(numpy.prod(shape))).from_address(view.data + view.byte_offset)
        return numpy.array(numbers).reshape(shape)

    def run(self):
        start = time.perf_counter_ns()
        status = self.library.fw_run(self.model)
        took = time.perf_counter_ns() - start
        self.check(status)
        return took / 1e6

    def times(self, seconds):
        """Of single runs, in milliseconds."""
        out, end = [self.run()], time.monotonic() + seconds
        while len(out) < 3 or time.monotonic() < end:
            out.append(self.run())
        return out

    def steps(self, runs=30):
        """The least time of each step in microseconds, with its name."""
        count = ctypes.c_int32(self.library.fw_step_count(self.model))
        times = (StepTime * count.value)()
        best = {}
        for _ in range(runs):
            self.check(self.library.fw_run_profiled(self.model, times, ctypes.byref(count)))
            for i in range(count.value):
                took = (times[i].end - times[i].start) / 1e3
                best[i] = min(best.get(i, took), took)
        return [(self.library.fw_step(self.model, i).contents.name.decode(), us) for i, us in best.items() if us > 0]

    def close(self):
        self.library.fw_close(self.model)


def export(args, model, folder, dims=()):
    command = [args.fw, "export", model, "-o", folder, "--target", args.target]
    for dim in dims:
        command += ["--dim", dim]
    for log in args.log:
        command += ["--log", log]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()}")


def best_of(free, alone, args):
    """The least of the medians of short turns, of each."""
    least = {free: math.inf, alone: math.inf}
    for _ in range(2):
        for turn in range(args.rounds):
            for one in (free, alone) if turn % 2 == 0 else (alone, free):
                least[one] = min(least[one], statistics.median(one.times(args.seconds)))
        if least[free] <= least[alone] * args.limit:
            break
    return least[free], least[alone]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fw", required=True)
    parser.add_argument("--target", default="x86-64")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--log", action="append", default=[])
    parser.add_argument("--seconds", type=float, default=0.04, help="of one turn")
    parser.add_argument("--rounds", type=int, default=10, help="turns of each")
    parser.add_argument("--limit", type=float, default=1.05)
    parser.add_argument("--tokens", type=int, default=4096, help="no product of both sizes above it")
    parser.add_argument("--batches", type=int, nargs="+", default=BATCHES)
    parser.add_argument("--sequences", type=int, nargs="+", default=SEQUENCES)
    parser.add_argument("--steps", action="store_true", help="the steps of both where the ratio is above the limit")
    parser.add_argument("--keep", help="a folder in which modules lie between runs")
    parser.add_argument("folder")
    args = parser.parse_args()
    args.target += f" -threads={args.threads}"
    with tempfile.TemporaryDirectory() as place:
        place = args.keep or place
        os.makedirs(place, exist_ok=True)
        path = os.path.join(place, "free.onnx")
        onnx.save(freed(onnx.load(os.path.join(args.folder, "model.onnx"))), path)
        sizes = [(b, s) for b in args.batches for s in args.sequences if b * s <= args.tokens]
        folders = {None: os.path.join(place, "free")}
        for b, s in sizes:
            folders[b, s] = os.path.join(place, f"alone_{b}_{s}")
        for size, folder in folders.items():
            if not os.path.exists(folder):
                export(args, path, folder, () if size is None else (f"batch={size[0]}", f"sequence={size[1]}"))
        free = Module(folders[None], args.threads)
        print("| batch | sequence | free ms | alone ms | ratio |")
        print("|---|---|---|---|---|")
        ratios = {}
        random = numpy.random.default_rng(1)
        for b, s in sizes:
            alone = Module(folders[b, s], args.threads)
            data = [random.integers(0, 100, (b, s)), numpy.zeros((b, s), numpy.int64), numpy.ones((b, s), numpy.int64)]
            for one in (free, alone):
                one.set(data)
                one.times(0.05)
            assert numpy.allclose(free.output(), alone.output(), atol=1e-3), (b, s)
            free_ms, alone_ms = best_of(free, alone, args)
            ratios[b, s] = free_ms / alone_ms
            print(f"| {b} | {s} | {free_ms:.3f} | {alone_ms:.3f} | {ratios[b, s]:.2f} |", flush=True)
            if args.steps and ratios[b, s] > args.limit:
                for which, one in ("free", free), ("alone", alone):
                    steps = one.steps()
                    print(f"  {which} {sum(us for _, us in steps):.0f} us", file=sys.stderr)
                    for name, us in steps:
                        print(f"    {us:8.1f} {name}", file=sys.stderr)
            alone.close()
        worse = [size for size, ratio in ratios.items() if ratio > args.limit]
        print(f"\nOf {len(ratios)} sizes {len(worse)} above {args.limit}; the largest ratio is {max(ratios.values()):.2f}.")


if __name__ == "__main__":
    main()
