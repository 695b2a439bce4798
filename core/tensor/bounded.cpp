#include "tensor/bounded.h"

#include "expr/scalar.h"
#include "tensor/bounded_fold.h"
#include "tensor/bounded_rows.h"
#include "tensor/stage_box.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace fw {

namespace {

constexpr auto rowWidth = static_cast<std::int64_t>(BoundedRows::width);

using ReadTensors = std::unordered_map<Symbol, const BoundedValues*>;

// Counts through a box, all but `along`; false when it is through.
bool advance(std::vector<std::int64_t>& at, std::size_t first, std::size_t last,
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

// The axis that rows lie along: a long one, of the space if one is.
std::size_t rowAxis(const StageBox& box, std::int64_t folds) {
    std::size_t along = box.space;
    std::int64_t longest = 0;
    for (std::size_t i = box.extents.size(); i-- > 0;) {
        const auto length = std::min(box.extents[i], rowWidth);
        if (length > longest || (i < box.space && along >= box.space && length >= longest / 4)) {
            longest = length;
            along = i;
        }
    }
    if (folds == 0 && along >= box.space)
        along = box.space > 0 ? box.space - 1 : box.space;
    return along;
}

// A stage, row by row.
class StageRows {
public:
    StageRows(const Stage& stage, StageBox box, std::int64_t folds, const ReadTensors& tensors,
              const BoundedOptions& options)
        : m_stage(stage), m_options(options), m_box(std::move(box)), m_folds(folds),
          m_along(rowAxis(m_box, folds)),
          m_extent(m_along < m_box.extents.size() ? m_box.extents[m_along] : 1),
          m_fold(stage.reducer, stage.body.dtype(), options), m_body(rowsOf(stage.body, tensors)),
          m_at(m_box.extents.size(), 0) {
        m_store.reserve(stage.store.size());
        for (const Expr& index : stage.store)
            m_store.push_back(rowsOf(index, tensors));
    }

    // `points`: of its space, at least one.
    Status run(std::int64_t points, BoundedValues& out) {
        const std::int64_t length = isSpaceRow() ? m_extent : 1;
        if (!pointsWithin({m_folds, length}, m_options.most / 3))
            return tooManyPoints(m_stage, m_box.extents, m_options.most);
        const std::int64_t rows = points / std::max<std::int64_t>(length, 1);
        const std::int64_t perRow = std::max<std::int64_t>(m_folds, 1) * length;
        for (std::int64_t row = 0; row < rows; ++row) {
            if (m_options.cancel.cancelled())
                return makeDiag(DiagCode::Cancelled, "the evaluation was cancelled");
            if (isWanted(row, rows, perRow))
                FW_CHECK(runRow(length, out));
            advance(m_at, 0, m_box.space, m_box.extents, m_along);
        }
        return {};
    }

private:
    bool isSpaceRow() const { return m_along < m_box.space; }

    BoundedRows rowsOf(const Expr& e, const ReadTensors& tensors) const {
        const auto longest =
            static_cast<std::size_t>(std::clamp<std::int64_t>(m_extent, 1, rowWidth));
        return {e, m_box.variables, m_along, longest, tensors, m_options};
    }

    // All the rows, or three runs of neighbouring ones.
    bool isWanted(std::int64_t row, std::int64_t rows, std::int64_t perRow) const {
        if (m_options.work <= 0 || rows * perRow <= m_options.work)
            return true;
        const std::int64_t run = std::max<std::int64_t>(m_options.work / perRow / 3, 1);
        const std::int64_t middle = static_cast<std::int64_t>(
            (m_options.seed * 0x9e3779b97f4a7c15u >> 17) % static_cast<std::uint64_t>(rows));
        return row < run || row >= rows - run || (row >= middle && row < middle + run);
    }

    Status runRow(std::int64_t length, BoundedValues& out) {
        for (std::int64_t first = 0; first < length; first += rowWidth) {
            const auto count = static_cast<std::size_t>(std::min(length - first, rowWidth));
            if (isSpaceRow())
                m_at[m_along] = first;
            std::vector<Accumulated> sums;
            const BoundedRow* values = nullptr;
            if (m_stage.isMap()) {
                values = &m_body.run(m_at, count);
            } else {
                sums.assign(count, m_fold.start());
                if (m_folds > 0)
                    reduce(count, sums);
                std::fill(m_at.begin() + static_cast<std::ptrdiff_t>(m_box.space), m_at.end(), 0);
            }
            FW_CHECK(write(count, values, sums, out));
        }
        if (isSpaceRow())
            m_at[m_along] = 0;
        return {};
    }

    void reduce(std::size_t count, std::vector<Accumulated>& sums) {
        do {
            if (isSpaceRow()) {
                m_fold.addEach(sums, m_body.run(m_at, count), count);
                continue;
            }
            for (std::int64_t first = 0; first < m_extent; first += rowWidth) {
                const auto part = static_cast<std::size_t>(std::min(m_extent - first, rowWidth));
                if (m_along < m_at.size())
                    m_at[m_along] = first;
                m_fold.addAll(sums[0], m_body.run(m_at, part), part);
            }
        } while (advance(m_at, m_box.space, m_box.extents.size(), m_box.extents, m_along));
    }

    // Where the points of a row are stored.
    Result<std::vector<std::int64_t>> offsetsOf(std::size_t count, const Values& out) {
        std::vector<std::int64_t> offsets(count, 0);
        for (std::size_t d = 0; d < m_store.size(); ++d) {
            const BoundedRow& index = m_store[d].run(m_at, count);
            const std::int64_t extent = out.extents[d];
            for (std::size_t i = 0; i < count; ++i) {
                const std::int64_t place = index.value[i].integer;
                if (place < 0 || place >= extent)
                    return makeDiag(DiagCode::UnsafeAccess,
                                    fmt::format("the stage of {} writes outside a tensor: {}",
                                                m_stage.out.text(), m_stage.body.text()));
                offsets[i] = offsets[i] * extent + place;
            }
        }
        return offsets;
    }

    Status write(std::size_t count, const BoundedRow* values, const std::vector<Accumulated>& sums,
                 BoundedValues& out) {
        FW_TRY(const std::vector<std::int64_t> offsets, offsetsOf(count, out.values));
        const DType dtype = out.values.dtype;
        for (std::size_t i = 0; i < count; ++i) {
            const auto offset = static_cast<std::size_t>(offsets[i]);
            Value value = values != nullptr ? values->value[i] : sums[i].value;
            if (!isFloat(dtype) && (m_options.wraps || dtype == DType::Bool))
                value.integer = wrapTo(dtype, value.integer);
            out.values.data[offset] = value;
            double error = values == nullptr ? m_fold.errorOf(sums[i], m_folds)
                           : values->exact   ? 0
                                             : values->error[i];
            if (isFloat(dtype) && m_stage.body.dtype() != dtype && std::isfinite(value.real) &&
                (error != 0 || roundTo(value, dtype).real != value.real))
                error += roundingError(dtype, value.real);
            out.errors[offset] = error;
        }
        return {};
    }

    const Stage& m_stage;
    const BoundedOptions& m_options;
    const StageBox m_box;
    const std::int64_t m_folds;
    const std::size_t m_along;   // the axis of rows
    const std::int64_t m_extent; // of it
    const BoundedFold m_fold;
    BoundedRows m_body;
    std::vector<BoundedRows> m_store;
    std::vector<std::int64_t> m_at;
};

class BoundedEvaluation {
public:
    BoundedEvaluation(const OpInst& inst, const BoundedOptions& options)
        : m_inst(inst), m_options(options) {}

    Result<std::vector<BoundedValues>> run(const std::vector<const BoundedValues*>& inputs) {
        if (inputs.size() != m_inst.inputs.size())
            return makeDiag(DiagCode::InputMismatch,
                            fmt::format("{} operands are given, {} expected", inputs.size(),
                                        m_inst.inputs.size()));
        for (std::size_t i = 0; i < inputs.size(); ++i)
            m_readable[m_inst.inputs[i].name] = inputs[i];
        for (const auto* tensors : {&m_inst.outputs, &m_inst.temporaries})
            for (const TensorDecl& tensor : *tensors) {
                FW_TRY(Values values, unwritten(tensor, {}));
                // Until a stage writes it nothing is known.
                std::vector<double> errors(values.data.size(), unbounded);
                m_own[tensor.name] = {std::move(values), std::move(errors)};
            }
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

    Status runStage(const Stage& stage) {
        FW_TRY(StageBox box, boxOf(stage, {}));
        const std::int64_t points = // as many as there are elements
            pointsWithin(box.spaceExtents(), mostPoints).value_or(0);
        const auto folds = pointsWithin(box.reduceExtents(), m_options.most);
        if (!folds || (m_options.work <= 0 && !pointsWithin(box.extents, m_options.most)))
            return tooManyPoints(stage, box.extents, m_options.most);
        BoundedValues& out = m_own.at(stage.out);
        if (points > 0) {
            if (out.errors.empty()) // written by stages before, too
                out.errors.assign(out.values.data.size(), 0);
            FW_CHECK(
                StageRows(stage, std::move(box), *folds, m_readable, m_options).run(points, out));
        }
        if (std::all_of(out.errors.begin(), out.errors.end(),
                        [](double error) { return error == 0; }))
            out.errors.clear();
        return {};
    }

    const OpInst& m_inst;
    const BoundedOptions& m_options;
    std::unordered_map<Symbol, BoundedValues> m_own;
    ReadTensors m_readable;
};

} // namespace

Result<std::vector<BoundedValues>> evaluateBounded(const OpInst& inst,
                                                   const std::vector<const BoundedValues*>& inputs,
                                                   const BoundedOptions& options) {
    return BoundedEvaluation(inst, options).run(inputs);
}

} // namespace fw
