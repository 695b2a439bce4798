// Operators that resample: their steps become coordinate modes again, where one says the same.
#include "onnx/forms/resize_modes.h"
#include "onnx/model/attributes.h"
#include "onnx/model/tensor_proto.h"
#include "onnx/write/graph_writer.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fw {

namespace {

std::string reals(GraphWriter& out, const Node& node, const std::string& suffix,
                  const std::vector<double>& values) {
    return out.initializer(
        node.name + "." + suffix,
        dataFromDoubles(DType::F32, {static_cast<std::int64_t>(values.size())}, values));
}

void setAxis(proto::NodeProto& written, std::size_t axis) {
    setAttribute(written, "axes", Integers{static_cast<std::int64_t>(axis)});
}

void setModes(proto::NodeProto& written, const Node& node, Coordinates coordinates,
              std::int64_t rounding) {
    const bool filtered = node.op.starts_with("resize_filtered");
    std::string mode = node.op.substr(node.op.find('_') + 1); // nearest, linear, cubic
    if (filtered)
        mode = node.attrs.integer("cubic", 0) != 0 ? "cubic" : "linear";
    if (filtered)
        setAttribute(written, "antialias", std::int64_t{1});
    setAttribute(written, "mode", mode);
    setAttribute(written, "coordinate_transformation_mode", std::string(nameOf(coordinates)));
    if (mode == "nearest") {
        static const char* const roundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                                "ceil"};
        setAttribute(written, "nearest_mode", std::string(roundings[rounding & 3]));
    }
    if (mode == "cubic")
        setAttribute(written, "cubic_coeff_a", node.attrs.real("a", -0.75));
    if (mode == "cubic" || filtered)
        setAttribute(written, "exclude_outside", node.attrs.integer("exclude", 0));
    if (node.attrs.integer("crop", 0) != 0)
        setAttribute(written, "extrapolation_value", node.attrs.real("outside", 0));
}

// An element of a vector.
std::string elementOf(GraphWriter& out, const Node& node, const std::string& vector,
                      std::int64_t element, const std::string& suffix) {
    const std::string which = out.integers(node.name + "." + suffix + ".row", {element});
    return out.step(node, "Gather", {vector, which}, suffix + ".single");
}

// An element of a vector for the axis, `other` for all others.
std::string alone(GraphWriter& out, const Node& node, const std::string& vector,
                  std::int64_t element, std::size_t axis, double other, const std::string& suffix) {
    const std::size_t rank = out.graph().type(node.inputs[0]).rank();
    std::vector<std::string> parts;
    if (axis > 0)
        parts.push_back(reals(out, node, suffix + ".before", std::vector<double>(axis, other)));
    parts.push_back(elementOf(out, node, vector, element, suffix));
    if (axis + 1 < rank)
        parts.push_back(
            reals(out, node, suffix + ".behind", std::vector<double>(rank - axis - 1, other)));
    const std::string all = out.fresh(node.name + "." + suffix);
    setAttribute(out.node("Concat", parts, all, out.fresh(all + ".node")), "axis", std::int64_t{0});
    return all;
}

// Of one axis alone, or of all.
Exprs sizesOf(const Shape& shape, std::size_t axis, const Dim& to, bool only) {
    if (only)
        return {to};
    Exprs sizes(shape.begin(), shape.end());
    sizes[axis] = to;
    return sizes;
}

