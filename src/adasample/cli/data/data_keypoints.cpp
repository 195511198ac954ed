// SPDX-License-Identifier: Apache-2.0
// adasample data keypoints: where to cut, as a list that other machines can use.
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/cli/data/data_commands.h"
#include "adasample/cli/photograph_arguments.h"

namespace adasample {
namespace {

struct KeypointArguments {
  FeatureOptions options = store_keypoints();
  int max_side = PhotographOptions().max_side;
  std::string images, out;
};

int list_keypoints(const KeypointArguments& a, const Context& context) {
  a.options.validate();
  refuse_existing(a.out);
  const FoundKeypoints found = find_photograph_keypoints(a.images, a.options, a.max_side);
  warn_about(found.skipped);
  ADA_CHECK(found.count > 0, "[keypoints] {}: no keypoint in {} pictures", a.images,
            found.list.size() + found.skipped.size());
  write_file_atomically(a.out, format_keypoint_list(found.list));
  context.show({{"out", a.out},
                {"pictures", found.list.size()},
                {"keypoints", found.count},
                {"skipped", skipped_json(found.skipped)}},
               fmt::format("{}: {} keypoints in {} pictures", a.out, found.count, found.list.size()));
  return 0;
}

}  // namespace

void add_data_keypoints(CLI::App& data, Context& context) {
  CLI::App* command = add_command(data, "keypoints", "Keypoints of a folder of photographs, as a list",
                                  "  adasample data keypoints --images photos --out keypoints.csv\n"
                                  "  adasample data keypoints --images photos --out few.csv --max-keypoints 200\n");
  auto a = std::make_shared<KeypointArguments>();
  command->add_option("--images", a->images, "Folder of pictures; subfolders are searched too")
      ->required()
      ->type_name("DIR");
  command->add_option("--out", a->out, "List to write: file,x,y,scale,angle")->required()->type_name("F.csv");
  add_keypoint_options(*command, a->options);
  command->add_option("--max-side", a->max_side, "Halve larger pictures until they fit, pixels")
      ->check(CLI::Range(64, 16384))
      ->capture_default_str();
  command->callback([&context, a] {
    context.action = [&context, a] {
      return list_keypoints(*a, context);
    };
  });
}

}  // namespace adasample
