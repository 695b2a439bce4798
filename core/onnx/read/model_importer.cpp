#include "onnx/read/model_importer.h"

#include "ir/inline_calls.h"
#include "onnx/read/import_clause.h"
#include "onnx/read/importers.h"
#include "onnx/schema/own.h"
#include "onnx/schema/standard_operators.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

bool readsSequences(ImportFunction import) {
    const auto rows = sequenceImporters();
    return std::any_of(rows.begin(), rows.end(),
                       [&](const ImporterRow& row) { return row.import == import; });
}

} // namespace

ImportRun::ImportRun(proto::ModelProto& file, std::shared_ptr<const OperatorSet> known,
                     const ImportOptions& wishes, const CancelToken& token,
                     const std::string& folder)
    : model(file), operators(std::move(known)), options(wishes), cancel(token), functions(file),
      external(folder, wishes.limits), dims(wishes.dims) {}

ModelImporter::ModelImporter(ImportRun& run)
    : ModelImporter(run, *run.model.mutable_graph(), {}, {}) {}

ModelImporter::ModelImporter(ImportRun& run, proto::GraphProto& graph, BodyPlace place,
                             std::vector<Given> given)
    : m_run(run), m_graph(graph), m_prefix(std::move(place.prefix)), m_outer(place.outer),
      m_given(std::move(given)), m_opsets(std::move(place.opsets)),
      m_editor(run.operators, cleanText(graph.name().empty() ? "graph" : graph.name())),
      m_known(m_editor, *run.operators) {
    if (const auto standard = m_opsets.find(""); standard != m_opsets.end())
        m_opset = standard->second;
}

Result<Imported> ModelImporter::run() {
    FW_CHECK(readHeader());
    FW_CHECK(build());
    Imported& out = m_run.out;
    FW_CHECK(checkGivenTypes());
    for (auto& [node, diag] : m_nodeDiags)
        if (m_editor.find(node))
            out.diagnostics.push_back(std::move(diag));
    // What stops `run` first, and of that what is the cause of the rest.
    std::stable_partition(out.diagnostics.begin(), out.diagnostics.end(),
                          [](const Diag& diag) { return diag.severity == Severity::Error; });
    FW_TRY(out.graph, m_editor.finish());
    for (const std::string& name : m_run.dims.unusedBindings()) {
        std::string free;
        for (const Symbol& dim : out.graph->freeDims())
            free += (free.empty() ? "there are " : ", ") + std::string(dim.text());
        return makeDiag(DiagCode::UnknownName, "there is no free dimension " + cleanText(name), {},
                        free.empty() ? "no other dimension is free" : free);
    }
    FW_TRY(out.inlined, inlineCalls(out.graph));
    out.weightFiles = m_run.external.files();
    return std::move(out);
}

Status ModelImporter::build() {
    for (const auto stage :
         {&ModelImporter::checkNames, &ModelImporter::readInitializers, &ModelImporter::readInputs,
          &ModelImporter::sortNodes, &ModelImporter::noteUnread, &ModelImporter::importNodes,
          &ModelImporter::addResults})
        FW_CHECK((this->*stage)());
    m_editor.removeUnused();
    return {};
}

