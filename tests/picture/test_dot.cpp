// Graphviz as a guest: used when it answers in time, and never trusted.
#include "common/test.h"
#include "diagrams.h"
#include "picture/compose.h"
#include "picture/dot_layout.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <sys/wait.h>

#include <thread>

using namespace fw;
using namespace fw::picture;

namespace {

constexpr qint64 sleepMs = 60000; // of a program that is not waited for

}

class TestDot : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void drawsWithGraphviz();
    void largeDiagramsAreNotGiven();
    void longEdgesAreNotGiven();
    void onlySizesAreSent();
    void troubleFallsBack_data();
    void troubleFallsBack();
    void answersThatAreNotUsed();
    void cancelKillsTheChild();
    void hostileAnswersAreRefused();

private:
    std::string script(const char* body) {
        const QString path = m_dir.filePath(QStringLiteral("dot%1").arg(++m_count));
        QFile file(path);
        [&] { QVERIFY(file.open(QIODevice::WriteOnly)); }();
        file.write("#!/bin/sh\n");
        file.write(body);
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path.toStdString();
    }

    QTemporaryDir m_dir;
    int m_count = 0;
};

void TestDot::drawsWithGraphviz() {
    if (QStandardPaths::findExecutable(QStringLiteral("dot")).isEmpty())
        QSKIP("dot is not installed");
    DrawOptions options;
    options.dotLimit = std::chrono::seconds(60);
    std::vector<Diagram> diagrams{residualBlock()};
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
        diagrams.push_back(randomDiagram(seed, 25, Grouping::Flat));
        diagrams.push_back(randomDiagram(seed, 40, Grouping::Groups));
    }
    for (const Diagram& d : diagrams) {
        const auto picture = draw(d, options);
        QVERIFY(picture.ok());
        QCOMPARE(codeText(picture->decisions.at(0).code), std::string_view("PIC12"));
        QCOMPARE(picture->engine, LayoutEngine::Dot);
        const std::string broken = brokenInvariant(d, *picture);
        QVERIFY2(broken.empty(), broken.c_str());
    }
}

void TestDot::largeDiagramsAreNotGiven() {
    DrawOptions options;
    options.dotMaxBoxes = 5;
    const auto picture = draw(randomDiagram(1, 6, Grouping::Flat), options);
    QVERIFY(picture.ok());
    QCOMPARE(picture->engine, LayoutEngine::Layered);
    QCOMPARE(picture->decisions.at(0).sentence(),
             std::string(
                 "drawn with the built-in layout: 6 boxes are more than the 5 given to Graphviz"));
}

// Each box reads all that came before it: few boxes, and edges that pass most of the layers.
void TestDot::longEdgesAreNotGiven() {
    const auto everyReadsAll = [](std::int64_t count) {
        Diagram d;
        d.name = "dense";
        for (std::int64_t i = 0; i < count; ++i) {
            Box box;
            box.id = i;
            box.title = "box";
            d.boxes.push_back(box);
            for (std::int64_t k = 0; k < i; ++k) {
                Edge edge;
                edge.from = k;
                edge.to = i;
                d.edges.push_back(edge);
            }
        }
        return d;
    };
    DrawOptions options;
    options.dotProgram = m_dir.filePath(QStringLiteral("absent")).toStdString();
    const auto few = draw(everyReadsAll(27), options), many = draw(everyReadsAll(28), options);
    QVERIFY(few.ok() && many.ok());
    // Of n boxes in a row any two pass those between them: n (n - 1) (n - 2) / 6.
    QVERIFY(few->decisions.at(0).sentence().ends_with("cannot be started"));
    QCOMPARE(few->engine, LayoutEngine::Layered);
    QCOMPARE(
        many->decisions.at(0).sentence(),
        std::string("drawn with the built-in layout: the edges pass 3276 layers, more than the "
                    "3000 given to Graphviz"));
    QCOMPARE(brokenInvariant(everyReadsAll(28), *many), std::string());
}

// No name of the model: what it may say to Graphviz, or to a shell, is never asked.
void TestDot::onlySizesAreSent() {
    Diagram d = randomDiagram(2, 30, Grouping::Groups);
    for (Box& box : d.boxes)
        box.title = box.subtitle = "secret; $(id) \"";
    for (Edge& edge : d.edges)
        edge.label = "secret";
    for (Container& container : d.containers)
        container.title = "secret";
    const QString sent = m_dir.filePath(QStringLiteral("sent"));
    DrawOptions options;
    options.dotLimit = std::chrono::seconds(60);
    options.dotProgram = script(
        QStringLiteral("echo \"$@\" >%1; cat >>%1; exit 3\n").arg(sent).toUtf8().constData());
    QVERIFY(draw(d, options).ok());
    QFile file(sent);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY2(text.contains("-Tplain") && text.contains("n0"), text.left(400).constData());
    QVERIFY2(!text.contains("secret"), text.constData());
}

