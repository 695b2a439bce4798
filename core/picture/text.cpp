#include "picture/text.h"

#include "picture/text_advances.h"

#include <algorithm>
#include <vector>

namespace fw::picture {
namespace {

constexpr char32_t replacement = 0xFFFD;

// One character from `text` at `position`, which moves on. Invalid bytes give the replacement
// character.
char32_t decode(std::string_view text, std::size_t& position) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned lead = byte(position++);
    if (lead < 0x80)
        return lead;
    int extra = 0;
    char32_t code = 0;
    char32_t least = 0;
    if (lead >= 0xC2 && lead <= 0xDF) {
        extra = 1, code = lead & 0x1Fu, least = 0x80;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        extra = 2, code = lead & 0x0Fu, least = 0x800;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        extra = 3, code = lead & 0x07u, least = 0x10000;
    } else {
        return replacement;
    }
    std::size_t at = position;
    for (int i = 0; i < extra; ++i, ++at) {
        if (at >= text.size() || (byte(at) & 0xC0u) != 0x80u)
            return replacement;
        code = (code << 6) | (byte(at) & 0x3Fu);
    }
    if (code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return replacement;
    position = at;
    return code;
}

void encode(char32_t code, std::string& out) {
    const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0 | (code >> 6));
        put(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        put(0xE0 | (code >> 12));
        put(0x80 | ((code >> 6) & 0x3F));
        put(0x80 | (code & 0x3F));
    } else {
        put(0xF0 | (code >> 18));
        put(0x80 | ((code >> 12) & 0x3F));
        put(0x80 | ((code >> 6) & 0x3F));
        put(0x80 | (code & 0x3F));
    }
}

bool changesDirection(char32_t code) {
    return (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF || code == 0x061C;
}

std::vector<char32_t> characters(std::string_view text, std::size_t maxLength) {
    std::vector<char32_t> out;
    for (std::size_t i = 0; i < text.size() && out.size() < maxLength;) {
        const char32_t code = decode(text, i);
        if (code < 0x20 || (code >= 0x7F && code < 0xA0))
            out.push_back(' ');
        else
            out.push_back(changesDirection(code) || (code & 0xFFFE) == 0xFFFE ? replacement : code);
    }
    return out;
}

double advance(char32_t code, double size, Weight weight) {
    const auto& latin = weight == Weight::Bold ? g_boldAdvances : g_regularAdvances;
    double units = unitsPerEm; // wide enough for what the table does not know
    if (code >= 0x20 && code <= 0x7E) {
        units = latin[code - 0x20];
    } else if (code >= 0xA0 && code <= 0xFF) {
        units = latin[code - 0xA0 + 95];
    } else {
        const auto found = std::lower_bound(g_symbolCodes.begin(), g_symbolCodes.end(), code);
        if (found != g_symbolCodes.end() && *found == code) {
            const auto& symbols = weight == Weight::Bold ? g_boldSymbols : g_regularSymbols;
            units = symbols[static_cast<std::size_t>(found - g_symbolCodes.begin())];
        }
    }
    return units * size / unitsPerEm;
}

} // namespace

double textWidth(std::string_view text, double size, Weight weight) {
    double width = 0;
    for (std::size_t i = 0; i < text.size();)
        width += advance(decode(text, i), size, weight);
    return width;
}

std::string printable(std::string_view text, std::size_t maxLength) {
    std::string out;
    for (const char32_t code : characters(text, maxLength))
        encode(code, out);
    return out;
}

std::string elide(std::string_view text, double width, double size, Weight weight, Elide mode) {
    // The end matters for Elide::Middle, so very long text is first cut to its two ends.
    constexpr std::size_t limit = 2000;
    std::vector<char32_t> all;
    if (text.size() > 2 * limit && mode == Elide::Middle) {
        all = characters(text.substr(0, limit), limit);
        std::size_t tailStart = text.size() - limit;
        while (tailStart < text.size() &&
               (static_cast<unsigned char>(text[tailStart]) & 0xC0u) == 0x80u)
            ++tailStart;
        const auto tail = characters(text.substr(tailStart), limit);
        all.insert(all.end(), tail.begin(), tail.end());
    } else {
        all = characters(text, 2 * limit);
    }
    double whole = 0;
    for (const char32_t code : all)
        whole += advance(code, size, weight);
    std::string out;
    if (whole <= width) {
        for (const char32_t code : all)
            encode(code, out);
        return out;
    }
    constexpr char32_t ellipsis = 0x2026;
    const double room = width - advance(ellipsis, size, weight);
    const double headRoom = mode == Elide::Right ? room : room / 2;
    double used = 0;
    std::size_t head = 0;
    while (head < all.size() && used + advance(all[head], size, weight) <= headRoom)
        used += advance(all[head++], size, weight);
    std::size_t tail = all.size();
    if (mode == Elide::Middle)
        while (tail > head && used + advance(all[tail - 1], size, weight) <= room)
            used += advance(all[--tail], size, weight);
    while (mode == Elide::Right && head > 0 && all[head - 1] == ' ')
        --head;
    for (std::size_t i = 0; i < head; ++i)
        encode(all[i], out);
    encode(ellipsis, out);
    for (std::size_t i = tail; i < all.size(); ++i)
        encode(all[i], out);
    return out;
}

} // namespace fw::picture
