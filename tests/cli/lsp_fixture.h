// What the tests of `fw lsp` share: an editor with books that are typed, in a folder.
#pragma once

#include "cli/rpc_client.h"

#include <QFile>
#include <QTemporaryDir>

#include <memory>

namespace fw::tests {

using namespace Qt::StringLiterals;

// Every capability that changes an answer.
inline QJsonObject rich() {
    return QJsonDocument::fromJson(
               R"({"general": {"positionEncodings": ["utf-8", "utf-16"]},
                   "workspace": {"workspaceEdit": {"documentChanges": true}},
                   "textDocument": {
                     "completion": {"completionItem": {"insertReplaceSupport": true}},
                     "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
                     "publishDiagnostics": {"relatedInformation": true}}})")
        .object();
}

inline QJsonObject at(int line, int character) {
    return {{u"line"_s, line}, {u"character"_s, character}};
}

inline QJsonObject between(QJsonObject start, QJsonObject end) {
    return {{u"start"_s, start}, {u"end"_s, end}};
}

class LspFixture : public QObject {
protected:
    QString uriOf(const QString& name) const { return u"file://"_s + m_folder.filePath(name); }
    std::unique_ptr<RpcClient> started(const QJsonObject& capabilities = {},
                                       const QStringList& words = {}) const;
    void open(RpcClient& client, const QString& name, const QString& text, int version = 1) const;
    void change(RpcClient& client, const QString& name, int version,
                const QJsonArray& changes) const;
    QJsonObject place(const QString& name, int line, int character) const;
    // What is told of this version of the text.
    QJsonArray diagnostics(RpcClient& client, const QString& name, int version = 1) const;
    QString write(const QString& name, const QByteArray& text) const;

    QTemporaryDir m_folder;
};

inline std::unique_ptr<RpcClient> LspFixture::started(const QJsonObject& capabilities,
                                                      const QStringList& words) const {
    auto client = std::make_unique<RpcClient>(RpcClient::Framing::Headers,
                                              QStringList{u"lsp"_s} + words, m_folder.path());
    client->result(u"initialize"_s,
                   {{u"processId"_s, QJsonValue::Null}, {u"capabilities"_s, capabilities}});
    client->notify(u"initialized"_s);
    return client;
}

inline void LspFixture::open(RpcClient& client, const QString& name, const QString& text,
                             int version) const {
    client.notify(u"textDocument/didOpen"_s,
                  {{u"textDocument"_s, QJsonObject{{u"uri"_s, uriOf(name)},
                                                   {u"languageId"_s, u"fw"_s},
                                                   {u"version"_s, version},
                                                   {u"text"_s, text}}}});
}

inline void LspFixture::change(RpcClient& client, const QString& name, int version,
                               const QJsonArray& changes) const {
    client.notify(
        u"textDocument/didChange"_s,
        {{u"textDocument"_s, QJsonObject{{u"uri"_s, uriOf(name)}, {u"version"_s, version}}},
         {u"contentChanges"_s, changes}});
}

inline QJsonObject LspFixture::place(const QString& name, int line, int character) const {
    return {{u"textDocument"_s, QJsonObject{{u"uri"_s, uriOf(name)}}},
            {u"position"_s, at(line, character)}};
}

inline QJsonArray LspFixture::diagnostics(RpcClient& client, const QString& name,
                                          int version) const {
    for (;;) {
        const QJsonObject told = client.told(u"textDocument/publishDiagnostics"_s);
        if (told.isEmpty())
            qFatal("nothing was told of %s", qPrintable(name));
        if (told[u"uri"_s] == uriOf(name) && told[u"version"_s] == version)
            return told[u"diagnostics"_s].toArray();
    }
}

inline QString LspFixture::write(const QString& name, const QByteArray& text) const {
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("%s cannot be written", qPrintable(name));
    return file.fileName();
}

} // namespace fw::tests
