#include "tensor/op_def.h"

#include "ir/call_memo.h"
#include "ir/tensor_text.h"
#include "tensor/attribute_check.h"
#include "tensor/binding.h"
#include "tensor/calls.h"
#include "tensor/calls_check.h"
#include "tensor/facts.h"
#include "tensor/instantiate.h"
#include "tensor/onnx_clauses.h"
#include "tensor/reference.h"
#include "tensor/requirement.h"
#include "tensor/text_operator.h"
#include "tensor/wide.h"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <set>

namespace fw {

namespace {

bool sameTree(const Tree& a, const Tree& b) {
    return a.kind == b.kind && a.text == b.text && a.integer == b.integer &&
           a.args.size() == b.args.size() &&
           std::equal(a.args.begin(), a.args.end(), b.args.begin(), sameTree);
}

bool sameTrees(const std::vector<Tree>& a, const std::vector<Tree>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), sameTree);
}

bool sameType(const TypeTree& a, const TypeTree& b) {
    return a.dtype == b.dtype && std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(),
                                            b.dims.end(), [](const DimTree& x, const DimTree& y) {
                                                return sameTree(x.value, y.value) &&
                                                       x.axis == y.axis;
                                            });
}

// y[i...] = a[i...] OP b[i...] with OP symmetric, for the first two parameters under one pattern.
bool isCommutative(const OpTree& op) {
    if (op.params.size() != 2 || op.stmts.size() != 1 ||
        !sameType(op.params[0].type, op.params[1].type) || op.params[0].bcast != op.params[1].bcast)
        return false;
    const Tree& value = op.stmts[0].value;
    static const std::set<std::string> symmetric = {"+", "*", "==", "!=", "&&", "||", "max", "min"};
    if ((value.kind != TreeKind::Binary && value.kind != TreeKind::Call) ||
        value.args.size() != 2 || !symmetric.contains(value.text))
        return false;
    const Tree &a = value.args[0], &b = value.args[1];
    return a.kind == TreeKind::Index && b.kind == TreeKind::Index && a.text == op.params[0].name &&
           b.text == op.params[1].name && sameTrees(a.args, b.args);
}

// y[i...] = x[i...] of its only operand.
bool isCopy(const OpTree& op) {
    if (op.params.size() != 1 || op.outs.size() != 1 || op.stmts.size() != 1 ||
        op.params[0].variadic || op.params[0].optional)
        return false;
    const ParamTree& from = op.params[0];
    const OutTree& to = op.outs[0];
    const StmtTree& stmt = op.stmts[0];
    return sameType(from.type, to.type) && stmt.value.kind == TreeKind::Index &&
           stmt.value.text == from.name && sameTrees(stmt.value.args, stmt.indices);
}

// Every statement hands on an element, or one of several, or a written number where there is none.
bool isHandedOn(const Tree& value) {
    if (value.kind == TreeKind::Index)
        return true;
    if (value.isCall("select") && value.args.size() == 3)
        return isHandedOn(value.args[1]) && isHandedOn(value.args[2]);
    return (value.isCall("pad") || value.isCall("cast")) && value.args.size() == 2 &&
           (value.isCall("pad") ? isHandedOn(value.args[0]) : value.args[0].kind == TreeKind::Int);
}

bool isMovement(const OpTree& op) {
    return std::all_of(op.stmts.begin(), op.stmts.end(),
                       [](const StmtTree& stmt) { return !stmt.let && isHandedOn(stmt.value); });
}

class OpDef final : public TextOperator {
public:
    OpDef(std::shared_ptr<const OpTree> tree, std::string file)
        : TextOperator(std::move(tree), std::move(file)),
          m_commutative(isCommutative(this->tree())), m_view(isCopy(this->tree())),
          m_movesOnly(isMovement(this->tree())) {}

    bool commutative() const override { return m_commutative; }
    bool isView() const override { return m_view; }
    bool movesOnly() const override { return m_movesOnly; }

