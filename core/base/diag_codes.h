// The one list of diagnostic codes. X(enumerator, stable code, exit code, what it stands for)
#pragma once

#include <cstdint>
#include <string_view>

// clang-format off
#define FW_DIAG_CODES(X) \
    X(Internal,          "INT01", 4, "an invariant of the engine is broken") \
    X(WorkerDied,        "INT02", 4, "the worker process ended while it was working") \
    X(Usage,             "USE01", 2, "the command was not understood") \
    X(UnknownTarget,     "USE02", 2, "the target string was not understood") \
    X(UnknownName,       "USE03", 2, "a name was not found") \
    X(FileMissing,       "FIL01", 2, "a file cannot be read") \
    X(FileUnwritable,    "FIL02", 3, "a file or folder cannot be written") \
    X(FileTooLarge,      "FIL03", 2, "a file exceeds a limit") \
    X(NotOnnx,           "ONX01", 2, "the file is not an ONNX model") \
    X(OnnxMalformed,     "ONX02", 2, "the ONNX model contradicts itself") \
    X(OnnxCycle,         "ONX03", 2, "the graph has a cycle") \
    X(OnnxOpset,         "ONX04", 2, "the opset is not supported") \
    X(ExternalData,      "ONX05", 2, "external data is refused") \
    X(UnknownOperator,   "OPR01", 2, "the operator is not known") \
    X(UnsupportedAttribute, "OPR02", 2, "an attribute value is not supported") \
    X(OperatorArity,     "OPR03", 2, "wrong number of operands") \
    X(ShapeMismatch,     "SHP01", 2, "shapes do not fit together") \
    X(DtypeMismatch,     "SHP02", 2, "element types do not fit together") \
    X(DimUnbound,        "SHP03", 2, "a free dimension has no value") \
    X(DimOverflow,       "SHP04", 2, "a tensor is too large") \
    X(TypeUnknown,       "SHP05", 2, "the type of a value is not known") \
    X(InputMismatch,     "RUN01", 2, "an input does not fit the model") \
    X(NotRunnable,       "RUN02", 2, "the model cannot be run") \
    X(Syntax,            "TXT01", 2, "the text was not understood") \
    X(TextName,          "TXT02", 2, "a name in the text is unknown or used twice") \
    X(TextType,          "TXT03", 2, "an expression in the text has the wrong type") \
    X(UnsafeAccess,      "TXT04", 2, "an operator may read outside its operand") \
    X(RuleIllegal,       "RUL01", 2, "a rule cannot be used") \
    X(RuleLimit,         "RUL02", 1, "rewriting stopped at a limit") \
    X(RuleOrder,         "RUL03", 1, "the order of rules matters") \
    X(EditElsewhere,     "EDT01", 2, "the operator cannot be edited where it stands") \
    X(EditNameTwice,     "EDT02", 2, "a name stands for several operators") \
    X(EditNoRule,        "EDT03", 2, "no rule can say this edit") \
    X(EditReaders,       "EDT04", 2, "several results of the operator are read") \
    X(EditResult,        "EDT05", 2, "a result of the model would have another type") \
    X(EditUnfit,         "EDT06", 2, "the edit does not fit") \
    X(EditNameTaken,     "EDT07", 2, "the name is taken") \
    X(GraphInvalid,      "GRF01", 4, "a graph breaks an invariant") \
    X(LoopInvalid,       "LOP01", 4, "a loop nest breaks an invariant") \
    X(ScheduleIllegal,   "SCH01", 2, "a schedule step is illegal") \
    X(CodegenFailed,     "COD01", 4, "no machine code could be made") \
    X(TargetUnsupported, "COD02", 3, "this CPU cannot run the target") \
    X(LibraryMissing,    "LIB03", 3, "a library that was asked for cannot be used") \
    X(LibraryFailed,     "LIB04", 4, "a library refused or failed") \
    X(LibraryLevel,      "LIB05", 3, "this process opened a library otherwise: at another instruction set, or another file") \
    X(LibraryNotAgreed,  "LIB06", 3, "nobody agreed to load a library that a book declares") \
    X(ExportFailed,      "EXP01", 3, "the module could not be built") \
    X(OutputsDiffer,     "CMP01", 1, "outputs differ from what was expected") \
    X(Cancelled,         "CAN01", 1, "the work was cancelled") \
    X(LimitReached,      "LIM01", 2, "a limit was reached") \
    X(LayoutFallback,    "PIC01", 3, "the picture was laid out by the built-in engine")
// clang-format on

namespace fw {

enum class DiagCode : std::uint8_t {
#define FW_X(name, text, exit, meaning) name,
    FW_DIAG_CODES(FW_X)
#undef FW_X
};

std::string_view codeText(DiagCode code);
std::string_view codeMeaning(DiagCode code);
int exitCode(DiagCode code);

} // namespace fw
