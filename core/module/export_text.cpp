#include "module/export_text.h"

#include "module/embedded.h"
#include "runtime/cpu.h"
#include "runtime/native_step.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace fw::module {

namespace {

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

std::string identifier(std::string_view text) {
    std::string result;
    for (char c : text)
        result += isLetter(c) || isDigit(c) ? c : '_';
    if (result.empty() || isDigit(result.front()))
        result.insert(0, "_");
    return result;
}

std::string upper(std::string text) {
    for (char& c : text)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
    return text;
}

// Names come from models: in a C comment or string they may end neither.
std::string harmless(std::string_view text) {
    std::string result;
    for (char c : text)
        result += c < ' ' || c > '~' || c == '*' || c == '"' || c == '\\' || c == '?' ? '_' : c;
    return result;
}

void appendSide(std::string& text, const runtime::Program& program,
                const std::vector<runtime::TensorId>& list, const char* side,
                const std::string& prefix) {
    std::set<std::string> taken;
    text += fmt::format("#define {}_{}_COUNT {}\n", prefix, side, list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
        const runtime::Tensor& tensor = program.tensors[list[i]];
        std::string name = upper(identifier(tensor.name));
        if (name == "COUNT" || !taken.insert(name).second)
            name += fmt::format("_{}", i);
        taken.insert(name);
        text += fmt::format("#define {}_{}_{} {} /* {}: {}{} */\n", prefix, side, name, i,
                            harmless(tensor.name), runtime::typeName(tensor.type),
                            harmless(shapeText(program, tensor)));
    }
}

// Those that the caller gives, with the shapes of inputs or by name.
std::vector<runtime::Symbol> freeSymbols(const runtime::Program& program) {
    const runtime::Phases phases = phasesOf(program);
    std::vector<runtime::Symbol> out;
    for (std::size_t i = 0; i < program.symbols.size(); ++i)
        if (phases.ofSymbol[i] == 0)
            out.push_back(program.symbols[i]);
    return out;
}

} // namespace

std::string contentsAssembly(const ExportRequest& request) {
    std::string text = "    .section .rodata\n";
    const auto define = [&](const std::string& name, const std::string& what, int alignment) {
        text += fmt::format("    .balign {}\n    .global {}\n    .hidden {}\n{}:\n{}", alignment,
                            name, name, name, what);
    };
    define("fw_program_blob", "    .incbin \"program.bin\"\n1:\n", 64);
    define("fw_program_blob_size", "    .quad 1b - fw_program_blob\n", 8);
    define("fw_kernel_table_size", fmt::format("    .quad {}\n", request.kernels.size()), 8);
    define("fw_module_metadata", "    .incbin \"metadata.json\"\n    .byte 0\n", 1);
    define("fw_module_weights_name", fmt::format("    .asciz \"{}\"\n", request.weightsFile()), 1);

    text += "    .section .data.rel.ro, \"aw\"\n";
    std::string table;
    for (const std::string& kernel : request.kernels)
        table += fmt::format("    .quad {}\n", kernel);
    if (table.empty())
        table = "    .quad 0\n";
    define("fw_kernel_table", table, 8);

    const bool calls = std::any_of(
        request.program.steps.begin(), request.program.steps.end(),
        [](const runtime::Step& step) { return step.kernel == runtime::libraryKernel; });
    define("fw_module_weights",
           request.embedsWeights ? "    .quad fw_module_weights_begin\n" : "    .quad 0\n", 8);
    define("fw_module_weights_size",
           request.embedsWeights ? "    .quad fw_module_weights_end - fw_module_weights_begin\n"
                                 : "    .quad 0\n",
           8);
    define("fw_module_libraries", calls ? "    .quad fw_prepare_call\n" : "    .quad 0\n", 8);

    // Behind all else that code reaches by 32 bits: weights may be larger than that.
    if (request.embedsWeights)
        text += fmt::format("    .section .lrodata, \"al\", @progbits\n    .balign 64\n"
                            "fw_module_weights_begin:\n    .incbin \"{}\"\n"
                            "fw_module_weights_end:\n",
                            request.weightsFile());

    // The one name that differs between modules, so that a program can link several.
    text += fmt::format(
        "    .text\n    .global fw_{0}_api\n    .type fw_{0}_api, @function\nfw_{0}_api:\n"
        "    jmp fw_module_api@PLT\n    .section .note.GNU-stack, \"\", @progbits\n",
        request.name);
    return text;
}

namespace {

// fw_open and all others of the C interface.
std::vector<std::string> publicFunctions() {
    std::vector<std::string> out;
    const std::string_view header = embeddedHeader();
    constexpr std::string_view mark = "\nFW_API ";
    for (std::size_t at = header.find(mark); at != std::string_view::npos;
         at = header.find(mark, at + 1)) {
        const std::size_t end = header.find('(', at);
        const std::size_t begin = header.find_last_of(" *", end) + 1;
        out.emplace_back(header.substr(begin, end - begin));
    }
    return out;
}

// "fw_lenet_open" for "fw_open".
std::string ownName(const ExportRequest& request, const std::string& function) {
    return fmt::format("fw_{}_{}", request.name, function.substr(3));
}

} // namespace

std::string exportsText(const ExportRequest& request) {
    std::string text = fmt::format("{{ global: fw_{}_api;", request.name);
    for (const std::string& function : publicFunctions())
        text += fmt::format(" {};", function);
    return text + " local: *; };\n";
}

std::string renamedText(const ExportRequest& request) {
    std::string text;
    for (const std::string& function : publicFunctions())
        text += fmt::format("{} {}\n", function, ownName(request, function));
    return text;
}

