#include "app/lsp/text.h"

#include <algorithm>
#include <utility>

namespace fw::lsp {

namespace {

bool goesOn(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// What the character that begins here takes, in bytes and in units.
std::size_t bytesAt(const std::string& text, std::size_t offset) {
    std::size_t end = offset + 1;
    while (end < text.size() && goesOn(text[end]))
        ++end;
    return end - offset;
}

std::int64_t unitsOf(std::size_t bytes, Encoding encoding) {
    if (encoding == Encoding::Utf8)
        return static_cast<std::int64_t>(bytes);
    return bytes > 3 ? 2 : 1; // beyond the first plane it is a pair
}

} // namespace

Text::Text(std::string text, Encoding encoding)
    : m_text(std::move(text)), m_encoding(encoding), m_places(m_text), m_lines{0} {
    for (std::size_t i = 0; i < m_text.size(); ++i)
        if (m_text[i] == '\n' ||
            (m_text[i] == '\r' && (i + 1 == m_text.size() || m_text[i + 1] != '\n')))
            m_lines.push_back(i + 1);
}

std::size_t Text::endOf(std::size_t line) const {
    if (line + 1 == m_lines.size())
        return m_text.size();
    const std::size_t end = m_lines[line + 1] - 1;
    const bool isPair = m_text[end] == '\n' && end > m_lines[line] && m_text[end - 1] == '\r';
    return isPair ? end - 1 : end;
}

std::size_t Text::offset(Position position) const {
    if (position.line < 0)
        return 0;
    const auto line = static_cast<std::size_t>(position.line);
    if (line >= m_lines.size())
        return m_text.size();
    const std::size_t end = endOf(line);
    std::size_t offset = m_lines[line];
    for (std::int64_t left = position.character; offset < end;) {
        const std::size_t bytes = bytesAt(m_text, offset);
        left -= unitsOf(bytes, m_encoding);
        if (left < 0)
            break;
        offset += bytes;
    }
    return offset;
}

Position Text::position(std::size_t offset) const {
    offset = std::min(offset, m_text.size());
    const auto line =
        std::upper_bound(m_lines.begin(), m_lines.end(), offset) - m_lines.begin() - 1;
    Position out{line, 0};
    for (std::size_t at = m_lines[static_cast<std::size_t>(line)]; at < offset;) {
        const std::size_t bytes = bytesAt(m_text, at);
        out.character += unitsOf(bytes, m_encoding);
        at += bytes;
    }
    return out;
}

Range Text::range(std::size_t begin, std::size_t end) const {
    return {position(begin), position(end)};
}

Range Text::range(const snapshot::TextRange& range) const {
    return this->range(m_places.offset(range.line, range.column),
                       m_places.offset(range.endLine, range.endColumn));
}

} // namespace fw::lsp
