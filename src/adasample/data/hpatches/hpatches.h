// SPDX-License-Identifier: Apache-2.0
// The HPatches patches release on disk, or a set made like it: a folder a sequence (i_*: the light changes, v_*: the
// viewpoint), in it 16 strips ref.png, e1..e5, h1..h5, t1..t5 (easy, hard, tough), 65 pixels wide. Rows 65 i to 65 i +
// 64 hold patch i, which shows the same spot in all 16. Strips 1 to 5 belong to pictures 2 to 6; in a set that `data
// sequences` made of fewer pictures the last of them are not there.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "adasample/data/hpatches/hpatches_splits.h"
#include "adasample/image/image.h"

namespace adasample {

inline constexpr int kHpatchesSide = 65;  // width of a patch, pixels
inline constexpr std::array kHpatchesStrips = {"ref", "e1", "e2", "e3", "e4", "e5", "h1", "h2",
                                               "h3",  "h4", "h5", "t1", "t2", "t3", "t4", "t5"};

struct HpatchesSequence {
  std::string name;
  int64_t count = 0;              // patches a strip
  std::vector<ByteImage> strips;  // as sequence_strips() lists them

  std::span<const uint8_t> patch(size_t strip, int64_t index) const;  // (65, 65)
};

// A folder named i_* or v_*, or another with any of the 16 strips: a set of one's own may call its sequences anything,
// and one that lacks a strip is not to be passed over. Descriptors of patches lie in the same layout as files .csv.
bool is_hpatches_sequence(const std::filesystem::path& folder, const char* extension = ".png");

// The names of the sequences in a root, sorted; other entries are passed over.
// Throws Error when there is none.
std::vector<std::string> list_hpatches(const std::filesystem::path& root);

// What `data sequences` leaves in the root of what it makes; no release has it.
inline constexpr const char* kSequencesFile = "sequences.json";
bool made_by_sequences(const std::filesystem::path& root);

// The strips that make a sequence whole, as places in kHpatchesStrips: all 16; in a set that made_by_sequences() ref
// and e, h, t of each picture up to the last that has any of the three, and of picture 2 at least.
std::vector<size_t> sequence_strips(const std::filesystem::path& root, const std::string& sequence,
                                    const char* extension = ".png");

std::filesystem::path strip_path(const std::filesystem::path& root, const std::string& sequence, size_t strip,
                                 const char* extension = ".png");

// One strip; throws Error on a width other than 65 and a height that is no multiple of it.
ByteImage read_strip(const std::filesystem::path& path);

// All strips of a sequence, decoded side by side: 135 MB at most in the release. Throws Error naming file and
// expectation: a missing strip, a damaged one, one with more or fewer patches than ref.png.
HpatchesSequence load_hpatches(const std::filesystem::path& root, const std::string& sequence);

struct HpatchesChoice {
  std::string split = "a";
  std::string part = "train";  // or "test"
  bool allow_missing = false;  // go on without the sequences that are not there

  void validate() const;
};

// The sequences of a part that are in the root, in the split's order. "full" is whatever the root holds: the sequences
// that split lists (the benchmark's, if `splits` has none of that name), then the others; it warns when some of that
// split are there and some are not, unless the root was made_by_sequences(), which may use any names. Otherwise throws
// Error that names what is missing, or warns of it where that is allowed; at least one must be there.
std::vector<std::string> choose_hpatches(const std::filesystem::path& root, const HpatchesSplits& splits,
                                         const HpatchesChoice& choice);
// The same for a root whose sequences were `listed` otherwise.
std::vector<std::string> choose_hpatches(const std::filesystem::path& root, const std::vector<std::string>& listed,
                                         const HpatchesSplits& splits, const HpatchesChoice& choice);

}  // namespace adasample
