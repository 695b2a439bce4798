// Nothing is decided silently: whatever chooses, refuses or falls back leaves a Decision.
//
// Reason codes are listed once, with the sentence that people read; `{}` in the sentence is
// replaced by the evidence. The window, `fw`, logs and tests show the same records.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// clang-format off
// X(enumerator, stable code, sentence)
#define FW_REASON_CODES(X) \
    X(Fused,              "FUS01", "fused: {}") \
    X(FusedEpilogue,      "FUS02", "the implementation absorbs it as an epilogue: {}") \
    X(FusedPrologue,      "FUS03", "computed where it is read: {}") \
    X(ValueEscapes,       "ESC01", "the value is used outside the group: {}") \
    X(ValueIsResult,      "ESC02", "the value is a result of the model: {}") \
    X(NotConvex,          "CVX01", "a path leaves the group and returns: {}") \
    X(KindRefused,        "KND01", "operators of these kinds do not fuse: {}") \
    X(AbsorbsNothing,     "IMP01", "the implementation absorbs nothing: {}") \
    X(CannotAbsorb,       "IMP02", "the implementation cannot absorb it: {}") \
    X(AlreadyAnchored,    "IMP03", "the group already has an anchor: {}") \
    X(TakenByOther,       "CLM01", "another group has it: {}") \
    X(OpaqueOperator,     "OPQ01", "the operator has no tensor expression: {}") \
    X(OpaqueGroup,        "OPQ02", "nothing computes it, a group of its own: {}") \
    X(HostComputes,       "HST01", "computed by its reference, one element after another: {}") \
    X(RuntimeComputes,    "HST02", "computed by a kernel of the runtime: {}") \
    X(SizesLater,         "SIZ01", "its sizes are known when other operators have run: {}") \
    X(SizesBound,         "SIZ02", "free dimensions take their values while the model runs: {}") \
    X(NotConnected,       "CON01", "no value leads from one to the other: {}") \
    X(ShapeDiffers,       "SHP11", "the iteration spaces differ: {}") \
    X(GroupLimit,         "LIM11", "the group is as large as it may be: {}") \
    X(RecomputeCost,      "CST01", "it would be computed more than once: {}") \
    X(ChosenOnly,         "CHO01", "the only implementation: {}") \
    X(ChosenPriority,     "CHO02", "the highest priority: {}") \
    X(ChosenCost,         "CHO03", "the lowest estimated cost: {}") \
    X(ChosenOrder,        "CHO04", "equal to others and first in the book: {}") \
    X(ChosenPin,          "CHO05", "the user asked for it: {}") \
    X(ChosenMeasured,     "CHO06", "the fastest of those measured here: {}") \
    X(NotMeasured,        "CHO07", "the log does not decide: {}") \
    X(Untuned,            "CHO08", "untuned, the log does not know it: {}") \
    X(ChosenBySize,       "CHO09", "one of several, when the sizes are known: {}") \
    X(NoSuchCode,         "IMP04", "no code has this name: {}") \
    X(LoweringRefused,    "IMP05", "the implementation has no code for it: {}") \
    X(OwnComputation,     "IMP06", "a computation of the entry: {}") \
    X(PinFollowed,        "PIN01", "the user holds them together: {}") \
    X(PinApart,           "PIN02", "the user keeps them apart: {}") \
    X(PinRefused,         "PIN03", "a pin cannot be followed: {}") \
    X(PinAvoids,          "PIN04", "ruled out by a pin: {}") \
    X(FuseRuleApplied,    "FUR01", "a fusion rule puts them together: {}") \
    X(FuseRuleRefused,    "FUR02", "a fusion rule does not hold here: {}") \
    X(ExternInGroup,      "EXT01", "extern-in-group, a library call is a stage of the group: {}") \
    X(OperandLimit,       "LIM12", "the group reads as many tensors as it may: {}") \
    X(GuardFalse,         "GRD01", "its condition does not hold: {}") \
    X(GuardUndecided,     "GRD02", "its condition is not decided before the shapes are known: {}") \
    X(ScheduleDefault,    "SCH11", "the default schedule: {}") \
    X(ScheduleFallback,   "SCH12", "a simpler schedule: {}") \
    X(ScheduleWritten,    "SCH13", "the schedule of a book: {}") \
    X(LayoutChosen,       "LAY01", "stored in another order: {}") \
    X(LayoutKept,         "LAY02", "stored in row-major order: {}") \
    X(LayoutInPlace,      "LAY03", "nothing is copied: {}") \
    X(LayoutCopied,       "LAY04", "copied: {}") \
    X(ViewOf,             "MEM01", "no copy, a view: {}") \
    X(ReusesMemory,       "MEM02", "its memory is reused: {}") \
    X(RuleApplied,        "RUL11", "a rule was applied: {}") \
    X(ConditionFalse,     "RUL12", "a condition of the rule does not hold: {}") \
    X(RuleDemands,        "RUL15", "the rule asks more of the free dimensions than the model: {}") \
    X(RuleUndone,         "RUL16", "the application was undone: {}") \
    X(RuleRepeats,        "RUL18", "a part of the match stays and is computed a second time: {}") \
    X(RuleExposes,        "RUL19", "other readers of an inner value get it from the right side: {}") \
    X(MatchTaken,         "RUL20", "an earlier application took a part of the match: {}") \
    X(RuleLeftOut,        "RUL21", "the user left it out") \
    X(LeftOutUnmet,       "RUL22", "left out by the user, but it would not be applied there") \
    X(RuleRefuted,        "RUL23", "the rule is refuted and acts: {}") \
    X(RuleChanges,        "RUL24", "what the model computes is changed, as asked: {}") \
    X(RuleTurnsResult,    "RUL25", "a result of the model would have another type: {}") \
    X(NameOfPlace,        "EDT11", "the name may come from the place of the operator in the file: {}") \
    X(RuleStopped,        "RUL13", "rewriting stopped: {}") \
    X(RulesInCircle,      "RUL17", "what a rule took out would come back: {}") \
    X(FoldedConstant,     "RUL14", "computed while compiling: {}") \
    X(DimAssumed,         "DIM01", "assumed of a free dimension: {}") \
    X(NormalForm,         "IMP11", "imported in its normal form: {}") \
    X(ReadByClause,       "IMP12", "a clause of a book says what the node is: {}") \
    X(WrittenAsFunction,  "EXP11", "written with its body, as a function of the model: {}") \
    X(WrittenWithoutBody, "EXP12", "written as a node that needs the operator's text: {}") \
    X(ResultUnread,       "RES01", "not computed, nobody reads it: {}") \
    X(LibraryAbsent,      "LIB11", "the library cannot be used: {}") \
    X(LibraryRefused,     "LIB12", "the library refuses it: {}") \
    X(LibraryTakes,       "LIB13", "the library takes it: {}") \
    X(WeightsPacked,      "LIB15", "weights are packed while compiling: {}") \
    X(ReorderAdded,       "LIB16", "brought into the order that the library wants: {}") \
    X(MovedFromLibrary,   "LIB17", "the library refuses the call, the next candidate computes it: {}") \
    X(LibraryLevelLower,  "LIB18", "the library computes at a lower instruction set than the target: {}") \
    X(LibraryNotLoaded,   "LIB19", "the library of a book is not loaded: {}") \
    X(LibraryNonsense,    "LIB20", "the library does not answer as it should: {}") \
    X(OtherSizes,         "TIM01", "the runs do not compare, their sizes differ: {}") \
    X(OtherThreads,       "TIM02", "the runs do not compare, their threads differ: {}") \
    X(OtherMachine,       "TIM03", "the runs do not compare, their machines differ: {}") \
    X(TimesDisturbed,     "TIM04", "other work disturbed a time that is compared: {}") \
    X(OtherPrecision,     "TIM05", "the runs do not compare, the types of their inputs differ: {}") \
    X(WithinNoise,        "TIM06", "the difference lies within the noise: {}") \
    X(OtherModel,         "TIM07", "the runs do not compare, they have no operators in common: {}") \
    X(HazardNoCode,       "HAZ01", "nothing of ours computes it: {}") \
    X(HazardReference,    "HAZ02", "computed one element after another: {}") \
    X(HazardDouble,       "HAZ03", "computed in f64 between narrower numbers: {}") \
    X(HazardUnread,       "HAZ04", "no result of the model needs it: {}") \
    X(HazardBranch,       "HAZ05", "a branch that is never taken: {}") \
    X(HazardFreeSize,     "HAZ06", "the plan depends on a size that is not known: {}") \
    X(HazardReorder,      "HAZ07", "elements are moved to stand in another order: {}") \
    X(HazardQuantised,    "HAZ08", "quantised, and brought back before anything computes with it: {}") \
    X(LayoutEngine,       "PIC11", "drawn with the built-in layout: {}") \
    X(LayoutGraphviz,     "PIC12", "drawn with Graphviz: {}")
// clang-format on

namespace fw {

enum class ReasonCode : std::uint8_t {
#define FW_X(name, text, sentence) name,
    FW_REASON_CODES(FW_X)
#undef FW_X
};

enum class Verdict : std::uint8_t { No, Yes, Note };

struct Decision {
    std::string subject; // node, edge "a -> b", group or rule
    Verdict verdict = Verdict::Note;
    ReasonCode code = ReasonCode::Fused;
    std::string evidence;

    bool operator==(const Decision&) const = default;
    std::string sentence() const; // the reason with its evidence filled in
};

using Decisions = std::vector<Decision>;

std::string_view codeText(ReasonCode code);
std::string_view codeSentence(ReasonCode code);
std::string_view verdictText(Verdict verdict); // "no", "yes", "note"

} // namespace fw
