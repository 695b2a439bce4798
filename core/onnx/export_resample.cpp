// Operators that resample: their steps become coordinate modes again, where one says the same.
#include "expr/simplify.h"
#include "onnx/attributes.h"
#include "onnx/graph_writer.h"
#include "onnx/tensor_proto.h"

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

// The coordinate mode that leads from place o to o * step + start.
struct Mapping {
    std::string mode;
    bool bySizes = false; // else by scales
    double scale = 1;
};

double nearestOf(const Node& node, double place) {
    switch (node.attrs.integer("rounding", 0)) {
    case 0:
        return std::ceil(place - 0.5);
    case 1:
        return std::floor(place + 0.5);
    case 2:
        return std::floor(place);
    default:
        return std::ceil(place);
    }
}

// Whether steps that were rounded on the way into the file lead to the same elements, and to the
// same side of the ends.
bool sameElements(const Node& node, std::int64_t extent, std::int64_t size, double step,
                  double start) {
    const auto last = static_cast<double>(extent - 1);
    const bool crop = node.attrs.integer("crop", 0) != 0, nearest = node.op == "resize_nearest";
    const auto isInside = [&](double place) { return 0 <= place && place <= last; };
    const auto element = [&](double place) {
        return std::clamp(nearestOf(node, place), 0.0, last);
    };
    for (std::int64_t o = 0; o < size; ++o) {
        const auto at = static_cast<double>(o);
        const double meant = at * node.attrs.real("step", 1) + node.attrs.real("start", 0);
        const double read = at * step + start;
        if (!(std::abs(read - meant) <= 1e-5 * std::max(1.0, std::abs(meant))) ||
            (crop && isInside(read) != isInside(meant)) ||
            (nearest && element(read) != element(meant)))
            return false;
    }
    return true;
}

// The extent that a reader makes of a scale; a free one only of a scale that is a whole number or
// one part of one.
Dim scaledExtent(const Dim& extent, double scale) {
    if (const auto known = extent.asInt()) {
        const double length = static_cast<double>(*known) * scale, whole = std::round(length);
        const bool close = std::abs(length - whole) < 1e-6 * std::max(1.0, whole);
        return intExpr(static_cast<std::int64_t>(close ? whole : std::floor(length)));
    }
    for (const double parts : {1.0, 2.0, 4.0, 8.0})
        if (const double times = scale * parts; times == std::floor(times))
            return simplify(floorDivExpr(extent * Expr(static_cast<std::int64_t>(times)),
                                         Expr(static_cast<std::int64_t>(parts))));
    return intExpr(-1);
}

std::optional<Mapping> mappingOf(const Node& node, const Dim& from, const Dim& to) {
    const double step = node.attrs.real("step", 1), start = node.attrs.real("start", 0);
    const auto known = from.asInt(), wanted = to.asInt();
    Mapping out;
    out.scale = readableReal(static_cast<float>(1 / step));
    if (known && wanted && *known > 0) {
        const double scale = static_cast<double>(*wanted) / static_cast<double>(*known);
        out.bySizes = 1 / scale == step;
        const bool corners = *wanted > 1 && step == static_cast<double>(*known - 1) /
                                                        static_cast<double>(*wanted - 1);
        if (start == 0 && !out.bySizes && (corners || (step == 0 && *wanted <= 1)))
            return Mapping{"align_corners", true, 1};
    }
    if (start == 0.5 * step - 0.5 || start == 0.5 / out.scale - 0.5)
        out.mode = "half_pixel";
    else if (start == 0.5 * step || start == 0.5 / out.scale)
        out.mode = "tf_half_pixel_for_nn";
    else if (start == 0)
        out.mode = "asymmetric";
    else
        return std::nullopt;
    if (out.bySizes)
        return out;
    const double read = 1 / out.scale;
    const bool fits = out.scale > 0 && out.scale < 1e6 && scaledExtent(from, out.scale) == to;
    const double first = out.mode == "half_pixel"             ? 0.5 * read - 0.5
                         : out.mode == "tf_half_pixel_for_nn" ? 0.5 * read
                                                              : 0;
    if (!fits || !(known && wanted ? sameElements(node, *known, *wanted, read, first)
                                   : read == step && first == start))
        return std::nullopt;
    return out;
}

