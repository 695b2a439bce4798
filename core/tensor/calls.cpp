#include "tensor/calls.h"

#include "base/nearest.h"
#include "expr/simplify.h"
#include "ir/call_memo.h"
#include "ir/tensor_text.h"
#include "tensor/binding.h"
#include "tensor/text_operator.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace fw {

namespace {

using Operand = CallSequence::Operand;

bool isLeftOut(const OutTree& out) { // `_`: a result that it does not have
    return out.name == "_";
}

bool isChoice(const Tree& tree) {
    return (tree.text == "select" || tree.text == "given") && tree.kind == TreeKind::Call &&
           tree.args.size() == 3;
}

// A value is an operand or what a call makes; everything else that stands for one is a number or a
// list that is known when the body is read.
class Reader {
public:
    Reader(const OpTree& op, const std::string& file, Binding binding, std::size_t operands)
        : m_op(op), m_binding(std::move(binding)), m_evaluator(m_binding.names, file) {
        nameOperands(operands);
    }

    Result<CallSequence> run() {
        for (const CallStmtTree& statement : m_op.calls)
            FW_CHECK(read(statement));
        for (const OutTree& out : m_op.outs)
            m_out.results.push_back(isLeftOut(out) ? Operand() : m_values.at(out.name).at(0));
        m_out.assumptions = std::move(m_binding.assumptions);
        return std::move(m_out);
    }

private:
    void nameOperands(std::size_t operands) {
        std::size_t next = 0;
        for (std::size_t p = 0; p < m_op.params.size(); ++p) {
            const std::size_t behind = m_op.params.size() - p - 1;
            const std::size_t count =
                m_op.params[p].variadic ? operands - std::min(operands, next + behind) : 1;
            std::vector<Operand>& values = m_values[m_op.params[p].name];
            for (std::size_t i = 0; i < count; ++i, ++next)
                values.push_back(m_binding.find(p, i) != nullptr ? Operand(next)
                                                                 : Operand(std::monostate()));
        }
    }

    Status read(const CallStmtTree& statement) {
        if (statement.names.size() == 1 && m_evaluator.isList(statement.value)) {
            FW_TRY(Exprs list, m_evaluator.list(statement.value));
            m_binding.names[statement.names.front()] = std::move(list);
            return {};
        }
        FW_TRY(const Operand value, operand(statement.value));
        const auto* made = std::get_if<CallSequence::Result>(&value);
        for (std::size_t i = 0; i < statement.names.size(); ++i)
            m_values[statement.names[i]] = {
                made != nullptr ? CallSequence::Result{made->call, made->output + i} : value};
        return {};
    }

    bool isValue(const Tree& tree) const { return tree.isName() && m_values.contains(tree.text); }

    // The branch of select(condition, a, b) or given(operand, a, b) that is taken.
    Result<const Tree*> chosen(const Tree& tree) {
        if (tree.text == "select") {
            FW_TRY(const bool first, m_evaluator.isKnownToHold(tree.args[0]));
            return &tree.args[first ? 1 : 2];
        }
        const auto found = m_values.find(tree.args[0].text);
        const bool isThere = found != m_values.end() && !found->second.empty() &&
                             !std::holds_alternative<std::monostate>(found->second.front());
        return &tree.args[isThere ? 1 : 2];
    }

    Result<Operand> operand(const Tree& tree) {
        if (isValue(tree))
            return m_values.at(tree.text).at(0);
        if (isChoice(tree)) {
            FW_TRY(const Tree* const branch, chosen(tree));
            return operand(*branch);
        }
        if (m_evaluator.isList(tree)) {
            FW_TRY(const Exprs list, m_evaluator.list(tree));
            Integers out;
            for (const Expr& one : list) {
                const auto known = simplify(one).asInt();
                if (!known)
                    return makeDiag(DiagCode::UnsupportedAttribute,
                                    fmt::format("{} is no number that is known here", one.text()));
                out.push_back(*known);
            }
            return Operand(std::move(out));
        }
        if (tree.kind == TreeKind::Call)
            return call(tree);
        FW_TRY(const Expr number, m_evaluator.scalar(tree));
        const Expr known = simplify(number);
        if (known.op() == ExprOp::Float)
            return Operand(known->real);
        if (const auto integer = known.asInt())
            return Operand(static_cast<double>(*integer));
        return makeDiag(DiagCode::UnsupportedAttribute,
                        fmt::format("{} is no number that is known here", known.text()));
    }

