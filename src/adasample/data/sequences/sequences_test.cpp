// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/sequences/sequences.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>

#include "adasample/base/parallel.h"
#include "adasample/data/hpatches/hpatches.h"
#include "adasample/data/sequences/sequence_patches.h"
#include "adasample/features/regions/patch_cutter.h"
#include "adasample/image/files/png.h"
#include "tests/support/expect_error.h"
#include "tests/support/sequence_set.h"
#include "tests/support/temp_folder.h"
#include "tests/support/warnings.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::TempFolder;

// Every file below `folder` by its relative name.
std::map<std::string, std::string> content(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[fs::relative(entry.path(), folder)] = read_text(entry.path());
  }
  return files;
}

Sequence small_sequence(const TempFolder& folder) {
  testing::write_small_sequence(folder / "v_small");
  return read_sequence(find_sequence(folder / "v_small"));
}

// Mean correlation of patch i of one strip with patch i + shift of another.
double correlation(const GrayImage& a, const GrayImage& b, size_t shift) {
  constexpr size_t kArea = kHpatchesSide * kHpatchesSide;
  const size_t count = a.pixels.size() / kArea;
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const float *p = a.pixels.data() + i * kArea, *q = b.pixels.data() + (i + shift) % count * kArea;
    double mp = 0, mq = 0, pq = 0, pp = 0, qq = 0;
    for (size_t j = 0; j < kArea; ++j) {
      mp += p[j] / double{kArea};
      mq += q[j] / double{kArea};
    }
    for (size_t j = 0; j < kArea; ++j) {
      pq += (p[j] - mp) * (q[j] - mq);
      pp += (p[j] - mp) * (p[j] - mp);
      qq += (q[j] - mq) * (q[j] - mq);
    }
    sum += pq / std::sqrt(pp * qq);
  }
  return sum / static_cast<double>(count);
}

TEST(Sequences, PatchesShowTheSameSpotAndNoiseGrows) {
  const TempFolder folder;
  const Sequence sequence = small_sequence(folder);
  const Selection selection = select_keypoints(sequence, "v_small", {});
  ASSERT_GT(selection.keypoints.size(), 20u);
  const GrayImage reference = reference_strip(sequence, selection);
  EXPECT_EQ(reference.width, 65);
  EXPECT_EQ(reference.height, 65 * static_cast<int>(selection.keypoints.size()));
  for (size_t target = 0; target < 2; ++target) {
    double before = 1;
    for (size_t level = 0; level < 3; ++level) {
      const GrayImage strip = target_strip(sequence, selection, target, level);
      const double same = correlation(reference, strip, 0), other = correlation(reference, strip, 1);
      EXPECT_LT(same, before) << target << " " << level;
      EXPECT_GT(same, other + 0.2) << target << " " << level;
      before = same;
      EXPECT_GT(same, level == 0 ? 0.75 : 0.2) << target;
    }
  }
}

// With the noise undone a target patch is the reference patch: the geometry is right to a fraction of a pixel.
TEST(Sequences, ProjectionAloneReproducesTheReference) {
  const TempFolder folder;
  const Sequence sequence = small_sequence(folder);
  const Selection selection = select_keypoints(sequence, "v_small", {});
  const GrayImage reference = reference_strip(sequence, selection);
  std::vector<float> patch(65 * 65);
  for (size_t target = 0; target < 2; ++target) {
    double sum = 0;
    for (size_t i = 0; i < selection.keypoints.size(); ++i) {
      const Homography map = sequence.target_from_ref[target] * Homography(selection.keypoints[i].ref_from_patch);
      cut(*sequence.images[target + 1], map, 65, patch.data());
      const float* expected = reference.row(65 * static_cast<int>(i));
      for (size_t j = 0; j < patch.size(); ++j) sum += std::abs(patch[j] - expected[j]);
    }
    // Rounding to bytes in two pictures, and the different blur of different reductions.
    EXPECT_LT(sum / static_cast<double>(reference.pixels.size()), 1.5) << target;
  }
}

