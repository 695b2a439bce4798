// Books of all kinds of declarations: read in one pass, checked, joined with the shipped ones.
#include "book/book.h"
#include "book/declarations.h"
#include "common/test.h"
#include "library/library.h"

#include <fmt/format.h>

#include <set>

using namespace fw;

namespace {

const Diag* errorAt(const Diags& diagnostics, int line) {
    for (const Diag& diag : diagnostics)
        if (diag.severity == Severity::Error && diag.where.line == line)
            return &diag;
    return nullptr;
}

bool mentions(const Diags& diagnostics, const std::string& text) {
    for (const Diag& diag : diagnostics)
        if (diag.message.find(text) != std::string::npos)
            return true;
    return false;
}

const CheckedItem* item(const CheckedBook& book, const std::string& name) {
    for (const CheckedItem& known : book.items)
        if (known.name == name)
            return &known;
    return nullptr;
}

} // namespace

class TestBook : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shippedBooksAreSound();
    void shippedEntriesCompute();
    void everyMistakeHasItsPlace_data();
    void everyMistakeHasItsPlace();
    void operatorsAreTried();
    void mistakesLeaveTheRest();
    void mistakesOfPatternsCostWhoNamesThem();
    void shippedNamesAreReplaced();
    void changesOfEntriesAreTold();
    void everyBlockHasAVerdict();
    void somethingUnconditionalStays();
    void booksKnowEachOther();
    void shippedBooksKeepTheirNames();
    void operatorsLikeNamesOfShippedBooks();
    void laterNamesTakeThePlace();
    void everyBookIsRead();
};

void TestBook::shippedBooksAreSound() {
    const Books books = readBooks({});
    for (const Diag& diag : books.diagnostics)
        qWarning("%s", diag.text().c_str());
    QVERIFY(books.diagnostics.empty());
    QVERIFY(!books.rules.entries.empty());
    QVERIFY(!books.strategy.blocks().empty());
    QVERIFY(books.fusion.grow(FusionKind::Contraction, FusionKind::Elementwise,
                              GrowDirection::Forward) != nullptr);
}

// They are tried here, not in every process; so they are as soon as the text is a user's.
void TestBook::shippedEntriesCompute() {
    const std::string shipped(embeddedStrategy());
    const auto told = [](const std::string& text) {
        std::vector<std::string> out;
        for (const CheckedItem& item : checkBookText(text, "strategy.fw").items)
            for (const Diag& diag : item.diagnostics)
                out.push_back(diag.text());
        return out;
    };
    const auto right = told(shipped);
    QVERIFY2(right.empty(), right.empty() ? "" : right.front().c_str());
    std::string wrong = shipped;
    const std::string computed = "compute matmul_widened(a, b, za, zb)";
    QVERIFY(wrong.find(computed) != std::string::npos);
    wrong.replace(wrong.find(computed), computed.size(), "compute matmul_widened(a, b, zb, za)");
    QCOMPARE(told(wrong).size(), std::size_t(1));
}

void TestBook::everyMistakeHasItsPlace_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("code");
    const auto row = [](const char* name, const char* text, const char* code) {
        QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(code);
    };
    row("operator", "implementations denze(...) on any { generated.tiled }", "OPR01");
    row("kind", "implementations kind soft on any { generated.map }", "TXT02");
    row("name in a guard", "implementations dense(...) on any { a by generated.tiled when Q > 1 }",
        "TXT02");
    row("function in a guard",
        "implementations dense(...) on any { a by generated.tiled when big(x) == 1 }", "TXT02");
    row("target key", "implementations dense(...) on x86-64-v5 { a by generated.tiled }", "TXT02");
    row("target key of a rule", "fuse f on haswel { match relu(tanh(x)) as stacked }", "TXT02");
    row("target key in a guard",
        "implementations dense(...) on any { a by generated.tiled when target has x86-65 }",
        "TXT02");
    row("library in a guard",
        "implementations dense(...) on any { a by generated.tiled when libs has onedn }", "TXT02");
    row("kinds in a guard",
        "implementations dense(...) on any { a by generated.tiled when dtype(x) == 1 }", "RUL01");
    row("no condition", "implementations dense(...) on any { a by generated.tiled when K + 1 }",
        "RUL01");
    row("no target", "implementations dense(...) { generated.tiled }", "TXT01");
    row("chain", "implementations dense(...) on any { a by generated.tiled absorbs nothing.at }",
        "TXT02");
    row("growth", "grow contraction -> soft forward", "TXT02");
    row("direction", "grow contraction -> elementwise sideways", "TXT01");
    row("a second anchor", "grow contraction -> window forward", "RUL01");
    row("a movement behind an anchor", "grow reduction -> injective forward", "RUL01");
    row("an anchor before a map", "grow rowwise -> elementwise into", "RUL01");
    row("an anchor before another", "grow contraction -> contraction into", "RUL01");
    row("a movement before a reduction", "grow injective -> reduction into", "RUL01");
    row("what has no expression", "grow opaque -> elementwise forward", "RUL01");
    row("limit", "grow contraction -> elementwise forward limit 0", "TXT01");
    row("pattern of a rule", "fuse f { match convolution(x) }", "OPR01");
    row("kind in a pattern", "fuse f { match kind soft(^) }", "TXT02");
    row("same without ^", "chain c = add(x, r: same(^))", "RUL01");
    row("no match", "fuse f { as stacked }", "TXT01");
    row("library of a composite", "composite c for nobody { match relu(x) }", "TXT02");
    row("a pin of one", "pin { together a }", "TXT01");
    row("melted", "fuse f { match relu(x) as melted s }", "TXT01");
}

