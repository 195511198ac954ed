// SPDX-License-Identifier: Apache-2.0
// adasample bench match: mutual nearest neighbours of two pictures' descriptors, ours beside OpenCV's in one run.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "adasample/base/error.h"
#include "adasample/base/instruction_set.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/cli/bench/bench_commands.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/features/match/mutual_search.h"
#include "adasample/features/match/product_search.h"
#include "adasample/features/opencv_part.h"

namespace adasample {
namespace {

struct MatchBenchArguments {
  std::string first, second, model = "default";
  int rounds = 3;
  PictureOptions options;

  void validate() const {
    options.validate();
    ADA_USAGE(rounds >= 1 && rounds <= 1000, "rounds = {}, must be in [1, 1000]", rounds);
  }
};

struct Matcher {
  std::string name;
  std::function<std::vector<Match>()> work;
  std::vector<double> seconds = {}, processor = {};  // on the clock, and of all threads together
  std::vector<Match> found = {};
};

std::vector<Match> matches_of(const std::vector<MutualPair>& pairs) {
  std::vector<Match> matches;
  for (const MutualPair& pair : pairs) matches.push_back({pair.first, pair.second});
  return matches;
}

std::vector<Matcher> matchers_for(const DescribedPicture& a, const DescribedPicture& b) {
  const int dimension = a.dimension;
  std::vector<Matcher> matchers;
  matchers.push_back({"exact, float", [&a, &b, dimension] {
                        return matches_of(search_twice(a.descriptors, b.descriptors, dimension));
                      }});
  for (const ByteTiles* tiles : all_byte_tiles()) {
    if (!allows_instruction_set(tiles->name)) continue;
    matchers.push_back({fmt::format("bytes, {}", tiles->name), [&a, &b, dimension, tiles]() -> std::vector<Match> {
                          const auto found =
                              search_by_bytes(a.descriptors, b.descriptors, dimension, tiles, thread_count());
                          ADA_CHECK(found, "[bench] bytes are too coarse for these descriptors");
                          return matches_of(*found);
                        }});
  }
  const auto on_gpu = [&a, &b, dimension] { return search_on_gpu(a.descriptors, b.descriptors, dimension); };
  if (on_gpu()) matchers.push_back({"products, GPU", [on_gpu] { return matches_of(on_gpu().value()); }});
  if (opencv_part().match_rows == nullptr) return matchers;
  for (const bool approximate : {false, true}) {
    matchers.push_back({approximate ? "OpenCV FLANN" : "OpenCV BFMatcher", [&a, &b, dimension, approximate] {
                          return opencv_part().match_rows(a.descriptors, b.descriptors, dimension, approximate);
                        }});
  }
  return matchers;
}

int bench_match(const MatchBenchArguments& a, const Context& context) {
  a.validate();
  prepare_opencv();
  const OpenedModel opened = open_model(a.model, context);
  const DescribedPicture first = describe_picture(a.first, *opened.descriptor, a.options);
  const DescribedPicture second = describe_picture(a.second, *opened.descriptor, a.options);
  ADA_CHECK(!first.keypoints.empty() && !second.keypoints.empty(), "[bench] expected keypoints in both pictures");
  std::vector<Matcher> matchers = matchers_for(first, second);
  for (int round = 0; round <= a.rounds; ++round) {  // alternately; the first warms up
    for (Matcher& matcher : matchers) {
      if (stop_requested()) ADA_THROW_KIND(kInterrupted, "bench: interrupted");
      const std::clock_t begin = std::clock();
      const double seconds = seconds_of([&] { matcher.found = matcher.work(); });
      if (round == 0) continue;
      matcher.seconds.push_back(seconds);
      matcher.processor.push_back(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
  }
  const std::vector<Match>& exact = matchers.front().found;
  nlohmann::ordered_json object = {{"keypoints", {first.keypoints.size(), second.keypoints.size()}},
                                   {"threads", thread_count()},
                                   {"matchers", nlohmann::ordered_json::array()}};
  std::string text =
      fmt::format("{} and {} keypoints, {} threads\n{:<22} {:>10} {:>14} {:>9} {:>17}", first.keypoints.size(),
                  second.keypoints.size(), thread_count(), "", "seconds", "processor s", "mutual", "of them exact %");
  for (const Matcher& matcher : matchers) {
    const auto agree = std::count_if(matcher.found.begin(), matcher.found.end(), [&](const Match& m) {
      const auto at = std::lower_bound(exact.begin(), exact.end(), m,
                                       [](const Match& x, const Match& y) { return x.first < y.first; });
      return at != exact.end() && *at == m;
    });
    const double share =
        matcher.found.empty() ? 1 : static_cast<double>(agree) / static_cast<double>(matcher.found.size());
    object["matchers"].push_back({{"name", matcher.name},
                                  {"seconds", median_of(matcher.seconds)},
                                  {"processor_seconds", median_of(matcher.processor)},
                                  {"mutual", matcher.found.size()},
                                  {"exact_share", share}});
    text += fmt::format("\n{:<22} {:>10.4f} {:>14.4f} {:>9} {:>17.2f}", matcher.name, median_of(matcher.seconds),
                        median_of(matcher.processor), matcher.found.size(), 100 * share);
  }
  context.show(object, text);
  return 0;
}

}  // namespace

void add_bench_match(CLI::App& bench, Context& context) {
  CLI::App* command = add_command(
      bench, "match",
      "Mutual nearest neighbours of two pictures: ours by instruction set and on a GPU, OpenCV's BFMatcher and FLANN",
      "  adasample bench match a.jpg b.jpg --detector sift --max-keypoints 8192\n");
  auto a = std::make_shared<MatchBenchArguments>();
  command->add_option("first", a->first, "A photograph")->required()->type_name("A");
  command->add_option("second", a->second, "Another photograph")->required()->type_name("B");
  add_model_option(*command, a->model)->required(false)->capture_default_str();
  command->add_option("--rounds", a->rounds, "Repetitions; the median counts")->capture_default_str();
  add_picture_options(*command, a->options);
  command->callback([&context, a] { context.action = [&context, a] { return bench_match(*a, context); }; });
}

}  // namespace adasample
