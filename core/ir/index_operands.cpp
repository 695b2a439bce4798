#include "ir/index_operands.h"

#include <algorithm>

namespace fw {

namespace {

const Expr& withoutCasts(const Expr& e) {
    const Expr* at = &e;
    while (at->op() == ExprOp::Cast && isInteger(at->dtype()) && isInteger(at->arg(0).dtype()))
        at = &at->arg(0);
    return *at;
}

// Of `select(i < 0, i + D, i)`: i and D.
struct Wrapped {
    Expr index, extent;
};

std::optional<Wrapped> wrapped(const Expr& e) {
    if (e.op() != ExprOp::Select || e.arg(0).op() != ExprOp::Lt || !e.arg(0).arg(1).isInt(0) ||
        e.arg(1).op() != ExprOp::Add || !(e.arg(0).arg(0) == e.arg(2)))
        return std::nullopt;
    for (const std::size_t side : {0u, 1u})
        if (e.arg(1).arg(side) == e.arg(2))
            return Wrapped{withoutCasts(e.arg(2)), e.arg(1).arg(1 - side)};
    return std::nullopt;
}

class Finder {
public:
    explicit Finder(const OpInst& inst) : m_inst(inst) {}

    std::vector<IndexOperand> run() {
        for (const Stage& stage : m_inst.stages)
            look(stage.body, stage);
        return std::move(m_found);
    }

private:
    void look(const Expr& e, const Stage& stage) {
        if (const auto index = wrapped(e)) {
            add(*index, stage);
            return;
        }
        const bool mayBeLeftOut = e.op() == ExprOp::Select || e.op() == ExprOp::Pad;
        for (std::size_t i = 0; i < e.args().size(); ++i)
            if (!mayBeLeftOut || (e.op() == ExprOp::Select && i == 0))
                look(e.arg(i), stage);
        const std::optional<Ignored> ignored =
            e.op() == ExprOp::Select && !m_ignored ? ignoredBy(e.arg(0)) : std::nullopt;
        if (!ignored)
            return;
        m_ignored = ignored;
        look(e.arg(2), stage);
        m_ignored.reset();
    }

    // Of `select(i == k, ..., x[wrap(i, D)])`: i and k.
    struct Ignored {
        Expr index;
        std::int64_t value = 0;
    };
    static std::optional<Ignored> ignoredBy(const Expr& condition) {
        if (condition.op() != ExprOp::Eq)
            return std::nullopt;
        for (const std::size_t side : {0u, 1u})
            if (const auto value = condition.arg(side).asInt())
                return Ignored{withoutCasts(condition.arg(1 - side)), *value};
        return std::nullopt;
    }

    void add(const Wrapped& index, const Stage& stage) {
        if (index.index.op() != ExprOp::Load || (m_ignored && !(m_ignored->index == index.index)))
            return;
        for (std::size_t i = 0; i < m_inst.inputs.size(); ++i) {
            IndexOperand one{i, index.extent};
            if (m_ignored)
                one.ignored = m_ignored->value;
            if (m_inst.inputs[i].name == index.index->symbol &&
                readsAll(index.index.args(), m_inst.inputs[i].type.shape, stage, one) &&
                std::find(m_found.begin(), m_found.end(), one) == m_found.end())
                m_found.push_back(one);
        }
    }

    // Each element, or each one with a fixed place in the last axis.
    static bool readsAll(const Exprs& indices, const Shape& shape, const Stage& stage,
                         IndexOperand& out) {
        std::set<Symbol> used;
        for (std::size_t i = 0; i < indices.size(); ++i) {
            const auto place = indices[i].asInt();
            const auto extent = shape[i].asInt();
            if (place && extent && (*extent == 1 || i + 1 == indices.size())) {
                out.first += static_cast<std::uint32_t>(*place);
                out.step *= static_cast<std::uint32_t>(*extent);
                continue;
            }
            const auto runs = [&](const Axis& axis) {
                return indices[i].isVar() && axis.var == indices[i]->symbol &&
                       axis.extent == shape[i];
            };
            if ((std::none_of(stage.space.begin(), stage.space.end(), runs) &&
                 std::none_of(stage.reduce.begin(), stage.reduce.end(), runs)) ||
                !used.insert(indices[i]->symbol).second)
                return false;
        }
        return true;
    }

