// What expressions mean: one fold, whose domains say what a value is.
//
// A domain derives from Evaluate and has a member for each operation or function that means
// something of its own there; `other` is asked for the rest. `At` is where an operation stands: an
// expression, whose operands the domain evaluates with of(), or operands that are values already.
//
//     struct Span : Evaluate<Span, Interval> {
//         Interval integer(const Expr& e) { return {e->integer, e->integer}; }
//         Interval add(const Expr& e) { return of(e.arg(0)) + of(e.arg(1)); }
//         Interval other(ExprOp, const Expr&) { return {}; }
//     };
//
// The domains, and what each promises:
//   - scalars, expr/scalar.cpp: values of element types as scalar.h says, to which all are held;
//   - checked integers, expr/eval.cpp: indices and shapes; nothing where 64 bits or a type end;
//   - registers, tensor/register_program.cpp: a program over scalars that runs point by point, in
//     rows (register_rows.h) or with the error that rounding may make (bounded_rows.h);
//   - bounds, tensor/bounded_reals.cpp: that error behind one operation on floats;
//   - memory, loop/interpret.cpp: scalars, and buffers whose every access is looked at;
//   - sizes, ir/sizes.cpp: indices over free dimensions; spans, prove.cpp, tensor/safety.cpp;
//   - terms, verdict/symbolic.cpp and terms.cpp: formulas over the elements of inputs, in one form;
//   - fields, verdict/field.cpp: terms at random points of a finite field;
//   - formulas, verdict/smt.cpp: terms as Z3 knows them;
//   - ways, condition/exclusion.cpp: the comparisons that make a condition true, or false;
//   - programs, module/program_expression.cpp: what the runtime of a module evaluates.
// A domain of expressions gives expressions of wider types (tensor/wide.cpp).
// Machine code is the only other place: codegen/emit_value.cpp, emit_index.cpp, vecmath.cpp.
#pragma once

#include "base/result.h"
#include "expr/expr.h"

namespace fw {

template <class Domain, class Value, class At = const Expr&>
class Evaluate {
public:
    Value of(ExprOp op, At at) {
        switch (op) {
#define FW_OPERATION(name, method, ...)                                                            \
    case ExprOp::name:                                                                             \
        return domain().method(at);
#include "expr/functions.def"
        }
        throw InternalError("an operation of no kind");
    }
    Value of(MathFn fn, At at) {
        switch (fn) {
#define FW_FUNCTION(name, method, ...)                                                             \
    case MathFn::name:                                                                             \
        return domain().method(at);
#include "expr/functions.def"
        }
        throw InternalError("a function of no kind");
    }
    Value of(const Expr& e) {
        return of(e.op(), e);
    }

#define FW_OPERATION(name, method, ...)                                                            \
    Value method(At at) {                                                                          \
        return domain().other(ExprOp::name, at);                                                   \
    }
#include "expr/functions.def"
#define FW_FUNCTION(name, method, ...)                                                             \
    Value method(At at) {                                                                          \
        return domain().other(MathFn::name, at);                                                   \
    }
#include "expr/functions.def"

private:
    Domain& domain() {
        return static_cast<Domain&>(*this);
    }
};

} // namespace fw
