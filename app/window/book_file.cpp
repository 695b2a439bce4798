#include "app/window/book_file.h"

#include "base/files.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringDecoder>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::uint64_t largestBook = 64u << 20; // bytes

} // namespace

bool isBookFile(const QString& path) {
    static const QRegularExpression graph(u"^\\s*graph\\s"_s, QRegularExpression::MultilineOption);
    if (!path.endsWith(u".fw"_s))
        return false;
    const auto file = readBookFile(path);
    return file && !file->text.trimmed().isEmpty() && !graph.match(file->text).hasMatch();
}

Result<BookFile> readBookFile(const QString& path) {
    FW_TRY(const std::string bytes, readFile(path.toStdString(), largestBook));
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    BookFile out;
    out.text = decoder(QByteArrayView(bytes.data(), qsizetype(bytes.size())));
    if (decoder.hasError() || bytes.find('\0') != std::string::npos)
        return makeDiag(DiagCode::FileMissing, "this is no text in UTF-8", {path.toStdString()},
                        "convert it first: iconv -t utf-8");
    out.carriageReturns = out.text.contains(u"\r\n"_s);
    if (out.carriageReturns)
        out.text.replace(u"\r\n"_s, u"\n"_s);
    return out;
}

Status writeBookFile(const QString& path, const BookFile& file) {
    QString text = file.text;
    if (file.carriageReturns)
        text.replace(u"\n"_s, u"\r\n"_s);
    const QFileInfo info(path);
    const QString target = info.isSymLink() ? info.canonicalFilePath() : path;
    return writeFile((target.isEmpty() ? path : target).toStdString(), text.toUtf8().toStdString());
}

QString freeBookPath(const QString& folder, const QString& stem, const QStringList& taken) {
    for (int number = 1;; ++number) {
        const QString path = QDir(folder).absoluteFilePath(u"%1-%2.fw"_s.arg(stem).arg(number));
        if (!QFileInfo::exists(path) && !taken.contains(path))
            return path;
    }
}

} // namespace fw::ui
