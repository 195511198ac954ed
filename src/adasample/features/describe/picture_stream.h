// SPDX-License-Identifier: Apache-2.0
// Many pictures described: while one of them is, those after it are read, searched and cut on whatever threads are free
// (base/parallel.h). What comes out, and in which order, is the same for any number of threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "adasample/base/progress.h"
#include "adasample/features/describe/picture_file.h"
#include "adasample/features/keypoint.h"
#include "adasample/model/descriptor.h"

namespace adasample {

// A picture read, searched and cut: what is left is to describe it.
struct CutPicture {
  int width = 0, height = 0;        // of the file, pixels
  std::vector<Keypoint> keypoints;  // in pixels of the file
  std::vector<uint8_t> patches;     // (keypoints, size, size)
};

struct PictureStream {
  int64_t count = 0;
  int size = 0;  // of the patches, pixels along a side
  // Picture i; called on several threads at once.
  std::function<CutPicture(int64_t i)> cut;
  // What became of it, (keypoints, dimension); picture after picture, one call at a time, on any thread.
  std::function<void(int64_t i, CutPicture& picture, std::vector<float>& descriptors)> described;
  std::function<void()> between = {};  // between two chunks of patches: to throw when the user has had enough
};

// A few pictures are in memory: one for each thread and one more, nine at most; of those that wait to be described only
// the patches. `descriptor` is asked by one thread at a time. `progress` counts patches, `seconds` grows by the time
// spent in describe(). An exception ends it as if the pictures came one by one: the first bad one is complained about.
void describe_stream(const PictureStream& stream, Descriptor& descriptor, Progress& progress, double& seconds);

// What `cut` does of a stream whose keypoints are detected.
CutPicture read_and_cut(const std::filesystem::path& file, const PictureOptions& options);

}  // namespace adasample
