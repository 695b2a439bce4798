// A picture as a file. Both texts are complete and self-contained; names from a model are escaped
// and cannot leave the place they stand in.
#pragma once

#include "picture/picture.h"

namespace fw::picture {

std::string svgText(const Picture& picture, ThemeKind theme = ThemeKind::Light);

// Names as text between or within the tags of XML and HTML; what cannot stand there is replaced.
std::string escapedXml(std::string_view text);

// Graphviz text of the diagram, before any layout, for people who want to draw it themselves.
std::string dotText(const Diagram& diagram);

} // namespace fw::picture
