// BlackmanWindow: a window of two cosines.
#include <opgraft/window.h>
using namespace opgraft;
namespace {

OG_OP(BlackmanWindow, "", 17) {
  define_window(op, "The Blackman window of `size` elements.",
                [](double phase) { return 0.42 - 0.5 * std::cos(phase) + 0.08 * std::cos(2 * phase); });
}

}  // namespace
