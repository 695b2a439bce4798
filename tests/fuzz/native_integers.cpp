#include "fuzz/native.h"

namespace fw::fuzz {

namespace {

using Extents = std::vector<std::int64_t>;

std::int64_t countOf(const Extents& extents, std::size_t begin, std::size_t end) {
    std::int64_t out = 1;
    for (std::size_t i = begin; i < end; ++i)
        out *= extents[i];
    return out;
}

std::int64_t elementAt(const TensorData& data, std::int64_t i) {
    return data.integerAt(static_cast<std::size_t>(i));
}

// A list of one holds for all.
std::int64_t zeroFor(const TensorData& zeros, std::int64_t i) {
    return elementAt(zeros, zeros.count() == 1 ? 0 : i);
}

TensorData wrappedSums(const Extents& extents, const std::vector<std::int64_t>& sums) {
    std::vector<std::byte> bytes(sums.size() * 4);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const auto value = static_cast<std::uint32_t>(static_cast<std::uint64_t>(sums[i]));
        for (std::size_t k = 0; k < 4; ++k)
            bytes[4 * i + k] = static_cast<std::byte>(value >> (8 * k));
    }
    return TensorData(DType::I32, extents, std::move(bytes));
}

// Which of the matrices of an operand is broadcast to the one of the result.
std::int64_t matrixOf(const Extents& operand, const Extents& result, std::int64_t matrix) {
    std::int64_t out = 0, stride = 1;
    for (std::size_t back = 3; back <= operand.size(); ++back) {
        const std::int64_t own = operand[operand.size() - back],
                           whole = result[result.size() - back];
        out += own == 1 ? 0 : matrix % whole * stride;
        matrix /= whole;
        stride *= own;
    }
    return out;
}

std::vector<std::int64_t> productsOf(const std::vector<const TensorData*>& operands,
                                     const Extents& result) {
    const TensorData &a = *operands[0], &b = *operands[1], &za = *operands[2], &zb = *operands[3];
    const std::int64_t rows = result[result.size() - 2], columns = result.back(),
                       depth = a.extents().back();
    std::vector<std::int64_t> out;
    for (std::int64_t l = 0; l < countOf(result, 0, result.size() - 2); ++l) {
        const std::int64_t ofA = matrixOf(a.extents(), result, l) * rows * depth,
                           ofB = matrixOf(b.extents(), result, l) * depth * columns;
        for (std::int64_t m = 0; m < rows; ++m)
            for (std::int64_t n = 0; n < columns; ++n) {
                std::int64_t sum = 0;
                for (std::int64_t k = 0; k < depth; ++k)
                    sum += (elementAt(a, ofA + m * depth + k) - zeroFor(za, m)) *
                           (elementAt(b, ofB + k * columns + n) - zeroFor(zb, n));
                out.push_back(sum);
            }
    }
    return out;
}

struct Steps {
    Extents strides, dilations, before;
    std::int64_t groups = 1;
};

Steps stepsOf(const Attrs& attrs, std::size_t axes) {
    const auto list = [&](const char* name, std::int64_t otherwise) {
        const AttrValue* value = attrs.find(name);
        return value != nullptr ? std::get<Integers>(*value) : Integers(axes, otherwise);
    };
    const AttrValue* groups = attrs.find("groups");
    return {list("strides", 1), list("dilations", 1),
            list(attrs.find("pads") != nullptr ? "pads" : "before", 0),
            groups != nullptr ? std::get<std::int64_t>(*groups) : 1};
}

// The element that a tap of a filter meets at a place of the result; nullopt beside the image.
std::optional<std::int64_t> metBy(std::int64_t place, std::int64_t tap, const Extents& result,
                                  const Extents& filter, const Extents& image, const Steps& steps) {
    std::int64_t out = 0, stride = 1;
    for (std::size_t d = image.size(); d-- > 2;) {
        const std::int64_t at = place % result[d] * steps.strides[d - 2] +
                                tap % filter[d] * steps.dilations[d - 2] - steps.before[d - 2];
        if (at < 0 || at >= image[d])
            return std::nullopt;
        out += at * stride;
        stride *= image[d];
        place /= result[d];
        tap /= filter[d];
    }
    return out;
}

std::vector<std::int64_t> windowsOf(const std::vector<const TensorData*>& operands,
                                    const Attrs& attrs, const Extents& result) {
    const TensorData &x = *operands[0], &w = *operands[1], &zx = *operands[2], &zw = *operands[3];
    const Extents &image = x.extents(), &filter = w.extents();
    const Steps steps = stepsOf(attrs, image.size() - 2);
    const std::int64_t taps = countOf(filter, 2, filter.size()),
                       elements = countOf(image, 2, image.size()),
                       places = countOf(result, 2, result.size()), channels = filter[1];
    std::vector<std::int64_t> out;
    for (std::int64_t n = 0; n < result[0]; ++n)
        for (std::int64_t o = 0; o < result[1]; ++o)
            for (std::int64_t place = 0; place < places; ++place) {
                const std::int64_t first = o / (result[1] / steps.groups) * channels;
                std::int64_t sum = 0;
                for (std::int64_t c = 0; c < channels; ++c)
                    for (std::int64_t tap = 0; tap < taps; ++tap)
                        if (const auto met = metBy(place, tap, result, filter, image, steps))
                            sum += (elementAt(x, (n * image[1] + first + c) * elements + *met) -
                                    elementAt(zx, 0)) *
                                   (elementAt(w, (o * channels + c) * taps + tap) - zeroFor(zw, o));
                out.push_back(sum);
            }
    return out;
}

} // namespace

std::optional<TensorData> sumsNatively(const std::string& op,
                                       const std::vector<const TensorData*>& operands,
                                       const Attrs& attrs, const TensorType& result) {
    const Extents extents = fixedExtents(result.shape).value();
    if (op == "matmul_integer" || op == "matmul_widened")
        return wrappedSums(extents, productsOf(operands, extents));
    if (op == "conv2d_integer" || op == "conv2d_widened" || op == "conv_integer")
        return wrappedSums(extents, windowsOf(operands, attrs, extents));
    return std::nullopt;
}

} // namespace fw::fuzz
