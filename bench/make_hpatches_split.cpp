// SPDX-License-Identifier: Apache-2.0
// make_hpatches_split OUT [SPLIT]: a made-up descriptor of 128 numbers for a split of HPatches at its real size, in the
// benchmark's layout: OUT/descriptors, OUT/tasks (its published lists, drawn anew) and OUT/splits.json. A patch's views
// are a random direction with more or less of another one mixed in, so that no task is trivial or hopeless.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/parallel.h"
#include "adasample/base/random/rng.h"
#include "adasample/data/hpatches/hpatches.h"
#include "adasample/data/hpatches/hpatches_survey.h"
#include "adasample/eval/hpatches/lists/hpatches_generator.h"
#include "adasample/eval/hpatches/lists/hpatches_release_lists.h"

namespace adasample {
namespace {

using Row = std::array<double, kDescriptorSize>;

Row direction(RngKey key) {
  RngStream rng(key);
  Row row;
  double squares = 0;
  for (double& x : row) {
    x = rng.normal();
    squares += x * x;
  }
  for (double& x : row) x /= std::sqrt(squares);
  return row;
}

// Strip 0 is the reference, then five of each level.
std::string make_csv(RngKey sequence, size_t strip, int64_t patches) {
  constexpr double kMix[] = {0.5, 1.5, 3, 6};  // most of the other direction: reference, easy, hard, tough
  const double mix = kMix[(strip + 4) / 5];
  fmt::memory_buffer text;
  for (int64_t i = 0; i < patches; ++i) {
    const RngKey patch = sequence.at(static_cast<uint64_t>(i)), view = patch.at(strip + 1);
    const Row own = direction(patch), other = direction(view);
    const double share = mix * view.uniform(), norm = std::sqrt(1 + share * share);
    for (size_t d = 0; d < own.size(); ++d) {
      fmt::format_to(std::back_inserter(text), "{}{:.5f}", d == 0 ? "" : ",", (own[d] + share * other[d]) / norm);
    }
    text.push_back('\n');
  }
  return fmt::to_string(text);
}

void make(const std::filesystem::path& out, const std::string& split) {
  const std::vector<std::string>& names = split_part(benchmark_splits(), split, "test");
  StagedFolder folder(out);
  std::vector<SequenceShape> shapes;
  for (const std::string& name : names) {
    shapes.push_back({name, find_hpatches_release(name)->low});
    std::filesystem::create_directories(folder.work() / "descriptors" / name);
  }
  const auto strips = static_cast<int64_t>(kHpatchesStrips.size());
  parallel_for(std::ssize(shapes) * strips, [&](int64_t i) {
    const SequenceShape& shape = shapes[static_cast<size_t>(i / strips)];
    const auto strip = static_cast<size_t>(i % strips);
    const RngKey key = RngKey(1, Draw::kHpatches).at(static_cast<uint64_t>(i / strips));
    FileWriter file(strip_path(folder.work() / "descriptors", shape.name, strip, ".csv"));
    file.write(make_csv(key, strip, shape.patches));
    file.close();
  });

  std::filesystem::create_directories(folder.work() / "tasks");
  recall_texture(shapes, split);
  const VerificationLists pairs = draw_verification(shapes);
  const RetrievalLists patches = draw_retrieval(shapes);
  const auto write = [&](size_t kind, const auto& list) {
    write_file_atomically(folder.work() / "tasks" / list_file(kListKinds[kind], split), format_list(list, shapes));
  };
  write(0, pairs.positives);
  write(1, pairs.intra);
  write(2, pairs.inter);
  write(3, patches.queries);
  write(4, patches.distractors);
  write_file_atomically(folder.work() / "splits.json", nlohmann::json{{split, {{"test", names}}}}.dump(1) + "\n");
  folder.commit();
}

}  // namespace
}  // namespace adasample

int main(int argc, char** argv) try {
  ADA_USAGE(argc == 2 || argc == 3, "usage: make_hpatches_split OUT [SPLIT]");
  adasample::make(argv[1], argc == 3 ? argv[2] : "a");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
