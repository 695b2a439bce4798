// Inputs, their history and their document file.
#include "base/files.h"
#include "common/test.h"
#include "snapshot/document_file.h"
#include "snapshot/history.h"
#include "snapshot/recovery.h"

#include <QFile>
#include <QTemporaryDir>

#include <csignal>
#include <sys/resource.h>

using namespace fw;
using namespace fw::snapshot;

class TestInputs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void targetAndLibrariesAreOneText();
    void boxesStandForTheList();
    void boxesOfADeclaredTarget();
    void pinsPrintAsText();
    void deathsOfALibraryBecomePins();
    void severalPinsAreOneStep();
    void historyGoesBackAndForth();
    void booksAreRenamedAndMoved();
    void documentRoundTrips();
    void documentCanBeMovedWithItsFolder();
    void newerDocumentIsRefused();
    void damagedDocumentsAreRefused();
    void fullDiskLeavesTheOldFile();

private:
    QTemporaryDir m_folder;
    std::string file(const char* name) const {
        return m_folder.filePath(QString::fromLatin1(name)).toStdString();
    }
};

namespace {

Inputs example(const std::string& folder) {
    Inputs out;
    out.model = folder + "/models/net.onnx";
    out.target = "x86-64 -mcpu=x86-64-v3 -threads=2";
    out.libraries = {{"onednn"}};
    out.books = {{folder + "/my.fw", Enabled::Yes}, {"/elsewhere/other.fw", Enabled::No}};
    out.pins = {{PinKind::Together, {"d", "b"}, "openblas.sgemm"},
                {PinKind::Apart, {"c", "a \"name\""}, {}},
                {PinKind::Use, {"e"}, "generated.tiled"},
                {PinKind::Avoid, {"any"}, "openblas", "it \"died\""},
                {PinKind::Avoid, {}, "onednn.conv"}};
    out.dims = {{"N", 8}};
    out.log = folder + "/here.jsonl";
    return out;
}

} // namespace

void TestInputs::targetAndLibrariesAreOneText() {
    const SplitTarget split = splitTarget(" x86-64  -libs=onednn,,openblas -threads=2 ");
    QCOMPARE(split.rest, std::string("x86-64 -threads=2"));
    QVERIFY(split.libraries == (std::vector<std::string>{"onednn", "openblas"}));
    QVERIFY(!splitTarget("x86-64").libraries);
    QVERIFY(splitTarget("-libs=").libraries->empty());
    Inputs inputs;
    QCOMPARE(inputs.fullTarget(), std::string());
    inputs = applied(inputs, SetTarget{"x86-64 -libs=onednn -threads=1"});
    QCOMPARE(inputs.fullTarget(), std::string("x86-64 -threads=1 -libs=onednn"));
    // A target that says nothing about libraries leaves the boxes as they are.
    inputs = applied(inputs, SetTarget{"x86-64 -threads=2"});
    QCOMPARE(inputs.fullTarget(), std::string("x86-64 -threads=2 -libs=onednn"));
    inputs = applied(inputs, SetTarget{"-libs="});
    QCOMPARE(inputs.fullTarget(), std::string("-libs="));
}

void TestInputs::boxesStandForTheList() {
    const std::vector<std::string> found{"onednn", "openblas"};
    Inputs inputs;
    inputs = applied(inputs, SwitchLibrary{"onednn", Enabled::No, found});
    QCOMPARE(inputs.fullTarget(), std::string("-libs=openblas"));
    inputs = applied(inputs, SwitchLibrary{"openblas", Enabled::No, found});
    QCOMPARE(inputs.fullTarget(), std::string("-libs="));
    inputs = applied(inputs, SwitchLibrary{"openblas", Enabled::Yes, found});
    inputs = applied(inputs, SwitchLibrary{"onednn", Enabled::Yes, found});
    QVERIFY(!inputs.libraries); // all that are found: nothing to list
    QCOMPARE(applied(inputs, SwitchLibrary{"onednn", Enabled::Yes, found}), inputs);
}

