// Operator: the interface behind which text-defined and native operators look the same.
//
// The types lie here; core/tensor computes them from text, core/library registers them. A pass may
// use only what this interface offers, so a user's own operator works in every pass.
#pragma once

#include "base/result.h"
#include "ir/attributes.h"
#include "ir/facts.h"
#include "ir/op_inst.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace fw {

// One call of an operator: types of its operands (nullopt: absent optional operand), attributes.
struct OpCall {
    std::vector<std::optional<TensorType>> inputs;
    Attrs attrs;
    std::vector<TensorType> declared; // of an input, a constant or an unknown operator
};

// What inference had to assume of free dimensions: what it could neither prove nor refute.
struct Assumption {
    Expr condition;        // Bool over free dimensions, checked before anything runs
    std::string sentence;  // which dimensions must be how: the words of the error where it is known
    std::string node = {}; // that asks for it; inference leaves it empty, a graph fills it in

    bool operator==(const Assumption&) const = default;
};

struct Inferred {
    std::vector<TensorType> outputs;
    std::vector<Assumption> assumptions;
};

// The calls that a call stands for, in order: a straight line in which each reads what is before.
struct CallSequence {
    struct Result { // of one of these calls
        std::size_t call = 0, output = 0;
        bool operator==(const Result&) const = default;
    };
    // Nothing where an optional operand is absent, an operand of the whole by its number, a number
    // of the element type of the operand beside it, or a vector of i64.
    using Operand = std::variant<std::monostate, std::size_t, Result, double, Integers>;
    // The elements of an operand as sizes, or one of them; or a size that is known.
    struct Size {
        Operand of;
        std::optional<std::size_t> element = std::nullopt;
        std::optional<Expr> known = std::nullopt;
    };
    struct Attribute {
        std::string name;
        std::variant<AttrValue, std::vector<Size>> value;
    };
    struct Call {
        std::string op;
        std::vector<Operand> operands;
        std::vector<Attribute> attributes;
    };
    std::vector<Call> calls;
    std::vector<Operand> results;
    std::vector<Assumption> assumptions;
};

// What an attribute may hold.
enum class AttrType : std::uint8_t {
    Int,
    Float,
    Bool,
    Text,
    DType,
    IntList,
    FloatList,
    TextList,
    Dims, // integers or free dimensions
    Tensor,
    Any
};

// How many operands a call has, absent ones counted.
struct Arity {
    std::size_t least = 0;
    std::size_t most = std::numeric_limits<std::size_t>::max();

    bool takes(std::size_t count) const { return count >= least && count <= most; }
    std::string text() const; // "2 operands", "1 to 3 operands", "any number of operands"
};

// Where a clause takes an attribute of the operator from.
struct OnnxAttribute {
    enum class Default : std::uint8_t {
        Own,      // the operator's
        Value,    // `value`
        All,      // every axis of `axesOf`, in order
        Reversed, // the same from the last one
    };
    std::string name;                   // of the node's attribute
    std::optional<std::size_t> operand; // of the node, whose elements it is; no `name` then
    bool isNumber = false;              // and which has no axes, where the attribute is a list
    Default fallback = Default::Own;    // where the node has neither
    std::optional<AttrValue> value;
    bool isFixed = false; // `value`, whatever the node says; no `name` and no `operand`
    // What the operator has for what the node has, where the two are not the same; no others then.
    std::vector<std::pair<AttrValue, AttrValue>> spellings;
    std::string axesOf; // the operator's operand whose axes it counts: from the front, always

    // Where it is a list without elements.
    bool takesEmptyAsAbsent() const {
        return fallback == Default::All || fallback == Default::Reversed;
    }

    bool operator==(const OnnxAttribute&) const = default;
};

