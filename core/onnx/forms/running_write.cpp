// Operators of sizes that are computed while a model runs, and of what selects by value: nodes of
// the library's own domain, each with its body in operators of ONNX as a function of the model.
#include "onnx/schema/own.h"
#include "onnx/write/function_nodes.h"
#include "onnx/write/graph_writer.h"

#include <array>

namespace fw {

namespace {

using Body = void (*)(FunctionNodes& f, proto::FunctionProto& out);

struct OwnNode {
    std::string_view op;
    const char* type;
    std::vector<const char*> operands;
    std::vector<const char*> results;
    const char* dims = nullptr; // an attribute of dimensions, the last operand of the node
    const char* attribute = nullptr;
    Body body = nullptr;
};

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

void bindDimsBody(FunctionNodes& f, proto::FunctionProto&) {
    f.nameResult(f.add("Identity", {"sizes"}), "y");
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

const OwnNode& ownNode(std::string_view op) {
    static const std::vector<OwnNode> all{
        {"bind_dims", "BindDims", {"sizes"}, {"y"}, nullptr, nullptr, bindDimsBody},
        {"slice_at", "SliceAt", {"x", "first", "step"}, {"y"}, "shape", nullptr, sliceBody},
        {"pad_at", "PadAt", {"x", "before", "value"}, {"y"}, "shape", "mode", padBody},
        {"sum_to", "SumTo", {"x"}, {"y"}, "shape", nullptr, sumBody},
        {"max_to", "MaxTo", {"x"}, {"y"}, "shape", nullptr, maxBody},
        {"min_to", "MinTo", {"x"}, {"y"}, "shape", nullptr, minBody},
        {"prod_to", "ProdTo", {"x"}, {"y"}, "shape", nullptr, prodBody},
        {"compact", "Compact", {"keep"}, {"places", "count"}, nullptr, nullptr, compactBody},
        {"unique_rows",
         "UniqueRows",
         {"x"},
         {"first", "inverse", "times", "count"},
         nullptr,
         "ascending",
         uniqueBody},
        {"non_max_suppression",
         "NonMaxSuppression",
         {"boxes", "scores", "most", "overlap", "least"},
         {"selected", "count"},
         "room",
         "centered",
         suppressionBody},
    };
    for (const OwnNode& one : all)
        if (one.op == op)
            return one;
    throw InternalError("no node of its own for " + std::string(op));
}

proto::FunctionProto functionOf(const OwnNode& own, std::int64_t opset) {
    proto::FunctionProto out;
    out.set_domain(ownDomain);
    out.set_name(own.type);
    auto* standard = out.add_opset_import();
    standard->set_domain("");
    standard->set_version(opset);
    for (const char* operand : own.operands)
        out.add_input(operand);
    if (own.dims != nullptr)
        out.add_input(own.dims);
    for (const char* result : own.results)
        out.add_output(result);
    if (own.attribute != nullptr)
        out.add_attribute(own.attribute);
    if (own.op == "bind_dims")
        out.add_attribute("dims");
    FunctionNodes nodes(out, opset);
    own.body(nodes, out);
    return out;
}

// The node with all that it makes.
Result<proto::NodeProto*> written(GraphWriter& out, const Node& node) {
    const OwnNode& own = ownNode(node.op);
    std::vector<std::string> inputs;
    for (const ValueRef& input : node.inputs)
        inputs.push_back(out.use(input));
    if (own.dims != nullptr) {
        FW_TRY(inputs.emplace_back(), out.dims(node.name + "." + own.dims, dimsOf(node, own.dims)));
    }
    proto::NodeProto& made = out.main(node, own.type, inputs);
    made.set_domain(ownDomain);
    for (std::size_t i = 1; i < node.outputs.size(); ++i)
        made.add_output(out.nameOf({node.id, static_cast<int>(i)}));
    out.markDomain(ownDomain, 1);
    if (!out.hasFunction(ownDomain, own.type))
        out.addFunction(functionOf(own, out.opset()));
    return &made;
}

Status bindDims(GraphWriter& out, const Node& node) {
    FW_TRY(proto::NodeProto * made, written(out, node));
    const Exprs dims = dimsOf(node, "dims");
    auto& names = *made->add_attribute();
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

Status plain(GraphWriter& out, const Node& node) {
    FW_CHECK(written(out, node));
    return {};
}

Status padAt(GraphWriter& out, const Node& node) {
    FW_TRY(proto::NodeProto * made, written(out, node));
    setAttribute(*made, "mode", node.attrs.text("mode", "constant"));
    return {};
}

Status uniqueRows(GraphWriter& out, const Node& node) {
    FW_TRY(proto::NodeProto * made, written(out, node));
    setAttribute(*made, "ascending", node.attrs.integer("ascending", 1));
    return {};
}

Status suppression(GraphWriter& out, const Node& node) {
    FW_TRY(proto::NodeProto * made, written(out, node));
    setAttribute(*made, "centered", node.attrs.integer("centered", 0));
    return {};
}

constexpr std::array rows{
    WriterRow{"bind_dims", bindDims, 15},     WriterRow{"slice_at", plain, 15},
    WriterRow{"pad_at", padAt, 15},           WriterRow{"sum_to", plain, 15},
    WriterRow{"max_to", plain, 18},           WriterRow{"min_to", plain, 18},
    WriterRow{"prod_to", plain, 18},          WriterRow{"compact", plain, 15},
    WriterRow{"unique_rows", uniqueRows, 15}, WriterRow{"non_max_suppression", suppression, 15},
};

} // namespace

std::span<const WriterRow> runningWriters() {
    return rows;
}

} // namespace fw