    Result<Inferred> infer(const OpCall& call) const override {
        Result<Binding> binding = bindCall(tree(), file(), call);
        if (!binding)
            return named(binding.takeDiag());
        FW_CHECK(hasMeaning(call, *binding));
        Inferred out;
        for (const BoundOutput& output : binding->outputs)
            out.outputs.push_back(output.type);
        out.assumptions = binding->assumptions;
        return out;
    }

    Result<OpInst> instantiate(const OpCall& call) const override {
        Result<Binding> binding = bindCall(tree(), file(), call);
        if (!binding)
            return named(binding.takeDiag());
        Result<OpInst> inst = instantiateOp(tree(), file(), *binding);
        if (!inst)
            return named(inst.takeDiag());
        return inst;
    }

    Result<Facts> facts(const OpCall& call) const override {
        FW_TRY(const OpInst inst, instantiate(call));
        return deriveFacts(inst);
    }

    Result<std::vector<TensorData>>
    reference(const OpCall& call, const std::vector<const TensorData*>& inputs) const override {
        const auto inst = m_evaluated.answer(call, [&]() -> Result<OpInst> {
            FW_TRY(const OpInst own, instantiate(call));
            return widened(own);
        });
        if (!*inst)
            return inst->diag();
        std::vector<const TensorData*> present;
        for (const TensorData* input : inputs)
            if (input != nullptr)
                present.push_back(input);
        return evaluate(**inst, present);
    }

private:
    // The element types that a call brings along: those of its operands and of its attributes.
    using CallTypes = std::vector<std::optional<DType>>;
    static CallTypes typesOf(const OpCall& call) {
        CallTypes out;
        for (const std::optional<TensorType>& input : call.inputs)
            out.push_back(input ? std::optional(input->dtype) : std::nullopt);
        for (const auto& [name, value] : call.attrs)
            if (const auto* dtype = std::get_if<DType>(&value))
                out.push_back(*dtype);
        return out;
    }

    // A signature may let element types through for which the statements have no meaning: whoever
    // reads a model is told, not whoever runs it. Asked once of each choice of types.
    Status hasMeaning(const OpCall& call, const Binding& binding) const {
        CallTypes types = typesOf(call);
        std::lock_guard lock(m_mutex);
        if (m_meant.contains(types))
            return {};
        const OpCall ofRanks = withoutExtents(call);
        if (const auto refused = m_meaningless.find(ofRanks))
            return *refused;
        const Result<OpInst> inst = instantiateOp(tree(), file(), binding);
        if (inst.ok()) {
            m_meant.insert(std::move(types));
            return {};
        }
        if (inst.diag().code != DiagCode::TextType)
            return {}; // nothing about types: whoever asks for the computation is told
        Diag refusal = noMeaning(types, inst.diag());
        if (!holdsTensor(call))
            m_meaningless.keep(ofRanks, refusal);
        return refusal;
    }

    static OpCall withoutExtents(OpCall call) {
        for (std::optional<TensorType>& input : call.inputs)
            if (input)
                input->shape.assign(input->shape.size(), Dim(1));
        return call;
    }

    Diag noMeaning(const CallTypes& types, const Diag& why) const {
        std::vector<std::string_view> named;
        for (const std::optional<DType> dtype : types)
            if (dtype && std::find(named.begin(), named.end(), dtypeText(*dtype)) == named.end())
                named.push_back(dtypeText(*dtype));
        return makeDiag(DiagCode::DtypeMismatch,
                        fmt::format("{}: has no meaning for {}: {} ({}:{}:{})", name(),
                                    fmt::join(named, ", "), why.message, file(), why.where.line,
                                    why.where.column),
                        {}, "cast the operands to a type that the operator is for");
    }

    mutable std::mutex m_mutex;
    mutable std::set<CallTypes> m_meant;      // types for which the statements have a meaning
    CallMemo<Diag> m_meaningless{64};         // by calls without extents: why they have none
    CallMemo<Result<OpInst>> m_evaluated{64}; // what reference() computes
    bool m_commutative;
    bool m_view, m_movesOnly;
};