void TestDot::troubleFallsBack_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("reason");
    QTest::newRow("missing") << QString() << QStringLiteral("cannot be started");
    QTest::newRow("sleeps") << QStringLiteral("sleep 60\n")
                            << QStringLiteral("took longer than 300 ms");
    QTest::newRow("closes its output and sleeps")
        << QStringLiteral("exec >&-\nsleep 60\n") << QStringLiteral("took longer than 300 ms");
    QTest::newRow("fails") << QStringLiteral("exit 3\n") << QStringLiteral("ended with");
    QTest::newRow("dies") << QStringLiteral("kill -9 $$\n") << QStringLiteral("ended with");
    QTest::newRow("says nothing") << QStringLiteral("cat >/dev/null\n")
                                  << QStringLiteral("incomplete");
    QTest::newRow("says nonsense")
        << QStringLiteral("echo edge one two 4 x\n") << QStringLiteral("an edge that was not sent");
    QTest::newRow("never stops") << QStringLiteral("while :; do echo node n0 0 0 1 1; done\n")
                                 << QString();
}

void TestDot::troubleFallsBack() {
    QFETCH(QString, body);
    QFETCH(QString, reason);
    DrawOptions options;
    options.dotProgram = body.isEmpty() ? m_dir.filePath(QStringLiteral("absent")).toStdString()
                                        : script(body.toUtf8().constData());
    options.dotLimit =
        std::chrono::milliseconds(reason.contains(QLatin1String("300")) ? 300 : 4000);
    const Diagram d = randomDiagram(2, 30, Grouping::Groups);
    QElapsedTimer timer;
    timer.start();
    const auto picture = draw(d, options);
    QVERIFY(picture.ok());
    QVERIFY2(timer.elapsed() < sleepMs, "it was waited for");
    QCOMPARE(picture->engine, LayoutEngine::Layered);
    QCOMPARE(brokenInvariant(d, *picture), std::string());
    const QString said = QString::fromStdString(picture->decisions.at(0).sentence());
    QVERIFY2(said.contains(reason), qPrintable(said));
    QCOMPARE(waitpid(-1, nullptr, WNOHANG), pid_t{-1}); // no child is left, not even a dead one
    QCOMPARE(picture->decisions.at(0).code, ReasonCode::LayoutEngine);
}

void TestDot::answersThatAreNotUsed() {
    LayeredInput input;
    input.nodes = {{72, 36, Pin::Free}};
    DrawOptions options;
    options.dotLimit = std::chrono::seconds(10);
    for (const char* body : {"exit 3\n", "cat >/dev/null\n"}) {
        options.dotProgram = script(body);
        const auto answer = dotLayout(input, options, {});
        QVERIFY(!answer.ok());
        QCOMPARE(answer.diag().code, DiagCode::LayoutFallback);
    }
}

void TestDot::cancelKillsTheChild() {
    DrawOptions options;
    const QString begun = m_dir.filePath(QStringLiteral("begun"));
    options.dotProgram = script(QStringLiteral(": >'%1'\nsleep 60\n").arg(begun).toUtf8());
    options.dotLimit = std::chrono::milliseconds(2 * sleepMs);
    const CancelToken cancel;
    QElapsedTimer timer;
    timer.start();
    std::thread canceller([&] {
        while (!QFileInfo::exists(begun) && timer.elapsed() < sleepMs)
            std::this_thread::yield();
        cancel.cancel();
    });
    const auto picture = draw(residualBlock(), options, cancel);
    canceller.join();
    QVERIFY(!picture.ok());
    QCOMPARE(picture.diag().code, DiagCode::Cancelled);
    QVERIFY2(timer.elapsed() < sleepMs, "it was waited for");
    QCOMPARE(waitpid(-1, nullptr, WNOHANG), pid_t{-1});
}

void TestDot::hostileAnswersAreRefused() {
    LayeredInput input;
    input.nodes = {{72, 36, Pin::Free}, {72, 36, Pin::Free}};
    input.edges = {{0, 1, 0, std::nullopt, std::nullopt, 1}};
    LayeredOutput output;
    const std::string good = "graph 1 1 2\nnode n0 0.5 1.75 1 0.5 \"\" solid box black\n"
                             "node n1 0.5 0.25 1 0.5 \"\" solid box black\n"
                             "edge n0:s n1:n 4 0.5 1.5 0.5 1.2 0.5 0.8 0.5 0.5 solid black\nstop\n";
    QCOMPARE(readPlain(good, input, output), std::string());
    QCOMPARE(output.centers[0].y, 18.0);
    QCOMPARE(output.legs.at(0).points.back().y, 108.0);
    const auto with = [&](const char* what, const char* by) {
        std::string text = good;
        text.replace(text.find(what), std::string(what).size(), by);
        return readPlain(text, input, output);
    };
    for (const std::string& trouble :
         {with("node n1", "node n7"), with("node n1", "node n0"), with("node n1", "node nx"),
          with("0.5 1.75 1 0.5", "nan 1.75 1 0.5"), with("0.5 1.75 1 0.5", "0.5 1.75 9 0.5"),
          with("4 0.5", "400000000000 0.5"), with("4 0.5", "5 0.5"), with("4 0.5", "-4 0.5"),
          with("0.5 1.2", "inf 1.2"), with("edge n0:s n1:n", "edge n1 n0"), with("stop\n", ""),
          readPlain("", input, output)})
        QVERIFY(!trouble.empty());
}

FW_TEST(TestDot, QCoreApplication)
#include "test_dot.moc"
