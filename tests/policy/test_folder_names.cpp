// Sources of one folder are compiled together (FW_UNITY), so what stands in their unnamed
// namespaces shares a scope. The compiler sees a dozen of them at once, and which dozen changes
// with each new file; this looks at whole folders.
#include "common/test.h"
#include "source_tree.h"

#include <QRegularExpression>

using namespace fw::policy;
using namespace Qt::StringLiterals;

namespace {

QString withoutComments(QString source) {
    static const QRegularExpression token(u"R\"(\\w*)\\(.*?\\)\\1\"|//[^\\n]*|/\\*.*?\\*/"
                                          u"|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])'|"
                                          "^[ \\t]*#(?:[^\\n]*\\\\\\n)*[^\\n]*"_s,
                                          QRegularExpression::DotMatchesEverythingOption |
                                              QRegularExpression::MultilineOption);
    return source.replace(token, u" "_s);
}

// Of what is declared in unnamed namespaces the text in front of the body or the semicolon.
QStringList headsIn(const QString& source) {
    static const QRegularExpression unnamed(u"\\bnamespace\\s*\\{"_s);
    QStringList out;
    auto found = unnamed.globalMatch(source);
    while (found.hasNext()) {
        int depth = 0;
        QString head;
        for (qsizetype i = found.next().capturedEnd(); i < source.size() && depth >= 0; ++i) {
            const QChar c = source[i];
            if (depth == 0 && (c == u'{' || c == u';')) {
                out << head.simplified();
                head.clear();
            } else if (depth == 0 && c != u'}') {
                head += c;
            }
            depth += c == u'{' ? 1 : c == u'}' ? -1 : 0;
        }
    }
    out.removeAll(QString());
    return out;
}

struct Declared {
    QString name;
    QString types; // of the parameters of a function, "(int, const Node&)"; of an alias what it
                   // stands for
    bool isFunction() const { return types.startsWith(u'('); }
    bool isAlias() const { return types.startsWith(u'='); }
};

// `parameters` begins behind the bracket that opens them.
QString parameterTypes(const QString& parameters) {
    static const QRegularExpression name(u"(?<=[\\w&*>] |[&*])\\w+$"_s);
    QStringList out{QString()};
    int depth = 1;
    for (const QChar c : parameters) {
        depth += u"(<["_s.contains(c) ? 1 : u")>]"_s.contains(c) ? -1 : 0;
        if (depth == 0)
            break;
        if (c == u',' && depth == 1)
            out << QString();
        else
            out.back() += c;
    }
    for (QString& one : out)
        one = one.section(u'=', 0, 0).trimmed().remove(name).trimmed();
    return u'(' + out.join(u", "_s) + u')';
}

std::optional<Declared> declaredBy(QString head) {
    static const QRegularExpression ofTemplate(
        u"^template ?<.*?> ?(?=requires|class|struct|using|auto|void|bool|std|const|static|\\w)"_s);
    static const QRegularExpression type(u"^(?:enum class|enum|class|struct|union) (\\w+)"_s);
    static const QRegularExpression alias(u"^using (\\w+) (=.*)"_s);
    static const QRegularExpression leftOut(u"^(?:using|static_assert|namespace)\\b"_s);
    static const QRegularExpression function(u"^[^=(]*?(\\w+) ?\\((.*)"_s);
    static const QRegularExpression variable(u"(\\w+) ?(?:\\[[^\\]]*\\] ?)*$"_s);
    head.remove(ofTemplate);
    if (const auto found = type.match(head); found.hasMatch())
        return Declared{found.captured(1), {}};
    if (const auto found = alias.match(head); found.hasMatch())
        return Declared{found.captured(1), found.captured(2)};
    if (leftOut.match(head).hasMatch())
        return std::nullopt;
    if (const auto found = function.match(head); found.hasMatch())
        return Declared{found.captured(1), parameterTypes(found.captured(2))};
    if (const auto found = variable.match(head.section(u'=', 0, 0).trimmed()); found.hasMatch())
        return Declared{found.captured(1), {}};
    return std::nullopt;
}

// Functions may have one name, for other types; an alias may be said twice.
bool clash(const Declared& a, const Declared& b) {
    if (a.name != b.name)
        return false;
    if (a.isFunction() && b.isFunction())
        return a.types == b.types;
    return !(a.isAlias() && a.types == b.types);
}

QList<Declared> declaredIn(const QString& source) {
    QList<Declared> out;
    for (const QString& head : headsIn(withoutComments(source)))
        if (const auto one = declaredBy(head))
            out << *one;
    return out;
}

// What is compiled together. The half of a library that offers its calls belongs to core/extern;
// core/runtime, the other half and what is no test in tests/ stand alone.
QString targetOf(const QString& file) {
    const QStringList parts = file.split(u'/');
    if (parts[1] == u"libraries"_s)
        return parts[3] == u"plan"_s ? u"core/extern"_s : QString();
    if (parts[1] == u"runtime"_s && parts[0] == u"core"_s)
        return {};
    if (parts[0] == u"tests"_s && !parts.last().startsWith(u"test_"_s))
        return {};
    return parts.size() < 3 ? QString() : parts[0] + u'/' + parts[1];
}

} // namespace

