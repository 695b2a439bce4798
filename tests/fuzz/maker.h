// Makes one graph step by step. Every operator is tried on the case's own operands before it
// becomes a node, so shapes, domains and magnitudes need no second description here: what the
// operator library infers and the reference computes is what counts, and a call that does not fit
// or whose values blow up is not taken.
//
// Values are numbered in the order in which they were made; `none` stands for "there is none", and
// a call with such an operand is none itself, so recipes need not look at every step.
#pragma once

#include "base/random.h"
#include "fuzz/case.h"

#include <functional>
#include <optional>

namespace fw::fuzz {

using Id = int;
constexpr Id none = -1;

class Maker {
public:
    Maker(std::uint64_t seed, std::shared_ptr<const OperatorSet> operators);

    struct Known {
        ValueRef ref;
        TensorType type;
        TensorData data; // for the case's sizes
        bool exact = false;
        bool constant = false;
        bool input = false;
        double largest = 0;
        double smallest = 0; // not of the absolute values
        int readers = 0;
    };

    Random random;
    Values values() const { return m_values; }
    // The element type of most values of the case; one in two is not f32.
    DType main() const { return m_main; }
    void use(DType main) { m_main = main; }
    bool isMain(const Known& known) const { return known.type.dtype == m_main; }
    const Known& at(Id id) const { return m_known.at(static_cast<std::size_t>(id)); }
    std::size_t count() const { return m_known.size(); }
    std::size_t operators() const { return m_made.size(); } // made so far
    std::size_t operators(const std::string& op) const;

    Id input(Shape shape, DType dtype);
    Id input(Shape shape) { return input(std::move(shape), m_main); }
    Id constant(std::vector<std::int64_t> extents, DType dtype);
    Id constant(std::vector<std::int64_t> extents) { return constant(std::move(extents), m_main); }
    Id constantOf(const TensorData& data); // at most 16 elements
    Id number(double value, DType dtype);  // a constant of rank 0, cut to an integer
    Id number(double value) { return number(value, m_main); }
    // Positive numbers, one per position.
    Id positive(std::int64_t extent);
    // What an attribute may say, mostly `usual`, else zero, negative, large, small or a tie; no
    // number only among such.
    double factor(double usual);
    // Float attributes of an operator that have a default: left out, or some factor.
    Attrs factors(const std::string& op);
    std::vector<Id> call(const std::string& op, const std::vector<Id>& operands, Attrs attrs = {});
    // The first result of a call.
    Id one(const std::string& op, const std::vector<Id>& operands, Attrs attrs = {});

    // Dimensions that take the elements of a vector of i64; empty if that cannot be.
    Shape bind(Id sizes);

    // A value that fits, mostly one that nobody reads or that was made lately; none if nothing
    // does.
    Id choose(const std::function<bool(const Known&)>& fits);
    Id value();                  // of the main type and any shape; made if there is none
    Id ofRank(std::size_t rank); // made if there is none
    Id like(const Known& known); // another value of the same type; made if there is none
    DType anyType();             // any element type
    bool isFixed(Id id) const;   // no free dimension
    std::vector<std::int64_t> extents(Id id) const { return at(id).data.extents(); }
    // The extent if it is fixed, 0 if it is free or there is no such axis.
    std::int64_t fixedExtent(Id id, std::size_t axis) const;

    std::vector<Dim> freeDims() const;
    Dim extent();              // of a new input, any axis
    std::int64_t channels();   // 1, 3, primes, multiples of 4, 8 and 16
    Dim side();                // of a new image
    std::size_t axisOf(Id id); // any

    // All that nobody reads, and some others; names y0, y1, ...
    Case finish();

private:
    struct Made {
        std::string op;
        std::vector<Id> results;
    };
    Id keep(ValueRef ref, TensorType type, TensorData data, bool exact);
    Bindings bindings() const;

    std::uint64_t m_seed;
    std::shared_ptr<const OperatorSet> m_operators;
    GraphEditor m_editor;
    Values m_values;
    DType m_main;
    Sizes m_sizes, m_others;
    Sizes m_bound; // by nodes
    std::vector<Known> m_known;
    std::vector<Made> m_made;
    std::size_t m_inputs = 0;
    std::uint64_t m_constants = 1;
};

// A list of attributes.
Attrs attributes(std::initializer_list<std::pair<const char*, AttrValue>> items);

} // namespace fw::fuzz
