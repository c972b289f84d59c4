// Source compatibility: the helpers of onnx's shape_inference.h that copy types and shapes. First form.
#ifndef OPGRAFT_COMPAT_ONNX_DEFS_SHAPE_INFERENCE_H_
#define OPGRAFT_COMPAT_ONNX_DEFS_SHAPE_INFERENCE_H_

#include "onnx/defs/schema.h"

namespace ONNX_NAMESPACE __attribute__((visibility("hidden"))) {

  inline bool hasInputShape(InferenceContext & ctx, size_t n) {
    const TypeProto* type = ctx.getInputType(n);
    return type && type->tensor_type().has_shape();
  }
  inline bool hasNInputShapes(InferenceContext & ctx, size_t n) {
    for (size_t i = 0; i < n; ++i)
      if (!hasInputShape(ctx, i)) return false;
    return true;
  }
  inline const TensorShapeProto& getInputShape(InferenceContext & ctx, size_t n) {
    return ctx.getInputType(n)->tensor_type().shape();
  }
  inline TensorShapeProto* getOutputShape(InferenceContext & ctx, size_t n) {
    return ctx.getOutputType(n)->mutable_tensor_type()->mutable_shape();
  }

  inline void propagateElemTypeFromInputToOutput(InferenceContext & ctx, size_t input, size_t output) {
    if (const TypeProto* type = ctx.getInputType(input))
      ctx.getOutputType(output)->mutable_tensor_type()->set_elem_type(type->tensor_type().elem_type());
  }
  inline void propagateShapeFromInputToOutput(InferenceContext & ctx, size_t input, size_t output) {
    if (hasInputShape(ctx, input)) *getOutputShape(ctx, output) = getInputShape(ctx, input);
  }
  inline void propagateShapeAndTypeFromFirstInput(InferenceContext & ctx) {
    propagateElemTypeFromInputToOutput(ctx, 0, 0);
    propagateShapeFromInputToOutput(ctx, 0, 0);
  }
  inline void updateOutputElemType(InferenceContext & ctx, size_t output, int32_t type) {
    ctx.getOutputType(output)->mutable_tensor_type()->set_elem_type(type);
  }
  template <class T>
  inline T getAttribute(InferenceContext & ctx, const std::string& name, T otherwise) {
    const AttributeProto* attribute = ctx.getAttribute(name);
    if (!attribute) return otherwise;
    return attribute->type() == AttributeProto::FLOAT ? static_cast<T>(attribute->f()) : static_cast<T>(attribute->i());
  }

}  // namespace ONNX_NAMESPACE
#endif  // OPGRAFT_COMPAT_ONNX_DEFS_SHAPE_INFERENCE_H_
