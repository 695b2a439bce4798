// A part of a model with made-up values, and what may be said of the results that an
// implementation computes for it.
#pragma once

#include "ir/graph.h"
#include "module/load.h"
#include "tensor/bounded.h"

#include <optional>

namespace fw {

// Whole: small integers, so that sums and products are exact. WithNan: random, but for one NaN in
// every input of floats; constants as for Random.
enum class ValueKind : std::uint8_t { Random, Whole, WithNan };
std::string_view kindText(ValueKind kind); // "random", "integers", "random and NaN"

using Sizes = std::map<std::string, std::int64_t>; // of free dimensions

// Constants get values of this kind, each by a seed of its own. Those that are no weights stay:
// integers (indices, shapes), single numbers (an epsilon, a scale). What was nowhere negative (a
// variance) stays so.
TensorData standIn(const TensorData& weights, ValueKind kind, std::uint64_t seed);
Result<GraphPtr> withValues(const Graph& part, ValueKind kind, std::uint64_t seed);
std::uint64_t constantSeed(std::uint64_t seed, std::size_t position); // among the constants

// The sizes that a part is judged at: every free dimension at an odd number, at 1 and at 0, the
// others odd; and all of them alike. One empty element for a part without free dimensions.
std::vector<Sizes> sizesOf(const Graph& part);
std::string sizesText(const Sizes& sizes); // "N = 7, M = 5"

// One choice of sizes with inputs and what they should give.
struct Instance {
    Sizes sizes;
    ValueKind kind = ValueKind::Random;
    std::vector<TensorData> inputs;
    std::vector<BoundedValues> wanted;
    std::size_t judged = 0; // elements with a bound
    std::size_t count = 0;
};
Result<Instance> instanceOf(const Graph& part, const Sizes& sizes, ValueKind kind,
                            std::uint64_t seed, const CancelToken& cancel);

// Sums computed through transformed operands (Winograd) are held by the norm of the whole result,
// and are not judged on WithNan: a transform spreads a NaN over its tile.
enum class Measure : std::uint8_t { Elements, Norm };
Measure measureOf(const runtime::Program& program);

struct Judgement {
    bool differs = false;
    bool exact = true;  // every bound was 0
    double largest = 0; // error
    double share = 0;   // of what is allowed, the largest; above 1 it differs
    std::string worst;  // "y[0, 3]: 1.5 instead of 1.25, 1e-06 allowed"; empty if all are equal
};
// Of what could not be compiled, loaded or run. Nothing if that says nothing of the results: the
// implementation does not take part, or rules the sizes out.
std::optional<Judgement> failed(const Diag& diag);
Judgement judgeTensor(const std::string& name, const BoundedValues& wanted, const TensorData& got,
                      Measure measure = Measure::Elements);
Judgement judge(const Graph& part, const Instance& instance, const std::vector<TensorData>& got,
                Measure measure);

// A part compiled for some numbers of threads, in memory that is filled with NaN before every run.
class Trials {
public:
    void add(int threads, std::unique_ptr<LoadedModule> module);

    struct Trial {
        int threads = 1;
        Judgement judgement; // what failed is one that differs
        Decisions otherwise; // ranOtherwise()
    };
    // Every module twice: what a run leaves in memory must not matter to the next. An error if the
    // program rules the sizes out.
    Result<std::vector<Trial>> on(const Graph& part, const Instance& instance);

private:
    struct Loaded {
        int threads = 1;
        std::unique_ptr<LoadedModule> module;
    };
    std::vector<Loaded> m_loaded;
};

} // namespace fw
