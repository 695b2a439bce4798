// Tensor files of both formats hold what was written; others are refused; test folders are found.
#include "common/test.h"
#include "onnx/model/npy.h"
#include "onnx/model/tensor_file.h"

#include "base/files.h"

#include <QDir>
#include <QTemporaryDir>

using namespace fw;

class TestTensorFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void roundTrips_data();
    void roundTrips();
    void npyHeaderIsNumPys();
    void damagedFilesAreRefused();
    void npyRefusals();
    void npyInOtherOrders();
    void findsTestFolders();
    void matchesByNameElseByPosition();
};

void TestTensorFiles::roundTrips_data() {
    QTest::addColumn<int>("dtype");
    for (const DType dtype :
         {DType::Bool, DType::I8, DType::U8, DType::I16, DType::U16, DType::I32, DType::U32,
          DType::I64, DType::U64, DType::F16, DType::BF16, DType::F32, DType::F64})
        QTest::newRow(std::string(dtypeText(dtype)).c_str()) << static_cast<int>(dtype);
}

void TestTensorFiles::roundTrips() {
    QFETCH(int, dtype);
    QTemporaryDir folder;
    for (const auto& extents : std::vector<std::vector<std::int64_t>>{{}, {5}, {0, 3}, {2, 3, 4}}) {
        const TensorData data = randomIntegers(static_cast<DType>(dtype), extents, 3);
        const std::string pb = folder.filePath(QStringLiteral("t.pb")).toStdString();
        QVERIFY(writeTensorFile(pb, {"name", data}).ok());
        const auto read = readTensorFile(pb);
        QVERIFY2(read.ok(), read.ok() ? "" : read.diag().text().c_str());
        QVERIFY(read->data == data);
        QCOMPARE(read->name, std::string("name"));
        const std::string npy = folder.filePath(QStringLiteral("t.npy")).toStdString();
        const Status written = writeTensorFile(npy, {"", data});
        QCOMPARE(written.ok(), static_cast<DType>(dtype) != DType::BF16);
        if (!written.ok())
            continue;
        const auto back = readTensorFile(npy);
        QVERIFY2(back.ok(), back.ok() ? "" : back.diag().text().c_str());
        QVERIFY(back->data == data);
    }
}

void TestTensorFiles::npyHeaderIsNumPys() {
    const auto bytes = npyBytes(dataFromDoubles(DType::F32, {2, 1}, {1, 2}));
    QVERIFY(bytes->starts_with(std::string("\x93NUMPY\x01\x00", 8)));
    QVERIFY(bytes->find("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }") !=
            std::string::npos);
    QCOMPARE(bytes->size() % 64, 8u); // the data begins at a multiple of 64
    QVERIFY(npyBytes(dataFromDoubles(DType::F32, {2}, {1, 2}))->find("(2,)") != std::string::npos);
}

void TestTensorFiles::damagedFilesAreRefused() {
    QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("t")).toStdString();
    const TensorData data = randomIntegers(DType::F32, {3, 5}, 1);
    for (const std::string& whole : {*npyBytes(data), tensorProtoBytes({"n", data})})
        for (std::size_t length = 0; length < whole.size(); ++length) {
            QVERIFY(writeFile(path, whole.substr(0, length)).ok());
            const auto read = readTensorFile(path);
            QVERIFY(!read.ok());
            QVERIFY(read.diag().code == DiagCode::OnnxMalformed);
            QCOMPARE(read.diag().where.file, path);
        }
    QVERIFY(readTensorFile(path + "absent").diag().code == DiagCode::FileMissing);
    QVERIFY(writeTensorFile(path + "/below.pb", {"", data}).diag().code ==
            DiagCode::FileUnwritable);
}

void TestTensorFiles::npyRefusals() {
    const std::string good = *npyBytes(dataFromDoubles(DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6}));
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string bytes = good;
        bytes.replace(bytes.find(from), from.size(), to);
        return parseNpy(bytes);
    };
    QVERIFY(parseNpy(good).ok());
    QVERIFY(!with("False", "Maybe").ok());
    QVERIFY(!with("<f4", "|O8").ok());
    QVERIFY(with("'<f4'", "[('a','<f4')]").diag().message.find("[('a','<f4')]") !=
            std::string::npos);
    QVERIFY(!with("(2, 3)", "(2, 4)").ok());
    QVERIFY(!with("(2, 3)", "(-2,3)").ok());
    QVERIFY(!with("'shape'", "'shake'").ok());
}

