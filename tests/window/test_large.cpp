// Large models, with the real worker: the first picture comes soon, and the thread of the window
// never works for long at a stretch, so it can always answer.
//
// What the window's thread does is measured in its own processor time, which does not depend on
// what else the machine does; the first picture is measured by the clock, with room for a busy one.
#include "common/test.h"
#include "large/shapes.h"
#include "picture/graph_diagram.h"
#include "views/graph/graphs_view.h"
#include "views/inspector/outline_view.h"
#include "window/large_window.h"

using namespace fw;
using namespace fw::ui;

namespace {

// Blocks of a residual network: 8 operators each, a skip around them.
QByteArray residualText(int operators) {
    QByteArray out = "graph large(x: f32[1, 64]) -> y = v0 {\n";
    QByteArray before = "x";
    int made = 0;
    const auto add = [&](const QByteArray& call) {
        const QByteArray name = "n" + QByteArray::number(made++);
        out += "  " + name + " = " + call + "\n";
        return name;
    };
    while (made + 8 <= operators) {
        QByteArray at = before;
        for (const char* op : {"relu", "tanh", "exp", "sigmoid", "neg", "relu", "tanh"})
            at = add(QByteArray(op) + "(" + at + ")");
        before = add("add(" + at + ", " + before + ")");
    }
    return out.replace("y = v0", "y = " + before) + "}\n";
}

QString residualFile(const QTemporaryDir& folder, int operators) {
    QFile out(folder.filePath(QStringLiteral("large.fw")));
    if (!out.open(QIODevice::WriteOnly) || out.write(residualText(operators)) < 0)
        qFatal("the model cannot be written");
    return out.fileName();
}

} // namespace

class TestLarge : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void twoThousandNodes();
    void twentyThousandNodes();
    void oneHundredThousandNodes();
};

void TestLarge::twoThousandNodes() {
    QTemporaryDir folder;
    const QString file = residualFile(folder, 2000);
    WindowFixture m(QStringLiteral(FW_BINARY_DIR "/bin/fw"));
    QVERIFY(m.waitIdle());
    QTRY_COMPARE(m.window.worker().state(), WorkerClient::State::Idle);

    LongestStretch stretch;
    QElapsedTimer timer;
    timer.start();
    m.window.openModel(file);
    const GraphCanvas* canvas = m.window.view<GraphsView>()->pane(GraphSide::Imported)->canvas();
    QVERIFY(QTest::qWaitFor([&] { return canvas->picture() != nullptr; }, 30000));
    const qint64 picture = timer.elapsed();
    QCOMPARE(m.window.document().state(Part::Plan), State::Busy);
    QVERIFY(m.waitIdle(240000));
    QCOMPARE(m.window.document().imported()->nodes.size(), std::size_t(2001));
    QVERIFY(m.window.view<GraphsView>()->pane(GraphSide::Fused)->canvas()->picture());
    qInfo("first picture after %lld ms, all after %lld ms, longest stretch of work %.0f ms",
          static_cast<long long>(picture), static_cast<long long>(timer.elapsed()), stretch.ms());
    QVERIFY2(stretch.ms() < 250, qPrintable(QString::number(stretch.ms())));

    // Selecting, finding and walking stay quick in a model of this size, too.
    stretch.restart();
    const auto plan = m.window.document().plan();
    for (const auto& group : plan->groups) {
        if (group.id % 40 == 0)
            m.window.selectByName(QString::fromStdString(group.name));
        QTest::qWait(1);
    }
    QVERIFY(m.waitIdle(240000));
    QVERIFY2(stretch.ms() < 250, qPrintable(QString::number(stretch.ms())));
}

// Planning a model of this size takes long; the imported graph is seen and walked in long before.
void TestLarge::twentyThousandNodes() {
    QTemporaryDir folder;
    const QString file = residualFile(folder, 20000);
    WindowFixture m(QStringLiteral(FW_BINARY_DIR "/bin/fw"));
    QVERIFY(m.waitIdle());
    const LargeOpening seen = openLarge(m, file, 60000);
    qInfo("picture after %lld ms, longest stretch of work %.0f ms, of fit %.0f ms, "
          "window %.0f MB, worker %.0f MB",
          static_cast<long long>(seen.pictureMs), seen.openingMs, seen.overviewMs, seen.windowMb,
          seen.workerMb);
    QVERIFY(seen.pictureMs >= 0 && !seen.isPlanned);
    QVERIFY2(seen.openingMs < 150, qPrintable(QString::number(seen.openingMs)));
    QVERIFY2(seen.overviewMs < 150, qPrintable(QString::number(seen.overviewMs)));
    QVERIFY2(seen.windowMb + seen.workerMb < 450, "250 MB alone on the machine");
}

// Seen from its top level, and opened block by block, while the model is planned.
void TestLarge::oneHundredThousandNodes() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("layers.onnx"));
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly));
    const std::string bytes =
        test::largeModel(test::LargeShape::Layers, 100000).SerializeAsString();
    QCOMPARE(out.write(bytes.data(), qint64(bytes.size())), qint64(bytes.size()));
    out.close();
    WindowFixture m(QStringLiteral(FW_BINARY_DIR "/bin/fw"));
    QVERIFY(m.waitIdle());
    const LargeOpening seen = openLarge(m, file, 60000);
    QVERIFY(seen.pictureMs >= 0 && !seen.isPlanned);
    GraphPane* pane = m.pane(GraphSide::Imported);
    GraphCanvas* canvas = pane->canvas();
    QVERIFY(canvas->picture()->boxes.size() < 20);
    // What lies in the first closed block, down to the nodes.
    const auto firstClosed = [&]() -> const picture::PlacedBox* {
        for (const picture::PlacedBox& box : canvas->picture()->boxes)
            if (snapshot::isBlock(box.id))
                return &box;
        return nullptr;
    };
    const GraphsView& graphs = *m.window.view<GraphsView>();
    const snapshot::Hierarchy& blocks =
        *graphs.collapse()->blocks(graphs.pane(GraphSide::Imported));
    LongestStretch stretch;
    qint64 slowest = 0;
    int depth = 0;
    for (std::int64_t id = firstClosed()->id; id != -1 && depth < 9; ++depth) {
        canvas->setScale(1);
        canvas->centerOn(id);
        QElapsedTimer timer;
        timer.start();
        QTest::mouseDClick(canvas->viewport(), Qt::LeftButton, {}, canvas->nodeCenter(id));
        QVERIFY(waitUntil([&] { return !pane->busy() && canvas->complete(); }, 20000));
        slowest = std::max(slowest, timer.elapsed());
        const auto& inside = blocks.find(id)->blocks;
        id = inside.empty() ? -1 : blocks.blocks[inside.front()].id;
    }
    QVERIFY(depth > 2);
    qInfo("picture after %lld ms, longest stretch of work %.0f ms; a block after at most %lld ms, "
          "longest stretch %.0f ms",
          static_cast<long long>(seen.pictureMs), seen.openingMs, static_cast<long long>(slowest),
          stretch.ms());
    QVERIFY2(seen.openingMs < 300, qPrintable(QString::number(seen.openingMs)));
    QVERIFY2(slowest < seen.pictureMs, "opening a block costs less than opening the model");
    QVERIFY2(stretch.ms() < 300, qPrintable(QString::number(stretch.ms())));
}

FW_TEST(TestLarge, QApplication)
#include "test_large.moc"
