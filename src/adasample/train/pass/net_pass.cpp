// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/pass/net_pass.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/train/pass/convolution.h"
#include "adasample/train/pass/floats.h"
#include "adasample/train/pass/weights.h"

namespace adasample {
namespace {

using namespace pass;

constexpr size_t kLast = NetPass::kLayers - 1;
constexpr int kFirstMoments = kTaps + kTaps * kTaps;

// Patches at a time by layer, the second to the sixth.
constexpr int kBlocks[] = {0, 1, 2, 2, 4, 8};

// But for rounding a variance is not; what is not a number stays so.
double not_negative(double variance) { return variance < 0 ? 0 : variance; }

// Batch norm of a layer as scale * sums + shift, and the coefficients of its gradient (kernels.h, Backward).
struct Norm {
  std::vector<float> scale = {}, shift = {}, alpha = {}, beta = {}, gamma = {};
};

}  // namespace

struct NetPass::State {
  State(const LayerTable& t, Machine machine, int p) : table(&t), kernel(&kernels(machine)), parts(p) {}

  template <typename Body>  // body(part)
  void run(const Body& body) const {
    parallel_for(parts, [&](int64_t part) { body(static_cast<int>(part)); });
  }

  int64_t begin(int part) const { return m * part / parts; }
  template <typename Body>  // body(first, count): patches of a block
  void blocks(int part, int64_t most, const Body& body) const {
    for (int64_t first = begin(part), end = begin(part + 1); first < end; first += most) {
      body(first, static_cast<int>(std::min(most, end - first)));
    }
  }
  Scratch scratch_of(int part) { return scratch[static_cast<size_t>(part)].at; }
  void reserve(int64_t patches);
  void pack_weights();
  void set_norm(size_t layer);
  void set_gradient_norm(size_t layer, const double* moments);
  size_t rows() const { return together.apart ? scratch.size() : 1; }
  // The patches of a row of sums: those of a part, or all.
  int64_t row_begin(size_t row) const { return together.apart ? begin(static_cast<int>(row)) : row == 0 ? 0 : m; }
  int64_t patches() const { return together.total ? together.patches : m; }
  std::vector<double> sum_moments(size_t count) const;
  std::vector<double> total(const std::vector<double>& mine) const;
  Source source_of(size_t layer) const;

  void first_statistics();
  void forward(size_t layer);
  void forward_last();
  void backward_last(const float* gradient, const std::vector<Gradients>& to);
  void backward(size_t layer, const std::vector<Gradients>& to);
  void first_gradient(const std::vector<double>& moments, const std::vector<Gradients>& to) const;
  void add_parts(size_t count, int part);

  const LayerTable* table;
  const Kernels* kernel;
  int parts;
  std::array<Layer, kLast> layers = {};  // the first has no use
  int64_t m = 0;
  Network network = {};
  const float* dropout = nullptr;
  Together together = {};

  Floats images, folded;
  std::array<Floats, kLayers> sums, packed, packed_back;
  std::array<Floats, 2> gradients;  // of a layer's input, and of the one before
  std::array<Statistics, kLayers> statistics = {};
  std::array<Norm, kLayers> norms = {};
  std::vector<double> image_moments;  // (rows, kFirstMoments), of the first layer