std::string keptText(const ExportRequest& request) {
    std::string text = fmt::format("fw_{}_api\n", request.name);
    for (const std::string& function : publicFunctions())
        text += ownName(request, function) + "\n";
    return text;
}

std::string functionsAssembly(const ExportRequest& request) {
    std::string text = "    .text\n";
    for (const std::string& function : publicFunctions())
        text += fmt::format("    .global {0}\n    .type {0}, @function\n{0}:\n    jmp {1}@PLT\n",
                            function, ownName(request, function));
    return text + "    .section .note.GNU-stack, \"\", @progbits\n";
}

std::string headerText(const ExportRequest& request) {
    const runtime::Program& program = request.program;
    const std::string prefix = upper(request.name);
    std::string text(embeddedHeader());
    text += fmt::format("\n/* The model {}, compiled for {}. */\n#ifndef FUSEWRIGHT_MODULE_{}_H\n"
                        "#define FUSEWRIGHT_MODULE_{}_H\n\n",
                        harmless(program.name), harmless(program.target), prefix, prefix);
    if (!request.embedsWeights)
        text += fmt::format("#define {}_WEIGHTS \"{}\"\n", prefix, request.weightsFile());
    appendSide(text, program, program.inputs, "INPUT", prefix);
    appendSide(text, program, program.outputs, "OUTPUT", prefix);
    for (const runtime::Symbol& symbol : freeSymbols(program))
        text += fmt::format("/* free dimension {}: {} to {} */\n", harmless(symbol.name),
                            symbol.minimum, symbol.maximum);
    text += fmt::format(
        "\n#ifdef __cplusplus\nextern \"C\"\n#endif\nconst fw_api* fw_{}_api(void);\n\n#endif\n",
        request.name);
    return text;
}

std::string exampleText(const ExportRequest& request) {
    constexpr std::string_view mark = "@NAME@";
    std::string text(embeddedExample());
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
        text.replace(at, mark.size(), request.name);
    return text;
}

namespace {

// What computes a step: a symbol of the library, "copy", or the call "onednn convolution".
std::string kernelText(const ExportRequest& request, const runtime::Step& step) {
    if (step.kernel == runtime::copyKernel)
        return "copy";
    if (step.kernel == runtime::bindKernel)
        return "sizes";
    if (step.kernel == runtime::nativeKernel)
        return fmt::format("runtime {}", runtime::nativeText(step.call));
    if (step.kernel != runtime::libraryKernel)
        return request.kernels.at(step.kernel);
    const runtime::LibraryCall& call = request.program.calls.at(step.call);
    return fmt::format("{} {}", runtime::libraryText(call), kindText(call));
}

using Json = nlohmann::ordered_json;

Json groupsJson(const ExportRequest& request) {
    const runtime::Program& program = request.program;
    Json out = Json::array();
    for (const runtime::Step& step : program.steps) {
        out.push_back(Json{
            {"name", step.name}, {"kernel", kernelText(request, step)}, {"nodes", step.nodes}});
        if (step.choice == runtime::noChoice)
            continue;
        const std::vector<runtime::ExpressionId>& conditions =
            program.choices[step.choice].conditions;
        out.back()["when"] = step.branch < conditions.size()
                                 ? expressionText(program, conditions[step.branch])
                                 : "otherwise";
    }
    return out;
}

} // namespace

std::string manifestText(const ExportRequest& request, const std::vector<FileEntry>& files,
                         const std::vector<std::string>& libraries) {
    const runtime::Program& program = request.program;
    const auto tensors = [&](const std::vector<runtime::TensorId>& list) {
        Json entries = Json::array();
        for (runtime::TensorId id : list) {
            const runtime::Tensor& tensor = program.tensors[id];
            entries.push_back(Json{{"name", tensor.name},
                                   {"type", runtime::typeName(tensor.type)},
                                   {"shape", shapeText(program, tensor)}});
        }
        return entries;
    };
    Json json;
    json["abi"] = FW_ABI_VERSION;
    json["name"] = request.name;
    json["model"] = program.name;
    json["engine"] = program.engine;
    json["target"] = program.target;
    json["requires"] = runtime::featureNames(program.requiredFeatures);
    json["linking"] = request.isStatic ? "static" : "shared";
    json["weights"] = request.embedsWeights ? "in the library" : request.weightsFile();
    json["libraries"] = libraries;
    json["inputs"] = tensors(program.inputs);
    json["outputs"] = tensors(program.outputs);
    json["symbols"] = Json::array();
    for (const runtime::Symbol& symbol : freeSymbols(program))
        json["symbols"].push_back(
            Json{{"name", symbol.name}, {"minimum", symbol.minimum}, {"maximum", symbol.maximum}});
    json["assumptions"] = Json::array();
    for (const runtime::Assumption& assumption : program.assumptions)
        json["assumptions"].push_back(
            Json{{"condition", expressionText(program, assumption.condition)},
                 {"sentence", assumption.sentence}});
    json["checked_indices"] = Json::array();
    for (const runtime::Step& step : program.steps)
        for (const runtime::IndexUse& use : step.indices)
            json["checked_indices"].push_back(
                Json{{"node", use.node},
                     {"indices", program.tensors[use.tensor].name},
                     {"extent", expressionText(program, use.extent)}});
    json["kernels"] = request.kernels;
    json["groups"] = groupsJson(request);
    json["files"] = Json::array();
    json["sha256"] = Json::object();
    for (const FileEntry& file : files) {
        json["files"].push_back(Json{{"name", file.name}, {"bytes", file.bytes}});
        json["sha256"][file.name] = file.sha256;
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace fw::module
