// com.examples.FileFeatures: the first and last bytes of a file as the numbers that the classifier magika reads.
#include <opgraft/op.h>
using namespace opgraft;
namespace {

bool space(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

OG_OP(FileFeatures, "com.examples", 1) {
  op.doc(
        "Bytes of the beginning without leading white space, padded behind, then of the end without trailing, padded "
        "before.")
      .input("content", "tensor(uint8)")
      .output("features", "tensor(int32)")
      .attr("begin_size", 1024)
      .attr("end_size", 1024)
      .attr("block_size", 4096)
      .attr("padding", 256)
      .infer([](Infer& c) {
        c.out(0, i32, Dims{1, c.get("begin_size", int64_t(0)) + c.get("end_size", int64_t(0))});
      })
      .kernel(cpu, [](Run& r) {
        const uint8_t* bytes = r.in<uint8_t>(0);
        const int64_t size = r.input(0).numel(), block = std::min(size, r.get("block_size", int64_t(0)));
        const int64_t begin_size = r.get("begin_size", int64_t(0)), end_size = r.get("end_size", int64_t(0));
        int32_t* y = r.out<int32_t>(0);
        std::fill(y, y + begin_size + end_size, r.get("padding", 256));
        int64_t first = 0, last = size;
        while (first < block && space(bytes[first])) ++first;
        while (last > size - block && space(bytes[last - 1])) --last;
        const int64_t head = std::min(begin_size, block - first), tail = std::min(end_size, last - (size - block));
        std::copy(bytes + first, bytes + first + head, y);
        std::copy(bytes + last - tail, bytes + last, y + begin_size + end_size - tail);
      });
}

}  // namespace
OG_PLUGIN("com.examples.file_features", "1.0")
