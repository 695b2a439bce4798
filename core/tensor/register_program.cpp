#include "tensor/register_program.h"

#include "expr/simplify.h"

namespace fw {

Value applyInstruction(const Instruction& apply, Value a, Value b, Value c) {
    const Value out = applyOperation(apply, a, b, c);
    return apply.single ? roundTo(out, DType::F32) : out;
}

bool isSingle(Precision precision, DType dtype) {
    return precision == Precision::Steps && isFloat(dtype) && dtype != DType::F64;
}

RegisterProgram::RegisterProgram(const Expr& e, const std::vector<Symbol>& variables,
                                 const Bindings& dims, const TensorOf& tensors, Precision precision,
                                 Sides sides)
    : m_precision(precision), m_sides(sides), m_dims(dims), m_tensors(tensors) {
    for (const Symbol variable : variables)
        m_variables[variable] = fresh(intValue(0));
    m_result = of(e);
}

int RegisterProgram::fresh(Value initial) {
    m_initial.push_back(initial);
    return static_cast<int>(m_initial.size()) - 1;
}

int RegisterProgram::constant(const Expr& e) {
    const Value value = literalValue(e);
    const bool rounds = isSingle(m_precision, e.dtype());
    m_literals.emplace_back(fresh(rounds ? roundTo(value, DType::F32) : value), e.dtype());
    return m_literals.back().first;
}

int RegisterProgram::added(Instruction instruction) {
    instruction.out = fresh();
    m_code.push_back(std::move(instruction));
    return m_code.back().out;
}

int RegisterProgram::variable(const Expr& e) {
    if (const auto known = m_variables.find(e->symbol); known != m_variables.end())
        return known->second;
    const auto dim = m_dims.find(e->symbol);
    if (dim == m_dims.end())
        throw InternalError("a variable without a value: " + e.text());
    return fresh(intValue(dim->second));
}

void RegisterProgram::copy(int from, int to) {
    Instruction copy;
    copy.code = Instruction::Code::Copy;
    copy.a = from;
    copy.out = to;
    m_code.push_back(copy);
}

int RegisterProgram::select(const Expr& e) {
    if (m_sides == Sides::Both) {
        Instruction select;
        select.code = Instruction::Code::Select;
        select.dtype = e.dtype();
        select.a = of(e.arg(0));
        select.b = of(e.arg(1));
        select.c = of(e.arg(2));
        return added(std::move(select));
    }
    Instruction jump;
    jump.code = Instruction::Code::JumpUnless;
    jump.a = of(e.arg(0));
    const int out = fresh();
    const std::size_t toElse = m_code.size();
    m_code.push_back(jump);
    copy(of(e.arg(1)), out);
    jump.code = Instruction::Code::Jump;
    const std::size_t toEnd = m_code.size();
    m_code.push_back(jump);
    m_code[toElse].target = m_code.size();
    copy(of(e.arg(2)), out);
    m_code[toEnd].target = m_code.size();
    return out;
}

int RegisterProgram::other(ExprOp, const Expr& e) {
    Instruction apply;
    static_cast<Operation&>(apply) = operationOf(e);
    apply.single = isSingle(m_precision, e.dtype());
    apply.a = apply.b = apply.c = of(e.arg(0));
    if (e.args().size() > 1)
        apply.b = of(e.arg(1));
    if (e.args().size() > 2)
        apply.c = of(e.arg(2));
    return added(std::move(apply));
}

// An unguarded read at sums of variables needs one dot product, whatever the rank.
bool RegisterProgram::affineLoad(const Expr& e, Instruction& load) const {
    std::int64_t stride = 1;
    for (std::size_t i = e.args().size(); i-- > 0;) {
        const Affine affine = toAffine(e.arg(i));
        for (const auto& [atom, coefficient] : affine.terms) {
            const auto variable = atom.isVar() ? m_variables.find(atom->symbol) : m_variables.end();
            if (variable == m_variables.end())
                return false;
            load.strides.emplace_back(variable->second, coefficient * stride);
        }
        load.base += affine.constant * stride;
        stride *= load.tensor->extents[i];
    }
    return true;
}

int RegisterProgram::loadOr(const Expr& e, int otherwise) {
    if (e.op() != ExprOp::Load)
        throw InternalError("pad() around something else than a read: " + e.text());
    const Values* tensor = m_tensors(e->symbol);
    if (tensor == nullptr || tensor->extents.size() != e.args().size())
        throw InternalError("a read of a tensor that is not there: " + e.text());
    Instruction load;
    load.dtype = e.dtype();
    load.tensor = tensor;
    load.name = e->symbol;
    load.b = otherwise;
    load.code = otherwise < 0 ? Instruction::Code::Load : Instruction::Code::LoadOr;
    if (otherwise >= 0 || m_sides == Sides::Both || !affineLoad(e, load)) {
        load.strides.clear();
        load.base = 0;
        for (const Expr& index : e.args())
            load.indices.push_back(of(index));
    }
    return added(std::move(load));
}

bool RegisterProgram::run(std::vector<Value>& registers) const {
    const auto reg = [&](int index) -> Value& {
        return registers[static_cast<std::size_t>(index)];
    };
    for (std::size_t at = 0; at < m_code.size(); ++at) {
        const Instruction& i = m_code[at];
        switch (i.code) {
        case Instruction::Code::Apply:
            reg(i.out) = applyInstruction(i, reg(i.a), reg(i.b), reg(i.c));
            break;
        case Instruction::Code::Select:
            reg(i.out) = reg(i.a).integer != 0 ? reg(i.b) : reg(i.c);
            break;
        case Instruction::Code::Copy:
            reg(i.out) = reg(i.a);
            break;
        case Instruction::Code::Load:
        case Instruction::Code::LoadOr: {
            std::int64_t offset = i.base;
            bool inside = true;
            for (const auto& [variable, stride] : i.strides)
                offset += stride * reg(variable).integer;
            for (std::size_t d = 0; d < i.indices.size(); ++d) {
                const std::int64_t index = reg(i.indices[d]).integer;
                inside = inside && index >= 0 && index < i.tensor->extents[d];
                offset = offset * i.tensor->extents[d] + (inside ? index : 0);
            }
            inside =
                inside && offset >= 0 && offset < static_cast<std::int64_t>(i.tensor->data.size());
            if (inside)
                reg(i.out) = i.tensor->data[static_cast<std::size_t>(offset)];
            else if (i.b >= 0 && i.code == Instruction::Code::LoadOr)
                reg(i.out) = reg(i.b);
            else
                return false;
            break;
        }
        case Instruction::Code::Jump:
            at = i.target - 1;
            break;
        case Instruction::Code::JumpUnless:
            if (reg(i.a).integer == 0)
                at = i.target - 1;
            break;
        }
    }
    return true;
}

} // namespace fw
