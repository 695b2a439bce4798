// book_states [WxH] [light|dark]: pictures of the views in every state, to be looked at: build
// folder, pictures/states. Without arguments in three sizes and both themes; with QT_SCALE_FACTOR=2
// as on a display of twice the pixels.
#include "app/window/books_view.h"
#include "app/window/counterexample_window.h"
#include "app/window/message_bar.h"
#include "app/window/palette.h"
#include "views/authoring/match_panel.h"
#include "views/authoring/sketch_view.h"
#include "views/common/combo_box.h"
#include "views/editor/find_bar.h"
#include "views/steps/steps_view.h"
#include "window/story_fixture.h"

#include <QComboBox>
#include <QDockWidget>
#include <QPushButton>
#include <QToolTip>
#include <QTreeView>

#include <csignal>
#include <cstdio>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

const QString rules = u"# What is put together here.\n"
                      "fuse pooled \"a pool joins the convolution before it\" {\n"
                      "  match  conv2d(x, w) {pads = [0, 0, 0, 0]} >> bias(^, b) >> relu(^) >> "
                      "max_pool2d(^)\n"
                      "  as stacked\n"
                      "}\n"
                      "\n"
                      "rule soft \"relu as max\" {\n"
                      "  match  y = relu(x)\n"
                      "  emit   y = max(x, x)\n"
                      "}\n"_s;

class States : StoryFixture {
public:
    States(QSize size, ThemeChoice theme) : m_size(size), m_theme(theme) {
        m_suffix =
            u"-%1-%2"_s.arg(size.width()).arg(theme == ThemeChoice::Dark ? u"dark"_s : u"light"_s);
        if (qApp->devicePixelRatio() > 1)
            m_suffix += u"-x%1"_s.arg(qApp->devicePixelRatio());
        begin({u"lenet"_s});
    }
    void run() {
        empty();
        withoutModel();
        ready();
        nearMiss();
        stale();
        completion();
        hoverAndReplace();
        palettes();
        banners();
        make();
        asked();
        judged();
        stepped();
        docks();
        busy();
        stopped();
        error();
        offer();
    }

private:
    void shot(const char* name) {
        QTest::qWait(80); // tips and popups are placed
        picture(u"states/"_s + QString::fromLatin1(name) + m_suffix);
    }
    void open() {
        start();
        m_window->answerUnsaved([] { return Unsaved::Discard; });
        m_window->answerSaveName([](const QString& suggested) { return suggested; });
        m_window->applyTheme(m_theme);
        m_window->resize(m_size);
    }
    void raise(const char* dock) {
        m_window->findChild<QDockWidget*>(QString::fromLatin1(dock))->raise();
        QTest::qWait(20);
    }
    void change(const QString& text) {
        editor()->selectAll();
        editor()->textCursor().insertText(text);
        m_window->view<BooksView>()->area()->settleNow();
    }
    void write(const QString& text) {
        change(text);
        waitIdle();
    }
    int behind(const QString& part) const { // a position
        return int(editor()->toPlainText().indexOf(part) + part.size());
    }
    void caretBehind(const QString& part) {
        QTextCursor cursor = editor()->textCursor();
        cursor.setPosition(behind(part));
        editor()->setTextCursor(cursor);
        waitIdle();
    }

