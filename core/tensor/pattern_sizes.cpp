#include "tensor/pattern_sizes.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

constexpr std::size_t unknown = static_cast<std::size_t>(-1);

// An item of a pattern while it is looked for.
struct Item {
    std::size_t size = 1;
    std::size_t start = unknown;
};

std::string patternText(const ParamTree& param) {
    std::string out = param.type.dtype + "[";
    for (std::size_t i = 0; i < param.type.dims.size(); ++i) {
        const DimTree& dim = param.type.dims[i];
        const std::string name = nameOf(dim);
        out += (i > 0 ? ", " : "") + (name.empty() ? "expression" : name) +
               (isPack(dim) ? "..." : "") + (dim.axis.empty() ? "" : "@" + dim.axis);
    }
    return out + "]";
}

// An operand under its name, and what is known while it is held against its pattern.
struct NamedOperand {
    const std::string& name;
    const TensorType& type;
    const Names& names;

    // " where axis is 2": of the attributes that the pattern names
    std::string axesText(const ParamTree& param) const {
        std::string out;
        for (const DimTree& dim : param.type.dims)
            if (const auto axis = names.find(dim.axis); axis != names.end())
                if (const auto* one = std::get_if<Expr>(&axis->second))
                    out += fmt::format(" {} {} is {}", out.empty() ? "where" : "and", dim.axis,
                                       one->text());
        return out;
    }
};

Diag misfit(const ParamTree& param, const NamedOperand& operand) {
    return makeDiag(DiagCode::ShapeMismatch,
                    fmt::format("{} is {}, which does not fit {}{}", operand.name,
                                operand.type.text(), patternText(param), operand.axesText(param)));
}

// Of an item picked by an attribute: one axis, or an adjacent run of them.
Result<Item> anchored(const DimTree& dim, std::size_t rank, const Names& names) {
    const auto found = names.find(dim.axis);
    Exprs axes;
    if (found != names.end()) {
        if (const auto* one = std::get_if<Expr>(&found->second))
            axes = {*one};
        else if (const auto* list = std::get_if<Exprs>(&found->second))
            axes = *list;
    }
    std::vector<std::size_t> places;
    for (const Expr& axis : axes) {
        std::int64_t value = axis.asInt().value_or(static_cast<std::int64_t>(rank));
        if (value < 0)
            value += static_cast<std::int64_t>(rank);
        if (value < 0 || value >= static_cast<std::int64_t>(rank))
            return makeDiag(
                DiagCode::UnsupportedAttribute,
                fmt::format("{} is {}, out of range of rank {}", dim.axis, axis.text(), rank));
        places.push_back(static_cast<std::size_t>(value));
    }
    if (axes.empty() && found != names.end())
        for (std::size_t i = 0; i < rank; ++i)
            places.push_back(i);
    std::sort(places.begin(), places.end());
    for (std::size_t i = 1; i < places.size(); ++i)
        if (places[i] != places[i - 1] + 1)
            return makeDiag(DiagCode::UnsupportedAttribute,
                            fmt::format("{} are not adjacent axes", dim.axis));
    if (!isPack(dim) && places.size() != 1)
        return makeDiag(DiagCode::UnsupportedAttribute,
                        fmt::format("{} names {} axes, where {} stands for one", dim.axis,
                                    places.size(), nameOf(dim)));
    return Item{places.size(), places.empty() ? 0 : places.front()};
}

// Unknown: as many as are left.
Result<std::size_t> packSize(const ParamTree& param, const DimTree& dim, const Names& names,
                             TreeEvaluator& shapes) {
    const std::string name = nameOf(dim);
    if (name.empty()) {
        FW_TRY(const Exprs wanted, shapes.list(dim.value));
        return wanted.size();
    }
    const auto bound = names.find(name);
    if (!param.bcast && bound != names.end())
        if (const auto* list = std::get_if<Exprs>(&bound->second))
            return list->size();
    return unknown;
}

// Items that take the dimensions from `at` to `limit`, one of them what the others leave.
struct Run {
    std::size_t begin = 0, end = 0;
    std::size_t at = 0, limit = 0;
};

Status fill(const Run& run, std::vector<Item>& items, const ParamTree& param,
            const NamedOperand& operand, const std::string& file) {
    std::size_t known = 0, open = unknown;
    for (std::size_t i = run.begin; i < run.end; ++i) {
        if (items[i].size == unknown && open != unknown)
            return makeDiag(
                DiagCode::TextType,
                fmt::format("where {} ends is not decided", nameOf(param.type.dims[open])),
                {file, {}, param.span.line, param.span.column});
        if (items[i].size == unknown)
            open = i;
        else
            known += items[i].size;
    }
    const std::size_t taken = run.at + known;
    if (taken > run.limit || (open == unknown && taken != run.limit))
        return misfit(param, operand);
    if (open != unknown)
        items[open].size = run.limit - taken;
    return {};
}

} // namespace

Result<std::vector<std::size_t>> patternSizes(const ParamTree& param, const std::string& name,
                                              const TensorType& type, const Names& names,
                                              TreeEvaluator& shapes, const std::string& file) {
    const NamedOperand operand{name, type, names};
    const std::vector<DimTree>& dims = param.type.dims;
    const std::size_t rank = type.rank();
    std::vector<Item> items(dims.size());
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (isPack(dims[i])) {
            FW_TRY(items[i].size, packSize(param, dims[i], names, shapes));
        }
        if (!dims[i].axis.empty()) {
            FW_TRY(items[i], anchored(dims[i], rank, names));
        }
    }
    if (dims.empty() ? rank != 0 : items[0].start != unknown && items[0].start != 0)
        return misfit(param, operand);
    for (Run run; run.begin < items.size(); run.begin = run.end, run.at = run.limit) {
        run.end = run.begin + 1;
        while (run.end < items.size() && items[run.end].start == unknown)
            ++run.end;
        run.limit = run.end < items.size() ? items[run.end].start : rank;
        FW_CHECK(fill(run, items, param, operand, file));
    }
    std::vector<std::size_t> out;
    for (const Item& item : items)
        out.push_back(item.size);
    return out;
}

} // namespace fw
