#include "strategy/call_scope.h"

#include "condition/exclusion.h"
#include "expr/simplify.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

std::optional<SignatureTree> signatureOf(const ImplementationsTree& block, const Operator* op) {
    if (block.ownSignature)
        return SignatureTree{block.params, {}};
    if (op != nullptr && block.subjectKind == SubjectKind::Operator)
        return parseSignature(op->signature());
    return std::nullopt;
}

// Gives the dims of one written type their names. False if a written number or a name that is bound
// already differs.
class DimBinding {
public:
    DimBinding(std::map<std::string, TermValue>& names, const Attrs& attrs)
        : m_names(names), m_attrs(attrs) {}

    // Packs of an operand that is broadcast are left to the result, which has all axes.
    bool bind(const TypeTree& written, const TensorType& type, bool bcast, std::string& why) {
        const std::vector<DimTree>& dims = written.dims;
        const std::size_t packs = static_cast<std::size_t>(
            std::count_if(dims.begin(), dims.end(),
                          [](const DimTree& dim) { return dim.value.kind == TreeKind::Pack; }));
        const std::size_t single = dims.size() - packs;
        if (packs == 0 ? type.rank() != single : type.rank() < single) {
            why = fmt::format("it has {} axes", type.rank());
            return false;
        }
        // The first pack takes what the axes behind it leave, or what stands before D@axis.
        std::size_t at = 0;
        for (std::size_t i = 0; i < dims.size(); ++i) {
            const DimTree& dim = dims[i];
            if (dim.value.kind != TreeKind::Pack) {
                if (!bindOne(dim, type.shape.at(at++), why))
                    return false;
                continue;
            }
            std::size_t count = packLength(dims, i, type.rank(), at);
            if (at + count > type.rank())
                return true; // written for people: nothing more is bound
            Exprs taken(type.shape.begin() + static_cast<std::ptrdiff_t>(at),
                        type.shape.begin() + static_cast<std::ptrdiff_t>(at + count));
            at += count;
            if (dim.value.args[0].isName() && !bcast)
                m_names.emplace(dim.value.args[0].text, std::move(taken));
        }
        return true;
    }

private:
    std::size_t packLength(const std::vector<DimTree>& dims, std::size_t pack, std::size_t rank,
                           std::size_t at) const {
        if (pack + 1 < dims.size() && !dims[pack + 1].axis.empty()) {
            std::int64_t axis = m_attrs.integer(dims[pack + 1].axis, 0);
            if (const auto known = m_names.find(dims[pack + 1].axis); known != m_names.end())
                if (const auto* expr = std::get_if<Expr>(&known->second))
                    axis = expr->asInt().value_or(axis);
            if (axis < 0)
                axis += static_cast<std::int64_t>(rank);
            return axis < static_cast<std::int64_t>(at) ? rank
                                                        : static_cast<std::size_t>(axis) - at;
        }
        std::size_t behind = 0;
        for (std::size_t i = pack + 1; i < dims.size(); ++i)
            behind += dims[i].value.kind == TreeKind::Pack ? 0 : 1;
        return rank < at + behind ? rank : rank - at - behind;
    }

    bool bindOne(const DimTree& dim, const Expr& extent, std::string& why) {
        if (dim.value.kind == TreeKind::Int) {
            why = fmt::format("{} instead of {}", extent.text(), dim.value.integer);
            return proveEqual(extent, Expr(dim.value.integer));
        }
        if (!dim.value.isName())
            return true;
        const auto [place, isNew] = m_names.emplace(dim.value.text, extent);
        const auto* known = std::get_if<Expr>(&place->second);
        if (isNew || known == nullptr)
            return true;
        why = fmt::format("{} is {} and {}", dim.value.text, known->text(), extent.text());
        return !proveDifferent(*known, extent);
    }

    std::map<std::string, TermValue>& m_names;
    const Attrs& m_attrs;
};

} // namespace

Vocabulary callVocabulary(const ImplementationsTree& block, const Operator* op) {
    Vocabulary out;
    out.bind = "the signature has";
    out.names.emplace("result", TermKind::Tensor);
    if (op != nullptr)
        for (const std::string& name : op->attrNames())
            out.names.emplace(name, kindOf(op->attrType(name).value_or(AttrType::Any)));
    if (const auto signature = signatureOf(block, op)) {
        for (const ParamTree& param : signature->params) {
            out.names.insert_or_assign(param.name, TermKind::Tensor);
            addDims(param.type, out);
        }
        for (const OutTree& result : signature->outs) {
            out.names.emplace(result.name, TermKind::Tensor);
            addDims(result.type, out);
        }
    } else if (op != nullptr) {
        for (const std::string& name : op->inputNames())
            out.names.insert_or_assign(name, TermKind::Tensor);
    }
    return out;
}

