// SPDX-License-Identifier: Apache-2.0
#include "python/native/models.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/engine/model_record.h"
#include "adasample/features/describe/patch_source.h"
#include "adasample/model/default_weights.h"

namespace adasample::python {
namespace {

// uint8 (n, s, s) in, float32 (n, dimension) out: whatever a user's network is, scored like ours.
class FunctionDescriptor : public Descriptor {
 public:
  FunctionDescriptor(py::function function, std::string name, int dimension)
      : function_(std::move(function)), name_(std::move(name)), dimension_(dimension) {}
  ~FunctionDescriptor() override {
    const py::gil_scoped_acquire held;
    function_ = {};
  }

  std::string name() const override { return name_; }
  int dimension() const override { return dimension_; }
  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    const py::gil_scoped_acquire held;
    const py::array_t<uint8_t> pixels({static_cast<py::ssize_t>(count), py::ssize_t{size}, py::ssize_t{size}},
                                      patches.data());
    const Array<float> rows = py::cast<Array<float>>(function_(pixels));
    ADA_USAGE(rows.ndim() == 2 && rows.shape(0) == count && rows.shape(1) == dimension_,
              "[describe] {}: expected descriptors of shape ({}, {}), found {} numbers", name_, count, dimension_,
              rows.size());
    std::copy_n(rows.data(), rows.size(), out.data());
  }

 private:
  py::function function_;
  std::string name_;
  int dimension_;
};

std::unique_ptr<Model> open(const std::string& model, const std::string& engine, const std::string& device,
                            int threads) {
  return without_gil([&] {
    return std::make_unique<Model>(open_model(model, {.engine = engine, .device = device, .threads = threads}));
  });
}

std::unique_ptr<Model> from_function(py::function function, const std::string& name, int dimension) {
  OpenedModel opened{.model = name, .engine = "python", .file = "", .descriptor = {}, .warnings = {}};
  opened.descriptor = std::make_unique<FunctionDescriptor>(std::move(function), name, dimension);
  return std::make_unique<Model>(std::move(opened));
}

// Patches as they lie in memory, rows where the caller wants them: nothing is copied.
void describe(Model& model, const Array<uint8_t>& patches, Array<float>& out, const py::object& callback) {
  ADA_USAGE(patches.ndim() == 3 && patches.shape(1) == patches.shape(2) && out.ndim() == 2 &&
                out.shape(0) == patches.shape(0) && out.shape(1) == model.descriptor().dimension(),
            "[describe] expected patches (n, s, s) and room for (n, {}) numbers", model.descriptor().dimension());
  const int64_t count = patches.shape(0);
  const int size = static_cast<int>(patches.shape(1));
  const auto area = static_cast<size_t>(size) * static_cast<size_t>(size);
  const auto dimension = static_cast<size_t>(model.descriptor().dimension());
  const std::span<const uint8_t> pixels = values_of(patches);
  const std::span<float> rows(out.mutable_data(), static_cast<size_t>(out.size()));
  without_gil(callback, [&] {
    Progress progress("describing", "patches", count);
    for (int64_t begin = 0; begin < count; begin += kDescribeChunk) {
      const int64_t length = std::min(kDescribeChunk, count - begin);
      const auto at = static_cast<size_t>(begin), n = static_cast<size_t>(length);
      const std::span<float> part = rows.subspan(at * dimension, n * dimension);
      model.descriptor().describe(pixels.subspan(at * area, n * area), length, size, part);
      check_descriptors(part, at, model.descriptor());
      progress.add(length);
    }
  });
}

}  // namespace

nlohmann::ordered_json Model::record() const { return model_record(opened_); }

void bind_models(py::module_& module) {
  py::class_<Model>(module, "Model")
      .def(py::init(&open), py::arg("model"), py::arg("engine"), py::arg("device"), py::arg("threads"))
      .def_static("from_function", &from_function, py::arg("function"), py::arg("name"), py::arg("dimension"))
      .def_property_readonly("model", [](const Model& m) { return m.opened().model; })
      .def_property_readonly("engine", [](const Model& m) { return m.opened().engine; })
      .def_property_readonly("file", [](const Model& m) { return m.opened().file; })
      .def_property_readonly("warnings", [](const Model& m) { return m.opened().warnings; })
      .def_property_readonly("dimension", [](Model& m) { return m.descriptor().dimension(); })
      .def("describe", &describe, py::arg("patches").noconvert(), py::arg("out").noconvert(), py::arg("progress"));
  module.def("engines", &engines_here);
  module.def("weights_file", &weights_file, py::arg("model"));
  module.attr("PATCH_SIZE") = kPatchSize;
}

}  // namespace adasample::python
