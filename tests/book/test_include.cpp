// Books that include others: what is read, in which order, and what is said of a path that leads
// nowhere or back.
#include "base/files.h"
#include "book/include.h"
#include "common/test.h"

#include <QDir>
#include <QTemporaryDir>

#include <map>

using namespace fw;
using namespace Qt::StringLiterals;

namespace {

const char* const rule = "rule two { match y = relu(relu(x)) emit y = relu(x) }\n";

// Files that are only here; counts how often each is opened.
struct Files {
    std::map<std::string, std::string> texts;
    std::map<std::string, int> opened;

    Books read(const std::vector<std::string>& given) {
        std::vector<BookText> books;
        for (const std::string& file : given)
            books.push_back({file, texts.at(file)});
        return readBooks(withIncluded(std::move(books), [&](const std::string& file) {
            ++opened[file];
            const auto found = texts.find(file);
            return found == texts.end() ? Result<std::string>(makeDiag(DiagCode::FileMissing,
                                                                       "cannot be read", {file}))
                                        : Result<std::string>(found->second);
        }));
    }
};

// The user's books, in the order in which they are read.
QStringList filesOf(const Books& books) {
    QStringList out;
    for (const ReadBook& book : books.read)
        if (!isShippedBook(book.file))
            out << QString::fromStdString(book.file);
    return out;
}

QStringList errorsOf(const Books& books) {
    QStringList out;
    for (const Diag& diag : books.diagnostics)
        if (diag.severity == Severity::Error)
            out << QString::fromStdString(diag.text());
    return out;
}

} // namespace

class TestInclude : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void includedBooksComeFirstAndOnce();
    void namesOfIncludedBooksAreKnown();
    void wrongPathsAreTold();
    void circlesAreToldWithTheWay();
    void mistakesNameTheirFile();
    void filesAreOpened();
    void manyBooksHaveALimit();
};

void TestInclude::includedBooksComeFirstAndOnce() {
    Files files{{{"a/main.fw", "include \"parts/b.fw\"\ninclude \"../c.fw\"\n"},
                 {"a/parts/b.fw", "include \"../../c.fw\"\n" + std::string(rule)},
                 {"c.fw", "chain ends = relu(^)?\n"}},
                {}};
    const Books books = files.read({"a/main.fw", "a/parts/b.fw"});
    QCOMPARE(filesOf(books), QStringList({u"c.fw"_s, u"a/parts/b.fw"_s, u"a/main.fw"_s}));
    QCOMPARE(errorsOf(books), QStringList());
    QCOMPARE(files.opened, (std::map<std::string, int>{{"c.fw", 1}}));
    QVERIFY(checkBook(books, "a/main.fw")->items[0].verdict == "ok");
}

void TestInclude::namesOfIncludedBooksAreKnown() {
    Files files{{{"main.fw", "include \"p.fw\"\nrule r { match y = twice(x) emit y = relu(x) }\n"},
                 {"p.fw", "pattern twice(x) = relu(relu(x))\n"}},
                {}};
    QCOMPARE(errorsOf(files.read({"main.fw"})), QStringList());
    QVERIFY(files.read({"main.fw"}).patterns.contains("twice"));
    files.texts["main.fw"].erase(0, 15);
    QCOMPARE(errorsOf(files.read({"main.fw"})).size(), 1);
}

void TestInclude::wrongPathsAreTold() {
    Files files{
        {{"a/main.fw", std::string(rule) + "  include \"nothing.fw\"\ninclude \"/etc/x.fw\"\n"
                                           "include \"notes.txt\"\n"}},
        {}};
    const Books books = files.read({"a/main.fw"});
    const QStringList errors = errorsOf(books);
    QCOMPARE(errors.size(), 3);
    QVERIFY2(errors[0].startsWith(u"a/main.fw:2:3: error "_s) &&
                 errors[0].contains(u"a/nothing.fw cannot be read"_s) &&
                 errors[0].contains(u"the path begins at a"_s),
             qPrintable(errors[0]));
    QVERIFY2(errors[1].contains(u"a/main.fw:3:1: "_s) && errors[1].contains(u"no relative path"_s),
             qPrintable(errors[1]));
    QVERIFY(errors[2].contains(u"\"notes.txt\" is no relative path of a .fw file"_s));
    QVERIFY(files.opened.size() == 1);
    // What stands beside them is used.
    QCOMPARE(books.rules.entries.front()->name, std::string("two"));
}

void TestInclude::circlesAreToldWithTheWay() {
    Files files{{{"a.fw", "include \"b.fw\"\n" + std::string(rule)},
                 {"b.fw", "include \"./c.fw\"\n"},
                 {"c.fw", "include \"c.fw\"\ninclude \"a.fw\"\n"}},
                {}};
    const Books books = files.read({"a.fw"});
    const QStringList errors = errorsOf(books);
    QCOMPARE(errors.size(), 2);
    QVERIFY2(errors[0].startsWith(u"c.fw:1:1: "_s) && errors[0].contains(u"c.fw -> c.fw"_s),
             qPrintable(errors[0]));
    QVERIFY2(errors[1].startsWith(u"c.fw:2:1: "_s) &&
                 errors[1].contains(u"a.fw -> b.fw -> c.fw -> a.fw"_s),
             qPrintable(errors[1]));
    QCOMPARE(filesOf(books), QStringList({u"c.fw"_s, u"b.fw"_s, u"a.fw"_s}));
    QCOMPARE(books.rules.entries.front()->name, std::string("two"));
}

void TestInclude::mistakesNameTheirFile() {
    Files files{{{"a.fw", "include \"b.fw\"\n"}, {"b.fw", "\nchain tails = rellu(^)\n"}}, {}};
    const Books books = files.read({"a.fw"});
    const QStringList errors = errorsOf(books);
    QVERIFY(!errors.isEmpty());
    for (const QString& error : errors)
        QVERIFY2(error.startsWith(u"b.fw:2:15: "_s), qPrintable(error));
    // Whoever asks about the book that includes it is sent there.
    const CheckedItem item = checkBook(books, "a.fw")->items[0];
    QCOMPARE(item.verdict, std::string("ok"));
    QCOMPARE(item.diagnostics.size(), std::size_t(1));
    const QString sent = QString::fromStdString(item.diagnostics[0].text());
    QVERIFY2(sent.startsWith(u"a.fw:1:1: warning"_s) && sent.contains(u"fw check b.fw"_s),
             qPrintable(sent));
}

void TestInclude::filesAreOpened() {
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir(u"parts"_s));
    const std::string main = folder.filePath(u"main.fw"_s).toStdString();
    QVERIFY(writeFile(main, "include \"parts/b.fw\"\n").ok());
    QVERIFY(writeFile(folder.filePath(u"parts/b.fw"_s).toStdString(), rule).ok());
    const Result<Books> books = loadBooks({main});
    QVERIFY(books.ok());
    QCOMPARE(errorsOf(*books), QStringList());
    QCOMPARE(books->rules.entries.front()->name, std::string("two"));
}

void TestInclude::manyBooksHaveALimit() {
    Files files;
    for (std::size_t i = 0; i <= mostIncluded; ++i)
        files.texts[std::to_string(i) + ".fw"] = "include \"" + std::to_string(i + 1) + ".fw\"\n";
    const Books books = files.read({"0.fw"});
    QCOMPARE(filesOf(books).size(), qsizetype(mostIncluded));
    QVERIFY(errorsOf(books).join(u'\n').contains(u"1000 books are read already"_s));
}

FW_TEST(TestInclude, QCoreApplication)
#include "test_include.moc"