Status ModelImporter::readHeader() {
    ModelInfo& info = m_run.out.info;
    info.irVersion = m_run.model.ir_version();
    info.producer = cleanText(m_run.model.producer_name());
    if (!m_run.model.producer_version().empty())
        info.producer += " " + cleanText(m_run.model.producer_version());
    info.doc = cleanText(m_run.model.doc_string());
    for (const auto& entry : m_run.model.metadata_props())
        info.metadata.emplace_back(cleanText(entry.key()), cleanText(entry.value()));
    for (const auto& entry : m_run.model.opset_import()) {
        const std::string domain = isStandardDomain(entry.domain()) ? "" : entry.domain();
        const auto [place, fresh] = m_opsets.emplace(domain, entry.version());
        if (!fresh && place->second != entry.version())
            return makeDiag(DiagCode::OnnxMalformed,
                            fmt::format("names two opsets of the domain '{}': {} and {}",
                                        cleanText(domain), place->second, entry.version()));
    }
    if (const auto standard = m_opsets.find(""); standard != m_opsets.end())
        m_opset = standard->second;
    else if (m_opsets.empty() && m_run.model.ir_version() >= 3)
        return makeDiag(DiagCode::OnnxOpset,
                        "names no opset: not a whole ONNX model, or cut short");
    else if (m_run.model.ir_version() >= 3 &&
             std::any_of(m_graph.node().begin(), m_graph.node().end(),
                         [](const auto& node) { return isStandardDomain(node.domain()); }))
        return makeDiag(DiagCode::OnnxOpset,
                        "names no opset of the standard domain, whose operators it has", {},
                        "add it to the opsets that the model imports");
    if (m_opset < 1)
        return makeDiag(DiagCode::OnnxOpset, fmt::format("opset {} does not exist", m_opset));
    if (m_opset < oldestOpset || m_opset > newestOpset)
        m_run.out.diagnostics.push_back(makeWarning(
            DiagCode::OnnxOpset,
            fmt::format("opset {} is outside {} to {}; operators are read as well as they can be",
                        m_opset, oldestOpset, newestOpset)));
    info.opset = m_opset;
    for (const auto& [domain, version] : m_opsets)
        if (!domain.empty())
            info.otherOpsets.emplace_back(cleanText(domain), version);
    if (m_graph.node_size() > limits().nodes)
        return makeDiag(DiagCode::LimitReached, fmt::format("has {} nodes, the limit is {}",
                                                            m_graph.node_size(), limits().nodes));
    for (const auto& node : m_graph.node())
        ++info.operators[typeName(node)];
    return m_run.functions.check(m_graph, limits());
}

Status ModelImporter::importNodes() {
    for (const int index : m_order) {
        if (m_run.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "importing was cancelled");
        if (m_graph.node(index).output_size() == 0) {
            m_run.out.diagnostics.push_back(makeWarning(DiagCode::OnnxMalformed,
                                                        "the node has no outputs and is left out",
                                                        {{}, pathOf(index)}));
            continue;
        }
        FW_TRY(const bool known, importKnown(index));
        if (!known)
            FW_CHECK(importNode(index));
    }
    return {};
}

Status ModelImporter::importNode(int index) {
    const auto& node = m_graph.node(index);
    const std::string name = nodeName(index);
    const std::string type = typeName(node);
    if (node.output_size() > 0 && !node.output(0).empty() && isInParts(node.output(0)))
        return importUnknown(index, name,
                             makeDiag(DiagCode::UnknownOperator,
                                      fmt::format("the sequence '{}' is read as a whole, which is "
                                                  "not supported",
                                                  cleanText(node.output(0))),
                                      {}, "its tensors can be taken out at constant places"));
    const auto reads = [&](bool inParts) {
        return std::any_of(node.input().begin(), node.input().end(), [&](const auto& input) {
            const Name* known = find(input);
            return known != nullptr && isInParts(input) == inParts &&
                   (inParts || known->value.untyped);
        });
    };
    const bool isOfParts = reads(true), isUntyped = reads(false);
    const OnnxReading* clause = clauseOf(node);
    if (clause != nullptr && clause->source != OperatorSource::Shipped && !isUntyped)
        return importOwn(index, *clause);
    const ImportFunction import =
        findImporter(node.domain(), node.op_type(), opsetOf(node.domain()));
    // What the library wrote comes with a body for other programs.
    const bool isOwn = node.domain() == ownDomain && (import != nullptr || clause != nullptr);
    if (const auto* function = m_run.functions.find(node); function != nullptr && !isOwn)
        return importCall(index, *function);
    if (m_run.functions.isAmbiguous(node))
        return importUnknown(index, name,
                             makeDiag(DiagCode::UnknownOperator,
                                      fmt::format("two functions of the model are named {}", type),
                                      {}, "give each its own name"));
    FW_TRY(const bool isDone, importBranch(index));
    if (isDone)
        return {};
    if (isUntyped || (isOfParts && !readsSequences(import)))
        return importUnknown(index, name, makeDiag(DiagCode::TypeUnknown, ""));
    if (!import && !clause)
        return importUnknown(index, name, reasonUnknown(node));
    NodeImport context(*this, node, name);
    auto status = import ? import(context)
                         : importByClause(context, *operators().findReader(clause->op), *clause);
    if (status)
        status = context.allHonoured();
    if (status)
        status = checkIndices(context);
    if (!status) {
        for (auto id = context.emitted().rbegin(); id != context.emitted().rend(); ++id)
            m_editor.remove(*id);
        return importRefused(index, status.takeDiag());
    }
    for (Diag& problem : problemsOf(node, m_opset)) { // understood all the same
        problem.where.node.clear();
        m_run.out.diagnostics.push_back(inNode(index, std::move(problem)));
    }
    if (context.emitted().empty())
        return {};
    const NodeId origin = context.emitted().back();
    for (const NodeId id : context.emitted())
        m_editor.setOrigins(id, {origin});
    return checkResults(index);
}

