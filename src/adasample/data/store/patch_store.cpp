// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/patch_store.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/files/npy.h"
#include "adasample/base/json.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

bool present(const fs::path& path) {
  std::error_code ignored;  // a path that cannot be looked at is as good as absent
  return fs::exists(path, ignored);
}

// A file that need not be there: absent only where nothing bears its name. A link that leads nowhere is not absent.
bool stands(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
}

// One of the store's files; a missing one is named together with what the folder should be.
fs::path file_in(const fs::path& folder, const std::string& name) {
  ADA_CHECK(present(folder / name), "[store] {}: no {} in it - is this a patch store ('adasample data synth')?",
            folder.string(), name);
  return folder / name;
}

nlohmann::json read_meta(const fs::path& path) {
  ADA_CHECK(present(path), "[store] {}: is missing - write {{}} there when the store was made by other means",
            path.string());
  nlohmann::json meta = read_json(path, "store");
  ADA_CHECK(meta.is_object(), "[store] {}: expected a JSON object, found {}", path.string(), meta.type_name());
  return meta;
}

// A count that meta.json may leave out, but not get wrong.
void check_count(const nlohmann::json& meta, const char* key, int64_t expected, const fs::path& folder) {
  const auto found = meta.find(key);
  if (found == meta.end()) return;
  ADA_CHECK(*found == expected, "[store] {}/meta.json: \"{}\" is {}, the arrays hold {} - files of two stores mixed?",
            folder.string(), key, found->is_number() ? found->dump() : found->type_name(), expected);
}

void check_offsets(std::span<const int64_t> offsets, int64_t patches, const fs::path& folder) {
  ADA_CHECK(offsets.size() >= 2, "[store] {}/classes.npy: {} offsets, expected at least 2 - an empty store?",
            folder.string(), offsets.size());
  ADA_CHECK(offsets.front() == 0, "[store] {}/classes.npy: the first offset is {}, expected 0", folder.string(),
            offsets.front());
  ADA_CHECK(offsets.back() == patches,
            "[store] {}/classes.npy: the last offset is {}, but patches.npy holds {} patches", folder.string(),
            offsets.back(), patches);
  for (size_t c = 0; c + 1 < offsets.size(); ++c) {
    const int64_t begin = offsets[c], end = offsets[c + 1];
    ADA_CHECK(begin >= 0 && end >= 0 && end <= patches && end - begin >= 2,
              "[store] {}/classes.npy: class {} is [{}, {}), expected two patches or more inside [0, {})",
              folder.string(), c, begin, end, patches);
  }
}

// A list of names that meta.json must have beside pictures.npy.
std::vector<std::string> names_in(const nlohmann::json& meta, const char* key, const fs::path& folder) {
  const auto found = meta.find(key);
  ADA_CHECK(found != meta.end() && found->is_array(),
            "[store] {}/meta.json: expected a list \"{}\" to go with pictures.npy, found {}", folder.string(), key,
            found == meta.end() ? "none" : found->type_name());
  std::vector<std::string> names;
  for (const nlohmann::json& name : *found) {
    ADA_CHECK(name.is_string(), "[store] {}/meta.json: expected strings in \"{}\", found {}", folder.string(), key,
              name.type_name());
    names.push_back(name.get<std::string>());
  }
  return names;
}

// Which picture each patch is of, and what the pictures are called.
struct Pictures {
  std::vector<int64_t> of_patch;  // empty where it is not known
  std::vector<std::string> names, scenes;

  void check(int64_t patches, const fs::path& folder) const {
    ADA_CHECK(std::ssize(of_patch) == patches, "[store] {}/pictures.npy: {} numbers, but patches.npy holds {} patches",
              folder.string(), of_patch.size(), patches);
    ADA_CHECK(scenes.size() == names.size(),
              "[store] {}/meta.json: expected as many \"picture_scenes\" as \"pictures\", found {} and {}",
              folder.string(), scenes.size(), names.size());
    for (size_t i = 0; i < of_patch.size(); ++i) {
      ADA_CHECK(of_patch[i] >= 0 && of_patch[i] < std::ssize(names),
                "[store] {}/pictures.npy: patch {} is of picture {}, expected one of the {} of meta.json",
                folder.string(), i, of_patch[i], names.size());
    }
  }
};

Pictures read_pictures(const fs::path& folder, const nlohmann::json& meta, int64_t patches) {
  const NpyFile file(folder / "pictures.npy", OnLoss::kTolerate);
  ADA_CHECK(file.shape().size() == 1, "[store] {}/pictures.npy: shape [{}], expected [patches]", folder.string(),
            fmt::join(file.shape(), ", "));
  const std::span<const int64_t> numbers = file.data<int64_t>();
  Pictures pictures{.of_patch = {numbers.begin(), numbers.end()},
                    .names = names_in(meta, "pictures", folder),
                    .scenes = names_in(meta, "picture_scenes", folder)};
  file.check_intact();
  pictures.check(patches, folder);
  return pictures;
}

