// SPDX-License-Identifier: Apache-2.0
// A run folder as `train` leaves one, out of formulas: every file, a stretch of nulls and a cut last line.
#pragma once

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adasample/base/bytes/base64.h"
#include "adasample/base/files/file_io.h"

namespace adasample::testing {

struct MadeRun {
  using Json = nlohmann::ordered_json;

  int64_t iterations = 400;
  int number = 0;  // runs of different numbers differ
  std::string config = "seed = 0\nsampler = \"adasample\"\n";

  inline static const std::vector<std::string> kMetrics = {
      "loss",      "l_avg",          "exponent",    "d_pos",        "d_neg",         "active",
      "entropy",   "effective_rank", "masked",      "lr",           "stepped",       "pairs_per_s",
      "time_load", "time_embed",     "time_sample", "time_forward", "time_backward", "time_step"};
  static constexpr int64_t kFirstNull = 150, kNulls = 3;  // iterations without a finite loss
  static constexpr int64_t kValidationEvery = 50, kSnapshotEvery = 20;

  double value(const std::string& metric, int64_t t) const {
    const double x = static_cast<double>(t) / static_cast<double>(std::max<int64_t>(1, iterations)),
                 decay = std::exp(-3 * x);
    const double noise = std::fmod(static_cast<double>(t * (7 + number) % 31), 31) / 31 - 0.5;
    if (metric == "loss") {
      if (t >= kFirstNull && t < kFirstNull + kNulls) return std::numeric_limits<double>::quiet_NaN();
      return 0.2 + 0.8 * decay + 0.1 * noise + 0.05 * number;
    }
    if (metric == "l_avg") return 0.2 + 0.8 * decay + 0.05 * number;
    if (metric == "exponent") return std::min(40.0, 10 / (0.2 + 0.8 * decay)) * std::min(1.0, 8 * x);
    if (metric == "d_pos") return 0.4 + 0.4 * decay + 0.03 * noise;
    if (metric == "d_neg") return 1.1 - 0.6 * decay + 0.03 * noise + 0.02 * number;
    if (metric == "active") return 0.3 + 0.6 * decay + 0.05 * noise;
    if (metric == "entropy") return 0.7 + 0.3 * decay;
    if (metric == "effective_rank") return 60 - 40 * decay + 2 * noise + 3 * number;
    if (metric == "lr") return 10 * (1 - x);
    if (metric == "stepped") return t == 200 ? 0 : 1;
    if (metric == "pairs_per_s") return 205 + 10 * noise - 20 * number;
    if (metric == "time_load") return 0.05;
    if (metric == "time_embed") return 0.3 + 0.05 * noise;
    if (metric == "time_sample") return 0.05;
    if (metric == "time_forward") return 0.25 - 0.05 * noise;
    if (metric == "time_backward") return 0.3;
    if (metric == "time_step") return 0.05;
    return 0;  // masked
  }
  double validation(int64_t t) const {
    return 0.06 + 0.5 * std::exp(-4 * static_cast<double>(t) / static_cast<double>(iterations)) + 0.01 * number;
  }

  std::string metrics_text() const {
    std::string text;
    for (int64_t t = 0; t < iterations; ++t) {
      if (t > 0 && t % kValidationEvery == 0)
        text += Json{{"iteration", t}, {"val_score", validation(t)}}.dump() + "\n";
      Json line = {{"iteration", t}};
      for (const std::string& metric : kMetrics) line[metric] = value(metric, t);  // NaN is dumped as null
      text += line.dump() + "\n";
    }
    return text + R"({"iteration":99999,"loss":0.1)";  // the process was killed here
  }

