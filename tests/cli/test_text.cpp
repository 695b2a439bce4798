// What `fw` prints for people, whole, for answers that depend on no machine. FW_UPDATE_GOLDEN=1
// writes the goldens anew; read what changed.
#include "common/test.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>

using namespace Qt::StringLiterals;

class TestText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goldens_data();
    void goldens();
    void editsAreAppended();
    void jsonIsOneDocument();
    void booksAreLaidOut();
    void includedBooksAreRead();
    void wrongRulesAreTold();
    void dataBesideAModelAreCompared();
    void rewritingTellsCosts();
    void rewritingIsReported();
    void rewritingIsTraced();
    void blocksAndBodiesAreDrawn();
    void edgesAreDrawnByWhatTheyCarry();
    void whatIsHiddenIsAMark();
    void librariesBesideATarget();
    void oneMissingOperatorIsToldOnce();
    void shardsOfAMakefile();
    void timesAreComparedWithABaseline();

private:
    static QByteArray fw(const QStringList& arguments, int wanted) {
        QProcess process;
        process.setWorkingDirectory(QStringLiteral(FW_SOURCE_DIR)); // so that paths are relative
        process.start(qEnvironmentVariable("FW_BIN") + u"/fw"_s, arguments);
        if (!process.waitForStarted() || !process.waitForFinished(60000) ||
            process.exitCode() != wanted)
            qWarning("exit code %d: %s", process.exitCode(),
                     process.readAllStandardError().constData());
        return process.readAllStandardOutput();
    }
};

void TestText::goldens_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("exitCode");
    const auto row = [](const char* name, const char* words, int code = 0) {
        QTest::newRow(name) << QString::fromLatin1(words).split(u' ') << code;
    };
    const QString twoTargets =
        u"diff|tests/golden/cli/before.fw|--rules|tests/golden/cli/opaque_v3.fw|"
        "--target|x86-64 -mcpu=x86-64-v2 -libs= -threads=2|"
        "--target|x86-64 -mcpu=x86-64-v3 -libs= -threads=2"_s;
    QTest::newRow("diff_targets") << twoTargets.split(u'|') << 0;
    row("diff_models", "diff tests/golden/cli/before.fw tests/golden/cli/after.fw");
    row("match_residual", "match samples/residual");
    row("sketch_residual", "sketch samples/residual Conv_left1 BatchNormalization_left1_bn "
                           "Relu_left_relu --name block");
    row("sketch_operator",
        "sketch samples/lenet Conv_conv1.conv2d Conv_conv1 Relu_relu1 --as op --name block");
    row("sketch_edit",
        "sketch samples/residual Relu_stem_relu --edit insert --to clip(^){min=-1.0}");
    row("probe_residual",
        "probe samples/residual Relu_stem_relu --rules tests/golden/cli/probed.fw --rule block");
    QTest::newRow("step_residual")
        << u"step|samples/residual|--number|1|--until|another rule|--around|1"_s.split(u'|') << 0;
    QTest::newRow("uses_residual")
        << u"uses|samples/residual|tail|--rules|tests/golden/cli/probed.fw|--target|"
           "x86-64 -mcpu=x86-64-v3 -libs= -threads=2"_s.split(u'|')
        << 0;
    row("match_book", "match samples/encoder --rules tests/golden/cli/book.fw");
    row("check_book", "check tests/golden/cli/book.fw", 1);
    row("check_hidden", "check tests/golden/cli/hidden.fw");
    row("check_typos", "check tests/golden/cli/typos.fw", 2);
    row("assist_name", "assist tests/golden/cli/book.fw 19:59");
    row("format_book", "format tests/golden/cli/ragged.fw");
    row("books", "book");
    row("ops_softmax", "ops softmax");
    row("info_recommender", "info samples/recommender");
    row("info_functions", "info samples/functions");
    row("info_control_flow", "info samples/control-flow/branches_and_loops.onnx");
}

