#include "libraries/onednn/call/onednn_describe.h"

#include <cstring>

namespace fw::runtime {

namespace {

constexpr std::int64_t largestBlock = 1024;

std::int64_t paddedTo(std::int64_t extent, std::int64_t block) {
    return (extent + block - 1) / block * block;
}

// What each axis is blocked by altogether.
void wholeBlocks(const dnnl_blocking_desc_t& blocking, int rank, std::int64_t* whole) {
    for (int d = 0; d < rank; ++d)
        whole[d] = 1;
    for (int i = 0; i < blocking.inner_nblks; ++i)
        whole[blocking.inner_idxs[i]] *= blocking.inner_blks[i];
}

std::string winogradText(const dnnl_wino_desc_t& wino) {
    std::string out = "wino:";
    for (const long value : {static_cast<long>(wino.wino_format), static_cast<long>(wino.r),
                             static_cast<long>(wino.alpha), static_cast<long>(wino.ic),
                             static_cast<long>(wino.oc), static_cast<long>(wino.ic_block),
                             static_cast<long>(wino.oc_block), static_cast<long>(wino.ic2_block),
                             static_cast<long>(wino.oc2_block), static_cast<long>(wino.size)})
        out += (out.back() == ':' ? "" : ",") + std::to_string(value);
    return out;
}

} // namespace

std::string layoutText(const dnnl_memory_desc_t& description) {
    if (description.format_kind == dnnl_format_kind_wino)
        return winogradText(description.format_desc.wino_desc);
    if (description.format_kind != dnnl_blocked)
        return {};
    const dnnl_blocking_desc_t& blocking = description.format_desc.blocking;
    const int rank = description.ndims;
    std::int64_t whole[DNNL_MAX_NDIMS];
    wholeBlocks(blocking, rank, whole);
    std::vector<int> order;
    const auto outer = [&](int d) { return description.padded_dims[d] / whole[d]; };
    // By stride; an axis of extent 1 shares its stride with the next one out.
    for (int d = 0; d < rank; ++d) {
        auto at = order.begin();
        while (at != order.end() &&
               (blocking.strides[*at] > blocking.strides[d] ||
                (blocking.strides[*at] == blocking.strides[d] && outer(*at) >= outer(d))))
            ++at;
        order.insert(at, d);
    }
    std::string out;
    for (const int d : order)
        out += static_cast<char>((whole[d] > 1 ? 'A' : 'a') + d);
    for (int i = 0; i < blocking.inner_nblks; ++i)
        out += std::to_string(blocking.inner_blks[i]) +
               static_cast<char>('a' + blocking.inner_idxs[i]);
    dnnl_memory_desc_t again;
    const std::vector<std::int64_t> dims(description.dims, description.dims + rank);
    const bool same =
        describeLayout(dims, out, again) && oneDnn().memory_desc_equal(&again, &description);
    return same ? out : std::string();
}

bool describeLayout(const std::vector<std::int64_t>& dims, const std::string& layout,
                    dnnl_memory_desc_t& description) {
    description = dnnl_memory_desc_t{};
    const std::size_t rank = dims.size();
    if (rank < 1 || rank > DNNL_MAX_NDIMS || layout.size() < rank)
        return false;
    description.ndims = static_cast<int>(rank);
    description.data_type = dnnl_f32;
    description.format_kind = dnnl_blocked;
    std::vector<std::size_t> order;
    bool blocked[DNNL_MAX_NDIMS] = {}, seen[DNNL_MAX_NDIMS] = {};
    for (std::size_t i = 0; i < rank; ++i) {
        const char c = layout[i];
        const bool capital = c >= 'A' && c <= 'Z';
        const auto d = static_cast<std::size_t>(capital ? c - 'A' : c - 'a');
        if (d >= rank || seen[d]) // other characters are far outside
            return false;
        seen[d] = true;
        blocked[d] = capital;
        order.push_back(d);
    }
    dnnl_blocking_desc_t& blocking = description.format_desc.blocking;
    std::int64_t whole[DNNL_MAX_NDIMS], inner = 1;
    for (std::int64_t& value : whole)
        value = 1;
    for (std::size_t i = rank; i < layout.size();) {
        std::int64_t block = 0;
        for (; i < layout.size() && layout[i] >= '0' && layout[i] <= '9'; ++i) {
            block = block * 10 + (layout[i] - '0');
            if (block > largestBlock)
                return false;
        }
        const auto d = i < layout.size() ? static_cast<std::size_t>(layout[i] - 'a') : rank;
        if (block < 2 || d >= rank || !blocked[d] || blocking.inner_nblks >= DNNL_MAX_NDIMS)
            return false;
        ++i;
        blocking.inner_blks[blocking.inner_nblks] = block;
        blocking.inner_idxs[blocking.inner_nblks++] = static_cast<std::int64_t>(d);
        whole[d] *= block;
        inner *= block;
        if (inner > largestBlock * largestBlock)
            return false;
    }
    for (std::size_t d = 0; d < rank; ++d) {
        if (blocked[d] != (whole[d] > 1) || dims[d] < 1)
            return false;
        description.dims[d] = dims[d];
        description.padded_dims[d] = paddedTo(dims[d], whole[d]);
    }
    std::int64_t stride = inner;
    for (std::size_t i = rank; i-- > 0;) {
        const std::size_t d = order[i];
        blocking.strides[d] = stride;
        if (__builtin_mul_overflow(stride, description.padded_dims[d] / whole[d], &stride))
            return false;
    }
    return true;
}

Status describeMemory(const ShapedArgument& argument, dnnl_memory_desc_t& description) {
    const int rank = static_cast<int>(argument.dims.size());
    if (argument.layout == "any") {
        if (oneDnn().memory_desc_init_by_tag(&description, rank, argument.dims.data(), dnnl_f32,
                                             dnnl_format_tag_any) == dnnl_success)
            return {};
    } else if (!argument.layout.empty()) {
        if (describeLayout(argument.dims, argument.layout, description))
            return {};
        return fail(FW_BAD_PROGRAM, "oneDNN knows no layout %s", argument.layout.c_str());
    } else if (oneDnn().memory_desc_init_by_strides(&description, rank, argument.dims.data(),
                                                    dnnl_f32,
                                                    argument.strides.data()) == dnnl_success) {
        return {};
    }
    return fail(FW_LIBRARY_FAILED, "oneDNN cannot describe memory of these extents and strides");
}

std::int64_t elementOffset(const dnnl_memory_desc_t& description, const std::int64_t* index) {
    const dnnl_blocking_desc_t& blocking = description.format_desc.blocking;
    std::int64_t place[DNNL_MAX_NDIMS], out = description.offset0, inner = 1;
    for (int d = 0; d < description.ndims; ++d)
        place[d] = index[d];
    for (int i = blocking.inner_nblks; i-- > 0;) {
        std::int64_t& at = place[blocking.inner_idxs[i]];
        out += at % blocking.inner_blks[i] * inner;
        at /= blocking.inner_blks[i];
        inner *= blocking.inner_blks[i];
    }
    for (int d = 0; d < description.ndims; ++d)
        out += place[d] * blocking.strides[d];
    return out;
}

} // namespace fw::runtime