// How hard each patch's view is; all finite and none negative.
void check_strengths(std::span<const float> strengths, int64_t patches, const fs::path& folder) {
  ADA_CHECK(std::ssize(strengths) == patches, "[store] {}/strengths.npy: {} numbers, but patches.npy holds {} patches",
            folder.string(), strengths.size(), patches);
  for (size_t i = 0; i < strengths.size(); ++i) {
    ADA_CHECK(std::isfinite(strengths[i]) && strengths[i] >= 0,
              "[store] {}/strengths.npy: patch {} has strength {}, expected a number of 0 or more", folder.string(), i,
              strengths[i]);
  }
}

std::vector<float> read_strengths(const fs::path& folder, int64_t patches) {
  const NpyFile file(folder / "strengths.npy", OnLoss::kTolerate);
  ADA_CHECK(file.shape().size() == 1, "[store] {}/strengths.npy: shape [{}], expected [patches]", folder.string(),
            fmt::join(file.shape(), ", "));
  const std::span<const float> numbers = file.data<float>();
  std::vector<float> strengths(numbers.begin(), numbers.end());
  file.check_intact();
  check_strengths(strengths, patches, folder);
  return strengths;
}

}  // namespace

struct PatchStore::Impl {
  fs::path folder;
  PatchArray patches;
  nlohmann::json meta;
  std::vector<int64_t> offsets;  // (C + 1); copied, so that a class keeps its bounds whatever happens to the file
  Pictures pictures;             // copied as well
  std::vector<float> strengths;  // of the patches, or empty
};

PatchStore PatchStore::open(const fs::path& folder) {
  ADA_CHECK(present(folder) && fs::is_directory(folder),
            "[store] {}: is no folder - a patch store is made by 'adasample data ..'", folder.string());
  auto impl = std::make_unique<Impl>();
  impl->folder = folder;
  impl->patches = PatchArray(file_in(folder, "patches.npy"));
  const NpyFile classes(file_in(folder, "classes.npy"), OnLoss::kTolerate);
  impl->meta = read_meta(folder / "meta.json");

  ADA_CHECK(classes.shape().size() == 1, "[store] {}/classes.npy: shape [{}], expected [classes + 1]", folder.string(),
            fmt::join(classes.shape(), ", "));
  const std::span<const int64_t> offsets = classes.data<int64_t>();
  impl->offsets.assign(offsets.begin(), offsets.end());
  classes.check_intact();
  check_offsets(impl->offsets, impl->patches.count(), folder);
  check_count(impl->meta, "patches", impl->patches.count(), folder);
  check_count(impl->meta, "classes", static_cast<int64_t>(impl->offsets.size()) - 1, folder);
  check_count(impl->meta, "patch_size", impl->patches.size(), folder);
  if (stands(folder / "pictures.npy")) impl->pictures = read_pictures(folder, impl->meta, impl->patches.count());
  if (stands(folder / "strengths.npy")) impl->strengths = read_strengths(folder, impl->patches.count());
  impl->patches.advise_random();
  return PatchStore(std::move(impl));
}

PatchStore::PatchStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PatchStore::PatchStore(PatchStore&&) noexcept = default;
PatchStore& PatchStore::operator=(PatchStore&&) noexcept = default;
PatchStore::~PatchStore() = default;

int64_t PatchStore::patch_count() const { return impl_->patches.count(); }
int64_t PatchStore::class_count() const { return static_cast<int64_t>(impl_->offsets.size()) - 1; }
int PatchStore::patch_size() const { return impl_->patches.size(); }

int64_t PatchStore::class_begin(int64_t c) const {
  ADA_ASSERT(c >= 0 && c < class_count());
  return impl_->offsets[static_cast<size_t>(c)];
}

int64_t PatchStore::class_size(int64_t c) const {
  const int64_t begin = class_begin(c);  // which looks whether there is such a class
  return impl_->offsets[static_cast<size_t>(c) + 1] - begin;
}

const PatchArray& PatchStore::patches() const { return impl_->patches; }
std::span<const uint8_t> PatchStore::patch(int64_t index) const { return impl_->patches.patch(index); }
void PatchStore::check_intact() const { impl_->patches.check_intact(); }
bool PatchStore::has_pictures() const { return !impl_->pictures.of_patch.empty(); }
const std::vector<std::string>& PatchStore::picture_names() const { return impl_->pictures.names; }
const std::vector<std::string>& PatchStore::picture_scenes() const { return impl_->pictures.scenes; }

int64_t PatchStore::picture(int64_t patch) const {
  ADA_ASSERT(patch >= 0 && patch < std::ssize(impl_->pictures.of_patch));
  return impl_->pictures.of_patch[static_cast<size_t>(patch)];
}

bool PatchStore::has_strengths() const { return !impl_->strengths.empty(); }

float PatchStore::strength(int64_t patch) const {
  ADA_ASSERT(patch >= 0 && patch < std::ssize(impl_->strengths));
  return impl_->strengths[static_cast<size_t>(patch)];
}

const nlohmann::json& PatchStore::meta() const { return impl_->meta; }
const fs::path& PatchStore::folder() const { return impl_->folder; }

