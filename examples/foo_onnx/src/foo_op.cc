// com.examples.onnx.Foo as onnx code writes it: an OpSchema, registered by a static initialiser, in an empty Python
// module.
#include <iostream>

#include "onnx/defs/function.h"
#include "onnx/defs/schema.h"
#include "onnx/defs/shape_inference.h"
#include "pybind11/pybind11.h"

namespace onnx {

static const char FooDoc[] = "Foo copies its input.";

static void FooShapeInference(InferenceContext& ctx) { propagateShapeAndTypeFromFirstInput(ctx); }

ONNX_OPERATOR_SET_SCHEMA_EX(
    Foo, comExamples, "com.examples.onnx", 1, false,
    OpSchema()
        .SetDoc(FooDoc)
        .Input(0, "X", "The tensor to copy", "T")
        .Output(0, "Y", "The copy", "T")
        .TypeConstraint("T", {"tensor(float)", "tensor(int32)", "tensor(float16)"}, "Some numeric types.")
        .TypeAndShapeInferenceFunction(FooShapeInference)
        .SetContextDependentFunctionBodyBuilder([](const FunctionBodyBuildContext& ctx, const OpSchema& schema,
                                                   FunctionProto& function) {
          if (ctx.getInputType(0) == nullptr) return false;  // no body without a type
          std::vector<FunctionBodyHelper::NodeDef> body{{{"Y"}, "Identity", {"X"}}};
          for (const auto& node : FunctionBodyHelper::BuildNodes(body)) function.add_node()->CopyFrom(node);
          schema.BuildFunction(function);
          return true;
        }));

static bool registerOps() {
  auto& domains = OpSchemaRegistry::DomainToVersionRange::Instance();
  domains.AddDomainToVersion("com.examples.onnx", 1, 1);
  auto schema = GetOpSchema<ONNX_OPERATOR_SET_SCHEMA_CLASS_NAME(comExamples, 1, Foo)>();
  RegisterSchema(schema);
  std::cerr << "Successfully registered custom op" << std::endl;
  return true;
}

static bool registered = registerOps();

}  // namespace onnx

PYBIND11_MODULE(foo_onnx, m) {}
