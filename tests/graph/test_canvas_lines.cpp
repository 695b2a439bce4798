// Lines of the canvas: those that stand out, those that go on where a frame is hidden, what stands
// on them; and what opens a box.
#include "common/test.h"
#include "picture/diagrams.h"
#include "picture/picture.h"
#include "views/graph/canvas.h"

#include <QApplication>
#include <QSignalSpy>

using namespace fw;
using namespace fw::ui;
using picture::Grouping;

class TestCanvasLines : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void wayIsAPath();
    void linesCrossHiddenFrames();
    void labelsLieOverHalos();
    void openersAreClicked();

private:
    static std::shared_ptr<const picture::Picture> drawn(const picture::Diagram& diagram) {
        picture::DrawOptions options;
        options.engine = picture::EngineChoice::Layered;
        auto result = picture::draw(diagram, options);
        return result.ok() ? std::make_shared<const picture::Picture>(result.take()) : nullptr;
    }

    void click(QPoint at) { QTest::mouseClick(m_canvas->viewport(), Qt::LeftButton, {}, at); }

    std::unique_ptr<GraphCanvas> m_canvas;
};

void TestCanvasLines::init() {
    m_canvas = std::make_unique<GraphCanvas>();
    m_canvas->resize(700, 900);
    m_canvas->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_canvas.get()));
}

// From box to box the lines stand out, and only these.
void TestCanvasLines::wayIsAPath() {
    m_canvas->setPicture(drawn(picture::randomDiagram(3, 20, Grouping::Flat)));
    m_canvas->setTheme(ThemeKind::Light);
    m_canvas->setScale(1);
    const auto link = m_canvas->picture()->links.front();
    m_canvas->centerOn(link.from);
    const QColor failing = toQt(picture::rgb(Colour::Failing, ThemeKind::Light));
    const QRectF from = m_canvas->nodeRect(link.from), to = m_canvas->nodeRect(link.to);
    const auto painted = [&] { // between the two boxes, below the frame of the upper one
        const QImage image = m_canvas->viewport()->grab().toImage();
        const int top = int(std::min(from.bottom(), to.bottom())) + 10;
        const int bottom = int(std::max(from.top(), to.top())) - 10;
        int out = 0;
        for (int y = std::max(top, 0); y < std::min(bottom, image.height()); ++y)
            for (int x = 0; x < image.width(); ++x)
                out += image.pixelColor(x, y) == failing;
        return out;
    };
    QCOMPARE(painted(), 0);
    m_canvas->setHalos({{{link.from, link.to}, Halo::Look::Way, {}}});
    QVERIFY(painted() > 0);
    m_canvas->setHalos({{{link.to, link.from}, Halo::Look::Way, {}}}); // no line leads back
    QCOMPARE(painted(), 0);
    m_canvas->setHalos({});
    QCOMPARE(painted(), 0);
}

// A hidden group leaves no gap in the lines that come into it.
void TestCanvasLines::linesCrossHiddenFrames() {
    picture::Diagram d;
    d.name = "framed";
    for (const std::int64_t id : {1, 2, 3}) {
        picture::Box box;
        box.id = id;
        box.title = "relu";
        box.container = id == 1 ? -1 : 50;
        d.boxes.push_back(box);
    }
    d.containers.push_back({50, "group", "", picture::MakerRecord{picture::Maker::Generated, {}}});
    for (const std::int64_t id : {1, 2}) {
        picture::Edge edge;
        edge.from = id;
        edge.to = id + 1;
        d.edges.push_back(edge);
    }
    m_canvas->setPicture(drawn(d));
    m_canvas->setTheme(ThemeKind::Light);
    m_canvas->setScale(1);
    const auto& frame = m_canvas->picture()->containers.front();
    const auto gaps = [&] { // rows of the header that nothing is painted in
        const QImage image = m_canvas->viewport()->grab().toImage();
        const QColor canvas = toQt(picture::rgb(Colour::Canvas, ThemeKind::Light));
        const QPointF left = m_canvas->toViewport({frame.rect.x, frame.rect.y});
        int out = 0;
        for (int y = int(left.y()) + 1; y < int(left.y() + frame.headerHeight); ++y) {
            bool any = false;
            for (int x = int(left.x()); x < int(left.x() + frame.rect.width); ++x)
                any = any || image.pixelColor(x, y) != canvas;
            out += !any;
        }
        return out;
    };
    GraphCanvas::Hidden hidden;
    hidden.containers = {50};
    m_canvas->setHidden(hidden);
    QCOMPARE(gaps(), 0);
    hidden.edges = {{1, 2}}; // then nothing comes in
    m_canvas->setHidden(hidden);
    QVERIFY(gaps() > 10);
}

// In pixels halos are as far from boxes at any scale, and what stands on edges comes nearer.
void TestCanvasLines::labelsLieOverHalos() {
    m_canvas->setPicture(drawn(picture::randomDiagram(3, 20, Grouping::Flat)));
    m_canvas->setTheme(ThemeKind::Light);
    m_canvas->setScale(0.5);
    m_canvas->centerOn(5);
    std::vector<Halo> halos;
    std::vector<QRectF> covered;
    for (const picture::Item& item : m_canvas->picture()->items)
        if (const auto* text = std::get_if<picture::TextItem>(&item);
            text && text->role == picture::TextRole::EdgeLabel) {
            const picture::Rect place = boundsOf(item);
            const QRectF seen(m_canvas->toViewport({place.x, place.y}),
                              QSizeF(place.width, place.height) * 0.5);
            for (const picture::PlacedBox& box : m_canvas->picture()->boxes)
                if (const QRectF frame = m_canvas->nodeRect(box.id).adjusted(-6, -6, 6, 6);
                    frame.intersects(seen) &&
                    m_canvas->viewport()->rect().contains(seen.toAlignedRect())) {
                    halos.push_back({{box.id}, Halo::Look::Match, {}});
                    covered.push_back(seen.adjusted(1, 1, -1, -1));
                }
        }
    QVERIFY(!halos.empty());
    m_canvas->setHalos(halos);
    const QImage image = m_canvas->viewport()->grab().toImage();
    const QColor line = toQt(picture::rgb(Colour::Match, ThemeKind::Light));
    for (const QRectF& label : covered)
        for (int y = int(label.top()) + 1; y < int(label.bottom()); ++y)
            for (int x = int(label.left()) + 1; x < int(label.right()); ++x)
                QVERIFY(image.pixelColor(x, y) != line);
}

void TestCanvasLines::openersAreClicked() {
    picture::Diagram diagram = picture::residualBlock();
    diagram.boxes[4].inside = picture::Inside::Closed;
    m_canvas->setPicture(drawn(diagram));
    QSignalSpy activated(m_canvas.get(), &GraphCanvas::activated);
    const std::int64_t id = diagram.boxes[4].id;
    m_canvas->centerOn(id);
    const picture::PlacedBox& box = m_canvas->picture()->boxes[4];
    click(m_canvas->toViewport(box.opener.center()).toPoint());
    QCOMPARE(activated.size(), 1);
    QCOMPARE(activated[0][0].toLongLong(), id);
    QVERIFY(m_canvas->selected().empty());
    QTest::mouseDClick(m_canvas->viewport(), Qt::LeftButton, {},
                       m_canvas->toViewport(box.opener.center()).toPoint());
    QCOMPARE(activated.size(), 1); // the first click of two did it
    click(m_canvas->nodeCenter(id));
    QCOMPARE(activated.size(), 1);
    QCOMPARE(m_canvas->selected(), Ids{id});
}

FW_TEST(TestCanvasLines, QApplication)
#include "test_canvas_lines.moc"
