// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/picture_stream.h"

#include <algorithm>
#include <span>
#include <utility>

#include "adasample/base/parallel.h"
#include "adasample/base/stopwatch.h"
#include "adasample/features/describe/patch_source.h"
#include "adasample/model/learned_metric.h"

namespace adasample {
namespace {

constexpr int kMostAtOnce = 8;  // pictures; a pyramid of 9 megapixels takes a quarter of a gigabyte

std::vector<float> describe_in_chunks(const PictureStream& stream, const CutPicture& picture, Descriptor& descriptor,
                                      Progress& progress, double& seconds) {
  const size_t count = picture.keypoints.size(), dimension = static_cast<size_t>(descriptor.dimension()),
               area = static_cast<size_t>(stream.size) * static_cast<size_t>(stream.size);
  std::vector<float> descriptors(count * dimension);
  for (size_t begin = 0; begin < count; begin += kDescribeChunk) {
    if (stream.between) stream.between();
    const size_t length = std::min<size_t>(kDescribeChunk, count - begin);
    const Stopwatch watch;
    descriptor.describe(std::span(picture.patches).subspan(begin * area, length * area), static_cast<int64_t>(length),
                        stream.size, std::span(descriptors).subspan(begin * dimension, length * dimension));
    seconds += watch.seconds();
    progress.add(static_cast<int64_t>(length));
  }
  return descriptors;
}

}  // namespace

void describe_stream(const PictureStream& stream, Descriptor& descriptor, Progress& progress, double& seconds) {
  refuse_learned_metric(descriptor, "describe");
  const auto ahead = static_cast<size_t>(std::min(thread_count(), kMostAtOnce) + 1);
  std::vector<CutPicture> held(ahead);
  const auto slot = [&](int64_t i) -> CutPicture& { return held[static_cast<size_t>(i) % ahead]; };
  parallel_in_order(
      stream.count, std::ssize(held), [&](int64_t i) { slot(i) = stream.cut(i); },
      [&](int64_t i) {
        CutPicture picture = std::exchange(slot(i), {});
        std::vector<float> descriptors = describe_in_chunks(stream, picture, descriptor, progress, seconds);
        stream.described(i, picture, descriptors);
      });
}

CutPicture read_and_cut(const std::filesystem::path& file, const PictureOptions& options) {
  const PictureFile picture(file, options);
  CutPicture result{.width = picture.width(), .height = picture.height(), .keypoints = picture.detect(), .patches = {}};
  result.patches = picture.cut(result.keypoints);
  return result;
}

}  // namespace adasample
