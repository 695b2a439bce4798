#include "target/saved_machine.h"

#include "base/files.h"
#include "base/numbers.h"

#include <algorithm>
#include <mutex>

namespace fw {

namespace {

constexpr std::uint64_t mostBytes = 65536;
constexpr std::int64_t mostCache = std::int64_t(1) << 40;
constexpr std::int64_t mostThreads = 256;

// The first word, and what is behind the blanks after it.
std::pair<std::string_view, std::string_view> split(std::string_view row) {
    const std::size_t end = std::min(row.find(' '), row.size());
    std::string_view rest = row.substr(end);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return {row.substr(0, end), rest};
}

class Parser {
public:
    Parser(std::string_view text, const std::string& file) : m_text(text) { m_out.file = file; }

    Result<SavedMachine> parse() {
        bool first = true;
        for (m_line = 1; !m_text.empty(); ++m_line) {
            const std::size_t end = std::min(m_text.find('\n'), m_text.size());
            std::string_view row = m_text.substr(0, end);
            m_text.remove_prefix(std::min(end + 1, m_text.size()));
            if (row.ends_with('\r'))
                row.remove_suffix(1);
            const auto [word, rest] = split(row);
            if (std::exchange(first, false) && (word != "machine" || rest.empty()))
                return wrong("it does not begin with `machine` and what CPU it is",
                             "`fw doctor --save FILE` writes such a file");
            FW_TRY(const bool isFigure, take(word, rest));
            if (isFigure)
                m_out.figures += row;
            m_out.figures += '\n';
        }
        if (first)
            return wrong("it is empty", "`fw doctor --save FILE` writes such a file");
        if (!m_hasLevel)
            return wrong("no line says the level", "level x86-64-v3");
        return std::move(m_out);
    }

private:
    Diag wrong(std::string what, std::string hint) const {
        return makeDiag(DiagCode::Syntax, "this is no file of a machine: " + std::move(what),
                        {m_out.file, {}, m_line, 1}, std::move(hint));
    }

    // True of a line that is left to the profile.
    Result<bool> take(std::string_view word, std::string_view rest) {
        if (word == "machine") {
            m_out.cpu = rest;
            return false;
        }
        if (word == "held") {
            m_out.held = rest;
            return false;
        }
        if (word == "level") {
            for (const CpuLevel level : {CpuLevel::V2, CpuLevel::V3, CpuLevel::V4})
                if (rest == "x86-64-v" + std::to_string(static_cast<int>(level))) {
                    m_out.level = level;
                    m_hasLevel = true;
                    return false;
                }
            return wrong("there is no level " + std::string(rest),
                         "x86-64-v2, x86-64-v3 or x86-64-v4");
        }
        if (word == "library") {
            const auto [name, behind] = split(rest);
            const auto [version, level] = split(behind);
            const std::vector<std::string>& known = knownLibraries();
            if (std::find(known.begin(), known.end(), name) == known.end() || level.empty())
                return wrong("a library is a name that is known, a version and a level",
                             "library onednn 2.6.3 avx2");
            m_out.libraries.push_back(
                {std::string(name), std::string(version), std::string(level)});
            return false;
        }
        for (const auto& [name, most, value] : {std::tuple("l1_bytes", mostCache, &m_out.l1),
                                                std::tuple("l2_bytes", mostCache, &m_out.l2),
                                                std::tuple("l3_bytes", mostCache, &m_out.l3)})
            if (word == name) {
                FW_TRY(*value, number(word, rest, 0, most));
                return false;
            }
        if (word == "threads") {
            FW_TRY(const std::int64_t count, number(word, rest, 1, mostThreads));
            m_out.threads = static_cast<int>(count);
            return false;
        }
        return true;
    }

    Result<std::int64_t> number(std::string_view word, std::string_view text, std::int64_t least,
                                std::int64_t most) const {
        const auto value = parseInteger(text);
        if (!value || *value < least || *value > most)
            return wrong(std::string(word) + " is a number from " + std::to_string(least) + " to " +
                             std::to_string(most) + ", not " + std::string(text),
                         {});
        return *value;
    }

    std::string_view m_text;
    SavedMachine m_out;
    int m_line = 1;
    bool m_hasLevel = false;
};

} // namespace

const SavedLibrary* SavedMachine::library(std::string_view name) const {
    const auto found = std::find_if(libraries.begin(), libraries.end(),
                                    [&](const SavedLibrary& one) { return one.name == name; });
    return found == libraries.end() ? nullptr : &*found;
}

std::string SavedMachine::text() const {
    std::string out = "machine " + cpu + "\nlevel x86-64-v" +
                      std::to_string(static_cast<int>(level)) + "\nthreads " +
                      std::to_string(threads) + "\n";
    for (const auto& [name, bytes] :
         {std::pair("l1_bytes", l1), std::pair("l2_bytes", l2), std::pair("l3_bytes", l3)})
        out += name + (" " + std::to_string(bytes)) + "\n";
    for (const SavedLibrary& one : libraries)
        out += "library " + one.name + " " + one.version + " " + one.level + "\n";
    if (!held.empty())
        out += "held " + held + "\n";
    return out + figures;
}

Result<SavedMachine> parseSavedMachine(std::string_view text, const std::string& file) {
    return Parser(text, file).parse();
}

bool isMachineFile(std::string_view cpu) {
    return cpu.find_first_of("./") != std::string_view::npos;
}

Result<SavedMachinePtr> savedMachine(const std::string& file) {
    static std::mutex mutex;
    static std::map<std::string, SavedMachinePtr> known;
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(file); found != known.end())
        return found->second;
    FW_TRY(const std::string text, readFile(file, mostBytes));
    FW_TRY(SavedMachine machine, parseSavedMachine(text, file));
    return known.emplace(file, std::make_shared<const SavedMachine>(std::move(machine)))
        .first->second;
}

SavedMachinePtr machineOf(const Target& target) {
    if (!isMachineFile(target.cpu))
        return nullptr;
    const Result<SavedMachinePtr> machine = savedMachine(target.cpu);
    return machine ? *machine : nullptr;
}

} // namespace fw
