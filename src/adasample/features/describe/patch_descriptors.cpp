// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/patch_descriptors.h"

#include <fmt/format.h>

#include "adasample/model/descriptor_registry.h"

namespace adasample {
namespace {

struct ClassicName {
  const char *name, *label, *title;
};
constexpr ClassicName kClassics[] = {{"sift", "sift", "SIFT"}, {"rootsift", "sift", "RootSIFT"}, {"orb", "orb", "ORB"}};

}  // namespace

void register_patch_descriptors(std::unique_ptr<Descriptor> (*make)(const std::string& name)) {
  for (const ClassicName& classic : kClassics) {
    register_descriptor(
        {.name = classic.name,
         .architecture = "",
         .devices = {"cpu"},
         .needs = "a program built with OpenCV",
         .engine = "opencv",
         .problem =
             [make, &classic](const std::string&) {
               return make != nullptr
                          ? std::string()
                          : fmt::format(
                                "[{}] {} needs OpenCV, and this program was built without it - configure with "
                                "-DADASAMPLE_OPENCV=ON",
                                classic.label, classic.title);
             },
         .make = [make, &classic](const Weights&, const std::string&,
                                  const RunOptions&) { return make(classic.name); }});
  }
}

}  // namespace adasample
