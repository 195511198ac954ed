// SPDX-License-Identifier: Apache-2.0
#include "python/native/stores.h"

#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/base/json.h"

namespace adasample::python {
namespace {

// uint8 (n, s, s), read-only, in the file's own pages.
py::array patches_of(const Store& store) {
  const PatchStore& s = store.get();
  const auto* kept = new std::shared_ptr<const PatchStore>(store.shared());
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::shared_ptr<const PatchStore>*>(p); });
  py::array_t<uint8_t> view({static_cast<py::ssize_t>(s.patch_count()), static_cast<py::ssize_t>(s.patch_size()),
                             static_cast<py::ssize_t>(s.patch_size())},
                            s.patch(0).data(), owner);
  view.attr("flags").attr("writeable") = false;
  return view;
}

py::array_t<int64_t> offsets_of(const Store& store) {
  const PatchStore& s = store.get();
  std::vector<int64_t> offsets;
  for (int64_t c = 0; c < s.class_count(); ++c) offsets.push_back(s.class_begin(c));
  offsets.push_back(s.patch_count());
  const py::ssize_t n = std::ssize(offsets);
  return to_array(std::move(offsets), {n});
}

template <typename T, typename Value>
py::object column(const PatchStore& s, bool there, const Value& value) {
  if (!there) return py::none();
  std::vector<T> values;
  for (int64_t i = 0; i < s.patch_count(); ++i) values.push_back(value(i));
  const py::ssize_t n = std::ssize(values);
  return to_array(std::move(values), {n});
}

class Writer {
 public:
  Writer(const std::string& folder, int size) : folder_(folder), writer_(std::in_place, folder, size) {}

  void add(const Array<uint8_t>& patches, const std::optional<Array<int64_t>>& pictures,
           const std::optional<Array<float>>& strengths) {
    PatchStoreWriter& writer = open();
    if (pictures) {
      writer.add_class(values_of(patches), values_of(*pictures));
    } else if (strengths) {
      writer.add_class(values_of(patches), values_of(*strengths));
    } else {
      writer.add_class(values_of(patches));
    }
  }
  void finish(const std::string& meta) {
    const nlohmann::json parsed = nlohmann::json::parse(meta);
    without_gil([&] { open().finish(parsed); });
    writer_.reset();
  }
  void abandon() { writer_.reset(); }

 private:
  PatchStoreWriter& open() {
    ADA_USAGE(writer_.has_value(), "[store] {}: is written already", folder_);
    return *writer_;
  }

  std::string folder_;
  std::optional<PatchStoreWriter> writer_;
};

}  // namespace

Store::Store(const std::string& folder)
    : folder_(folder),
      store_(without_gil([&] { return std::make_shared<const PatchStore>(PatchStore::open(folder)); })) {}

const PatchStore& Store::get() const {
  ADA_USAGE(store_ != nullptr, "[store] {}: expected an open store, found a closed one", folder_);
  return *store_;
}

void bind_stores(py::module_& module) {
  py::class_<Store>(module, "Store")
      .def(py::init<const std::string&>(), py::arg("folder"))
      .def("close", &Store::close)
      .def_property_readonly("closed", &Store::closed)
      .def("patches", &patches_of)
      .def("offsets", &offsets_of)
      .def("pictures",
           [](const Store& s) {
             return column<int64_t>(s.get(), s.get().has_pictures(), [&](int64_t i) { return s.get().picture(i); });
           })
      .def("picture_names",
           [](const Store& s) { return s.get().has_pictures() ? s.get().picture_names() : std::vector<std::string>(); })
      .def("strengths",
           [](const Store& s) {
             return column<float>(s.get(), s.get().has_strengths(), [&](int64_t i) { return s.get().strength(i); });
           })
      .def("meta", [](const Store& s) { return s.get().meta().dump(); })
      .def("fingerprint", [](const Store& s) { return s.get().fingerprint(); })
      .def("check_intact", [](const Store& s) { s.get().check_intact(); });
  py::class_<Writer>(module, "StoreWriter")
      .def(py::init<const std::string&, int>(), py::arg("folder"), py::arg("patch_size"))
      .def("add", &Writer::add, py::arg("patches").noconvert(), py::arg("pictures"), py::arg("strengths"))
      .def("finish", &Writer::finish, py::arg("meta"))
      .def("abandon", &Writer::abandon);
}

}  // namespace adasample::python
