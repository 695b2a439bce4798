#include "fuzz/maker.h"

#include "fuzz/evaluate.h"
#include "fuzz/kept_text.h"
#include "fuzz/numbers.h"

#include <algorithm>
#include <cmath>

namespace fw::fuzz {

namespace {

constexpr std::size_t mostElements = 6000;
constexpr double mostWork = 300000; // multiply-adds of one operator under the reference
// Of a float of a tame graph: what is larger amplifies noise beyond judging.
constexpr double largestValue = 5000;

Values drawValues(Random& random) {
    const std::size_t of = random.below(100);
    return of < 25   ? Values::Integers
           : of < 65 ? Values::Random
           : of < 83 ? Values::Edges
                     : Values::Infinite;
}

DType drawMain(Random& random) {
    static const std::vector<std::pair<std::size_t, DType>> shares = {
        {48, DType::F32}, {15, DType::F16}, {9, DType::BF16}, {7, DType::F64}, {3, DType::I32},
        {3, DType::I64},  {2, DType::I8},   {2, DType::U8},   {2, DType::I16}, {2, DType::U16},
        {2, DType::U32},  {2, DType::U64},  {3, DType::Bool}};
    std::size_t of = random.below(100);
    for (const auto& [share, dtype] : shares) {
        if (of < share)
            return dtype;
        of -= share;
    }
    return DType::F32;
}

} // namespace

Attrs attributes(std::initializer_list<std::pair<const char*, AttrValue>> items) {
    Attrs out;
    for (const auto& [name, value] : items)
        out.set(name, value);
    return out;
}

Maker::Maker(std::uint64_t seed, std::shared_ptr<const OperatorSet> operators)
    : random(seed), m_seed(seed), m_operators(operators), m_editor(std::move(operators), "random") {
    m_values = drawValues(random);
    m_main = drawMain(random);
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

std::size_t Maker::operators(const std::string& op) const {
    return static_cast<std::size_t>(std::count_if(m_made.begin(), m_made.end(),
                                                  [&](const Made& made) { return made.op == op; }));
}

Id Maker::keep(ValueRef ref, TensorType type, TensorData data, bool exact) {
    Known known;
    known.ref = ref;
    known.type = std::move(type);
    known.exact = exact;
    known.largest = largestOf(data);
    const std::vector<double> numbers = numbersOf(data);
    known.smallest = numbers.empty() ? 0 : HUGE_VAL;
    for (const double number : numbers)
        known.smallest = std::isnan(number) ? -HUGE_VAL : std::min(known.smallest, number);
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
    const Id id = keep(ref, type, drawn(m_values, dtype, extents, seed), true);
    m_known.back().input = true;
    return id;
}

Id Maker::constant(std::vector<std::int64_t> extents, DType dtype) {
    const std::int64_t count = checkedCount(extents).value();
    if (count <= 16 && random.chance(10)) { // what an operation with it leaves as it is, or undoes
        static const std::vector<double> neutral = {0, 1, 1, 2};
        return constantOf(dataOf(
            dtype, extents,
            std::vector<double>(static_cast<std::size_t>(count),
                                dtype == DType::Bool ? random.chance(50) : random.pick(neutral))));
    }
    const Values values = isFloat(dtype) || isWild(m_values) ? m_values : Values::Integers;
    const std::uint64_t seed = m_constants++;
    TensorData data = seededConstant(values, seed, {dtype, fixedShape(extents)});
    const TensorType type = data.type();
    const ValueRef ref = m_editor.addConstant(seededName(values, seed), data);
    const Id id = keep(ref, type, std::move(data), true);
    m_known.back().constant = true;
    return id;
}

Id Maker::constantOf(const TensorData& data) {
    const ValueRef ref = m_editor.addConstant("c" + std::to_string(m_constants++), data);
    const Id id = keep(ref, data.type(), data, true);
    m_known.back().constant = true;
    return id;
}

Id Maker::number(double value, DType dtype) {
    if (dtype == DType::Bool)
        value = value != 0;
    else if (!isFloat(dtype)) // none of the numbers in recipes is larger than i8 holds
        value = std::clamp(std::trunc(value), leastInteger(dtype) < 0 ? -128.0 : 0.0, 127.0);
    return constantOf(dataOf(dtype, {}, {value}));
}

Id Maker::positive(std::int64_t extent) {
    if (extent > 16)
        return none;
    std::vector<double> values;
    for (std::int64_t i = 0; i < extent; ++i)
        values.push_back(isFloat(m_main) ? 0.5 + static_cast<double>(random.below(16)) / 8 : 1);
    return constantOf(dataOf(m_main, {extent}, values));
}

double Maker::factor(double usual) {
    if (random.chance(isWild(m_values) ? 50 : 80))
        return usual;
    static const std::vector<double> tame = {0, 1, -1, 0.5, -0.5, 2, -2.5, 0.001, 100};
    static const std::vector<double> wild = {-0.0, 1e-30, 65504, -1e30, HUGE_VAL, -HUGE_VAL};
    return random.pick(isWild(m_values) && random.chance(30) ? wild : tame);
}

Attrs Maker::factors(const std::string& op) {
    Attrs out;
    const Operator* known = m_operators->find(op);
    for (const std::string& name : known->attrNames()) {
        const auto usual = known->attrDefault(name);
        if (known->attrType(name) == AttrType::Float && usual && random.chance(40))
            out.set(name, factor(std::get<double>(*usual)));
    }
    return out;
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
    if (!tried) {
        const DiagCode code = tried.diag().code;
        if (code == DiagCode::TextType || code == DiagCode::UnsafeAccess)
            throw InternalError("an operator is accepted and cannot be computed: " +
                                tried.diag().text());
        return {none};
    }
    if (!isWild(m_values))
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

Id Maker::value() {
    const Id id = choose([&](const Known& known) { return isMain(known) && !known.constant; });
    if (id != none && !random.chance(5))
        return id;
    Shape shape;
    const std::size_t rank = random.chance(40) ? 4 : random.below(5);
    for (std::size_t i = 0; i < rank; ++i)
        shape.push_back(extent());
    return input(std::move(shape));
}

Id Maker::ofRank(std::size_t rank) {
    const Id id = choose([&](const Known& known) {
        return isMain(known) && known.type.rank() == rank && !known.constant;
    });
    if (id != none && !random.chance(10))
        return id;
    Shape shape;
    for (std::size_t i = 0; i < rank; ++i)
        shape.push_back(rank == 4 && i == 1   ? Dim(random.chance(2) ? 0 : channels())
                        : rank == 4 && i >= 2 ? side()
                                              : extent());
    if (rank == 4 && shape[0].isInt() && *shape[0].asInt() > 3)
        shape[0] = Dim(2);
    return input(std::move(shape));
}

DType Maker::anyType() {
    static const std::vector<DType> all = {
        DType::F32, DType::F32, DType::F64, DType::F16, DType::F16, DType::BF16,
        DType::I8,  DType::U8,  DType::I16, DType::U16, DType::I32, DType::U32,
        DType::I64, DType::U64, DType::I32, DType::I64, DType::Bool};
    return random.chance(25) ? m_main : random.pick(all);
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
    if (random.chance(2))
        return Dim(0);
    static const std::vector<std::int64_t> usual = {1, 1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17};
    return Dim(random.pick(usual));
}

std::int64_t Maker::channels() {
    static const std::vector<std::int64_t> usual = {1, 2, 3, 4, 5, 7, 8, 8, 12, 16, 16, 17, 24, 32};
    return random.pick(usual);
}

Dim Maker::side() {
    if (!m_sizes.empty() && random.chance(15))
        return varExpr(Symbol(m_sizes.size() == 2 && random.chance(50) ? "M" : "N"));
    if (random.chance(2))
        return Dim(0);
    static const std::vector<std::int64_t> usual = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11};
    return Dim(random.pick(usual));
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
