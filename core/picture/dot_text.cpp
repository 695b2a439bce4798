#include "picture/writers.h"

#include <fmt/format.h>

namespace fw::picture {
namespace {

// Inside double quotes; `printable` has removed line ends, so "\n" below is ours.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : printable(text)) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out;
}

std::string lightHex(Colour colour) {
    return hexText(rgb(colour, ThemeKind::Light));
}

std::string boxLine(const Box& box) {
    std::string label = escaped(box.title);
    if (!box.subtitle.empty())
        label += "\\n" + escaped(box.subtitle);
    for (const std::string& line : box.lines)
        label += "\\n" + escaped(line);
    std::string style = "rounded,filled";
    Colour line = Colour::BoxLine, fill = Colour::BoxFill;
    if (box.role == BoxRole::Unknown) {
        style += ",dashed";
        line = Colour::Failing;
        fill = Colour::FailingFill;
    } else if (box.role == BoxRole::Hidden) {
        style += ",dashed";
    } else if (box.role == BoxRole::Constant) {
        fill = Colour::ConstantFill;
    }
    return fmt::format("\"n{}\" [label=\"{}\" style=\"{}\" color=\"{}\" fillcolor=\"{}\"];\n",
                       box.id, label, style, lightHex(line), lightHex(fill));
}

void addContainers(const Diagram& diagram, std::int64_t parent, const std::string& indent,
                   std::string& out) {
    for (const Container& container : diagram.containers) {
        if (container.parent != parent)
            continue;
        std::string label = escaped(container.title);
        if (!container.right.empty())
            label += "  " + escaped(container.right);
        out += fmt::format("{0}subgraph \"cluster{1}\" {{\n{0}  label=\"{2}\";\n", indent,
                           container.id, label);
        for (const Box& box : diagram.boxes)
            if (box.container == container.id)
                out += indent + "  " + boxLine(box);
        addContainers(diagram, container.id, indent + "  ", out);
        out += indent + "}\n";
    }
}

} // namespace

std::string dotText(const Diagram& diagram) {
    std::string out = fmt::format("digraph \"{}\" {{\n", escaped(diagram.name));
    out += fmt::format("  graph [fontname=\"DejaVu Sans\" bgcolor=\"{}\"];\n",
                       lightHex(Colour::Canvas));
    out += "  node [shape=box fontname=\"DejaVu Sans\" fontsize=11];\n";
    out += fmt::format("  edge [fontname=\"DejaVu Sans\" fontsize=9 color=\"{}\"];\n",
                       lightHex(Colour::Edge));
    for (const Box& box : diagram.boxes)
        if (box.container == -1)
            out += "  " + boxLine(box);
    addContainers(diagram, -1, "  ", out);
    for (const Edge& edge : diagram.edges) {
        std::string attributes;
        if (!edge.label.empty())
            attributes += fmt::format(" label=\"{}\"", escaped(edge.label));
        if (edge.kind != EdgeKind::Data)
            attributes += edge.kind == EdgeKind::Shape ? " style=dotted"
                          : edge.kind == EdgeKind::Body
                              ? " style=dashed"
                              : " color=\"" + lightHex(Colour::Residual) + "\"";
        out += fmt::format("  \"n{}\" -> \"n{}\"{};\n", edge.from, edge.to,
                           attributes.empty() ? "" : " [" + attributes.substr(1) + "]");
    }
    out += "}\n";
    return out;
}

} // namespace fw::picture
