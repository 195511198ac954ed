// SPDX-License-Identifier: Apache-2.0
// adasample data keypoints: where to cut, as a list that travels to machines without OpenCV.
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/cli/data/data_commands.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/features/keypoint_list.h"
#include "adasample/image/files/images.h"

namespace adasample {
namespace {

struct KeypointArguments {
  KeypointOptions options;
  int max_side = PhotographOptions().max_side;
  std::string images, out;
};

int find_keypoints(const KeypointArguments& a, const Context& context) {
  a.options.validate();
  refuse_existing(a.out);
  const std::vector<std::string> files = picture_names(a.images);
  std::vector<std::vector<Keypoint>> found(files.size());
  std::vector<std::string> problems(files.size());
  {
    const auto quiet = silence_codecs(context);
    Progress progress("keypoints", "pictures", static_cast<int64_t>(files.size()));
    parallel_for(static_cast<int64_t>(files.size()), [&](int64_t index) {
      const auto i = static_cast<size_t>(index);
      if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[keypoints] interrupted; nothing was written");
      try {
        const ReducedImage picture = reduce_to(read_image(std::filesystem::path(a.images) / files[i]), a.max_side);
        found[i] = detect_keypoints(picture.image, a.options);
        for (Keypoint& k : found[i]) {  // in pixels of the file
          k.x *= picture.reduction;
          k.y *= picture.reduction;
          k.sigma *= picture.reduction;
        }
        if (found[i].empty()) problems[i] = "no keypoint found";
      } catch (const Error& error) {
        if (error.kind() != Error::Kind::kWork) throw;
        problems[i] = error.what();
      }
      progress.add(1);
    });
  }
  KeypointList list;
  std::vector<SkippedPhotograph> skipped;
  int64_t count = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    count += static_cast<int64_t>(found[i].size());
    if (!problems[i].empty()) {
      skipped.push_back({files[i], problems[i]});
    } else {
      list.emplace(files[i], std::move(found[i]));
    }
  }
  warn_about(skipped);
  ADA_CHECK(count > 0, "[keypoints] {}: no keypoint in {} pictures", a.images, files.size());
  write_file_atomically(a.out, format_keypoint_list(list));
  context.show({{"out", a.out}, {"pictures", list.size()}, {"keypoints", count}, {"skipped", skipped_json(skipped)}},
               fmt::format("{}: {} keypoints in {} pictures", a.out, count, list.size()));
  return 0;
}

}  // namespace

void add_data_keypoints(CLI::App& data, Context& context) {
  CLI::App* command = add_command(data, "keypoints", "Keypoints of a folder of photographs, as a list (needs OpenCV)",
                                  "  adasample data keypoints --images photos --out keypoints.csv\n"
                                  "  adasample data keypoints --images photos --out few.csv --max-keypoints 200\n");
  auto a = std::make_shared<KeypointArguments>();
  command->add_option("--images", a->images, "Folder of pictures; subfolders are searched too")
      ->required()
      ->type_name("DIR");
  command->add_option("--out", a->out, "List to write: file,x,y,scale,angle")->required()->type_name("F.csv");
  add_keypoint_options(*command, a->options);
  command->add_option("--max-side", a->max_side, "Larger pictures are halved until they fit, pixels")
      ->check(CLI::Range(64, 16384))
      ->capture_default_str();
  command->callback([&context, a] {
    context.action = [&context, a] {
      catch_interrupts();
      return find_keypoints(*a, context);
    };
  });
}

}  // namespace adasample
