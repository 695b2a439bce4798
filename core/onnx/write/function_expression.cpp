// Literals, names and scalar operations; reads and reductions are in function_reads.cpp.
#include "onnx/write/function_expression.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace fw {

namespace {

struct SignSpelling {
    std::string_view sign;
    const char* type;
};

constexpr SignSpelling functions[] = {
    {"exp", "Exp"},         {"log", "Log"},     {"sqrt", "Sqrt"},   {"tanh", "Tanh"},
    {"erf", "Erf"},         {"abs", "Abs"},     {"floor", "Floor"}, {"ceil", "Ceil"},
    {"sigmoid", "Sigmoid"}, {"round", "Round"}, {"sign", "Sign"},   {"sin", "Sin"},
    {"cos", "Cos"},
};
constexpr SignSpelling pairs[] = {{"+", "Add"},   {"-", "Sub"},   {"*", "Mul"},
                                  {"min", "Min"}, {"max", "Max"}, {"pow", "Pow"}};
constexpr SignSpelling comparisons[] = {
    {"==", "Equal"},          {"<", "Less"}, {"<=", "LessOrEqual"}, {">", "Greater"},
    {">=", "GreaterOrEqual"}, {"&&", "And"}, {"||", "Or"}};

template <std::size_t N>
const char* spelled(const SignSpelling (&table)[N], std::string_view sign) {
    const auto found = std::find_if(std::begin(table), std::end(table),
                                    [&](const SignSpelling& one) { return one.sign == sign; });
    return found == std::end(table) ? nullptr : found->type;
}

FunctionValue literal(double number, ElementKind kind) {
    FunctionValue out;
    out.kind = kind;
    out.isFree = true;
    out.literal = number;
    return out;
}

FunctionValue freeValue(std::string name, ElementKind kind) {
    FunctionValue out;
    out.name = std::move(name);
    out.kind = kind;
    out.isFree = true;
    return out;
}

// Of two literals; nothing where it has no value of the kind.
std::optional<FunctionValue> folded(const std::string& sign, const FunctionValue& a,
                                    const FunctionValue& b) {
    if (!a.literal || !b.literal)
        return std::nullopt;
    const bool areIntegers = a.kind == ElementKind::Integer && b.kind == ElementKind::Integer;
    const ElementKind kind = areIntegers ? ElementKind::Integer : ElementKind::Float;
    const double x = *a.literal, y = *b.literal;
    if (sign == "+")
        return literal(x + y, kind);
    if (sign == "-")
        return literal(x - y, kind);
    if (sign == "*")
        return literal(x * y, kind);
    if (sign == "/" && !areIntegers)
        return literal(x / y, kind);
    return std::nullopt;
}

} // namespace

Diag unsaid(std::string why) {
    return makeDiag(DiagCode::UnsupportedAttribute, std::move(why));
}

const AttrParamTree* FunctionExpression::findAttribute(const std::string& name) const {
    const auto found = std::find_if(m_op.attrs.begin(), m_op.attrs.end(),
                                    [&](const AttrParamTree& one) { return one.name == name; });
    return found == m_op.attrs.end() ? nullptr : &*found;
}

std::string FunctionExpression::emitted(const FunctionValue& value) {
    if (!value.name.empty())
        return value.name;
    return value.kind == ElementKind::Integer
               ? m_nodes.integer(static_cast<std::int64_t>(*value.literal))
               : m_nodes.real(*value.literal);
}

Result<std::string> FunctionExpression::typed(FunctionValue& value, const std::string& dtype) {
    std::string name = emitted(value);
    if (!value.isFree)
        return name;
    value.isFree = false;
    if (const auto known = parseDtype(dtype)) {
        value.kind = kindOf(*known);
        return m_nodes.casted(name, *known);
    }
    for (const ParamTree& param : m_op.params)
        if (const auto tensor = m_tensors.find(param.name);
            param.type.dtype == dtype && tensor != m_tensors.end()) {
            value.kind = tensor->second.kind;
            return m_nodes.add("CastLike", {name, tensor->second.name});
        }
    return unsaid(fmt::format("no operand has the element type {}", dtype));
}

