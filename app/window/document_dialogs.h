// What people are asked before something is done with the document: a file, sizes, types, whether a
// library may be loaded.
//
// Owns which libraries people agreed to.
#pragma once

#include "app/window/document_files.h"
#include "views/common/intent.h"

namespace fw::ui {

class DocumentDialogs : public QObject {
    Q_OBJECT

public:
    // All live longer.
    DocumentDialogs(QWidget& window, Document& document, Settings& settings, Memory memory,
                    const Answers& answers);

    void openBook();
    void setDims();
    void setTypes();
    void openMeasurements();
    void tune(); // asks for a file unless one is open
    void verify();
    void exportModule();
    void exportRewritten();
    void savePicture(const SavePicture& save);
    void saveTensor(const SaveTensor& save);
    // Asks once for every content of a file that a book declares.
    void switchLibrary(const QString& name, bool on);

Q_SIGNALS:
    void said(const QString& text);
    void failed(const fw::Diag& diag);

private:
    bool mayLoad(const snapshot::LibraryRecord& library);
    // In the folder that was used last; `name` gets the model's in front.
    QString suggested(const QString& name) const;

    QWidget& m_window;
    Document& m_document;
    Settings& m_settings;
    const Memory m_memory;
    const Answers& m_answers;
    QStringList m_agreed; // SHA-256
};

} // namespace fw::ui
