// SPDX-License-Identifier: Apache-2.0
// `adasample watch` as a program: what it answers, what it refuses, and in a real browser what a run looks like while
// it grows. ADASAMPLE_SCREENSHOTS=folder keeps pictures of the page.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "adasample/base/error.h"
#include "adasample/base/json.h"
#include "tests/support/made_run.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"
#include "tests/support/web_driver.h"

namespace adasample {
namespace {

using nlohmann::json;
using testing::MadeRun;
using testing::WebDriver;
namespace fs = std::filesystem;

void append(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::app) << text; }

// Waits up to ten seconds.
template <typename Condition>
bool comes_true(const Condition& condition) {
  for (int i = 0; i < 200; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

// The program on a port of its own choice, or on a given one.
class Watch {
 public:
  Watch(const fs::path& folder, const std::string& arguments, int port = 0)
      : folder_(folder / fmt::format("watch-{}", ++count_)) {
    fs::create_directories(folder_);
    process_ = std::make_unique<testing::Process>(
        folder_, fmt::format("{} watch --json --port {} {}", ADASAMPLE_BINARY, port, arguments));
    const bool told = process_->wait_until([&] { return out().find('\n') != std::string::npos; });
    if (!told) throw std::runtime_error("watch ended: " + err());
    address_ = json::parse(out()).at("address");
    port_ = std::stoi(address_.substr(address_.rfind(':') + 1));
  }

  const std::string& address() const { return address_; }
  int port() const { return port_; }
  httplib::Client client() const {
    httplib::Client client("127.0.0.1", port_);
    client.set_read_timeout(20);
    return client;
  }
  int stop() {
    process_->kill(SIGINT);
    return process_->wait();
  }
  std::string out() const { return text_of("out.txt"); }
  std::string err() const { return text_of("err.txt"); }

 private:
  std::string text_of(const char* file) const {
    std::ifstream stream(folder_ / file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  inline static int count_ = 0;
  fs::path folder_;
  std::unique_ptr<testing::Process> process_;
  std::string address_;
  int port_ = 0;
};

// A made run of which only the first iterations are there yet, and no end.
struct GrowingRun {
  GrowingRun(const fs::path& place, const MadeRun& made) : folder(place) {
    made.write(folder);
    for (const char* end : {"result.json", "curves.json", "metrics.jsonl"}) fs::remove(folder / end);
    std::istringstream text(made.metrics_text());
    for (std::string line; std::getline(text, line);) lines.push_back(line + "\n");
    lines.pop_back();  // which is torn
    append(folder / "metrics.jsonl", "");
  }
  void grow(size_t count) {
    for (size_t i = 0; i < count && next < lines.size(); ++i) append(folder / "metrics.jsonl", lines[next++]);
  }
  fs::path folder;
  std::vector<std::string> lines;
  size_t next = 0;
};

TEST(Watch, AnswersAndRefuses) {
  const testing::TempFolder folder;
  MadeRun{.iterations = 60}.write(folder / "a");
  const auto time_of = [&] { return fs::last_write_time(folder / "a"); };
  const auto before = time_of();
  Watch watch(folder.path(), (folder / "a").string());
  auto client = watch.client();
  const auto page = client.Get("/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_NE(page->body.find("data-metric=\"loss\""), std::string::npos);
  EXPECT_NE(page->get_header_value("Content-Security-Policy").find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page->get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_FALSE(page->has_header("Access-Control-Allow-Origin"));
  EXPECT_EQ(client.Get("/report/0")->status, 200);
  EXPECT_NE(client.Get("/report/0")->body.find("<h1>Run a</h1>"), std::string::npos);
  for (const char* nothing :
       {"/report/1", "/report/99999", "/report/../a", "/metrics.jsonl", "/..%2f..%2fetc/passwd"}) {
    EXPECT_EQ(client.Get(nothing)->status, 404) << nothing;
  }
  for (const char* host : {"evil.example", "evil.example:6006", "127.0.0.1.evil.example", ""}) {
    const auto refused = client.Get("/", {{"Host", host}});
    ASSERT_TRUE(refused) << host;
    EXPECT_EQ(refused->status, 403) << host;
    EXPECT_EQ(client.Get("/events", {{"Host", host}})->status, 403) << host;
  }
  EXPECT_EQ(client.Get("/", {{"Host", "localhost:1234"}})->status, 200) << "a tunnel has another port";
  EXPECT_EQ(client.Post("/", "x", "text/plain")->status, 405);
  EXPECT_EQ(client.Delete("/report/0")->status, 405);
  EXPECT_EQ(watch.stop(), 0);
  EXPECT_EQ(watch.err(), "");
  EXPECT_EQ(time_of(), before) << "it wrote something";
}

TEST(Watch, PortInUseIsSaid) {
  const testing::TempFolder folder;
  MadeRun{.iterations = 5}.write(folder / "a");
  Watch first(folder.path(), (folder / "a").string());
  testing::Process second(folder.path(), fmt::format("{} watch --port {} a", ADASAMPLE_BINARY, first.port()));
  EXPECT_EQ(second.wait(), 1);
  std::ifstream err(folder / "err.txt");
  std::string line, more;
  std::getline(err, line);
  EXPECT_NE(line.find(fmt::format("port {} of 127.0.0.1 cannot be had", first.port())), std::string::npos) << line;
  EXPECT_NE(line.find("--port"), std::string::npos);
  EXPECT_FALSE(std::getline(err, more)) << more;
}

// What a stream brings: first everything, then only what changes; the torn last line when it is whole.
TEST(Watch, StreamsWhatIsNew) {
  const testing::TempFolder folder;
  GrowingRun run(folder / "a", {.iterations = 80});
  run.grow(10);
  append(run.folder / "metrics.jsonl", run.lines[10].substr(0, 20));
  Watch watch(folder.path(), (folder / "a").string() + " " + (folder / "not-yet").string());
  auto client = watch.client();
  std::string all;
  std::vector<json> events;
  bool torn_shown = false;
  const auto result = client.Get("/events", [&](const char* data, size_t size) {
    all.append(data, size);
    for (size_t end; (end = all.find("\n\n")) != std::string::npos; all.erase(0, end + 2)) {
      if (!all.starts_with("event: parts\ndata: ")) continue;
      events.push_back(json::parse(all.substr(19, end - 19)));
      if (events.size() == 1) {
        torn_shown = events[0]["metrics"].get<std::string>().find("0 1 2 3 4 5 6 7 8 9 10") != std::string::npos;
        append(run.folder / "metrics.jsonl", run.lines[10].substr(20));
      }
    }
    return events.size() < 2;
  });
  EXPECT_FALSE(result);  // cut by us
  ASSERT_EQ(events.size(), 2u);
  EXPECT_FALSE(torn_shown);
  EXPECT_NE(events[0]["metrics"].get<std::string>().find("data-x=\"0 1 2 3 4 5 6 7 8 9\""), std::string::npos);
  EXPECT_NE(events[0]["cards"].get<std::string>().find("There is no such folder yet."), std::string::npos);
  EXPECT_TRUE(events[0].contains("picks"));
  EXPECT_NE(events[1]["metrics"].get<std::string>().find("0 1 2 3 4 5 6 7 8 9 10"), std::string::npos);
  EXPECT_FALSE(events[1].contains("picks")) << "they have not changed";
  EXPECT_EQ(watch.stop(), 0);
}

TEST(Watch, PagesAreCounted) {
  const testing::TempFolder folder;
  MadeRun{.iterations = 5}.write(folder / "a");
  Watch watch(folder.path(), (folder / "a").string());
  std::atomic<int> following = 0;
  std::atomic<bool> end = false;
  std::vector<std::thread> pages;
  for (int i = 0; i < 16; ++i) {
    pages.emplace_back([&] {
      bool counted = false;
      watch.client().Get("/events", [&](const char*, size_t) {
        if (!std::exchange(counted, true)) ++following;
        return !end;
      });
    });
  }
  EXPECT_TRUE(comes_true([&] { return following == 16; }));
  EXPECT_EQ(watch.client().Get("/events")->status, 503);
  EXPECT_EQ(watch.client().Get("/")->status, 200) << "others are still answered";
  end = true;
  EXPECT_EQ(watch.stop(), 0) << "streams do not keep it";
  for (std::thread& page : pages) page.join();
}

class WatchPage : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (WebDriver::available()) driver_ = std::make_unique<WebDriver>();
  }
  static void TearDownTestSuite() { driver_.reset(); }
  void SetUp() override {
    if (!WebDriver::available()) GTEST_SKIP() << "needs " << WebDriver::kDriver << " and " << WebDriver::kBrowser;
    driver_->set_viewport(1280, 900, false);
    driver_->set_dark(false);
    driver_->log("browser");
    driver_->log("performance");
  }
  static json script(const std::string& statements, const json& args = json::array()) {
    return driver_->script(statements, args);
  }
  static int64_t last_iteration() {
    return script(R"(const g = document.querySelector('[data-metric=loss] .series');
                     return g ? Number(g.dataset.x.split(' ').at(-1)) : -1)");
  }
  static void keep_screenshot(const std::string& name) {
    const char* folder = std::getenv("ADASAMPLE_SCREENSHOTS");
    if (folder == nullptr) return;
    const auto png = base64_decode(driver_->screenshot());
    ASSERT_TRUE(png);
    write_file_atomically(fs::path(folder) / name, {reinterpret_cast<const char*>(png->data()), png->size()});
  }
  static void expect_no_console_error() {
    for (const json& entry : driver_->log("browser")) EXPECT_NE(entry["level"], "SEVERE") << entry.dump();
  }

  inline static std::unique_ptr<WebDriver> driver_;
};

TEST_F(WatchPage, GrowsWithoutReloadingAndFetchesNothingElse) {
  const testing::TempFolder folder;
  const std::string config = "batch = 256\niterations = 400\nsampler = \"adasample\"\n";
  GrowingRun first(folder / "adasample", {.iterations = 400, .config = config});
  GrowingRun second(folder / "uniform", {.iterations = 400, .number = 1, .config = config});
  first.grow(200);
  second.grow(120);
  Watch watch(folder.path(), first.folder.string() + " " + second.folder.string());
  driver_->open_address(watch.address());
  script("window.mark = 'same page'; document.querySelectorAll('#part-picks details')[0].open = true;");
  ASSERT_TRUE(comes_true([] { return script("return document.getElementById('state').textContent") == "live"; }));
  const int64_t before = last_iteration();
  first.grow(60);
  EXPECT_TRUE(comes_true([&] { return last_iteration() == before + 59 || last_iteration() > before + 50; }));
  EXPECT_EQ(script("return window.mark"), "same page");
  EXPECT_EQ(script("return document.querySelectorAll('#part-picks details')[0].open"), true);
  const std::string cards = script("return document.getElementById('part-cards').textContent");
  EXPECT_NE(cards.find("time left"), std::string::npos) << cards;
  EXPECT_NE(cards.find("pairs a second"), std::string::npos) << cards;
  EXPECT_EQ(script("return document.querySelector('progress').max"), 400);

  // The figures under the pointer stay there while the drawing under it is replaced.
  const json at = script(R"(
    const svg = document.querySelector('[data-metric=d_neg] svg');
    svg.scrollIntoView({block: 'center', behavior: 'instant'});
    const box = svg.getBoundingClientRect();
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(
        () => done([box.left + box.width / 2, box.top + box.height / 2]))));)");
  driver_->hover(at[0], at[1]);
  EXPECT_EQ(script("return document.getElementById('tip').hidden"), false);
  const int64_t now = last_iteration();
  first.grow(10);
  EXPECT_TRUE(comes_true([&] { return last_iteration() > now; }));
  EXPECT_EQ(script("return document.getElementById('tip').hidden"), false);
  driver_->hover(2, 2);
  script("scrollTo({top: 0, behavior: 'instant'})");
  keep_screenshot("watch.png");

  // It ends: the card says so and links the report; the other goes on.
  append(
      first.folder / "result.json",
      R"({"end":"complete","iterations":400,"pairs":102400,"seconds":131.5,"pairs_per_s":778,"best_val_score":0.07})");
  EXPECT_TRUE(
      comes_true([] { return script("return document.querySelectorAll('a[href=\"report/0\"]').length") == 1; }));
  EXPECT_EQ(script("return document.querySelectorAll('progress').length"), 1);

  for (const int width : {360, 390}) {
    driver_->set_viewport(width, 844, true);
    EXPECT_EQ(script("return document.documentElement.scrollWidth"), width);
    EXPECT_EQ(script("return visualViewport.width"), width);
  }
  keep_screenshot("watch-phone.png");
  expect_no_console_error();
  int requests = 0;
  for (const json& entry : driver_->log("performance")) {
    const json message = json::parse(entry["message"].get<std::string>())["message"];
    if (message["method"] != "Network.requestWillBeSent") continue;
    const std::string address = message["params"]["request"]["url"];
    EXPECT_TRUE(address.starts_with(watch.address()) || address.starts_with("data:")) << address;
    requests += address.starts_with(watch.address());
  }
  EXPECT_EQ(requests, 2);  // the page and its events: nothing was loaded again
}

TEST_F(WatchPage, ConnectsAgain) {
  const testing::TempFolder folder;
  GrowingRun run(folder / "a", {.iterations = 100});
  run.grow(20);
  auto watch = std::make_unique<Watch>(folder.path(), run.folder.string());
  const int port = watch->port();
  driver_->open_address(watch->address());
  ASSERT_TRUE(comes_true([] { return script("return document.getElementById('state').textContent") == "live"; }));
  EXPECT_EQ(watch->stop(), 0);
  EXPECT_TRUE(comes_true([] { return script("return document.getElementById('state').className") == "lost"; }));
  run.grow(30);
  watch = std::make_unique<Watch>(folder.path(), run.folder.string(), port);
  EXPECT_TRUE(comes_true([] { return last_iteration() > 40; }));
  EXPECT_EQ(script("return document.getElementById('state').textContent"), "live");
}

TEST_F(WatchPage, AlarmsAndHostileNames) {
  const testing::TempFolder folder;
  const std::string name = "<img src=x onerror=alert(1)>";
  fs::create_directories(folder / name);
  std::string text;
  for (int t = 0; t < 120; ++t) {
    text += json{{"iteration", t}, {"loss", 0.97}, {"d_pos", 0.05}, {"pairs_per_s", 100}}.dump() + "\n";
  }
  append(folder / name / "metrics.jsonl", text);
  Watch watch(folder.path(), "'" + (folder / name).string() + "'");
  driver_->open_address(watch.address());
  EXPECT_EQ(script("return document.querySelector('.alarm').textContent.startsWith('Collapse')"), true);
  EXPECT_EQ(script("return document.querySelector('.card h2').textContent"), name);
  EXPECT_EQ(script("return document.querySelectorAll('img').length"), 0);
  expect_no_console_error();
}

}  // namespace
}  // namespace adasample
