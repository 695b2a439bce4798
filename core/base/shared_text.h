// A text that many records have in common: copies share its memory. Texts that are equal but were
// made apart share it when they come through one SharedTexts.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fw {

class SharedText {
public:
    SharedText() = default;
    SharedText(std::string text)
        : m_text(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}
    SharedText(std::string_view text) : SharedText(std::string(text)) {}
    SharedText(const char* text) : SharedText(std::string(text)) {}

    const std::string& str() const {
        static const std::string none;
        return m_text ? *m_text : none;
    }
    operator const std::string&() const { return str(); }
    operator std::string_view() const { return str(); }
    bool empty() const { return m_text == nullptr; }

    friend bool operator==(const SharedText& a, const SharedText& b) {
        return a.m_text == b.m_text || a.str() == b.str();
    }
    template <std::convertible_to<std::string_view> Text>
    requires(!std::same_as<Text, SharedText>) friend bool operator==(const SharedText& a,
                                                                     const Text& b) {
        return a.str() == std::string_view(b);
    }

private:
    std::shared_ptr<const std::string> m_text; // null: empty
};

class SharedTexts {
public:
    SharedText operator()(std::string_view text) {
        if (const auto known = m_texts.find(text); known != m_texts.end())
            return known->second;
        SharedText made(text);
        return m_texts.emplace(made.str(), made).first->second;
    }

private:
    std::unordered_map<std::string_view, SharedText> m_texts; // the keys lie in the values
};

} // namespace fw