// What is wrong with the text whatever the call.
class DefinitionCheck {
public:
    DefinitionCheck(const OpTree& op, const std::string& file) : m_op(op), m_file(file) {}

    Diags run() {
        for (const ParamTree& param : m_op.params)
            newName(param.name, param.span);
        for (const AttrParamTree& attr : m_op.attrs) {
            newName(attr.name, attr.span);
            for (Diag& diag : checkAttribute(attr, m_file)) {
                diag.message = m_op.name + ": " + diag.message;
                m_errors.push_back(std::move(diag));
            }
        }
        if (std::count_if(m_op.params.begin(), m_op.params.end(),
                          [](const ParamTree& p) { return p.variadic; }) > 1)
            refuse(m_op.params[0].span, DiagCode::TextType, "only one parameter can be variadic");
        for (const OutTree& out : m_op.outs)
            newName(out.name, out.span);
        for (const ParamTree& param : m_op.params)
            nameOfOperands(param);
        for (const ParamTree& param : m_op.params)
            for (const DimTree& dim : param.type.dims)
                if (!dim.axis.empty() && !isAttr(dim.axis))
                    refuse(param.span, DiagCode::TextName,
                           fmt::format("there is no attribute '{}' to pick an axis", dim.axis));
                else if (!dim.axis.empty() && !isInteger(dim))
                    refuse(param.span, DiagCode::TextType,
                           fmt::format("'{}' picks an axis, and is no integer", dim.axis),
                           fmt::format("attr {}: int", dim.axis));
        for (const ParamTree& param : m_op.params)
            type(param.type);
        for (const OutTree& out : m_op.outs)
            if (!m_op.standsForCalls() && !isAttr(out.type.dtype)) // as of a cast
                type(out.type);
        for (const auto check : {checkRequirements, checkOnnxClauses})
            for (Diag& diag : check(m_op, m_file))
                m_errors.push_back(std::move(diag));
        for (const StmtTree& stmt : m_op.stmts)
            checkStatement(stmt);
        for (Diag& diag : checkCallStatements(m_op, m_file))
            m_errors.push_back(std::move(diag));
        for (const OutTree& out : m_op.outs)
            if (!m_op.standsForCalls() && !m_written.contains(out.name))
                refuse(out.span, DiagCode::TextName,
                       fmt::format("no statement writes the output '{}'", out.name));
        return std::move(m_errors);
    }

private:
    void type(const TypeTree& written) {
        if (parseDtype(written.dtype) == DType::Text)
            refuse(
                written.span, DiagCode::TextType, "the expressions of an operator compute no text",
                "f32, i64, bool, ...; T stands for any type, and texts as well can be handed on");
        for (Diag& diag : checkSignatureType(written, m_file)) {
            diag.message = m_op.name + ": " + diag.message;
            m_errors.push_back(std::move(diag));
        }
    }

    void checkStatement(const StmtTree& stmt) {
        const bool output = std::any_of(m_op.outs.begin(), m_op.outs.end(),
                                        [&](const OutTree& out) { return out.name == stmt.name; });
        if (output == stmt.let)
            refuse(stmt.span, DiagCode::TextName,
                   output ? fmt::format("'{}' is an output, not a tensor of its own", stmt.name)
                          : fmt::format("'{}' is not an output", stmt.name),
                   output ? "leave out 'let'" : "write 'let' before it");
        if (m_written.contains(stmt.name) && stmt.each.empty())
            refuse(stmt.span, DiagCode::TextName, fmt::format("'{}' is written twice", stmt.name));
        if (!stmt.each.empty()) {
            const bool variadic =
                std::any_of(m_op.params.begin(), m_op.params.end(),
                            [&](const ParamTree& p) { return p.variadic && p.name == stmt.each; });
            if (!variadic)
                refuse(stmt.span, DiagCode::TextName,
                       fmt::format("'{}' is not a variadic parameter", stmt.each));
        }
        checkReads(stmt.value);
        m_written.insert(stmt.name);
    }

