#include "tensor/bounded.h"

#include "base/numbers.h"
#include "expr/scalar.h"
#include "expr/simplify.h"
#include "tensor/bounded_rows.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace fw {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr std::int64_t maxElements = std::int64_t(1) << 31;
constexpr double sharpParts = 256;

// What a sum or product of `terms` roundings may err by, of the magnitudes.
double gamma(double terms, double u) {
    return terms * u < 1 ? terms * u / (1 - terms * u) : unbounded;
}

struct Accumulated {
    Value value{};
    double magnitude = 0;
    double error = 0;
    double broken = 0; // not 0 if a term is no integer
    bool nan = false;  // a term is one, without doubt
    bool given = true; // all terms are finite
};

class Fold {
public:
    Fold(Reducer reducer, DType dtype, const BoundedOptions& options)
        : m_reducer(reducer), m_dtype(dtype), m_sharp(options.sharp),
          m_ends(options.ends == BoundedOptions::Ends::All), m_wraps(options.wraps),
          m_parts(options.sharp ? sharpParts : 1) {
        if (reducer == Reducer::None)
            return; // a map folds nothing
        const Expr identity = reducerIdentity(reducer, dtype);
        if (identity.isInt() && !isFloat(dtype))
            m_start.value.integer = identity->integer;
        else
            m_start.value.real =
                identity.isInt() ? static_cast<double>(identity->integer) : identity->real;
        if (reducer == Reducer::Prod)
            m_start.magnitude = 1;
    }
    const Accumulated& start() const { return m_start; }

    void add(Accumulated& to, const BoundedRow& row, std::size_t i) const {
        const double error = row.exact ? 0 : row.error[i];
        if (!isFloat(m_dtype)) {
            if (!m_wraps && overflows(to.value.integer, row.value[i].integer))
                to.error = unbounded;
            to.value.integer = combined(to.value.integer, row.value[i].integer);
            to.error = m_reducer == Reducer::Sum ? to.error + error : std::max(to.error, error);
            return;
        }
        const double value = row.value[i].real;
        const double magnitude = row.exact ? std::fabs(value) : row.magnitude[i];
        to.nan = to.nan || (std::isnan(value) && error == 0);
        to.given = to.given && std::isfinite(value);
        switch (m_reducer) {
        case Reducer::Sum:
            to.value.real += value;
            to.magnitude += magnitude;
            to.error += error;
            to.broken += isWhole(value * m_parts) ? 0 : 1;
            return;
        case Reducer::Prod:
            to.value.real *= value;
            to.magnitude *= std::max(magnitude, std::fabs(value) + error);
            to.error = std::max(to.error, error);
            to.broken += isWhole(value) ? 0 : 1;
            return;
        case Reducer::Max:
        case Reducer::Min:
        case Reducer::None:
            break;
        }
        const bool later =
            m_reducer == Reducer::Max ? value > to.value.real : value < to.value.real;
        if (std::isnan(value) || later)
            to.value.real = value;
        to.error = std::max(to.error, error);
    }

    double errorOf(const Accumulated& all, std::int64_t terms) const {
        if (!m_sharp && isFloat(m_dtype) && !std::isfinite(all.value.real))
            return all.error == 0 || (all.nan && std::isnan(all.value.real)) ? 0 : unbounded;
        if (!isFloat(m_dtype) || m_reducer == Reducer::Max || m_reducer == Reducer::Min)
            return all.error;
        const double parts = m_reducer == Reducer::Sum ? m_parts : 1;
        if (all.error == 0 && all.broken == 0 && all.magnitude < exactIntegers(m_dtype) / parts)
            return 0;
        if (m_sharp && !std::isfinite(all.value.real))
            return all.error == 0 && (m_ends || !all.given) ? 0 : unbounded;
        const double rounding =
            gamma(static_cast<double>(terms) + 1, roundingUnit(m_dtype)) * all.magnitude;
        if (m_reducer == Reducer::Sum)
            return all.error + rounding;
        return all.error == 0 ? rounding : all.magnitude - std::fabs(all.value.real) + rounding;
    }

private:
    std::int64_t combined(std::int64_t a, std::int64_t b) const {
        std::int64_t out = 0;
        switch (m_reducer) {
        case Reducer::Sum:
            static_cast<void>(__builtin_add_overflow(a, b, &out));
            return m_wraps ? wrapTo(m_dtype, out) : out;
        case Reducer::Prod:
            static_cast<void>(__builtin_mul_overflow(a, b, &out));
            return m_wraps ? wrapTo(m_dtype, out) : out;
        case Reducer::Max:
            return applyIntegers(ExprOp::Max, m_dtype, a, b);
        case Reducer::Min:
            return applyIntegers(ExprOp::Min, m_dtype, a, b);
        case Reducer::None:
            break;
        }
        return b;
    }

