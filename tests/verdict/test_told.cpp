// What is said of rules that differ somewhere: refuted, or accepted with what the verdict leaves
// out.
#include "common/test.h"
#include "library/library.h"
#include "tensor/op_def.h"
#include "verdict/verdict.h"

#include <QRegularExpression>

#include <ctime>
#include <memory>

using namespace fw;

class TestTold : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rules_data();
    void rules();
    void timeIsBounded();
};

namespace {

std::string textOfRules() {
    std::string out;
    for (const char* name :
         {"told_rules.fw", "more_rules.fw", "drawn_rules.fw", "shape_rules.fw", "near_rules.fw"}) {
        QFile file(QStringLiteral(FW_SOURCE_DIR "/tests/verdict/") + QString::fromLatin1(name));
        if (!file.open(QIODevice::ReadOnly))
            qFatal("%s", qPrintable(file.errorString()));
        out += file.readAll().toStdString();
    }
    return out;
}

// FW_SEED=2 by hand: what is said here was seen at 1.
std::uint64_t seed() {
    return std::max<std::uint64_t>(1, qEnvironmentVariableIntValue("FW_SEED"));
}

// Of this thread: what else the machine does is another matter.
double seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

RuleTrial trialOf(const RuleBook& book, const QString& name) {
    for (const auto& entry : book.entries)
        if (const auto rule = std::dynamic_pointer_cast<const RuleTree>(entry);
            rule && rule->name == name.toStdString()) {
            auto operators = std::make_shared<OperatorSet>(*standardOperators());
            for (const auto& op : rule->operators)
                if (auto defined = defineOperator(op, "told_rules.fw");
                    !defined || !operators->add(*defined))
                    qFatal("%s is no operator", op->name.c_str());
            const double begin = seconds();
            RuleTrial out = tryRule(rule, book, operators, seed());
            qInfo("%-30s %4d cases %7.1f ms  %s %s", qPrintable(name), out.cases,
                  (seconds() - begin) * 1e3, out.verdict().c_str(),
                  out.wrong ? out.wrong->difference.c_str() : out.untried.c_str());
            return out;
        }
    qFatal("%s is not there", qPrintable(name));
}

} // namespace

void TestTold::rules_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("wanted");
    const QString text = QString::fromStdString(textOfRules());
    static const QRegularExpression pairs(QStringLiteral("^#= (.*)\nrule (\\w+)"),
                                          QRegularExpression::MultilineOption);
    int rules = 0;
    QSet<QString> names; // rules are looked for by these
    for (auto found = pairs.globalMatch(text); found.hasNext(); ++rules) {
        const auto one = found.next();
        QVERIFY2(!names.contains(one.captured(2)), qPrintable(one.captured(2)));
        names.insert(one.captured(2));
        QTest::newRow(qPrintable(one.captured(2))) << one.captured(2) << one.captured(1);
    }
    QVERIFY(rules > 600);
}

void TestTold::rules() {
    QFETCH(QString, name);
    QFETCH(QString, wanted);
    static const RuleBook book = parseRules(textOfRules(), "told_rules.fw").value();
    const RuleTrial trial = trialOf(book, name);
    const QString verdict = QString::fromStdString(trial.verdict());
    if (wanted == QStringLiteral("refuted")) {
        QCOMPARE(verdict, wanted);
        return;
    }
    QVERIFY2(!trial.wrong, trial.wrong ? trial.wrong->difference.c_str() : "");
    QVERIFY(trial.cases > 0);
    if (wanted == QStringLiteral("stands")) {
        for (const ButFor what : {ButFor::NaN, ButFor::Infinities, ButFor::Wrapping})
            QVERIFY2(!trial.butFor.contains(what), qPrintable(verdict));
        return;
    }
    const QString what = wanted.mid(QStringLiteral("but for ").size());
    const bool named = std::any_of(trial.butFor.begin(), trial.butFor.end(), [&](const auto& one) {
        return what == QString::fromStdString(std::string(butForText(one.first))) &&
               !one.second.empty();
    });
    QVERIFY2(named, qPrintable(verdict));
    QVERIFY2(verdict.contains(what), qPrintable(verdict));
}

// As long as one waits for a book that is typed.
void TestTold::timeIsBounded() {
    const RuleBook book =
        parseRules("rule r { match y = softmax(mul(x: f32[N, M], k: const)) {axis} "
                   "where all(k > 0) emit y = softmax(mul(x, k)) {axis = axis} }",
                   "book.fw")
            .value();
    const double begin = seconds();
    QVERIFY(!trialOf(book, QStringLiteral("r")).wrong);
    const double took = seconds() - begin;
    QVERIFY2(took < 10, qPrintable(QString::number(took)));
}

FW_TEST(TestTold, QCoreApplication)
#include "test_told.moc"
