// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/opencv_feature2d.h"
#include "adasample/features/regions/patch_cutter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <thread>
#include <vector>

#include "adasample/engine/engine.h"
#include "adasample/features/opencv/opencv_keypoint.h"
#include "adasample/image/files/opencv/mat_image.h"
#include "adasample/image/scenes/dead_leaves.h"
#include "adasample/model/random_weights.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;
using Keypoints = std::vector<cv::KeyPoint>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

cv::Mat scene(uint64_t which = 2) {
  const GrayImage image = dead_leaves_scene(RngKey(which, Draw::kScene));
  std::vector<uint8_t> bytes = to_bytes(image);
  return cv::Mat(image.height, image.width, CV_8U, bytes.data()).clone();
}

bool same(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && a.type() == b.type() && cv::norm(a, b, cv::NORM_INF) == 0;
}

class OpencvFeature2D : public ::testing::Test {
 protected:
  OpencvFeature2D() : file_(folder_ / "w.safetensors") { save_safetensors(weights_, file_); }

  cv::Ptr<Descriptor2D> make(const cv::Ptr<cv::Feature2D>& detector = {},
                             const Descriptor2DOptions& options = {}) const {
    return Descriptor2D::create(file_, detector, options);
  }
  static cv::Mat compute(Descriptor2D& feature, const cv::Mat& picture, Keypoints keypoints) {
    cv::Mat rows;
    feature.compute(picture, keypoints, rows);
    return rows;
  }

  const testing::TempFolder folder_;
  const Weights weights_ = random_weights(l2net(), 1);
  const std::string file_;
};

TEST_F(OpencvFeature2D, IsWhatOpenCvAsksFor) {
  const auto feature = make(cv::SIFT::create(60));
  EXPECT_EQ(feature->descriptorSize(), 128);
  EXPECT_EQ(feature->descriptorType(), CV_32F);
  EXPECT_EQ(feature->defaultNorm(), cv::NORM_L2);
  EXPECT_FALSE(feature->empty());
  EXPECT_EQ(feature->getDefaultName(), "Feature2D.Adasample");
  Keypoints found, sift;
  cv::Mat rows;
  feature->detectAndCompute(scene(), cv::noArray(), found, rows);
  cv::SIFT::create(60)->detect(scene(), sift);
  ASSERT_GE(found.size(), 60u);
  ASSERT_EQ(found.size(), sift.size());
  EXPECT_EQ(rows.size(), cv::Size(128, static_cast<int>(found.size())));
  for (int i = 0; i < rows.rows; ++i) {
    EXPECT_EQ(found[static_cast<size_t>(i)].pt, sift[static_cast<size_t>(i)].pt);
    EXPECT_NEAR(cv::norm(rows.row(i)), 1, 1e-5);
  }
}

// What is described is the square that our own pipeline cuts and trains on.
TEST_F(OpencvFeature2D, DescribesThePatchOfTheKeypoint) {
  const cv::KeyPoint at(200.5f, 120.25f, 9, 77);
  const ScalePyramid pyramid(to_gray_image(scene()));
  const auto expected = [&](double shift, double side, double degrees) {
    std::vector<uint8_t> patch(32 * 32);
    cut(pyramid, patch_frame(200.5 - shift, 120.25 - shift, side * 9 / 2, degrees * std::numbers::pi / 180, 32), 32,
        patch.data());
    std::vector<float> row(128);
    make_engine(default_engine(), weights_, "w")->describe(patch, 1, 32, row);
    return cv::Mat(row, true).reshape(1, 1);
  };
  EXPECT_TRUE(same(compute(*make(), scene(), {at}), expected(0.25, 6, 77)));
  EXPECT_TRUE(same(compute(*make({}, {.upright = true}), scene(), {at}), expected(0.25, 6, 0)));
  EXPECT_TRUE(same(compute(*make({}, {.region = 7.5}), scene(), {at}), expected(0, 7.5, 77)));
  EXPECT_TRUE(same(compute(*make(cv::KAZE::create()), scene(), {at}), expected(0, 6.25, 77)));
  cv::KeyPoint without_angle = at;
  without_angle.angle = -1;
  EXPECT_TRUE(same(compute(*make(), scene(), {without_angle}), expected(0.25, 6, 0)));
}

