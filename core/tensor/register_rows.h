// Runs a program for many neighbouring points at once, so that looking at an instruction costs
// little: constants of tens of millions of elements are folded in a fraction of a second.
//
// Only straight programs whose reads move evenly along the row; the values are those of
// RegisterProgram::run, point for point.
#pragma once

#include "tensor/register_program.h"

#include <optional>

namespace fw {

class RegisterRows {
public:
    // `extents` are those of the first registers of the program, its variables. Nothing if the
    // program jumps, computes indices, or has no row of at least a few points.
    static std::optional<RegisterRows> of(const RegisterProgram& program,
                                          const std::vector<std::int64_t>& extents);

    std::size_t rowLength() const { return m_length; } // points of the innermost axes together
    std::size_t outerAxes() const { return m_outer; }  // the variables that stay fixed on a row

    // The values of `count` points from point `first` of the row on, at most `width`; nullptr if a
    // read lies outside its tensor. `registers` holds the outer variables, zeros for the others.
    static constexpr std::size_t width = 512;
    const Value* run(const std::vector<Value>& registers, std::size_t first, std::size_t count);

private:
    RegisterRows() = default;
    Value* row(int index) { return m_rows.data() + static_cast<std::size_t>(index) * width; }
    bool load(const Instruction& instruction, std::int64_t stride,
              const std::vector<Value>& registers, std::size_t first, std::size_t count);
    void apply(const Instruction& instruction, std::size_t count);

    std::vector<Instruction> m_code;
    std::vector<std::int64_t> m_strides; // by instruction: of a load, per point of the row
    std::vector<Value> m_rows;           // `width` values per register
    std::vector<int> m_spread;           // outer variables that are computed with
    int m_counting = -1;                 // the variable that counts along the row, if any does
    int m_result = 0;
    std::size_t m_length = 1;
    std::size_t m_outer = 0;
};

} // namespace fw
