#include "snapshot/node_query.h"

#include "base/numbers.h"
#include "snapshot/group_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace fw::snapshot {

namespace {

using Kind = QueryKey::Kind;
using Sign = QueryTerm::Sign;

constexpr std::size_t longestQuery = 4096; // bytes

QueryKey ofGroup(std::string_view key, Kind kind) {
    return {key, kind, QueryKey::Of::Plan, groupNumber(key)->sentence};
}

const QueryKey keys[] = {
    {"op", Kind::Text, QueryKey::Of::Node, "the operator: op:conv2d"},
    {"name", Kind::Text, QueryKey::Of::Node, "the name of the node: name:attn"},
    {"in", Kind::Scope, QueryKey::Of::Node, "a block that it lies in: in:layer3, in:layers/3"},
    {"shape", Kind::Shape, QueryKey::Of::Node, "how a result's shape begins: shape:1x128x?x28"},
    {"dtype", Kind::Text, QueryKey::Of::Node, "the element type of a result: dtype:f16"},
    {"value", Kind::Text, QueryKey::Of::Node, "the name of a result: value:hidden"},
    {"by", Kind::Text, QueryKey::Of::Plan, "who computes it: by:onednn"},
    {"group", Kind::Text, QueryKey::Of::Plan, "the name of its group: group:conv2d_bias"},
    {"code", Kind::Text, QueryKey::Of::Plan, "a decision about it: code:IMP01"},
    ofGroup("time", Kind::Time),
    ofGroup("est", Kind::Time),
    ofGroup("flops", Kind::Count),
    ofGroup("bytes", Kind::Bytes),
    ofGroup("intensity", Kind::Count),
    ofGroup("pace", Kind::Count),
    ofGroup("error", Kind::Count),
};

Diag refused(std::string message, std::string hint) {
    return makeDiag(DiagCode::Usage, std::move(message), {}, std::move(hint));
}

struct Unit {
    std::string_view text;
    double factor;
};

std::span<const Unit> unitsOf(Kind kind) {
    static constexpr Unit times[] = {{"ns", 1e-3}, {"us", 1}, {"µs", 1}, {"ms", 1e3}, {"s", 1e6}};
    static constexpr Unit counts[] = {{"", 1}, {"k", 1e3}, {"m", 1e6}, {"g", 1e9}, {"t", 1e12}};
    static constexpr Unit bytes[] = {
        {"", 1},    {"b", 1},    {"k", 1e3},       {"kb", 1e3},      {"m", 1e6},      {"mb", 1e6},
        {"g", 1e9}, {"gb", 1e9}, {"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}};
    static constexpr Unit none[] = {{"", 1}};
    switch (kind) {
    case Kind::Time:
        return times;
    case Kind::Count:
        return counts;
    case Kind::Bytes:
        return bytes;
    default:
        return none;
    }
}

std::optional<double> numberIn(std::string_view text, Kind kind) {
    const std::size_t unit =
        std::min(text.find_last_of("0123456789.") + 1, text.size()); // npos + 1 is 0
    const auto number = parseNumber(text.substr(0, unit));
    if (!number || !std::isfinite(*number))
        return std::nullopt;
    for (const Unit& one : unitsOf(kind))
        if (one.text == text.substr(unit))
            return *number * one.factor;
    return std::nullopt;
}

bool isNumber(Kind kind) {
    return kind >= Kind::Time;
}

bool isWordByte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class QueryReader {
public:
    explicit QueryReader(std::string_view text) : m_text(text) {}

    Result<std::vector<QueryTerm>> read() {
        std::vector<QueryTerm> out;
        for (skipBlanks(); m_at < m_text.size(); skipBlanks()) {
            FW_TRY(QueryTerm term, readTerm());
            out.push_back(std::move(term));
        }
        return out;
    }

private:
    void skipBlanks() {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t'))
            ++m_at;
    }

    Result<QueryTerm> readTerm() {
        QueryTerm out;
        out.begin = m_at;
        if (m_text[m_at] == '-' && m_at + 1 < m_text.size() && m_text[m_at + 1] != ' ') {
            out.isAbsent = true;
            ++m_at;
        }
        readKey(out);
        FW_TRY(const std::string value, readValue());
        out.value = lowerCase(value);
        out.end = m_at;
        if (!out.key.empty())
            FW_CHECK(check(out));
        return out;
    }

    // A key only if a sign follows it; else nothing is taken.
    void readKey(QueryTerm& out) {
        std::size_t end = m_at;
        while (end < m_text.size() && isWordByte(m_text[end]))
            ++end;
        static constexpr std::pair<std::string_view, Sign> signs[] = {
            {"<=", Sign::AtMost}, {">=", Sign::AtLeast}, {"<", Sign::Less},
            {">", Sign::More},    {"=", Sign::Is},       {":", Sign::Holds}};
        for (const auto& [text, sign] : signs) {
            const std::size_t behind = end + text.size();
            // "a::b" and "::x" are words, as names of values may be.
            if (end == m_at || m_text.substr(end, text.size()) != text ||
                (text == ":" && m_text.substr(behind, 1) == ":"))
                continue;
            out.key = lowerCase(m_text.substr(m_at, end - m_at));
            out.known = queryKey(out.key);
            out.sign = sign;
            m_at = behind;
            return;
        }
    }

    Result<std::string> readValue() {
        std::string out;
        if (m_at < m_text.size() && m_text[m_at] == '"') {
            const std::size_t end = m_text.find('"', m_at + 1);
            if (end == std::string_view::npos)
                return refused("a quote does not end", "write \" behind the last word");
            out = m_text.substr(m_at + 1, end - m_at - 1);
            m_at = end + 1;
            return out;
        }
        // A list of an attribute may hold blanks: [1, 1].
        for (int open = 0;
             m_at < m_text.size() && (open > 0 || (m_text[m_at] != ' ' && m_text[m_at] != '\t'));
             ++m_at) {
            open += m_text[m_at] == '[' ? 1 : m_text[m_at] == ']' ? -1 : 0;
            out += m_text[m_at];
        }
        return out;
    }

    static Status check(QueryTerm& term) {
        const Kind kind = term.known != nullptr ? term.known->kind : Kind::Text;
        const bool compares = term.sign != Sign::Holds && term.sign != Sign::Is;
        if (term.value.empty())
            return refused(fmt::format("{} of what?", term.key),
                           term.known != nullptr ? std::string(term.known->sentence)
                                                 : "a value stands behind the sign");
        term.number = numberIn(term.value, kind);
        if (isNumber(kind) && !term.number)
            return refused(fmt::format("{} is no number{}", term.value,
                                       kind == Kind::Time ? " with ns, us, ms or s" : ""),
                           std::string(term.known->sentence));
        if (compares && term.known != nullptr && !isNumber(kind))
            return refused(fmt::format("{} is no number that could be compared", term.key),
                           std::string(term.known->sentence));
        if (compares && !term.number)
            return refused(fmt::format("{} is no number", term.value),
                           "only numbers are smaller or larger");
        if (kind == Kind::Shape && queryShape(term.value).empty())
            return refused(fmt::format("{} is no shape", term.value),
                           std::string(term.known->sentence));
        return {};
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

} // namespace

std::span<const QueryKey> queryKeys() {
    return keys;
}

const QueryKey* queryKey(std::string_view word) {
    const auto found = std::find_if(std::begin(keys), std::end(keys),
                                    [&](const QueryKey& key) { return key.word == word; });
    return found == std::end(keys) ? nullptr : found;
}

Result<std::vector<QueryTerm>> parseQuery(std::string_view text) {
    if (text.size() > longestQuery)
        return refused("this is too long to be looked for",
                       fmt::format("at most {} bytes", longestQuery));
    return QueryReader(text).read();
}

std::vector<std::string> queryShape(std::string_view text) {
    std::vector<std::string> out(1);
    if (text.starts_with('[') && text.ends_with(']'))
        text = text.substr(1, text.size() - 2);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool sign = text.substr(i).starts_with("×"); // two bytes
        if (sign || text[i] == 'x' || text[i] == ',') {
            i += sign ? 1 : 0;
            out.emplace_back();
        } else if (text[i] != ' ') {
            out.back() += text[i];
        }
    }
    if (out.size() > 1 && out.back().empty()) // "1x128x", while it is typed
        out.pop_back();
    const auto isDim = [](const std::string& dim) {
        return dim == "?" || dim == "*" ||
               (!dim.empty() && std::all_of(dim.begin(), dim.end(), isWordByte));
    };
    return std::all_of(out.begin(), out.end(), isDim) ? out : std::vector<std::string>();
}

std::string lowerCase(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

} // namespace fw::snapshot
