// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/homography.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

constexpr double kLeastRegularity = 1e-9;

double determinant(const std::array<double, 9>& m) {
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

}  // namespace

Homography::Homography(const std::array<double, 9>& entries) : m_(entries) {
  double largest = 0;
  for (const double entry : m_) largest = std::max(largest, std::abs(entry));
  ADA_ASSERT(largest > 0 && std::isfinite(largest));
  for (double& entry : m_) entry /= largest;
}

Point2 Homography::operator()(Point2 p) const {
  const double w = depth(p);
  return {(m_[0] * p.x + m_[1] * p.y + m_[2]) / w, (m_[3] * p.x + m_[4] * p.y + m_[5]) / w};
}

Affine2 Homography::linearised_at(Point2 p) const {
  const double w = depth(p);
  const Point2 q = (*this)(p);
  // d(n / w) = (dn - (n / w) dw) / w
  const double a = (m_[0] - q.x * m_[6]) / w, b = (m_[1] - q.x * m_[7]) / w;
  const double c = (m_[3] - q.y * m_[6]) / w, d = (m_[4] - q.y * m_[7]) / w;
  return {a, b, q.x - a * p.x - b * p.y, c, d, q.y - c * p.x - d * p.y};
}

double Homography::regularity() const {
  std::array<double, 9> scaled = m_;
  for (size_t column = 0; column < 3; ++column) {
    const double norm = std::hypot(m_[column], m_[column + 3], m_[column + 6]);
    if (norm == 0) return 0;
    for (size_t i = column; i < 9; i += 3) scaled[i] /= norm;
  }
  return determinant(scaled);
}

Homography Homography::inverse() const {
  const auto& m = m_;  // the adjugate is the inverse up to a factor
  return Homography({m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                     m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                     m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]});
}

Homography operator*(const Homography& l, const Homography& r) {
  std::array<double, 9> product{};
  for (size_t row = 0; row < 3; ++row) {
    for (size_t column = 0; column < 3; ++column) {
      for (size_t k = 0; k < 3; ++k)
        product[3 * row + column] += l.entries()[3 * row + k] * r.entries()[3 * k + column];
    }
  }
  return Homography(product);
}

Homography parse_homography(std::string_view text, const std::string& name) {
  TextReader reader(text, "homography", name);
  std::array<double, 9> entries{};
  size_t count = 0;
  while (reader.next()) {
    const size_t fields = reader.fields().size();
    for (size_t i = 0; i < fields; ++i) {
      if (count == entries.size()) reader.fail("nine numbers", "more");
      entries[count] = reader.number<double>(i, fmt::format("number {} of 9", count + 1));
      ++count;
    }
  }
  ADA_CHECK(count > 0, "[homography] {}: expected nine numbers, found an empty file", name);
  if (count < entries.size()) reader.fail("nine numbers", fmt::format("{} - truncated?", count));
  const bool all_zero = std::all_of(entries.begin(), entries.end(), [](double entry) { return entry == 0; });
  const double regularity = all_zero ? 0.0 : Homography(entries).regularity();
  if (!(std::abs(regularity) >= kLeastRegularity)) {
    reader.fail("a matrix with an inverse", fmt::format("a singular one (relative determinant {:.2g})", regularity));
  }
  return Homography(entries);
}

Homography read_homography(const std::filesystem::path& path) {
  return parse_homography(read_text(path), path.string());
}

}  // namespace adasample
