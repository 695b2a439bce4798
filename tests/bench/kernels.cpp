// bench_kernels [-threads=N] [-mcpu=NAME]... [-show] [NAME...]: default schedules on one layer of
// every class, at each level named (without one: what this machine has, and x86-64-v3): GFLOP/s,
// GB/s of every operand moved once, and the share of the bound, which is the longer of the
// arithmetic at the multiply-add peak and of the bytes at the speed of a copy of as many. Both are
// measured just before. -show prints schedule and loops.
#include "codegen/compile.h"
#include "codegen/jit.h"
#include "loop/print.h"
#include "runtime/parallel.h"
#include "schedule/default.h"
#include "schedule/lower.h"
#include "schedule/lower_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <memory>

using namespace fw;
using namespace fw::test;

namespace {

using Clock = std::chrono::steady_clock;

// How images lie: all channels-last, all as rows, or rows (the input of a model) read and
// channels-last written.
enum class Images : std::uint8_t { Last, Rows, FromRows };

struct Case {
    std::string name;
    OpInst inst;
    double flops = 0;
    Images images = Images::Last;
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

// Bytes of all operands and results.
double bytesOf(const OpInst& inst) {
    double out = 0;
    for (const auto* tensors : {&inst.inputs, &inst.outputs})
        for (const TensorDecl& decl : *tensors) {
            double size = 4;
            for (const Dim& dim : decl.type.shape)
                size *= static_cast<double>(dim.asInt().value_or(1));
            out += size;
        }
    return out;
}

StorageMaps mapsOf(const Case& one) {
    StorageMaps out;
    for (const auto* tensors : {&one.inst.inputs, &one.inst.outputs})
        for (const TensorDecl& decl : *tensors) {
            const bool isRead = tensors == &one.inst.inputs;
            const bool isImage = decl.type.rank() == 4 && decl.name != Symbol("w");
            if (isImage &&
                (one.images == Images::Last || (one.images == Images::FromRows && !isRead)))
                out[decl.name] = channelsLast(4);
        }
    return out;
}

// Bytes a second of a copy that moves as many bytes, rounded to a power of two.
class CopySpeed {
public:
    CopySpeed(const Target& target, int threads) : m_target(target), m_threads(threads) {}

