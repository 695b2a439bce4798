// The canvas under mouse and keys, by ids and scene points; what it paints is compared as text.
#include "common/test.h"
#include "common/thread_time.h"
#include "picture/diagrams.h"
#include "views/graph/canvas.h"

#include <QApplication>
#include <QSignalSpy>
#include <QWheelEvent>

using namespace fw;
using namespace fw::ui;
using picture::DrawOptions;
using picture::EngineChoice;
using picture::Grouping;

class TestCanvas : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        qRegisterMetaType<std::vector<std::int64_t>>("std::vector<std::int64_t>");
    }
    void init();
    void cleanup() { m_canvas.reset(); }

    void nothingShown();
    void clickSelects();
    void containersSelectTheirMembers();
    void edgesSelectTheirEnds();
    void menuIsAboutWhatLiesBelow();
    void ownChangesAreSilent();
    void keysWalk();
    void zoomKeepsThePointUnderTheCursor();
    void dragMovesAndKeepsThePictureInView();
    void rubberBand();
    void fitShowsAll();
    void detailsGoWithTheScale();
    void newPictureKeepsTheSelectedPlace();
    void heatAndTheme();
    void halosAreFrames();
    void minimapMoves();
    void minimapGivesWay();
    void minimapHidesNothing();
    void middleStaysInTheMiddle();
    void hoverAndTip();
    void largePictureIsFast();
    void slicesMakeTheSamePicture();
    void indexFindsWhatOverlaps();
    void screenshots();

private:
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(m_canvas.get(), key, modifiers);
    }
    void click(QPoint at, Qt::KeyboardModifiers modifiers = {}) {
        QTest::mouseClick(m_canvas->viewport(), Qt::LeftButton, modifiers, at);
    }
    void wheel(QPointF at, int delta, Qt::KeyboardModifiers modifiers) {
        QWheelEvent event(at, m_canvas->viewport()->mapToGlobal(at), {}, {0, delta}, Qt::NoButton,
                          modifiers, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(m_canvas->viewport(), &event);
    }
    void drag(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = {}) {
        QTest::mousePress(m_canvas->viewport(), Qt::LeftButton, modifiers, from);
        for (const QPoint at : {(from * 2 + to) / 3, to}) {
            QMouseEvent move(QEvent::MouseMove, at, m_canvas->viewport()->mapToGlobal(at),
                             Qt::NoButton, Qt::LeftButton, modifiers);
            QCoreApplication::sendEvent(m_canvas->viewport(), &move);
        }
        QTest::mouseRelease(m_canvas->viewport(), Qt::LeftButton, modifiers, to);
    }
    static std::shared_ptr<const picture::Picture> drawn(const picture::Diagram& diagram) {
        DrawOptions options;
        options.engine = EngineChoice::Layered;
        auto result = picture::draw(diagram, options);
        return result.ok() ? std::make_shared<const picture::Picture>(result.take()) : nullptr;
    }

    std::unique_ptr<GraphCanvas> m_canvas;
};

void TestCanvas::init() {
    m_canvas = std::make_unique<GraphCanvas>();
    m_canvas->resize(700, 900);
    m_canvas->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_canvas.get()));
    m_canvas->setPicture(drawn(picture::residualBlock()));
}

void TestCanvas::nothingShown() {
    GraphCanvas canvas;
    canvas.resize(300, 200);
    canvas.show();
    QVERIFY(!canvas.grab().isNull());
    QTest::keyClick(&canvas, Qt::Key_Down);
    QTest::keyClick(&canvas, Qt::Key_F);
    QTest::mouseClick(canvas.viewport(), Qt::LeftButton, {}, QPoint(10, 10));
    QVERIFY(canvas.selected().empty());
    QCOMPARE(canvas.nodeCenter(1), QPoint(-1, -1));
    QCOMPARE(canvas.accessibleDescription(), QStringLiteral("no graph"));
    m_canvas->setPicture(nullptr);
    QVERIFY(!m_canvas->grab().isNull());
}

