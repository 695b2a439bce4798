// The small instance of a call: extents that keep what kernels depend on.
#include "libraries/onednn/call/onednn_trial.h"
#include "runtime/plain_loops.h"

#include <algorithm>

namespace fw::runtime {

namespace {

constexpr std::int64_t fewChannels = 40, keptRemainder = 16;

std::int64_t shorter(std::int64_t extent, std::int64_t most) {
    return extent <= most ? extent : most - 1 + extent % 2;
}

// New extents of the arguments, found axis by axis.
class Smaller {
public:
    Smaller(const ShapedCall& call, bool keepChannels, std::int64_t images)
        : m_call(call), m_keep(keepChannels), m_images(images) {
        for (const ShapedArgument& argument : call.arguments)
            m_dims.push_back(argument.dims);
    }

    std::vector<std::vector<std::int64_t>> take() {
        std::vector<std::int64_t>& output = of(Role::Output);
        if (worksOnRows(m_call.kind))
            rows(output);
        else if (m_call.kind == CallKind::Matmul)
            product(output);
        else
            images(output);
        for (std::size_t i = 0; i < m_dims.size(); ++i) {
            const Role role = m_call.arguments[i].role;
            if (role == Role::Operand || (role == Role::Bias && m_dims[i].size() > 1))
                for (std::size_t d = 0; d < output.size(); ++d)
                    m_dims[i][d] = m_dims[i][d] == 1 ? 1 : output[d];
            else if (role == Role::Bias)
                m_dims[i][0] = output[1];
        }
        return std::move(m_dims);
    }

private:
    std::vector<std::int64_t>& of(Role role) {
        std::size_t i = 0;
        while (m_call.arguments[i].role != role)
            ++i;
        return m_dims[i];
    }

    std::int64_t channels(std::int64_t extent) const {
        return m_keep || extent <= fewChannels ? extent
                                               : 2 * keptRemainder + extent % keptRemainder;
    }

    void rows(std::vector<std::int64_t>& output) {
        const auto axis = static_cast<std::size_t>(m_call.attributes[0]);
        for (std::size_t d = 0; d < output.size(); ++d)
            output[d] = d == axis ? channels(output[d]) : std::min<std::int64_t>(output[d], 3);
        of(Role::Input) = output;
    }

    void product(std::vector<std::int64_t>& output) {
        std::vector<std::int64_t>&left = of(Role::Input), &right = of(Role::Weights);
        const std::size_t rank = output.size();
        for (std::size_t d = 0; d + 2 < rank; ++d) {
            output[d] = std::min<std::int64_t>(output[d], 2);
            left[d] = left[d] == 1 ? 1 : output[d];
            right[d] = right[d] == 1 ? 1 : output[d];
        }
        output[rank - 2] = left[rank - 2] = shorter(output[rank - 2], 18 * m_images);
        output[rank - 1] = right[rank - 1] = channels(output[rank - 1]);
        left[rank - 1] = right[rank - 2] = channels(left[rank - 1]);
    }

    void images(std::vector<std::int64_t>& output) {
        std::vector<std::int64_t>& input = of(Role::Input);
        input[0] = output[0] = std::min<std::int64_t>(output[0], 2);
        if (m_call.find(Role::Weights))
            filters(output, input, of(Role::Weights));
        else
            input[1] = output[1] = channels(output[1]);
        const bool transposed = m_call.kind == CallKind::Deconvolution;
        std::vector<std::int64_t>&few = transposed ? input : output,
        &many = transposed ? output : input;
        for (std::size_t d = 2; d < output.size(); ++d) {
            const std::int64_t wanted =
                shorter(few[d], m_images * (d + 1 == output.size() ? 9 : 5));
            const std::int64_t rest = many[d] - (few[d] - wanted) * m_call.attributes[d - 2];
            if (rest < 1)
                continue;
            few[d] = wanted;
            many[d] = rest;
        }
    }

    void filters(std::vector<std::int64_t>& output, std::vector<std::int64_t>& input,
                 std::vector<std::int64_t>& weights) {
        const std::size_t at = weights.size() - output.size(); // behind the groups, if any
        std::int64_t groups = at == 1 ? weights[0] : 1;
        if (groups > 1 && weights[1] == 1 && weights[2] == 1)
            groups = channels(groups);
        else if (!m_keep)
            groups = std::min<std::int64_t>(groups, 3);
        if (at == 1)
            weights[0] = groups;
        weights[at] = channels(weights[at]);
        weights[at + 1] = channels(weights[at + 1]);
        output[1] = groups * weights[at];
        input[1] = groups * weights[at + 1];
    }

    const ShapedCall& m_call;
    bool m_keep;
    std::int64_t m_images;
    std::vector<std::vector<std::int64_t>> m_dims;
};

// Strides of the same order for other extents; rows that are longer than what is used stay so.
bool keepOrder(const ShapedArgument& was, ShapedArgument& small) {
    // One channel beside the pixels of a row has their stride: it lies inside.
    const auto inside = [&](std::size_t a, std::size_t b) {
        return was.strides[a] < was.strides[b] ||
               (was.strides[a] == was.strides[b] && was.dims[a] == 1 && was.dims[b] > 1);
    };
    std::vector<std::size_t> order; // axes from the outermost in memory
    for (std::size_t d = 0; d < was.dims.size(); ++d) {
        auto at = order.end();
        while (at != order.begin() && inside(*(at - 1), d))
            --at;
        order.insert(at, d);
    }
    std::int64_t then = 1, now = 1; // the stride without a gap
    for (std::size_t i = order.size(); i-- > 0;) {
        const std::size_t d = order[i];
        small.strides[d] = now;
        if (was.dims[d] == 1)
            continue;
        const std::int64_t gap = was.strides[d] - then;
        if (gap < 0)
            return false;
        small.strides[d] += gap < keptRemainder ? gap : keptRemainder + gap % keptRemainder;
        then = was.strides[d] * was.dims[d];
        now = small.strides[d] * small.dims[d];
    }
    return true;
}

} // namespace

bool smallInstance(const ShapedCall& call, bool channels, ShapedCall& small, std::int64_t images) {
    small = call;
    const std::vector<std::vector<std::int64_t>> dims = Smaller(call, channels, images).take();
    for (std::size_t i = 0; i < small.arguments.size(); ++i) {
        ShapedArgument& argument = small.arguments[i];
        argument.dims = dims[i];
        argument.offset %= keptRemainder;
        argument.buffer = static_cast<std::uint32_t>(i);
        if (argument.layout.empty() && !keepOrder(call.arguments[i], argument))
            return false;
        // Packed weights: the library chooses again, the names of some layouts hold extents.
        if (argument.role == Role::Weights && !argument.layout.empty())
            argument.layout = "any";
    }
    return true;
}

} // namespace fw::runtime
