#include "conformance/element_calls.h"

#include <array>
#include <regex>

namespace fw::test {

namespace {

constexpr std::array numberTypes = {DType::Bool, DType::I8,  DType::U8,  DType::I16, DType::U16,
                                    DType::I32,  DType::U32, DType::I64, DType::U64, DType::F16,
                                    DType::BF16, DType::F32, DType::F64};

// The instance with other numbers, and with each truth apart: together they may exclude each other.
std::vector<Attrs> attributesOf(const Operator& op, const Attrs& written) {
    std::vector<Attrs> out = {written};
    Attrs numbers = written;
    for (const std::string& name : op.attrNames()) {
        const auto fallback = op.attrDefault(name);
        if (!fallback || written.find(name) != nullptr)
            continue;
        if (op.attrType(name) == AttrType::Float)
            numbers.set(name, 0.75);
        else if (op.attrType(name) == AttrType::Bool) {
            Attrs other = written;
            other.set(name, std::int64_t(std::get<std::int64_t>(*fallback) == 0 ? 1 : 0));
            out.push_back(std::move(other));
        }
    }
    if (!(numbers == written))
        out.push_back(std::move(numbers));
    return out;
}

} // namespace

std::vector<std::string> operandTypes(const Operator& op, std::size_t count) {
    const std::string signature = op.signature();
    const std::string before = signature.substr(0, signature.find("->"));
    static const std::regex param(R"((attr\s+)?\w+\s*([?*]?)\s*:\s*(\w+)\[)");
    std::vector<std::string> out;
    bool variadic = false;
    for (std::sregex_iterator at(before.begin(), before.end(), param), end; at != end; ++at) {
        if ((*at)[1].matched)
            continue;
        variadic = (*at)[2] == "*";
        out.push_back((*at)[3]);
    }
    while (variadic && out.size() < count)
        out.push_back(out.back());
    out.resize(count);
    return out;
}

std::vector<Drawn> callsOf(const Operator& op, const Instance& instance) {
    OpCall given = callOf(instance);
    const std::vector<std::string> names = operandTypes(op, given.inputs.size());
    std::set<std::string> variables, types;
    for (const std::string& name : names)
        if (!parseDtype(name))
            variables.insert(name);
    for (const std::string& name : op.attrNames())
        if (op.attrType(name) == AttrType::DType)
            types.insert(name);
    std::vector<Drawn> out;
    const auto add = [&](const OpCall& call) {
        Drawn one{call, {}, op.name() + "("};
        for (std::size_t i = 0; i < call.inputs.size(); ++i) {
            one.places.push_back(names[i] != "T" && names[i] != "Z" &&
                                 !isFloat(call.inputs[i]->dtype));
            one.what += (i == 0 ? "" : ", ") + call.inputs[i]->text();
        }
        one.what += ")" + (call.attrs.empty() ? "" : " " + call.attrs.print());
        out.push_back(std::move(one));
    };
    for (const Attrs& attributes : attributesOf(op, instance.attributes)) {
        given.attrs = attributes;
        if (!(attributes == instance.attributes) && !op.infer(given))
            continue; // excluded by what is written
        if (variables.empty() && types.empty())
            add(given);
        for (const std::string& variable : variables)
            for (const DType dtype : numberTypes) {
                OpCall call = given;
                for (std::size_t i = 0; i < names.size(); ++i)
                    if (names[i] == variable)
                        call.inputs[i]->dtype = dtype;
                add(call);
            }
        for (const std::string& name : types)
            for (const DType dtype : numberTypes) {
                OpCall call = given;
                call.attrs.set(name, dtype);
                add(call);
            }
    }
    return out;
}

std::set<std::string> choicesOf(const Operator& op, const OpCall& call) {
    std::set<std::string> out;
    const std::vector<std::string> names = operandTypes(op, call.inputs.size());
    for (std::size_t i = 0; i < names.size(); ++i)
        if (call.inputs[i] && !parseDtype(names[i]))
            out.insert(names[i] + " is " + std::string(dtypeText(call.inputs[i]->dtype)));
    for (const auto& [name, value] : call.attrs)
        if (const auto* dtype = std::get_if<DType>(&value))
            out.insert(name + " is " + std::string(dtypeText(*dtype)));
    return out;
}

} // namespace fw::test
