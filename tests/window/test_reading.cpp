// What reading needs, whoever reads: the font of the desktop, where the keys are, one subject for
// all docks, columns that stay as they were set.
#include "common/test.h"
#include "views/common/pane.h"
#include "views/explain/explain_view.h"
#include "views/implementations/implementations_view.h"
#include "views/inspector/outline_view.h"
#include "views/inspector/properties_view.h"
#include "views/profile/profile_view.h"
#include "views/stages/stages_view.h"
#include "window/window_fixture.h"

#include <QApplication>
#include <QDockWidget>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTableView>
#include <QTreeView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestReading : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() {
        QApplication::setFont(m_font);
        m.reset();
    }
    void severalSelectedHaveOneSubject();
    void subjectFollowsIntoTheOtherGraph();
    void fontOfTheDesktop();
    void graphsGrowWithTheFont();
    void keysAreSeen();
    void menuByTheKeys();
    void keysReachEveryDock();
    void columnsStayAsTheyWereSet();
    void opTimesFitBesideTheGraphs();
    void namesInTheOutline();

private:
    MainWindow& window() { return m->window; }
    QString detail(const char* dock) {
        const auto* header = dynamic_cast<PaneHeader*>(
            window().findChild<QDockWidget*>(QString::fromLatin1(dock))->titleBarWidget());
        return header ? header->detail() : QString();
    }
    void resize(QSize size) {
        window().resize(size);
        settle();
    }

    QTemporaryDir m_folder;
    std::unique_ptr<WindowFixture> m;
    const QFont m_font = QApplication::font();
};

void TestReading::init() {
    m = std::make_unique<WindowFixture>();
    QVERIFY(m->open(m_folder.filePath(u"residual.onnx"_s)));
}

// The one that was picked last: its node, its group, the text of its group.
void TestReading::severalSelectedHaveOneSubject() {
    window().findChild<QDockWidget*>(u"stages"_s)->raise();
    window().document().tasks().profile();
    QVERIFY(m->waitIdle());
    m->click(GraphSide::Fused, 29);
    m->click(GraphSide::Fused, 27, Qt::ControlModifier);
    m->click(GraphSide::Fused, 22, Qt::ControlModifier);
    QCOMPARE(window().selection().fused, (snapshot::NodeSet{22, 27, 29}));
    QCOMPARE(window().selection().fusedSubject, 22);
    QCOMPARE(detail("properties"), u"Conv_12, 1 of 3 selected"_s);
    QCOMPARE(window().document().explanation()->nodes, std::vector<snapshot::NodeId>{22});
    QVERIFY(detail("explain").endsWith(u", 1 of 3 selected"_s));
    const auto group = [](const QTreeView* table) {
        return table->currentIndex().siblingAtColumn(0).data().toString();
    };
    QCOMPARE(group(window().view<ImplementationsView>()->table()), u"conv2d_bias_relu_0"_s);
    QVERIFY(detail("implementationsDock").contains(u", 1 of 3 selected"_s));
    QCOMPARE(group(window().view<ProfileView>()->table()), u"conv2d_bias_relu_0"_s);
    QTRY_VERIFY(window().document().stage() && window().document().stage()->group == 0);
    bool told = false;
    for (const QLabel* label : window().view<StagesView>()->findChildren<QLabel*>())
        told = told || label->text() == u"conv2d_bias_relu_0, 1 of 3 selected"_s;
    QVERIFY(told);
    // Another one last: all of them go there.
    m->click(GraphSide::Fused, 28, Qt::ControlModifier);
    QCOMPARE(detail("properties"), u"Relu_18, 1 of 4 selected"_s);
    QCOMPARE(window().document().explanation()->nodes, std::vector<snapshot::NodeId>{28});
    QCOMPARE(group(window().view<ImplementationsView>()->table()), u"conv2d_bias_add_relu_1"_s);
    QCOMPARE(group(window().view<ProfileView>()->table()), u"conv2d_bias_add_relu_1"_s);
    // Of two Explain answers the pair.
    m->click(GraphSide::Fused, 26);
    m->click(GraphSide::Fused, 27, Qt::ControlModifier);
    QCOMPARE(window().document().explanation()->nodes, (std::vector<snapshot::NodeId>{26, 27}));
    QCOMPARE(detail("properties"), u"Add_17, 1 of 2 selected"_s);
}

void TestReading::subjectFollowsIntoTheOtherGraph() {
    m->click(GraphSide::Imported, 10);
    m->click(GraphSide::Imported, 5, Qt::ControlModifier);
    QCOMPARE(window().selection().importedSubject, 5);
    QCOMPARE(window().selection().fusedSubject, 24);
    QCOMPARE(detail("properties"), u"Relu_14, 1 of 2 selected"_s);
    window().setTargetText(u"x86-64 -mcpu=x86-64-v3"_s); // a new plan has other ids
    QVERIFY(m->waitIdle());
    QCOMPARE(window().selection().importedSubject, 5);
    QCOMPARE(window().selection().fusedSubject, 24);
}

