// SPDX-License-Identifier: Apache-2.0
// adasample bench pictures: from files to descriptors, part by part and as a whole, beside OpenCV's SIFT in one run.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"
#include "adasample/base/parallel.h"
#include "adasample/cli/bench/bench_commands.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/features/describe/picture_stream.h"
#include "adasample/features/opencv_part.h"
#include "adasample/image/files/images.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;

struct PicturesBenchArguments {
  std::string images, model = "default";
  int rounds = 3;
  PictureOptions options;

  void validate() const {
    options.validate();
    ADA_USAGE(rounds >= 1 && rounds <= 1000, "rounds = {}, must be in [1, 1000]", rounds);
  }
};

// Those that can be read; the others are named.
std::vector<fs::path> readable(const std::string& images) {
  const std::vector<fs::path> all = fs::is_directory(images) ? list_images(images) : std::vector<fs::path>{images};
  std::vector<std::string> complaints(all.size());
  parallel_for(std::ssize(all), [&](int64_t i) {
    try {
      read_image(all[static_cast<size_t>(i)]);
    } catch (const Error& error) {
      complaints[static_cast<size_t>(i)] = error.what();
    }
  });
  std::vector<fs::path> good;
  std::vector<std::string> warnings;
  for (size_t i = 0; i < all.size(); ++i) {
    if (complaints[i].empty()) {
      good.push_back(all[i]);
    } else {
      warnings.push_back("left out: " + complaints[i]);
    }
  }
  ADA_CHECK(!good.empty(), "[bench] {}: no picture that can be read; {}", images, complaints.front());
  log_first_warnings(warnings, "pictures");
  return good;
}

struct Part {
  const char* name;
  std::vector<double> seconds = {};  // by round
};

class PicturesBench {
 public:
  PicturesBench(const PicturesBenchArguments& a, Descriptor& descriptor)
      : a_(a), descriptor_(descriptor), files_(readable(a.images)) {}

  void round() {
    parts_round();
    whole_.seconds.push_back(seconds_of([&] { whole_round(); }));
    if (opencv_part().count_sift_features == nullptr) return;
    sift_.seconds.push_back(seconds_of([&] { sift_round(); }));
  }

  void show(const Context& context, const OpenedModel& opened) const {
    nlohmann::ordered_json object = {{"pictures", files_.size()},
                                     {"keypoints", keypoints_},
                                     {"engine", opened.engine},
                                     {"detector", a_.options.features.detector},
                                     {"threads", thread_count()}};
    std::string text = fmt::format("{} pictures, {} keypoints by {}, described by {}, {} threads\n", files_.size(),
                                   keypoints_, a_.options.features.detector, opened.engine, thread_count());
    for (const Part* part : {&read_, &detect_, &cut_, &describe_, &whole_}) add(*part, keypoints_, object, text);
    if (sift_.seconds.empty()) {
      object["sift"] = nullptr;
      text += "sift: not measured, this program was built without OpenCV";
    } else {
      add(sift_, sift_keypoints_, object, text);
      std::vector<double> ratios;  // of keypoints/s
      for (size_t i = 0; i < whole_.seconds.size(); ++i) {
        ratios.push_back(static_cast<double>(keypoints_) / whole_.seconds[i] /
                         (static_cast<double>(sift_keypoints_) / sift_.seconds[i]));
      }
      object["keypoints_per_s_over_sift"] = median_of(ratios);
      text += fmt::format("the whole has {:.3g} times SIFT's keypoints/s", median_of(ratios));
    }
    context.show(object, text);
  }

 private:
  static void add(const Part& part, int64_t keypoints, nlohmann::ordered_json& object, std::string& text) {
    const double seconds = median_of(part.seconds), pictures = static_cast<double>(object["pictures"].get<int64_t>());
    object[part.name] = {{"seconds", seconds},
                         {"pictures_per_s", pictures / seconds},
                         {"keypoints", keypoints},
                         {"keypoints_per_s", static_cast<double>(keypoints) / seconds}};
    text += fmt::format("{:9}{:9.3f} s {:9.2f} pictures/s {:10.0f} keypoints/s\n", part.name, seconds,
                        pictures / seconds, static_cast<double>(keypoints) / seconds);
  }