// Nodes of an ONNX model that are an operator: those of a domain and a type, in the opsets from
// `since` to `until` of that domain.
struct OnnxBinding {
    std::string domain; // "" is the standard one, also called "ai.onnx"
    std::string type;
    std::int64_t since = 1;
    std::int64_t until = std::numeric_limits<std::int64_t>::max();
    // The operator's attributes that are not just the node's of that name.
    std::map<std::string, OnnxAttribute> attributes;
    // Attributes of the node that the operator does not have, with the one value (an integer, a
    // number or a text) under which the node is the operator; one that is not given has it.
    std::map<std::string, AttrValue> fixed;
    std::set<std::string> ignored; // others, which make no difference whatever they are
    // Such a node has operands as it likes; the operator, of two, is applied from the left.
    bool isChain = false;
    Where where; // of the clause that says so

    bool takes(std::int64_t opset) const { return since <= opset && opset <= until; }
    bool overlaps(const OnnxBinding& other) const {
        return domain == other.domain && type == other.type && since <= other.until &&
               other.since <= until && agreesWith(other.fixed);
    }
    // Whether no attribute has another value there than the clause gives it.
    bool agreesWith(const std::map<std::string, AttrValue>& values) const {
        return std::all_of(fixed.begin(), fixed.end(), [&](const auto& one) {
            const auto other = values.find(one.first);
            return other == values.end() || other->second == one.second;
        });
    }
    const std::string& nodeAttribute(const std::string& ours) const {
        const auto renamed = attributes.find(ours);
        return renamed == attributes.end() ? ours : renamed->second.name;
    }
    const OnnxAttribute* attribute(const std::string& ours) const { // nullptr: the node's `ours`
        const auto found = attributes.find(ours);
        return found == attributes.end() ? nullptr : &found->second;
    }
    // Whether the operand of the node, counted from 0, is an attribute of the operator.
    bool isAttribute(std::size_t operand) const {
        return std::any_of(attributes.begin(), attributes.end(),
                           [&](const auto& one) { return one.second.operand == operand; });
    }
};

// What must hold of an element of an operand and may not.
struct ElementDemand {
    std::size_t operand = 0, element = 0; // of several operands the first
    std::string value;                    // "5"
    std::string requirement, seen;        // "n <= D", "n = 5, D = 4"
    Expr condition;                       // of free dimensions; false: it does not hold
};

class Operator {
public:
    virtual ~Operator() = default;
    virtual const std::string& name() const = 0;
    virtual const std::string& doc() const = 0;
    virtual std::string signature() const = 0;        // "relu(x: T[S...]) -> y: T[S...]"
    virtual std::string body() const = 0;             // its text; "native" for native operators
    virtual std::string source() const { return {}; } // its declaration; empty: it has none
    virtual std::vector<std::string> inputNames() const = 0;
    virtual std::vector<std::string> outputNames() const = 0;
    virtual Arity arity() const = 0;
    // Of how many axes that operand always is; nullopt: of as many as it likes, or that is not
    // said.
    virtual std::optional<std::size_t> inputRank(std::size_t /*operand*/) const {
        return std::nullopt;
    }
    virtual std::vector<std::string> attrNames() const = 0;
    // nullopt: there is no such attribute. An operator that is not known has any.
    virtual std::optional<AttrType> attrType(std::string_view attr) const = 0;
    // What an attribute that a node does not write stands for; nullopt if it must be written or has
    // no one value.
    virtual std::optional<AttrValue> attrDefault(std::string_view /*attr*/) const {
        return std::nullopt;
    }
    virtual std::vector<OnnxBinding> onnx() const { return {}; }
    virtual Result<Inferred> infer(const OpCall& call) const = 0;
    // What it requires of the elements of its operands; infer() does not ask that.
    virtual bool asksOfElements() const { return false; }
    // That which does not always hold, of elements that are known (of others: nullptr).
    virtual std::vector<ElementDemand>
    demandsOf(const OpCall& /*call*/, const std::vector<const TensorData*>& /*known*/) const {
        return {};
    }
    // The computation. Tensors are named after the parameters; variadic ones get a number appended.
    // Refused (OpaqueOperator as UnknownOperator diag) when there is no tensor expression.
    virtual Result<OpInst> instantiate(const OpCall& call) const = 0;
    virtual std::optional<Diag>
    refusal(const OpCall& call) const; // of instantiate(), if it refuses
    virtual Result<Facts> facts(const OpCall& call) const = 0;
    // Reference result on concrete data (f64 inside); operands may be nullptr when absent.
    virtual Result<std::vector<TensorData>>
    reference(const OpCall& call, const std::vector<const TensorData*>& inputs) const = 0;
    // The kernel that the runtime has for it (core/runtime/native_step.h), where there is no tensor
    // expression; empty: none.
    virtual std::string_view runtimeKernel() const { return {}; }
    virtual bool commutative() const { return false; } // in its first two operands; derived
    // Its only output holds the elements of its first operand in the same (row-major) order,
    // whatever the call: nothing has to be computed.
    virtual bool isView() const { return false; }
    // Its only operand is an i64 vector whose elements are the values of the free dimensions in its
    // attribute `dims`, one each; who reads those waits for it.
    virtual bool bindsDims() const { return false; }
    virtual bool isNative() const = 0;
    // Its results hold elements of its operands as they are: nothing is rounded.
    virtual bool movesOnly() const { return isView(); }
    // It is not computed itself: calls of others stand for it wherever it is read, and it has none
    // of infer()'s types.
    virtual bool standsForCalls() const { return false; }
    // UnknownOperator unless standsForCalls().
    virtual Result<CallSequence> calls(const OpCall& call) const;
};