    Result<Operand> call(const Tree& tree) {
        CallSequence::Call made;
        made.op = tree.text;
        for (const Tree& arg : tree.args) {
            if (arg.kind == TreeKind::Pack && isValue(arg.args[0])) {
                const std::vector<Operand>& all = m_values.at(arg.args[0].text);
                made.operands.insert(made.operands.end(), all.begin(), all.end());
                continue;
            }
            FW_TRY(Operand one, operand(arg));
            made.operands.push_back(std::move(one));
        }
        while (!made.operands.empty() &&
               std::holds_alternative<std::monostate>(made.operands.back()))
            made.operands.pop_back();
        for (const TreeAttr& attr : tree.attrs) {
            FW_TRY(auto value, attribute(attr.value));
            made.attributes.push_back({attr.name, std::move(value)});
        }
        m_out.calls.push_back(std::move(made));
        return Operand(CallSequence::Result{m_out.calls.size() - 1, 0});
    }

    Result<std::variant<AttrValue, Operand>> attribute(const Tree& tree) {
        if (isChoice(tree) && !m_evaluator.isList(tree)) {
            FW_TRY(const Tree* const branch, chosen(tree));
            return attribute(*branch);
        }
        if (isValue(tree))
            return std::variant<AttrValue, Operand>(m_values.at(tree.text).at(0));
        FW_TRY(AttrValue known, knownAttribute(tree));
        return std::variant<AttrValue, Operand>(std::move(known));
    }

    Result<AttrValue> knownAttribute(const Tree& tree) {
        if (tree.kind == TreeKind::Text)
            return AttrValue(tree.text);
        if (tree.isCall("cast") && tree.args.size() == 2)
            return oneElement(tree);
        if (m_evaluator.isList(tree)) {
            FW_TRY(const Exprs list, m_evaluator.list(tree));
            return listed(list);
        }
        const auto named = m_binding.names.find(tree.text);
        if (tree.isName() && named != m_binding.names.end()) {
            if (const auto* text = std::get_if<std::string>(&named->second))
                return AttrValue(*text);
            if (const auto* texts = std::get_if<Texts>(&named->second))
                return AttrValue(*texts);
        }
        if (const auto dtype = m_evaluator.dtype(tree))
            return AttrValue(*dtype);
        FW_TRY(const Expr value, m_evaluator.scalar(tree));
        const Expr known = simplify(value);
        if (known.op() == ExprOp::Float)
            return AttrValue(known->real);
        if (const auto integer = known.asInt())
            return AttrValue(*integer);
        return AttrValue(Exprs{known});
    }

    // cast(0, T): a tensor of one element
    Result<AttrValue> oneElement(const Tree& tree) {
        FW_TRY(const DType dtype, m_evaluator.dtype(tree.args[1]));
        FW_TRY(const Operand number, operand(tree.args[0]));
        const auto* value = std::get_if<double>(&number);
        if (value == nullptr)
            return makeDiag(DiagCode::UnsupportedAttribute, "the element of a tensor is a number");
        return AttrValue(dataFromDoubles(dtype, {1}, {*value}));
    }

    static AttrValue listed(const Exprs& list) {
        Integers integers;
        Reals reals;
        Exprs all;
        for (const Expr& one : list) {
            all.push_back(simplify(one));
            if (const auto integer = all.back().asInt())
                integers.push_back(*integer);
            else if (all.back().op() == ExprOp::Float)
                reals.push_back(all.back()->real);
        }
        if (integers.size() == all.size())
            return AttrValue(std::move(integers));
        if (reals.size() == all.size())
            return AttrValue(std::move(reals));
        return AttrValue(std::move(all));
    }

    const OpTree& m_op;
    Binding m_binding;
    TreeEvaluator m_evaluator;
    std::map<std::string, std::vector<Operand>> m_values;
    CallSequence m_out;
};

class OperatorOfCalls final : public TextOperator {
public:
    using TextOperator::TextOperator;

