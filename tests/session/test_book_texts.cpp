// Unsaved text of books: every command reads it in place of the file.
#include "book/book.h"
#include "common/test.h"
#include "session/asked.h"
#include "syntax/format.h"

#include <QTemporaryDir>

#include <algorithm>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestBookTexts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textsStandForFiles();
    void textsStandForShippedBooks();
    void textsAreReadFirst();
    void textsOfOtherFilesSayNothing();
    void theModelIsReadOnce();
    void typingKeepsWhatWasCompiled();
    void operatorsOfBooksAreMatched();
    void planningIsCancelled();
    void oneBookIsMatchedBesideOthers();
    void largeTextsAreRefused();
    void shippedBooksAreRead();
    void everyCommandKnowsTheSame();
    void remarksComeAgain();
};

namespace {

// Nothing of this lies on the disk.
Arguments withTyped(Arguments arguments, const std::string& text,
                    const std::string& file = "/nowhere/mine.fw") {
    arguments.rules = {file};
    arguments.texts = {{file, text}};
    return arguments;
}

const char* const swapped =
    "rule swapped { match y = relu(x) emit y = sigmoid(x) }\n" // changes what is computed
    "fuse pair { match relu(bias(x, b)) as stacked }\n";

} // namespace

void TestBookTexts::textsStandForFiles() {
    Asked a;
    Arguments arguments = withTyped(on("lenet"), swapped);
    const auto check = a.get<CheckDocument>("check", arguments);
    QCOMPARE(check.file, std::string("/nowhere/mine.fw"));
    QCOMPARE(check.items.size(), std::size_t(2));
    QCOMPARE(check.items[0].verdict, std::string("refuted"));
    const auto found = a.get<MatchDocument>("match", arguments);
    QCOMPARE(found.rules.size(), std::size_t(2));
    QCOMPARE(found.rules[0].file, std::string("/nowhere/mine.fw"));
    QVERIFY(!found.rules[0].matches.empty());
    arguments.stage = "rewritten";
    const auto graph = a.get<GraphDocument>("graph", arguments);
    QCOMPARE(countOf(graph, "relu"), std::size_t(0));
    QCOMPARE(countOf(graph, "sigmoid"), found.rules[0].matches.size());
    arguments.stage.clear();
    const auto rewrite = a.get<RewriteDocument>("rewrite", arguments);
    QVERIFY(std::any_of(rewrite.applied.begin(), rewrite.applied.end(),
                        [](const AppliedRecord& rule) { return rule.rule == "swapped"; }));
    QVERIFY(!a.get<FuseDocument>("fuse", arguments).groups.empty());
    arguments.texts.clear();
    QCOMPARE(a.ask("fuse", arguments).diag().code, DiagCode::FileMissing);
}

void TestBookTexts::textsStandForShippedBooks() {
    Asked a;
    Arguments arguments = on("lenet");
    const auto grown = a.get<FuseDocument>("fuse", arguments);
    arguments.texts = {{"fusion.fw", "# nothing grows\n"}};
    const auto alone = a.get<FuseDocument>("fuse", arguments);
    QVERIFY(alone.groups.size() > grown.groups.size());
    for (const GroupRecord& group : alone.groups)
        QCOMPARE(group.nodes.size(), std::size_t(1));
}

void TestBookTexts::textsAreReadFirst() {
    QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("b.fw")).toStdString();
    QFile saved(QString::fromStdString(file));
    QVERIFY(saved.open(QIODevice::WriteOnly));
    saved.write("rule saved { match y = tanh(x) emit y = x }\n");
    saved.close();
    Asked a;
    Arguments arguments = on("lenet");
    arguments.rules = {file};
    QCOMPARE(a.get<CheckDocument>("check", arguments).items[0].name, std::string("saved"));
    QCOMPARE(a.get<MatchDocument>("match", arguments).rules[0].name, std::string("saved"));
    // The later of two texts counts.
    arguments.texts = {{file, "rule typed {"},
                       {file, "rule typed { match y = relu(x) emit y = sigmoid(x) }"}};
    QCOMPARE(a.get<CheckDocument>("check", arguments).items[0].name, std::string("typed"));
    QCOMPARE(a.get<MatchDocument>("match", arguments).rules[0].name, std::string("typed"));
    arguments.stage = "rewritten";
    QVERIFY(countOf(a.get<GraphDocument>("graph", arguments), "sigmoid") > 0);
}

