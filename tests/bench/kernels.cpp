// bench_kernels [-threads=N] [-show] [NAME...]: GF/s of default schedules on common layers, beside
// the multiply-add peak of a register-only loop measured just before. -show prints schedule and
// loops.
#include "codegen/compile.h"
#include "codegen/jit.h"
#include "loop/print.h"
#include "runtime/parallel.h"
#include "tensor/lower.h"
#include "tensor/lower_check.h"
#include "tensor/schedule_default.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace fw;
using namespace fw::test;

namespace {

using Clock = std::chrono::steady_clock;

struct Case {
    std::string name;
    OpInst inst;
    double flops = 0;
    bool last = true; // channels-last
};

double secondsOf(const std::function<void()>& run, double budget = 0.25) {
    run();
    double best = 1e9;
    const auto start = Clock::now();
    do {
        const auto before = Clock::now();
        run();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - before).count());
    } while (std::chrono::duration<double>(Clock::now() - start).count() < budget);
    return best;
}

struct Free {
    void operator()(float* data) const { std::free(data); }
};
using Floats = std::unique_ptr<float, Free>;

Floats floats(std::int64_t count) {
    auto* data = static_cast<float*>(
        std::aligned_alloc(64, static_cast<std::size_t>(count * 4 + 63) / 64 * 64 + 64));
    for (std::int64_t i = 0; i < count; ++i)
        data[i] = static_cast<float>(i * 7919 % 17 - 8) / 16;
    return Floats(data);
}

// Runs a nest with random parameters; GF/s.
struct Measured {
    double seconds = 0;
    double compileMs = 0;
    KernelCounters counters;
    std::string llvm;
};

Result<Measured> measure(const LoopNest& nest, const Target& target, int threads,
                         const Bindings& symbols) {
    CompileOptions options;
    options.keepLlvm = KeepText::No;
    FW_TRY(auto kernel, compileKernel(nest, target, options));
    FW_TRY(auto jit, Jit::create());
    FW_TRY(auto module, jit.load(std::span(&kernel.object, 1)));
    FW_TRY(auto loaded, module.kernel(kernel.symbol));
    std::vector<Floats> memory;
    std::vector<void*> buffers;
    for (const Buffer& buffer : nest.parameters) {
        memory.push_back(floats(evalIndex(buffer.size, symbols).value_or(0) * 2));
        buffers.push_back(memory.back().get());
    }
    std::vector<std::int64_t> values;
    for (const Symbol symbol : nest.symbols)
        values.push_back(symbols.at(symbol));
    runtime::ParallelSettings settings;
    settings.threads = threads;
    const fw_kernel_context context{buffers.data(), values.data(), runtime::parallelFor, &settings};
    Measured out;
    out.compileMs = kernel.milliseconds;
    out.counters = kernel.counters;
    out.seconds = secondsOf([&] { loaded.run(&context); });
    return out;
}

// 24 accumulators of one vector each, no memory: what the machine can do at most.
double peak(const Target& target, int threads) {
    const std::int64_t lanes = target.vectorLanesF32, count = target.vectorRegisters > 16 ? 24 : 12,
                       steps = 20000;
    LoopNest nest;
    nest.name = "peak";
    nest.parameters = {{"y", DType::F32, Expr(count * lanes * 2), BufferScope::Parameter,
                        BufferAccess::ReadWrite}};
    const Expr at = v("u") * Expr(lanes) + v("l");
    const auto lanesAround = [&](Stmt body) {
        return forStmt("u", Expr(0), Expr(count), LoopKind::Unroll,
                       forStmt("l", Expr(0), Expr(lanes), LoopKind::Vector, std::move(body)));
    };
    const Expr acc = loadExpr("a", {at}, DType::F32);
    const Stmt body = blockStmt(
        {lanesAround(
             storeStmt("a", at, loadExpr("y", {v("t") * Expr(count * lanes) + at}, DType::F32))),
         forStmt("k", Expr(0), Expr(steps), LoopKind::Serial,
                 lanesAround(storeStmt("a", at, fmaExpr(acc, floatExpr(0.999), floatExpr(0.001))))),
         lanesAround(storeStmt("y", v("t") * Expr(count * lanes) + at, acc))});
    nest.body = parallelStmt("t", Expr(2), 1,
                             allocStmt({"a", DType::F32, Expr(count * lanes), BufferScope::Register,
                                        BufferAccess::ReadWrite},
                                       body));
    const auto measured = measure(nest, target, threads, {});
    if (!measured.ok())
        return 0;
    return static_cast<double>(2 * count * lanes * 2 * steps) / measured->seconds / 1e9;
}

Case conv(const std::string& name, ConvShape s, bool last = true) {
    Case out{name, convolution(s), 0, last};
    const auto oh =
        static_cast<double>((s.h + 2 * s.pad - s.dilation * (s.kh - 1) - 1) / s.stride + 1);
    const auto ow =
        static_cast<double>((s.w + 2 * s.pad - s.dilation * (s.kw - 1) - 1) / s.stride + 1);
    out.flops = 2.0 * oh * ow * static_cast<double>(s.o * s.c / s.groups * s.kh * s.kw) *
                static_cast<double>(s.n.asInt().value_or(1));
    return out;
}

