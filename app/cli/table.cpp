#include "table.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw::cli {

namespace {

// Characters, not bytes: continuation bytes of UTF-8 do not count.
std::size_t widthOf(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

} // namespace

Table::Table(std::vector<std::string> heads, std::vector<bool> right) : m_right(std::move(right)) {
    m_right.resize(heads.size(), false);
    m_rows.push_back(std::move(heads));
}

void Table::row(std::vector<std::string> cells) {
    cells.resize(m_rows.front().size());
    m_rows.push_back(std::move(cells));
}

std::string Table::text() const {
    std::vector<std::size_t> widths(m_rows.front().size(), 0);
    for (const auto& cells : m_rows)
        for (std::size_t i = 0; i < cells.size(); ++i)
            widths[i] = std::max(widths[i], widthOf(cells[i]));
    std::string out;
    for (const auto& cells : m_rows) {
        std::string line;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string pad(widths[i] - widthOf(cells[i]), ' ');
            line += (i > 0 ? "  " : "") + (m_right[i] ? pad + cells[i] : cells[i] + pad);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

std::string decimal(double value, int digits) {
    return fmt::format("{:.{}f}", value, digits);
}

std::string marked(const std::string& time, bool disturbed) {
    return disturbed ? time + "*" : time;
}

std::string starLine(bool any) {
    return any ? "* disturbed by other work: measured again, too, it was no better\n" : "";
}

std::string large(double value) {
    for (const auto& [factor, unit] :
         {std::pair(1e12, " T"), std::pair(1e9, " G"), std::pair(1e6, " M"), std::pair(1e3, " k")})
        if (value >= factor)
            return decimal(value / factor, 2) + unit;
    return decimal(value, 0);
}

std::string bytesText(double value) {
    return large(value) + (value >= 1000 ? "B" : " B");
}

std::string oneLine(const std::string& text, std::size_t limit) {
    std::string out;
    for (const char c : text)
        out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
    return out.size() > limit ? out.substr(0, limit) + "..." : out;
}

} // namespace fw::cli
