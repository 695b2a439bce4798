#include "snapshot/questions.h"

#include "snapshot/export_words.h"

#include <algorithm>

namespace fw::snapshot {

namespace {

Option rules(std::string_view about) {
    return {"--rules", &Asked::rules, about};
}

Option dims() {
    return Option{"--dim", &Asked::givenDims,
                  "NAME=N binds a free dimension, NAME=N..M says where it lies; may repeat"}
        .several();
}

Option types() {
    return {"--type", &Asked::givenTypes,
            "'NAME=f32[N, 4]' is the type of a value that nothing infers; may repeat"};
}

Option threads(std::string_view about) {
    return {"--threads", &Asked::threads, about};
}

// The words of commands that plan.
Options onTarget(Options own = {}) {
    Options out = {
        {"--target", &Asked::target,
         "\"x86-64 -mcpu=native -libs= -threads=2\", each part optional"},
        rules("a rule book; may repeat"),
        {"--without", &Asked::without, "a shipped book that says nothing: scales.fw; may repeat"},
        {"--leave-out", &Asked::leftOut,
         "an application that is not wanted: \"RULE at OPERATOR\"; may repeat"},
        {"--log", &Asked::log, "a file of measurements, which decide before priorities"},
        dims(),
        types(),
        {"--input", &Asked::givenInputs,
         "NAME=VALUE (16000, true, [1, 2]) makes an input a constant; where the model runs also "
         "NAME=FILE (.pb or .npy); may repeat"},
        threads("short for -threads=N in the target"),
        {"--machine", &Asked::machine,
         "a file of `fw doctor --save`: the machine that is planned for"},
    };
    out.insert(out.end(), own.begin(), own.end());
    return out;
}

Options onModel(Options own = {}) {
    Options out = onTarget(std::move(own));
    out.insert(
        out.begin(),
        Option{"model", &Asked::model,
               "the model: an .onnx file, a .fw file with one graph, or a folder with model.onnx"}
            .must());
    return out;
}

Options requiring(std::string_view name, Options options) {
    for (Option& option : options)
        option.required = option.required || option.names == name;
    return options;
}

// Behind those of every command of `fw`.
Options ofDoor(Options own) {
    Options out = {
        {"-h,--help", {}, "Print this help message and exit"},
        {"--worker", &Asked::worker, "\"ssh HOST fw --worker\": the work is done there"},
    };
    out.insert(out.end(), own.begin(), own.end());
    return out;
}

Options ofEach(Options own) {
    own.insert(own.begin(), {"--json", &Asked::json, "print one JSON document"});
    return ofDoor(std::move(own));
}

} // namespace

Option Option::must() const {
    Option out = *this;
    out.required = true;
    return out;
}

Option Option::oneOf(std::vector<std::string_view> these) const {
    Option out = *this;
    out.values = std::move(these);
    return out;
}

Option Option::within(std::int64_t from, std::int64_t to) const {
    Option out = *this;
    out.least = from;
    out.most = to;
    return out;
}

Option Option::upTo(std::int64_t operands) const {
    Option out = *this;
    out.words = operands;
    return out;
}

Option Option::several() const {
    Option out = *this;
    out.takesSeveral = true;
    return out;
}

Option Option::without(std::string_view other) const {
    Option out = *this;
    out.excludes = other;
    return out;
}

Option Option::orAlone(std::optional<bool> Asked::*flag) const {
    Option out = *this;
    out.alone = flag;
    return out;
}

bool Option::isFlag() const {
    return kind().empty();
}

bool Option::isMany() const {
    return std::holds_alternative<Member<std::vector<std::string>>>(slot) && words > 1;
}

bool Option::isWritten() const {
    for (const Slot& written : {Slot(&Asked::output), Slot(&Asked::trace), Slot(&Asked::report),
                                Slot(&Asked::writeFiles)})
        if (slot == written)
            return true;
    return false;
}

bool CommandRow::writes() const {
    return has(WritesLog) || std::any_of(options.begin(), options.end(),
                                         [](const Option& one) { return one.isWritten(); });
}

std::vector<std::string> Option::allNames() const {
    std::vector<std::string> out;
    for (std::string_view rest = names; !rest.empty();) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        std::string_view one = rest.substr(0, end);
        one.remove_prefix(one.starts_with('!') ? 1 : 0);
        out.emplace_back(one);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out;
}

std::string Option::name() const {
    const std::vector<std::string> all = allNames();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [](const std::string& one) { return one.starts_with("--"); });
    return found == all.end() ? all.front() : *found;
}

std::string_view Option::kind() const {
    const bool isText = std::holds_alternative<Member<std::string>>(slot) ||
                        std::holds_alternative<Member<std::vector<std::string>>>(slot);
    const bool isWhole = std::holds_alternative<Member<std::optional<int>>>(slot) ||
                         std::holds_alternative<Member<std::optional<std::int64_t>>>(slot);
    const bool isReal = std::holds_alternative<Member<std::optional<double>>>(slot);
    return isText ? "TEXT" : isWhole ? "INT" : isReal ? "FLOAT" : "";
}

const std::vector<CommandRow>& commandRows() {
#define FW_COMMAND(name, worker, Document, traits, about, ...)                                     \
    CommandRow{#name, #worker, #Document, traits, about, ofEach(__VA_ARGS__)},
#define FW_INNER(worker, Document, about) CommandRow{"", #worker, #Document, Plain, about},
#define FW_OUTER(name, Document, traits, about, ...)                                               \
    CommandRow{#name, "", #Document, traits, about, ofEach(__VA_ARGS__)},
#define FW_DOOR(name, about, ...)                                                                  \
    CommandRow{#name, "", "", Speaks | ListsBooks, about, ofDoor(__VA_ARGS__)},
    static const std::vector<CommandRow> rows = {
#include "snapshot/commands.def"
    };
    return rows;
}

const CommandRow* commandNamed(std::string_view name) {
    for (const CommandRow& row : commandRows())
        if (!name.empty() && row.name == name)
            return &row;
    return nullptr;
}

} // namespace fw::snapshot
