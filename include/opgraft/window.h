// Window functions for signals: definition and kernel from a function of the phase.
#ifndef OPGRAFT_WINDOW_H_
#define OPGRAFT_WINDOW_H_

#include <cmath>
#include <string>

#include "opgraft/op.h"

namespace opgraft OG_HIDDEN {

inline dtype window_type(const Node& node) {
  const int64_t type = node.get("output_datatype", int64_t(f32));
  if (!is_dtype(static_cast<int32_t>(type)) || dtype_bits(static_cast<int32_t>(type)) < 8)
    fail("output_datatype = " + std::to_string(type) + " is not a type that numbers can have");
  return static_cast<dtype>(type);
}

// `value(phase)`, phases from 0 on; 2 pi is the period: the size, or one less for symmetric windows.
template <class F>
void define_window(Op& op, const char* doc, F) {
  op.doc(doc)
      .input("size", "T1")
      .output("output", "T2")
      .attr("output_datatype", 1)
      .attr("periodic", 1)
      .types("T1", {i32, i64})
      .types("T2", types::numeric)
      .infer([](Infer& c) {
        const auto size = c.integers(0);
        c.out(0, window_type(c), Dims{size && size->size() == 1 ? (*size)[0] : kUnknown});
      })
      .body([](Graph& g) {  // made in double, then converted
        const int64_t type = window_type(g);
        if (type == f64) return false;
        g.node(std::string(g.info().op_type).c_str(), {"size"}, {"wide"})
            .attr("output_datatype", int64_t(f64))
            .attr_from("periodic");
        g.node("Cast", {"wide"}, {"output"}).attr("to", type);
        return true;
      })
      .kernel(cpu, std::vector<TypeBind>{{"T2", f64}},
              [](Run& r) {
                const int64_t size = r.input(0).integers().at(0);
                if (size < 0) fail("size is " + std::to_string(size));
                double* y = r.output(0, {size}).template data<double>();
                const double period = static_cast<double>(r.get("periodic", 1) ? size : size - 1);
                for (int64_t i = 0; i < size; ++i)
                  y[i] = size == 1 ? 1.0 : F{}(2 * M_PI * static_cast<double>(i) / period);
              })
      .pure();
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_WINDOW_H_
