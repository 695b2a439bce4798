// Where docks, tabs and headers are, whatever the size of the window, and what it offers before a
// model is open.
#include "app/window/samples.h"
#include "app/window/welcome_view.h"
#include "common/test.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"
#include "views/implementations/implementations_view.h"
#include "views/profile/profile_view.h"
#include "window/window_fixture.h"

#include <QDockWidget>
#include <QFileInfo>
#include <QFrame>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTabBar>
#include <QToolButton>
#include <QTreeView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

const QSize sizes[] = {{1280, 800}, {1600, 1000}, {2560, 1440}};

} // namespace

class TestLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m.reset(); }
    void samplesAreOffered();
    void welcomeIsWhole();
    void docksWithoutModelAreQuiet();
    void verdictsAndTimesCanBeRead();
    void headersHideBehindCards();
    void tabsLiveThroughAReset();
    void floatingDocksHaveAHandle();

private:
    MainWindow& window() { return m->window; }
    bool open() { return m->open(m_folder.filePath(u"residual.onnx"_s)); }
    QDockWidget* dock(const QString& name) { return window().findChild<QDockWidget*>(name); }
    void resize(QSize size) {
        window().resize(size);
        settle();
    }
    QList<QDockWidget*> below() {
        QList<QDockWidget*> out;
        for (const ViewRow& row : viewRows())
            if (row.area == Area::Below)
                out << dock(row.name);
        return out;
    }
    void picture(const QString& name) {
        const QDir folder(u"" FW_BINARY_DIR "/pictures"_s);
        QVERIFY(folder.mkpath(u"."_s));
        QVERIFY(window().grab().save(folder.filePath(name + u".png"_s)));
    }

    QTemporaryDir m_folder;
    std::unique_ptr<WindowFixture> m;
};

void TestLayout::init() {
    m = std::make_unique<WindowFixture>();
    QVERIFY(m->waitIdle());
}

void TestLayout::samplesAreOffered() {
    auto* welcome = window().findChild<WelcomeView*>();
    const QList<Sample> samples = shippedSamples();
    QStringList names;
    for (const Sample& sample : samples) {
        names << sample.name;
        QVERIFY(QFileInfo(sample.path).isDir());
        QVERIFY(!sample.shows.isEmpty());
    }
    QCOMPARE(names, (QStringList{u"lenet"_s, u"residual"_s, u"mobilenet"_s, u"attention"_s}));
    QCOMPARE(welcome->sampleButtons().size(), samples.size());
    QVERIFY(samplesIn(m_folder.path()).isEmpty());
    QTest::mouseClick(welcome->sampleButtons()[1], Qt::LeftButton);
    QVERIFY(m->waitIdle());
    QVERIFY(window().document().isOpen());
    QCOMPARE(window().document().fileName(), u"residual"_s);
}

// All of every text, at the size that the window has at least.
void TestLayout::welcomeIsWhole() {
    auto* welcome = window().findChild<WelcomeView*>();
    welcome->setRecent({u"/a/one.onnx"_s, u"/a/two.onnx"_s, u"/b/three.onnx"_s, u"/b/4.onnx"_s,
                        u"/c/five.onnx"_s,
                        u"/c/a_model_whose_name_is_longer_than_any_button_in_a_card.onnx"_s});
    for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
        window().applyTheme(theme);
        for (const QSize size : sizes) {
            resize(size);
            const auto* card = welcome->findChild<QFrame*>(u"stateCard"_s);
            const QRect seen(card->mapTo(welcome, QPoint()), card->size());
            QVERIFY2(welcome->rect().contains(seen), qPrintable(QString::number(size.width())));
            for (const QLabel* label : card->findChildren<QLabel*>())
                QVERIFY2(label->height() >= label->heightForWidth(label->width()) &&
                             label->visibleRegion().boundingRect().size() == label->size(),
                         qPrintable(label->text()));
            for (const QPushButton* button : card->findChildren<QPushButton*>())
                QVERIFY2(button->width() >= button->sizeHint().width(), qPrintable(button->text()));
            picture(u"welcome-%1-%2"_s.arg(size.width())
                        .arg(theme == ThemeChoice::Dark ? u"dark"_s : u"light"_s));
        }
    }
    window().applyTheme(ThemeChoice::Light);
}

void TestLayout::docksWithoutModelAreQuiet() {
    const auto cards = [](const QDockWidget* in) {
        const auto all = in->findChildren<QFrame*>(u"stateCard"_s);
        return std::count_if(all.begin(), all.end(),
                             [](const QFrame* card) { return card->isVisible(); });
    };
    for (const ViewRow& row : viewRows())
        if (QDockWidget* one = dock(row.name)) {
            one->raise();
            QCoreApplication::processEvents();
            QVERIFY2(cards(one) == 0, qPrintable(row.name));
        }
    QVERIFY(!window().view<ProfileView>()->overlay()->text().isEmpty()); // said all the same
    QVERIFY(open());
    dock(u"opTimesDock"_s)->raise();
    QTRY_COMPARE(cards(dock(u"opTimesDock"_s)), 1);
}