void TestText::goldens() {
    QFETCH(QStringList, arguments);
    QFETCH(int, exitCode);
    const QString text =
        QString::fromUtf8(fw(arguments, exitCode))
            // Estimates come from what the machine was measured to do.
            .replace(QRegularExpression(u"[0-9.]+ us (before|after)"_s), u"N us \\1"_s);
    if (QTest::currentTestFailed())
        return; // no program: nothing to be kept
    QFile golden(QStringLiteral(FW_SOURCE_DIR "/tests/golden/cli/%1.txt")
                     .arg(QString::fromLatin1(QTest::currentDataTag())));
    if (qEnvironmentVariableIsSet("FW_UPDATE_GOLDEN")) {
        QVERIFY(golden.open(QIODevice::WriteOnly));
        golden.write(text.toUtf8());
        return;
    }
    QVERIFY(golden.open(QIODevice::ReadOnly));
    QCOMPARE(text, QString::fromUtf8(golden.readAll()));
}

// What is printed is text of a book.
void TestText::editsAreAppended() {
    QTemporaryDir folder;
    const QString book = folder.filePath(u"edits.fw"_s), out = folder.filePath(u"out.fw"_s);
    QByteArray text;
    for (const QStringList& words :
         {QStringList{u"--edit"_s, u"rename"_s, u"--to"_s, u"first"_s},
          QStringList{u"--edit"_s, u"insert"_s, u"--to"_s, u"mul(^, 0.5)"_s}}) {
        QFile file(book);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        text += fw(QStringList{u"sketch"_s, u"samples/residual"_s, u"Relu_stem_relu"_s,
                               u"--rules"_s, book} +
                       words,
                   0);
    }
    QFile file(book);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
    file.close();
    fw({u"check"_s, book}, 0);
    fw({u"rewrite"_s, u"samples/residual"_s, u"--rules"_s, book, u"-o"_s, out}, 0);
    QFile written(out);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray rewritten = written.readAll();
    QVERIFY2(rewritten.contains("@node(\"first\")") && rewritten.contains("@node(\"first_mul\")"),
             rewritten.constData());
}

void TestText::jsonIsOneDocument() {
    const QByteArray text = fw({u"match"_s, u"samples/residual"_s, u"--json"_s}, 0);
    QVERIFY(text.startsWith("{\"model\":\"samples/residual\",\"stage\":\"imported\",\"rules\":["));
    QCOMPARE(text.count('\n'), 1);
}

