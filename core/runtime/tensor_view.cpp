#include "runtime/tensor_view.h"

#include "runtime/memory.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace fw::runtime {

namespace {

constexpr std::int64_t largestTensor = std::int64_t{1} << 47;
constexpr std::size_t largestRank = 32;

// Runs `move(dense, strided)` for every element, dense offsets in order. Offsets are in bytes.
template <class Move>
void forEachElement(const TensorView& view, Move move) {
    const std::size_t rank = view.shape.size();
    std::vector<std::int64_t> index(rank, 0);
    std::int64_t strided = 0;
    for (std::int64_t dense = 0; dense < view.elements; ++dense) {
        move(dense * view.elementSize, strided * view.elementSize);
        for (std::size_t d = rank; d-- > 0;) {
            strided += view.strides[d];
            if (++index[d] < view.shape[d])
                break;
            strided -= view.strides[d] * view.shape[d];
            index[d] = 0;
        }
    }
}

// The lowest and one past the highest address that a view touches.
void reach(const TensorView& view, std::uintptr_t& low, std::uintptr_t& high) {
    std::int64_t first = 0;
    std::int64_t last = 0;
    for (std::size_t d = 0; d < view.shape.size(); ++d) {
        const std::int64_t distance = view.strides[d] * (view.shape[d] - 1);
        (distance < 0 ? first : last) += distance;
    }
    const auto base = reinterpret_cast<std::uintptr_t>(view.data);
    low = base + static_cast<std::uintptr_t>(first * view.elementSize);
    high = base + static_cast<std::uintptr_t>((last + 1) * view.elementSize);
}

} // namespace

std::string shapeText(const std::vector<std::int64_t>& shape) {
    if (shape.empty())
        return "scalar";
    std::string text;
    for (std::int64_t extent : shape) {
        if (!text.empty())
            text += 'x';
        text += std::to_string(extent);
    }
    return text;
}

namespace {

std::string givenText(const fw_dtype& given) {
    for (std::size_t i = 0; i <= static_cast<std::size_t>(DataType::Bool); ++i) {
        const fw_dtype known = dlpackType(static_cast<DataType>(i));
        if (given.code == known.code && given.bits == known.bits && given.lanes == known.lanes)
            return typeName(static_cast<DataType>(i));
    }
    return "DLPack type code " + std::to_string(given.code) + " with " +
           std::to_string(given.bits) + " bits and " + std::to_string(given.lanes) + " lanes";
}

} // namespace

Status makeView(const fw_tensor& tensor, const Tensor& expected, const std::string& what,
                TensorView& view) {
    const fw_dtype wanted = dlpackType(expected.type);
    const fw_dtype given = tensor.dtype;
    if (tensor.device.device_type != 1)
        return fail(FW_BAD_ARGUMENT, "%s: the tensor is not in CPU memory", what.c_str());
    const bool boolAsByte =
        expected.type == DataType::Bool && given.code == FW_UINT && given.bits == 8;
    if (given.lanes != 1 ||
        ((given.code != wanted.code || given.bits != wanted.bits) && !boolAsByte))
        return fail(FW_BAD_DTYPE, "%s: elements must be %s, got %s", what.c_str(),
                    typeName(expected.type), givenText(given).c_str());
    if (tensor.ndim < 0 || static_cast<std::size_t>(tensor.ndim) != expected.dims.size() ||
        expected.dims.size() > largestRank)
        return fail(FW_BAD_SHAPE, "%s: rank must be %zu, got %d", what.c_str(),
                    expected.dims.size(), tensor.ndim);
    const auto rank = static_cast<std::size_t>(tensor.ndim);
    if (rank > 0 && !tensor.shape)
        return fail(FW_BAD_ARGUMENT, "%s: the shape is null", what.c_str());

    view.elementSize = elementBytes(expected.type);
    view.shape.assign(tensor.shape, tensor.shape + rank);
    view.strides.assign(rank, 1);
    view.elements = 1;
    bool empty = false;
    for (std::int64_t extent : view.shape) {
        if (extent < 0)
            return fail(FW_BAD_SHAPE, "%s: extent %lld is negative", what.c_str(),
                        static_cast<long long>(extent));
        empty = empty || extent == 0;
        if (extent > 1 && (__builtin_mul_overflow(view.elements, extent, &view.elements) ||
                           view.elements > largestTensor / 8))
            return fail(FW_OVERFLOW, "%s: the tensor is too large", what.c_str());
    }
    view.contiguous = true;
    std::int64_t dense = 1;
    for (std::size_t d = rank; d-- > 0;) {
        view.strides[d] = tensor.strides ? tensor.strides[d] : dense;
        if (view.shape[d] > 1 && view.strides[d] != dense)
            view.contiguous = false;
        if (view.shape[d] > 1)
            dense *= view.shape[d];
        std::int64_t span = 0;
        if (__builtin_mul_overflow(view.strides[d], view.shape[d], &span) || span > largestTensor ||
            span < -largestTensor)
            return fail(FW_OVERFLOW, "%s: a stride is too large", what.c_str());
    }
    if (empty)
        view.elements = 0;
    if (!tensor.data && view.elements > 0)
        return fail(FW_BAD_ARGUMENT, "%s: the data is null", what.c_str());
    view.data = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
    return {};
}

