// Every view in every state that what it shows can have: what it says, what it offers to do, and
// that what was there before stays. Views hang on parts of a document alone, so the parts are made
// here; what fills them is what the canned worker answers.
#include "app/window/drafts.h"
#include "common/test.h"
#include "views/common/elided_label.h"
#include "views/common/state_overlay.h"
#include "window/window_fixture.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

enum class Case : std::uint8_t { Empty, Busy, Ready, Stale, Error, Died, Stopped, StoppedAgain };
constexpr const char* caseNames[] = {"empty", "busy", "ready",   "stale",
                                     "error", "died", "stopped", "stopped-again"};

// What a view says in a case, and the button under it.
struct Said {
    Case when;
    ViewState state;
    QString text, action;
};
struct Row {
    QString view; // its row
    Part part;
    std::vector<Said> said;
};

using enum Case;
using V = ViewState;

// What hangs on the plan says it in the same words.
std::vector<Said> saidOfPlan(const QString& empty) {
    return {{Empty, V::Empty, empty, {}},
            {Busy, V::Busy, u"Planning …"_s, u"Cancel"_s},
            {Ready, V::Ready, {}, {}},
            {Stale, V::Stale, u"earlier target or plan"_s, {}},
            {Error, V::Error, u"There is no plan\nerror USE02: what went wrong"_s, {}},
            {Died, V::Error, u"There is no plan"_s, u"Try again"_s},
            {Stopped, V::Empty, u"Stopped\nPlanning was stopped."_s, u"Go on"_s},
            {StoppedAgain, V::Stale, u"Planning was stopped"_s, u"Go on"_s}};
}

const std::vector<Row>& table() {
    static const std::vector<Row> rows = {
        {u"outline"_s, Part::Plan, saidOfPlan(u"No graph yet"_s)},
        {u"implementationsDock"_s, Part::Plan, saidOfPlan(u"No plan yet"_s)},
        {u"changesDock"_s, Part::Plan, saidOfPlan(u"No changes yet"_s)},
        {u"explain"_s,
         Part::Explain,
         {{Empty, V::Ready, {}, {}},
          {Busy, V::Busy, u"Asking …"_s, u"Cancel"_s},
          {Ready, V::Ready, {}, {}},
          {Stale, V::Stale, u"earlier plan"_s, {}},
          {Error, V::Error, u"No explanation\nerror USE02: what went wrong"_s, {}},
          {Died, V::Error, u"No explanation"_s, u"Try again"_s},
          {Stopped, V::Empty, u"Stopped"_s, u"Ask again"_s},
          {StoppedAgain, V::Empty, u"Stopped"_s, u"Ask again"_s}}},
        {u"stages"_s,
         Part::Stages,
         {{Empty, V::Ready, {}, {}},
          {Busy, V::Busy, u"Lowering …"_s, u"Cancel"_s},
          {Ready, V::Ready, {}, {}},
          {Stale, V::Stale, u"earlier plan"_s, {}},
          {Error, V::Error, u"No text\nerror USE02: what went wrong"_s, {}},
          {Died, V::Error, u"No text"_s, u"Try again"_s},
          {Stopped, V::Empty, u"Stopped"_s, u"Ask again"_s},
          {StoppedAgain, V::Stale, u"Lowering was stopped"_s, u"Ask again"_s}}},
        {u"opTimesDock"_s,
         Part::Profile,
         {{Empty, V::Empty, u"No times yet"_s, u"Compile && profile"_s},
          {Busy, V::Busy, u"Compiling and measuring …"_s, u"Cancel"_s},
          {Ready, V::Ready, {}, {}},
          {Stale, V::Stale, u"earlier target or plan"_s, u"Profile again"_s},
          {Error, V::Error, u"No times\nerror USE02: what went wrong"_s, u"Try again"_s},
          {Died, V::Error, u"No times"_s, u"Try again"_s},
          {Stopped, V::Empty, u"No times yet"_s, u"Compile && profile"_s},
          {StoppedAgain, V::Stale, u"earlier target or plan"_s, u"Profile again"_s}}},
        {u"make"_s,
         Part::Sketch,
         {{Empty, V::Empty, u"Nothing is made yet"_s, {}},
          {Ready, V::Ready, {}, {}},
          {Stale, V::Stale, u"earlier plan"_s, {}},
          {Error, V::Error, u"No text\nerror USE02: what went wrong"_s, {}},
          {Died, V::Error, u"No text"_s, u"Try again"_s},
          {Stopped, V::Empty, u"Stopped"_s, u"Ask again"_s},
          {StoppedAgain, V::Stale, u"stopped"_s, u"Ask again"_s}}},
        {u"properties"_s,
         Part::Info,
         {{Empty, V::Empty, u"Nothing to show"_s, {}},
          {Ready, V::Ready, {}, {}},
          {Error, V::Error, u"The model could not be read\nerror USE02: what went wrong"_s, {}}}},
        {u"steps"_s,
         Part::Rewrite,
         {{Empty, V::Empty, u"Nothing to step through"_s, {}}, {Ready, V::Ready, {}, {}}}},
        {u"rulesDock"_s,
         Part::Plan,
         {{Busy, V::Busy, u"Planning …"_s, u"Cancel"_s},
          {Ready, V::Ready, {}, {}},
          {Stale, V::Stale, u"earlier target or plan"_s, {}},
          {Error, V::Stale, u"USE02: what went wrong"_s, {}},
          {Died, V::Stale, {}, u"Try again"_s},
          {Stopped, V::Stale, u"Planning was stopped"_s, u"Go on"_s},
          {StoppedAgain, V::Stale, u"Planning was stopped"_s, u"Go on"_s}}},
    };
    return rows;
}

} // namespace

