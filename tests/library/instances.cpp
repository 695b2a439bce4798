#include "library/instances.h"

#include "expr/parse.h"

namespace fw::test {

Attrs attrs(std::vector<std::pair<std::string, AttrValue>> items) {
    Attrs out;
    for (auto& [name, value] : items)
        out.set(name, std::move(value));
    return out;
}

TensorType typeOf(const std::string& text) {
    const TypeTree tree = parseTypeTree(text).value();
    TensorType out{parseDtype(tree.dtype).value(), {}};
    for (const DimTree& dim : tree.dims)
        out.shape.push_back(elaborateExpr(dim.value).value());
    return out;
}

OpCall callOf(const Instance& instance) {
    OpCall call;
    call.attrs = instance.attributes;
    for (const std::string& type : instance.types)
        call.inputs.emplace_back(typeOf(type));
    return call;
}

namespace {

void addSelection(std::vector<Instance>& out) {
    for (const std::int64_t axis : {0, 1, -1}) {
        const Attrs along = attrs({{"axis", axis}});
        for (const char* op : {"arg_max", "arg_min", "cumsum"})
            out.push_back({op, {"f32[3, 5]"}, along});
        out.push_back(
            {"gather_elements", {"f32[3, 5]", axis == 0 ? "i64[2, 5]" : "i64[3, 2]"}, along});
        for (const char* op :
             {"scatter", "scatter_add", "scatter_mul", "scatter_max", "scatter_min"})
            out.push_back({op,
                           {"f32[3, 5]", axis == 0 ? "i64[2, 5]" : "i64[3, 2]",
                            axis == 0 ? "f32[2, 5]" : "f32[3, 2]"},
                           along});
        for (const char* op : {"scatter_any", "scatter_all"})
            out.push_back({op,
                           {"bool[3, 5]", axis == 0 ? "i64[2, 5]" : "i64[3, 2]",
                            axis == 0 ? "bool[2, 5]" : "bool[3, 2]"},
                           along});
        for (const std::int64_t largest : {0, 1})
            out.push_back({"top_k",
                           {"f32[4, 5]"},
                           attrs({{"axis", axis}, {"count", Integers{3}}, {"largest", largest}})});
    }
    out.push_back({"cumsum",
                   {"f32[7]"},
                   attrs({{"exclusive", std::int64_t(1)}, {"reverse", std::int64_t(1)}})});
    out.push_back({"gather_nd", {"f32[3, 4, 5]", "i64[2, 2]"}, {}});
    out.push_back(
        {"gather_nd", {"f32[3, 4, 5]", "i32[3, 1]"}, attrs({{"batch_dims", std::int64_t(1)}})});
    for (const char* reduction : {"none", "add", "mul", "max", "min"})
        for (const auto& [index, updates] :
             {std::pair("i64[2, 1]", "f32[2, 4]"), std::pair("i64[2, 3, 2]", "f32[2, 3]"),
              std::pair("i64[1]", "f32[4]"), std::pair("i64[0, 2]", "f32[0]")})
            out.push_back({"scatter_nd",
                           {"f32[3, 4]", index, updates},
                           attrs({{"reduction", std::string(reduction)}})});
    out.push_back({"one_hot", {"i64[2, 3]", "f32[2]"}, attrs({{"depth", Integers{4}}})});
    out.push_back({"det", {"f32[2, 3, 3]"}, {}});
    out.push_back({"diagonal", {"f32[2, 3, 3]"}, {}});
    out.push_back({"reverse_sequence", {"f32[4, 2, 3]", "i64[2]"}, {}});
    for (const std::int64_t upper : {0, 1}) {
        out.push_back({"trilu", {"f32[2, 3, 4]"}, attrs({{"upper", upper}})});
        out.push_back({"trilu", {"f32[3, 4]", "i64[]"}, attrs({{"upper", upper}})});
    }
    out.push_back({"eye", {"f32[3, 4]"}, attrs({{"to", DType::F32}, {"k", std::int64_t(1)}})});
    out.push_back({"range", {"f32[]", "f32[]"}, attrs({{"size", Integers{5}}})});
    for (const char* op : {"nll_loss", "nll_mean"}) {
        out.push_back({op, {"f32[2, 3, 4]", "i64[2, 4]"}, {}});
        out.push_back(
            {op, {"f32[2, 3]", "i64[2]", "f32[3]"}, attrs({{"ignored", std::int64_t(1)}})});
    }
    out.push_back({"quantize", {"f32[2, 3]", "f32[]", "u8[]"}, {}});
    out.push_back({"quantize_along", {"f32[2, 3]", "f32[3]", "i8[3]"}, {}});
    out.push_back({"dequantize", {"u8[2, 3]", "f32[]", "u8[]"}, {}});
    out.push_back({"dequantize_along", {"i8[2, 3]", "f32[3]", "i8[3]"}, {}});
    const Attrs blocks = attrs({{"axis", std::int64_t(1)}, {"block", std::int64_t(2)}});
    out.push_back({"quantize_blocks", {"f32[2, 5]", "f32[2, 3]", "u8[2, 3]"}, blocks});
    out.push_back({"dequantize_blocks", {"i8[2, 5]", "f32[2, 3]", "i8[2, 3]"}, blocks});
    for (const char* op : {"matmul_integer", "matmul_widened"}) {
        out.push_back({op, {"u8[2, 3]", "i8[3, 4]", "u8[1]", "i8[4]"}, {}});
        out.push_back({op, {"u8[2, 2, 3]", "i8[3, 4]", "u8[2]", "i8[1]"}, {}});
    }
    for (const char* op : {"conv2d_integer", "conv2d_widened"})
        for (const char* zeros : {"i8[1]", "i8[4]"})
            out.push_back({op,
                           {"u8[1, 2, 5, 4]", "i8[4, 2, 2, 3]", "u8[]", zeros},
                           attrs({{"strides", Integers{2, 1}}, {"pads", Integers{1, 0, 1, 2}}})});
    out.push_back({"conv_integer",
                   {"u8[1, 2, 5]", "i8[4, 1, 3]", "u8[]", "i8[4]"},
                   attrs({{"strides", Integers{2}},
                          {"before", Integers{1}},
                          {"behind", Integers{0}},
                          {"dilations", Integers{1}},
                          {"groups", std::int64_t(2)}})});
}

// Over one, two and three axes.
void addWindows(std::vector<Instance>& out) {
    for (const std::size_t axes : {std::size_t(1), std::size_t(2), std::size_t(3)}) {
        std::string x, w;
        for (std::size_t i = 0; i < axes; ++i) {
            x += ", 5";
            w += ", 3";
        }
        for (const std::int64_t stride : {1, 2}) {
            const Integers one(axes, 1), zero(axes, 0), step(axes, stride), kernel(axes, 3);
            Attrs geometry =
                attrs({{"strides", step}, {"before", one}, {"behind", zero}, {"dilations", one}});
            out.push_back({"conv", {"f32[1, 2" + x + "]", "f32[4, 2" + w + "]"}, geometry});
            Attrs transposed = geometry;
            transposed.set("output_padding", zero);
            out.push_back(
                {"conv_transpose", {"f32[1, 2" + x + "]", "f32[2, 2" + w + "]"}, transposed});
            geometry.set("kernel_shape", kernel);
            out.push_back({"max_pool", {"f32[1, 2" + x + "]"}, geometry});
            geometry.set("count_before", zero);
            geometry.set("count_behind", zero);
            out.push_back({"avg_pool", {"f32[1, 2" + x + "]"}, geometry});
            geometry.erase("count_before");
            geometry.erase("count_behind");
            geometry.set("p", 1.0);
            out.push_back({"lp_pool", {"f32[1, 2" + x + "]"}, geometry});
        }
        const Attrs pads = attrs({{"before", Integers(axes, 2)}, {"behind", Integers(axes, -1)}});
        for (const char* op : {"pad_edge", "pad_reflect", "pad_wrap"})
            out.push_back({op, {"f32[" + x.substr(2) + "]"}, pads});
    }
    out.push_back({"max_pool2d_places",
                   {"f32[1, 2, 5, 5]"},
                   attrs({{"kernel_shape", Integers{2, 2}}, {"pads", Integers{0, 0, 1, 1}}})});
    out.push_back({"max_pool3d_places",
                   {"f32[1, 2, 3, 3, 3]"},
                   attrs({{"kernel_shape", Integers{2, 2, 2}}, {"behind", Integers{0, 1, 0}}})});
    out.push_back({"instance_norm", {"f32[2, 3, 4, 5]", "f32[3]", "f32[3]"}, {}});
}

void addResampling(std::vector<Instance>& out) {
    for (const char* op : {"resize_nearest", "resize_linear", "resize_cubic"})
        for (const auto& [size, step, start] :
             {std::tuple(8, 0.5, -0.25), std::tuple(2, 2.0, 0.5), std::tuple(5, 1.0, 0.5)})
            out.push_back({op,
                           {"f32[2, 4]"},
                           attrs({{"axis", std::int64_t(1)},
                                  {"size", Integers{size}},
                                  {"step", step},
                                  {"start", start},
                                  {"under", 3.0}})});
    for (const std::int64_t taps : {1, 2, 4})
        for (const std::int64_t padding : {0, 1, 2})
            out.push_back({"grid_sample",
                           {"f32[1, 2, 3, 4]", "f32[1, 2, 3, 2]"},
                           attrs({{"taps", taps}, {"padding", padding}})});
    for (const char* op : {"roi_align", "roi_align_max"})
        out.push_back({op,
                       {"f32[2, 2, 5, 5]", "f32[3, 4]", "i64[3]"},
                       attrs({{"height", std::int64_t(2)},
                              {"width", std::int64_t(2)},
                              {"ratio", std::int64_t(2)}})});
    for (const char* op : {"roi_align_adaptive", "roi_align_max_adaptive"})
        out.push_back({op,
                       {"f32[2, 2, 5, 5]", "f32[3, 4]", "i64[3]"},
                       attrs({{"height", std::int64_t(2)}, {"width", std::int64_t(2)}})});
    for (const std::int64_t cubic : {0, 1})
        out.push_back({"resize_filtered_at",
                       {"f32[2, 7]", "f64[2, 3]", "f64[2]"},
                       attrs({{"axis", std::int64_t(1)},
                              {"size", Integers{3}},
                              {"row", std::int64_t(1)},
                              {"cubic", cubic}})});
    for (const std::int64_t cubic : {0, 1})
        out.push_back({"resize_filtered",
                       {"f32[2, 7]"},
                       attrs({{"axis", std::int64_t(1)},
                              {"size", Integers{3}},
                              {"step", 2.0},
                              {"start", 0.5},
                              {"scale", 0.5},
                              {"taps", 2 * (cubic + 1)},
                              {"cubic", cubic}})});
    for (const std::int64_t inverse : {0, 1})
        out.push_back(
            {"dft", {"f32[2, 5, 2]"}, attrs({{"length", Integers{5}}, {"inverse", inverse}})});
    out.push_back({"inverse_real_dft", {"f32[2, 5, 2]"}, attrs({{"length", Integers{7}}})});
    out.push_back({"stft", {"f32[1, 9, 1]", "f32[4]"}, attrs({{"step", Integers{2}}})});
    out.push_back({"mel_weights",
                   {"f64[]", "f64[]", "f64[]"},
                   attrs({{"bins", Integers{4}}, {"length", Integers{8}}})});
    out.push_back({"cosine_window", {}, attrs({{"size", Integers{6}}, {"a", 0.5}, {"b", 0.5}})});
}

// Of ONNX's sets from 18 on.
void addNewer(std::vector<Instance>& out) {
    const std::int64_t one = 1, no = 0;
    for (const char* op : {"bitwise_and", "bitwise_or", "bitwise_xor"})
        out.push_back({op, {"i32[2, 3]", "i32[3]"}, {}});
    out.push_back({"bitwise_not", {"i32[2, 3]"}, {}});
    out.push_back({"bit_cast", {"f32[2, 3]"}, attrs({{"to", DType::F32}})});
    out.push_back({"swiglu", {"f32[2, 3]", "f32[2, 3]"}, attrs({{"alpha", 1.5}})});
    for (const std::int64_t p : {1, 2})
        out.push_back({"lp_normalization", {"f32[2, 3, 4]"}, attrs({{"axis", one}, {"p", p}})});
    for (const std::int64_t reverse : {0, 1})
        out.push_back({"cumprod",
                       {"f32[3, 5]"},
                       attrs({{"axis", one}, {"exclusive", one - reverse}, {"reverse", reverse}})});
    for (const std::int64_t circular : {0, 1})
        out.push_back({"tensor_scatter",
                       {"f32[2, 3, 4, 5]", "f32[2, 3, 2, 5]", "i64[2]"},
                       attrs({{"circular", circular}})});
    out.push_back({"tensor_scatter", {"f32[2, 4, 5]", "f32[2, 4, 3]"}, attrs({{"axis", 2 * one}})});
    out.push_back({"center_crop_pad",
                   {"f32[3, 4, 5]"},
                   attrs({{"shape", Integers{6, 2}}, {"axes", Integers{2, 1}}})});
    out.push_back({"col2im_row",
                   {"f32[2, 6, 3]"},
                   attrs({{"image", Integers{5}},
                          {"block", Integers{2}},
                          {"strides", Integers{2}},
                          {"pads", Integers{0, 1}}})});
    out.push_back({"col2im",
                   {"f32[1, 8, 6]"},
                   attrs({{"image", Integers{3, 4}}, {"block", Integers{2, 2}}})});
    out.push_back({"col2im_volume",
                   {"f32[1, 8, 2]"},
                   attrs({{"image", Integers{2, 2, 3}}, {"block", Integers{2, 2, 2}}})});
    out.push_back(
        {"deform_conv2d",
         {"f32[1, 4, 4, 4]", "f32[2, 2, 2, 2]", "f32[1, 16, 3, 3]", "f32[2]", "f32[1, 8, 3, 3]"},
         attrs({{"groups", 2 * one}, {"offset_groups", 2 * one}})});
    out.push_back({"deform_conv2d", {"f32[1, 2, 4, 4]", "f32[2, 2, 2, 2]", "f32[1, 8, 3, 3]"}, {}});
    for (const std::int64_t align : {no, one}) {
        out.push_back({"affine_grid",
                       {"f32[2, 2, 3]"},
                       attrs({{"size", Integers{2, 1, 3, 4}}, {"align", align}})});
        out.push_back({"affine_grid_volume",
                       {"f32[1, 3, 4]"},
                       attrs({{"size", Integers{1, 1, 2, 3, 4}}, {"align", align}})});
        for (const std::int64_t padding : {0, 1, 2})
            out.push_back({"grid_sample_volume",
                           {"f32[1, 2, 2, 3, 4]", "f32[1, 2, 2, 3, 3]"},
                           attrs({{"taps", align + 1}, {"padding", padding}, {"align", align}})});
    }
    out.push_back({"flex_attention",
                   {"f32[1, 4, 3, 2]", "f32[1, 2, 5, 2]", "f32[1, 2, 5, 3]"},
                   attrs({{"scale", 0.5}})});
}

void addSizes(std::vector<Instance>& out) {
    out.push_back({"bind_dims",
                   {"i64[2]"},
                   attrs({{"dims", Exprs{varExpr(Symbol("p")), varExpr(Symbol("q"))}}})});
    for (const std::int64_t keep : {0, 1})
        out.push_back({"reshape_extents", {"i64[3]", "i64[2]"}, attrs({{"keep_zero", keep}})});
    for (const char* op : {"unsqueeze_extents", "squeeze_extents", "reduced_extents"})
        out.push_back({op, {"i64[4]", "i64[2]"}, {}});
    out.push_back({"slice_extents", {"i64[2]", "i64[2]", "i64[2]", "i64[2]", "i64[3]"}, {}});
    out.push_back({"pad_extents", {"i64[2]", "i64[2]", "i64[2]", "i64[3]"}, {}});
    out.push_back({"unravel", {"i64[5]", "i64[3]"}, {}});
    out.push_back({"axis_parts", {"i64[1]", "i64[4]"}, {}});
    out.push_back({"axis_replaced", {"i64[1]", "i64[4]", "i64[4]"}, {}});
    out.push_back({"resize_growth", {"i64[3]", "i64[3]", "f32[3]"}, {}});
    out.push_back({"resize_growth", {"i64[3]", "i64[3]"}, {}});
    out.push_back({"range_count", {"i64[]", "i64[]", "i64[]"}, {}});
    out.push_back({"scaled_extents", {"i64[3]", "f32[3]"}, {}});
    for (const std::int64_t largest : {0, 1})
        out.push_back({"aspect_ratio", {"i64[3]", "i64[3]"}, attrs({{"largest", largest}})});
    out.push_back({"fitted_extents", {"i64[3]", "i64[2]"}, {}});
    for (const std::int64_t mode : {0, 1, 2, 3, 4, 5, 6})
        out.push_back({"resize_places",
                       {"i64[3]", "i64[3]", "f32[3]", "f32[3]", "f32[3]"},
                       attrs({{"mode", mode}})});
    out.push_back(
        {"slice_at", {"f32[4, 5]", "i64[2]", "i64[2]"}, attrs({{"shape", Integers{2, 5}}})});
    for (const char* mode : {"constant", "edge", "reflect", "wrap"})
        out.push_back({"pad_at",
                       {"f32[4, 5]", "i64[2]", "f32[]"},
                       attrs({{"shape", Integers{6, 7}}, {"mode", std::string(mode)}})});
    for (const char* op : {"sum_to", "max_to", "min_to", "prod_to"})
        out.push_back({op, {"f32[4, 5]"}, attrs({{"shape", Integers{4, 1}}})});
}

} // namespace

std::vector<Instance> instances() {
    std::vector<Instance> out;
    for (const char* op :
         {"identity", "dropout",  "neg",     "abs",          "sign",       "floor",
          "ceil",     "round",    "sqrt",    "rsqrt",        "reciprocal", "exp",
          "log",      "sin",      "cos",     "erf",          "relu",       "leaky_relu",
          "elu",      "clip",     "sigmoid", "hard_sigmoid", "hard_swish", "tanh",
          "softplus", "softsign", "gelu",    "gelu_tanh",    "swish",      "mish",
          "tan",      "atan",     "asin",    "acos",         "sinh",       "cosh",
          "asinh",    "acosh",    "atanh",   "celu",         "selu",       "thresholded_relu",
          "shrink",   "is_nan",   "is_inf",  "hardmax"})
        for (const char* type : {"f32[2, 3]", "f32[]", "f32[0, 5]", "f64[7]"})
            if (std::string_view(op) != "hardmax" || std::string_view(type) != "f32[]")
                out.push_back({op, {type}, {}});
    for (const char* type : {"f32[2, 3]", "f32[]", "f32[0, 5]"})
        out.push_back({"dynamic_quantize", {type}, {}});
    for (const char* op : {"add", "sub", "mul", "div", "pow", "max", "min", "equal", "less",
                           "less_or_equal", "greater", "greater_or_equal"})
        for (const char* b : {"f32[2, 3]", "f32[3]", "f32[]", "f32[2, 1]", "f32[4, 1, 3]"})
            out.push_back({op, {"f32[2, 3]", b}, {}});
    out.push_back({"fmod", {"f32[2, 3]", "f32[3]"}, {}});
    for (const char* op : {"mod", "rem", "int_pow"})
        for (const char* type : {"i32[5]", "i64[2, 3]", "u8[4]"})
            out.push_back({op, {type, type}, {}});
    for (const char* op : {"shift_left", "shift_right"})
        out.push_back({op, {"u16[2, 3]", "u16[3]"}, {}});
    for (const char* op : {"and", "or", "xor"})
        out.push_back({op, {"bool[2, 3]", "bool[3]"}, {}});
    out.push_back({"not", {"bool[5]"}, {}});
    out.push_back({"prelu", {"f32[2, 3]", "f32[3]"}, {}});
    out.push_back({"where", {"bool[3]", "f32[2, 3]", "f32[2, 1]"}, {}});
    out.push_back({"cast", {"f32[4]"}, attrs({{"to", DType::I64}})});
    for (const std::int64_t axis : {0, 1, -1})
        for (const char* op : {"softmax", "log_softmax"})
            out.push_back({op, {"f32[3, 4, 5]"}, attrs({{"axis", axis}})});
    for (const char* op : {"bias", "scale"})
        out.push_back({op, {"f32[2, 3, 4]", "f32[3]"}, {}});
    out.push_back({"batch_norm", {"f32[2, 3, 2, 2]", "f32[3]", "f32[3]", "f32[3]", "f32[3]"}, {}});
    out.push_back({"layernorm", {"f32[2, 3, 4]", "f32[4]", "f32[4]"}, {}});
    out.push_back({"rms_norm", {"f32[2, 3, 4]", "f32[4]"}, {}});
    out.push_back({"lrn", {"f32[1, 5, 2, 2]"}, attrs({{"size", std::int64_t(3)}})});
    out.push_back({"dense", {"f32[2, 3]", "f32[4, 3]"}, {}});
    out.push_back({"dense", {"f32[3]", "f32[4, 3]"}, {}});
    out.push_back({"dense", {"f32[2, 0]", "f32[4, 0]"}, {}});
    out.push_back({"batch_matmul", {"f32[2, 1, 3, 4]", "f32[2, 4, 5]"}, {}});
    for (const std::int64_t interleaved : {0, 1})
        out.push_back({"rotary_embedding",
                       {"f32[2, 3, 4, 6]", "f32[2, 4, 2]", "f32[2, 4, 2]"},
                       attrs({{"interleaved", interleaved}, {"turned", std::int64_t(4)}})});
    for (const char* mask : {"", "f32[3, 5]", "f32[2, 1, 1, 5]"}) {
        out.push_back({"attention",
                       {"f32[1, 2, 3, 4]", "f32[2, 1, 4, 5]", "f32[2, 5, 6]"},
                       attrs({{"scale", 0.5}})});
        if (*mask != 0)
            out.back().types.emplace_back(mask);
    }
    for (const std::int64_t groups : {1, 2})
        for (const std::int64_t stride : {1, 2})
            for (const std::int64_t pad : {0, 1}) {
                const Attrs geometry = attrs({{"groups", groups},
                                              {"strides", Integers{stride, stride}},
                                              {"pads", Integers{pad, pad, pad, pad}}});
                out.push_back(
                    {"conv2d",
                     {"f32[1, 4, 5, 5]", groups == 1 ? "f32[2, 4, 3, 3]" : "f32[2, 2, 3, 3]"},
                     geometry});
                out.push_back(
                    {"conv_transpose2d", {"f32[1, 4, 3, 3]", "f32[4, 2, 3, 3]"}, geometry});
            }
    for (const std::int64_t stride : {1, 2}) {
        const Attrs window = attrs({{"kernel_shape", Integers{2, 2}},
                                    {"strides", Integers{stride, stride}},
                                    {"pads", Integers{0, 0, 1, 1}}});
        out.push_back({"max_pool2d", {"f32[1, 2, 5, 5]"}, window});
        out.push_back({"avg_pool2d", {"f32[1, 2, 5, 5]"}, window});
    }
    for (const char* op : {"global_average_pool", "global_max_pool"})
        out.push_back({op, {"f32[2, 3, 4, 5]"}, {}});
    for (const std::int64_t p : {1, 2, 3})
        out.push_back({"global_lp_pool", {"f32[2, 3, 4, 5]"}, attrs({{"p", p}})});
    out.push_back({"channel_shuffle", {"f32[1, 6, 2]"}, attrs({{"groups", std::int64_t(3)}})});
    out.push_back({"transpose", {"f32[2, 3, 4]"}, attrs({{"perm", Integers{1, 2, 0}}})});
    out.push_back(
        {"concat", {"f32[2, 3]", "f32[2, 1]", "f32[2, 0]"}, attrs({{"axis", std::int64_t(1)}})});
    out.push_back({"gather", {"f32[4, 5]", "i64[2, 2]"}, attrs({{"axis", std::int64_t(1)}})});
    out.push_back({"gather", {"f32[4, 5]", "i32[]"}, {}});
    out.push_back({"reshape", {"f32[2, 6]"}, attrs({{"shape", Integers{3, 4}}})});
    out.push_back({"reshape", {"f32[2, 0]"}, attrs({{"shape", Integers{0, 4}}})});
    out.push_back({"expand", {"f32[3, 1]"}, attrs({{"shape", Integers{2, 1, 4}}})});
    out.push_back(
        {"split", {"f32[2, 5]"}, attrs({{"axis", std::int64_t(1)}, {"sizes", Integers{2, 3}}})});
    out.push_back({"slice",
                   {"f32[5, 4]"},
                   attrs({{"starts", Integers{1, -1}},
                          {"ends", Integers{100, -100}},
                          {"steps", Integers{2, -1}}})});
    out.push_back({"pad", {"f32[2, 3]"}, attrs({{"pads", Integers{1, 0, 0, 2}}, {"value", 0.5}})});
    out.push_back({"tile", {"f32[2, 3]"}, attrs({{"repeats", Integers{2, 2}}})});
    for (const char* op : {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"})
        for (const std::int64_t keep : {0, 1})
            out.push_back(
                {op, {"f32[2, 3, 4]"}, attrs({{"axes", Integers{0, -1}}, {"keepdims", keep}})});
    addSelection(out);
    addWindows(out);
    addResampling(out);
    addNewer(out);
    addSizes(out);
    out.push_back({"shape", {"f32[2, 3]"}, {}});
    out.push_back({"element_count", {"f32[2, 3]"}, {}});
    out.push_back({"shape", {"f32[2, 3]"}, attrs({{"start", std::int64_t(1)}})});
    out.push_back({"constant_of_shape", {}, attrs({{"shape", Integers{2, 3}}})});
    return out;
}

const std::set<std::string> withoutExpression = {
    "input", "constant", "unknown", "call", "compact", "unique_rows", "non_max_suppression"};

} // namespace fw::test
