// Files that are something else: told as what they are. Tensors and types that nothing here
// computes with, in files that contradict themselves: refused with what is wrong, or opened;
// counted with no more than has to be.
#include "common/test.h"
#include "common/thread_time.h"
#include "onnx/loose_operators.h"
#include "onnx/model_builder.h"
#include "onnx/read/import.h"
#include "onnx/small_model.h"

#include <functional>

using namespace fw;
using namespace fw::test;

namespace {

Result<Imported> readHostileForeign(const std::string& bytes) {
    return importModelBytes(bytes, looseOperators());
}

} // namespace

class TestHostileForeign : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void foreignFiles_data();
    void foreignFiles();
    void contradictions_data();
    void contradictions();
    void typesOpenHoweverDeep();
    void manyInputsOpenInTime();
};

void TestHostileForeign::foreignFiles_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("empty") << QByteArray() << QByteArray("empty");
    QTest::newRow("png") << QByteArray("\x89PNG\r\n\x1a\n data") << QByteArray("PNG picture");
    QTest::newRow("zip") << QByteArray("PK\x03\x04rest of it") << QByteArray("ZIP");
    QTest::newRow("html") << QByteArray("<!DOCTYPE html><html>") << QByteArray("HTML");
    int pages = 0;
    for (const char* page : {"\n\n  <!DOCTYPE html>\n<html>", "\xef\xbb\xbf<!doctype HTML>",
                             " \t\r\n<HTML lang=en>", "\n<head>", "\n\n\n<!DocType html PUBLIC>"})
        QTest::addRow("html behind blanks %d", ++pages)
            << QByteArray(page) << QByteArray("this is an HTML page");
    QTest::newRow("json behind blanks") << QByteArray("\n  {\"error\": 404}") << QByteArray("JSON");
    for (const char* blanks : {" ", "\n\n\n", "  \t\r\n\v\f\n", "\xef\xbb\xbf\n"})
        QTest::addRow("nothing but blanks %d", ++pages)
            << QByteArray(blanks) << QByteArray("this is a file of blanks, not an ONNX model");
    QTest::newRow("rar") << QByteArray("Rar!\x1a\x07\x01\x00\x33\x92", 10)
                         << QByteArray("this is a RAR archive, not an ONNX model");
    for (const QByteArray& text :
         {QByteArray("\xff\xfe<\0h\0t\0", 8), QByteArray("\xfe\xff\0{\0\n", 6)})
        QTest::addRow("UTF-16 %d", ++pages)
            << text << QByteArray("this is a text in UTF-16, not an ONNX model");
    QTest::newRow("pickle") << QByteArray("\x80\x02}q\x00(X\x05") << QByteArray("pickle");
    QTest::newRow("lfs") << QByteArray("version https://git-lfs.github.com/spec/v1\n")
                         << QByteArray("LFS");
    QTest::newRow("text") << QByteArray("This is not a model.\n")
                          << QByteArray("this is text, not an ONNX model: it begins with \"This is "
                                        "not a model.\" (an .onnx file, a folder with model.onnx");
    QTest::newRow("text behind blank lines")
        << QByteArray("\n\n  ir_version: 8\n  graph { }\n") << QByteArray("\"ir_version: 8\"");
    QTest::newRow("a long line of other letters")
        << QByteArray("\xc3\x84" + QByteArray("\xc3\xb6").repeated(100))
        << QByteArray(QByteArray("begins with \"\xc3\x84") + QByteArray("\xc3\xb6").repeated(19) +
                      "...\"");
    QTest::newRow("bytes") << QByteArray("\x8b\x4a\xe5\xf1\xa9\x41\x06\xa0", 8)
                           << QByteArray("it begins with the bytes 8b 4a e5 f1");
    QTest::newRow("zeros") << QByteArray(64, '\0') << QByteArray("not an ONNX model");
    QTest::newRow("only a version") << QByteArray("\x08\x08", 2) << QByteArray("holds no graph");
}

void TestHostileForeign::foreignFiles() {
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, says);
    const auto result = readHostileForeign(bytes.toStdString());
    QVERIFY(!result.ok());
    QVERIFY2(result.diag().code == DiagCode::NotOnnx, outcomeOf(result).c_str());
    QVERIFY2(outcomeOf(result).find(says.constData()) != std::string::npos,
             outcomeOf(result).c_str());
}

