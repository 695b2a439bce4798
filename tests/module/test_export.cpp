// An exported module is built from a kernel written in C, and used the way a stranger would: with
// cmake and cc only.
#include "base/process.h"
#include "base/sha256.h"
#include "common/test.h"
#include "module/export.h"
#include "module/export_text.h"
#include "module/load.h"
#include "module/placement.h"
#include "runtime/sample_program.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <sys/stat.h>

using namespace fw::module;

namespace {

const char* const kernelSource = R"(
#include "runtime/kernel_abi.h"
static void scale_body(const fw_kernel_context* c, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
        for (int j = 0; j < 3; ++j)
            ((float*)c->buffers[0])[3 * i + j] = ((float*)c->buffers[1])[3 * i + j] * ((float*)c->buffers[2])[j];
}
void fw_scale_rows(const fw_kernel_context* c) { c->parallel_for(c, scale_body, c->symbols[0], 1); }
static void add_body(const fw_kernel_context* c, int64_t begin, int64_t end) {
    for (int64_t i = 3 * begin; i < 3 * end; ++i)
        ((float*)c->buffers[0])[i] = ((float*)c->buffers[1])[i] + ((float*)c->buffers[2])[i];
}
void add_rows(const fw_kernel_context* c) { c->parallel_for(c, add_body, c->symbols[0], 4); }
void sum_all(const fw_kernel_context* c) {
    float sum = 0;
    for (int64_t i = 0; i < c->symbols[0]; ++i)
        sum += ((float*)c->buffers[1])[i];
    *(float*)c->buffers[0] = sum;
}
)";

QByteArray contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

struct Ran {
    int exitCode = -1;
    std::string text;
};

Ran run(std::vector<std::string> command, const QString& folder) {
    auto result = fw::runProcess(
        {.command = std::move(command), .folder = folder.toStdString(), .input = {}});
    return result.ok() ? Ran{result->exitCode, result->output + result->errors}
                       : Ran{-1, result.diag().message};
}

#define RAN(wanted, ...)                                                                           \
    do {                                                                                           \
        const Ran ran = run(__VA_ARGS__);                                                          \
        QVERIFY2(ran.exitCode == wanted, ran.text.c_str());                                        \
    } while (false)

} // namespace

class TestExport : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QByteArray m_object;
    QString m_module;  // exported once
    QString m_example; // built once

    QString at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }

    ExportRequest request() const {
        ExportRequest r;
        r.name = "sample";
        r.objects = {
            {std::as_bytes(std::span(m_object.constData(), std::size_t(m_object.size())))}};
        r.kernels = {"fw_scale_rows", "add_rows", "sum_all"};
        r.program = sample::program();
        r.weights.pieces.resize(r.program.tensors.size());
        r.weights.pieces[1] = sample::weights;
        return r;
    }

    QStringList everythingIn(const char* folder) const {
        return QDir(at(folder))
            .entryList(QDir::AllEntries | QDir::System | QDir::Hidden | QDir::NoDotAndDotDot,
                       QDir::Name);
    }

    // The program of `twoModulesInOneProgram` for whatever was exported.
    void writeBoth() {
        write(at("both.c"), R"(
#include "sample.h"
#include "other.h"
#include <string.h>
static float last(const fw_api* api) {
    _Alignas(64) float x[3] = {1, 1, 1};
    int64_t shape[2] = {1, 3};
    fw_tensor t, y;
    fw_model* model = 0;
    memset(&t, 0, sizeof t);
    t.data = x; t.device.device_type = 1; t.ndim = 2; t.dtype.code = FW_FLOAT; t.dtype.bits = 32; t.dtype.lanes = 1;
    t.shape = shape;
    float result = -1;
    if (api->open(0, 0, &model) == FW_OK && api->set_input(model, SAMPLE_INPUT_X, &t) == FW_OK && api->run(model) == FW_OK &&
        api->output_view(model, SAMPLE_OUTPUT_Y, &y) == FW_OK)
        result = ((float*)y.data)[2];
    api->close(model);
    return result;
}
int main(void) {
    fw_step_time none;
    int32_t count = 0;
    if (fw_run(0) != FW_BAD_ARGUMENT || fw_run_profiled(0, &none, &count) != FW_BAD_ARGUMENT || !fw_last_error(0)[0])
        return 3;
    return last(fw_sample_api()) == 9.0f && last(fw_other_api()) == 90.0f ? 0 : 1;
}
)");
    }

    // A module beside `sample` whose results are ten times as large.
    ExportRequest otherRequest() const {
        static const float weights[3] = {10, 20, 30};
        ExportRequest other = request();
        other.name = "other";
        other.weights.pieces[1] = weights;
        return other;
    }

