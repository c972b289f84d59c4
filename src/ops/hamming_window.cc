// HammingWindow: a window of raised cosines.
#include <opgraft/window.h>
using namespace opgraft;
namespace {

OG_OP(HammingWindow, "", 17) {
  define_window(op, "The Hamming window of `size` elements.",
                [](double phase) { return 25.0 / 46.0 - 21.0 / 46.0 * std::cos(phase); });
}

}  // namespace
