// SPDX-License-Identifier: Apache-2.0
// A PhotoTour set (Brown, Hua and Winder; "UBC patches") as it is published: a folder of
//   patches0000.bmp ..  sheets of 1024 x 1024 grey pixels: 16 x 16 patches of 64 x 64, row by row; the last is padded
//   info.txt, interest.txt, m50_<n>_<n>_0.txt  see phototour_text.h
// Patch p is number p % 256 of sheet p / 256; there are as many patches as info.txt has lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adasample/base/files/mapped_file.h"
#include "adasample/data/labelled_pairs.h"
#include "adasample/image/files/bmp.h"

namespace adasample {

inline constexpr int kPhotoTourPatch = 64;          // pixels along a side
inline constexpr int kPhotoTourSheet = 1024;        // pixels along a side
inline constexpr int64_t kPhotoTourPerSheet = 256;  // patches

// The six published sets, known by their counts.
struct PhotoTourSet {
  std::string_view name;
  int64_t patches;
  int64_t sheets() const { return (patches + kPhotoTourPerSheet - 1) / kPhotoTourPerSheet; }
};
std::span<const PhotoTourSet> published_phototour_sets();
// The published set of this many patches; "" when there is none.
std::string_view phototour_set_name(int64_t patches);

// What lies in a folder, by name; nothing is opened.
struct PhotoTourFiles {
  struct Numbered {
    std::filesystem::path path;
    int64_t number;
  };
  std::filesystem::path folder;
  std::vector<Numbered> sheets;       // patchesNNNN.bmp by name; the number is NNNN
  std::vector<Numbered> match_lists;  // m50_<n>_<n>_0.txt by number, which is n, the lines it should have
  bool has_info = false, has_interest = false;

  std::filesystem::path info() const { return folder / "info.txt"; }
  std::filesystem::path interest() const { return folder / "interest.txt"; }
};
PhotoTourFiles list_phototour(const std::filesystem::path& folder);

// The sheet's bytes as a bitmap of the right extent; throws Error that names `path`.
BmpView view_sheet(const MappedFile& file);

// Patch `number` of a sheet, 0 to 255. out: (64, 64).
// Whether all pixels of the sheet's patches from `first` on are alike: padding.
bool is_blank_from(const BmpView& sheet, int first);

void read_from_sheet(const BmpView& sheet, int number, std::span<uint8_t> out);

class PhotoTour {
 public:
  // Maps every sheet and looks at its header; pixels are read of the last one only. Throws Error when sheets are
  // missing, too many, short or of another size than info.txt's lines ask for, when the last label has no patch, or
  // when a published set has lost lines; warns when there seem to be patches without labels.
  static PhotoTour open(const std::filesystem::path& folder);

  int64_t patch_count() const { return static_cast<int64_t>(points_.size()); }
  int64_t sheet_count() const { return static_cast<int64_t>(sheets_.size()); }
  const PhotoTourFiles& files() const { return files_; }
  std::span<const int64_t> points() const { return points_; }  // the 3D point of each patch

  // out: (64, 64).
  void read(int64_t patch, std::span<uint8_t> out) const;

  // Patches of the same point, each in the order of their numbers; classes in the order of their first patch.
  std::vector<std::vector<int64_t>> classes() const;

  // The match list of this name; without a name the customary m50_100000_100000_0.txt, else the largest there is.
  // Throws Error that says what to fetch when the folder has none.
  std::filesystem::path match_list(const std::optional<std::string>& name) const;
  // Warns when the list holds another number of pairs than its name says.
  PatchPairs read_matches(const std::filesystem::path& list) const;

 private:
  void check_last_sheet() const;

  struct Sheet {
    MappedFile file;
    BmpView bitmap;
  };
  PhotoTourFiles files_;
  std::vector<int64_t> points_;
  std::vector<Sheet> sheets_;
};

}  // namespace adasample
