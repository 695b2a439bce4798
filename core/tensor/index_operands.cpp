#include "tensor/index_operands.h"

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
    }

    void add(const Wrapped& index, const Stage& stage) {
        if (index.index.op() != ExprOp::Load)
            return;
        for (std::size_t i = 0; i < m_inst.inputs.size(); ++i) {
            IndexOperand one{i, index.extent, 0, 1};
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
    std::vector<IndexOperand> m_found;
};

bool isSigned(DType dtype) {
    return dtype == DType::I8 || dtype == DType::I16 || dtype == DType::I32 || dtype == DType::I64;
}

bool isWider(DType to, DType from) {
    return to == from || (dtypeBytes(to) > dtypeBytes(from) && (isSigned(to) || !isSigned(from)));
}

} // namespace

std::vector<IndexOperand> indexOperands(const OpInst& inst) {
    return Finder(inst).run();
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
        if (place < -extent || place >= extent)
            return i;
    }
    return std::nullopt;
}

} // namespace fw
