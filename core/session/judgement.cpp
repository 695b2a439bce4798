#include "session/judgement.h"

#include "base/numbers.h"
#include "expr/scalar.h"
#include "ir/tensor_text.h"
#include "session/compare.h"
#include "session/group_graph.h"
#include "session/ran_otherwise.h"
#include "tensor/beside_padding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

// Bodies per stage that the reference evaluates: about a third of a second.
constexpr std::int64_t referenceWork = std::int64_t(1) << 25;
constexpr std::int64_t wholeWork = std::int64_t(1) << 30; // where rows alone say nothing
constexpr double normAllowed = 2e-5;                      // of a norm, relative

// What is inexact may be off by this near 0: libraries flush what is hardly a normal number (the
// exponential of oneDNN below exp(-87), 2^-126, which swish multiplies by 87), and f16 has
// denormals to round to.
double leastAllowed(DType dtype) {
    return dtype == DType::F64 ? 1e-300 : dtype == DType::F16 ? 0x1p-24 : 2e-36;
}

double largestOf(DType dtype) {
    return dtype == DType::F16 ? 65504 : dtype == DType::F64 ? 1.7e308 : 3.3895313892515355e38;
}

void count(Instance& instance) {
    instance.judged = instance.count = 0;
    for (const BoundedValues& values : instance.wanted) {
        instance.count += values.values.data.size();
        for (std::size_t i = 0; i < values.values.data.size(); ++i)
            instance.judged += std::isfinite(values.error(i)) ? 1 : 0;
    }
}

// One in each input, so that results without one are left to be judged.
TensorData withNan(const TensorData& data) {
    std::vector<double> values = data.toDoubles();
    if (!values.empty())
        values[values.size() / 3] = std::nan("");
    return dataFromDoubles(data.dtype(), data.extents(), values);
}

Result<TensorData> madeUp(const Output& input, ValueKind kind, std::uint64_t seed) {
    std::vector<std::int64_t> extents;
    for (const Dim& dim : input.type.shape) {
        if (!dim.asInt())
            return makeDiag(DiagCode::DimUnbound,
                            fmt::format("{} of {} has no value", dim.text(), input.name));
        extents.push_back(*dim.asInt());
    }
    const DType dtype = input.type.dtype;
    FW_TRY(const std::int64_t elements, checkedCount(extents));
    if (elements > (std::int64_t(1) << 28))
        return makeDiag(DiagCode::LimitReached, input.name + " is too large to be made up");
    if (isFloat(dtype)) {
        const TensorData made = kind == ValueKind::Whole ? randomIntegers(dtype, extents, seed)
                                                         : randomData(dtype, extents, seed);
        return kind == ValueKind::WithNan ? withNan(made) : made;
    }
    // Integers index tables or mask: 0 and 1 are in range of any that has two entries.
    const TensorData bits = randomData(DType::Bool, extents, seed);
    return dtype == DType::Bool ? bits : dataFromIntegers(dtype, extents, bits.toIntegers());
}

Result<std::vector<TensorData>> runOn(LoadedModule& module, const Instance& instance) {
    for (const runtime::Symbol& symbol : module.executor().program().symbols)
        if (const auto size = instance.sizes.find(symbol.name); size != instance.sizes.end())
            if (const runtime::Status status =
                    module.executor().setSymbol(symbol.name, size->second);
                !status.ok())
                return makeDiag(DiagCode::InputMismatch, status.message);
    return module.run(instance.inputs);
}

} // namespace

std::string_view kindText(ValueKind kind) {
    switch (kind) {
    case ValueKind::Random:
        return "random";
    case ValueKind::Whole:
        return "integers";
    case ValueKind::WithNan:
        break;
    }
    return "random and NaN";
}

std::uint64_t constantSeed(std::uint64_t seed, std::size_t position) {
    return seed * 1000 + position;
}

TensorData standIn(const TensorData& weights, ValueKind kind, std::uint64_t seed) {
    if (!isFloat(weights.dtype()) || weights.count() <= 1)
        return weights;
    const TensorData made = kind == ValueKind::Whole
                                ? randomIntegers(weights.dtype(), weights.extents(), seed)
                                : randomData(weights.dtype(), weights.extents(), seed);
    const std::vector<double> before = weights.toDoubles();
    const bool negative = std::any_of(before.begin(), before.end(), [](double v) { return v < 0; });
    if (negative)
        return made;
    std::vector<double> values = made.toDoubles();
    for (double& value : values)
        value =
            kind == ValueKind::Whole ? std::max(std::fabs(value), 1.0) : std::fabs(value) + 0.125;
    return dataFromDoubles(weights.dtype(), weights.extents(), values);
}

