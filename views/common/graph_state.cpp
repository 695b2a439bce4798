#include "views/common/graph_state.h"

#include <QDir>
#include <QFileInfo>

namespace fw::ui {

using namespace Qt::StringLiterals;

std::string GraphState::stageText() const {
    switch (stage) {
    case Stage::Imported:
        return "imported";
    case Stage::Behind:
    case Stage::Rewritten:
        return "rewritten";
    case Stage::Partitioned:
        return "partitioned";
    case Stage::Fused:
        return "fused";
    }
    return {};
}

QString modelName(const QString& path) {
    const QFileInfo file(path);
    return file.fileName() == u"model.onnx"_s ? file.dir().dirName() + u'/' + file.fileName()
                                              : file.fileName();
}

QString GraphState::text() const {
    static const QString names[] = {u"Imported"_s, u"After application %1"_s, u"Rewritten"_s,
                                    u"Partitioned"_s, u"Fused"_s};
    QString out = names[int(stage)];
    if (stage == Stage::Behind)
        out = out.arg(application);
    if (target)
        out += u" for "_s + QString::fromStdString(*target);
    if (without)
        out += u" without "_s + QFileInfo(QString::fromStdString(*without)).fileName();
    if (model)
        out += u" of "_s + modelName(QString::fromStdString(*model));
    return out;
}

} // namespace fw::ui