    bool standsForCalls() const override { return true; }

    Result<CallSequence> calls(const OpCall& call) const override {
        return *m_calls.answer(call, [&] { return read(call); });
    }

    // Whether it takes the call.
    Result<Inferred> infer(const OpCall& call) const override {
        const auto all = m_calls.answer(call, [&] { return read(call); });
        if (!*all)
            return all->diag();
        return Inferred{{}, (*all)->assumptions};
    }

    Result<OpInst> instantiate(const OpCall&) const override { return notComputed(); }
    Result<Facts> facts(const OpCall&) const override { return notComputed(); }
    Result<std::vector<TensorData>>
    reference(const OpCall&, const std::vector<const TensorData*>&) const override {
        return notComputed();
    }

private:
    Result<CallSequence> read(const OpCall& call) const {
        Result<Binding> binding = bindCall(tree(), file(), call);
        if (!binding)
            return named(binding.takeDiag());
        Result<CallSequence> out = Reader(tree(), file(), binding.take(), call.inputs.size()).run();
        if (!out)
            return named(out.takeDiag());
        return out;
    }

    Diag notComputed() const {
        return makeDiag(DiagCode::UnknownOperator, name() + " stands for calls of others");
    }

    CallMemo<Result<CallSequence>> m_calls{64}; // a node is asked about several times
};

// What the text of a body says wrongly.
class BodyCheck {
public:
    BodyCheck(const OpTree& op, const std::string& file) : m_op(op), m_file(file) {
        for (const ParamTree& param : op.params) {
            m_known.insert(param.name);
            m_named.insert(param.type.dtype);
            for (const DimTree& dim : param.type.dims)
                m_named.insert(dim.value.kind == TreeKind::Pack ? dim.value.args[0].text
                                                                : dim.value.text);
        }
        for (const AttrParamTree& attr : op.attrs)
            m_named.insert(attr.name);
        for (const WhereTree& where : op.where)
            m_named.insert(where.name);
    }

    Diags run() {
        for (const CallStmtTree& statement : m_op.calls)
            check(statement);
        for (const OutTree& out : m_op.outs)
            if (!isLeftOut(out) && !m_given.contains(out.name))
                refuse(out.span, fmt::format("no statement gives the result '{}'", out.name));
        return std::move(m_errors);
    }

private:
    void check(const CallStmtTree& statement) {
        checkOperands(statement.value);
        checkNames(statement.value);
        for (const std::string& name : statement.names) {
            if (name == "_")
                continue;
            const bool isResult = std::any_of(m_op.outs.begin(), m_op.outs.end(),
                                              [&](const OutTree& out) { return out.name == name; });
            if (isResult == statement.let)
                refuse(statement.span,
                       isResult ? fmt::format("'{}' is a result, not a value of its own", name)
                                : fmt::format("'{}' is not a result", name),
                       isResult ? "leave out 'let'" : "write 'let' before it");
            else if (!m_known.insert(name).second)
                refuse(statement.span, fmt::format("the name '{}' is used twice", name));
            m_given.insert(name);
        }
    }

    // Operands and values, attributes, dims and element types.
    void checkNames(const Tree& tree) {
        const bool isOut = std::any_of(m_op.outs.begin(), m_op.outs.end(),
                                       [&](const OutTree& out) { return tree.isName(out.name); });
        if (tree.isName() && !isOut && !m_known.contains(tree.text) &&
            !m_named.contains(tree.text) && !parseDtype(tree.text) && !numberFromTree(tree) &&
            !integerFromTree(tree)) {
            std::vector<std::string> all(m_known.begin(), m_known.end());
            all.insert(all.end(), m_named.begin(), m_named.end());
            refuse(tree.span, fmt::format("'{}' is not known here", tree.text),
                   didYouMean(tree.text, all, "operands, values, attributes and dims have names"));
        }
        for (const Tree& arg : tree.args)
            checkNames(arg);
        for (const TreeAttr& attr : tree.attrs)
            checkNames(attr.value);
    }