  struct PartScratch {
    Floats inputs, gradient, left, right, weight_points;
    std::vector<double> moments = {};
    Scratch at = {};
  };
  std::vector<PartScratch> scratch;
};

bool NetPass::serves(const LayerTable& table) { return table.name == l2net().name; }

NetPass::NetPass(const LayerTable& table, Machine machine, int parts)
    : state_(std::make_unique<State>(table, machine, parts)) {
  ADA_ASSERT(serves(table) && parts >= 1);
  State& s = *state_;
  int64_t inputs = 0, gradient = 0, left = 0, right = 0, points = 0;
  int width = table.input_size;
  for (size_t i = 0; i < kLast; ++i) {
    const ConvLayer& shape = table.layers[i];
    const int out_width = width / shape.stride;
    s.layers[i] = {shape.in_channels, shape.out_channels, width, out_width, shape.stride, kBlocks[i]};
    width = out_width;
    const Layer& layer = s.layers[i];
    const int tiles = layer.block * layer.tiles();
    const int64_t count = int64_t{layer.points()} * layer.in * layer.out;
    if (i == 0) continue;
    s.packed[i].reserve(count);
    s.packed_back[i].reserve(count);
    points = std::max(points, count);
    inputs = std::max(inputs, int64_t{layer.block} * layer.padded());
    gradient = std::max<int64_t>(gradient, layer.padded());
    left = std::max(left, layer.points() * point_step(layer.in, tiles));
    right = std::max(right, layer.points() * point_step(layer.out, tiles));
  }
  constexpr int64_t kLastPoints = int64_t{Last::kPixels} * Last::kIn * Last::kOut;
  s.packed[kLast].reserve(kLastPoints);
  s.packed_back[kLast].reserve(kLastPoints);
  points = std::max(points, kLastPoints);
  left = std::max(left, Last::kPixels * point_step(Last::kIn, Last::kBlockPatches));
  right = std::max<int64_t>(right, Last::kOut * Last::kBlockPatches);
  s.folded.reserve((kTaps + 1) * kBlock);
  s.scratch.resize(static_cast<size_t>(parts));
  for (auto& part : s.scratch) {
    part.at = {part.inputs.reserve(inputs), part.gradient.reserve(gradient), part.left.reserve(left),
               part.right.reserve(right)};
    part.weight_points.reserve(points);
  }
}

NetPass::~NetPass() = default;

const std::array<NetPass::Statistics, NetPass::kLayers>& NetPass::statistics() const { return state_->statistics; }

void NetPass::State::reserve(int64_t patches) {
  m = patches;
  images.reserve(m * kPitch * kPitch);
  for (size_t i = 1; i < kLast; ++i) sums[i].reserve(m * layers[i].out_width * layers[i].out_width * layers[i].out);
  sums[kLast].reserve(m * Last::kOut);
  // The gradients of layer i's input lie in gradients[i % 2]; the largest are those of the third and the fourth.
  for (size_t i = 2; i < 4; ++i) gradients[i % 2].reserve(m * layers[i].width * layers[i].width * layers[i].in);
}

void NetPass::State::pack_weights() {
  run([this](int part) {
    const Share share = {part, parts};
    for (size_t i = 1; i < kLast; ++i) {
      pack(layers[i], network.weights[i], share, packed[i].data(), packed_back[i].data());
    }
    pack_last(network.weights[kLast], share, packed[kLast].data(), packed_back[kLast].data());
  });
}

// The parts' sums, added up in their order unless they are kept apart. (rows, count)
std::vector<double> NetPass::State::sum_moments(size_t count) const {
  std::vector<double> all(rows() * count, 0);
  for (size_t part = 0; part < scratch.size(); ++part) {
    const size_t row = together.apart ? part : 0;
    for (size_t i = 0; i < count; ++i) all[row * count + i] += scratch[part].moments[i];
  }
  return all;
}

// Sums of the whole batch, wherever the rest of it is. (count)
std::vector<double> NetPass::State::total(const std::vector<double>& mine) const {
  return together.total ? together.total(mine, rows()) : mine;
}

void NetPass::State::set_norm(size_t layer) {
  const Statistics& s = statistics[layer];
  Norm& norm = norms[layer];
  norm.scale.resize(s.mean.size());
  norm.shift.resize(s.mean.size());
  for (size_t c = 0; c < s.mean.size(); ++c) {
    const double scale = 1 / std::sqrt(s.variance[c] + table->batch_norm_epsilon);
    norm.scale[c] = static_cast<float>(scale);
    norm.shift[c] = static_cast<float>(-s.mean[c] * scale);
  }
}

// With x = (z - mean) scale and g its gradient, that of z is scale (g - mean(g) - x mean(g x)). moments: sums of g and
// of g x by channel.
void NetPass::State::set_gradient_norm(size_t layer, const double* moments) {
  const Statistics& s = statistics[layer];
  const size_t channels = s.mean.size();
  Norm& norm = norms[layer];
  for (auto* values : {&norm.alpha, &norm.beta, &norm.gamma}) values->resize(channels);
  for (size_t c = 0; c < channels; ++c) {
    const double scale = 1 / std::sqrt(s.variance[c] + table->batch_norm_epsilon);
    const double mean = moments[c] / static_cast<double>(s.count);
    const double along = moments[channels + c] / static_cast<double>(s.count);
    norm.alpha[c] = static_cast<float>(scale);
    norm.beta[c] = static_cast<float>(-scale * scale * along);
    norm.gamma[c] = static_cast<float>(scale * (scale * along * s.mean[c] - mean));
  }
}

Source NetPass::State::source_of(size_t layer) const {
  const Norm& norm = norms[layer - 1];
  if (layer == 1) return {.images = images.data(), .folded = folded.data()};
  return {.sums = sums[layer - 1].data(), .scale = norm.scale.data(), .shift = norm.shift.data()};
}

// The first layer is linear in its input: mean and variance of its sums follow from those of the images' windows.
void NetPass::State::first_statistics() {
  run([this](int part) {
    PartScratch& mine = scratch[static_cast<size_t>(part)];
    mine.moments.assign(kFirstMoments, 0);
    for (int64_t i = begin(part); i < begin(part + 1); ++i) {
      kernel->image_moments(images.data() + i * kPitch * kPitch, mine.moments.data());
    }
  });
  image_moments = sum_moments(kFirstMoments);
  const std::vector<double> moments = total(image_moments);
  Statistics& s = statistics[0];
  s.count = patches() * kImage * kImage;
  const auto count = static_cast<double>(s.count);
  s.mean.assign(kBlock, 0);
  s.variance.assign(kBlock, 0);
  for (size_t c = 0; c < kBlock; ++c) {
    const float* w = network.weights[0] + c * kTaps;
    double square = 0;
    for (size_t a = 0; a < kTaps; ++a) {
      s.mean[c] += double{w[a]} * moments[a] / count;
      for (size_t b = 0; b < kTaps; ++b) {
        square += double{w[a]} * double{w[b]} * moments[kTaps + a * kTaps + b] / count;
      }
    }
    s.variance[c] = not_negative(square - s.mean[c] * s.mean[c]);
  }
  set_norm(0);
  for (size_t c = 0; c < kBlock; ++c) {
    for (size_t tap = 0; tap < kTaps; ++tap) {
      folded.data()[tap * kBlock + c] = network.weights[0][c * kTaps + tap] * norms[0].scale[c];
    }
    folded.data()[kTaps * kBlock + c] = norms[0].shift[c];
  }
}

void NetPass::State::forward(size_t i) {
  const Layer& layer = layers[i];
  const Forward f = {layer, source_of(i), packed[i].data(), sums[i].data(), network.expected[i]};
  const auto channels = static_cast<size_t>(layer.out);
  run([&](int part) {
    auto& moments = scratch[static_cast<size_t>(part)].moments;
    moments.assign(2 * channels, 0);
    blocks(part, layer.block,
           [&](int64_t first, int count) { kernel->forward(f, first, count, scratch_of(part), moments.data()); });
  });
  const std::vector<double> moments = total(sum_moments(2 * channels));
  Statistics& s = statistics[i];
  s.count = patches() * layer.out_width * layer.out_width;
  s.mean.resize(channels);
  s.variance.resize(channels);
  for (size_t c = 0; c < channels; ++c) {
    const double deviation = moments[c] / static_cast<double>(s.count);
    s.mean[c] = double{network.expected[i][c]} + deviation;
    s.variance[c] = not_negative(moments[channels + c] / static_cast<double>(s.count) - deviation * deviation);
  }
  set_norm(i);
}

void NetPass::State::forward_last() {
  const Last last = {
      .source = source_of(kLast), .dropout = dropout, .weights = packed[kLast].data(), .sums = sums[kLast].data()};
  run([&](int part) {
    blocks(part, Last::kBlockPatches,
           [&](int64_t first, int count) { kernel->last_forward(last, first, count, scratch_of(part)); });
  });
  Statistics& s = statistics[kLast];
  s.count = patches();
  const auto count = static_cast<double>(s.count);
  const float* z = sums[kLast].data();
  const auto each = [&](const auto& term) {  // sums of term(channel, z) by row and channel, over the whole batch
    std::vector<double> mine(rows() * Last::kOut, 0);
    for (size_t row = 0; row < rows(); ++row) {
      for (int64_t i = row_begin(row); i < row_begin(row + 1); ++i) {
        for (size_t c = 0; c < Last::kOut; ++c) {
          mine[row * Last::kOut + c] += term(c, double{z[i * Last::kOut + static_cast<int64_t>(c)]});
        }
      }
    }
    return total(mine);
  };
  s.mean = each([](size_t, double value) { return value; });
  for (double& mean : s.mean) mean /= count;
  s.variance = each([&](size_t c, double value) { return (value - s.mean[c]) * (value - s.mean[c]) / count; });
  set_norm(kLast);
}

void NetPass::forward(const float* images, int64_t m, const Network& network, const float* dropout, float* descriptors,
                      const Together* together) {
  ADA_ASSERT(m >= 1);
  State& s = *state_;
  s.reserve(m);
  s.together = together != nullptr ? *together : Together{};
  ADA_ASSERT(!s.together.apart || s.together.total);
  s.network = network;
  s.dropout = dropout;
  std::memset(s.images.data(), 0, static_cast<size_t>(m * kPitch * kPitch) * sizeof(float));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t y = 0; y < kImage; ++y) {
      std::copy_n(images + (i * kImage + y) * kImage, kImage, s.images.data() + (i * kPitch + y + 1) * kPitch + 1);
    }
  }
  s.pack_weights();
  s.first_statistics();
  for (size_t i = 1; i < kLast; ++i) s.forward(i);
  s.forward_last();
  const Norm& norm = s.norms[kLast];
  const float* z = s.sums[kLast].data();
  for (int64_t i = 0; i < m * Last::kOut; ++i) {
    const auto c = static_cast<size_t>(i % Last::kOut);
    descriptors[i] = z[i] * norm.scale[c] + norm.shift[c];
  }
}

