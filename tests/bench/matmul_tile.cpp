// How near the register tile of a matmul comes to the FMA peak, measured by a loop of nothing but
// FMAs in the same rounds. One line per tile: the best of all rounds, its share of the peak, the
// time to compile.
#include "codegen/matmul_tile.h"
#include "codegen/compile.h"
#include "codegen/jit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace fw;

namespace {

// Chains of x = x * a + b in registers, enough of them to hide the latency.
LoopNest peakNest(int chains, int lanes, int count) {
    const Expr i = varExpr("i"), l = varExpr("l");
    const Expr place = i * Expr(lanes) + l;
    const auto all = [&](const Expr& value) {
        return forStmt("i", 0, chains, LoopKind::Unroll,
                       forStmt("l", 0, lanes, LoopKind::Vector, storeStmt("r", place, value)));
    };
    const Expr r = loadExpr("r", {place}, DType::F32);
    const auto fromX = [&](int at) { return loadExpr("x", {l + Expr(at)}, DType::F32); };
    const Stmt body = blockStmt(
        {all(fromX(0)),
         forStmt("k", 0, count, LoopKind::Serial, all(fmaExpr(r, fromX(lanes), fromX(2 * lanes)))),
         forStmt("i", 0, chains, LoopKind::Unroll,
                 forStmt("l", 0, lanes, LoopKind::Vector, storeStmt("y", place, r)))});
    return {
        "peak",
        {{"x", DType::F32, 3 * lanes, BufferScope::Parameter, BufferAccess::Read},
         {"y", DType::F32, chains * lanes, BufferScope::Parameter, BufferAccess::Write}},
        {},
        allocStmt({"r", DType::F32, chains * lanes, BufferScope::Register, BufferAccess::ReadWrite},
                  body)};
}

struct Loaded {
    std::string name;
    double flops = 0;
    double compileMs = 0;
    JitModule module;
    fw_kernel run = nullptr;
    std::vector<std::vector<float>> memory;
    double seconds = HUGE_VAL; // the best of all rounds
};

Result<Loaded> load(const Jit& jit, const LoopNest& nest, const Target& target, std::string name,
                    double flops) {
    FW_TRY(const CompiledKernel kernel, compileKernel(nest, target));
    const std::vector<std::vector<std::byte>> objects = {kernel.object};
    Loaded loaded;
    loaded.name = std::move(name);
    loaded.flops = flops;
    loaded.compileMs = kernel.milliseconds;
    FW_TRY(loaded.module, jit.load(objects));
    FW_TRY(const LoadedKernel code, loaded.module.kernel(kernel.symbol));
    loaded.run = code.run;
    for (const Buffer& buffer : nest.parameters)
        loaded.memory.emplace_back(static_cast<std::size_t>(buffer.size.asInt().value_or(0)), 0.5f);
    return loaded;
}

void measure(Loaded& kernel) {
    std::vector<void*> pointers;
    for (std::vector<float>& values : kernel.memory)
        pointers.push_back(values.data());
    const fw_kernel_context context{pointers.data(), nullptr, nullptr, nullptr};
    constexpr int repeats = 200;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i)
        kernel.run(&context);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    kernel.seconds = std::min(kernel.seconds, took.count() / repeats);
}

Status report(const Jit& jit, const char* cpu, const std::vector<std::pair<int, int>>& tiles) {
    FW_TRY(const Target target, parseTarget(std::string("-mcpu=") + cpu));
    if (!target.isHost) {
        fmt::print("{}: this CPU cannot run it\n", cpu);
        return {};
    }
    const int lanes = target.vectorLanesF32;
    constexpr int k = 128; // both operands in L1
    constexpr int chains = 12;
    constexpr int steps = 500;
    std::vector<Loaded> kernels;
    FW_TRY(Loaded peak, load(jit, peakNest(chains, lanes, steps), target, "FMA only",
                             2.0 * chains * lanes * steps));
    kernels.push_back(std::move(peak));
    for (const auto& [m, vectors] : tiles) {
        FW_TRY(Loaded tile,
               load(jit, test::matmulTileNest(m, vectors, lanes, k), target,
                    fmt::format("{}x{}", m, vectors * lanes), 2.0 * m * vectors * lanes * k));
        kernels.push_back(std::move(tile));
    }
    for (int round = 0; round < 200; ++round)
        for (Loaded& kernel : kernels)
            measure(kernel);
    fmt::print("{}\n", cpu);
    const double best = kernels[0].flops / kernels[0].seconds;
    for (const Loaded& kernel : kernels)
        fmt::print("  {:>8} {:6.1f} GF/s {:4.0f} %   compiled in {:.1f} ms\n", kernel.name,
                   kernel.flops / kernel.seconds / 1e9, 100 * kernel.flops / kernel.seconds / best,
                   kernel.compileMs);
    return {};
}

} // namespace

int main() {
    const Result<Jit> jit = Jit::create();
    if (!jit.ok()) {
        fmt::print("{}\n", jit.diag().text());
        return 4;
    }
    for (const Status& status : {report(*jit, "x86-64-v4", {{14, 2}, {9, 3}, {6, 4}, {4, 2}}),
                                 report(*jit, "x86-64-v3", {{6, 2}, {4, 3}, {3, 2}})})
        if (!status.ok()) {
            fmt::print("{}\n", status.diag().text());
            return exitCode(status.diag().code);
        }
    return 0;
}
