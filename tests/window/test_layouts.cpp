// Named layouts of the window, and the widths of its columns: they are what people, or a layout,
// made them, whatever the size of the window was in between and whatever docks have to say.
#include "app/window/layouts.h"
#include "common/test.h"
#include "views/compare/changes_view.h"
#include "window/books_fixture.h"

#include <QDockWidget>
#include <QLabel>
#include <QLayout>
#include <QSplitter>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestLayouts : public QObject, BooksFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        begin();
        QVERIFY(m->waitIdle());
        QVERIFY(open());
    }
    void cleanup() { m.reset(); }
    void eachHasAKey_data();
    void eachHasAKey();
    void isFoundAsItWasLeft();
    void ownOnesAreSaved();
    void columnsComeBack();
    void whatDocksSayTakesNoWidth();
    void resetDoesNotWiden();
    void panesShareTheRoom();
    void keysShowThenHide();
    void textLeavesExplanationsAlone_data();
    void textLeavesExplanationsAlone();

private:
    QDockWidget* dock(const char* name) {
        return window().findChild<QDockWidget*>(QString::fromLatin1(name));
    }
    bool isSeen(const char* name) { return dock(name)->isVisibleTo(&window()); }
    void resize(QSize size) {
        window().resize(size);
        settle();
    }
    void press(const QString& keys) {
        const QKeyCombination one = QKeySequence(keys)[0];
        QTest::keyClick(&window(), one.key(), one.keyboardModifiers());
        settle();
    }
    void writeBook() {
        window().newBook();
        m->waitIdle();
        settle();
    }
    void picture(const QString& name) {
        const QDir folder(u"" FW_BINARY_DIR "/pictures"_s);
        QVERIFY(folder.mkpath(u"."_s));
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            window().applyTheme(theme);
            QVERIFY(window().grab().save(folder.filePath(
                u"layout-%1-%2.png"_s.arg(name, theme == ThemeChoice::Dark ? u"dark" : u"light"))));
        }
        window().applyTheme(ThemeChoice::Light);
    }
};

void TestLayouts::eachHasAKey_data() {
    QTest::addColumn<QString>("title");
    QTest::addColumn<QString>("keys");
    QTest::addColumn<QStringList>("seen");
    QTest::newRow("look") << u"Look"_s << u"Alt+Shift+F1"_s
                          << QStringList{u"outline"_s, u"rulesDock"_s, u"explain"_s,
                                         u"implementationsDock"_s, u"properties"_s};
    QTest::newRow("write") << u"Write"_s << u"Alt+Shift+F2"_s
                           << QStringList{u"explain"_s, u"implementationsDock"_s};
    QTest::newRow("profile") << u"Profile"_s << u"Alt+Shift+F3"_s
                             << QStringList{u"explain"_s, u"implementationsDock"_s,
                                            u"opTimesDock"_s};
    QTest::newRow("compare") << u"Compare"_s << u"Alt+Shift+F4"_s
                             << QStringList{u"explain"_s, u"changesDock"_s};
}

void TestLayouts::eachHasAKey() {
    QFETCH(QString, title);
    QFETCH(QString, keys);
    QFETCH(QStringList, seen);
    writeBook();
    for (const QSize size : {QSize(1280, 800), QSize(1600, 1000)}) {
        resize(size);
        press(title == u"Look"_s ? u"Alt+Shift+F2"_s : u"Alt+Shift+F1"_s);
        press(keys);
        QCOMPARE(window().layouts().current(), title);
        for (const QString& name : seen) {
            const auto* one = window().findChild<QDockWidget*>(name);
            const bool isLeft = name == u"outline"_s || name == u"rulesDock"_s;
            if (isLeft) // made place for the text
                QCOMPARE(one->isVisibleTo(&window()), size.width() > 1800);
            else
                QVERIFY2(one->isVisibleTo(&window()), qPrintable(name));
        }
        if (title == u"Write"_s) // the text is as high as the graphs
            QVERIFY(window().view<BooksView>()->height() > size.height() - 130);
        QCOMPARE(window().size(), size);
        QVERIFY(editor().width() > 330);
        QVERIFY(window().view<GraphsView>()->width() > 330);
        picture(u"%1-%2"_s.arg(title.toLower()).arg(size.width()));
    }
}

void TestLayouts::isFoundAsItWasLeft() {
    press(u"Alt+Shift+F3"_s);
    dock("explain")->hide();
    press(u"Alt+Shift+F4"_s);
    QVERIFY(isSeen("explain"));
    press(u"Alt+Shift+F3"_s);
    QVERIFY(!isSeen("explain"));
    press(u"Ctrl+Alt+R"_s); // as it was at first
    QVERIFY(isSeen("explain"));
    QVERIFY(!isSeen("outline"));
}

