// Every view by its row: made, shown and hidden, told what it shows and nothing else; and a view
// that stands in a row of the test alone, as resources/docs/add-view.md tells how to add one.
#include "app/window/books_area.h"
#include "app/window/books_view.h"
#include "app/window/message_bar.h"
#include "common/test.h"
#include "operators_view.h"
#include "views/common/pane.h"
#include "views/common/state_overlay.h"
#include "views/inspector/properties_view.h"
#include "window_fixture.h"

#include <QDockWidget>
#include <QFile>
#include <QTreeWidget>

#include <set>
#include <sys/stat.h>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

// Keeps what it was told.
class Spy : public View {
public:
    using View::selection;

    void documentChanged(Parts parts) override { told.push_back(parts); }
    void selectionChanged(const QObject*) override { ++selections; }

    std::vector<Parts> told;
    int selections = 0;
};

ViewRow spyRow(const QString& name, Parts shows) {
    return {name, name, Area::Below, 0, shows, makeView<Spy>};
}

// The rows of the window, and one more.
ViewRows withOperators() {
    ViewRows rows = viewRows();
    rows.push_back(
        {u"operators"_s, u"Operators"_s, Area::Left, 150, Part::Imported, makeView<OperatorsView>});
    return rows;
}

} // namespace

class TestViews : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void rowsAreSound();
    void partsAreSound();
    void everyViewIsShownAndHidden();
    void everyViewTakesEveryPart();
    void everyViewKeepsTheSelection();
    void viewsAreToldWhatTheyShow();
    void selectionTranslatesAndRemembers();
    void selectionHasPlaceAndValue();
    void ownRowIsEnough();
    void ownViewIsRemembered();
    void pageIsTrue();

private:
    MainWindow& window() { return m->window; }
    bool open() { return m->open(m_folder.filePath(u"m.onnx"_s)); }
    QDockWidget* dock(const QString& name) { return window().findChild<QDockWidget*>(name); }

    QTemporaryDir m_folder;
    std::unique_ptr<WindowFixture> m;
};

