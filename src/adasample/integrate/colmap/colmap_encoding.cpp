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

}  // namespace adasample
