// Sliding-window geometry in three spatial dims, and bands: padded copies of input rows in which the inputs that one
// kernel tap needs for consecutive output columns lie side by side, whatever the stride.
#ifndef OPGRAFT_BACKENDS_CPU_BAND_H_
#define OPGRAFT_BACKENDS_CPU_BAND_H_

#include <cstdint>

#include "backends/cpu/kernels.h"

namespace opgraft::cpu {

struct Geometry {
  int64_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3];  // depth, height, width

  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return out[0] * out[1] * out[2]; }
  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

// False when a size, stride or dilation makes no sense.
bool read_geometry(int32_t spatial, const int64_t* in, const int64_t* out, const int64_t* kernel, const int64_t* stride,
                   const int64_t* dilation, const int64_t* pad, Geometry* geometry);

// A box of outputs whose pixels follow each other in memory.
struct OutputBlock {
  int64_t begin[3], count[3];

  int64_t pixels() const { return count[0] * count[1] * count[2]; }
};

// Cuts the outputs into blocks of at most about `pixels` pixels.
struct OutputGrid {
  int64_t step[3], blocks[3];

  int64_t size() const { return blocks[0] * blocks[1] * blocks[2]; }
};
OutputGrid make_grid(const Geometry& g, int64_t pixels, int64_t column_multiple);
OutputBlock grid_block(const Geometry& g, const OutputGrid& grid, int64_t index);

// Layout of the band of one block: per channel [depth][height][phase][width], where phase = input column modulo stride.
struct Band {
  int64_t depth, height, phases, width;

  int64_t row() const { return phases * width; }
  int64_t plane() const { return depth * height * row(); }
  // Place of the window of output (z, y, x) of the block.
  int64_t place(const Geometry& g, int64_t z, int64_t y, int64_t x) const {
    return (z * g.stride[0] * height + y * g.stride[1]) * row() + x;
  }
};
Band make_band(const Geometry& g, const int64_t count[3]);
// Offsets of all taps of one channel.
void band_offsets(const Geometry& g, const Band& band, int64_t channel, int32_t* offsets);

// Fills bands for one block, for any number of planes.
class BandFiller {
 public:
  BandFiller(const PackKernels& pack, const Geometry& g, const OutputBlock& block, const Band& band, float fill);

  // `borders` false leaves out what does not depend on the plane, when dst has it from an earlier call.
  void run(const float* plane, float* dst, bool borders) const;

 private:
  // Of one phase: the elements of a row that come from the input, and the input column of the first of them.
  struct Part {
    int64_t left, right, source;
  };
  Part part(int64_t phase) const;
  void fill_borders(float* dst) const;
  bool row_is_read(int axis, int64_t row) const;

  const PackKernels& pack_;
  const Geometry& g_;
  const Band& band_;
  float fill_;
  int64_t first_[3];           // input position of the band's first row and column
  int64_t begin_[2], end_[2];  // rows of the band that lie inside of the input
  bool sparse_;                // some rows are read by no tap
  Part first_part_;
};

}  // namespace opgraft::cpu

#endif  // OPGRAFT_BACKENDS_CPU_BAND_H_
