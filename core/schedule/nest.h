// One nest: a stage at the root and the stages computed inside it, with what each of their
// dimensions is there. What has no place in the nest is refused.
#pragma once

#include "loop/loop.h"
#include "schedule/lower_axes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fw {

// Why a schedule cannot be lowered; caught in lower().
struct LowerRefusal {
    std::string stage; // ScheduledStage::name
    std::string why;
    std::optional<std::size_t> step = {}; // of the schedule
};

// A buffer that handed-in memory or an outer nest provides.
struct MemoryTensor {
    TensorDecl decl;
    StorageMap map;
};

class Nest {
public:
    // Fixed: the value of an open loop of the root. Tile: over loops of the root further in. Own:
    // loops of the stage over the whole axis. Box: loops of the stage over what one iteration of
    // the open loops needs of it.
    enum class DimRole : std::uint8_t { Fixed, Tile, Own, Box };

    // A stage computed inside the nest.
    struct Member {
        bool isBox() const {
            return std::find(roles.begin(), roles.end(), DimRole::Box) != roles.end();
        }

        const ScheduledStage* scheduled = nullptr;
        Stage stage;                     // Fixed and Tile variables are those of the root
        std::vector<DimRole> roles;      // per dimension
        std::vector<ScheduledLoop> own;  // loops over Own dimensions
        std::vector<ScheduledLoop> tile; // loops of the root inside the level, over Tile dimensions
        std::set<Symbol> fixed;          // axes of the root behind Fixed dimensions
        Exprs guards;                    // where the root reaches beyond the stage's own range
        std::size_t level = 0;           // loops of the root that are open around it
        bool inMemory = false;           // stores to a parameter
        bool isFollowed = false;         // a map is computed where its sums are stored
        std::optional<std::size_t> sum;  // of such a map
        std::map<Symbol, Symbol> sumAxes; // its variables -> those of the sum, whose loops it has
    };

    // Adds memory of their own for stages that are too large for the stack.
    Nest(const ScheduledGroup& group, std::map<Symbol, MemoryTensor>& memory, std::size_t root);

    const ScheduledGroup& group() const { return m_group; }
    const ScheduledStage& root() const { return m_root; }
    const Stage& stage() const { return m_stage; } // of the root
    const NestAxes& axes() const { return m_axes; }
    // Loop of the root -> the axes it stems from.
    const std::map<Symbol, std::set<Symbol>>& origins() const { return m_origins; }
    // In stage order; the root's own reduction is the last.
    const std::vector<Member>& members() const { return m_members; }

    // The axis whose loops run over the dimension.
    static Symbol ownAxis(const Member& member, std::size_t dim);
    [[noreturn]] void refuse(const ScheduledStage& stage, const std::string& why) const;

private:
    // Stage -> its variable -> the root's.
    using Mappings = std::map<std::size_t, std::map<Symbol, Symbol>>;

    void findMembers();
    std::map<Symbol, Symbol> dimensionsOfRoot(std::size_t index, const Mappings& mappings) const;
    void addOwnReduction();
    void joinMaps();
    static bool roleByRole(const Member& map, const Stage& second, const Member& sum,
                           const Stage& first, const std::map<Symbol, Symbol>& axes);
    // Which dimensions are the root's, and which need loops of their own.
    void findRoles(Member& member, const std::map<Symbol, Symbol>& mapped) const;
    void placeMember(std::size_t stage, const std::map<Symbol, Symbol>& mapped);
    Member begun(std::size_t stage) const;
    void addLoops(Member& member, const Substitution& rename,
                  const std::set<Symbol>& tileAxes) const;
    void placeBuffer(Member& member);
    void refuseRepeated(const Member& member, const std::set<Symbol>& rootVars) const;
    void refuseInside(const Member& member, const Member& reader) const;
    void refuseInVector(const ScheduledStage& stage, std::size_t level) const;

    const ScheduledGroup& m_group;
    std::map<Symbol, MemoryTensor>& m_memory;
    const ScheduledStage& m_root;
    const Stage& m_stage;
    NestAxes m_axes;
    std::map<Symbol, std::set<Symbol>> m_origins;
    std::vector<Member> m_members;
};

std::set<Symbol> loadedTensors(const Expr& e);

} // namespace fw
