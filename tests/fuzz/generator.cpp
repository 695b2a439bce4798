#include "fuzz/generator.h"

#include "fuzz/recipes.h"

#include <algorithm>

namespace fw::fuzz {

namespace {

// Operators one by one, then whole shapes; drawn by weight among all.
struct Table {
    std::vector<Recipe> single, planted;
    std::vector<std::size_t> drawSingle, drawPlanted; // an index per unit of weight
};

std::vector<std::size_t> drawn(const std::vector<Recipe>& recipes) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < recipes.size(); ++i)
        out.insert(out.end(), static_cast<std::size_t>(recipes[i].weight), i);
    return out;
}

// An operator of the library that has no recipe: operands of one shape, attributes by default.
Recipe plainRecipe(const Operator& op) {
    const std::string name = op.name();
    const std::size_t operands = op.inputNames().size();
    return {name, 4, [name, operands](Maker& maker) {
                std::vector<Id> ids = {maker.value()};
                while (ids.size() < operands)
                    ids.push_back(partner(maker, ids.front()));
                return maker.one(name, ids, maker.factors(name));
            }};
}

// Made by the model itself, or by no computation.
bool isLeaf(const std::string& op) {
    return op == "input" || op == "constant" || op == "unknown";
}

const Table& table(const OperatorSet& operators) {
    static const Table made = [&] {
        Table out;
        for (const auto& family : {elementwiseRecipes(), movementRecipes(), computeRecipes(),
                                   functionRecipes(), selectionRecipes(), windowRecipes(),
                                   arrayRecipes(), sizeRecipes(), integerRecipes(), newerRecipes()})
            out.single.insert(out.single.end(), family.begin(), family.end());
        for (const Operator* op : operators.all())
            if (!isLeaf(op->name()) &&
                std::none_of(out.single.begin(), out.single.end(),
                             [&](const Recipe& recipe) { return recipe.name == op->name(); }))
                out.single.push_back(plainRecipe(*op));
        for (const auto& family : {plantedRecipes(), ruleRecipes()})
            out.planted.insert(out.planted.end(), family.begin(), family.end());
        out.drawSingle = drawn(out.single);
        out.drawPlanted = drawn(out.planted);
        return out;
    }();
    return made;
}

// Every operator as often as any other, and of any element type: by weights alone, and of the main
// type, some come once in a thousand graphs. What does not fit is tried again on other operands.
void drawEvenly(Maker& maker, const std::vector<Recipe>& recipes) {
    const Recipe& recipe = maker.random.pick(recipes);
    const DType main = maker.main();
    const std::size_t before = maker.operators(recipe.name);
    for (int attempt = 0; attempt < 6 && maker.operators(recipe.name) == before; ++attempt) {
        maker.use(maker.random.chance(40) ? main : maker.anyType());
        recipe.make(maker);
    }
    maker.use(main);
}

} // namespace

Case makeCase(std::uint64_t seed, const std::shared_ptr<const OperatorSet>& operators) {
    Maker maker(seed, operators);
    const std::size_t wish = 2 + maker.random.below(maker.random.chance(15) ? 16 : 8);
    const int planted = maker.random.chance(50) ? 35 : 5;
    for (int attempts = 0; maker.operators() < wish && attempts < 60; ++attempts) {
        const bool whole = maker.random.chance(planted);
        const Table& of = table(*operators);
        if (!whole && maker.random.chance(45)) {
            drawEvenly(maker, of.single);
            continue;
        }
        const std::vector<std::size_t>& draw = whole ? of.drawPlanted : of.drawSingle;
        const std::vector<Recipe>& recipes = whole ? of.planted : of.single;
        recipes[maker.random.pick(draw)].make(maker);
    }
    if (maker.operators() == 0)
        maker.one("relu", {maker.input({Dim(3)})});
    return maker.finish();
}

} // namespace fw::fuzz
