// SPDX-License-Identifier: Apache-2.0
// The report in a real browser: it draws what the run folders hold, finds figures under the pointer, fits on a phone
// and fetches nothing. ADASAMPLE_SCREENSHOTS=folder keeps pictures of the page.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "adasample/base/error.h"
#include "adasample/report/html_report.h"
#include "tests/support/made_run.h"
#include "tests/support/temp_folder.h"
#include "tests/support/web_driver.h"

namespace adasample {
namespace {

using nlohmann::json;
using testing::MadeRun;
using testing::WebDriver;

const std::string kHostile = "<script>alert(1)</script>";

class Browser : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!WebDriver::available()) return;
    folder_ = std::make_unique<testing::TempFolder>();
    Report report{.title = "Two runs & one \"title\"", .runs = {}, .tables = {}, .references = {}};
    for (const MadeRun& run : runs_) {
      run.write(*folder_ / run_name(run.number));
      report.runs.push_back(read_run(*folder_ / run_name(run.number)));
    }
    report.runs[1].name = kHostile;
    report.tables.push_back(
        {"On held-out scenes", "", {"", "FPR95 %", "AP %"}, {{"SIFT", "28.99", "96.12"}, {kHostile, "5.95", "98.91"}}});
    report.references.push_back(*report.runs[1].curves);
    report.references.back().name = "RootSIFT";
    for (auto& [rate, recall] : report.references.back().roc) recall = std::pow(rate, 0.08);
    write_file_atomically(*folder_ / "page.html", html_report(report));
    driver_ = std::make_unique<WebDriver>();
  }
  static void TearDownTestSuite() {
    driver_.reset();
    folder_.reset();
  }
  void SetUp() override {
    if (!WebDriver::available()) GTEST_SKIP() << "needs " << WebDriver::kDriver << " and " << WebDriver::kBrowser;
    ASSERT_TRUE(driver_) << "the browser did not start";
    show(1280, 900, false, false);
  }
  void TearDown() override {
    if (!driver_) return;
    for (const json& entry : driver_->log("browser")) EXPECT_NE(entry["level"], "SEVERE") << entry.dump();
  }

  static std::string run_name(int number) { return fmt::format("run-{}", number); }
  static void show(int width, int height, bool phone, bool dark) {
    driver_->set_viewport(width, height, phone);
    driver_->set_dark(dark);
    driver_->open(*folder_ / "page.html");
  }
  static json script(const std::string& statements, const json& args = json::array()) {
    return driver_->script(statements, args);
  }

  // Where iteration `t` of a chart is in the window, after scrolling there: {x, y}.
  static std::pair<double, double> place(const std::string& selector, double t) {
    const json at = script(R"(
      const svg = document.querySelector(arguments[0] + ' svg'), t = arguments[1], d = svg.dataset;
      svg.scrollIntoView({block: 'center', behavior: 'instant'});
      const box = svg.getBoundingClientRect(), left = Number(d.left), right = Number(d.right);
      const u = left + (right - left) * (t - d.from) / (d.to - d.from);
      const at = [box.left + u / svg.viewBox.baseVal.width * box.width, box.top + box.height * 0.4];
      // The scroll event comes with the next frame, and hides what is shown.
      return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(at))));)",
                           {selector, t});
    return {at[0], at[1]};
  }
  static json tip() {
    return script(R"(
      const tip = document.getElementById('tip');
      if (tip.hidden) return null;
      const box = tip.getBoundingClientRect();
      return {head: tip.querySelector('.head').textContent, names: [...tip.querySelectorAll('.name')].map((e) => e.textContent),
              values: [...tip.querySelectorAll('.value')].map((e) => e.textContent),
              inside: box.left >= 0 && box.right <= document.documentElement.clientWidth && box.top >= 0};)");
  }
  static void keep_screenshot(const std::string& name) {
    const char* folder = std::getenv("ADASAMPLE_SCREENSHOTS");
    if (folder == nullptr) return;
    const auto png = base64_decode(driver_->screenshot());
    ASSERT_TRUE(png);
    write_file_atomically(std::filesystem::path(folder) / name,
                          {reinterpret_cast<const char*>(png->data()), png->size()});
  }

  inline static const std::vector<MadeRun> runs_ = {
      {.iterations = 400, .number = 0},
      {.iterations = 360, .number = 1, .config = "seed = 0\nsampler = \"random\"\n# " + kHostile + "\n"}};
  inline static std::unique_ptr<testing::TempFolder> folder_;
  inline static std::unique_ptr<WebDriver> driver_;
};

