#include "picture/picture.h"

#include "picture/compose.h"
#include "picture/dot_layout.h"
#include "picture/layout_memo.h"

#include <fmt/format.h>

#include <cmath>

namespace fw::picture {
namespace {

// One decimal at most, so that golden files do not depend on the last bit.
std::string coordinate(double value) {
    const double rounded = std::round(value * 10) / 10;
    return fmt::format("{:g}", rounded == 0 ? 0.0 : rounded);
}

std::string ownerText(Owner owner) {
    switch (owner.kind) {
    case OwnerKind::None:
        return "-";
    case OwnerKind::Box:
        return fmt::format("box {}", owner.id);
    case OwnerKind::Container:
        return fmt::format("container {}", owner.id);
    case OwnerKind::Edge:
        return fmt::format("edge {}", owner.id);
    case OwnerKind::Leaving:
        return fmt::format("leaving {}", owner.id);
    case OwnerKind::Arriving:
        return fmt::format("arriving {}", owner.id);
    }
    return "-";
}

struct Dumper {
    std::string& out;

    void operator()(const RectItem& item) const {
        out += fmt::format("rect {} at {} {} size {} {} fill {} line {}\n", ownerText(item.owner),
                           coordinate(item.rect.x), coordinate(item.rect.y),
                           coordinate(item.rect.width), coordinate(item.rect.height),
                           colourText(item.fill), colourText(item.line));
    }
    void operator()(const TextItem& item) const {
        out += fmt::format("text {} at {} {} colour {} {}\n", ownerText(item.owner),
                           coordinate(item.position.x), coordinate(item.position.y),
                           colourText(item.colour), item.text);
    }
    void operator()(const PathItem& item) const {
        out += fmt::format("path {}{}", ownerText(item.owner),
                           item.arrow == Arrow::End ? " arrow" : "");
        for (const Point p : item.points)
            out += fmt::format(" {},{}", coordinate(p.x), coordinate(p.y));
        out += '\n';
    }
};

} // namespace

std::string dump(const Picture& picture) {
    std::string out =
        fmt::format("picture {} {}\n", coordinate(picture.width), coordinate(picture.height));
    for (const Item& item : picture.items)
        std::visit(Dumper{out}, item);
    return out;
}

namespace {

// A group is one box of `input`; people hear of all that are drawn.
Result<LayeredOutput> layOut(const LayeredInput& input, const Diagram& diagram,
                             const DrawOptions& options, const CancelToken& cancel,
                             Picture& picture) {
    const auto say = [&](ReasonCode code, std::string why) {
        picture.decisions.push_back({picture.name, Verdict::Note, code, std::move(why)});
    };
    const std::size_t boxes = input.nodes.size();
    if (options.engine == EngineChoice::Layered) {
        say(ReasonCode::LayoutEngine, "it was asked for");
    } else if (options.engine == EngineChoice::Auto && diagram.hasBlocks) {
        say(ReasonCode::LayoutEngine, "blocks are laid out level by level");
    } else if (options.engine == EngineChoice::Auto && boxes > options.dotMaxBoxes) {
        say(ReasonCode::LayoutEngine, fmt::format("{} boxes are more than the {} given to Graphviz",
                                                  boxes, options.dotMaxBoxes));
    } else if (const std::size_t passed = passedLayers(input);
               options.engine == EngineChoice::Auto && passed > mostPassed) {
        say(ReasonCode::LayoutEngine,
            fmt::format("the edges pass {} layers, more than the {} given to Graphviz", passed,
                        mostPassed));
    } else if (boxes > 0) {
        auto dot = dotLayout(input, options, cancel);
        if (dot.ok()) {
            picture.engine = LayoutEngine::Dot;
            say(ReasonCode::LayoutGraphviz, fmt::format("{} boxes", diagram.boxes.size()));
            return dot;
        }
        const DiagCode code = dot.diag().code;
        if (code == DiagCode::Cancelled)
            return dot;
        if (code == DiagCode::FileMissing)
            say(ReasonCode::LayoutEngine, fmt::format("{} cannot be started", options.dotProgram));
        else if (code == DiagCode::LimitReached)
            say(ReasonCode::LayoutEngine,
                fmt::format("{} took longer than {} ms", options.dotProgram,
                            options.dotLimit.count()));
        else
            say(ReasonCode::LayoutEngine, dot.diag().message);
    }
    return layered(input, cancel);
}

} // namespace

Result<Picture> draw(const Diagram& diagram, const DrawOptions& options,
                     const CancelToken& cancel) {
    FW_TRY(Composition composition,
           compose(diagram, diagram.hasBlocks ? options.memo.get() : nullptr, cancel));
    Picture picture;
    picture.name = diagram.name;
    FW_TRY(LayeredOutput outer, layOut(composition.outer.input, diagram, options, cancel, picture));
    composition.outer.input = {};
    paint(diagram, std::move(composition), std::move(outer), picture);
    if (options.memo)
        options.memo->endPicture();
    return picture;
}

} // namespace fw::picture