void TestCanvas::clickSelects() {
    QSignalSpy changed(m_canvas.get(), &GraphCanvas::selectionChanged);
    QSignalSpy activated(m_canvas.get(), &GraphCanvas::activated);
    click(m_canvas->nodeCenter(5));
    QCOMPARE(m_canvas->selected(), Ids{5});
    QCOMPARE(changed.size(), 1);
    click(m_canvas->nodeCenter(5));
    QCOMPARE(changed.size(), 1); // nothing new
    click(m_canvas->nodeCenter(2), Qt::ControlModifier);
    QCOMPARE(m_canvas->selected(), (Ids{2, 5}));
    click(m_canvas->nodeCenter(5), Qt::ControlModifier);
    QCOMPARE(m_canvas->selected(), Ids{2});
    click(m_canvas->nodeCenter(2));
    QCOMPARE(m_canvas->accessibleDescription(),
             QStringLiteral("conv2d Conv_12, producers: 1, consumers: 1"));
    QTest::mouseDClick(m_canvas->viewport(), Qt::LeftButton, {}, m_canvas->nodeCenter(8));
    QCOMPARE(activated.size(), 1);
    QCOMPARE(activated[0][0].toLongLong(), 8);
    click({5, 5});
    QVERIFY(m_canvas->selected().empty());
}

void TestCanvas::containersSelectTheirMembers() {
    const picture::Rect frame = m_canvas->picture()->containers[0].rect;
    click(m_canvas->toViewport({frame.x + 8, frame.y + 40}).toPoint());
    QCOMPARE(m_canvas->selected(), (Ids{2, 3, 4}));
    QVERIFY(m_canvas->dump().contains(QStringLiteral("container 10 selected")));
    QSignalSpy activated(m_canvas.get(), &GraphCanvas::containerActivated);
    QTest::mouseDClick(m_canvas->viewport(), Qt::LeftButton, {},
                       m_canvas->toViewport({frame.x + 8, frame.y + 40}).toPoint());
    QCOMPARE(activated.size(), 1);
    QCOMPARE(activated[0][0].toLongLong(), 10);
}

void TestCanvas::edgesSelectTheirEnds() {
    const picture::Rect input = m_canvas->picture()->boxes[0].rect;
    const picture::Rect group = m_canvas->picture()->containers[0].rect;
    click(m_canvas->toViewport({input.center().x + 2, (input.bottom() + group.y) / 2}).toPoint());
    QCOMPARE(m_canvas->selected(), (Ids{1, 2}));
}

// As a click there, but what is selected already stays so.
void TestCanvas::menuIsAboutWhatLiesBelow() {
    const auto menu = [this](QPoint at) {
        QContextMenuEvent event(QContextMenuEvent::Mouse, at,
                                m_canvas->viewport()->mapToGlobal(at));
        QCoreApplication::sendEvent(m_canvas->viewport(), &event);
    };
    const QSignalSpy asked(m_canvas.get(), &GraphCanvas::menuRequested);
    menu(m_canvas->nodeCenter(5));
    QCOMPARE(m_canvas->selected(), Ids{5});
    QCOMPARE(asked.at(0).at(0).toLongLong(), 5);
    click(m_canvas->nodeCenter(2), Qt::ControlModifier);
    menu(m_canvas->nodeCenter(2));
    QCOMPARE(m_canvas->selected(), (Ids{2, 5})); // about both
    const auto& frame = m_canvas->picture()->containers[0].rect;
    menu(m_canvas->toViewport({frame.x + 8, frame.y + 40}).toPoint());
    const Ids group = m_canvas->selected();
    QVERIFY(group.size() > 1 && group != (Ids{2, 5}));
    menu({5, 5});
    QVERIFY(m_canvas->selected().empty());
    QCOMPARE(asked.size(), qsizetype(4));
}

void TestCanvas::ownChangesAreSilent() {
    QSignalSpy changed(m_canvas.get(), &GraphCanvas::selectionChanged);
    m_canvas->setSelected({8, 3, 99});
    QCOMPARE(m_canvas->selected(), (Ids{3, 8}));
    QCOMPARE(changed.size(), 0);
}

