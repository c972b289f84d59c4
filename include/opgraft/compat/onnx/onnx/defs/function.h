// Source compatibility: FunctionBodyHelper lives in schema.h.
#ifndef OPGRAFT_COMPAT_ONNX_DEFS_FUNCTION_H_
#define OPGRAFT_COMPAT_ONNX_DEFS_FUNCTION_H_
#include "onnx/defs/schema.h"
#endif  // OPGRAFT_COMPAT_ONNX_DEFS_FUNCTION_H_