void FunctionExpression::meet(FunctionValue& a, FunctionValue& b) {
    if (!a.isFree && !b.isFree)
        return;
    if (a.isFree && b.isFree) {
        if (a.kind == b.kind)
            return;
        FunctionValue& integer = a.kind == ElementKind::Integer ? a : b;
        integer.kind = ElementKind::Float;
        if (!integer.literal)
            integer.name = m_nodes.casted(integer.name, DType::F64);
        return;
    }
    FunctionValue& open = a.isFree ? a : b;
    const FunctionValue& typed = a.isFree ? b : a;
    open.name = m_nodes.add("CastLike", {emitted(open), typed.name});
    open.isFree = false;
    open.literal.reset();
    open.kind = typed.kind;
}

FunctionValue FunctionExpression::joined(const std::string& type, FunctionValue a, FunctionValue b,
                                         std::optional<ElementKind> kind) {
    meet(a, b);
    a.name = m_nodes.add(type, {emitted(a), emitted(b)});
    a.literal.reset();
    if (kind) {
        a.kind = *kind;
        a.isFree = false;
    }
    a.covers.merge(b.covers);
    a.stretched.merge(b.stretched);
    return a;
}

Result<FunctionValue> FunctionExpression::value(const Tree& tree) {
    switch (tree.kind) {
    case TreeKind::Int:
        return literal(static_cast<double>(tree.integer), ElementKind::Integer);
    case TreeKind::Float:
        return literal(tree.real, ElementKind::Float);
    case TreeKind::Name:
        return name(tree);
    case TreeKind::Unary:
        return unary(tree);
    case TreeKind::Binary:
        return binary(tree);
    case TreeKind::Call:
        return call(tree);
    case TreeKind::Index:
        return read(tree);
    case TreeKind::Reduce:
        return reduce(tree);
    default:
        return unsaid("a list or a text stands where a value is meant");
    }
}

Result<FunctionValue> FunctionExpression::name(const Tree& tree) {
    if (const std::size_t place = placeOf(m_axes, tree.text); place < m_axes.size()) {
        const FunctionAxis axis = m_axes[place];
        FW_TRY(const FunctionValue count, extent(axis.dim));
        const std::string run =
            m_nodes.add("Range", {m_nodes.integer(0), emitted(count), m_nodes.integer(1)});
        FW_TRY(std::string aligned, m_axisWriter.aligned(run, {axis}, m_axes));
        FunctionValue out = freeValue(std::move(aligned), ElementKind::Integer);
        out.covers.insert(tree.text);
        return out;
    }
    if (const AttrParamTree* attr = findAttribute(tree.text))
        return attribute(*attr, nullptr);
    if (tree.text == "true" || tree.text == "false") {
        FunctionValue out;
        out.name = m_nodes.truth(tree.text == "true");
        out.kind = ElementKind::Truth;
        return out;
    }
    if (tree.text == "inf")
        return literal(std::numeric_limits<double>::infinity(), ElementKind::Float);
    if (tree.text == "nan")
        return literal(std::numeric_limits<double>::quiet_NaN(), ElementKind::Float);
    return extent(tree.text);
}

