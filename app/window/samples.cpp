#include "app/window/samples.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace fw::ui {

using namespace Qt::StringLiterals;

QList<Sample> samplesIn(const QString& folder) {
    static const std::pair<QString, QString> rows[] = {
        {u"lenet"_s, u"convolutions, pools, dense layers: every kind of group"_s},
        {u"residual"_s, u"batch norms that fold, a value that two operators read"_s},
        {u"mobilenet"_s, u"27 convolutions, many of them depthwise"_s},
        {u"attention"_s, u"batched products, softmax, layer norm, a long gelu"_s},
    };
    QList<Sample> out;
    for (const auto& [name, shows] : rows) {
        const QString path = QDir(folder).filePath(name);
        if (QFileInfo(path + u"/model.onnx"_s).isFile())
            out << Sample{name, path, shows};
    }
    return out;
}

QList<Sample> shippedSamples() {
    QDir folder(QCoreApplication::applicationDirPath());
    QStringList places{folder.filePath(u"samples"_s),
                       folder.filePath(u"../share/fusewright/samples"_s)};
    while (folder.cdUp())
        places << folder.filePath(u"samples"_s);
    for (const QString& place : places)
        if (const QList<Sample> found = samplesIn(QDir::cleanPath(place)); !found.isEmpty())
            return found;
    return {};
}

} // namespace fw::ui