// Adds up what the parts have of `count` gradients of points, this part's share of them, in the first part's.
void NetPass::State::add_parts(size_t count, int part) {
  const auto all = static_cast<size_t>(parts), index = static_cast<size_t>(part);
  float* to = scratch.front().weight_points.data();
  for (size_t other = 1; other < all; ++other) {
    const float* from = scratch[other].weight_points.data();
    for (size_t i = count * index / all; i < count * (index + 1) / all; ++i) to[i] += from[i];
  }
}

void NetPass::State::backward_last(const float* gradient, const std::vector<Gradients>& to) {
  constexpr size_t kOut = Last::kOut, kIn = Last::kIn;
  // Through batch norm.
  const Norm& norm = norms[kLast];
  const float* z = sums[kLast].data();
  std::vector<double> mine(rows() * 2 * kOut, 0);
  const auto count = static_cast<size_t>(m) * kOut;
  for (size_t row = 0; row < rows(); ++row) {
    double* moments = mine.data() + row * 2 * kOut;
    for (size_t i = static_cast<size_t>(row_begin(row)) * kOut; i < static_cast<size_t>(row_begin(row + 1)) * kOut;
         ++i) {
      const size_t c = i % kOut;
      moments[c] += double{gradient[i]};
      moments[kOut + c] += double{gradient[i]} * double{z[i] * norm.scale[c] + norm.shift[c]};
    }
  }
  const std::vector<double> moments = total(mine);
  set_gradient_norm(kLast, moments.data());
  std::vector<float> of_sums(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t c = i % kOut;
    of_sums[i] = norm.alpha[c] * gradient[i] + (norm.beta[c] * z[i] + norm.gamma[c]);
  }
  const Last last = {.source = source_of(kLast),
                     .dropout = dropout,
                     .weights_back = packed_back[kLast].data(),
                     .gradient = of_sums.data(),
                     .source_gradient = gradients[kLast % 2].data()};
  constexpr size_t kPoints = size_t{Last::kPixels} * kIn * kOut;
  run([&](int part) {
    PartScratch& own = scratch[static_cast<size_t>(part)];
    own.moments.assign(2 * kIn, 0);
    std::fill_n(own.weight_points.data(), kPoints, 0.f);
    blocks(part, Last::kBlockPatches, [&](int64_t first, int block) {
      kernel->last_backward(last, first, block, own.at, own.weight_points.data(), own.moments.data());
    });
  });
  set_gradient_norm(kLast - 1, total(sum_moments(2 * kIn)).data());
  if (together.apart) {
    run([&](int part) {
      const auto row = static_cast<size_t>(part);
      unpack_last(scratch[row].weight_points.data(), {0, 1}, to[row][kLast]);
    });
    return;
  }
  run([&](int part) { add_parts(kPoints, part); });
  run([&](int part) { unpack_last(scratch.front().weight_points.data(), {part, parts}, to.front()[kLast]); });
}

