#include "picture/dot_layout.h"

#include "base/numbers.h"
#include "base/process.h"
#include "picture/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace fw::picture {
namespace {

constexpr double perInch = 72;

// Places on the upper and lower side of a node where lines must touch it, as offsets from the
// centre.
struct Sides {
    std::vector<double> upper, lower;
};

std::vector<Sides> sidesOf(const LayeredInput& input) {
    std::vector<Sides> sides(input.nodes.size());
    for (const LayeredEdge& edge : input.edges) {
        if (edge.fromOffset)
            sides[edge.from].lower.push_back(*edge.fromOffset);
        if (edge.toOffset)
            sides[edge.to].upper.push_back(*edge.toOffset);
    }
    for (Sides& side : sides)
        for (auto* list : {&side.upper, &side.lower}) {
            std::sort(list->begin(), list->end());
            list->erase(std::unique(list->begin(), list->end()), list->end());
        }
    return sides;
}

std::size_t placeOf(const std::vector<double>& list, double offset) {
    return static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), offset) -
                                    list.begin());
}

// A row of an HTML-like table of fixed widths: thin cells with a port at the wanted places.
std::string row(char letter, const std::vector<double>& places, double width, double height) {
    const auto cell = [&](double cellWidth, const std::string& port) {
        return fmt::format("<TD FIXEDSIZE=\"TRUE\" WIDTH=\"{}\" HEIGHT=\"{}\"{}></TD>",
                           std::lround(cellWidth), std::lround(height), port);
    };
    std::string out =
        "<TR><TD><TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\"><TR>";
    double at = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double left = std::max(width / 2 + places[i] - 1, at);
        if (std::lround(left - at) > 0)
            out += cell(left - at, "");
        out += cell(2, fmt::format(" PORT=\"{}{}\"", letter, i));
        at = left + 2;
    }
    if (std::lround(width - at) > 0)
        out += cell(width - at, "");
    return out + "</TR></TABLE></TD></TR>";
}

bool needsPorts(const std::vector<double>& places) {
    return places.size() > 1 || (places.size() == 1 && std::abs(places[0]) > 1);
}

struct EdgeText { // as it stands in the text and in the answer
    std::string from, to;
    int weight = 1;
};

std::string endText(std::uint32_t node, const std::optional<double>& offset,
                    const std::vector<double>& places, bool table, char letter, bool middle) {
    const char compass = letter == 'o' ? 's' : 'n';
    if (offset && table)
        return fmt::format("n{}:{}{}:{}", node, letter, placeOf(places, *offset), compass);
    if (offset || middle)
        return fmt::format("n{}:{}", node, compass);
    return fmt::format("n{}", node);
}

// Edges of the main path are heavy, and where a box has only one of them
// it leaves or arrives in the middle, so that chains become straight lines.
std::vector<EdgeText> edgeTexts(const LayeredInput& input, const std::vector<Sides>& sides) {
    const auto main = mainEdges(input, assignLayers(input));
    std::vector<int> nextIn(input.nodes.size(), 0), nextOut(input.nodes.size(), 0);
    for (std::size_t e = 0; e < input.edges.size(); ++e) {
        nextIn[input.edges[e].to] += main[e];
        nextOut[input.edges[e].from] += main[e];
    }
    std::vector<EdgeText> out;
    for (std::size_t e = 0; e < input.edges.size(); ++e) {
        const LayeredEdge& edge = input.edges[e];
        const bool next = main[e] != 0;
        const auto table = [&](std::uint32_t n) {
            return needsPorts(sides[n].upper) || needsPorts(sides[n].lower);
        };
        out.push_back({endText(edge.from, edge.fromOffset, sides[edge.from].lower, table(edge.from),
                               'o', next && nextOut[edge.from] == 1),
                       endText(edge.to, edge.toOffset, sides[edge.to].upper, table(edge.to), 'i',
                               next && nextIn[edge.to] == 1),
                       next ? 8 : 1});
    }
    return out;
}

// Words of a line of -Tplain-ext without their quotes, which may stand inside a word: n2:"i1:n".
std::vector<std::string> wordsOf(std::string_view line) {
    std::vector<std::string> out;
    bool quoted = false, inside = false;
    for (const char c : line) {
        if (c == '"') {
            quoted = !quoted;
        } else if (c == ' ' && !quoted) {
            inside = false;
            continue;
        }
        if (!inside)
            out.emplace_back();
        inside = true;
        if (c != '"')
            out.back() += c;
    }
    return out;
}

