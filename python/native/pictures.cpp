// SPDX-License-Identifier: Apache-2.0
// Keypoints of pictures, their descriptors, and matches between two.
#include <pybind11/stl.h>

#include <memory>

#include "adasample/base/error.h"
#include "adasample/features/describe/picture_file.h"
#include "adasample/features/match/match_geometry.h"
#include "adasample/features/match/mutual_matches.h"
#include "python/native/models.h"

namespace adasample::python {
namespace {

constexpr py::ssize_t kColumns = 5;  // x, y, sigma, angle, strength

py::array_t<double> to_rows(const std::vector<Keypoint>& keypoints) {
  std::vector<double> values;
  values.reserve(keypoints.size() * kColumns);
  for (const Keypoint& k : keypoints) values.insert(values.end(), {k.x, k.y, k.sigma, k.angle, k.strength});
  return to_array(std::move(values), {std::ssize(keypoints), kColumns});
}

std::vector<Keypoint> to_keypoints(const Array<double>& rows) {
  ADA_USAGE(rows.ndim() == 2 && rows.shape(1) == kColumns, "keypoints: expected (n, {})", kColumns);
  std::vector<Keypoint> keypoints;
  for (py::ssize_t i = 0; i < rows.shape(0); ++i) {
    const double* row = rows.data(i, 0);
    keypoints.push_back({row[0], row[1], row[2], row[3], row[4]});
  }
  return keypoints;
}

PictureOptions valid(const PictureOptions& options) {
  options.validate();
  return options;
}

std::unique_ptr<PictureFile> open_picture(const std::string& file, const PictureOptions& options) {
  return without_gil([&] { return std::make_unique<PictureFile>(file, valid(options)); });
}

// pixels: (height, width), 0 to 255
std::unique_ptr<PictureFile> picture_of(const Array<float>& pixels, const std::string& name,
                                        const PictureOptions& options) {
  ADA_USAGE(pixels.ndim() == 2 && pixels.size() > 0, "{}: expected pixels (height, width)", name);
  GrayImage image(static_cast<int>(pixels.shape(1)), static_cast<int>(pixels.shape(0)));
  std::copy_n(pixels.data(), pixels.size(), image.pixels.data());
  return without_gil([&] { return std::make_unique<PictureFile>(name, std::move(image), valid(options)); });
}

py::array_t<float> describe(const PictureFile& picture, const Array<double>& rows, Model& model,
                            const py::object& callback) {
  const std::vector<Keypoint> keypoints = to_keypoints(rows);
  std::vector<float> descriptors = without_gil(callback, [&] {
    Progress progress("describing", "patches", std::ssize(keypoints));
    double seconds = 0;
    return picture.describe(keypoints, model.descriptor(), progress, seconds);
  });
  return to_array(std::move(descriptors), {std::ssize(keypoints), py::ssize_t{model.descriptor().dimension()}});
}

py::array_t<uint8_t> cut(const PictureFile& picture, const Array<double>& rows, int size) {
  const std::vector<Keypoint> keypoints = to_keypoints(rows);
  std::vector<uint8_t> patches = without_gil([&] { return picture.cut(keypoints); });
  return to_array(std::move(patches), {std::ssize(keypoints), py::ssize_t{size}, py::ssize_t{size}});
}

// (n, 2) numbers of the two sides, distance, ratio
py::tuple match(const Array<float>& a, const Array<float>& b) {
  ADA_USAGE(a.ndim() == 2 && b.ndim() == 2 && a.shape(1) == b.shape(1), "[match] expected two (n, d) of one d");
  const std::vector<RatedMatch> matches =
      without_gil([&] { return rated_matches(values_of(a), values_of(b), static_cast<int>(a.shape(1))); });
  std::vector<int64_t> pairs;
  std::vector<double> distance, ratio;
  for (const RatedMatch& m : matches) {
    pairs.insert(pairs.end(), {m.match.first, m.match.second});
    distance.push_back(m.distance);
    ratio.push_back(m.ratio);
  }
  const py::ssize_t n = std::ssize(matches);
  return py::make_tuple(to_array(std::move(pairs), {n, 2}), to_array(std::move(distance), {n}),
                        to_array(std::move(ratio), {n}));
}

// Which of the matched places, (n, 2) each, lie within `threshold` pixels of what the matrix says.
py::array_t<bool> inliers(const std::string& geometry, const std::array<double, 9>& matrix, const Array<double>& first,
                          const Array<double>& second, double threshold) {
  ADA_USAGE(first.ndim() == 2 && second.ndim() == 2 && first.shape(1) == 2 && second.shape(1) == 2 &&
                first.shape(0) == second.shape(0),
            "[match] expected places (n, 2) on both sides");
  const Geometry kind = geometry_from_name(geometry);
  py::array_t<bool> within(first.shape(0));
  for (py::ssize_t i = 0; i < first.shape(0); ++i) {
    const double d2 =
        squared_distance(kind, matrix, {first.at(i, 0), first.at(i, 1)}, {second.at(i, 0), second.at(i, 1)});
    within.mutable_at(i) = d2 <= threshold * threshold;
  }
  return within;
}

}  // namespace

void bind_pictures(py::module_& module) {
  py::class_<PictureOptions>(module, "PictureOptions")
      .def(py::init<>())
      .def_readwrite("max_side", &PictureOptions::max_side)
      .def_readwrite("as_stored", &PictureOptions::as_stored)
#define ADA_FEATURE(name)                                             \
  def_property(                                                       \
      #name, [](const PictureOptions& o) { return o.features.name; }, \
      [](PictureOptions& o, const decltype(FeatureOptions::name)& v) { o.features.name = v; })
      .ADA_FEATURE(detector)
      .ADA_FEATURE(max_keypoints)
      .ADA_FEATURE(upright)
      .ADA_FEATURE(region_factor)
      .ADA_FEATURE(min_contrast)
      .ADA_FEATURE(min_sigma)
      .ADA_FEATURE(max_overlap)
      .ADA_FEATURE(size);
#undef ADA_FEATURE
  py::class_<PictureFile>(module, "Picture")
      .def(py::init(&open_picture), py::arg("file"), py::arg("options"))
      .def_static("from_pixels", &picture_of, py::arg("pixels").noconvert(), py::arg("name"), py::arg("options"))
      .def_property_readonly("width", &PictureFile::width)
      .def_property_readonly("height", &PictureFile::height)
      .def("detect", [](const PictureFile& p) { return to_rows(without_gil([&] { return p.detect(); })); })
      .def(
          "orient",
          [](const PictureFile& p, const Array<double>& rows) {
            const std::vector<Keypoint> keypoints = to_keypoints(rows);
            return to_rows(without_gil([&] { return p.orient(keypoints); }));
          },
          py::arg("keypoints").noconvert())
      .def("cut", &cut, py::arg("keypoints").noconvert(), py::arg("size"))
      .def("describe", &describe, py::arg("keypoints").noconvert(), py::arg("model"), py::arg("progress"));
  module.def("match", &match, py::arg("a").noconvert(), py::arg("b").noconvert());
  module.def("inliers", &inliers, py::arg("geometry"), py::arg("matrix"), py::arg("first").noconvert(),
             py::arg("second").noconvert(), py::arg("threshold"));
  module.def(
      "fewest_matches", [](const std::string& name) { return fewest_matches(geometry_from_name(name)); },
      py::arg("geometry"));
}

}  // namespace adasample::python
