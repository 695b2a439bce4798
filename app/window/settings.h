// What the window remembers between runs. Reading is tolerant: a damaged or foreign value is the
// default. Where a device, a pipe, a folder or something huge lies in the place of the file, that
// is neither read nor written: what is set holds for this run.
#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>
#include <QVariantMap>

#include <memory>

namespace fw::ui {

enum class ThemeChoice { System, Light, Dark };

class Settings {
public:
    static constexpr int recentLimit = 10;

    Settings();
    // $XDG_CONFIG_HOME/Fusewright/Fusewright.conf, or below ~/.config.
    static QString fileName();
    QString problem() const { return m_problem; } // why the file is not used; empty if it is

    QStringList recent() const;
    void addRecent(const QString& path);
    void clearRecent();

    ThemeChoice theme() const;
    void setTheme(ThemeChoice theme);
    QString target() const;
    void setTarget(const QString& target);
    QByteArray geometry() const { return value("window/geometry").toByteArray(); }
    QByteArray state() const { return value("window/state").toByteArray(); }
    void setLayout(const QByteArray& geometry, const QByteArray& state);
    // Named layouts: how each was left, by the set of docks; which is the current one; people's
    // own.
    QByteArray layout(int version, const QString& title) const;
    void setLayout(int version, const QString& title, const QByteArray& state);
    QString currentLayout() const { return value("layouts/current").toString(); }
    void setCurrentLayout(const QString& title) { setValue("layouts/current", title); }
    QStringList ownLayouts() const { return value("layouts/own").toStringList(); }
    void setOwnLayouts(const QStringList& titles) { setValue("layouts/own", titles); }
    // Of a table's columns or a splitter, by the name of the widget.
    QByteArray widths(const QString& name) const;
    void setWidths(const QString& name, const QByteArray& state);
    QString folder() const; // of the last opened or written file
    void setFolder(const QString& folder);
    // What was looked for, the last first; what people keep.
    QStringList recentQueries() const { return value("find/recent").toStringList(); }
    void addRecentQuery(const QString& query);
    QStringList keptQueries() const { return value("find/kept").toStringList(); }
    void setKeptQueries(const QStringList& queries) { setValue("find/kept", queries); }
    // What was left in the window beside a model that has no document, by the path of the model.
    QByteArray kept(const QString& model) const;
    void setKept(const QString& model, const QByteArray& text); // empty: nothing
    QString switched(const QString& view) const {
        return value(QStringLiteral("views/") + view).toString();
    }
    void setSwitched(const QString& view, const QString& what) {
        setValue(QStringLiteral("views/") + view, what);
    }
    // SHA-256 of the libraries that may be loaded.
    QStringList agreed() const { return value("libraries/agreed").toStringList(); }
    void setAgreed(const QStringList& contents) { setValue("libraries/agreed", contents); }

private:
    QVariant value(QAnyStringView key) const;
    void setValue(QAnyStringView key, const QVariant& value);
    void remove(QAnyStringView key);
    std::unique_ptr<QSettings> file() const; // null: not used

    QString m_problem;
    QVariantMap m_values; // of this run, without a file
};

} // namespace fw::ui
