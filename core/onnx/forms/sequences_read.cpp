// Sequences whose tensors are known one by one while a model is read: what puts them together and
// what takes them apart leaves nothing but the tensors. A sequence whose length or places are
// computed stays an operator that is not known.
#include "onnx/read/importers.h"

#include <fmt/format.h>

namespace fw {

namespace {

constexpr std::size_t mostParts = 4096;

// The place that operand i names among `count`; the last one if it is not given.
Result<std::size_t> placeOf(NodeImport& n, std::size_t i, std::size_t count, std::size_t fallback) {
    if (!n.has(i))
        return fallback;
    const auto given = n.integers(i);
    if (!given || given->size() != 1)
        return n.unsupported("at a computed place of a sequence");
    const auto size = static_cast<std::int64_t>(count);
    const std::int64_t at = given->front() < 0 ? given->front() + size : given->front();
    if (at < 0 || at >= size)
        return n.malformed(fmt::format("place {} of a sequence of {}", given->front(), count));
    return static_cast<std::size_t>(at);
}

Result<std::vector<ValueRef>> partsOf(NodeImport& n) {
    const std::vector<ValueRef>* parts = n.parts(0);
    if (parts == nullptr)
        return n.unsupported("of a sequence that is computed");
    return *parts;
}

Status sequenceConstruct(NodeImport& n) {
    FW_CHECK(n.need(1, n.inputCount()));
    std::vector<ValueRef> parts;
    for (std::size_t i = 0; i < n.inputCount(); ++i) {
        FW_TRY(parts.emplace_back(), n.input(i));
    }
    return n.resultParts(std::move(parts));
}

Status sequenceEmpty(NodeImport& n) {
    FW_TRY([[maybe_unused]] const std::int64_t dtype, n.integer("dtype", 1));
    return n.resultParts({});
}

Status sequenceAt(NodeImport& n) {
    FW_CHECK(n.need(2, 2));
    FW_TRY(const std::vector<ValueRef> parts, partsOf(n));
    FW_TRY(const std::size_t place, placeOf(n, 1, parts.size(), 0));
    return n.alias(0, parts[place]);
}

Status sequenceInsert(NodeImport& n) {
    FW_CHECK(n.need(2, 3));
    FW_TRY(std::vector<ValueRef> parts, partsOf(n));
    FW_TRY(const ValueRef tensor, n.input(1));
    std::size_t place = parts.size(); // behind the last one, too
    if (n.has(2)) {
        const auto given = n.integers(2);
        if (!given || given->size() != 1 || given->front() != static_cast<std::int64_t>(place)) {
            FW_TRY(place, placeOf(n, 2, parts.size(), place));
        }
    }
    if (parts.size() >= mostParts)
        return n.unsupported(fmt::format("a sequence of more than {}", mostParts));
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(place), tensor);
    return n.resultParts(std::move(parts));
}

Status sequenceErase(NodeImport& n) {
    FW_CHECK(n.need(1, 2));
    FW_TRY(std::vector<ValueRef> parts, partsOf(n));
    if (parts.empty())
        return n.malformed("there is nothing in the sequence");
    FW_TRY(const std::size_t place, placeOf(n, 1, parts.size(), parts.size() - 1));
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place));
    return n.resultParts(std::move(parts));
}

Status sequenceLength(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const std::vector<ValueRef> parts, partsOf(n));
    return n.constantResult(
        dataFromIntegers(DType::I64, {}, {static_cast<std::int64_t>(parts.size())}));
}

Status concatFromSequence(NodeImport& n) {
    FW_CHECK(n.need(1, 1));
    FW_TRY(const std::int64_t where, n.integer("axis", 0));
    FW_TRY(const bool isNew, n.flag("new_axis", false));
    FW_TRY(std::vector<ValueRef> parts, partsOf(n));
    if (parts.empty())
        return n.malformed("there is nothing in the sequence");
    FW_TRY(const std::size_t axis, n.axis(where, n.type(parts[0]).rank() + (isNew ? 1 : 0)));
    for (ValueRef& part : parts) {
        if (!isNew)
            break;
        Shape shape = n.type(part).shape;
        if (axis > shape.size())
            return n.malformed("tensors of several ranks become one");
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), intExpr(1));
        FW_TRY(part, n.reshaped(part, shape));
    }
    Attrs attrs;
    attrs.set("axis", static_cast<std::int64_t>(axis));
    return n.result("concat", std::move(parts), std::move(attrs));
}

// Sizes of the parts, or nothing where their number is not known.
Result<Integers> sizesOf(NodeImport& n, const TensorType& type, std::size_t axis) {
    const auto extent = type.shape[axis].asInt();
    Integers each;
    if (n.has(1)) {
        const auto given = n.integers(1);
        FW_TRY(const TensorType split, n.inputType(1));
        if (!given)
            return n.unsupported("into parts of computed sizes");
        if (split.rank() == 1)
            return *given;
        each = *given;
    } else {
        each = {1};
    }
    if (!extent)
        return n.unsupported("a free dimension into parts of one size: how many is not known",
                             "bind it (--dim)");
    if (each.size() != 1 || each[0] < 1)
        return n.malformed("the size of its parts is no positive number");
    Integers out;
    for (std::int64_t at = 0; at < *extent; at += each[0]) {
        out.push_back(std::min(each[0], *extent - at));
        if (out.size() > mostParts)
            break; // refused by who asks
    }
    return out;
}

Status splitToSequence(NodeImport& n) {
    FW_CHECK(n.need(1, 2));
    FW_TRY(const std::int64_t where, n.integer("axis", 0));
    FW_TRY(const bool given, n.flag("keepdims", true));
    const bool keeps = given || n.has(1); // it says nothing of parts whose sizes are given
    FW_TRY(const ValueRef x, n.input(0));
    const TensorType type = n.type(x);
    FW_TRY(const std::size_t axis, n.axis(where, type.rank()));
    FW_TRY(Integers sizes, sizesOf(n, type, axis));
    if (sizes.size() > mostParts)
        return n.unsupported(fmt::format("a sequence of more than {}", mostParts));
    if (sizes.empty())
        return n.resultParts({});
    Attrs attrs;
    attrs.set("axis", static_cast<std::int64_t>(axis));
    attrs.set("sizes", std::move(sizes));
    FW_TRY(std::vector<ValueRef> parts, n.steps("split", {x}, std::move(attrs)));
    const std::size_t only[] = {axis};
    if (!keeps)
        for (ValueRef& part : parts) {
            FW_TRY(part, n.reshaped(part, withoutAxes(type.shape, only)));
        }
    return n.resultParts(std::move(parts));
}

} // namespace

std::span<const ImporterRow> sequenceImporters() {
    static constexpr ImporterRow rows[] = {
        {"SequenceConstruct", 11, sequenceConstruct},
        {"SequenceEmpty", 11, sequenceEmpty},
        {"SequenceAt", 11, sequenceAt},
        {"SequenceInsert", 11, sequenceInsert},
        {"SequenceErase", 11, sequenceErase},
        {"SequenceLength", 11, sequenceLength},
        {"ConcatFromSequence", 11, concatFromSequence},
        {"SplitToSequence", 11, splitToSequence},
    };
    return rows;
}

} // namespace fw