    double operator()(double bytes) {
        std::int64_t elements = 1024;
        while (static_cast<double>(elements) * 2 * 4 * 1.5 < bytes)
            elements *= 2;
        const auto known = m_known.find(elements);
        if (known != m_known.end())
            return known->second;
        OpInst inst;
        inst.inputs = {tensor("x", {elements})};
        inst.outputs = {tensor("y", {elements})};
        inst.stages = {mapStage("y", {{Symbol("i"), elements}}, at(inst, "x", {v("i")}))};
        ScheduleContext context;
        context.vectorLanes = m_target.vectorLanesF32;
        context.threads = m_threads;
        const auto choice = plannedSchedule(inst, context);
        double speed = 1;
        if (choice.ok())
            if (const auto copied = measure(choice->lowered.nest, m_target, m_threads, {}))
                speed = static_cast<double>(elements) * 8 / copied->seconds;
        m_known.emplace(elements, speed);
        return speed;
    }

private:
    const Target& m_target;
    int m_threads;
    std::map<std::int64_t, double> m_known;
};

Case conv(const std::string& name, ConvShape s, Images images = Images::Last) {
    Case out{name, convolution(s), 0, images};
    const auto oh =
        static_cast<double>((s.h + 2 * s.pad - s.dilation * (s.kh - 1) - 1) / s.stride + 1);
    const auto ow = static_cast<double>(
        (s.w + 2 * s.padW.value_or(s.pad) - s.dilation * (s.kw - 1) - 1) / s.stride + 1);
    out.flops = 2.0 * oh * ow * static_cast<double>(s.o * s.c / s.groups * s.kh * s.kw) *
                static_cast<double>(s.n.asInt().value_or(1));
    return out;
}

Case product(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k,
             bool transposed) {
    return {name, matmul(Expr(m), Expr(n), Expr(k), transposed, true),
            2.0 * static_cast<double>(m * n * k), Images::Rows};
}

// Two images side by side, scaled and shifted per channel, then relu: what a dense block does.
Case concatScaleRelu(const std::string& name, std::int64_t first, std::int64_t second,
                     std::int64_t hw) {
    OpInst inst;
    const std::int64_t channels = first + second;
    const Shape shape{1, channels, hw, hw};
    inst.inputs = {tensor("x", {1, first, hw, hw}), tensor("z", {1, second, hw, hw}),
                   tensor("s", {channels}), tensor("b", {channels})};
    inst.outputs = {tensor("y", shape)};
    const auto part = [&](const std::string& from, std::int64_t count, std::int64_t start) {
        const std::string n = "n" + from, c = "c" + from, h = "h" + from, w = "w" + from;
        const Expr to = v(c) + Expr(start);
        Stage out =
            mapStage("y", {{Symbol(n), 1}, {Symbol(c), count}, {Symbol(h), hw}, {Symbol(w), hw}},
                     maxExpr(at(inst, from, {v(n), v(c), v(h), v(w)}) * at(inst, "s", {to}) +
                                 at(inst, "b", {to}),
                             floatExpr(0)));
        out.store = {v(n), to, v(h), v(w)};
        return out;
    };
    inst.stages = {part("x", first, 0), part("z", second, first)};
    return {name, inst, 0};
}

// A function of every element of a map that is larger than the caches of one core.
Case function(const std::string& name, const std::function<Expr(const Expr&)>& body) {
    constexpr std::int64_t elements = std::int64_t(16) << 20;
    OpInst inst;
    inst.inputs = {tensor("x", {elements})};
    inst.outputs = {tensor("y", {elements})};
    inst.stages = {mapStage("y", {{Symbol("i"), elements}}, body(at(inst, "x", {v("i")})))};
    return {name, inst, 0, Images::Rows};
}

// What a function costs behind the products of a 1x1 convolution, which is the shorter the fewer
// channels it reads.
Case behindProducts(const std::string& name, std::int64_t c, std::int64_t hw, std::int64_t o,
                    const std::function<Expr(const Expr&)>& body) {
    ConvShape shape;
    shape.c = c;
    shape.h = shape.w = hw;
    shape.o = o;
    shape.kh = shape.kw = 1;
    shape.pad = 0;
    shape.bias = true;
    Case out = conv(name, shape);
    Stage& last = out.inst.stages.back();
    last.body = body(last.body);
    return out;
}

std::vector<Case> functionCases() {
    const auto call = [](MathFn fn) { return [fn](const Expr& x) { return callExpr(fn, {x}); }; };
    const auto swish = [](const Expr& x) { return x * callExpr(MathFn::Sigmoid, {x}); };
    const auto gelu = [](const Expr& x) {
        return x * floatExpr(0.5) *
               (callExpr(MathFn::Erf, {x * floatExpr(0.70710678)}) + floatExpr(1));
    };
    return {function("exp_16M", call(MathFn::Exp)),
            function("sigmoid_16M", call(MathFn::Sigmoid)),
            function("tanh_16M", call(MathFn::Tanh)),
            function("erf_16M", call(MathFn::Erf)),
            function("swish_16M", swish),
            function("gelu_16M", gelu),
            behindProducts("conv1x1_16_96_112_swish", 16, 112, 96, swish),
            behindProducts("conv1x1_112_672_14_swish", 112, 14, 672, swish),
            behindProducts("conv1x1_256_256_14_gelu", 256, 14, 256, gelu),
            {"softmax_588_49", softmax(Expr(588), Expr(49)), 588 * 49 * 4, Images::Rows}};
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
                         .relu = true,
                         .padW = {}};
    };
    ConvShape wide = shape(192, 17, 192, 1, 1), high = wide, apart = shape(256, 28, 256, 3, 1),
              patches = shape(3, 224, 768, 16, 16), small = shape(3, 224, 96, 4, 4);
    wide.kw = high.kh = 7;
    wide.padW = high.pad = 3;
    high.padW = 0;
    apart.dilation = apart.pad = 2;
    patches.pad = small.pad = 0;
    return {conv("conv7x7s2_3_224", shape(3, 224, 64, 7, 2)),
            conv("conv7x7s2_3_224_rows", shape(3, 224, 64, 7, 2), Images::FromRows),
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
            conv("conv3x3_64_56_nchw", shape(64, 56, 64, 3, 1), Images::Rows),
            conv("conv3x3_61_67_29", shape(61, 29, 67, 3, 1)),
            conv("conv1x7_192_17", wide),
            conv("conv7x1_192_17", high),
            conv("conv3x3d2_256_28", apart),
            conv("patch16_3_768_224", patches, Images::Rows),
            conv("patch16_3_768_224_last", patches, Images::FromRows),
            conv("patch4_3_96_224", small, Images::FromRows),
            conv("g2_conv5x5_96_256_27", shape(96, 27, 256, 5, 1, 2)),
            conv("g2_conv3x3_384_13", shape(384, 13, 384, 3, 1, 2)),
            conv("g32_conv3x3_128_56", shape(128, 56, 128, 3, 1, 32)),
            conv("g32_conv3x3_512_14", shape(512, 14, 512, 3, 1, 32)),
            conv("g8_conv3x3_64_28", shape(64, 28, 64, 3, 1, 8)),
            conv("g3_conv3x3_39_28", shape(39, 28, 39, 3, 1, 3)),
            conv("g16_conv3x3s2_32_56", shape(32, 56, 32, 3, 2, 16)),
            conv("g3_conv1x1_240_60_28", shape(240, 28, 60, 1, 1, 3)),
            conv("g4_conv1x1_68_272_28", shape(68, 28, 272, 1, 1, 4)),
            conv("g8_conv1x1_96_384_28", shape(96, 28, 384, 1, 1, 8)),
            conv("dw3x3_32_112", shape(32, 112, 32, 3, 1, 32)),
            conv("dw3x3_192_28", shape(192, 28, 192, 3, 1, 192)),
            conv("dw3x3_116_28_rows", shape(116, 28, 116, 3, 1, 116), Images::Rows),
            conv("dw5x5_96_28", shape(96, 28, 96, 5, 1, 96)),
            conv("dw7x7_96_28", shape(96, 28, 96, 7, 1, 96)),
            conv("dw3x3x2_32_64_56", shape(32, 56, 64, 3, 1, 32)),
            concatScaleRelu("concat_scale_192_64_28", 192, 64, 28),
            {"shuffle_2_116_28", channelShuffle(116, 2, 28)},
            {"shuffle_3_240_28", channelShuffle(240, 3, 28)},
            {"shuffle_8_384_28", channelShuffle(384, 8, 28)},
            product("dense_128_768_768", 128, 768, 768, true),
            product("dense_128_3072_768", 128, 3072, 768, true),
            product("dense_1_1000_2048", 1, 1000, 2048, true),
            product("matmul_512_512_512", 512, 512, 512, false),
            product("dense_16_1024_1024", 16, 1024, 1024, true),
            {"softmax_1024_768", softmax(Expr(1024), Expr(768)), 1024 * 768 * 4, Images::Rows}};
}

