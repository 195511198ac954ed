// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/hpatches/lists/hpatches_release_lists.h"

#include <algorithm>
#include <sstream>

#include "adasample/base/error.h"
#include "adasample/data/hpatches/hpatches_splits.h"
#include "adasample/data/hpatches/hpatches_survey.h"

namespace adasample {
namespace {

constexpr struct {
  const char *kind, *split, *blob;
} kPublished[] = {
    {"verif_pos", "a", "cdea234c2f368e8d499974b2d57c90786edf03ea"},
    {"verif_neg_intra", "a", "2e9b16b96c7c3442b9aad1fddbe5a5ef36c5eb9e"},
    {"verif_neg_inter", "a", "eeb6f9e5667c80fe3bf70fd1c1ad420c59464272"},
    {"verif_pos", "b", "74da405294ed952673995b0eddb8699139d18db8"},
    {"verif_neg_intra", "b", "cbad706f99f2f3d677445b8a798c1fed281c1484"},
    {"verif_neg_inter", "b", "3fe33fbb285d20ed7f1a8fe9b04539581ebe9546"},
    {"verif_pos", "c", "ed99830075a1cbb003fdf3fcb613125348e7b608"},
    {"verif_neg_intra", "c", "dc9610013502887d8d4528e0d335494e78820d72"},
    {"verif_neg_inter", "c", "64dfc23f5667ed04a6a3de4d43d07603fff11cb5"},
    {"verif_pos", "illum", "f4c76eca"},
    {"verif_pos", "view", "3758e751"},
    {"verif_pos", "full", "8d2e3c91"},
    {"retr_queries", "a", "02c1941eeb64229e0a9c6fd1eee13d9ab6dcee32"},
    {"retr_distractors", "a", "40f2ec9c67b3d6f399e713402bf839b2a776c0a1"},
    {"retr_queries", "b", "775f732d2f99e5e54828c115dc2b365ed8e5fa3c"},
    {"retr_distractors", "b", "ed6ad6f6c254c73054338bbf5a4939644c00bd81"},
    {"retr_queries", "c", "d7d84f0b48b7de75b1ad0203149b554c4db848ec"},
    {"retr_distractors", "c", "d086630881b1000506ca78a46f80d98d40d46dc8"},
    {"retr_queries", "illum", "4c10749b345d11a7522d007b4877fe383485e087"},
    {"retr_distractors", "illum", "da0c29a0c4da23f7e13730f925e6070830c0f09b"},
    {"retr_queries", "view", "1c9176ddb060d9f46601c1dc5b22b098ced9dcba"},
    {"retr_distractors", "view", "28fe3f0bc3659607a39f9307bb1f9c4b8bc8e7c6"},
    {"retr_queries", "full", "c6611e510e4c8a56d75acbb4289fc12316f48a50"},
    {"retr_distractors", "full", "905a803f7dfdbf545be669af73dcebe346941634"},
};

}  // namespace

std::string published_blob(const std::string& kind, const std::string& split) {
  for (const auto& list : kPublished) {
    if (kind == list.kind && split == list.split) return list.blob;
  }
  return "";
}

bool has_names_of(const std::vector<SequenceShape>& shapes, const std::string& split) {
  const auto found = benchmark_splits().find(split);
  return found != benchmark_splits().end() &&
         std::equal(shapes.begin(), shapes.end(), found->second.test.begin(), found->second.test.end(),
                    [](const SequenceShape& shape, const std::string& name) { return shape.name == name; });
}

std::string first_other_count(const std::vector<SequenceShape>& shapes) {
  for (const SequenceShape& shape : shapes) {
    const HpatchesCount* released = find_hpatches_release(shape.name);
    ADA_ASSERT(released != nullptr);
    const std::string difference = differs_from_release(*released, shape.patches);
    if (!difference.empty()) return fmt::format("{}: {}", shape.name, difference);
  }
  return "";
}

bool is_release(const std::vector<SequenceShape>& shapes, const std::string& split) {
  return has_names_of(shapes, split) && first_other_count(shapes).empty();
}

void recall_texture(std::vector<SequenceShape>& shapes, const std::string& split) {
  if ((split != "a" && split != "b" && split != "c") || !is_release(shapes, split)) return;
  for (SequenceShape& shape : shapes) {
    if (!shape.textured.empty()) continue;
    shape.textured.assign(static_cast<size_t>(shape.patches), 1);
    for (const FlatPatches& flat : hpatches_flat_patches()) {
      if (shape.name != flat.sequence) continue;
      std::istringstream numbers(flat.patches);
      for (size_t patch; numbers >> patch;) shape.textured.at(patch) = 0;
    }
  }
}

}  // namespace adasample
