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

// Of one picture, as they stand in the file; scales and oris are empty where it has none.
struct HlocArrays {
  bool named = false;                                      // whether the file knows the picture
  std::vector<float> places = {}, scales = {}, oris = {};  // (n, 2), (n), (n)
};

using HlocArrayReader = std::function<HlocArrays(const std::string& picture)>;

// Throw Error that names `name`, now or when a picture is asked for.
HlocArrayReader open_hloc_arrays(const std::filesystem::path& path, const std::string& name);
HlocArrayReader open_hloc_arrays(std::span<const uint8_t> bytes, const std::string& name);

}  // namespace adasample