TEST(Sequences, SelectionAddsUpAndKeepsItsLimits) {
  const TempFolder folder;
  const Sequence sequence = small_sequence(folder);
  const SequenceOptions options;
  const Selection all = select_keypoints(sequence, "v_small", options);
  int64_t candidates = 0;
  ASSERT_EQ(all.candidates.size(), 3u);
  for (const int64_t count : all.candidates) {
    EXPECT_GT(count, 0);
    candidates += count;
  }
  const auto dropped = [](const Selection& s) {
    return s.outside_reference + s.flat + s.outside_target + s.overlapping + s.beyond_max;
  };
  EXPECT_EQ(candidates, dropped(all) + static_cast<int64_t>(all.keypoints.size()));
  EXPECT_GT(all.outside_reference, 0);
  EXPECT_GT(all.outside_target, 0);
  EXPECT_GT(all.overlapping, 0);
  EXPECT_EQ(all.beyond_max, 0);
  for (const SelectedKeypoint& k : all.keypoints) EXPECT_TRUE(is_inside(k.ref_from_patch, 65, 240, 160));

  const Selection few = select_keypoints(sequence, "v_small", {.max_patches = 5});
  ASSERT_EQ(few.keypoints.size(), 5u);
  EXPECT_EQ(few.beyond_max, static_cast<int64_t>(all.keypoints.size()) - 5);
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(few.keypoints[i].ref_from_patch.tx, all.keypoints[i].ref_from_patch.tx);

  const Selection contrasty = select_keypoints(sequence, "v_small", {.min_contrast = 30});
  EXPECT_GT(contrasty.flat, all.flat);
  const GrayImage strip = reference_strip(sequence, contrasty);
  for (size_t i = 0; i < contrasty.keypoints.size(); ++i) {
    const std::vector<uint8_t> bytes = to_bytes(strip);
    EXPECT_GE(standard_deviation({bytes.data() + i * 65 * 65, 65 * 65}), 30);
  }
  const Selection other_name = select_keypoints(sequence, "v_other", options);
  EXPECT_NE(other_name.keypoints.at(0).key.bits(), all.keypoints.at(0).key.bits());
}

// The shuffle of the candidates draws below a key of its own, and so does the noise.
TEST(Sequences, NoDrawIsUsedTwice) {
  const TempFolder folder;
  const Selection selection = select_keypoints(small_sequence(folder), "v_small", {});
  RngKey key(0, Draw::kSequences), noise_key(0, Draw::kRefound);
  for (const char c : std::string("v_small")) {
    key = key.at(static_cast<unsigned char>(c));
    noise_key = noise_key.at(static_cast<unsigned char>(c));
  }
  const int64_t candidates = std::accumulate(selection.candidates.begin(), selection.candidates.end(), int64_t{0});
  std::set<uint64_t> shuffle, noise;
  for (int64_t i = 0; i < candidates; ++i) {
    shuffle.insert(key.at(static_cast<uint64_t>(i)).bits());
    noise.insert(noise_key.at(static_cast<uint64_t>(i)).bits());
  }
  for (const SelectedKeypoint& k : selection.keypoints) {
    EXPECT_FALSE(shuffle.contains(k.key.bits()));
    EXPECT_TRUE(noise.contains(k.key.bits()));
  }
}

TEST(Sequences, FilesHoldTheStrips) {
  const TempFolder folder;
  const Sequence sequence = small_sequence(folder);
  const nlohmann::ordered_json result = make_sequences(folder / "v_small", {.seed = 4}, folder / "out");
  const auto files = content(folder / "out");
  EXPECT_EQ(files.size(), 1u + 1 + 2 * 3 * 2);  // sequences.json, ref.png, a strip and its overlaps a level and target
  EXPECT_EQ(nlohmann::ordered_json::parse(files.at("sequences.json")), result);

  const Selection selection = select_keypoints(sequence, "v_small", {.seed = 4});
  EXPECT_EQ(files.at("v_small/ref.png"), encode_png(reference_strip(sequence, selection)));
  EXPECT_EQ(files.at("v_small/e1.png"), encode_png(target_strip(sequence, selection, 0, 0)));
  EXPECT_EQ(files.at("v_small/h2.png"), encode_png(target_strip(sequence, selection, 1, 1)));
  EXPECT_EQ(files.at("v_small/t1.png"), encode_png(target_strip(sequence, selection, 0, 2)));
  std::istringstream text(files.at("v_small/t2.overlap"));
  for (const double expected : noise_overlaps(selection, 1, 2)) {
    double overlap = -1;
    text >> overlap;
    EXPECT_NEAR(overlap, expected, 1e-6);
  }
  EXPECT_EQ(text.get(), '\n');
  EXPECT_EQ(text.peek(), std::istringstream::traits_type::eof());

  const auto& entry = result["sequences"][0];
  EXPECT_EQ(entry["name"], "v_small");
  EXPECT_EQ(entry["images"], 3);
  EXPECT_EQ(entry["patches"], selection.keypoints.size());
  EXPECT_EQ(entry["sha256"], sequence.sha256);
  EXPECT_EQ(result["seed"], 4);
  EXPECT_GT(result["median_overlap"]["easy"], result["median_overlap"]["hard"]);
  EXPECT_GT(result["median_overlap"]["hard"], result["median_overlap"]["tough"]);
}

