// QtTest ends a function after five minutes, which many models take on a machine that does other
// things.
#pragma once

#include "common/test.h"

namespace fw::test {

// The functions of a test may take so many minutes each, unless QTEST_FUNCTION_TIMEOUT says
// otherwise.
template <class Test, int minutes = 20>
int runLong(int count, char** words) {
    if (!qEnvironmentVariableIsSet("QTEST_FUNCTION_TIMEOUT"))
        qputenv("QTEST_FUNCTION_TIMEOUT", QByteArray::number(minutes * 60000));
    return runAs<Test, QCoreApplication>(count, words);
}

} // namespace fw::test
