// The table behind standard_operators.h: one operator a line, then its versions in order.
//
//   Name SINCE[!][x][(OPERANDS;RESULTS;ATTRIBUTES)] ...
//
// `!`: a node of the version before means something else here though it may look valid. `x`: the
// operator is removed. Without parentheses the signature is that of the version before (more
// element types are taken). A count is N, LEAST-MOST or LEAST-*. An attribute is NAME:KIND, `!` if
// it must be given; kinds are f i s t g (one), fs is ss (lists), st a sparse tensor, tp a type.
#include "onnx/schema/standard_operators.h"

namespace fw {

namespace {

constexpr std::string_view table = R"(
Abs 1(1;1;consumed_inputs:is) 6(1;1;) 13
Acos 7(1;1;) 22
Acosh 9(1;1;) 22
Add 1(2;1;axis:i broadcast:i consumed_inputs:is) 6(2;1;axis:i broadcast:i) 7(2;1;) 13 14
AffineGrid 20(2;1;align_corners:i)
And 1(2;1;axis:i broadcast:i) 7(2;1;)
ArgMax 1(1;1;axis:i keepdims:i) 11 12(1;1;axis:i keepdims:i select_last_index:i) 13
ArgMin 1(1;1;axis:i keepdims:i) 11 12(1;1;axis:i keepdims:i select_last_index:i) 13
Asin 7(1;1;) 22
Asinh 9(1;1;) 22
Atan 7(1;1;) 22
Atanh 9(1;1;) 22
Attention 23(3-6;1-4;is_causal:i kv_num_heads:i q_num_heads:i qk_matmul_output_mode:i scale:f softcap:f softmax_precision:i) 24(3-7;1-4;is_causal:i kv_num_heads:i q_num_heads:i qk_matmul_output_mode:i scale:f softcap:f softmax_precision:i) 25(3-7;1-4;is_causal:i kv_num_heads:i left_window_size:i q_num_heads:i qk_matmul_output_mode:i right_window_size:i scale:f softcap:f softmax_precision:i)
AveragePool 1(1;1;auto_pad:s kernel_shape:is! pads:is strides:is) 7(1;1;auto_pad:s count_include_pad:i kernel_shape:is! pads:is strides:is) 10(1;1;auto_pad:s ceil_mode:i count_include_pad:i kernel_shape:is! pads:is strides:is) 11 19(1;1;auto_pad:s ceil_mode:i count_include_pad:i dilations:is kernel_shape:is! pads:is strides:is) 22
BatchNormalization 1(5;1-5;consumed_inputs:is! epsilon:f is_test:i momentum:f spatial:i) 6(5;1-5;epsilon:f is_test:i momentum:f spatial:i) 7!(5;1-5;epsilon:f momentum:f spatial:i) 9!(5;1-5;epsilon:f momentum:f) 14!(5;1-3;epsilon:f momentum:f training_mode:i) 15
Bernoulli 15(1;1;dtype:i seed:f) 22
BitCast 26(1;1;to:i!)
BitShift 11(2;1;direction:s!)
BitwiseAnd 18(2;1;)
BitwiseNot 18(1;1;)
BitwiseOr 18(2;1;)
BitwiseXor 18(2;1;)
BlackmanWindow 17(1;1;output_datatype:i periodic:i)
Cast 1(1;1;to:s!) 6(1;1;to:i!) 9 13 19(1;1;saturate:i to:i!) 21 23 24(1;1;round_mode:s saturate:i to:i!) 25
CastLike 15(2;1;) 19(2;1;saturate:i) 21 23 24(2;1;round_mode:s saturate:i) 25
CausalConvWithState 27(2-4;1-2;activation:s)
Ceil 1(1;1;consumed_inputs:is) 6(1;1;) 13
Celu 12(1;1;alpha:f) 28
CenterCropPad 18(2;1;axes:is)
Clip 1(1;1;consumed_inputs:is max:f min:f) 6(1;1;max:f min:f) 11(1-3;1;) 12 13
Col2Im 18(3;1;dilations:is pads:is strides:is)
Compress 9(2;1;axis:i) 11
Concat 1(1-*;1;axis:i) 4(1-*;1;axis:i!) 11 13
ConcatFromSequence 11(1;1;axis:i! new_axis:i)
Constant 1(0;1;value:t!) 9 11(0;1;sparse_value:st value:t) 12(0;1;sparse_value:st value:t value_float:f value_floats:fs value_int:i value_ints:is value_string:s value_strings:ss) 13 19 21 23 24 25
ConstantOfShape 9(1;1;value:t) 20 21 23 24 25
Conv 1(2-3;1;auto_pad:s dilations:is group:i kernel_shape:is pads:is strides:is) 11 22
ConvInteger 10(2-4;1;auto_pad:s dilations:is group:i kernel_shape:is pads:is strides:is)
ConvTranspose 1(2-3;1;auto_pad:s dilations:is group:i kernel_shape:is output_padding:is output_shape:is pads:is strides:is) 11 22
Cos 7(1;1;) 22
Cosh 9(1;1;) 22
CumProd 26(2;1;exclusive:i reverse:i)
CumSum 11(2;1;exclusive:i reverse:i) 14
DFT 17(1-2;1;axis:i inverse:i onesided:i) 20!(1-3;1;inverse:i onesided:i)
DeformConv 19(3-5;1;dilations:is group:i kernel_shape:is offset_group:i pads:is strides:is) 22
DepthToSpace 1(1;1;blocksize:i!) 11(1;1;blocksize:i! mode:s) 13
DequantizeLinear 10(2-3;1;) 13(2-3;1;axis:i) 19 21(2-3;1;axis:i block_size:i) 23(2-3;1;axis:i block_size:i output_dtype:i) 24 25
Det 11(1;1;) 22
Div 1(2;1;axis:i broadcast:i consumed_inputs:is) 6(2;1;axis:i broadcast:i) 7(2;1;) 13 14
Dropout 1(1;1-2;consumed_inputs:is is_test:i ratio:f) 6(1;1-2;is_test:i ratio:f) 7(1;1-2;ratio:f) 10 12(1-3;1-2;seed:i) 13 22
DynamicQuantizeLinear 11(1;3;)
Einsum 12(1-*;1;equation:s!)
Elu 1(1;1;alpha:f consumed_inputs:is) 6(1;1;alpha:f) 22
Equal 1(2;1;axis:i broadcast:i) 7(2;1;) 11 13 19
Erf 9(1;1;) 13
Exp 1(1;1;consumed_inputs:is) 6(1;1;) 13
Expand 8(2;1;) 13
EyeLike 9(1;1;dtype:i k:i) 22
Flatten 1(1;1;axis:i) 9 11 13 21 23 24 25
Floor 1(1;1;consumed_inputs:is) 6(1;1;) 13
GRU 1(3-6;2;activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i output_sequence:i) 3(3-6;0-2;activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i linear_before_reset:i output_sequence:i) 7(3-6;0-2;activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i linear_before_reset:i) 14(3-6;0-2;activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i layout:i linear_before_reset:i) 22
Gather 1(2;1;axis:i) 11 13
GatherElements 11(2;1;axis:i) 13
GatherND 11(2;1;) 12(2;1;batch_dims:i) 13
Gelu 20(1;1;approximate:s)
Gemm 1(3;1;alpha:f beta:f broadcast:i transA:i transB:i) 6 7(3;1;alpha:f beta:f transA:i transB:i) 9 11(2-3;1;alpha:f beta:f transA:i transB:i) 13
GlobalAveragePool 1(1;1;) 22
GlobalLpPool 1(1;1;p:f) 2(1;1;p:i) 22
GlobalMaxPool 1(1;1;) 22
Greater 1(2;1;axis:i broadcast:i) 7(2;1;) 9 13
GreaterOrEqual 12(2;1;) 16
GridSample 16(2;1;align_corners:i mode:s padding_mode:s) 20! 22
GroupNormalization 18(3;1;epsilon:f num_groups:i!) 21!(3;1;epsilon:f num_groups:i! stash_type:i)
HammingWindow 17(1;1;output_datatype:i periodic:i)
HannWindow 17(1;1;output_datatype:i periodic:i)
HardSigmoid 1(1;1;alpha:f beta:f consumed_inputs:is) 6(1;1;alpha:f beta:f) 22
HardSwish 14(1;1;) 22
Hardmax 1(1;1;axis:i) 11 13!
Identity 1(1;1;) 13 14 16 19 21 23 24 25
If 1(1;1-*;else_branch:g! then_branch:g!) 11 13 16 19 21 23 24 25
ImageDecoder 20(1;1;pixel_format:s)
InstanceNormalization 1(3;1;consumed_inputs:is epsilon:f) 6(3;1;epsilon:f) 22
IsInf 10(1;1;detect_negative:i detect_positive:i) 20
IsNaN 9(1;1;) 13 20
LRN 1(1;1;alpha:f beta:f bias:f size:i!) 13
LSTM 1(3-8;0-3;activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i input_forget:i output_sequence:i) 7(3-8;0-3;activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i input_forget:i) 14(3-8;0-3;activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i input_forget:i layout:i) 22
LayerNormalization 17(2-3;1-3;axis:i epsilon:f stash_type:i)
LeakyRelu 1(1;1;alpha:f consumed_inputs:is) 6(1;1;alpha:f) 16
Less 1(2;1;axis:i broadcast:i) 7(2;1;) 9 13
LessOrEqual 12(2;1;) 16
LinearAttention 27(3-6;1-2;chunk_size:i kv_num_heads:i q_num_heads:i scale:f update_rule:s)
Log 1(1;1;consumed_inputs:is) 6(1;1;) 13
LogSoftmax 1(1;1;axis:i) 11 13!
Loop 1(3-*;1-*;body:g!) 11(2-*;1-*;body:g!) 13 16 19 21 23 24 25
LpNormalization 1(1;1;axis:i p:i) 22
LpPool 1(1;1;auto_pad:s kernel_shape:is p:f pads:is strides:is) 2(1;1;auto_pad:s kernel_shape:is! p:i pads:is strides:is) 11 18(1;1;auto_pad:s ceil_mode:i dilations:is kernel_shape:is! p:i pads:is strides:is) 22
MatMul 1(2;1;) 9 13
MatMulInteger 10(2-4;1;)
Max 1(1-*;1;consumed_inputs:is) 6(1-*;1;) 8 12 13
MaxPool 1(1;1;auto_pad:s kernel_shape:is! pads:is strides:is) 8(1;1-2;auto_pad:s kernel_shape:is! pads:is storage_order:i strides:is) 10(1;1-2;auto_pad:s ceil_mode:i dilations:is kernel_shape:is! pads:is storage_order:i strides:is) 11 12 22
MaxRoiPool 1(2;1;pooled_shape:is! spatial_scale:f) 22
MaxUnpool 9(2-3;1;kernel_shape:is! pads:is strides:is) 11 22
Mean 1(1-*;1;consumed_inputs:is) 6(1-*;1;) 8 13
MeanVarianceNormalization 9(1;1;axes:is) 13
MelWeightMatrix 17(5;1;output_datatype:i)
Min 1(1-*;1;consumed_inputs:is) 6(1-*;1;) 8 12 13
Mish 18(1;1;) 22
Mod 10(2;1;fmod:i) 13
Mul 1(2;1;axis:i broadcast:i consumed_inputs:is) 6(2;1;axis:i broadcast:i) 7(2;1;) 13 14
Multinomial 7(1;1;dtype:i sample_size:i seed:f) 22
Neg 1(1;1;consumed_inputs:is) 6(1;1;) 13
NegativeLogLikelihoodLoss 12(2-3;1;ignore_index:i reduction:s) 13 22
NonMaxSuppression 10(2-5;1;center_point_box:i) 11
NonZero 9(1;1;) 13
Not 1(1;1;)
OneHot 9(3;1;axis:i) 11
Optional 15(0-1;1;type:tp)
OptionalGetElement 15(1;1;) 18
OptionalHasElement 15(1;1;) 18(0-1;1;)
Or 1(2;1;axis:i broadcast:i) 7(2;1;)
PRelu 1(2;1;consumed_inputs:is) 6(2;1;) 7 9 16
Pad 1(1;1;mode:s paddings:is! value:f) 2(1;1;mode:s pads:is! value:f) 11(2-3;1;mode:s) 13 18(2-4;1;mode:s) 19 21 23 24 25
Pow 1(2;1;axis:i broadcast:i) 7(2;1;) 12 13 15
QLinearConv 10(8-9;1;auto_pad:s dilations:is group:i kernel_shape:is pads:is strides:is)
QLinearMatMul 10(8;1;) 21
QuantizeLinear 10(2-3;1;) 13(2-3;1;axis:i) 19(2-3;1;axis:i saturate:i) 21(2-3;1;axis:i block_size:i output_dtype:i saturate:i) 23(2-3;1;axis:i block_size:i output_dtype:i precision:i saturate:i) 24 25
RMSNormalization 23(2;1;axis:i epsilon:f stash_type:i)
RNN 1(3-6;0-2;activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i output_sequence:i) 7(3-6;0-2;activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i) 14(3-6;0-2;activation_alpha:fs activation_beta:fs activations:ss clip:f direction:s hidden_size:i layout:i) 22
RandomNormal 1(0;1;dtype:i mean:f scale:f seed:f shape:is!) 22
RandomNormalLike 1(1;1;dtype:i mean:f scale:f seed:f) 22
RandomUniform 1(0;1;dtype:i high:f low:f seed:f shape:is!) 22
RandomUniformLike 1(1;1;dtype:i high:f low:f seed:f) 22
Range 11(3;1;) 27(3;1;stash_type:i)
Reciprocal 1(1;1;consumed_inputs:is) 6(1;1;) 13
ReduceL1 1(1;1;axes:is keepdims:i) 11 13 18(1-2;1;keepdims:i noop_with_empty_axes:i)
ReduceL2 1(1;1;axes:is keepdims:i) 11 13 18(1-2;1;keepdims:i noop_with_empty_axes:i)
ReduceLogSum 1(1;1;axes:is keepdims:i) 11 13 18(1-2;1;keepdims:i noop_with_empty_axes:i)
ReduceLogSumExp 1(1;1;axes:is keepdims:i) 11 13 18(1-2;1;keepdims:i noop_with_empty_axes:i)
ReduceMax 1(1;1;axes:is keepdims:i) 11 12 13 18(1-2;1;keepdims:i noop_with_empty_axes:i) 20
ReduceMean 1(1;1;axes:is keepdims:i) 11 13 18(1-2;1;keepdims:i noop_with_empty_axes:i)
ReduceMin 1(1;1;axes:is keepdims:i) 11 12 13 18(1-2;1;keepdims:i noop_with_empty_axes:i) 20
ReduceProd 1(1;1;axes:is keepdims:i) 11 13 18(1-2;1;keepdims:i noop_with_empty_axes:i)
ReduceSum 1(1;1;axes:is keepdims:i) 11 13(1-2;1;keepdims:i noop_with_empty_axes:i)
ReduceSumSquare 1(1;1;axes:is keepdims:i) 11 13 18(1-2;1;keepdims:i noop_with_empty_axes:i)
RegexFullMatch 20(1;1;pattern:s)
Relu 1(1;1;consumed_inputs:is) 6(1;1;) 13 14
Reshape 1(1;1;consumed_inputs:is shape:is) 5(2;1;) 13 14(2;1;allowzero:i) 19 21 23 24 25
Resize 10(2;1;mode:s) 11!(3-4;1;coordinate_transformation_mode:s cubic_coeff_a:f exclude_outside:i extrapolation_value:f mode:s nearest_mode:s) 13(1-4;1;coordinate_transformation_mode:s cubic_coeff_a:f exclude_outside:i extrapolation_value:f mode:s nearest_mode:s) 18(1-4;1;antialias:i axes:is coordinate_transformation_mode:s cubic_coeff_a:f exclude_outside:i extrapolation_value:f keep_aspect_ratio_policy:s mode:s nearest_mode:s) 19
ReverseSequence 10(2;1;batch_axis:i time_axis:i)
RoiAlign 10(3;1;mode:s output_height:i output_width:i sampling_ratio:i spatial_scale:f) 16!(3;1;coordinate_transformation_mode:s mode:s output_height:i output_width:i sampling_ratio:i spatial_scale:f) 22
RotaryEmbedding 23(3-4;1;interleaved:i num_heads:i rotary_embedding_dim:i)
Round 11(1;1;) 22
STFT 17(2-4;1;onesided:i)
Scan 8(2-*;1-*;body:g! directions:is num_scan_inputs:i!) 9!(1-*;1-*;body:g! num_scan_inputs:i! scan_input_axes:is scan_input_directions:is scan_output_axes:is scan_output_directions:is) 11 16 19 21 23 24 25
Scatter 9(3;1;axis:i) 11x
ScatterElements 11(3;1;axis:i) 13 16(3;1;axis:i reduction:s) 18
ScatterND 11(3;1;) 13 16(3;1;reduction:s) 18
Selu 1(1;1;alpha:f consumed_inputs:is gamma:f) 6(1;1;alpha:f gamma:f) 22
SequenceAt 11(2;1;)
SequenceConstruct 11(1-*;1;)
SequenceEmpty 11(0;1;dtype:i)
SequenceErase 11(1-2;1;)
SequenceInsert 11(2-3;1;)
SequenceLength 11(1;1;)
SequenceMap 17(1-*;1-*;body:g!)
Shape 1(1;1;) 13 15(1;1;end:i start:i) 19 21 23 24 25
Shrink 9(1;1;bias:f lambd:f)
Sigmoid 1(1;1;consumed_inputs:is) 6(1;1;) 13
Sign 9(1;1;) 13
Sin 7(1;1;) 22
Sinh 9(1;1;) 22
Size 1(1;1;) 13 19 21 23 24 25
Slice 1(1;1;axes:is ends:is! starts:is!) 10(3-5;1;) 11 13
Softmax 1(1;1;axis:i) 11 13!
SoftmaxCrossEntropyLoss 12(2-3;1-2;ignore_index:i reduction:s) 13
Softplus 1(1;1;) 22
Softsign 1(1;1;) 22
SpaceToDepth 1(1;1;blocksize:i!) 13
Split 1(1-2;1-*;axis:i split:is) 2(1;1-*;axis:i split:is) 11 13(1-2;1-*;axis:i) 18!(1-2;1-*;axis:i num_outputs:i)
SplitToSequence 11(1-2;1;axis:i keepdims:i) 24
Sqrt 1(1;1;consumed_inputs:is) 6(1;1;) 13
Squeeze 1(1;1;axes:is) 11 13(1-2;1;) 21 23 24 25
StringConcat 20(2;1;)
StringNormalizer 10(1;1;case_change_action:s is_case_sensitive:i locale:s stopwords:ss)
StringSplit 20(1;2;delimiter:s maxsplit:i)
Sub 1(2;1;axis:i broadcast:i consumed_inputs:is) 6(2;1;axis:i broadcast:i) 7(2;1;) 13 14
Sum 1(1-*;1;consumed_inputs:is) 6(1-*;1;) 8 13
SwiGLU 28(2;1;alpha:f)
Swish 24(1;1;alpha:f)
Tan 7(1;1;) 22
Tanh 1(1;1;consumed_inputs:is) 6(1;1;) 13
TensorScatter 24(2-3;1;axis:i mode:s)
TfIdfVectorizer 9(1;1;max_gram_length:i! max_skip_count:i! min_gram_length:i! mode:s! ngram_counts:is! ngram_indexes:is! pool_int64s:is pool_strings:ss weights:fs)
ThresholdedRelu 10(1;1;alpha:f) 22
Tile 1(3;1;) 6(2;1;) 13
TopK 1(1;2;axis:i k:i!) 10(2;2;axis:i) 11(2;2;axis:i largest:i sorted:i) 24
Transpose 1(1;1;perm:is) 13 21 23 24 25
Trilu 14(1-2;1;upper:i)
Unique 11(1;1-4;axis:i sorted:i)
Unsqueeze 1(1;1;axes:is!) 11 13(2;1;) 21 23 24 25
Upsample 1(1;1;height_scale:f! mode:s width_scale:f!) 7(1;1;mode:s scales:fs!) 9(2;1;mode:s) 10x
Where 9(3;1;) 16
Xor 1(2;1;axis:i broadcast:i) 7(2;1;)
)";

} // namespace

std::string_view standardTable() {
    return table;
}

} // namespace fw