void TestViews::init() {
    QFile file(m_folder.filePath(u"m.onnx"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    m = std::make_unique<WindowFixture>();
    QVERIFY(m->waitIdle());
}

void TestViews::cleanup() {
    m.reset();
}

void TestViews::rowsAreSound() {
    std::set<QString> names, titles;
    int centres = 0;
    for (const ViewRow& row : viewRows()) {
        QVERIFY2(names.insert(row.name).second, qPrintable(row.name));
        QVERIFY2(titles.insert(row.title).second, qPrintable(row.title));
        QVERIFY(row.make);
        centres += row.area == Area::Centre;
        if (row.area == Area::Left || row.area == Area::Right)
            QVERIFY2(row.share > 0, qPrintable(row.name));
    }
    QCOMPARE(centres, 1);
    QVERIFY(layoutVersion(viewRows()) != layoutVersion(withOperators()));
}

void TestViews::partsAreSound() {
    std::set<QString> names;
    for (std::size_t i = 0; i < partCount; ++i) {
        const PartRow& row = documentParts[i];
        QCOMPARE(std::size_t(row.part), i);
        QVERIFY(names.insert(QString::fromLatin1(row.name)).second);
        QVERIFY(Parts::all().has(row.part));
        const bool shown =
            std::any_of(viewRows().begin(), viewRows().end(),
                        [&](const ViewRow& view) { return view.shows.has(row.part); });
        // Those are in the tool bar, and why others are stale.
        QVERIFY2(shown || row.part == Part::Doctor || row.part == Part::BrokenTexts, row.name);
    }
}

void TestViews::everyViewIsShownAndHidden() {
    QVERIFY(open());
    for (const ViewRow& row : viewRows()) {
        View* view = window().viewNamed(row.name);
        QVERIFY2(view, qPrintable(row.name));
        QDockWidget* its = dock(row.name);
        const bool inDock = row.area != Area::Text && row.area != Area::Centre;
        QVERIFY2((its != nullptr) == inDock, qPrintable(row.name));
        if (!inDock) {
            QCOMPARE(view->isVisible(), row.area == Area::Centre);
            continue;
        }
        QCOMPARE(its->widget(), view);
        QAction* toggle = m->action(row.title);
        QVERIFY2(toggle && !toggle->shortcut().isEmpty(), qPrintable(row.title));
        if (!toggle->isChecked())
            toggle->trigger(); // from behind another one
        QTRY_VERIFY2(toggle->isChecked(), qPrintable(row.name));
        if (!view->isAncestorOf(window().focusWidget()))
            toggle->trigger(); // it gets the keys first, if it takes any
        if (view->isVisible())
            toggle->trigger();
        QVERIFY2(!view->isVisible(), qPrintable(row.name));
        toggle->trigger();
        QTRY_VERIFY2(view->isVisible(), qPrintable(row.name)); // tabs come to the front
    }
    QVERIFY(m->waitIdle());
}

// Whatever it is told, and whatever there is: nothing, a model, a plan that failed.
void TestViews::everyViewTakesEveryPart() {
    const auto tellAll = [&] {
        for (const ViewRow& row : viewRows()) {
            View* view = window().viewNamed(row.name);
            for (const PartRow& part : documentParts)
                if (row.shows.has(part.part))
                    view->documentChanged(part.part);
            view->documentChanged(row.shows);
            view->selectionSettled();
            if (view->overlay() && view->overlay()->state() == ViewState::Ready)
                QVERIFY2(view->overlay()->text().isEmpty(), qPrintable(row.name));
        }
        QVERIFY(m->waitIdle());
    };
    tellAll();
    QVERIFY(open());
    tellAll();
    window().document().tasks().profile();
    QVERIFY(m->waitIdle());
    tellAll();
    window().setTargetText(u"bogus"_s);
    QVERIFY(m->waitIdle());
    QCOMPARE(window().document().state(Part::Plan), State::Error);
    tellAll();
    // What hangs on the plan says so; what was there stays.
    for (const ViewRow& row : viewRows())
        if (row.shows.has(Part::Plan))
            if (const StateOverlay* overlay = window().viewNamed(row.name)->overlay())
                QVERIFY2(overlay->state() != ViewState::Busy, qPrintable(row.name));
}

void TestViews::everyViewKeepsTheSelection() {
    QVERIFY(open());
    m->click(GraphSide::Fused, 22);
    const Picked before = window().selection();
    QVERIFY(!before.empty());
    for (const ViewRow& row : viewRows()) {
        View* view = window().viewNamed(row.name);
        if (QDockWidget* its = dock(row.name)) {
            its->hide();
            its->show();
            its->raise();
        }
        view->selectionChanged(nullptr);
        view->documentChanged(row.shows);
        QVERIFY(m->waitIdle());
        QVERIFY2(window().selection() == before, qPrintable(row.name));
    }
}

void TestViews::viewsAreToldWhatTheyShow() {
    ViewRows rows = viewRows();
    for (const PartRow& part : documentParts)
        rows.push_back(spyRow(u"spy%1"_s.arg(QString::fromLatin1(part.name)), part.part));
    rows.push_back(spyRow(u"spyNothing"_s, {}));
    m = std::make_unique<WindowFixture>(WindowFixture::fakeWorker(), rows);
    QVERIFY(m->waitIdle());
    const auto spy = [&](const char* name) {
        return dynamic_cast<Spy*>(window().viewNamed(u"spy"_s + QString::fromLatin1(name)));
    };
    for (const PartRow& part : documentParts)
        spy(part.name)->told.clear(); // all were told at first
    QVERIFY(open());
    window().document().tasks().profile();
    QVERIFY(m->waitIdle());
    window().switchLibrary(u"onednn"_s, false);
    m->click(GraphSide::Fused, 22);
    QVERIFY(m->waitIdle());
    for (const PartRow& part : documentParts) {
        for (const Parts told : spy(part.name)->told)
            QVERIFY2(told.has(part.part), part.name);
        if (part.life != Life::Always)
            QVERIFY2(!spy(part.name)->told.empty(), part.name);
        QVERIFY(spy(part.name)->selections > 0);
    }
    QVERIFY(spy("Nothing")->told.empty());
}

void TestViews::selectionTranslatesAndRemembers() {
    QVERIFY(open());
    Selection selection;
    selection.follow(snapshot::Provenance(*window().document().fused()));
    QSignalSpy changes(&selection, &Selection::changed);
    selection.pick(selection.ofImported({4}));
    QCOMPARE(selection.picked().fused, (snapshot::NodeSet{22, 23}));
    selection.pick(selection.ofGroup(0));
    QCOMPARE(selection.group(), 0);
    QCOMPARE(selection.picked().fused, (snapshot::NodeSet{22, 23, 24}));
    selection.pick(selection.picked()); // nothing new
    QCOMPARE(changes.count(), 2);
    QVERIFY(selection.canGo(-1) && !selection.canGo(+1));
    selection.go(-1);
    QCOMPARE(selection.picked().imported, (snapshot::NodeSet{4}));
    selection.follow({}); // a plan of which nothing stands for these
    QCOMPARE(selection.picked().imported, (snapshot::NodeSet{4}));
    QVERIFY(selection.picked().fused.empty());
    // A node that is pointed at is told even if it was picked before.
    QSignalSpy pointed(&selection, &Selection::pointed);
    for (int i = 0; i < 2; ++i)
        selection.pick(selection.ofImported({2}), nullptr, GraphSide::Imported);
    QCOMPARE(pointed.count(), 2);
    selection.reset();
    QVERIFY(selection.picked().empty() && !selection.canGo(-1));
}

// Whoever wants to know reads where the caret stands, and which value is looked at.
void TestViews::selectionHasPlaceAndValue() {
    ViewRows rows = viewRows();
    rows.push_back(spyRow(u"spy"_s, {}));
    m = std::make_unique<WindowFixture>(WindowFixture::fakeWorker(), rows);
    QVERIFY(open());
    const Selection& selection = window().view<Spy>()->selection();
    QVERIFY(selection.place().book.isEmpty());
    QVERIFY(m->trigger("New book"));
    BooksArea* books = window().view<BooksView>()->area();
    QCOMPARE(selection.place().book, books->currentPath());
    books->current()->editor()->goTo({1, 5});
    QCOMPARE(selection.place().line, 1);
    QCOMPARE(selection.place().column, 5);
    QVERIFY(m->trigger("Close tab"));
    QVERIFY(selection.place().book.isEmpty());
    QVERIFY(!selection.value());
    m->click(GraphSide::Fused, 22);
    ValuePanel* values = window().view<PropertiesView>()->values();
    QVERIFY(!values->choices().empty());
    values->choose(0);
    values->request();
    QVERIFY(selection.value());
    QCOMPARE(selection.value()->node, values->choices()[0].node);
    QVERIFY(m->waitIdle());
}

// No line of the window knows this view.
void TestViews::ownRowIsEnough() {
    m = std::make_unique<WindowFixture>(WindowFixture::fakeWorker(), withOperators());
    QVERIFY(m->waitIdle());
    auto* view = window().view<OperatorsView>();
    QVERIFY(view);
    QDockWidget* its = dock(u"operators"_s);
    QVERIFY(its && its->isVisible());
    QCOMPARE(window().dockWidgetArea(its), Qt::LeftDockWidgetArea);
    QVERIFY(m->action(u"Operators"_s));
    QVERIFY(view->overlay()->text().contains(u"Open a model"_s));
    QVERIFY(open());
    QVERIFY(view->overlay()->text().isEmpty());
    QVERIFY(view->table()->topLevelItemCount() > 1);
    auto* header = qobject_cast<PaneHeader*>(its->titleBarWidget());
    QVERIFY(header);
    QCOMPARE(header->detail(), u"%1 operators"_s.arg(view->table()->topLevelItemCount()));
    // Its choice is everybody's, and everybody's is its.
    const auto found = view->table()->findItems(u"relu"_s, Qt::MatchExactly);
    QCOMPARE(found.size(), qsizetype(1));
    view->table()->setCurrentItem(found.front());
    QVERIFY(m->trigger("Select the operator's nodes"));
    QCOMPARE(int(window().selection().imported.size()), found.front()->text(1).toInt());
    const auto* canvas = m->pane(GraphSide::Imported)->canvas();
    QCOMPARE(canvas->selected().size(), window().selection().imported.size());
    window().select({});
    QVERIFY(!view->table()->currentItem());
    m->click(GraphSide::Imported, 4);
    QVERIFY(view->table()->currentItem());
    QCOMPARE(view->table()->currentItem()->text(0).toStdString(),
             nodeOf(window().document().imported().get(), 4)->op);
}

void TestViews::ownViewIsRemembered() {
    m.reset();
    QTemporaryDir folder;
    qputenv("XDG_CONFIG_HOME", folder.path().toUtf8());
    const QString worker = QStringLiteral(FW_BINARY_DIR "/tests/fake_worker");
    for (const bool hidden : {false, true}) {
        MainWindow window(worker, Memory::Remember, withOperators());
        window.show();
        auto* its = window.findChild<QDockWidget*>(u"operators"_s);
        QCOMPARE(its->isVisible(), !hidden);
        its->hide();
        window.close();
    }
    // Other docks are another layout.
    MainWindow window(worker);
    window.show();
    QVERIFY(window.findChild<QDockWidget*>(u"outline"_s)->isVisible());
    QVERIFY(window.offerBar()->text().isEmpty());
    window.close();
    // Nothing is remembered where a pipe lies, and that is told.
    QVERIFY(QFile::remove(Settings::fileName()));
    QCOMPARE(mkfifo(QFile::encodeName(Settings::fileName()).constData(), 0600), 0);
    MainWindow without(worker);
    without.show();
    QVERIFY(without.offerBar()->text().contains(u"a device or a pipe"_s));
    without.close();
    QThreadPool::globalInstance()->waitForDone();
}

// Every block of code on the page stands, line for line, in what this test is made of.
void TestViews::pageIsTrue() {
    const auto lines = [](const QString& file) {
        QFile in(u"" FW_SOURCE_DIR "/"_s + file);
        QStringList out;
        if (in.open(QIODevice::ReadOnly))
            for (const QString& line : QString::fromUtf8(in.readAll()).split(u'\n'))
                out << line;
        return out;
    };
    QString code;
    for (const QString& file :
         {u"tests/window/operators_view.h"_s, u"tests/window/operators_view.cpp"_s,
          u"tests/window/test_views.cpp"_s, u"views/stages/CMakeLists.txt"_s})
        for (const QString& line : lines(file))
            if (!line.trimmed().isEmpty())
                code += line.simplified() + u'\n';
    QStringList blocks;
    bool inside = false;
    for (const QString& line : lines(u"resources/docs/add-view.md"_s)) {
        const bool isCode = line.startsWith(u"    "_s);
        if (isCode && !inside)
            blocks << QString();
        if (isCode)
            blocks.back() += line.simplified() + u'\n';
        inside = isCode || (inside && line.isEmpty());
    }
    QVERIFY(blocks.size() >= 5);
    for (const QString& block : blocks)
        QVERIFY2(code.contains(block), qPrintable(block));
}

FW_TEST(TestViews, QApplication)
#include "test_views.moc"