void TestReading::fontOfTheDesktop() {
    QString serif; // whichever is there
    for (const QString& family : QFontDatabase::families())
        if (serif.isEmpty() && (family == u"DejaVu Serif"_s || family == u"Noto Serif"_s ||
                                family == u"Liberation Serif"_s))
            serif = family;
    if (serif.isEmpty())
        QSKIP("no font with serifs is installed");
    QFont desktop(serif);
    desktop.setPixelSize(19);
    const auto* title = window()
                            .findChild<QDockWidget*>(u"properties"_s)
                            ->titleBarWidget()
                            ->findChild<QLabel*>(u"paneTitle"_s);
    const auto* table = window().view<PropertiesView>()->findChild<QTableView*>();
    const auto* tree = window().view<OutlineView>()->findChild<QTreeView*>();
    const int before = title->height();
    QApplication::setFont(desktop); // while the window is there
    QTRY_COMPARE(QFontInfo(tree->font()).pixelSize(), 19);
    for (const QWidget* widget :
         {static_cast<const QWidget*>(title), static_cast<const QWidget*>(table),
          static_cast<const QWidget*>(tree)}) {
        QCOMPARE(QFontInfo(widget->font()).family(), serif);
        QCOMPARE(QFontInfo(widget->font()).pixelSize(), 19);
    }
    QVERIFY(title->height() >= title->fontMetrics().height() && title->height() > before);
    QVERIFY(tree->visualRect(tree->model()->index(0, 0)).height() >= tree->fontMetrics().height());
    // Code keeps a font of one width, of the same size.
    const auto* code = window().view<StagesView>()->textEdit();
    const QFontMetricsF letters(code->font());
    QCOMPARE(letters.horizontalAdvance(u'i'), letters.horizontalAdvance(u'W'));
    QCOMPARE(QFontInfo(code->font()).pixelSize(), 19);
    QApplication::setFont(m_font);
    QTRY_COMPARE(QFontInfo(title->font()).pixelSize(), QFontInfo(m_font).pixelSize());
    QTRY_COMPARE(title->height(), before);
}

// Boxes are as wide as their own font needs; what grows is the scale at which they are shown.
void TestReading::graphsGrowWithTheFont() {
    QFont desktop = m_font;
    desktop.setPixelSize(24);
    QApplication::setFont(desktop);
    GraphCanvas* canvas = m->pane(GraphSide::Imported)->canvas();
    const double width = canvas->picture()->width;
    QTest::keyClick(canvas, Qt::Key_0);
    QCOMPARE(canvas->scale(), 2.0);
    QCOMPARE(canvas->picture()->width, width);
    QApplication::setFont(m_font);
    QTest::keyClick(canvas, Qt::Key_0);
    QCOMPARE(canvas->scale(), GraphCanvas::usualScale());
}

// What has the keys looks otherwise than what has not.
void TestReading::keysAreSeen() {
    m->click(GraphSide::Imported, 5);
    GraphCanvas* canvas = m->pane(GraphSide::Imported)->canvas();
    const auto look = [](QWidget* widget) {
        settle();
        return widget->grab().toImage();
    };
    canvas->setFocus();
    const QImage with = look(canvas);
    const QRect box = canvas->nodeRect(5).toRect().adjusted(-10, -10, 10, 10);
    window().findChild<QLineEdit*>(u"find"_s)->setFocus();
    const QImage without = look(canvas);
    QVERIFY(with.copy(box) != without.copy(box));                 // around the node
    QVERIFY(with.copy(0, 0, 40, 3) != without.copy(0, 0, 40, 3)); // and around the graph
    int seen = 0;
    for (const ViewRow& row : viewRows()) {
        auto* dock = window().findChild<QDockWidget*>(row.name);
        if (!dock)
            continue;
        dock->raise();
        settle();
        for (auto* widget : dock->findChildren<QWidget*>()) {
            if (!widget->isVisible() || !widget->isEnabled() ||
                widget->focusPolicy() != Qt::StrongFocus || widget->focusProxy() ||
                widget->parentWidget()->inherits("QAbstractItemView") ||
                widget->parentWidget()->inherits("QComboBox"))
                continue;
            window().findChild<QLineEdit*>(u"find"_s)->setFocus();
            const QImage away = look(widget);
            widget->setFocus(Qt::TabFocusReason);
            if (!widget->hasFocus())
                continue;
            const QImage here = look(widget);
            ++seen;
            QVERIFY2(here != away,
                     qPrintable(row.name + u' ' +
                                QString::fromLatin1(widget->metaObject()->className()) + u' ' +
                                widget->accessibleName()));
        }
    }
    QVERIFY(seen > 20);
}