// Who declares an operator. Of two that read the same node of ONNX the later kind does it.
enum class OperatorSource : std::uint8_t { Shipped, Model, Book };

// A clause with the operator that it makes of nodes.
struct OnnxReading {
    OnnxBinding binding;
    std::string op;
    OperatorSource source = OperatorSource::Book;
};

class OperatorSet {
public:
    // A later one shadows an earlier one of the same name, whose clauses still lead to that name
    // where the later one has none of its own.
    Status add(std::shared_ptr<const Operator> op, OperatorSource source = OperatorSource::Book);
    // nullptr if there is none, or it stands for calls.
    const Operator* find(std::string_view name) const;
    const Operator* findReader(std::string_view name) const; // either; nullptr if there is none
    // Whether it shadows another one: what is written elsewhere for the name (calls of libraries)
    // may not be what it computes.
    bool isReplaced(std::string_view name) const { return m_replaced.contains(name); }
    // Operator::bindsDims() of the operator; false if there is none.
    bool bindsDims(std::string_view name) const { return m_binding.contains(name); }
    std::vector<const Operator*> all() const; // by name, but those that stand for calls
    // Clauses of ONNX, by type and domain; of those about the same nodes, those that go first last.
    const std::vector<OnnxReading>& onnxReadings() const { return m_readings; }
    // Who reads such a node of this opset of the domain; nullptr if nobody does. Of several the
    // last that says nothing else of the node's attributes; the last if all do.
    // All of them, in the order in which they are asked: of several whose operators do not take the
    // operands of a node it is the next.
    std::vector<const OnnxReading*>
    onnxReadings(std::string_view domain, std::string_view type, std::int64_t opset,
                 const std::map<std::string, AttrValue>& given = {}) const;
    const OnnxReading* onnxReading(std::string_view domain, std::string_view type,
                                   std::int64_t opset,
                                   const std::map<std::string, AttrValue>& given = {}) const;

private:
    using Operators = std::map<std::string, std::shared_ptr<const Operator>, std::less<>>;
    Operators m_operators, m_standing; // the second stand for calls
    std::set<std::string, std::less<>> m_replaced, m_binding;
    std::vector<OnnxReading> m_readings; // by type, domain and source, then as they were added
};

} // namespace fw
