// The words of the language, each with the sentence that an editor shows.
#include "condition/condition.h"
#include "session/text_context.h"

namespace fw {

namespace {

constexpr std::string_view constraint = "the value is a constant: a weight, or what folds into one";
constexpr std::string_view conditions = "conditions that must hold of a match; a comma joins them";
constexpr std::string_view keys =
    "the targets that this is for: any, cpu, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, a CPU, or "
    "what a target of a book is called";

} // namespace

const std::vector<LanguageWord>& languageWords() {
    static const std::vector<LanguageWord> words = {
        {"op", "", "an operator: its signature is the shape inference, its body the computation"},
        {"pattern", "", "a pattern with parameters, used as NAME(operands)"},
        {"chain", "", "steps that are used behind >> by their name alone"},
        {"rule", "", "a rewrite: where `match` fits, `emit` takes its place"},
        {"builtin", "", "a rewrite of the program, run at this place of the order"},
        {"test", "", "what the declaration before it does to a small graph; fw check runs it"},
        {"graph", "", "a graph of operators as text"},
        {"target", "", "a target in terms of another one: what is different"},
        {"library", "",
         "a shared library of yours, by its path from here: composites name its kernels"},
        {"implementations", "", "what may compute an operator, or every operator of a kind"},
        {"schedule", "", "how loops are made of a computation, step by step"},
        {"composite", "", "operators that a library computes by one call"},
        {"fuse", "", "a match that becomes one group before anything grows"},
        {"grow", "", "whether operators of one kind join a group of another kind"},
        {"include", "", "another book that is read before this one, by its path from here"},
        {"pin", "", "what the user wants of single operators: together, apart, by which code"},

        {"match", "rule", "the values to look for: NAME = pattern, ..."},
        {"where", "rule", conditions},
        {"let", "rule", "a name for a value that emit uses"},
        {"emit", "rule", "what each value of match becomes"},
        {"duplicate", "rule",
         "inner values may be used outside the match: they are computed twice"},
        {"expose", "rule",
         "inner values that may be used outside the match: emit gives them, too, and a group of "
         "fuse or composite hands them on"},
        {"stage", "rule", "when the rule runs: simplify, before partition or before fusion"},
        {"strategy", "rule", "how often: once, sweep or fixpoint (the default)"},
        {"simplify", "rule", "on the imported graph, before anything is planned"},
        {"before", "rule", "before partition, before fusion: behind the rules that simplify"},
        {"partition", "rule", "behind all rules that simplify"},
        {"fusion", "rule", "behind the rules that stand before partition"},
        {"once", "rule", "at the first place in the graph only"},
        {"sweep", "rule", "at every place that there is, once"},
        {"fixpoint", "rule", "again and again until no rule changes the graph"},
        {"given", "rule",
         "given(c): whether the optional c was there; given(c, p, q): p if it was, else q"},
        {"value", "rule", "value(c): the number in a constant, as an attribute or in a condition"},
        {"op", "rule", "an operator that is needed once: op (x: T[S...]) -> y: T[S...] { ... }(p)"},
        {"libs", "rule", "libs has NAME: the library may be used"},
        {"target", "rule", "target has KEY: the target offers an instruction set"},
        {"has", "rule", "libs has onednn, target has x86-64-v3"},
        {"any", "rule", "any value, without a name; of a type any element type or extent"},
        {"const", "rule", constraint},
        {"same", "rule", "same(v): of the same type as v; same(^) as what comes before"},
        {"kind", "rule", "kind K(...): any operator of the kind, of maps also an easier one"},
        {"in", "rule", "an attribute in a range or one of several: groups in 1..4, axis in {0, 1}"},
        {"input", "rule", "the value is an input of the graph"},
        {"not", "rule", "not p: a value that is not p"},
        {"out", "rule", "out(1, p): a further result of the operator that p ends with"},
        {"assoc", "rule", "assoc add(p, q, ...xs): calls of an operator, nested in any way"},
        {"dominated", "rule",
         "dominated(p, path, q): q, to which every way from p leads over steps that match path"},

        {"match", "fuse", "the operators of the group, as a pattern"},
        {"where", "fuse", conditions},
        {"as", "fuse", "how the group is computed: stacked, or for a library"},
        {"stacked", "fuse", "one nest of loops behind the other in the same function"},
        {"for", "fuse", "the library that computes the group"},
        {"on", "fuse", keys},
        {"match", "composite", "what the call computes, as a pattern"},
        {"where", "composite", conditions},
        {"for", "composite",
         "the library that computes it; of one of yours the kernel: toylib.conv"},

        {"forward", "grow", "the reader joins the group of what it reads, as its epilogue"},
        {"into", "grow", "a group of maps joins the group of its reader, as its prologue"},
        {"never", "grow", "not at all, whatever later rules say"},
        {"limit", "grow", "how many operators a group may have"},
        {"operands", "grow", "how many tensors a group may read"},

        {"let", "implementations", "a name for a number that conditions use"},
        {"on", "implementations", keys},
        {"by", "implementations", "the code behind an entry that has a name of its own"},
        {"compute", "implementations",
         "a call of other operators that gives the same: compute OP(operands)"},
        {"schedule", "implementations", "by schedule NAME: the loops that a schedule makes"},
        {"priority", "implementations",
         "the highest one whose condition holds is chosen; 10 unless written"},
        {"when", "implementations",
         "the condition of an entry, over dims, attributes and operands"},
        {"given", "implementations", "given(b): whether the optional operand b is there"},
        {"absorbs", "implementations", "what may join the call: none, any or a chain"},
        {"none", "implementations", "nothing joins the call"},
        {"any", "implementations", "whatever the code accepts; as a target: every one"},
        {"kind", "implementations", "every operator of a kind"},
        {"in", "implementations", "one of several: groups in {1, 2}"},
        {"libs", "implementations", "libs has NAME: the library may be used"},
        {"target", "implementations", "target has KEY: the target offers an instruction set"},
        {"has", "implementations", "libs has onednn, target has x86-64-v3"},

        {"for", "schedule",
         "the operator or kind whose default it is: it is offered for every call"},
        {"kind", "schedule", "every operator of a kind"},
        {"any", "schedule", "every operator that has a tensor expression"},
        {"on", "schedule", keys},
        {"in", "schedule", "the numbers that a knob may be: 4..32 or {8, 16}"},
        {"row", "schedule", "layout(row-major): as the tensor is declared"},
        {"major", "schedule", "layout(row-major): as the tensor is declared"},
        {"knob", "schedule", "a number by name: knob rows in 4..32 = 14"},
        {"anchor", "schedule", "the stage that computes the operator"},
        {"epilogue", "schedule", "the stage that stores what the nest of the anchor computes"},
        {"reduce", "schedule", "the reduced loops that the step does not name, in their order"},
        {"space", "schedule",
         "the loops of the result that the step does not name, in their order"},
        {"each", "schedule", "every stage of the group, in a nest of its own"},
        {"outermost", "schedule",
         "the first loop of the result, as they lie, that has more than one iteration"},
        {"lanes", "schedule", "how many f32 a vector of the target has"},
        {"registers", "schedule", "how many vector registers the target has"},
        {"threads", "schedule", "how many threads the target has"},
        {"min", "schedule", "the smaller number"},
        {"max", "schedule", "the larger number"},
        {"split", "schedule",
         "a.split(axis, outer, inner, factor, guard): axis = outer * factor + inner"},
        {"guard", "schedule", "a condition keeps the last, incomplete tile inside"},
        {"peel", "schedule", "complete tiles, then a copy of the loop for the rest"},
        {"fuse", "schedule", "neighbouring loops become one, the last moving fastest"},
        {"reorder", "schedule", "these loops in this order, in the places that they take"},
        {"parallel", "schedule", "threads, at least so many iterations each; the outermost loop"},
        {"vectorize", "schedule", "lanes of vectors; the innermost loop"},
        {"unroll", "schedule", "straight-line code"},
        {"inline", "schedule", "computed where it is read"},
        {"at", "schedule", "computed inside a loop of another stage"},
        {"accumulate", "schedule", "the sums of a tile are held inside the loop"},
        {"partial", "schedule",
         "an accumulator per iteration of a reduced loop, folded at the end"},
        {"layout", "schedule", "the order in which a constant is packed"},

        {"on", "target", "what it stands on: x86-64 for this machine's CPU, a CPU, another target"},
        {"keys", "target", "what books call it beside its name, the most specific first"},
        {"libs", "target", "the libraries that it has, unless -libs= says other ones"},
        {"features", "target", "what its CPU has beyond the one that it stands on"},
        {"vector_bits", "target", "how wide the vectors of its code are: 128, 256 or 512"},
        {"threads", "target", "how many threads it has, unless -threads= says another number"},
        {"requires", "target", "what begins like this pattern in a model is all of it"},

        {"together", "pin", "these operators in one group"},
        {"apart", "pin", "these operators in different groups"},
        {"use", "pin", "use IMPLEMENTATION for OPERATORS"},
        {"avoid", "pin", "avoid IMPLEMENTATION or LIBRARY for OPERATORS, or for any"},
        {"with", "pin", "the implementation that computes the group"},
        {"for", "pin", "the operators that this is about"},
        {"any", "pin", "every operator"},
        {"because", "pin", "the reason, shown where it decides"},

        {"of", "test", "what the test is about, if it is not the declaration before it"},
        {"graph", "test", "the graph that is looked at"},
        {"expect", "test", "match N, none, none \"reason\", or becomes graph"},
        {"match", "test", "how many matches there are"},
        {"none", "test", "no match; a text is part of the reason that the nearest miss gives"},
        {"becomes", "test", "the graph after the rule fired as often as it does"},

        {"const", "graph", "a constant: const [1, 2] : f32[2], const random(7) : f32[4, 4]"},
        {"random", "graph", "values from a seed"},
        {"hash", "graph", "what the values of a large constant are told apart by"},
        {"node", "graph", "@node(\"name\"): the name that the node has in a model"},
        {"from", "graph", "@from(4, 5): the imported nodes that this one stands for, by number"},
        {"unknown", "graph", "an operator that the library does not have"},
        {"assume", "graph", "what must hold of the free dimensions"},
        {"body", "graph", "a graph inside the node before it: body NAME(operands) graph ..."},
        {"none", "graph", "an optional operand that is not there"},

        {"attr", "op", "an attribute: NAME: int | float | bool | text | dtype, = default"},
        {"T", "op", "any element type, the same wherever it stands"},
        {"int", "op", "an attribute that is an integer"},
        {"float", "op", "an attribute that is a number"},
        {"bool", "op", "an attribute that is yes or no"},
        {"text", "op", "an attribute that is a text"},
        {"dtype", "op", "an attribute that is an element type"},
        {"bcast", "op", "an operand that broadcasts as NumPy does"},
        {"requires", "op", "calls for which this does not hold are refused"},
        {"where", "op", "dims that are computed: where OH = ..."},
        {"onnx", "op",
         "the ONNX nodes that this is: \"domain\" \"Type\" since N {ours = theirs, theirs == 0}"},
        {"since", "op", "the first opset of the domain in which a node means this"},
        {"until", "op", "the last opset of the domain in which a node means this"},
        {"let", "op", "a tensor between operands and result"},
        {"each", "op", "a statement for every operand of a variadic parameter"},
        {"sum", "op", "sum(k in K : ...)"},
        {"max", "op", "max(k in K : ...), or the larger one"},
        {"min", "op", "min(k in K : ...), or the smaller one"},
        {"prod", "op", "prod(k in K : ...)"},
        {"pad", "op", "pad(x[...], v): v where the read leaves its tensor"},
        {"wrap", "op", "wrap(i, D): counts negative indices from the end"},
        {"select", "op", "select(c, a, b): a where c holds, else b"},
        {"cast", "op", "cast(x, dtype)"},
        {"exp", "op", "e to the power of x"},
        {"log", "op", "the natural logarithm"},
        {"sqrt", "op", "the square root"},
        {"rsqrt", "op", "one over the square root"},
        {"sqr", "op", "x times x"},
        {"tanh", "op", "the hyperbolic tangent"},
        {"erf", "op", "the error function"},
        {"sigmoid", "op", "1 / (1 + exp(-x))"},
        {"abs", "op", "without its sign"},
        {"floor", "op", "the next integer below"},
        {"ceil", "op", "the next integer above"},
        {"round", "op", "the nearest integer, halves to even"},
        {"sign", "op", "-1, 0 or 1"},
        {"sin", "op", "the sine, of radians"},
        {"cos", "op", "the cosine, of radians"},
        {"div", "op", "div(x, y): the quotient, of integers cut toward 0"},
        {"fma", "op", "fma(x, y, z): x * y + z, rounded once"},
        {"in", "op",
         "the axis that a reduction goes over: k in K; one of several: T in {f16, f32}"},
        {"pow", "op", "pow(x, y): x to the power of y"},
        {"given", "op", "given(b, p, q): p if the optional b is there, else q"},
        {"before", "op", "before(D): the extents of the operands before this one"},
        {"total", "op", "total(D): the sum of an extent over the operands"},

        {"elementwise", "kind", "a map of elements at the same place"},
        {"broadcast", "kind", "a map that repeats elements of a smaller operand"},
        {"injective", "kind", "elements moved, none twice"},
        {"reduction", "kind", "sums, maxima and the like over axes"},
        {"window", "kind", "reductions over windows: pooling"},
        {"rowwise", "kind", "a row reduced and gone over again: softmax, layernorm"},
        {"contraction", "kind", "sums of products: dense, conv2d"},
        {"opaque", "kind", "computed by code of its own, without an expression"},
    };
    return words;
}

std::string_view wordSentence(std::string_view word, std::string_view keyword) {
    // Patterns and chains are written like the left side of a rule; so are fuse and composite.
    const bool pattern = keyword == "pattern" || keyword == "chain" || keyword == "fuse" ||
                         keyword == "composite" || keyword == "target";
    const std::string_view like = pattern             ? "rule"
                                  : keyword == "test" ? "graph" // it holds graphs
                                                      : keyword;
    for (const std::string_view in : {keyword, like, std::string_view(), std::string_view("kind")})
        for (const LanguageWord& known : languageWords())
            if (known.word == word && known.in == in)
                return known.sentence;
    const ConditionFunction* function = conditionFunction(word);
    const bool conditions = like == "rule" || like == "implementations";
    return function != nullptr && conditions ? function->sentence : std::string_view();
}

} // namespace fw
