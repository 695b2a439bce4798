// A shared library that a book declares, in the window with the real worker: asked for with its
// full path before it is loaded, remembered by content, and one that dies costs a message.
#include "common/test.h"
#include "snapshot/documents.h"
#include "window/window_fixture.h"

#include <QCheckBox>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

const QString sample = QStringLiteral(FW_BINARY_DIR "/toylib/libtoylib.so");
const std::string kernel = "toylib.conv_bias_relu";

class LibraryWindow : public WindowFixture {
public:
    LibraryWindow() : WindowFixture(QStringLiteral(FW_BINARY_DIR "/bin/fw")) {
        window.answerLoad([this](const QString& question) {
            questions << question;
            return yes;
        });
        for (const QString& name : {u"toylib.fw"_s, u"blocks.fw"_s})
            QFile::copy(QStringLiteral(FW_SOURCE_DIR "/samples/toylib/") + name, file(name));
    }

    QString file(const QString& name) const { return folder.filePath(name); }
    // In one step, as a linker writes it: what is open stays as it was.
    bool put(const QString& library) {
        return QFile::copy(library, file(u"new.so"_s)) &&
               std::rename(qPrintable(file(u"new.so"_s)), qPrintable(file(u"libtoylib.so"_s))) == 0;
    }
    bool withBook() {
        if (!open(file(u"blocks.fw"_s)))
            return false;
        document().edit(snapshot::AddBook{file(u"toylib.fw"_s).toStdString()});
        return waitIdle();
    }
    Document& document() { return window.document(); }
    QCheckBox* box() const { return window.findChild<QCheckBox*>(u"library_toylib"_s); }
    bool click() {
        box()->click();
        return waitIdle();
    }
    bool calls() {
        if (document().state(Part::Plan) != State::Ready)
            return false;
        const auto& groups = document().plan()->groups;
        return std::any_of(groups.begin(), groups.end(),
                           [](const auto& group) { return group.implementation == kernel; });
    }

    QTemporaryDir folder;
    QStringList questions;
    bool yes = true;
};

} // namespace

class TestOwnLibrary : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asksBeforeItLoads();
    void documentWaitsForTheUser();
    void anotherFileIsAskedForAgain();
    void absentFileIsTold();
    void dyingLibraryIsAvoided();
};

void TestOwnLibrary::asksBeforeItLoads() {
    LibraryWindow f;
    QVERIFY(f.put(sample));
    QVERIFY(f.withBook());
    QVERIFY(f.box() != nullptr && f.box()->isVisible() && f.box()->isEnabled());
    QVERIFY(!f.box()->isChecked() && !f.calls());
    f.yes = false;
    QVERIFY(f.click());
    QVERIFY(!f.box()->isChecked() && !f.calls());
    QCOMPARE(f.questions.size(), 1);
    QVERIFY2(f.questions[0].contains(f.file(u"libtoylib.so"_s)), qPrintable(f.questions[0]));
    f.yes = true;
    QVERIFY(f.click());
    QVERIFY(f.box()->isChecked() && f.calls());
    QVERIFY(f.click());
    QVERIFY(!f.box()->isChecked() && !f.calls());
    QVERIFY(f.click());
    QVERIFY(f.calls());
    QCOMPARE(f.questions.size(), 2); // once for this content
    f.document().edit(snapshot::RemoveBook{f.file(u"toylib.fw"_s).toStdString()});
    QVERIFY(f.waitIdle());
    QVERIFY(!f.box()->isVisible());
}

void TestOwnLibrary::documentWaitsForTheUser() {
    LibraryWindow f;
    QVERIFY(f.put(sample));
    QFile document(f.file(u"work.fwdoc"_s));
    QVERIFY(document.open(QIODevice::WriteOnly));
    document.write(R"({"fusewright_document": 1, "model": "blocks.fw", "target": "x86-64",
                       "libraries": ["toylib"], "pins": [], "dims": {}, "log": "",
                       "books": [{"path": "toylib.fw", "enabled": true}]})");
    document.close();
    QVERIFY(f.open(document.fileName()));
    QCOMPARE(f.document().error(Part::Plan).code, DiagCode::LibraryNotAgreed);
    QVERIFY(f.box() != nullptr && f.box()->isEnabled() && !f.box()->isChecked());
    QVERIFY(f.click());
    QVERIFY(f.calls());
}

void TestOwnLibrary::anotherFileIsAskedForAgain() {
    LibraryWindow f;
    QVERIFY(f.put(sample));
    QVERIFY(f.withBook());
    QVERIFY(f.click());
    QVERIFY(f.calls());
    QVERIFY(f.put(QStringLiteral(FW_BINARY_DIR "/tests/libbad_zeros.so")));
    f.document().reload();
    QVERIFY(f.waitIdle());
    QCOMPARE(f.document().error(Part::Plan).code, DiagCode::LibraryNotAgreed);
    QVERIFY(!f.box()->isChecked());
    QVERIFY(f.click()); // of a fresh worker: the other one has the earlier file
    QCOMPARE(f.questions.size(), 2);
    QVERIFY2(f.calls(), f.document().error(Part::Plan).text().c_str());
}

void TestOwnLibrary::absentFileIsTold() {
    LibraryWindow f;
    QVERIFY(f.withBook());
    QVERIFY(f.box() != nullptr && f.box()->isVisible() && !f.box()->isEnabled());
    QVERIFY(f.box()->accessibleDescription().contains(f.file(u"libtoylib.so"_s)));
}

void TestOwnLibrary::dyingLibraryIsAvoided() {
    LibraryWindow f;
    QVERIFY(f.put(QStringLiteral(FW_BINARY_DIR "/tests/libbad_check_dies.so")));
    QVERIFY(f.withBook());
    QVERIFY(f.click());
    QTRY_VERIFY2(f.document().state(Part::Plan) == State::Ready,
                 (f.document().error(Part::Plan).text() + f.document().inputs().pinText()).c_str());
    QVERIFY(f.waitIdle());
    QVERIFY(!f.calls());
    QVERIFY(!f.document().inputs().pins.empty());
    QCOMPARE(f.document().inputs().pins.front().implementation, std::string("toylib"));
}

FW_TEST(TestOwnLibrary, QApplication)
#include "test_own_library.moc"
