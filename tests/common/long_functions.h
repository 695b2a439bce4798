// QtTest ends a function after five minutes, which many models take on a machine that does other
// things.
#pragma once

#include <QtTest>

namespace fw::test {

// The functions of a test may take 20 minutes each, unless QTEST_FUNCTION_TIMEOUT says otherwise.
template <class Test>
int runLong(int count, char** arguments) {
    if (!qEnvironmentVariableIsSet("QTEST_FUNCTION_TIMEOUT"))
        qputenv("QTEST_FUNCTION_TIMEOUT", "1200000");
    QCoreApplication app(count, arguments);
    Test test;
    return QTest::qExec(&test, count, arguments);
}

} // namespace fw::test
