// SPDX-License-Identifier: Apache-2.0
// What HDF5 reads of one of hloc's files, in the process that calls; not for other modules. The library crashes on some
// damaged files, so programs have another process do it (hloc_worker.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace adasample {

inline constexpr size_t kMostHlocKeypoints = 1'000'000;  // of a picture

inline constexpr size_t kMostHlocNumbers = 64'000'000;  // of a picture's descriptors
inline constexpr size_t kMostHlocNames = 16'000'000;    // bytes of all names together

// A question is the name of a picture, for its keypoints. What else can be asked begins with a character that no name
// may begin with.
inline constexpr char kWithDescriptors = '\x01';  // then a name
inline constexpr char kWhichPictures = '\x02';

// Of one picture, as they stand in the file; scales and oris are empty where it has none.
struct HlocArrays {
  bool named = false;                                      // whether the file knows the picture
  std::vector<float> places = {}, scales = {}, oris = {};  // (n, 2), (n), (n)
  std::vector<float> descriptors = {};                     // (n, d), where asked for
  std::string names = {};                                  // of pictures, one per line, where asked for
};

using HlocArrayReader = std::function<HlocArrays(const std::string& picture)>;

// Throw Error that names `name`, now or when a picture is asked for.
HlocArrayReader open_hloc_arrays(const std::filesystem::path& path, const std::string& name);
HlocArrayReader open_hloc_arrays(std::span<const uint8_t> bytes, const std::string& name);

}  // namespace adasample
