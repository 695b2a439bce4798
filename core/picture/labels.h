// The last stage of painting: texts at edges, where there is room for them between what is painted.
#pragma once

#include "picture/diagram.h"
#include "picture/picture.h"

#include <string>
#include <string_view>
#include <vector>

namespace fw::picture {

inline constexpr double margin = 24; // around the outer level

struct Stub { // the end of an edge that is cut
    Owner owner;
    Point end; // away from the box
    std::string text;
};

// One label for each stub and for each value of the diagram, beside the first path of it that has
// room. A label at the right end makes the picture wider.
void paintLabels(const Diagram& diagram, const std::vector<Stub>& stubs, Picture& picture);

// The text, as long as the picture lives.
inline std::string_view keptText(Picture& picture, std::string_view text) {
    const auto chars = picture.texts.keep(text);
    return {chars.data(), chars.size()};
}

} // namespace fw::picture
