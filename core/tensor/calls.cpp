#include "tensor/calls.h"

#include "expr/simplify.h"
#include "ir/call_memo.h"
#include "tensor/binding.h"
#include "tensor/text_functions.h"
#include "tensor/text_operator.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace fw {

namespace {

using Operand = CallSequence::Operand;

// Where free sizes decide which of two the body takes, it is the second, and that is assumed. Of
// known(c) nothing is: both are right.
class BodyEvaluator final : public TreeEvaluator {
public:
    BodyEvaluator(Binding& binding, std::string file)
        : TreeEvaluator(binding.names, std::move(file)), m_assumptions(binding.assumptions) {}

    Result<bool> isKnownToHold(const Tree& condition) override {
        if (condition.isCall("known") && condition.args.size() == 1)
            return TreeEvaluator::isKnownToHold(condition.args[0]);
        FW_TRY(const Expr known, decided(condition));
        if (const auto truth = known.asInt())
            return *truth != 0;
        m_assumptions.push_back({notExpr(known), fmt::format("{} must not hold", known.text())});
        return false;
    }

private:
    std::vector<Assumption>& m_assumptions;
};

// A value is an operand or what a call makes; everything else that stands for one is a number or a
// list that is known when the body is read.
class CallReader {
public:
    CallReader(const OpTree& op, const std::string& file, Binding binding, std::size_t operands)
        : m_op(op), m_binding(std::move(binding)), m_evaluator(m_binding, file) {
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

    const std::vector<const Tree*>& places() const { return m_places; } // of the calls

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
            if (m_op.params[p].variadic) // for len(xs)
                m_binding.names[m_op.params[p].name] = Exprs(count);
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

    Result<Operand> one(const Tree& name) const {
        const std::vector<Operand>& all = m_values.at(name.text);
        if (all.size() == 1)
            return all.front();
        return makeDiag(DiagCode::OperatorArity,
                        fmt::format("{} is {} operands here, not one", name.text, all.size()));
    }

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
            return one(tree);
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
        if (isChain(tree))
            return chain(tree);
        if (tree.kind == TreeKind::Call && !isNumberFunction(tree.text))
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

    Result<std::vector<Operand>> operands(std::span<const Tree> trees) {
        std::vector<Operand> out;
        for (const Tree& tree : trees) {
            if (tree.kind == TreeKind::Pack && isValue(tree.args[0])) {
                const std::vector<Operand>& all = m_values.at(tree.args[0].text);
                out.insert(out.end(), all.begin(), all.end());
                continue;
            }
            FW_TRY(out.emplace_back(), operand(tree));
        }
        return out;
    }

    Result<Operand> chain(const Tree& tree) {
        FW_TRY(const std::vector<Operand> all, operands(std::span(tree.args).subspan(1)));
        if (all.empty())
            return makeDiag(DiagCode::OperatorArity, "a chain of no operands");
        Operand out = all.front();
        for (std::size_t i = 1; i < all.size(); ++i) {
            m_out.calls.push_back({tree.args[0].text, {out, all[i]}, {}});
            m_places.push_back(&tree);
            out = CallSequence::Result{m_out.calls.size() - 1, 0};
        }
        return out;
    }

    Result<Operand> call(const Tree& tree) {
        CallSequence::Call made;
        made.op = tree.text;
        if (const auto named = m_binding.names.find(tree.text); named != m_binding.names.end())
            if (const auto* op = std::get_if<std::string>(&named->second))
                made.op = *op;
        FW_TRY(made.operands, operands(tree.args));
        while (!made.operands.empty() &&
               std::holds_alternative<std::monostate>(made.operands.back()))
            made.operands.pop_back();
        for (const TreeAttr& attr : tree.attrs) {
            FW_TRY(auto value, attribute(attr.value));
            made.attributes.push_back({attr.name, std::move(value)});
        }
        m_out.calls.push_back(std::move(made));
        m_places.push_back(&tree);
        return Operand(CallSequence::Result{m_out.calls.size() - 1, 0});
    }

    using SizeList = std::vector<CallSequence::Size>;

    // `m...` and `m[1]` in a list of sizes, where m is a value.
    bool isOfValue(const Tree& tree) const {
        return (tree.kind == TreeKind::Pack && isValue(tree.args[0])) ||
               (tree.kind == TreeKind::Index && m_values.contains(tree.text));
    }

    Result<SizeList> sizes(const std::vector<Tree>& trees) {
        SizeList out;
        for (const Tree& tree : trees) {
            if (!isOfValue(tree)) {
                FW_TRY(const Exprs known, m_evaluator.expanded({tree}));
                for (const Expr& one : known)
                    out.push_back({{}, std::nullopt, simplify(one)});
                continue;
            }
            Tree name = tree.kind == TreeKind::Pack ? tree.args[0] : tree;
            name.kind = TreeKind::Name;
            CallSequence::Size part;
            FW_TRY(part.of, one(name));
            if (tree.kind == TreeKind::Index) {
                FW_TRY(const Expr place, m_evaluator.scalar(tree.args.front()));
                if (tree.args.size() != 1 || place.asInt().value_or(-1) < 0)
                    return makeDiag(DiagCode::UnsupportedAttribute,
                                    tree.text + " takes one number that is known");
                part.element = static_cast<std::size_t>(*place.asInt());
            }
            out.push_back(std::move(part));
        }
        return out;
    }

    Result<std::variant<AttrValue, SizeList>> attribute(const Tree& tree) {
        if (isChoice(tree)) {
            FW_TRY(const Tree* const branch, chosen(tree));
            return attribute(*branch);
        }
        if (isValue(tree)) {
            FW_TRY(Operand value, one(tree));
            return std::variant<AttrValue, SizeList>(SizeList{{std::move(value)}});
        }
        if (tree.kind == TreeKind::List &&
            std::any_of(tree.args.begin(), tree.args.end(),
                        [&](const Tree& part) { return isOfValue(part); })) {
            FW_TRY(SizeList all, sizes(tree.args));
            return std::variant<AttrValue, SizeList>(std::move(all));
        }
        FW_TRY(AttrValue known, knownAttribute(tree));
        return std::variant<AttrValue, SizeList>(std::move(known));
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
    BodyEvaluator m_evaluator;
    std::map<std::string, std::vector<Operand>> m_values;
    CallSequence m_out;
    std::vector<const Tree*> m_places;
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
        Result<CallSequence> out = readCalls(tree(), file(), call);
        if (!out)
            return named(out.takeDiag());
        return out;
    }

    Diag notComputed() const {
        return makeDiag(DiagCode::UnknownOperator, name() + " stands for calls of others");
    }

    CallMemo<Result<CallSequence>> m_calls{64}; // a node is asked about several times
};

} // namespace

bool isLeftOut(const OutTree& out) {
    return out.name == "_";
}

bool isChain(const Tree& tree) {
    return tree.isCall("chain") && tree.args.size() >= 2 && tree.args[0].isName();
}

bool isChoice(const Tree& tree) {
    return (tree.text == "select" || tree.text == "given") && tree.kind == TreeKind::Call &&
           tree.args.size() == 3;
}

Result<CallSequence> readCalls(const OpTree& op, const std::string& file, const OpCall& call,
                               std::vector<const Tree*>* places) {
    FW_TRY(Binding binding, bindCall(op, file, call));
    CallReader reader(op, file, std::move(binding), call.inputs.size());
    Result<CallSequence> out = reader.run();
    if (places != nullptr)
        *places = reader.places();
    return out;
}

std::shared_ptr<const Operator> operatorOfCalls(std::shared_ptr<const OpTree> tree,
                                                const std::string& file) {
    return std::make_shared<OperatorOfCalls>(std::move(tree), file);
}

} // namespace fw
