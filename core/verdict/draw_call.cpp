#include "verdict/draw_call.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fw {

namespace {

constexpr int mostAttempts = 400;          // at one call
constexpr std::int64_t mostElements = 600; // of one tensor
constexpr double mostWork = 2e4;           // operations of one call
constexpr std::int64_t smallExtents[] = {1, 2, 3, 4, 5, 6};

// The elements of a shape of numbers; nullopt if it has another extent, or too many.
std::optional<std::int64_t> elementsOf(const Shape& shape) {
    std::int64_t out = 1;
    for (const Dim& dim : shape) {
        const std::int64_t extent = dim.asInt().value_or(-1);
        if (extent < 0 || (extent > 0 && out > mostElements / extent))
            return std::nullopt;
        out *= extent;
    }
    return out;
}

const Shape& shapeOfFirst(const std::vector<std::optional<TensorType>>& operands) {
    static const Shape none;
    for (const auto& type : operands)
        if (type)
            return type->shape;
    return none;
}

} // namespace

std::int64_t CallDrawer::extent() {
    if (!m_extents.empty() && m_random.chance(60))
        return m_random.pick(m_extents);
    if (m_random.chance(3))
        return 0;
    const bool literal = !m_literals.integers.empty() && m_random.chance(30);
    m_extents.push_back(literal ? m_random.pick(m_literals.integers)
                                : smallExtents[m_random.below(std::size(smallExtents))]);
    return m_extents.back();
}

TensorType CallDrawer::type(DType dtype) {
    TensorType out;
    out.dtype = dtype;
    const bool equal = m_random.chance(30); // so that axes may change places
    const Dim all(extent());
    std::size_t rank = m_random.below(m_random.chance(10) ? 7 : 5);
    if (equal && m_random.chance(70))
        rank = 3;
    for (; rank > 0; --rank)
        out.shape.push_back(equal ? all : Dim(extent()));
    return out;
}

TensorType CallDrawer::operand(const std::vector<std::optional<TensorType>>& known, DType real) {
    std::vector<const TensorType*> others;
    for (const auto& type : known)
        if (type)
            others.push_back(&*type);
    const DType dtype = m_random.chance(80) ? real : m_random.chance(60) ? DType::I64 : DType::Bool;
    if (others.empty() || m_random.chance(25))
        return type(dtype);
    TensorType out = *others[m_random.below(others.size())];
    if (m_random.chance(20))
        out.dtype = dtype;
    const std::size_t rank = out.shape.size();
    if (m_random.chance(55) || rank == 0)
        return out;
    if (m_random.chance(50)) // one extent
        return {out.dtype, {out.shape[m_random.below(rank)]}};
    if (m_random.chance(50)) // what broadcasts to it
        out.shape.erase(out.shape.begin(),
                        out.shape.begin() + static_cast<std::ptrdiff_t>(m_random.below(rank + 1)));
    for (Dim& dim : out.shape)
        if (m_random.chance(30))
            dim = Dim(m_random.chance(50) ? 1 : extent());
    return out;
}

// What is 1 where nothing is written is rarely of use below.
std::int64_t CallDrawer::near(std::int64_t written) {
    if (m_random.chance(8))
        return written - m_random.between(1, 2);
    if (!m_literals.integers.empty() && m_random.chance(15))
        return m_random.pick(m_literals.integers);
    return written + (m_random.chance(45) ? 0 : m_random.between(1, 2));
}

// Lists of the rule, orders, extents in another arrangement, numbers near what is written.
AttrValue CallDrawer::integers(const Shape& operand, std::size_t count, const Integers* written) {
    if (!m_literals.lists.empty() && m_random.chance(30))
        return m_random.pick(m_literals.lists);
    Integers out(operand.size());
    const auto shuffle = [&] {
        for (std::size_t i = out.size(); i > 1; --i)
            std::swap(out[i - 1], out[m_random.below(i)]);
    };
    if (count == operand.size() && m_random.chance(50)) {
        std::iota(out.begin(), out.end(), 0);
        shuffle();
        return out;
    }
    if (m_random.chance(30) && elementsOf(operand)) {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = *operand[i].asInt();
        shuffle();
        while (out.size() > 1 && m_random.chance(40)) {
            out[out.size() - 2] *= out.back();
            out.pop_back();
        }
        while (m_random.chance(25))
            out.insert(out.begin() + static_cast<std::ptrdiff_t>(m_random.below(out.size() + 1)),
                       1);
        return out;
    }
    if (written != nullptr && written->size() == count) {
        out = *written;
        for (std::int64_t& item : out)
            item = near(item);
        return out;
    }
    const std::int64_t least = m_random.chance(50) ? 1 : 0;
    out.assign(count, near(least));
    if (!m_random.chance(40)) // else all the same
        for (std::int64_t& item : out)
            item = near(least);
    return out;
}

