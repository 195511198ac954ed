// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/reconstruction_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "adasample/report/html.h"
#include "adasample/report/html_report.h"
#include "adasample/report/page_parts.h"
#include "adasample/report/plot/svg_plot.h"

namespace adasample {
namespace {

using Vector = std::array<double, 3>;

constexpr size_t kMostDrawn = 4000;   // points
constexpr size_t kMostCells = 40000;  // of the match graph
constexpr double kSide = 640;         // of a drawing

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// The two directions along which camera centres and points spread most, by power iteration on their covariance.
struct GroundPlan {
  Vector middle{}, across{}, along{};

  explicit GroundPlan(const std::vector<Vector>& places) {
    if (places.empty()) return;
    for (size_t k = 0; k < 3; ++k) {
      std::vector<double> values;
      for (const Vector& p : places) values.push_back(p[k]);
      std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
      middle[k] = values[values.size() / 2];
    }
    std::array<Vector, 3> spread{};
    for (const Vector& p : places) {
      for (size_t i = 0; i < 3; ++i) {
        for (size_t j = 0; j < 3; ++j) spread[i][j] += (p[i] - middle[i]) * (p[j] - middle[j]);
      }
    }
    across = main_direction(spread, {1, 0.3, 0.1}, nullptr);
    along = main_direction(spread, {0.1, 0.3, 1}, &across);
  }

  static Vector main_direction(const std::array<Vector, 3>& spread, Vector v, const Vector* other) {
    for (int round = 0; round < 200; ++round) {
      Vector next = {dot(spread[0], v), dot(spread[1], v), dot(spread[2], v)};
      if (other != nullptr) {
        const double share = dot(next, *other);
        for (size_t k = 0; k < 3; ++k) next[k] -= share * (*other)[k];
      }
      const double norm = std::sqrt(dot(next, next));
      if (!(norm > 0)) return v;
      for (size_t k = 0; k < 3; ++k) v[k] = next[k] / norm;
    }
    return v;
  }

  std::array<double, 2> at(const Vector& p) const {
    const Vector moved = {p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]};
    return {dot(moved, across), dot(moved, along)};
  }
  std::array<double, 2> direction(const Vector& v) const { return {dot(v, across), dot(v, along)}; }
};

// Nineteen in twenty of the points and all cameras fit in.
std::string camera_drawing(const ReconstructionPage& page) {
  std::vector<Vector> places;
  const size_t step = std::max<size_t>(1, page.positions.size() / kMostDrawn);
  for (size_t i = 0; i < page.positions.size(); i += step) places.push_back(page.positions[i]);
  const size_t points = places.size();
  for (const ReconstructedPicture& picture : page.pictures) {
    if (picture.registered) places.push_back(picture.centre);
  }
  if (places.size() == points) return "";
  const GroundPlan plan(places);
  std::vector<double> reach;
  double most = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    const auto p = plan.at(places[i]);
    const double far = std::max(std::abs(p[0]), std::abs(p[1]));
    if (i < points) {
      reach.push_back(far);
    } else {
      most = std::max(most, far);
    }
  }
  std::sort(reach.begin(), reach.end());
  if (!reach.empty()) most = std::max(most, reach[reach.size() * 19 / 20]);
  if (!(most > 0)) most = 1;
  const double scale = 0.47 * kSide / most;
  const auto place = [&](const Vector& v) {
    const auto p = plan.at(v);
    return std::array<double, 2>{kSide / 2 + scale * p[0], kSide / 2 - scale * p[1]};
  };
  std::string svg =
      fmt::format("<svg viewBox=\"0 0 {0} {0}\" width=\"{0}\" role=\"img\" aria-label=\"cameras and points\">",
                  static_cast<int>(kSide));
  for (size_t i = 0; i < points; ++i) {
    const auto p = place(places[i]);
    if (std::max(std::abs(p[0] - kSide / 2), std::abs(p[1] - kSide / 2)) > kSide / 2) continue;
    svg += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"0.8\" fill=\"#888\"/>", coordinate(p[0]), coordinate(p[1]));
  }
  for (const ReconstructedPicture& picture : page.pictures) {
    if (!picture.registered) continue;
    const auto p = place(picture.centre), d = plan.direction(picture.forward);
    svg += fmt::format(
        "<g><title>{}</title><line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#d33\" "
        "stroke-width=\"1.5\"/><circle "
        "cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"#d33\"/></g>",
        escaped(picture.name), coordinate(p[0]), coordinate(p[1]), coordinate(p[0] + 18 * d[0]),
        coordinate(p[1] - 18 * d[1]), coordinate(p[0]), coordinate(p[1]));
  }
  return svg + "</svg>\n";
}