void TestText::booksAreLaidOut() {
    const QTemporaryDir folder;
    const auto write = [&](const QString& name, const char* text) {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(text) > 0 ? file.fileName()
                                                                       : QString();
    };
    const auto read = [](const QString& name) {
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QString ragged = write(u"ragged.fw"_s, "chain   c=relu( ^ )?  # why\n");
    const QString tidy = write(u"tidy.fw"_s, "chain d = relu(^)?\n");
    const QString wrong = write(u"wrong.fw"_s, "chain   e=relu( ^\n");
    QCOMPARE(fw({u"format"_s, u"--check"_s, ragged, tidy}, 1), ragged.toUtf8() + "\n");
    QCOMPARE(fw({u"format"_s, u"--check"_s, tidy}, 0), QByteArray());
    QCOMPARE(read(ragged), QByteArray("chain   c=relu( ^ )?  # why\n"));
    QCOMPARE(fw({u"format"_s, ragged}, 0), QByteArray("chain c = relu(^)?  # why\n"));
    QCOMPARE(fw({u"format"_s, u"-w"_s, wrong, tidy, ragged}, 2), ragged.toUtf8() + "\n");
    QCOMPARE(read(ragged), QByteArray("chain c = relu(^)?  # why\n"));
    QCOMPARE(read(wrong), QByteArray("chain   e=relu( ^\n"));
    QCOMPARE(fw({u"format"_s, u"-w"_s, tidy, ragged}, 0), QByteArray());
    QVERIFY(fw({u"format"_s, u"--json"_s, tidy}, 0)
                .contains("\"text\":\"chain d = relu(^)?\\n\",\"changed\":false"));
    fw({u"format"_s, folder.filePath(u"none.fw"_s)}, 2);
}

void TestText::wrongRulesAreTold() {
    const QTemporaryDir folder;
    QFile book(folder.filePath(u"wrong.fw"_s));
    QVERIFY(book.open(QIODevice::WriteOnly));
    book.write("rule right { match y = relu(relu(x)) emit y = relu(x) }\n"
               "rule wrong { match y = abs(x) emit y = relu(x) }\n");
    book.close();
    const QByteArray said = fw({u"check"_s, book.fileName()}, 1);
    QVERIFY2(said.contains("right  rule  proved ") && said.contains("wrong  rule  refuted"),
             said.constData());
    QVERIFY2(said.contains("wrong.fw:2:1: warning CMP01: wrong computes something else: y"),
             said.constData());
    QVERIFY2(said.contains("    graph drawn() -> y"), said.constData());
    QVERIFY(
        fw({u"check"_s, u"--json"_s, book.fileName()}, 1).contains("\"counterexample\":\"graph"));
    const QString models = folder.filePath(u"models"_s), model = models + u"/wrong.fw"_s;
    QVERIFY(fw({u"check"_s, book.fileName(), u"-o"_s, models}, 1).contains(model.toUtf8()));
    QVERIFY(fw({u"run"_s, model}, 0).contains("y"));
    QVERIFY(fw({u"rewrite"_s, model, u"--rules"_s, book.fileName()}, 0).contains("wrong"));
}

// With no word about it, too: a flag that is not given is not a flag that is off.
void TestText::dataBesideAModelAreCompared() {
    const QString model = QStringLiteral(FW_SOURCE_DIR "/samples/residual");
    for (const QStringList& words : {QStringList(), {u"--expect"_s}, {u"--strict"_s}})
        QCOMPARE(
            fw(QStringList{u"run"_s, model, u"-libs="_s} + words, 0).count("passed by elements"),
            2);
    QCOMPARE(fw({u"run"_s, model, u"-libs="_s, u"--no-expect"_s}, 0).count("passed by"), 0);
}

// Names that look like markup are text in both.
void TestText::rewritingIsReported() {
    QTemporaryDir folder;
    const QString model = folder.filePath(u"<i>&model.fw"_s);
    QFile file(model);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("graph g(x: f32[4]) -> y {\n  a = neg(x)\n  b = neg(a)\n  y = relu(b)\n}\n");
    file.close();
    QFile book(folder.filePath(u"twice.fw"_s));
    QVERIFY(book.open(QIODevice::WriteOnly));
    book.write("rule twice {\n  match y = neg(neg(x))\n  emit y = x\n}\n");
    book.close();
    const auto reportAs = [&](const QString& name, int exitCode = 0) {
        const QString out = folder.filePath(name);
        fw({u"rewrite"_s, model, u"--rules"_s, book.fileName(), u"--report"_s, out}, exitCode);
        QFile written(out);
        return written.open(QIODevice::ReadOnly) ? QString::fromUtf8(written.readAll()) : QString();
    };
    const QString page = reportAs(u"report.html"_s);
    QVERIFY2(page.contains(u"&lt;i&gt;&amp;model.fw"_s), qPrintable(page.left(3000)));
    QVERIFY(!page.contains(u"<i>"_s));
    QVERIFY(page.contains(u"twice.fw:1</td><td>1</td>"_s));
    QVERIFY(page.contains(u"<td>neg neg, neg neg_1</td>"_s));
    QCOMPARE(page.count(u"<svg"_s), 2);
    QVERIFY(!page.contains(u"<?xml"_s));
    const QString text = reportAs(u"report.md"_s);
    QVERIFY2(text.startsWith(u"# Rewriting of "_s), qPrintable(text));
    QVERIFY(text.contains(u"\\<i\\>\\&model.fw"_s));
    QVERIFY(text.contains(u"| twice |"_s));
    QVERIFY(reportAs(u"report.pdf"_s, 2).isEmpty());
}

void TestText::rewritingIsTraced() {
    const QTemporaryDir folder;
    const QString out = folder.filePath(u"trace"_s);
    const QByteArray said = fw({u"rewrite"_s, u"samples/residual"_s, u"--trace"_s, out}, 0);
    QFile trace(out);
    QVERIFY(trace.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = trace.readAll().trimmed().split('\n');
    QVERIFY2(said.contains("fold_batch_norm"), said.constData());
    QVERIFY2(lines[0].startsWith("1 fold_batch_norm (simplify.fw:"), lines[0].constData());
    for (const char* part : {"batch_norm BatchNormalization_stem_bn, conv2d Conv_stem -> ",
                             "bias "
                             "BatchNormalization_stem_bn; ",
                             "stem_bn: f32[1, 16, 32, 32]", "g = stem_bn_scale"})
        QVERIFY2(lines[0].contains(part), (part + (": " + lines[0])).constData());
    // One for each.
    const QJsonDocument told =
        QJsonDocument::fromJson(fw({u"rewrite"_s, u"samples/residual"_s, u"--json"_s}, 0));
    QCOMPARE(lines.size(), told[u"applications"_s].toArray().size());
}

// Closed from a level on, a block is one box; a body is a graph of its own.
void TestText::blocksAndBodiesAreDrawn() {
    const QTemporaryDir folder;
    const QString out = folder.filePath(u"picture.svg"_s);
    const auto boxes = [&](const QStringList& words) {
        static const QRegularExpression count(u": (\\d+) boxes"_s);
        const QByteArray said = fw(QStringList{u"draw"_s} + words + QStringList{u"-o"_s, out}, 0);
        return count.match(QString::fromUtf8(said)).captured(1).toInt();
    };
    const QStringList scoped = {u"samples/decoder"_s, u"--stage"_s, u"imported"_s};
    const int top = boxes(scoped + QStringList{u"--depth"_s, u"0"_s});
    const int deeper = boxes(scoped + QStringList{u"--depth"_s, u"1"_s});
    const int whole = boxes(scoped);
    QVERIFY2(0 < top && top < deeper && deeper < whole,
             qPrintable(u"%1 %2 %3"_s.arg(top).arg(deeper).arg(whole)));
    QVERIFY(boxes({u"samples/control-flow/branches_and_loops.onnx"_s, u"--body"_s,
                   u"Loop_turned/body"_s}) > 5);
    QFile picture(out);
    QVERIFY(picture.open(QIODevice::ReadOnly));
    const QByteArray body = picture.readAll();
    QVERIFY(body.contains("If_next") && !body.contains(">Loop_turned<"));
    picture.close();
    // In their places, at any depth.
    const QStringList control = {u"samples/control-flow/branches_and_loops.onnx"_s, u"--stage"_s,
                                 u"imported"_s};
    const int alone = boxes(control);
    QVERIFY(boxes(control + QStringList{u"--bodies"_s}) > alone + 10);
    QVERIFY(picture.open(QIODevice::ReadOnly));
    const QByteArray all = picture.readAll();
    QVERIFY(all.contains("Loop_turned body") && all.contains("If_next then_branch"));
}

void TestText::edgesAreDrawnByWhatTheyCarry() {
    const QTemporaryDir folder;
    const QString out = folder.filePath(u"picture.svg"_s);
    const auto colours = [&](const QStringList& words) {
        fw(QStringList{u"draw"_s, u"samples/encoder"_s, u"-o"_s, out} + words, 0);
        QFile picture(out);
        return picture.open(QIODevice::ReadOnly) ? picture.readAll().count("#9a2f86")
                                                 : qsizetype(-1);
    };
    const auto plain = colours({});
    QVERIFY(plain >= 0);
    QVERIFY(colours({u"--edges"_s}) > plain);
}

void TestText::whatIsHiddenIsAMark() {
    const QTemporaryDir folder;
    const QString out = folder.filePath(u"picture.svg"_s);
    const auto drawn = [&](const QStringList& words) {
        fw(QStringList{u"draw"_s, u"samples/residual"_s, u"--stage"_s, u"imported"_s, u"-o"_s,
                       out} +
               words,
           0);
        QFile picture(out);
        return picture.open(QIODevice::ReadOnly) ? picture.readAll() : QByteArray();
    };
    QVERIFY(!drawn({}).contains(" hidden<"));
    const QByteArray without = drawn({u"--hide"_s, u"op:conv2d"_s});
    QVERIFY(without.contains("1 hidden<") && !without.contains(">conv2d<"));
    QVERIFY(without.contains(">relu<"));
    const QByteArray only = drawn({u"--only"_s, u"op:conv2d"_s, u"--hide"_s, u"op:add"_s});
    QVERIFY(only.contains(" hidden<") && only.contains(">conv2d<") && !only.contains(">relu<"));
}

void TestText::librariesBesideATarget() {
    QProcess process;
    process.setWorkingDirectory(QStringLiteral(FW_SOURCE_DIR));
    process.start(qEnvironmentVariable("FW_BIN") + u"/fw"_s,
                  {u"info"_s, u"samples/mlp"_s, u"-libs="_s, u"--target"_s, u"x86-64"_s});
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitCode(), 2);
    QVERIFY(process.readAllStandardError().contains("--target \"x86-64 -libs=\""));
    QVERIFY(
        fw({u"info"_s, u"samples/mlp"_s, u"--target"_s, u"-libs="_s}, 0).contains("samples/mlp"));
}

// By every command that takes --rules.
void TestText::includedBooksAreRead() {
    const QTemporaryDir folder;
    const auto write = [&](const QString& name, const char* text) {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(text) > 0 ? file.fileName()
                                                                       : QString();
    };
    write(u"part.fw"_s, "pattern twice(x) = relu(relu(x))\n");
    const QString main = write(u"main.fw"_s, "include \"part.fw\"\n"
                                             "rule r { match y = twice(x) emit y = relu(x) }\n");
    const QString model =
        write(u"net.fw"_s, "graph g(x: f32[4]) -> y { a = relu(x)  y = relu(a) }\n");
    const QByteArray verdicts = fw({u"check"_s, main}, 0);
    QVERIFY2(verdicts.contains("part.fw  include  ok") && !verdicts.contains("refused"),
             verdicts.constData());
    QVERIFY(fw({u"match"_s, model, u"--rules"_s, main}, 0).contains("twice"));
    const QByteArray graph = fw({u"rewrite"_s, model, u"--rules"_s, main, u"-o"_s, u"-"_s}, 0);
    QCOMPARE(graph.count("relu("), 1);
    QVERIFY(QFile::remove(folder.filePath(u"part.fw"_s)));
    QVERIFY(fw({u"check"_s, main}, 2).contains("part.fw"));
}

// The table of times stands in front.
void TestText::rewritingTellsCosts() {
    QTemporaryDir folder;
    const auto write = [&](const QString& name, const QByteArray& text) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("%s cannot be written", qPrintable(name));
        return file.fileName();
    };
    const QString model =
        write(u"model.fw"_s, "graph g(x: f32[4]) -> y, z {\n  m = exp(x) @node(\"power\")\n"
                             "  y = relu(m)\n  z = tanh(m) @node(\"reader\")\n}\n");
    const QString book = write(u"book.fw"_s, "rule twice { duplicate match y = relu(exp(x)) "
                                             "emit y = sqrt(exp(x)) }\n");
    const QByteArray out = fw({u"rewrite"_s, model, u"--rules"_s, book}, 0);
    QVERIFY2(out.contains("\nRUL18 twice at power: a part of the match stays and is computed a "
                          "second time: for reader; "),
             out.constData());
}