  // A grey picture that tells class and view.
  static std::string patch_base64(int64_t class_id, int view) {
    std::vector<uint8_t> pixels(32 * 32);
    for (int i = 0; i < 32 * 32; ++i) {
      const double x = i % 32 - 16 + view, y = i / 32 - 16, a = 0.3 * static_cast<double>(class_id);
      pixels[static_cast<size_t>(i)] = static_cast<uint8_t>(
          128 + 80 * std::sin(0.45 * (x * std::cos(a) + y * std::sin(a))) * std::cos(0.2 * (y - view)));
    }
    return base64_encode(pixels);
  }

  std::string snapshots_text() const {
    std::string text;
    for (int64_t t = 0; t < iterations; t += kSnapshotEvery) {
      Json line = {{"iteration", t}, {"histograms", Json::array()}, {"picks", Json::array()}};
      const double x = static_cast<double>(t) / static_cast<double>(iterations);
      const auto add = [&](const char* name, double high, double centre, double width) {
        std::vector<int64_t> counts;
        for (int bin = 0; bin < 40; ++bin) {
          const double z = (high * (bin + 0.5) / 40 - centre) / width;
          counts.push_back(static_cast<int64_t>(500 * std::exp(-z * z / 2)));
        }
        line["histograms"].push_back({{"name", name}, {"low", 0}, {"high", high}, {"counts", counts}});
      };
      add("d_pos", 2, 0.8 - 0.3 * x, 0.25 - 0.1 * x);
      add("d_neg", 2, 0.6 + 0.5 * x, 0.1 + 0.05 * x);
      add("d_candidates", 2, 0.7 - 0.3 * x, 0.3);
      add("p_candidates", 1, 0.15, 0.05 + 0.1 * x);
      for (int64_t c : {3, 41, 107}) {
        Json pick = {{"class", c}, {"anchor", 0}, {"drawn", 5}};
        for (int view = 0; view < 8; ++view) {
          pick["patches"].push_back(patch_base64(c + number, view));
          pick["d"].push_back(view == 0 ? Json() : Json(0.1 * (view * 3 % 8) + 0.01));
          pick["p"].push_back(view == 0 ? Json() : Json((view * 3 % 8) / 28.0));
        }
        line["picks"].push_back(pick);
      }
      text += line.dump() + "\n";
    }
    return text;
  }

  std::string curves_text() const {
    Json roc, pr;
    for (int i = 0; i <= 500; ++i) {
      const double f = std::pow(10.0, -5 + i * 0.01);
      roc.push_back({f, std::pow(f, 0.02 + 0.01 * number)});
      pr.push_back({i / 500.0, 1 - 0.3 * std::pow(i / 500.0, 12 - number)});
    }
    return Json{{"name", "validation"}, {"fpr95", std::pow(0.95, 1 / (0.02 + 0.01 * number))},
                {"ap", 0.98},           {"auc", 0.99},
                {"roc", roc},           {"pr", pr}}
        .dump();
  }

  void write(const std::filesystem::path& folder) const {
    const Json store = {{"path", "demo/train"},
                        {"patches", 25600},
                        {"classes", 1600},
                        {"patch_size", 32},
                        {"sha256", std::string(64, 'a')},
                        {"sample_sha256", std::string(64, 'b')}};
    const Json info = {{"data", {store}}, {"val", store},      {"threads", 2},
                       {"device", "cpu"}, {"torch", "1.13.1"}, {"architecture", "l2net"}};
    const Json result = {{"end", "complete"},         {"iterations", iterations},
                         {"pairs", 256 * iterations}, {"seconds", 131.5},
                         {"pairs_per_s", 195.2},      {"best_val_score", validation(iterations - 1)}};
    std::filesystem::create_directories(folder);
    write_file_atomically(folder / "config.toml", config);
    write_file_atomically(folder / "metrics.jsonl", metrics_text());
    write_file_atomically(folder / "snapshots.jsonl", snapshots_text());
    write_file_atomically(folder / "curves.json", curves_text());
    write_file_atomically(folder / "run.json", info.dump());
    write_file_atomically(folder / "result.json", result.dump());
  }
};

}  // namespace adasample::testing