// What a target of a book takes stands in the book, so that both are written once both are ticked.
void TestInputs::boxesOfADeclaredTarget() {
    const std::vector<std::string> none, found{"onednn", "openblas"};
    Inputs inputs = applied({}, SetTarget{"mychip -threads=2"});
    inputs = applied(inputs, SwitchLibrary{"onednn", Enabled::Yes, none});
    QCOMPARE(inputs.fullTarget(), std::string("mychip -threads=2 -libs=onednn"));
    inputs = applied(inputs, SwitchLibrary{"openblas", Enabled::Yes, found});
    QCOMPARE(inputs.fullTarget(), std::string("mychip -threads=2 -libs=onednn,openblas"));
    for (const char* plain : {"", "-threads=2", "x86-64", "x86-64 -threads=2"})
        QVERIFY2(!namesDeclaredTarget(plain), plain);
    QVERIFY(namesDeclaredTarget(" mychip"));
}

void TestInputs::pinsPrintAsText() {
    QCOMPARE(QString::fromStdString(example("").pinText()),
             QStringLiteral("pin {\n  together d, b with openblas.sgemm\n"
                            "  apart c, \"a \\\"name\\\"\"\n  use generated.tiled for e\n"
                            "  avoid openblas for \"any\" because \"it \\\"died\\\"\"\n"
                            "  avoid onednn.conv for any\n}\n"));
    Inputs inputs = applied({}, AddPin{{PinKind::Use, {"e"}, "a"}});
    inputs = applied(inputs, AddPin{{PinKind::Use, {"e"}, "b"}});
    QCOMPARE(inputs.pins.size(), std::size_t(1));
    QCOMPARE(inputs.pins[0].implementation, std::string("b"));
    inputs = applied(inputs, AddPin{{PinKind::Apart, {"e"}, {}}});
    QCOMPARE(inputs.pins.size(), std::size_t(2));
    inputs = applied(inputs, RemovePin{inputs.pins[0]});
    QCOMPARE(inputs.pins.size(), std::size_t(1));
    QVERIFY(applied(inputs, ClearPins{}).pins.empty());
}

void TestInputs::deathsOfALibraryBecomePins() {
    Progress last;
    last.text = "dense_0 calling openblas";
    QVERIFY(!pinAfterDeath(last, {}, "signal 6") && !variableAfterDeath(last)); // code of ours
    last.library = "openblas";
    QVERIFY(!pinAfterDeath(last, {}, "signal 6")); // for no node: when it was opened
    QCOMPARE(variableAfterDeath(last).value(), std::string("FUSEWRIGHT_OPENBLAS"));
    last.nodes = {"d"};
    QVERIFY(!variableAfterDeath(last));
    const auto first = pinAfterDeath(last, {}, "signal 6");
    QVERIFY(first);
    QCOMPARE(
        pinText(*first),
        std::string("avoid openblas for d because \"it ended the worker process (signal 6)\""));
    QCOMPARE(afterDeathText(*first), std::string("openblas is not used for d any more"));
    last.nodes = {"e"};
    const auto second = pinAfterDeath(last, {*first}, "signal 6");
    QVERIFY(second && second->nodes.empty());
    QCOMPARE(afterDeathText(*second), std::string("openblas is not used any more"));
    QVERIFY(!pinAfterDeath(last, {*first, *second}, "signal 6"));
    last.library = "onednn";
    QVERIFY(pinAfterDeath(last, {*first, *second}, "signal 6"));
}

void TestInputs::severalPinsAreOneStep() {
    Inputs inputs;
    inputs.pins = {{PinKind::Use, {"a"}, "onednn.conv"}};
    const AddPins edit{
        {{PinKind::Use, {"a"}, "generated.conv"}, {PinKind::Use, {"b"}, "generated.dense"}},
        "region onednn_0 to code of ours"};
    QCOMPARE(editText(edit), std::string("pin region onednn_0 to code of ours"));
    History history(inputs);
    QVERIFY(history.edit(edit));
    // A later pin of the same nodes takes the place of the earlier one.
    QVERIFY(history.now().pins == edit.pins);
    QVERIFY(!history.edit(edit));
    QVERIFY(history.undo());
    QVERIFY(history.now() == inputs);
}