std::string PatchStore::fingerprint() const {
  const auto found = impl_->meta.find("sha256");
  return found != impl_->meta.end() && found->is_string() ? found->get<std::string>() : "";
}

PatchArray open_patches(const fs::path& path) {
  std::error_code ignored;  // opening says what is wrong
  if (!fs::is_directory(path, ignored)) return PatchArray(path);
  PatchStore::open(path);  // refuses what is no sound store
  return PatchArray(path / "patches.npy");
}

struct PatchStoreWriter::Impl {
  Impl(const fs::path& folder, int patch_size)
      : staged(folder), size(patch_size), patches(staged.work() / "patches.npy") {}

  std::string header() const {
    return format_npy_header(NpyType::kUint8, std::vector<int64_t>{offsets.back(), size, size});
  }

  StagedFolder staged;
  int size;
  FileWriter patches;
  std::vector<int64_t> offsets = {0};
  std::vector<int64_t> pictures;  // of the patches, or empty
  std::vector<float> strengths;   // likewise
  Sha256 sha256;
};

PatchStoreWriter::PatchStoreWriter(const fs::path& folder, int patch_size) {
  ADA_USAGE(patch_size >= 1 && patch_size <= PatchArray::kLargestSize, "patch size = {}, must be between 1 and {}",
            patch_size, PatchArray::kLargestSize);
  impl_ = std::make_unique<Impl>(folder, patch_size);
  impl_->patches.write(impl_->header());
}

PatchStoreWriter::~PatchStoreWriter() = default;

void PatchStoreWriter::add_class(std::span<const uint8_t> patches) {
  const size_t area = static_cast<size_t>(impl_->size) * static_cast<size_t>(impl_->size);
  ADA_ASSERT(patches.size() % area == 0);
  const auto count = static_cast<int64_t>(patches.size() / area);
  ADA_CHECK(count >= 2, "[store] class {} has {} patches, expected two or more - drop it", class_count(), count);
  impl_->patches.write(patches);
  impl_->sha256.update(patches);
  impl_->offsets.push_back(impl_->offsets.back() + count);
}

void PatchStoreWriter::add_class(std::span<const uint8_t> patches, std::span<const int64_t> pictures) {
  ADA_ASSERT(std::ssize(impl_->pictures) == impl_->offsets.back());  // all classes so far had them
  add_class(patches);
  impl_->pictures.insert(impl_->pictures.end(), pictures.begin(), pictures.end());
  ADA_ASSERT(std::ssize(impl_->pictures) == impl_->offsets.back());
}

void PatchStoreWriter::add_class(std::span<const uint8_t> patches, std::span<const float> strengths) {
  ADA_ASSERT(std::ssize(impl_->strengths) == impl_->offsets.back());  // all classes so far had them
  add_class(patches);
  impl_->strengths.insert(impl_->strengths.end(), strengths.begin(), strengths.end());
  ADA_ASSERT(std::ssize(impl_->strengths) == impl_->offsets.back());
}

int64_t PatchStoreWriter::class_count() const { return static_cast<int64_t>(impl_->offsets.size()) - 1; }

const fs::path& PatchStoreWriter::work() const { return impl_->staged.work(); }

void PatchStoreWriter::finish(const nlohmann::json& meta) {
  ADA_CHECK(class_count() >= 1, "[store] no class was found - nothing to write");
  impl_->patches.write_at(0, impl_->header());
  impl_->patches.close();

  const std::vector<int64_t>& offsets = impl_->offsets;
  write_npy(impl_->staged.work() / "classes.npy", offsets, std::vector{static_cast<int64_t>(offsets.size())});
  impl_->sha256.update({reinterpret_cast<const uint8_t*>(offsets.data()), offsets.size() * sizeof(int64_t)});

  if (const std::vector<int64_t>& pictures = impl_->pictures; !pictures.empty()) {
    const fs::path work = impl_->staged.work();
    Pictures{pictures, names_in(meta, "pictures", work), names_in(meta, "picture_scenes", work)}.check(offsets.back(),
                                                                                                       work);
    write_npy(work / "pictures.npy", pictures, std::vector{static_cast<int64_t>(pictures.size())});
  }

  if (const std::vector<float>& strengths = impl_->strengths; !strengths.empty()) {
    check_strengths(strengths, offsets.back(), impl_->staged.work());
    write_npy(impl_->staged.work() / "strengths.npy", strengths, std::vector{static_cast<int64_t>(strengths.size())});
  }

  nlohmann::json full = meta;
  full["patches"] = offsets.back();
  full["classes"] = class_count();
  full["patch_size"] = impl_->size;
  full["sha256"] = impl_->sha256.hex();
  // A path in `meta` may hold bytes that are no UTF-8: they are replaced, the store is worth more than they are.
  const auto replace = nlohmann::json::error_handler_t::replace;
  write_file_atomically(impl_->staged.work() / "meta.json", full.dump(2, ' ', false, replace) + "\n");
  impl_->staged.commit();
}

}  // namespace adasample
