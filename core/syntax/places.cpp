#include "syntax/places.h"

#include <algorithm>

namespace fw {

namespace {

constexpr std::size_t block = 1024; // bytes between two counts of characters

bool beginsCharacter(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), beginsCharacter));
}

} // namespace

TextPlaces::TextPlaces(std::string_view text) : m_text(text), m_lines{0} {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i % block == 0)
            m_characters.push_back(count);
        count += beginsCharacter(text[i]) ? 1 : 0;
        if (text[i] == '\n')
            m_lines.push_back(i + 1);
    }
    m_characters.push_back(count);
}

std::size_t TextPlaces::charactersBefore(std::size_t offset) const {
    const std::size_t whole = offset / block;
    return m_characters[whole] + characters(m_text.substr(whole * block, offset - whole * block));
}

TextPlaces::LineColumn TextPlaces::at(std::size_t offset) const {
    offset = std::min(offset, m_text.size());
    const auto line = std::upper_bound(m_lines.begin(), m_lines.end(), offset) - 1;
    return {static_cast<int>(line - m_lines.begin()) + 1,
            static_cast<int>(charactersBefore(offset) - charactersBefore(*line)) + 1};
}

std::size_t TextPlaces::offset(int line, int column) const {
    if (line < 1)
        return 0;
    const auto index = static_cast<std::size_t>(line) - 1;
    if (index >= m_lines.size())
        return m_text.size();
    const std::size_t end = index + 1 < m_lines.size() ? m_lines[index + 1] - 1 : m_text.size();
    const std::size_t wanted =
        charactersBefore(m_lines[index]) + static_cast<std::size_t>(std::max(column, 1)) - 1;
    const auto behind = std::upper_bound(m_characters.begin(), m_characters.end(), wanted);
    std::size_t offset = static_cast<std::size_t>(behind - m_characters.begin() - 1) * block;
    if (offset >= end)
        return end;
    // The bytes that go on a character belong to the one before them.
    for (std::size_t left = wanted - m_characters[offset / block]; offset < end; ++offset)
        if (beginsCharacter(m_text[offset]) && left-- == 0)
            break;
    return offset;
}

Span TextPlaces::span(std::size_t begin, std::size_t end) const {
    const LineColumn place = at(begin);
    return {begin, end, place.line, place.column};
}

const Token* tokenAt(const std::vector<Token>& tokens, std::size_t offset) {
    auto at = std::upper_bound(
        tokens.begin(), tokens.end(), offset,
        [](std::size_t place, const Token& token) { return place < token.span.begin; });
    const Token* covering = nullptr;
    // The one that begins last at or before the place, and the one before it, which may end there.
    for (int looked = 0; looked < 2 && at != tokens.begin(); ++looked) {
        const Token& token = *--at;
        if (token.kind == TokenKind::End)
            --looked;
        else if (offset < token.span.end && covering == nullptr)
            covering = &token;
        else if (offset == token.span.end && token.kind == TokenKind::Name &&
                 (covering == nullptr || covering->kind != TokenKind::Name))
            return &token;
    }
    return covering;
}

} // namespace fw
