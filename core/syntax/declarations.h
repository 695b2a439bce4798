// Declarations by their kind: those of one kind among others, and what to do with one by its kind.
#pragma once

#include "base/declaration_kind.h"
#include "syntax/parser.h"

namespace fw {

inline const DeclarationKind& kindOf(const DeclarationTree& declaration) {
    return kindOf(declaration.keyword);
}

// Those of a kind, in their order.
template <class T>
std::vector<std::shared_ptr<const T>> each(const std::vector<DeclarationPtr>& declarations) {
    std::vector<std::shared_ptr<const T>> out;
    for (const DeclarationPtr& declaration : declarations)
        if (auto tree = declarationAs<T>(declaration))
            out.push_back(std::move(tree));
    return out;
}

// The one of a text that declares one thing; null if it declares something else.
template <class T>
std::shared_ptr<const T> only(const FileTree& file) {
    return file.errors.empty() && file.declarations.size() == 1
               ? declarationAs<T>(file.declarations.front())
               : nullptr;
}

template <class T>
bool isA(const DeclarationTree& declaration) {
    return dynamic_cast<const T*>(&declaration) != nullptr;
}

namespace by_kind {

template <class Handler>
struct Taken : Taken<decltype(&Handler::operator())> {};
template <class Handler, class Out, class T>
struct Taken<Out (Handler::*)(const T&) const> {
    static const T* in(const DeclarationTree& declaration) {
        return dynamic_cast<const T*>(&declaration);
    }
};
template <class Handler, class Out, class T>
struct Taken<Out (Handler::*)(const std::shared_ptr<const T>&) const> {
    static std::optional<std::shared_ptr<const T>> in(const DeclarationPtr& declaration) {
        auto tree = declarationAs<T>(declaration);
        return tree ? std::optional(std::move(tree)) : std::nullopt;
    }
};

} // namespace by_kind

// Hands it to the first handler that takes its kind; false if none does. Handlers take the tree of
// a DeclarationTree, [](const RuleTree& rule) {...}, or the pointer of a DeclarationPtr.
template <class Declaration, class... Handlers>
bool byKind(const Declaration& declaration, const Handlers&... handlers) {
    const auto handedTo = [&]<class Handler>(const Handler& handler) {
        const auto tree = by_kind::Taken<Handler>::in(declaration);
        if (tree)
            handler(*tree);
        return static_cast<bool>(tree);
    };
    return (handedTo(handlers) || ...);
}

} // namespace fw
