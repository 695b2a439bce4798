// What a stage folds of bounded values: the value, and by what rounding in any order may have moved
// it.
#pragma once

#include "tensor/bounded_operation.h"

namespace fw {

struct Accumulated {
    Value value{};
    double magnitude = 0;
    double error = 0;
    double broken = 0; // not 0 if a term is no integer
    bool nan = false;  // a term is one, without doubt
    bool given = true; // all terms are finite
};

class BoundedFold {
public:
    BoundedFold(Reducer reducer, DType dtype, const BoundedOptions& options);

    const Accumulated& start() const { return m_start; }
    // The first `count` values of the row to one each, or all to one.
    void addEach(std::vector<Accumulated>& to, const BoundedRow& row, std::size_t count) const;
    void addAll(Accumulated& to, const BoundedRow& row, std::size_t count) const;
    double errorOf(const Accumulated& all, std::int64_t terms) const;

private:
    void add(Accumulated& to, const BoundedRow& row, std::size_t i) const;
    std::int64_t combined(std::int64_t a, std::int64_t b) const;
    bool overflows(std::int64_t a, std::int64_t b) const;

    Reducer m_reducer;
    DType m_dtype;
    bool m_sharp, m_ends, m_wraps;
    double m_parts; // of one: sums of multiples of 1 / m_parts are exact while they are small
    Accumulated m_start;
};

} // namespace fw