// As numpy.save writes numpy.array(range(6), dtype='>i2').reshape(2, 3, order='F') and the like.
void TestTensorFiles::npyInOtherOrders() {
    const auto read = [](const std::string& type, const std::string& order,
                         const std::string& elements) {
        std::string header =
            "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (2, 3), }\n";
        std::string bytes("\x93NUMPY\x01\x00", 8);
        bytes += static_cast<char>(header.size());
        bytes += '\0';
        const TensorData data = parseNpy(bytes + header + elements).take();
        std::vector<std::int64_t> out;
        for (std::size_t i = 0; i < data.count(); ++i)
            out.push_back(data.integerAt(i));
        return out;
    };
    const std::string one("\0\1\2\3\4\5", 6), two("\0\0\0\1\0\2\0\3\0\4\1\5", 12);
    using Elements = std::vector<std::int64_t>;
    QCOMPARE(read("|i1", "False", one), (Elements{0, 1, 2, 3, 4, 5}));
    QCOMPARE(read("|i1", "True", one), (Elements{0, 2, 4, 1, 3, 5}));
    QCOMPARE(read(">i2", "False", two), (Elements{0, 1, 2, 3, 4, 261}));
    QCOMPARE(read(">i2", "True", two), (Elements{0, 2, 4, 1, 3, 261}));
}

void TestTensorFiles::findsTestFolders() {
    QTemporaryDir folder;
    const std::string root = folder.path().toStdString();
    QVERIFY(!isTestFolder(root));
    QVERIFY(findTestData(root).diag().code == DiagCode::FileMissing);
    QDir(folder.path()).mkpath(QStringLiteral("test_data_set_0"));
    QVERIFY(writeFile(root + "/model.onnx", "x").ok());
    for (const char* name : {"input_0.pb", "input_1.npy", "input_3.pb", "output_0.pb"})
        QVERIFY(writeFile(root + "/test_data_set_0/" + name, "x").ok());
    const auto found = findTestData(root);
    QVERIFY(found.ok());
    QCOMPARE(found->sets.size(), 1u);
    QCOMPARE(found->sets[0].inputs.size(), 2u);
    QVERIFY(found->sets[0].inputs[1].ends_with("input_1.npy"));
    QCOMPARE(found->sets[0].outputs.size(), 1u);
    for (const char* name : {"test_data_set_10", "test_data_set_2", "test_data_set_x", "others"})
        QDir(folder.path()).mkpath(QString::fromLatin1(name));
    const auto more = findTestData(root); // numbers may be left out
    QVERIFY(more.ok());
    QCOMPARE(more->sets.size(), 3u);
    QVERIFY(more->sets[1].folder.ends_with("_2") && more->sets[2].folder.ends_with("_10"));
}

void TestTensorFiles::matchesByNameElseByPosition() {
    const TensorData one = dataFromIntegers(DType::I64, {}, {1});
    const TensorData two = dataFromIntegers(DType::I64, {}, {2});
    const auto swapped = matchTensors({"a", "b"}, {{"b", two}, {"a", one}});
    QVERIFY(swapped.ok() && (*swapped)[0] == one);
    const auto position = matchTensors({"a", "b"}, {{"", one}, {"x", two}});
    QVERIFY(position.ok() && (*position)[1] == two);
    QVERIFY(matchTensors({"a", "b"}, {{"a", one}, {"a", two}}).diag().code ==
            DiagCode::InputMismatch);
    QVERIFY(!matchTensors({"a", "b"}, {{"a", one}}).ok());
    QVERIFY(!matchTensors({"a", "b"}, {{"b", one}, {"c", two}}).ok());
}

FW_TEST(TestTensorFiles, QCoreApplication)
#include "test_tensor_files.moc"