// `index` is the element that is meant of a list.
Result<FunctionValue> FunctionExpression::attribute(const AttrParamTree& attr, const Tree* index) {
    using Proto = proto::AttributeProto;
    const std::string& theirs = m_clause.nodeAttribute(attr.name);
    const bool isReal = attr.kind == AttrKind::Float;
    if (attr.list != (index != nullptr) || attr.kind == AttrKind::Text ||
        attr.kind == AttrKind::DType)
        return unsaid(fmt::format("the attribute '{}' is no number", attr.name));
    std::string name;
    if (index == nullptr) {
        name = m_nodes.given(theirs, isReal ? Proto::FLOAT : Proto::INT);
    } else {
        FW_TRY(const FunctionValue place, value(*index));
        if (!place.literal)
            return unsaid(fmt::format("an element of '{}' is picked by a value", attr.name));
        name = m_nodes.add("Gather", {m_nodes.given(theirs, isReal ? Proto::FLOATS : Proto::INTS),
                                      emitted(place)});
    }
    if (attr.kind == AttrKind::Bool) {
        FunctionValue out;
        out.name = m_nodes.casted(name, DType::Bool);
        out.kind = ElementKind::Truth;
        return out;
    }
    return isReal ? freeValue(m_nodes.casted(name, DType::F64), ElementKind::Float)
                  : freeValue(std::move(name), ElementKind::Integer);
}

Result<FunctionValue> FunctionExpression::unary(const Tree& tree) {
    FW_TRY(FunctionValue x, value(tree.args[0]));
    if (tree.text == "-" && x.literal)
        return literal(-*x.literal, x.kind);
    x.name = m_nodes.add(tree.text == "-" ? "Neg" : "Not", {emitted(x)});
    x.literal.reset();
    return x;
}

Result<FunctionValue> FunctionExpression::binary(const Tree& tree) {
    if (tree.text == "in")
        return unsaid("'in' is no operation of ONNX");
    FW_TRY(FunctionValue a, value(tree.args[0]));
    FW_TRY(FunctionValue b, value(tree.args[1]));
    if (auto known = folded(tree.text, a, b))
        return *known;
    if (const char* type = spelled(comparisons, tree.text))
        return joined(type, std::move(a), std::move(b), ElementKind::Truth);
    if (tree.text == "!=") {
        FunctionValue out = joined("Equal", std::move(a), std::move(b), ElementKind::Truth);
        out.name = m_nodes.add("Not", {out.name});
        return out;
    }
    if (tree.text == "/" || tree.text == "%")
        return quotient(tree.text, std::move(a), std::move(b));
    return joined(spelled(pairs, tree.text), std::move(a), std::move(b));
}

// ONNX cuts quotients of integers and does not say what a division by 0 gives.
Result<FunctionValue> FunctionExpression::quotient(const std::string& sign, FunctionValue a,
                                                   FunctionValue b) {
    const std::optional<double> divisor = b.literal;
    meet(a, b);
    if (a.kind == ElementKind::Float && sign != "%")
        return joined("Div", std::move(a), std::move(b));
    if (a.kind != ElementKind::Integer)
        return unsaid(fmt::format("'{}' means something else for other element types of calls that "
                                  "there are, or for ONNX",
                                  sign));
    if (!divisor || *divisor == 0)
        return unsaid("integers are divided by what may be 0");
    if (sign == "div")
        return joined("Div", std::move(a), std::move(b));
    const FunctionValue cut = joined("Div", a, b);
    const FunctionValue rest = joined("Sub", std::move(a), joined("Mul", cut, b));
    FunctionValue wrong = joined(*divisor > 0 ? "Less" : "Greater", rest,
                                 literal(0, ElementKind::Integer), ElementKind::Truth);
    // Rounded down, the rest has the sign of the divisor.
    const FunctionValue& plain = sign == "%" ? rest : cut;
    FunctionValue out = sign == "%" ? joined("Add", rest, std::move(b))
                                    : joined("Sub", cut, literal(1, ElementKind::Integer));
    out.name = m_nodes.add("Where", {wrong.name, out.name, plain.name});
    return out;
}