    void empty() {
        open();
        waitIdle();
        shot("01-empty");
    }
    void withoutModel() {
        press(u"Ctrl+Shift+N"_s);
        write(rules);
        caretBehind(u"conv2d"_s);
        shot("02-book-without-model");
        m_window->close();
        end();
    }
    void ready() {
        open();
        StoryFixture::open(u"lenet"_s);
        press(u"Ctrl+Shift+N"_s);
        write(rules);
        caretBehind(u"y = relu(x"_s);
        press(u"F3"_s);
        shot("03-ready-rule");
        caretBehind(u"max_pool2d"_s);
        press(u"F3"_s);
        raise("changesDock");
        shot("04-ready-fuse");
    }
    void nearMiss() {
        MatchPanel* panel = m_window->view<BooksView>()->matches();
        panel->table()->setCurrentIndex(panel->model().index(panel->model().rowCount() - 1, 0));
        panel->showCurrent();
        waitIdle();
        shot("05-near-miss");
    }
    void stale() {
        QString wrong = rules;
        wrong.replace(u"max(x, x)"_s, u"maxx(x, x)"_s).replace(u"as stacked"_s, u"as stakced"_s);
        write(wrong);
        caretBehind(u"as stakced"_s);
        raise("problems");
        shot("06-stale-with-problems");
        write(rules);
    }
    void completion() {
        caretBehind(u"relu(^) >> max_pool2d(^)"_s);
        typeOn(u" >> co"_s);
        QTRY_VERIFY(popup()->isVisible());
        shot("07-completion");
        popup()->hide();
        write(rules);
    }
    void hoverAndReplace() {
        m_window->view<BooksView>()->area()->current()->findBar()->open(FindBar::Row::Replace);
        typeOn(u"relu"_s);
        waitIdle();
        editor()->setFocus();
        caretBehind(u"conv2"_s);
        press(u"Ctrl+Shift+Space"_s);
        QTRY_VERIFY(QToolTip::isVisible());
        shot("08-hover-and-replace");
        QToolTip::hideText();
        m_window->view<BooksView>()->area()->current()->findBar()->hide();
    }
    void palettes() {
        press(u"Ctrl+Shift+P"_s);
        type(u"book"_s);
        shot("09-commands");
        press(u"Esc"_s);
        press(u"Ctrl+P"_s);
        type(u"conv"_s);
        shot("10-quick-open");
        press(u"Esc"_s);
    }
    void banners() {
        m_window->editBook(u"fusion.fw"_s, 38);
        waitIdle();
        m_window->openBook(m_folder.filePath(u"no-such-book.fw"_s));
        waitIdle();
        shot("11-shipped-and-message");
        m_window->document().undo();
        waitIdle();
        m_window->messageBar()->clear();
        press(u"Ctrl+W"_s);
    }
    void select(const std::vector<std::string>& names) {
        Picked picked;
        for (const auto& node : m_window->document().imported()->nodes)
            if (std::find(names.begin(), names.end(), node.name) != names.end())
                picked.imported.insert(node.id);
        m_window->select(picked);
        waitIdle();
    }
    void make() {
        select({"Relu_relu1", "MaxPool_pool1"});
        press(u"Ctrl+Shift+M"_s);
        auto* page = m_window->view<SketchView>();
        QTRY_VERIFY(page->settled());
        shot("15-make-pattern");
        choose(u"op"_s);
        shot("16-make-operator");
        select({"Relu_relu1", "Conv_conv2"});
        press(u"Ctrl+Shift+M"_s);
        QTRY_VERIFY(page->settled());
        shot("17-make-what-is-apart");
        m_window->select({});
        press(u"Ctrl+Shift+M"_s);
        waitIdle();
        shot("18-make-empty");
        choose(u"pattern"_s);
    }
    void asked() {
        write(rules);
        caretBehind(u"y = relu(x"_s);
        press(u"Ctrl+Alt+T"_s);
        waitIdle();
        shot("19-pattern");
        select({"Relu_relu1"});
        shot("20-selected-operator");
        caretBehind(u"rule so"_s);
        press(u"Shift+F12"_s);
        waitIdle();
        shot("21-who-uses-it");
        press(u"Esc"_s);
    }
    void judged() {
        write(rules + u"\nrule wrong {\n  match  y = relu(max_pool2d(x) {*a})\n"
                      "  emit   y = x\n}\nrule right {\n  match  y = max_pool2d(relu(x)) "
                      "{pads = [0, 0, 0, 0], *a}\n  emit   y = relu(max_pool2d(x) {*a})\n}\n"_s);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->idle(), 60000);
        press(u"Ctrl+Shift+F9"_s);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->document().bisected(), 60000);
        waitIdle();
        shot("22-verdicts-and-errors");
        caretBehind(u"rule wro"_s);
        press(u"Ctrl+Alt+X"_s);
        QTest::qWait(300);
        shot("23-counterexample");
        if (QWidget* example = m_window->graphWindows().counterexample())
            example->close();
        m_window->messageBar()->clear();
        write(rules);
    }
    void stepped() {
        raise("steps");
        waitIdle();
        m_window->view<StepsView>()->show(1);
        waitIdle();
        shot("24-step-match");
        press(u"F10"_s);
        shot("25-step-change");
        press(u"F10"_s);
        shot("26-step-result");
        m_window->view<StepsView>()->run(u"creates nothing"_s);
        waitIdle();
        shot("27-step-stop-unknown");
        raise("problems");
        press(u"Ctrl+Alt+Q"_s);
        waitIdle();
        press(u"F4"_s);
        waitIdle();
        shot("28-one-layout");
        press(u"Ctrl+Alt+Q"_s);
        waitIdle();
    }
    void busy() {
        ::kill(pid_t(m_window->worker().processId()), SIGSTOP);
        m_window->setTargetText(u"x86-64 -mcpu=x86-64-v4 -libs= -threads=2"_s);
        change(rules + u"# more\n"_s);
        QTest::qWait(900);
        shot("12-busy");
        for (const char* dock : {"opTimesDock", "stages", "make", "steps"}) {
            raise(dock);
            shot(("12-busy-"_ba + dock).constData());
        }
        ::kill(pid_t(m_window->worker().processId()), SIGCONT);
        waitIdle();
    }
    void error() {
        m_window->setTargetText(u"x86-64 -mcpu=no-such-machine"_s);
        waitIdle();
        raise("problems");
        shot("13-error");
        m_window->setTargetText(u"x86-64 -mcpu=x86-64-v3 -libs="_s);
        waitIdle();
    }
    // Every dock below, filled; several operators are selected.
    void docks() {
        m_window->document().tasks().profile();
        waitIdle();
        press(u"Ctrl+Shift+H"_s);
        select({"Conv_conv1", "Relu_relu1", "MaxPool_pool1"});
        for (const ViewRow& row : viewRows())
            if (row.area == Area::Below) {
                raise(row.name.toLatin1().constData());
                waitIdle();
                shot(("30-"_ba + row.name.toLatin1()).constData());
            }
        press(u"Ctrl+H"_s);
        m_window->setTargetText(u"x86-64 -mcpu=x86-64-v3 -libs= -threads=1"_s); // older times
        waitIdle();
        raise("opTimesDock");
        shot("31-stale");
        m_window->setTargetText(u"x86-64 -mcpu=x86-64-v3 -libs= -threads=2"_s);
        waitIdle();
    }
    void stopped() {
        ::kill(pid_t(m_window->worker().processId()), SIGSTOP);
        m_window->setTargetText(u"x86-64 -mcpu=x86-64-v4 -libs= -threads=1"_s);
        QTest::qWait(100);
        m_window->document().stop();
        ::kill(pid_t(m_window->worker().processId()), SIGCONT);
        waitIdle();
        raise("changesDock");
        shot("32-stopped");
        m_window->setTargetText(u"x86-64 -mcpu=x86-64-v3 -libs= -threads=2"_s);
        waitIdle();
    }
    void offer() {
        editor()->setFocus();
        type(u" "_s);
        end();
        open();
        StoryFixture::open(u"lenet"_s);
        shot("14-offer");
        m_window->offerBar()->clear();
        m_window->close();
        end();
    }

    QSize m_size;
    ThemeChoice m_theme;
    QString m_suffix;
};

} // namespace

int main(int count, char** arguments) {
    QApplication application(count, arguments);
    QDir(u"" FW_BINARY_DIR "/pictures"_s).mkpath(u"states"_s);
    const QStringList words = QApplication::arguments();
    for (const QSize size : {QSize(1280, 800), QSize(1600, 1000), QSize(2560, 1440)})
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            const QString name = u"%1x%2"_s.arg(size.width()).arg(size.height());
            const QString kind = theme == ThemeChoice::Dark ? u"dark"_s : u"light"_s;
            if (words.size() == 1 || (words.value(1, name) == name && words.value(2, kind) == kind))
                States(size, theme).run();
        }
    return 0;
}
