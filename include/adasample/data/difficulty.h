// SPDX-License-Identifier: Apache-2.0
// What makes a view hard. A view's strength (its grade within the class) is multiplied by a factor for each kind of
// difficulty; 0 leaves a kind out. At strength 1 and factor 1:
//   warp       turns by up to 25 degrees, zooms by 0.35 octaves, shifts by 15 % of the width, stretches by 0.2 octaves
//   light      light falls off by up to 25 % from the centre to an edge; gamma of up to half an octave
//   contrast   gain of up to 0.35 octaves about mid grey and 20 grey levels up or down, clipped as a sensor does
//   shadow     in every second view a cast shadow's edge, with up to two stops less light on one side
//   blur       defocus: a Gaussian of up to 0.8 patch pixels
//   motion     in every second view the camera moves by up to 5 patch pixels during the exposure
//   noise      of the sensor, up to 5 grey levels
//   occlusion  in every second view another spot of the picture covers a part of the patch, up to nearly a half
//   parallax   an edge runs through the class's patches; what lies beyond it is nearer or farther, and shifts by up to
//              25 % of the width against the rest
// The three that stand before a lens (motion, occlusion, parallax) are applied before noise and tone.
#pragma once

#include <array>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace adasample {

enum class Hardness { kWarp, kLight, kContrast, kShadow, kBlur, kMotion, kNoise, kOcclusion, kParallax };
inline constexpr size_t kHardnessCount = 9;
std::string_view to_string(Hardness kind);

struct Difficulty {
  std::array<double, kHardnessCount> factors = {1, 1, 1, 0, 1, 0, 1, 0, 0};  // in the order of the enum
  double max_warp = std::numeric_limits<double>::infinity();                 // the warp's strength stops growing here

  double of(Hardness kind) const { return factors[static_cast<size_t>(kind)]; }
  void set(Hardness kind, double factor) { factors[static_cast<size_t>(kind)] = factor; }
  // Strength of one kind in a view of this strength.
  double strength(Hardness kind, double view) const;
  bool operator==(const Difficulty&) const = default;

  void validate() const;            // factors 0 to 10, max_warp 0 or more
  nlohmann::json describe() const;  // {"warp": 1, ..}, for meta.json; max_warp where there is one
};

// Named mixes: "usual", the default above, and "real", where views are as little warped as detectors leave them
// (the median overlap of two views is 0.8) and the world does the rest.
std::span<const std::string_view> difficulty_mixes();

// "real", "occlusion=1,warp=0.5", "real,noise=0": a mix, by default the usual one, then factors of single kinds.
// Throws a usage Error that lists what there is.
Difficulty parse_difficulty(std::string_view text);

}  // namespace adasample
