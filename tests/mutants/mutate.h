// Bytes, texts and models that were right, changed in a few places.
#pragma once

#include "base/random.h"

#include <string>
#include <string_view>
#include <vector>

namespace fw::test {

// Bits, bytes and runs of bytes changed, cut out, doubled, or the rest cut off.
std::string mutatedBytes(std::string_view bytes, Random& random);

// Words, numbers and signs of a text changed for others out of `words`, left out, doubled, swapped.
std::string mutatedText(std::string_view text, const std::vector<std::string>& words,
                        Random& random);
std::vector<std::string> wordsOf(const std::vector<std::string>& texts);

// One that still is a ModelProto: numbers, names, types, operands and attributes changed, left out,
// doubled or swapped, wherever they lie.
std::string mutatedModel(std::string_view bytes, Random& random);

} // namespace fw::test