Result<GraphPtr> withValues(const Graph& part, ValueKind kind, std::uint64_t seed) {
    std::size_t position = 0;
    Refilling with;
    with.constant = [&](const Node& node) {
        return standIn(*node.data, kind, constantSeed(seed, position++));
    };
    return refilled(part, with);
}

std::vector<Sizes> sizesOf(const Graph& part) {
    constexpr std::int64_t odd[] = {7, 5, 3, 11};
    const std::vector<Symbol> free = part.freeDims();
    std::vector<Sizes> out;
    // What an operator asks to be one number is that number.
    Sizes fixed;
    for (const Assumption& assumption : part.assumptions())
        if (const Expr& e = assumption.condition; e.op() == ExprOp::Eq)
            for (const std::size_t side : {0u, 1u})
                if (const auto number = e.arg(1 - side).asInt(); number && e.arg(side).isVar())
                    fixed[std::string(e.arg(side)->symbol.text())] = *number;
    const auto add = [&](Sizes sizes) {
        for (const auto& [name, value] : fixed)
            sizes[name] = value;
        if (std::find(out.begin(), out.end(), sizes) == out.end())
            out.push_back(sizes);
    };
    Sizes base;
    for (std::size_t i = 0; i < free.size(); ++i)
        base[std::string(free[i].text())] = odd[i % std::size(odd)];
    add(base);
    for (const std::int64_t value : {std::int64_t(1), std::int64_t(0)})
        for (const Symbol dim : free) {
            Sizes one = base;
            one[std::string(dim.text())] = value;
            add(one);
        }
    for (const std::int64_t value : {std::int64_t(7), std::int64_t(1), std::int64_t(0)}) {
        Sizes alike;
        for (const Symbol dim : free)
            alike[std::string(dim.text())] = value;
        add(alike);
    }
    return out;
}

std::string sizesText(const Sizes& sizes) {
    std::string out;
    for (const auto& [name, value] : sizes)
        out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, value);
    return out;
}

Result<Instance> instanceOf(const Graph& part, const Sizes& sizes, ValueKind kind,
                            std::uint64_t seed, const CancelToken& cancel) {
    Instance out;
    out.sizes = sizes;
    out.kind = kind;
    FW_TRY(const GraphPtr bound, boundTo(part, sizes));
    std::set<NodeId> withoutNan;
    if (kind == ValueKind::WithNan)
        withoutNan = inputsBesidePadding(*bound);
    for (const NodeId id : bound->inputs()) {
        const ValueKind own = withoutNan.contains(id) ? ValueKind::Random : kind;
        FW_TRY(TensorData data, madeUp(bound->node(id).outputs[0], own, seed++));
        out.inputs.push_back(std::move(data));
    }
    BoundedOptions options;
    options.cancel = cancel;
    options.seed = seed;
    for (const std::int64_t work : {referenceWork, wholeWork}) {
        options.work = work;
        FW_TRY(out.wanted, evaluateGraphBounded(*bound, out.inputs, options));
        count(out);
        if (out.judged > 0 || out.count == 0)
            break;
    }
    return out;
}

Measure measureOf(const runtime::Program& program) {
    const bool transforms =
        std::any_of(program.calls.begin(), program.calls.end(), [](const runtime::LibraryCall& c) {
            return c.kind == runtime::CallKind::Winograd;
        });
    return transforms ? Measure::Norm : Measure::Elements;
}

namespace {

class Judging {
public:
    Judging(const std::string& name, const BoundedValues& wanted, const TensorData& got,
            Measure measure, Judgement& out)
        : m_name(name), m_wanted(wanted), m_got(got), m_measure(measure), m_out(out) {}

