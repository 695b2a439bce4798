// The built-in layout: what holds for every diagram, and how long a large one takes.
#include "common/test.h"
#include "common/thread_time.h"
#include "diagrams.h"

using namespace fw;
using namespace fw::picture;

class TestLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void randomDiagrams_data();
    void randomDiagrams();
    void chainsAreStraight();
    void sameDiagramSamePicture();
    void emptyAndSingle();
    void cyclesAndLoopsAreDrawn();
    void contradictionsAreRefused();
    void fanOutSharesItsPath();
    void linesStraightDownAreOnePiece();
    void longEdgesGoAround();
    void thousandsOfBoxes();
    void denseBlocks();
    void cancelled();

private:
    DrawOptions m_layered{EngineChoice::Layered, "dot", std::chrono::milliseconds(2000), 300};
};

void TestLayout::randomDiagrams_data() {
    QTest::addColumn<int>("boxes");
    QTest::addColumn<bool>("groups");
    for (const int boxes : {2, 3, 7, 20, 60, 150})
        for (const bool groups : {false, true})
            QTest::addRow("%d%s", boxes, groups ? " grouped" : "") << boxes << groups;
}

void TestLayout::randomDiagrams() {
    QFETCH(int, boxes);
    QFETCH(bool, groups);
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
        const Diagram d = randomDiagram(seed, boxes, groups ? Grouping::Groups : Grouping::Flat);
        const auto picture = draw(d, m_layered);
        QVERIFY(picture.ok());
        const std::string broken = brokenInvariant(d, *picture);
        QVERIFY2(broken.empty(), broken.c_str());
        QCOMPARE(crossedBoxes(*picture), 0);
        QCOMPARE(picture->engine, LayoutEngine::Layered);
        QCOMPARE(picture->decisions.size(), std::size_t{1});
        QCOMPARE(codeText(picture->decisions[0].code), std::string_view("PIC11"));
    }
}

void TestLayout::chainsAreStraight() {
    Diagram d = residualBlock();
    for (const bool grouped : {true, false}) {
        if (!grouped) {
            d.containers.clear();
            for (Box& box : d.boxes)
                box.container = -1;
        }
        const auto picture = draw(d, m_layered);
        QVERIFY(picture.ok());
        for (const PlacedBox& box : picture->boxes)
            QVERIFY(std::abs(box.rect.center().x - picture->boxes[0].rect.center().x) <= 2);
    }
}

void TestLayout::sameDiagramSamePicture() {
    const Diagram d = randomDiagram(5, 80, Grouping::Groups);
    const auto first = draw(d, m_layered), second = draw(d, m_layered);
    QVERIFY(first.ok() && second.ok());
    QCOMPARE(dump(*first), dump(*second));
}

void TestLayout::emptyAndSingle() {
    Diagram d;
    const auto none = draw(d);
    QVERIFY(none.ok());
    QVERIFY(none->items.empty());
    QVERIFY(none->width > 0 && none->height > 0);
    d.boxes.push_back(
        {7, "relu", "", {}, MakerRecord{Maker::Library, "onednn"}, -1, BoxRole::Unknown});
    d.containers.push_back({3, "without members", "", MakerRecord()});
    const auto one = draw(d, m_layered);
    QVERIFY(one.ok());
    QCOMPARE(brokenInvariant(d, *one), std::string());
    QVERIFY(dump(*one).find("FailingFill") != std::string::npos);
    QVERIFY(dump(*one).find("DN") != std::string::npos);
}

void TestLayout::cyclesAndLoopsAreDrawn() {
    Diagram d;
    for (int i = 0; i < 4; ++i)
        d.boxes.push_back({i, "op", "", {}, MakerRecord(), -1, BoxRole::Operator});
    for (const auto& [a, b] : {std::pair(0, 1), {1, 2}, {2, 0}, {2, 3}, {3, 3}})
        d.edges.push_back({a, 0, b, 0, "", EdgeKind::Body});
    for (const EngineChoice engine : {EngineChoice::Layered, EngineChoice::Auto}) {
        DrawOptions options;
        options.engine = engine;
        const auto picture = draw(d, options);
        QVERIFY(picture.ok());
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t k = 0; k < i; ++k)
                QVERIFY(!picture->boxes[i].rect.overlaps(picture->boxes[k].rect));
    }
}

void TestLayout::contradictionsAreRefused() {
    const auto code = [](const Diagram& d) {
        const auto picture = draw(d);
        return picture.ok() ? std::string() : picture.diag().message;
    };
    Diagram d = residualBlock();
    d.edges.push_back({1, 0, 99, 0, "", EdgeKind::Data});
    QCOMPARE(code(d), std::string("an edge names box 99, which is not there"));
    d = residualBlock();
    d.boxes[1].id = 1;
    QCOMPARE(code(d), std::string("two boxes have the id 1"));
    d = residualBlock();
    d.boxes[1].container = 77;
    QCOMPARE(code(d), std::string("box 2 lies in container 77, which is not there"));
    d = residualBlock();
    d.containers[1].id = 10;
    QCOMPARE(code(d), std::string("two containers have the id 10"));
}

