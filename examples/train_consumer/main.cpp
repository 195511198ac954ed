// SPDX-License-Identifier: Apache-2.0
// Makes a small training set, trains on it for a moment, keeps the weights: train_consumer FOLDER (which must not
// exist)
#include <cstdio>
#include <filesystem>

#include "adasample/base/exception.h"
#include "adasample/data/synthetic.h"
#include "adasample/engine/engine.h"
#include "adasample/eval/patch_pairs.h"
#include "adasample/train/trainer.h"

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: train_consumer FOLDER");
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  adasample::make_synthetic_store({.classes = 40, .cut = {.views = 4}}, folder / "store");
  const auto store = adasample::PatchStore::open(folder / "store");

  adasample::TrainOptions options = adasample::make_preset("robust", "cpu");
  options.batch = 8;  // pairs an iteration; a real run takes 256 and hours
  options.k = 4;
  options.iterations = 20;
  adasample::MemorySink metrics;
  adasample::TrainHooks hooks;
  hooks.tick = [](int64_t iteration, double loss) {
    if (iteration % 10 == 0) std::printf("iteration %d: loss %.3f\n", static_cast<int>(iteration), loss);
  };
  const adasample::TrainResult result = adasample::Trainer(options, {&store}).run(metrics, hooks);

  const std::string file = (folder / "model.safetensors").string();
  adasample::save_safetensors(result.weights, file);
  const auto engine = adasample::make_engine(adasample::default_engine(), result.weights, file);
  const auto scores = adasample::evaluate_patches(store, *engine, {.pairs = 200});
  std::printf("%d iterations, %s; FPR95 %.1f %%; %s\n", static_cast<int>(result.iterations),
              result.reason.empty() ? "complete" : result.reason.c_str(), 100 * scores.fpr95.value, file.c_str());
} catch (const adasample::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.kind() == adasample::Error::Kind::kUsage ? 2 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