void NetPass::State::backward(size_t i, const std::vector<Gradients>& to) {
  const Layer& layer = layers[i];
  const Norm& norm = norms[i];
  const Backward b = {.layer = layer,
                      .source = source_of(i),
                      .weights_back = packed_back[i].data(),
                      .sums = sums[i].data(),
                      .gradient = gradients[(i + 1) % 2].data(),
                      .alpha = norm.alpha.data(),
                      .beta = norm.beta.data(),
                      .gamma = norm.gamma.data(),
                      .source_gradient = gradients[i % 2].data()};
  const size_t points = static_cast<size_t>(layer.points() * layer.in) * static_cast<size_t>(layer.out);
  const size_t moments = i == 1 ? (kTaps + 1) * kBlock : 2 * static_cast<size_t>(layer.in);
  run([&](int part) {
    PartScratch& mine = scratch[static_cast<size_t>(part)];
    mine.moments.assign(moments, 0);
    std::fill_n(mine.weight_points.data(), points, 0.f);
    blocks(part, layer.block, [&](int64_t first, int count) {
      kernel->backward(b, first, count, mine.at, mine.weight_points.data(), mine.moments.data());
    });
  });
  if (together.apart) {
    run([&](int part) {
      const auto row = static_cast<size_t>(part);
      unpack(layer, scratch[row].weight_points.data(), {0, 1}, to[row][i]);
    });
    return;
  }
  run([&](int part) { add_parts(points, part); });
  run([&](int part) { unpack(layer, scratch.front().weight_points.data(), {part, parts}, to.front()[i]); });
}

