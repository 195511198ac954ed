// SPDX-License-Identifier: Apache-2.0
// A COLMAP model from nothing: a wall at depth 10 seen by cameras that move along it, so that every photograph is the
// same texture shifted by whole pixels; and the model's files, text and binary, written by code of its own.
#pragma once

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/data/colmap/colmap_classes.h"
#include "adasample/image/image.h"

namespace adasample::testing {

struct ColmapScene {
  ColmapModel model;
  std::map<std::string, GrayImage> photographs;
  std::map<std::string, std::vector<Keypoint>> keypoints;

  static constexpr int kWidth = 200, kHeight = 160;
  static constexpr int kShift = 20;  // pixels between one photograph and the next, 11 degrees seen from the wall
  static constexpr double kSigma = 2;

  ColmapSources sources(const std::filesystem::path& folder) const {
    return {folder, [this](const std::string& name) { return keypoints.at(name); }};
  }
};

inline float wall(double u, double v) {
  return static_cast<float>(128 + 50 * std::sin(0.31 * u + 0.17 * v) +
                            40 * std::sin(0.23 * v - 0.11 * u + 0.002 * u * v));
}

// Images 1 to `images`, points 10, 11, .. every 30 pixels; each image also has a keypoint 0 that sees no point.
inline ColmapScene colmap_scene(int images = 4) {
  using S = ColmapScene;
  ColmapScene scene;
  ColmapModel& model = scene.model;
  model.cameras.push_back({7, 0, S::kWidth, S::kHeight, {100, S::kWidth / 2.0, S::kHeight / 2.0}});
  for (int y = 25; y < S::kHeight; y += 30) {
    for (int x = 15; x < S::kWidth + S::kShift * images; x += 30) {
      const auto id = 10 + model.points.size();
      model.points.push_back({id, {(x + 0.5 - 100) / 10, (y + 0.5 - 80) / 10, 10}, {1, 2, 3}, 0.5, {}});
    }
  }
  for (int i = 0; i < images; ++i) {
    const auto id = static_cast<uint32_t>(i + 1);
    const int shift = i * S::kShift;
    ColmapImage image{id, {1, 0, 0, 0}, {-shift / 10.0, 0, 0}, 7, "photo" + std::to_string(id) + ".pgm", {{3.5, 4.5}}};
    std::vector<Keypoint> keypoints{{3, 4, S::kSigma, 0, 0}};
    for (ColmapPoint& point : model.points) {
      const double x = 10 * point.position[0] + 100 - shift, y = 10 * point.position[1] + 80;  // COLMAP's coordinates
      if (x < 0 || x > S::kWidth) continue;
      point.track.push_back({id, static_cast<uint32_t>(image.points.size())});
      image.points.push_back({x, y, point.id});
      keypoints.push_back({x - 0.5, y - 0.5, S::kSigma, 0.4, 0});
    }
    GrayImage photograph(S::kWidth, S::kHeight);
    for (int y = 0; y < S::kHeight; ++y) {
      for (int x = 0; x < S::kWidth; ++x) photograph.at(x, y) = wall(x + shift, y);
    }
    scene.photographs[image.name] = photograph;
    scene.keypoints[image.name] = keypoints;
    model.images.push_back(image);
  }
  std::erase_if(model.points, [](const ColmapPoint& point) { return point.track.empty(); });
  return scene;
}

// The three files: cameras, images, points3D.
using ColmapBytes = std::array<std::string, 3>;

inline ColmapBytes text_files(const ColmapModel& model) {
  ColmapBytes files = {"# cameras\n", "# images\n\n", "# points\n"};
  for (const ColmapCamera& c : model.cameras) {
    files[0] += fmt::format("{} {} {} {} {}\n", c.id, colmap_camera_models()[static_cast<size_t>(c.model)].name,
                            c.width, c.height, fmt::join(c.parameters, " "));
  }
  for (const ColmapImage& i : model.images) {
    files[1] += fmt::format("{} {} {} {} {}\n", i.id, fmt::join(i.rotation, " "), fmt::join(i.translation, " "),
                            i.camera, i.name);
    for (const ColmapPoint2D& p : i.points)
      files[1] += fmt::format("{} {} {} ", p.x, p.y, static_cast<int64_t>(p.point));
    files[1] += "\n";
  }
  for (const ColmapPoint& p : model.points) {
    files[2] += fmt::format("{} {} {} {}", p.id, fmt::join(p.position, " "), fmt::join(p.colour, " "), p.error);
    for (const ColmapObservation& o : p.track) files[2] += fmt::format(" {} {}", o.image, o.index);
    files[2] += "\n";
  }
  return files;
}

template <typename... Values>
void put(std::string& bytes, const Values&... values) {
  (bytes.append(reinterpret_cast<const char*>(&values), sizeof(values)), ...);
}

inline ColmapBytes binary_files(const ColmapModel& model) {
  ColmapBytes files;
  put(files[0], uint64_t{model.cameras.size()});
  for (const ColmapCamera& c : model.cameras) {
    put(files[0], c.id, int32_t{c.model}, static_cast<uint64_t>(c.width), static_cast<uint64_t>(c.height));
    for (const double x : c.parameters) put(files[0], x);
  }
  put(files[1], uint64_t{model.images.size()});
  for (const ColmapImage& i : model.images) {
    put(files[1], i.id, i.rotation, i.translation, i.camera);
    files[1].append(i.name.c_str(), i.name.size() + 1);
    put(files[1], uint64_t{i.points.size()});
    for (const ColmapPoint2D& p : i.points) put(files[1], p.x, p.y, p.point);
  }
  put(files[2], uint64_t{model.points.size()});
  for (const ColmapPoint& p : model.points) {
    put(files[2], p.id, p.position, p.colour, p.error, uint64_t{p.track.size()});
    for (const ColmapObservation& o : p.track) put(files[2], o.image, o.index);
  }
  return files;
}

// Not through write_file_atomically: its fsync would cost the tests of many small models their seconds.
inline void write_model(const std::filesystem::path& folder, const ColmapBytes& files, const std::string& extension) {
  std::filesystem::create_directories(folder);
  const std::array names = {"cameras", "images", "points3D"};
  for (size_t i = 0; i < 3; ++i) std::ofstream(folder / (names[i] + extension), std::ios::binary) << files[i];
}

}  // namespace adasample::testing
