#include "session/fitting_pipelines.h"

#include "expr/simplify.h"
#include "ir/missing_type.h"
#include "onnx/model/given_value.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace fw {

namespace {

// Data of an input of the graph.
struct Given {
    const Output* input = nullptr;
    TensorData data;
};

Substitution sizesOf(const std::vector<Given>& given) {
    Substitution out;
    for (const Given& one : given) {
        const Shape& shape = one.input->type.shape;
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (shape[d].isVar())
                out.emplace(shape[d]->symbol, intExpr(one.data.extents().at(d)));
    }
    return out;
}

// Whether all holds that the graph assumes of the sizes.
bool holdsAt(const Graph& graph, const Substitution& sizes) {
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
bool addValues(std::map<std::string, std::string>& types, const std::vector<Given>& given) {
    constexpr std::size_t mostElements = 64;
    bool out = false;
    for (const auto& [input, data] : given) {
        if (isFloat(data.dtype()) || data.extents().size() > 1 || data.count() == 0 ||
            data.count() > mostElements)
            continue;
        std::vector<std::string> elements;
        for (std::size_t k = 0; k < data.count(); ++k)
            elements.push_back(data.dtype() == DType::Bool
                                   ? data.integerAt(k) != 0 ? "true" : "false"
                                   : std::to_string(data.integerAt(k)));
        types[input->name] = asGivenValue(
            data.extents().empty() ? elements[0] : fmt::format("[{}]", fmt::join(elements, ", ")));
        out = true;
    }
    return out;
}

// Of some inputs, by name, or of all of them: their data. None if these do not match, which is told
// when they run.
std::vector<Given> matched(const ComputedPart& what, const ReadTensors& data, bool some) {
    std::vector<Given> out;
    const std::vector<NodeId>& inputs = what.graph.inputs();
    if (!some) {
        auto all = givenInputs(what, data);
        for (std::size_t i = 0; all && i < all->size(); ++i)
            out.push_back({&what.graph.node(inputs[i]).outputs[0], std::move((*all)[i])});
        return out;
    }
    for (const Result<NamedTensor>& tensor : data) {
        const auto found = std::find_if(inputs.begin(), inputs.end(), [&](NodeId id) {
            return tensor && what.graph.node(id).outputs[0].name == tensor->name;
        });
        if (found != inputs.end())
            out.push_back({&what.graph.node(*found).outputs[0], tensor->data});
    }
    return out;
}

std::size_t computedResults(Pipeline& pipeline, const Context& context) {
    const auto part = pipeline.computable(context);
    const auto source = part ? (*part)->simplified(context) : part.diag();
    return source ? (*source)->graph->results().size() : 0;
}

} // namespace

Pipeline& FittingPipelines::with(std::map<std::string, std::string> types,
                                 std::map<std::string, std::int64_t> dims) {
    std::unique_ptr<Pipeline>& made = m_made[{types, dims}];
    if (!made) {
        PipelineInputs inputs = m_free.inputs();
        inputs.types = std::move(types);
        inputs.dims = std::move(dims);
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
    m_base = &with(std::move(types), m_free.inputs().dims);
}

Pipeline& FittingPipelines::of(const ReadTensors& data, const Context& context, bool some) {
    findBase(data, context);
    const auto imported = m_base->imported(context);
    if (!imported)
        return *m_base; // and says why when it is asked
    const Graph& graph = *(*imported)->inlined;
    std::map<std::string, std::string> types = m_base->inputs().types;
    const std::vector<Given> given = matched({graph, graph, types, m_free.modelFile()}, data, some);
    if (given.empty())
        return *m_base;
    for (const auto& [input, tensor] : given)
        if (!fits(input->type.shape, tensor.extents()) || tensor.dtype() != input->type.dtype)
            return *m_base;
    const Substitution sizes = sizesOf(given);
    bool changes = false;
    for (const NodeId id : graph.inputs()) {
        const Output& input = graph.node(id).outputs[0];
        TensorType type = input.type;
        for (Dim& dim : type.shape)
            dim = simplify(substitute(dim, sizes));
        if (type == input.type)
            continue;
        changes = true;
        types[input.name] = type.text();
    }
    // What else has a size of that name, has this one.
    std::map<std::string, std::int64_t> dims = m_base->inputs().dims;
    for (const auto& [symbol, size] : sizes)
        dims.emplace(symbol.text(), *size.asInt());
    const bool holds = holdsAt(graph, sizes);
    if (holds && m_base->runnable(context))
        return *m_base;
    const bool helped = sizesMayHelp(**imported);
    Pipeline* best = m_base;
    std::size_t computed = holds ? computedResults(*m_base, context) : 0;
    const auto offer = [&](std::map<std::string, std::string> bound, bool wins) {
        Pipeline& other = with(std::move(bound), dims);
        const std::size_t results = computedResults(other, context);
        if (results > computed || wins)
            best = &other;
        computed = std::max(computed, results);
    };
    // Where neither computes anything, what is told is what is wrong with these data: what the free
    // one asks of them, or why it does not run with them. Sizes make nothing known that is not, but
    // a size behind it may be computed.
    if (changes)
        offer(types, holds && helped && computed == 0);
    if (helped && !best->runnable(context) && addValues(types, given))
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
        return of(data, context, true);
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

std::vector<std::string> FittingPipelines::constants(const Pipeline& made) const {
    std::vector<std::string> out;
    for (const auto& [input, type] : made.inputs().types)
        if (givenValue(type) && !m_free.inputs().types.contains(input))
            out.push_back(input);
    return out;
}

} // namespace fw
