#include "tensor/program.h"

#include "base/result.h"
#include "expr/scalar.h"
#include "expr/simplify.h"

#include <cmath>
#include <limits>

namespace fw {

namespace {

Value castValue(Value value, DType from, DType to) {
    if (isFloat(from) && isFloat(to))
        return roundTo(value, to);
    if (isFloat(to))
        return realValue(realOf(from, value.integer, to));
    if (!isFloat(from))
        return intValue(wrapTo(to, value.integer));
    if (to == DType::Bool)
        return intValue(value.real != 0);
    return intValue(saturateTo(to, value.real));
}

// Keeps a NaN, as ONNX does.
double pickReal(double a, double b, bool wantMax) {
    if (std::isnan(a) || std::isnan(b))
        return std::numeric_limits<double>::quiet_NaN();
    return wantMax ? (a < b ? b : a) : (b < a ? b : a);
}

Value applyReal(const Instruction& i, Value a, Value b, Value c) {
    const double x = a.real, y = b.real;
    switch (i.op) {
    case ExprOp::Add:
        return realValue(x + y);
    case ExprOp::Sub:
        return realValue(x - y);
    case ExprOp::Mul:
        return realValue(x * y);
    case ExprOp::Div:
        return realValue(x / y);
    case ExprOp::FloorDiv:
        return realValue(std::floor(x / y));
    case ExprOp::Mod:
        return realValue(x - std::floor(x / y) * y);
    case ExprOp::Min:
    case ExprOp::Max:
        return realValue(pickReal(x, y, i.op == ExprOp::Max));
    case ExprOp::Neg:
        return realValue(-x);
    case ExprOp::Fma:
        return realValue(std::fma(x, y, c.real));
    case ExprOp::Eq:
        return intValue(x == y);
    case ExprOp::Ne:
        return intValue(x != y);
    case ExprOp::Lt:
        return intValue(x < y);
    case ExprOp::Le:
        return intValue(x <= y);
    case ExprOp::Call:
        return realValue(evalMath(i.fn, x, y));
    case ExprOp::Cast:
        return castValue(a, i.from, i.dtype);
    default:
        throw InternalError("an operation without a meaning on floats");
    }
}

Value applyInt(const Instruction& i, Value a, Value b, Value c) {
    const std::int64_t x = a.integer, y = b.integer;
    switch (i.op) {
    case ExprOp::Neg:
        return intValue(applyIntegers(ExprOp::Sub, i.from, 0, x));
    case ExprOp::Fma:
        return intValue(applyIntegers(ExprOp::Add, i.from, applyIntegers(ExprOp::Mul, i.from, x, y),
                                      c.integer));
    case ExprOp::Not:
        return intValue(x == 0);
    case ExprOp::Call:
        return intValue(applyIntegerFunction(i.fn, i.from, x));
    case ExprOp::Cast:
        return castValue(a, i.from, i.dtype);
    default:
        return intValue(applyIntegers(i.op, i.from, x, y));
    }
}

} // namespace

Value applyInstruction(const Instruction& apply, Value a, Value b, Value c) {
    const Value out = isFloat(apply.from) ? applyReal(apply, a, b, c) : applyInt(apply, a, b, c);
    return apply.single ? roundTo(out, DType::F32) : out;
}

bool isSingle(Precision precision, DType dtype) {
    return precision == Precision::Steps && isFloat(dtype) && dtype != DType::F64;
}

Value roundTo(Value value, DType dtype) {
    return isFloat(dtype) ? realValue(roundReal(dtype, value.real))
                          : intValue(wrapTo(dtype, value.integer));
}

Program::Program(const Expr& e, const std::vector<Symbol>& variables, const Bindings& dims,
                 const std::unordered_map<Symbol, const Values*>& tensors, Precision precision)
    : m_precision(precision), m_dims(dims), m_tensors(tensors) {
    for (const Symbol variable : variables)
        m_variables[variable] = fresh(intValue(0));
    m_result = compile(e);
}

int Program::fresh(Value initial) {
    m_initial.push_back(initial);
    return static_cast<int>(m_initial.size()) - 1;
}

int Program::constant(const Expr& e) {
    if (e.isInt())
        return fresh(intValue(e->integer));
    const Value value = realValue(e->real);
    return fresh(isSingle(m_precision, e.dtype()) ? roundTo(value, DType::F32) : value);
}

int Program::compile(const Expr& e) {
    switch (e.op()) {
    case ExprOp::Int:
    case ExprOp::Float:
        return constant(e);
    case ExprOp::Var: {
        const auto variable = m_variables.find(e->symbol);
        if (variable != m_variables.end())
            return variable->second;
        const auto dim = m_dims.find(e->symbol);
        if (dim == m_dims.end())
            throw InternalError("a variable without a value: " + e.text());
        return fresh(intValue(dim->second));
    }
    case ExprOp::Select: {
        const int condition = compile(e.arg(0)), out = fresh();
        const auto branch = [&](const Expr& value) {
            Instruction copy;
            copy.op = ExprOp::Cast;
            copy.from = copy.dtype = DType::Text; // as it is
            copy.a = compile(value);
            copy.out = out;
            m_code.push_back(copy);
        };
        Instruction jump;
        jump.code = Instruction::Code::JumpUnless;
        jump.a = condition;
        const std::size_t toElse = m_code.size();
        m_code.push_back(jump);
        branch(e.arg(1));
        jump.code = Instruction::Code::Jump;
        const std::size_t toEnd = m_code.size();
        m_code.push_back(jump);
        m_code[toElse].target = m_code.size();
        branch(e.arg(2));
        m_code[toEnd].target = m_code.size();
        return out;
    }
    case ExprOp::Load:
        return compileLoad(e, -1);
    case ExprOp::Pad:
        if (e.arg(0).op() != ExprOp::Load)
            throw InternalError("pad() around something else than a read: " + e.text());
        return compileLoad(e.arg(0), compile(e.arg(1)));
    case ExprOp::Add:
    case ExprOp::Sub:
    case ExprOp::Mul:
    case ExprOp::Div:
    case ExprOp::FloorDiv:
    case ExprOp::Mod:
    case ExprOp::Min:
    case ExprOp::Max:
    case ExprOp::Neg:
    case ExprOp::Fma:
    case ExprOp::Eq:
    case ExprOp::Ne:
    case ExprOp::Lt:
    case ExprOp::Le:
    case ExprOp::And:
    case ExprOp::Or:
    case ExprOp::Not:
    case ExprOp::Cast:
    case ExprOp::Call:
        break;
    }
    Instruction apply;
    apply.op = e.op();
    apply.fn = e->fn;
    apply.dtype = e.dtype();
    apply.single = isSingle(m_precision, e.dtype());
    apply.from = e.arg(0).dtype();
    apply.a = compile(e.arg(0));
    if (e.args().size() > 1)
        apply.b = compile(e.arg(1));
    if (e.args().size() > 2)
        apply.c = compile(e.arg(2));
    apply.out = fresh();
    m_code.push_back(apply);
    return apply.out;
}

// An unguarded read at sums of variables needs one dot product, whatever the rank.
bool Program::affineLoad(const Expr& e, Instruction& load) const {
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

int Program::compileLoad(const Expr& e, int otherwise) {
    const auto tensor = m_tensors.find(e->symbol);
    if (tensor == m_tensors.end() || tensor->second->extents.size() != e.args().size())
        throw InternalError("a read of a tensor that is not there: " + e.text());
    Instruction load;
    load.tensor = tensor->second;
    load.b = otherwise;
    load.code = otherwise < 0 ? Instruction::Code::Load : Instruction::Code::LoadOr;
    if (otherwise >= 0 || !affineLoad(e, load)) {
        load.strides.clear();
        load.base = 0;
        for (const Expr& index : e.args())
            load.indices.push_back(compile(index));
    }
    load.out = fresh();
    const int out = load.out;
    m_code.push_back(std::move(load));
    return out;
}

bool Program::run(std::vector<Value>& registers) const {
    const auto reg = [&](int index) -> Value& {
        return registers[static_cast<std::size_t>(index)];
    };
    for (std::size_t at = 0; at < m_code.size(); ++at) {
        const Instruction& i = m_code[at];
        switch (i.code) {
        case Instruction::Code::Apply: {
            if (i.op == ExprOp::Cast && i.from == DType::Text) {
                reg(i.out) = reg(i.a);
                break;
            }
            reg(i.out) = applyInstruction(i, reg(i.a), reg(i.b), reg(i.c));
            break;
        }
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