Result<FunctionValue> FunctionExpression::cast(const Tree& of, const Tree& type) {
    FW_TRY(FunctionValue x, value(of));
    if (!type.isName())
        return unsaid("an element type is computed");
    x.name = emitted(x);
    x.literal.reset();
    if (const AttrParamTree* attr = findAttribute(type.text); attr != nullptr) {
        x.name = m_nodes.castedAsGiven(x.name, m_clause.nodeAttribute(attr->name));
        x.kind = ElementKind::Mixed;
        x.isFree = false;
        return x;
    }
    x.isFree = true; // so that it takes the type, whatever it has
    FW_TRY(x.name, typed(x, type.text));
    return x;
}

Result<FunctionValue> FunctionExpression::call(const Tree& tree) {
    const auto& args = tree.args;
    const std::string& f = tree.text;
    if (f == "given" && args.size() == 3) {
        const auto given = m_facts.given.find(args[0].text);
        if (given == m_facts.given.end())
            return unsaid(fmt::format("'{}' is no optional operand", args[0].text));
        return value(args[given->second ? 1 : 2]);
    }
    if (f == "cast" && args.size() == 2)
        return cast(args[0], args[1]);
    if (f == "size" && args.size() == 1) {
        const Tree& dims = args[0].kind == TreeKind::Pack ? args[0].args[0] : args[0];
        FW_TRY(const std::string list, extents({{}, dims.isName() ? dims.text : "", true}));
        return freeValue(m_nodes.reduced("ReduceProd", list, {0}), ElementKind::Integer);
    }
    if (f == "lowest" && args.size() == 1) {
        const auto kind = m_facts.kinds.find(args[0].text);
        if (kind != m_facts.kinds.end() && kind->second == ElementKind::Float)
            return literal(-std::numeric_limits<double>::infinity(), ElementKind::Float);
        return unsaid("the least value of an integer type is not the same for all");
    }
    return composed(tree);
}

Result<FunctionValue> FunctionExpression::selected(FunctionValue condition, FunctionValue yes,
                                                   FunctionValue no) {
    meet(yes, no);
    FunctionValue out = yes;
    out.name = m_nodes.add("Where", {emitted(condition), emitted(yes), emitted(no)});
    out.literal.reset();
    for (const FunctionValue* other : {&condition, &no}) {
        out.covers.insert(other->covers.begin(), other->covers.end());
        out.stretched.insert(other->stretched.begin(), other->stretched.end());
    }
    return out;
}

// What operators of ONNX are put together to.
Result<FunctionValue> FunctionExpression::composed(const Tree& tree) {
    const std::string& f = tree.text;
    const bool isKnown = f == "select" || f == "sqr" || f == "rsqrt" || f == "div" ||
                         f == "clamp" || spelled(functions, f) != nullptr ||
                         spelled(pairs, f) != nullptr;
    if (!isKnown)
        return unsaid(fmt::format("{}() is no composition of operators of ONNX", f));
    std::vector<FunctionValue> values;
    for (const Tree& arg : tree.args) {
        FW_TRY(FunctionValue one, value(arg));
        values.push_back(std::move(one));
    }
    if (f == "select" && values.size() == 3)
        return selected(values[0], values[1], values[2]);
    if (f == "clamp" && values.size() == 3)
        return joined("Min", joined("Max", values[0], values[1]), values[2]);
    if (f == "div" && values.size() == 2)
        return quotient("div", values[0], values[1]);
    if (f == "sqr" && values.size() == 1)
        return joined("Mul", values[0], values[0]);
    if (const char* type = spelled(pairs, f); type != nullptr && values.size() == 2)
        return joined(type, values[0], values[1]);
    FunctionValue& x = values.front();
    x.name = emitted(x);
    x.literal.reset();
    if (x.isFree && x.kind == ElementKind::Integer) {
        x.name = m_nodes.casted(x.name, DType::F64);
        x.kind = ElementKind::Float;
    }
    x.name = m_nodes.add(f == "rsqrt" ? "Sqrt" : spelled(functions, f), {x.name});
    if (f == "rsqrt")
        x.name = m_nodes.add("Reciprocal", {x.name});
    return x;
}

} // namespace fw