private Q_SLOTS:
    void initTestCase() {
        write(at("kernels.c"), kernelSource);
        RAN(0,
            {"cc", "-c", "-O2", "-fPIC", "-I", std::string(FW_SOURCE_DIR) + "/core", "kernels.c"},
            m_folder.path());
        m_object = contents(at("kernels.o"));
        QVERIFY(!m_object.isEmpty());
        m_module = at("deep/er/module");
        const auto report = exportModule(request(), m_module.toStdString());
        QVERIFY2(report.ok(), report.ok() ? "" : report.diag().text().c_str());
        QCOMPARE(report->files.size(), std::size_t{8});
        const QStringList there = QDir(m_module).entryList(QDir::Files | QDir::Hidden |
                                                           QDir::NoDotAndDotDot | QDir::Dirs);
        QCOMPARE(there.size(), 8); // no staging left
        QVERIFY(there.contains("libsample.so") && there.contains("sampleConfig.cmake"));

        RAN(0,
            {"cmake", "-S", m_module.toStdString(), "-B", at("build").toStdString(),
             "-DCMAKE_BUILD_TYPE=Release"},
            m_folder.path());
        RAN(0, {"cmake", "--build", at("build").toStdString()}, m_folder.path());
        m_example = at("build/example");
        QVERIFY(QFile::exists(m_example));
    }

    void needsOnlyTheCLibrary() {
        const Ran ran = run({"readelf", "-d", "-W", "libsample.so"}, m_module);
        if (ran.exitCode != 0)
            QSKIP("no readelf");
        for (const QString& line : QString::fromStdString(ran.text).split('\n'))
            if (line.contains("(NEEDED)"))
                QVERIFY2(line.contains("libc.so.6") || line.contains("libm.so.6") ||
                             line.contains("ld-linux"),
                         qPrintable(line));
        const Ran symbols = run({"nm", "-D", "--defined-only", "libsample.so"}, m_module);
        for (const char* name :
             {"fw_sample_api", "fw_open", "fw_close", "fw_last_error", "fw_module_api", "fw_input"})
            QVERIFY2(symbols.text.find(std::string(" T ") + name + "\n") != std::string::npos,
                     name);
        QVERIFY(symbols.text.find("fw_scale_rows") == std::string::npos); // a kernel
        for (const QString& line :
             QString::fromStdString(symbols.text).split('\n', Qt::SkipEmptyParts))
            QVERIFY2(line.section(' ', 2).startsWith("fw_"), qPrintable(line));
        // Of the C library the functions that 2.34 has.
        const Ran wanted = run({"nm", "-D", "--undefined-only", "libsample.so"}, m_module);
        static const QRegularExpression version("@GLIBC_(\\d+)\\.(\\d+)");
        auto versions = version.globalMatch(QString::fromStdString(wanted.text));
        QVERIFY(versions.hasNext());
        while (versions.hasNext()) {
            const auto one = versions.next();
            QVERIFY2(one.captured(1) == "2" && one.captured(2).toInt() <= 34,
                     qPrintable(one.captured()));
        }
        // The stack is not executable, and relocations are done and read-only before it runs.
        const Ran segments = run({"readelf", "-l", "-W", "libsample.so"}, m_module);
        static const QRegularExpression stack("GNU_STACK .* RW +0x");
        QVERIFY2(stack.match(QString::fromStdString(segments.text)).hasMatch(),
                 segments.text.c_str());
        QVERIFY(segments.text.find("GNU_RELRO") != std::string::npos);
        QVERIFY2(ran.text.find("BIND_NOW") != std::string::npos, ran.text.c_str());
    }

    void exampleRunsEveryShape() {
        for (const char* n : {"0", "1", "5", "1000"}) {
            const Ran ran =
                run({m_example.toStdString(), "--symbol", std::string("n=") + n, "--threads", "2"},
                    m_module);
            QVERIFY2(ran.exitCode == 0, ran.text.c_str());
            QVERIFY2(ran.text.find("y [" + std::string(n) + ", 3]") != std::string::npos,
                     ran.text.c_str());
        }
    }

    void exampleComparesWithExpectedOutputs() {
        const float x[6] = {1, 2, 3, 4, 5, 6};
        float y[6] = {3, 12, 27, 12, 30, 54};
        const float sum = 96;
        const auto bytes = [](const void* data, qsizetype size) {
            return QByteArray(static_cast<const char*>(data), size);
        };
        QByteArray npy("\x93NUMPY\x01\x00\x76\x00", 10); // version 1, 118 bytes of header
        npy.append("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
        npy = npy.leftJustified(127, ' ') + '\n' + bytes(x, sizeof x);
        write(at("x.npy"), npy);
        write(at("s.bin"), bytes(&sum, sizeof sum));
        write(at("y.bin"), bytes(y, sizeof y));
        const std::vector<std::string> command = {m_example.toStdString(),
                                                  "--symbol",
                                                  "n=2",
                                                  "--input",
                                                  "x.npy",
                                                  "--expect",
                                                  "s.bin",
                                                  "--expect",
                                                  "y.bin",
                                                  "--output",
                                                  "got.bin",
                                                  "--runs",
                                                  "3"};
        RAN(0, command, m_folder.path());
        QCOMPARE(contents(at("got.bin")), bytes(&sum, sizeof sum));
        y[4] += 1;
        write(at("y.bin"), bytes(y, sizeof y));
        RAN(1, command, m_folder.path());
        // The shape of a .npy file is enough; the same as .npy comes out.
        RAN(1,
            {m_example.toStdString(), "x.npy", "-o", "s.npy", "--expect", "s.bin", "--expect",
             "y.bin"},
            m_folder.path());
        QCOMPARE(contents(at("s.npy")).right(4), bytes(&sum, sizeof sum));
        QCOMPARE(contents(at("s.npy")).size() % 64, qsizetype{4});
        write(at("x.npy"), "short");
        RAN(2, command, m_folder.path());
        RAN(2, {m_example.toStdString(), "--symbol", "n=13"}, m_folder.path());
        RAN(2, {m_example.toStdString(), "--nonsense", "1"}, m_folder.path());
        RAN(2, {m_example.toStdString(), "--weights", "y.bin"}, m_folder.path());
    }

    void consumerOfTheSamples() {
        const std::string build = at("consumer").toStdString();
        RAN(0,
            {"cmake", "-S", std::string(FW_SOURCE_DIR) + "/samples/consumer", "-B", build,
             "-DMODULE=sample", "-DMODULE_DIR=" + m_module.toStdString()},
            m_folder.path());
        RAN(0, {"cmake", "--build", build}, m_folder.path());
        const float x[3] = {2, 3, 4};
        write(at("ones.bin"), QByteArray(reinterpret_cast<const char*>(x), sizeof x));
        const Ran shown = run({build + "/top5", "ones.bin"}, m_folder.path());
        QCOMPARE(shown.text,
                 std::string("0: 0\n")); // the first output sums the rows behind the first
        RAN(2, {build + "/top5", "nowhere"}, m_folder.path());
    }

    void twoModulesInOneProgram() {
        QVERIFY(exportModule(otherRequest(), m_module.toStdString()).ok()); // beside the first
        writeBoth();
        RAN(0,
            {"cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I",
             m_module.toStdString(), "both.c", "-o", "both", "-L", m_module.toStdString(),
             "-Wl,-rpath," + m_module.toStdString(), "-lsample", "-lother"},
            m_folder.path());
        RAN(0, {at("both").toStdString()}, m_folder.path());
        for (const char* file : {"libother.so", "other.h", "other.weights", "otherConfig.cmake",
                                 "otherConfigVersion.cmake"})
            QVERIFY(QFile::remove(m_module + '/' + file));
        QVERIFY(exportModule(request(), m_module.toStdString()).ok());
    }

    // The archives lie in one folder with nothing else of the modules but their headers.
    void twoStaticModulesInOneProgram() {
        for (ExportRequest r : {request(), otherRequest()}) {
            r.isStatic = r.embedsWeights = true;
            const auto report = exportModule(r, at("static").toStdString());
            QVERIFY2(report.ok(), report.ok() ? "" : report.diag().text().c_str());
        }
        QVERIFY(!QFile::exists(at("static/sample.weights")));
        QVERIFY(!QFile::exists(at("static/libsample.so")));
        writeBoth();
        RAN(0,
            {"cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I",
             at("static").toStdString(), "both.c", "-o", "both_static", "-L",
             at("static").toStdString(), "-lsample", "-lother", "-lm"},
            m_folder.path());
        RAN(0, {at("both_static").toStdString()}, m_folder.path());
        const Ran names = run({"nm", "-g", "--defined-only", "libsample.a"}, at("static"));
        for (const QString& line :
             QString::fromStdString(names.text).split('\n', Qt::SkipEmptyParts))
            if (line.count(' ') == 2)
                QVERIFY2(line.section(' ', 2).startsWith("fw_"), qPrintable(line));
    }

    void staticModuleByItsPackage() {
        const std::string build = at("static_build").toStdString();
        ExportRequest r = request();
        r.isStatic = true; // weights beside the program
        QVERIFY(exportModule(r, at("archive").toStdString()).ok());
        RAN(0, {"cmake", "-S", at("archive").toStdString(), "-B", build}, m_folder.path());
        RAN(0, {"cmake", "--build", build}, m_folder.path());
        RAN(2, {build + "/example"}, m_folder.path());
        QVERIFY(QFile::copy(at("archive/sample.weights"),
                            QString::fromStdString(build) + "/sample.weights"));
        RAN(0, {build + "/example"}, m_folder.path());
    }

    void weightsInTheLibrary() {
        ExportRequest r = request();
        r.embedsWeights = true;
        const auto report = exportModule(r, at("embedded").toStdString());
        QVERIFY2(report.ok(), report.ok() ? "" : report.diag().text().c_str());
        QVERIFY(!QFile::exists(at("embedded/sample.weights")));
        const std::string build = at("embedded_build").toStdString();
        RAN(0, {"cmake", "-S", at("embedded").toStdString(), "-B", build}, m_folder.path());
        RAN(0, {"cmake", "--build", build}, m_folder.path());
        for (const char* of : {"apart", "inside"}) {
            const std::string program =
                of == std::string("apart") ? m_example.toStdString() : build + "/example";
            RAN(0, {program, "--symbol", "n=2", "-o", "sum", "-o", of}, m_folder.path());
        }
        QCOMPARE(contents(at("inside")).size(), qsizetype{24});
        QCOMPARE(contents(at("inside")), contents(at("apart")));
        RAN(0, {build + "/example", "--weights", m_module.toStdString() + "/sample.weights"},
            m_folder.path());
        const QJsonObject json =
            QJsonDocument::fromJson(contents(at("embedded/manifest.json"))).object();
        QCOMPARE(json["weights"].toString(), QStringLiteral("in the library"));
    }

    // Opened by a relative name before the folder changes, and by a link that lies elsewhere.
    void weightsAreFoundWhereTheLibraryLies() {
        write(at("opens.c"), R"(
#include "sample.h"
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char** words) {
    void* library = count == 2 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : 0;
    const fw_api* (*get)(void) = 0;
    *(void**)&get = library ? dlsym(library, "fw_sample_api") : 0;
    if (!get || chdir("/") != 0)
        return 3;
    fw_model* model = 0;
    const fw_status status = get()->open(0, 0, &model);
    if (status != FW_OK)
        fprintf(stderr, "%s\n", get()->last_error(0));
    get()->close(model);
    return status == FW_OK ? 0 : 1;
}
)");
        RAN(0, {"cc", "-std=gnu99", "-I", m_module.toStdString(), "opens.c", "-o", "opens", "-ldl"},
            m_folder.path());
        const std::string opens = at("opens").toStdString();
        RAN(0, {opens, "./libsample.so"}, m_module);
        RAN(0, {opens, "deep/../deep/er/module/libsample.so"}, m_folder.path());
        QVERIFY(QDir().mkpath(at("links")));
        QVERIFY(QFile::link(m_module + "/libsample.so", at("links/libother_name.so")));
        RAN(0, {opens, "./libother_name.so"}, at("links"));
        // A library whose weights lie beside the link alone.
        QVERIFY(QDir().mkpath(at("alone")));
        QVERIFY(QFile::copy(m_module + "/libsample.so", at("alone/libsample.so")));
        const Ran without = run({opens, at("alone/libsample.so").toStdString()}, m_folder.path());
        QCOMPARE(without.exitCode, 1);
        QVERIFY2(without.text.find("alone/sample.weights") != std::string::npos,
                 without.text.c_str());
        QVERIFY(QDir().mkpath(at("linked")));
        QVERIFY(QFile::link(at("alone/libsample.so"), at("linked/libsample.so")));
        QVERIFY(QFile::copy(m_module + "/sample.weights", at("linked/sample.weights")));
        RAN(0, {opens, at("linked/libsample.so").toStdString()}, m_folder.path());
    }

    void installed() {
        const std::string prefix = at("prefix").toStdString();
        RAN(0, {"cmake", "--install", at("build").toStdString(), "--prefix", prefix},
            m_folder.path());
        for (const char* file :
             {"libsample.so", "sample.weights", "sample.h", "sampleConfig.cmake"})
            QVERIFY2(QFile::exists(at("prefix/lib/sample/") + file), file);
        // Nothing of what was exported or built is needed.
        QVERIFY(QDir().rename(m_module, at("gone")) && QDir().rename(at("build"), at("gone_too")));
        RAN(0, {prefix + "/bin/example"}, m_folder.path());
        const auto asks = [&](const char* version, int wanted) {
            QVERIFY(QDir().mkpath(at("user")));
            write(at("user/CMakeLists.txt"),
                  QByteArray("cmake_minimum_required(VERSION 3.16)\nproject(user C)\n"
                             "find_package(sample ") +
                      version +
                      " REQUIRED)\nget_target_property(at sample::sample "
                      "IMPORTED_LOCATION)\nmessage(STATUS ${at})\n");
            RAN(wanted,
                {"cmake", "-S", "user", "-B", std::string("user/build") + version,
                 "-DCMAKE_PREFIX_PATH=" + prefix},
                m_folder.path());
        };
        asks("", 0);
        asks("1", 0);
        asks("1.0", 0);
        asks("2", 1);
        // The library alone, and what `sample_install` takes, where it is told.
        write(at("user/CMakeLists.txt"),
              "cmake_minimum_required(VERSION 3.21)\nproject(user C)\n"
              "find_package(sample REQUIRED)\nsample_install(kept)\n"
              "install(IMPORTED_RUNTIME_ARTIFACTS sample::sample DESTINATION alone)\n");
        RAN(0, {"cmake", "-S", "user", "-B", "user/other", "-DCMAKE_PREFIX_PATH=" + prefix},
            m_folder.path());
        RAN(0, {"cmake", "--install", "user/other", "--prefix", at("second").toStdString()},
            m_folder.path());
        QCOMPARE(QDir(at("second/alone")).entryList(QDir::Files), QStringList("libsample.so"));
        QVERIFY(QFile::exists(at("second/kept/sample.weights")));
        QVERIFY(QDir().rename(at("gone"), m_module) && QDir().rename(at("gone_too"), at("build")));
    }

    void foldersWithASemicolon() {
        const std::string folder = at("a;b").toStdString();
        QVERIFY(exportModule(request(), folder).ok());
        // CMake's own folders must have none.
        QVERIFY(QDir().mkpath(at("plain")));
        write(at("plain/CMakeLists.txt"),
              "cmake_minimum_required(VERSION 3.16)\nproject(plain C)\n"
              "find_package(sample REQUIRED)\nadd_executable(example example_main.c)\n"
              "target_link_libraries(example PRIVATE sample::sample)\n");
        QVERIFY(QFile::copy(m_module + "/example_main.c", at("plain/example_main.c")));
        const Ran told =
            run({"cmake", "-S", "plain", "-B", "plain/build", "-Dsample_DIR=" + folder},
                m_folder.path());
        QCOMPARE(told.exitCode, 1);
        QVERIFY2(told.text.find("semicolon") != std::string::npos, told.text.c_str());
        RAN(0,
            {"cc", "-I", folder, "plain/example_main.c", "-o", "plain/example",
             folder + "/libsample.so", "-Wl,-rpath," + folder, "-lm"},
            m_folder.path());
        RAN(0, {"plain/example"}, m_folder.path());
    }

    void sameBytesTwice() {
        const QString again = at("again");
        QVERIFY(exportModule(request(), again.toStdString()).ok());
        for (const QString& name : QDir(again).entryList(QDir::Files))
            QVERIFY2(contents(again + '/' + name) == contents(m_module + '/' + name),
                     qPrintable(name));
        QVERIFY(!contents(again + "/libsample.so").contains(m_folder.path().toUtf8()));
        QVERIFY(!contents(again + "/libsample.so").contains(FW_SOURCE_DIR));
    }

    void manifest() {
        const QJsonObject json =
            QJsonDocument::fromJson(contents(m_module + "/manifest.json")).object();
        QCOMPARE(json["abi"].toInt(), FW_ABI_VERSION);
        QCOMPARE(json["target"].toString(), QStringLiteral("x86-64"));
        QCOMPARE(json["inputs"][0]["shape"].toString(), QStringLiteral("[n, 3]"));
        QCOMPARE(json["symbols"][0]["name"].toString(), QStringLiteral("n"));
        QCOMPARE(json["groups"].toArray().size(), 5);
        QCOMPARE(json["groups"][1]["kernel"].toString(), QStringLiteral("add_rows"));
        QCOMPARE(json["groups"][1]["nodes"][0].toString(), QStringLiteral("node_twice"));
        QCOMPARE(json["files"].toArray().size(), 7);
        const QByteArray weights = contents(m_module + "/sample.weights");
        const auto bytes =
            std::as_bytes(std::span(weights.constData(), std::size_t(weights.size())));
        QCOMPARE(json["sha256"]["sample.weights"].toString().toStdString(), fw::sha256Hex(bytes));
    }

    // This CPU may run everything that a target can name, so the answer of cpuid is set by hand.
    void foreignCpuIsRefused() {
        fw::Target target = fw::hostTarget();
        target.isHost = false;
        const auto loaded = fw::loadModule(std::make_shared<const fw::CompiledModule>(), target);
        QVERIFY(!loaded.ok());
        QCOMPARE(loaded.diag().code, fw::DiagCode::TargetUnsupported);
        QCOMPARE(fw::exitCode(loaded.diag().code), 3);
    }

    void unwritableTargets() {
        write(at("file"), "x");
        const auto below = exportModule(request(), at("file/module").toStdString());
        QVERIFY(!below.ok());
        QCOMPARE(below.diag().code, fw::DiagCode::FileUnwritable);
        QVERIFY(below.diag().message.find("file/module") != std::string::npos);
        QDir().mkpath(at("blocked/libsample.so/inside"));
        const auto blocked = exportModule(request(), at("blocked").toStdString());
        QVERIFY(!blocked.ok());
        QCOMPARE(blocked.diag().code, fw::DiagCode::FileUnwritable);
        // All of an export or nothing: the first of its files have no other names either.
        QVERIFY(blocked.diag().message.find("libsample.so") != std::string::npos);
        QCOMPARE(everythingIn("blocked"), QStringList{"libsample.so"});
        QDir().mkpath(at("old/sample.weights"));
        write(at("old/CMakeLists.txt"), "mine");
        QVERIFY(!exportModule(request(), at("old").toStdString()).ok());
        QCOMPARE(everythingIn("old"), (QStringList{"CMakeLists.txt", "sample.weights"}));
        QCOMPARE(contents(at("old/CMakeLists.txt")), QByteArray("mine"));
        QDir().mkdir(at("piped"));
        QCOMPARE(mkfifo(qPrintable(at("piped/sample.h")), 0600), 0);
        QVERIFY(!exportModule(request(), at("piped").toStdString()).ok());
        QCOMPARE(everythingIn("piped"), QStringList{"sample.h"});
    }

    // One that cannot be moved brings back what lay where others were moved to.
    void placedTogether() {
        QDir().mkpath(at("from"));
        QDir().mkpath(at("to"));
        for (const char* name : {"a", "b", "d"})
            write(at("from/") + name, QByteArray("new ") + name);
        write(at("to/a"), "old a");
        QVERIFY(QFile::link(at("to/a"), at("to/b")));
        const std::vector<std::string> names = {"a", "b", "c", "d"};
        const fw::Status status = placeAll(at("from").toStdString(), at("to").toStdString(), names);
        QVERIFY(!status.ok());
        QCOMPARE(status.diag().code, fw::DiagCode::FileUnwritable);
        QCOMPARE(everythingIn("to"), (QStringList{"a", "b"}));
        QCOMPARE(contents(at("to/a")), QByteArray("old a"));
        QCOMPARE(QFile::symLinkTarget(at("to/b")), at("to/a"));
    }

    void linkProblems() {
        ExportRequest r = request();
        r.compiler = "no-such-compiler";
        auto result = exportModule(r, at("none").toStdString());
        QVERIFY(!result.ok());
        QCOMPARE(result.diag().code, fw::DiagCode::ExportFailed);
        QVERIFY(!result.diag().hint.empty());
        QVERIFY(QDir(at("none")).isEmpty());
        r = request();
        r.kernels[0] = "missing_kernel";
        result = exportModule(r, at("none").toStdString());
        QCOMPARE(result.diag().code, fw::DiagCode::ExportFailed);
        QVERIFY2(result.diag().message.find("missing_kernel") != std::string::npos,
                 result.diag().message.c_str());
        r = request();
        r.kernels[0] = "x\n.quad";
        QCOMPARE(exportModule(r, at("none").toStdString()).diag().code, fw::DiagCode::ExportFailed);
        r = request();
        r.weights.pieces[1] = nullptr;
        QCOMPARE(exportModule(r, at("none").toStdString()).diag().code, fw::DiagCode::ExportFailed);
        r = request();
        r.name = "a b";
        QCOMPARE(exportModule(r, at("none").toStdString()).diag().code, fw::DiagCode::Usage);
        fw::CancelToken cancel;
        cancel.cancel();
        QCOMPARE(exportModule(request(), at("none").toStdString(), cancel).diag().code,
                 fw::DiagCode::Cancelled);
        QVERIFY(QDir(at("none"))
                    .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot)
                    .isEmpty());
    }

    void names() {
        QCOMPARE(moduleName("ResNet-18.onnx"), std::string("resnet_18_onnx"));
        QCOMPARE(moduleName("18"), std::string("model_18"));
        QCOMPARE(moduleName(""), std::string("model_"));
        QCOMPARE(moduleName("module"), std::string("model_module")); // fw_module_api is taken
        QCOMPARE(moduleName("M"), std::string("model_m"));           // libm.so, too
        ExportRequest r = request();
        r.program.tensors[0].name = "a*/ \"\n";
        r.program.name = "*/ x";
        const std::string text = headerText(r);
        QVERIFY(text.find("*/ \"") == std::string::npos);
        QVERIFY(text.find("#define SAMPLE_INPUT_A_____ 0") != std::string::npos);
        QCOMPARE(expressionText(r.program, r.program.tensors[5].dims[0]),
                 std::string("max((n - 1), 0)"));
    }
};

FW_TEST(TestExport, QCoreApplication)
#include "test_export.moc"