void TestLayout::verdictsAndTimesCanBeRead() {
    QVERIFY(open());
    window().document().tasks().profile();
    QVERIFY(m->waitIdle());
    m->click(GraphSide::Fused, 23); // its candidates are open
    const QTreeView* table = window().view<ImplementationsView>()->table();
    const auto needs = [&](const QString& text) {
        return table->fontMetrics().horizontalAdvance(text);
    };
    for (const QSize size : sizes) {
        resize(size);
        const QByteArray at = QByteArray::number(size.width());
        const int border = 8; // on both sides of a cell
        for (const auto column : {ImplementationsModel::Estimate, ImplementationsModel::Measured})
            QVERIFY2(table->columnWidth(column) >= needs(u"12.3 µs"_s) + border, at);
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            const QModelIndex group = table->model()->index(row, ImplementationsModel::Verdict);
            QVERIFY2(table->columnWidth(ImplementationsModel::Verdict) >=
                         needs(group.data().toString().section(u':', 0, 0)) + border,
                     at);
        }
        QVERIFY2(table->columnWidth(ImplementationsModel::Name) >= 90, at);
        QVERIFY2(table->header()->length() <= table->viewport()->width(), at);
        const QTreeView* times = window().view<ProfileView>()->table();
        for (const auto column : {ProfileModel::Median, ProfileModel::Estimate})
            QVERIFY2(times->columnWidth(column) >= needs(u"12.3 µs *"_s) + border, at);
        picture(u"implementations-%1"_s.arg(size.width()));
    }
}

void TestLayout::headersHideBehindCards() {
    QVERIFY(open());
    const QHeaderView* header = window().view<ProfileView>()->table()->header();
    dock(u"opTimesDock"_s)->raise();
    QCoreApplication::processEvents();
    QVERIFY(!header->isVisible());
    window().document().tasks().profile();
    QVERIFY(!header->isVisible()); // nothing to head yet
    QVERIFY(m->waitIdle());
    QVERIFY(header->isVisible());
    window().document().tasks().profile();
    QVERIFY(header->isVisible()); // the old times are still there
    QVERIFY(m->waitIdle());
    QVERIFY(window().view<ImplementationsView>()->table()->header()->isVisible());
}

void TestLayout::tabsLiveThroughAReset() {
    const auto look = [this](const char* when) {
        QList<QTabBar*> bars =
            window().findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
        bars.removeIf([](const QTabBar* one) { return !one->isVisible(); });
        QVERIFY2(bars.size() == 1, when); // an empty one would lie over something
        const QTabBar* bar = bars.front();
        QStringList tabs, wanted;
        for (int i = 0; i < bar->count(); ++i) {
            tabs << bar->tabText(i).remove(u'&');
            QVERIFY2(bar->rect().contains(bar->tabRect(i)), when);
        }
        for (const QDockWidget* one : below())
            wanted << one->windowTitle();
        QCOMPARE(tabs, wanted);
    };
    resize({1600, 1000});
    look("at first");
    resize({900, 600});
    QVERIFY(m->trigger("Reset layout"));
    resize({1600, 1000});
    look("without a model");
    QVERIFY(open());
    resize({900, 600});
    QVERIFY(m->trigger("Reset layout"));
    resize({1600, 1000});
    look("with a model");
    dock(u"stages"_s)->hide();
    dock(u"log"_s)->setFloating(true);
    QVERIFY(m->trigger("Reset layout"));
    settle();
    look("after some were elsewhere");
    for (const ViewRow& row : viewRows())
        if (row.area == Area::Left || row.area == Area::Right)
            QVERIFY2(dock(row.name)->isVisible(), qPrintable(row.name));
}

void TestLayout::floatingDocksHaveAHandle() {
    for (const QString& name : {u"stages"_s, u"explain"_s}) {
        QDockWidget* one = dock(name);
        const QWidget* before = one->titleBarWidget();
        one->raise();
        one->setFloating(true);
        QCoreApplication::processEvents();
        const auto* header = dynamic_cast<PaneHeader*>(one->titleBarWidget());
        QVERIFY2(header && header->isVisible() && header->height() > 20, qPrintable(name));
        QCOMPARE(header->title(), one->windowTitle());
        auto* back = header->findChild<QToolButton*>(u"dockBack"_s);
        QVERIFY(back->isVisible());
        QTest::mouseClick(back, Qt::LeftButton);
        QTRY_VERIFY(!one->isFloating());
        QVERIFY(one->isVisible());
        QVERIFY(!back->isVisible());
        QCOMPARE(one->titleBarWidget(), before);
    }
}

FW_TEST(TestLayout, QApplication)
#include "test_layout.moc"