void TestInputs::historyGoesBackAndForth() {
    Inputs start;
    start.model = "/m.onnx";
    History history(start);
    QVERIFY(!history.changed() && !history.canUndo() && !history.undo() && !history.redo());
    QVERIFY(!history.edit(SetTarget{""}));
    QVERIFY(history.edit(AddBook{"/a/my.fw"}));
    QVERIFY(history.edit(SwitchBook{"/a/my.fw", Enabled::No}));
    QVERIFY(history.changed());
    QCOMPARE(history.undoText(), std::string("switch my.fw off"));
    const Inputs last = history.now();
    QVERIFY(last.enabledBooks().empty());
    QVERIFY(history.undo());
    QCOMPARE(history.now().enabledBooks().size(), std::size_t(1));
    QCOMPARE(history.redoText(), std::string("switch my.fw off"));
    QVERIFY(history.undo());
    QCOMPARE(history.now(), start);
    QVERIFY(!history.changed());
    QVERIFY(history.redo() && history.redo());
    QCOMPARE(history.now(), last);
    QVERIFY(history.edit(SwitchShipped{"views.fw", Enabled::No}));
    QVERIFY(!history.edit(SwitchShipped{"views.fw", Enabled::No}));
    QCOMPARE(history.undoText(), std::string("switch views.fw off"));
    QCOMPARE(history.now().without, std::vector<std::string>{"views.fw"});
    QVERIFY(history.edit(SwitchShipped{"views.fw", Enabled::Yes}));
    QCOMPARE(history.now(), last);
    history.markSaved();
    QVERIFY(history.undo() && history.changed());
    QVERIFY(history.edit(SetDims{{{"N", 4}}})); // what was undone is forgotten
    QVERIFY(!history.canRedo());
}

void TestInputs::booksAreRenamedAndMoved() {
    History history{Inputs{}};
    for (const char* path : {"/a.fw", "/b.fw", "/c.fw"})
        QVERIFY(history.edit(AddBook{path}));
    const auto order = [&] {
        std::string out;
        for (const Book& book : history.now().books)
            out += book.path;
        return out;
    };
    QVERIFY(history.edit(MoveBook{"/c.fw", 0}));
    QCOMPARE(order(), std::string("/c.fw/a.fw/b.fw"));
    QCOMPARE(history.undoText(), std::string("move c.fw"));
    QVERIFY(history.edit(MoveBook{"/c.fw", 9}));
    QCOMPARE(order(), std::string("/a.fw/b.fw/c.fw"));
    QVERIFY(!history.edit(MoveBook{"/d.fw", 0}));
    QVERIFY(!history.edit(MoveBook{"/a.fw", 0}));
    QVERIFY(history.edit(RenameBook{"/a.fw", "/x.fw"}));
    QCOMPARE(order(), std::string("/x.fw/b.fw/c.fw"));
    QCOMPARE(history.undoText(), std::string("rename a.fw to x.fw"));
    // It takes the place of one that has that name.
    QVERIFY(history.edit(RenameBook{"/x.fw", "/c.fw"}));
    QCOMPARE(order(), std::string("/c.fw/b.fw"));
    QVERIFY(!history.edit(RenameBook{"/b.fw", "/b.fw"}));
    QVERIFY(history.undo());
    QVERIFY(history.undo());
    QCOMPARE(order(), std::string("/a.fw/b.fw/c.fw"));
}

void TestInputs::documentRoundTrips() {
    const Inputs inputs = example(m_folder.path().toStdString());
    const std::string path = file("a.fwdoc");
    QVERIFY(saveDocument(inputs, path).ok());
    const Result<Inputs> again = loadDocument(path);
    QVERIFY2(again.ok(), again.ok() ? "" : again.diag().text().c_str());
    QCOMPARE(*again, inputs);
    QVERIFY(isDocumentFile(path) && !isDocumentFile("model.onnx"));
    // Which blocks are open stands beside them, if it is known.
    QVERIFY(!loadKept(path).blocks);
    const BlockView blocks{BlockView::Shown::All, BlockView::Rest::Closed, {"layers", "layers/3"}};
    KeptView open;
    open.blocks = blocks;
    QVERIFY(saveDocument(inputs, path, open).ok());
    QVERIFY(loadKept(path).blocks == blocks);
    QCOMPARE(*loadDocument(path), inputs);
    open.blocks = BlockView();
    QVERIFY(saveDocument(inputs, path, open).ok());
    QVERIFY(loadKept(path).blocks == BlockView());
    QVERIFY(loadKept("/nowhere/a.fwdoc") == KeptView());
    // So do bookmarks, at operators and in books, the places where one was, and stops.
    KeptView kept;
    kept.bookmarks = {{1, {"Conv_3"}}, {9, {"", file("mine.fw"), 12, 3}}};
    kept.places = {{"Relu_4"}, {"", "/elsewhere/a.fw", 1, 1}};
    kept.stops = {{"creates conv2d"}, {"when dtype:f16", false}};
    kept.filters = {{KeptFilter::Shows::Others, "op:relu", {}, 0},
                    {KeptFilter::Shows::These, {}, {"conv1", "conv2"}, 0},
                    {KeptFilter::Shows::Around, {}, {"conv1"}, 3}};
    QVERIFY(saveDocument(inputs, path, kept).ok());
    QVERIFY(loadKept(path) == kept);
    QVERIFY(readFile(path, 1 << 20)->find("\"book\": \"mine.fw\"") != std::string::npos);
    QVERIFY(parseKept(keptText(kept)) == kept);
    // What makes no sense is left out, and what cannot be read is nothing.
    QVERIFY(parseKept(R"({"bookmarks": [{"number": 10, "node": "a"}, {"number": 1},
        {"number": 2, "node": "a", "book": "b"}, {"number": 3, "book": "b", "line": -1}]})") ==
            KeptView());
    QVERIFY(parseKept("rubbish") == KeptView());
    // Same inputs, same bytes.
    QCOMPARE(documentText(*again, m_folder.path().toStdString()),
             documentText(inputs, m_folder.path().toStdString()));
}

