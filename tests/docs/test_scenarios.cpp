// resources/docs/scenarios.md: every scenario has its row, and a row that passes names its test.
#include "common/test.h"
#include "docs/page.h"

#include <QFile>
#include <QRegularExpression>

using namespace Qt::StringLiterals;

namespace {

QString read(const QString& path) {
    QFile file(QStringLiteral(FW_SOURCE_DIR "/") + path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

struct ScenarioRow {
    QString verdict, place;
};

QMap<QString, ScenarioRow> rows() {
    static const QRegularExpression row(uR"(^\| ([A-Z]\d+) \| [^|]+ \| ([^|]+) \| (.+) \|$)"_s,
                                        QRegularExpression::MultilineOption);
    QMap<QString, ScenarioRow> out;
    for (auto match = row.globalMatch(read(u"resources/docs/scenarios.md"_s)); match.hasNext();) {
        const auto one = match.next();
        out.insert(one.captured(1), {one.captured(2), one.captured(3)});
    }
    return out;
}

} // namespace

class TestScenarios : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyScenarioHasItsRow();
    void whatPassesHasATest();
};

void TestScenarios::everyScenarioHasItsRow() {
    const QMap<QString, ScenarioRow> all = rows();
    QStringList missing;
    const auto group = [&](const QString& letter, int first, int last) {
        for (int i = first; i <= last; ++i)
            if (const QString name = letter + QString::number(i); !all.contains(name))
                missing << name;
    };
    group(u"A"_s, 1, 39);
    group(u"B"_s, 1, 18);
    group(u"C"_s, 1, 19);
    group(u"D"_s, 1, 15);
    group(u"H"_s, 1, 15);
    group(u"K"_s, 1, 16);
    group(u"L"_s, 1, 15);
    group(u"M"_s, 1, 6);
    group(u"F"_s, 1, 36);
    for (int i = 1; i <= 22; ++i)
        if (i != 11 && i != 15 && i != 17) // of eight bits
            group(u"G"_s, i, i);
    group(u"I"_s, 1, 8);
    group(u"E"_s, 1, 35);
    group(u"J"_s, 1, 12);
    group(u"J"_s, 15, 15);
    QCOMPARE(missing.join(u' '), QString());
}

void TestScenarios::whatPassesHasATest() {
    QStringList wrong;
    const QMap<QString, ScenarioRow> all = rows();
    for (auto row = all.begin(); row != all.end(); ++row) {
        if (QStringList{u"differs"_s, u"no such thing"_s, u"open"_s}.contains(row->verdict))
            continue;
        const QStringList parts = row->place.split(u": "_s);
        const QString name = parts.value(1, row.key()), text = read(parts[0]);
        // A plan as text names its scenarios in its first line.
        static const QRegularExpression word(u"([A-Z])0?([0-9]+)"_s);
        QStringList told;
        for (auto names = word.globalMatch(text.section(u'\n', 0, 0)); names.hasNext();) {
            const auto one = names.next();
            told << one.captured(1) + one.captured(2);
        }
        const bool found = parts[0].startsWith(u"tests/golden/") ? told.contains(name)
                           : parts[0].endsWith(u".fw") ? text.contains(u"test \""_s + name + u' ')
                                                       : text.contains(name);
        if (row->verdict != u"passes" || !found)
            wrong << row.key() + u": "_s + row->place;
    }
    QCOMPARE(wrong.join(u'\n'), QString());
}

FW_TEST(TestScenarios, QCoreApplication)
#include "test_scenarios.moc"