    void checkReads(const Tree& tree) {
        if (tree.kind == TreeKind::Index && !m_names.contains(tree.text) &&
            !m_written.contains(tree.text) && !isDimPack(tree.text))
            refuse(tree.span, DiagCode::TextName,
                   fmt::format("there is no tensor '{}' to read here", tree.text));
        if (tree.kind == TreeKind::Index && m_written.count(tree.text) == 0 &&
            std::any_of(m_op.outs.begin(), m_op.outs.end(),
                        [&](const OutTree& out) { return out.name == tree.text; }))
            refuse(tree.span, DiagCode::TextName,
                   fmt::format("'{}' is read before it is written", tree.text));
        for (const Tree& arg : tree.args)
            checkReads(arg);
    }

    bool isDimPack(const std::string& name) const {
        for (const ParamTree& param : m_op.params)
            for (const DimTree& dim : param.type.dims)
                if (dim.value.kind == TreeKind::Pack && dim.value.args[0].isName(name))
                    return true;
        return false;
    }

    bool isAttr(const std::string& name) const {
        return std::any_of(m_op.attrs.begin(), m_op.attrs.end(),
                           [&](const AttrParamTree& attr) { return attr.name == name; });
    }

    // An attribute has the name of no element type or extent that the operands give.
    void nameOfOperands(const ParamTree& param) {
        std::vector<std::string> names{param.type.dtype};
        for (const DimTree& dim : param.type.dims) {
            const Tree& one = dim.value.kind == TreeKind::Pack ? dim.value.args[0] : dim.value;
            if (one.isName())
                names.push_back(one.text);
        }
        for (const std::string& name : names)
            if (isAttr(name))
                refuse(param.span, DiagCode::TextName,
                       fmt::format("'{}' is an attribute, and what the operand '{}' gives", name,
                                   param.name),
                       "give one of them another name");
    }

    // One picks an axis, a list those of a pack.
    bool isInteger(const DimTree& dim) const {
        const bool several = dim.value.kind == TreeKind::Pack;
        return std::any_of(m_op.attrs.begin(), m_op.attrs.end(), [&](const AttrParamTree& attr) {
            return attr.name == dim.axis && attr.kind == AttrKind::Int && (!attr.list || several);
        });
    }

    void newName(const std::string& name, const Span& span) {
        const bool isLeftOut = m_op.standsForCalls() && name == "_";
        if (!isLeftOut && !m_names.insert(name).second)
            refuse(span, DiagCode::TextName, fmt::format("the name '{}' is used twice", name));
    }

    void refuse(const Span& span, DiagCode code, std::string message, std::string hint = {}) {
        m_errors.push_back(makeDiag(code, m_op.name + ": " + std::move(message),
                                    {m_file, {}, span.line, span.column}, std::move(hint)));
    }

    const OpTree& m_op;
    const std::string& m_file;
    std::set<std::string> m_names;
    std::set<std::string> m_written;
    Diags m_errors;
};

} // namespace

Diags checkDefinition(const OpTree& op, const std::string& file) {
    return DefinitionCheck(op, file).run();
}

std::shared_ptr<const Operator> operatorOf(std::shared_ptr<const OpTree> tree,
                                           const std::string& file) {
    if (tree->standsForCalls())
        return operatorOfCalls(std::move(tree), file);
    return std::make_shared<OpDef>(std::move(tree), file);
}

Result<std::shared_ptr<const Operator>> defineOperator(std::shared_ptr<const OpTree> tree,
                                                       const std::string& file) {
    if (Diags errors = checkDefinition(*tree, file); !errors.empty())
        return std::move(errors.front());
    return operatorOf(std::move(tree), file);
}

} // namespace fw
