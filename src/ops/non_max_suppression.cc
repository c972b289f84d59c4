// NonMaxSuppression: boxes of each class by falling score, without those that overlap a better one.
#include <algorithm>

#include <opgraft/op.h>
using namespace opgraft;
namespace {

struct Box {
  float top, left, bottom, right;
  float area() const { return (bottom - top) * (right - left); }
};

Box read(const float* b, bool centre) {
  if (centre) return {b[1] - b[3] / 2, b[0] - b[2] / 2, b[1] + b[3] / 2, b[0] + b[2] / 2};
  return {std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
}

bool overlap(const Box& a, const Box& b, float threshold) {
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0) return false;
  const float common = height * width, all = a.area() + b.area() - common;
  return a.area() > 0 && b.area() > 0 && all > 0 && common / all > threshold;
}

template <class T>
T number(Run& r, int index, T otherwise) {
  if (!r.has(index) || r.input(index).numel() == 0) return otherwise;
  return *r.in<T>(index);
}

void run(Run& r) {
  const Tensor boxes = r.input(0), scores = r.input(1);
  const int64_t batches = boxes.dim(0), count = boxes.dim(1), classes = scores.dim(1);
  if (scores.dim(0) != batches || scores.dim(2) != count || boxes.dim(2) != 4)
    fail("boxes " + to_string(boxes.shape()) + " and scores " + to_string(scores.shape()) +
         " must be [N, S, 4] and [N, C, S]");
  const int64_t most = number(r, 2, int64_t(0));
  const float threshold = number(r, 3, 0.0f);
  const bool bounded = r.has(4) && r.input(4).numel() > 0;
  const float least = number(r, 4, 0.0f);
  if (!(threshold >= 0 && threshold <= 1)) fail("iou_threshold = " + std::to_string(threshold) + " must be in [0, 1]");
  const int64_t kind = r.get("center_point_box", int64_t(0));
  if (kind != 0 && kind != 1) fail("center_point_box = " + std::to_string(kind) + ", expected 0 or 1");
  std::vector<std::vector<int64_t>> chosen(static_cast<size_t>(batches * classes));
  if (most > 0)
    r.parallel_for(batches * classes, 1, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const float* score = scores.data<float>() + task * count;
        const float* box = boxes.data<float>() + task / classes * count * 4;
        std::vector<int64_t> order;
        for (int64_t i = 0; i < count; ++i)
          if (!bounded || score[i] > least) order.push_back(i);
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return score[a] > score[b]; });
        std::vector<Box> kept;
        for (const int64_t i : order) {
          if (static_cast<int64_t>(kept.size()) >= most) break;
          const Box candidate = read(box + i * 4, kind == 1);
          if (std::any_of(kept.begin(), kept.end(),
                          [&](const Box& other) { return overlap(candidate, other, threshold); }))
            continue;
          kept.push_back(candidate);
          chosen[static_cast<size_t>(task)].push_back(i);
        }
      }
    });
  int64_t total = 0;
  for (const auto& list : chosen) total += static_cast<int64_t>(list.size());
  int64_t* y = r.output(0, {total, 3}).data<int64_t>();
  for (int64_t task = 0; task < batches * classes; ++task)
    for (const int64_t i : chosen[static_cast<size_t>(task)]) {
      *y++ = task / classes;
      *y++ = task % classes;
      *y++ = i;
    }
}

OG_OP(NonMaxSuppression, "", 11) {
  op.doc("[batch, class, box] of the boxes that are kept, by falling score, without those that overlap a better one.")
      .input("boxes", "tensor(float)")
      .input("scores", "tensor(float)")
      .input("max_output_boxes_per_class", "tensor(int64)", optional)
      .input("iou_threshold", "tensor(float)", optional)
      .input("score_threshold", "tensor(float)", optional)
      .output("selected_indices", "tensor(int64)")
      .attr("center_point_box", 0)
      .infer([](Infer& c) {
        for (const int i : {0, 1})
          if (c.ranked(i) && c.ndim(i) != 3) fail("boxes and scores must have 3 axes");
        c.out(0, i64, Dims{kUnknown, 3});
      })
      .kernel(cpu, &run)
      .pure();
  op.earlier(10);
}

}  // namespace