TEST_F(Browser, EveryMetricHasItsCurves) {
  const json points = script(R"(
    const all = {};
    for (const chart of document.querySelectorAll('figure[data-metric]'))
      all[chart.dataset.metric] = [...chart.querySelectorAll('.series')].map((g) => g.dataset.x.split(' ').length);
    return all;)");
  for (const std::string& metric : MadeRun::kMetrics) {
    if (metric.starts_with("time_")) continue;
    EXPECT_EQ(points[metric], json({400, 360})) << metric;
  }
  EXPECT_EQ(points["val_score"], json({7, 7}));
  EXPECT_EQ(script("return document.querySelectorAll('[data-metric=time_]').length"), 2);
  EXPECT_EQ(points["time_"], json({360, 360, 360, 360, 360, 360}));  // the last of the two charts
  EXPECT_EQ(script("return document.querySelectorAll('[data-histogram]').length"), 8);
  EXPECT_EQ(points["roc"].size(), 6u);  // two runs and a reference, each with its FPR95

  // The nulls of the loss are a gap: two stretches.
  const std::string path = script("return document.querySelector('[data-metric=loss] .line').getAttribute('d')");
  EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 2);
}

TEST_F(Browser, PointerFindsTheFigures) {
  for (const std::string metric : {"loss", "d_neg", "lr"}) {
    for (const int64_t t : {0, 37, 211, 380}) {
      const auto [x, y] = place("[data-metric=" + metric + "]", static_cast<double>(t));
      driver_->hover(x, y);
      const json shown = tip();
      ASSERT_TRUE(shown.is_object()) << metric;
      // A pixel is more than one iteration wide: the one that is shown is near, its figures are exact.
      const std::string head = shown["head"];
      ASSERT_TRUE(head.starts_with("iteration ")) << head;
      const int64_t found = std::stoll(head.substr(10));
      EXPECT_NEAR(found, t, 1);
      json values, names;
      for (const MadeRun& run : runs_) {
        if (found >= run.iterations) continue;
        values.push_back(fmt::format("{:.6g}", run.value(metric, found)));
        names.push_back(run.number == 0 ? run_name(0) : kHostile);
      }
      EXPECT_EQ(shown["values"], values) << metric << " " << found;
      EXPECT_EQ(shown["names"], names);
      EXPECT_EQ(shown["inside"], true);
    }
  }
  const auto [x, y] = place("[data-metric=loss]", MadeRun::kFirstNull + 1);
  driver_->hover(x, y);
  EXPECT_EQ(tip()["values"], json({"-", "-"}));
  driver_->hover(2, 2);
  EXPECT_TRUE(tip().is_null());
}

TEST_F(Browser, CrossHairIsSharedAndKeysMoveIt) {
  const auto [x, y] = place("[data-metric=loss]", 100);
  driver_->hover(x, y);
  const std::string visible =
      "return [...document.querySelectorAll('.cross')].filter((e) => e.style.visibility === "
      "'visible').length";
  EXPECT_EQ(script(visible), 13 + 2 + 8);  // metrics, times, histograms; not ROC and precision
  script("document.querySelector('[data-metric=loss] svg').focus()");
  const json before = tip();
  script("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}))");
  const std::string head = before["head"];
  EXPECT_EQ(tip()["head"], fmt::format("iteration {}", std::stoll(head.substr(10)) + 1));
}

