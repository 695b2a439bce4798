// The lists of features, of bad inputs and of promises name tests, and they exist.
#include "common/test.h"
#include "source_tree.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

using namespace fw::policy;
using namespace Qt::StringLiterals;

class TestFeatures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyRowNamesATest_data();
    void everyRowNamesATest();
    void everyTestExists_data();
    void everyTestExists();
    void pagesLinkToPages();
    void everyPageIsListed();
};

namespace {

const QRegularExpression testName(uR"(`([a-z_]+/test_\w+): (\w+)`)"_s);

void pages() {
    QTest::addColumn<QString>("page");
    for (const char* page : {"features", "bad-input"})
        QTest::newRow(page) << u"resources/docs/%1.md"_s.arg(QLatin1StringView(page));
}

QStringList rows(const QString& page) {
    QStringList out;
    for (const QString& line : readText(page).split(u'\n'))
        if (line.startsWith(u"| "_s) && !line.startsWith(u"| no."_s))
            out << line;
    return out;
}

} // namespace

void TestFeatures::everyRowNamesATest_data() {
    pages();
}

void TestFeatures::everyRowNamesATest() {
    QFETCH(QString, page);
    static const QRegularExpression row(uR"(^\| \d+ \| [^|]+ \| [^|]+ \| [^|]+ \|$)"_s);
    QVERIFY(rows(page).size() >= 10);
    for (const QString& line : rows(page)) {
        QVERIFY2(row.match(line).hasMatch(), qPrintable(line));
        const QStringList names = line.section(u'|', 4, 4).split(u',');
        for (const QString& name : names) {
            const auto match = testName.match(name.trimmed());
            QVERIFY2(match.hasMatch() && match.capturedLength() == name.trimmed().size(),
                     qPrintable(name));
        }
    }
}

void TestFeatures::everyTestExists_data() {
    pages();
    QTest::newRow("promises") << u"resources/docs/promises.md"_s;
}

void TestFeatures::everyTestExists() {
    QFETCH(QString, page);
    for (const QString& line : rows(page)) {
        auto all = testName.globalMatch(line);
        while (all.hasNext()) {
            const auto match = all.next();
            const QString file = u"tests/"_s + match.captured(1) + u".cpp"_s;
            const QString text = readText(file);
            // Defined, and a test: declared among the slots.
            const QString name = match.captured(2);
            const bool inClass = text.contains(u"    void "_s + name + u"() {"_s);
            QVERIFY2(inClass || (text.contains(u"::"_s + name + u'(') &&
                                 text.contains(u"void "_s + name + u"();"_s)),
                     qPrintable(file + u": "_s + name));
        }
    }
}

// Links between pages, and to pictures, that lead nowhere.
void TestFeatures::pagesLinkToPages() {
    static const QRegularExpression link(uR"(\]\(([\w./-]+)(#[\w-]+)?\))"_s);
    QStringList wrong;
    QStringList pages = projectFiles(u"resources/docs"_s, {u".md"_s});
    pages << u"README.md"_s << u"SECURITY.md"_s << u"CONTRIBUTING.md"_s;
    for (const QString& page : pages) {
        auto all = link.globalMatch(readText(page));
        while (all.hasNext()) {
            const QString target = QFileInfo(page).path() + u'/' + all.next().captured(1);
            if (!QFileInfo::exists(u"" FW_SOURCE_DIR "/"_s + target))
                wrong << page + u" links to "_s + target;
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

// In pages.md, by which people find them.
void TestFeatures::everyPageIsListed() {
    const QString list = readText(u"resources/docs/pages.md"_s);
    const QDir folder(u"" FW_SOURCE_DIR "/resources/docs"_s);
    QStringList missing;
    for (const QString& name : folder.entryList({u"*.md"_s}, QDir::Files))
        if (name != u"pages.md"_s && !list.contains(u"| [%1](%1) |"_s.arg(name)))
            missing << name;
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(u", "_s)));
}

FW_TEST(TestFeatures, QCoreApplication)
#include "test_features.moc"
