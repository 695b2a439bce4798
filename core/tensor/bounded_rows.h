// A scalar expression evaluated for a row of neighbouring points with values, magnitudes and errors
// (tensor/bounded.h): the inner part of evaluateBounded().
#pragma once

#include "tensor/bounded_operation.h"

#include <unordered_map>

namespace fw {

class BoundedRows {
public:
    static constexpr std::size_t width = 128;

    // The first registers are `variables`; `along` is the one that counts along the row. No row is
    // longer than `longest`, which is at most `width`.
    BoundedRows(const Expr& e, const std::vector<Symbol>& variables, std::size_t along,
                std::size_t longest,
                const std::unordered_map<Symbol, const BoundedValues*>& tensors,
                const BoundedOptions& options);
    BoundedRows(BoundedRows&&) = default; // rows are where their values are

    // `at`: the variables; the row begins there and has `count` points.
    const BoundedRow& run(const std::vector<std::int64_t>& at, std::size_t count);

private:
    struct Step : Instruction {
        const BoundedValues* bounded = nullptr; // of a load
        bool varies = false;                    // along the row
    };
    void addSteps(std::vector<Instruction> code,
                  const std::unordered_map<Symbol, const BoundedValues*>& tensors);
    void fillConstants(const RegisterProgram& program);
    BoundedRow& row(int index) { return m_rows[static_cast<std::size_t>(index)]; }
    void load(const Step& step, std::size_t count);
    void select(const Step& step, std::size_t count);
    void spread(int index, std::size_t count); // the first value to all

    std::size_t m_variables, m_along, m_longest;
    const bool m_sharp;
    const BoundedOperation m_operation;
    std::vector<Step> m_steps;
    std::vector<std::pair<int, bool>> m_constants; // registers, and whether they are exact
    std::vector<bool> m_read;                      // by register
    int m_result = 0;
    std::vector<BoundedRow> m_rows;
    std::vector<Value> m_values; // of all rows
    std::vector<double> m_bounds;
    std::size_t m_count = 0; // of this run
};

} // namespace fw