// A model of many nodes of one kind says what is missing once, and where.
void TestText::oneMissingOperatorIsToldOnce() {
    QString text = u"graph g(x: f32[4]) -> y30 {\n  y0 = relu(x)\n"_s;
    for (int i = 1; i <= 30; ++i)
        text += u"  o%1 = unknown \"my\" \"Odd\"(y%2) : f32[4] @node(\"odd%1\")\n"
                "  y%1 = relu(o%1)\n"_s.arg(i)
                    .arg(i - 1);
    // What is behind one of another kind is told with it.
    text +=
        u"  t = unknown \"my\" \"Other\"(y30) {untyped_outputs = [0]} : f32[4] @node(\"other\")\n"_s;
    for (int i = 1; i <= 30; ++i)
        text +=
            u"  u%1 = unknown \"\" \"Exp\"(t) {untyped_outputs = [0]} : f32[4] @node(\"exp%1\")\n"_s
                .arg(i);
    text += u"}\n"_s;
    const QTemporaryDir folder;
    QFile file(folder.filePath(u"many.fw"_s));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0);
    file.close();
    const QString said = QString::fromUtf8(fw({u"info"_s, file.fileName()}, 0));
    QCOMPARE(said.count(u"Odd is not known"_s), 1);
    QVERIFY2(said.contains(u"node odd1: "_s) &&
                 said.contains(u"so it is with 29 other nodes: odd2, odd3, odd4, ..."_s),
             qPrintable(said));
    QCOMPARE(said.count(u"reads a value of unknown type"_s), 1);
    QVERIFY2(said.contains(u"so it is with 29 other nodes: exp2, exp3, exp4, ..."_s),
             qPrintable(said));
    // As records, each is there.
    QCOMPARE(fw({u"info"_s, file.fileName(), u"--json"_s}, 0).count("Odd is not known"), 30);
}

