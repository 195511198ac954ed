// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/hpatches/lists/hpatches_generator.h"

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/progress.h"
#include "adasample/eval/hpatches/lists/numpy_random.h"

namespace adasample {
namespace {

constexpr uint32_t kSeed = 42;
constexpr int kPublishedImages = 5;  // image ids 0 to 4
constexpr int64_t kRetrievalQueries = 10'000, kDistractors = 20'000, kDistractorDraws = 200'000;

uint32_t last_patch(const SequenceShape& shape) { return static_cast<uint32_t>(shape.patches - 1); }

std::vector<uint16_t> draw_sequences(NumpyRandom& random, const std::vector<SequenceShape>& shapes, int64_t count) {
  std::vector<uint16_t> drawn(static_cast<size_t>(count));
  const auto limit = static_cast<uint32_t>(shapes.size() - 1);
  for (uint16_t& sequence : drawn) sequence = static_cast<uint16_t>(random.up_to(limit));
  return drawn;
}

void check_drawable(const std::vector<SequenceShape>& shapes) {
  for (const SequenceShape& shape : shapes) {
    ADA_CHECK(shape.patches >= 2 && shape.patches <= UINT32_MAX && shape.images >= 2,
              "[tasks] {}: expected two patches and two images at least to draw pairs from, found {} and {}",
              shape.name, shape.patches, shape.images);
  }
  ADA_CHECK(shapes.size() >= 2, "[tasks] expected two sequences at least for negatives of another sequence, found {}",
            shapes.size());
}

int common_images(const std::vector<SequenceShape>& shapes, bool corrected) {
  int images = corrected ? shapes.front().images : kPublishedImages;
  for (const SequenceShape& shape : shapes) images = std::min(images, shape.images);
  return images;
}

// (sequence, patch) of `draws` draws; the first `wanted` that are textured and not in `taken`, which they join.
std::vector<PatchPlace> draw_patches(NumpyRandom& random, const std::vector<SequenceShape>& shapes, int64_t draws,
                                     int64_t wanted, std::vector<std::vector<uint8_t>>& taken) {
  const std::vector<uint16_t> sequences = draw_sequences(random, shapes, draws);
  std::vector<PatchPlace> drawn;
  for (const uint16_t s : sequences) {  // all are drawn: the next list goes on in the stream
    const uint32_t patch = random.up_to(last_patch(shapes[s]));
    const bool textured = shapes[s].textured.empty() || shapes[s].textured[patch] != 0;
    if (!textured || taken[s][patch] != 0 || std::ssize(drawn) == wanted) continue;
    taken[s][patch] = 1;
    drawn.push_back({s, 0, patch});
  }
  return drawn;
}

}  // namespace

VerificationLists draw_verification(const std::vector<SequenceShape>& shapes, const VerificationDraw& draw) {
  check_drawable(shapes);
  const auto images = static_cast<uint32_t>(common_images(shapes, draw.corrected));
  NumpyRandom random(kSeed);
  const std::vector<uint16_t> sequences = draw_sequences(random, shapes, draw.rows);
  const size_t rows = sequences.size();
  std::vector<NumpyRandom::FirstTwo> patches(rows);
  Progress progress("drawing the verification lists", "rows", draw.rows);
  for (size_t i = 0; i < rows; ++i) {
    if (i % 4096 == 0) {
      if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[tasks] interrupted while drawing the verification lists");
      progress.add(std::min<int64_t>(4096, draw.rows - static_cast<int64_t>(i)));
    }
    patches[i] = random.first_of_shuffle(last_patch(shapes[sequences[i]]) + 1);
  }

  VerificationLists lists;
  lists.positives.resize(rows);
  lists.intra.resize(rows);
  lists.inter.resize(rows);
  for (size_t i = 0; i < rows; ++i) {
    const NumpyRandom::FirstTwo image = random.first_of_shuffle(images);
    const auto first = static_cast<uint8_t>(image.first), second = static_cast<uint8_t>(image.second);
    const uint16_t s = sequences[i];
    const PatchPlace anchor{s, first, patches[i].first};
    lists.positives[i] = {anchor, {s, second, patches[i].first}};
    lists.intra[i] = {anchor, {s, second, patches[i].second}};
    lists.inter[i] = {anchor, {0, second, 0}};
  }
  const auto last = static_cast<uint32_t>(shapes.size() - 1);
  for (auto& [anchor, other] : lists.inter) {
    if (draw.corrected) {
      other.sequence = static_cast<uint16_t>(random.up_to(last - 1));
      if (other.sequence >= anchor.sequence) ++other.sequence;
    } else {
      other.sequence = static_cast<uint16_t>(random.up_to(last));
    }
  }
  for (PlacePair& pair : lists.inter) {
    pair.second.patch = random.up_to(last_patch(shapes[pair.second.sequence]));
  }
  return lists;
}

RetrievalLists draw_retrieval(const std::vector<SequenceShape>& shapes) {
  int64_t all = 0;
  std::vector<std::vector<uint8_t>> taken;
  for (const SequenceShape& shape : shapes) {
    all += shape.patches;
    taken.emplace_back(static_cast<size_t>(shape.patches));
  }
  const int64_t queries = std::min(kRetrievalQueries, all / 3);
  NumpyRandom random(kSeed);
  RetrievalLists lists;
  lists.queries = draw_patches(random, shapes, 4 * queries, queries, taken);
  lists.distractors = draw_patches(random, shapes, kDistractorDraws, kDistractors, taken);
  ADA_CHECK(!lists.queries.empty() && !lists.distractors.empty(),
            "[tasks] expected patches to draw retrieval queries and distractors from, found {} patches - too few, or "
            "all of them flat?",
            all);
  return lists;
}

}  // namespace adasample