// Places that a tensor holds are said by what made it: sizes or scales, a region, and a coordinate
// mode.
Status resizeByPlaces(GraphWriter& out, const Node& node, std::size_t axis) {
    const Graph& graph = out.graph();
    const Node& places = graph.node(node.inputs[1].node);
    if (places.op != "resize_places")
        return makeDiag(DiagCode::UnsupportedAttribute,
                        "Resize cannot be told where its elements lie by a tensor");
    if (places.inputs.size() > 5 && places.inputs[5].valid())
        return makeDiag(DiagCode::UnsupportedAttribute,
                        "Resize cannot be told one scale for all axes and the size of one");
    const auto mode = static_cast<Coordinates>(places.attrs.integer("mode", 0));
    const auto operand = [&](std::size_t i) {
        return i < places.inputs.size() && places.inputs[i].valid() ? places.inputs[i] : ValueRef{};
    };
    const Shape shape = graph.type(node.inputs[0]).shape;
    const Dim to = graph.type({node.id, 0}).shape[axis];
    const std::int64_t row = node.attrs.integer("row", 0);
    const auto rounding = roundingOf(node, shape[axis], to);
    // Of opsets before 11, which have no modes, there is no rounding that is known before.
    const bool only = rounding && isOfItsAxis(node, shape, axis, mode, *rounding);
    std::vector<std::string> inputs{out.use(node.inputs[0]), ""};
    if (const ValueRef region = operand(3); region.valid()) {
        const std::string first = alone(out, node, out.use(region), row, axis, 0, "first"),
                          last = alone(out, node, out.use(operand(4)), row, axis, 1, "last");
        inputs[1] = out.fresh(node.name + ".roi");
        setAttribute(out.node("Concat", {first, last}, inputs[1], out.fresh(inputs[1] + ".node")),
                     "axis", std::int64_t{0});
    }
    if (const ValueRef scales = operand(2); scales.valid()) {
        inputs.push_back(only ? elementOf(out, node, out.use(scales), row, "scales")
                              : alone(out, node, out.use(scales), row, axis, 1, "scales"));
    } else {
        FW_TRY(const std::string all,
               out.dims(node.name + ".sizes", sizesOf(shape, axis, to, only)));
        inputs.insert(inputs.end(), {"", all});
    }
    if (rounding) {
        proto::NodeProto& written = out.main(node, "Resize", inputs);
        setModes(written, node, mode, *rounding);
        if (only)
            setAxis(written, axis);
        return {};
    }
    // Down, or up where the result is smaller.
    const std::string down = out.fresh(node.name + ".down"), up = out.fresh(node.name + ".up");
    setModes(out.node("Resize", inputs, down, out.fresh(down + ".node")), node, mode, 2);
    setModes(out.node("Resize", inputs, up, out.fresh(up + ".node")), node, mode, 3);
    FW_TRY(const std::string behind, out.dims(node.name + ".size", {to}));
    FW_TRY(const std::string before, out.dims(node.name + ".extent", {shape[axis]}));
    out.main(node, "Where", {out.step(node, "Less", {behind, before}, "smaller"), up, down});
    return {};
}

// What an element of the result adds up: the elements of the operand from the place at or before
// its own on (for cubic weights one more before), each times a weight.
struct Taps {
    std::int64_t before = 0;
    std::vector<double> weights;
};

