// SPDX-License-Identifier: Apache-2.0
// adasample reconstruct: from a folder of photographs to COLMAP's model and a page about it.
#include <fmt/format.h>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/files/folder_lock.h"
#include "adasample/base/log.h"
#include "adasample/base/run_program.h"
#include "adasample/base/stopwatch.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/cli/use/match_folder.h"
#include "adasample/cli/use/reconstruction_summary.h"
#include "adasample/features/opencv_part.h"
#include "adasample/image/files/images.h"
#include "adasample/integrate/colmap/colmap_mapper.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostForAllPairs = 100;  // photographs: 4,950 pairs

struct ReconstructArguments {
  std::string images, out, model = "default", mapper = "auto";
  PairChoice choice;
  MatchPairsOptions options;
  ColmapExportOptions pictures;

  void validate() const {
    choice.validate();
    options.validate();
    pictures.validate();
    ADA_CHECK(fs::is_directory(images), "[reconstruct] {}: expected a folder of photographs", images);
  }
};

int reconstruct(const Context& context, ReconstructArguments a) {
  a.validate();
  prepare_opencv();
  const Stopwatch watch;
  const fs::path work = a.out, database = work / "database.db", sparse = work / "sparse", log = work / "colmap.log";
  fs::create_directories(work);
  const FolderLock lock(work);
  if (a.choice.file.empty() && a.choice.sequential == 0 && a.choice.retrieve == 0 &&
      picture_names(a.images).size() > kMostForAllPairs) {
    a.choice.retrieve = 20;
  }

  log_info("describing {} into {}", a.images, database.string());
  const ColmapExportReport described = describe_new(context, a.images, database.string(), a.model, a.pictures, a.choice);
  log_info("matching in {}", database.string());
  const DatabaseMatching matching = match_database(database, a.choice, a.options, /*again=*/false);
  std::vector<std::string> warnings = matching.warnings;
  warnings.insert(warnings.end(), matching.report.complaints.begin(), matching.report.complaints.end());
  log_first_warnings(warnings, "complaints");

  const auto colmap = find_colmap(log);
  ADA_CHECK(colmap,
            "[reconstruct] {}: features and matches are complete, but there is no COLMAP to map them - install it "
            "(Debian: apt-get install colmap), or name it by COLMAP=FILE, and give the same command again",
            database.string());
  const bool global = a.mapper == "global" || (a.mapper == "auto" && colmap->global);
  ADA_CHECK(!global || colmap->global, "[reconstruct] {}: has no global_mapper - leave out --mapper",
            colmap->path.string());
  const std::string command = command_line(mapper_command(*colmap, global, a.images, database, sparse));
  if (!fs::exists(sparse)) {
    log_info("{}", command);
    run_mapper(*colmap, global, a.images, database, sparse, log);
  } else if (described.images > 0 || matching.report.pairs > 0) {
    log_warning("{}: was made before {} pictures and {} pairs were added - move it away to map again", sparse.string(),
                described.images, matching.report.pairs);
  }
  const ReconstructionPage page =
      summarise_reconstruction(a.images, database, read_models(sparse),
                               {fmt::format("adasample reconstruct {} --out {}", a.images, a.out), command});
  const fs::path file = work / "report.html";
  write_file_atomically(file, reconstruction_html(page));
  show_reconstruction(context, page, file, watch.seconds());
  return 0;
}

}  // namespace

void add_reconstruct_command(CLI::App& app, Context& context) {
  CLI::App* command =
      add_command(app, "reconstruct",
                  "From a folder of photographs to a 3D model: features, pairs, matches, then the installed COLMAP",
                  "  adasample reconstruct photos --out work              # then open work/report.html\n"
                  "  adasample reconstruct photos --out work --retrieve 20 --max-keypoints 4096\n");
  auto a = std::make_shared<ReconstructArguments>();
  command->add_option("images", a->images, "Folder of photographs")->required()->type_name("DIR");
  command
      ->add_option("--out", a->out,
                   "Folder for database.db, sparse/ and report.html; what is there already is not made again")
      ->required()
      ->type_name("DIR");
  add_model_option(*command, a->model)->required(false)->capture_default_str();
  add_picture_options(*command, a->pictures.pictures);
  add_camera_options(*command, a->pictures);
  add_pair_options(*command, a->choice);
  command->add_option("--ratio", a->options.limits.ratio, "Maximum ratio of the distance to that of the next best")
      ->capture_default_str();
  command->add_option("--threshold", a->options.threshold,
                      "Inlier threshold, pixels; default: a thousandth of the longest side, 1 to 4");
  command
      ->add_option("--mapper", a->mapper, "COLMAP's mapper: incremental, global, or auto: global where COLMAP has it")
      ->check(CLI::IsMember({"auto", "incremental", "global"}))
      ->capture_default_str();
  command->callback([&context, a] { context.action = [&context, a] { return reconstruct(context, *a); }; });
}

}  // namespace adasample
