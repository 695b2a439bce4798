// Plain texts and integers are read and written here; what is rare, escapes and fractions, is left
// to the JSON library.
#include "snapshot/json.h"

#include "base/system_limit.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace fw::snapshot {

namespace {

using Json = nlohmann::json;

constexpr std::size_t pieceSize = 1 << 16;

bool isPlain(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\';
}

} // namespace

void Writer::write(std::string_view text) {
    if (std::all_of(text.begin(), text.end(), isPlain)) {
        m_out += '"';
        m_out += text;
        m_out += '"';
    } else {
        // Names in models are bytes: what is not UTF-8 is replaced, not thrown.
        m_out += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
    }
}

void Writer::write(std::int64_t number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    m_out.append(digits, end);
}

void Writer::write(double number) {
    m_out += std::isfinite(number) ? Json(number).dump() : "null";
}

void Writer::open(char bracket) {
    m_out += bracket;
    ++m_depth;
    m_first = true;
}

void Writer::close(char bracket) {
    --m_depth;
    if (!m_first && m_style == JsonStyle::Indented)
        m_out.append("\n").append(static_cast<std::size_t>(2 * m_depth), ' ');
    m_out += bracket;
    m_first = false;
}

void Writer::next() {
    if (m_sink != nullptr && m_out.size() >= pieceSize) {
        (*m_sink)(m_out);
        m_out.clear();
    }
    if (!m_first)
        m_out += ',';
    if (m_style == JsonStyle::Indented)
        m_out.append("\n").append(static_cast<std::size_t>(2 * m_depth), ' ');
    m_first = false;
}

Reader::Reader(std::string_view text) : m_text(text) {
    if (constexpr std::string_view mark = "\xef\xbb\xbf"; m_text.starts_with(mark))
        m_text.remove_prefix(mark.size());
}

Reader::Reader(Pieces text) : m_pieces(std::move(text)) {
    more();
}

// What is read goes, so that positions behind m_at move with it: those who look ahead count from
// there.
bool Reader::more() {
    if (m_pieces.empty())
        return false;
    m_whole = m_whole && m_at == 0;
    m_hand.erase(0, m_at);
    m_at = 0;
    m_hand += m_pieces.front();
    m_pieces.pop_front();
    m_text = m_hand;
    return true;
}

void Reader::gather() {
    while (more()) {
    }
}

bool Reader::hasNext() {
    while (m_at >= m_text.size())
        if (!more())
            return false;
    return true;
}

bool Reader::read(std::string& out) {
    skipSpace();
    if (!hasNext() || m_text[m_at] != '"')
        return wrong("text");
    std::size_t length = 1; // up to the quote that ends it
    const auto inside = [&] { return m_at + length < m_text.size(); };
    do {
        while (inside() && isPlain(m_text[m_at + length]))
            ++length;
    } while (!inside() && more());
    if (inside() && m_text[m_at + length] == '"') {
        out.assign(m_text, m_at + 1, length - 1);
        m_at += length + 1;
        return true;
    }
    do {
        while (inside() && m_text[m_at + length] != '"')
            length += m_text[m_at + length] == '\\' ? 2 : 1;
    } while (!inside() && more());
    if (!inside())
        return broken();
    const Json value = Json::parse(m_text.substr(m_at, length + 1), nullptr, false);
    if (!value.is_string())
        return broken();
    out = value.get_ref<const std::string&>();
    m_at += length + 1;
    return true;
}

bool Reader::read(SharedText& out) {
    std::string text;
    if (!read(text))
        return false;
    out = m_texts(text);
    return true;
}

bool Reader::read(bool& out) {
    out = takeWord("true");
    return out || takeWord("false") || wrong("true or false");
}

bool Reader::read(std::int64_t& out) {
    skipSpace();
    const std::string_view number = numberHere();
    const std::string_view digits = number.substr(number.starts_with('-') ? 1 : 0);
    const auto read = std::from_chars(number.data(), number.data() + number.size(), out);
    if (number.empty() || read.ec != std::errc() || read.ptr != number.data() + number.size() ||
        (digits.size() > 1 && digits[0] == '0'))
        return wrong("an integer");
    m_at += number.size();
    return true;
}

bool Reader::read(int& out) {
    std::int64_t wide = 0;
    if (!read(wide))
        return false;
    if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max())
        return wrong("a small integer");
    out = static_cast<int>(wide);
    return true;
}

