// Names that are spelled much like a word.
#pragma once

#include <string>
#include <vector>

namespace fw {

// At most three of `known`, the nearest first; by the distance of Levenshtein, or because they
// begin with the word.
std::vector<std::string> nearest(const std::string& word, const std::vector<std::string>& known);
// "did you mean conv2d?", or `otherwise` if nothing is near.
std::string didYouMean(const std::string& word, const std::vector<std::string>& known,
                       std::string otherwise = {});

} // namespace fw
