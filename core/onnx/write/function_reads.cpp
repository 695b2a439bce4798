// Reads of tensors, reductions, and how far variables run.
#include "onnx/write/function_expression.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace fw {

namespace {

bool isNumber(const std::string& dim) {
    return !dim.empty() && std::isdigit(static_cast<unsigned char>(dim[0])) != 0;
}

bool isBare(const Tree& index, const std::string& variable) {
    const Tree& tree = index.kind == TreeKind::Pack ? index.args[0] : index;
    return tree.isName(variable);
}

// Every read in `tree`, until `found` says so.
template <class Found>
bool anyRead(const Tree& tree, const Found& found) {
    if (tree.kind == TreeKind::Index && found(tree))
        return true;
    return std::any_of(tree.args.begin(), tree.args.end(),
                       [&](const Tree& arg) { return anyRead(arg, found); });
}

} // namespace

std::string FunctionExpression::variable(const Tree& index) const {
    const Tree& tree = index.kind == TreeKind::Pack ? index.args[0] : index;
    return tree.isName() ? tree.text : std::string();
}

std::string FunctionExpression::extentByUse(const FunctionAxis& axis, const Tree& tree) const {
    std::string out;
    const bool isRead = anyRead(tree, [&](const Tree& one) {
        const auto tensor = m_tensors.find(one.text);
        if (tensor == m_tensors.end() || tensor->second.axes.size() != one.args.size())
            return false;
        for (std::size_t i = 0; i < one.args.size(); ++i)
            if (isBare(one.args[i], axis.variable) &&
                (one.args[i].kind == TreeKind::Pack) == axis.pack) {
                out = tensor->second.axes[i].dim;
                return true;
            }
        return false;
    });
    if (isRead)
        return out;
    out = axis.variable;
    for (char& c : out)
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return out;
}

Result<FunctionAxes> FunctionExpression::readAxes(const FunctionTensor& tensor,
                                                  const Tree& tree) const {
    FunctionAxes out;
    for (std::size_t i = 0; i < tree.args.size(); ++i) {
        const Tree& index = tree.args[i];
        const FunctionAxis& own = tensor.axes[i];
        if (index.kind == TreeKind::Int && !tensor.broadcasts && !own.pack) {
            out.push_back({{}, own.dim, false});
            continue;
        }
        const std::string name = variable(index);
        const std::size_t place = name.empty() ? m_axes.size() : placeOf(m_axes, name);
        if (place == m_axes.size() || m_axes[place].pack != own.pack)
            return unsaid(fmt::format("{} is read at a computed place", tree.text));
        if (own.dim.empty() || m_axes[place].dim != own.dim)
            return unsaid(fmt::format("{} is read over {}, and its axis is another", tree.text,
                                      m_axes[place].dim.empty() ? name : m_axes[place].dim));
        if (placeOf(out, name) < out.size())
            return unsaid(fmt::format("{} is read along its diagonal", tree.text));
        out.push_back(m_axes[place]);
    }
    return out;
}

Result<FunctionValue> FunctionExpression::read(const Tree& tree) {
    const auto found = m_tensors.find(tree.text);
    if (found == m_tensors.end()) {
        const AttrParamTree* attr = findAttribute(tree.text);
        if (attr != nullptr && tree.args.size() == 1)
            return attribute(*attr, &tree.args[0]);
        return unsaid(fmt::format("{} is no tensor that is there", tree.text));
    }
    const FunctionTensor& tensor = found->second;
    if (tensor.axes.size() != tree.args.size())
        return unsaid(fmt::format("{} is read with other axes than it has", tree.text));
    FW_TRY(FunctionAxes axes, readAxes(tensor, tree));
    FunctionValue out;
    out.name = tensor.name;
    out.kind = tensor.kind;
    for (std::size_t i = 0; i < axes.size();) {
        if (!axes[i].variable.empty()) {
            ++i;
            continue;
        }
        FW_TRY(const Integers place, m_axisWriter.places(axes, i));
        const std::size_t index = i + tree.args.size() - axes.size(); // those before are gone
        out.name = m_nodes.add("Gather", {out.name, m_nodes.integer(tree.args[index].integer)},
                               "axis", place.front());
        axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (tensor.broadcasts) {
        // NumPy's rule counts axes from the end: a pack may have fewer in front only.
        std::size_t last = 0;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const std::size_t place = placeOf(m_axes, axes[i].variable);
            if ((axes[i].pack && i > 0) || (i > 0 && place < last))
                return unsaid(fmt::format("{} broadcasts, and not by its leading axes", tree.text));
            last = place;
        }
        out.stretched.insert(tree.text);
    } else {
        for (const FunctionAxis& axis : axes)
            out.covers.insert(axis.variable);
    }
    FW_TRY(out.name, m_axisWriter.aligned(out.name, axes, m_axes));
    return out;
}

