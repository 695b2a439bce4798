// QtTest ends a function after five minutes, which many models take on a machine that does other
// things.
#pragma once

#include <QtTest>

#include <chrono>

namespace fw::test {

// The functions of a test may take so long each, unless QTEST_FUNCTION_TIMEOUT says otherwise.
template <class Test>
int runLong(int count, char** arguments, std::chrono::milliseconds most = std::chrono::minutes(20)) {
    if (!qEnvironmentVariableIsSet("QTEST_FUNCTION_TIMEOUT"))
        qputenv("QTEST_FUNCTION_TIMEOUT", QByteArray::number(qint64(most.count())));
    QCoreApplication app(count, arguments);
    Test test;
    return QTest::qExec(&test, count, arguments);
}

} // namespace fw::test
