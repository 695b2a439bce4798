#include "runtime/select.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace fw::runtime {

void compact(const std::uint8_t* keep, std::int64_t elements, std::int64_t* places,
             std::int64_t* count) {
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < elements; ++i)
        if (keep[i] != 0)
            places[kept++] = i;
    std::fill(places + kept, places + elements, std::int64_t(0));
    *count = kept;
}

namespace {

// A half as an integer that is ordered as the number is.
std::int32_t orderOfHalf(std::uint16_t bits, std::uint16_t infinity) {
    const auto size = static_cast<std::int32_t>(bits & 0x7fff);
    if (size > infinity)
        return 1 << 20; // NaN
    return (bits & 0x8000) != 0 ? -size : size;
}

template <class T>
int compared(const T& a, const T& b) {
    const bool aIsNan = a != a, bIsNan = b != b;
    if (aIsNan || bIsNan)
        return aIsNan == bIsNan ? 0 : aIsNan ? 1 : -1;
    return a < b ? -1 : b < a ? 1 : 0;
}

template <class T, class Key>
void uniqueOf(const Rows& x, bool ascending, const DistinctRows& out, const Key& key) {
    const auto* const data = static_cast<const T*>(x.data);
    const auto order = [&](std::int64_t a, std::int64_t b) {
        const T *left = data + a * x.columns, *right = data + b * x.columns;
        for (std::int64_t i = 0; i < x.columns; ++i)
            if (const int found = compared(key(left[i]), key(right[i])); found != 0)
                return found;
        return 0;
    };
    std::vector<std::int64_t> sorted(static_cast<std::size_t>(x.rows));
    for (std::size_t i = 0; i < sorted.size(); ++i)
        sorted[i] = static_cast<std::int64_t>(i);
    // Not std::stable_sort, which wants more of the C++ library than a module has.
    std::sort(sorted.begin(), sorted.end(), [&](std::int64_t a, std::int64_t b) {
        const int found = order(a, b);
        return found != 0 ? found < 0 : a < b;
    });
    std::int64_t count = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i == 0 || order(sorted[i - 1], sorted[i]) != 0) {
            out.first[count] = sorted[i];
            out.times[count++] = 0;
        }
        ++out.times[count - 1];
        out.inverse[sorted[i]] = count - 1;
    }
    if (!ascending) {
        std::vector<std::int64_t> places(static_cast<std::size_t>(count)), became = places;
        for (std::size_t i = 0; i < places.size(); ++i)
            places[i] = static_cast<std::int64_t>(i);
        std::sort(places.begin(), places.end(),
                  [&](std::int64_t a, std::int64_t b) { return out.first[a] < out.first[b]; });
        const std::vector<std::int64_t> first(out.first, out.first + count),
            times(out.times, out.times + count);
        for (std::size_t i = 0; i < places.size(); ++i) {
            const auto from = static_cast<std::size_t>(places[i]);
            out.first[i] = first[from];
            out.times[i] = times[from];
            became[from] = static_cast<std::int64_t>(i);
        }
        for (std::int64_t i = 0; i < x.rows; ++i)
            out.inverse[i] = became[static_cast<std::size_t>(out.inverse[i])];
    }
    std::fill(out.first + count, out.first + x.rows, std::int64_t(0));
    std::fill(out.times + count, out.times + x.rows, std::int64_t(0));
    *out.count = count;
}

template <class T>
void uniqueOf(const Rows& x, bool ascending, const DistinctRows& out) {
    uniqueOf<T>(x, ascending, out, [](T value) { return value; });
}

} // namespace

void uniqueRows(const Rows& x, bool ascending, const DistinctRows& out) {
    switch (x.type) {
    case DataType::F32:
        return uniqueOf<float>(x, ascending, out);
    case DataType::F64:
        return uniqueOf<double>(x, ascending, out);
    case DataType::F16:
        return uniqueOf<std::uint16_t>(
            x, ascending, out, [](std::uint16_t bits) { return orderOfHalf(bits, 0x7c00); });
    case DataType::Bf16:
        return uniqueOf<std::uint16_t>(
            x, ascending, out, [](std::uint16_t bits) { return orderOfHalf(bits, 0x7f80); });
    case DataType::I8:
        return uniqueOf<std::int8_t>(x, ascending, out);
    case DataType::I16:
        return uniqueOf<std::int16_t>(x, ascending, out);
    case DataType::I32:
        return uniqueOf<std::int32_t>(x, ascending, out);
    case DataType::I64:
        return uniqueOf<std::int64_t>(x, ascending, out);
    case DataType::U8:
    case DataType::Bool:
        return uniqueOf<std::uint8_t>(x, ascending, out);
    case DataType::U16:
        return uniqueOf<std::uint16_t>(x, ascending, out);
    case DataType::U32:
        return uniqueOf<std::uint32_t>(x, ascending, out);
    case DataType::U64:
        return uniqueOf<std::uint64_t>(x, ascending, out);
    }
}

namespace {

struct Box {
    float top, left, bottom, right;
    float area() const { return (bottom - top) * (right - left); }
};

Box boxAt(const float* box, bool centered) {
    if (centered)
        return {box[1] - box[3] / 2, box[0] - box[2] / 2, box[1] + box[3] / 2, box[0] + box[2] / 2};
    return {std::min(box[0], box[2]), std::min(box[1], box[3]), std::max(box[0], box[2]),
            std::max(box[1], box[3])};
}

bool covers(const Box& a, const Box& b, float overlap) {
    const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
    if (!(height > 0 && width > 0))
        return false;
    const float both = height * width, either = a.area() + b.area() - both;
    return either > 0 && both / either > overlap;
}

} // namespace

void suppress(const ScoredBoxes& in, const SuppressionLimits& limits, const SelectedBoxes& out) {
    const std::int64_t most = std::clamp<std::int64_t>(limits.most, 0, in.count);
    std::vector<std::int64_t> byScore;
    std::vector<Box> kept;
    std::int64_t rows = 0;
    for (std::int64_t image = 0; image < in.images; ++image)
        for (std::int64_t label = 0; label < in.classes; ++label) {
            const float* const scores = in.scores + (image * in.classes + label) * in.count;
            const float* const boxes = in.boxes + image * in.count * 4;
            byScore.clear();
            for (std::int64_t i = 0; i < in.count; ++i)
                if (scores[i] > limits.least)
                    byScore.push_back(i);
            std::sort(byScore.begin(), byScore.end(), [&](std::int64_t a, std::int64_t b) {
                return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
            });
            kept.clear();
            for (const std::int64_t i : byScore) {
                if (static_cast<std::int64_t>(kept.size()) >= most || rows >= out.room)
                    break;
                const Box box = boxAt(boxes + 4 * i, in.centered);
                if (std::any_of(kept.begin(), kept.end(), [&](const Box& other) {
                        return covers(other, box, limits.overlap);
                    }))
                    continue;
                kept.push_back(box);
                out.rows[3 * rows] = image;
                out.rows[3 * rows + 1] = label;
                out.rows[3 * rows++ + 2] = i;
            }
        }
    std::fill(out.rows + 3 * rows, out.rows + 3 * out.room, std::int64_t(0));
    *out.count = rows;
}

} // namespace fw::runtime