void TestHostileForeign::contradictions_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("says");
    using M = ModelBuilder;
    const auto row = [](const char* name, DiagCode code, const char* says,
                        const std::function<void(M&)>& change) {
        M m = smallModel();
        change(m);
        QTest::newRow(name) << QByteArray::fromStdString(m.bytes()) << static_cast<int>(code)
                            << QByteArray(says);
    };
    const auto tensor = [](M& m) { return m.graph().mutable_initializer(0); };
    row("complex without its other half", DiagCode::OnnxMalformed,
        "'w' has 8 elements of data, its shape needs 16",
        [=](M& m) { tensor(m)->set_data_type(14); });
    const auto narrow = [=](M& m, int type, std::size_t bytes) {
        tensor(m)->clear_float_data();
        tensor(m)->set_data_type(type);
        tensor(m)->set_raw_data(std::string(bytes, 'x'));
    };
    row("int4 cut short", DiagCode::OnnxMalformed,
        "'w' has 3 bytes of data, its shape and type need 4", [=](M& m) { narrow(m, 22, 3); });
    row("int2 too long", DiagCode::OnnxMalformed,
        "'w' has 3 bytes of data, its shape and type need 2", [=](M& m) { narrow(m, 26, 3); });
    row("fp8 cut short", DiagCode::OnnxMalformed, "has 7 bytes of data, its shape and type need 8",
        [=](M& m) { narrow(m, 17, 7); });
    row("int4 without data", DiagCode::OnnxMalformed,
        "'w' has 0 elements of data, its shape needs 8", [=](M& m) { narrow(m, 22, 0); });
    row("int4 in the wrong field", DiagCode::OnnxMalformed,
        "'w' is int4 but its data is in float_data", [=](M& m) { tensor(m)->set_data_type(22); });
    row("int4 twice", DiagCode::OnnxMalformed, "twice", [=](M& m) {
        narrow(m, 22, 4);
        tensor(m)->add_int32_data(1);
    });
    row("int4 of negative size", DiagCode::OnnxMalformed, "negative", [=](M& m) {
        narrow(m, 22, 4);
        tensor(m)->set_dims(0, -1);
    });
    row("int4 of 2^66 elements", DiagCode::DimOverflow, "'w'", [=](M& m) {
        narrow(m, 22, 4);
        tensor(m)->set_dims(0, 1LL << 61), tensor(m)->set_dims(1, 32);
    });
    row("int4 of 2^62 elements", DiagCode::DimOverflow, "more bytes than can be counted",
        [=](M& m) {
            narrow(m, 22, 4);
            tensor(m)->set_dims(0, 1LL << 31), tensor(m)->set_dims(1, 1LL << 31);
        });
    row("too few texts", DiagCode::OnnxMalformed, "'w' has 1 elements of data, its shape needs 8",
        [=](M& m) {
            tensor(m)->clear_float_data();
            tensor(m)->set_data_type(proto::TensorProto::STRING);
            tensor(m)->add_string_data("alone");
        });
    row("raw text", DiagCode::OnnxMalformed, "'w' is text but its data is raw",
        [=](M& m) { narrow(m, proto::TensorProto::STRING, 8); });
    row("segment of text", DiagCode::OnnxMalformed, "segment", [=](M& m) {
        narrow(m, proto::TensorProto::STRING, 0);
        tensor(m)->mutable_segment()->set_begin(1);
    });
}

void TestHostileForeign::contradictions() {
    QFETCH(QByteArray, bytes);
    QFETCH(int, code);
    QFETCH(QByteArray, says);
    const auto result = readHostileForeign(bytes.toStdString());
    QVERIFY(!result.ok());
    QVERIFY2(static_cast<int>(result.diag().code) == code, outcomeOf(result).c_str());
    QVERIFY2(outcomeOf(result).find(says.constData()) != std::string::npos,
             outcomeOf(result).c_str());
    QCOMPARE(exitCode(result.diag().code), 2);
}

// Types inside types, dimensions without sense: nobody counts with them.
void TestHostileForeign::typesOpenHoweverDeep() {
    for (const int depth : {1, 10, 30, 400}) {
        ModelBuilder m = smallModel();
        auto& value = *m.graph().add_input();
        value.set_name("deep");
        proto::TypeProto* type = value.mutable_type();
        for (int i = 0; i < depth; ++i)
            type = i % 2 == 0 ? type->mutable_sequence_type()->mutable_elem_type()
                              : type->mutable_optional_type()->mutable_elem_type();
        type->mutable_tensor_type()->set_elem_type(proto::TensorProto::STRING);
        const auto result = readHostileForeign(m.bytes());
        QVERIFY2(result.ok() == (depth < 100), outcomeOf(result).c_str());
        if (!result.ok()) {
            QVERIFY2(outcomeOf(result).find("nested deeper") != std::string::npos,
                     outcomeOf(result).c_str());
        }
    }
    ModelBuilder wide = smallModel();
    wide.input("z", {"2147483648", "2147483648", "2147483648"}, proto::TensorProto::STRING);
    wide.input("t", {"-5", "-9223372036854775808"}, 22);
    wide.input("u", std::vector<std::string>(5000, "7"), 17);
    const auto result = readHostileForeign(wide.bytes());
    QVERIFY2(result.ok(), outcomeOf(result).c_str());
}

void TestHostileForeign::manyInputsOpenInTime() {
    ModelBuilder m = smallModel();
    for (int i = 0; i < 100000; ++i)
        m.input("t" + std::to_string(i), {"1"}, proto::TensorProto::STRING);
    const double begin = fw::test::threadSeconds();
    const auto result = readHostileForeign(m.bytes());
    QVERIFY2(result.ok(), outcomeOf(result).c_str());
    QVERIFY(fw::test::threadSeconds() - begin < 20);
}

FW_TEST(TestHostileForeign, QCoreApplication)
#include "test_hostile_foreign.moc"
