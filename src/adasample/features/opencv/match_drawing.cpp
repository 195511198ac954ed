// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "adasample/base/error.h"
#include "adasample/features/opencv/opencv_functions.h"

namespace adasample {
namespace {

// Everything is drawn at twice the size and halved at the end: lines of one pixel come out thinner than a pixel.
constexpr int kFine = 2;
constexpr int kShift = 4;                       // bits of a sixteenth of a pixel in OpenCV's coordinates
constexpr int kGap = 12;                        // around the pictures, pixels
constexpr int kTitle = 34;                      // height of a band's title, pixels
constexpr double kDim = 0.8;                    // of the pictures, so that lines stand out
constexpr double kInlier = 0.85, kOther = 0.3;  // how much of what is below a line it covers
constexpr double kDot = 1.25, kEnd = 2.5;       // radii: of any inlier's place, of a line's end, pixels
const cv::Scalar kPaper(255, 255, 255), kInk(40, 40, 40), kPale(120, 120, 120), kGrey(235, 235, 235);

cv::Mat to_opencv(const GrayImage& image, double scale) {
  std::vector<uint8_t> bytes = to_bytes(image);
  const cv::Mat grey(image.height, image.width, CV_8U, bytes.data());
  cv::Mat sized, colour;
  cv::resize(grey, sized, {}, scale, scale, scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
  cv::cvtColor(sized * kDim, colour, cv::COLOR_GRAY2BGR);
  return colour;
}

// From blue at the top to orange at the bottom of the first picture: bright colours that grey does not have.
cv::Scalar colour_at(double share) {
  const cv::Mat position(1, 1, CV_8U, cv::Scalar(std::clamp(40 + 170 * share, 0.0, 255.0)));
  cv::Mat colour;
  cv::applyColorMap(position, colour, cv::COLORMAP_TURBO);
  return colour.at<cv::Vec3b>(0, 0);
}

class Band {
 public:
  Band(const GrayImage& first, const GrayImage& second, double scale)
      : first_(to_opencv(first, scale * kFine)),
        second_(to_opencv(second, scale * kFine)),
        scale_(scale * kFine),
        second_left_(2 * kMargin + first_.cols),
        canvas_(kTop + std::max(first_.rows, second_.rows) + kMargin, second_left_ + second_.cols + kMargin, CV_8UC3,
                kPaper) {}

  cv::Mat draw(const MatchBand& band, int most_lines) {
    first_.copyTo(canvas_({kMargin, kTop, first_.cols, first_.rows}));
    second_.copyTo(canvas_({second_left_, kTop, second_.cols, second_.rows}));
    lines(band, /*inliers=*/false, most_lines / 2);
    lines(band, /*inliers=*/true, most_lines);
    const int end = text(band.title, kMargin, kInk);
    text(band.caption, end + kMargin, kPale);
    cv::Mat small;
    cv::resize(canvas_, small, {canvas_.cols / kFine, canvas_.rows / kFine}, 0, 0, cv::INTER_AREA);
    return small;
  }

 private:
  static constexpr int kMargin = kFine * kGap, kTop = kFine * kTitle;

  void lines(const MatchBand& band, bool inliers, int most) {
    std::vector<Point2> places;
    std::vector<std::pair<cv::Point, cv::Point>> ends;
    for (const DrawnMatch& match : band.matches) {
      if (match.inlier != inliers) continue;
      places.push_back(match.first);
      ends.emplace_back(place(match.first, kMargin), place(match.second, second_left_));
    }
    cv::Mat over = canvas_.clone();
    const auto colour = [&](size_t i) {
      return inliers ? colour_at((places[i].y + 0.5) * scale_ / first_.rows) : kGrey;
    };
    const auto dots = [&](size_t i, double radius) {
      for (const cv::Point& end : {ends[i].first, ends[i].second}) {
        cv::circle(over, end, cvRound(kFine * radius * (1 << kShift)), colour(i), cv::FILLED, cv::LINE_AA, kShift);
      }
    };
    if (inliers) {
      for (size_t i = 0; i < ends.size(); ++i) dots(i, kDot);
    }
    for (const size_t i : spread_choice(places, static_cast<size_t>(most))) {
      cv::line(over, ends[i].first, ends[i].second, colour(i), inliers ? kFine : 1, cv::LINE_AA, kShift);
      if (inliers) dots(i, kEnd);
    }
    const double share = inliers ? kInlier : kOther;
    cv::addWeighted(over, share, canvas_, 1 - share, 0, canvas_);
  }

  // In sixteenths of a pixel; pixel centres are at integers, before and after the change of size.
  cv::Point place(Point2 p, int left) const {
    const auto fixed = [](double v) { return cv::saturate_cast<int>(v * (1 << kShift)); };
    return {fixed((p.x + 0.5) * scale_ - 0.5 + left), fixed((p.y + 0.5) * scale_ - 0.5 + kTop)};
  }

  // Where it ends.
  int text(const std::string& words, int x, const cv::Scalar& colour) {
    constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;
    constexpr double kSize = 0.5 * kFine;
    int below = 0;
    const cv::Size size = cv::getTextSize(words, kFont, kSize, kFine, &below);
    cv::putText(canvas_, words, {x, (kTop + size.height) / 2}, kFont, kSize, colour, kFine, cv::LINE_AA);
    return x + size.width;
  }

  cv::Mat first_, second_;
  double scale_;
  int second_left_;
  cv::Mat canvas_;
};

}  // namespace

std::string draw_matches_by_opencv(const GrayImage& first, const GrayImage& second, const std::vector<MatchBand>& bands,
                                   const DrawingOptions& options) {
  const double scale = std::min(1.0, static_cast<double>(options.width - 3 * kGap) / (first.width + second.width));
  cv::Mat all;
  for (const MatchBand& band : bands) all.push_back(Band(first, second, scale).draw(band, options.most_lines));
  std::vector<uint8_t> png;
  ADA_CHECK(cv::imencode(".png", all, png, {cv::IMWRITE_PNG_COMPRESSION, 9}),
            "[match] {} x {} pixels cannot be encoded as PNG", all.cols, all.rows);
  return {png.begin(), png.end()};
}

}  // namespace adasample
