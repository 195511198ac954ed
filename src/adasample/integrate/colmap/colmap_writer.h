// SPDX-License-Identifier: Apache-2.0
// Writing COLMAP's SQLite database. A new one has the tables of COLMAP 3.8, which later versions take over and migrate;
// an existing one keeps its own, older or newer (a type a descriptor, a rig a camera, a frame an image). Everything is
// one transaction: without commit() a new database does not appear and an existing one stays as it was.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adasample/data/colmap/colmap_model.h"
#include "adasample/features/keypoint.h"

namespace adasample {

// An image of the database.
struct ColmapEntry {
  int64_t id = 0;
  std::string name;
  int64_t camera = 0;
  int64_t width = 0, height = 0;  // of its camera
  bool described = false;         // has keypoints or descriptors
  int64_t keypoints = 0;          // how many
  std::string sha256 = {};        // of the file that was described; empty where the database does not know
};

class ColmapWriter {
 public:
  virtual ~ColmapWriter() = default;

  virtual std::vector<ColmapEntry> images() = 0;  // by name
  virtual std::vector<Keypoint> keypoints(const ColmapEntry& image) = 0;
  virtual int64_t match_count() = 0;  // pairs of images with matches, verified or not

  virtual int64_t add_camera(const ColmapCamera& camera, bool focal_known) = 0;
  virtual int64_t add_image(const std::string& name, int64_t camera) = 0;
  // In place of what is there; the descriptors are uint8 [n, 128].
  virtual void set_keypoints(int64_t image, std::span<const Keypoint> keypoints) = 0;
  // sift: what newer tables are told that they are; else that it is not known.
  virtual void set_descriptors(int64_t image, std::span<const uint8_t> descriptors, bool sift = true) = 0;
  // Of the file that the features came from, in a table of our own, which COLMAP does not look at.
  virtual void set_file(int64_t image, const std::string& sha256) = 0;
  virtual void clear_matches() = 0;

  virtual void commit() = 0;
};

// Throws Error, naming the file, for one that is no database of COLMAP, that another program is using for longer than
// `patience`, or whose tables want what this program does not know; built without SQLite, that it was.
std::unique_ptr<ColmapWriter> open_colmap_writer(const std::filesystem::path& path,
                                                 std::chrono::milliseconds patience = std::chrono::seconds(10));

}  // namespace adasample
