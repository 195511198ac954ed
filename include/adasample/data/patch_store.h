// SPDX-License-Identifier: Apache-2.0
// A set of patches grouped in classes, on disk: a folder with
//   patches.npy  uint8 [N, S, S]     classes.npy  int64 [C + 1] offsets     meta.json  source, seed, options, counts,
//   sha256
// and, where the patches know their pictures,
//   pictures.npy  int64 [N]          meta.json: "pictures", their names, and "picture_scenes", the scene of each
// and, where it is known how hard each patch's view is,
//   strengths.npy  float32 [N]       0 or more; what a program that knows nothing of them may overlook
// Class c owns patches [offset[c], offset[c + 1]). Opened by mmap: a store of a million patches opens in milliseconds
// and is never copied whole. Written beside its name and renamed: a store is complete or absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "adasample/data/patch_array.h"

namespace adasample {

class PatchStore {
 public:
  // Throws Error naming file, expectation and finding: missing files, wrong dtype or rank, offsets that are not
  // increasing by at least two, counts that disagree with patches.npy or meta.json, truncated data, pictures.npy of
  // another length or with numbers of no picture, strengths.npy of another length or with what is no strength.
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
  // Which picture each patch was cut from; without pictures.npy there are none, and picture() may not be asked.
  bool has_pictures() const;
  int64_t picture(int64_t patch) const;  // into the two lists
  const std::vector<std::string>& picture_names() const;
  const std::vector<std::string>& picture_scenes() const;  // of each picture the scene, or sequence, it belongs to
  // How hard each patch's view was made, or came out: 0 is the spot itself. Without strengths.npy strength() may not be
  // asked. Views that were made up have the strength of their grade (data/views/views.h); those that a detector found
  // again have 1 less the overlap with the true frame.
  bool has_strengths() const;
  float strength(int64_t patch) const;
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
  // The same, with the picture of each patch: of all classes or of none. `meta` of finish() then holds "pictures" and
  // "picture_scenes", two lists of strings of one length that these numbers point into.
  void add_class(std::span<const uint8_t> patches, std::span<const int64_t> pictures);
  // The same, with the strength of each patch's view: of all classes or of none.
  void add_class(std::span<const uint8_t> patches, std::span<const float> strengths);
  int64_t class_count() const;
  const std::filesystem::path& work() const;  // the folder that finish() gives its name

  // Writes classes.npy, pictures.npy and strengths.npy where there are any, and meta.json (`meta` plus "patches",
  // "classes", "patch_size", "sha256"), makes the folder appear.
  void finish(const nlohmann::json& meta);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace adasample
