// What people can do in the graphs.
#include "views/graph/graphs_view.h"

#include <QAction>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::string_view anyHeat = "any";

} // namespace

// In the order in which they stand in menus.
void GraphsView::addCommands() {
    addZoomCommands();
    addPaneCommands();
    addBlockCommands();
    addReachCommands();
    addFilterCommands();
    addFactCommands();
    addHeatCommands();
    addWalkCommands();
}

void GraphsView::addZoomCommands() {
    const auto fit = addCommand(
        MenuPlace::Bar, u"Fit"_s, {},
        [this] {
            for (const ShownPane& shown : m_panes)
                shown.pane->canvas()->fitAll();
        },
        Needs::Nothing);
    fit->setToolTip(u"Fit all graphs"_s);
    addCommand(MenuPlace::Zoom, u"&Fit"_s, u"Ctrl+9"_s, [this] { current()->fitAll(); });
    addCommand(
        MenuPlace::Zoom, u"Fit &selection"_s, u"Ctrl+8"_s, [this] { current()->fitSelection(); },
        Needs::Model, OfNodes::Yes);
    addCommand(MenuPlace::Zoom, u"&100 %"_s, u"Ctrl+0"_s,
               [this] { current()->setScale(GraphCanvas::usualScale()); });
    addCommand(MenuPlace::Zoom, u"Zoom &in"_s, u"Ctrl++"_s,
               [this] { current()->setScale(current()->scale() * 1.25); });
    addCommand(MenuPlace::Zoom, u"Zoom &out"_s, u"Ctrl+-"_s,
               [this] { current()->setScale(current()->scale() / 1.25); });
    QAction* minimap = addCommand(
        MenuPlace::Zoom, u"&Minimap"_s, u"Ctrl+M"_s, [] {}, Needs::Nothing);
    minimap->setCheckable(true);
    minimap->setChecked(true);
    connect(minimap, &QAction::toggled, this, [this](bool on) {
        for (const ShownPane& shown : m_panes)
            shown.pane->canvas()->setMinimapShown(on);
    });
}

void GraphsView::addPaneCommands() {
    m_regionsCommand = addCommand(
        MenuPlace::Panes, u"&Regions of libraries"_s, u"Ctrl+Alt+J"_s, [] {}, Needs::Nothing);
    m_regionsCommand->setCheckable(true);
    connect(m_regionsCommand, &QAction::toggled, this, &GraphsView::setRegionsShown);
    m_jointCommand = addCommand(
        MenuPlace::Panes, u"&One layout for all graphs"_s, u"Ctrl+Alt+Q"_s, [] {}, Needs::Nothing);
    m_jointCommand->setCheckable(true);
    connect(m_jointCommand, &QAction::toggled, this, &GraphsView::setJoint);
    addCommand(MenuPlace::Panes, u"Choose what the pane shows …"_s, u"Ctrl+Alt+."_s, [this] {
        const std::size_t at = m_panes.current();
        Q_EMIT asked(OfferChoice{u"What the pane %1 shows"_s.arg(at + 1), choicesFor(at)});
    });
    addCommand(MenuPlace::Panes, u"Add a pane"_s, u"Alt+Shift+Right"_s, [this] { addPane(); });
    addCommand(MenuPlace::Panes, u"Take a pane away"_s, u"Alt+Shift+Left"_s,
               [this] { removePane(); });
    addCommand(
        MenuPlace::Pins, u"Pin re&gion to …"_s, u"Ctrl+Alt+Z"_s, [this] { offerRegion(); },
        Needs::Model, OfNodes::Yes);
}

void GraphsView::addBlockCommands() {
    addCommand(MenuPlace::Blocks, u"&Close all blocks"_s, u"Ctrl+Alt+-"_s,
               [this] { collapse()->closeEverything(); });
    addCommand(MenuPlace::Blocks, u"&Open all blocks"_s, u"Ctrl+Alt++"_s,
               [this] { collapse()->openEverything(); });
    addCommand(
        MenuPlace::Blocks, u"Close the &block around"_s, u"Ctrl+Backspace"_s,
        [this] {
            const GraphPane* shown = pane(m_panes.current());
            if (current() == shown->canvas())
                collapse()->closeAround(shown, current()->selected());
        },
        Needs::Model, OfNodes::Yes);
    const auto walkCopies = [this](int step) { m_picked.walkCopies(m_panes.current(), step); };
    addCommand(
        MenuPlace::Walk, u"Same place in the next &copy"_s, u"Ctrl+Alt+]"_s,
        [walkCopies] { walkCopies(+1); }, Needs::Model, OfNodes::Yes);
    addCommand(MenuPlace::Walk, u"Same place in the copy &before"_s, u"Ctrl+Alt+["_s,
               [walkCopies] { walkCopies(-1); });
}

void GraphsView::addReachCommands() {
    addCommand(
        MenuPlace::Filters, u"&Trace up and down stream (T)"_s, u"Ctrl+Alt+0"_s,
        [this] { m_reach.trace(); }, Needs::Model, OfNodes::Yes);
    addCommand(
        MenuPlace::Filters, u"Only the &neighbourhood, a step more (I)"_s, u"Ctrl+Alt+9"_s,
        [this] { m_filters.around(+1); }, Needs::Model, OfNodes::Yes);
    addCommand(MenuPlace::Filters, u"The neighbourhood, a step &less (Shift+I)"_s, u"Ctrl+Alt+8"_s,
               [this] { m_filters.around(-1); });
}