void TestCanvas::keysWalk() {
    m_canvas->setSelected({1});
    const auto walkTo = [&](Qt::Key key, std::int64_t id) {
        press(key);
        return m_canvas->selected() == Ids{id};
    };
    QVERIFY(walkTo(Qt::Key_Down, 2));
    QVERIFY(walkTo(Qt::Key_Down, 3));
    QVERIFY(walkTo(Qt::Key_Down, 4));
    QVERIFY(walkTo(Qt::Key_Down, 5)); // the straight way, not the residual one
    QVERIFY(walkTo(Qt::Key_Up, 4));
    QVERIFY(walkTo(Qt::Key_Up, 3));
    press(Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(m_canvas->selected(), (Ids{3, 4}));
    m_canvas->setSelected({1});
    press(Qt::Key_Up);
    QCOMPARE(m_canvas->selected(), Ids{1}); // nowhere to go
    QSignalSpy activated(m_canvas.get(), &GraphCanvas::activated);
    press(Qt::Key_Return);
    QCOMPARE(activated.size(), 1);
    press(Qt::Key_Escape);
    QVERIFY(m_canvas->selected().empty());

    // Sideways in a row, and back to where one came from.
    picture::Diagram d;
    for (int i = 0; i < 5; ++i)
        d.boxes.push_back(
            {i, "op", "", {}, picture::MakerRecord(), -1, picture::BoxRole::Operator});
    for (const auto& [a, b] : {std::pair(0, 1), {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}})
        d.edges.push_back({a, 0, b, 0, "", picture::EdgeKind::Data});
    m_canvas->setPicture(drawn(d));
    m_canvas->setSelected({1});
    const auto x = [&](std::int64_t id) { return m_canvas->nodeCenter(id).x(); };
    QVERIFY(x(1) < x(2) && x(2) < x(3));
    QVERIFY(walkTo(Qt::Key_Right, 2));
    QVERIFY(walkTo(Qt::Key_Right, 3));
    QVERIFY(walkTo(Qt::Key_Down, 4));
    QVERIFY(walkTo(Qt::Key_Up, 3));
    QVERIFY(walkTo(Qt::Key_Left, 2));
}

void TestCanvas::zoomKeepsThePointUnderTheCursor() {
    m_canvas->setScale(1);
    const QPointF at(250, 333);
    for (const int delta : {120, 120, -120, 360, -600, -120}) {
        const picture::Point before = m_canvas->toScene(at);
        const double scale = m_canvas->scale();
        wheel(at, delta, Qt::ControlModifier);
        QVERIFY((m_canvas->scale() > scale) == (delta > 0));
        const picture::Point after = m_canvas->toScene(at);
        QVERIFY(std::abs(before.x - after.x) * m_canvas->scale() <= 1); // a whole pixel
        QVERIFY(std::abs(before.y - after.y) * m_canvas->scale() <= 1);
    }
    for (int i = 0; i < 60; ++i)
        wheel(at, 120, Qt::ControlModifier);
    QVERIFY(m_canvas->scale() <= 6);
    for (int i = 0; i < 60; ++i)
        wheel(at, -120, Qt::ControlModifier);
    QVERIFY(m_canvas->scale() >= 0.03);
    press(Qt::Key_0);
    QCOMPARE(m_canvas->scale(), 1.0);
    press(Qt::Key_Plus);
    QCOMPARE(m_canvas->scale(), 1.25);
    press(Qt::Key_Minus);
    QCOMPARE(m_canvas->scale(), 1.0);
}

void TestCanvas::dragMovesAndKeepsThePictureInView() {
    const QPoint before = m_canvas->nodeCenter(5);
    drag({300, 300}, {340, 280});
    QCOMPARE(m_canvas->nodeCenter(5), before + QPoint(40, -20));
    QVERIFY(m_canvas->selected().empty()); // a drag is no click
    wheel({300, 300}, -120, {});
    QVERIFY(m_canvas->nodeCenter(5).y() < before.y() - 20);
    for (int i = 0; i < 100; ++i)
        wheel({300, 300}, -1200, {});
    QVERIFY(m_canvas->nodeRect(9).bottom() > 0);
}

void TestCanvas::rubberBand() {
    const QRectF a = m_canvas->nodeRect(5), b = m_canvas->nodeRect(7);
    drag((a.topLeft() - QPointF(4, 4)).toPoint(), (b.bottomRight() + QPointF(2, 2)).toPoint(),
         Qt::ShiftModifier);
    QCOMPARE(m_canvas->selected(), (Ids{5, 6, 7}));
    const double scale = m_canvas->scale();
    drag((a.topLeft() - QPointF(4, 4)).toPoint(), (b.bottomRight() + QPointF(2, 2)).toPoint(),
         Qt::ControlModifier);
    QVERIFY(m_canvas->scale() > scale);
    QCOMPARE(m_canvas->selected(), (Ids{5, 6, 7})); // a zoom selects nothing
}

void TestCanvas::fitShowsAll() {
    m_canvas->setPicture(drawn(picture::randomDiagram(3, 120, Grouping::Groups)));
    press(Qt::Key_Escape);
    press(Qt::Key_F);
    const QRectF view = m_canvas->viewport()->rect();
    for (const picture::PlacedBox& box : m_canvas->picture()->boxes)
        QVERIFY(view.contains(m_canvas->nodeRect(box.id)));
    m_canvas->setSelected({60});
    press(Qt::Key_Space);
    QVERIFY(m_canvas->scale() > 1);
    QVERIFY((m_canvas->nodeCenter(60) - m_canvas->freeRect().center().toPoint()).manhattanLength() <
            40);
    m_canvas->setScale(1);
    m_canvas->centerOn(0);
    QVERIFY((m_canvas->nodeCenter(0) - m_canvas->freeRect().center().toPoint()).manhattanLength() <=
            3);
    m_canvas->reveal(119);
    QVERIFY(view.contains(m_canvas->nodeRect(119)));
    const QPoint before = m_canvas->nodeCenter(119);
    m_canvas->reveal(119); // is there already
    QCOMPARE(m_canvas->nodeCenter(119), before);
}

void TestCanvas::detailsGoWithTheScale() {
    m_canvas->setScale(1);
    QVERIFY(m_canvas->dump().contains(QStringLiteral("text Conv_12")));
    QVERIFY(m_canvas->dump().contains(QStringLiteral("text 0.21 ms")));
    m_canvas->setScale(0.35);
    QVERIFY(!m_canvas->dump().contains(QStringLiteral("text Conv_12")));
    QVERIFY(m_canvas->dump().contains(QStringLiteral("text conv2d")));
    m_canvas->setScale(0.1);
    QVERIFY(!m_canvas->dump().contains(QStringLiteral("text")));
    QVERIFY(m_canvas->dump().contains(QStringLiteral("box 5")));
    m_canvas->setScale(4);
    m_canvas->centerOn(1);
    QVERIFY(!m_canvas->dump().contains(QStringLiteral("box 9"))); // out of view, not painted
}

void TestCanvas::newPictureKeepsTheSelectedPlace() {
    m_canvas->setSelected({8});
    m_canvas->centerOn(8);
    const QPoint before = m_canvas->nodeCenter(8);
    picture::Diagram flat = picture::residualBlock();
    flat.containers.clear();
    for (picture::Box& box : flat.boxes)
        box.container = -1;
    m_canvas->setPicture(drawn(flat));
    QVERIFY((m_canvas->nodeCenter(8) - before).manhattanLength() <= 2);
    QCOMPARE(m_canvas->selected(), Ids{8});
    flat.boxes.erase(flat.boxes.begin() + 7);
    flat.edges.clear();
    QSignalSpy changed(m_canvas.get(), &GraphCanvas::selectionChanged);
    m_canvas->setPicture(drawn(flat));
    QVERIFY(m_canvas->selected().empty());
    QCOMPARE(changed.size(), 0);
}

void TestCanvas::heatAndTheme() {
    const auto pixel = [&](std::int64_t id) {
        const QRectF rect = m_canvas->nodeRect(id);
        return m_canvas->viewport()->grab().toImage().pixelColor(
            QPointF(rect.right() - 6, rect.center().y()).toPoint());
    };
    const auto expected = [](Colour meaning, ThemeKind theme) {
        return toQt(picture::rgb(meaning, theme));
    };
    QCOMPARE(pixel(2), expected(Colour::BoxFill, ThemeKind::Light));
    m_canvas->setTheme(ThemeKind::Dark);
    QCOMPARE(pixel(2), expected(Colour::BoxFill, ThemeKind::Dark));
    const auto& container = m_canvas->picture()->containers[0];
    const auto header = [&] {
        const QPointF at = m_canvas->toViewport({container.rect.right() - 6, container.rect.y + 8});
        return m_canvas->viewport()->grab().toImage().pixelColor(at.toPoint());
    };
    const QColor plain = header();
    m_canvas->setHeat({{2, 1.0}, {3, 0.0}}, {{container.id, 0.5}});
    for (const ThemeKind theme : {ThemeKind::Light, ThemeKind::Dark}) {
        m_canvas->setTheme(theme);
        QCOMPARE(pixel(2), toQt(picture::heat(1, theme)));
        QCOMPARE(pixel(3), toQt(picture::heat(0, theme)));
        QCOMPARE(pixel(5), expected(Colour::BoxFill, theme));
        QCOMPARE(header(), toQt(picture::heat(0.5, theme)));
    }
    QVERIFY(m_canvas->dump().contains(QStringLiteral("container 10 heat")));
    m_canvas->setHeat({});
    QCOMPARE(pixel(2), expected(Colour::BoxFill, ThemeKind::Dark));
    QCOMPARE(header(), plain);
}

// Halos lie around boxes and change nothing else; unknown boxes have none.
void TestCanvas::halosAreFrames() {
    m_canvas->setPicture(drawn(picture::randomDiagram(3, 20, Grouping::Flat)));
    m_canvas->setTheme(ThemeKind::Light);
    m_canvas->setScale(1);
    m_canvas->centerOn(2);
    const QImage before = m_canvas->grab().toImage();
    const QRectF box = m_canvas->nodeRect(2);
    const QPoint edge(int(box.center().x()), int(std::lround(box.top() - 4)));
    const auto at = [&](const QPoint& point) {
        return m_canvas->viewport()->grab().toImage().pixelColor(point);
    };
    m_canvas->setHalos({{{2, 999}, Halo::Look::Match, QStringLiteral("1/2")}});
    QCOMPARE(at(edge), toQt(picture::rgb(Colour::Match, ThemeKind::Light)));
    QVERIFY(m_canvas->selected().empty());
    QCOMPARE(m_canvas->halos().size(), std::size_t(1));
    m_canvas->setHalos({});
    QVERIFY(m_canvas->grab().toImage() == before);
}

void TestCanvas::minimapMoves() {
    m_canvas->setPicture(drawn(picture::randomDiagram(3, 120, Grouping::Flat)));
    m_canvas->setScale(1);
    m_canvas->centerOn(0);
    const QPoint before = m_canvas->nodeCenter(0);
    click({m_canvas->viewport()->width() - 20, 200}); // the lower part of the map
    QVERIFY(m_canvas->nodeCenter(0).y() < before.y());
    QVERIFY(m_canvas->selected().empty());
    press(Qt::Key_M);
    QVERIFY(!m_canvas->minimapShown());
}

// In a narrow view it would lie over the picture.
void TestCanvas::minimapGivesWay() {
    const auto covers = [this] {
        const QImage with = m_canvas->grab().toImage();
        m_canvas->setMinimapShown(false);
        const bool differs = m_canvas->grab().toImage() != with;
        m_canvas->setMinimapShown(true);
        return differs;
    };
    const auto picture = m_canvas->picture();
    m_canvas->setScale(1);
    m_canvas->resize(int(picture->width) + 60, 400);
    QVERIFY(m_canvas->width() < 400);
    QVERIFY(!covers());
    m_canvas->setScale(0.5);
    m_canvas->resize(m_canvas->width(), 250);
    QVERIFY(covers());
    m_canvas->resize(700, 400);
    m_canvas->setScale(1);
    QVERIFY(covers());
}

// Wherever a graph is taken to, what was asked for does not lie below the map.
void TestCanvas::minimapHidesNothing() {
    const auto wide = drawn(picture::randomDiagram(3, 120, Grouping::Flat));
    m_canvas->resize(700, 420);
    m_canvas->setPicture(wide);
    const auto hidden = [&](std::int64_t id) {
        return m_canvas->minimapRect().intersects(m_canvas->nodeRect(id));
    };
    int below = 0;
    for (const picture::PlacedBox& box : wide->boxes) {
        m_canvas->setScale(1);
        m_canvas->centerOn(box.id);
        QVERIFY(!m_canvas->minimapRect().isNull());
        QVERIFY2(!hidden(box.id), QByteArray::number(qlonglong(box.id)));
        for (const picture::PlacedBox& other : wide->boxes)
            if (hidden(other.id)) {
                ++below;
                m_canvas->reveal(other.id);
                QVERIFY2(!hidden(other.id), QByteArray::number(qlonglong(other.id)));
                break;
            }
        m_canvas->setSelected({box.id});
        m_canvas->fitSelection();
        QVERIFY2(!hidden(box.id), QByteArray::number(qlonglong(box.id)));
        QVERIFY(m_canvas->nodeRect(box.id).left() >= 0);
    }
    QVERIFY(below > 0);
    // The wheel alone brings everything out from under it, too.
    m_canvas->setScale(1);
    for (int i = 0; i < 400; ++i)
        wheel(m_canvas->freeRect().center(), -120, Qt::ShiftModifier);
    for (const picture::PlacedBox& box : wide->boxes)
        QVERIFY2(!hidden(box.id), QByteArray::number(qlonglong(box.id)));
    // The rows at its top, as wide as fits beside the map.
    m_canvas->setSelected({});
    m_canvas->setPicture(nullptr);
    m_canvas->setPicture(wide);
    const auto first =
        std::min_element(wide->boxes.begin(), wide->boxes.end(),
                         [](const auto& a, const auto& b) { return a.rect.y < b.rect.y; });
    QVERIFY(!hidden(first->id));
    m_canvas->fitAll();
    for (const picture::PlacedBox& box : wide->boxes)
        QVERIFY(!hidden(box.id));
    // What is scrolled to the right end ends beside it.
    m_canvas->setScale(1);
    drag({680, 400}, {-5000, 400});
    for (const picture::PlacedBox& box : wide->boxes)
        QVERIFY(!hidden(box.id));
}

void TestCanvas::middleStaysInTheMiddle() {
    const auto middle = [this] {
        return m_canvas->toScene(QPointF(m_canvas->viewport()->width() / 2.0, 0)).x;
    };
    m_canvas->setScale(1);
    const double before = middle();
    m_canvas->resize(400, 900);
    QVERIFY(std::abs(middle() - before) < 1);
    m_canvas->resize(900, 900);
    QVERIFY(std::abs(middle() - before) < 1);
    // A wider picture comes, and nothing is selected.
    const double off = before - m_canvas->picture()->width / 2;
    m_canvas->setPicture(drawn(picture::randomDiagram(3, 120, Grouping::Flat)));
    QVERIFY(std::abs(middle() - m_canvas->picture()->width / 2 - off) < 1);
}

void TestCanvas::hoverAndTip() {
    QSignalSpy hovered(m_canvas.get(), &GraphCanvas::hovered);
    QTest::mouseMove(m_canvas->viewport(), m_canvas->nodeCenter(6));
    QTRY_COMPARE(hovered.size(), 1);
    QCOMPARE(hovered[0][0].toLongLong(), 6);
    QVERIFY(m_canvas->dump().contains(QStringLiteral("box 6 hovered")));
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(m_canvas->viewport(), &leave);
    QCOMPARE(hovered.back()[0].toLongLong(), -1);
}

void TestCanvas::largePictureIsFast() {
    m_canvas->setPicture(drawn(picture::randomDiagram(4, 2000, Grouping::Groups)));
    m_canvas->resize(1400, 1000);
    QImage image(m_canvas->size(), QImage::Format_RGB32);
    for (const double scale : {0.0, 0.3, 0.5, 1.0}) {
        if (scale == 0)
            m_canvas->fitAll();
        else
            m_canvas->setScale(scale);
        m_canvas->render(&image); // fills the caches
        const double begin = fw::test::threadSeconds();
        for (int i = 0; i < 5; ++i)
            m_canvas->render(&image);
        const double frame = (fw::test::threadSeconds() - begin) / 5;
        qInfo("2000 boxes at %.2f: %.1f ms a frame", m_canvas->scale(), frame * 1e3);
        QVERIFY(frame < 0.4);
    }
}

void TestCanvas::slicesMakeTheSamePicture() {
    m_canvas->setPicture(drawn(picture::randomDiagram(4, 4000, Grouping::Flat)));
    m_canvas->resize(1400, 1000);
    m_canvas->fitAll();
    QVERIFY(!m_canvas->complete());
    QImage whole(m_canvas->size(), QImage::Format_RGB32), sliced = whole;
    m_canvas->setPainting(GraphCanvas::Painting::AtOnce);
    m_canvas->render(&whole);
    m_canvas->setPainting(GraphCanvas::Painting::InSlices);
    for (int i = 0; i < 1000 && !m_canvas->complete(); ++i)
        m_canvas->render(&sliced);
    QVERIFY(m_canvas->complete());
    m_canvas->render(&sliced);
    QCOMPARE(sliced, whole);
    // What is selected is painted anew; until then the last view stands in.
    m_canvas->setSelected({7});
    QVERIFY(!m_canvas->complete());
    QTRY_VERIFY_WITH_TIMEOUT((m_canvas->render(&sliced), m_canvas->complete()), 20000);
    m_canvas->render(&sliced);
    QVERIFY(sliced != whole);
}

void TestCanvas::indexFindsWhatOverlaps() {
    const auto shown = drawn(picture::randomDiagram(5, 600, Grouping::Groups));
    const SceneIndex index(shown);
    const auto touches = [](const picture::Item& item, const picture::Rect& rect) {
        const auto* path = std::get_if<picture::PathItem>(&item);
        if (!path)
            return boundsOf(item).overlaps(rect);
        for (std::size_t i = 0; i + 3 < path->points.size(); i += 3) {
            picture::PathItem piece;
            piece.points = path->points.subspan(i, 4);
            if (boundsOf(piece).overlaps(rect))
                return true;
        }
        return false;
    };
    for (int step = 0; step < 40; ++step) {
        const double part = step / 40.0, size = 20.0 + 40 * step;
        const picture::Rect rect{shown->width * part, shown->height * part, size, size};
        const auto touched = [&](const picture::Rect& by) {
            std::vector<std::uint32_t> out;
            for (std::uint32_t i = 0; i < shown->items.size(); ++i)
                if (touches(shown->items[i], by))
                    out.push_back(i);
            return out;
        };
        const auto among = [](const auto& few, const auto& many) {
            return std::includes(many.begin(), many.end(), few.begin(), few.end());
        };
        const auto all = index.itemsIn(rect); // bounds are rounded outwards
        QVERIFY(among(touched(rect), all));
        QVERIFY(among(all, touched({rect.x - 1, rect.y - 1, size + 2, size + 2})));
        std::vector<std::uint32_t> shapes;
        for (const std::uint32_t i : all)
            if (!std::holds_alternative<picture::TextItem>(shown->items[i]))
                shapes.push_back(i);
        QVERIFY(index.itemsIn(rect, Detail::Shapes) == shapes);
    }
    QVERIFY(SceneIndex().itemsIn({0, 0, 1e9, 1e9}).empty());

    // A line straight down is one piece and is hit wherever it runs.
    auto line = std::make_shared<picture::Picture>();
    picture::PathItem path;
    path.owner = {picture::OwnerKind::Edge, 5};
    const std::vector<picture::Point> points{{50, 0}, {50, 33000}, {50, 66000}, {50, 99000}};
    path.points = line->points.keep(points);
    line->items.emplace_back(path);
    const SceneIndex straight(line);
    for (const double y : {1.0, 777.0, 50123.0, 98999.0})
        QCOMPARE(straight.hit({53, y}, 5).id, std::int64_t(5));
    QCOMPARE(straight.hit({56, 50123}, 5).kind, picture::OwnerKind::None);
    QCOMPARE(straight.hit({50, 99100}, 5).kind, picture::OwnerKind::None);
}

void TestCanvas::screenshots() {
    for (const ThemeKind theme : {ThemeKind::Light, ThemeKind::Dark}) {
        m_canvas->setTheme(theme);
        m_canvas->setSelected({8});
        const QString file =
            QStringLiteral(FW_BINARY_DIR "/tests/canvas-%1.png")
                .arg(theme == ThemeKind::Light ? QStringLiteral("light") : QStringLiteral("dark"));
        QVERIFY(m_canvas->grab().save(file));
    }
}

FW_TEST(TestCanvas, QApplication)
#include "test_canvas.moc"
