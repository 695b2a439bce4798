// Operators that select by value, for which the runtime has kernels. How many elements there are is
// one of their results; the others have room for all, and 0 behind what was selected.
#include "library/native.h"

#include "expr/simplify.h"
#include "tensor/demand.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fw {

namespace {

using Operands = std::vector<const TensorData*>;
using Results = std::vector<TensorData>;

const TensorType oneCount{DType::I64, {Dim(1)}};

Diag mustBe(const std::string& name, const TensorType& type, const std::string& what) {
    return makeDiag(DiagCode::ShapeMismatch,
                    fmt::format("{} is {}, not {}", name, type.text(), what));
}

TensorData i64s(std::vector<std::int64_t> extents, std::vector<std::int64_t> values) {
    return dataFromIntegers(DType::I64, std::move(extents), values);
}

// --- compact: the places of what is kept

Result<Inferred> inferCompact(const OpCall& call) {
    FW_TRY(const TensorType* keep, operand(call, 0, "keep"));
    if (keep->dtype != DType::Bool || keep->rank() != 1)
        return mustBe("compact: keep", *keep, "bool[N]");
    Inferred out;
    out.outputs = {{DType::I64, keep->shape}, oneCount};
    return out;
}

Result<Results> compact(const OpCall&, const Operands& operands) {
    const TensorData& keep = *operands.at(0);
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < keep.count(); ++i)
        if (keep.integerAt(i) != 0)
            places.push_back(static_cast<std::int64_t>(i));
    const auto count = static_cast<std::int64_t>(places.size());
    places.resize(keep.count(), 0);
    return Results{i64s(keep.extents(), places), i64s({1}, {count})};
}

// --- unique_rows: rows that differ

Result<Inferred> inferUnique(const OpCall& call) {
    FW_TRY(const TensorType* x, operand(call, 0, "x"));
    if (x->rank() != 2 || x->dtype == DType::Text)
        return mustBe("unique_rows: x", *x, "T[N, M]");
    const TensorType perRow{DType::I64, {x->shape[0]}};
    Inferred out;
    out.outputs = {perRow, perRow, perRow, oneCount};
    return out;
}

// Every row is held against all that were found before.
Result<Results> uniqueRows(const OpCall& call, const Operands& operands) {
    const TensorData& x = *operands.at(0);
    const auto rows = static_cast<std::size_t>(x.extents()[0]);
    const auto columns = static_cast<std::size_t>(x.extents()[1]);
    const auto compared = [&](std::size_t a, std::size_t b) {
        for (std::size_t i = 0; i < columns; ++i) {
            const std::size_t left = a * columns + i, right = b * columns + i;
            if (isFloat(x.dtype())) {
                const double l = x.at(left), r = x.at(right);
                if (std::isnan(l) != std::isnan(r))
                    return std::isnan(l) ? 1 : -1;
                if (l != r && !std::isnan(l))
                    return l < r ? -1 : 1;
            } else if (const std::int64_t l = x.integerAt(left), r = x.integerAt(right); l != r) {
                const bool less = x.dtype() == DType::U64 ? static_cast<std::uint64_t>(l) <
                                                                static_cast<std::uint64_t>(r)
                                                          : l < r;
                return less ? -1 : 1;
            }
        }
        return 0;
    };
    std::vector<std::size_t> found;
    for (std::size_t row = 0; row < rows; ++row)
        if (std::none_of(found.begin(), found.end(),
                         [&](std::size_t other) { return compared(other, row) == 0; }))
            found.push_back(row);
    if (call.attrs.integer("ascending", 1) != 0)
        std::sort(found.begin(), found.end(),
                  [&](std::size_t a, std::size_t b) { return compared(a, b) < 0; });
    std::vector<std::int64_t> first(rows, 0), inverse(rows, 0), times(rows, 0);
    for (std::size_t row = 0; row < rows; ++row) {
        const auto which = static_cast<std::size_t>(
            std::find_if(found.begin(), found.end(),
                         [&](std::size_t other) { return compared(other, row) == 0; }) -
            found.begin());
        inverse[row] = static_cast<std::int64_t>(which);
        ++times[which];
    }
    for (std::size_t i = 0; i < found.size(); ++i)
        first[i] = static_cast<std::int64_t>(found[i]);
    const std::vector<std::int64_t> extents{x.extents()[0]};
    return Results{i64s(extents, first), i64s(extents, inverse), i64s(extents, times),
                   i64s({1}, {static_cast<std::int64_t>(found.size())})};
}

