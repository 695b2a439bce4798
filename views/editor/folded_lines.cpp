#include "views/editor/folded_lines.h"

#include <QLocale>
#include <QRegularExpression>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

// A word joiner that nobody types makes a marker different from text that reads like one.
const QString& opening() {
    static const QString text = u"\u27E8\u2060"_s;
    return text;
}

const QRegularExpression& markerPattern() {
    static const QRegularExpression pattern(
        u"\u27E8\u2060[0-9,]* more characters, folded ([0-9]{1,9})\u27E9"_s);
    return pattern;
}

} // namespace

QString FoldedLines::markerOf(const QString& rest) {
    m_rests << rest;
    return opening() + u"%1 more characters, folded %2\u27E9"_s
                           .arg(QLocale(QLocale::English).toString(rest.size()))
                           .arg(m_rests.size());
}

QString FoldedLines::folded(const QString& text) {
    QString out;
    qsizetype done = 0;
    const auto copyTo = [&](qsizetype end) {
        out += QStringView(text).mid(done, end - done);
        done = end;
    };
    for (qsizetype begin = 0; begin < text.size();) {
        qsizetype end = text.indexOf(u'\n', begin);
        if (end < 0)
            end = text.size();
        if (end - begin > limit) {
            qsizetype cut = begin + shown;
            if (text[cut].isLowSurrogate())
                --cut;
            copyTo(cut);
            out += markerOf(text.mid(cut, end - cut));
            done = end;
        } else if (QStringView(text).mid(begin, end - begin).contains(opening())) {
            copyTo(begin);
            out += markerOf(text.mid(begin, end - begin));
            done = end;
        }
        begin = end + 1;
    }
    copyTo(text.size());
    return out;
}

QString FoldedLines::whole(const QString& text) const {
    if (m_rests.isEmpty() || !text.contains(opening()))
        return text;
    QString out;
    qsizetype done = 0;
    auto matches = markerPattern().globalMatch(text);
    while (matches.hasNext()) {
        const auto match = matches.next();
        const qsizetype number = match.capturedView(1).toLongLong();
        if (number < 1 || number > m_rests.size())
            continue;
        out += QStringView(text).mid(done, match.capturedStart() - done);
        out += m_rests[number - 1];
        done = match.capturedEnd();
    }
    out += QStringView(text).mid(done);
    return out;
}

} // namespace fw::ui
