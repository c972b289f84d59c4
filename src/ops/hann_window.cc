// HannWindow: a window of raised cosines.
#include <opgraft/window.h>
using namespace opgraft;
namespace {

OG_OP(HannWindow, "", 17) {
  define_window(op, "The Hann window of `size` elements.", [](double phase) { return 0.5 - 0.5 * std::cos(phase); });
}

}  // namespace