void TestLayouts::ownOnesAreSaved() {
    dock("outline")->hide();
    window().layouts().saveAs(u"Mine & yours"_s);
    QCOMPARE(window().layouts().current(), u"Mine & yours"_s);
    QCOMPARE(window().layouts().all().back().keys, u"Alt+Shift+F5"_s);
    press(u"Alt+Shift+F1"_s);
    QVERIFY(isSeen("outline"));
    press(u"Alt+Shift+F5"_s);
    QVERIFY(!isSeen("outline"));
    window().layouts().saveAs(u"Look"_s); // has that name
    QCOMPARE(window().layouts().all().size(), std::size_t(5));
    for (const char* name : {"b", "c", "d"})
        window().layouts().saveAs(QString::fromLatin1(name));
    QCOMPARE(window().layouts().all().size(), std::size_t(4 + Layouts::mostOwn));
}

void TestLayouts::columnsComeBack() {
    resize({1600, 1000});
    press(u"Ctrl+Alt+R"_s);
    const int right = dock("explain")->width(), left = dock("outline")->width();
    QVERIFY(right > 400);
    resize({820, 600});
    resize({1600, 1000});
    QCOMPARE(dock("explain")->width(), right);
    QCOMPARE(dock("outline")->width(), left);
}

void TestLayouts::whatDocksSayTakesNoWidth() {
    resize({1280, 800});
    press(u"Ctrl+Alt+R"_s);
    const int right = dock("explain")->width();
    for (int i = 0; i < 4; ++i) {
        window().setTargetText(i % 2 ? u"x86-64 -mcpu=x86-64-v4"_s : u"x86-64 -mcpu=x86-64-v3"_s);
        QVERIFY(m->waitIdle());
        settle();
    }
    QVERIFY(window().document().changes());
    QCOMPARE(dock("explain")->width(), right);
}

void TestLayouts::resetDoesNotWiden() {
    for (const QSize size : {QSize(1280, 800), QSize(1600, 1000)}) {
        resize(size);
        auto* wide = new QLabel(QString(400, u'w'), window().view<ChangesView>());
        window().view<ChangesView>()->layout()->addWidget(wide);
        press(u"Ctrl+Alt+R"_s);
        QCOMPARE(window().size(), size);
        delete wide;
    }
}

void TestLayouts::panesShareTheRoom() {
    auto* graphs = window().view<GraphsView>();
    resize({2200, 1000});
    graphs->addPane();
    graphs->addPane();
    QVERIFY(m->waitIdle());
    settle();
    const auto isEven = [&] {
        const int first = graphs->pane(std::size_t(0))->width();
        for (std::size_t i = 1; i < graphs->paneCount(); ++i)
            if (std::abs(graphs->pane(i)->width() - first) > 4)
                return false;
        return true;
    };
    QVERIFY(isEven());
    graphs->removePane();
    graphs->removePane();
    QVERIFY(m->waitIdle());
    settle();
    QVERIFY(isEven());
    auto* row = qobject_cast<QSplitter*>(graphs->pane(std::size_t(0))->parentWidget());
    row->setSizes({900, 200, 0});
    settle();
    QVERIFY(!isEven());
    press(u"Ctrl+Alt+R"_s);
    QVERIFY(isEven());
}

// A view that came forward by itself is not taken away by the key that names it.
void TestLayouts::keysShowThenHide() {
    dock("opTimesDock")->raise();
    settle();
    window().bringToFront(window().view<ChangesView>()); // as after a plan
    settle();
    press(u"Alt+6"_s);
    QVERIFY(isSeen("changesDock"));
    QVERIFY(dock("changesDock")->isAncestorOf(window().focusWidget()));
    press(u"Alt+6"_s); // it has the keys
    QVERIFY(!isSeen("changesDock"));
    press(u"Alt+6"_s);
    QVERIFY(isSeen("changesDock"));
}

void TestLayouts::textLeavesExplanationsAlone_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("1280") << QSize(1280, 800);
    QTest::newRow("1600") << QSize(1600, 1000);
}

void TestLayouts::textLeavesExplanationsAlone() {
    QFETCH(QSize, size);
    resize(size);
    press(u"Ctrl+Alt+R"_s);
    writeBook();
    for (const char* name : {"explain", "implementationsDock", "properties"})
        QVERIFY2(isSeen(name), name);
    QVERIFY(!isSeen("outline"));
    QVERIFY(editor().width() > 300);
    picture(u"text-%1"_s.arg(size.width()));
    window().answerUnsaved([] { return Unsaved::Discard; });
    books().close(books().currentPath());
    settle();
    QVERIFY(isSeen("outline"));
}

FW_TEST(TestLayouts, QApplication)
#include "test_layouts.moc"
