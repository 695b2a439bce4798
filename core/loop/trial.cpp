#include "loop/trial.h"

#include "base/random.h"
#include "expr/scalar.h"

#include <algorithm>

namespace fw {

namespace {

constexpr std::int64_t mostElements = std::int64_t(1) << 22; // of one buffer

LoopValues madeUp(DType dtype, std::size_t count, Random& random) {
    LoopValues out = loopValues(dtype, count);
    for (double& value : out.real)
        value = static_cast<double>(random.below(4001)) / 1000 - 2;
    for (std::int64_t& value : out.integer) {
        const auto small = static_cast<std::int64_t>(random.below(7)) - 2;
        const std::int64_t far = std::int64_t(1) << random.below(62);
        value = dtype == DType::Bool  ? static_cast<std::int64_t>(random.below(2))
                : random.below(3) > 0 ? small
                : random.below(2) > 0 ? far
                                      : -far;
        value = wrapTo(dtype, value);
    }
    return out;
}

} // namespace

Result<TrialEnd> tryLoops(const LoopNest& nest, const Bindings& symbols, std::uint64_t& steps) {
    Random random(1);
    std::vector<LoopValues> parameters;
    for (const Buffer& buffer : nest.parameters) {
        const auto size = evalIndex(buffer.size, symbols);
        if (!size || *size > mostElements)
            return TrialEnd::TooLong;
        parameters.push_back(madeUp(
            buffer.dtype, static_cast<std::size_t>(std::max<std::int64_t>(*size, 0)), random));
    }
    const Status ran = interpret(nest, parameters, symbols, StoreRounding::ToDtype, &steps);
    if (ran)
        return TrialEnd::Done;
    return ran.diag().code == DiagCode::LimitReached ? Result<TrialEnd>(TrialEnd::TooLong)
                                                     : Result<TrialEnd>(ran.diag());
}

} // namespace fw