void TestBookTexts::textsOfOtherFilesSayNothing() {
    Asked a;
    Arguments arguments = on("lenet");
    arguments.texts = {{"/nowhere/else.fw", swapped}};
    arguments.stage = "rewritten";
    QCOMPARE(countOf(a.get<GraphDocument>("graph", arguments), "sigmoid"), std::size_t(0));
}

// While a book is typed the model is neither read nor rewritten again, unless the text says
// something else of it.
void TestBookTexts::theModelIsReadOnce() {
    Asked a;
    const auto worked = [&](const std::string& command, const std::string& text) {
        a.stages.clear();
        (void)a.ask(command, withTyped(on("lenet"), text));
        return std::pair(std::count(a.stages.begin(), a.stages.end(), "import"),
                         std::count(a.stages.begin(), a.stages.end(), "rewrite"));
    };
    const auto work = [](int imports, int rewrites) {
        return std::pair<long, long>(imports, rewrites);
    };
    QCOMPARE(worked("fuse", swapped), work(1, 1));
    QCOMPARE(worked("match", swapped), work(0, 0));
    std::string text = swapped;
    for (const char* typed :
         {"# a comment\n", "grow contraction -> elementwise never\n",
          "implementations dense(...) on any { generated.* priority 3 }\n", "rule half {"}) {
        text += typed;
        QCOMPARE(worked("fuse", text), work(0, 0));
        QCOMPARE(worked("match", text), work(0, 0));
    }
    QCOMPARE(worked("fuse", "rule other { match y = relu(x) emit y = tanh(x) }"), work(0, 1));
    QCOMPARE(worked("fuse", "op twice(x: T[S...]) -> y: T[S...] { y[i...] = x[i...] * 2 }"),
             work(1, 1));
    // A model that changed on the disk is another one.
    QTemporaryDir folder;
    Arguments arguments;
    arguments.model = folder.filePath(QStringLiteral("net.fw")).toStdString();
    for (const char* graph : {"graph g(x: f32[2]) -> y { y = relu(x) }\n",
                              "graph g(x: f32[2]) -> y { z = relu(x)  y = relu(z) }\n"}) {
        QFile file(QString::fromStdString(arguments.model));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(graph);
        file.close();
        a.stages.clear();
        (void)a.ask("info", arguments);
        QCOMPARE(std::count(a.stages.begin(), a.stages.end(), "import"), 1);
    }
}

void TestBookTexts::typingKeepsWhatWasCompiled() {
    Asked a;
    QVERIFY(a.ask("run", on("lenet")).ok());
    QVERIFY(std::count(a.stages.begin(), a.stages.end(), "compile") > 0);
    for (const char* typed : {"#", "# a", "# a b", "# a b c", "# a b c d", "# a b c d e"})
        QVERIFY(a.ask("fuse", withTyped(on("lenet"), typed)).ok());
    a.stages.clear();
    QVERIFY(a.ask("run", on("lenet")).ok());
    for (const char* stage : {"import", "rewrite", "fuse", "compile"})
        QVERIFY2(std::find(a.stages.begin(), a.stages.end(), stage) == a.stages.end(), stage);
}

void TestBookTexts::operatorsOfBooksAreMatched() {
    QTemporaryDir folder;
    Arguments arguments;
    arguments.model = folder.filePath(QStringLiteral("net.fw")).toStdString();
    QFile file(QString::fromStdString(arguments.model));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("graph g(x: f32[2]) -> y { z = twice(x)  y = relu(z) }\n");
    file.close();
    Asked a;
    const auto found = a.get<MatchDocument>(
        "match",
        withTyped(arguments, "op twice(x: T[S...]) -> y: T[S...] { y[i...] = x[i...] * 2 }\n"
                             "rule r { match y = relu(twice(x)) emit y = twice(relu(x)) }\n"));
    QCOMPARE(found.rules.size(), std::size_t(1));
    QCOMPARE(found.rules[0].matches.size(), std::size_t(1));
}