void GraphsView::addFilterCommands() {
    using Filtering = GraphCanvas::Filtering;
    addCommand(
        MenuPlace::Filters, u"Hi&de the selection (H)"_s, u"Ctrl+Alt+Shift+6"_s,
        [this] { filter(Filtering::Hide); }, Needs::Model, OfNodes::Yes);
    addCommand(
        MenuPlace::Filters, u"&Only the selection (O)"_s, u"Ctrl+Alt+Shift+7"_s,
        [this] { filter(Filtering::Only); }, Needs::Model, OfNodes::Yes);
    addCommand(MenuPlace::Filters, u"Show e&verything (Shift+H)"_s, u"Ctrl+Alt+Shift+8"_s,
               [this] { filter(Filtering::Everything); });
    addCommand(MenuPlace::Filters, u"Take a &filter out …"_s, u"Ctrl+Alt+Shift+9"_s,
               [this] { offerFilters(); });
}

void GraphsView::addFactCommands() {
    const auto fact = [&](const QString& name, const QString& keys, const QString& word,
                          bool picture::BoxFacts::*member) {
        QAction* action = addCommand(
            MenuPlace::Boxes, name, keys,
            [this, member] {
                picture::BoxFacts facts = m_pictures.facts();
                facts.*member = !(facts.*member);
                setFacts(facts);
            },
            Needs::Nothing);
        action->setCheckable(true);
        action->setChecked(m_pictures.facts().*member);
        m_factCommands.push_back({action, word, member});
    };
    using Facts = picture::BoxFacts;
    fact(u"Names in bo&xes"_s, u"Ctrl+Alt+Shift+1"_s, u"names"_s, &Facts::names);
    fact(u"&Attributes in boxes"_s, u"Ctrl+Alt+Shift+2"_s, u"attributes"_s, &Facts::attributes);
    fact(u"Shapes of &weights in boxes"_s, u"Ctrl+Alt+Shift+3"_s, u"weights"_s, &Facts::weights);
    fact(u"Edges as wide as their &bytes"_s, u"Ctrl+Alt+Shift+4"_s, u"bytes"_s, &Facts::bytes);
    fact(u"&Reorders of libraries"_s, u"Ctrl+Alt+Shift+0"_s, u"reorders"_s, &Facts::reorders);
    fact(u"Edges by what they &carry"_s, u"Ctrl+Alt+Shift+5"_s, u"carried"_s, &Facts::classes);
}

void GraphsView::setFacts(const picture::BoxFacts& facts) {
    m_pictures.setFacts(facts);
    for (const FactCommand& command : m_factCommands)
        command.action->setChecked(facts.*command.member);
}

QString GraphsView::switched() const {
    QStringList out{u"boxes"_s}; // none of them is something, too
    for (const FactCommand& command : m_factCommands)
        if (m_pictures.facts().*command.member)
            out << command.word;
    return out.join(u' ');
}

void GraphsView::switchTo(const QString& facts) {
    const QStringList words = facts.split(u' ');
    if (words.front() != u"boxes"_s)
        return;
    picture::BoxFacts out = m_pictures.facts();
    for (const FactCommand& command : m_factCommands)
        out.*command.member = words.contains(command.word);
    setFacts(out);
}

void GraphsView::addHeatCommands() {
    const auto heat = [&](const QString& name, const QString& keys, std::string_view by) {
        m_heatCommands[by] = addCommand(
            MenuPlace::Heat, name, keys, [this, by] { setHeat(by); }, Needs::Nothing);
    };
    heat(u"No &heat"_s, u"Ctrl+H"_s, noHeat);
    heat(u"Heat by &time"_s, u"Ctrl+Shift+H"_s, "time");
    heat(u"Heat by time &per operation"_s, u"Ctrl+Alt+H"_s, "pace");
    heat(u"Heat by diff&erence to the baseline"_s, u"Ctrl+Alt+Shift+H"_s, heatByDifference);
    m_heatCommands[anyHeat] =
        addCommand(MenuPlace::Heat, u"Heat by any num&ber …"_s, u"Ctrl+Alt+Shift+G"_s, [this] {
            setHeat(m_heat.by()); // it is checked by what is chosen
            Q_EMIT asked(OfferChoice{u"Colour boxes by"_s,
                                     m_heat.choices([this](auto by) { setHeat(by); })});
        });
    for (auto& [by, command] : m_heatCommands) {
        command->setCheckable(true);
        command->setChecked(by == m_heat.by());
    }
}

void GraphsView::setHeat(std::string_view by) {
    m_heat.set(by);
    const bool isOwn = m_heatCommands.contains(by);
    for (auto& [one, command] : m_heatCommands)
        command->setChecked(one == (isOwn ? by : anyHeat));
}

void GraphsView::addWalkCommands() {
    addCommand(MenuPlace::Walk, u"&Next operator"_s, u"Ctrl+]"_s,
               [this] { m_picked.walk(side(), +1); });
    addCommand(MenuPlace::Walk, u"&Previous operator"_s, u"Ctrl+["_s,
               [this] { m_picked.walk(side(), -1); });
    addCommand(MenuPlace::Picture, u"Save &picture…"_s, u"Ctrl+Alt+E"_s, [this] {
        Q_EMIT asked(SavePicture{current()->picture(), side() == GraphSide::Imported
                                                           ? u"Save the imported graph"_s
                                                           : u"Save the fused graph"_s});
    });
}

} // namespace fw::ui
