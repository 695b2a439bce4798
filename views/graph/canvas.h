// GraphCanvas: paints a Picture and lets people walk in it. It owns no graph: it is given a
// picture, shows it, and reports what was selected by the ids that the picture carries. Selections
// are sets of box ids; a click on a container's frame selects its members.
//
//   drag, wheel, middle drag   move            Ctrl+wheel, + - 0     zoom (0: 100 %)
//   click, Ctrl+click          select, toggle  Shift+drag, Ctrl+drag  select or zoom into a
//   rectangle arrows, Shift+arrows       walk, extend    Enter, double click   activate Space or F
//   fit selection or all                  M  minimap   Esc  select nothing
//   Shift+Enter  activate with all inside  Backspace  leave
//   T, I  trace, only what is around
#pragma once

#include "views/common/halo.h"
#include "views/common/theme.h"
#include "views/graph/legend.h"
#include "views/graph/scene_index.h"

#include <QAbstractScrollArea>
#include <QImage>
#include <QPixmap>

#include <map>
#include <optional>
#include <set>

class QPainter;

namespace fw::ui {

class GraphCanvas : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit GraphCanvas(QWidget* parent = nullptr);

    // The view starts at the top when nothing was shown before; otherwise a selected box that lives
    // on stays where it is on the screen, or the uppermost in view that does, or the middle of the
    // picture. Selected ids that are
    // gone leave the selection without a signal.
    void setPicture(std::shared_ptr<const picture::Picture> picture);
    void setIndex(std::shared_ptr<const SceneIndex> index); // of a picture; for large ones
    std::shared_ptr<const picture::Picture> picture() const { return m_picture; }

    // In the next picture the box `box` stays where its middle is now, or comes to `at`. As a
    // container (with its id, or `container`) it does so with the middle of its header.
    void hold(std::int64_t box, std::int64_t container, std::optional<QPointF> at);

    // Does not emit selectionChanged: only people do.
    void setSelected(const Ids& ids);
    Ids selected() const { return Ids(m_selected.begin(), m_selected.end()); }
    std::int64_t focused() const { return m_focus; } // the one selected last; -1: none
    // Scrolls only when the box is outside the middle of the view.
    void reveal(std::int64_t id);
    void centerOn(std::int64_t id);

    // Values 0..1 colour boxes instead of their fill, and the headers of containers; empty switches
    // it off. `most` is what the legend says of 1.
    using HeatOf = std::map<std::int64_t, double>; // by id
    // 0 to 1, or, BothWays, from -1 to 1.
    enum class HeatScale : std::uint8_t { FromZero, BothWays };
    void setHeat(HeatOf boxes, HeatOf containers = {}, const QString& most = {},
                 HeatScale scale = HeatScale::FromZero);
    const HeatOf& heat() const { return m_heat; }
    const QString& heatMost() const { return m_heatMost; }
    // What keeps its place and is not to be seen.
    struct Hidden {
        std::set<std::int64_t> boxes;
        std::set<std::pair<std::int64_t, std::int64_t>> edges; // by the boxes that they join
        std::set<std::int64_t> containers;
        bool operator==(const Hidden&) const = default;
    };
    void setHidden(Hidden hidden);
    bool isHidden(std::int64_t box) const { return m_hidden.boxes.contains(box); }
    // Everything else is dimmed; none: nothing is.
    void setLit(std::optional<std::set<std::int64_t>> boxes);
    const std::optional<std::set<std::int64_t>>& lit() const { return m_lit; }
    // Whether the picture is of some of the graph only: Esc ends that first.
    enum class Part : std::uint8_t { All, Some };
    enum class Filtering : std::uint8_t { Hide, Only, Everything }; // the selection, or nothing
    void setPart(Part part) { m_part = part; }
    void setHalos(std::vector<Halo> halos);
    const std::vector<Halo>& halos() const { return m_halos; }
    void setTheme(ThemeKind theme);
    // A view of thousands of items is painted bit by bit, and until it is complete the last one
    // stands in for it. AtOnce is for those who take what is painted, as a file.
    enum class Painting : std::uint8_t { InSlices, AtOnce };
    void setPainting(Painting painting) { m_painting = painting; }
    bool complete() const; // nothing is left to paint
    void setMinimapShown(bool shown);
    bool minimapShown() const { return m_minimapShown; }