// Parts that a test sets.
class MadeParts : public DocumentParts {
public:
    // What a document has.
    void take(const DocumentParts& from) {
#define FW_PART(part, getter, kept, life, command)                                                 \
    m_kept.getter = from.getter();                                                                 \
    stateOf(Part::part).state = has(Part::part) ? State::Ready : State::Empty;
        FW_DOCUMENT_PARTS(FW_PART)
#undef FW_PART
    }
    void set(Part part, State state, Diag error = {}) {
        stateOf(part).state = state;
        stateOf(part).error = std::move(error);
    }
    void drop(Part part) {
        forget(part);
    }
    void makeSketch() {
        auto made = std::make_shared<snapshot::SketchDocument>();
        made->kind = "pattern";
        made->name = "made";
        made->stage = "imported";
        made->text = "pattern made = relu(^)\n";
        made->facts = {{"op", 5, "operator", "relu", {"exact", "any"}, "exact"}};
        made->matches = 2;
        m_kept.sketch = made;
        set(Part::Sketch, State::Ready);
    }
    void makeApplications() {
        auto made = std::make_shared<snapshot::RewriteDocument>(*m_kept.rewrite);
        made->applications.resize(2);
        for (std::size_t i = 0; i < 2; ++i) {
            made->applications[i].number = std::int64_t(i) + 1;
            made->applications[i].rule = "fold_batch_norm";
            made->applications[i].at = "Bn_13";
        }
        m_kept.rewrite = made;
    }
};

namespace {

// What people read or look at: as text.
QString contentOf(const View& view) {
    QStringList out;
    for (const auto* items : view.findChildren<QAbstractItemView*>())
        if (items->model() && qobject_cast<const QComboBox*>(items->parentWidget()) == nullptr &&
            items->model()->rowCount() > 0)
            out << items->objectName() + u':' + QString::number(items->model()->rowCount()) +
                       items->model()->index(0, 0).data().toString();
    for (const auto* text : view.findChildren<QPlainTextEdit*>())
        if (!text->toPlainText().isEmpty())
            out << text->toPlainText();
    return out.join(u'\n');
}

} // namespace

class TestStateMatrix : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { m.reset(); }
    void everyViewHasARow();
    void views_data();
    void views();
    void nothingIsClippedOrNameless_data();
    void nothingIsClippedOrNameless();

private:
    QTemporaryDir m_folder;
    std::unique_ptr<WindowFixture> m;
    std::unique_ptr<MadeParts> m_full =
        std::make_unique<MadeParts>(); // of an opened model, with all that can be asked of it
    Picked m_picked;
};

