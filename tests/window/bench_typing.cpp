// bench_typing_window [NODES...]: how soon a key press in a book is answered by frames on the
// graph, in the window and with the worker, on chains and layers. Printed is the time behind the
// pause that the window waits after a key: until frames are painted, of a text that was wrong
// before, and until the matches are there, of one that was right and whose plan is being made. A
// measurement, not a test.
#include "app/window/books_area.h"
#include "app/window/books_view.h"
#include "large/shapes.h"
#include "views/graph/graphs_view.h"
#include "window/large_window.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <vector>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr int rounds = 5;
constexpr int limitMs = 60000;
constexpr int mostPlanned = 20000; // larger models take too long to plan for every key

struct Book {
    const char* name;
    const char* text; // its last character is what is typed
};

constexpr Book books[] = {
    {"rule", "rule r {\n  match y = relu(x)\n  emit  y = elu(x)\n}"},
    {"chain of kinds", "chain c = kind broadcast(^, ...) >> kind broadcast(^, ...)"},
};

bool framed(const GraphCanvas* canvas) {
    return std::any_of(canvas->halos().begin(), canvas->halos().end(),
                       [](const Halo& halo) { return halo.look == Halo::Look::Match; });
}

// Seen is what was painted.
class Painted : public QObject {
public:
    explicit Painted(const GraphCanvas* canvas) : m_canvas(canvas) {
        canvas->viewport()->installEventFilter(this);
    }
    bool eventFilter(QObject*, QEvent* event) override {
        seen = seen || (event->type() == QEvent::Paint && framed(m_canvas));
        return false;
    }
    bool seen = false;

private:
    const GraphCanvas* m_canvas;
};

double sincePause(const QElapsedTimer& timer) {
    return double(timer.nsecsElapsed()) / 1e6 - BooksArea::pause;
}

// Milliseconds from the key that makes the text right to the frames; -1: there were none.
double framedAfterKey(WindowFixture& m) {
    BookEditor& editor = *m.window.view<BooksView>()->area()->current()->editor();
    const QString whole = editor.toPlainText();
    editor.moveCursor(QTextCursor::End);
    QTest::keyClick(&editor, Qt::Key_Backspace);
    if (!waitUntil(
            [&] {
                return m.window.view<BooksView>()->area()->settled() &&
                       m.window.document().brokenTexts().contains(
                           m.window.view<BooksView>()->area()->currentPath().toStdString()) &&
                       m.window.idle();
            },
            limitMs))
        return -1;
    // Of the declaration, in the graph that it looks at.
    const auto found = [&] {
        const auto* all =
            m.window.document().textMatchesOf(m.window.view<BooksView>()->area()->currentPath());
        std::shared_ptr<const snapshot::MatchDocument> out;
        for (const auto& one : {all->imported, all->rewritten})
            if (one && !one->rules.empty())
                out = one;
        return out;
    };
    const auto before = found();
    const Painted first(m.window.view<GraphsView>()->pane(GraphSide::Imported)->canvas()),
        second(m.window.view<GraphsView>()->pane(GraphSide::Fused)->canvas());
    QElapsedTimer timer;
    timer.start();
    QTest::keyClick(&editor, whole.back().toLatin1());
    // What was found before may be painted first.
    if (!waitUntil([&] { return found() != before && (first.seen || second.seen); }, limitMs))
        return -1;
    return sincePause(timer);
}

// The same of a text that stays right, 50 ms into the plan of the one before.
double matchedWhilePlanning(WindowFixture& m) {
    BookEditor& editor = *m.window.view<BooksView>()->area()->current()->editor();
    Document& document = m.window.document();
    const QString path = m.window.view<BooksView>()->area()->currentPath();
    editor.moveCursor(QTextCursor::Start);
    const auto line = [&] {
        const auto* found = document.textMatchesOf(path);
        if (!found || found->state != State::Ready)
            return 0;
        for (const auto& one : {found->imported, found->rewritten})
            if (one && !one->rules.empty())
                return one->rules.front().line;
        return 0;
    };
    const int before = line();
    QTest::keyClick(&editor, Qt::Key_Return);
    if (!waitUntil([&] { return line() == before + 1; }, limitMs))
        return -1;
    QTest::qWait(50);
    QElapsedTimer timer;
    timer.start();
    QTest::keyClick(&editor, Qt::Key_Return);
    if (!waitUntil([&] { return line() == before + 2; }, limitMs))
        return -1;
    return sincePause(timer);
}

double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

} // namespace

int main(int count, char** arguments) {
    QApplication application(count, arguments);
    QTimer wakes; // who waits looks again, also when nothing happens
    wakes.start(2);
    std::vector<int> sizes;
    for (int i = 1; i < count; ++i)
        sizes.push_back(std::atoi(arguments[i]));
    if (sizes.empty())
        sizes = {1000, 10000, 100000};
    const QTemporaryDir folder;
    for (const test::LargeShape shape : {test::LargeShape::Chain, test::LargeShape::Layers})
        for (const int nodes : sizes) {
            const QString file = folder.filePath(u"m%1.onnx"_s.arg(nodes));
            std::ofstream(file.toStdString(), std::ios::binary)
                << test::largeModel(shape, nodes).SerializeAsString();
            WindowFixture m(QStringLiteral(FW_BINARY_DIR "/bin/fw"));
            m.window.openModel(file);
            const auto rests = [&] { return waitUntil([&] { return m.window.idle(); }, limitMs); };
            const bool plans = nodes <= mostPlanned;
            if (!plans) {
                const GraphCanvas* canvas =
                    m.window.view<GraphsView>()->pane(GraphSide::Imported)->canvas();
                waitUntil([&] { return canvas->picture() && canvas->complete(); }, limitMs);
                m.window.document().stop();
            }
            rests();
            m.window.newBook();
            if (!plans) { // the book takes no part
                m.window.document().stop();
                m.window.document().undo();
                m.window.document().stop();
            }
            for (const Book& book : books) {
                BookEditor& editor = *m.window.view<BooksView>()->area()->current()->editor();
                editor.setPlainText(QString::fromLatin1(book.text));
                rests();
                std::vector<double> atRest, planning;
                for (int round = 0; round < rounds; ++round) {
                    atRest.push_back(framedAfterKey(m));
                    rests();
                }
                for (int round = 0; round < rounds && plans; ++round) {
                    planning.push_back(matchedWhilePlanning(m));
                    rests();
                }
                const auto told = [](const std::vector<double>& times) {
                    if (times.empty())
                        return u"-"_s;
                    const auto [least, most] = std::minmax_element(times.begin(), times.end());
                    return u"%1 ms (%2 to %3)"_s.arg(median(times), 0, 'f', 1)
                        .arg(*least, 0, 'f', 1)
                        .arg(*most, 0, 'f', 1);
                };
                std::printf("%-7s %6d  %-15s at rest %s  while planning %s\n",
                            shape == test::LargeShape::Chain ? "chain" : "layers", nodes, book.name,
                            qPrintable(told(atRest)), qPrintable(told(planning)));
                std::fflush(stdout);
                rests();
            }
        }
    return 0;
}
