// SPDX-License-Identifier: Apache-2.0
// What the program computes and prints with --json: results go to Python as that text.
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/eval/hpatches/hpatches_request.h"
#include "adasample/eval/pair_scores.h"
#include "adasample/eval/patch_pairs.h"
#include "adasample/eval/scores/pair_evaluation.h"
#include "adasample/eval/statistics/result_comparison.h"
#include "python/native/models.h"
#include "python/native/stores.h"

namespace adasample::python {
namespace {

std::string score(const Array<uint8_t>& labels, const Array<double>& distances) {
  return without_gil([&] { return scores_json(score_pairs(values_of(labels), values_of(distances))).dump(); });
}

std::string score_store(const Store& store, Model& model, int64_t pairs, uint64_t seed, const py::object& callback) {
  const std::shared_ptr<const PatchStore> kept = store.shared();  // closed meanwhile by another thread
  const PatchStore& data = store.get();
  const PairOptions options{.pairs = pairs, .seed = seed};
  options.validate();
  return without_gil(callback, [&] {
    double seconds = 0;
    nlohmann::ordered_json result = scores_json(evaluate_patches(data, model.descriptor(), options, &seconds));
    result["seconds_describing"] = seconds;
    result["data"] = data.folder().string();
    result["data_sha256"] = data.fingerprint();
    result.update(model.record());
    result["seed"] = seed;
    return result.dump();
  });
}

std::string score_hpatches(const HpatchesRequest& request, Model* model, const py::object& callback) {
  return without_gil(callback, [&] {
    return answer_hpatches(request,
                           [&] {
                             return RecordedDescriptor{&model->descriptor(), model->record()};
                           })
        .record.dump();
  });
}

}  // namespace

void bind_scores(py::module_& module) {
  module.def("score_pairs", &score, py::arg("labels").noconvert(), py::arg("distances").noconvert());
  module.def("score_store", &score_store, py::arg("store"), py::arg("model"), py::arg("pairs"), py::arg("seed"),
             py::arg("progress"));
  module.def(
      "score_hpatches",
      [](const std::string& root, const std::string& descriptors, Model* model, const std::string& split,
         const std::string& splits, const std::string& tasks, const std::string& dist, const std::string& delimiter,
         int size, bool corrected, bool allow_missing, const py::object& callback) {
        HpatchesRequest request;
        request.root = root;
        request.descriptors = descriptors;
        request.delimiter = delimiter;
        request.splits = splits;
        request.dist = dist;
        request.tasks = tasks;
        request.choice.split = split;
        request.choice.allow_missing = allow_missing;
        request.size = size;
        request.corrected = corrected;
        ADA_USAGE(model != nullptr || !descriptors.empty(), "[hpatches] expected a model to describe the patches");
        return score_hpatches(request, model, callback);
      },
      py::arg("root"), py::arg("descriptors"), py::arg("model"), py::arg("split"), py::arg("splits"), py::arg("tasks"),
      py::arg("dist"), py::arg("delimiter"), py::arg("size"), py::arg("corrected"), py::arg("allow_missing"),
      py::arg("progress"));
  module.def(
      "compare",
      [](const std::vector<std::string>& a, const std::vector<std::string>& b,
         const std::map<std::string, std::string>& given, const std::string& value, const std::optional<bool>& paired,
         bool larger, int64_t resamples, double level, uint64_t seed) {
        ComparisonRequest request{.a = a, .b = b, .given = given, .figure = value, .paired = paired, .options = {}};
        request.options = {larger, {.resamples = resamples, .level = level, .seed = seed}};
        const ComparisonAnswer answer = without_gil([&] { return answer_comparison(request); });
        return py::make_tuple(answer.record.dump(), answer.text);
      },
      py::arg("a"), py::arg("b"), py::arg("given"), py::arg("value"), py::arg("paired"), py::arg("larger"),
      py::arg("resamples"), py::arg("level"), py::arg("seed"));
}

}  // namespace adasample::python
