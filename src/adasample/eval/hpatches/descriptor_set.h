// SPDX-License-Identifier: Apache-2.0
// Descriptors of an HPatches set, all of them in memory: what its three tasks are scored on. They come from files in
// the benchmark's layout, DIR/<sequence>/{ref,e1..e5,h1..h5,t1..t5}.csv, a row a patch, or from patches and a
// Descriptor. Float32 in either case, as in the benchmark; split a at 128 numbers takes 490 MB.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adasample/model/descriptor.h"

namespace adasample {

inline constexpr std::array kHpatchesLevels = {"easy", "hard", "tough"};  // strips e, h and t

// What the lists of the tasks depend on.
struct SequenceShape {
  std::string name;
  int64_t patches = 0;
  int images = 6;  // the reference is image 0
  // Of each reference patch: 1 when the standard deviation of its grey levels exceeds 10. Empty: not known.
  std::vector<uint8_t> textured = {};
};

struct DescribedSequence {
  SequenceShape shape;
  int dimension = 0;
  std::vector<float> values;  // (strips, patches, dimension): ref, then images 1, 2, .. of each level

  // (patches, dimension); image 0 is the reference, whatever the level.
  std::span<const float> strip(size_t level, int image) const;
  // (dimension)
  std::span<const float> row(size_t level, int image, int64_t patch) const;
};

struct DescriptorSet {
  std::vector<DescribedSequence> sequences;  // in the split's order
  int dimension = 0;

  std::vector<SequenceShape> shapes() const;
};

// The largest number of a descriptor in a file: squares and sums of such stay finite in float32.
inline constexpr double kLargestInFile = 1e15;

// A csv file: a row a patch, as many finite numbers in each, two at least, between `delimiter`. No header.
struct DescriptorRows {
  int64_t rows = 0;
  int dimension = 0;
  std::vector<float> values;  // (rows, dimension)
};

// Throws Error that names file and row.
DescriptorRows parse_descriptor_csv(std::string_view text, const std::string& label, char delimiter = ',');

// The sequences in `root` (data/hpatches/hpatches.h: is_hpatches_sequence), whole or not, sorted; throws Error when
// there is none.
std::vector<std::string> list_descriptors(const std::filesystem::path& root);

// The csv files of these sequences, those of one image count (data/hpatches/hpatches.h: sequence_strips).
std::vector<std::filesystem::path> descriptor_files(const std::filesystem::path& root,
                                                    const std::vector<std::string>& sequences);

// Throws Error for a missing file, rows that are missing, widths that differ. Ctrl-C throws Error.
DescriptorSet read_descriptor_set(const std::filesystem::path& root, const std::vector<std::string>& sequences,
                                  char delimiter = ',');

// Describes the strips of these sequences, patches resized from 65 to `size` pixels as OpenCV does (image/resize.h).
// `seconds` receives the time spent in describe().
DescriptorSet describe_hpatches(const std::filesystem::path& root, const std::vector<std::string>& sequences,
                                Descriptor& descriptor, int size, double& seconds);

}  // namespace adasample