    void checkOperands(const Tree& tree) {
        if (tree.kind != TreeKind::Call)
            return;
        for (const Tree& arg : tree.args) {
            const Tree& one = arg.kind == TreeKind::Pack ? arg.args[0] : arg;
            const bool isLater =
                std::any_of(m_op.outs.begin(), m_op.outs.end(),
                            [&](const OutTree& out) { return one.isName(out.name); });
            if (isLater && !m_known.contains(one.text))
                refuse(one.span, fmt::format("'{}' is read before it is given", one.text));
            checkOperands(one);
        }
    }

    void refuse(const Span& span, std::string message, std::string hint = {}) {
        m_errors.push_back(makeDiag(DiagCode::TextName, m_op.name + ": " + std::move(message),
                                    {m_file, {}, span.line, span.column}, std::move(hint)));
    }

    const OpTree& m_op;
    const std::string& m_file;
    std::set<std::string> m_known, m_given;
    std::set<std::string> m_named; // attributes, dims and element types
    Diags m_errors;
};

class CallCheck {
public:
    CallCheck(const OpTree& op, const OperatorSet& operators, const std::string& file)
        : m_op(op), m_operators(operators), m_file(file) {}

    Diags run() {
        for (const CallStmtTree& statement : m_op.calls)
            if (!isOfNumbers(statement.value))
                check(statement.value, static_cast<std::size_t>(statement.names.size()));
        return std::move(m_errors);
    }

private:
    static bool isOfNumbers(const Tree& tree) { // lists, which no operator makes
        static const std::set<std::string, std::less<>> functions = {"permute", "replaced",
                                                                     "without", "places"};
        return tree.kind != TreeKind::Call || functions.contains(tree.text);
    }

    void check(const Tree& tree, std::size_t results) {
        if (isOfNumbers(tree))
            return;
        if (isChoice(tree)) {
            check(tree.args[1], results);
            check(tree.args[2], results);
            return;
        }
        for (const Tree& arg : tree.args)
            check(arg, 1);
        const Operator* called = m_operators.findReader(tree.text);
        if (called == nullptr || tree.text == m_op.name) {
            refuse(tree, DiagCode::TextName,
                   tree.text == m_op.name
                       ? "an operator does not stand for calls of itself"
                       : fmt::format("there is no operator '{}' before it", tree.text));
            return;
        }
        const bool isOpen = std::any_of(tree.args.begin(), tree.args.end(),
                                        [](const Tree& arg) { return arg.kind == TreeKind::Pack; });
        if (const Arity arity = called->arity(); !isOpen && !arity.takes(tree.args.size()))
            refuse(tree, DiagCode::OperatorArity,
                   fmt::format("{} takes {}, not {}", tree.text, arity.text(), tree.args.size()));
        if (results > called->outputNames().size())
            refuse(tree, DiagCode::OperatorArity,
                   fmt::format("{} has {} results, not {}", tree.text, called->outputNames().size(),
                               results));
        for (const TreeAttr& attr : tree.attrs)
            if (!called->attrType(attr.name))
                refuse(tree, DiagCode::UnsupportedAttribute,
                       fmt::format("{} has no attribute '{}'", tree.text, attr.name),
                       didYouMean(attr.name, called->attrNames()));
    }

    void refuse(const Tree& tree, DiagCode code, std::string message, std::string hint = {}) {
        m_errors.push_back(makeDiag(code, m_op.name + ": " + std::move(message),
                                    {m_file, {}, tree.span.line, tree.span.column},
                                    std::move(hint)));
    }

    const OpTree& m_op;
    const OperatorSet& m_operators;
    const std::string& m_file;
    Diags m_errors;
};

} // namespace

Diags checkCallStatements(const OpTree& op, const std::string& file) {
    return op.standsForCalls() ? BodyCheck(op, file).run() : Diags();
}

Diags checkCallsOf(const OpTree& op, const OperatorSet& operators, const std::string& file) {
    return CallCheck(op, operators, file).run();
}

std::shared_ptr<const Operator> operatorOfCalls(std::shared_ptr<const OpTree> tree,
                                                const std::string& file) {
    return std::make_shared<OperatorOfCalls>(std::move(tree), file);
}

} // namespace fw
