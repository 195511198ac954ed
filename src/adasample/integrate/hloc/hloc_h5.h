// SPDX-License-Identifier: Apache-2.0
// Features as hloc keeps them, in HDF5: a group a picture, named by its path below the folder of pictures, with
//   keypoints    float32 [N, 2]  x, y; pixel centres at integers, as ours
//   descriptors  [D, N]          float32, IEEE half, or uint8 with attributes `scale` and `zero`: x = scale (v - zero)
//   scores       float32 [N]     the detector's strength
//   scales       float32 [N]     sigma in pixels
//   oris         float32 [N]     degrees, clockwise as seen from +x
//   image_size   int64 [2]       width, height
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "adasample/integrate/feature_writer.h"
#include "adasample/integrate/given_keypoints.h"

namespace adasample {

bool have_hdf5();

// Throws Error when the file exists, or when the program was built without HDF5.
std::unique_ptr<FeatureWriter> make_hloc_writer(const std::filesystem::path& out, int dimension, NumberType type);

// Reads `keypoints`, and `scales` and `oris` where they are there, of a picture when asked; any kind of float. A
// picture has a million keypoints at most. Throws Error that names the file and the dataset. The file is read by a
// process of its own (hdf5/hloc_worker.h), since HDF5 crashes on some damaged ones: that, too, becomes an Error.
KeypointReader open_hloc_keypoints(const std::filesystem::path& path);
// The same of a file's bytes, in this process: for fuzzing.
KeypointReader open_hloc_keypoints(std::span<const uint8_t> bytes, const std::string& name);

// The three arrays of a picture as keypoints; `scales` and `oris` may be empty. Throws Error that names `where` and the
// number of the first one that cannot be.
GivenKeypoints hloc_keypoints(std::span<const float> places, std::span<const float> scales, std::span<const float> oris,
                              const std::string& where);

}  // namespace adasample
