// Tuning in the window with the real worker: how far it is is shown while it runs, and a stop loses
// nothing of what was measured.
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "common/test.h"

#include <QApplication>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QProgressBar>
#include <QRegularExpression>
#include <QStatusBar>
#include <QTemporaryDir>

using namespace fw;
using namespace fw::ui;

class TestTuning : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void howFarItIs();
    void stopKeepsWhatWasMeasured();

private:
    struct Shown {
        int done, all;
        QString text;
    };

    void waitIdle() { QTRY_VERIFY_WITH_TIMEOUT(m_window->idle(), 120000); }
    void open(const char* name) {
        m_window->openModel(QStringLiteral(FW_SOURCE_DIR "/samples/%1/model.onnx").arg(name));
        waitIdle();
        QVERIFY2(m_window->document().isOpen(), qPrintable(m_window->messageBar()->text()));
    }
    // What stands beside the bar while workloads are measured.
    QString said() const {
        for (const QLabel* label : m_window->findChildren<QLabel*>())
            if (label->toolTip().startsWith(u"tune "))
                return label->toolTip();
        return {};
    }

    std::unique_ptr<MainWindow> m_window;
    QProgressBar* m_bar = nullptr;
    QList<Shown> m_shown;
    QTemporaryDir m_folder;
};

void TestTuning::init() {
    m_window =
        std::make_unique<MainWindow>(QStringLiteral(FW_BINARY_DIR "/bin/fw"), Memory::Forget);
    m_window->resize(1500, 950);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    m_window->setTargetText(QStringLiteral("x86-64 -libs= -threads=1"));
    m_bar = m_window->statusBar()->findChild<QProgressBar*>();
    QVERIFY(m_bar != nullptr);
    m_shown.clear();
    connect(m_bar, &QProgressBar::valueChanged, m_bar, [this](int done) {
        if (const QString text = said(); !text.isEmpty())
            m_shown.push_back({done, m_bar->maximum(), text});
    });
}

void TestTuning::cleanup() {
    m_window.reset();
    QThreadPool::globalInstance()->waitForDone();
}

void TestTuning::howFarItIs() {
    open("mlp");
    m_window->document().tasks().tune(m_folder.filePath(QStringLiteral("mlp.jsonl")));
    QVERIFY(!m_window->idle());
    QTRY_VERIFY2(m_bar->isVisible(), qPrintable(m_window->messageBar()->text()));
    waitIdle();
    QVERIFY(!m_bar->isVisible());
    QVERIFY(m_shown.size() >= 2);
    static const QRegularExpression first(QStringLiteral("^tune (\\d+) of (\\d+): \\S+")),
        later(QStringLiteral("\\(([0-9.]+) ms before, ([0-9.]+) ms at best so far\\)$"));
    for (const Shown& shown : std::as_const(m_shown)) {
        const auto match = first.match(shown.text);
        QVERIFY2(match.hasMatch(), qPrintable(shown.text));
        QCOMPARE(match.captured(1).toInt(), shown.done);
        QCOMPARE(match.captured(2).toInt(), shown.all);
        QVERIFY(shown.done < shown.all);
    }
    const auto match = later.match(m_shown.last().text);
    QVERIFY2(match.hasMatch(), qPrintable(m_shown.last().text));
    QVERIFY(match.captured(2).toDouble() <= match.captured(1).toDouble());
}

void TestTuning::stopKeepsWhatWasMeasured() {
    open("mobilenet");
    const auto plan = m_window->document().plan();
    QFile log(m_folder.filePath(QStringLiteral("stopped.jsonl")));
    m_window->document().tasks().tune(log.fileName());
    QTRY_VERIFY_WITH_TIMEOUT(!m_shown.isEmpty() && m_shown.last().done >= 2, 60000);
    QVERIFY(m_shown.last().done + 2 < m_shown.last().all);
    m_window->document().stop();
    waitIdle();
    QVERIFY2(m_window->document().isOpen(), qPrintable(m_window->messageBar()->text()));
    QCOMPARE(m_window->document().plan(), plan); // a log that is not complete is not taken unasked
    QVERIFY(log.open(QIODevice::ReadOnly));
    int records = 0;
    for (const QByteArray& line : log.readAll().split('\n'))
        if (!line.isEmpty()) {
            QVERIFY2(QJsonDocument::fromJson(line).object().contains(u"us"), line.constData());
            ++records;
        }
    QVERIFY(records >= 2);
}

FW_TEST(TestTuning, QApplication)
#include "test_tuning.moc"
