#include "session/compare.h"

#include "base/numbers.h"
#include "ir/tensor_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace fw {

namespace {

double ulpsBetween(double a, double b) {
    const auto ordered = [](double value) {
        const std::int64_t bits = std::bit_cast<std::int32_t>(static_cast<float>(value));
        return bits < 0 ? INT32_MIN - bits : bits;
    };
    return static_cast<double>(std::llabs(ordered(a) - ordered(b)));
}

// Whether both have their largest element at the same place of every row of the last axis.
std::optional<bool> sameTop(const TensorData& got, const TensorData& want) {
    if (want.extents().empty() || want.extents().back() < 2 || want.count() == 0)
        return std::nullopt;
    const auto width = static_cast<std::size_t>(want.extents().back());
    const auto top = [&](const TensorData& data, std::size_t row) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < width; ++i)
            if (data.at(row * width + i) > data.at(row * width + best))
                best = i;
        return best;
    };
    for (std::size_t row = 0; row < want.count() / width; ++row) {
        const std::size_t ours = top(got, row), theirs = top(want, row);
        // Of two equal elements either may be the top.
        if (ours != theirs && want.at(row * width + ours) != want.at(row * width + theirs))
            return false;
    }
    return true;
}

// Sums over one output, in double precision.
struct Norms {
    double got = 0;        // squares
    double want = 0;       // squares
    double product = 0;    // got times want
    double difference = 0; // squares
    std::size_t finite = 0;

    void add(double g, double w) {
        got += g * g;
        want += w * w;
        product += g * w;
        difference += (g - w) * (g - w);
        ++finite;
    }
    double relative() const {
        return difference == 0 ? 0 : want == 0 ? HUGE_VAL : std::sqrt(difference / want);
    }
    double cosine() const {
        const double lengths = std::sqrt(got) * std::sqrt(want);
        return lengths == 0 ? (difference == 0 ? 1 : 0) : std::min(1.0, product / lengths);
    }
    double rootMeanSquare() const {
        return finite == 0 ? 0 : std::sqrt(want / static_cast<double>(finite));
    }
};

bool sums(FusionKind kind) {
    return kind == FusionKind::Reduction || kind == FusionKind::Window ||
           kind == FusionKind::Rowwise || kind == FusionKind::Contraction;
}

} // namespace

std::string place(const std::vector<std::int64_t>& extents, std::size_t index) {
    std::string out;
    for (std::size_t i = extents.size(); i-- > 0;) {
        const auto extent = static_cast<std::size_t>(extents[i]);
        out = fmt::format("{}{}{}", index % extent, out.empty() ? "" : ", ", out);
        index /= extent;
    }
    return out;
}

Comparison compareTensors(const std::string& name, const TensorData& got, const TensorData& want,
                          Tolerance tolerance, NormTolerance norm) {
    Comparison out;
    out.difference.name = name;
    out.difference.elements = static_cast<std::int64_t>(want.count());
    if (got.dtype() != want.dtype() || got.extents() != want.extents()) {
        out.pass = out.norm = false;
        out.difference.outside = out.difference.elements;
        out.worst =
            fmt::format("{} is {} instead of {}", name, got.type().text(), want.type().text());
        return out;
    }
    double worstRatio = -1;
    double largestExcess = 0; // of a distance over what the element rule allows
    Norms norms;
    for (std::size_t i = 0; i < got.count(); ++i) {
        const double g = got.at(i), w = want.at(i);
        const bool finite = std::isfinite(g) && std::isfinite(w);
        if (finite)
            norms.add(g, w);
        if (g == w || (std::isnan(g) && std::isnan(w)))
            continue;
        const double distance = std::fabs(g - w);
        const double allowed = tolerance.absolute + tolerance.relative * std::fabs(w);
        const double ratio = finite ? distance / std::max(allowed, 1e-300) : HUGE_VAL;
        if (finite) {
            out.maxAbs = std::max(out.maxAbs, distance);
            if (w != 0)
                out.maxRel = std::max(out.maxRel, distance / std::fabs(w));
            if (got.dtype() == DType::F32)
                out.maxUlp = std::max(out.maxUlp, ulpsBetween(g, w));
        }
        if (!finite || distance > allowed) {
            out.pass = false;
            ++out.difference.outside;
            largestExcess = std::max(largestExcess, finite ? distance - allowed : HUGE_VAL);
        }
        if (ratio > worstRatio) {
            worstRatio = ratio;
            out.worst = fmt::format("{}[{}]: {} instead of {}", name, place(got.extents(), i),
                                    numberText(g, got.dtype()), numberText(w, want.dtype()));
        }
    }
    out.difference.maxAbs = out.maxAbs;
    out.difference.relativeL2 = norms.relative();
    out.difference.cosine = norms.cosine();
    out.difference.sameTop = sameTop(got, want);
    out.norm = isFloat(want.dtype()) && norms.relative() <= norm.relativeL2 &&
               static_cast<double>(out.difference.outside) <=
                   norm.outside * static_cast<double>(want.count()) &&
               largestExcess <= norm.excess * norms.rootMeanSquare();
    return out;
}

bool isNetwork(const Graph& imported) {
    std::map<NodeId, int>
        depth; // operators that sum on the longest path to a node, itself included
    for (const NodePtr& node : imported.nodes()) {
        int& own = depth[node->id];
        for (const ValueRef& input : node->inputs)
            if (input.valid())
                own = std::max(own, depth[input.node]);
        if (node->isInput() || node->isConstant())
            continue;
        const Operator* op = imported.operators().find(node->op);
        const Result<Facts> facts =
            op ? op->facts(callOf(imported, *node)) : Result<Facts>(Facts{});
        if (facts && sums(facts->kind))
            ++own;
        if (own >= networkDepth)
            return true;
    }
    return false;
}

snapshot::ComparisonRecord compareOutputs(const std::string& name,
                                          const std::vector<std::string>& outputs,
                                          const std::vector<TensorData>& got,
                                          const std::vector<TensorData>& want, Tolerance tolerance,
                                          PassBy by) {
    snapshot::ComparisonRecord out;
    out.name = name;
    out.maxAbs = out.maxRel = out.maxUlp = 0;
    bool byElements = true;
    out.pass = true;
    bool worstFails = false;
    for (std::size_t i = 0; i < want.size(); ++i) {
        Comparison one = compareTensors(outputs[i], got[i], want[i], tolerance);
        const bool pass = one.pass || (by == PassBy::ElementsOrNorm && one.norm);
        byElements = byElements && one.pass;
        out.pass = out.pass && pass;
        if (out.worst.empty() || (!pass && !worstFails))
            out.worst = one.worst;
        worstFails = worstFails || !pass;
        out.maxAbs = std::max(*out.maxAbs, one.maxAbs);
        out.maxRel = std::max(*out.maxRel, one.maxRel);
        out.maxUlp = std::max(*out.maxUlp, one.maxUlp);
        out.outputs.push_back(std::move(one.difference));
    }
    if (out.pass)
        out.rule = byElements ? snapshot::PassRule("elements") : "norm";
    return out;
}

} // namespace fw
