// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/simd_net.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "adasample/base/error.h"
#include "adasample/base/instruction_set.h"
#include "adasample/base/log.h"
#include "adasample/engine/simd/kernels.h"
#include "adasample/engine/simd/numbers.h"
#include "adasample/engine/simd/pack.h"
#include "adasample/engine/simd/winograd_memory.h"

namespace adasample {
namespace {

using simd::ConvShape;
using simd::kBorder;
using simd::Numbers;

// Patches that go through the first three layers together, whose activations are large, and through the others.
constexpr int kEarly = 4, kLate = 16, kEarlyLayers = 3;
static_assert(kLate <= simd::kMostPatches);

// A layer between the first and the last.
struct Middle {
  ConvShape shape;
  Numbers<float> weight, bias;
  Numbers<int16_t> weight16;  // in place of weight, with scale (points, out);
  Numbers<int8_t> weight8;    // or, where stride 2 goes without Winograd's points, with scale (out)
  Numbers<float> scale;
  bool direct() const { return weight8.size() > 0; }
};

// With the border of zeros that the first layer wants.
void pad(const uint8_t* patch, int size, double epsilon, float* normalised, float* padded) {
  normalise_patch(patch, size, epsilon, normalised);
  for (int y = 0; y < size; ++y) std::copy_n(normalised + y * size, size, padded + (y + 1) * (size + 2) + 1);
}

// So that 2^31 of them, and what the way back from Winograd's points makes of those, are numbers.
bool all_moderate(const Numbers<float>& numbers) {
  return std::all_of(numbers.data(), numbers.data() + numbers.size(), [](float x) { return std::abs(x) < 1e25f; });
}

}  // namespace

struct SimdNet::State {
  const LayerTable* table;
  Arithmetic arithmetic;
  const simd::Kernels* kernels;
  Numbers<float> first;  // (9, out), then the bias
  std::vector<Middle> middle = {};
  Numbers<float> last, last_bias;
  Numbers<int16_t> last16;  // in place of last, with last_scale; or
  Numbers<int8_t> last8;    // where the machine has products of bytes
  Numbers<float> last_scale;

  // The first layers, for kEarly patches or fewer, and those after them for kLate.
  template <typename Activation>
  void run_early(const uint8_t* patches, int count, Activation* out, Work& work) const;
  template <typename Activation>
  void run_late(int count, Work& work) const;
  template <typename Activation>
  void describe(const uint8_t* patches, int count, float* descriptors, Work& work) const;
};

struct SimdNet::Work : Workspace {
  Numbers<float> normalised, padded;
  // Of every layer but the last two, with a border; the first two for kEarly patches. Floats, or bytes.
  std::vector<Numbers<float>> floats = {};
  std::vector<Numbers<uint8_t>> bytes = {};
  Numbers<float> before_last;  // (kLate, kLastStride)
  Numbers<int16_t> small;      // the same in 16 bits
  Numbers<uint8_t> small8;     // or in 8
  Numbers<float> values;       // as winograd_memory.h has them; or, half the size,
  Numbers<int16_t> values16;