void TestBook::everyMistakeHasItsPlace() {
    QFETCH(QString, text);
    QFETCH(QString, code);
    // The mistake is in line 3; what stands around it stays.
    const std::string whole = "grow rowwise -> injective never\n\n" + text.toStdString() +
                              "\n\ngrow window -> injective never\n";
    const Books books = readBooks({{"mine.fw", whole}});
    const Diag* error = errorAt(books.diagnostics, 3);
    QVERIFY(error != nullptr);
    QCOMPARE(std::string(codeText(error->code)), code.toStdString());
    QVERIFY(error->where.column > 0);
    QCOMPARE(error->where.file, std::string("mine.fw"));
    for (const FusionKind from : {FusionKind::Rowwise, FusionKind::Window})
        QVERIFY(books.fusion.grow(from, FusionKind::Injective, GrowDirection::Forward) != nullptr);
}

// An unknown function and a read out of range are told together, by the check and by every command
// that reads the book.
void TestBook::operatorsAreTried() {
    const std::string text = "op good (x: T[N]) -> y: T[N] { y[n] = pad(x[n + 1], 0) }\n"
                             "op bad (x: T[N]) -> y: T[N] {\n"
                             "  y[n] = foo(x[n + 1]) + argmax(k in N : x[k]) }\n";
    const CheckedBook checked = checkBookText(text, "b.fw");
    QCOMPARE(item(checked, "good")->verdict, std::string("ok"));
    QCOMPARE(item(checked, "bad")->verdict, std::string("refused"));
    const Books books = readBooks({{"b.fw", text}});
    QVERIFY(books.operators->find("good") != nullptr);
    QVERIFY(books.operators->find("bad") == nullptr);
    for (const Diags& diagnostics : {item(checked, "bad")->diagnostics, books.diagnostics}) {
        QCOMPARE(diagnostics.size(), std::size_t(3));
        std::set<int> columns;
        for (const Diag& diag : diagnostics) {
            QCOMPARE(diag.where.file, std::string("b.fw"));
            QCOMPARE(diag.where.line, 3);
            columns.insert(diag.where.column);
        }
        QCOMPARE(columns, (std::set<int>{10, 14, 26}));
        QVERIFY(mentions(diagnostics, "there is no function 'foo'"));
        QVERIFY(mentions(diagnostics, "x[n + 1] may lie outside"));
        QVERIFY(mentions(diagnostics, "there is no reduction 'argmax'"));
    }
}

void TestBook::mistakesLeaveTheRest() {
    const Books books = readBooks({{"mine.fw", "rule a { match y = rellu(x) emit y = x }\n"
                                               "rule b { match y = relu(x) emit y = x }\n"
                                               "grow soft -> soft into\n"
                                               "implementations relu(...) on any { fast by "
                                               "generated.map priority 30 }\n"}});
    QVERIFY(errorAt(books.diagnostics, 1) != nullptr);
    QVERIFY(errorAt(books.diagnostics, 3) != nullptr);
    QCOMPARE(books.rules.entries.front()->name, std::string("b"));
    QCOMPARE(books.strategy.entries("relu", FusionKind::Elementwise, {"any"}).front().name,
             std::string("fast"));
}

