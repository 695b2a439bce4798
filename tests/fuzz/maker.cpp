#include "fuzz/maker.h"

#include "fuzz/evaluate.h"
#include "fuzz/kept_text.h"

#include <algorithm>
#include <cmath>

namespace fw::fuzz {

namespace {

constexpr std::size_t mostElements = 6000;
constexpr double mostWork = 300000;   // multiply-adds of one operator under the reference
constexpr double largestValue = 5000; // of a float: what is larger amplifies noise beyond judging

} // namespace

Attrs attributes(std::initializer_list<std::pair<const char*, AttrValue>> items) {
    Attrs out;
    for (const auto& [name, value] : items)
        out.set(name, value);
    return out;
}

Maker::Maker(std::uint64_t seed, std::shared_ptr<const OperatorSet> operators)
    : random(seed), m_seed(seed), m_operators(operators), m_editor(std::move(operators), "random") {
    m_values = random.chance(40) ? Values::Integers : Values::Random;
    // Free dimensions: none in most graphs, else one or two.
    const std::vector<std::int64_t> sizes = {1, 2, 3, 4, 5, 7};
    const std::vector<std::int64_t> others = {0, 1, 2, 5, 6, 11};
    if (random.chance(30)) {
        m_sizes["N"] = random.pick(sizes);
        m_others["N"] = random.pick(others);
        if (random.chance(45)) {
            // Often equal or 1, so that operators that assume so are taken.
            m_sizes["M"] = random.chance(50)   ? m_sizes["N"]
                           : random.chance(40) ? 1
                                               : random.pick(sizes);
            m_others["M"] = random.chance(40) ? m_others["N"] : random.pick(others);
        }
    }
}

Bindings Maker::bindings() const {
    Bindings out;
    for (const Sizes* sizes : {&m_sizes, &m_bound})
        for (const auto& [name, extent] : *sizes)
            out.emplace(Symbol(name), extent);
    return out;
}

Id Maker::keep(ValueRef ref, TensorType type, TensorData data, bool exact) {
    Known known;
    known.ref = ref;
    known.type = std::move(type);
    known.exact = exact;
    known.largest = largestOf(data);
    for (std::size_t i = 0; i < data.count(); ++i)
        known.smallest = i == 0 ? data.at(0) : std::min(known.smallest, data.at(i));
    known.data = std::move(data);
    m_known.push_back(std::move(known));
    return static_cast<Id>(m_known.size()) - 1;
}

Id Maker::input(Shape shape, DType dtype) {
    const Bindings sizes = bindings();
    std::vector<std::int64_t> extents;
    for (const Dim& dim : shape)
        extents.push_back(evalIndex(dim, sizes).value());
    for (std::size_t i = 0; i < shape.size(); ++i) // inputs have no extents that are computed
        for (const Symbol dim : freeVars(shape[i]))
            if (m_bound.contains(dim.text()))
                shape[i] = Dim(extents[i]);
    const TensorType type{dtype, std::move(shape)};
    const ValueRef ref = m_editor.addInput("x" + std::to_string(m_inputs), type);
    const std::uint64_t seed = 1000 + m_inputs++; // as operandsOf
    TensorData data = isFloat(dtype) && m_values == Values::Random
                          ? randomData(dtype, extents, seed)
                          : randomIntegers(dtype, extents, seed);
    const bool exact = isExactData(data);
    const Id id = keep(ref, type, std::move(data), exact);
    m_known.back().input = true;
    return id;
}

Id Maker::constant(std::vector<std::int64_t> extents, DType dtype) {
    const Values values = isFloat(dtype) ? m_values : Values::Integers;
    const std::uint64_t seed = m_constants++;
    TensorData data = seededConstant(values, seed, {dtype, fixedShape(extents)});
    const TensorType type = data.type();
    const bool exact = isExactData(data);
    const ValueRef ref = m_editor.addConstant(seededName(values, seed), data);
    const Id id = keep(ref, type, std::move(data), exact);
    m_known.back().constant = true;
    return id;
}

Id Maker::constantOf(const TensorData& data) {
    const ValueRef ref = m_editor.addConstant("c" + std::to_string(m_constants++), data);
    const Id id = keep(ref, data.type(), data, isExactData(data));
    m_known.back().constant = true;
    return id;
}

Id Maker::positive(std::int64_t extent) {
    if (extent > 16)
        return none;
    std::vector<double> values;
    for (std::int64_t i = 0; i < extent; ++i)
        values.push_back(0.5 + static_cast<double>(random.below(16)) / 8);
    return constantOf(dataFromDoubles(DType::F32, {extent}, values));
}

Shape Maker::bind(Id sizes) {
    if (sizes == none || at(sizes).type.rank() != 1)
        return {};
    Shape dims;
    for (std::size_t i = 0; i < at(sizes).data.count(); ++i)
        dims.push_back(varExpr(Symbol("b" + std::to_string(m_bound.size() + i))));
    if (dims.empty() || one("bind_dims", {sizes}, attributes({{"dims", dims}})) == none)
        return {};
    for (std::size_t i = 0; i < dims.size(); ++i)
        m_bound[dims[i]->symbol.text()] = at(sizes).data.integerAt(i);
    return dims;
}

std::vector<Id> Maker::call(const std::string& op, const std::vector<Id>& operands, Attrs attrs) {
    std::vector<Operand> data;
    OpCall types;
    types.attrs = attrs;
    double work = 1;
    for (const Id id : operands) {
        if (id == none)
            return {none};
        data.push_back({&at(id).data, at(id).exact});
        types.inputs.push_back(at(id).type);
    }
    const Operator* known = m_operators->find(op);
    const Result<Inferred> inferred = known->infer(types);
    if (!inferred || inferred->outputs.size() > 8)
        return {none};
    const Bindings sizes = bindings();
    for (const TensorType& type : inferred->outputs) {
        double elements = 1;
        for (const Dim& dim : type.shape) {
            const auto extent = evalIndex(dim, sizes);
            if (!extent || *extent < 0)
                return {none};
            elements *= static_cast<double>(*extent);
        }
        if (elements > mostElements)
            return {none};
        work = std::max(work, elements);
    }
    if (const Result<Facts> facts = known->facts(types); facts && facts->flops > mostWork * 2)
        return {none};
    Sizes all = m_sizes;
    all.insert(m_bound.begin(), m_bound.end());
    const Result<Tried> tried = tryCall(*m_operators, op, data, attrs, all);
    if (!tried)
        return {none};
    for (const TensorData& output : tried->outputs)
        if (isFloat(output.dtype()) && !(largestOf(output) <= largestValue))
            return {none};
    GraphEditor::NewNode node;
    node.op = op;
    node.attrs = std::move(attrs);
    for (const Id id : operands)
        node.inputs.push_back(at(id).ref);
    const Result<std::vector<ValueRef>> refs = m_editor.add(std::move(node));
    if (!refs)
        return {none};
    for (const Id id : operands)
        ++m_known[static_cast<std::size_t>(id)].readers;
    std::vector<Id> out;
    for (std::size_t i = 0; i < refs->size(); ++i)
        out.push_back(keep((*refs)[i], inferred->outputs[i], tried->outputs[i], tried->exact));
    m_made.push_back({op, out});
    return out;
}

Id Maker::one(const std::string& op, const std::vector<Id>& operands, Attrs attrs) {
    const std::vector<Id> out = call(op, operands, std::move(attrs));
    return out.empty() ? none : out.front();
}

Id Maker::choose(const std::function<bool(const Known&)>& fits) {
    std::vector<Id> all, fresh;
    for (std::size_t i = 0; i < m_known.size(); ++i) {
        if (!fits(m_known[i]))
            continue;
        all.push_back(static_cast<Id>(i));
        if (m_known[i].readers == 0 || i + 3 >= m_known.size())
            fresh.push_back(static_cast<Id>(i));
    }
    if (all.empty())
        return none;
    return random.pick(!fresh.empty() && random.chance(70) ? fresh : all);
}

Id Maker::real() {
    const Id id = choose(
        [](const Known& known) { return known.type.dtype == DType::F32 && !known.constant; });
    if (id != none && !random.chance(5))
        return id;
    Shape shape;
    const std::size_t rank = random.chance(40) ? 4 : random.below(5);
    for (std::size_t i = 0; i < rank; ++i)
        shape.push_back(extent());
    return input(std::move(shape));
}

Id Maker::realOfRank(std::size_t rank) {
    const Id id = choose([&](const Known& known) {
        return known.type.dtype == DType::F32 && known.type.rank() == rank && !known.constant;
    });
    if (id != none && !random.chance(10))
        return id;
    Shape shape;
    for (std::size_t i = 0; i < rank; ++i)
        shape.push_back(rank == 4 && i == 1   ? Dim(channels())
                        : rank == 4 && i >= 2 ? Dim(side())
                                              : extent());
    if (rank == 4 && shape[0].isInt() && *shape[0].asInt() > 3)
        shape[0] = Dim(2);
    return input(std::move(shape));
}

Id Maker::like(const Known& known) {
    const TensorType type = known.type;
    const Id id =
        choose([&](const Known& other) { return other.type == type && !(other.ref == known.ref); });
    if (id != none && random.chance(70))
        return id;
    const auto extents = fixedExtents(type.shape);
    if (extents && random.chance(50))
        return constant(*extents, type.dtype);
    return input(type.shape, type.dtype);
}

bool Maker::isFixed(Id id) const {
    return fixedExtents(at(id).type.shape).has_value();
}

std::int64_t Maker::fixedExtent(Id id, std::size_t axis) const {
    const Shape& shape = at(id).type.shape;
    return axis < shape.size() ? shape[axis].asInt().value_or(0) : 0;
}

std::vector<Dim> Maker::freeDims() const {
    std::vector<Dim> out;
    for (const auto& size : m_sizes)
        out.push_back(varExpr(Symbol(size.first)));
    return out;
}

Dim Maker::extent() {
    if (!m_sizes.empty() && random.chance(35))
        return varExpr(Symbol(m_sizes.size() == 2 && random.chance(40) ? "M" : "N"));
    if (random.chance(1))
        return Dim(0);
    static const std::vector<std::int64_t> usual = {1, 1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17};
    return Dim(random.pick(usual));
}

std::int64_t Maker::channels() {
    static const std::vector<std::int64_t> usual = {1, 2, 3, 4, 5, 7, 8, 8, 12, 16, 16, 17, 24, 32};
    return random.pick(usual);
}

std::int64_t Maker::side() {
    static const std::vector<std::int64_t> usual = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11};
    return random.pick(usual);
}

std::size_t Maker::axisOf(Id id) {
    return random.below(at(id).type.rank());
}

Case Maker::finish() {
    std::size_t results = 0;
    const auto give = [&](const Known& known) {
        m_editor.addResult("y" + std::to_string(results++), known.ref);
    };
    for (const Made& made : m_made)
        for (const Id id : made.results)
            if (at(id).readers == 0 ? results < 6 && !random.chance(3) : random.chance(8))
                give(at(id));
    if (results == 0)
        give(m_known.back());
    m_editor.removeUnused();
    Case out;
    out.seed = m_seed;
    out.values = m_values;
    const Result<GraphPtr> graph = m_editor.finish();
    if (!graph)
        throw InternalError("a random graph was refused: " + graph.diag().text());
    out.graph = *graph;
    for (const Symbol& dim : out.graph->freeDims()) {
        out.sizes[dim.text()] = m_sizes.at(dim.text());
        out.others[dim.text()] = m_others.at(dim.text());
    }
    if (const Status status = evaluateCase(out); !status)
        throw InternalError("the reference refuses a random graph: " + status.diag().text());
    return out;
}

} // namespace fw::fuzz
