// SPDX-License-Identifier: Apache-2.0
// adasample bench embed: patches described a second, and how long one takes.
#include <fmt/format.h>

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/cli/bench/bench_commands.h"
#include "adasample/cli/model_argument.h"
#include "adasample/data/store/patch_sample.h"
#include "adasample/engine/arithmetic_peak.h"
#include "adasample/engine/cuda_engine.h"
#include "adasample/model/calibration.h"
#include "adasample/model/random_weights.h"

namespace adasample {
namespace {

struct EmbedArguments {
  int64_t patches = 0;  // 0: see default_patches()
  int rounds = 10;

  void validate() const {
    ADA_USAGE(patches >= 0 && patches <= PatchSample::kMost, "patches = {}, must be in [1, {}]", patches,
              PatchSample::kMost);
    ADA_USAGE(rounds >= 1 && rounds <= 100000, "rounds = {}, must be in [1, 100000]", rounds);
  }
};

// A second's work or so.
int64_t default_patches(const EngineChoice& choice) {
  return choice.engine == "reference" ? 4 * thread_count() : choice.device == "cuda" ? 15360 : 2048;
}

// A GPU's own kernels rather than LibTorch, where nothing was asked for: training embeds with them.
EngineChoice engine_to_time(const Context& context) {
  EngineChoice choice = choose_engine(context.engine, context.device);
  if (context.engine == "auto" && choice.device == "cuda" && cuda_engine_available()) choice.engine = "cuda";
  return choice;
}

int bench_embed(const EmbedArguments& a, const Context& context) {
  a.validate();
  const EngineChoice choice = engine_to_time(context);
  const int64_t patches = a.patches > 0 ? a.patches : default_patches(choice);
  const PatchSample sample = made_up_patches(std::max<int64_t>(patches, 2), context.seed);
  Weights weights = random_weights(l2net(), context.seed);
  set_calibration(weights, assumed_calibration(l2net()));  // time does not depend on it
  const std::string file = format_safetensors(weights);

  const auto area = static_cast<size_t>(sample.size) * static_cast<size_t>(sample.size);
  std::vector<float> rows(static_cast<size_t>(patches) * static_cast<size_t>(l2net().descriptor_size));
  std::unique_ptr<Descriptor> network;
  const auto describe = [&](int64_t count) {
    const auto n = static_cast<size_t>(count);
    network->describe(std::span(sample.pixels).first(n * area), count, sample.size,
                      std::span(rows).first(n * static_cast<size_t>(network->dimension())));
  };
  // Once: what the first of a process makes, such as oneDNN's machine code, the second finds.
  const double first = seconds_of([&] {
    network = open_and_tell(parse_safetensors(file, "bench"), "bench", choice).descriptor;
    describe(1);
  });
  const double one = median_seconds(choice.engine == "reference" ? 3 : 200, [&] { describe(1); });
  const double seconds = median_seconds(a.rounds, [&] { describe(patches); });

  const auto count = static_cast<double>(patches), flops = count * static_cast<double>(l2net().flops_per_patch());
  nlohmann::ordered_json result = {{"engine", choice.engine},          {"device", choice.device},
                                   {"threads", thread_count()},        {"patches", patches},
                                   {"patches_per_s", count / seconds}, {"gflops", flops / seconds / 1e9},
                                   {"one_patch_ms", 1e3 * one},        {"first_descriptor_ms", 1e3 * first}};
  std::string text = fmt::format("{}: {:.0f} patches/s, {:.3g} GFLOP/s; one patch {:.3g} ms, the first {:.0f} ms",
                                 choice.engine, count / seconds, flops / seconds / 1e9, 1e3 * one, 1e3 * first);
  if (choice.device == "cpu") {
    const double peak = measure_fp32_peak();
    result["fp32_peak_gflops"] = peak / 1e9;
    result["share_of_fp32_peak"] = flops / seconds / peak;
    text += fmt::format("; {:.0f} % of the {:.0f} GFLOP/s that fp32 can reach here with --threads {}",
                        100 * flops / seconds / peak, peak / 1e9, thread_count());
  } else if (choice.engine == "cuda") {
    const double resident = measure_cuda_engine(weights, patches, a.rounds);
    result["resident_patches_per_s"] = count / resident;
    result["resident_gflops"] = flops / resident / 1e9;
    text += fmt::format("; {:.0f} patches/s that lie in the GPU's memory, {:.3g} GFLOP/s", count / resident,
                        flops / resident / 1e9);
  }
  context.show(result, text);
  return 0;
}

}  // namespace

void add_bench_embed(CLI::App& bench, Context& context) {
  CLI::App* command = add_command(bench, "embed", "Patches described per second; time of one patch, and of the first",
                                  "  adasample bench embed\n"
                                  "  adasample bench embed --engine simd-int8 --threads 1 --json\n"
                                  "  adasample bench embed --device cuda --patches 60000\n");
  auto a = std::make_shared<EmbedArguments>();
  command->add_option(
      "--patches", a->patches,
      "Patches described at once (default: 2048, on a GPU 15360, with the reference engine 4 per thread)");
  command->add_option("--rounds", a->rounds, "Repetitions; the median counts")->capture_default_str();
  command->callback([&context, a] { context.action = [&context, a] { return bench_embed(*a, context); }; });
}

}  // namespace adasample