bool Reader::read(double& out) {
    if (takeNull())
        return true;
    const std::string_view number = numberHere();
    const Json value = Json::parse(number, nullptr, false);
    if (!value.is_number())
        return wrong("a number");
    out = value.get<double>();
    m_at += number.size();
    return true;
}

bool Reader::read(DiagCode& out) {
    std::string text;
    if (!read(text))
        return wrong("a code");
    out = DiagCode::Internal; // a code of a newer version
#define FW_X(name, code, exit, meaning)                                                            \
    if (text == code)                                                                              \
        out = DiagCode::name;
    FW_DIAG_CODES(FW_X)
#undef FW_X
    if (text == codeText(systemLimit))
        out = systemLimit;
    return true;
}

bool Reader::read(Severity& out) {
    std::string text;
    if (!read(text))
        return wrong("a severity");
    out = text == "note" ? Severity::Note : text == "warning" ? Severity::Warning : Severity::Error;
    return true;
}

bool Reader::read(RawJson& out) {
    gather();
    skipSpace();
    const std::size_t start = m_at;
    if (!skipValue())
        return false;
    out.text = m_text.substr(start, m_at - start);
    return true;
}

Diag Reader::diag() const {
    if (m_whole && m_pieces.empty() ? !Json::accept(m_text) : m_expected == "JSON")
        return makeDiag(DiagCode::Syntax, "the document is not JSON");
    if (m_path.empty())
        return makeDiag(DiagCode::Syntax, "the document is not a JSON object");
    return makeDiag(DiagCode::Syntax, m_path + " is not " + m_expected);
}

bool Reader::open(char bracket) {
    skipSpace();
    if (!hasNext() || m_text[m_at] != bracket)
        return false;
    ++m_at;
    return true;
}

bool Reader::close(char bracket) {
    return open(bracket);
}

bool Reader::another(char bracket, bool& more) {
    more = open(',');
    return more || close(bracket) || broken();
}

bool Reader::readKey(std::string& key) {
    return (read(key) && open(':')) || broken();
}

bool Reader::takeWord(std::string_view word) {
    skipSpace();
    while (m_text.size() - m_at < word.size() && more()) {
    }
    if (!m_text.substr(m_at).starts_with(word))
        return false;
    m_at += word.size();
    return true;
}

bool Reader::takeNull() {
    return takeWord("null");
}

bool Reader::atEnd() {
    skipSpace();
    return !hasNext() || broken();
}

std::string_view Reader::numberHere() {
    std::size_t end = 0;
    do
        end = m_text.find_first_not_of("+-.eE0123456789", m_at);
    while (end == std::string_view::npos && more());
    return m_text.substr(m_at, end - m_at);
}

// Without recursion: a text may nest as deep as it likes.
bool Reader::skipValue() {
    gather();
    skipSpace();
    const std::size_t start = m_at;
    int depth = 0;
    do {
        skipSpace();
        if (m_at >= m_text.size())
            return broken();
        const char c = m_text[m_at];
        if (c == '"') {
            std::string unused;
            if (!read(unused))
                return false;
        } else if (c == '{' || c == '[') {
            ++depth;
            ++m_at;
        } else if (c == '}' || c == ']') {
            --depth;
            ++m_at;
        } else if (depth > 0 && (c == ',' || c == ':')) {
            ++m_at;
        } else {
            const std::size_t end =
                std::min(m_text.find_first_of(",:]}[{\" \t\r\n", m_at), m_text.size());
            if (end == m_at)
                return broken();
            m_at = end;
        }
    } while (depth > 0);
    return Json::accept(m_text.substr(start, m_at - start)) || broken();
}

void Reader::skipSpace() {
    while (hasNext() && (m_text[m_at] == ' ' || m_text[m_at] == '\n' || m_text[m_at] == '\t' ||
                         m_text[m_at] == '\r'))
        ++m_at;
}

void Reader::within(const std::string& place) {
    m_path = m_path.empty() || m_path[0] == '[' ? place + m_path : place + "." + m_path;
}

bool Reader::wrong(const char* expected) {
    m_expected = expected;
    return false;
}

bool Reader::broken() {
    return wrong("JSON");
}

} // namespace fw::snapshot