// Without its chain `relu(x) >> tail` would match every value, and a plan would be refused for a
// pattern that only some rule names.
void TestBook::mistakesOfPatternsCostWhoNamesThem() {
    const std::string text = "pattern pair(x) = rellu(relu(x))\n"
                             "chain tail = tanhh(^)\n"
                             "chain tails = relu(^) >> tail\n"
                             "rule a { match y = pair(x) emit y = x }\n"
                             "rule b { match y = relu(x) >> tails emit y = x }\n"
                             "fuse c { match conv2d(x, w) >> tail as stacked }\n"
                             "implementations dense(...) on any { mine by generated.tiled absorbs "
                             "tail }\n"
                             "rule good { match y = relu(relu(x)) emit y = relu(x) }\n";
    const Books books = readBooks({{"b.fw", text}});
    QVERIFY(std::any_of(books.rules.entries.begin(), books.rules.entries.end(),
                        [](const DeclarationPtr& entry) { return entry->name == "good"; }));
    for (const DeclarationPtr& entry : books.rules.entries)
        QVERIFY2(entry->name != "a" && entry->name != "b", entry->name.c_str());
    for (const char* name : {"pair", "tail", "tails"})
        QVERIFY2(!books.rules.table().contains(name), name);
    QVERIFY(std::none_of(books.fusion.fuseRules().begin(), books.fusion.fuseRules().end(),
                         [](const FuseRule& rule) { return rule.tree->name == "c"; }));
    const CheckedBook checked = checkBookText(text, "b.fw");
    for (const CheckedItem& one : checked.items)
        QVERIFY2(one.verdict == (one.name == "good" ? "ok" : "refused"), one.name.c_str());
    for (int line = 1; line <= 7; ++line)
        QVERIFY(errorAt(books.diagnostics, line) != nullptr);
    QCOMPARE(errorAt(books.diagnostics, 6)->where.column, 32);
}

void TestBook::shippedNamesAreReplaced() {
    const Books books =
        readBooks({{"/books/mine/fusion.fw", "grow elementwise -> elementwise forward limit 3\n"}});
    QVERIFY(mentions(books.diagnostics, "takes the place of the shipped fusion.fw"));
    QVERIFY(books.fusion.grow(FusionKind::Contraction, FusionKind::Elementwise,
                              GrowDirection::Forward) == nullptr);
    const GrowRule* rule =
        books.fusion.grow(FusionKind::Elementwise, FusionKind::Elementwise, GrowDirection::Forward);
    QVERIFY(rule != nullptr);
    QCOMPARE(rule->limit(), std::size_t(3));
}

void TestBook::changesOfEntriesAreTold() {
    const Books books = readBooks(
        {{"mine.fw", "chain onednn.tail = relu(^)?\n"
                     "implementations kind contraction on any { generated.tiled priority 40 }\n"}});
    QVERIFY(mentions(books.diagnostics, "changes generated.tiled of kind contraction"));
    QVERIFY(
        mentions(books.diagnostics, "chain onednn.tail takes the place of that in post_ops.fw"));
    const std::vector<MergedEntry> entries =
        books.strategy.entries("dense", FusionKind::Contraction, {"any"});
    for (const MergedEntry& entry : entries)
        if (entry.name == "generated.tiled") {
            QCOMPARE(entry.priority, 40);
            QCOMPARE(entry.absorbs, AbsorbClause::Any); // not written again, so kept
            QVERIFY(entry.places.find("mine.fw:2") != std::string::npos);
        }
}

void TestBook::everyBlockHasAVerdict() {
    const CheckedBook book =
        checkBookText("implementations dense(...) on any { generated.tiled priority 3 }\n"
                      "implementations denze(...) on any { generated.tiled }\n"
                      "grow window -> injective never\n"
                      "composite c for onednn { match dense(x, w: const) >> onednn.tail }\n"
                      "fuse f on x86-64 { match nothing(x) }\n"
                      "pin { apart a, b }\n",
                      "mine.fw");
    QCOMPARE(book.items.size(), std::size_t(6));
    QCOMPARE(item(book, "dense")->verdict, std::string("ok"));
    QCOMPARE(item(book, "denze")->verdict, std::string("refused"));
    QCOMPARE(item(book, "denze")->diagnostics.front().where.line, 2);
    QCOMPARE(item(book, "window -> injective")->verdict, std::string("ok"));
    QCOMPARE(item(book, "c")->verdict, std::string("ok"));
    QCOMPARE(item(book, "f")->verdict, std::string("refused"));
    QCOMPARE(item(book, "pin")->verdict, std::string("ok"));
}

