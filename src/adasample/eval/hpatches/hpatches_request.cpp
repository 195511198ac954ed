// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/hpatches/hpatches_request.h"

#include "adasample/base/error.h"
#include "adasample/base/files/fingerprint.h"
#include "adasample/base/stopwatch.h"

namespace adasample {
namespace {

// What is scored: the descriptors, and for the record what they are of.
struct Subject {
  DescriptorSet set;
  nlohmann::ordered_json record;
};

Subject describe(const HpatchesRequest& a, const std::vector<std::string>& names, const RecordedDescriptor& by) {
  double seconds = 0;
  DescriptorSet set = describe_hpatches(a.root, names, *by.descriptor, a.size, seconds);
  std::vector<std::filesystem::path> files;
  for (const std::string& name : names) {
    for (const size_t strip : sequence_strips(a.root, name)) files.push_back(strip_path(a.root, name, strip));
  }
  nlohmann::ordered_json record = {{"data", a.root}, {"data_sha256", fingerprint_files(a.root, files)}};
  record.update(by.record);
  record["size"] = a.size;
  record["seconds_describing"] = seconds;
  return {std::move(set), std::move(record)};
}

Subject read(const HpatchesRequest& a, const std::vector<std::string>& names) {
  const Stopwatch reading;
  DescriptorSet set = read_descriptor_set(a.descriptors, names, a.delimiter[0]);
  const double seconds = reading.seconds();
  return {std::move(set),
          {{"data", a.descriptors},
           {"data_sha256", fingerprint_files(a.descriptors, descriptor_files(a.descriptors, names))},
           {"seconds_reading", seconds}}};
}

}  // namespace

void HpatchesRequest::validate() const {
  ADA_USAGE(delimiter.size() == 1, "--delimiter = \"{}\", must be one character", delimiter);
  ADA_USAGE(size == 32 || size == 64 || size == kHpatchesSide, "size = {}, must be 32, 64 or {}", size, kHpatchesSide);
}

HpatchesAnswer answer_hpatches(const HpatchesRequest& request, const std::function<RecordedDescriptor()>& open) {
  request.validate();
  const HpatchesSplits splits = request.splits.empty() ? benchmark_splits() : read_splits(request.splits);
  HpatchesEvalOptions options{
      .split = request.choice.split, .norm = norm_from_name(request.dist), .corrected = request.corrected};
  if (!request.tasks.empty()) options.tasks = request.tasks;
  const bool described = request.descriptors.empty();
  const std::vector<std::string> names =
      described ? choose_hpatches(request.root, splits, request.choice)
                : choose_hpatches(request.descriptors, list_descriptors(request.descriptors), splits, request.choice);
  check_tasks(names.size(), options.split, options.tasks);  // describing takes long
  const Subject subject = described ? describe(request, names, open()) : read(request, names);
  const HpatchesFigures figures = evaluate_hpatches(subject.set, options);
  HpatchesAnswer answer{.record = figures_json(figures, options), .table = figures_table(figures, options)};
  answer.record.update(subject.record);
  return answer;
}

}  // namespace adasample
