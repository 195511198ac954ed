// SPDX-License-Identifier: Apache-2.0
// From the light that falls on the sensor to the grey levels of a file: shading and cast shadows, gamma, gain, noise,
// JPEG compression; and motion during the exposure. The same for a patch and for a whole picture. Linear light is taken
// as the square of the grey level.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adasample/base/random/rng.h"
#include "adasample/data/difficulty.h"
#include "adasample/data/views/discs.h"
#include "adasample/image/image.h"

namespace adasample {

struct Shadow {
  Disc where = {};
  double light = 1;     // share that is left in it, linear
  double penumbra = 1;  // width of its edge, pixels
};

struct Exposure {
  double shade_x = 0, shade_y = 0;  // share of light gained from the centre to the right and the lower edge
  double gamma = 1;
  double gain = 1, bias = 0;  // about mid grey; bias in grey levels
  double noise = 0;           // sigma, in grey levels
  RngKey noise_key = RngKey(0, Draw::kView);
  int jpeg_quality = 0;  // 1 to 100; 0: not compressed
  int jpeg_shift_x = 0, jpeg_shift_y = 0;
  std::vector<Shadow> shadows = {};
};

// All but shadows and JPEG, in this order of draws.
void draw_tone(RngStream& rng, double strength, const Difficulty& difficulty, Exposure& exposure);
void draw_jpeg(RngStream& rng, double strength, Exposure& exposure);

// A shadow whose edge passes a square of this width about `centre`; none in every second call.
std::vector<Shadow> draw_shadow(RngStream rng, double strength, Point2 centre, double width);

// light, out: (height, width). Shades, bends, stretches, adds noise and clips; the noise of pixel i is that of
// noise_key.at(i). JPEG is left to the caller.
void develop(const Exposure& exposure, std::span<const float> light, int width, int height, uint8_t* out);

// How far the picture moves during the exposure, in pixels; 0 in every second call.
Point2 draw_motion(RngStream rng, double strength, double longest);

// The mean, in linear light, of the image shifted along the line from -motion / 2 to motion / 2; borders reflected.
GrayImage motion_blur(const GrayImage& image, Point2 motion);

}  // namespace adasample