void TestReading::menuByTheKeys() {
    auto* menu = window().findChild<QMenu*>(u"nodeMenu"_s);
    GraphCanvas* canvas = m->pane(GraphSide::Fused)->canvas();
    m->click(GraphSide::Fused, 24);
    canvas->setFocus();
    QSignalSpy asked(canvas, &GraphCanvas::menuRequested);
    QVERIFY(m->trigger("Menu of what has the keys")); // Shift+F10
    QTRY_VERIFY(menu->isVisible());
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked[0][0].toLongLong(), 24);
    QCOMPARE(asked[0][1].toPoint(), canvas->viewport()->mapToGlobal(canvas->nodeCenter(24)));
    const auto actions = menu->actions();
    menu->hide();
    // The menu key says it to the widget.
    QContextMenuEvent key(QContextMenuEvent::Keyboard, QPoint(), QPoint());
    QApplication::sendEvent(canvas, &key);
    QTRY_VERIFY(menu->isVisible());
    QCOMPARE(menu->actions(), actions);
    menu->hide();
    // A node that is out of sight is brought there first.
    canvas->fitAll();
    canvas->setScale(3);
    canvas->centerOn(29);
    QApplication::sendEvent(canvas, &key);
    QTRY_VERIFY(menu->isVisible());
    QVERIFY(QRectF(canvas->viewport()->rect()).contains(canvas->nodeRect(24).center()));
    menu->hide();
    QCOMPARE(window().selection().fused, snapshot::NodeSet{24});
}

// F6 comes to the dock that is in front below, whichever it is, and leaves it again.
void TestReading::keysReachEveryDock() {
    for (const ViewRow& row : viewRows()) {
        if (row.area != Area::Below)
            continue;
        auto* dock = window().findChild<QDockWidget*>(row.name);
        dock->raise();
        settle();
        window().view<GraphsView>()->setFocus();
        bool reached = false;
        int presses = 0;
        for (; presses < 40 && !(reached && !dock->isAncestorOf(window().focusWidget()));
             ++presses) {
            QVERIFY(m->trigger("Next pane"));
            reached = reached || dock->isAncestorOf(window().focusWidget());
        }
        QVERIFY2(reached, qPrintable(row.name));
        QVERIFY2(presses < 40, qPrintable(row.name));
    }
}

void TestReading::columnsStayAsTheyWereSet() {
    resize({1600, 1000});
    QTreeView* table = window().view<ImplementationsView>()->table();
    const auto width = [&] { return table->columnWidth(ImplementationsModel::Name); };
    table->header()->resizeSection(ImplementationsModel::Name, 177); // as a drag does
    for (const QSize size : {QSize(1280, 800), QSize(2560, 1440), QSize(1600, 1000)}) {
        resize(size);
        QCOMPARE(width(), 177);
    }
    window().switchLibrary(u"onednn"_s, false); // another plan
    QVERIFY(m->waitIdle());
    QCOMPARE(width(), 177);
}

void TestReading::opTimesFitBesideTheGraphs() {
    window().document().tasks().profile();
    QVERIFY(m->waitIdle());
    window().findChild<QDockWidget*>(u"opTimesDock"_s)->raise();
    QTreeView* table = window().view<ProfileView>()->table();
    for (const QSize size : {QSize(1280, 800), QSize(1600, 1000), QSize(2560, 1440)}) {
        resize(size);
        QVERIFY2(table->horizontalScrollBar()->maximum() == 0,
                 qPrintable(u"%1: %2 of %3"_s.arg(size.width())
                                .arg(table->header()->length())
                                .arg(table->viewport()->width())));
        for (const auto column : {ProfileModel::Name, ProfileModel::Median, ProfileModel::Estimate,
                                  ProfileModel::Bar, ProfileModel::Share})
            QVERIFY(!table->isColumnHidden(column) && table->columnWidth(column) > 40);
    }
    QVERIFY(!table->isColumnHidden(ProfileModel::Calls)); // there is room for all
}

// Names give way, operators do not.
void TestReading::namesInTheOutline() {
    resize({1280, 800});
    const auto* tree = window().view<OutlineView>()->findChild<QTreeView*>(u"outlineTree"_s);
    QVERIFY(tree->viewport()->width() > 0);
    for (int row = 0; row < tree->model()->rowCount(); ++row) {
        const QModelIndex group = tree->model()->index(row, 0);
        for (int at = 0; at < tree->model()->rowCount(group); ++at) {
            const QModelIndex node = tree->model()->index(at, 0, group);
            const QString op = node.data().toString().section(u"  "_s, 0, 0);
            QVERIFY2(tree->visualRect(node).width() > tree->fontMetrics().horizontalAdvance(op),
                     qPrintable(op));
        }
    }
}

FW_TEST(TestReading, QApplication)
#include "test_reading.moc"