void TestInputs::documentCanBeMovedWithItsFolder() {
    const std::string text = documentText(example("/here"), "/here");
    QVERIFY(text.find("/here") == std::string::npos);
    const Result<Inputs> moved = parseDocument(text, "/there/a.fwdoc");
    QVERIFY(moved.ok());
    QCOMPARE(moved->model, std::string("/there/models/net.onnx"));
    QCOMPARE(moved->books[1].path, std::string("/elsewhere/other.fw"));
    // A path that does not lie below the document stays absolute.
    QVERIFY(documentText(example("/here"), "/here/deeper").find("\"/here/my.fw\"") !=
            std::string::npos);
}

void TestInputs::newerDocumentIsRefused() {
    const Result<Inputs> newer =
        parseDocument(R"({"fusewright_document": 7, "model": {"new": "shape"}})", "/a/new.fwdoc");
    QVERIFY(!newer.ok());
    QVERIFY(newer.diag().message.find("version 7") != std::string::npos);
    QVERIFY(newer.diag().hint.find("newer") != std::string::npos);
    QCOMPARE(newer.diag().where.file, std::string("/a/new.fwdoc"));
    QVERIFY(parseDocument(R"({"fusewright_document": 1, "model": "m", "unknown": [1]})", "a").ok());
}

void TestInputs::damagedDocumentsAreRefused() {
    for (const char* text :
         {"", "not json", "[]", "{}", R"({"fusewright_document": 1})",
          R"({"fusewright_document": "1", "model": "m"})",
          R"({"fusewright_document": 0, "model": "m"})",
          R"({"fusewright_document": 1, "model": 7})",
          R"({"fusewright_document": 1, "model": "m", "books": [{"path": 1}]})",
          R"({"fusewright_document": 1, "model": "m", "pins": [{"kind": "glue"}]})"}) {
        const Result<Inputs> read = parseDocument(text, "/a/b.fwdoc");
        QVERIFY2(!read.ok(), text);
        QCOMPARE(read.diag().where.file, std::string("/a/b.fwdoc"));
    }
    const std::string good = documentText(example("/here"), "/here");
    for (std::size_t size = 0; size + 2 < good.size(); size += 7) // a file cut anywhere
        QVERIFY(!parseDocument(std::string_view(good).substr(0, size), "x").ok());
    QVERIFY(!loadDocument(file("missing.fwdoc")).ok());
}

void TestInputs::fullDiskLeavesTheOldFile() {
    const std::string path = file("full.fwdoc");
    Inputs small;
    small.model = "/m.onnx";
    QVERIFY(saveDocument(small, path).ok());
    Inputs large = small;
    for (int i = 0; i < 200; ++i)
        large.books.push_back({"/some/folder/book" + std::to_string(i) + ".fw", Enabled::Yes});
    // A limit on the size of files is met in the same call in which a full disk is.
    rlimit before{};
    QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{2000, before.rlim_max};
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    const Status saved = saveDocument(large, path);
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    QVERIFY(!saved.ok());
    QCOMPARE(saved.diag().code, DiagCode::FileUnwritable);
    const Result<Inputs> kept = loadDocument(path);
    QVERIFY(kept.ok());
    QCOMPARE(*kept, small);
    QCOMPARE(QDir(m_folder.path()).entryList({QStringLiteral("full*")}).size(), 1); // no remains
    QVERIFY(!saveDocument(small, "/dev/null/a.fwdoc").ok());
}

FW_TEST(TestInputs, QCoreApplication)
#include "test_inputs.moc"