// The rule of resources/docs/tuning.md, as it stands there.
void TestText::shardsOfAMakefile() {
    QFile page(QStringLiteral(FW_SOURCE_DIR "/resources/docs/tuning.md"));
    QVERIFY(page.open(QFile::ReadOnly));
    const QString text = QString::fromUtf8(page.readAll());
    const QString rule = text.section(u"```make\n"_s, 1).section(u"```"_s, 0, 0);
    QTemporaryDir folder;
    QFile makefile(folder.filePath(u"tune.mk"_s));
    QVERIFY(makefile.open(QFile::WriteOnly) && makefile.write(rule.toUtf8()) > 0);
    makefile.close();
    QVERIFY(QFile::link(QStringLiteral(FW_SOURCE_DIR "/samples"), folder.filePath(u"samples"_s)));
    QProcess make;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"PATH"_s,
                       environment.value(u"FW_BIN"_s) + u':' + environment.value(u"PATH"_s));
    make.setProcessEnvironment(environment);
    make.setWorkingDirectory(folder.path());
    make.start(u"make"_s, {u"-f"_s, u"tune.mk"_s});
    QVERIFY(make.waitForFinished(120000));
    QVERIFY2(make.exitCode() == 0, make.readAllStandardError().constData());
    QProcess fuse;
    fuse.start(environment.value(u"FW_BIN"_s) + u"/fw"_s,
               {u"fuse"_s, QStringLiteral(FW_SOURCE_DIR "/samples/mlp"), u"--log"_s,
                folder.filePath(u"mlp.jsonl"_s)});
    QVERIFY(fuse.waitForFinished(60000));
    const QByteArray plan = fuse.readAllStandardOutput();
    QVERIFY2(fuse.exitCode() == 0 && !plan.contains("untuned"), plan.constData());
}

