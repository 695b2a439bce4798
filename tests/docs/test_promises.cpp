// resources/docs/promises.md beside the three pages that it walks: every sentence of theirs has a
// row, the words of every row stand where it says, and what holds them is a test. That the tests
// exist: policy/test_features.
#include "common/test.h"
#include "docs/page.h"

#include <QRegularExpression>

#include <algorithm>
#include <iterator>

using namespace fw::docs;
using namespace Qt::StringLiterals;

namespace {

const QString table = u"resources/docs/promises.md"_s;

// Without the marks of bold text, with the text of links alone.
QString plain(QString text) {
    static const QRegularExpression link(uR"(\[([^\]]*)\]\([^)]*\))"_s);
    return text.replace(u"\\|"_s, u"|"_s).replace(link, u"\\1"_s).remove(u"**"_s).simplified();
}

QStringList cellsOf(const QString& line) {
    static const QRegularExpression border(uR"((?<!\\)\|)"_s);
    QStringList cells = line.split(border);
    return cells.mid(1, cells.size() - 2);
}

// An item of a list, a row of a table, or a paragraph.
struct Unit {
    QString name; // of an item or a row
    QString text;
    QString beginning() const { return (name + u' ' + text).trimmed().remove(u'`'); }
};

QList<Unit> unitsOf(const QString& page) {
    QStringList paragraphs;
    QList<Unit> out;
    const auto finish = [&] {
        static const QRegularExpression item(uR"(^(?:\*\*([^*]+?)\.?\*\*[.,]?)?(.*)$)"_s);
        if (!paragraphs.isEmpty()) {
            const auto parts = item.match(paragraphs.join(u' '));
            out << Unit{plain(parts.captured(1)), plain(parts.captured(2))};
        }
        paragraphs.clear();
    };
    bool isCode = false;
    for (const QString& line : page.split(u'\n')) {
        const bool isRow = line.startsWith(u'|');
        if (line.startsWith(u"```"_s) || line.isEmpty() || line.startsWith(u'#') || isRow ||
            line.startsWith(u"- "_s))
            finish();
        if (line.startsWith(u"```"_s))
            isCode = !isCode;
        else if (isRow && line.startsWith(u"|-"_s))
            out.removeLast(); // the head of the table
        else if (isRow)
            out << Unit{plain(cellsOf(line).value(0)), plain(cellsOf(line).value(1))};
        else if (!isCode && !line.startsWith(u'#') && !line.isEmpty())
            paragraphs << (line.startsWith(u"- "_s) ? line.mid(2) : line).trimmed();
    }
    finish();
    return out;
}

// Where each begins.
QList<qsizetype> sentencesOf(const QString& text) {
    static const QRegularExpression end(uR"([.!?]\s+)"_s);
    QList<qsizetype> out{0};
    auto ends = end.globalMatch(text);
    while (ends.hasNext())
        out << ends.next().capturedEnd();
    return out;
}

struct PromiseRow {
    int line = 0;
    QString where, words, heldBy;
};

// Below the heading that names the page.
QList<PromiseRow> rowsOf(const QString& promises, const QString& page) {
    QList<PromiseRow> out;
    bool isIn = false;
    int number = 0;
    for (const QString& line : promises.split(u'\n')) {
        ++number;
        if (line.startsWith(u"## "_s))
            isIn = line.mid(3) == page;
        else if (isIn && line.startsWith(u"| "_s) && !line.startsWith(u"| where"_s)) {
            const QStringList cells = cellsOf(line);
            out << PromiseRow{number, plain(cells.value(0)).remove(u'`'), plain(cells.value(1)),
                              cells.size() == 3 ? cells[2].trimmed() : QString()};
        }
    }
    return out;
}

// What is wrong: rows stand in the order of the page, and every sentence has words of one.
QStringList problemsOf(const QString& promises, const QString& name, const QString& page) {
    static const QRegularExpression held(uR"(^(–|none yet|(`[a-z]+/test_\w+: \w+`(, |$))+)$)"_s);
    const QList<Unit> units = unitsOf(page);
    QList<QSet<qsizetype>> covered(units.size());
    QStringList out;
    auto unit = units.begin(), next = unit;
    for (const PromiseRow& row : rowsOf(promises, name)) {
        const auto wrong = [&](const QString& why) {
            out << u"promises.md:%1: %2"_s.arg(row.line).arg(why);
        };
        if (!held.match(row.heldBy).hasMatch())
            wrong(row.heldBy + u" names no tests"_s);
        if (!row.where.isEmpty()) {
            const auto found = std::find_if(next, units.end(), [&](const Unit& one) {
                return one.beginning().startsWith(row.where);
            });
            if (found == units.end()) {
                wrong(u"nothing of %1 begins with %2 here"_s.arg(name, row.where));
                continue;
            }
            unit = found;
            next = std::next(found);
        }
        qsizetype behind = 0;
        for (const QString& words : row.words.split(u" … "_s)) {
            const qsizetype at = unit->text.indexOf(words, behind);
            if (at < 0) {
                wrong(u"%1: %2 does not say: %3"_s.arg(name, unit->name, words));
                break;
            }
            behind = at + words.size();
            const QList<qsizetype> sentences = sentencesOf(unit->text);
            for (qsizetype i = 0; i < sentences.size(); ++i)
                if (sentences[i] < behind && at < sentences.value(i + 1, unit->text.size()))
                    covered[std::distance(units.begin(), unit)] << i;
        }
    }
    for (qsizetype i = 0; i < units.size(); ++i) {
        const QList<qsizetype> sentences = sentencesOf(units[i].text);
        for (qsizetype k = 0; k < sentences.size(); ++k)
            if (!covered[i].contains(k))
                out << u"%1: %2 has no row: %3"_s.arg(
                    name, units[i].name, units[i].text.mid(sentences[k]).section(u". "_s, 0, 0));
    }
    return out;
}

} // namespace

