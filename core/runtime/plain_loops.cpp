#include "runtime/plain_loops.h"

#include <cmath>

namespace fw::runtime {

namespace {

constexpr std::size_t largestRank = 12;

std::size_t indexOf(const ShapedCall& call, Role role) {
    std::size_t i = 0;
    while (i < call.arguments.size() && call.arguments[i].role != role)
        ++i;
    return i;
}

double valueAt(const ShapedCall& call, const PlainValues& values, Role role,
               const std::int64_t* index) {
    const std::size_t i = indexOf(call, role);
    return i == call.arguments.size()
               ? 0
               : static_cast<double>(values[i][plainPlace(call.arguments[i], index)]);
}

// Elements from one entry of an axis to the next.
std::size_t step(const ShapedArgument& argument, std::size_t axis) {
    std::int64_t out = 1;
    for (std::size_t d = axis + 1; d < argument.dims.size(); ++d)
        out *= argument.dims[d];
    return static_cast<std::size_t>(out);
}

// The sum of `count` products along an axis of the input and one of the weights, both of which
// begin at the given places.
double sumAlong(const ShapedCall& call, const PlainValues& values, std::int64_t count,
                const std::int64_t* left, std::size_t leftAxis, const std::int64_t* right,
                std::size_t rightAxis) {
    const std::size_t a = indexOf(call, Role::Input), b = indexOf(call, Role::Weights);
    const float* x = &values[a][plainPlace(call.arguments[a], left)];
    const float* w = &values[b][plainPlace(call.arguments[b], right)];
    const std::size_t xs = step(call.arguments[a], leftAxis),
                      ws = step(call.arguments[b], rightAxis);
    double sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
        sum += static_cast<double>(x[i * xs]) * static_cast<double>(w[i * ws]);
    return sum;
}

double product(const ShapedCall& call, const PlainValues& values, const std::int64_t* index) {
    const std::vector<std::int64_t>& input = call.find(Role::Input)->dims;
    const std::size_t rank = input.size();
    std::int64_t left[largestRank], right[largestRank];
    for (std::size_t d = 0; d < rank; ++d)
        left[d] = right[d] = index[d];
    left[rank - 1] = right[rank - 2] = 0;
    return valueAt(call, values, Role::Bias, index) +
           sumAlong(call, values, input.back(), left, rank - 1, right, rank - 2);
}

// The n-th list of attributes, one entry per axis of the image.
std::int64_t attribute(const ShapedCall& call, std::size_t list, std::size_t axis,
                       std::size_t images) {
    return call.attributes[list * images + axis];
}

// Where a window that belongs to `out` reads the other image at step `step`; false if nowhere.
bool readPlace(const ShapedCall& call, std::size_t axis, std::size_t images, std::int64_t out,
               std::int64_t step, std::int64_t extent, std::int64_t& in) {
    const bool pool = familyOf(call.kind) == CallFamily::Pool;
    const std::int64_t stride = attribute(call, 0, axis, images);
    const std::int64_t dilation = attribute(call, 1, axis, images);
    const std::int64_t low = attribute(call, pool ? 3 : 2, axis, images);
    if (call.kind == CallKind::Deconvolution) {
        const std::int64_t scaled = out + low - step * dilation;
        in = scaled / stride;
        return scaled >= 0 && scaled % stride == 0 && in < extent;
    }
    in = out * stride - low + step * dilation;
    return in >= 0 && in < extent;
}

// Calls `body(in, step)` for every element of the image under the window at `index`.
template <typename Body>
void overWindow(const ShapedCall& call, const std::vector<std::int64_t>& window,
                const std::int64_t* index, const Body& body) {
    const std::vector<std::int64_t>& image = call.find(Role::Input)->dims;
    const std::size_t images = image.size() - 2;
    std::int64_t step[largestRank] = {}, in[largestRank] = {};
    do {
        bool inside = true;
        for (std::size_t a = 0; a < images; ++a)
            inside = inside &&
                     readPlace(call, a, images, index[a + 2], step[a], image[a + 2], in[a + 2]);
        if (inside)
            body(in, step);
    } while (nextIndex(window, step));
}

double convolution(const ShapedCall& call, const PlainValues& values, const std::int64_t* index) {
    const std::size_t at = indexOf(call, Role::Weights);
    const std::vector<std::int64_t>& filters = call.arguments[at].dims;
    const std::size_t rank = call.find(Role::Output)->dims.size();
    const std::size_t grouped = filters.size() - rank;
    const std::int64_t outputs = filters[grouped], inputs = filters[grouped + 1];
    const std::int64_t group = index[1] / outputs;
    std::int64_t place[largestRank] = {group};
    place[grouped] = index[1] % outputs;
    double sum = valueAt(call, values, Role::Bias, index + 1);
    const std::vector<std::int64_t> window(filters.end() - static_cast<std::ptrdiff_t>(rank - 2),
                                           filters.end());
    overWindow(call, window, index, [&](std::int64_t* in, const std::int64_t* step) {
        in[0] = index[0];
        for (std::size_t a = 0; a + 2 < rank; ++a)
            place[grouped + 2 + a] = step[a];
        in[1] = group * inputs;
        sum += sumAlong(call, values, inputs, in, 1, place, grouped + 1);
    });
    return sum;
}

std::vector<std::int64_t> poolWindow(const ShapedCall& call) {
    const std::size_t images = call.find(Role::Input)->dims.size() - 2;
    std::vector<std::int64_t> out;
    for (std::size_t a = 0; a < images; ++a)
        out.push_back(attribute(call, 2, a, images));
    return out;
}

double pool(const ShapedCall& call, const PlainValues& values, const std::int64_t* index) {
    const std::vector<std::int64_t> window = poolWindow(call);
    double sum = 0, largest = -HUGE_VAL;
    std::int64_t seen = 0, whole = 1;
    for (const std::int64_t extent : window)
        whole *= extent;
    overWindow(call, window, index, [&](std::int64_t* in, const std::int64_t*) {
        in[0] = index[0];
        in[1] = index[1];
        const double value = valueAt(call, values, Role::Input, in);
        sum += value;
        largest = value > largest || std::isnan(value) ? value : largest;
        ++seen;
    });
    if (call.kind == CallKind::MaxPool)
        return largest;
    return sum / static_cast<double>(call.kind == CallKind::AveragePool ? seen : whole);
}

// Elements before, along and behind the axis of a call that works on rows.
struct Rows {
    std::size_t outer = 1, length = 1, inner = 1;
};

Rows rowsOf(const ShapedCall& call) {
    const std::vector<std::int64_t>& dims = call.find(Role::Output)->dims;
    const std::size_t axis = static_cast<std::size_t>(call.attributes[0]);
    Rows out;
    for (std::size_t d = 0; d < dims.size(); ++d)
        (d < axis    ? out.outer
         : d == axis ? out.length
                     : out.inner) *= static_cast<std::size_t>(dims[d]);
    return out;
}

void softmaxRow(bool logarithm, const float* x, double* y, std::size_t length, std::size_t step) {
    double largest = -HUGE_VAL, sum = 0;
    for (std::size_t i = 0; i < length; ++i) {
        const double value = static_cast<double>(x[i * step]);
        largest = value > largest || std::isnan(value) ? value : largest;
        if (std::isnan(value))
            break;
    }
    for (std::size_t i = 0; i < length; ++i)
        sum += std::exp(static_cast<double>(x[i * step]) - largest);
    for (std::size_t i = 0; i < length; ++i) {
        const double value = static_cast<double>(x[i * step]) - largest;
        y[i * step] = logarithm ? value - std::log(sum) : std::exp(value) / sum;
    }
}

} // namespace

bool hasPlainLoops(CallKind kind) {
    const CallFamily family = familyOf(kind);
    return family != CallFamily::Plain && family != CallFamily::Scaled;
}

bool worksOnRows(CallKind kind) {
    return familyOf(kind) == CallFamily::Rows;
}

void plainRows(const ShapedCall& call, const PlainValues& values, std::vector<double>& out) {
    const std::vector<float>& from = values[indexOf(call, Role::Input)];
    const Rows rows = rowsOf(call);
    out.resize(from.size());
    for (std::size_t o = 0; o < rows.outer; ++o)
        for (std::size_t i = 0; i < rows.inner; ++i) {
            const std::size_t first = o * rows.length * rows.inner + i;
            softmaxRow(call.kind == CallKind::LogSoftmax, &from[first], &out[first], rows.length,
                       rows.inner);
        }
}

double plainElement(const ShapedCall& call, const PlainValues& values, const std::int64_t* index) {
    switch (familyOf(call.kind)) {
    case CallFamily::Product:
        return product(call, values, index);
    case CallFamily::Convolution:
        return convolution(call, values, index);
    case CallFamily::Pool:
        return pool(call, values, index);
    case CallFamily::Plain:
    case CallFamily::Rows:
    case CallFamily::Scaled:
        break;
    }
    return 0;
}

double plainOfNothing(const ShapedCall& call) {
    switch (call.kind) {
    case CallKind::MaxPool:
        return -HUGE_VAL;
    case CallKind::AveragePool:
        return NAN;
    case CallKind::FullAveragePool:
        for (const std::int64_t extent : poolWindow(call))
            if (extent == 0)
                return NAN;
        return 0;
    default:
        return 0;
    }
}

std::int64_t plainWork(const ShapedCall& call) {
    std::int64_t out = 1;
    if (worksOnRows(call.kind))
        return out;
    if (call.kind == CallKind::Matmul)
        return call.find(Role::Input)->dims.back();
    if (const ShapedArgument* filters = call.find(Role::Weights)) {
        const std::size_t rank = call.find(Role::Output)->dims.size();
        for (std::size_t d = filters->dims.size() - rank + 1; d < filters->dims.size(); ++d)
            out *= filters->dims[d];
        return out;
    }
    for (const std::int64_t extent : poolWindow(call))
        out *= extent;
    return out;
}

double postOpValue(const PostOp& op, double x, [[maybe_unused]] double operand) {
    const double alpha = static_cast<double>(op.alpha), beta = static_cast<double>(op.beta);
    switch (op.kind) {
#define FW_MAP(id, number, text, code, value, ...)                                                 \
    case PostOpKind::id:                                                                           \
        return value;
#define FW_JOIN FW_MAP
#include "libraries/onednn/post_ops.def"
    }
    return x;
}

std::size_t plainPlace(const ShapedArgument& argument, const std::int64_t* index) {
    std::int64_t out = 0;
    for (std::size_t d = 0; d < argument.dims.size(); ++d)
        out = out * argument.dims[d] + (argument.dims[d] == 1 ? 0 : index[d]);
    return static_cast<std::size_t>(out);
}

bool nextIndex(const std::vector<std::int64_t>& dims, std::int64_t* index) {
    for (std::size_t d = dims.size(); d-- > 0;) {
        if (++index[d] < dims[d])
            return true;
        index[d] = 0;
    }
    return false;
}

} // namespace fw::runtime