// From a part of the axis: roi * (extent - 1) is where it begins. Beyond the ends lies a number.
std::optional<std::pair<double, double>> regionOf(const Node& node, const Dim& from,
                                                  const Dim& to) {
    const auto known = from.asInt(), wanted = to.asInt();
    if (!known || !wanted || *known < 2 || *wanted < 1)
        return std::nullopt;
    const auto width = static_cast<double>(*known - 1), steps = static_cast<double>(*wanted - 1);
    const double start = node.attrs.real("start", 0) / width;
    const double end = start + node.attrs.real("step", 1) * steps / width;
    if (node.attrs.integer("crop", 0) == 0 &&
        (std::min(start, end) < 0 || std::max(start, end) > 1))
        return std::nullopt;
    const double first = readableReal(static_cast<float>(start)),
                 last = readableReal(static_cast<float>(end));
    if (!sameElements(node, *known, *wanted, *wanted > 1 ? (last - first) * width / steps : 0,
                      *wanted > 1 ? first * width : 0.5 * (first + last) * width))
        return std::nullopt;
    return std::pair(start, end);
}

// A reader makes the filter as wide as the scale says, which it has from the sizes or by name.
Status filterFits(const Node& node, const Dim& from, const Dim& to, const Mapping& mapping) {
    const auto known = from.asInt(), wanted = to.asInt();
    double scale = mapping.scale;
    if (mapping.bySizes)
        scale = known && wanted && *known > 0
                    ? static_cast<double>(*wanted) / static_cast<double>(*known)
                    : 0;
    const double meant = node.attrs.real("scale", 1);
    const double reach = node.attrs.integer("cubic", 0) != 0 ? 2 : 1;
    if (!(scale < 1) || std::abs(scale - meant) > 1e-6 * meant ||
        static_cast<double>(node.attrs.integer("taps", 1)) != std::ceil(reach / scale))
        return makeDiag(DiagCode::UnsupportedAttribute,
                        "Resize with antialias has no filter of this width");
    return {};
}

void setModes(proto::NodeProto& written, const Node& node, const std::string& coordinates) {
    const bool filtered = node.op == "resize_filtered";
    std::string mode = node.op.substr(node.op.find('_') + 1); // nearest, linear, cubic
    if (filtered)
        mode = node.attrs.integer("cubic", 0) != 0 ? "cubic" : "linear";
    if (filtered)
        setAttribute(written, "antialias", std::int64_t{1});
    setAttribute(written, "mode", mode);
    setAttribute(written, "coordinate_transformation_mode", coordinates);
    if (mode == "nearest") {
        static const char* const roundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                                "ceil"};
        setAttribute(written, "nearest_mode",
                     std::string(roundings[node.attrs.integer("rounding", 0) & 3]));
    }
    if (mode == "cubic")
        setAttribute(written, "cubic_coeff_a", node.attrs.real("a", -0.75));
    if (mode == "cubic" || filtered)
        setAttribute(written, "exclude_outside", node.attrs.integer("exclude", 0));
    if (node.attrs.integer("crop", 0) != 0)
        setAttribute(written, "extrapolation_value", node.attrs.real("outside", 0));
}

// Places that a tensor holds are said by what made it: sizes, or scales, and a coordinate mode.
Status resizeByPlaces(GraphWriter& out, const Node& node, std::size_t axis) {
    static const char* const modes[] = {"half_pixel",    "asymmetric",
                                        "tf_half_pixel_for_nn", "pytorch_half_pixel",
                                        "align_corners", "half_pixel_symmetric"};
    const Graph& graph = out.graph();
    const Node& places = graph.node(node.inputs[1].node);
    const auto mode = static_cast<std::size_t>(places.attrs.integer("mode", 0));
    if (places.op != "resize_places" || mode >= std::size(modes))
        return makeDiag(DiagCode::UnsupportedAttribute,
                        "Resize cannot be told where its elements lie by a tensor");
    const Shape shape = graph.type(node.inputs[0]).shape;
    const ValueRef factors = places.inputs[2];
    std::vector<std::string> inputs{out.use(node.inputs[0]), ""};
    if (graph.node(factors.node).op == "extent_scales") {
        Exprs sizes(shape.begin(), shape.end());
        sizes[axis] = graph.type({node.id, 0}).shape[axis];
        FW_TRY(const std::string all, out.dims(node.name + ".sizes", sizes));
        inputs.insert(inputs.end(), {"", all});
    } else {
        const std::string which = out.integers(node.name + ".row", {node.attrs.integer("row", 0)});
        const std::string factor = out.step(node, "Gather", {out.use(factors), which}, "factor");
        const std::string single = out.fresh(node.name + ".single");
        setAttribute(out.node("Cast", {factor}, single, out.fresh(single + ".node")), "to",
                     std::int64_t{onnxFromDtype(DType::F32)});
        std::vector<std::string> parts;
        if (axis > 0)
            parts.push_back(reals(out, node, "before", std::vector<double>(axis, 1)));
        parts.push_back(single);
        if (axis + 1 < shape.size())
            parts.push_back(
                reals(out, node, "behind", std::vector<double>(shape.size() - axis - 1, 1)));
        const std::string scales = out.fresh(node.name + ".scales");
        setAttribute(out.node("Concat", parts, scales, out.fresh(scales + ".node")), "axis",
                     std::int64_t{0});
        inputs.push_back(scales);
    }
    setModes(out.main(node, "Resize", inputs), node, modes[mode]);
    return {};
}