// Unknown, if that says it; an error of the model otherwise.
Status ModelImporter::importRefused(int index, Diag diag) {
    const auto& node = m_graph.node(index);
    const std::string name = nodeName(index);
    const std::string& at = diag.where.node;
    if (!at.empty() && at != name && !at.starts_with(name + ".")) // of what it reads
        return diag;
    const std::set<std::string> sizes = freeSizesIn(diag.message, node);
    diag.message = withOperands(diag, node);
    if (diag.code == DiagCode::UnknownOperator || diag.code == DiagCode::UnsupportedAttribute ||
        diag.code == DiagCode::DtypeMismatch)
        return importUnknown(index, name, std::move(diag));
    if (!sizes.empty() &&
        (diag.code == DiagCode::ShapeMismatch || diag.code == DiagCode::OnnxMalformed)) {
        diag.hint =
            fmt::format("{} {} free: data, or --dim {}=..., may show that it fits",
                        fmt::join(sizes, ", "), sizes.size() > 1 ? "are" : "is", *sizes.begin());
        return importUnknown(index, name, std::move(diag));
    }
    diag.where.node.clear(); // an inner operator's name says less than the node's
    return inNode(index, std::move(diag));
}

Status ModelImporter::addResults() {
    for (const auto& output : m_graph.output()) {
        FW_TRY(const ValueRef value, use(output.name()));
        m_editor.addResult(cleanText(output.name()), value);
    }
    return {};
}

Result<ValueRef> ModelImporter::use(const std::string& name) {
    if (m_trial != nullptr)
        return useInTrial(name);
    Value& value = this->value(name);
    if (!value.ref && value.data)
        value.ref = m_editor.addConstant(cleanText(name), *value.data);
    if (!value.ref && value.leaf)
        value.ref = addLeaf(name, *value.leaf);
    if (!value.ref && value.producer >= 0) {
        FW_CHECK(importNode(value.producer));
        value.depth = 0;
    }
    if (isInParts(name))
        FW_CHECK(importNode(find(name)->place));
    if (!value.ref)
        throw InternalError("the value '" + name + "' was used before it was made");
    return *value.ref;
}

Status ModelImporter::asWhole(const std::string& name) {
    if (!name.empty() && isInParts(name)) {
        FW_TRY([[maybe_unused]] const ValueRef value, use(name));
    }
    return {};
}

Result<TensorType> ModelImporter::typeOf(const std::string& name) const {
    const Value& value = this->value(name);
    if (value.ref)
        return m_editor.type(*value.ref);
    if (value.data)
        return value.data->type();
    if (value.leaf)
        return madeUp;
    if (value.small)
        return TensorType{value.small->dtype, fixedShape(value.small->extents)};
    throw InternalError("the value '" + name + "' has no type");
}

const TensorData* ModelImporter::constant(const std::string& name) const {
    const Name* known = find(name);
    return known != nullptr && known->value.data ? &*known->value.data : nullptr;
}

void ModelImporter::bind(const std::string& name, ValueRef value) {
    if (!name.empty())
        this->value(name).ref = value;
}

void ModelImporter::bindAlias(const std::string& name, const std::string& of) {
    if (!name.empty())
        value(name) = value(of);
}

void ModelImporter::bindConstant(const std::string& name, TensorData data) {
    if (!name.empty())
        value(name).data = std::move(data);
}

void ModelImporter::note(const std::string& node, const std::string& what) {
    m_run.out.decisions.push_back({m_prefix + node, Verdict::Note, ReasonCode::NormalForm, what});
}

std::string typeName(const proto::NodeProto& node) {
    return cleanText(isStandardDomain(node.domain()) ? node.op_type()
                                                     : node.domain() + "." + node.op_type());
}

std::string ModelImporter::nodeName(int index) const {
    const auto& node = m_graph.node(index);
    if (node.name().empty())
        return fmt::format("{}_{}", cleanText(node.op_type()), index);
    const std::string name = cleanText(node.name());
    // The names of values are kept as they are; a node that shares one gives way.
    return find(node.name()) != nullptr ? name + "_" + cleanText(node.op_type()) : name;
}

Diag ModelImporter::inNode(int index, Diag diag) const {
    return diag.at({{}, pathOf(index)});
}

} // namespace fw
