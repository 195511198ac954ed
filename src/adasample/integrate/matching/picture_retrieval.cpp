// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/matching/picture_retrieval.h"

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/progress.h"
#include "adasample/features/describe/picture_stream.h"
#include "adasample/features/opencv_part.h"
#include "adasample/features/retrieve/picture_index.h"
#include "adasample/image/files/images.h"
#include "adasample/model/default_weights.h"

namespace adasample {
namespace {

// `described` is called for every photograph, in the order of names, with no rows for one that cannot be read.
void for_each_described(const std::filesystem::path& folder, const std::vector<std::string>& names,
                        Descriptor& descriptor, const PictureOptions& options, std::vector<std::string>& warnings,
                        const std::function<void(const std::vector<float>& rows)>& described) {
  prepare_opencv_for(folder, names);
  std::vector<std::string> complaints(names.size());
  Progress progress("describing", "pictures", std::ssize(names)), patches;
  const auto stop_if_asked = [] {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[pairs] interrupted; nothing was written");
  };
  PictureStream stream;
  stream.count = std::ssize(names);
  stream.size = options.features.size;
  stream.between = stop_if_asked;
  stream.cut = [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    stop_if_asked();
    try {
      return read_and_cut(folder / names[at], options);
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kWork) throw;
      complaints[at] = error.what();
      return CutPicture();
    }
  };
  stream.described = [&](int64_t i, CutPicture& /*picture*/, std::vector<float>& rows) {
    const std::string& complaint = complaints[static_cast<size_t>(i)];
    if (!complaint.empty()) warnings.push_back("left out: " + complaint);
    described(rows);
    progress.add(1);
  };
  double seconds = 0;
  describe_stream(stream, descriptor, patches, seconds);
}

}  // namespace

Vocabulary vocabulary_named(const std::string& name, const std::string& weights, std::vector<std::string>& warnings) {
  std::filesystem::path file = name == "default" ? vocabulary_beside(weights) : std::filesystem::path(name);
  if (file.empty()) file = default_weights_file().parent_path() / kDefaultVocabulary;
  ADA_CHECK(std::filesystem::exists(file), "[pairs] {}: no such vocabulary - make one by `adasample vocabulary`",
            file.string());
  Vocabulary vocabulary = load_vocabulary(file);
  if (weights.empty() || vocabulary.weights_sha256 != sha256_of_file(weights)) {
    warnings.push_back(
        fmt::format("{}: its words were made from descriptors of other weights; `adasample vocabulary` makes "
                    "fitting ones",
                    file.string()));
  }
  return vocabulary;
}

RetrievedPairs retrieve_from_pictures(const std::filesystem::path& folder, Descriptor& descriptor,
                                      const PictureOptions& options, int top, const Vocabulary& vocabulary) {
  ADA_CHECK(vocabulary.dimension == descriptor.dimension(),
            "[pairs] words of {} numbers and descriptors of {} cannot be compared", vocabulary.dimension,
            descriptor.dimension());
  RetrievedPairs found;
  found.names = picture_names(folder);
  PictureIndex index(vocabulary);
  for_each_described(folder, found.names, descriptor, options, found.warnings,
                     [&](const std::vector<float>& rows) { index.add(rows); });
  found.pairs = index.pairs(top);
  return found;
}

int64_t add_rows_of_pictures(const std::filesystem::path& folder, Descriptor& descriptor, const PictureOptions& options,
                             size_t most, std::vector<float>& rows) {
  const std::vector<std::string> names = picture_names(folder);
  std::vector<std::string> warnings;
  for_each_described(folder, names, descriptor, options, warnings, [&](const std::vector<float>& all) {
    const std::vector<float> some = some_rows(all, descriptor.dimension(), most);
    rows.insert(rows.end(), some.begin(), some.end());
  });
  ADA_CHECK(warnings.empty(), "{}", warnings.front());
  return std::ssize(names);
}

}  // namespace adasample