void run(const Case& one, const Target& target, int threads, bool show, double best,
         CopySpeed& copySpeed) {
    ScheduleContext context;
    context.vectorLanes = target.vectorLanesF32;
    context.vectorRegisters = target.vectorRegisters;
    context.threads = threads;
    context.constants = {"w", "b"};
    context.maps = mapsOf(one);
    const auto before = Clock::now();
    const auto choice = plannedSchedule(one.inst, context);
    const auto lowered = choice.ok() ? lower(one.inst, choice->schedule, context.maps, "bench")
                                     : Result<Lowered>(choice.diag());
    const double lowering = std::chrono::duration<double>(Clock::now() - before).count() * 1e3;
    if (!lowered.ok()) {
        fmt::print("{}: {}\n", one.name, lowered.diag().text());
        return;
    }
    if (show)
        fmt::print("{}{}\n", choice->schedule.text(), text(lowered->nest));
    const auto measured = measure(lowered->nest, target, threads, {});
    if (!measured.ok()) {
        fmt::print("{}: {}\n", one.name, measured.diag().text());
        return;
    }
    const double bytes = bytesOf(one.inst);
    const double bound = std::max(one.flops / best / 1e9, bytes / copySpeed(bytes));
    fmt::print("{:24} {:18} {:9.4f} ms {:7.1f} GF/s {:6.1f} GB/s {:5.1f} % of its bound   "
               "lower {:.0f} ms, compile {:.0f} ms, {} bytes\n",
               one.name, choice->main(), measured->seconds * 1e3,
               one.flops / measured->seconds / 1e9, bytes / measured->seconds / 1e9,
               100 * bound / measured->seconds, lowering, measured->compileMs,
               measured->counters.textBytes);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
    int threads = 1;
    bool show = false;
    std::vector<std::string> wanted, cpus;
    for (int i = 1; i < argc; ++i) {
        const std::string arg = argv[i];
        if (arg.starts_with("-threads="))
            threads = std::atoi(arg.c_str() + 9);
        else if (arg.starts_with("-mcpu="))
            cpus.push_back("x86-64 " + arg);
        else if (arg == "-show")
            show = true;
        else
            wanted.push_back(arg);
    }
    if (cpus.empty())
        cpus = {"", "x86-64 -mcpu=x86-64-v3"};
    for (const std::string& cpu : cpus) {
        const auto target = parseTarget(cpu);
        if (!target.ok()) {
            fmt::print("{}\n", target.diag().text());
            return 2;
        }
        const double best = peak(*target, threads);
        fmt::print("{}: peak {:.1f} GF/s with {} thread(s)\n", target->llvmCpu(), best, threads);
        CopySpeed copySpeed(*target, threads);
        std::vector<Case> all = cases();
        std::ranges::move(functionCases(), std::back_inserter(all));
        for (const Case& one : all)
            if (wanted.empty() ||
                std::any_of(wanted.begin(), wanted.end(), [&](const std::string& part) {
                    return one.name.find(part) != std::string::npos;
                }))
                run(one, *target, threads, show, best, copySpeed);
    }
    return 0;
}
