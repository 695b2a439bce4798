// Operators and implementations are not told apart by their names: no string in core/ equals one,
// but for what names.txt lists with a reason.
#include "source_tree.h"

#include "base/declaration_kind.h"
#include "base/library_names.h"
#include "common/test.h"
#include "extern/extern.h"
#include "library/library.h"
#include "strategy/catalog.h"
#include "strategy/selection.h"

#include <QFileInfo>
#include <QRegularExpression>

using namespace fw::policy;
using namespace Qt::StringLiterals;

namespace {

QSet<QString> ownedNames() {
    QSet<QString> names;
    for (const fw::Operator* op : fw::standardOperators()->all())
        names << QString::fromStdString(op->name());
    for (const auto& implementation : fw::generatedImplementations())
        names << QString::fromStdString(implementation->name());
    for (const auto& library : fw::externLibraries())
        for (const auto& implementation : library->implementations())
            names << QString::fromStdString(implementation->name());
    for (const fw::StrategyBlock& block : fw::standardStrategy().blocks())
        for (const fw::EntryTree& entry : block.tree->entries)
            names << QString::fromStdString(entry.name);
    return names;
}

struct Literal {
    int line = 0;
    QString text;
};

// What stands between double quotes, without comments, includes and raw strings of several lines.
QList<Literal> literalsOf(const QString& source) {
    static const QRegularExpression token(
        u"//[^\\n]*|/\\*.*?\\*/|^#include[^\\n]*|R\"(\\w*)\\(.*?\\)\\1\"|"
        "'(?:[^'\\\\\\n]|\\\\.)'|\"((?:[^\"\\\\\\n]|\\\\.)*)\""_s,
        QRegularExpression::DotMatchesEverythingOption | QRegularExpression::MultilineOption);
    QList<Literal> out;
    int line = 1;
    qsizetype counted = 0;
    auto found = token.globalMatch(source);
    while (found.hasNext()) {
        const auto match = found.next();
        if (match.capturedStart(2) < 0)
            continue;
        line += static_cast<int>(
            QStringView(source).mid(counted, match.capturedStart() - counted).count(u'\n'));
        counted = match.capturedStart();
        out << Literal{line, match.captured(2)};
    }
    return out;
}

struct Exception {
    QStringList paths;
    QStringList names;
    QString reason;
    QSet<QString> used; // paths and names

    bool allows(const QString& file, const QString& name) {
        for (const QString& path : paths)
            if (file == path || file.startsWith(path + u'/'))
                for (const QString& pattern : names)
                    if (QRegularExpression::fromWildcard(pattern).match(name).hasMatch()) {
                        used << path << pattern;
                        return true;
                    }
        return false;
    }
};

QList<Exception> exceptions() {
    QList<Exception> out;
    for (const QString& line : readText(u"tests/policy/names.txt"_s).split(u'\n'))
        if (!line.startsWith(u'#') && !line.trimmed().isEmpty())
            out << Exception{line.section(u':', 0, 0).split(u' ', Qt::SkipEmptyParts),
                             line.section(u':', 1, 1).split(u' ', Qt::SkipEmptyParts),
                             line.section(u':', 2).trimmed(),
                             {}};
    return out;
}

} // namespace

class TestNames : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void literalsAreFound();
    void namesStayWithTheirOwners();
    void librariesAreKnownByTheirRows();
    void declarationsAreKnownByTheirRows();
};

void TestNames::literalsAreFound() {
    QStringList found;
    for (const Literal& literal :
         literalsOf(u"#include \"a\"\n// \"b\"\nf('\"', \"c\");/* \"d\"\n*/ g(\"e\\\"\", \"\");\n"
                    "R\"X(\n\"h\")X\" \"i\""_s))
        found << u"%1 %2"_s.arg(literal.line).arg(literal.text);
    QCOMPARE(found, (QStringList{u"3 c"_s, u"4 e\\\""_s, u"4 "_s, u"6 i"_s}));
}

