// What the window remembers between runs. Reading is tolerant: a damaged or foreign value is the
// default.
#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>

namespace fw::ui {

enum class ThemeChoice { System, Light, Dark };

class Settings {
public:
    static constexpr int recentLimit = 10;

    QStringList recent() const;
    void addRecent(const QString& path);
    void clearRecent();

    ThemeChoice theme() const;
    void setTheme(ThemeChoice theme);
    QString target() const;
    void setTarget(const QString& target);
    QByteArray geometry() const { return m_settings.value("window/geometry").toByteArray(); }
    QByteArray state() const { return m_settings.value("window/state").toByteArray(); }
    void setLayout(const QByteArray& geometry, const QByteArray& state);
    // Of a table's columns or a splitter, by the name of the widget.
    QByteArray widths(const QString& name) const;
    void setWidths(const QString& name, const QByteArray& state);
    QString folder() const; // of the last opened or written file
    void setFolder(const QString& folder);
    // SHA-256 of the libraries that may be loaded.
    QStringList agreed() const { return m_settings.value("libraries/agreed").toStringList(); }
    void setAgreed(const QStringList& contents) {
        m_settings.setValue("libraries/agreed", contents);
    }

private:
    QSettings m_settings{QStringLiteral("Fusewright"), QStringLiteral("Fusewright")};
};

} // namespace fw::ui