void copyToDense(const TensorView& from, std::byte* to) {
    if (from.elements == 0)
        return;
    if (from.contiguous) {
        std::memcpy(to, from.data, static_cast<std::size_t>(from.bytes()));
        return;
    }
    forEachElement(from, [&](std::int64_t dense, std::int64_t strided) {
        std::memcpy(to + dense, from.data + strided, static_cast<std::size_t>(from.elementSize));
    });
}

void copyFromDense(const std::byte* from, const TensorView& to) {
    if (to.elements == 0)
        return;
    if (to.contiguous) {
        std::memcpy(to.data, from, static_cast<std::size_t>(to.bytes()));
        return;
    }
    forEachElement(to, [&](std::int64_t dense, std::int64_t strided) {
        std::memcpy(to.data + strided, from + dense, static_cast<std::size_t>(to.elementSize));
    });
}

bool overlap(const TensorView& a, const TensorView& b) {
    if (a.elements == 0 || b.elements == 0)
        return false;
    std::uintptr_t lowA = 0, highA = 0, lowB = 0, highB = 0;
    reach(a, lowA, highA);
    reach(b, lowB, highB);
    return lowA < highB && lowB < highA;
}

bool touches(const TensorView& view, const void* memory, std::size_t bytes) {
    if (view.elements == 0 || bytes == 0)
        return false;
    std::uintptr_t low = 0, high = 0;
    reach(view, low, high);
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    return low < begin + bytes && begin < high;
}

namespace {

// One bit for each byte between two addresses.
class TouchedBytes {
public:
    Status open(std::uintptr_t low, std::uintptr_t high) {
        m_low = low;
        m_high = high;
        return m_bits.reserve((high - low) / 8 + 1);
    }

    // Whether a byte of this element was touched before.
    bool touched(std::uintptr_t at, std::int64_t size) const {
        for (std::uintptr_t byte = first(at); byte < last(at, size); ++byte)
            if ((std::to_integer<unsigned>(m_bits.data()[byte / 8]) >> byte % 8 & 1u) != 0)
                return true;
        return false;
    }
    void touch(std::uintptr_t at, std::int64_t size) {
        for (std::uintptr_t byte = first(at); byte < last(at, size); ++byte)
            m_bits.data()[byte / 8] |= std::byte(1u << byte % 8);
    }

private:
    std::uintptr_t first(std::uintptr_t at) const { return at < m_low ? 0 : at - m_low; }
    std::uintptr_t last(std::uintptr_t at, std::int64_t size) const {
        const std::uintptr_t end = std::min(at + static_cast<std::uintptr_t>(size), m_high);
        return end < m_low ? 0 : end - m_low;
    }

    AlignedMemory m_bits;
    std::uintptr_t m_low = 0, m_high = 0;
};

// True if every axis steps over all that the axes with smaller strides reach.
bool isNested(const TensorView& view) {
    std::vector<std::pair<std::int64_t, std::int64_t>> axes;
    for (std::size_t d = 0; d < view.shape.size(); ++d)
        if (view.shape[d] > 1)
            axes.emplace_back(view.strides[d] < 0 ? -view.strides[d] : view.strides[d],
                              view.shape[d]);
    std::sort(axes.begin(), axes.end());
    std::int64_t reached = 1;
    for (const auto& [stride, extent] : axes) {
        if (stride < reached)
            return false;
        reached += stride * (extent - 1);
    }
    return true;
}

} // namespace

Status findShared(const TensorView& a, const TensorView& b, bool& shared) {
    const bool isSame = &a == &b;
    shared = false;
    if (!overlap(a, b) || (isSame && isNested(a)))
        return {};
    if (a.contiguous && b.contiguous) {
        shared = true;
        return {};
    }
    std::uintptr_t lowA = 0, highA = 0, lowB = 0, highB = 0;
    reach(a, lowA, highA);
    reach(b, lowB, highB);
    TouchedBytes bytes;
    if (Status status = bytes.open(std::max(lowA, lowB), std::min(highA, highB)); !status.ok())
        return status;
    const auto check = [&](const TensorView& view, bool touches) {
        const auto base = reinterpret_cast<std::uintptr_t>(view.data);
        forEachElement(view, [&](std::int64_t, std::int64_t strided) {
            const std::uintptr_t at = base + static_cast<std::uintptr_t>(strided);
            if (shared)
                return;
            if (!touches || isSame)
                shared = bytes.touched(at, view.elementSize);
            if (touches)
                bytes.touch(at, view.elementSize);
        });
    };
    check(a, true);
    if (!isSame)
        check(b, false);
    return {};
}

} // namespace fw::runtime