// A dot inside the square changes SIFT's descriptor and ours, one outside changes neither. The square is turned by 30
// degrees: with the angle the other way round its corners would be elsewhere. SIFT's outermost bins fade out over half
// a bin (6 pixels here), and both blur: only what is beyond counts as outside.
TEST_F(OpencvFeature2D, RegionIsSiftsOwn) {
  constexpr double kSigma = 4, kHalf = 6 * kSigma, kAngle = 30;
  const cv::Point2d centre(230, 150);
  const cv::KeyPoint at(static_cast<float>(centre.x), static_cast<float>(centre.y), 2 * kSigma, kAngle);
  const auto ours = make({}, {.region = Region::sift.side});
  const cv::Mat plain = scene();
  const auto described = [&](const cv::Mat& picture, bool sift) {
    Keypoints one = {at};
    cv::Mat row;
    if (!sift) return compute(*ours, picture, one);
    cv::SIFT::create()->compute(picture, one, row);
    return row;
  };
  const auto changes = [&](double u, double v, bool sift) {  // a dot at (u, v), in half widths of the square
    const double c = std::cos(kAngle * CV_PI / 180), s = std::sin(kAngle * CV_PI / 180);
    cv::Mat dotted = plain.clone();
    const cv::Point place(cvRound(centre.x + kHalf * (c * u - s * v)), cvRound(centre.y + kHalf * (s * u + c * v)));
    cv::rectangle(dotted, {place.x - 1, place.y - 1, 3, 3}, plain.at<uint8_t>(place) < 128 ? 255 : 0, cv::FILLED);
    return !same(described(plain, sift), described(dotted, sift));
  };
  for (const bool sift : {true, false}) {
    for (const auto& [u, v] : {std::pair(1, 0), {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}}) {
      EXPECT_TRUE(changes(0.9 * u, 0.9 * v, sift)) << u << ' ' << v << (sift ? " sift" : " ours");
      EXPECT_FALSE(changes(1.6 * u, 1.6 * v, sift)) << u << ' ' << v << (sift ? " sift" : " ours");
    }
  }
  for (const int side : {1, -1}) EXPECT_FALSE(changes(1.25 * side, 0, false));  // ours ends where it says
}

TEST_F(OpencvFeature2D, AnglesTurnClockwise) {
  const auto feature = make({}, {.region = 6});
  const cv::Mat picture = scene();
  cv::Mat turned;
  cv::rotate(picture, turned, cv::ROTATE_90_CLOCKWISE);  // (x, y) comes to (height - 1 - y, x)
  Keypoints here, there, wrong;
  cv::SIFT::create(50)->detect(picture, here);
  for (const cv::KeyPoint& k : here) {
    const cv::Point2f place(static_cast<float>(picture.rows - 1) - k.pt.y, k.pt.x);
    there.emplace_back(place, k.size, std::fmod(k.angle + 90, 360.0f));
    wrong.emplace_back(place, k.size, std::fmod(k.angle + 270, 360.0f));
  }
  const cv::Mat a = compute(*feature, picture, here), b = compute(*feature, turned, there),
                c = compute(*feature, turned, wrong);
  EXPECT_LT(cv::norm(a, b), 0.1 * cv::norm(a, c));
}

TEST_F(OpencvFeature2D, ColourAndSixteenBitsAreThePictureInGrey) {
  const cv::Mat grey = scene();
  const auto feature = make(cv::SIFT::create(30));
  Keypoints keypoints;
  cv::Mat rows;
  feature->detectAndCompute(grey, cv::noArray(), keypoints, rows);
  cv::Mat bgr, bgra, deep, deep_bgr;
  cv::cvtColor(grey, bgr, cv::COLOR_GRAY2BGR);
  cv::cvtColor(grey, bgra, cv::COLOR_GRAY2BGRA);
  grey.convertTo(deep, CV_16U, 257);
  cv::cvtColor(deep, deep_bgr, cv::COLOR_GRAY2BGR);
  for (const cv::Mat& picture : {bgr, bgra, deep, deep_bgr}) {
    Keypoints again;
    cv::UMat descriptors;
    feature->detectAndCompute(picture, cv::noArray(), again, descriptors);
    EXPECT_EQ(again.size(), keypoints.size());
    EXPECT_TRUE(same(descriptors.getMat(cv::ACCESS_READ), rows)) << cv::typeToString(picture.type());
  }
  const cv::Mat part = bgr(cv::Rect(100, 80, 200, 150));  // not continuous
  EXPECT_TRUE(same(compute(*feature, part, {{100, 70, 9, 40}}), compute(*feature, part.clone(), {{100, 70, 9, 40}})));
  expect_error(
      [&] {
        compute(*feature, cv::Mat(50, 50, CV_32F, cv::Scalar(0)), {{20, 20, 5}});
      },
      "8 or 16 bits", "32F");
  expect_error([&] { compute(*feature, cv::Mat(50, 50, CV_8UC2, cv::Scalar(0)), {{20, 20, 5}}); }, "channels, found 2");
}