    bool overflows(std::int64_t a, std::int64_t b) const {
        std::int64_t out = 0;
        return (m_reducer == Reducer::Sum && __builtin_add_overflow(a, b, &out)) ||
               (m_reducer == Reducer::Prod && __builtin_mul_overflow(a, b, &out));
    }

    Reducer m_reducer;
    DType m_dtype;
    bool m_sharp, m_ends, m_wraps;
    double m_parts; // of one: sums of multiples of 1 / m_parts are exact while they are small
    Accumulated m_start;
};

class Evaluation {
public:
    Evaluation(const OpInst& inst, const BoundedOptions& options)
        : m_inst(inst), m_options(options) {}

    Result<std::vector<BoundedValues>> run(const std::vector<const BoundedValues*>& inputs) {
        if (inputs.size() != m_inst.inputs.size())
            return makeDiag(DiagCode::InputMismatch,
                            fmt::format("{} operands are given, {} expected", inputs.size(),
                                        m_inst.inputs.size()));
        for (std::size_t i = 0; i < inputs.size(); ++i)
            m_readable[m_inst.inputs[i].name] = inputs[i];
        for (const auto* tensors : {&m_inst.outputs, &m_inst.temporaries})
            for (const TensorDecl& tensor : *tensors)
                FW_CHECK(allocate(tensor));
        for (auto& [name, values] : m_own)
            m_readable[name] = &values;
        for (const Stage& stage : m_inst.stages)
            FW_CHECK(runStage(stage));
        std::vector<BoundedValues> out;
        for (const TensorDecl& tensor : m_inst.outputs) {
            out.push_back(std::move(m_own.at(tensor.name)));
            endAtType(out.back());
        }
        return out;
    }

private:
    // What is too small is 0; what may lie on either side of the largest number has no bound.
    void endAtType(BoundedValues& of) const {
        const DType dtype = of.values.dtype;
        const bool narrow = dtype == DType::F16 || dtype == DType::BF16;
        if (!isFloat(dtype) || m_options.ends == BoundedOptions::Ends::None ||
            (m_options.ends == BoundedOptions::Ends::Narrow && !narrow))
            return;
        const auto beyond = [&](double value) {
            return !std::isfinite(roundTo(realValue(value), dtype).real);
        };
        for (std::size_t i = 0; i < of.values.data.size(); ++i) {
            double& value = of.values.data[i].real;
            const double error = of.error(i);
            if (!std::isfinite(value) || !std::isfinite(error))
                continue;
            if (value != 0 && roundTo(realValue(std::fabs(value) + error), dtype).real == 0) {
                value = 0;
                if (!of.errors.empty())
                    of.errors[i] = 0;
                continue;
            }
            if (!beyond(std::fabs(value) + error))
                continue;
            const bool sure = beyond(std::fabs(value) - error) && std::fabs(value) > error;
            if (of.errors.empty())
                of.errors.assign(of.values.data.size(), 0);
            of.errors[i] = sure ? 0 : unbounded;
            if (sure)
                value = std::copysign(unbounded, value);
        }
    }

    Status allocate(const TensorDecl& tensor) {
        BoundedValues values;
        values.values.dtype = tensor.type.dtype;
        for (const Dim& extent : tensor.type.shape) {
            FW_TRY(const std::int64_t value, number(extent));
            values.values.extents.push_back(value);
        }
        FW_TRY(const std::int64_t count, checkedCount(values.values.extents));
        if (count > maxElements)
            return makeDiag(DiagCode::DimOverflow,
                            fmt::format("{} has {} elements, too many for the reference",
                                        tensor.name.text(), count));
        Value nothing;
        nothing.integer = 0;
        if (isFloat(values.values.dtype))
            nothing.real = std::nan("");
        values.values.data.assign(static_cast<std::size_t>(count), nothing);
        // Until a stage writes it nothing is known.
        values.errors.assign(static_cast<std::size_t>(count), unbounded);
        m_own[tensor.name] = std::move(values);
        return {};
    }

