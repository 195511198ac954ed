// SPDX-License-Identifier: Apache-2.0
// A stand-in for PhotoTour and HPatches where nobody has them: sites and sequences made on the spot, in the formats of
// the real ones, so that readers, lists and protocols are the real ones too. A site is a set of scenes, procedural ones
// or photographs, that no other site shares. Each scene has depth (surfaces in front of others) and is photographed
// several times, each time from elsewhere, in another light and with things in the way (data/views/picture_view.h);
// a detector looks at every photograph on its own, and a point is what it found again: two patches or a few.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace adasample {

inline constexpr int kTourSites = 3;

struct TourOptions {
  int site = 0;            // 0, 1, 2: no two share a scene
  int64_t points = 20000;  // at most; photographs may not have as many
  uint64_t seed = 0;
  std::filesystem::path photographs =
      {};  // a folder of pictures, every third of which is this site's; none: procedural

  void validate() const;
};

// Writes the site to `out`, which must not exist. The bytes depend on the options and the photographs, not on the
// thread count. Throws Error where a site would have no point.
void make_tour(const TourOptions& options, const std::filesystem::path& out);

struct TourSequenceOptions {
  bool test = false;      // whether for testing: no scene is in both
  int sequences = 8;      // every second one differs in light only (i_*), the others in viewpoint (v_*)
  int max_patches = 300;  // a sequence
  uint64_t seed = 0;
  std::filesystem::path photographs = {};

  void validate() const;
};

// Sequences of six pictures and their homographies, and of these patches as HPatches has them (data/sequences), which
// are written to `out`; it must not exist.
void make_tour_sequences(const TourSequenceOptions& options, const std::filesystem::path& out);

}  // namespace adasample
