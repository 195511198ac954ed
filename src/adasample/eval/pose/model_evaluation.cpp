// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/pose/model_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "adasample/base/error.h"

namespace adasample {
namespace {

constexpr size_t kFewest = 3;

Vector3 mean_of(std::span<const Vector3> points) {
  Vector3 mean{};
  for (const Vector3& p : points) {
    for (size_t k = 0; k < 3; ++k) mean[k] += p[k] / static_cast<double>(points.size());
  }
  return mean;
}

using Quaternion = std::array<double, 4>;
using Matrix4 = std::array<Quaternion, 4>;

// The eigenvector of the largest eigenvalue of a symmetric matrix, by Jacobi's rotations.
Quaternion main_eigenvector(Matrix4 m) {
  Matrix4 vectors{};
  for (size_t i = 0; i < 4; ++i) vectors[i][i] = 1;
  for (int sweep = 0; sweep < 100; ++sweep) {
    double off = 0;
    for (size_t p = 0; p < 4; ++p) {
      for (size_t q = p + 1; q < 4; ++q) off += m[p][q] * m[p][q];
    }
    if (off == 0) break;
    for (size_t p = 0; p < 4; ++p) {
      for (size_t q = p + 1; q < 4; ++q) {
        if (m[p][q] == 0) continue;
        const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
        const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (size_t k = 0; k < 4; ++k) {
          const double kp = m[k][p], kq = m[k][q];
          m[k][p] = c * kp - s * kq;
          m[k][q] = s * kp + c * kq;
        }
        for (size_t k = 0; k < 4; ++k) {
          const double pk = m[p][k], qk = m[q][k];
          m[p][k] = c * pk - s * qk;
          m[q][k] = s * pk + c * qk;
          const double vp = vectors[k][p], vq = vectors[k][q];
          vectors[k][p] = c * vp - s * vq;
          vectors[k][q] = s * vp + c * vq;
        }
      }
    }
  }
  size_t best = 0;
  for (size_t i = 1; i < 4; ++i) best = m[i][i] > m[best][best] ? i : best;
  return {vectors[0][best], vectors[1][best], vectors[2][best], vectors[3][best]};
}

nlohmann::ordered_json spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (const double v : values) sum += v;
  return {{"mean", sum / static_cast<double>(values.size())},
          {"median", values[values.size() / 2]},
          {"largest", values.back()}};
}

}  // namespace

Similarity align(std::span<const Vector3> from, std::span<const Vector3> to) {
  ADA_CHECK(from.size() == to.size() && from.size() >= kFewest,
            "[reconstruction] expected {} pictures or more that are in both, found {}", kFewest, from.size());
  const Vector3 a = mean_of(from), b = mean_of(to);
  Matrix3 s{};  // sums of products, from (rows) and to (columns)
  double from_square = 0, to_square = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    for (size_t k = 0; k < 3; ++k) {
      from_square += (from[i][k] - a[k]) * (from[i][k] - a[k]);
      to_square += (to[i][k] - b[k]) * (to[i][k] - b[k]);
      for (size_t l = 0; l < 3; ++l) s[3 * k + l] += (from[i][k] - a[k]) * (to[i][l] - b[l]);
    }
  }
  ADA_CHECK(from_square > 0 && to_square > 0, "[reconstruction] expected cameras at different places, found one place");
  const Matrix4 n = {{{s[0] + s[4] + s[8], s[5] - s[7], s[6] - s[2], s[1] - s[3]},
                      {s[5] - s[7], s[0] - s[4] - s[8], s[1] + s[3], s[6] + s[2]},
                      {s[6] - s[2], s[1] + s[3], s[4] - s[0] - s[8], s[5] + s[7]},
                      {s[1] - s[3], s[6] + s[2], s[5] + s[7], s[8] - s[0] - s[4]}}};
  Similarity found;
  found.rotation = rotation_of(main_eigenvector(n));
  double along = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    const Vector3 turned = product(found.rotation, Vector3{from[i][0] - a[0], from[i][1] - a[1], from[i][2] - a[2]});
    for (size_t k = 0; k < 3; ++k) along += turned[k] * (to[i][k] - b[k]);
  }
  found.scale = along / from_square;
  const Vector3 moved = product(found.rotation, a);
  for (size_t k = 0; k < 3; ++k) found.translation[k] = b[k] - found.scale * moved[k];
  return found;
}

nlohmann::ordered_json evaluate_model(const ColmapModel& model, const std::vector<TrueCamera>& truth) {
  std::map<std::string, const ColmapImage*> images;
  for (const ColmapImage& image : model.images) images[image.name] = &image;
  std::vector<Vector3> from, to;
  std::vector<std::pair<const TrueCamera*, const ColmapImage*>> both;
  for (const TrueCamera& camera : truth) {
    const auto found = images.find(camera.name);
    if (found == images.end()) continue;
    both.emplace_back(&camera, found->second);
    from.push_back(found->second->centre());
    to.push_back(camera.centre);
  }
  const Similarity similarity = align(from, to);
  std::vector<double> turned, moved;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (size_t i = 0; i < both.size(); ++i) {
    // Camera from model, then model from world: to be compared with camera from world.
    const Matrix3 rotation = product(rotation_of(both[i].second->rotation), transposed(similarity.rotation));
    turned.push_back(angle_of(product(rotation, transposed(both[i].first->rotation))));
    const Vector3 place = product(similarity.rotation, from[i]);
    double square = 0;
    for (size_t k = 0; k < 3; ++k) {
      const double apart = similarity.scale * place[k] + similarity.translation[k] - to[i][k];
      square += apart * apart;
    }
    moved.push_back(std::sqrt(square));
    list.push_back({{"picture", both[i].first->name}, {"rotation_degrees", turned.back()}, {"centre", moved.back()}});
  }
  double error = 0;
  for (const ColmapPoint& point : model.points) error += point.error;
  const auto points = static_cast<double>(model.points.size());
  return {{"protocol", "reconstruction"},
          {"true_cameras", truth.size()},
          {"registered", both.size()},
          {"registered_share", static_cast<double>(both.size()) / static_cast<double>(truth.size())},
          {"rotation_degrees", spread_of(turned)},
          {"centre", spread_of(moved)},
          {"scale", similarity.scale},
          {"points", model.points.size()},
          {"mean_track", points > 0 ? static_cast<double>(model.observation_count()) / points : 0},
          {"mean_error", points > 0 ? error / points : 0},
          {"results", list}};
}

std::string model_table(const nlohmann::ordered_json& object) {
  const auto row = [&](const char* name, const char* key) {
    const auto& spread = object[key];
    return fmt::format("{:<24} {:>10.5f} {:>10.5f} {:>10.5f}\n", name, spread["mean"].get<double>(),
                       spread["median"].get<double>(), spread["largest"].get<double>());
  };
  return fmt::format(
             "{} of {} pictures registered, {} points, mean track {:.2f}, mean error {:.3f} pixels\n{:<24} {:>10} "
             "{:>10} {:>10}\n",
             object["registered"].get<int64_t>(), object["true_cameras"].get<int64_t>(),
             object["points"].get<int64_t>(), object["mean_track"].get<double>(), object["mean_error"].get<double>(),
             "", "mean", "median", "largest") +
         row("rotation, degrees", "rotation_degrees") + row("centre, truth's unit", "centre");
}

}  // namespace adasample