Taps tapsOf(const Node& node, std::int64_t extent, std::int64_t first, double t) {
    if (node.op == "resize_linear")
        return {0, {1 - t, t}};
    const double a = node.attrs.real("a", -0.75);
    const auto far = [a](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    const auto near = [a](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    Taps out{1, {far(t + 1), near(t), near(1 - t), far(2 - t)}};
    if (node.attrs.integer("exclude", 0) == 0)
        return out;
    double sum = 0;
    for (std::size_t k = 0; k < out.weights.size(); ++k) {
        const std::int64_t at = first - out.before + static_cast<std::int64_t>(k);
        out.weights[k] = 0 <= at && at < extent ? out.weights[k] : 0;
        sum += out.weights[k];
    }
    for (double& weight : out.weights)
        weight /= sum;
    return out;
}

// Of extents that are known: as many Gathers as elements are added up.
Status resizeByGathers(GraphWriter& out, const Node& node, std::size_t axis, std::int64_t extent,
                       std::int64_t size) {
    const std::size_t rank = out.graph().type(node.inputs[0]).rank();
    const AxisPlaces places = placesOf(node);
    const auto last = static_cast<double>(extent - 1);
    std::vector<Integers> elements;
    std::vector<std::vector<double>> weights;
    Integers inside;
    for (std::int64_t o = 0; o < size; ++o) {
        const double place = places.at(static_cast<double>(o));
        const double first = std::clamp(std::floor(place), -8e15, 8e15);
        const auto from = static_cast<std::int64_t>(first);
        const Taps taps = tapsOf(node, extent, from, place - std::floor(place));
        elements.resize(taps.weights.size());
        weights.resize(taps.weights.size());
        for (std::size_t k = 0; k < taps.weights.size(); ++k) {
            elements[k].push_back(std::clamp<std::int64_t>(
                from - taps.before + static_cast<std::int64_t>(k), 0, extent - 1));
            weights[k].push_back(taps.weights[k]);
        }
        inside.push_back(0 <= place && place <= last ? 1 : 0);
    }
    std::vector<std::int64_t> along(rank - axis, 1);
    along[0] = size;
    const std::string x = out.use(node.inputs[0]);
    const bool crop = node.attrs.integer("crop", 0) != 0;
    std::string sum;
    for (std::size_t k = 0; k < elements.size(); ++k) {
        const std::string suffix = std::to_string(k);
        const std::string which = out.integers(node.name + ".elements_" + suffix, elements[k]),
                          read = out.fresh(node.name + ".read_" + suffix);
        setAttribute(out.node("Gather", {x, which}, read, out.fresh(read + ".node")), "axis",
                     static_cast<std::int64_t>(axis));
        const std::string by = out.initializer(node.name + ".weights_" + suffix,
                                               dataFromDoubles(DType::F64, along, weights[k]));
        const std::string part = out.step(node, "Mul", {read, by}, "part_" + suffix);
        if (k == 0)
            sum = part;
        else if (k + 1 < elements.size() || crop)
            sum = out.step(node, "Add", {sum, part}, "sum_" + suffix);
        else
            out.main(node, "Add", {sum, part});
    }
    if (crop)
        out.main(
            node, "Where",
            {out.initializer(node.name + ".inside", dataFromIntegers(DType::Bool, along, inside)),
             sum,
             out.initializer(node.name + ".outside",
                             dataFromDoubles(DType::F64, {}, {node.attrs.real("outside", 0)}))});
    return {};
}

Status resize(GraphWriter& out, const Node& node) {
    const Shape& shape = out.graph().type(node.inputs[0]).shape;
    std::int64_t place = node.attrs.integer("axis", 0);
    place += place < 0 ? static_cast<std::int64_t>(shape.size()) : 0;
    const auto axis = static_cast<std::size_t>(place);
    if (node.inputs.size() > 1 && node.inputs[1].valid())
        return resizeByPlaces(out, node, axis);
    const Dim from = shape.at(axis);
    const Dim to = out.graph().type({node.id, 0}).shape.at(axis);
    // ONNX Runtime has no Resize of f64, as which integers of 32 and 64 bits are resized.
    if (out.graph().type(node.inputs[0]).dtype == DType::F64 && from.asInt().value_or(0) > 0 &&
        to.asInt().value_or(0) > 0 && (node.op == "resize_linear" || node.op == "resize_cubic"))
        return resizeByGathers(out, node, axis, *from.asInt(), *to.asInt());
    const bool crop = node.attrs.integer("crop", 0) != 0;
    auto mapping = crop ? std::nullopt : mappingOf(node, from, to);
    std::string roi;
    if (!mapping) {
        const auto found = regionOf(node, from, to);
        if (!found)
            return makeDiag(DiagCode::UnsupportedAttribute,
                            "no coordinate mode of Resize says where its elements lie");
        std::vector<double> region(2 * shape.size(), 0);
        std::fill(region.begin() + static_cast<std::ptrdiff_t>(shape.size()), region.end(), 1);
        region[axis] = found->first;
        region[shape.size() + axis] = found->second;
        roi = reals(out, node, "roi", region);
        mapping = {Coordinates::TfCropAndResize, true, 1};
    }
    const bool filtered = node.op == "resize_filtered";
    if (filtered)
        FW_CHECK(filterFits(node, from, to, *mapping));
    const std::int64_t rounding = roundingOf(node, from, to).value_or(mapping->scale < 1 ? 3 : 2);
    const bool only = isOfItsAxis(node, shape, axis, mapping->mode, rounding);
    std::vector<std::string> inputs{out.use(node.inputs[0]), roi};
    if (mapping->bySizes) {
        FW_TRY(const std::string all,
               out.dims(node.name + ".sizes", sizesOf(shape, axis, to, only)));
        inputs.insert(inputs.end(), {"", all});
    } else {
        std::vector<double> scales(only ? 1 : shape.size(), 1);
        scales[only ? 0 : axis] = mapping->scale;
        inputs.push_back(reals(out, node, "scales", scales));
    }
    proto::NodeProto& written = out.main(node, "Resize", inputs);
    setModes(written, node, mapping->mode, rounding);
    if (only)
        setAxis(written, axis);
    return {};
}

} // namespace

std::span<const WriterRow> resampleWriters() {
    static constexpr std::array rows{
        WriterRow{"resize_nearest", resize},         WriterRow{"resize_linear", resize},
        WriterRow{"resize_cubic", resize},           WriterRow{"resize_filtered", resize, 18},
        WriterRow{"resize_filtered_at", resize, 18},
    };
    return rows;
}

} // namespace fw