// --- non_max_suppression

Result<Inferred> inferSuppression(const OpCall& call) {
    FW_TRY(const TensorType* boxes, operand(call, 0, "boxes"));
    FW_TRY(const TensorType* scores, operand(call, 1, "scores"));
    FW_TRY(const Shape room, shapeAttr(call.attrs, "room"));
    if (boxes->dtype != DType::F32 || boxes->rank() != 3 || !boxes->shape[2].isInt(4))
        return mustBe("non_max_suppression: boxes", *boxes, "f32[B, N, 4]");
    if (scores->dtype != DType::F32 || scores->rank() != 3)
        return mustBe("non_max_suppression: scores", *scores, "f32[B, C, N]");
    if (room.size() != 1)
        return makeDiag(DiagCode::UnsupportedAttribute,
                        "non_max_suppression: room is the number of rows that may be selected");
    static const std::pair<const char*, DType> numbers[] = {
        {"most", DType::I64}, {"overlap", DType::F32}, {"least", DType::F32}};
    for (std::size_t i = 0; i < std::size(numbers); ++i) {
        FW_TRY(const TensorType* type, operand(call, 2 + i, numbers[i].first));
        if (!(*type == TensorType{numbers[i].second, {Dim(1)}}))
            return mustBe(std::string("non_max_suppression: ") + numbers[i].first, *type,
                          std::string(dtypeText(numbers[i].second)) + "[1]");
    }
    Inferred out;
    out.outputs = {{DType::I64, {room[0], Dim(3)}}, oneCount};
    for (const auto& [a, b] : {std::pair(boxes->shape[0], scores->shape[0]),
                               std::pair(boxes->shape[1], scores->shape[2])})
        FW_CHECK(demand(out.assumptions, eqExpr(a, b),
                        fmt::format("non_max_suppression: {} boxes and {} scores do not fit",
                                    boxes->text(), scores->text())));
    return out;
}

