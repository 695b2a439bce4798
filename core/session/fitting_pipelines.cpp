#include "session/fitting_pipelines.h"

#include "expr/simplify.h"
#include "onnx/given_value.h"

#include <algorithm>
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

// Another one than the free one where the model cannot even be read because inputs have no shape.
void FittingPipelines::findBase(const ReadTensors& data, const Context& context) {
    m_base = &m_free;
    if (m_free.imported(context))
        return;
    const auto declared = declaredInputs(m_free.modelFile());
    if (!declared)
        return; // what cannot be read says so itself
    std::map<std::string, std::string> types = m_free.inputs().types;
    std::vector<std::string> all;
    std::vector<std::string> shapeless;
    for (const DeclaredInput& input : *declared) {
        if (const auto entry = types.find(input.name);
            entry != types.end() && givenValue(entry->second))
            continue;
        all.push_back(input.name);
        if (!input.hasShape)
            shapeless.push_back(input.name);
    }
    const auto matched = tensorsOf(shapeless, all, data);
    for (std::size_t i = 0; matched && i < matched->size(); ++i)
        types.try_emplace(shapeless[i], (*matched)[i].type().text());
    if (Pipeline& base = with(std::move(types)); base.imported(context))
        m_base = &base;
}

Pipeline& FittingPipelines::of(const ReadTensors& data, const Context& context) {
    findBase(data, context);
    const auto imported = m_base->imported(context);
    if (!imported)
        return *m_base; // and says why when it is asked
    const Graph& graph = *(*imported)->inlined;
    std::map<std::string, std::string> types = m_base->inputs().types;
    const auto inputs = givenInputs({graph, graph, types}, data);
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
    if (!changes || (holds && (!sizesMayHelp(**imported) || m_base->runnable(context))))
        return *m_base;
    Pipeline& bound = with(std::move(types));
    return computedResults(bound, context) > (holds ? computedResults(*m_base, context) : 0)
               ? bound
               : *m_base;
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
        return dataSetsFor({graph, graph, m_base->inputs().types}, arguments);
    }
    if (!isTestFolder(arguments.model))
        return std::vector<TestDataSet>();
    FW_TRY(TestFolder folder, findTestData(arguments.model));
    return std::move(folder.sets);
}

} // namespace fw
