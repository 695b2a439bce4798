#include "views/common/elided_words.h"

#include <QFontMetrics>
#include <QStringList>

#include <algorithm>

namespace fw::ui {

namespace {

constexpr qsizetype leastKept = 1; // letters of a word
constexpr qsizetype longestUnit = 4;

bool givesWay(const QString& word) {
    const auto letters = std::count_if(word.begin(), word.end(),
                                       [](QChar one) { return one.isLetter() || one == u'-'; });
    const bool isPlain = std::none_of(word.begin(), word.end(), [](QChar one) {
        return one.isDigit() || one == u'_' || one == u'/' || one == u'%';
    });
    return isPlain && letters > longestUnit;
}

} // namespace

QString elidedWords(const QString& text, const QFontMetrics& metrics, int width) {
    const QString dots(QChar(0x2026));
    QStringList words = text.split(u' ');
    QList<qsizetype> kept; // letters of each word that gives way; -1: it stays
    for (const QString& word : words)
        kept << (givesWay(word) ? word.size() : -1);
    const auto shown = [&] {
        QStringList out;
        for (qsizetype i = 0; i < words.size(); ++i) {
            const QString& word = words[i];
            if (kept[i] < 0 || kept[i] >= word.size()) {
                out << word;
                continue;
            }
            const QChar last = word.back(); // a comma parts what is said
            out << word.left(kept[i]) + dots + (last.isPunct() ? QString(last) : QString());
        }
        return out.join(u' ');
    };
    while (metrics.horizontalAdvance(shown()) > width) {
        const auto longest = std::max_element(kept.begin(), kept.end());
        if (longest == kept.end() || *longest <= leastKept)
            break;
        *longest = *longest == words[longest - kept.begin()].size() ? *longest - 2 : *longest - 1;
    }
    const QString out = shown();
    return metrics.horizontalAdvance(out) <= width ? out
                                                   : metrics.elidedText(out, Qt::ElideRight, width);
}

} // namespace fw::ui