  // Part after part, each on all threads, a few pictures at a time.
  void parts_round() {
    double read = 0, detect = 0, cut = 0, describe = 0;
    keypoints_ = 0;
    const size_t at_once = static_cast<size_t>(std::min(thread_count(), 8));
    for (size_t begin = 0; begin < files_.size(); begin += at_once) {
      if (stop_requested()) ADA_THROW_KIND(kInterrupted, "bench: interrupted");
      const size_t count = std::min(at_once, files_.size() - begin);
      std::vector<std::optional<PictureFile>> pictures(count);
      std::vector<CutPicture> results(count);
      const auto timed = [&](double& sum, const auto& work) {
        sum += seconds_of(
            [&] { parallel_for(static_cast<int64_t>(count), [&](int64_t i) { work(static_cast<size_t>(i)); }); });
      };
      timed(read, [&](size_t i) { pictures[i].emplace(files_[begin + i], a_.options); });
      timed(detect, [&](size_t i) { results[i].keypoints = pictures[i]->detect(); });
      timed(cut, [&](size_t i) { results[i].patches = pictures[i]->cut(results[i].keypoints); });
      for (const CutPicture& picture : results) {
        const auto found = std::ssize(picture.keypoints);
        std::vector<float> rows(static_cast<size_t>(found * descriptor_.dimension()));
        describe += seconds_of([&] { descriptor_.describe(picture.patches, found, a_.options.features.size, rows); });
        keypoints_ += found;
      }
    }
    read_.seconds.push_back(read);
    detect_.seconds.push_back(detect);
    cut_.seconds.push_back(cut);
    describe_.seconds.push_back(describe);
  }

  // As `describe` and `colmap` do it; nothing is written.
  void whole_round() {
    Progress unseen;
    double seconds = 0;
    PictureStream stream;
    stream.count = std::ssize(files_);
    stream.size = a_.options.features.size;
    stream.between = [] {
      if (stop_requested()) ADA_THROW_KIND(kInterrupted, "bench: interrupted");
    };
    stream.cut = [&](int64_t i) { return read_and_cut(files_[static_cast<size_t>(i)], a_.options); };
    stream.described = [](int64_t, CutPicture&, std::vector<float>&) {};
    describe_stream(stream, descriptor_, unseen, seconds);
  }

  // The same files, reduced alike.
  void sift_round() {
    std::vector<int64_t> counts(files_.size());
    parallel_for(std::ssize(files_), [&](int64_t i) {
      const auto at = static_cast<size_t>(i);
      const ReducedImage picture = reduce_to(read_image(files_[at]), a_.options.max_side);
      counts[at] = opencv_part().count_sift_features(picture.image, a_.options.features.max_keypoints);
    });
    sift_keypoints_ = 0;
    for (const int64_t count : counts) sift_keypoints_ += count;
  }

  const PicturesBenchArguments& a_;
  Descriptor& descriptor_;
  const std::vector<fs::path> files_;
  int64_t keypoints_ = 0, sift_keypoints_ = 0;
  Part read_{"read"}, detect_{"detect"}, cut_{"cut"}, describe_{"describe"}, whole_{"whole"}, sift_{"sift"};
};

int bench_pictures(const PicturesBenchArguments& a, const Context& context) {
  a.validate();
  prepare_opencv();
  const OpenedModel opened = open_model(a.model, context);
  PicturesBench bench(a, *opened.descriptor);
  for (int round = 0; round < a.rounds; ++round) bench.round();
  bench.show(context, opened);
  return 0;
}

}  // namespace

void add_bench_pictures(CLI::App& bench, Context& context) {
  CLI::App* command = add_command(
      bench, "pictures", "Pictures and keypoints per second, part by part and as a whole, beside OpenCV's SIFT",
      "  adasample bench pictures --images photos\n"
      "  adasample bench pictures --images photos --detector sift --max-keypoints 8192 --engine onednn-int8 --json\n");
  auto a = std::make_shared<PicturesBenchArguments>();
  command->add_option("--images", a->images, "A picture, or a folder searched with its subfolders")
      ->required()
      ->type_name("X");
  add_model_option(*command, a->model)->required(false)->capture_default_str();
  command->add_option("--rounds", a->rounds, "Repetitions; the median counts")->capture_default_str();
  add_picture_options(*command, a->options);
  command->callback([&context, a] { context.action = [&context, a] { return bench_pictures(*a, context); }; });
}

}  // namespace adasample
