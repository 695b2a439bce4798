#include "tensor/draw_critical.h"

#include "expr/scalar.h"

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

// Of a floating point type: bits of the significand, the leading one among them, and the exponents
// of normal numbers.
struct Form {
    int bits = 0, least = 0, most = 0;
};

Form formOf(DType dtype) {
    switch (dtype) {
    case DType::F16:
        return {11, -14, 15};
    case DType::BF16:
        return {8, -126, 127};
    case DType::F32:
        return {24, -126, 127};
    default:
        return {53, -1022, 1023};
    }
}

int bitsOf(DType integers) {
    const int all = static_cast<int>(8 * dtypeBytes(integers));
    return leastOf(integers) < 0 ? all - 1 : all;
}

// From one value of a floating point type to the next one, at this size.
double stepAt(const Form& form, double size) {
    const int exponent = size == 0 ? form.least : std::max(std::ilogb(size), form.least);
    return std::ldexp(1.0, exponent - (form.bits - 1));
}

bool holds(DType integers, std::int64_t value) {
    return integers == DType::U64 ? value >= 0
                                  : value >= leastOf(integers) && value <= mostOf(integers);
}

struct Narrowing {
    Form narrow;
    int wide = 0; // bits of the significand of the type that comes first
};

// `bits`: of the significand of the value itself. Types that hold it all, or less than the narrow
// one, come first now and then, too: then it is rounded once.
std::optional<Narrowing> drawnNarrowing(Random& random, const Literals& literals, int bits,
                                        bool cut) {
    std::vector<DType> real;
    for (const DType dtype : literals.types)
        if (isFloat(dtype))
            real.push_back(dtype);
    if (real.empty())
        return std::nullopt;
    std::vector<Narrowing> twice, once;
    for (const DType narrow : real)
        for (const DType wide : real)
            if (const int between = formOf(wide).bits; formOf(narrow).bits < bits)
                (formOf(narrow).bits < between && between < bits ? twice : once)
                    .push_back({formOf(narrow), std::min(between, bits)});
    if (cut && random.chance(30)) // the values that are kept are halves
        for (const DType wide : real)
            if (formOf(wide).bits < bits)
                return Narrowing{{}, formOf(wide).bits};
    if (!twice.empty() && (once.empty() || random.chance(80)))
        return random.pick(twice);
    return once.empty() ? std::nullopt : std::optional(random.pick(once));
}

} // namespace

std::optional<std::int64_t> besideLiteral(Random& random, const Literals& literals,
                                          DType integers) {
    if (literals.integers.empty())
        return std::nullopt;
    std::int64_t value = random.pick(literals.integers);
    const std::int64_t by = random.chance(50) ? 0 : random.chance(50) ? 1 : -1;
    if (random.chance(10) && value != leastOf(DType::I64))
        value = -value;
    if ((by > 0 && value == mostOf(DType::I64)) || (by < 0 && value == leastOf(DType::I64)))
        return std::nullopt;
    value += by;
    return holds(integers, value) ? std::optional(value) : std::nullopt;
}

std::optional<double> besideLiteralReal(Random& random, const Literals& literals, DType reals) {
    if (literals.reals.empty())
        return std::nullopt;
    const double literal = roundReal(reals, random.pick(literals.reals));
    if (!std::isfinite(literal))
        return std::nullopt;
    double value = random.chance(10) ? -literal : literal;
    if (!random.chance(50)) {
        const double by = random.chance(60) ? stepAt(formOf(reals), value) : 1;
        value += random.chance(50) ? by : -by;
    }
    value = roundReal(reals, value);
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> besideTie(Random& random, const Literals& literals, DType integers) {
    const int bits = bitsOf(integers);
    const auto narrowing = drawnNarrowing(random, literals, bits, false);
    if (!narrowing)
        return std::nullopt;
    const int kept = narrowing->narrow.bits;
    const int last = std::min(bits - 1, narrowing->narrow.most); // place of the leading bit
    const int first = std::max(kept, narrowing->wide < last ? narrowing->wide : 0);
    if (first > last)
        return std::nullopt;
    const auto lead = static_cast<int>(random.between(first, last));
    const std::uint64_t step = std::uint64_t(1) << (lead - kept + 1);
    const std::uint64_t leading = std::uint64_t(1) << lead;
    const std::uint64_t drawn = leading | (random.next() & (leading - 1));
    const bool end = lead == narrowing->narrow.most && random.chance(30); // infinite from there on
    const std::uint64_t tie = ((end ? leading | (leading - 1) : drawn) & ~(step - 1)) | step / 2;
    // Less than half of what the wide type tells.
    const std::uint64_t lost =
        lead > narrowing->wide ? std::uint64_t(1) << (lead - narrowing->wide) : 1;
    const std::uint64_t off =
        random.chance(50) ? 1 : 1 + random.below(static_cast<std::size_t>(lost));
    const std::uint64_t value = random.chance(10) ? tie : random.chance(50) ? tie + off : tie - off;
    const bool negative = leastOf(integers) < 0 && random.chance(50);
    return wrapTo(integers, static_cast<std::int64_t>(negative ? ~value + 1 : value));
}

std::optional<double> besideTieReal(Random& random, const Literals& literals, DType reals) {
    const Form own = formOf(reals);
    const auto narrowing = drawnNarrowing(random, literals, own.bits, literals.cut);
    if (!narrowing)
        return std::nullopt;
    double tie = 0;
    if (narrowing->narrow.bits == 0) {
        tie = static_cast<double>(random.between(1, 200)) / 2;
    } else {
        const Form& narrow = narrowing->narrow;
        const int least = std::max(narrow.least - narrow.bits, own.least);
        const int most = std::min(narrow.most, own.most);
        const auto exponent = static_cast<int>(random.chance(70) ? random.between(-4, 8)
                                                                 : random.between(least, most));
        const bool end = exponent == narrow.most && random.chance(30); // infinite from there on
        const double size = std::ldexp(end ? 2 - 0x1p-52 : 1 + random.unit(), exponent);
        const double step = stepAt(narrow, size);
        tie = std::floor(size / step) * step + step / 2;
    }
    const double least = stepAt(own, tie);
    const double lost = std::ldexp(1.0, std::ilogb(tie) - narrowing->wide);
    const double off = random.chance(50) ? least : std::max(least, lost * random.unit());
    double value = random.chance(10) ? tie : random.chance(50) ? tie + off : tie - off;
    value = roundReal(reals, random.chance(50) ? value : -value);
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

} // namespace fw
