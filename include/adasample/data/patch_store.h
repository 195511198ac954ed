// SPDX-License-Identifier: Apache-2.0
// A set of patches grouped in classes, on disk: a folder with
//   patches.npy  uint8 [N, S, S]     classes.npy  int64 [C + 1] offsets     meta.json  source, seed, options, counts,
//   sha256
// Class c owns patches [offset[c], offset[c + 1]). Opened by mmap: a store of a million patches opens in milliseconds
// and is never copied whole. Written beside its name and renamed: a store is complete or absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "adasample/data/patch_array.h"

namespace adasample {

class PatchStore {
 public:
  // Throws Error naming file, expectation and finding: missing files, wrong dtype or rank, offsets that are not
  // increasing by at least two, counts that disagree with patches.npy or meta.json, truncated data.
  static PatchStore open(const std::filesystem::path& folder);
  PatchStore(PatchStore&&) noexcept;
  PatchStore& operator=(PatchStore&&) noexcept;
  ~PatchStore();

  int64_t patch_count() const;
  int64_t class_count() const;
  int patch_size() const;  // S
  int64_t class_begin(int64_t c) const;
  int64_t class_size(int64_t c) const;
  const PatchArray& patches() const;
  std::span<const uint8_t> patch(int64_t index) const;  // patches().patch(index)
  void check_intact() const;                            // patches().check_intact(): to be called after reading patches
  const nlohmann::json& meta() const;
  const std::filesystem::path& folder() const;
  // sha256 over patches.npy's and classes.npy's data, as recorded when the store was made; "" when it was not.
  std::string fingerprint() const;

 private:
  struct Impl;
  explicit PatchStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The patches of a store, which must be sound as a whole, or of a .npy file that holds nothing else; to be read from
// the first to the last.
PatchArray open_patches(const std::filesystem::path& path);

class PatchStoreWriter {
 public:
  // Throws Error when the folder exists.
  PatchStoreWriter(const std::filesystem::path& folder, int patch_size);
  ~PatchStoreWriter();  // without finish() nothing is left behind

  // Appends one class of patches packed one after another. A class of fewer than two patches is refused.
  void add_class(std::span<const uint8_t> patches);
  int64_t class_count() const;

  // Writes classes.npy and meta.json (`meta` plus "patches", "classes", "patch_size", "sha256"), makes the folder
  // appear.
  void finish(const nlohmann::json& meta);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace adasample