// The first layer's weights: z = w . window, so the sums over all pixels that batch norm's gradient asks for follow
// from the moments of the windows. mine: (rows, kTaps + 1, 32) of the gradient g of (z - mean) scale.
void NetPass::State::first_gradient(const std::vector<double>& mine, const std::vector<Gradients>& to) const {
  const Statistics& s = statistics[0];
  const auto count = static_cast<double>(s.count);
  const std::vector<double> whole = total(mine);
  for (size_t c = 0; c < kBlock; ++c) {
    const float* w = network.weights[0] + c * kTaps;
    const double scale = 1 / std::sqrt(s.variance[c] + table->batch_norm_epsilon);
    const double sum = whole[kTaps * kBlock + c];
    double along = -s.mean[c] * sum;  // sum of g (z - mean)
    for (size_t a = 0; a < kTaps; ++a) along += double{w[a]} * whole[a * kBlock + c];
    along *= scale;
    for (size_t row = 0; row < rows(); ++row) {
      const double* moments = mine.data() + row * (kTaps + 1) * kBlock;
      const double* windows = image_moments.data() + row * kFirstMoments;
      for (size_t a = 0; a < kTaps; ++a) {
        double normalised = -s.mean[c] * windows[a];  // sum of the windows' a times (z - mean)
        for (size_t b = 0; b < kTaps; ++b) normalised += double{w[b]} * windows[kTaps + b * kTaps + a];
        normalised *= scale;
        to[row][0][c * kTaps + a] = static_cast<float>(
            scale * (moments[a * kBlock + c] - sum / count * windows[a] - along / count * normalised));
      }
    }
  }
}

void NetPass::backward(const float* gradient, const std::vector<Gradients>& weight_gradients) {
  State& s = *state_;
  ADA_ASSERT(weight_gradients.size() == s.rows());
  const auto ready = [&](size_t layer) {
    if (s.together.ready) s.together.ready(layer);
  };
  s.backward_last(gradient, weight_gradients);
  ready(kLast);
  for (size_t i = kLast - 1; i >= 1; --i) {
    s.backward(i, weight_gradients);
    if (i > 1) s.set_gradient_norm(i - 1, s.total(s.sum_moments(2 * static_cast<size_t>(s.layers[i].in))).data());
    ready(i);
  }
  s.first_gradient(s.sum_moments((kTaps + 1) * kBlock), weight_gradients);
  ready(0);
}

}  // namespace adasample
