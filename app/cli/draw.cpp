#include "draw.h"

#include "gathered.h"

#include "base/files.h"
#include "picture/graph_diagram.h"
#include "picture/picture.h"
#include "picture/writers.h"
#include "render.h"
#include "snapshot/filters.h"
#include "snapshot/hidden.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fw::cli {

using namespace snapshot;

namespace {

Result<GraphDocument> askGraph(Client& client, const Arguments& arguments,
                               const std::string& stage) {
    Arguments one = arguments;
    one.stage = stage;
    FW_TRY(const std::string answer, client.ask("graph", one, {}));
    return fromJson<GraphDocument>(answer);
}

picture::DiagramOptions shownIn(const GraphDocument& graph, const Asked& arguments) {
    picture::DiagramOptions out;
    out.facts.classes = arguments.edges;
    const bool bodies = arguments.bodies.value_or(false);
    if (!arguments.depth && !bodies)
        return out;
    out.blocks = std::make_shared<const Hierarchy>(hierarchyOf(graph));
    if (arguments.depth) // bodies are a level like others
        out.view = openTo(*out.blocks, static_cast<std::uint32_t>(*arguments.depth));
    else
        for (const Block& block : out.blocks->blocks)
            if (block.closedAtFirst)
                out.view.set(block, BlockView::Rest::Open);
    return out;
}

// What is asked for finds something, or a picture of everything would be taken for it.
Result<GraphDocument> filtered(GraphDocument graph, const Asked& arguments) {
    NodeSet hidden;
    const NodeSearch search(graph, nullptr, nullptr);
    const auto hide = [&](KeptFilter::Shows shows, const std::string& query) -> Status {
        const KeptFilter filter{shows, query, {}, 0};
        FW_TRY(const NodeSet these, filteredBy(filter, graph, search));
        if (these.empty())
            return makeDiag(DiagCode::Usage, "nothing is found by " + query, {},
                            "a query is words, or like \"op:conv2d groups>1\"");
        const NodeSet out = hiddenBy(filter, graph, these);
        hidden.insert(out.begin(), out.end());
        return {};
    };
    for (const std::string& query : arguments.hide)
        FW_CHECK(hide(KeptFilter::Shows::Others, query));
    for (const std::string& query : arguments.only)
        FW_CHECK(hide(KeptFilter::Shows::These, query));
    return hidden.empty() ? std::move(graph) : withoutHidden(graph, hidden).graph;
}

} // namespace

Result<DrawDocument> drawModel(Client& client, const Asked& arguments) {
    const std::optional<int>& depth = arguments.depth;
    if (depth && *depth < 0)
        return makeDiag(DiagCode::Usage, "blocks are closed from a level of 0 or more on", {},
                        "--depth 0 shows the top level");
    const bool dot = arguments.output.ends_with(".dot");
    if (!dot && !arguments.output.ends_with(".svg"))
        return makeDiag(DiagCode::Usage,
                        "a picture is written as .svg or .dot, not as " + arguments.output, {},
                        "fusewright --export FILE writes .png and .pdf");
    DrawDocument out;
    out.file = arguments.output;
    const bool isWhole = arguments.body.empty();
    if (!isWhole && !arguments.stage.empty() && arguments.stage != "imported")
        return makeDiag(DiagCode::Usage, "a body is drawn as imported, not as " + arguments.stage,
                        {}, "leave out --stage");
    Result<GraphDocument> graph = askGraph(client, arguments,
                                           !isWhole                  ? "imported"
                                           : arguments.stage.empty() ? "fused"
                                                                     : arguments.stage);
    if (!graph && isWhole && arguments.stage.empty()) {
        out.notices.push_back("drawn as imported: " + graph.diag().text());
        graph = askGraph(client, arguments, "imported");
    }
    if (!graph)
        return graph.takeDiag();
    out.stage = graph->stage;
    for (std::string& text : gathered(graph->diagnostics))
        out.notices.push_back(std::move(text));
    for (const InsideRecord& body : graph->insides)
        if (!body.leftOut.empty())
            out.notices.push_back(body.path + " is left out: " + body.leftOut);
    FW_TRY(const GraphDocument drawn, filtered(std::move(*graph), arguments));
    const picture::DiagramOptions options = shownIn(drawn, arguments);
    const picture::Diagram diagram = picture::diagramOf(drawn, options);
    out.nodes = static_cast<std::int64_t>(diagram.boxes.size());
    if (dot) {
        FW_CHECK(writeFile(out.file, picture::dotText(diagram)));
        return out;
    }
    FW_TRY(const picture::Picture picture, picture::draw(diagram));
    for (const Decision& decision : picture.decisions)
        out.notices.push_back(decision.sentence());
    out.width = picture.width;
    out.height = picture.height;
    FW_CHECK(writeFile(out.file, picture::svgText(picture)));
    return out;
}

} // namespace fw::cli
