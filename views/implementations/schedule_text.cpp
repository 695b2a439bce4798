#include "views/implementations/schedule_text.h"

#include "views/common/numbers.h"
#include "views/common/text.h"

#include <QStringList>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;
using namespace snapshot;

namespace {

QString bytesCell(const std::optional<double>& bytes) {
    return bytes ? bytesText(*bytes) : u"–"_s;
}

// As a cell: registers are no more of one way than of another.
QString heldBeside(const HeldRecord& held) {
    QStringList out;
    if (held.stack > 0)
        out << bytesText(double(held.stack)) + u" stack"_s;
    if (held.memory > 0)
        out << bytesText(double(held.memory)) + u" memory"_s;
    return out.isEmpty() ? u"registers"_s : out.join(u", "_s);
}

// Padded to their widest cell; the last column is as it is.
QString columns(const QList<QStringList>& rows) {
    QList<qsizetype> widths;
    for (const QStringList& row : rows)
        for (qsizetype i = 0; i < row.size(); ++i) {
            if (i == widths.size())
                widths << 0;
            widths[i] = std::max(widths[i], row[i].size());
        }
    QString out;
    for (const QStringList& row : rows) {
        QString line;
        for (qsizetype i = 0; i < row.size(); ++i)
            line += i + 1 < row.size() ? row[i].leftJustified(widths[i] + 2) : row[i];
        while (line.endsWith(u' '))
            line.chop(1);
        out += line + u'\n';
    }
    return out;
}

} // namespace

QString heldText(const HeldRecord& held) {
    QStringList out;
    const auto add = [&](std::int64_t bytes, const QString& where) {
        if (bytes > 0)
            out << bytesText(double(bytes)) + u' ' + where;
    };
    add(held.registers, u"in registers"_s);
    add(held.stack, u"on the stack"_s);
    add(held.memory, u"in memory"_s);
    return out.isEmpty() ? u"nothing"_s : out.join(u", "_s);
}

QString loopText(const LoopRow& row) {
    const QString name = text(row.name);
    QStringList ops;
    for (const std::string& op : row.ops)
        ops << text(op);
    const QString of = ops.isEmpty() ? QString() : u"   "_s + ops.join(u", "_s);
    if (row.kind == "loop")
        return u"%1 %2 in %3"_s.arg(text(row.how), name, text(row.size));
    if (row.kind == "held")
        return u"%1: %2, %3 %4"_s.arg(name, text(row.size),
                                      row.bytes ? bytesText(double(*row.bytes)) : u"? B"_s,
                                      row.how == "register" ? u"in registers"_s
                                      : row.how == "stack"  ? u"on the stack"_s
                                      : row.how == "ring"   ? u"in a ring of rows"_s
                                                            : u"in memory"_s);
    if (row.kind == "computed")
        return (row.how == "updated" ? u"updates "_s : u"stores "_s) + name + of;
    return name;
}

QString loopTip(const LoopRow& row) {
    QString out = loopText(row);
    if (row.kind == "held")
        out += row.how == "ring"
                   ? u"\nkept while the loop inside runs: only new rows are computed"_s
               : row.how == "memory" ? u"\nwritten to memory of the model and read again"_s
                                     : u"\nheld by the thread, for what stands below it"_s;
    if (row.kind == "loop" && row.how != "for")
        out += row.how == "parallel" ? u"\nits iterations are shared by threads"_s
               : row.how == "vector" ? u"\nits iterations are lanes of a vector"_s
                                     : u"\nits iterations stand one after another in the code"_s;
    if (!row.ops.empty()) {
        out += u"\ncomes from"_s;
        for (const std::string& op : row.ops)
            out += u' ' + text(op);
    }
    return out;
}

QString conflictLines(const ScheduleDocument& schedule) {
    QString out;
    for (const DecisionRecord& one : schedule.conflicts)
        out += u"⚠ %1  %2\n"_s.arg(text(one.sentence), text(one.code));
    return out;
}

QString branchLines(const ScheduleDocument& schedule) {
    if (schedule.branches.empty())
        return {};
    QString out = u"when the sizes are known\n"_s;
    QString indent = u"  "_s;
    for (const BranchRecord& branch : schedule.branches) {
        out += indent + text(branch.condition) + u'\n';
        out += indent + u"  "_s + text(branch.implementation) + u"   "_s +
               (branch.sizes.empty() ? u"by several sizes"_s : text(branch.sizes)) +
               (branch.estUs ? u"   "_s + timeText(*branch.estUs) : QString()) + u'\n';
    }
    return out;
}

QString wayLines(const ScheduleDocument& schedule) {
    if (schedule.ways.empty())
        return {};
    const bool measured =
        std::any_of(schedule.ways.begin(), schedule.ways.end(),
                    [](const WayOfGroup& way) { return way.measuredUs.has_value(); });
    QList<QStringList> rows;
    QStringList heads = {u""_s, u"est."_s};
    if (measured)
        heads << u"time"_s;
    heads << u"moved"_s << u"holds"_s;
    rows << heads;
    QString notes;
    for (const WayOfGroup& way : schedule.ways) {
        QStringList cells = {(way.taken ? u"▸ "_s : u"  "_s) + text(way.way), timeCell(way.estUs)};
        if (measured)
            cells << timeCell(way.measuredUs);
        cells << bytesCell(way.bytes)
              << (way.held             ? heldBeside(*way.held)
                  : way.way == "apart" ? QString()
                                       : u"–"_s);
        rows << cells;
        if (!way.note.empty())
            notes += text(way.way) + u": "_s + text(way.note) + u'\n';
    }
    return columns(rows) + notes;
}

} // namespace fw::ui
