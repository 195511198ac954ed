// SPDX-License-Identifier: Apache-2.0
// A headless Chromium driven through Debian's chromedriver over the WebDriver protocol.
#pragma once

#include <httplib.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace adasample::testing {

class WebDriver {
 public:
  using Json = nlohmann::json;
  static constexpr const char* kDriver = "/usr/bin/chromedriver";
  static constexpr const char* kBrowser = "/usr/bin/chromium";

  static bool available() { return ::access(kDriver, X_OK) == 0 && ::access(kBrowser, X_OK) == 0; }

  WebDriver() : client_("127.0.0.1", start()) {
    client_.set_connection_timeout(20);
    client_.set_read_timeout(120);
    const Json options = {
        {"binary", kBrowser},
        {"args",
         {"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,900"}}};
    const Json wanted = {{"browserName", "chrome"},
                         {"goog:chromeOptions", options},
                         {"goog:loggingPrefs", {{"browser", "ALL"}, {"performance", "ALL"}}}};
    session_ = "/session/" +
               call("/session", {{"capabilities", {{"alwaysMatch", wanted}}}}).at("sessionId").get<std::string>();
  }
  ~WebDriver() {
    if (!session_.empty()) client_.Delete(session_);
    ::kill(driver_, SIGTERM);
    ::waitpid(driver_, nullptr, 0);
  }
  WebDriver(const WebDriver&) = delete;
  WebDriver& operator=(const WebDriver&) = delete;

  void open(const std::filesystem::path& page) { open_address("file://" + page.string()); }
  void open_address(const std::string& address) { call(session_ + "/url", {{"url", address}}); }
  // The value of JavaScript statements that end with `return`; `arguments` holds `args`.
  Json script(const std::string& statements, const Json& args = Json::array()) {
    return call(session_ + "/execute/sync", {{"script", statements}, {"args", args}});
  }
  // A command of Chromium's own protocol.
  Json cdp(const std::string& command, const Json& parameters) {
    return call(session_ + "/goog/cdp/execute", {{"cmd", command}, {"params", parameters}});
  }
  Json log(const std::string& type) { return call(session_ + "/se/log", {{"type", type}}); }

  void set_viewport(int width, int height, bool phone) {
    cdp("Emulation.setDeviceMetricsOverride",
        {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", phone}});
  }
  void set_dark(bool dark) {
    cdp("Emulation.setEmulatedMedia",
        {{"features", {{{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}}}}});
  }

  // Moves the mouse to a place in the window.
  void hover(double x, double y) {
    const Json move = {
        {"type", "pointerMove"}, {"duration", 0}, {"x", static_cast<int>(x + 0.5)}, {"y", static_cast<int>(y + 0.5)}};
    act({{"type", "pointer"}, {"id", "mouse"}, {"parameters", {{"pointerType", "mouse"}}}, {"actions", {move}}});
  }
  void touch(double x, double y) {
    const Json move = {
        {"type", "pointerMove"}, {"duration", 0}, {"x", static_cast<int>(x + 0.5)}, {"y", static_cast<int>(y + 0.5)}};
    const Json down = {{"type", "pointerDown"}, {"button", 0}}, up = {{"type", "pointerUp"}, {"button", 0}};
    act({{"type", "pointer"},
         {"id", "finger"},
         {"parameters", {{"pointerType", "touch"}}},
         {"actions", {move, down, up}}});
  }

  // The whole page as base64 of a PNG.
  std::string screenshot() {
    const Json size = cdp("Page.getLayoutMetrics", Json::object()).at("cssContentSize");
    const Json clip = {{"x", 0}, {"y", 0}, {"width", size["width"]}, {"height", size["height"]}, {"scale", 1}};
    return cdp("Page.captureScreenshot", {{"captureBeyondViewport", true}, {"clip", clip}}).at("data");
  }

 private:
  void act(const Json& source) { call(session_ + "/actions", {{"actions", {source}}}); }

  Json call(const std::string& path, const Json& body) {
    const auto response = client_.Post(path, body.dump(), "application/json");
    if (!response) throw std::runtime_error(path + ": " + httplib::to_string(response.error()));
    const Json value = Json::parse(response->body).at("value");
    if (response->status != 200) throw std::runtime_error(path + ": " + value.dump());
    return value;
  }

  // Starts chromedriver on a free port and gives that port.
  int start() {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    driver_ = ::fork();
    if (driver_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[0]);
      ::execl(kDriver, kDriver, "--port=0", static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(ends[1]);
    std::FILE* lines = ::fdopen(ends[0], "r");
    char line[512];
    int port = 0;
    while (port == 0 && std::fgets(line, sizeof line, lines) != nullptr)
      std::sscanf(line, "ChromeDriver was started successfully on port %d", &port);
    if (port == 0) throw std::runtime_error("chromedriver did not start");
    output_.reset(lines);
    return port;
  }

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  pid_t driver_ = 0;
  std::unique_ptr<std::FILE, Close> output_;  // open as long as the driver may write to it
  httplib::Client client_;
  std::string session_;
};

}  // namespace adasample::testing