Status resize(GraphWriter& out, const Node& node) {
    const Shape& shape = out.graph().type(node.inputs[0]).shape;
    std::int64_t axis = node.attrs.integer("axis", 0);
    axis += axis < 0 ? static_cast<std::int64_t>(shape.size()) : 0;
    if (node.inputs.size() > 1 && node.inputs[1].valid())
        return resizeByPlaces(out, node, static_cast<std::size_t>(axis));
    const Dim from = shape.at(static_cast<std::size_t>(axis));
    const Dim to = out.graph().type({node.id, 0}).shape.at(static_cast<std::size_t>(axis));
    const bool crop = node.attrs.integer("crop", 0) != 0;
    auto mapping = mappingOf(node, from, to);
    std::string roi;
    if (crop || !mapping) {
        const auto found = regionOf(node, from, to);
        if (!found)
            return makeDiag(DiagCode::UnsupportedAttribute,
                            "no coordinate mode of Resize says where its elements lie");
        std::vector<double> region(2 * shape.size(), 0);
        std::fill(region.begin() + static_cast<std::ptrdiff_t>(shape.size()), region.end(), 1);
        region[static_cast<std::size_t>(axis)] = found->first;
        region[shape.size() + static_cast<std::size_t>(axis)] = found->second;
        roi = reals(out, node, "roi", region);
        mapping = {"tf_crop_and_resize", true, 1};
    }
    const bool filtered = node.op == "resize_filtered";
    if (filtered)
        FW_CHECK(filterFits(node, from, to, *mapping));
    std::vector<std::string> inputs{out.use(node.inputs[0]), roi};
    if (mapping->bySizes) {
        Exprs sizes(shape.begin(), shape.end());
        sizes[static_cast<std::size_t>(axis)] = to;
        FW_TRY(const std::string all, out.dims(node.name + ".sizes", sizes));
        inputs.insert(inputs.end(), {"", all});
    } else {
        std::vector<double> scales(shape.size(), 1);
        scales[static_cast<std::size_t>(axis)] = mapping->scale;
        inputs.push_back(reals(out, node, "scales", scales));
    }
    setModes(out.main(node, "Resize", inputs), node, mapping->mode);
    return {};
}

Status gridSample(GraphWriter& out, const Node& node) {
    auto& written =
        out.main(node, "GridSample", {out.use(node.inputs[0]), out.use(node.inputs[1])});
    const std::int64_t taps = node.attrs.integer("taps", 2);
    const std::int64_t padding = node.attrs.integer("padding", 0);
    setAttribute(written, "mode",
                 std::string(taps == 1   ? "nearest"
                             : taps == 2 ? "bilinear"
                                         : "bicubic"));
    setAttribute(written, "padding_mode",
                 std::string(padding == 0   ? "zeros"
                             : padding == 1 ? "border"
                                            : "reflection"));
    setAttribute(written, "align_corners", node.attrs.integer("align", 0));
    return {};
}

Status roiAlign(GraphWriter& out, const Node& node) {
    auto& written =
        out.main(node, "RoiAlign",
                 {out.use(node.inputs[0]), out.use(node.inputs[1]), out.use(node.inputs[2])});
    if (node.op == "roi_align_max")
        setAttribute(written, "mode", std::string("max"));
    setAttribute(
        written, "coordinate_transformation_mode",
        std::string(node.attrs.integer("half", 1) != 0 ? "half_pixel" : "output_half_pixel"));
    setAttribute(written, "output_height", node.attrs.integer("height", 1));
    setAttribute(written, "output_width", node.attrs.integer("width", 1));
    setAttribute(written, "sampling_ratio", node.attrs.integer("ratio", 1));
    setAttribute(written, "spatial_scale", node.attrs.real("scale", 1));
    return {};
}

constexpr std::array rows{
    WriterRow{"resize_nearest", resize},      WriterRow{"resize_linear", resize},
    WriterRow{"resize_cubic", resize},        WriterRow{"grid_sample", gridSample, 16},
    WriterRow{"roi_align", roiAlign, 16},     WriterRow{"roi_align_max", roiAlign, 16},
    WriterRow{"resize_filtered", resize, 18},
};

} // namespace

std::span<const WriterRow> resampleWriters() {
    return rows;
}

} // namespace fw
