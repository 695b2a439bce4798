// The text with which a declaration of a kind begins: what completing its keyword writes, and what
// an empty book offers.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fw {

struct Template {
    std::string_view keyword;
    // With its fields as snippets of the language server protocol have them: "${1:name}". Each
    // field holds something that may stand there, so the text is right as it is.
    std::string_view text;
};

std::span<const Template> templates();
const Template* templateOf(std::string_view keyword); // nullptr: none

std::string withoutFields(std::string_view text); // "${1:name}" is "name"

} // namespace fw
