#include "fuzz/compare.h"

#include "base/numbers.h"
#include "base/random.h"
#include "fuzz/evaluate.h"
#include "session/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace fw::fuzz {

namespace {

struct Suspect {
    std::size_t result = 0, element = 0;
    double got = 0, wanted = 0;
    double low = 0, high = 0; // of what the reference gives under noise

    bool explained() const {
        const double spread = high - low;
        return got >= low - 4 * spread && got <= high + 4 * spread;
    }
};

// Where a jump lies at the value itself, as at ceil(-1), one sample in two sees it: so many that
// none of some thousand elements is left to chance.
constexpr std::uint64_t mostSamples = 64;

bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

double scaleOf(const TensorData& data) {
    double out = 0;
    for (std::size_t i = 0; i < data.count(); ++i)
        if (const double value = std::fabs(data.at(i)); std::isfinite(value))
            out = std::max(out, value);
    return out;
}

// Elements that a few roundings do not explain.
std::vector<Suspect> suspectsOf(std::size_t result, const TensorData& got, const TensorData& want,
                                bool exact) {
    std::vector<Suspect> out;
    const double scale = scaleOf(want);
    for (std::size_t i = 0; i < got.count(); ++i) {
        const double g = got.at(i), w = want.at(i);
        const double allowed = exact ? 0 : 1e-4 * std::fabs(w) + 5e-6 + 1e-6 * scale;
        if (!same(g, w) && !(std::fabs(g - w) <= allowed))
            out.push_back({result, i, g, w, w, w});
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

// The results under noise: every float moved by a few units of the last place, or by every fourth
// of the first samples brought to fewer bits.
std::optional<std::vector<TensorData>> underNoise(const Case& one, std::uint64_t sample) {
    Random random(sample);
    const bool rounded = sample % 4 == 0 && sample <= 12;
    const int bits = 21 - static_cast<int>(sample / 4);
    const auto moved = [&](double value, double own) {
        if (rounded)
            return coarse(value, bits, own);
        return value * (1 + (random.unit() - 0.5) * 0x1p-19) + (random.unit() - 0.5) * own;
    };
    const Result<Evaluated> out = evaluateNodes(
        *one.graph, one.sizes, one.inputs, [&](const Node& node, std::size_t, TensorData& data) {
            if (!isFloat(data.dtype()) || data.dtype() == DType::F64)
                return;
            const double own = hasAbsoluteError(node.op) ? 2e-6 : 0;
            std::vector<double> values = data.toDoubles();
            for (double& value : values)
                value = moved(value, own);
            data = dataFromDoubles(data.dtype(), data.extents(), values);
        });
    if (!out.ok())
        return std::nullopt;
    return out->results;
}

} // namespace

std::string difference(const Case& one, const std::vector<TensorData>& got) {
    if (got.size() != one.wanted.size())
        return fmt::format("{} results instead of {}", got.size(), one.wanted.size());
    std::vector<Suspect> suspects;
    bool exactDiffers = false;
    for (std::size_t r = 0; r < got.size(); ++r) {
        const TensorData& want = one.wanted[r];
        if (got[r].dtype() != want.dtype() || got[r].extents() != want.extents())
            return fmt::format("{} is {} instead of {}", one.graph->results()[r].name,
                               got[r].type().text(), want.type().text());
        const std::vector<Suspect> found = suspectsOf(r, got[r], want, one.exact[r]);
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
        for (Suspect& suspect : suspects) {
            const double value = (*noisy)[suspect.result].at(suspect.element);
            suspect.low = std::min(suspect.low, value);
            suspect.high = std::max(suspect.high, value);
        }
        std::erase_if(suspects, [](const Suspect& suspect) { return suspect.explained(); });
        if (suspects.empty())
            return {};
    }
    const Suspect& first = suspects.front();
    return fmt::format("{}[{}]: {} instead of {}{}", one.graph->results()[first.result].name,
                       place(got[first.result].extents(), first.element), numberText(first.got),
                       numberText(first.wanted),
                       suspects.size() > 1 ? fmt::format(" (and {} more)", suspects.size() - 1)
                                           : std::string(exactDiffers ? ", exact" : ""));
}

} // namespace fw::fuzz
