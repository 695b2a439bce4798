// A refusal with its code and words of its message.
#pragma once

#include "runtime/status.h"

#include <QTest>

#define REFUSED(expression, status, words)                                                         \
    do {                                                                                           \
        const Status refused = (expression);                                                       \
        QCOMPARE(refused.code, status);                                                            \
        QVERIFY2(refused.message.find(words) != std::string::npos, refused.message.c_str());       \
    } while (false)
