// Holds lowered loop nests against a slow evaluation of the stages themselves, on small integers,
// exactly.
#pragma once

#include "loop/interpret.h"
#include "schedule/default.h"
#include "schedule/lower.h"

#include <QString>

#include <map>
#include <optional>
#include <random>

namespace fw::test {

using Tensors = std::map<Symbol, std::vector<double>>; // row-major over the logical shape

// Every stage in order, straight from its definition.
Tensors evaluateStages(const OpInst& inst, Tensors inputs, const Bindings& symbols);

Tensors randomInputs(const OpInst& inst, const Bindings& symbols, unsigned seed);

struct Checked {
    QString problem;                   // empty if the nest computes what the stages say
    std::string text;                  // of the nest
    std::vector<std::string> findings; // of the verifier
};

// Lowers, verifies, runs and compares. Values are small integers, so that sums are exact in any
// order; `tolerance` is relative, for bodies with divisions and math functions.
Checked checkLowering(const OpInst& inst, const Schedule& schedule, const StorageMaps& maps,
                      const Bindings& symbols, unsigned seed = 1, double tolerance = 0);

// By the generated implementation that the shipped book prefers for the kind of the computation, or
// the next one that has code for it.
Result<ScheduleChoice> plannedSchedule(const OpInst& inst, const ScheduleContext& context);
// The same with this schedule.
Checked checkDefault(const OpInst& inst, const ScheduleContext& context, const Bindings& symbols,
                     unsigned seed = 1, double tolerance = 0, std::string* name = nullptr);

#define VERIFY_LOWERED(expression)                                                                 \
    do {                                                                                           \
        const fw::test::Checked checked = (expression);                                            \
        QVERIFY2(checked.problem.isEmpty(), qPrintable(checked.problem));                          \
    } while (false)

// Building blocks for instances.
Expr v(std::string_view name);
TensorDecl tensor(std::string_view name, Shape shape, DType dtype = DType::F32);
Expr at(const OpInst& inst, std::string_view name, Exprs indices);
Stage mapStage(std::string_view out, std::vector<Axis> space, Expr body);
Stage reduceStage(std::string_view out, std::vector<Axis> space, Reducer reducer,
                  std::vector<Axis> reduce, Expr body);

struct ConvShape {
    Expr n = Expr(1);
    std::int64_t c = 3, h = 8, w = 8, o = 4, kh = 3, kw = 3, stride = 1, pad = 1, dilation = 1,
                 groups = 1;
    bool bias = false, relu = false, residual = false;
    std::optional<std::int64_t> padW = {}; // where it is not `pad`
};
OpInst convolution(const ConvShape& shape); // inputs x, w [, b] [, r]; output y
OpInst matmul(Expr m, Expr n, Expr k, bool transposed, bool bias); // inputs a, b [, c]; output y
// Channel g * (channels / groups) + c of x becomes channel c * groups + g of y; square images.
OpInst channelShuffle(std::int64_t channels, std::int64_t groups, std::int64_t size);
OpInst softmax(Expr rows, Expr columns);

} // namespace fw::test
