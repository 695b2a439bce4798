#include "views/steps/step_texts.h"

#include <QStringList>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

QString listed(const std::vector<std::string>& names) {
    QStringList out;
    for (const std::string& name : names)
        out << QString::fromStdString(name);
    return out.join(u", "_s);
}

} // namespace

QString sentenceOf(const snapshot::StepDocument& document) {
    const snapshot::ApplicationRecord& one = *document.application;
    QString out = (document.choice ? u"in place of %1 of %2: %3 at %4"_s : u"%1 of %2: %3 at %4"_s)
                      .arg(one.number)
                      .arg(document.total)
                      .arg(QString::fromStdString(one.rule), QString::fromStdString(one.at));
    if (!one.body.empty())
        out += u" in "_s + QString::fromStdString(one.body);
    if (document.stopped == "end")
        out += u"; nothing to stop at came before the end"_s;
    else if (!document.stopped.empty())
        out += u"; stopped, "_s + QString::fromStdString(document.stopped);
    if (document.hidden > 0)
        out += u"; %1 more operators around it"_s.arg(document.hidden);
    if (document.instead && document.instead->number > 0)
        out += u"; needs %1 left out"_s.arg(listed(document.instead->leaveOut));
    else if (document.instead)
        out += u"; "_s + QString::fromStdString(document.instead->refused);
    return out;
}

QString choiceText(const snapshot::StepChoice& choice) {
    return QString::fromStdString(choice.rule + " at " + choice.at);
}

QString choiceTip(const snapshot::StepChoice& choice) {
    QStringList matched;
    for (const snapshot::RewrittenNode& node : choice.matched)
        matched << QString::fromStdString(node.op + " " + node.name);
    QString out = u"%1: %2. Both have %3"_s.arg(choiceText(choice), matched.join(u", "_s),
                                                listed(choice.shared));
    return choice.unfit.empty() ? out : out + u". "_s + QString::fromStdString(choice.unfit);
}

} // namespace fw::ui