namespace {

// Extents of any call; names of a block that compute with packs stand for any number.
Scope anyCall(const ImplementationsTree& block, const Operator* op) {
    Scope out;
    Vocabulary dims;
    if (const auto signature = signatureOf(block, op))
        for (const ParamTree& param : signature->params)
            if (!param.optional && !param.variadic) // may be absent, or stands for several
                addDims(param.type, dims);
    for (const auto& [name, kind] : dims.names)
        if (kind == TermKind::Integer)
            out.names.emplace(name, varExpr(Symbol(name)));
    for (const NamedTree& let : block.let) {
        const auto value = evaluate(let.value, out);
        const auto part = [&](const char* which) { return varExpr(Symbol(let.name + which)); };
        out.names.insert_or_assign(
            let.name, value ? *value : TermValue(part("+") * part("*") - part("-") * part("/")));
    }
    return out;
}

void openParts(const Tree& tree, const Scope& scope, Exprs& out) {
    if (tree.kind == TreeKind::Binary && tree.text == "&&") {
        for (const Tree& part : tree.args)
            openParts(part, scope, out);
        return;
    }
    const ConditionResult found = decide(ConditionTree{tree, {}}, scope);
    if (found.truth == Truth::No)
        out.push_back(boolExpr(false));
    else if (found.truth == Truth::Unknown && found.open)
        out.push_back(*found.open);
}

// A guard that no sizes meet, whatever else it asks. Its entry is left out of every plan, the
// others of the block count.
std::optional<Diag> checkReach(const EntryTree& entry, const Scope& any, const std::string& file) {
    Exprs parts;
    openParts(entry.guard->tree, any, parts);
    Expr all = boolExpr(true);
    for (const Expr& part : parts)
        all = andExpr(all, part);
    if (parts.empty() || !holdsNowhere(all))
        return std::nullopt;
    const Span& at = entry.guard->tree.span;
    return makeWarning(
        DiagCode::RuleIllegal,
        fmt::format("{} computes nothing: no sizes meet {}", entry.name, entry.guard->text),
        {file, {}, at.line, at.column}, "a size lies between 0 and 2147483648");
}

} // namespace

Diags checkGuards(const ImplementationsTree& block, const Operator* op,
                  const std::vector<std::string>& targetKeys, const std::string& file) {
    Diags out;
    Vocabulary known = callVocabulary(block, op);
    known.targetKeys = &targetKeys;
    for (const NamedTree& let : block.let)
        known.names.insert_or_assign(
            let.name, checkTerm(let.value, known, file, out).value_or(TermKind::Any));
    for (const EntryTree& entry : block.entries)
        if (entry.guard)
            for (Diag& diag : checkCondition(entry.guard->tree, known, file))
                out.push_back(std::move(diag));
    if (!out.empty())
        return out;
    const Scope any = anyCall(block, op);
    for (const EntryTree& entry : block.entries)
        if (entry.guard)
            if (std::optional<Diag> diag = checkReach(entry, any, file))
                out.push_back(std::move(*diag));
    return out;
}

Result<Scope> callScope(const ImplementationsTree& block, const Workload& workload) {
    Scope out;
    const Graph& graph = *workload.graph;
    const Node& node = *workload.node;
    const Operator* op = graph.operators().find(node.op);
    if (op != nullptr)
        for (const std::string& name : op->attrNames()) {
            const AttrValue* written = node.attrs.find(name);
            const std::optional<AttrValue> fallback =
                written ? std::nullopt : op->attrDefault(name);
            if (written || fallback)
                if (auto value = valueOf(written ? *written : *fallback))
                    out.names.emplace(name, std::move(*value));
        }
    out.names.emplace("result", TensorValue{&graph, {node.id, 0}});
    const std::optional<SignatureTree> signature = signatureOf(block, op);
    DimBinding dims(out.names, node.attrs);
    for (std::size_t i = 0; signature && i < signature->params.size(); ++i) {
        const ParamTree& param = signature->params[i];
        if (i >= node.inputs.size() || !node.inputs[i].valid()) {
            if (block.ownSignature)
                return makeDiag(DiagCode::RuleIllegal, param.name + " is not given");
            if (op != nullptr && param.optional)
                out.names.insert_or_assign(param.name, AbsentPart());
            continue;
        }
        const TensorType& type = graph.type(node.inputs[i]);
        out.names.insert_or_assign(param.name, TensorValue{&graph, node.inputs[i]});
        if (param.variadic)
            continue;
        const auto dtype = parseDtype(param.type.dtype);
        if (block.ownSignature && dtype && *dtype != type.dtype)
            return makeDiag(DiagCode::RuleIllegal, fmt::format("{} is {}, not {}", param.name,
                                                               type.text(), dtypeText(*dtype)));
        std::string why;
        if (!dims.bind(param.type, type, param.bcast, why) && block.ownSignature)
            return makeDiag(DiagCode::RuleIllegal, fmt::format("{}: {}", param.name, why));
    }
    for (std::size_t i = 0; signature && i < signature->outs.size() && i < node.outputs.size();
         ++i) {
        std::string ignored;
        dims.bind(signature->outs[i].type, node.outputs[i].type, false, ignored);
        out.names.emplace(signature->outs[i].name,
                          TensorValue{&graph, {node.id, static_cast<int>(i)}});
    }
    for (const NamedTree& let : block.let)
        if (auto value = evaluate(let.value, out))
            out.names.insert_or_assign(let.name, std::move(*value));
    return out;
}

} // namespace fw