    double scale() const { return m_scale; }
    static double usualScale();  // 100 %: texts are as large as those of the window
    void setScale(double scale); // keeps the middle of the view
    void fitAll();
    // All of it if it can be read then; else as much as can be, around the box.
    void fitReadable(std::int64_t box = -1);
    void fitSelection(); // or all, when nothing is selected
    // All of these, not smaller than that; then as much of them as has room.
    void fitBoxes(const Ids& ids, double least);
    void fitContainer(std::int64_t id); // or all, where it is not there
    // Shows the part of its picture that `other` shows of one of equal size.
    void follow(const GraphCanvas& other);

    // In viewport coordinates; empty or (-1, -1) for unknown ids.
    QRectF nodeRect(std::int64_t id) const;
    QPoint nodeCenter(std::int64_t id) const;
    picture::Point toScene(QPointF viewport) const;
    QPointF toViewport(picture::Point scene) const;
    QRectF minimapRect() const; // empty: not shown
    QRectF freeRect() const;    // of the viewport: no legend and no minimap lies over it
    struct MapLabel {
        QRectF place; // in the viewport
        QString text;
        bool dimmed = false;
    };
    std::vector<MapLabel> mapLabels() const; // names of blocks where their titles are too small
    // What is painted now: scale, visible items with marks. For tests.
    QString dump() const;

Q_SIGNALS:
    void selectionChanged(const std::vector<std::int64_t>& ids);
    void activated(std::int64_t id, QPointF at); // double click or Enter on a box, and where
    void containerActivated(std::int64_t id, QPointF at); // likewise, on a container's frame
    void wholeActivated(std::int64_t id, QPointF at);     // Shift+Enter on a box
    void leaveWanted();                                   // Backspace
    void traceWanted();                                   // T
    void aroundWanted(int by);                            // I, Shift+I: a step more, or less
    void filterWanted(Filtering what);                    // H, O, Shift+H
    void escaped();                                       // Esc, while something is lit or a part
    void hovered(std::int64_t id);                        // -1: nothing
    void scaleChanged(double scale);
    void moved();                                              // or zoomed
    void menuRequested(std::int64_t id, const QPoint& global); // -1: on the background

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    void takeGestures();
    bool gesture(QEvent* event); // false: it is none that means something here
    static constexpr double largestScale = 6;
    enum class Drag : std::uint8_t { None, Press, Pan, Select, Zoom, Minimap };

    void showStart();
    void zoomTo(const picture::Rect& rect, double largest);
    void zoomAround(QPointF viewport, double scale);
    void moveTo(QPointF offset);        // keeps part of the picture in view
    QPointF scrolled(QPointF by) const; // where a turn of the wheel leads
    void changeSelection(std::set<std::int64_t> ids, std::int64_t focus);
    picture::Owner ownerAt(QPointF at) const; // in viewport coordinates
    bool isHidden(const picture::Owner& owner) const;
    Ids idsAt(QPointF at) const;
    std::int64_t openerAt(QPointF at) const; // the box with this + or −; -1: there is none
    void click(QPointF at, Qt::KeyboardModifiers modifiers);
    void walk(Direction direction, Qt::KeyboardModifiers modifiers);
    void hover(std::int64_t id);
    void describe();
    QString tipAt(QPointF at) const;
    picture::Rect visibleScene() const;
    QSizeF minimapSize() const;  // empty: none at this scale
    double mapColumn() const;    // what it takes of the width; 0: nothing lies below it
    double legendHeight() const; // 0: nothing to explain
    Legend legend() const;