Case product(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k,
             bool transposed) {
    return {name, matmul(Expr(m), Expr(n), Expr(k), transposed, true),
            2.0 * static_cast<double>(m * n * k), false};
}

std::vector<Case> cases() {
    const auto shape = [](std::int64_t c, std::int64_t hw, std::int64_t o, std::int64_t k,
                          std::int64_t stride, std::int64_t groups = 1) {
        return ConvShape{.c = c,
                         .h = hw,
                         .w = hw,
                         .o = o,
                         .kh = k,
                         .kw = k,
                         .stride = stride,
                         .pad = k / 2,
                         .groups = groups,
                         .bias = true,
                         .relu = true};
    };
    return {conv("conv7x7s2_3_224", shape(3, 224, 64, 7, 2)),
            conv("conv3x3_64_56", shape(64, 56, 64, 3, 1)),
            conv("conv3x3_128_28", shape(128, 28, 128, 3, 1)),
            conv("conv3x3_256_14", shape(256, 14, 256, 3, 1)),
            conv("conv3x3_512_7", shape(512, 7, 512, 3, 1)),
            conv("conv3x3s2_128_56", shape(128, 56, 128, 3, 2)),
            conv("conv1x1_64_256_56", shape(64, 56, 256, 1, 1)),
            conv("conv1x1_256_1024_14", shape(256, 14, 1024, 1, 1)),
            conv("conv1x1_1024_256_14", shape(1024, 14, 256, 1, 1)),
            conv("conv1x1_512_2048_7", shape(512, 7, 2048, 1, 1)),
            conv("conv1x1s2_256_512_56", shape(256, 56, 512, 1, 2)),
            conv("conv3x3_64_56_nchw", shape(64, 56, 64, 3, 1), false),
            conv("dw3x3_32_112", shape(32, 112, 32, 3, 1, 32)),
            conv("dw3x3_192_28", shape(192, 28, 192, 3, 1, 192)),
            product("dense_128_768_768", 128, 768, 768, true),
            product("dense_128_3072_768", 128, 3072, 768, true),
            product("dense_1_1000_2048", 1, 1000, 2048, true),
            product("matmul_512_512_512", 512, 512, 512, false),
            product("dense_16_1024_1024", 16, 1024, 1024, true),
            {"softmax_1024_768", softmax(Expr(1024), Expr(768)), 1024 * 768 * 4, false}};
}

} // namespace

int main(int argc, char** argv) {
    int threads = 1;
    bool show = false;
    std::vector<std::string> wanted;
    std::string cpu;
    for (int i = 1; i < argc; ++i) {
        const std::string arg = argv[i];
        if (arg.starts_with("-threads="))
            threads = std::atoi(arg.c_str() + 9);
        else if (arg.starts_with("-mcpu="))
            cpu = "x86-64 " + arg;
        else if (arg == "-show")
            show = true;
        else
            wanted.push_back(arg);
    }
    const auto target = parseTarget(cpu);
    if (!target.ok()) {
        fmt::print("{}\n", target.diag().text());
        return 2;
    }
    const double best = peak(*target, threads);
    fmt::print("peak {:.1f} GF/s with {} thread(s)\n", best, threads);
    for (const Case& one : cases()) {
        if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), one.name) == wanted.end())
            continue;
        ScheduleContext context;
        context.vectorLanes = target->vectorLanesF32;
        context.vectorRegisters = target->vectorRegisters;
        context.threads = threads;
        context.constants = {"w", "b"};
        if (one.last)
            context.maps = {{"x", channelsLast(4)}, {"y", channelsLast(4)}};
        const auto before = Clock::now();
        const auto choice = defaultSchedule(one.inst, context);
        const auto lowered = choice.ok() ? lower(one.inst, choice->schedule, context.maps, "bench")
                                         : Result<Lowered>(choice.diag());
        const double lowering = std::chrono::duration<double>(Clock::now() - before).count() * 1e3;
        if (!lowered.ok()) {
            fmt::print("{}: {}\n", one.name, lowered.diag().text());
            continue;
        }
        if (show)
            fmt::print("{}{}\n", choice->schedule.text(), text(lowered->nest));
        const auto measured = measure(lowered->nest, *target, threads, {});
        if (!measured.ok()) {
            fmt::print("{}: {}\n", one.name, measured.diag().text());
            continue;
        }
        const double speed = one.flops / measured->seconds / 1e9;
        fmt::print("{:22} {:18} {:9.4f} ms {:7.1f} GF/s {:5.1f} %   lower {:.0f} ms, compile "
                   "{:.0f} ms, {} bytes\n",
                   one.name, choice->name, measured->seconds * 1e3, speed, 100 * speed / best,
                   lowering, measured->compileMs, measured->counters.textBytes);
    }
    return 0;
}