void TestNames::namesStayWithTheirOwners() {
    const QSet<QString> names = ownedNames();
    QVERIFY(names.contains(u"conv2d"_s) && names.contains(u"reshape"_s) &&
            names.contains(u"generated.tiled"_s) && names.contains(u"openblas.sgemm"_s));
    QList<Exception> allowed = exceptions();
    QStringList wrong;
    for (const QString& file : projectFiles(u"core"_s, {u".h"_s, u".cpp"_s}))
        for (const Literal& literal : literalsOf(readText(file))) {
            if (!names.contains(literal.text))
                continue;
            bool fine = false;
            for (Exception& exception : allowed)
                fine = exception.allows(file, literal.text) || fine;
            if (!fine)
                wrong << u"%1:%2: \"%3\""_s.arg(file).arg(literal.line).arg(literal.text);
        }
    QVERIFY2(wrong.isEmpty(),
             qPrintable(u"ask a fact, or say in names.txt why the name stands there\n"_s +
                        wrong.join(u'\n')));
    for (const Exception& exception : allowed) {
        QVERIFY2(exception.reason.size() > 10, qPrintable(exception.reason));
        for (const QString& word : exception.paths + exception.names)
            QVERIFY2(
                exception.used.contains(word),
                qPrintable(u"names.txt: %1 is not needed for: %2"_s.arg(word, exception.reason)));
    }
}

// Neither a name nor what begins like a call: core/libraries alone says which there are.
void TestNames::librariesAreKnownByTheirRows() {
    QVERIFY(!fw::builtInLibraries().empty());
    QStringList wrong, files;
    for (const QString& top : {u"core"_s, u"views"_s, u"app"_s})
        files << projectFiles(top, {u".h"_s, u".cpp"_s});
    for (const QString& file : files) {
        if (file.startsWith(u"core/libraries/"_s))
            continue;
        for (const Literal& literal : literalsOf(readText(file)))
            for (const fw::LibraryNames& library : fw::builtInLibraries()) {
                const QString name = QString::fromStdString(std::string(library.name));
                if (literal.text == name || literal.text.startsWith(name + u'.') ||
                    literal.text == QString::fromStdString(std::string(library.title)))
                    wrong << u"%1:%2: \"%3\""_s.arg(file).arg(literal.line).arg(literal.text);
            }
    }
    QVERIFY2(wrong.isEmpty(),
             qPrintable(u"ask its row (base/library_names.h)\n"_s + wrong.join(u'\n')));
}

// What a keyword or a kind is compared with: parsers, which are asked by it, are in core/syntax.
void TestNames::declarationsAreKnownByTheirRows() {
    static const QRegularExpression compared(u"\\b(?:keyword|kind)\\b(?:\\(\\))?\\s*(?:[!=]=|\\.(?:"
                                             u"starts_with|contains)\\()\\s*u?\"(\\w+)\"|"
                                             "\\bis\\(u?\"(\\w+)\"\\)"_s);
    const auto isKnown = [](const QString& word) {
        return fw::findKind(word.toStdString()) != nullptr;
    };
    QVERIFY(isKnown(u"operator"_s) && isKnown(u"pin"_s));
    QVERIFY(compared.match(u"if (item.kind != \"test\")"_s).hasMatch() &&
            compared.match(u"tokens[i].is(\"op\")"_s).hasMatch());
    QStringList wrong, files;
    for (const QString& top : {u"core"_s, u"views"_s, u"app"_s})
        files << projectFiles(top, {u".h"_s, u".cpp"_s});
    for (const QString& file : files) {
        if (file.startsWith(u"core/syntax/"_s))
            continue;
        const QString source = readText(file);
        auto found = compared.globalMatch(source);
        while (found.hasNext()) {
            const auto match = found.next();
            const bool ofCapture = source.mid(match.capturedStart() - 8, 8) == u"capture."_s;
            if (!ofCapture && (isKnown(match.captured(1)) || isKnown(match.captured(2))))
                wrong << u"%1: %2"_s.arg(file, match.captured());
        }
    }
    QVERIFY2(wrong.isEmpty(),
             qPrintable(u"ask its row (base/declarations.def)\n"_s + wrong.join(u'\n')));
}

FW_TEST(TestNames, QCoreApplication)
#include "test_names.moc"
