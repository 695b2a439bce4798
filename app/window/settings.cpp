#include "app/window/settings.h"

#include <QDir>
#include <QFileInfo>

namespace fw::ui {

using namespace Qt::StringLiterals;

QStringList Settings::recent() const {
    QStringList out;
    for (const QString& path : m_settings.value("recent").toStringList()) {
        if (!path.isEmpty() && !out.contains(path) && out.size() < recentLimit)
            out << path;
    }
    return out;
}

void Settings::addRecent(const QString& path) {
    QStringList list = recent();
    list.removeAll(path);
    list.prepend(path);
    m_settings.setValue("recent", QStringList(list.mid(0, recentLimit)));
}

void Settings::clearRecent() {
    m_settings.remove("recent");
}

ThemeChoice Settings::theme() const {
    const QString name = m_settings.value("window/theme").toString();
    return name == u"light"_s  ? ThemeChoice::Light
           : name == u"dark"_s ? ThemeChoice::Dark
                               : ThemeChoice::System;
}

void Settings::setTheme(ThemeChoice theme) {
    m_settings.setValue("window/theme", theme == ThemeChoice::Light  ? u"light"_s
                                        : theme == ThemeChoice::Dark ? u"dark"_s
                                                                     : u"system"_s);
}

QString Settings::target() const {
    return m_settings.value("target").toString();
}

void Settings::setTarget(const QString& target) {
    m_settings.setValue("target", target);
}

void Settings::setLayout(const QByteArray& geometry, const QByteArray& state) {
    m_settings.setValue("window/geometry", geometry);
    m_settings.setValue("window/state", state);
}

QByteArray Settings::widths(const QString& name) const {
    return m_settings.value(u"widths/"_s + name).toByteArray();
}

void Settings::setWidths(const QString& name, const QByteArray& state) {
    m_settings.setValue(u"widths/"_s + name, state);
}

QString Settings::folder() const {
    const QString folder = m_settings.value("folder").toString();
    return !folder.isEmpty() && QFileInfo(folder).isDir() ? folder : QDir::currentPath();
}

void Settings::setFolder(const QString& folder) {
    m_settings.setValue("folder", folder);
}

} // namespace fw::ui
