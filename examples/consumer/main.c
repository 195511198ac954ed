// SPDX-License-Identifier: Apache-2.0
// main.cpp in C99: describes three patches with the installed library. consumer_c WEIGHTS.safetensors [ENGINE]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "adasample/engine/c_api.h"

enum { kSize = 32, kArea = kSize * kSize, kCount = 3, kDimension = 128 };

static double distance(const float* a, const float* b) {
  double sum = 0;
  for (int i = 0; i < kDimension; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

// Says what went wrong; the status is the program's exit code.
static int report(adasample_status status) {
  fprintf(stderr, "%s\n", adasample_last_error());
  return (int)status;
}

int main(int argc, char** argv) {
  static uint8_t patches[kCount * kArea];
  static float descriptors[kCount * kDimension];
  adasample_engine* engine;
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: consumer_c WEIGHTS.safetensors [ENGINE]\n");
    return 2;
  }
  adasample_status status = adasample_create(argv[1], argc == 3 ? argv[2] : NULL, 0, &engine);
  if (status != ADASAMPLE_OK) return report(status);
  if (adasample_patch_size(engine) != kSize || adasample_dimension(engine) != kDimension) return EXIT_FAILURE;

  // Waves; the same waves at half the contrast; the first ones turned by a quarter.
  for (int i = 0; i < kCount * kArea; ++i) {
    const int which = i / kArea, x = i % kSize, y = i / kSize % kSize;
    const double wave = sin(0.5 * (which == 2 ? y : x)) + cos(0.2 * (which == 2 ? x : y));
    const int grey = 128 + (int)(60 * wave);
    patches[i] = (uint8_t)(which == 1 ? 40 + grey / 2 : grey);
  }
  status = adasample_describe(engine, patches, kCount, descriptors);
  adasample_destroy(engine);
  if (status != ADASAMPLE_OK) return report(status);

  printf("adasample %s, %d numbers a patch\n", adasample_version(), (int)kDimension);
  printf("distance to the same at half the contrast: %.4f\n", distance(descriptors, descriptors + kDimension));
  printf("distance to another patch: %.4f\n", distance(descriptors, descriptors + 2 * kDimension));
  return EXIT_SUCCESS;
}