class TestFolderNames : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void declarationsAreFound();
    void sameNamesAreSeen();
    void aFolderSaysANameOnce();
};

void TestFolderNames::declarationsAreFound() {
    QStringList found;
    for (const Declared& one : declaredIn(
             u"namespace {\nconstexpr int rows[] = {1}; // int no;\nstruct Row : Base { int x; };\n"
             "template <class T> bool is(const T& x, int = 3);\nusing Nodes = std::map<int, int>;\n"
             "std::vector<int> at(std::map<int, int> m, Id) { int no; }\n}\nint outside;\n"_s))
        found << one.name + one.types;
    QCOMPARE(found, (QStringList{u"rows"_s, u"Row"_s, u"is(const T&, int)"_s,
                                 u"Nodes= std::map<int, int>"_s, u"at(std::map<int, int>, Id)"_s}));
}

void TestFolderNames::sameNamesAreSeen() {
    const auto first = [](const QString& text) {
        return declaredIn(u"namespace {\n"_s + text + u"\n}"_s).value(0);
    };
    const Declared function = first(u"int at(const Node& node) {}"_s);
    QVERIFY(clash(function, first(u"int at(const Node& other) {}"_s)));
    QVERIFY(clash(function, first(u"constexpr int at = 3;"_s)));
    QVERIFY(!clash(function, first(u"int at(NodeId id) {}"_s)));
    QVERIFY(clash(first(u"struct Row { int a; };"_s), first(u"class Row {};"_s)));
    QVERIFY(clash(first(u"using Row = int;"_s), first(u"using Row = long;"_s)));
    QVERIFY(!clash(first(u"using Row = int;"_s), first(u"using Row = int;"_s)));
}

void TestFolderNames::aFolderSaysANameOnce() {
    struct Place {
        Declared declared;
        QString file;
    };
    QHash<QString, QList<Place>> known; // by folder and name
    QStringList wrong;
    for (const QString& top : {u"core"_s, u"views"_s, u"app"_s, u"tests"_s})
        for (const QString& file : projectFiles(top, {u".cpp"_s})) {
            const QString target = targetOf(file);
            if (target.isEmpty())
                continue;
            for (const Declared& one : declaredIn(readText(file))) {
                QList<Place>& places = known[target + u' ' + one.name];
                for (const Place& other : places)
                    if (other.file != file && clash(one, other.declared))
                        wrong << u"%1: %2, as in %3"_s.arg(file, one.name, other.file);
                places << Place{one, file};
            }
        }
    QVERIFY(known.size() > 2000);
    QVERIFY2(wrong.isEmpty(), qPrintable(u"one function for both, or the better name for one\n"_s +
                                         wrong.join(u'\n')));
}

FW_TEST(TestFolderNames, QCoreApplication)
#include "test_folder_names.moc"
