#include "app/window/settings.h"

#include "app/window/lock_file.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr off_t largestFile = 4 << 20; // bytes; ten names and the layout are some kB

// Why the file cannot be the settings', which QSettings would find out by waiting for a pipe,
// reading to the end of what has none, and replacing it in the end. Empty if it can, or if there is
// none yet.
QString whyNot(const QString& name) {
    if (const QString why = whyNoLock(name + u".lock"_s); !why.isEmpty())
        return why;
    const QByteArray file = QFile::encodeName(name);
    struct stat found = {};
    if (stat(file.constData(), &found) != 0)
        return errno == ENOENT ? QString() : QString::fromLocal8Bit(strerror(errno));
    if (S_ISDIR(found.st_mode))
        return u"it is a folder"_s;
    if (!S_ISREG(found.st_mode))
        return u"it is a device or a pipe"_s;
    if (found.st_size > largestFile)
        return u"it has %1 MB, and settings have some kB"_s.arg(found.st_size >> 20);
    return access(file.constData(), R_OK) == 0 ? QString()
                                               : QString::fromLocal8Bit(strerror(errno));
}

} // namespace

QString Settings::fileName() {
    const QString folder = qEnvironmentVariable("XDG_CONFIG_HOME");
    return QDir(QDir::home().filePath(folder.isEmpty() ? u".config"_s : folder))
        .filePath(u"Fusewright/Fusewright.conf"_s);
}

// By the name of the file, since QSettings reads those of the organisation and the system beside
// it otherwise.
Settings::Settings() {
    const QString file = fileName();
    if (const QString why = whyNot(file); !why.isEmpty())
        m_problem = u"the settings %1 are not used (%2): what is set holds until the window is "
                    "closed. Move the file away or replace it."_s.arg(file, why);
}

// Looked at each time: a QSettings that lives reads and writes when it likes, and the file may be
// another one by then.
std::unique_ptr<QSettings> Settings::file() const {
    const QString file = fileName();
    if (!m_problem.isEmpty() || !whyNot(file).isEmpty())
        return nullptr;
    return std::make_unique<QSettings>(file, QSettings::IniFormat);
}

QVariant Settings::value(QAnyStringView key) const {
    const auto kept = file();
    return kept ? kept->value(key) : m_values.value(key.toString());
}

void Settings::setValue(QAnyStringView key, const QVariant& value) {
    if (const auto kept = file(); !kept)
        m_values[key.toString()] = value;
    else if (kept->value(key) != value) // each write waits for the disk
        kept->setValue(key, value);
}

void Settings::remove(QAnyStringView key) {
    if (const auto kept = file(); kept)
        kept->remove(key);
    else
        m_values.remove(key.toString());
}

QStringList Settings::recent() const {
    QStringList out;
    for (const QString& path : value("recent").toStringList()) {
        if (!path.isEmpty() && !out.contains(path) && out.size() < recentLimit)
            out << path;
    }
    return out;
}

void Settings::addRecent(const QString& path) {
    QStringList list = recent();
    list.removeAll(path);
    list.prepend(path);
    setValue("recent", QStringList(list.mid(0, recentLimit)));
}

void Settings::clearRecent() {
    setValue("recent", QStringList());
}

void Settings::addRecentQuery(const QString& query) {
    if (query.isEmpty())
        return;
    QStringList list = recentQueries();
    list.removeAll(query);
    list.prepend(query);
    setValue("find/recent", QStringList(list.mid(0, recentLimit)));
}

ThemeChoice Settings::theme() const {
    const QString name = value("window/theme").toString();
    return name == u"light"_s  ? ThemeChoice::Light
           : name == u"dark"_s ? ThemeChoice::Dark
                               : ThemeChoice::System;
}

void Settings::setTheme(ThemeChoice theme) {
    setValue("window/theme", theme == ThemeChoice::Light  ? u"light"_s
                             : theme == ThemeChoice::Dark ? u"dark"_s
                                                          : u"system"_s);
}

QString Settings::target() const {
    return value("target").toString();
}

void Settings::setTarget(const QString& target) {
    setValue("target", target);
}

void Settings::setLayout(const QByteArray& geometry, const QByteArray& state) {
    setValue("window/geometry", geometry);
    setValue("window/state", state);
}

namespace {

// Titles are what people wrote.
QString layoutKey(int version, const QString& title) {
    return u"layouts/%1/"_s.arg(version) + QString::fromLatin1(title.toUtf8().toHex());
}

} // namespace

QByteArray Settings::layout(int version, const QString& title) const {
    return value(layoutKey(version, title)).toByteArray();
}

void Settings::setLayout(int version, const QString& title, const QByteArray& state) {
    setValue(layoutKey(version, title), state);
}

QByteArray Settings::widths(const QString& name) const {
    return value(u"widths/"_s + name).toByteArray();
}

void Settings::setWidths(const QString& name, const QByteArray& state) {
    setValue(u"widths/"_s + name, state);
}

namespace {

constexpr qsizetype mostKept = 20;          // models
constexpr qsizetype largestKept = 64 << 10; // bytes of one

QString keptKey(const QString& name) {
    return u"kept/"_s + name;
}

// A path is no key.
QString keptName(const QString& model) {
    return QString::fromLatin1(
        QCryptographicHash::hash(model.toUtf8(), QCryptographicHash::Sha1).toHex());
}

} // namespace

QByteArray Settings::kept(const QString& model) const {
    return value(keptKey(keptName(model))).toByteArray();
}

void Settings::setKept(const QString& model, const QByteArray& text) {
    const QString name = keptName(model);
    QStringList models = value("kept/models").toStringList();
    const bool isNothing = text.isEmpty() || text.size() > largestKept;
    if (isNothing && !models.contains(name))
        return;
    models.removeAll(name);
    if (isNothing)
        remove(keptKey(name));
    else
        models.prepend(name);
    while (models.size() > mostKept)
        remove(keptKey(models.takeLast()));
    if (!isNothing)
        setValue(keptKey(name), text);
    setValue("kept/models", models);
}

QString Settings::folder() const {
    const QString folder = value("folder").toString();
    return !folder.isEmpty() && QFileInfo(folder).isDir() ? folder : QDir::currentPath();
}

void Settings::setFolder(const QString& folder) {
    setValue("folder", folder);
}

} // namespace fw::ui
