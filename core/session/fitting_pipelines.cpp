#include "session/fitting_pipelines.h"

#include "expr/simplify.h"
#include "ir/missing_type.h"
#include "onnx/given_value.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace fw {

namespace {

// Whether all holds that the graph assumes of the sizes.
bool holdsAt(const Graph& graph, const std::vector<TensorData>& inputs) {
    Substitution sizes;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Shape& shape = graph.node(graph.inputs()[i]).outputs[0].type.shape;
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (shape[d].isVar())
                sizes.emplace(shape[d]->symbol, intExpr(inputs[i].extents().at(d)));
    }
    return std::none_of(
        graph.assumptions().begin(), graph.assumptions().end(),
        [&](const Assumption& one) { return simplify(substitute(one.condition, sizes)).isInt(0); });
}

// No size makes an operator known, or a type behind one.
bool sizesMayHelp(const Imported& imported) {
    return std::any_of(
        imported.diagnostics.begin(), imported.diagnostics.end(), [](const Diag& diag) {
            return diag.severity == Severity::Error && diag.code != DiagCode::UnknownOperator &&
                   diag.code != DiagCode::TypeUnknown;
        });
}

// Of which the model itself says no type, or no shape.
bool hasUntypedInput(const Graph& graph) {
    return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const NodePtr& node) {
        return isForeignInput(*node) && foreignType(*node, 0).empty();
    });
}

// The values of inputs that may be sizes, axes or conditions. False if there are none.
bool addValues(std::map<std::string, std::string>& types, const Graph& graph,
               const std::vector<TensorData>& inputs) {
    constexpr std::size_t mostElements = 64;
    bool out = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const TensorData& data = inputs[i];
        if (isFloat(data.dtype()) || data.extents().size() > 1 || data.count() == 0 ||
            data.count() > mostElements)
            continue;
        std::vector<std::string> elements;
        for (std::size_t k = 0; k < data.count(); ++k)
            elements.push_back(data.dtype() == DType::Bool
                                   ? data.integerAt(k) != 0 ? "true" : "false"
                                   : std::to_string(data.integerAt(k)));
        types[graph.node(graph.inputs()[i]).outputs[0].name] = asGivenValue(
            data.extents().empty() ? elements[0] : fmt::format("[{}]", fmt::join(elements, ", ")));
        out = true;
    }
    return out;
}

std::size_t computedResults(Pipeline& pipeline, const Context& context) {
    const auto part = pipeline.computable(context);
    const auto source = part ? (*part)->simplified(context) : part.diag();
    return source ? (*source)->graph->results().size() : 0;
}

} // namespace

Pipeline& FittingPipelines::with(std::map<std::string, std::string> types) {
    std::unique_ptr<Pipeline>& made = m_made[types];
    if (!made) {
        PipelineInputs inputs = m_free.inputs();
        inputs.types = std::move(types);
        made = std::make_unique<Pipeline>(std::move(inputs));
    }
    return *made;
}

// Another one than the free one where inputs have no type of their own: they have that of the data.
void FittingPipelines::findBase(const ReadTensors& data, const Context& context) {
    m_base = &m_free;
    const auto imported = m_free.imported(context);
    if (imported && !hasUntypedInput(*(*imported)->graph))
        return;
    const auto declared = declaredInputs(m_free.modelFile());
    if (!declared)
        return; // what cannot be read says so itself
    std::map<std::string, std::string> types = m_free.inputs().types;
    std::vector<std::string> all;
    std::vector<std::string> bound;
    std::vector<const DeclaredTensor*> wanted; // of each of them
    for (const DeclaredInput& input : *declared) {
        const auto entry = types.find(input.name);
        if (entry != types.end() ? givenValue(entry->second).has_value() : input.isWeight)
            continue; // a default that is given has a type
        all.push_back(input.name);
        if (!imported || !input.isTyped) { // what is refused may be so for any free size
            bound.push_back(input.name);
            wanted.push_back(&input.type);
        }
    }
    const auto matched = tensorsOf(bound, all, data);
    if (!matched || matched->empty())
        return;
    for (std::size_t i = 0; i < matched->size(); ++i) {
        TensorType type = (*matched)[i].type();
        if (imported) // what is declared stays, and data of another element type are told so
            type.dtype = wanted[i]->dtype.value_or(type.dtype);
        if (!wanted[i]->takes(type))
            return;
        types.try_emplace(bound[i], type.text());
    }
    // If it is refused with them as well, its reason is the one of these data.
    m_base = &with(std::move(types));
}

Pipeline& FittingPipelines::of(const ReadTensors& data, const Context& context) {
    findBase(data, context);
    const auto imported = m_base->imported(context);
    if (!imported)
        return *m_base; // and says why when it is asked
    const Graph& graph = *(*imported)->inlined;
    std::map<std::string, std::string> types = m_base->inputs().types;
    const auto inputs = givenInputs({graph, graph, types, m_free.modelFile()}, data);
    if (!inputs)
        return *m_base; // what does not match is told when it runs
    bool changes = false;
    for (std::size_t i = 0; i < inputs->size(); ++i) {
        const Output& input = graph.node(graph.inputs()[i]).outputs[0];
        const TensorType type = (*inputs)[i].type();
        if (!fits(input.type.shape, (*inputs)[i].extents()) || type.dtype != input.type.dtype)
            return *m_base;
        changes = changes || !(type == input.type);
        types[input.name] = type.text();
    }
    const bool holds = holdsAt(graph, *inputs);
    if (holds && (!sizesMayHelp(**imported) || m_base->runnable(context)))
        return *m_base;
    Pipeline* best = m_base;
    std::size_t computed = holds ? computedResults(*m_base, context) : 0;
    const auto offer = [&](std::map<std::string, std::string> bound, bool wins) {
        Pipeline& other = with(std::move(bound));
        const std::size_t results = computedResults(other, context);
        if (results > computed || wins)
            best = &other;
        computed = std::max(computed, results);
    };
    // Where neither computes anything, what is told is what is wrong with these data: what the free
    // one asks of them, or why it does not run with them.
    if (changes)
        offer(types, holds && computed == 0);
    if (!best->runnable(context) && addValues(types, graph, *inputs))
        offer(std::move(types), false);
    return *best;
}

Pipeline& FittingPipelines::of(const TestDataSet& set, const Context& context) {
    return of(readTensors(set.inputs), context);
}

Pipeline& FittingPipelines::of(const snapshot::Arguments& arguments, const Context& context) {
    if (!arguments.inputs.empty()) {
        ReadTensors data;
        for (const auto& [name, file] : arguments.inputs) {
            data.push_back(readTensorFile(file));
            if (data.back())
                data.back()->name = name;
        }
        return of(data, context);
    }
    const auto found = sets(arguments, context);
    return !found || found->empty() ? m_free : of(found->front(), context);
}

Result<std::vector<TestDataSet>> FittingPipelines::sets(const snapshot::Arguments& arguments,
                                                        const Context& context) {
    if (const auto imported = m_base->imported(context)) {
        const Graph& graph = *(*imported)->inlined;
        return dataSetsFor({graph, graph, m_base->inputs().types, m_free.modelFile()}, arguments);
    }
    if (!isTestFolder(arguments.model))
        return std::vector<TestDataSet>();
    FW_TRY(TestFolder folder, findTestData(arguments.model));
    return std::move(folder.sets);
}

} // namespace fw
