// Constant: a value that the model holds.
#include <opgraft/axes.h>
using namespace opgraft;
namespace {

struct Held {
  og_attr attr{};
  const char* name = "";
};

// Exactly one of the value attributes is given.
Held held(const Node& node) {
  for (const char* name : {"value", "value_int", "value_ints", "value_float", "value_floats", "value_string",
                           "value_strings", "sparse_value"})
    if (const auto attr = node.find(name)) return {*attr, name};
  fail("none of the value attributes is given");
}

dtype type_of(const og_attr& attr) {
  switch (attr.kind) {
    case OG_ATTR_INT:
    case OG_ATTR_INTS:
      return i64;
    case OG_ATTR_FLOAT:
    case OG_ATTR_FLOATS:
      return f32;
    case OG_ATTR_STRING:
    case OG_ATTR_STRINGS:
      return str;
    default:
      return static_cast<dtype>(attr.tensors[0].dtype);
  }
}

Dims dims_of(const og_attr& attr) {
  if (attr.kind == OG_ATTR_TENSOR) return Tensor(attr.tensors[0]).shape();
  if (attr.kind == OG_ATTR_INTS || attr.kind == OG_ATTR_FLOATS || attr.kind == OG_ATTR_STRINGS) return {attr.count};
  return {};
}

OG_OP(Constant, "", 25) {
  op.doc("A tensor, number, list or string held by the model.")
      .output("output", "T")
      .optional_attr("value", OG_ATTR_TENSOR)
      .optional_attr("value_int", OG_ATTR_INT)
      .optional_attr("value_ints", OG_ATTR_INTS)
      .optional_attr("value_float", OG_ATTR_FLOAT)
      .optional_attr("value_floats", OG_ATTR_FLOATS)
      .optional_attr("value_string", OG_ATTR_STRING)
      .optional_attr("value_strings", OG_ATTR_STRINGS)
      .optional_attr("sparse_value", OG_ATTR_SPARSE_TENSOR)
      .type_strings("T", {"tensor(uint8)",        "tensor(uint16)",
                          "tensor(uint32)",       "tensor(uint64)",
                          "tensor(int8)",         "tensor(int16)",
                          "tensor(int32)",        "tensor(int64)",
                          "tensor(bfloat16)",     "tensor(float16)",
                          "tensor(float)",        "tensor(double)",
                          "tensor(string)",       "tensor(bool)",
                          "tensor(complex64)",    "tensor(complex128)",
                          "tensor(float8e4m3fn)", "tensor(float8e4m3fnuz)",
                          "tensor(float8e5m2)",   "tensor(float8e5m2fnuz)",
                          "tensor(float8e8m0)",   "tensor(float4e2m1)",
                          "tensor(uint4)",        "tensor(int4)",
                          "tensor(uint2)",        "tensor(int2)"})
      .infer([](Infer& c) {
        const og_attr attr = held(c).attr;
        const Dims dims = dims_of(attr);
        c.out(0, type_of(attr), dims);
        if (attr.kind == OG_ATTR_INT || attr.kind == OG_ATTR_INTS) {
          c.out_integers(0, std::vector<int64_t>(attr.ints, attr.ints + attr.count), dims.empty());
        } else if (attr.kind == OG_ATTR_TENSOR && dims.size() <= 1) {
          const Tensor value(attr.tensors[0]);
          if ((value.dtype() == i64 || value.dtype() == i32) && value.numel() <= 4096)
            c.out_integers(0, value.integers(), dims.empty());
        }
      })
      .kernel(cpu,
              [](Run& r) {
                const og_attr attr = held(r).attr;
                const Tensor y = r.output(0, dims_of(attr));
                if (type_of(attr) == str) {
                  for (int64_t i = 0; i < y.numel(); ++i) {
                    og_string text{};
                    if (attr.kind == OG_ATTR_TENSOR)
                      detail::check(detail::host->value_string(attr.tensors, i, &text));
                    else
                      text = attr.strings[i];
                    r.set_string(0, i, {text.data, static_cast<size_t>(text.length)});
                  }
                  return;
                }
                const void* from = attr.kind == OG_ATTR_TENSOR ? attr.tensors[0].tensor.data
                                   : attr.kind == OG_ATTR_INT || attr.kind == OG_ATTR_INTS
                                       ? static_cast<const void*>(attr.ints)
                                       : attr.floats;
                if (y.bytes()) std::memcpy(y.data(), from, y.bytes());
              })
      .pure();
  op.earlier(24, [](Op& o) { o.types("T", types::tensor_24); })
      .earlier(23, [](Op& o) { o.types("T", types::tensor_23); })
      .earlier(21, [](Op& o) { o.types("T", types::tensor_21); })
      .earlier(19, [](Op& o) { o.types("T", types::tensor_19); })
      .earlier(13, [](Op& o) { o.types("T", types::tensor); })
      .earlier(12, [](Op& o) { o.types("T", types::tensor_before_bfloat); })
      .earlier(11,
               [](Op& o) {
                 o.drop("value_strings")
                     .drop("value_string")
                     .drop("value_floats")
                     .drop("value_float")
                     .drop("value_ints")
                     .drop("value_int");
               })
      .earlier(9, [](Op& o) { o.drop("sparse_value").required_attr("value", OG_ATTR_TENSOR); })
      .earlier(1, [](Op& o) { o.types("T", types::ieee); });
}

}  // namespace
