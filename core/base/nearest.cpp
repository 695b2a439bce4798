#include "base/nearest.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace fw {

namespace {

// Letters put in, left out, replaced or swapped.
std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                                d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

} // namespace

std::vector<std::string> nearest(const std::string& word, const std::vector<std::string>& known) {
    constexpr std::size_t longest = 40, most = 3;
    std::vector<std::pair<std::size_t, std::string>> found;
    for (const std::string& one : known) {
        if (word.size() > longest || one.size() > longest || one == word)
            continue;
        const std::size_t far = distance(word, one);
        const bool begins = word.size() >= 3 && one.starts_with(word);
        // Of a short word some letter must be right.
        const bool alike = far <= std::max<std::size_t>(1, word.size() / 3) && far < word.size();
        if (alike || begins)
            found.emplace_back(begins ? 1 : far, one);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> out;
    for (std::size_t i = 0; i < found.size() && i < most; ++i)
        out.push_back(found[i].second);
    return out;
}

std::string didYouMean(const std::string& word, const std::vector<std::string>& known,
                       std::string otherwise) {
    const std::vector<std::string> near = nearest(word, known);
    return near.empty() ? std::move(otherwise) : "did you mean " + near.front() + "?";
}

} // namespace fw
