#include "module/native_steps.h"

namespace fw {

namespace {

Expr number(const OpCall& call, const std::string& attribute, std::int64_t fallback) {
    return Expr(call.attrs.integer(attribute, fallback));
}

Exprs numbersOf(runtime::NativeOp op, const OpCall& call) {
    const Shape& x = call.inputs.at(0).value().shape;
    switch (op) {
    case runtime::NativeOp::Compact:
        return {x.at(0)};
    case runtime::NativeOp::Unique:
        return {x.at(0), x.at(1), number(call, "ascending", 1)};
    case runtime::NativeOp::NonMaxSuppression: {
        Exprs out{x.at(0), x.at(1), call.inputs.at(1).value().shape.at(1)};
        const AttrValue* room = call.attrs.find("room");
        if (const auto* dims = room != nullptr ? std::get_if<Exprs>(room) : nullptr)
            out.push_back(dims->at(0));
        else
            out.emplace_back(call.attrs.integers("room").at(0));
        out.push_back(number(call, "centered", 0));
        return out;
    }
    }
    return {};
}

} // namespace

std::optional<NativeCall> nativeCall(std::string_view kernel, const OpCall& call) {
    NativeCall out;
    if (!runtime::nativeNamed(std::string(kernel).c_str(), out.op))
        return std::nullopt;
    out.numbers = numbersOf(out.op, call);
    return out;
}

} // namespace fw
