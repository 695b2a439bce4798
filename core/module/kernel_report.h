// What became of the groups of a plan when they were compiled.
#pragma once

#include "base/decision.h"
#include "fusion/group.h"
#include "fusion/group_parts.h"
#include "loop/loop.h"
#include "module/in_place.h"

#include <string>
#include <vector>

namespace fw {

// A step that brings a tensor into the order that a library wants, or back.
struct ReorderStep {
    std::string name; // of the step
    std::string value;
    std::string layout; // on the library's side
    double bytes = -1;  // read and written; -1: depends on free dimensions
};

// What became of one group, for the stages view, `fw fuse` and `fw explain`.
struct KernelReport {
    int group = -1;
    std::string schedule;              // its name
    std::string scheduleText;          // as a value
    std::string tensorText;            // the tensor expression
    LoopNest nest;                     // graph node ids as provenance
    int kernel = -1;                   // into CompiledModule::kernels; -1: a library computes it
    bool host = false;                 // a reference computes it: no nest, no call
    std::string libraryCall;           // its text, then there is no nest
    std::string library;               // whose call it is: "openblas"
    std::vector<std::string> postOps;  // what the call does after its own computation, in order
    std::vector<ReorderStep> reorders; // around the call
    // Of a group whose library's call is one stage among others: the stages in order, each with its
    // nest or its call; `nest` is empty then.
    // Of one that the sizes choose the implementation of: the ways to compute it.
    std::vector<KernelReport> parts;
    std::string when; // of such a way: "where M <= 16: M = N (my.fw:3)", "else"; empty: of none
    std::string implementation; // that computes it in the end: as planned, or what it moved to
    Decisions decisions;
};

// Of a group that its reference computes.
KernelReport reportOfHost(const Group& group);
// `notices`: what is to be said of it before its decisions.
KernelReport reportOf(const Graph& graph, const Group& group, const std::vector<InPlace>& inPlace,
                      const Decisions& notices);
// Reports of parts as those of the groups that they are of.
std::vector<KernelReport> joined(const FusionPlan& plan, const PlanOfParts& parts,
                                 std::vector<KernelReport> reports);

} // namespace fw