  template <typename Activation>
  Activation* activations(size_t layer) {
    if constexpr (std::is_same_v<Activation, float>) {
      return floats[layer].data();
    } else {
      return bytes[layer].data();
    }
  }
};

const char* SimdNet::problem() {
  return simd::best_kernels() != nullptr ? nullptr : "simd needs a CPU with SSE 4 or NEON";
}

std::string SimdNet::instruction_set() { return problem() == nullptr ? simd::best_kernels()->name : ""; }

SimdNet::SimdNet(const LayerTable& table, Arithmetic arithmetic, const simd::Kernels* kernels)
    : state_(std::make_unique<State>(
          State{&table, arithmetic, kernels != nullptr ? kernels : simd::best_kernels(), {}, {}, {}, {}, {}, {}, {}})) {
  static std::once_flag once;
  std::call_once(once, [] {
    if (const std::string problem = problem_of_instruction_set(); !problem.empty()) log_warning("[engine] {}", problem);
  });
  ADA_ASSERT(state_->kernels != nullptr && table.layers.front().in_channels == 1 &&
             table.descriptor_size == simd::kLastColumns);
  state_->first = Numbers<float>(static_cast<size_t>(10 * table.layers.front().out_channels));
  int width = table.input_size;
  for (size_t i = 1; i + 1 < table.layers.size(); ++i) {
    const ConvLayer& layer = table.layers[i];
    ADA_ASSERT(layer.kernel == 3 && layer.padding == 1 && layer.relu);
    width /= layer.stride;
    const ConvShape shape{layer.in_channels, layer.out_channels, layer.stride, width};
    Middle& m = state_->middle.emplace_back();
    m.shape = shape;
    m.bias = Numbers<float>(static_cast<size_t>(shape.out_channels));
    if (arithmetic == Arithmetic::kFp32) {
      m.weight = Numbers<float>(shape.weights());
    } else if (shape.stride == 2 && state_->kernels->convolve_directly != nullptr) {
      m.weight8 = Numbers<int8_t>(static_cast<size_t>(9 * shape.in_channels * shape.out_channels));
      m.scale = Numbers<float>(static_cast<size_t>(shape.out_channels));
    } else {
      m.weight16 = Numbers<int16_t>(shape.weights());
      m.scale = Numbers<float>(static_cast<size_t>(shape.points() * shape.out_channels));
    }
  }
  ADA_ASSERT(width * width * state_->middle.back().shape.out_channels == simd::kLastDepth &&
             state_->middle.size() > kEarlyLayers);
  if (arithmetic == Arithmetic::kFp32) {
    state_->last = Numbers<float>(size_t{simd::kLastDepth} * simd::kLastColumns);
  } else {
    if (state_->kernels->last_int8 != nullptr) {
      state_->last8 = Numbers<int8_t>(size_t{simd::kLastDepth} * simd::kLastColumns);
    } else {
      state_->last16 = Numbers<int16_t>(size_t{simd::kLastDepth} * simd::kLastColumns);
    }
    state_->last_scale = Numbers<float>(simd::kLastColumns);
  }
  state_->last_bias = Numbers<float>(simd::kLastColumns);
}

SimdNet::~SimdNet() = default;

std::string SimdNet::refold(const std::vector<FoldedLayer>& layers, const Calibration& calibration) {
  ADA_ASSERT(layers.size() == state_->middle.size() + 2 && calibration.ranges.size() + 2 == layers.size());
  const bool int8 = state_->arithmetic == Arithmetic::kInt8;
  // Of the numbers that layer i leaves.
  const auto step_after = [&](size_t i) {
    return int8 && i < calibration.ranges.size() ? calibration.ranges[i] / 255 : 1;
  };
  const FoldedLayer& first = layers.front();
  const int channels = first.shape.out_channels;
  for (int c = 0; c < channels; ++c) {
    for (int tap = 0; tap < 9; ++tap) {
      state_->first.data()[tap * channels + c] = first.weight[static_cast<size_t>(c * 9 + tap)] / step_after(0);
    }
    state_->first.data()[9 * channels + c] = first.bias[static_cast<size_t>(c)] / step_after(0);
  }
  if (int8 && !all_moderate(state_->first)) return state_->table->conv_weight(first.shape);
  for (size_t i = 1; i + 1 < layers.size(); ++i) {
    Middle& m = state_->middle[i - 1];
    const float* weight = layers[i].weight.data();
    std::transform(layers[i].bias.begin(), layers[i].bias.end(), m.bias.data(),
                   [&](float bias) { return bias / step_after(i); });
    if (int8) {
      const int panel_width = state_->kernels->panel_width_int16;
      if (m.direct()) {
        simd::pack_int8(m.shape, weight, step_after(i - 1), step_after(i), panel_width, m.weight8.data(),
                        m.scale.data());
      } else {
        simd::pack_int16(m.shape, weight, step_after(i - 1), step_after(i), panel_width, m.weight16.data(),
                         m.scale.data());
      }
      if (!all_moderate(m.scale) || !all_moderate(m.bias)) return state_->table->conv_weight(layers[i].shape);
    } else {
      simd::pack(m.shape, weight, state_->kernels->panel_width, m.weight.data());
    }
  }
  const Middle& before = state_->middle.back();
  if (int8) {
    const float* weight = layers.back().weight.data();
    const int panel_width = state_->kernels->panel_width_int16;
    if (state_->last8.size() > 0) {
      simd::pack_last_int8(weight, before.shape.out_channels, before.shape.out_width, panel_width, state_->last8.data(),
                           state_->last_scale.data());
    } else {
      simd::pack_last_int16(weight, before.shape.out_channels, before.shape.out_width, panel_width,
                            state_->last16.data(), state_->last_scale.data());
    }
    if (!all_moderate(state_->last_scale)) return state_->table->conv_weight(layers.back().shape);
  } else {
    simd::pack_last(layers.back().weight.data(), before.shape.out_channels, before.shape.out_width,
                    state_->kernels->panel_width, state_->last.data());
  }
  std::copy(layers.back().bias.begin(), layers.back().bias.end(), state_->last_bias.data());
  return "";
}

std::unique_ptr<CpuNet::Workspace> SimdNet::make_workspace() const {
  auto work = std::make_unique<Work>();
  const auto size = static_cast<size_t>(state_->table->input_size);
  const bool int8 = state_->arithmetic == Arithmetic::kInt8;
  work->normalised = Numbers<float>(size * size);
  work->padded = Numbers<float>((size + 2) * (size + 2));
  size_t values = 0;
  for (const Middle& m : state_->middle) {
    const size_t patches = work->floats.size() + work->bytes.size() + 1 < kEarlyLayers ? kEarly : kLate;
    if (int8) {
      work->bytes.emplace_back(patches * m.shape.in_patch());
    } else {
      work->floats.emplace_back(patches * m.shape.in_patch());
    }
    values = std::max(values, simd::values_needed(m.shape));
  }
  work->before_last = Numbers<float>(size_t{kLate} * simd::kLastStride);
  if (int8) {
    work->values16 = Numbers<int16_t>(values);
    if (state_->last8.size() > 0) {
      work->small8 = Numbers<uint8_t>(size_t{kLate} * simd::kLastStride);
    } else {
      work->small = Numbers<int16_t>(size_t{kLate} * simd::kLastStride);
    }
  } else {
    work->values = Numbers<float>(values);
  }
  return work;
}

namespace {

void convolve(const simd::Kernels& kernels, const Middle& m, const float* in, int patches, float* out, int border,
              size_t apart, auto& work) {
  kernels.convolve({m.shape, m.weight.data(), m.bias.data()}, in, patches, out, border, apart, work.values.data());
}
void convolve(const simd::Kernels& kernels, const Middle& m, const uint8_t* in, int patches, uint8_t* out, int border,
              size_t apart, auto& work) {
  if (m.direct()) {
    return kernels.convolve_directly({m.shape, m.weight8.data(), m.scale.data(), m.bias.data()}, in, patches, out,
                                     border, apart);
  }
  kernels.convolve_bytes({m.shape, m.weight16.data(), m.scale.data(), m.bias.data()}, in, patches, out, border, apart,
                         work.values16.data());
}
void convolve(const simd::Kernels& kernels, const Middle& m, const uint8_t* in, int patches, float* out, int border,
              size_t apart, auto& work) {
  kernels.convolve_bytes_to_floats({m.shape, m.weight16.data(), m.scale.data(), m.bias.data()}, in, patches, out,
                                   border, apart, work.values16.data());
}

void first_layer(const simd::Kernels& k, const float* in, int width, const float* weights, int channels, float* out) {
  k.first(in, width, weights, channels, out);
}
void first_layer(const simd::Kernels& k, const float* in, int width, const float* weights, int channels, uint8_t* out) {
  k.first_to_bytes(in, width, weights, channels, out);
}

}  // namespace

template <typename Activation>
void SimdNet::State::run_early(const uint8_t* patches, int count, Activation* out, Work& work) const {
  const int size = table->input_size;
  auto* activations = work.activations<Activation>(0);
  for (int i = 0; i < count; ++i) {
    pad(patches + i * size * size, size, table->input_epsilon, work.normalised.data(), work.padded.data());
    first_layer(*kernels, work.padded.data(), size, first.data(), table->layers.front().out_channels,
                activations + static_cast<size_t>(i) * middle[0].shape.in_patch());
  }
  for (size_t i = 0; i + 1 < kEarlyLayers; ++i) {
    Activation* to = i + 2 < kEarlyLayers ? work.activations<Activation>(i + 1) : out;
    convolve(*kernels, middle[i], work.activations<Activation>(i), count, to, kBorder,
             middle[i].shape.out_patch(kBorder), work);
  }
}

template <typename Activation>
void SimdNet::State::run_late(int count, Work& work) const {
  for (size_t i = kEarlyLayers - 1; i + 1 < middle.size(); ++i) {
    convolve(*kernels, middle[i], work.activations<Activation>(i), count, work.activations<Activation>(i + 1), kBorder,
             middle[i].shape.out_patch(kBorder), work);
  }
  convolve(*kernels, middle.back(), work.activations<Activation>(middle.size() - 1), count, work.before_last.data(),
           /*border=*/0, size_t{simd::kLastStride}, work);
}

template <typename Activation>
void SimdNet::State::describe(const uint8_t* patches, int count, float* descriptors, Work& work) const {
  const int pixels = table->input_size * table->input_size;
  for (int begin = 0; begin < count; begin += kEarly) {
    run_early<Activation>(patches + begin * pixels, std::min(kEarly, count - begin),
                          work.activations<Activation>(kEarlyLayers - 1) +
                              static_cast<size_t>(begin) * middle[kEarlyLayers - 1].shape.in_patch(),
                          work);
  }
  run_late<Activation>(count, work);
  if (arithmetic == Arithmetic::kFp32) {
    kernels->last(work.before_last.data(), count, last.data(), last_bias.data(), descriptors);
  } else if (last8.size() > 0) {
    kernels->last_int8(work.before_last.data(), count, work.small8.data(), last8.data(), last_scale.data(),
                       last_bias.data(), descriptors);
  } else {
    kernels->last_int16(work.before_last.data(), count, work.small.data(), last16.data(), last_scale.data(),
                        last_bias.data(), descriptors);
  }
  for (int i = 0; i < count; ++i) {
    normalise_descriptor(descriptors + i * table->descriptor_size, table->descriptor_size, table->output_epsilon);
  }
}

void SimdNet::describe(const uint8_t* patches, int64_t count, float* descriptors, Workspace& workspace) const {
  auto& work = static_cast<Work&>(workspace);
  const LayerTable& table = *state_->table;
  for (int64_t begin = 0; begin < count; begin += kLate) {
    const int some = static_cast<int>(std::min<int64_t>(kLate, count - begin));
    const uint8_t* from = patches + begin * table.input_size * table.input_size;
    float* to = descriptors + begin * table.descriptor_size;
    if (state_->arithmetic == Arithmetic::kInt8) {
      state_->describe<uint8_t>(from, some, to, work);
    } else {
      state_->describe<float>(from, some, to, work);
    }
  }
}

}  // namespace adasample