std::optional<AttrValue> CallDrawer::attribute(const Operator& op, const std::string& name,
                                               const Shape& operand, std::size_t length) {
    const auto written = op.attrDefault(name);
    const AttrType type = op.attrType(name).value_or(AttrType::Any);
    if (written && m_random.chance(type == AttrType::IntList ? 25 : 45))
        return written;
    switch (type) {
    case AttrType::Int:
        if (!operand.empty() && m_random.chance(15)) // as many as there are, as of groups
            return operand[m_random.below(operand.size())].asInt().value_or(1);
        return !m_literals.integers.empty() && m_random.chance(20)
                   ? m_random.pick(m_literals.integers)
                   : m_random.between(m_random.chance(15) ? -2 : 0, 3);
    case AttrType::Bool:
        return std::int64_t(m_random.chance(50));
    case AttrType::Float:
        return !m_literals.reals.empty() && m_random.chance(30) ? m_random.pick(m_literals.reals)
                                                                : drawnReal(m_random);
    case AttrType::DType: {
        const DType types[] = {DType::F32, DType::F32, DType::F32,  DType::F64, DType::I64,
                               DType::I32, DType::I8,  DType::Bool, DType::F16};
        return types[m_random.below(std::size(types))];
    }
    case AttrType::IntList:
    case AttrType::Dims: {
        const auto* list = written ? std::get_if<Integers>(&*written) : nullptr;
        return integers(operand, list != nullptr && !list->empty() ? list->size() : length, list);
    }
    default:
        return written;
    }
}

std::optional<OpCall> CallDrawer::draw(const WantedCall& wanted) {
    for (int attempt = 0; attempt < mostAttempts; ++attempt) {
        OpCall out;
        out.inputs = wanted.operands;
        const auto last = m_last.find(wanted.op->name());
        const bool sibling = last != m_last.end() && m_random.chance(60);
        for (std::size_t i = 0; i < out.inputs.size(); ++i) {
            if (out.inputs[i])
                continue;
            if (sibling && i < last->second.inputs.size()) {
                out.inputs[i] = last->second.inputs[i];
                for (Dim& dim : out.inputs[i]->shape)
                    if (m_random.chance(15))
                        dim = Dim(extent());
            } else {
                out.inputs[i] = operand(out.inputs, wanted.real);
            }
            if (!elementsOf(out.inputs[i]->shape))
                out.inputs[i] = TensorType{wanted.real, {}};
        }
        const Shape& first = shapeOfFirst(out.inputs);
        const std::size_t lengths[] = {first.size(), first.size(), 2 * first.size(),
                                       1 + m_random.below(4)};
        const std::size_t length = lengths[m_random.below(std::size(lengths))];
        out.attrs = wanted.attrs;
        for (const std::string& name : wanted.op->attrNames()) {
            if (out.attrs.has(name))
                continue;
            const AttrValue* before = sibling ? last->second.attrs.find(name) : nullptr;
            if (before != nullptr && m_random.chance(75)) {
                AttrValue value = *before;
                if (auto* list = std::get_if<Integers>(&value);
                    list != nullptr && m_random.chance(40))
                    std::rotate(list->begin(),
                                list->begin() + static_cast<std::ptrdiff_t>(list->size() / 2),
                                list->end());
                out.attrs.set(name, value);
            } else if (const auto value = attribute(*wanted.op, name, first, length);
                       value && value != wanted.op->attrDefault(name))
                out.attrs.set(name, *value);
        }
        ++m_asked;
        const Result<Inferred> inferred = wanted.op->infer(out);
        if (!inferred || !inferred->assumptions.empty() ||
            !std::all_of(inferred->outputs.begin(), inferred->outputs.end(),
                         [](const TensorType& type) { return elementsOf(type.shape).has_value(); }))
            continue;
        if (const Result<Facts> facts = wanted.op->facts(out); facts && facts->flops > mostWork)
            continue;
        m_last.insert_or_assign(wanted.op->name(), out);
        return out;
    }
    return std::nullopt;
}

} // namespace fw