bool FunctionExpression::isFull(const FunctionValue& value, const FunctionAxis& axis) const {
    if (value.covers.contains(axis.variable))
        return true;
    bool any = false;
    for (const ParamTree& param : m_op.params) {
        const auto tensor = m_tensors.find(param.name);
        if (tensor == m_tensors.end())
            continue;
        for (const FunctionAxis& own : tensor->second.axes)
            if (own.dim == axis.dim) {
                if (!tensor->second.broadcasts || !value.stretched.contains(param.name))
                    return false;
                any = true;
            }
    }
    return any;
}

// Stretched to all axes that run.
Result<FunctionValue> FunctionExpression::complete(FunctionValue value) {
    std::vector<std::string> parts;
    bool isWhole = true;
    for (const FunctionAxis& axis : m_axes)
        isWhole = isWhole && isFull(value, axis);
    if (isWhole)
        return value;
    for (const FunctionAxis& axis : m_axes) {
        FW_TRY(std::string part, extents(axis));
        parts.push_back(std::move(part));
        value.covers.insert(axis.variable);
    }
    const std::string shape =
        parts.size() == 1 ? parts.front() : m_nodes.add("Concat", parts, "axis", std::int64_t{0});
    value.name = m_nodes.add("Expand", {emitted(value), shape});
    value.literal.reset();
    return value;
}

Result<FunctionValue> FunctionExpression::valueOver(const FunctionAxes& axes, const Tree& tree) {
    m_axes = axes;
    FW_TRY(FunctionValue out, value(tree));
    return complete(std::move(out));
}

template <class Found>
bool FunctionExpression::anyAxis(const std::string& dim, bool pack, const Found& found) const {
    for (const ParamTree& param : m_op.params) {
        const auto tensor = m_tensors.find(param.name);
        if (tensor == m_tensors.end() || tensor->second.broadcasts)
            continue;
        const FunctionAxes& axes = tensor->second.axes;
        for (std::size_t i = 0; i < axes.size(); ++i)
            if (axes[i].dim == dim && axes[i].pack == pack && found(param.name, axes, i))
                return true;
    }
    return false;
}

Result<FunctionValue> FunctionExpression::extent(const std::string& dim) {
    FunctionValue out;
    out.kind = ElementKind::Integer;
    out.isFree = true;
    if (isNumber(dim)) {
        out.literal = std::stod(dim);
        return out;
    }
    for (const WhereTree& where : m_op.where)
        if (where.name == dim)
            return value(where.value);
    const auto gather = [&](const std::string& operand, const FunctionAxes& axes, std::size_t i) {
        const auto place = m_axisWriter.places(axes, i);
        if (place)
            out.name = m_nodes.add(
                "Gather", {m_nodes.add("Shape", {operand}), m_nodes.integer(place->front())});
        return place.ok();
    };
    if (anyAxis(dim, false, gather))
        return out;
    return unsaid(fmt::format("no operand says how large {} is", dim.empty() ? "an axis" : dim));
}

Result<std::string> FunctionExpression::extents(const FunctionAxis& axis) {
    if (!axis.pack) {
        FW_TRY(const FunctionValue one, extent(axis.dim));
        if (one.literal)
            return m_nodes.integers({static_cast<std::int64_t>(*one.literal)});
        return m_nodes.add("Unsqueeze", {one.name, m_nodes.integers({0})});
    }
    std::string out;
    const auto slice = [&](const std::string& operand, const FunctionAxes& axes, std::size_t i) {
        const auto span = m_axisWriter.span(axes, i);
        if (span)
            out = m_nodes.add("Slice",
                              {m_nodes.add("Shape", {operand}), m_nodes.integers({span->first}),
                               m_nodes.integers({span->second})});
        return span.ok();
    };
    if (anyAxis(axis.dim, true, slice))
        return out;
    return unsaid(fmt::format("no operand says how large {}... is", axis.dim));
}

std::size_t FunctionExpression::placeFor(const std::string& variable, const Tree& body,
                                         const FunctionAxes& running) const {
    std::size_t out = running.size();
    anyRead(body, [&](const Tree& one) {
        const auto own = std::find_if(one.args.begin(), one.args.end(),
                                      [&](const Tree& index) { return isBare(index, variable); });
        if (own == one.args.end())
            return false;
        for (auto before = own; before != one.args.begin();)
            if (const std::size_t place = placeOf(running, this->variable(*--before));
                place < running.size()) {
                out = place + 1;
                return true;
            }
        for (auto behind = own + 1; behind != one.args.end(); ++behind)
            if (const std::size_t place = placeOf(running, this->variable(*behind));
                place < running.size()) {
                out = place;
                return true;
            }
        return false;
    });
    return out;
}