    static Result<std::int64_t> number(const Expr& e) {
        const std::optional<std::int64_t> value = evalIndex(e, {});
        if (!value)
            return makeDiag(DiagCode::DimUnbound,
                            fmt::format("the dimension {} has no value", e.text()));
        return *value;
    }

    // Counts through a box, all but `along`; false when it is through.
    static bool advance(std::vector<std::int64_t>& at, std::size_t first, std::size_t last,
                        const std::vector<std::int64_t>& extents, std::size_t along) {
        for (std::size_t i = last; i-- > first;) {
            if (i == along)
                continue;
            if (++at[i] < extents[i])
                return true;
            at[i] = 0;
        }
        return false;
    }

    Status runStage(const Stage& stage) {
        std::vector<Symbol> variables;
        std::vector<std::int64_t> extents;
        for (const auto* axes : {&stage.space, &stage.reduce})
            for (const Axis& axis : *axes) {
                FW_TRY(const std::int64_t extent, number(axis.extent));
                variables.push_back(axis.var);
                extents.push_back(extent);
            }
        const auto behindSpace = extents.begin() + static_cast<std::ptrdiff_t>(stage.space.size());
        const std::int64_t points = // as many as there are elements
            pointsWithin({extents.begin(), behindSpace}, mostPoints).value_or(0);
        const auto counted = pointsWithin({behindSpace, extents.end()}, m_options.most);
        if (!counted || (m_options.work <= 0 && !pointsWithin(extents, m_options.most)))
            return tooManyPoints(stage, extents, m_options.most);
        const std::int64_t folds = *counted;
        BoundedValues& out = m_own.at(stage.out);
        if (points == 0)
            return settle(out);
        if (out.errors.empty()) // written by stages before, too
            out.errors.assign(out.values.data.size(), 0);
        const std::size_t space = stage.space.size();
        // Rows lie along a long axis, of the space if one is.
        std::size_t along = space;
        std::int64_t longest = 0;
        for (std::size_t i = extents.size(); i-- > 0;) {
            const auto length =
                std::min<std::int64_t>(extents[i], static_cast<std::int64_t>(BoundedRows::width));
            if (length > longest || (i < space && along >= space && length >= longest / 4)) {
                longest = length;
                along = i;
            }
        }
        if (folds == 0 && along >= space)
            along = space > 0 ? space - 1 : space;
        const std::int64_t rowExtent = along < extents.size() ? extents[along] : 1;
        const auto longestRow = static_cast<std::size_t>(
            std::clamp<std::int64_t>(rowExtent, 1, static_cast<std::int64_t>(BoundedRows::width)));
        BoundedRows body(stage.body, variables, along, longestRow, m_readable, m_options);
        std::vector<BoundedRows> store;
        store.reserve(stage.store.size());
        for (const Expr& index : stage.store)
            store.emplace_back(index, variables, along, longestRow, m_readable, m_options);

        const bool spaceRow = along < space;
        const std::int64_t rows = spaceRow ? points / std::max<std::int64_t>(rowExtent, 1) : points;
        if (!pointsWithin({folds, spaceRow ? rowExtent : 1}, m_options.most / 3))
            return tooManyPoints(stage, extents, m_options.most);
        const std::int64_t perRow = std::max<std::int64_t>(folds, 1) * (spaceRow ? rowExtent : 1);
        std::vector<std::int64_t> at(extents.size(), 0);
        const Fold fold(stage.reducer, stage.body.dtype(), m_options);
        for (std::int64_t row = 0; row < rows; ++row) {
            if (m_options.cancel.cancelled())
                return makeDiag(DiagCode::Cancelled, "the evaluation was cancelled");
            if (!wanted(row, rows, perRow)) {
                advance(at, 0, space, extents, along);
                continue;
            }
            const std::int64_t length = spaceRow ? rowExtent : 1;
            for (std::int64_t first = 0; first < length;
                 first += static_cast<std::int64_t>(BoundedRows::width)) {
                const auto count = static_cast<std::size_t>(std::min<std::int64_t>(
                    length - first, static_cast<std::int64_t>(BoundedRows::width)));
                if (spaceRow)
                    at[along] = first;
                std::vector<Accumulated> sums;
                const BoundedRow* values = nullptr;
                if (stage.isMap()) {
                    values = &body.run(at, count);
                } else {
                    sums.assign(count, fold.start());
                    if (folds > 0)
                        reduce(body, fold, at, space, extents, along, count, sums);
                    std::fill(at.begin() + static_cast<std::ptrdiff_t>(space), at.end(), 0);
                }
                FW_CHECK(write(stage, fold, folds, store, at, count, values, sums, out));
            }
            if (spaceRow)
                at[along] = 0;
            advance(at, 0, space, extents, along);
        }
        return settle(out);
    }

