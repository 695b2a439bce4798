// The tests of one folder are one program, which is told by name which of them to run
// (program.cpp). FW_TEST stands in place of QTEST_MAIN.
#pragma once

#include <QCoreApplication>
#include <QtTest>

#include <string>

namespace fw::test {

using TestMain = int (*)(int count, char** words); // as main, behind the name of the test

// The name of the test is that of its file: "test_calls".
class Registered {
public:
    Registered(const char* file, TestMain run);
};

const std::string& runningTest(); // for programs that start themselves again

template <class Test, class Application>
int runAs(int count, char** words) {
    Application application(count, words);
    application.setAttribute(Qt::AA_Use96Dpi);
    Test test;
    return QTest::qExec(&test, count, words);
}

} // namespace fw::test

#define FW_TEST_JOINED(a, b) a##b
#define FW_TEST_NUMBERED(number, ...)                                                              \
    static const fw::test::Registered FW_TEST_JOINED(registered, number)(__FILE__, __VA_ARGS__);

// FW_TEST(TestCalls, QCoreApplication), FW_TEST(TestCanvas, QApplication)
#define FW_TEST(Test, Application)                                                                 \
    FW_TEST_NUMBERED(__COUNTER__, &fw::test::runAs<Test, Application>)
// By a function of its own.
#define FW_TEST_BY(...) FW_TEST_NUMBERED(__COUNTER__, __VA_ARGS__)
