// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/matching/database_matching.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/files/open_file.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/progress.h"
#include "adasample/data/colmap/colmap_intrinsics.h"
#include "adasample/features/retrieve/picture_index.h"
#include "adasample/integrate/colmap/colmap_match_database.h"
#include "adasample/integrate/hloc/hloc_matches.h"
#include "adasample/model/default_weights.h"

namespace adasample {
namespace {

constexpr size_t kRowsToLearnFrom = 100'000;  // in all
constexpr size_t kRowsOfAPicture = 1500;      // that say what it looks like
constexpr int kWordsOfOwn = 64;

// The strongest, which come first: a database keeps the detector's order.
std::span<const float> telling_rows(const DescribedPicture& picture) {
  const size_t most = kRowsOfAPicture * static_cast<size_t>(picture.dimension);
  return std::span(picture.descriptors).first(std::min(most, picture.descriptors.size()));
}

// The shipped one where it belongs to the shipped weights; else none.
std::optional<Vocabulary> shipped_vocabulary(std::vector<std::string>& warnings) {
  const std::filesystem::path weights = default_weights_file(), file = weights.parent_path() / kDefaultVocabulary;
  if (!std::filesystem::exists(file)) return std::nullopt;
  Vocabulary vocabulary = load_vocabulary(file);
  if (vocabulary.weights_sha256 == sha256_of_file(weights)) return vocabulary;
  warnings.push_back(fmt::format("{}: belongs to other weights than {}; words are made from these pictures",
                                 file.string(), weights.string()));
  return std::nullopt;
}

Vocabulary own_vocabulary(const PairSource& source, std::vector<std::string>& warnings) {
  std::vector<float> rows;
  int dimension = 0;
  const size_t each = std::max<size_t>(1, kRowsToLearnFrom / source.names.size());
  const size_t step = std::max<size_t>(1, source.names.size() / kRowsToLearnFrom);
  for (size_t i = 0; i < source.names.size(); i += step) {
    try {
      const DescribedPicture picture = source.features(i);
      dimension = picture.dimension;
      const std::vector<float> some = some_rows(picture.descriptors, dimension, each);
      rows.insert(rows.end(), some.begin(), some.end());
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kWork) throw;
      warnings.emplace_back(error.what());
    }
  }
  ADA_CHECK(dimension > 0, "[pairs] expected descriptors to make words from, found none");
  const auto count = static_cast<int>(rows.size() / static_cast<size_t>(dimension));
  return learn_vocabulary(rows, dimension, {.words = std::clamp(count / 8, 2, kWordsOfOwn)});
}

}  // namespace

struct DatabasePictures {
  std::mutex mutex;  // one call at a time
  std::unique_ptr<ColmapMatchDatabase> database;
  std::vector<ColmapPicture> pictures;  // with features, by name
};

void PairChoice::validate() const {
  const int given = (file.empty() ? 0 : 1) + (sequential != 0 ? 1 : 0) + (retrieve != 0 ? 1 : 0);
  ADA_USAGE(given <= 1, "expected one of --pairs, --sequential and --retrieve, found {}", given);
  ADA_USAGE(sequential >= 0 && sequential <= 1'000'000, "--sequential {}: must be 1 to 1000000", sequential);
  ADA_USAGE(retrieve >= 0 && retrieve <= 1'000'000, "--retrieve {}: must be 1 to 1000000", retrieve);
  // Now, and not when an hour of describing is over.
  if (!file.empty()) open_to_read(file);
  if (vocabulary != "default" && vocabulary != "own") open_to_read(vocabulary);
}

std::vector<ImagePair> retrieve_pairs(const PairSource& source, int top, const std::string& vocabulary,
                                      std::vector<std::string>& warnings) {
  if (source.names.empty()) return {};
  std::optional<Vocabulary> words;
  if (vocabulary == "default") {
    words = shipped_vocabulary(warnings);
  } else if (vocabulary != "own") {
    words = load_vocabulary(vocabulary);
  }
  if (!words) words = own_vocabulary(source, warnings);
  const int dimension = words->dimension;
  PictureIndex index(std::move(*words));
  Progress progress("comparing", "pictures", std::ssize(source.names));
  for (size_t i = 0; i < source.names.size(); ++i) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[pairs] interrupted; nothing was written");
    DescribedPicture picture;
    try {
      picture = source.features(i);
      ADA_CHECK(picture.dimension == dimension || picture.keypoints.empty(),
                "[pairs] {}: descriptors of {} numbers, the words have {} - give --vocabulary own", source.names[i],
                picture.dimension, dimension);
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kWork) throw;
      warnings.emplace_back(error.what());
      picture = {};
    }
    index.add(telling_rows(picture));
    progress.add(1);
  }
  return index.pairs(top);
}

