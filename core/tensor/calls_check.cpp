#include "tensor/calls_check.h"

#include "base/nearest.h"
#include "ir/call_types.h"
#include "ir/number_operands.h"
#include "ir/tensor_text.h"
#include "tensor/binding.h"
#include "tensor/calls.h"
#include "tensor/onnx_clauses.h"
#include "tensor/small_calls.h"
#include "tensor/text_functions.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace fw {

namespace {

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
            if (!isChain(tree) || &arg != &tree.args.front()) // which is an operator
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
            const bool asksIfThere =
                (tree.text == "given" && &arg == &tree.args[0]) || tree.isCall("len");
            if (arg.isName() && !asksIfThere && isVariadic(arg.text))
                refuse(arg.span, fmt::format("'{}' is any number of operands", arg.text),
                       arg.text + "... hands all of them on");
            if (isLater && !m_known.contains(one.text))
                refuse(one.span, fmt::format("'{}' is read before it is given", one.text));
            checkOperands(one);
        }
    }

    bool isVariadic(const std::string& name) const {
        return std::any_of(m_op.params.begin(), m_op.params.end(), [&](const ParamTree& param) {
            return param.variadic && param.name == name;
        });
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
    static bool isOfNumbers(const Tree& tree) { // and lists, which no operator makes
        return tree.kind != TreeKind::Call || isListFunction(tree.text) ||
               isNumberFunction(tree.text);
    }

    // What is called by the name of an attribute is what the clauses say that it is.
    bool isAttribute(const std::string& name) const {
        return std::any_of(m_op.attrs.begin(), m_op.attrs.end(), [&](const AttrParamTree& attr) {
            return attr.name == name && attr.kind == AttrKind::Text && !attr.list;
        });
    }

    void checkNamed(Tree tree, std::size_t results) {
        const std::string name = tree.text;
        for (const OnnxTree& clause : m_op.onnx)
            for (const OnnxAttributeTree& one : clause.attributes)
                if (one.ours == name && one.value && one.value->kind == TreeKind::Text) {
                    tree.text = one.value->text;
                    tree.span = one.value->span;
                    checkCalled(tree, results);
                }
    }

    void check(const Tree& tree, std::size_t results) {
        if (isOfNumbers(tree))
            return;
        if (isChoice(tree)) {
            check(tree.args[1], results);
            check(tree.args[2], results);
            return;
        }
        if (isChain(tree)) {
            checkChain(tree);
            return;
        }
        for (const Tree& arg : tree.args)
            check(arg, 1);
        if (isAttribute(tree.text))
            checkNamed(tree, results);
        else
            checkCalled(tree, results);
    }

    void checkChain(const Tree& tree) {
        const Tree& name = tree.args.front();
        for (const Tree& arg : tree.args)
            if (&arg != &name)
                check(arg, 1);
        const Operator* called = m_operators.findReader(name.text);
        if (called == nullptr)
            refuse(name, DiagCode::TextName,
                   fmt::format("there is no operator '{}' before it", name.text));
        else if (!called->arity().takes(2))
            refuse(name, DiagCode::OperatorArity,
                   fmt::format("a chain is of calls with two operands, and {} takes {}", name.text,
                               called->arity().text()));
    }

    void checkCalled(const Tree& tree, std::size_t results) {
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
        const std::size_t most = called->outputNames().size(); // 0: as its attributes say
        if (most > 0 && results > most)
            refuse(tree, DiagCode::OperatorArity,
                   fmt::format("{} has {} result{}, not {}", tree.text, most, most == 1 ? "" : "s",
                               results));
        if (!isOpen && called->arity().takes(tree.args.size()))
            checkNumbers(tree, *called);
        for (const TreeAttr& attr : tree.attrs)
            if (!called->attrType(attr.name))
                refuse(tree, DiagCode::UnsupportedAttribute,
                       fmt::format("{} has no attribute '{}'", tree.text, attr.name),
                       didYouMean(attr.name, called->attrNames()));
    }

    // An operand beside them says of which element type they are.
    void checkNumbers(const Tree& tree, const Operator& called) {
        std::vector<bool> isNumber;
        for (const Tree& arg : tree.args)
            isNumber.push_back(arg.kind == TreeKind::Int || arg.kind == TreeKind::Float ||
                               integerFromTree(arg) || numberFromTree(arg));
        for (std::size_t i = 0; i < isNumber.size(); ++i)
            if (isNumber[i])
                if (const Status taken = takesNumber(called, isNumber, i); !taken)
                    return refuse(tree.args[i], taken.diag().code, taken.diag().message,
                                  taken.diag().hint);
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

} // namespace fw
