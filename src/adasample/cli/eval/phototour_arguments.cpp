// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/eval/phototour_arguments.h"

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/data/doctor/doctor.h"
#include "adasample/eval/scores/pair_evaluation.h"

namespace adasample {

void PhotoTourArguments::add_options(CLI::App& command, const std::string& files) {
  command.add_option("--root", root, "Unpacked set: patches0000.bmp .., info.txt, " + files)
      ->required()
      ->type_name("DIR");
  add_model_option(command, model)->required(false);
  command
      .add_option("--descriptors", descriptors,
                  "Or descriptors from any program, one row per patch of the set: .npy or .csv")
      ->type_name("FILE");
  command.add_option("--size", size, "Width of the patches to describe, pixels: 32 or 64; networks take 32")
      ->check(CLI::IsMember({32, 64}))
      ->capture_default_str();
}

void PhotoTourArguments::validate() const {
  ADA_USAGE(model.empty() != descriptors.empty(), "expected either --model or --descriptors, found {}",
            model.empty() ? "none" : "both");
}

DescribedPhotoTour::DescribedPhotoTour(const PhotoTourArguments& arguments, const PhotoTour& set,
                                       const Context& context)
    : arguments_(arguments), set_(set) {
  if (arguments_.model.empty()) {
    rows_ = rows_from_file(arguments_.descriptors, set_.patch_count());
  } else {
    opened_ = open_model(arguments_.model, context);
    source_ = source_of(set_, arguments_.size);
    rows_ = rows_by(source_, *opened_.descriptor, seconds_);
  }
}

nlohmann::ordered_json DescribedPhotoTour::record() const {
  nlohmann::ordered_json record = {{"data", arguments_.root},
                                   {"data_sha256", phototour_fingerprint(arguments_.root)},
                                   {"set", phototour_set_name(set_.patch_count())}};
  if (opened_.descriptor) {
    record.update(model_record(opened_));
    record["size"] = arguments_.size;
    record["seconds_describing"] = seconds_;
  } else {
    record["descriptors"] = arguments_.descriptors;
    record["descriptors_sha256"] = sha256_of_file(arguments_.descriptors);
  }
  return record;
}

}  // namespace adasample
