// SPDX-License-Identifier: Apache-2.0
// Descriptors as COLMAP's matchers want SIFT's: bytes, 128 a row, of Euclidean norm 512. They compare rows by the angle
// between them, or by their distance.
//  - SIFT's own are not negative: v = 512 d, as COLMAP writes them.
//  - A network's have both signs: v = s d + sqrt((512^2 - s^2) / 128), the row scaled to norm 512 again, since d is not
//    exactly orthogonal to (1 .. 1). To first order angles shrink by s / 512 and their ratios stay, so that COLMAP's
//    ratio test means what it means for d; its largest distance (0.7 rad) excludes nothing. A small s loses digits to
//    rounding, a large one clips at 0, one entry in 1000 for s = 160; from 120 to 200 COLMAP finds the same matches to
//    within 2 % (experiments/colmap).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace adasample {

enum class ColmapEncoding { kSigned, kNonNegative };

inline constexpr double kColmapSpread = 160;  // s

// `descriptors`: float [n, 128], rows of norm 1, or Error that says whose they are; the result uint8 [n, 128].
std::vector<uint8_t> colmap_descriptors(std::span<const float> descriptors, ColmapEncoding encoding,
                                        const std::string& descriptor, double spread = kColmapSpread);

// The other way round, as good as bytes allow: rows of norm 1, float [n, 128]. A picture's rows are taken for a
// network's where their means make up most of them, which SIFT's never do.
std::vector<float> colmap_rows(std::span<const uint8_t> bytes);

}  // namespace adasample
