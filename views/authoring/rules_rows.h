// A rule as a row, and below it the places where it matches and what it did.
#pragma once

#include "snapshot/inputs.h"
#include "snapshot/records.h"
#include "views/common/pane.h"

#include <QList>
#include <QString>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fw::ui {

// What is known of the rules of a document; any part may be missing.
struct RulesContent {
    std::vector<snapshot::Book> books;
    std::vector<std::string> without; // shipped books that are switched off
    std::map<std::string, std::shared_ptr<const snapshot::CheckDocument>> checks; // by path
    std::shared_ptr<const snapshot::RewriteDocument> rewrite; // what was applied
    std::vector<std::shared_ptr<const snapshot::MatchDocument>> matches;
    std::shared_ptr<const snapshot::BisectDocument> bisected; // how far applications took outputs
    std::shared_ptr<const snapshot::OrderDocument> order;     // may say what each book won
};

struct RulesItem {
    enum class Check : std::uint8_t { None, Off, On };
    int parent = -1;
    int row = 0;
    QString name, verdict, detail, tip;
    Tone tone = Tone::None, verdictTone = Tone::None;
    Check check = Check::None;
    QString path;
    QString file;
    int line = 0;
    QList<qint64> nodes;
    bool rewritten = false;
    bool closed = false;
    std::vector<int> children;
};

class RulesRows {
public:
    // The content is read when a rule is added.
    explicit RulesRows(const RulesContent& content) : m_content(&content) {}

    const std::vector<RulesItem>& items() const { return m_items; }
    const std::vector<int>& top() const { return m_top; }

    int add(int parent, RulesItem item);
    // Null if it was not asked for or is not known yet. `file` empty: of the library.
    const snapshot::RuleMatches* matchesOf(const std::string& rule, const std::string& file,
                                           bool rewritten) const;
    const snapshot::AppliedRecord* appliedOf(const std::string& rule,
                                             const std::string& file) const;
    int addRule(int book, RulesItem row, const snapshot::RuleMatches* matches,
                const snapshot::AppliedRecord* applied);

private:
    const snapshot::ApplicationError* errorOf(std::int64_t application) const;
    void addMatches(int rule, const snapshot::RuleMatches& matches, bool rewritten);
    void addApplications(int rule, const snapshot::AppliedRecord& applied);

    const RulesContent* m_content;
    std::vector<RulesItem> m_items;
    std::vector<int> m_top;
};

// A file of the library is named without a folder.
inline bool isShipped(const std::string& file) {
    return file.find('/') == std::string::npos;
}

} // namespace fw::ui