    const OpInst& m_inst;
    std::optional<Ignored> m_ignored; // where it is looked at
    std::vector<IndexOperand> m_found;
};

bool isSigned(DType dtype) {
    return dtype == DType::I8 || dtype == DType::I16 || dtype == DType::I32 || dtype == DType::I64;
}

bool isWider(DType to, DType from) {
    return to == from || (dtypeBytes(to) > dtypeBytes(from) && (isSigned(to) || !isSigned(from)));
}

} // namespace

// Where an axis has one element, any place in it is that one: no expression reads the index. So
// each such axis is looked at as if it were free.
std::vector<IndexOperand> indexOperands(const Operator& op, const OpCall& call) {
    const bool hasIntegers = std::any_of(
        call.inputs.begin(), call.inputs.end(),
        [](const std::optional<TensorType>& type) { return type && isInteger(type->dtype); });
    if (!hasIntegers)
        return {};
    const Result<OpInst> inst = op.instantiate(call);
    if (!inst)
        return {};
    std::vector<IndexOperand> out = Finder(*inst).run();
    const Dim free = varExpr("one");
    OpCall other = call;
    for (std::optional<TensorType>& type : other.inputs)
        for (std::size_t i = 0; type && i < type->rank(); ++i) {
            if (!type->shape[i].isInt(1))
                continue;
            type->shape[i] = free;
            if (const Result<OpInst> with = op.instantiate(other))
                for (IndexOperand& index : Finder(*with).run())
                    if (index.extent == free) {
                        index.extent = intExpr(1);
                        out.push_back(std::move(index));
                    }
            type->shape[i] = intExpr(1);
        }
    return out;
}

bool handsOnIntegers(const OpInst& inst, std::size_t operand) {
    if (inst.stages.size() != 1 || !inst.stages[0].isMap() || inst.outputs.size() != 1)
        return false;
    const Stage& stage = inst.stages[0];
    const TensorDecl& from = inst.inputs.at(operand);
    for (const Expr* e = &stage.body; e->op() == ExprOp::Cast; e = &e->arg(0))
        if (!isInteger(e->dtype()) || !isInteger(e->arg(0).dtype()) ||
            !isWider(e->dtype(), e->arg(0).dtype()))
            return false;
    const Expr& load = withoutCasts(stage.body);
    if (load.op() != ExprOp::Load || load->symbol != from.name || !isInteger(from.type.dtype))
        return false;
    std::set<Symbol> used;
    for (std::size_t i = 0; i < load.args().size(); ++i) {
        const Expr& index = load.arg(i);
        if (index.isInt(0) && from.type.shape[i].isInt(1))
            continue;
        const bool whole =
            std::any_of(stage.space.begin(), stage.space.end(), [&](const Axis& axis) {
                return index.isVar() && axis.var == index->symbol &&
                       axis.extent == from.type.shape[i];
            });
        if (!whole || !used.insert(index->symbol).second)
            return false;
    }
    return true;
}

std::optional<std::size_t> firstOutside(const TensorData& data, const IndexOperand& index,
                                        std::int64_t extent) {
    for (std::size_t i = index.first; extent > 0 && i < data.count(); i += index.step) {
        const std::int64_t place = data.integerAt(i);
        if ((place < -extent || place >= extent) && place != index.ignored)
            return i;
    }
    return std::nullopt;
}

std::int64_t neededExtent(const TensorData& data, const IndexOperand& index) {
    std::int64_t out = 0;
    for (std::size_t i = index.first; i < data.count(); i += index.step) {
        const std::int64_t place = data.integerAt(i);
        if (place == index.ignored)
            continue;
        const std::int64_t fromEnd = place < 0 ? -(place + 1) : place;
        out = std::max(out, fromEnd < INT64_MAX ? fromEnd + 1 : fromEnd);
    }
    return out;
}

} // namespace fw