void TestLayout::fanOutSharesItsPath() {
    // One value read in five layers: the way down is drawn once, not five times over.
    Diagram d;
    for (int i = 0; i < 6; ++i)
        d.boxes.push_back({i, "op", "", {}, MakerRecord(), -1, BoxRole::Operator});
    for (int i = 1; i < 6; ++i) {
        d.edges.push_back({i - 1, 0, i, 0, "", EdgeKind::Data});
        if (i > 1)
            d.edges.push_back({0, 0, i, 1, "", EdgeKind::Data});
    }
    const auto picture = draw(d, m_layered);
    QVERIFY(picture.ok());
    QCOMPARE(brokenInvariant(d, *picture), std::string());
    std::size_t shared = 0;
    for (const Item& item : picture->items)
        if (const auto* path = std::get_if<PathItem>(&item); path && path->edges.size() > 1) {
            ++shared;
            QCOMPARE(path->arrow, Arrow::None);
        }
    QVERIFY(shared >= 2);
}

void TestLayout::linesStraightDownAreOnePiece() {
    // An edge beside a chain bends where it leaves and where it arrives, however long the chain is.
    Diagram d;
    constexpr int count = 60;
    for (int i = 0; i < count; ++i) {
        d.boxes.push_back({i, "op", "", {}, MakerRecord(), -1, BoxRole::Operator});
        if (i > 0)
            d.edges.push_back({i - 1, 0, i, 0, "", EdgeKind::Data});
    }
    const auto around = static_cast<std::uint32_t>(d.edges.size());
    d.edges.push_back({0, 1, count - 1, 1, "8×16", EdgeKind::Data});
    const auto picture = draw(d, m_layered);
    QVERIFY(picture.ok());
    QCOMPARE(brokenInvariant(d, *picture), std::string());
    QCOMPARE(crossedBoxes(*picture), 0);
    bool labelled = false;
    for (const Item& item : picture->items) {
        if (const auto* path = std::get_if<PathItem>(&item); path && path->edges.front() == around)
            QVERIFY(path->points.size() <= 1 + 3 * 5);
        else if (path)
            QCOMPARE(path->points.size(), std::size_t(4));
        if (const auto* text = std::get_if<TextItem>(&item))
            labelled |= text->role == TextRole::EdgeLabel && text->position.y < 200;
    }
    QVERIFY(labelled); // where the edge begins, not in the middle of its way
}

void TestLayout::longEdgesGoAround() {
    // So many long edges that not all get a place in every layer; still no box is crossed.
    Diagram d;
    const int count = 400;
    for (int i = 0; i < count; ++i) {
        d.boxes.push_back({i, "op", "", {}, MakerRecord(), -1, BoxRole::Operator});
        if (i > 0)
            d.edges.push_back({i - 1, 0, i, 0, "", EdgeKind::Data});
        for (int k = 0; k < 2 && i > count / 2; ++k)
            d.edges.push_back({(i * 7 + k * 31) % (count / 2), 1, i, k + 1, "", EdgeKind::Shape});
    }
    const auto picture = draw(d, m_layered);
    QVERIFY(picture.ok());
    QCOMPARE(brokenInvariant(d, *picture), std::string());
    QCOMPARE(crossedBoxes(*picture), 0);
}

void TestLayout::thousandsOfBoxes() {
    for (const Grouping grouping : {Grouping::Flat, Grouping::Groups}) {
        double times[2] = {};
        for (const int i : {0, 1}) {
            const Diagram d = randomDiagram(11, i == 0 ? 500 : 2000, grouping);
            const double begin = test::threadSeconds();
            const auto picture = draw(d);
            times[i] = test::threadSeconds() - begin;
            QVERIFY(picture.ok());
            QCOMPARE(picture->engine, LayoutEngine::Layered);
            QCOMPARE(brokenInvariant(d, *picture), std::string());
        }
        qInfo("500 boxes %.0f ms, four times as many %.0f ms", times[0] * 1e3, times[1] * 1e3);
        QVERIFY(times[1] < 16 * times[0]); // less than by their square
    }
}

// Blocks in which every layer reads all layers before it, as in a DenseNet: 400 boxes, 900 edges.
void TestLayout::denseBlocks() {
    Diagram d;
    constexpr int boxes = 400, block = 20;
    for (int i = 0; i < boxes; ++i)
        d.boxes.push_back({i, "conv2d", "layer", {}, MakerRecord(), -1, BoxRole::Operator});
    const auto edge = [&](int from, int to, int port) {
        d.edges.push_back({from, 0, to, port, "1×64×56×56", EdgeKind::Data});
    };
    for (int i = 1; i < boxes; ++i)
        edge(i - 1, i, 0);
    for (int i = 0; i < boxes && d.edges.size() < 900; ++i)
        for (int j = i / block * block, port = 1; j + 1 < i && d.edges.size() < 900; j += 6)
            edge(j, i, port++);
    QCOMPARE(d.edges.size(), std::size_t(900));
    double begin = test::threadSeconds();
    const auto picture = draw(d);
    const double dense = test::threadSeconds() - begin;
    QVERIFY(picture.ok());
    QCOMPARE(brokenInvariant(d, *picture), std::string());
    const Diagram loose = randomDiagram(11, boxes, Grouping::Flat);
    begin = test::threadSeconds();
    QVERIFY(draw(loose).ok());
    const double ordinary = test::threadSeconds() - begin;
    qInfo("400 boxes in dense blocks %.0f ms, others, of %zu edges, %.0f ms", dense * 1e3,
          loose.edges.size(), ordinary * 1e3);
    QVERIFY(dense < 5 * ordinary);
}

void TestLayout::cancelled() {
    CancelToken cancel;
    cancel.cancel();
    const auto picture = draw(randomDiagram(1, 500, Grouping::Flat), m_layered, cancel);
    QVERIFY(!picture.ok());
    QCOMPARE(picture.diag().code, DiagCode::Cancelled);
}

FW_TEST(TestLayout, QCoreApplication)
#include "test_layout.moc"
