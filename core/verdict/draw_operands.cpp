// Operands of which a pattern says what they are: types, constants, their data.
#include "verdict/draw_graph.h"

#include "ir/tensor_text.h"
#include "rewrite/right_side.h"
#include "syntax/declarations.h"
#include "syntax/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

namespace fw {

namespace {

constexpr std::size_t mostLiterals = 64; // literals that are kept
constexpr std::int64_t mostExtent = 512; // of one axis

void addType(DType dtype, Literals& out) {
    if (std::find(out.types.begin(), out.types.end(), dtype) == out.types.end())
        out.types.push_back(dtype);
    out.cut = out.cut || isInteger(dtype);
}

void addLiterals(const Tree& tree, double sign, Literals& out) {
    if (tree.kind == TreeKind::Int && out.integers.size() < mostLiterals) {
        const std::int64_t integer =
            sign < 0 && tree.integer != std::numeric_limits<std::int64_t>::min() ? -tree.integer
                                                                                 : tree.integer;
        if (tree.integer >= 1 && tree.integer <= mostExtent)
            out.extents.push_back(tree.integer);
        out.integers.push_back(integer);
        out.reals.push_back(static_cast<double>(integer));
    } else if (tree.kind == TreeKind::Float && out.reals.size() < mostLiterals) {
        out.reals.push_back(sign * tree.real);
    }
    if (const auto dtype = tree.isName() ? parseDtype(tree.text) : std::nullopt;
        dtype && out.dtypes.size() < mostLiterals) {
        out.dtypes.push_back(*dtype);
        addType(*dtype, out);
    }
    if (tree.kind == TreeKind::List && out.lists.size() < mostLiterals) {
        std::vector<std::int64_t> list;
        const auto value = evaluate(tree, {});
        if (const auto* items = value ? std::get_if<Exprs>(&*value) : nullptr)
            for (const Expr& item : *items)
                list.push_back(item.asInt().value_or(0));
        if (!list.empty())
            out.lists.push_back(std::move(list));
    }
    const bool negative = tree.kind == TreeKind::Unary && tree.text == "-";
    for (const Tree& part : tree.args)
        addLiterals(part, negative ? -sign : sign, out);
}

void addLiterals(const PatternTree& p, Literals& out) {
    for (const PatternAttrTree& attr : p.attrs)
        for (const Tree* tree : {&attr.value, &attr.low, &attr.high, &attr.among})
            if (tree->span.end > tree->span.begin)
                addLiterals(*tree, 1, out);
    for (const PatternConstraint& one : p.constraints) {
        for (const Tree& dim : one.dims)
            addLiterals(dim, 1, out);
        if (one.kind == PatternConstraint::Kind::Type)
            if (const auto dtype = parseDtype(one.name))
                addType(*dtype, out);
        if (one.kind == PatternConstraint::Kind::Equal)
            addLiterals(one.value, 1, out);
    }
    for (const ConditionTree& condition : p.where)
        addLiterals(condition.tree, 1, out);
    for (const PatternTree& part : p.args)
        addLiterals(part, out);
}

} // namespace

Literals literalsOf(const RuleTree& rule, const std::vector<NamedPattern>& patterns) {
    Literals out;
    for (const NamedPattern& named : patterns)
        addLiterals(named.pattern, out);
    for (const ConditionTree& condition : rule.where)
        addLiterals(condition.tree, 1, out);
    return out;
}

namespace {

// Of either sign, whichever is written.
void addUnusual(const Tree& tree, Literals& out) {
    const bool integer = tree.kind == TreeKind::Int;
    const double real = integer ? static_cast<double>(tree.integer) : tree.real;
    const bool number = integer || tree.kind == TreeKind::Float;
    const bool usual = std::abs(real) <= 3 && 2 * real == std::floor(2 * real);
    if (number && !usual &&
        std::find(out.reals.begin(), out.reals.end(), real) == out.reals.end()) {
        out.reals.insert(out.reals.end(), {real, -real});
        if (integer && tree.integer != std::numeric_limits<std::int64_t>::min())
            out.integers.insert(out.integers.end(), {tree.integer, -tree.integer});
    }
    for (const Tree& part : tree.args)
        addUnusual(part, out);
    for (const TreeAttr& attr : tree.attrs)
        addUnusual(attr.value, out);
}

void addCalled(const Tree& tree, std::set<std::string>& out) {
    if (tree.kind == TreeKind::Call)
        out.insert(tree.text);
    for (const Tree& part : tree.args)
        addCalled(part, out);
}

void addCalled(const PatternTree& p, std::set<std::string>& out) {
    if (p.kind == PatternKind::Call && !p.ofKind)
        out.insert(p.name);
    for (const PatternTree& part : p.args)
        addCalled(part, out);
}

} // namespace

namespace {

// name(y) == "stem", name(y) in {"a", "b"}
void addAskedNames(const Tree& tree, AskedNames& out) {
    const auto isAsked = [](const Tree& one) {
        return one.isCall("name") && one.args.size() == 1 && one.args[0].isName();
    };
    const auto add = [&](const Tree& asked, const Tree& name) {
        if (isAsked(asked) && name.kind == TreeKind::Text && !name.text.empty())
            out.bound[asked.args[0].text].push_back(name.text);
    };
    if (tree.kind == TreeKind::Binary && tree.text == "==") {
        add(tree.args[0], tree.args[1]);
        add(tree.args[1], tree.args[0]);
    } else if (tree.kind == TreeKind::Binary && tree.text == "in") {
        for (const Tree& one : tree.args[1].args)
            add(tree.args[0], one);
    } else {
        for (const Tree& part : tree.args)
            addAskedNames(part, out);
    }
}

void addReadNames(const Tree& tree, std::vector<std::string>& out) {
    if (isNodeByName(tree) && std::find(out.begin(), out.end(), tree.args[0].text) == out.end())
        out.push_back(tree.args[0].text);
    for (const Tree& part : tree.args)
        addReadNames(part, out);
}

} // namespace

AskedNames namesAskedBy(const RuleTree& rule) {
    AskedNames out;
    for (const ConditionTree& condition : rule.where)
        addAskedNames(condition.tree, out);
    for (const std::vector<NamedTree>* made : {&rule.let, &rule.emit})
        for (const NamedTree& named : *made)
            addReadNames(named.value, out.others);
    return out;
}

Literals literalsAtConstants(const RuleTree& rule, const std::vector<NamedPattern>& patterns,
                             const OperatorSet& operators) {
    constexpr std::size_t mostOfOne = 12; // operator: more are coefficients
    Literals out;
    std::set<std::string> called;
    for (const NamedPattern& named : patterns)
        addCalled(named.pattern, called);
    for (const std::vector<NamedTree>* made : {&rule.let, &rule.emit})
        for (const NamedTree& named : *made) {
            addUnusual(named.value, out);
            addCalled(named.value, called);
        }
    for (const std::string& name : called) {
        const Operator* op = operators.find(name);
        const auto tree = only<OpTree>(parseFile(op != nullptr ? op->source() : std::string(), ""));
        Literals own;
        if (tree)
            for (const StmtTree& stmt : tree->stmts)
                addUnusual(stmt.value, own);
        if (own.reals.size() > mostOfOne)
            continue;
        out.integers.insert(out.integers.end(), own.integers.begin(), own.integers.end());
        out.reals.insert(out.reals.end(), own.reals.begin(), own.reals.end());
    }
    return out;
}

std::vector<std::int64_t> extentsNear(const RuleTree& rule,
                                      const std::vector<NamedPattern>& patterns) {
    constexpr std::size_t mostNumbers = 16;
    constexpr std::int64_t mostMade = 40; // by a sum or a product
    Literals written = literalsOf(rule, patterns);
    const std::function<void(const Tree&)> add = [&](const Tree& tree) {
        if (tree.kind == TreeKind::Int)
            written.integers.push_back(tree.integer);
        for (const Tree& part : tree.args)
            add(part);
        for (const TreeAttr& attr : tree.attrs)
            add(attr.value);
    };
    for (const std::vector<NamedTree>* made : {&rule.let, &rule.emit})
        for (const NamedTree& named : *made)
            add(named.value);
    std::set<std::int64_t> numbers;
    for (const std::int64_t number : written.integers)
        if (number != 0 && number >= -mostExtent && number <= mostExtent &&
            numbers.size() < mostNumbers)
            numbers.insert(number < 0 ? -number : number);
    std::set<std::int64_t> out;
    for (const std::int64_t a : numbers) {
        out.insert({a - 1, a, a + 1});
        for (const std::int64_t b : numbers)
            for (const std::int64_t made : {a + b, a * b})
                if (made <= mostMade)
                    out.insert({made - 1, made, made + 1});
    }
    out.erase(0);
    return {out.begin(), out.end()};
}

std::optional<ValueRef> GraphDrawer::valueOf(const Drawn& part) {
    if (part.hole == nullptr)
        return part.value;
    const auto type = typeFrom(*part.hole);
    return fill(part, type ? *type : m_calls->type(dtypeFrom(*part.hole).value_or(m_real)));
}

std::optional<ValueRef> GraphDrawer::fill(const Drawn& part, const TensorType& type) {
    if (part.hole == nullptr)
        return part.value;
    for (const PatternTree* named : part.names) // two operands of one call
        if (const auto known = m_values.find(named->name); known != m_values.end())
            return m_editor->type(known->second) == type ? std::optional(known->second)
                                                         : std::nullopt;
    const PatternTree& hole = *part.hole;
    std::optional<Tree> equal;
    bool constant = hole.kind == PatternKind::Const || hole.demandsConst();
    for (const PatternConstraint& one : hole.constraints)
        if (one.kind == PatternConstraint::Kind::Equal)
            equal = one.value;
    for (const PatternTree* named : part.names)
        constant = constant || named->demandsConst();
    ValueRef value;
    const std::string name = fmt::format("v{}", m_leaves++);
    m_holes[name] = hole.kind == PatternKind::Capture ? hole.name
                    : part.names.empty()              ? fmt::format("_{}", hole.span.begin)
                                                      : part.names.front()->name;
    if (type.dtype == DType::Text) { // no values of it are drawn
        value = m_editor->addInput(name, type);
    } else if (equal) {
        Tree elements = *equal;
        if (elements.kind != TreeKind::List) {
            elements.kind = TreeKind::List;
            const auto count = elementCount(type.shape).asInt();
            elements.args.assign(static_cast<std::size_t>(count.value_or(0)), *equal);
        }
        Result<TensorData> data = tensorFromTree(type, elements, {});
        if (!data)
            return std::nullopt;
        value = m_editor->addConstant(name, data.take());
    } else if (constant || m_random.chance(15)) {
        value = m_editor->addConstant(name, drawnData(m_random, m_literals, type));
    } else {
        value = m_editor->addInput(name, type);
    }
    for (const PatternTree* named : part.names)
        m_values[named->name] = value;
    return value;
}

bool GraphDrawer::shapeFrom(const std::vector<Tree>& dims, Shape& shape) {
    for (const Tree& dim : dims) {
        const bool pack = dim.kind == TreeKind::Pack;
        const Tree& tree = pack && !dim.args.empty() ? dim.args[0] : dim;
        const bool nameless = (pack && dim.args.empty()) || dim.isName("any");
        if (nameless || (tree.isName() && !m_terms.names.contains(tree.text))) {
            Exprs drawn;
            for (std::size_t count = pack ? m_random.below(3) : 1; count > 0; --count)
                drawn.emplace_back(m_calls->extent());
            if (!nameless && pack)
                m_terms.names[tree.text] = drawn;
            else if (!nameless)
                m_terms.names[tree.text] = drawn.front();
            shape.insert(shape.end(), drawn.begin(), drawn.end());
            continue;
        }
        const auto term = evaluate(tree, m_terms);
        if (const auto* one = term ? std::get_if<Expr>(&*term) : nullptr)
            shape.push_back(*one);
        else if (const auto* list = term ? std::get_if<Exprs>(&*term) : nullptr)
            shape.insert(shape.end(), list->begin(), list->end());
        else
            return false;
    }
    return true;
}

std::optional<TensorType> GraphDrawer::typeFrom(const PatternTree& hole) {
    for (const PatternConstraint& one : hole.constraints) {
        if (one.kind == PatternConstraint::Kind::Equal && one.value.kind == TreeKind::List) {
            const bool places = m_random.chance(30) && // numbers of elements, axes
                                std::all_of(one.value.args.begin(), one.value.args.end(),
                                            [](const Tree& item) { return integerFromTree(item); });
            return TensorType{dtypeFrom(hole).value_or(places ? DType::I64 : m_real),
                              {Dim(static_cast<std::int64_t>(one.value.args.size()))}};
        }
        if (one.kind == PatternConstraint::Kind::Same)
            if (const auto known = m_values.find(one.name); known != m_values.end())
                return m_editor->type(known->second);
        if (one.kind != PatternConstraint::Kind::Type)
            continue;
        TensorType out;
        out.dtype = parseDtype(one.name).value_or(m_real);
        if (one.hasShape && shapeFrom(one.dims, out.shape))
            return out;
    }
    return std::nullopt;
}

std::optional<DType> GraphDrawer::dtypeFrom(const PatternTree& hole) {
    for (const PatternConstraint& one : hole.constraints)
        if (one.kind == PatternConstraint::Kind::Type)
            return parseDtype(one.name);
    return std::nullopt;
}

} // namespace fw