// A plan that nobody waits for holds up nothing, and is made when it is asked for again.
void TestBookTexts::planningIsCancelled() {
    Asked a;
    for (const std::string command : {"fuse", "order"}) {
        const Arguments arguments = withTyped(
            on("lenet"), "pattern " + command + "_it(x) = relu(x)\n"); // another plan for each
        a.get<RewriteDocument>("rewrite", arguments);
        a.context.cancel.cancel();
        QCOMPARE(a.ask(command, arguments).diag().code, DiagCode::Cancelled);
        a.context.cancel = {};
        QVERIFY(a.ask(command, arguments).ok());
    }
    // Behind the plan, too: every group is lowered for its description.
    const Arguments arguments = withTyped(on("lenet"), "# planned\n");
    a.get<OrderDocument>("order", arguments);
    a.context.cancel.cancel();
    QCOMPARE(a.ask("fuse", arguments).diag().code, DiagCode::Cancelled);
    a.context.cancel = {};
    QVERIFY(a.ask("fuse", arguments).ok());
}

// The graph is the one that the books in use leave, whatever book is looked at.
void TestBookTexts::oneBookIsMatchedBesideOthers() {
    Asked a;
    Arguments arguments = withTyped(on("lenet"), swapped);
    arguments.texts.push_back({"/nowhere/looked.fw", "pattern p(x) = sigmoid(x)\n"});
    arguments.book = "/nowhere/looked.fw";
    arguments.stage = "rewritten";
    const auto found = a.get<MatchDocument>("match", arguments);
    QCOMPARE(found.rules.size(), std::size_t(1));
    QCOMPARE(found.rules[0].file, std::string("/nowhere/looked.fw"));
    QVERIFY(!found.rules[0].matches.empty()); // swapped.fw made them
    arguments.stage = "imported";             // where only rules look
    QVERIFY(a.get<MatchDocument>("match", arguments).rules.empty());
    arguments.stage = "rewritten";
    arguments.rules.clear();
    QVERIFY(a.get<MatchDocument>("match", arguments).rules[0].matches.empty());
    // What another book declares is known.
    arguments.rules = {"/nowhere/mine.fw"};
    arguments.texts = {{"/nowhere/mine.fw", "pattern act(x) = relu(x)\n"},
                       {"/nowhere/looked.fw", "pattern q(x, b) = act(bias(x, b))\n"}};
    const auto named = a.get<MatchDocument>("match", arguments);
    QVERIFY(!hasErrors(named.rules.at(0).diagnostics));
    QVERIFY(!named.rules[0].matches.empty());
    for (const char* shipped : {"simplify.fw", "strategy.fw"}) {
        arguments.book = shipped;
        arguments.stage = arguments.book == "simplify.fw" ? "imported" : "rewritten";
        const auto rules = a.get<MatchDocument>("match", arguments).rules;
        QVERIFY(!rules.empty() && rules[0].file == shipped && rules[0].line > 0);
    }
}

void TestBookTexts::largeTextsAreRefused() {
    Asked a;
    const Arguments arguments = withTyped(on("lenet"), std::string(largestBook + 1, '#'));
    for (const char* command : {"check", "match", "fuse"}) {
        const Result<std::string> answer = a.ask(command, arguments);
        QVERIFY2(!answer.ok(), command);
        QCOMPARE(answer.diag().code, DiagCode::FileTooLarge);
        QCOMPARE(answer.diag().where.file, std::string("/nowhere/mine.fw"));
    }
}

