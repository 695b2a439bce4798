#include "picture/writers.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <utility>

namespace fw::picture {
namespace {

// At most two decimals, as plain digits: nearly all of a large picture is numbers.
void addNumber(std::string& out, double value) {
    const long long hundredths = std::llround(value * 100);
    const long long part = std::abs(hundredths) % 100;
    const fmt::format_int whole(hundredths / 100);
    if (hundredths < 0 && hundredths > -100)
        out += '-';
    out.append(whole.data(), whole.size());
    if (part == 0)
        return;
    out += '.';
    out += static_cast<char>('0' + part / 10);
    if (part % 10 != 0)
        out += static_cast<char>('0' + part % 10);
}

std::string number(double value) {
    std::string out;
    addNumber(out, value);
    return out;
}

std::string_view dashText(Dash dash) {
    switch (dash) {
    case Dash::Solid:
        return "";
    case Dash::Dashed:
        return " stroke-dasharray=\"5 3\"";
    case Dash::Dotted:
        return " stroke-dasharray=\"1.5 3\"";
    }
    return "";
}

struct Writer {
    std::string& out;
    ThemeKind theme;

    std::string hex(Colour colour) const { return hexText(rgb(colour, theme)); }

    void operator()(const RectItem& item) const {
        out +=
            fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" fill=\"{}\" "
                        "stroke=\"{}\" stroke-width=\"{}\"{}/>\n",
                        number(item.rect.x), number(item.rect.y), number(item.rect.width),
                        number(item.rect.height), number(item.radius), hex(item.fill),
                        hex(item.line), number(item.lineWidth), dashText(item.dash));
    }
    void operator()(const TextItem& item) const {
        out += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{} fill=\"{}\">{}</text>\n",
                           number(item.position.x), number(item.position.y), number(item.size),
                           item.weight == Weight::Bold ? " font-weight=\"bold\"" : "",
                           hex(item.colour), escapedXml(item.text));
    }
    void operator()(const PathItem& item) const {
        if (item.points.empty())
            return;
        out += fmt::format("<path d=\"M{} {}", number(item.points[0].x), number(item.points[0].y));
        for (std::size_t i = 0; i + 3 < item.points.size(); i += 3) {
            if (runsDown(&item.points[i])) {
                out += 'V';
                addNumber(out, item.points[i + 3].y);
                continue;
            }
            char before = 'C';
            for (std::size_t k = i + 1; k <= i + 3; ++k)
                for (const double part : {item.points[k].x, item.points[k].y}) {
                    out += std::exchange(before, ' ');
                    addNumber(out, part);
                }
        }
        out += fmt::format("\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}", hex(item.colour),
                           number(item.width), dashText(item.dash));
        out += item.arrow == Arrow::End ? " marker-end=\"url(#arrow)\"/>\n" : "/>\n";
    }
};

} // namespace

std::string escapedXml(std::string_view text) {
    std::string out;
    for (const char c : printable(text)) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

std::string svgText(const Picture& picture, ThemeKind theme) {
    const std::string width = number(std::ceil(picture.width)),
                      height = number(std::ceil(picture.height));
    std::string out;
    out.reserve(1000 + 160 * picture.items.size()); // about what is written
    out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    out +=
        fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                    "viewBox=\"0 0 {0} {1}\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\n",
                    width, height);
    out += fmt::format("<title>{}</title>\n", escapedXml(picture.name));
    out += fmt::format(
        "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
        "markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" "
        "orient=\"auto\"><path d=\"M0 0.4L7.5 4L0 7.6z\" fill=\"{}\"/></marker></defs>\n",
        hexText(rgb(Colour::Edge, theme)));
    out += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", width, height,
                       hexText(rgb(Colour::Canvas, theme)));
    for (const Item& item : picture.items)
        std::visit(Writer{out, theme}, item);
    out += "</svg>\n";
    return out;
}

} // namespace fw::picture
