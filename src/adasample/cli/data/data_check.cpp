// SPDX-License-Identifier: Apache-2.0
// adasample data check: the data doctor.
#include "adasample/base/error.h"
#include "adasample/cli/data/data_commands.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/data/colmap/colmap_model.h"
#include "adasample/data/doctor/doctor.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;

// The kinds of data we know, most telling first; anything else is a folder of photographs.
struct Specialist {
  bool (*recognises)(const fs::path&);
  Diagnosis (*check)(const fs::path&);
  std::string (*fingerprint)(const fs::path&);
};
const Specialist kSpecialists[] = {
    {looks_like_store, check_store, store_fingerprint},
    {looks_like_phototour, check_phototour, phototour_fingerprint},
    {looks_like_hpatches, check_hpatches, hpatches_fingerprint},
    {looks_like_sequences, check_sequences, sequences_fingerprint},
    {looks_like_colmap, check_colmap, [](const fs::path& p) { return read_colmap_model(p).sha256; }},
    {[](const fs::path&) { return true; }, check_images, images_fingerprint},
};

constexpr const char* kAnew = "fetch, copy or make it again";

nlohmann::ordered_json findings_json(const std::vector<Finding>& findings) {
  auto list = nlohmann::ordered_json::array();
  for (const Finding& f : findings) list.push_back({{"path", f.path}, {"what", f.what}, {"mend", f.mend}});
  return list;
}

std::string findings_text(const char* title, const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings) text += fmt::format("\n{} {}: {}\n        mend: {}", title, f.path, f.what, f.mend);
  return text;
}

int check_data(const std::string& path, bool fingerprint, const Context& context) {
  ADA_CHECK(fs::is_directory(path), "[check] {}: is no folder", path);
  const auto* specialist = std::find_if(std::begin(kSpecialists), std::end(kSpecialists),
                                        [&](const Specialist& s) { return s.recognises(path); });
  Diagnosis diagnosis{.kind = "unreadable data", .inventory = {}, .problems = {}, .remarks = {}};
  std::vector<Finding> failures;
  if (auto found = attempt(failures, path, kAnew, [&] { return specialist->check(path); })) diagnosis = *found;
  const auto sha256 =
      fingerprint ? attempt(failures, path, kAnew, [&] { return specialist->fingerprint(path); }) : std::nullopt;
  diagnosis.problems.insert(diagnosis.problems.end(), failures.begin(), failures.end());
  nlohmann::ordered_json object = {{"path", path}, {"kind", diagnosis.kind}, {"sound", diagnosis.problems.empty()}};
  std::string text = fmt::format("{}: {}", path, diagnosis.kind);
  for (const auto& [name, count] : diagnosis.inventory) {
    object["inventory"][name] = count;
    text += fmt::format(", {} {}", count, name);
  }
  object["problems"] = findings_json(diagnosis.problems);
  object["remarks"] = findings_json(diagnosis.remarks);
  text += findings_text("problem", diagnosis.problems) + findings_text("remark ", diagnosis.remarks);
  if (sha256) {
    object["sha256"] = *sha256;
    text += "\nsha256  " + *sha256;
  }
  text += diagnosis.problems.empty() ? "\nno problem found"
                                     : fmt::format("\nproblems found: {}", diagnosis.problems.size());
  context.show(object, text);
  return diagnosis.problems.empty() ? 0 : 1;
}

}  // namespace

void add_data_check(CLI::App& data, Context& context) {
  CLI::App* command = add_command(
      data, "check", "The data doctor: what is short, missing, duplicated or mislabelled, and how to mend it",
      "  adasample data check brown/liberty      # a PhotoTour set\n"
      "  adasample data check hpatches-release --fingerprint\n"
      "  adasample data check photos --json      # also patch stores and COLMAP models; exit code 1: problems\n");
  struct Arguments {
    std::string path;
    bool fingerprint = false;
  };
  auto a = std::make_shared<Arguments>();
  command
      ->add_option(
          "path", a->path,
          "PhotoTour set, HPatches release, homography sequences, COLMAP model, patch store or folder of photographs")
      ->required()
      ->type_name("PATH");
  command->add_flag("--fingerprint", a->fingerprint, "Print a SHA-256 of the data, to compare two copies");
  command->callback([&context, a] {
    context.action = [&context, a] {
      return check_data(a->path, a->fingerprint, context);
    };
  });
}

}  // namespace adasample