TEST_F(OpencvFeature2D, MaskAndEmptyPictures) {
  const auto feature = make(cv::SIFT::create(60));
  cv::Mat mask(scene().size(), CV_8U, cv::Scalar(0)), rows;
  mask.colRange(0, 200) = 255;
  Keypoints keypoints;
  feature->detectAndCompute(scene(), mask, keypoints, rows);
  ASSERT_GT(keypoints.size(), 20u);
  for (const cv::KeyPoint& k : keypoints) EXPECT_LT(k.pt.x, 201);
  feature->detectAndCompute(scene(), cv::Mat(mask.size(), CV_8U, cv::Scalar(0)), keypoints, rows);
  EXPECT_TRUE(keypoints.empty());
  EXPECT_TRUE(rows.empty());
  for (const cv::Mat& picture :
       {cv::Mat(), cv::Mat(40, 60, CV_8U, cv::Scalar(9)), cv::Mat(7, 3, CV_8U, cv::Scalar(9))}) {
    keypoints = {{5, 5, 3}};
    rows = cv::Mat(1, 128, CV_32F);
    feature->detectAndCompute(picture, cv::noArray(), keypoints, rows);
    EXPECT_TRUE(keypoints.empty());
    EXPECT_TRUE(rows.empty());
  }
  EXPECT_EQ(compute(*feature, scene(), {}).rows, 0);
}

TEST_F(OpencvFeature2D, KeepsTheBorderAndDropsWhatShowsNothing) {
  Keypoints keypoints = {{0, 0, 8, 10},         {480, 320, 30, 350}, {kNan, 50, 8, 0},  {50, kNan, 8, 0},
                         {50, 50, kNan, 0},     {50, 50, 8, kNan},   {50, 50, 0, 0},    {50, 50, -3, 0},
                         {-20, 50, 8, 0},       {50, 400, 8, 0},     {50, 50, 1e9f, 0}, {50, 50, 8, 1e30f},
                         {240.5f, 160, 400, 0}, {50, 50, 1e-20f, 0}};
  cv::Mat rows;
  make()->compute(scene(), keypoints, rows);
  ASSERT_EQ(keypoints.size(), 5u);
  EXPECT_EQ(keypoints[0].pt, cv::Point2f(0, 0));
  EXPECT_EQ(keypoints[1].pt, cv::Point2f(480, 320));
  EXPECT_EQ(keypoints[2].angle, 1e30f);
  EXPECT_EQ(keypoints[3].size, 400);
  ASSERT_EQ(rows.rows, 5);
  EXPECT_TRUE(cv::checkRange(rows));
  for (const cv::Size size : {cv::Size(1, 1), cv::Size(1, 300), cv::Size(300, 2), cv::Size(8, 8)}) {
    const cv::Mat picture(size, CV_8U, cv::Scalar(77));
    EXPECT_EQ(compute(*make(), picture, {{0, 0, 1, 0}}).rows, 1) << size;
  }
}