Result<FunctionValue> FunctionExpression::reduce(const Tree& tree) {
    const FunctionAxes outer = m_axes;
    const Tree& body = tree.args.back();
    FunctionAxes inner = outer;
    std::vector<std::string> over;
    for (std::size_t i = 0; i + 1 < tree.args.size(); i += 2) {
        const DimTree extent{tree.args[i + 1], {}};
        const FunctionAxis axis{variable(tree.args[i]), dimName(extent),
                                tree.args[i].kind == TreeKind::Pack};
        if (axis.dim.empty())
            return unsaid(fmt::format("how far '{}' runs is computed", axis.variable));
        if (placeOf(inner, axis.variable) < inner.size())
            return unsaid(fmt::format("two variables are called '{}'", axis.variable));
        const std::size_t place = placeFor(axis.variable, body, inner);
        inner.insert(inner.begin() + static_cast<std::ptrdiff_t>(place), axis);
        over.push_back(axis.variable);
    }
    m_axes = inner;
    if (tree.text == "sum" && over.size() == 1) {
        auto whole = product(inner[placeOf(inner, over.front())], body);
        if (!whole || *whole) {
            m_axes = outer;
            if (!whole)
                return whole.takeDiag();
            FunctionValue out = **whole;
            return out;
        }
    }
    FW_TRY(FunctionValue out, value(body));
    Integers places;
    bool isAll = true; // axes are there that places count from the front
    for (const std::string& one : over) {
        const std::size_t item = placeOf(inner, one);
        FW_TRY(const Integers own, m_axisWriter.places(inner, item));
        places.insert(places.end(), own.begin(), own.end());
        isAll = isAll && isFull(out, inner[item]);
        for (std::size_t i = 0; i < item && !own.empty() && own.front() >= 0; ++i)
            isAll = isAll && isFull(out, inner[i]);
    }
    if (!isAll) {
        FW_TRY(out, complete(std::move(out)));
    }
    m_axes = outer;
    const std::string type =
        "Reduce" +
        std::string(1, static_cast<char>(std::toupper(static_cast<unsigned char>(tree.text[0])))) +
        tree.text.substr(1);
    out.name = m_nodes.reduced(type, emitted(out), places);
    out.literal.reset();
    for (const std::string& one : over)
        out.covers.erase(one);
    return out;
}

// A sum of products, each of whose factors has an axis that the other has not: as a MatMul, so that
// not every product is stored. Nothing if it is something else.
Result<std::optional<FunctionValue>> FunctionExpression::product(const FunctionAxis& over,
                                                                 const Tree& body) {
    using Outcome = std::optional<FunctionValue>;
    if (over.pack || body.kind != TreeKind::Binary || body.text != "*")
        return Outcome();
    const FunctionTensor* tensors[2] = {};
    FunctionAxes axes[2];
    for (std::size_t side = 0; side < 2; ++side) {
        const Tree& factor = body.args[side];
        const auto tensor = m_tensors.find(factor.text);
        if (factor.kind != TreeKind::Index || tensor == m_tensors.end() ||
            tensor->second.axes.size() != factor.args.size())
            return Outcome();
        FW_TRY(axes[side], readAxes(tensor->second, factor));
        if (placeOf(axes[side], over.variable) == axes[side].size() ||
            placeOf(axes[side], "") < axes[side].size())
            return Outcome();
        tensors[side] = &tensor->second;
    }
    FunctionAxes common, own[2];
    for (std::size_t side = 0; side < 2; ++side)
        for (const FunctionAxis& axis : axes[side]) {
            const bool isBoth = placeOf(axes[1 - side], axis.variable) < axes[1 - side].size();
            if (axis.variable == over.variable || (isBoth && side == 1))
                continue;
            (isBoth ? common : own[side]).push_back(axis);
        }
    if (own[0].empty() || own[1].empty())
        return Outcome();
    const auto isOne = [](const FunctionAxes& some) { return some.size() == 1 && !some[0].pack; };
    // The right factor is one matrix, or both are one for each of what they share.
    std::size_t left = 0;
    if (!isOne(own[1])) {
        if (!isOne(own[0]))
            return Outcome();
        left = 1;
    }
    if (!common.empty() && !isOne(own[left]))
        return Outcome();
    FunctionAxes rows = common, columns = common, out = common;
    rows.insert(rows.end(), own[left].begin(), own[left].end());
    rows.push_back(over);
    columns.push_back(over);
    columns.push_back(own[1 - left].front());
    out.insert(out.end(), own[left].begin(), own[left].end());
    out.push_back(own[1 - left].front());
    std::string factors[2];
    for (const auto& [side, wanted] : {std::pair(left, &rows), std::pair(1 - left, &columns)}) {
        if (tensors[side]->broadcasts && !sameOrder(axes[side], *wanted))
            return Outcome();
        FW_TRY(factors[side], m_axisWriter.ordered(tensors[side]->name, axes[side], *wanted));
    }
    FunctionAxes outer = m_axes;
    std::erase_if(outer, [&](const FunctionAxis& axis) { return axis.variable == over.variable; });
    FunctionValue value;
    value.name = m_nodes.add("MatMul", {factors[left], factors[1 - left]});
    value.kind = tensors[0]->kind;
    for (std::size_t side = 0; side < 2; ++side)
        if (tensors[side]->broadcasts)
            value.stretched.insert(body.args[side].text);
        else
            for (const FunctionAxis& axis : axes[side])
                value.covers.insert(axis.variable);
    value.covers.erase(over.variable);
    FW_TRY(value.name, m_axisWriter.aligned(value.name, out, outer));
    return Outcome(std::move(value));
}

} // namespace fw
