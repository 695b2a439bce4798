#include "tensor/bounded_rows.h"

#include <algorithm>
#include <cmath>

namespace fw {

BoundedRows::BoundedRows(const Expr& e, const std::vector<Symbol>& variables, std::size_t along,
                         std::size_t longest,
                         const std::unordered_map<Symbol, const BoundedValues*>& tensors,
                         const BoundedOptions& options)
    : m_variables(variables.size()), m_along(along), m_longest(longest), m_sharp(options.sharp),
      m_operation(options) {
    const TensorOf tensorOf = [&](Symbol name) -> const Values* {
        const auto found = tensors.find(name);
        return found == tensors.end() ? nullptr : &found->second->values;
    };
    RegisterProgram program(e, variables, {}, tensorOf, Precision::Double,
                            RegisterProgram::Sides::Both);
    m_result = program.result();
    m_rows.resize(program.registers().size());
    m_values.resize(m_rows.size() * m_longest);
    m_bounds.resize(2 * m_values.size());
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        m_rows[i].value = m_values.data() + i * m_longest;
        m_rows[i].magnitude = m_bounds.data() + 2 * i * m_longest;
        m_rows[i].error = m_rows[i].magnitude + m_longest;
    }
    fillConstants(program);
    addSteps(program.takeCode(), tensors);
}

void BoundedRows::addSteps(std::vector<Instruction> code,
                           const std::unordered_map<Symbol, const BoundedValues*>& tensors) {
    std::vector<bool> varies(m_rows.size(), false);
    if (m_along < m_variables)
        varies[m_along] = true;
    m_read.assign(m_rows.size(), false);
    m_read[static_cast<std::size_t>(m_result)] = true;
    m_steps.reserve(code.size());
    for (Instruction& instruction : code) {
        Step& step = m_steps.emplace_back();
        static_cast<Instruction&>(step) = std::move(instruction);
        const auto reads = [&](int index) {
            m_read[static_cast<std::size_t>(index)] = true;
            step.varies = step.varies || varies[static_cast<std::size_t>(index)];
        };
        for (const int index : step.indices)
            reads(index);
        if (step.tensor == nullptr)
            for (const int operand : {step.a, step.b, step.c})
                reads(operand);
        else if (step.code == Instruction::Code::LoadOr)
            reads(step.b);
        if (step.tensor != nullptr)
            step.bounded = tensors.at(step.name);
        varies[static_cast<std::size_t>(step.out)] = step.varies;
    }
}

void BoundedRows::fillConstants(const RegisterProgram& program) {
    for (const auto& [index, dtype] : program.literals()) {
        BoundedRow& constant = row(index);
        const Value value = program.registers()[static_cast<std::size_t>(index)];
        std::fill_n(constant.value, m_longest, value);
        // What a model holds of a decimal is an f32; attributes of f64 are as exact.
        const DType held = m_sharp && dtype == DType::F64 ? DType::F32 : dtype;
        const bool rounds =
            isFloat(dtype) && std::isfinite(value.real) && roundTo(value, held).real != value.real;
        if (rounds) {
            spellOut(constant, dtype, m_longest);
            std::fill_n(constant.error, m_longest, roundingUnit(held) * std::fabs(value.real));
        }
        m_constants.emplace_back(index, !rounds);
    }
}

void BoundedRows::spread(int index, std::size_t count) {
    BoundedRow& from = row(index);
    std::fill_n(from.value + 1, count - 1, from.value[0]);
    if (from.exact)
        return;
    std::fill_n(from.magnitude + 1, count - 1, from.magnitude[0]);
    std::fill_n(from.error + 1, count - 1, from.error[0]);
}

