// BitCast: the same bits under another element type of the same size.
#include <opgraft/op.h>
using namespace opgraft;
namespace {

dtype target(const Node& node) { return static_cast<dtype>(node.get("to", int64_t(0))); }

void check(dtype from, dtype to) {
  if (!is_dtype(to) || to == str) fail("attribute \"to\" is " + std::to_string(int(to)) + ", which is no type of bits");
  if (from != any && dtype_bits(from) != dtype_bits(to))
    fail(std::string(dtype_name(from)) + " and " + dtype_name(to) + " have elements of different size");
}

const Dtypes bits = types::numeric + types::float8 + Dtypes{boolean, c64, c128, u4, i4, f4e2m1, f8e8m0, u2, i2};

OG_OP(BitCast, "", 26) {
  op.doc("The bits of each element read as another type of the same size.")
      .input("input", "T1")
      .output("output", "T2")
      .required_attr("to", OG_ATTR_INT)
      .types("T1", bits)
      .types("T2", bits)
      .infer([](Infer& c) {
        check(c.dtype(0), target(c));
        if (c.ranked(0))
          c.out(0, target(c), c.dims(0));
        else
          c.out(0, target(c));
      })
      .kernel(cpu,
              [](Run& r) {
                check(r.dtype(0), target(r));
                const Tensor y = r.output(0, r.input(0).shape());
                if (y.bytes()) std::memcpy(y.data(), r.input(0).data(), y.bytes());
              })
      .pure();
}

}  // namespace
