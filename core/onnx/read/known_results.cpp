// Values that are known while a model is read: constants, and what operators compute of them and of
// free dimensions (shape arithmetic). What a node computes is what the operators compute that it
// becomes: it is read into a graph of its own, and enters that of the model only where it is used.
#include "onnx/model/attributes.h"
#include "onnx/read/import_clause.h"
#include "onnx/read/importers.h"
#include "onnx/read/model_importer.h"
#include "onnx/schema/standard_operators.h"
#include "onnx/schema/standard_types.h"

#include <algorithm>

namespace fw {

namespace {

constexpr int deferredDepth =
    64; // chains of shape arithmetic longer than this enter the graph at once

bool isIntegers(const KnownValue& value) {
    const TensorData* data = numbersIn(&value);
    return data == nullptr || isSmallInteger(*data);
}

} // namespace

// The result is known, so nothing enters the graph before it is used there.
Result<bool> ModelImporter::importKnown(int index) {
    const auto& node = m_graph.node(index);
    if (!isStandardDomain(node.domain()) || m_run.functions.find(node) != nullptr ||
        std::any_of(node.output().begin(), node.output().end(),
                    [](const std::string& output) { return output.empty(); }))
        return false;
    // What does not look like the operator is left to the importer, which says so.
    if (node.op_type() != "Constant" && !problemsOf(node, std::min(m_opset, newestOpset)).empty())
        return false;
    auto foreign = readForeignConstant(node, value(node.output(0)));
    if (!foreign)
        return inNode(index, foreign.takeDiag());
    if (*foreign || importOfForeign(index))
        return true;
    auto constant = constantOf(node);
    if (!constant)
        return inNode(index, constant.takeDiag());
    if (*constant) {
        value(node.output(0)).data = std::move(**constant);
        return true;
    }
    auto results = mayBeKnown(node) ? resultsOfNode(index) : std::nullopt;
    if (!results)
        return false;
    int depth = 0;
    for (const std::string& name : node.input())
        depth = name.empty() ? depth : std::max(depth, value(name).depth);
    bool isFixed = true;
    for (int i = 0; i < node.output_size(); ++i) {
        KnownValue& result = (*results)[static_cast<std::size_t>(i)];
        Value& value = this->value(node.output(i));
        if (auto* data = std::get_if<TensorData>(&result)) {
            value.data = std::move(*data);
            continue;
        }
        isFixed = false;
        value.small = std::move(std::get<SmallTensor>(result));
        value.producer = index;
        value.depth = depth + 1 < deferredDepth ? depth + 1 : 0;
    }
    if (isFixed && node.op_type() != "Identity")
        note(nodeName(index), "evaluated to a constant");
    if (!isFixed && depth + 1 >= deferredDepth)
        FW_CHECK(importNode(index));
    return true;
}

bool ModelImporter::mayBeKnown(const proto::NodeProto& node) {
    bool areKnown = true, isAny = false;
    for (const std::string& name : node.input()) {
        if (name.empty())
            continue;
        const Value& value = this->value(name);
        if (value.untyped)
            return false;
        isAny = true;
        areKnown = areKnown && (value.small || (value.data && isSmallInteger(*value.data)));
    }
    if (areKnown || node.input_size() != 1)
        return areKnown && isAny;
    const auto [found, isNew] = m_ofTypes.emplace(node.op_type(), false);
    if (isNew) { // integers whatever it reads, as extents are
        proto::NodeProto bare;
        bare.set_op_type(node.op_type());
        *bare.mutable_output() = node.output();
        const std::vector<KnownType> operands(static_cast<std::size_t>(node.input_size()));
        const auto types = resultTypes(bare, m_opset, operands);
        found->second = std::all_of(types.begin(), types.end(),
                                    [](const KnownType& type) { return type && isInteger(*type); });
    }
    return found->second;
}

// What the results depend on, but for names. nullopt: they hang on large constants.
std::optional<OpCall> ModelImporter::callOfNode(const proto::NodeProto& node) const {
    constexpr std::size_t longest = 4096;
    OpCall out;
    std::string said = node.op_type();
    for (const std::string& output : node.output())
        said += isUsed(output) ? " used" : " unused";
    for (const auto& attribute : node.attribute()) {
        if (attribute.ByteSizeLong() > longest)
            return std::nullopt;
        said += attribute.SerializeAsString();
    }
    out.attrs.set("node", std::move(said));
    out.attrs.set("opset", m_opset);
    for (int i = 0; i < node.input_size(); ++i) {
        const Value* value = node.input(i).empty() ? nullptr : &this->value(node.input(i));
        out.inputs.push_back(value != nullptr ? std::optional(typeOf(node.input(i)).value())
                                              : std::nullopt);
        if (value == nullptr)
            continue;
        if (value->small)
            out.attrs.set(std::to_string(i), value->small->elements);
        else if (value->data && isSmallInteger(*value->data))
            out.attrs.set(std::to_string(i), value->data->toIntegers());
        else if (value->data)
            return std::nullopt;
    }
    return out;
}

std::optional<std::vector<KnownValue>> ModelImporter::resultsOfNode(int index) {
    const auto& node = m_graph.node(index);
    const bool isForeign =
        std::any_of(node.input().begin(), node.input().end(),
                    [&](const std::string& name) { return !name.empty() && value(name).untyped; });
    const auto call = isForeign ? std::nullopt : callOfNode(node);
    return call ? *m_run.results.answer(*call, [&] { return tryNode(index); }) : tryNode(index);
}

std::optional<std::vector<KnownValue>> ModelImporter::tryNode(int index) {
    const auto& node = m_graph.node(index);
    const OnnxReading* clause = clauseOf(node);
    const bool isOwn = clause != nullptr && clause->source != OperatorSource::Shipped;
    const ImportFunction import =
        isOwn ? nullptr : findImporter(node.domain(), node.op_type(), opsetOf(node.domain()));
    if (import == nullptr && clause == nullptr)
        return std::nullopt;
    const auto said = static_cast<std::ptrdiff_t>(m_run.out.diagnostics.size());
    const auto decided = static_cast<std::ptrdiff_t>(m_run.out.decisions.size());
    Trial trial(m_run.operators);
    m_trial = &trial;
    NodeImport context(*this, node, nodeName(index));
    auto status = import ? import(context)
                         : importByClause(context, *operators().findReader(clause->op), *clause);
    if (status)
        status = context.allHonoured();
    if (status)
        status = checkIndices(context);
    std::optional<std::vector<KnownValue>> out;
    if (status && trial.isCertain && trial.editor.demands().empty())
        out.emplace();
    for (const std::string& output : node.output()) {
        const Value made = std::exchange(value(output), {});
        // What is an operand itself may lie in the graph of the model, which the trial is not.
        const bool isOperand = made.data || made.small;
        const KnownValue* known =
            !out || isOperand || !made.ref ? nullptr : trial.known.find(*made.ref);
        if (out && made.data)
            out->emplace_back(*made.data);
        else if (out && made.small)
            out->emplace_back(*made.small);
        else if (known != nullptr)
            out->push_back(*known);
        if (out && (out->empty() || !isIntegers(out->back())))
            out.reset();
    }
    if (out && out->size() != static_cast<std::size_t>(node.output_size()))
        out.reset();
    m_trial = nullptr;
    Imported& all = m_run.out;
    all.diagnostics.erase(all.diagnostics.begin() + said, all.diagnostics.end());
    all.decisions.erase(all.decisions.begin() + decided, all.decisions.end());
    return out;
}

// An operand of the node: its elements as far as they are known, or its type.
ValueRef ModelImporter::useInTrial(const std::string& name) {
    const auto [found, isNew] = m_trial->operands.emplace(name, ValueRef());
    if (!isNew)
        return found->second;
    const Value& value = this->value(name);
    GraphEditor& editor = m_trial->editor;
    if (value.data)
        return found->second = editor.addConstant(cleanText(name), *value.data);
    found->second = editor.addInput(
        cleanText(name),
        value.foreignShape ? TensorType{madeUp.dtype, *value.foreignShape} : typeOf(name).value());
    if (value.small)
        m_trial->known.give(found->second, *value.small);
    return found->second;
}

Dim ModelImporter::freshDim(const std::string& wish) {
    if (m_trial == nullptr)
        return m_run.dims.fresh(wish);
    m_trial->isCertain = false;
    return varExpr(wish);
}

void ModelImporter::assume(Assumption assumption) {
    if (m_trial == nullptr)
        m_editor.assume(std::move(assumption));
    else
        m_trial->isCertain = false;
}

std::optional<SmallTensor> ModelImporter::small(const std::string& name) {
    const Value& value = this->value(name);
    if (value.small)
        return value.small;
    if (value.data)
        return integersIn(*value.data);
    const KnownValue* known = knownInGraph(name);
    return known != nullptr ? integersIn(*known) : std::nullopt;
}

const TensorData* ModelImporter::computed(ValueRef value) {
    return numbersIn((m_trial != nullptr ? m_trial->known : m_known).find(value));
}

const TensorData* ModelImporter::computed(const std::string& name) {
    return numbersIn(knownInGraph(name));
}

const KnownValue* ModelImporter::knownInGraph(const std::string& name) {
    const Name* known = find(name);
    return known != nullptr && known->value.ref ? m_known.find(*known->value.ref) : nullptr;
}

} // namespace fw
