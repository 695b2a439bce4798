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

// Follows the types of small calls through the body, as far as they are known.
class Trial {
public:
    Trial(const OpTree& op, const OperatorSet& operators, const std::string& file)
        : m_op(op), m_operators(operators), m_file(file), m_calls(op, file),
          m_clauses(onnxBindings(op.onnx, file)) {
        if (m_clauses.empty())
            m_clauses.emplace_back();
    }

    CallTrials run() {
        constexpr DType tried[] = {DType::F32, DType::U8, DType::I64, DType::Bool};
        const std::set<std::string>& variables = m_calls.typeVariables();
        std::size_t choices = 1;
        for (std::size_t i = 0; i < std::min<std::size_t>(variables.size(), 3); ++i)
            choices *= std::size(tried);
        for (std::size_t choice = 0; choice < choices && !isShown(); ++choice) {
            std::map<std::string, DType> types;
            std::size_t rest = choice;
            for (const std::string& type : variables) {
                types[type] = tried[rest % std::size(tried)];
                rest /= std::size(tried);
            }
            m_calls.each(types, [&](const OpCall& call) {
                for (const OnnxBinding& clause : m_clauses)
                    attempt(asSaid(call, clause));
            });
        }
        return {m_whole.tried + m_without.tried, wrong()};
    }

private:
    struct Count {
        int tried = 0, taken = 0;
        std::optional<Diag> refusal; // the first
    };

    // With the values that a clause gives attributes: the operators that the body calls by them.
    static OpCall asSaid(OpCall call, const OnnxBinding& clause) {
        for (const auto& [ours, source] : clause.attributes)
            if (source.isFixed && source.value)
                call.attrs.set(ours, *source.value);
        return call;
    }

    void attempt(const OpCall& call) {
        if (!bindCall(m_op, m_file, call))
            return;
        const bool isWhole = std::all_of(call.inputs.begin(), call.inputs.end(),
                                         [](const auto& input) { return input.has_value(); });
        Count& count = isWhole ? m_whole : m_without;
        ++count.tried;
        std::vector<const Tree*> places;
        const auto all = readCalls(m_op, m_file, call, &places);
        if (!all) {
            refuse(count, all.diag());
            return;
        }
        m_made = 0;
        if (Refusal refused = follow(*all, call, 0).refusal) {
            refused->diag.where = placeOf(*places.at(refused->call));
            refuse(count, std::move(refused->diag));
            return;
        }
        ++count.taken;
    }

    struct Refused {
        std::size_t call = 0;
        Diag diag;
    };
    using Refusal = std::optional<Refused>;
    struct Followed {
        Refusal refusal;
        std::vector<KnownTypes> made;
    };

    Followed follow(const CallSequence& all, const OpCall& whole, int depth) {
        Followed out;
        for (std::size_t i = 0; i < all.calls.size(); ++i) {
            const CallSequence::Call& one = all.calls[i];
            const Operator* called = m_operators.findReader(one.op);
            if (called == nullptr || ++m_made > mostCalls) {
                out.made.emplace_back();
                continue;
            }
            const OpCall typed = typedCall(one, *called, whole, out.made);
            out.made.emplace_back();
            if (!isKnown(one, typed))
                continue;
            auto types = resultsOf(*called, typed, depth);
            if (!types) {
                out.refusal = Refused{i, types.takeDiag()};
                return out;
            }
            out.made.back() = types.take();
        }
        return out;
    }

    Result<KnownTypes> resultsOf(const Operator& called, const OpCall& call, int depth) {
        KnownTypes out;
        if (!called.standsForCalls()) {
            FW_TRY(const Inferred inferred, called.infer(call));
            out.assign(inferred.outputs.begin(), inferred.outputs.end());
            return out;
        }
        FW_TRY(const CallSequence inner, called.calls(call));
        if (depth == mostNested)
            return out;
        Followed followed = follow(inner, call, depth + 1);
        if (followed.refusal)
            return std::move(followed.refusal->diag);
        for (const CallSequence::Operand& result : inner.results)
            out.push_back(typeOf(result, call, followed.made));
        return out;
    }

    // Whether its operands have types and its attributes values without the values of tensors.
    static bool isKnown(const CallSequence::Call& one, const OpCall& typed) {
        for (std::size_t i = 0; i < one.operands.size(); ++i)
            if (!typed.inputs[i] && !std::holds_alternative<std::monostate>(one.operands[i]))
                return false;
        return std::all_of(one.attributes.begin(), one.attributes.end(), [](const auto& attribute) {
            return std::holds_alternative<AttrValue>(attribute.value);
        });
    }

    // Nothing that is drawn further says anything new.
    bool isShown() const {
        const bool mayBeAbsent = std::any_of(m_op.params.begin(), m_op.params.end(),
                                             [](const ParamTree& param) { return param.optional; });
        return m_whole.taken > 0 && (!mayBeAbsent || m_without.taken > 0);
    }

    static void refuse(Count& count, Diag diag) {
        if (!count.refusal)
            count.refusal = std::move(diag);
    }

    std::optional<Diag> wrong() const {
        const bool never = m_whole.taken + m_without.taken == 0;
        const bool neverWithout = m_whole.taken > 0 && m_without.taken == 0;
        const Count& count = never && m_whole.refusal ? m_whole : m_without;
        if ((!never && !neverWithout) || !count.refusal)
            return std::nullopt;
        Diag out = *count.refusal;
        out.severity = Severity::Warning;
        if (out.where.line == 0)
            out.where = {m_file, {}, m_op.span.line, m_op.span.column};
        out.message = fmt::format(
            "{}: {}: {}", m_op.name,
            never ? fmt::format("none of {} small calls is taken", m_whole.tried + m_without.tried)
                  : "no call is taken where its optional operands are absent",
            out.message);
        if (!never)
            out.hint = "given(operand, a, b) is b where the operand is absent";
        return out;
    }

    Where placeOf(const Tree& tree) const { return {m_file, {}, tree.span.line, tree.span.column}; }

    static constexpr int mostCalls = 4096, mostNested = 16;

    const OpTree& m_op;
    const OperatorSet& m_operators;
    const std::string& m_file;
    SmallCalls m_calls;
    std::vector<OnnxBinding> m_clauses;
    Count m_whole, m_without; // with all optional operands, without them
    int m_made = 0;           // calls, of the one that is followed
};

} // namespace

Diags checkCallStatements(const OpTree& op, const std::string& file) {
    return op.standsForCalls() ? BodyCheck(op, file).run() : Diags();
}

Diags checkCallsOf(const OpTree& op, const OperatorSet& operators, const std::string& file) {
    return CallCheck(op, operators, file).run();
}

CallTrials tryCallsOf(const OpTree& op, const OperatorSet& operators, const std::string& file) {
    return Trial(op, operators, file).run();
}

} // namespace fw
