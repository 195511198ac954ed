// SPDX-License-Identifier: Apache-2.0
// adasample describe: patches or pictures in, descriptors out, for any other program.
#include <fmt/format.h>

#include "adasample/base/error.h"
#include "adasample/base/files/appear_together.h"
#include "adasample/base/log.h"
#include "adasample/base/stopwatch.h"
#include "adasample/cli/context.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/cli/result_file.h"
#include "adasample/data/patch_store.h"
#include "adasample/eval/descriptors/describe_to_file.h"
#include "adasample/integrate/describe_pictures.h"
#include "adasample/integrate/feature_writer.h"

namespace adasample {
namespace {

struct DescribeArguments {
  std::string patches, model = "default", out, type = number_type_names().front();
  PicturesArguments pictures;

  bool from_pictures() const { return !pictures.images.empty(); }
  bool hdf5() const { return out.ends_with(".h5"); }
  NumberType number_type() const { return number_type_from_name(type); }

  void validate() const {
    ADA_USAGE(patches.empty() != pictures.images.empty(), "describe: expected --patches or --images, found {}",
              patches.empty() ? "neither" : "both");
    ADA_USAGE(from_pictures() || pictures.keypoints.empty(), "--keypoints {}: needs --images", pictures.keypoints);
    ADA_USAGE(from_pictures() || !hdf5(), "--out {}: .h5 holds pictures; patches go to .npy or .csv", out);
    if (from_pictures()) pictures.validate();
    ADA_USAGE(hdf5() || out.ends_with(".npy") || out.ends_with(".csv"), "--out {}: must end in .npy, .csv or .h5", out);
    if (from_pictures() && !hdf5()) AppearTogether(out, keypoints_beside(out));  // takes away what a killed one left
    require_new_file(out);
    if (from_pictures() && !hdf5()) require_new_file(keypoints_beside(out).string());
  }
};

int describe(const Context& context, const DescribeArguments& a) {
  a.validate();
  if (a.from_pictures() && a.pictures.keypoints.empty()) prepare_pictures(a.pictures.options);
  const NumberType type = a.number_type();
  const PatchArray patches = a.from_pictures() ? PatchArray() : open_patches(a.patches);
  const OpenedModel opened = open_model(a.model, context);
  Descriptor& descriptor = *opened.descriptor;
  const Stopwatch watch;
  DescribedPictures pictures;
  if (a.from_pictures()) {
    pictures = describe_pictures(a.pictures, descriptor, a.out, type);
  } else {
    pictures.keypoints = patches.count();
    pictures.loss = describe_to_file(patches, descriptor, a.out, type);
  }
  const double seconds = watch.seconds(), rate = static_cast<double>(pictures.keypoints) / seconds;
  nlohmann::ordered_json object = {{"patches", pictures.keypoints},
                                   {"dimension", descriptor.dimension()},
                                   {"type", a.type},
                                   {"seconds", seconds},
                                   {"patches_per_s", rate},
                                   {"out", a.out}};
  if (context.json) object.update(model_record(opened));  // hashing the weights takes a tenth of a small picture's time
  std::string text = fmt::format(
      "{}: {} rows of {} numbers{}, {:.0f} patches/s by {}", a.out, pictures.keypoints, descriptor.dimension(),
      a.from_pictures() ? fmt::format(" of {} pictures", pictures.pictures) : "", rate, opened.engine);
  if (a.from_pictures()) {
    object["pictures"] = pictures.pictures;
    object["without_keypoints"] = pictures.empty;
    if (!a.hdf5()) object["keypoint_list"] = keypoints_beside(a.out).string();
    std::vector<std::string> warnings;
    for (const std::string& name : pictures.empty) warnings.push_back(name + ": no keypoint found");
    log_first_warnings(warnings, "pictures; --json names them all");
  }
  if (type == NumberType::kUint8) object["map"] = {{"scale", 1 / kByteScale}, {"zero", kByteZero}};
  if (type != NumberType::kFloat32) {
    object["loss"] = pictures.loss.json();
    text += "\n" + pictures.loss.text(a.type);
  }
  context.show(object, text);
  return 0;
}

}  // namespace

void add_describe_command(CLI::App& app, Context& context) {
  CLI::App* command =
      add_command(app, "describe", "Write descriptors of pictures or patches to a .npy, .csv or .h5 file",
                  "  adasample describe --images photos --out photos.h5                        # hloc's layout\n"
                  "  adasample describe --images a.jpg --out a.npy                             # and a.keypoints.csv\n"
                  "  adasample describe --images photos --keypoints k.h5 --model runs/a --type uint8 --out d.npy\n"
                  "  adasample describe --patches heldout --model runs/a --out heldout.npy\n");
  auto a = std::make_shared<DescribeArguments>();
  command->add_option("--images", a->pictures.images, "A picture, or a folder searched with its subfolders")
      ->type_name("X");
  command->add_option("--patches", a->patches, "Or patches: a patch store, or a .npy file, uint8 [N, S, S]")
      ->type_name("X");
  add_model_option(*command, a->model)->required(false)->capture_default_str();
  command
      ->add_option("--out", a->out,
                   "New file. .npy or .csv: one row per patch, [N, D]; keypoints go to NAME.keypoints.csv in the same "
                   "order. .h5: one group per picture, as in hloc")
      ->required()
      ->type_name("FILE");
  command->add_option("--type", a->type, "Of the numbers: float32, float16, or uint8: v = round(320 x) + 128")
      ->check(CLI::IsMember(number_type_names()))
      ->capture_default_str();
  command
      ->add_option("--keypoints", a->pictures.keypoints,
                   "Describe these keypoints instead of detecting: .csv (data keypoints), .h5 (hloc), or .txt "
                   "(COLMAP's features "
                   "of one picture)")
      ->type_name("FILE");
  command->add_option("--sigma", a->pictures.sigma, "Scale of given keypoints that have none, pixels")
      ->type_name("FLOAT");
  add_picture_options(*command, a->pictures.options);
  command->callback([&context, a] { context.action = [&context, a] { return describe(context, *a); }; });
}

}  // namespace adasample
