// Operators of sizes that are computed while a model runs, and of what selects by value: what each
// is in operators of ONNX, for programs that do not know the library's own domain.
#include "onnx/schema/own.h"
#include "onnx/write/function_nodes.h"
#include "onnx/write/graph_writer.h"

#include <algorithm>
#include <array>

namespace fw {

namespace {

// The last node written has an attribute that the call gives.
void takesAttribute(proto::FunctionProto& out, const char* name, const char* of,
                    proto::AttributeProto::AttributeType kind) {
    auto& attribute = *out.mutable_node(out.node_size() - 1)->add_attribute();
    attribute.set_name(name);
    attribute.set_ref_attr_name(of);
    attribute.set_type(kind);
}

std::string joined(FunctionNodes& f, const std::vector<std::string>& parts) {
    return f.add("Concat", parts, "axis", std::int64_t{0});
}

// x with zeros behind its first axis, up to `room`.
std::string filledUp(FunctionNodes& f, const std::string& x, const std::string& count,
                     const std::string& room, std::size_t rank) {
    const Integers none(rank - 1, 0);
    std::vector<std::string> pads{f.integers(Integers(rank, 0)), f.add("Sub", {room, count})};
    if (!none.empty())
        pads.push_back(f.integers(none));
    return f.add("Pad", {x, joined(f, pads)});
}

// An end before the first element is said by one far before it, as -1 is the last element.
void sliceBody(FunctionNodes& f, proto::FunctionProto&) {
    const std::string zero = f.integers({0});
    const std::string end = f.add("Add", {"first", f.add("Mul", {"shape", "step"})});
    const std::string isBehind =
        f.add("And", {f.add("Less", {"step", zero}), f.add("Less", {end, zero})});
    const std::string isBefore = f.add("And", {isBehind, f.add("Greater", {"shape", zero})});
    const std::string ends =
        f.add("Where", {isBefore, f.integers({-(std::int64_t(1) << 62)}), end});
    f.nameResult(f.add("Slice", {"x", "first", ends, "", "step"}), "y");
}

void padBody(FunctionNodes& f, proto::FunctionProto& out) {
    const std::string more = f.add("Sub", {"shape", f.add("Shape", {"x"})});
    const std::string pads = joined(f, {"before", f.add("Sub", {more, "before"})});
    const std::string y = f.add("Pad", {"x", pads, "value"});
    takesAttribute(out, "mode", "mode", proto::AttributeProto::STRING);
    f.nameResult(y, "y");
}

void reduceBody(FunctionNodes& f, proto::FunctionProto& out, const char* type) {
    const std::string isSummed = f.add("Not", {f.add("Equal", {f.add("Shape", {"x"}), "shape"})});
    const std::string axes = f.add("Reshape", {f.add("NonZero", {isSummed}), f.integers({-1})});
    const std::string y = f.add(type, {"x", axes}, "keepdims", std::int64_t{1});
    setAttribute(*out.mutable_node(out.node_size() - 1), "noop_with_empty_axes", std::int64_t{1});
    f.nameResult(y, "y");
}

void sumBody(FunctionNodes& f, proto::FunctionProto& out) {
    reduceBody(f, out, "ReduceSum");
}

// The axes of these are an operand from opset 18 on.
void maxBody(FunctionNodes& f, proto::FunctionProto& out) {
    reduceBody(f, out, "ReduceMax");
}

void minBody(FunctionNodes& f, proto::FunctionProto& out) {
    reduceBody(f, out, "ReduceMin");
}

void prodBody(FunctionNodes& f, proto::FunctionProto& out) {
    reduceBody(f, out, "ReduceProd");
}

void compactBody(FunctionNodes& f, proto::FunctionProto&) {
    const std::string places = f.add("Reshape", {f.add("NonZero", {"keep"}), f.integers({-1})});
    const std::string count = f.add("Shape", {places});
    f.nameResult(filledUp(f, places, count, f.add("Shape", {"keep"}), 1), "places");
    f.nameResult(f.add("Identity", {count}), "count");
}

void uniqueBody(FunctionNodes& f, proto::FunctionProto& out) {
    f.add("Unique", {"x"}, "axis", std::int64_t{0});
    for (const char* name : {"places", "of_rows", "how_often"})
        out.mutable_node(out.node_size() - 1)->add_output(name);
    takesAttribute(out, "sorted", "ascending", proto::AttributeProto::INT);
    const std::string count = f.add("Shape", {"places"});
    const std::string rows =
        f.add("Gather", {f.add("Shape", {"x"}), f.integers({0})}, "axis", std::int64_t{0});
    f.nameResult(filledUp(f, "places", count, rows, 1), "first");
    f.nameResult(f.add("Identity", {"of_rows"}), "inverse");
    f.nameResult(filledUp(f, "how_often", count, rows, 1), "times");
    f.nameResult(f.add("Identity", {count}), "count");
}

void suppressionBody(FunctionNodes& f, proto::FunctionProto& out) {
    const std::string found =
        f.add("NonMaxSuppression", {"boxes", "scores", "most", "overlap", "least"});
    takesAttribute(out, "center_point_box", "centered", proto::AttributeProto::INT);
    const std::string count =
        f.add("Gather", {f.add("Shape", {found}), f.integers({0})}, "axis", std::int64_t{0});
    f.nameResult(filledUp(f, found, count, "room", 2), "selected");
    f.nameResult(f.add("Identity", {count}), "count");
}

constexpr std::array bodies{
    BodyRow{"slice_at", sliceBody, 15},
    BodyRow{"pad_at", padBody, 15},
    BodyRow{"sum_to", sumBody, 15},
    BodyRow{"max_to", maxBody, 18},
    BodyRow{"min_to", minBody, 18},
    BodyRow{"prod_to", prodBody, 18},
    BodyRow{"compact", compactBody, 15},
    BodyRow{"unique_rows", uniqueBody, 15},
    BodyRow{"non_max_suppression", suppressionBody, 15},
};

// Who reads one of its dimensions reads the element that it is.
Status bindDims(GraphWriter& out, const Node& node) {
    constexpr const char* type = "BindDims";
    proto::NodeProto& made = out.main(node, type, {out.use(node.inputs[0])});
    made.set_domain(ownDomain);
    out.markDomain(ownDomain, 1);
    if (!out.hasFunction(ownDomain, type)) {
        proto::FunctionProto function = emptyFunction(ownDomain, type, out.opset());
        function.add_input("sizes");
        function.add_output("y");
        function.add_attribute("dims");
        FunctionNodes nodes(function, out.opset());
        nodes.nameResult(nodes.add("Identity", {"sizes"}), "y");
        out.addFunction(std::move(function));
    }
    const Exprs dims = dimsOf(node, "dims");
    auto& names = *made.add_attribute();
    names.set_name("dims");
    names.set_type(proto::AttributeProto::STRINGS);
    for (std::size_t i = 0; i < dims.size(); ++i) {
        names.add_strings(dims[i].text());
        const std::string which =
            out.integers(node.name + ".place", {static_cast<std::int64_t>(i)});
        out.bindDim(dims[i],
                    out.step(node, "Gather", {out.nameOf({node.id, 0}), which}, dims[i].text()));
    }
    return {};
}

} // namespace

std::span<const WriterRow> runningWriters() {
    static constexpr std::array rows{WriterRow{"bind_dims", bindDims, 15}};
    return rows;
}

const BodyRow* findBody(std::string_view op) {
    const auto* const found = std::find_if(bodies.begin(), bodies.end(),
                                           [&](const BodyRow& row) { return row.op == op; });
    return found == bodies.end() ? nullptr : found;
}

} // namespace fw
