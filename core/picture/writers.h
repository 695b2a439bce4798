// A picture as a file. Both texts are complete and self-contained; names from a model are escaped
// and cannot leave the place they stand in.
#pragma once

#include "picture/picture.h"

namespace fw::picture {

std::string svgText(const Picture& picture, ThemeKind theme = ThemeKind::Light);

// Graphviz text of the diagram, before any layout, for people who want to draw it themselves.
std::string dotText(const Diagram& diagram);

} // namespace fw::picture
