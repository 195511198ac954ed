// SPDX-License-Identifier: Apache-2.0
// Tables 1 to 3.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "adasample/eval/statistics/mann_whitney.h"
#include "adasample/experiment/reproduce/reproduction.h"
#include "adasample/model/descriptor_registry.h"

namespace adasample {
namespace {

constexpr const char* kFpr = "fpr95";
constexpr const char* kNoMore =
    "The numbers of a stand-in cannot be compared with the paper's, which stand in brackets; "
    "what can be compared is which row is better.";
constexpr const char* kBeside = "The paper's numbers stand in brackets.";

std::string percent_text(double share, int digits = 2) {
  return std::isfinite(share) ? fmt::format("{:.{}f}", 100 * share, digits) : "-";
}

double mean_value(const std::vector<double>& values) {
  if (values.empty()) return NAN;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values) {
  if (values.size() < 2) return NAN;
  const double mean = mean_value(values);
  double sum = 0;
  for (const double v : values) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

// Why SIFT cannot be scored by this program; empty: it can.
std::string sift_problem() {
  for (const DescriptorKind& kind : registered_descriptors()) {
    if (kind.name == "sift") return kind.problem ? kind.problem("cpu") : "";
  }
  return "this program does not have it";
}

// The results of each site that is there, by its number.
using SiteResults = std::map<int, ExperimentResults>;

SiteResults run_sites(Reproduction& all, const std::vector<std::string>& names, int seeds, bool sift) {
  SiteResults results;
  const std::string no_sift = sift ? sift_problem() : "";
  if (!no_sift.empty()) all.note("SIFT was not scored: " + no_sift);
  const std::vector<int> there = all.sites();
  for (int site = 0; site < static_cast<int>(kSites.size()); ++site) {
    if (std::find(there.begin(), there.end(), site) == there.end())
      all.note(fmt::format("{} is not there; its columns are empty", kSites[static_cast<size_t>(site)]));
  }
  for (const int site : there) {
    const std::string name = kSites[static_cast<size_t>(site)];
    all.attempt("trained on " + name, [&] {
      Grid grid = all.site_grid(site, names, seeds);
      if (sift && no_sift.empty()) grid.references = {"sift"};
      results[site] = all.run(name, std::move(grid));
    });
  }
  return results;
}

std::vector<double> pair_values(const SiteResults& results, const SitePair& pair, const std::string& row) {
  const auto found = results.find(pair.train);
  if (found == results.end()) return {};
  return values_of(found->second, kSites[static_cast<size_t>(pair.test)], row, kFpr);
}

// Of each pair the first seed's value in per cent; those that one of the two lacks are left out of both.
void common_values(const SiteResults& results, const std::string& a, const std::string& b, std::vector<double>& of_a,
                   std::vector<double>& of_b) {
  for (const SitePair& pair : kSitePairs) {
    const auto va = pair_values(results, pair, arm_name(a)), vb = pair_values(results, pair, arm_name(b));
    if (va.empty() || vb.empty()) continue;
    of_a.push_back(100 * va.front());
    of_b.push_back(100 * vb.front());
  }
}

std::string with_paper(const std::string& ours, double paper, int digits = 2) {
  return fmt::format("{} ({:.{}f})", ours, paper, digits);
}

std::string broken_text(const SiteResults& results, const std::string& row) {
  std::string text;
  for (const auto& [site, found] : results) {
    for (const JudgedTable& table : found.tables) {
      if (const ArmResult* arm = find_arm(found, table.judge, row)) {
        for (const std::string& what : arm->broken)
          text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", kSites[static_cast<size_t>(site)], what);
        break;
      }
    }
  }
  return text;
}

}  // namespace

ReproducedPage reproduce_table1(Reproduction& all) {
  const bool real = !all.options().phototour.empty();
  ReproducedPage page;
  page.title = fmt::format("Table 1 on {}, {}", all.phototour_words(), all.pairs_words(real));
  page.lead =
      "FPR95 in per cent, one seed: trained on one site, tested on another. \"+\": flips and quarter turns; \"*\": "
      "classes filled up to 15 patches with turned copies. " +
      std::string(real ? kBeside : kNoMore);
  std::vector<std::string> names;
  for (const Recipe& one : recipes()) names.push_back(one.name);
  const SiteResults results = run_sites(all, names, /*seeds=*/1, /*sift=*/true);

  ReportTable table{.title = "FPR95", .columns = {"descriptor"}};
  for (const SitePair& pair : kSitePairs) table.columns.emplace_back(pair.label);
  table.columns.insert(table.columns.end(), {"mean", "broke down"});
  const auto add_row = [&](const std::string& name, const std::string& scored_as) {
    std::vector<std::string> row = {name};
    std::vector<double> values;
    const auto paper = paper_table1(name);
    for (size_t p = 0; p < kSitePairs.size(); ++p) {
      const auto found = pair_values(results, kSitePairs[p], scored_as);
      if (!found.empty()) values.push_back(found.front());
      const std::string ours = found.empty() ? "-" : percent_text(found.front());
      row.push_back(paper ? with_paper(ours, (*paper)[p]) : ours);
    }
    const std::string mean = values.size() == kSitePairs.size() ? percent_text(mean_value(values)) : "-";
    row.push_back(paper ? with_paper(mean, paper->back()) : mean);
    row.push_back(broken_text(results, scored_as));
    table.rows.push_back(std::move(row));
  };
  add_row("SIFT", "sift");
  for (const std::string& name : names) add_row(name, arm_name(name));
  page.tables.push_back(std::move(table));

  const auto claim = [&](const std::string& better, const std::string& worse) {
    std::vector<double> a, b;
    common_values(results, better, worse, a, b);
    page.claims.push_back(smaller_by_pairs(fmt::format("{} is better than {}", better, worse), a, b));
  };
  claim("AdaSample*", "HardNet*");
  claim("AdaSample+*", "HardNet+*");
  claim("HardNet+*", "HardNet*");
  claim("AdaSample+*", "AdaSample*");
  return page;
}

ReproducedPage reproduce_table3(Reproduction& all) {
  const bool real = !all.options().phototour.empty();
  const std::string hardnet = "HardNet+*", adasample = "AdaSample+*";
  const int seeds = all.options().seeds;
  ReproducedPage page;
  page.title = fmt::format("Table 3 on {}, {} seeds, {}", all.phototour_words(), seeds, all.pairs_words(real));
  page.lead =
      "FPR95 in per cent, mean and deviation (n - 1) over seeds; relative gain of AdaSample+*; p of one-sided "
      "Mann-Whitney tests, exact and by the normal approximation with continuity correction, which is what the "
      "paper's values are. " +
      std::string(real ? kBeside : kNoMore);
  const SiteResults results = run_sites(all, {hardnet, adasample}, seeds, /*sift=*/false);

  ReportTable table{.title = "FPR95",
                    .columns = {"train -> test", hardnet, adasample, "relative gain, %", "p, exact", "p, as the paper",
                                "seeds", "verdict"}};
  std::vector<double> means_a, means_b;
  for (size_t p = 0; p < kSitePairs.size(); ++p) {
    const SitePair& pair = kSitePairs[p];
    const PaperGain& paper = paper_table3()[p];
    std::vector<double> a = pair_values(results, pair, arm_name(adasample)),
                        b = pair_values(results, pair, arm_name(hardnet));
    for (std::vector<double>* side : {&a, &b}) {
      for (double& v : *side) v *= 100;
    }
    const auto cell = [](const std::vector<double>& values, double mean, double deviation) {
      const std::string ours = values.empty() ? "-"
                               : values.size() < 2
                                   ? fmt::format("{:.3f}", values[0])
                                   : fmt::format("{:.3f} ± {:.3f}", mean_value(values), deviation_of(values));
      return fmt::format("{} ({:.3f} ± {:.3f})", ours, mean, deviation);
    };
    const Claim claim = smaller_by_ranks(fmt::format("{}: {} is better than {}", pair.label, adasample, hardnet), a, b);
    std::vector<std::string> row = {pair.label, cell(b, paper.hardnet, paper.hardnet_deviation),
                                    cell(a, paper.adasample, paper.adasample_deviation)};
    if (a.size() >= 2 && b.size() >= 2) {
      const RankTest test = mann_whitney(a, b);
      const double gain = 100 * (mean_value(b) - mean_value(a)) / mean_value(b);  // not a number where both are 0
      row.push_back(with_paper(std::isfinite(gain) ? fmt::format("{:+.2f}", gain) : "-", paper.gain));
      row.push_back(test.p_exact ? fmt::format("{:.4f}", *test.p_exact) : "-");
      row.push_back(with_paper(fmt::format("{:.3f}", test.p_asymptotic), paper.p, 3));
      means_a.push_back(mean_value(a));
      means_b.push_back(mean_value(b));
    } else {
      row.insert(row.end(), {with_paper("-", paper.gain), "-", with_paper("-", paper.p, 3)});
    }
    row.push_back(fmt::format("{} and {}", b.size(), a.size()));
    row.push_back(to_string(claim.verdict));
    table.rows.push_back(std::move(row));
    page.claims.push_back(claim);
  }
  page.tables.push_back(std::move(table));
  page.claims.push_back(smaller_by_pairs("AdaSample+*'s mean is smaller, over the train/test pairs", means_a, means_b));
  return page;
}

ReproducedPage reproduce_table2(Reproduction& all) {
  const bool real = !all.options().hpatches.empty();
  ReproducedPage page;
  page.title = fmt::format("Table 2 on {}, {}", all.hpatches_words(), all.pairs_words(real));
  page.lead =
      "Mean average precision in per cent (the benchmark's python definition), one seed: lambda and loss. The "
      "paper does not say what it trained on; its level fits the training part of HPatches, which is taken "
      "here. lambda 0 is not in the paper. " +
      std::string(real ? kBeside : kNoMore);
  const std::vector<std::string> lambdas = {"0", "1", "2", "5", "10", "20", "inf"}, losses = {"aht", "ht"};
  const auto name_of = [](const std::string& lambda, const std::string& loss) {
    return "lambda " + lambda + " " + loss;
  };
  ExperimentResults results;
  const auto judge = all.hpatches_judge();
  const auto store = all.hpatches_store();
  if (judge && store) {
    Grid grid = all.empty_grid("lambda and loss", real);
    grid.data = {{.name = "sequences", .stores = {store->string()}}};
    grid.judges = {*judge};
    for (const std::string& lambda : lambdas) {
      for (const std::string& loss : losses) {
        grid.arms.push_back({name_of(lambda, loss),
                             {{"preset", "paper"}, {"lambda", lambda}, {"loss", loss}},
                             "sequences",
                             {Budget::kPairs}});
      }
    }
    results = all.run("table2", std::move(grid));
  }
  const auto value = [&](const std::string& lambda, const std::string& loss, const std::string& task) {
    const auto values = values_of(results, "hpatches", name_of(lambda, loss), task_figure(task));
    return values.empty() ? NAN : 100 * values.front();
  };
  ReportTable table{.title = "AHT / HT", .columns = {"lambda", "verification", "matching", "retrieval"}};
  for (const std::string& lambda : lambdas) {
    std::vector<std::string> row = {lambda};
    const auto aht = paper_table2(lambda, "aht"), ht = paper_table2(lambda, "ht");
    const std::array<double PaperTasks::*, 3> fields = {&PaperTasks::verification, &PaperTasks::matching,
                                                        &PaperTasks::retrieval};
    for (size_t t = 0; t < kTasks.size(); ++t) {
      const auto shown = [](double v) { return std::isfinite(v) ? fmt::format("{:.2f}", v) : std::string("-"); };
      std::string cell = shown(value(lambda, "aht", kTasks[t])) + " / " + shown(value(lambda, "ht", kTasks[t]));
      if (aht) cell += fmt::format(" ({:.2f} / {:.2f})", (*aht).*fields[t], (*ht).*fields[t]);
      row.push_back(cell);
    }
    table.rows.push_back(std::move(row));
  }
  page.tables.push_back(std::move(table));

  // With one seed a row these are counts, and no test.
  for (const std::string& task : kTasks) {
    Claim claim{.text = fmt::format("{}: with AHT the best of lambda 2, 5, 10 beats both lambda 1 and infinity", task)};
    const double best =
        std::fmax(value("2", "aht", task), std::fmax(value("5", "aht", task), value("10", "aht", task)));
    const double low = value("1", "aht", task), high = value("inf", "aht", task);
    if (std::isfinite(best) && std::isfinite(low) && std::isfinite(high)) {
      claim.verdict = best > low && best > high   ? Verdict::kHolds
                      : best < low && best < high ? Verdict::kDoesNotHold
                                                  : Verdict::kCannotTell;
      claim.why = fmt::format("{:.2f} against {:.2f} and {:.2f}; one seed each, no test", best, low, high);
    } else {
      claim.why = "a run is missing";
    }
    page.claims.push_back(std::move(claim));
  }
  std::vector<double> aht, ht;
  for (const std::string& lambda : lambdas) {
    const double a = value(lambda, "aht", "matching"), b = value(lambda, "ht", "matching");
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    aht.push_back(a);
    ht.push_back(b);
  }
  page.claims.push_back(larger_by_pairs("matching: AHT is better than HT, over lambda", aht, ht));
  return page;
}

}  // namespace adasample