void TestBook::somethingUnconditionalStays() {
    const Books books =
        readBooks({{"mine.fw",
                    "implementations kind any on any { generated.plain when libs has onednn }\n"}});
    QVERIFY(mentions(books.diagnostics, "every implementation of kind any has a condition"));
}

// What one book declares the others may use, in whatever order they are read.
void TestBook::booksKnowEachOther() {
    const std::string names = "op twice(x: T[S...]) -> y: T[S...] { y[i...] = x[i...] + x[i...] }\n"
                              "chain mine.tail = relu(^)?\n";
    const std::string uses =
        "rule r { match y = twice(x) >> mine.tail emit y = x + x }\n"
        "implementations twice(...) on any { generated.map absorbs mine.tail }\n"
        "test \"it fires\" of r { graph g(x: f32[2]) -> y { y = twice(x) }\n"
        "  expect match 1 }\n";
    for (const auto& texts : {std::vector<BookText>{{"names.fw", names}, {"uses.fw", uses}},
                              std::vector<BookText>{{"uses.fw", uses}, {"names.fw", names}}}) {
        const Books books = readBooks(texts);
        QVERIFY2(books.diagnostics.empty(),
                 books.diagnostics.empty() ? "" : books.diagnostics[0].text().c_str());
        const auto checked = checkBook(books, "uses.fw");
        QVERIFY(checked);
        for (const CheckedItem& one : checked->items)
            QVERIFY2(one.verdict == "ok", one.name.c_str());
    }
    QVERIFY(hasErrors(readBooks({{"uses.fw", uses}}).diagnostics));
    QVERIFY(!checkBook(readBooks({}), "uses.fw"));
}

// x, w, b and c are names of values in shipped books, whatever a user declares.
void TestBook::shippedBooksKeepTheirNames() {
    const std::string shadows = "chain x = relu(^)\npattern w(a) = tanh(a)\n"
                                "op b (v: T[S...]) -> y: T[S...] { y[i...] = v[i...] + 1 }\n"
                                "chain c = tanh(^)?\n"
                                "rule r { match y = exp(v) >> x emit y = exp(v) }\n"
                                "test \"x is a chain here\" of r {\n"
                                "  graph g(v: f32[2]) -> y { e = exp(v) y = relu(e) }\n"
                                "  expect match 1 }\n";
    const Books books = readBooks({{"mine.fw", shadows}}), alone = readBooks({});
    QVERIFY2(books.diagnostics.empty(),
             books.diagnostics.empty() ? "" : books.diagnostics[0].text().c_str());
    QCOMPARE(books.rules.entries.size(), alone.rules.entries.size() + 1);
    for (const char* const file : {"mine.fw", "simplify.fw", "fusion.fw"}) {
        const auto checked = checkBook(books, file); // runs its tests
        QVERIFY(checked);
        for (const CheckedItem& one : checked->items)
            QVERIFY2(one.verdict == "ok", one.name.c_str());
    }
}

namespace {

void addNames(const PatternTree& p, std::set<std::string>& names) {
    if (p.kind == PatternKind::Capture || p.kind == PatternKind::Bind)
        names.insert(p.name);
    for (const PatternTree& part : p.args)
        addNames(part, names);
}

void addNames(const RuleTree& rule, std::set<std::string>& names) {
    for (const NamedPattern& named : rule.match) {
        names.insert(named.name);
        addNames(named.pattern, names);
    }
    for (const auto* trees : {&rule.let, &rule.emit})
        for (const NamedTree& named : *trees)
            names.insert(named.name);
}

// Of values in a text, without those of patterns, chains and operators.
std::set<std::string> namesOfValues(const std::string& text) {
    std::set<std::string> names;
    const FileTree tree = parseFile(text, "shipped.fw");
    for (const DeclarationPtr& one : tree.declarations) {
        if (const auto rule = declarationAs<RuleTree>(one))
            addNames(*rule, names);
        if (const auto pattern = declarationAs<PatternDeclTree>(one)) {
            addNames(pattern->pattern, names);
            for (const PatternParam& param : pattern->params)
                names.insert(param.name);
        }
    }
    for (const DeclarationPtr& one : tree.declarations)
        names.erase(one->name);
    std::erase_if(names, [](const std::string& name) {
        return name.empty() || standardOperators()->find(name) != nullptr;
    });
    return names;
}

} // namespace

