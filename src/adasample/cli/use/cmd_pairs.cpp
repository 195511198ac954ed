// SPDX-License-Identifier: Apache-2.0
// adasample pairs: which photographs look alike; adasample vocabulary: the visual words that tell.
#include <fmt/format.h>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/log.h"
#include "adasample/base/stopwatch.h"
#include "adasample/cli/context.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/cli/result_file.h"
#include "adasample/cli/use/match_folder.h"
#include "adasample/features/opencv_part.h"
#include "adasample/image/files/images.h"
#include "adasample/integrate/matching/picture_retrieval.h"

namespace adasample {
namespace {

constexpr int kKeypointsOfAPicture = 1000;  // that say what it looks like

struct PairsArguments {
  std::string images, database, model = "default", vocabulary = "default", out;
  int top = 20;
  PictureOptions pictures = {.features = {.detector = "sift", .max_keypoints = kKeypointsOfAPicture}, .max_side = 3200};

  void validate() const {
    ADA_USAGE(images.empty() != database.empty(), "pairs: expected --images or --database, found {}",
              images.empty() ? "neither" : "both");
    ADA_USAGE(!database.empty() || vocabulary != "own",
              "--vocabulary own: goes with --database, whose descriptors are read twice");
    ADA_USAGE(top >= 1 && top <= 1'000'000, "--top {}: must be 1 to 1000000", top);
    pictures.validate();
    require_new_file(out);
  }
};

int write_pairs(const Context& context, const PairsArguments& a) {
  a.validate();
  if (!a.images.empty()) prepare_pictures(a.pictures);
  const Stopwatch watch;
  RetrievedPairs found;
  if (a.database.empty()) {
    ADA_CHECK(std::filesystem::is_directory(a.images), "[pairs] {}: expected a folder of photographs", a.images);
    const OpenedModel opened = open_model(a.model, context);
    std::vector<std::string> warnings;
    const Vocabulary words = vocabulary_named(a.vocabulary, opened.file, warnings);
    found = retrieve_from_pictures(a.images, *opened.descriptor, a.pictures, a.top, words);
    found.warnings.insert(found.warnings.begin(), warnings.begin(), warnings.end());
  } else {
    const auto opened = open_database_pictures(a.database);
    const PairSource source = source_of(opened);
    found.names = source.names;
    found.pairs = retrieve_pairs(source, a.top, a.vocabulary, found.warnings);
  }
  log_first_warnings(found.warnings, "pictures");
  ADA_CHECK(!found.pairs.empty(), "[pairs] expected two pictures with keypoints or more, found fewer");
  write_file_atomically(a.out, format_pair_list(found.pairs, found.names));
  const size_t all = found.names.size() * (found.names.size() - 1) / 2;
  context.show({{"pictures", found.names.size()},
                {"pairs", found.pairs.size()},
                {"of", all},
                {"top", a.top},
                {"warnings", found.warnings},
                {"seconds", watch.seconds()},
                {"out", a.out}},
               fmt::format("{}: {} of {} pairs of {} pictures, {:.0f} s", a.out, found.pairs.size(), all,
                           found.names.size(), watch.seconds()));
  return 0;
}

struct VocabularyArguments {
  std::string model = "default", out;
  std::vector<std::string> images;
  VocabularyOptions options;
  int rows = 1000;  // of a picture
  PictureOptions pictures = {.features = {.detector = "sift", .max_keypoints = kKeypointsOfAPicture}, .max_side = 3200};
};

int make_vocabulary(const Context& context, VocabularyArguments a) {
  a.options.seed = context.seed;
  a.options.validate();
  ADA_USAGE(a.rows >= 1, "--rows {}: must be 1 or more", a.rows);
  ADA_USAGE(a.out.ends_with(".safetensors"), "--out {}: must end in .safetensors", a.out);
  require_new_file(a.out);
  prepare_pictures(a.pictures);
  const OpenedModel opened = open_model(a.model, context);
  std::vector<float> rows;
  int64_t pictures = 0;
  for (const std::string& folder : a.images) {
    ADA_CHECK(std::filesystem::is_directory(folder), "[vocabulary] {}: expected a folder of photographs", folder);
    pictures += add_rows_of_pictures(folder, *opened.descriptor, a.pictures, static_cast<size_t>(a.rows), rows);
  }
  Vocabulary vocabulary = learn_vocabulary(rows, opened.descriptor->dimension(), a.options);
  if (!opened.file.empty()) vocabulary.weights_sha256 = sha256_of_file(opened.file);
  save_vocabulary(vocabulary, a.out);
  const auto count = rows.size() / static_cast<size_t>(vocabulary.dimension);
  context.show(
      {{"words", vocabulary.size()}, {"pictures", pictures}, {"descriptors", count}, {"out", a.out}},
      fmt::format("{}: {} words from {} descriptors of {} pictures", a.out, vocabulary.size(), count, pictures));
  return 0;
}

}  // namespace

void add_pairs_command(CLI::App& app, Context& context) {
  CLI::App* command = add_command(app, "pairs", "List the photographs that look alike, for match --pairs",
                                  "  adasample pairs --images photos --top 20 --out pairs.txt\n"
                                  "  adasample pairs --database photos.db --top 20 --out pairs.txt\n");
  auto a = std::make_shared<PairsArguments>();
  command->add_option("--images", a->images, "Folder of photographs")->type_name("DIR");
  command->add_option("--database", a->database, "Or a COLMAP database with descriptors")->type_name("FILE");
  command->add_option("--top", a->top, "Partners of each photograph")->capture_default_str();
  command->add_option("--out", a->out, "New list: the names of two photographs per line")
      ->required()
      ->type_name("FILE");
  command
      ->add_option(
          "--vocabulary", a->vocabulary,
          "Visual words: a file, default (beside the weights, else of the default ones) or own (from the database)")
      ->capture_default_str();
  add_model_option(*command, a->model)->required(false)->capture_default_str();
  add_picture_options(*command, a->pictures);
  command->callback([&context, a] { context.action = [&context, a] { return write_pairs(context, *a); }; });
}

void add_vocabulary_command(CLI::App& app, Context& context) {
  CLI::App* command =
      add_command(app, "vocabulary", "Make the visual words that pairs compares photographs by",
                  "  adasample vocabulary --images photos --model runs/a --out a.vocabulary.safetensors\n");
  auto a = std::make_shared<VocabularyArguments>();
  command->add_option("--images", a->images, "Folders of photographs")->required()->type_name("DIR");
  command->add_option("--out", a->out, "New file")->required()->type_name("FILE.safetensors");
  command->add_option("--words", a->options.words, "How many")->capture_default_str();
  command->add_option("--rounds", a->options.rounds, "Of Lloyd's algorithm")->capture_default_str();
  command->add_option("--rows", a->rows, "Descriptors of each photograph to learn from, at most")
      ->capture_default_str();
  add_model_option(*command, a->model)->required(false)->capture_default_str();
  add_picture_options(*command, a->pictures);
  command->callback([&context, a] { context.action = [&context, a] { return make_vocabulary(context, *a); }; });
}

}  // namespace adasample
