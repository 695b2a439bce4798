// bench_typing_window [NODES...]: how soon a key press in a book is answered by frames on the
// graph, in the window and with the worker, on chains and layers. Printed is the time behind the
// pause that the window waits after a key: of a text at rest, and of one that is typed while the
// plan of the text before is being made. A measurement, not a test.
#include "app/window/books_area.h"
#include "large/shapes.h"
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
constexpr int limitMs = 120000;

struct Book {
    const char* name;
    const char* text; // its last character is what is typed
};

constexpr Book books[] = {
    {"rule", "rule r {\n  match y = relu(add(x, w: const))\n  where used_once(x)\n  emit y = "
             "add(x, w)\n}"},
    {"chain of two", "chain c = add(^, x) >> relu(^)"},
    {"chain of kinds", "chain c = kind elementwise(^, ...) >> kind elementwise(^, ...)"},
};

// Seen is what was painted.
class Painted : public QObject {
public:
    explicit Painted(QWidget* widget) { widget->installEventFilter(this); }
    bool eventFilter(QObject*, QEvent* event) override {
        count += event->type() == QEvent::Paint;
        return false;
    }
    int count = 0;
};

bool framed(const GraphCanvas* canvas) {
    return std::any_of(canvas->halos().begin(), canvas->halos().end(),
                       [](const Halo& halo) { return halo.look == Halo::Look::Match; });
}

// Milliseconds from the key to the frames, without the pause; -1: there were none.
double answered(WindowFixture& m) {
    BookEditor& editor = *m.window.books()->current()->editor();
    const QString whole = editor.toPlainText();
    editor.moveCursor(QTextCursor::End);
    QTest::keyClick(&editor, Qt::Key_Backspace);
    const GraphCanvas* canvas[] = {m.window.pane(GraphSide::Imported)->canvas(),
                                   m.window.pane(GraphSide::Fused)->canvas()};
    const auto any = [&] { return framed(canvas[0]) || framed(canvas[1]); };
    if (!waitUntil([&] { return !any(); }, limitMs)) // grey: the text is wrong
        return -1;
    Painted first(canvas[0]->viewport()), second(canvas[1]->viewport());
    QElapsedTimer timer;
    timer.start();
    QTest::keyClick(&editor, whole.back().toLatin1());
    if (!waitUntil(any, limitMs))
        return -1;
    const int before = framed(canvas[0]) ? first.count : second.count;
    waitUntil([&] { return (framed(canvas[0]) ? first.count : second.count) > before; }, limitMs);
    return double(timer.nsecsElapsed()) / 1e6 - BooksArea::pause;
}

double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

} // namespace

int main(int count, char** arguments) {
    QApplication application(count, arguments);
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
            rests();
            m.window.newBook();
            for (const Book& book : books) {
                BookEditor& editor = *m.window.books()->current()->editor();
                editor.setPlainText(QString::fromLatin1(book.text));
                rests();
                std::vector<double> atRest, planning;
                for (int round = 0; round < rounds; ++round) {
                    atRest.push_back(answered(m));
                    rests();
                }
                for (int round = 0; round < rounds; ++round) {
                    // Another text, so that it is planned, and typed on while it is.
                    editor.moveCursor(QTextCursor::Start);
                    editor.insertPlainText(u"\n"_s);
                    waitUntil(
                        [&] {
                            return m.window.books()->settled() &&
                                   m.window.document().state(Document::Part::Plan) ==
                                       Document::State::Busy;
                        },
                        2000);
                    QTest::qWait(50);
                    planning.push_back(answered(m));
                }
                std::printf("%-7s %6d  %-15s at rest %7.1f ms (%.1f to %.1f)  while planning "
                            "%7.1f ms (%.1f to %.1f)\n",
                            shape == test::LargeShape::Chain ? "chain" : "layers", nodes, book.name,
                            median(atRest), *std::min_element(atRest.begin(), atRest.end()),
                            *std::max_element(atRest.begin(), atRest.end()), median(planning),
                            *std::min_element(planning.begin(), planning.end()),
                            *std::max_element(planning.begin(), planning.end()));
                std::fflush(stdout);
                rests();
            }
        }
    return 0;
}
