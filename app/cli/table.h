// Tables and numbers of the answers as text.
#pragma once

#include <string>
#include <vector>

namespace fw::cli {

// Columns padded to their widest cell, two blanks apart. Cells of `right` columns lie to the right.
class Table {
public:
    explicit Table(std::vector<std::string> heads, std::vector<bool> right = {});
    void row(std::vector<std::string> cells);
    std::string text() const;

private:
    std::vector<std::vector<std::string>> m_rows;
    std::vector<bool> m_right;
};

std::string decimal(double value, int digits); // without a locale
// With a star if other work disturbed the measurement, and the line that says what a star means.
std::string marked(const std::string& time, bool disturbed);
std::string starLine(bool any);
std::string oneLine(const std::string& text, std::size_t limit); // of a file of other people
std::string large(double value);                                 // 1.82 G, 25.6 M, 3.1 k
std::string bytesText(double value);                             // 3.1 MB

} // namespace fw::cli