// A square per pair, the darker the more inliers.
std::string match_graph(const ReconstructionPage& page) {
  const size_t count = page.pictures.size();
  if (count * count > kMostCells) return "<p>Too many pictures to draw every pair.</p>\n";
  const int64_t most = page.inliers.empty() ? 0 : *std::max_element(page.inliers.begin(), page.inliers.end());
  const double cell = kSide / static_cast<double>(std::max<size_t>(count, 1));
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {0} {0}\" width=\"{0}\" role=\"img\" aria-label=\"inliers by pair\"><rect width=\"{0}\" "
      "height=\"{0}\" fill=\"#8882\"/>",
      static_cast<int>(kSide));
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < count; ++j) {
      const int64_t inliers = page.inliers[i * count + j];
      if (inliers == 0) continue;
      const double share = std::log1p(static_cast<double>(inliers)) / std::log1p(static_cast<double>(most));
      svg += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#26c\" fill-opacity=\"{:.2f}\"><title>{} and {}: "
          "{}"
          "</title></rect>",
          coordinate(cell * static_cast<double>(j)), coordinate(cell * static_cast<double>(i)), coordinate(cell),
          coordinate(cell), share, escaped(page.pictures[i].name), escaped(page.pictures[j].name), inliers);
    }
  }
  return svg + "</svg>\n";
}

std::string picture_rows(const ReconstructionPage& page, bool registered) {
  std::string rows;
  for (const ReconstructedPicture& p : page.pictures) {
    if (p.registered != registered) continue;
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        escaped(p.name), grouped(p.keypoints), grouped(p.partners), grouped(p.inliers),
                        registered ? grouped(p.points) : escaped(p.why));
  }
  return rows;
}

}  // namespace

std::string reconstruction_html(const ReconstructionPage& page) {
  const auto registered = std::count_if(page.pictures.begin(), page.pictures.end(),
                                        [](const ReconstructedPicture& p) { return p.registered; });
  const double points = static_cast<double>(page.positions.size());
  std::string html =
      page_head(page.title, "") + fmt::format(R"(<main>
<section><table>
<tr><th scope="row">registered pictures</th><td>{} of {}</td></tr>
<tr><th scope="row">points</th><td>{}</td></tr>
<tr><th scope="row">mean track length</th><td>{:.2f}</td></tr>
<tr><th scope="row">mean reprojection error, pixels</th><td>{:.3f}</td></tr>
<tr><th scope="row">observations</th><td>{}</td></tr>
</table></section>
)",
                                              registered, page.pictures.size(), grouped(std::ssize(page.positions)),
                                              points > 0 ? static_cast<double>(page.observations) / points : 0,
                                              page.error, grouped(page.observations));
  const std::string cameras = camera_drawing(page);
  if (!cameras.empty()) {
    html +=
        "<section><h2>Cameras and points</h2><p>Along the two directions in which they spread most. Red: cameras and "
        "where they look.</p>\n" +
        cameras + "</section>\n";
  }
  html += "<section><h2>Match graph</h2><p>Verified matches by pair, pictures in the order of the tables.</p>\n" +
          match_graph(page) + "</section>\n";
  constexpr const char* kTableHead =
      "<table><thead><tr><th>picture</th><th>keypoints</th><th>partners</th><th>verified matches</th><th>{}</th></tr></"
      "thead><tbody>\n{}</tbody></table></section>\n";
  if (registered < std::ssize(page.pictures)) {
    html += "<section><h2>Left out</h2>" + fmt::format(fmt::runtime(kTableHead), "why", picture_rows(page, false));
  }
  if (registered > 0) {
    html += "<section><h2>Registered</h2>" + fmt::format(fmt::runtime(kTableHead), "points", picture_rows(page, true));
  }
  if (!page.other_models.empty()) {
    html += "<section><h2>Other models</h2><ul>\n";
    for (const std::string& other : page.other_models) html += "<li>" + escaped(other) + "</li>\n";
    html += "</ul></section>\n";
  }
  html += "<section><h2>Commands</h2><pre>";
  for (const std::string& command : page.commands) html += escaped(command) + "\n";
  return html + "</pre></section>\n</main>\n</body>\n</html>\n";
}

}  // namespace adasample
