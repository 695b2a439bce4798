// Operators that pick or place elements by index, by size or by order.
#include "onnx/read/importers.h"

#include <fmt/format.h>
#include <numeric>

namespace fw {

namespace {

Status reverseSequence(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    FW_TRY(const std::int64_t time, n.integer("time_axis", 0));
    FW_TRY(const std::int64_t batch, n.integer("batch_axis", 1));
    if ((time != 0 || batch != 1) && (time != 1 || batch != 0))
        return n.malformed(fmt::format("time_axis {} and batch_axis {}", time, batch));
    FW_TRY(ValueRef x, n.input(0));
    FW_TRY(const ValueRef lengths, n.input(1));
    const std::size_t rank = n.type(x).rank();
    if (rank < 2)
        return n.malformed(fmt::format("{} has no two axes", n.type(x).text()));
    FW_CHECK(n.needBetween(1, 0, n.type(x).shape[static_cast<std::size_t>(time)]));
    if (time == 0)
        return n.result("reverse_sequence", {x, lengths});
    Integers exchanged(rank);
    std::iota(exchanged.begin(), exchanged.end(), 0);
    std::swap(exchanged[0], exchanged[1]);
    Attrs perm;
    perm.set("perm", exchanged);
    FW_TRY(x, n.step("transpose", {x}, perm));
    FW_TRY(x, n.step("reverse_sequence", {x, lengths}));
    return n.result("transpose", {x}, perm);
}

} // namespace

std::span<const ImporterRow> selectionImporters() {
    static constexpr ImporterRow rows[] = {
        {"ReverseSequence", 10, reverseSequence},
    };
    return rows;
}

} // namespace fw
