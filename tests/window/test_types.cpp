// A value of unknown type gets one in the window, with the real worker.
#include "app/window/main_window.h"
#include "app/window/types_dialog.h"
#include "base/files.h"
#include "common/test.h"

#include <QApplication>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QThreadPool>

using namespace fw;
using namespace fw::ui;

class TestTypes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void askedAndGiven();

private:
    void waitIdle() { QTRY_VERIFY_WITH_TIMEOUT(m_window->idle(), 120000); }

    std::unique_ptr<MainWindow> m_window;
};

void TestTypes::init() {
    m_window =
        std::make_unique<MainWindow>(QStringLiteral(FW_BINARY_DIR "/bin/fw"), Memory::Forget);
    m_window->show();
    m_window->setTargetText(QStringLiteral("x86-64 -mcpu=x86-64-v3 -libs= -threads=2"));
}

void TestTypes::cleanup() {
    m_window.reset();
    QThreadPool::globalInstance()->waitForDone();
}

void TestTypes::askedAndGiven() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("unknown_type.fw"));
    QVERIFY(writeFile(file.toStdString(),
                      "graph g(x: f32[4]) -> y {\n"
                      "  t = unknown \"\" \"Odd\"(x) {untyped_outputs = [0]} : f32[4]\n"
                      "  y = relu(t)\n}\n")
                .ok());
    m_window->openModel(file);
    waitIdle();
    Document& document = m_window->document();
    QVERIFY2(document.state(Part::Plan) == State::Ready, document.error(Part::Plan).text().c_str());
    QCOMPARE(document.info()->untyped, std::vector<std::string>{"t"});
    TypesDialog dialog(document.info()->untyped, {}, m_window.get());
    QVERIFY(dialog.types().empty());
    dialog.field("t")->setText(QStringLiteral(" f32[7] "));
    document.edit(snapshot::SetTypes{dialog.types()});
    waitIdle();
    QVERIFY(document.info()->untyped.empty());
    for (const auto& node : document.imported()->nodes)
        if (node.op == "relu")
            QCOMPARE(node.outputs[0].type, std::string("f32[7]"));
    document.undo();
    waitIdle();
    QVERIFY(document.inputs().types.empty());
}

FW_TEST(TestTypes, QApplication)
#include "test_types.moc"
