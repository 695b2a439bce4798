// Terms: what one element of a tensor is, as a formula over the elements of the inputs. Equal terms
// have one id (hash consing), so that two ways to compute the same are compared by comparing ids.
//
// Only what changes no bit of a result is brought into one form: operands of commutative
// operations in one order, a maximum of maxima as one, x * 1, -(-x), arithmetic of integer
// constants. A sum over axes has no order.
#pragma once

#include "expr/expr.h"

#include <vector>

namespace fw {

using TermId = std::int32_t;

struct Term {
    enum class Kind : std::uint8_t {
        Leaf,    // integer: which element
        Integer, // also truths
        Real,
        Apply, // Min and Max of any number of operands, the others as in an Expr
        Call,
        Sum, // over axes
        Product
    };
    Kind kind = Kind::Integer;
    DType dtype = DType::F32;
    ExprOp op = ExprOp::Add;
    MathFn fn = MathFn::Exp;
    std::int64_t integer = 0;
    double real = 0;
    std::vector<TermId> args;

    bool operator==(const Term&) const = default;
};

// Whether a conversion between floating point types keeps every value: to more bits and no less
// range.
bool keepsValues(DType from, DType to);

class Terms {
public:
    TermId leaf(std::int64_t which, DType dtype);
    TermId integer(std::int64_t value, DType dtype);
    TermId real(double value, DType dtype);
    TermId apply(ExprOp op, DType dtype, std::vector<TermId> args);
    TermId call(MathFn fn, DType dtype, std::vector<TermId> args);
    TermId sum(DType dtype, std::vector<TermId> args);
    TermId product(DType dtype, std::vector<TermId> args);

    const Term& operator[](TermId id) const { return m_terms[static_cast<std::size_t>(id)]; }
    std::size_t size() const { return m_terms.size(); }

private:
    class Form;
    TermId add(Term term);
    void growSlots();
    bool isNumber(TermId id, double value) const;

    std::vector<Term> m_terms;         // operands before what is made of them
    std::vector<std::size_t> m_hashes; // of the terms
    std::vector<TermId> m_slots;       // from a hash on, -1 ends the search; a power of two
};

} // namespace fw