    // All the rows, or three runs of neighbouring ones.
    bool wanted(std::int64_t row, std::int64_t rows, std::int64_t perRow) const {
        if (m_options.work <= 0 || rows * perRow <= m_options.work)
            return true;
        const std::int64_t run = std::max<std::int64_t>(m_options.work / perRow / 3, 1);
        const std::int64_t middle = static_cast<std::int64_t>(
            (m_options.seed * 0x9e3779b97f4a7c15u >> 17) % static_cast<std::uint64_t>(rows));
        return row < run || row >= rows - run || (row >= middle && row < middle + run);
    }

    static void reduce(BoundedRows& body, const Fold& fold, std::vector<std::int64_t>& at,
                       std::size_t space, const std::vector<std::int64_t>& extents,
                       std::size_t along, std::size_t count, std::vector<Accumulated>& sums) {
        do {
            if (along < space) {
                const BoundedRow& row = body.run(at, count);
                for (std::size_t i = 0; i < count; ++i)
                    fold.add(sums[i], row, i);
                continue;
            }
            const std::int64_t length = along < extents.size() ? extents[along] : 1;
            for (std::int64_t first = 0; first < length;
                 first += static_cast<std::int64_t>(BoundedRows::width)) {
                const auto part = static_cast<std::size_t>(std::min<std::int64_t>(
                    length - first, static_cast<std::int64_t>(BoundedRows::width)));
                if (along < at.size())
                    at[along] = first;
                const BoundedRow& row = body.run(at, part);
                for (std::size_t i = 0; i < part; ++i)
                    fold.add(sums[0], row, i);
            }
        } while (advance(at, space, extents.size(), extents, along));
    }

    Status write(const Stage& stage, const Fold& fold, std::int64_t folds,
                 std::vector<BoundedRows>& store, const std::vector<std::int64_t>& at,
                 std::size_t count, const BoundedRow* values, const std::vector<Accumulated>& sums,
                 BoundedValues& out) {
        std::vector<std::int64_t> offsets(count, 0);
        for (std::size_t d = 0; d < store.size(); ++d) {
            const BoundedRow& index = store[d].run(at, count);
            const std::int64_t extent = out.values.extents[d];
            for (std::size_t i = 0; i < count; ++i) {
                const std::int64_t place = index.value[i].integer;
                if (place < 0 || place >= extent)
                    return makeDiag(DiagCode::UnsafeAccess,
                                    fmt::format("the stage of {} writes outside a tensor: {}",
                                                stage.out.text(), stage.body.text()));
                offsets[i] = offsets[i] * extent + place;
            }
        }
        for (std::size_t i = 0; i < count; ++i) {
            const auto offset = static_cast<std::size_t>(offsets[i]);
            Value value = values != nullptr ? values->value[i] : sums[i].value;
            if (!isFloat(out.values.dtype) && (m_options.wraps || out.values.dtype == DType::Bool))
                value.integer = wrapTo(out.values.dtype, value.integer);
            out.values.data[offset] = value;
            double error = values == nullptr ? fold.errorOf(sums[i], folds)
                           : values->exact   ? 0
                                             : values->error[i];
            if (isFloat(out.values.dtype) && stage.body.dtype() != out.values.dtype &&
                std::isfinite(value.real) &&
                (error != 0 || roundTo(value, out.values.dtype).real != value.real))
                error += roundingError(out.values.dtype, value.real);
            out.errors[offset] = error;
        }
        return {};
    }

    static Status settle(BoundedValues& values) {
        if (std::all_of(values.errors.begin(), values.errors.end(),
                        [](double error) { return error == 0; }))
            values.errors.clear();
        return {};
    }

    const OpInst& m_inst;
    const BoundedOptions& m_options;
    std::unordered_map<Symbol, BoundedValues> m_own;
    std::unordered_map<Symbol, const BoundedValues*> m_readable;
};

} // namespace

Result<std::vector<BoundedValues>> evaluateBounded(const OpInst& inst,
                                                   const std::vector<const BoundedValues*>& inputs,
                                                   const BoundedOptions& options) {
    return Evaluation(inst, options).run(inputs);
}

} // namespace fw