TEST_F(OpencvFeature2D, SeveralPicturesAndSeveralThreads) {
  const auto feature = make(cv::SIFT::create(50));
  const std::vector<cv::Mat> pictures = {scene(2), scene(3), scene(4)};
  std::vector<Keypoints> keypoints;
  std::vector<cv::Mat> together;
  feature->detect(pictures, keypoints);
  feature->compute(pictures, keypoints, together);
  ASSERT_EQ(together.size(), 3u);
  std::vector<cv::Mat> apart(3);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      Keypoints own;
      feature->detectAndCompute(pictures[i], cv::noArray(), own, apart[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(same(together[i], apart[i])) << i;
}

TEST_F(OpencvFeature2D, TheDetectorsNameChoosesTheRegion) {
  EXPECT_EQ(make()->region(), Region::sift);
  EXPECT_EQ(make(cv::KAZE::create())->region(), Region::kaze);
  EXPECT_EQ(make(cv::AKAZE::create())->region(), Region::akaze);
  EXPECT_EQ(make(cv::ORB::create())->region(), Region::orb);
  EXPECT_EQ(make(cv::FastFeatureDetector::create())->region(), Region::fast);
  EXPECT_EQ(make(cv::AgastFeatureDetector::create())->region(), Region::agast);
  EXPECT_EQ(make(cv::BRISK::create())->region(), Region::brisk);
  EXPECT_EQ(make(cv::ORB::create(), {.region = Region::sift})->region(), Region::sift);
  expect_error([&] { make(cv::GFTTDetector::create()); }, "'Feature2D.GFTTDetector'", "in diameters");
}

TEST_F(OpencvFeature2D, DescribesKeypointsOfAnyDetector) {
  const std::vector<cv::Ptr<cv::Feature2D>> detectors = {cv::ORB::create(60), cv::AKAZE::create(),
                                                         cv::BRISK::create(60), cv::FastFeatureDetector::create(60)};
  for (const cv::Ptr<cv::Feature2D>& detector : detectors) {
    Keypoints found, kept;
    cv::Mat rows;
    detector->detect(scene(), found);
    make(detector)->detectAndCompute(scene(), cv::noArray(), kept, rows);
    EXPECT_GT(kept.size(), 20u) << detector->getDefaultName();
    EXPECT_EQ(kept.size(), found.size()) << detector->getDefaultName();
    EXPECT_EQ(static_cast<size_t>(rows.rows), kept.size());
  }
}

TEST_F(OpencvFeature2D, OurDetectorsByName) {
  for (const std::string name : {"dog", "harris", "brisk"}) {
    const auto feature = make({}, {.detector = name});
    EXPECT_EQ(feature->region(), Region(6)) << "sigmas are those of SIFT";
    Keypoints found;
    cv::Mat rows, mask(scene().size(), CV_8U, cv::Scalar(0));
    feature->detectAndCompute(scene(), cv::noArray(), found, rows);
    EXPECT_GT(found.size(), 20u) << name;
    EXPECT_EQ(static_cast<size_t>(rows.rows), found.size());
    feature->detect(scene(), found, mask);
    EXPECT_TRUE(found.empty()) << "masked";
    expect_error([&] { feature->detect(scene(), found, cv::Mat(3, 3, CV_8U, cv::Scalar(0))); }, "mask", "3 x 3");
    feature->write(folder_ / "named.yml");
    const auto read = make();
    read->read(folder_ / "named.yml");
    EXPECT_EQ(read->region(), Region(6));
  }
  expect_error([&] { make({}, {.detector = "surf"}); }, "surf", "akaze");
}

TEST_F(OpencvFeature2D, OptionsAreChecked) {
  expect_error([&] { make({}, {.region = -1}); }, "region.side = -1", "0.1 to 100");
  expect_error([&] { make({}, {.region = double{kNan}}); }, "region.side = nan");
  expect_error([&] { make({}, {.region = {6, 11}}); }, "region.shift = 11");
  expect_error([&] { make({}, {.threads = -1}); }, "threads = -1");
  expect_error([&] { make({}, {.engine = "abacus"}); }, "'abacus'");
  expect_error([&] { Descriptor2D::create(folder_ / "none"); }, "none", "no such weights");
}

TEST_F(OpencvFeature2D, ReadsWhatItWrites) {
  const std::string yaml = folder_ / "feature.yml";
  const auto written = make(cv::AKAZE::create(cv::AKAZE::DESCRIPTOR_MLDB, 0, 3, /*threshold=*/0.004f),
                            {.region = 1.5, .upright = true, .engine = default_engine()});
  written->write(yaml);
  const auto read = make();
  read->read(yaml);
  EXPECT_EQ(read->region(), Region(1.5));
  Keypoints a, b;
  cv::Mat rows_a, rows_b;
  written->detectAndCompute(scene(), cv::noArray(), a, rows_a);
  read->detectAndCompute(scene(), cv::noArray(), b, rows_b);
  ASSERT_GT(a.size(), 5u);
  EXPECT_TRUE(same(rows_a, rows_b));

  const cv::FileStorage wrong("{\"x\": {\"weights\": 3, \"region_side\": \"six\"}}",
                              cv::FileStorage::READ | cv::FileStorage::MEMORY | cv::FileStorage::FORMAT_JSON);
  expect_error([&] { read->read(wrong["x"]); }, "expected a number 'region_side'");
  save_safetensors(random_weights(l2net(), 2), file_);  // other weights under the same name
  expect_error([&] { read->read(yaml); }, "w.safetensors: expected the weights with sha256");
  EXPECT_TRUE(same(compute(*read, scene(), b), rows_b));  // unchanged
}

TEST_F(OpencvFeature2D, AForeignDetectorIsKeptWhenRead) {
  const std::string yaml = folder_ / "feature.yml";
  make(cv::GFTTDetector::create(30), {.region = 9})->write(yaml);
  expect_error([&] { make()->read(yaml); }, "'Feature2D.GFTTDetector' cannot be made");
  const auto same_kind = make(cv::GFTTDetector::create(50), {.region = 5});
  same_kind->read(yaml);
  EXPECT_EQ(same_kind->region(), Region(9));
}

}  // namespace
}  // namespace adasample
