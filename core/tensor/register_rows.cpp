#include "tensor/register_rows.h"

#include <algorithm>

namespace fw {

namespace {

constexpr std::size_t shortRow = 8;

using Code = Instruction::Code;

bool isStraight(const Instruction& instruction) {
    return instruction.code == Code::Apply ||
           (instruction.code == Code::Load && instruction.indices.empty());
}

std::int64_t strideOf(const Instruction& load, std::size_t variable) {
    std::int64_t out = 0;
    for (const auto& [index, stride] : load.strides)
        if (index == static_cast<int>(variable))
            out += stride;
    return out;
}

} // namespace

std::optional<RegisterRows> RegisterRows::of(const RegisterProgram& program,
                                             const std::vector<std::int64_t>& extents) {
    const std::vector<Instruction>& code = program.code();
    if (!std::all_of(code.begin(), code.end(), isStraight))
        return {};
    std::vector<bool> computedWith(extents.size(), false);
    const auto mark = [&](int index) {
        if (static_cast<std::size_t>(index) < extents.size())
            computedWith[static_cast<std::size_t>(index)] = true;
    };
    for (const Instruction& instruction : code)
        if (instruction.code == Code::Apply)
            for (const int index : {instruction.a, instruction.b, instruction.c})
                mark(index);
    mark(program.result());

    // The innermost axes that act as one for every read.
    RegisterRows out;
    std::optional<std::size_t> inner; // of them the last that counts
    std::size_t outer = extents.size();
    while (outer > 0) {
        const std::size_t next = outer - 1;
        if (extents[next] != 1 && inner) {
            const bool together = std::all_of(code.begin(), code.end(), [&](const Instruction& i) {
                return i.code != Code::Load ||
                       strideOf(i, next) ==
                           strideOf(i, *inner) * static_cast<std::int64_t>(out.m_length);
            });
            if (!together || computedWith[next] || computedWith[*inner])
                break;
        }
        if (extents[next] != 1 && !inner)
            inner = next;
        out.m_length *= static_cast<std::size_t>(extents[next]);
        outer = next;
    }
    if (!inner || out.m_length < shortRow)
        return {};
    out.m_outer = outer;
    out.m_code = code;
    out.m_result = program.result();
    for (const Instruction& instruction : code)
        out.m_strides.push_back(instruction.code == Code::Load ? strideOf(instruction, *inner) : 0);
    const std::vector<Value> initial = program.registers();
    out.m_rows.resize(initial.size() * width);
    for (std::size_t i = 0; i < initial.size(); ++i)
        std::fill_n(out.m_rows.begin() + static_cast<std::ptrdiff_t>(i * width), width, initial[i]);
    for (std::size_t i = 0; i < outer; ++i)
        if (computedWith[i])
            out.m_spread.push_back(static_cast<int>(i));
    if (computedWith[*inner])
        out.m_counting = static_cast<int>(*inner);
    return out;
}

bool RegisterRows::load(const Instruction& instruction, std::int64_t stride,
                        const std::vector<Value>& registers, std::size_t first, std::size_t count) {
    std::int64_t offset = instruction.base + stride * static_cast<std::int64_t>(first);
    for (const auto& [variable, step] : instruction.strides)
        if (static_cast<std::size_t>(variable) < m_outer)
            offset += step * registers[static_cast<std::size_t>(variable)].integer;
    const std::int64_t last = offset + stride * static_cast<std::int64_t>(count - 1);
    const auto size = static_cast<std::int64_t>(instruction.tensor->data.size());
    if (std::min(offset, last) < 0 || std::max(offset, last) >= size)
        return false;
    const Value* from = instruction.tensor->data.data() + offset;
    Value* to = row(instruction.out);
    if (stride == 1)
        std::copy_n(from, count, to);
    else
        for (std::size_t i = 0; i < count; ++i)
            to[i] = from[static_cast<std::int64_t>(i) * stride];
    return true;
}

void RegisterRows::apply(const Instruction& instruction, std::size_t count) {
    const Value *a = row(instruction.a), *b = row(instruction.b), *c = row(instruction.c);
    Value* out = row(instruction.out);
    const bool plain = isFloat(instruction.from) && !instruction.single;
    if (plain && instruction.op == ExprOp::Mul) {
        for (std::size_t i = 0; i < count; ++i)
            out[i].real = a[i].real * b[i].real;
        return;
    }
    if (plain && instruction.op == ExprOp::Add) {
        for (std::size_t i = 0; i < count; ++i)
            out[i].real = a[i].real + b[i].real;
        return;
    }
    for (std::size_t i = 0; i < count; ++i)
        out[i] = applyInstruction(instruction, a[i], b[i], c[i]);
}

const Value* RegisterRows::run(const std::vector<Value>& registers, std::size_t first,
                               std::size_t count) {
    for (const int variable : m_spread)
        std::fill_n(row(variable), count, registers[static_cast<std::size_t>(variable)]);
    if (m_counting >= 0)
        for (std::size_t i = 0; i < count; ++i)
            row(m_counting)[i].integer = static_cast<std::int64_t>(first + i);
    for (std::size_t k = 0; k < m_code.size(); ++k) {
        const Instruction& instruction = m_code[k];
        if (instruction.code != Code::Load)
            apply(instruction, count);
        else if (!load(instruction, m_strides[k], registers, first, count))
            return nullptr;
    }
    return row(m_result);
}

} // namespace fw