const BoundedRow& BoundedRows::run(const std::vector<std::int64_t>& at, std::size_t count) {
    m_count = count; // what is spelled out is so for all of them
    for (std::size_t v = 0; v < m_variables; ++v) {
        if (!m_read[v])
            continue;
        BoundedRow& variable = m_rows[v];
        variable.exact = true;
        if (v == m_along)
            for (std::size_t i = 0; i < count; ++i)
                variable.value[i] = intValue(at[v] + static_cast<std::int64_t>(i));
        else
            std::fill_n(variable.value, count, intValue(at[v]));
    }
    for (const auto& [index, exact] : m_constants)
        row(index).exact = exact;
    for (const Step& step : m_steps) {
        const std::size_t points = step.varies ? count : 1;
        if (step.bounded != nullptr)
            load(step, points);
        else if (step.code == Instruction::Code::Select)
            select(step, points);
        else
            m_operation.apply(step, {row(step.out), row(step.a), row(step.b), row(step.c), count},
                              points);
        if (!step.varies && count > 1)
            spread(step.out, count);
    }
    return row(m_result);
}

void BoundedRows::load(const Step& step, std::size_t count) {
    BoundedRow& out = row(step.out);
    const Values& from = step.bounded->values;
    const bool guarded = step.code == Instruction::Code::LoadOr;
    std::int64_t offsets[width];
    bool inside[width];
    std::fill_n(offsets, count, 0);
    std::fill_n(inside, count, true);
    bool sure = true, all = true;
    for (std::size_t d = 0; d < step.indices.size(); ++d) {
        const BoundedRow& index = row(step.indices[d]);
        const std::int64_t extent = from.extents[d];
        sure = sure && index.exact;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t at = index.value[i].integer;
            inside[i] = inside[i] && at >= 0 && at < extent;
            offsets[i] = inside[i] ? offsets[i] * extent + at : 0;
        }
    }
    for (std::size_t i = 0; i < count; ++i)
        all = all && inside[i];
    const bool real64 = isFloat(step.dtype);
    const BoundedRow& otherwise = row(guarded ? step.b : 0);
    for (std::size_t i = 0; i < count; ++i)
        out.value[i] = inside[i] ? from.data[static_cast<std::size_t>(offsets[i])]
                       : guarded ? otherwise.value[i]
                                 : Value{};
    out.exact = true;
    // Outside without a guard: in a branch that is not taken.
    if (sure && step.bounded->errors.empty() && (all || (guarded && otherwise.exact)))
        return;
    spellOut(out, step.dtype, m_count);
    for (std::size_t i = 0; i < count; ++i) {
        bool known = inside[i] || guarded;
        for (const int index : step.indices)
            known = known && (row(index).exact || row(index).error[i] == 0);
        if (!known)
            out.error[i] = unbounded;
        else if (inside[i])
            out.error[i] = step.bounded->error(static_cast<std::size_t>(offsets[i]));
        else if (!otherwise.exact) {
            out.error[i] = otherwise.error[i];
            if (real64)
                out.magnitude[i] = otherwise.magnitude[i];
        }
    }
}

void BoundedRows::select(const Step& step, std::size_t count) {
    BoundedRow &out = row(step.out), &condition = row(step.a), &yes = row(step.b),
               &no = row(step.c);
    for (std::size_t i = 0; i < count; ++i)
        out.value[i] = condition.value[i].integer != 0 ? yes.value[i] : no.value[i];
    out.exact = condition.exact && yes.exact && no.exact;
    if (out.exact)
        return;
    spellOut(condition, DType::Bool, m_count);
    spellOut(yes, step.dtype, m_count);
    spellOut(no, step.dtype, m_count);
    for (std::size_t i = 0; i < count; ++i) {
        const BoundedRow& taken = condition.value[i].integer != 0 ? yes : no;
        out.magnitude[i] = taken.magnitude[i];
        out.error[i] = taken.error[i];
        if (condition.error[i] == 0)
            continue;
        const double apart = isFloat(step.dtype)
                                 ? std::fabs(yes.value[i].real - no.value[i].real)
                                 : std::fabs(static_cast<double>(yes.value[i].integer) -
                                             static_cast<double>(no.value[i].integer));
        out.magnitude[i] = std::max(yes.magnitude[i], no.magnitude[i]);
        const double error = apart + std::max(yes.error[i], no.error[i]);
        out.error[i] = std::isnan(error) ? unbounded : error; // one of them may be no number
    }
}

} // namespace fw
