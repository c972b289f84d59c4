// Unique: the distinct elements, or slices along an axis, with where they first stand, where each went, and how often.
#include <algorithm>
#include <numeric>

#include <opgraft/axes.h>
using namespace opgraft;
namespace {

// The slices as lists of elements that can be compared.
template <class T, class Less>
void run(Run& r, const std::vector<T>& elements, Less less) {
  const Tensor x = r.input(0);
  const bool flat = !r.has_attr("axis"), sorted = r.get("sorted", 1);
  const int axis = flat ? 0 : static_cast<int>(normalize_axis(r.get("axis", int64_t(0)), x.ndim()));
  const int64_t size = flat ? x.numel() : x.dim(axis);
  const int64_t outer = flat ? 1 : x.product(0, axis), inner = flat ? 1 : x.product(axis + 1, x.ndim());
  const auto element = [&](int64_t slice, int64_t k) -> const T& {
    return elements[static_cast<size_t>((k / inner * size + slice) * inner + k % inner)];
  };
  const auto before = [&](int64_t a, int64_t b) {
    for (int64_t k = 0; k < outer * inner; ++k) {
      if (less(element(a, k), element(b, k))) return true;
      if (less(element(b, k), element(a, k))) return false;
    }
    return false;
  };
  std::vector<int64_t> order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), before);
  // Groups of equal slices; the first of each stands first in the input.
  std::vector<int64_t> firsts, counts, group(static_cast<size_t>(size));
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || before(order[i - 1], order[i])) firsts.push_back(order[i]), counts.push_back(0);
    ++counts.back();
    group[static_cast<size_t>(order[i])] = static_cast<int64_t>(firsts.size()) - 1;
  }
  const auto count = static_cast<int64_t>(firsts.size());
  std::vector<int64_t> rank(firsts.size());  // of groups in the output
  std::iota(rank.begin(), rank.end(), 0);
  if (!sorted)
    std::sort(rank.begin(), rank.end(),
              [&](int64_t a, int64_t b) { return firsts[static_cast<size_t>(a)] < firsts[static_cast<size_t>(b)]; });
  std::vector<int64_t> place(firsts.size());
  for (size_t i = 0; i < rank.size(); ++i) place[static_cast<size_t>(rank[i])] = static_cast<int64_t>(i);
  Dims dims = flat ? Dims{count} : x.shape();
  if (!flat) dims[static_cast<size_t>(axis)] = count;
  const Tensor y = r.output(0, dims);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t slice = firsts[static_cast<size_t>(rank[static_cast<size_t>(i)])];
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t j = 0; j < inner; ++j) {
        const int64_t to = (o * count + i) * inner + j, from = (o * size + slice) * inner + j;
        if (x.dtype() == str)
          r.set_string(0, to, r.string(0, from));
        else
          std::memcpy(y.data<char>() + to * element_bytes(x), x.data<char>() + from * element_bytes(x),
                      static_cast<size_t>(element_bytes(x)));
      }
  }
  if (r.uses_output(1))
    for (int64_t i = 0; i < count; ++i) {
      if (i == 0) r.output(1, {count});
      r.output(1, {count}).data<int64_t>()[i] = firsts[static_cast<size_t>(rank[static_cast<size_t>(i)])];
    }
  if (r.uses_output(2)) {
    int64_t* inverse = r.output(2, {size}).data<int64_t>();
    for (int64_t i = 0; i < size; ++i) inverse[i] = place[static_cast<size_t>(group[static_cast<size_t>(i)])];
  }
  if (r.uses_output(3)) {
    int64_t* out = r.output(3, {count}).data<int64_t>();
    for (int64_t i = 0; i < count; ++i) out[i] = counts[static_cast<size_t>(rank[static_cast<size_t>(i)])];
  }
  if (count == 0 && r.uses_output(1)) r.output(1, {count});
}

template <class T>
void run_numbers(Run& r) {
  const Tensor x = r.input(0);
  std::vector<T> elements(x.data<T>(), x.data<T>() + x.numel());
  // NaN counts as larger than every number, so that equal slices stand together.
  run(r, elements, [](const T& a, const T& b) { return a < b || (b != b && a == a); });
}

template <class T>
void run_halves(Run& r) {
  const Tensor x = r.input(0);
  std::vector<float> elements;
  for (int64_t i = 0; i < x.numel(); ++i) elements.push_back(static_cast<float>(x.data<T>()[i]));
  run(r, elements, [](float a, float b) { return a < b || (b != b && a == a); });
}

template <class T>
void run_complex(Run& r) {
  const Tensor x = r.input(0);
  std::vector<std::pair<T, T>> elements;
  for (int64_t i = 0; i < x.numel(); ++i) elements.emplace_back(x.data<T>()[2 * i], x.data<T>()[2 * i + 1]);
  run(r, elements, [](const auto& a, const auto& b) { return a < b; });
}

void run_strings(Run& r) {
  std::vector<std::string> elements;
  for (int64_t i = 0; i < r.input(0).numel(); ++i) elements.emplace_back(r.string(0, i));
  run(r, elements, [](const std::string& a, const std::string& b) { return a < b; });
}

void run_bools(Run& r) {
  const Tensor x = r.input(0);
  std::vector<uint8_t> elements(x.data<uint8_t>(), x.data<uint8_t>() + x.numel());
  run(r, elements, [](uint8_t a, uint8_t b) { return a < b; });
}

OG_OP(Unique, "", 28) {
  op.doc("The distinct elements (or slices along `axis`), sorted or in the order in which they first stand.")
      .input("X", "T")
      .output("Y", "T")
      .output("indices", "tensor(int64)", optional)
      .output("inverse_indices", "tensor(int64)", optional)
      .output("counts", "tensor(int64)", optional)
      .optional_attr("axis", OG_ATTR_INT)
      .attr("sorted", 1)
      .types("T", types::tensor)
      .infer([](Infer& c) {
        for (int i = 1; i < c.output_count(); ++i) c.out(i, i64, Dims{kUnknown});
        if (!c.has_attr("axis")) return c.out(0, c.dtype(0), Dims{kUnknown});
        if (!c.ranked(0)) return c.out(0, c.dtype(0));
        Dims dims = c.dims(0);
        dims[static_cast<size_t>(normalize_axis(c.get("axis", int64_t(0)), c.ndim(0)))] = kUnknown;
        c.out(0, c.dtype(0), dims);
      })
      .pure()
      .kernel(cpu, f32, &run_numbers<float>)
      .kernel(cpu, f64, &run_numbers<double>)
      .kernel(cpu, i8, &run_numbers<int8_t>)
      .kernel(cpu, i16, &run_numbers<int16_t>)
      .kernel(cpu, i32, &run_numbers<int32_t>)
      .kernel(cpu, i64, &run_numbers<int64_t>)
      .kernel(cpu, u8, &run_numbers<uint8_t>)
      .kernel(cpu, u16, &run_numbers<uint16_t>)
      .kernel(cpu, u32, &run_numbers<uint32_t>)
      .kernel(cpu, u64, &run_numbers<uint64_t>)
      .kernel(cpu, boolean, &run_bools)
      .kernel(cpu, f16, &run_halves<half_t>)
      .kernel(cpu, bf16, &run_halves<bfloat_t>)
      .kernel(cpu, c64, &run_complex<float>)
      .kernel(cpu, c128, &run_complex<double>)
      .kernel(cpu, str, &run_strings);
  op.earlier(11, [](Op& o) { o.types("T", types::tensor_before_bfloat); });
}

}  // namespace
