// SPDX-License-Identifier: Apache-2.0
// The data doctor (`adasample data check`): everything that is wrong with a folder at once, where a reader stops at the
// first thing. For each kind of data, in a file of its own: is it one, what is wrong with it, its fingerprint.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adasample/base/error.h"

namespace adasample {

struct Finding {
  std::string path;  // file or folder, with ":line" where one is meant
  std::string what;  // what was expected and what was found
  std::string mend;  // what to do about it
};

struct Diagnosis {
  std::string kind;                                        // "PhotoTour set", "HPatches release", ...
  std::vector<std::pair<std::string, int64_t>> inventory;  // what is there: ("patches", 450092)
  std::vector<Finding> problems;                           // none: the data are as they should be
  std::vector<Finding> remarks;                            // worth knowing, nothing wrong
};

// The message "[module] PATH:LINE: what" in its parts.
Finding finding_of(const Error& error, const std::filesystem::path& path, const std::string& mend);

// A doctor goes on where a reader gives up: an Error about the data becomes a problem, and there is no result.
template <typename Read>
auto attempt(std::vector<Finding>& problems, const std::filesystem::path& path, const std::string& mend, Read&& read)
    -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kWork) throw;
    problems.push_back(finding_of(error, path, mend));
    return std::nullopt;
  }
}

// Our own stores.

bool looks_like_store(const std::filesystem::path& folder);

// Bytes that no longer are what was written, patches without contrast, and patches that occur in two classes: the same
// picture under two labels, which a descriptor cannot learn.
Diagnosis check_store(const std::filesystem::path& folder);

// The sha256 computed anew from the arrays: equal to meta.json's unless the store was changed.
std::string store_fingerprint(const std::filesystem::path& folder);

// Folders of photographs.

// Pictures that cannot be read, copies of others, and those too small to hold a patch.
Diagnosis check_images(const std::filesystem::path& folder);

// sha256 over names and contents, in the order of the names.
std::string images_fingerprint(const std::filesystem::path& folder);

// PhotoTour sets. Knows the six published ones by their counts, and copes with a folder of sheets without labels.

// Whether the folder holds a sheet or a match list.
bool looks_like_phototour(const std::filesystem::path& folder);

// Reads every byte of the folder's sheets and texts.
Diagnosis check_phototour(const std::filesystem::path& folder);

// Of sheets, labels and match lists (base/files/fingerprint.h).
std::string phototour_fingerprint(const std::filesystem::path& folder);

// HPatches: reads every strip of a root and says what is not as in the patches release. A root is
// taken for (a part of) the release when at least four in five of its sequences bear a name of the release and it has
// no sequences.json; in any other set counts are compared only within a sequence.

// Some folder in it holds at least two of the 16 strips.
bool looks_like_hpatches(const std::filesystem::path& path);

// Problems: missing sequences and strips, strips that are damaged, of another width, cut off within a patch, of another
// count than their neighbours or the release, the same bytes under two names, folders of unknown name. Extras that are
// no strips (*.rotjitter, overlaps) are passed over.
Diagnosis check_hpatches(const std::filesystem::path& root);

// Names the version of the data: sha256 of the lines "<sha256>  <sequence>/<strip>.png\n" of the strips that are there,
// sorted; as `cd ROOT && LC_ALL=C sha256sum */*.png | sha256sum` prints where there are no other pictures.
std::string hpatches_fingerprint(const std::filesystem::path& root);

// Homography sequences (data/sequences/sequence_folder.h): a folder of them, or one.

// The folder, or a subfolder that is not hidden, holds H_1_2.
bool looks_like_sequences(const std::filesystem::path& path);

// Problems: missing pictures and homographies, two pictures of one number, numbers beyond 6, homographies that cannot
// be read or have no inverse, folders that are no sequence. Pictures are not opened: one that is damaged, or a
// homography that mirrors, is found by `data sequences`.
Diagnosis check_sequences(const std::filesystem::path& path);

// sha256 of the lines "<sha256>  <path below the folder>\n" of all numbered pictures and homographies, sorted by path.
std::string sequences_fingerprint(const std::filesystem::path& path);

// COLMAP models: what is in one, whether it can be read, and what `data colmap` would miss.

// Whether `path` is a folder with cameras, images and points3D.
bool looks_like_colmap(const std::filesystem::path& path);

// Photographs and the database are looked for near the model (places_near_model); the photographs are not opened, and
// of the database only its first bytes are read.
Diagnosis check_colmap(const std::filesystem::path& folder);

}  // namespace adasample
