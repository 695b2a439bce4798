#include "runtime/index_check.h"

#include <algorithm>

namespace fw::runtime {

namespace {

struct Outside {
    std::int64_t element = -1; // -1: all lie inside
    std::int64_t value = 0;
};

template <class T>
Outside find(const void* data, const IndexUse& use, std::int64_t count, std::int64_t extent) {
    const T* all = static_cast<const T*>(data);
    const auto isInside = [&](T value) {
        const auto place = static_cast<std::int64_t>(value);
        return (place >= -extent && place < extent) || place == use.ignored;
    };
    // The usual case takes one pass over smallest and largest, without a way out of the loop.
    T least = 0, most = 0;
    for (std::int64_t i = use.first; i < count; i += use.stride) {
        least = std::min(least, all[i]);
        most = std::max(most, all[i]);
    }
    if (isInside(least) && isInside(most) && !use.ignored)
        return {};
    for (std::int64_t i = use.first; i < count; i += use.stride)
        if (!isInside(all[i]))
            return {i, static_cast<std::int64_t>(all[i])};
    return {};
}

Outside findOf(DataType type, const void* data, const IndexUse& use, std::int64_t count,
               std::int64_t extent) {
    switch (type) {
    case DataType::I8:
        return find<std::int8_t>(data, use, count, extent);
    case DataType::I16:
        return find<std::int16_t>(data, use, count, extent);
    case DataType::I32:
        return find<std::int32_t>(data, use, count, extent);
    case DataType::I64:
    case DataType::U64: // as the index is computed with
        return find<std::int64_t>(data, use, count, extent);
    case DataType::U8:
        return find<std::uint8_t>(data, use, count, extent);
    case DataType::U16:
        return find<std::uint16_t>(data, use, count, extent);
    case DataType::U32:
        return find<std::uint32_t>(data, use, count, extent);
    default: // checkProgram refused them
        return {};
    }
}

} // namespace

Status checkInside(const IndexUse& use, const Tensor& tensor, const void* data, std::int64_t bytes,
                   std::int64_t extent) {
    const std::int64_t count = bytes / elementBytes(tensor.type);
    if (extent <= 0)
        return {};
    const Outside outside = findOf(tensor.type, data, use, count, extent);
    if (outside.element < 0)
        return {};
    return fail(FW_BAD_INDEX,
                "%s: element %lld of %s is %lld, which lies outside of an axis of %lld: an index "
                "lies between %lld and %lld",
                use.node.c_str(), static_cast<long long>(outside.element), tensor.name.c_str(),
                static_cast<long long>(outside.value), static_cast<long long>(extent),
                static_cast<long long>(-extent), static_cast<long long>(extent - 1));
}

} // namespace fw::runtime