std::optional<std::uint32_t> nodeNumber(std::string_view name) {
    name = name.substr(0, name.find(':'));
    if (!name.starts_with('n'))
        return std::nullopt;
    const auto value = parseInteger(name.substr(1));
    if (!value || *value < 0 || *value > UINT32_MAX)
        return std::nullopt;
    return static_cast<std::uint32_t>(*value);
}

double coordinate(std::string_view text) {
    return parseNumber(text).value_or(NAN) * perInch;
}

constexpr std::string_view incomplete = "its answer is incomplete";

// Each function returns what is wrong; empty: nothing.
class PlainReader {
public:
    PlainReader(const LayeredInput& input, LayeredOutput& output)
        : m_input(input), m_output(output), m_placed(input.nodes.size(), 0) {
        output = {};
        output.centers.assign(input.nodes.size(), {});
        const auto texts = edgeTexts(input, sidesOf(input));
        for (std::uint32_t e = 0; e < input.edges.size(); ++e)
            if (input.edges[e].from != input.edges[e].to)
                m_waiting[{texts[e].from, texts[e].to}].push_back(e);
    }

    std::string_view read(std::string_view plain) {
        bool stopped = false;
        while (!plain.empty() && !stopped) {
            const std::size_t end = std::min(plain.find('\n'), plain.size());
            const auto words = wordsOf(plain.substr(0, end));
            plain.remove_prefix(std::min(end + 1, plain.size()));
            if (words.empty())
                continue;
            std::string_view trouble;
            if (words[0] == "graph" && words.size() >= 4) {
                m_output.width = coordinate(words[2]);
                m_output.height = coordinate(words[3]);
            } else if (words[0] == "node" && words.size() >= 6) {
                trouble = node(words);
            } else if (words[0] == "edge" && words.size() >= 4) {
                trouble = edge(words);
            } else if (words[0] == "stop") {
                stopped = true;
            }
            if (!trouble.empty())
                return trouble;
        }
        return stopped ? checked() : incomplete;
    }

    // Lines end a fraction of a pixel off; both ends are put onto the sides of their nodes.
    void finish() {
        for (Leg& leg : m_output.legs) {
            const LayeredEdge& edge = m_input.edges[leg.edges.front()];
            const Point from = m_output.centers[edge.from], to = m_output.centers[edge.to];
            if (from.y >= to.y)
                continue;
            leg.points.front().y = from.y + m_input.nodes[edge.from].height / 2;
            leg.points.back().y = to.y - m_input.nodes[edge.to].height / 2;
            if (edge.fromOffset)
                leg.points.front().x = from.x + *edge.fromOffset;
            if (edge.toOffset)
                leg.points.back().x = to.x + *edge.toOffset;
        }
        std::stable_sort(
            m_output.legs.begin(), m_output.legs.end(),
            [](const Leg& a, const Leg& b) { return a.edges.front() < b.edges.front(); });
    }

private:
    Point point(const std::string& x, const std::string& y) const {
        return {coordinate(x), m_output.height - coordinate(y)};
    }

    std::string_view node(const std::vector<std::string>& words) {
        const auto n = nodeNumber(words[1]);
        if (!n || *n >= m_input.nodes.size() || m_placed[*n])
            return "it names a node that was not sent";
        m_placed[*n] = 1;
        m_output.centers[*n] = point(words[2], words[3]);
        const LayeredNode& sent = m_input.nodes[*n];
        if (std::abs(coordinate(words[4]) - sent.width) > 2.5 ||
            std::abs(coordinate(words[5]) - sent.height) > 2.5)
            return "it changed the size of a node";
        return {};
    }