TEST(Sequences, BytesFollowFilesAndOptionsAndNotTheThreads) {
  const TempFolder folder;
  testing::write_small_sequence(folder / "in" / "v_a");
  testing::write_small_sequence(folder / "in" / "v_b");
  const int threads = thread_count();
  set_thread_count(1);
  make_sequences(folder / "in", {}, folder / "one");
  set_thread_count(3);
  make_sequences(folder / "in", {}, folder / "three");
  make_sequences(folder / "in", {.seed = 1}, folder / "seed");
  make_sequences(folder / "in" / "v_b", {}, folder / "alone");
  set_thread_count(threads);
  const auto one = content(folder / "one");
  EXPECT_EQ(one, content(folder / "three"));
  EXPECT_NE(one.at("v_a/e1.png"), one.at("v_b/e1.png"));  // the name is part of the draw
  EXPECT_NE(one.at("v_a/e1.png"), content(folder / "seed").at("v_a/e1.png"));
  EXPECT_EQ(one.at("v_b/t2.png"), content(folder / "alone").at("v_b/t2.png"));  // but not what stands beside it
}

TEST(Sequences, BadSequencesAreRefusedOrSkipped) {
  const TempFolder folder;
  testing::write_small_sequence(folder / "in" / "v_good");
  fs::create_directories(folder / "in" / "v_bad");
  write_pgm(folder / "in" / "v_bad" / "1.pgm", GrayImage(50, 50, 9.0f));
  write_pgm(folder / "in" / "v_bad" / "2.pgm", GrayImage(50, 50, 9.0f));
  write_file_atomically(folder / "in" / "v_bad" / "H_1_2", "1 0 0 0 1 0 0 0 1");
  const auto run = [&](bool skip) { return make_sequences(folder / "in", {.skip_bad = skip}, folder / "out"); };
  expect_error([&] { run(false); }, "[sequences]", "v_bad: none of 0 keypoints can be cut");
  write_file_atomically(folder / "in" / "v_bad" / "H_1_2", "1 0 0 0 1");
  expect_error([&] { run(false); }, "H_1_2:1: expected nine numbers, found 5");
  EXPECT_EQ(content(folder.path()).count("out/sequences.json"), 0u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);  // nothing left behind

  const auto result = run(true);
  EXPECT_EQ(result["sequences"].size(), 1u);
  EXPECT_EQ(result["skipped"][0]["name"], "v_bad");
  const std::vector<std::string> warnings = testing::take_warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("H_1_2:1: expected nine numbers"), std::string::npos);
  expect_error([&] { run(true); }, "out: already exists");
  expect_error([&] { make_sequences(folder / "in" / "v_bad", {.skip_bad = true}, folder / "none"); },
               "v_bad: no sequence is left");
  testing::take_warnings();
}

TEST(Sequences, BadOptionsAreNamed) {
  const auto refuses = [](const SequenceOptions& options, const char* why) {
    expect_error([&] { options.validate(); }, why);
  };
  refuses({.detectors = {}}, "SequenceOptions::detectors is empty, must name at least one of dog, hessian, harris");
  refuses({.detectors = {"dog", "dog"}}, "SequenceOptions::detectors names dog twice");
  refuses({.detectors = {"mser"}}, "detector = \"mser\", must be one of");
  refuses({.max_patches = 0}, "SequenceOptions::max_patches = 0, must be 1 to 15000");
  refuses({.region_factor = std::nan("")}, "SequenceOptions::region_factor = nan");
  refuses({.min_contrast = -1}, "SequenceOptions::min_contrast = -1");
  refuses({.max_overlap = 0}, "SequenceOptions::max_overlap = 0, must be in (0, 1]");
}

}  // namespace
}  // namespace adasample
