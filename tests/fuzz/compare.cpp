#include "fuzz/compare.h"

#include "base/numbers.h"
#include "base/random.h"
#include "fuzz/evaluate.h"
#include "fuzz/numbers.h"
#include "session/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace fw::fuzz {

namespace {

// Where a jump lies at the value itself, as at ceil(-1), one sample in two sees it: so many that
// none of some thousand elements is left to chance.
constexpr std::uint64_t mostSamples = 64;

struct Suspect {
    std::size_t result = 0, element = 0;
    double got = 0, wanted = 0;
    // What the reference gives under noise: the range of what is finite, and what else.
    double low = HUGE_VAL, high = -HUGE_VAL;
    bool isNan = false, isAbove = false, isBelow = false;

    void see(double value) {
        if (std::isnan(value)) {
            isNan = true;
        } else if (std::isinf(value)) {
            (value > 0 ? isAbove : isBelow) = true;
        } else {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    bool explained() const {
        if (std::isnan(got))
            return isNan;
        if (std::isinf(got))
            return got > 0 ? isAbove : isBelow;
        const double spread = high - low;
        return low <= high && got >= low - 4 * spread && got <= high + 4 * spread;
    }
};

bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

double scaleOf(const std::vector<double>& numbers) {
    double out = 0;
    for (const double number : numbers)
        if (std::isfinite(number))
            out = std::max(out, std::fabs(number));
    return out;
}

// What a few roundings explain of a value of this type, where the largest of the tensor is `scale`.
double allowance(DType dtype, double value, double scale) {
    const double size = std::fabs(value);
    switch (dtype) {
    case DType::F64:
        return 1e-12 * size + 1e-14 * scale + 1e-14;
    case DType::F16:
    case DType::BF16:
        return 2 * rangeOf(dtype).step * size + 5e-6;
    default:
        return 1e-4 * size + 1e-6 * scale + 5e-6;
    }
}

// Elements that a few roundings do not explain.
std::vector<Suspect> suspectsOf(std::size_t result, const TensorData& got, const TensorData& want,
                                bool exact, bool wild) {
    std::vector<Suspect> out;
    const auto suspect = [&](std::size_t element, double g, double w) {
        out.push_back({.result = result, .element = element, .got = g, .wanted = w});
        out.back().see(w);
    };
    if (exact && !isFloat(want.dtype())) { // a double does not hold every integer
        const std::size_t size = dtypeBytes(want.dtype());
        for (std::size_t i = 0; i < got.count(); ++i)
            if (std::memcmp(got.bytes().data() + i * size, want.bytes().data() + i * size, size) !=
                0)
                suspect(i, numberAt(got, i), numberAt(want, i));
        return out;
    }
    const std::vector<double> ours = numbersOf(got), wanted = numbersOf(want);
    // Beside extremes nothing is said of small elements by the largest one.
    const double scale = wild ? 0 : scaleOf(wanted);
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const double g = ours[i], w = wanted[i];
        const double allowed = exact ? 0 : allowance(want.dtype(), w, scale);
        if (!same(g, w) && !(std::fabs(g - w) <= allowed))
            suspect(i, g, w);
    }
    return out;
}

// Operators whose result carries an error of its own that does not shrink with the result.
bool hasAbsoluteError(const std::string& op) {
    static const std::set<std::string> names = {
        "gelu", "erf",  "elu",  "softplus",  "tanh",  "log", "sigmoid", "log_softmax", "sin",
        "cos",  "celu", "selu", "gelu_tanh", "swish", "tan", "dft",     "stft"};
    return names.contains(op);
}

// Libraries flush what is hardly a normal number, such as the exponential of oneDNN below exp(-87).
constexpr double leastNormal = 1e-37;

// To a few bits less than a float has, and to what is below `own` as nothing: values that differ by
// rounding become equal, which a comparison behind them sees.
double coarse(double value, int bits, double own) {
    if (std::fabs(value) <= std::max(own, leastNormal))
        return 0;
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    return std::ldexp(std::round(std::ldexp(mantissa, bits)), exponent - bits);
}

// How far a value of a type is moved: by these units of it (the distances at 1), and absolutely
// where its operator has an error of its own.
struct Noise {
    double relative = 0, own = 0, least = 0;
};

Noise noiseOf(DType dtype, const std::string& op) {
    const FloatRange range = rangeOf(dtype);
    const bool absolute = hasAbsoluteError(op);
    if (isNarrow(dtype)) // rounded once to few bits, so that neighbours are what may come out
        return {range.step, absolute ? 1e-6 : 0, range.least};
    if (dtype == DType::F64)
        return {32 * range.step, absolute ? 1e-14 : 0, 8 * range.least};
    return {8 * range.step, absolute ? 1e-6 : 0, 8 * range.least};
}

// The results under noise: every float moved by a few units of the last place, a zero of either
// sign; or by every fourth of the first samples brought to fewer bits. Every second sample moves
// real attributes, too, with their defaults: 1 + x, say, to a power of some thousand. In every
// eighth a narrow value that is computed does not pass its type: where a rewrite took it away,
// nothing rounds it.
std::optional<std::vector<TensorData>> underNoise(const Case& one, std::uint64_t sample) {
    Random random(sample);
    const bool rounded = sample % 4 == 0 && sample <= 12;
    const int fewer = static_cast<int>(sample / 4);
    const auto moved = [&](double value, const Noise& noise, int bits) {
        if (value == 0 && noise.own == 0)
            return random.chance(50) ? -value : value;
        if (rounded)
            return coarse(value, bits, 2 * noise.own);
        return value * (1 + (random.unit() - 0.5) * 2 * noise.relative) +
               (random.unit() - 0.5) * 2 * (noise.own + noise.least);
    };
    const auto movedAttribute = [&](double value) {
        return random.chance(50)
                   ? value
                   : value * (1 + (random.unit() - 0.5) * 2 * noiseOf(DType::F32, {}).relative);
    };
    const Result<Evaluated> out = evaluateNodes(
        *one.graph, one.sizes, one.inputs,
        [&](const Node& node, std::size_t, TensorData& data) {
            if (!isFloat(data.dtype()))
                return;
            const Noise noise = noiseOf(data.dtype(), node.op);
            const int bits = 1 - std::ilogb(rangeOf(data.dtype()).step) - fewer -
                             (isNarrow(data.dtype()) ? 0 : 3);
            std::vector<double> values = numbersOf(data);
            // What is given at the end of a type stays inside it, or every sum of it is infinite.
            const double largest =
                node.isInput() || node.isConstant() ? rangeOf(data.dtype()).largest : HUGE_VAL;
            const bool stays = sample % 8 == 5 && isNarrow(data.dtype()) && !node.isLeaf();
            for (double& value : values)
                value = std::isfinite(value)
                            ? std::clamp(moved(value, noise, bits), -largest, largest)
                        : stays && std::isinf(value)
                            ? std::copysign(rangeOf(data.dtype()).largest, value)
                            : value;
            data = dataOf(data.dtype(), data.extents(), values);
        },
        sample % 2 == 1 ? AttributeHook(movedAttribute) : nullptr);
    if (!out.ok())
        return std::nullopt;
    return out->results;
}

} // namespace

std::string difference(const Case& one, const std::vector<TensorData>& got) {
    return differences(one, got).text;
}

Differences differences(const Case& one, const std::vector<TensorData>& got) {
    if (got.size() != one.wanted.size())
        return {fmt::format("{} results instead of {}", got.size(), one.wanted.size()), {}};
    std::vector<Suspect> suspects;
    bool exactDiffers = false;
    for (std::size_t r = 0; r < got.size(); ++r) {
        const TensorData& want = one.wanted[r];
        if (got[r].dtype() != want.dtype() || got[r].extents() != want.extents())
            return {fmt::format("{} is {} instead of {}", one.graph->results()[r].name,
                                got[r].type().text(), want.type().text()),
                    {}};
        const std::vector<Suspect> found =
            suspectsOf(r, got[r], want, one.exact[r], isWild(one.values));
        if (!found.empty() && one.exact[r]) {
            suspects = {found.front()};
            exactDiffers = true;
            break;
        }
        suspects.insert(suspects.end(), found.begin(), found.end());
    }
    if (suspects.empty())
        return {};
    for (std::uint64_t sample = 1; !exactDiffers && sample <= mostSamples; ++sample) {
        const auto noisy = underNoise(one, sample);
        if (!noisy)
            continue;
        for (Suspect& suspect : suspects)
            suspect.see(numberAt((*noisy)[suspect.result], suspect.element));
        std::erase_if(suspects, [](const Suspect& suspect) { return suspect.explained(); });
        if (suspects.empty())
            return {};
    }
    const Suspect& first = suspects.front();
    Differences out;
    out.text = fmt::format("{}[{}]: {} instead of {}{}", one.graph->results()[first.result].name,
                           place(got[first.result].extents(), first.element), numberText(first.got),
                           numberText(first.wanted),
                           suspects.size() > 1 ? fmt::format(" (and {} more)", suspects.size() - 1)
                                               : std::string(exactDiffers ? ", exact" : ""));
    if (!exactDiffers)
        for (const Suspect& suspect : suspects)
            out.places.push_back({suspect.result, suspect.element});
    return out;
}

} // namespace fw::fuzz