void TestStateMatrix::initTestCase() {
    m = std::make_unique<WindowFixture>();
    QVERIFY(m->open(m_folder.filePath(u"residual.onnx"_s)));
    m->window.switchLibrary(u"onednn"_s, false); // so that something changed
    QVERIFY(m->waitIdle());
    m->window.document().tasks().profile();
    QVERIFY(m->waitIdle());
    m->window.findChild<QDockWidget*>(u"stages"_s)->raise();
    m->click(GraphSide::Fused, 27);
    QVERIFY(m->waitIdle());
    m_full->take(m->window.document());
    m_full->makeSketch();
    m_full->makeApplications();
    m_picked = m->window.selection();
    for (const Part part : {Part::Plan, Part::Profile, Part::Explain, Part::Stages, Part::Changes})
        QVERIFY2(m_full->state(part) == State::Ready, documentParts[std::size_t(part)].name);
}

// The graphs, the books and what is drawn of these ask for more than parts: tests of their own.
void TestStateMatrix::everyViewHasARow() {
    const QStringList apart = {u"graphs"_s, u"booksView"_s, u"pattern"_s, u"problems"_s,
                               u"log"_s,    u"found"_s,     u"hazards"_s};
    for (const ViewRow& view : viewRows()) {
        const bool here = std::any_of(table().begin(), table().end(),
                                      [&](const Row& row) { return row.view == view.name; });
        QVERIFY2(here != apart.contains(view.name), qPrintable(view.name));
    }
}

void TestStateMatrix::views_data() {
    QTest::addColumn<int>("row");
    QTest::addColumn<int>("said");
    for (std::size_t row = 0; row < table().size(); ++row)
        for (std::size_t said = 0; said < table()[row].said.size(); ++said)
            QTest::addRow("%s %s", qPrintable(table()[row].view),
                          caseNames[std::size_t(table()[row].said[said].when)])
                << int(row) << int(said);
}

void TestStateMatrix::views() {
    QFETCH(const int, row);
    QFETCH(const int, said);
    const Row& tested = table()[std::size_t(row)];
    const Said& wanted = tested.said[std::size_t(said)];
    const auto viewRow = std::find_if(viewRows().begin(), viewRows().end(),
                                      [&](const ViewRow& one) { return one.name == tested.view; });
    MadeParts parts;
    parts.take(*m_full);
    Selection selection;
    selection.follow(snapshot::Provenance(*parts.fused()));
    const Answers answers;
    NodeFinder finder(parts, selection);
    const std::unique_ptr<View> view(viewRow->make(
        {m->window.document(), answers, finder, [] { return std::unique_ptr<Drafts>(); }}));
    view->attach(parts, selection);
    view->resize(440, 300);
    view->show();
    view->setInFront(true);
    if (wanted.when != Empty || tested.part != Part::Explain)
        selection.pick(m_picked);
    view->documentChanged(Parts::all());
    view->selectionChanged(nullptr);
    const QString before = contentOf(*view);
    QVERIFY2(!before.isEmpty() || tested.part == Part::Explain, "nothing fills it");

    const Diag error = wanted.when == Died    ? makeDiag(DiagCode::WorkerDied, "it died")
                       : wanted.when == Error ? makeDiag(DiagCode::UnknownTarget, "what went wrong")
                       : wanted.when == Stopped || wanted.when == StoppedAgain
                           ? makeDiag(DiagCode::Cancelled, "cancelled")
                           : Diag();
    const bool kept = wanted.when == Busy || wanted.when == Ready || wanted.when == Stale ||
                      wanted.when == StoppedAgain;
    if (!kept) {
        parts.drop(tested.part);
        if (tested.part == Part::Plan || tested.part == Part::Info) // what comes with it
            for (const Part part : {Part::Plan, Part::Fused, Part::Imported, Part::Changes})
                parts.drop(part);
    }
    const State states[] = {State::Empty, State::Busy,  State::Ready, State::Stale,
                            State::Error, State::Error, State::Empty, State::Stale};
    parts.set(tested.part, states[std::size_t(wanted.when)], error);
    view->documentChanged(Parts::all());
    view->selectionChanged(nullptr);

    // What takes no time is not said to be at work: that is said a while later.
    const StateOverlay* overlay = view->overlay();
    QTRY_COMPARE(overlay->state(), wanted.state);
    QVERIFY2(overlay->text().contains(wanted.text) &&
                 (overlay->text().isEmpty() == (wanted.state == V::Ready)),
             qPrintable(overlay->text()));
    const auto actions = [&] {
        QStringList out;
        for (const auto* button : overlay->findChildren<QPushButton*>())
            if (button->isVisible())
                out << button->text();
        return out.join(u',');
    };
    QTRY_COMPARE(actions(), wanted.action);
    if (kept && wanted.state != V::Empty)
        QTRY_COMPARE(contentOf(*view), before);
    if (wanted.action == u"Try again"_s || wanted.action == u"Go on"_s ||
        wanted.action == u"Ask again"_s) { // the button does what it says
        int asked = 0;
        QObject::connect(view.get(), &View::asked, [&asked](const Intent& intent) {
            asked +=
                std::holds_alternative<Request>(intent) || std::holds_alternative<WantPart>(intent);
        });
        for (auto* button : overlay->findChildren<QPushButton*>())
            if (button->isVisible())
                button->click();
        if (tested.view != u"make"_s) // of which nothing was selected in this test
            QCOMPARE(asked, 1);
    }
}

