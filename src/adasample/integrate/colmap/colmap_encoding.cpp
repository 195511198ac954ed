// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_encoding.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/eval/descriptors/storage_loss.h"

namespace adasample {
namespace {

constexpr double kNorm = 512;
// Of the sum of squares: a network's mean is 1 - (160 / 512)^2 = 0.90 of it, SIFT's and RootSIFT's 0.3 to 0.7.
constexpr double kShareOfMean = 0.82;

}  // namespace

std::vector<uint8_t> colmap_descriptors(std::span<const float> descriptors, ColmapEncoding encoding,
                                        const std::string& descriptor, double spread) {
  ADA_ASSERT(descriptors.size() % kDescriptorSize == 0 && spread > 0 && spread < kNorm);
  require_unit_rows(descriptors, kDescriptorSize, descriptor, "COLMAP");
  const bool both_signs = encoding == ColmapEncoding::kSigned;
  const double scale = both_signs ? spread : kNorm;
  const double offset = both_signs ? std::sqrt((kNorm * kNorm - spread * spread) / kDescriptorSize) : 0;
  std::vector<uint8_t> bytes(descriptors.size());
  std::array<double, kDescriptorSize> row;
  for (size_t first = 0; first < descriptors.size(); first += kDescriptorSize) {
    double square = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = scale * descriptors[first + i] + offset;
      square += row[i] * row[i];
    }
    const double unit = both_signs ? kNorm / std::sqrt(square) : 1;
    for (size_t i = 0; i < row.size(); ++i) {
      bytes[first + i] = static_cast<uint8_t>(std::clamp(std::round(row[i] * unit), 0.0, 255.0));
    }
  }
  return bytes;
}

std::vector<float> colmap_rows(std::span<const uint8_t> bytes) {
  ADA_ASSERT(bytes.size() % kDescriptorSize == 0);
  double of_means = 0, of_all = 0;
  for (size_t first = 0; first < bytes.size(); first += kDescriptorSize) {
    double sum = 0;
    for (size_t i = 0; i < kDescriptorSize; ++i) {
      sum += bytes[first + i];
      of_all += bytes[first + i] * bytes[first + i];
    }
    of_means += sum * sum / kDescriptorSize;
  }
  const bool both_signs = of_means > kShareOfMean * of_all;
  const double offset = both_signs ? std::sqrt((kNorm * kNorm - kColmapSpread * kColmapSpread) / kDescriptorSize) : 0;
  std::vector<float> rows(bytes.size());
  for (size_t first = 0; first < bytes.size(); first += kDescriptorSize) {
    double square = 0;
    for (size_t i = 0; i < kDescriptorSize; ++i) square += (bytes[first + i] - offset) * (bytes[first + i] - offset);
    const double unit = square > 0 ? 1 / std::sqrt(square) : 0;
    for (size_t i = 0; i < kDescriptorSize; ++i) {
      rows[first + i] = static_cast<float>((bytes[first + i] - offset) * unit);
    }
  }
  return rows;
}

}  // namespace adasample