// Whatever values are called in a shipped book, also in one that is read only where it is named.
void TestBook::operatorsLikeNamesOfShippedBooks() {
    for (const char* const declaration :
         {"op {} (in0: T[S...]) -> out0: T[S...] {{ out0[i...] = in0[i...] + 1 }}\n",
          "pattern {}(in0) = relu(exp(in0))\n", "chain {} = relu(^) >> exp(^)\n"}) {
        std::string mine;
        std::set<std::string> names;
        for (const ShippedText& shipped : shippedTexts())
            if (!shipped.library)
                names.merge(namesOfValues(std::string(shipped.text)));
        QVERIFY(names.contains("k") && names.contains("q"));
        for (const std::string& name : names)
            mine += fmt::format(fmt::runtime(declaration), name);
        std::vector<BookText> all{{"mine.fw", mine}}, alone;
        for (const ShippedText& shipped : shippedTexts())
            if (shipped.file == "combine.fw" || shipped.file == "attention.fw") {
                all.push_back({"/rules/" + shipped.file, std::string(shipped.text)});
                alone.push_back(all.back());
            }
        QCOMPARE(alone.size(), std::size_t(2));
        const Books books = readBooks(all), without = readBooks(alone);
        QVERIFY2(books.diagnostics.empty(),
                 books.diagnostics.empty() ? "" : books.diagnostics[0].text().c_str());
        QCOMPARE(books.rules.entries.size(), without.rules.entries.size());
        for (const char* const file : {"scales.fw", "/rules/attention.fw"}) {
            const auto checked = checkBook(books, file); // runs its tests
            QVERIFY(checked);
            for (const CheckedItem& one : checked->items)
                QVERIFY2(one.verdict == "ok",
                         (one.name + (one.diagnostics.empty() ? std::string()
                                                              : ": " + one.diagnostics[0].text()))
                             .c_str());
        }
    }
    // So does a parameter in a book of the user's.
    const Books own = readBooks({{"a.fw", "op q(x: T[S...]) -> y: T[S...] { y[i...] = x[i...] }\n"},
                                 {"b.fw", "pattern p(a, q) = add(a, q)\n"}});
    QVERIFY2(own.diagnostics.empty(),
             own.diagnostics.empty() ? "" : own.diagnostics[0].text().c_str());
}
void TestBook::laterNamesTakeThePlace() {
    const Books books =
        readBooks({{"a.fw", "rule r { match y = relu(relu(x)) emit y = relu(x) }\n"
                            "fuse f { match tanh(relu(x)) as stacked }\n"
                            "op relu(x: T[S...]) -> y: T[S...] { y[i...] = max(x[i...], 0) }\n"},
                   {"b.fw", "rule r { match y = exp(log(x)) emit y = x }\n"
                            "fuse f { match exp(relu(x)) as stacked }\n"
                            "fuse f { match exp(tanh(x)) as stacked }\n"}});
    QVERIFY(mentions(books.diagnostics, "rule r takes the place of that in a.fw"));
    QVERIFY(mentions(books.diagnostics, "fuse f takes the place of that in a.fw"));
    QVERIFY(mentions(books.diagnostics, "fuse f takes the place of that in line 2"));
    QVERIFY(mentions(books.diagnostics, "op relu takes the place of the shipped one"));
    QVERIFY(!hasErrors(books.diagnostics));
    QCOMPARE(std::count_if(books.rules.entries.begin(), books.rules.entries.end(),
                           [](const auto& rule) { return rule->name == "r"; }),
             1);
    std::vector<std::string> places;
    for (const FuseRule& rule : books.fusion.fuseRules())
        if (rule.tree->name == "f")
            places.push_back(rule.place());
    QCOMPARE(places, std::vector<std::string>{"f at b.fw:3"});
}

// Two books with the name of one that is shipped, and one that is given twice.
void TestBook::everyBookIsRead() {
    const BookText one{"a/fusion.fw", "grow elementwise -> elementwise forward limit 3\n"};
    const BookText two{"b/fusion.fw", "grow elementwise -> elementwise forward limit 4\n"};
    const BookText mine{"mine.fw", "rule r { match y = relu(relu(x)) emit y = relu(x) }\n"};
    const Books books = readBooks({one, two, mine, mine});
    for (const BookText& book : {one, two, mine}) {
        const auto checked = checkBook(books, book.file);
        QVERIFY2(checked, book.file.c_str());
        QCOMPARE(checked->items.size(), std::size_t(1));
        QVERIFY(checked->items[0].diagnostics.empty());
    }
    QCOMPARE(books.fusion.growRules().size(), std::size_t(2));
    QCOMPARE(books.fusion.growRules()[0].file, two.file); // the later one is asked first
}

FW_TEST(TestBook, QCoreApplication)
#include "syntax/declarations.h"
#include "test_book.moc"
