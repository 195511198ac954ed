// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/picture_stream.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "adasample/base/files/file_io.h"
#include "adasample/base/parallel.h"
#include "adasample/image/files/pgm.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_images.h"

namespace adasample {
namespace {

// The first two pixels of each patch. Says so when two threads ask at once.
class TwoPixels : public Descriptor {
 public:
  std::string name() const override { return "two pixels"; }
  int dimension() const override { return 2; }
  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    if (inside_++ > 0) throw std::runtime_error("two threads at once");
    parallel_for(count, [&](int64_t i) {
      for (int64_t k = 0; k < 2; ++k) {
        out[static_cast<size_t>(2 * i + k)] = patches[static_cast<size_t>(i * size * size + k)];
      }
    });
    --inside_;
  }

 private:
  std::atomic<int> inside_{0};
};

class PictureStreamTest : public ::testing::Test {
 protected:
  PictureStreamTest() {
    for (int i = 0; i < 7; ++i) {
      files_.push_back(folder_ / (std::to_string(i) + ".pgm"));
      write_pgm(files_.back(), testing::blob_scene(Affine2::rotation(0.1 * i), 160 + 20 * i, 150));
    }
  }
  ~PictureStreamTest() override { set_thread_count(before_); }

  // Everything that is described, in order; the pictures come into `seen`.
  std::vector<float> run(int threads) {
    set_thread_count(threads);
    seen_.clear();
    std::vector<float> all;
    TwoPixels descriptor;
    Progress unseen;
    double seconds = 0;
    PictureStream stream;
    stream.count = std::ssize(files_);
    stream.size = 32;
    stream.cut = [&](int64_t i) { return read_and_cut(files_[static_cast<size_t>(i)], {}); };
    stream.described = [&](int64_t i, CutPicture& picture, std::vector<float>& descriptors) {
      seen_.push_back(i);
      EXPECT_EQ(picture.width, 160 + 20 * i);
      EXPECT_EQ(descriptors.size(), 2 * picture.keypoints.size());
      EXPECT_FALSE(picture.keypoints.empty());
      for (const Keypoint& k : picture.keypoints) all.push_back(static_cast<float>(k.x + k.y + k.sigma + k.angle));
      all.insert(all.end(), descriptors.begin(), descriptors.end());
    };
    describe_stream(stream, descriptor, unseen, seconds);
    return all;
  }

  const int before_ = thread_count();
  testing::TempFolder folder_;
  std::vector<std::filesystem::path> files_;
  std::vector<int64_t> seen_;
};

TEST_F(PictureStreamTest, ThreadsChangeNothing) {
  const std::vector<float> one = run(1);
  for (const int threads : {2, 5}) {
    EXPECT_EQ(run(threads), one) << threads;
    EXPECT_EQ(seen_, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6})) << threads;
  }
}

TEST_F(PictureStreamTest, TheFirstBadPictureIsComplainedAbout) {
  for (const size_t bad : {size_t{2}, size_t{3}}) {
    std::filesystem::remove(files_[bad]);
    write_file_atomically(files_[bad], "P5 nonsense");
  }
  for (const int threads : {1, 2, 5}) {
    testing::expect_error([&] { run(threads); }, "2.pgm");
    EXPECT_EQ(seen_, (std::vector<int64_t>{0, 1})) << threads;
  }
}

// A picture cut ahead is the one described alone.
TEST_F(PictureStreamTest, PatchesAreThoseOfAPictureAlone) {
  const std::vector<float> all = run(3);
  TwoPixels descriptor;
  const DescribedPicture first = describe_picture(files_[0], descriptor);
  const size_t keypoints = first.keypoints.size();
  ASSERT_GE(all.size(), 3 * keypoints);
  EXPECT_TRUE(
      std::equal(first.descriptors.begin(), first.descriptors.end(), all.begin() + std::ssize(first.keypoints)));
}

}  // namespace
}  // namespace adasample
