#include "app/window/one_window.h"

#include "app/window/main_window.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <QtNetwork/QLocalServer>
#include <QtNetwork/QLocalSocket>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int patience = 1000; // milliseconds; a window that hangs raises none

} // namespace

QString OneWindow::socketOf(const QString& path) {
    const QString file = QFileInfo(path).canonicalFilePath();
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation);
    if (file.isEmpty() || folder.isEmpty())
        return {};
    const QByteArray name =
        QCryptographicHash::hash(file.toUtf8(), QCryptographicHash::Sha256).toHex().left(32);
    return QDir(folder).filePath(u"fusewright-"_s + QString::fromLatin1(name));
}

OneWindow::OneWindow(MainWindow& window) : m_window(window), m_server(new QLocalServer(this)) {
    m_server->setSocketOptions(QLocalServer::UserAccessOption);
    connect(&window.document(), &Document::modelChanged, this, &OneWindow::listen);
    connect(&window.document(), &Document::fileChanged, this, &OneWindow::listen);
    connect(m_server, &QLocalServer::newConnection, this, [this] {
        while (QLocalSocket* client = m_server->nextPendingConnection()) {
            connect(client, &QLocalSocket::disconnected, client, &QObject::deleteLater);
            connect(client, &QLocalSocket::readyRead, client, [this, client] {
                if (client->read(6) == "raise\n") {
                    m_window.setWindowState(m_window.windowState() & ~Qt::WindowMinimized);
                    m_window.show();
                    m_window.raise();
                    m_window.activateWindow();
                    client->write("raised\n");
                }
                client->disconnectFromServer();
            });
        }
    });
}

// The window that came first keeps the name.
void OneWindow::listen() {
    const Document& document = m_window.document();
    const QString name =
        socketOf(document.documentPath().isEmpty() ? document.path() : document.documentPath());
    if (name == m_server->fullServerName())
        return;
    m_server->close();
    if (name.isEmpty() || m_server->listen(name))
        return;
    QLocalSocket other;
    other.connectToServer(name);
    if (other.waitForConnected(patience))
        return;
    QLocalServer::removeServer(name); // of a window that was killed
    m_server->listen(name);
}

bool OneWindow::raise(const QString& path) {
    const QString name = path.isEmpty() ? QString() : socketOf(path);
    if (name.isEmpty() || !QFileInfo::exists(name))
        return false;
    QLocalSocket other;
    other.connectToServer(name);
    if (!other.waitForConnected(patience))
        return false;
    other.write("raise\n");
    other.flush();
    return other.waitForReadyRead(patience) && other.readAll() == "raised\n";
}

} // namespace fw::ui