void TestBookTexts::shippedBooksAreRead() {
    Asked a;
    const auto all = a.get<BookDocument>("book", {});
    QVERIFY(all.text.empty());
    QVERIFY(all.books.size() >= 8);
    QCOMPARE(all.books[0].file, std::string("recognise.fw"));
    for (const ShippedBook& book : all.books) {
        QVERIFY2(!book.title.empty(), book.file.c_str());
        Arguments arguments;
        arguments.name = book.file;
        const auto one = a.get<BookDocument>("book", arguments);
        if (book.file == "post_ops.fw") { // made of the tables of the libraries
            QVERIFY(one.text.find("chain onednn.tail = (") != std::string::npos);
            QVERIFY(formatText(one.text, book.file).text == one.text);
            continue;
        }
        QFile source(QStringLiteral(FW_SOURCE_DIR "/resources/library/") +
                     QString::fromStdString(book.file));
        QVERIFY(source.open(QIODevice::ReadOnly));
        QCOMPARE(one.text, source.readAll().toStdString());
    }
    // A shipped book is checked and matched by its name alone.
    Arguments arguments = on("lenet");
    arguments.rules = {"simplify.fw"};
    QVERIFY(a.get<CheckDocument>("check", arguments).items.size() > 10);
    // So is one that is read only where it is named.
    const auto joined = [&](const std::vector<std::string>& rules) {
        Arguments model = on("inception");
        model.rules = rules;
        const auto applied = a.get<RewriteDocument>("rewrite", model).applied;
        return std::any_of(applied.begin(), applied.end(), [](const AppliedRecord& one) {
            return one.rule == "siblings_conv2d" && one.count == 2;
        });
    };
    QVERIFY(joined({"combine.fw"}) && !joined({}));
    Arguments unknown;
    unknown.name = "nosuch.fw";
    QCOMPARE(a.ask("book", unknown).diag().code, DiagCode::UnknownName);
}

// An operator and a chain of one book, used by another: whoever reads both understands both.
void TestBookTexts::everyCommandKnowsTheSame() {
    Asked a;
    Arguments both = on("lenet");
    both.rules = {"/nowhere/uses.fw", "/nowhere/names.fw"};
    both.texts = {
        {"/nowhere/uses.fw", "rule calm { match y = relu(x) emit y = softer(x) }\n"
                             "fuse ends { match conv2d(x, w) >> mine.tail as stacked }\n"},
        {"/nowhere/names.fw", "op softer(x: T[S...]) -> y: T[S...] { y[i...] = max(x[i...], 0) }\n"
                              "chain mine.tail = bias(^, b: const)\n"}};
    for (const std::string& book : both.rules) {
        both.book = book;
        const auto check = a.get<CheckDocument>("check", both);
        QCOMPARE(check.file, book);
        QCOMPARE(check.items.size(), std::size_t(2));
        QVERIFY(check.diagnostics.empty());
        for (const CheckItem& item : check.items)
            QVERIFY2(stands(item), item.name.c_str());
    }
    both.book.clear();
    for (const RuleMatches& rule : a.get<MatchDocument>("match", both).rules)
        QVERIFY2(rule.diagnostics.empty(), rule.name.c_str());
    Arguments ops = both;
    ops.name = "softer";
    QCOMPARE(a.get<OpsDocument>("ops", ops).ops.size(), std::size_t(1));
    ops.name = "sofetr";
    QCOMPARE(a.ask("ops", ops).diag().hint, std::string("did you mean softer?"));
    const auto graph = [&] {
        Arguments rewritten = both;
        rewritten.stage = "rewritten";
        return a.get<GraphDocument>("graph", rewritten);
    }();
    QVERIFY(countOf(graph, "softer") > 0);
    QCOMPARE(countOf(graph, "relu"), std::size_t(0));
    const auto plan = a.get<FuseDocument>("fuse", both);
    QVERIFY(!plan.groups.empty());
}

// What was found out before is said of the text as it is now.
void TestBookTexts::remarksComeAgain() {
    const std::string rule = "rule swap { match y = add(x, z) emit y = add(z, x) }\n";
    Asked a;
    for (const std::string before : {"", "", "# a line\n"}) {
        Arguments arguments;
        arguments.rules = {"/nowhere/swap.fw"};
        arguments.texts = {{"/nowhere/swap.fw", before + rule}};
        const auto checked = a.get<CheckDocument>("check", arguments);
        const Diags& told = checked.items.at(0).diagnostics;
        QCOMPARE(told.size(), std::size_t(2)); // why it was not tried, and that it may not end
        for (const Diag& remark : told) {
            QCOMPARE(remark.severity, Severity::Note);
            QCOMPARE(remark.where.line, before.empty() ? 1 : 2);
        }
    }
}

FW_TEST(TestBookTexts, QCoreApplication)
#include "test_book_texts.moc"