    void run() {
        const Values& values = m_wanted.values;
        if (m_got.dtype() != values.dtype || m_got.extents() != values.extents) {
            m_out.differs = true;
            m_out.share = HUGE_VAL;
            m_out.worst = fmt::format("{} is {}", m_name, m_got.type().text());
            return;
        }
        const bool real = isFloat(values.dtype);
        const double least = leastAllowed(values.dtype), most = largestOf(values.dtype);
        for (std::size_t i = 0; i < values.data.size(); ++i) {
            const double error = m_wanted.error(i);
            if (!std::isfinite(error))
                continue;
            const double want = real ? values.data[i].real
                                     : realOf(values.dtype, values.data[i].integer, DType::F64);
            if (error > 0 && !(std::fabs(want) + error < most))
                continue; // may be too large for the type
            m_out.exact = m_out.exact && error == 0;
            const double got = m_got.at(i);
            if (got == want || (std::isnan(got) && std::isnan(want))) {
                m_norm += want * want;
                continue;
            }
            // Integers beyond 2^53 agree or not, as bits do.
            if (!real && error == 0 && m_got.integerAt(i) == values.data[i].integer)
                continue;
            const double off = std::fabs(got - want);
            if (m_measure == Measure::Norm && std::isfinite(off)) {
                m_norm += want * want;
                m_off += off * off;
                m_out.largest = std::max(m_out.largest, off);
                remember(i, off, want, got, 0);
                continue;
            }
            const double allowed = error == 0 ? 0 : error + least;
            const double share = std::isfinite(off) && allowed > 0 ? off / allowed : HUGE_VAL;
            if (std::isfinite(off))
                m_out.largest = std::max(m_out.largest, off);
            m_out.differs = m_out.differs || share > 1;
            remember(i, share, want, got, allowed);
        }
        finish();
    }

private:
    void remember(std::size_t i, double weight, double want, double got, double allowed) {
        if (m_measure == Measure::Elements)
            m_out.share = std::max(m_out.share, weight);
        if (weight <= m_weight)
            return;
        m_weight = weight;
        m_worst = fmt::format("{}[{}]: {} instead of {}", m_name, place(m_got.extents(), i),
                              numberText(got, m_got.dtype()), numberText(want, m_got.dtype()));
        if (m_measure == Measure::Elements)
            m_worst += allowed == 0 ? ", exact" : fmt::format(", {:.1e} allowed", allowed);
    }

    void finish() {
        if (m_measure == Measure::Norm && m_off > 0) {
            const double relative = std::sqrt(m_off / std::max(m_norm, 1e-300));
            const double share = relative / normAllowed;
            m_out.exact = false;
            m_out.share = std::max(m_out.share, share);
            m_out.differs = m_out.differs || share > 1;
            m_worst += fmt::format(", {:.1e} of the norm, {:.0e} allowed", relative, normAllowed);
        }
        if (!m_worst.empty() && (m_out.worst.empty() || m_weight >= m_out.share))
            m_out.worst = m_worst;
    }

    const std::string& m_name;
    const BoundedValues& m_wanted;
    const TensorData& m_got;
    Measure m_measure;
    Judgement& m_out;
    double m_norm = 0, m_off = 0, m_weight = -1;
    std::string m_worst;
};

} // namespace

std::optional<Judgement> failed(const Diag& diag) {
    if (exitCode(diag.code) != 4) // a mistake of ours or of a library
        return {};
    Judgement out;
    out.differs = true;
    out.exact = false;
    out.share = HUGE_VAL;
    out.worst = diag.text();
    return out;
}

Judgement judgeTensor(const std::string& name, const BoundedValues& wanted, const TensorData& got,
                      Measure measure) {
    Judgement out;
    out.exact = measure == Measure::Elements;
    Judging(name, wanted, got, measure, out).run();
    return out;
}

Judgement judge(const Graph& part, const Instance& instance, const std::vector<TensorData>& got,
                Measure measure) {
    Judgement out;
    out.exact = measure == Measure::Elements;
    for (std::size_t i = 0; i < got.size(); ++i)
        Judging(part.results()[i].name, instance.wanted[i], got[i], measure, out).run();
    return out;
}

void Trials::add(int threads, std::unique_ptr<LoadedModule> module) {
    m_loaded.push_back({threads, std::move(module)});
}

Result<std::vector<Trials::Trial>> Trials::on(const Graph& part, const Instance& instance) {
    std::vector<Trial> out;
    for (Loaded& one : m_loaded) {
        const Measure measure = measureOf(one.module->module().program);
        if (measure == Measure::Norm && instance.kind == ValueKind::WithNan)
            continue;
        for (int run = 0; run < 2; ++run) {
            const Result<std::vector<TensorData>> got = runOn(*one.module, instance);
            const std::optional<Judgement> judgement =
                got ? judge(part, instance, *got, measure) : failed(got.diag());
            if (!judgement)
                return got.diag();
            out.push_back({one.threads, *judgement, ranOtherwise(*one.module)});
        }
    }
    return out;
}

} // namespace fw