TEST_F(Browser, HistogramTellsBinAndCount) {
  const auto [x, y] = place("[data-histogram=d_pos]", 110);
  driver_->hover(x, y);
  const json shown = tip();
  EXPECT_EQ(shown["head"], "iteration 100");
  EXPECT_EQ(shown["names"], json({"from", "count"}));
  // The place is at 0.4 of the drawing's height: value 1.08 of 0 to 2, which is bin 21.
  std::istringstream lines(runs_[0].snapshots_text());
  std::string line;
  for (int i = 0; i <= 5; ++i) std::getline(lines, line);
  const std::vector<int64_t> counts = json::parse(line)["histograms"][0]["counts"];
  const int64_t total = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  EXPECT_EQ(shown["values"], json({"1.05 to 1.1", fmt::format("{} of {}", counts[21], total)}));
}

TEST_F(Browser, PicturesAreThere) {
  const json images = script(R"(
    document.querySelectorAll('details').forEach((d) => d.open = true);
    return Promise.all([...document.images].map((i) => i.decode().then(() => [i.complete, i.naturalWidth, i.alt])));)");
  EXPECT_EQ(images.size(), 2u * 3 * 3 * 8);  // runs, snapshots, classes, patches
  for (const json& image : images) {
    EXPECT_EQ(image[0], true);
    EXPECT_EQ(image[1], 32);
  }
  EXPECT_EQ(images[0][2], "patch 0, anchor");
  EXPECT_EQ(script("return document.querySelectorAll('.pick .drawn').length"), 2 * 3 * 3);
}

TEST_F(Browser, NothingForeignRunsAndNothingIsFetched) {
  EXPECT_EQ(script("return document.scripts.length"), 1);
  EXPECT_EQ(script("return document.querySelector('nav').textContent.includes(arguments[0])", {kHostile}), true);
  EXPECT_EQ(
      script("return [...document.querySelectorAll('pre')].at(-1).textContent.includes(arguments[0])", {kHostile}),
      true);
  int pages = 0;
  for (const json& entry : driver_->log("performance")) {
    const json message = json::parse(entry["message"].get<std::string>())["message"];
    if (message["method"] != "Network.requestWillBeSent") continue;
    const std::string address = message["params"]["request"]["url"];
    const bool page = address.starts_with("file://") && address.ends_with("/page.html");
    EXPECT_TRUE(page || address.starts_with("data:image/png")) << address;
    pages += page;
  }
  EXPECT_GE(pages, 1);  // the log works
}

TEST_F(Browser, LightAndDark) {
  const std::string paper = "return getComputedStyle(document.body).backgroundColor";
  EXPECT_EQ(script(paper), "rgb(255, 255, 255)");
  keep_screenshot("desktop-light.png");
  show(1280, 900, false, true);
  EXPECT_NE(script(paper), "rgb(255, 255, 255)");
  const auto [x, y] = place("[data-metric=loss]", 100);
  driver_->hover(x, y);
  keep_screenshot("desktop-dark.png");
}

TEST_F(Browser, FitsOnAPhone) {
  for (const int width : {360, 390}) {
    show(width, 844, true, false);
    script("document.querySelectorAll('details').forEach((d) => d.open = true)");
    EXPECT_EQ(script("return document.documentElement.scrollWidth"), width);
    EXPECT_EQ(script("return visualViewport.width"), width);  // nothing made the browser zoom out
  }
  const auto [x, y] = place("[data-metric=loss]", 100);
  driver_->touch(x, y);
  const json shown = tip();
  ASSERT_TRUE(shown.is_object());
  EXPECT_EQ(shown["inside"], true);
  EXPECT_EQ(shown["values"].size(), 2u);
  keep_screenshot("phone-light.png");
}

}  // namespace
}  // namespace adasample
