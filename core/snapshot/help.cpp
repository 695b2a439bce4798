#include "snapshot/help_records.h"

#include "base/decision.h"
#include "base/system_limit.h"
#include "snapshot/json_fields.h"
#include "snapshot/questions.h"

#include <set>

namespace fw::snapshot {

namespace {

using snapshot::fields; // of every record; this folder has others in unnamed namespaces

// Visits the fields of a record, and of the records in it, each once.
class Describer {
public:
    template <class Record>
    std::string record() {
        const std::string name(recordName(static_cast<const Record*>(nullptr)));
        if (m_known.insert(name).second) {
            std::vector<FieldHelp> around = std::exchange(m_fields, {});
            Record empty{};
            fields(*this, empty);
            m_records.push_back({name, std::exchange(m_fields, std::move(around))});
        }
        return name;
    }
    template <class T>
    void operator()(const char* name, const T& member) {
        std::string type = typeOf(member);
        m_fields.push_back({name, std::move(type)});
    }
    std::vector<RecordHelp> take() { return std::move(m_records); }

private:
    static std::string typeOf(const std::string&) { return "text"; }
    static std::string typeOf(const SharedText&) { return "text"; }
    static std::string typeOf(bool) { return "flag"; }
    static std::string typeOf(int) { return "integer"; }
    static std::string typeOf(std::int64_t) { return "integer"; }
    static std::string typeOf(double) { return "number"; }
    static std::string typeOf(DiagCode) { return "code"; }
    template <class T>
    std::string typeOf(const std::optional<T>&) {
        return typeOf(T{}) + " or null";
    }
    template <class T>
    std::string typeOf(const std::vector<T>&) {
        return "list of " + typeOf(T{});
    }
    template <class T>
    std::string typeOf(const std::map<std::string, T>&) {
        return typeOf(T{}) + " by name";
    }
    template <class T>
    requires std::is_enum_v<T> std::string typeOf(T) { return oneOf(wordsOf(T{})); }
    template <class Words>
    std::string typeOf(const OneOf<Words>&) {
        return oneOf(OneOf<Words>::all());
    }
    static std::string oneOf(std::span<const std::string_view> words) {
        std::string out;
        for (const std::string_view word : words)
            if (!word.empty())
                out.append(out.empty() ? "one of " : ", ").append(word);
        return out;
    }
    template <class Record>
    requires requires(Describer& visitor, Record& record) { fields(visitor, record); }
    std::string typeOf(const Record&) { return record<Record>(); }

    std::set<std::string> m_known;
    std::vector<FieldHelp> m_fields; // of the record at hand
    std::vector<RecordHelp> m_records;
};

std::vector<RecordHelp> describeRecords() {
    Describer out;
#define FW_COMMAND(name, worker, Document, traits, about, ...) out.record<Document>();
#define FW_INNER(worker, Document, about) out.record<Document>();
#define FW_OUTER(name, Document, traits, about, ...) out.record<Document>();
#include "snapshot/commands.def"
    out.record<Diag>();
    return out.take();
}

OptionHelp describe(const Option& option) {
    return {option.name(),
            option.allNames(),
            std::string(option.about),
            std::string(option.kind()),
            {option.values.begin(), option.values.end()},
            option.required,
            option.isMany()};
}

} // namespace

HelpDocument describeProgram(std::string version) {
    HelpDocument out;
    out.version = std::move(version);
    for (const CommandRow& row : commandRows()) {
        if (row.name.empty())
            continue;
        CommandHelp command{
            std::string(row.name), std::string(row.about), std::string(row.document), {}};
        for (const Option& option : row.options)
            command.options.push_back(describe(option));
        out.commands.push_back(std::move(command));
    }
    for (CommandHelp& command : out.commands)
        for (OptionHelp& option : command.options)
            if (command.name == "help" && option.name == "name")
                for (const CommandHelp& any : out.commands)
                    option.values.push_back(any.name);
    out.records = describeRecords();
#define FW_X(name, text, exit, meaning) out.codes.push_back({text, meaning, exit});
    FW_DIAG_CODES(FW_X)
#undef FW_X
    out.codes.push_back({std::string(codeText(systemLimit)), std::string(codeMeaning(systemLimit)),
                         exitCode(systemLimit)});
#define FW_X(name, text, sentence) out.codes.push_back({text, sentence, std::nullopt});
    FW_REASON_CODES(FW_X)
#undef FW_X
    return out;
}

} // namespace fw::snapshot