    // What is in view, painted or to be painted.
    struct View {
        QPointF offset;
        double scale = 0;
        QSize size;
        std::uint64_t look = 0; // m_look
        bool operator==(const View&) const = default;
    };
    struct Layer {
        View view;
        QImage image;
    };
    View view() const;
    void changeLook(); // everything is painted anew
    void paintItems(QPainter& painter);
    void paintSlice();
    void showLayer(QPainter& painter, const Layer& layer) const;
    void prepare(QPainter& painter) const; // for items
    void paintItem(QPainter& painter, const picture::Item& item) const;
    void paintRect(QPainter& painter, const picture::RectItem& item) const;
    void paintHeader(QPainter& painter, const picture::RectItem& item) const; // if it has a heat
    std::optional<picture::Rgb> heatOf(const picture::Owner& owner) const;
    void paintText(QPainter& painter, const picture::TextItem& item) const;
    bool isUnderLabel(const picture::Owner& owner) const; // of the map
    bool isReadable(const picture::TextItem& item) const; // at this scale, and no label is over it
    void paintPath(QPainter& painter, const picture::PathItem& item) const;
    void paintHalos(QPainter& painter) const;
    void paintLabelsOver(QPainter& painter, const std::vector<QRectF>& halos) const;
    void paintMapLabels(QPainter& painter) const;
    void paintFocus(QPainter& painter) const; // where the keys go
    void paintMinimap(QPainter& painter);
    void paintLegend(QPainter& painter) const;
    void refreshEmphasis();
    bool refreshWay(); // whether other lines stand out now
    void refreshHidden();
    void refreshBridges();
    void refreshLit();
    bool isDimmed(const picture::Owner& owner) const;
    QColor colour(Colour meaning) const { return toQt(picture::rgb(meaning, m_theme)); }

    std::shared_ptr<const picture::Picture> m_picture;
    std::shared_ptr<const SceneIndex> m_index; // never null
    ThemeKind m_theme = ThemeKind::Light;
    double m_scale = 1;
    QPointF m_offset; // of the viewport's corner in scaled scene pixels
    bool m_startPending = false;
    bool m_atStart = false; // nothing moved since the beginning was shown

    std::set<std::int64_t> m_selected;
    std::set<std::int64_t> m_wholeContainers; // all members selected
    std::int64_t m_clickedContainer = -1;     // whose frame was clicked last
    std::vector<char> m_emphasised;           // per edge of the diagram: touches the selection
    std::vector<char> m_onWay;                // per edge of the diagram; empty: none
    Hidden m_hidden;
    std::vector<char> m_hiddenEdges; // per edge of the diagram
    // Where lines that end at the frame of a hidden container go on below its header.
    std::map<const picture::PathItem*, std::vector<picture::Point>> m_bridges;
    std::optional<std::set<std::int64_t>> m_lit;
    std::set<std::int64_t> m_litContainers;
    Part m_part = Part::All;
    std::vector<char> m_dimmedEdges; // per edge of the diagram; empty: none
    std::int64_t m_focus = -1, m_cameFrom = -1;
    struct Held {
        std::int64_t box = -1, container = -1;
        QPointF at;
    };
    std::optional<QPointF> placeOf(std::int64_t box, std::int64_t container) const;
    std::optional<Held> m_held; // for the next picture
    struct Seen {
        std::int64_t box = -1;
        std::string label;
        QPointF at; // in the viewport
    };
    std::vector<Seen> uppermostSeen() const;
    std::int64_t m_hovered = -1;
    HeatOf m_heat, m_containerHeat;
    QString m_heatMost;
    std::set<picture::MakerRecord> m_makers; // of what is not hidden
    HeatScale m_heatScale = HeatScale::FromZero;
    std::vector<Halo> m_halos;

    Drag m_drag = Drag::None;
    QPointF m_pressed, m_dragOffset, m_current;
    Qt::KeyboardModifiers m_pressModifiers;
    bool m_minimapShown = true;
    QPixmap m_minimap;

    Painting m_painting = Painting::InSlices;
    std::uint64_t m_look = 0;           // grows with everything that changes how items look
    View m_itemsView;                   // of m_items
    std::vector<std::uint32_t> m_items; // in view
    Layer m_shown, m_made;              // complete; being painted, up to m_painted
    std::size_t m_painted = 0;
};

} // namespace fw::ui