class TestPromises : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everySentenceHasARow_data();
    void everySentenceHasARow();
    void whatIsMissingIsTold();
};

void TestPromises::everySentenceHasARow_data() {
    QTest::addColumn<QString>("page");
    for (const char* page :
         {"resources/docs/modules.md", "SECURITY.md", "resources/docs/command-line.md"})
        QTest::newRow(page) << QString::fromLatin1(page);
}

void TestPromises::everySentenceHasARow() {
    QFETCH(QString, page);
    const QStringList problems = problemsOf(textOf(table), page.section(u'/', -1), textOf(page));
    QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
    QVERIFY(rowsOf(textOf(table), page.section(u'/', -1)).size() > 30);
}

void TestPromises::whatIsMissingIsTold() {
    const QString page = u"# Page\n\nIt ends. It says\n[so](so.md).\n\n```\nfw test\n```\n\n"
                         "- **Memory.** Is given back. Is kept.\n- **Held**: once.\n\n"
                         "| command | does |\n|---|---|\n| `fw a B\\|C` | lists. Sorts |\n"_s;
    const QString head = u"## p.md\n\n| where | words | held by |\n|---|---|---|\n"_s;
    const auto problems = [&](const char* rows) {
        return problemsOf(head + QString::fromUtf8(rows), u"p.md"_s, page);
    };
    QCOMPARE(problems("| It | It ends … It says so | – |\n"
                      "| Memory | Is given back | `a/test_b: c`, `a/test_b: d` |\n"
                      "| | Is kept | none yet |\n"
                      "| Held | once | – |\n| `fw a` | lists … Sorts | – |\n"),
             QStringList());
    QCOMPARE(problems("| It | ends | – |\n| Memory | back. Is kept | – |\n| Held | once | – |\n"
                      "| `fw a` | lists | – |\n"),
             (QStringList{u"p.md:  has no row: It says so."_s,
                          u"p.md: `fw a B|C` has no row: Sorts"_s}));
    const QStringList wrong = problems("| Held | twice | – |\n| Memory | Is kept | – |\n"
                                       "| | once | a test |\n");
    QCOMPARE(wrong.value(0), u"promises.md:5: p.md: Held does not say: twice"_s);
    QCOMPARE(wrong.value(1), u"promises.md:6: nothing of p.md begins with Memory here"_s);
    QCOMPARE(wrong.value(2), u"promises.md:7: a test names no tests"_s);
}

FW_TEST(TestPromises, QCoreApplication)
#include "test_promises.moc"
