// A target that a book declares, in the window with the real worker: offered, planned for, saved
// with the document, and told where a model lacks what it requires.
#include "common/test.h"
#include "snapshot/documents.h"
#include "window/window_fixture.h"

#include <QCheckBox>
#include <QComboBox>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

const QString folder = QStringLiteral(FW_SOURCE_DIR "/samples/own-target/");

class TargetWindow : public WindowFixture {
public:
    TargetWindow() : WindowFixture(QStringLiteral(FW_BINARY_DIR "/bin/fw")) {}

    Document& document() { return window.document(); }
    QComboBox* box() const { return window.findChild<QComboBox*>(u"target"_s); }
    bool ticked(const QString& library) const {
        return window.findChild<QCheckBox*>(u"library_"_s + library)->isChecked();
    }
    bool withBook() {
        document().edit(snapshot::AddBook{(folder + u"vta.fw"_s).toStdString()});
        return waitIdle();
    }
};

} // namespace

class TestOwnTarget : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isOfferedAndPlannedFor();
    void librariesAreThoseOfTheBook();
    void isSavedWithTheDocument();
    void lacksAreTold();
};

void TestOwnTarget::isOfferedAndPlannedFor() {
    TargetWindow f;
    QVERIFY(f.open(folder + u"sequence.fw"_s));
    QCOMPARE(f.box()->findText(u"vta"_s), -1);
    f.window.setTargetText(u"vta"_s);
    QVERIFY(f.waitIdle());
    QCOMPARE(f.document().error(Part::Plan).code, DiagCode::UnknownTarget);
    QVERIFY(f.withBook());
    QCOMPARE(f.document().state(Part::Plan), State::Ready);
    QCOMPARE(f.document().plan()->target, std::string("vta -libs= -threads=1"));
    QCOMPARE(f.document().plan()->groups.size(), std::size_t(1));
    QTRY_VERIFY(f.box()->findText(u"vta"_s) > 0);
    QCOMPARE(f.box()->currentText(), u"vta"_s);
    f.document().undo();
    QVERIFY(f.waitIdle());
    QCOMPARE(f.box()->findText(u"vta"_s), -1);
}

void TestOwnTarget::librariesAreThoseOfTheBook() {
    TargetWindow f;
    QVERIFY(f.open(folder + u"sequence.fw"_s));
    QVERIFY(f.withBook());
    f.window.setTargetText(u"vta"_s);
    QVERIFY(f.waitIdle());
    QVERIFY(!f.document().inputs().libraries);
    QVERIFY(!f.ticked(u"onednn"_s) && !f.ticked(u"openblas"_s));
    auto* openblas = f.window.findChild<QCheckBox*>(u"library_openblas"_s);
    if (!openblas->isEnabled())
        QSKIP("OpenBLAS is not here");
    openblas->click();
    QVERIFY(f.waitIdle());
    QCOMPARE(f.document().plan()->target, std::string("vta -libs=openblas -threads=1"));
    QVERIFY(f.ticked(u"openblas"_s) && !f.ticked(u"onednn"_s));
}

void TestOwnTarget::isSavedWithTheDocument() {
    QTemporaryDir out;
    const QString saved = out.filePath(u"mine.fwdoc"_s);
    {
        TargetWindow f;
        QVERIFY(f.open(folder + u"sequence.fw"_s));
        QVERIFY(f.withBook());
        f.window.setTargetText(u"vta -threads=2"_s);
        QVERIFY(f.waitIdle());
        QVERIFY(f.window.saveTo(saved));
    }
    TargetWindow f;
    QVERIFY(f.open(saved));
    QCOMPARE(f.document().plan()->target, std::string("vta -libs= -threads=2"));
    QCOMPARE(f.box()->currentText(), u"vta -threads=2"_s);
}

void TestOwnTarget::lacksAreTold() {
    TargetWindow f;
    QVERIFY(f.open(folder + u"lone.fw"_s));
    QVERIFY(f.withBook());
    QCOMPARE(f.document().state(Part::Plan), State::Ready);
    f.window.setTargetText(u"vta"_s);
    QVERIFY(f.waitIdle());
    const Diag error = f.document().error(Part::Plan);
    QCOMPARE(error.code, DiagCode::NotRunnable);
    QCOMPARE(error.where.node, std::string("alone"));
}

FW_TEST(TestOwnTarget, QApplication)
#include "test_own_target.moc"