void TestStateMatrix::nothingIsClippedOrNameless_data() {
    QTest::addColumn<bool>("dark");
    QTest::addColumn<int>("pixels");
    QTest::addColumn<QSize>("size");
    for (const bool dark : {false, true})
        for (const int pixels : {12, 20})
            for (const QSize size : {QSize(1280, 800), QSize(1600, 1000), QSize(2560, 1440)})
                QTest::addRow("%s %d px %d", dark ? "dark" : "light", pixels, size.width())
                    << dark << pixels << size;
}

// In a window with a model, every dock in front once.
void TestStateMatrix::nothingIsClippedOrNameless() {
    QFETCH(const bool, dark);
    QFETCH(const int, pixels);
    QFETCH(const QSize, size);
    MainWindow& window = m->window;
    const QFont font = QApplication::font();
    QFont larger = font;
    larger.setPixelSize(pixels);
    QApplication::setFont(larger);
    window.applyTheme(dark ? ThemeChoice::Dark : ThemeChoice::Light);
    window.resize(size);
    QStringList wrong;
    for (const ViewRow& row : viewRows()) {
        auto* dock = window.findChild<QDockWidget*>(row.name);
        if (!dock)
            continue;
        dock->raise();
        settle();
        for (const auto* widget : dock->findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->visibleRegion().isEmpty())
                continue;
            const QString what = row.name + u": "_s +
                                 QString::fromLatin1(widget->metaObject()->className()) + u' ' +
                                 widget->objectName();
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            if (const auto* label = qobject_cast<const QLabel*>(widget);
                label && !dynamic_cast<const ElidedLabel*>(label)) {
                const bool fits = label->wordWrap()
                                      ? label->height() >= label->heightForWidth(label->width())
                                      : label->width() >= label->minimumSizeHint().width() &&
                                            label->height() >= label->minimumSizeHint().height();
                if (!fits)
                    wrong << what + u" is clipped: "_s + label->text();
            } else if (button && !button->text().isEmpty() &&
                       (button->width() < button->minimumSizeHint().width() ||
                        button->height() < button->minimumSizeHint().height())) {
                wrong << what + u" is clipped: "_s + button->text();
            }
            const bool acts = button || qobject_cast<const QLineEdit*>(widget) ||
                              qobject_cast<const QComboBox*>(widget) ||
                              qobject_cast<const QAbstractSlider*>(widget) ||
                              qobject_cast<const QPlainTextEdit*>(widget) ||
                              (qobject_cast<const QAbstractItemView*>(widget) &&
                               !qobject_cast<const QHeaderView*>(widget));
            const bool inside = qobject_cast<const QComboBox*>(widget->parentWidget()) ||
                                qobject_cast<const QLineEdit*>(widget->parentWidget());
            if (acts && !inside && widget->focusPolicy() != Qt::NoFocus &&
                widget->accessibleName().isEmpty() && (!button || button->text().isEmpty()))
                wrong << what + u" has no name"_s;
        }
    }
    QApplication::setFont(font);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

FW_TEST(TestStateMatrix, QApplication)
#include "test_state_matrix.moc"
