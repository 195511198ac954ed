// SPDX-License-Identifier: Apache-2.0
// Describes three patches with the installed library: consumer WEIGHTS [ENGINE]. WEIGHTS: a file, a run, or "default".
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "adasample/base/exception.h"
#include "adasample/engine/engine.h"
#include "adasample/model/default_weights.h"

namespace {

constexpr int kSize = 32, kArea = kSize * kSize, kCount = 3;

// Waves; the same waves at half the contrast; the first ones turned by a quarter.
std::vector<uint8_t> three_patches() {
  std::vector<uint8_t> patches;
  for (int i = 0; i < kCount * kArea; ++i) {
    const int which = i / kArea, x = i % kSize, y = i / kSize % kSize;
    const double wave = std::sin(0.5 * (which == 2 ? y : x)) + std::cos(0.2 * (which == 2 ? x : y));
    const int grey = 128 + static_cast<int>(60 * wave);
    patches.push_back(static_cast<uint8_t>(which == 1 ? 40 + grey / 2 : grey));
  }
  return patches;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2 || argc > 3) throw std::runtime_error("usage: consumer WEIGHTS [ENGINE]");
  const auto [name, note] = adasample::engine_here(argc == 3 ? argv[2] : adasample::default_engine());
  if (!note.empty()) std::fprintf(stderr, "%s\n", note.c_str());  // another one takes its place
  const std::string file = adasample::weights_file(argv[1]);
  const auto engine = adasample::make_engine(name, adasample::load_safetensors(file), file);

  const size_t dimension = static_cast<size_t>(engine->dimension());
  std::vector<float> descriptors(kCount * dimension);  // (3, 128), rows of norm 1
  engine->describe(three_patches(), kCount, kSize, descriptors);

  const auto distance_to = [&](size_t row) {
    double sum = 0;
    for (size_t i = 0; i < dimension; ++i) sum += std::pow(descriptors[i] - descriptors[row * dimension + i], 2);
    return std::sqrt(sum);
  };
  std::printf("%s, %zu numbers a patch\n", name.c_str(), dimension);
  std::printf("distance to the same at half the contrast: %.4f\n", distance_to(1));
  std::printf("distance to another patch: %.4f\n", distance_to(2));
} catch (const adasample::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.kind() == adasample::Error::Kind::kUsage ? 2 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