    std::string_view edge(const std::vector<std::string>& words) {
        const auto found = m_waiting.find({words[1], words[2]});
        const auto count = parseInteger(words[3]);
        if (found == m_waiting.end() || found->second.empty() || !count || *count < 4 ||
            *count % 3 != 1 || words.size() < 4 + 2 * static_cast<std::size_t>(*count))
            return "it names an edge that was not sent";
        Leg leg;
        leg.edges = {found->second.front()};
        found->second.erase(found->second.begin());
        for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i)
            leg.points.push_back(point(words[4 + 2 * i], words[5 + 2 * i]));
        m_output.legs.push_back(std::move(leg));
        return {};
    }

    std::string_view checked() const {
        if (std::find(m_placed.begin(), m_placed.end(), 0) != m_placed.end())
            return incomplete;
        for (const auto& [ends, edges] : m_waiting)
            if (!edges.empty())
                return incomplete;
        const auto isFinite = [](Point p) { return std::isfinite(p.x) && std::isfinite(p.y); };
        bool all = std::all_of(m_output.centers.begin(), m_output.centers.end(), isFinite);
        for (const Leg& leg : m_output.legs)
            all = all && std::all_of(leg.points.begin(), leg.points.end(), isFinite);
        return all ? std::string_view() : "it gave a coordinate that is no number";
    }

    const LayeredInput& m_input;
    LayeredOutput& m_output;
    std::vector<char> m_placed;
    std::map<std::pair<std::string, std::string>, std::vector<std::uint32_t>> m_waiting; // by ends
};

} // namespace

std::size_t passedLayers(const LayeredInput& input) {
    const Layers layers = assignLayers(input);
    std::size_t out = 0;
    for (const LayeredEdge& edge : input.edges) {
        const std::int32_t span = layers.slots[edge.to].layer - layers.slots[edge.from].layer;
        out += static_cast<std::size_t>(std::max(std::abs(span) - 1, 0));
    }
    return out;
}

std::string dotInput(const LayeredInput& input) {
    const auto sides = sidesOf(input);
    std::string out = "digraph g {\n";
    out += fmt::format(
        "graph [rankdir=TB nodesep={:.3f} ranksep={:.3f} splines=true nslimit=2 nslimit1=2 "
        "mclimit=0.5 searchsize=20];\n",
        input.nodeGap / perInch, (input.layerGap + 4) / perInch);
    out += "node [shape=box fixedsize=true label=\"\"];\nedge [arrowhead=none];\n";
    std::vector<char> table(input.nodes.size(), 0);
    for (std::size_t n = 0; n < input.nodes.size(); ++n) {
        const LayeredNode& node = input.nodes[n];
        table[n] = needsPorts(sides[n].upper) || needsPorts(sides[n].lower);
        if (table[n])
            out += fmt::format(
                "n{} [shape=plain fixedsize=false label=<<TABLE BORDER=\"0\" CELLBORDER=\"0\" "
                "CELLSPACING=\"0\" CELLPADDING=\"0\">{}{}</TABLE>>];\n",
                n, row('i', sides[n].upper, node.width, node.height / 2),
                row('o', sides[n].lower, node.width, node.height - node.height / 2));
        else
            out += fmt::format("n{} [width={:.4f} height={:.4f}];\n", n, node.width / perInch,
                               node.height / perInch);
    }
    const auto texts = edgeTexts(input, sides);
    for (std::size_t e = 0; e < input.edges.size(); ++e)
        if (input.edges[e].from != input.edges[e].to)
            out +=
                fmt::format("{} -> {} [weight={}];\n", texts[e].from, texts[e].to, texts[e].weight);
    return out + "}\n";
}

std::string readPlain(std::string_view plain, const LayeredInput& input, LayeredOutput& output) {
    PlainReader reader(input, output);
    const std::string_view trouble = reader.read(plain);
    if (trouble.empty())
        reader.finish();
    return std::string(trouble);
}

Result<LayeredOutput> dotLayout(const LayeredInput& input, const DrawOptions& options,
                                const CancelToken& cancel) {
    ProcessRequest request;
    request.command = {options.dotProgram, "-Tplain-ext"};
    request.input = dotInput(input);
    request.timeout = options.dotLimit;
    request.outputLimit = std::size_t{32} << 20;
    FW_TRY(const ProcessOutput answer, runProcess(request, cancel));
    if (answer.exitCode != 0)
        return makeDiag(DiagCode::LayoutFallback,
                        fmt::format("{} ended with {}", options.dotProgram, answer.exitCode));
    LayeredOutput output;
    const std::string trouble = readPlain(answer.output, input, output);
    if (!trouble.empty())
        return makeDiag(DiagCode::LayoutFallback, fmt::format("the answer of {} was not used: {}",
                                                              options.dotProgram, trouble));
    return output;
}

} // namespace fw::picture
