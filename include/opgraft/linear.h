// Products of rows with weights that a model holds in attributes, for the linear and support vector operators.
#ifndef OPGRAFT_LINEAR_H_
#define OPGRAFT_LINEAR_H_

#include <string>
#include <vector>

#include "opgraft/op.h"
#include "opgraft/services.h"

namespace opgraft OG_HIDDEN {

// y [rows, outputs] = alpha * x [rows, features] * weights [outputs, features] transposed + bias. Packed once;
// thread-safe.
class PackedRows {
 public:
  static bool available() { return service<og_cpu_gemm>(OG_CPU_GEMM) != nullptr; }

  // The weights' size must be a multiple of `outputs`.
  void pack(Pack& p, const std::vector<float>& weights, int64_t outputs) {
    table_ = service<og_cpu_gemm>(OG_CPU_GEMM);
    outputs_ = outputs;
    features_ = static_cast<int64_t>(weights.size()) / outputs;
    og_gemm gemm = og_gemm_init(1, outputs_, features_);
    gemm.flags = OG_GEMM_TRANS_B;
    void* memory = p.buffer<char>(table_->packed_b_bytes(&gemm));
    if (table_->pack_b(&gemm, weights.data(), memory) != 0) fail("the GEMM service refused to pack the weights");
    packed_ = memory;
  }
  int64_t outputs() const { return outputs_; }
  int64_t features() const { return features_; }

  // bias: one value for each output, or null.
  void run(const Run& r, const float* x, int64_t rows, float* y, const float* bias = nullptr,
           float alpha = 1.0f) const {
    og_gemm gemm = og_gemm_init(rows, outputs_, features_);
    gemm.flags = OG_GEMM_TRANS_B | OG_GEMM_PACKED_B;
    gemm.alpha = alpha;
    og_epilogue epilogue = og_epilogue_init();
    epilogue.bias_n = bias;
    std::vector<Line> scratch((table_->scratch_bytes(&gemm, r.threads()) + sizeof(Line) - 1) / sizeof(Line));
    if (table_->run(&gemm, x, packed_, y, &epilogue, scratch.data(), r.parallel()) != 0)
      fail("the GEMM service refused the product");
  }

 private:
  struct alignas(64) Line {
    char bytes[64];
  };
  const og_cpu_gemm* table_ = nullptr;
  const void* packed_ = nullptr;
  int64_t outputs_ = 0, features_ = 0;
};

// How many rows of weights a list holds, checked: `outputs` rows of the same length, none of them empty.
inline int64_t row_length(size_t size, int64_t outputs, const char* name) {
  const auto count = static_cast<int64_t>(size);
  if (outputs < 1 || count < outputs || count % outputs != 0)
    fail(std::string(name) + " has " + std::to_string(count) + " entries, which are not " + std::to_string(outputs) +
         " rows of the same length");
  return count / outputs;
}

}  // namespace OG_HIDDEN
#endif  // OPGRAFT_LINEAR_H_
