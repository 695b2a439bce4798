#include "verdict/draw_call.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fw {

namespace {

constexpr double mostWork = 2e4;       // operations of one call
constexpr std::int64_t mostOften = 64; // extents that other axes have, too
constexpr std::int64_t smallExtents[] = {1, 2, 3, 4, 5, 6};
constexpr DType integerTypes[] = {DType::U8,  DType::I8,  DType::I32, DType::I64,
                                  DType::U16, DType::I16, DType::U32, DType::U64};

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
    const bool literal = !m_literals.extents.empty() && m_random.chance(30);
    const std::int64_t drawn = literal ? m_random.pick(m_literals.extents)
                                       : smallExtents[m_random.below(std::size(smallExtents))];
    if (drawn <= mostOften)
        m_extents.push_back(drawn);
    return drawn;
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
    if (!m_literals.extents.empty() && m_random.chance(15))
        return m_random.pick(m_literals.extents);
    return written + (m_random.chance(45) ? 0 : m_random.between(1, 2));
}

std::int64_t CallDrawer::place(const Shape& operand) {
    const std::int64_t extent =
        operand.empty() ? 1 : operand[m_random.below(operand.size())].asInt().value_or(1);
    switch (m_random.below(10)) {
    case 0:
    case 1:
    case 2:
        return m_random.between(0, 3);
    case 3:
        return m_random.between(1, 2);
    case 4:
    case 5:
        return extent;
    case 6:
        return m_random.chance(50) ? extent - 1 : extent + m_random.between(1, 2);
    case 7:
        return -m_random.between(1, std::max<std::int64_t>(extent, 1));
    case 8:
        return m_random.chance(60) ? -1 : -extent - m_random.between(0, 1);
    default:
        return extent > 1 ? m_random.between(1, extent - 1) : 2;
    }
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
    if (m_random.chance(15)) {
        out.resize(count);
        for (std::int64_t& item : out)
            item = place(operand);
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

std::optional<DType> CallDrawer::dtypeOf(const WantedCall& wanted, std::size_t operand) {
    return operand < wanted.dtypes.size() ? wanted.dtypes[operand] : std::nullopt;
}

// Where a type is wanted of one operand the others have it, too, if they may.
DType CallDrawer::mostlyDrawn(const WantedCall& wanted) {
    for (const auto& dtype : wanted.dtypes)
        if (dtype && m_random.chance(80))
            return *dtype;
    return wanted.real;
}

void CallDrawer::drawOperands(const WantedCall& wanted, const OpCall* sibling, OpCall& out) {
    const DType real = mostlyDrawn(wanted);
    for (std::size_t i = 0; i < out.inputs.size(); ++i) {
        if (out.inputs[i])
            continue;
        if (sibling != nullptr && i < sibling->inputs.size()) {
            out.inputs[i] = sibling->inputs[i];
            for (Dim& dim : out.inputs[i]->shape)
                if (m_random.chance(15))
                    dim = Dim(extent());
        } else {
            out.inputs[i] = operand(out.inputs, real);
        }
        if (!elementsOf(out.inputs[i]->shape))
            out.inputs[i] = TensorType{real, {}};
        out.inputs[i]->dtype = dtypeOf(wanted, i).value_or(out.inputs[i]->dtype);
    }
    if (sibling == nullptr && m_random.chance(10))
        mixTypes(wanted, real, out);
}

void CallDrawer::mixTypes(const WantedCall& wanted, DType real, OpCall& out) {
    DType other = integerTypes[m_random.below(std::size(integerTypes))];
    for (const auto& given : wanted.operands)
        if (given && isInteger(given->dtype) && m_random.chance(80))
            other = given->dtype;
    for (std::size_t i = 0; i < out.inputs.size(); ++i)
        if (!wanted.operands[i] && !dtypeOf(wanted, i))
            out.inputs[i]->dtype = m_random.chance(50) ? other
                                   : isInteger(real)   ? DType::F32
                                                       : real;
}

Integers CallDrawer::list(const Operator& op, const std::string& name,
                          const std::vector<WantedItem>& items, const Shape& operand,
                          const OpCall* like, std::map<std::string, std::int64_t>& named) {
    const auto integersOf = [&](const AttrValue* value) {
        const auto* list = value != nullptr ? std::get_if<Integers>(value) : nullptr;
        return list != nullptr && list->size() == items.size() ? *list : Integers();
    };
    const auto byDefault = op.attrDefault(name);
    const Integers written = integersOf(byDefault ? &*byDefault : nullptr);
    const Integers other = integersOf(like != nullptr ? like->attrs.find(name) : nullptr);
    Integers out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto known = named.find(items[i].name);
        const auto drawn = [&] {
            return !other.empty() && m_random.chance(50)     ? other[i]
                   : !written.empty() && m_random.chance(70) ? near(written[i])
                                                             : place(operand);
        };
        out.push_back(items[i].value         ? *items[i].value
                      : known != named.end() ? known->second
                                             : drawn());
        if (!items[i].value)
            named.emplace(items[i].name, out.back());
    }
    return out;
}

void CallDrawer::drawLists(const WantedCall& wanted, const OpCall* like, OpCall& out) {
    std::map<std::string, std::int64_t> named;
    for (const auto& [name, items] : wanted.lists)
        out.attrs.set(name, list(*wanted.op, name, items, shapeOfFirst(out.inputs), like, named));
}

void CallDrawer::drawAttributes(const WantedCall& wanted, const OpCall* sibling, OpCall& out) {
    drawLists(wanted, sibling, out);
    const Shape& first = shapeOfFirst(out.inputs);
    const std::size_t lengths[] = {first.size(), first.size(), 2 * first.size(),
                                   1 + m_random.below(4)};
    const std::size_t length = lengths[m_random.below(std::size(lengths))];
    for (const std::string& name : wanted.op->attrNames()) {
        if (out.attrs.has(name))
            continue;
        const AttrValue* before = sibling != nullptr ? sibling->attrs.find(name) : nullptr;
        if (before != nullptr && m_random.chance(75)) {
            AttrValue value = *before;
            if (auto* list = std::get_if<Integers>(&value); list != nullptr && m_random.chance(40))
                std::rotate(list->begin(),
                            list->begin() + static_cast<std::ptrdiff_t>(list->size() / 2),
                            list->end());
            out.attrs.set(name, value);
        } else if (const auto value = attribute(*wanted.op, name, first, length);
                   value && value != wanted.op->attrDefault(name))
            out.attrs.set(name, *value);
    }
}

// An extent stands for another one wherever it is found: where the given operands say which, for
// that one, else now and then for any.
// The attributes as those of a call that fits, some of them drawn anew. `meant`: extents there ->
// here.
void CallDrawer::likeThose(const WantedCall& wanted, const OpCall& fitting,
                           const std::map<std::int64_t, std::int64_t>& meant, OpCall& out) {
    const Shape& first = shapeOfFirst(out.inputs);
    const bool anew = m_random.chance(50);
    for (const std::string& name : wanted.op->attrNames()) {
        if (out.attrs.has(name))
            continue;
        const AttrValue* value = fitting.attrs.find(name);
        if (anew && m_random.chance(40)) {
            const auto* list = value != nullptr ? std::get_if<Integers>(value) : nullptr;
            if (const auto other = attribute(*wanted.op, name, first,
                                             list != nullptr ? list->size() : first.size());
                other && other != wanted.op->attrDefault(name))
                out.attrs.set(name, *other);
            if (out.attrs.has(name) || wanted.op->attrDefault(name))
                continue;
        }
        if (value == nullptr)
            continue;
        AttrValue own = *value;
        if (auto* list = std::get_if<Integers>(&own); list != nullptr && m_random.chance(40))
            for (std::int64_t& item : *list)
                if (meant.contains(item))
                    item = meant.at(item);
        out.attrs.set(name, std::move(own));
    }
}

std::optional<OpCall> CallDrawer::analogy(const WantedCall& wanted, const OpCall& fitting) {
    std::map<std::int64_t, std::int64_t> meant;
    std::map<DType, DType> types{{DType::F32, mostlyDrawn(wanted)}};
    for (std::size_t i = 0; i < wanted.operands.size(); ++i) {
        const auto& given = wanted.operands[i];
        if (!given)
            continue;
        const auto& own = fitting.inputs[i];
        if (!own || own->shape.size() != given->shape.size())
            return std::nullopt;
        for (std::size_t d = 0; d < own->shape.size(); ++d)
            meant.emplace(own->shape[d].asInt().value_or(0), given->shape[d].asInt().value_or(0));
        types[own->dtype] = given->dtype;
    }
    const auto meantBy = [&](std::int64_t own) {
        const auto known = meant.find(own);
        if (known != meant.end())
            return known->second;
        return meant.emplace(own, m_random.chance(50) ? extent() : own).first->second;
    };
    OpCall out;
    out.inputs = wanted.operands;
    out.attrs = wanted.attrs;
    for (std::size_t i = 0; i < out.inputs.size(); ++i) {
        if (out.inputs[i] || !fitting.inputs[i])
            continue;
        TensorType type = *fitting.inputs[i];
        DType own = type.dtype;
        if (isInteger(own) && !types.contains(own) && m_random.chance(30))
            own = integerTypes[m_random.below(std::size(integerTypes))];
        type.dtype = types.emplace(type.dtype, own).first->second;
        for (Dim& dim : type.shape)
            dim = Dim(meantBy(dim.asInt().value_or(0)));
        type.dtype = dtypeOf(wanted, i).value_or(type.dtype);
        out.inputs[i] = std::move(type);
    }
    drawLists(wanted, &fitting, out);
    likeThose(wanted, fitting, meant, out);
    return out;
}

bool CallDrawer::fits(const WantedCall& wanted, const OpCall& call) {
    const auto small = [](const TensorType& type) { return elementsOf(type.shape).has_value(); };
    for (const auto& type : call.inputs)
        if (type && !small(*type))
            return false;
    ++m_asked;
    if (m_known.refused.contains(*wanted.op, call))
        return false;
    const Result<Inferred> inferred = wanted.op->infer(call);
    if (!inferred)
        m_known.refused.note(*wanted.op, call, inferred.diag());
    if (!inferred || !inferred->assumptions.empty() ||
        !std::all_of(inferred->outputs.begin(), inferred->outputs.end(), small))
        return false;
    // What has no elements, of operands that have some, shows little.
    const auto empty = [](const TensorType& type) { return elementsOf(type.shape) == 0; };
    const bool cutAway = std::all_of(inferred->outputs.begin(), inferred->outputs.end(), empty) &&
                         std::none_of(call.inputs.begin(), call.inputs.end(),
                                      [&](const auto& type) { return type && empty(*type); });
    if (cutAway && !m_random.chance(5))
        return false;
    if (wanted.rank && !inferred->outputs.empty() &&
        inferred->outputs.front().shape.size() != *wanted.rank && !m_random.chance(5))
        return false;
    if (const auto work = m_known.work.of(*wanted.op, call, *inferred))
        return *work <= mostWork;
    const Result<Facts> facts = wanted.op->facts(call);
    if (facts)
        m_known.work.note(*wanted.op, call, *inferred, *facts);
    return !facts || facts->flops <= mostWork;
}

std::optional<OpCall> CallDrawer::draw(const WantedCall& wanted) {
    constexpr int free = 15; // attempts without a model
    for (int attempt = 0; attempt < wanted.attempts; ++attempt) {
        OpCall out;
        std::optional<OpCall> alike;
        if (attempt >= free && wanted.alike != nullptr && !wanted.alike->empty() &&
            m_random.chance(60))
            alike = analogy(wanted, m_random.pick(*wanted.alike));
        if (alike) {
            out = std::move(*alike);
        } else {
            const auto last = m_last.find(wanted.op->name());
            const OpCall* sibling =
                last != m_last.end() && m_random.chance(60) ? &last->second : nullptr;
            out.inputs = wanted.operands;
            out.attrs = wanted.attrs;
            drawOperands(wanted, sibling, out);
            drawAttributes(wanted, sibling, out);
        }
        if (!fits(wanted, out))
            continue;
        m_last.insert_or_assign(wanted.op->name(), out);
        return out;
    }
    return std::nullopt;
}

} // namespace fw