void TestText::timesAreComparedWithABaseline() {
    const QTemporaryDir folder;
    const QStringList profile = {u"profile"_s, u"samples/mlp"_s, u"--seconds"_s, u"0.02"_s};
    const auto on = [&](const char* target) {
        return profile + QStringList{u"--target"_s, QString::fromLatin1(target)};
    };
    QFile file(folder.filePath(u"times.json"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const QByteArray times =
        fw(on("x86-64 -mcpu=x86-64-v3 -libs= -threads=1") + QStringList{u"--json"_s}, 0);
    file.write(times);
    file.close();
    const QStringList against = {u"--baseline"_s, file.fileName()};
    const QByteArray same = fw(on("x86-64 -mcpu=x86-64-v3 -libs= -threads=1") + against, 0);
    QVERIFY2(same.contains("against the baseline: ") && same.contains("difference  noise us"),
             same.constData());
    QVERIFY2(same.contains("\nend to end "), same.constData());
    const QByteArray others = fw(on("x86-64 -mcpu=x86-64-v3 -libs= -threads=2") + against, 0);
    QVERIFY2(others.contains("TIM02 the runs do not compare, their threads differ: 2 and were 1"),
             others.constData());
    QVERIFY(!others.contains("noise us"));
    const QByteArray json =
        fw(on("x86-64 -mcpu=x86-64-v3 -libs= -threads=1") + against + QStringList{u"--json"_s}, 0);
    QVERIFY(json.contains("\"against\":{\"model\":\"samples/mlp\""));
    // What is wrong is said before anything is measured.
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(times).replace("\"runs\":", "\"runs\":-"));
    file.close();
    QVERIFY(fw(on("x86-64 -mcpu=x86-64-v3 -libs= -threads=1") + against, 2).isEmpty());
}

FW_TEST(TestText, QCoreApplication)
#include "test_text.moc"