ChosenPairs choose_pairs(const PairSource& source, const PairChoice& choice) {
  choice.validate();
  const size_t count = source.names.size();
  if (!choice.file.empty()) {
    PairList list = parse_pair_list(read_text(choice.file), choice.file, source.names);
    ChosenPairs chosen{std::move(list.pairs), {}};
    for (const std::string& name : list.unknown) {
      chosen.warnings.push_back(fmt::format("{}: names {}, which is no picture with features here", choice.file, name));
    }
    return chosen;
  }
  if (choice.sequential > 0) return {sequential_pairs(count, choice.sequential), {}};
  if (choice.retrieve == 0) return {all_pairs(count), {}};
  ChosenPairs chosen;
  chosen.pairs = retrieve_pairs(source, choice.retrieve, choice.vocabulary, chosen.warnings);
  return chosen;
}

std::shared_ptr<DatabasePictures> open_database_pictures(const std::filesystem::path& database) {
  auto opened = std::make_shared<DatabasePictures>();
  opened->database = open_colmap_match_database(database);
  for (ColmapPicture& picture : opened->database->pictures()) {
    if (picture.keypoints > 0) opened->pictures.push_back(std::move(picture));
  }
  std::sort(opened->pictures.begin(), opened->pictures.end(),
            [](const ColmapPicture& x, const ColmapPicture& y) { return x.name < y.name; });
  return opened;
}

PairSource source_of(const std::shared_ptr<DatabasePictures>& opened) {
  PairSource source;
  for (const ColmapPicture& picture : opened->pictures) {
    source.names.push_back(picture.name);
    source.cameras.push_back(picture.focal_known ? colmap_intrinsics(picture.camera) : std::nullopt);
  }
  source.features = [opened](size_t i) {
    const std::lock_guard lock(opened->mutex);
    return opened->database->features(opened->pictures[i]);
  };
  return source;
}

DatabaseMatching match_database(const std::filesystem::path& database, const PairChoice& choice,
                                const MatchPairsOptions& options, bool again) {
  choice.validate();
  options.validate();
  const auto opened = open_database_pictures(database);
  const PairSource source = source_of(opened);
  DatabaseMatching result;
  result.pictures = std::ssize(source.names);
  ADA_CHECK(result.pictures >= 2, "[match] {}: expected two pictures with features or more, found {}",
            database.string(), result.pictures);
  ChosenPairs chosen = choose_pairs(source, choice);
  result.warnings = std::move(chosen.warnings);
  result.asked = std::ssize(chosen.pairs);
  if (again) opened->database->clear_matches();
  const std::set<int64_t> finished = opened->database->finished();
  const auto id_of = [&](const ImagePair& pair) {
    const int64_t a = opened->pictures[pair.first].id, b = opened->pictures[pair.second].id;
    return colmap_pair_id(std::min(a, b), std::max(a, b));
  };
  result.kept = std::erase_if(chosen.pairs, [&](const ImagePair& pair) { return finished.contains(id_of(pair)); });
  // Numbers of pictures follow their names, and COLMAP's pairs their ids: the two may be in another order.
  for (ImagePair& pair : chosen.pairs) {
    if (opened->pictures[pair.first].id > opened->pictures[pair.second].id) std::swap(pair.first, pair.second);
  }
  result.report = match_pairs(
      source, std::move(chosen.pairs), options,
      [&](const MatchedPair& matched) {
        std::vector<Match> matches;
        for (const RatedMatch& rated : matched.matches) matches.push_back(rated.match);
        const std::lock_guard lock(opened->mutex);
        opened->database->write(id_of(matched.pair), matches, matched.view);
      },
      [&] {
        const std::lock_guard lock(opened->mutex);
        opened->database->save();
      });
  return result;
}

DatabaseMatching match_hloc_features(const std::filesystem::path& features, const std::filesystem::path& out,
                                     const PairChoice& choice, MatchPairsOptions options) {
  choice.validate();
  options.verify = false;
  const HlocFeatures opened = open_hloc_features(features);
  std::mutex mutex;
  std::map<std::string, size_t> keypoints;
  PairSource source;
  source.names = opened.names;
  source.cameras.resize(opened.names.size());
  source.features = [&](size_t i) {
    const std::lock_guard lock(mutex);
    DescribedPicture picture = opened.read(opened.names[i]);
    keypoints[opened.names[i]] = picture.keypoints.size();
    return picture;
  };
  DatabaseMatching result;
  result.pictures = std::ssize(source.names);
  ADA_CHECK(result.pictures >= 2, "[match] {}: expected two pictures with descriptors or more, found {}",
            features.string(), result.pictures);
  const auto writer = make_hloc_match_writer(out);
  ChosenPairs chosen = choose_pairs(source, choice);
  result.warnings = std::move(chosen.warnings);
  result.asked = std::ssize(chosen.pairs);
  result.report = match_pairs(
      source, std::move(chosen.pairs), options,
      [&](const MatchedPair& matched) {
        const std::lock_guard lock(mutex);
        const std::string &first = source.names[matched.pair.first], &second = source.names[matched.pair.second];
        writer->add(first, second, keypoints.at(first), matched.matches);
      },
      [] {});
  writer->finish();
  return result;
}

}  // namespace adasample