// Of the boxes that are left the best is taken, and those that it covers are left out.
Result<Results> suppression(const OpCall& call, const Operands& operands) {
    const TensorData &boxes = *operands.at(0), &scores = *operands.at(1);
    const std::int64_t images = scores.extents()[0], classes = scores.extents()[1],
                       count = scores.extents()[2];
    const std::int64_t most = operands.at(2)->integerAt(0);
    const double overlap = operands.at(3)->at(0), least = operands.at(4)->at(0);
    const bool centered = call.attrs.integer("centered", 0) != 0;
    const auto ends = [&](std::int64_t image, std::int64_t box, std::size_t axis) {
        const auto at = [&](std::size_t i) {
            return boxes.at(static_cast<std::size_t>((image * count + box) * 4) + i);
        };
        if (centered) // axis 0 is y
            return std::pair(at(1 - axis) - at(3 - axis) / 2, at(1 - axis) + at(3 - axis) / 2);
        return std::minmax({at(axis), at(axis + 2)});
    };
    const auto covered = [&](std::int64_t image, std::int64_t a, std::int64_t b) {
        double both = 1, left = 1, right = 1;
        for (const std::size_t axis : {0u, 1u}) {
            const auto [aLow, aHigh] = ends(image, a, axis);
            const auto [bLow, bHigh] = ends(image, b, axis);
            both *= std::max(std::min(aHigh, bHigh) - std::max(aLow, bLow), 0.0);
            left *= aHigh - aLow;
            right *= bHigh - bLow;
        }
        return both > 0 && both / (left + right - both) > overlap;
    };
    FW_TRY(const Shape room, shapeAttr(call.attrs, "room"));
    const std::int64_t rows = room[0].asInt().value_or(0);
    std::vector<std::int64_t> out;
    for (std::int64_t image = 0; image < images; ++image)
        for (std::int64_t label = 0; label < classes; ++label) {
            const auto score = [&](std::int64_t box) {
                return scores.at(static_cast<std::size_t>((image * classes + label) * count + box));
            };
            std::vector<std::int64_t> left;
            for (std::int64_t box = 0; box < count; ++box)
                if (score(box) > least)
                    left.push_back(box);
            for (std::int64_t taken = 0; taken < most && !left.empty(); ++taken) {
                const std::int64_t best = *std::max_element(
                    left.begin(), left.end(),
                    [&](std::int64_t a, std::int64_t b) { return score(a) < score(b); });
                out.insert(out.end(), {image, label, best});
                std::erase_if(left, [&](std::int64_t box) {
                    return box == best || covered(image, best, box);
                });
            }
        }
    const auto selected = std::min<std::int64_t>(static_cast<std::int64_t>(out.size()) / 3, rows);
    out.resize(static_cast<std::size_t>(3 * rows), 0);
    return Results{i64s({rows, 3}, out), i64s({1}, {selected})};
}

NativeRow row(std::string name, std::string doc, std::string signature,
              std::vector<std::string> inputs, std::vector<std::string> outputs,
              std::vector<NativeAttr> attrs) {
    NativeRow out;
    out.name = std::move(name);
    out.doc = std::move(doc);
    out.signature = std::move(signature);
    out.inputs = std::move(inputs);
    out.outputs = std::move(outputs);
    out.attrs = std::move(attrs);
    return out;
}

} // namespace

std::vector<NativeRow> selectingOperators() {
    NativeRow places = row("compact", "the places of what is kept, and how many are",
                           "compact(keep: bool[N]) -> (places: i64[N], count: i64[1])", {"keep"},
                           {"places", "count"}, {});
    places.infer = inferCompact;
    places.runtimeKernel = "compact";
    places.onnx = "onnx \"fusewright\" \"Compact\"";
    places.reference = compact;
    NativeRow unique =
        row("unique_rows",
            "rows that differ: where each stands first, which of them every row is, how "
            "often each is there, how many there are",
            "unique_rows(x: T[N, M], attr ascending: bool = true) -> (first: i64[N], "
            "inverse: i64[N], times: i64[N], count: i64[1])",
            {"x"}, {"first", "inverse", "times", "count"}, {{"ascending", AttrType::Bool, 1}});
    unique.infer = inferUnique;
    unique.runtimeKernel = "unique";
    unique.onnx = "onnx \"fusewright\" \"UniqueRows\"";
    unique.reference = uniqueRows;
    NativeRow boxes =
        row("non_max_suppression",
            "image, class and box of those with the highest scores that no better one covers",
            "non_max_suppression(boxes: f32[B, N, 4], scores: f32[B, C, N], most: i64[1], overlap: "
            "f32[1], least: f32[1], attr room, attr centered: bool = false) -> (selected: "
            "i64[room, 3], count: i64[1])",
            {"boxes", "scores", "most", "overlap", "least"}, {"selected", "count"},
            {{"room", AttrType::Dims}, {"centered", AttrType::Bool, 0}});
    boxes.infer = inferSuppression;
    boxes.runtimeKernel = "non_max_suppression";
    boxes.onnx = "onnx \"fusewright\" \"NonMaxSuppression\" {room = operand 6}";
    boxes.reference = suppression;
    return {std::move(places), std::move(unique), std::move(boxes)};
}

} // namespace fw
