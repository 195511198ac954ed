// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/live/server.h"

#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <semaphore>
#include <thread>

#include "adasample/base/error.h"

namespace adasample {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kHeartbeat = std::chrono::seconds(5);  // of a stream without news: finds out that its page is gone
constexpr int kSlowestPeer = 5;                       // seconds for a request to come, and for an answer to be taken
constexpr size_t kMostRequest = 8192;                 // bytes of a body; none is expected
constexpr double kShareOfTime = 0.02;                 // of one core, for looking at the runs

// Threads for kMostConnections; whoever connects beyond that waits in the kernel's own short queue.
class BoundedQueue : public httplib::TaskQueue {
 public:
  BoundedQueue() : pool_(kMostConnections) {}
  void enqueue(std::function<void()> work) override {
    room_.acquire();
    pool_.enqueue([this, work = std::move(work)] {
      work();
      room_.release();
    });
  }
  void shutdown() override { pool_.shutdown(); }

 private:
  std::counting_semaphore<kMostConnections> room_{kMostConnections};
  httplib::ThreadPool pool_;
};

class LiveServer {
 public:
  LiveServer(LiveView& view, const LiveOptions& options) : view_(view), options_(options) {
    server_.new_task_queue = [] { return new BoundedQueue; };
    // Without SO_REUSEPORT, which is the library's own choice: with it a second server would share the port unnoticed.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server_.set_read_timeout(kSlowestPeer);
    server_.set_write_timeout(kSlowestPeer);
    server_.set_keep_alive_timeout(1);  // an idle connection keeps the end waiting so long
    server_.set_payload_max_length(kMostRequest);
    server_.set_default_headers({{"Cache-Control", "no-store"},
                                 {"X-Content-Type-Options", "nosniff"},
                                 {"Referrer-Policy", "no-referrer"},
                                 {"Cross-Origin-Resource-Policy", "same-origin"}});
    server_.set_pre_routing_handler(
        [](const httplib::Request& request, httplib::Response& response) { return admit(request, response); });
    server_.Get("/", [this](const httplib::Request&, httplib::Response& response) {
      const std::lock_guard lock(mutex_);
      look();  // nobody may have been following
      response.set_header("Content-Security-Policy", LiveView::content_policy());
      response.set_content(view_.page(), "text/html; charset=utf-8");
    });
    server_.Get(R"(/report/(\d{1,4}))", [this](const httplib::Request& request, httplib::Response& response) {
      const std::lock_guard lock(mutex_);
      const auto page = view_.report(std::stoul(request.matches[1]));
      if (page) return response.set_content(*page, "text/html; charset=utf-8");
      response.status = 404;
      response.set_content("no such run\n", "text/plain");
    });
    server_.Get("/events", [this](const httplib::Request&, httplib::Response& response) { follow(response); });
  }

  void serve(const std::function<void(int)>& started, const std::function<bool()>& stop) {
    const int port = options_.port == 0 ? server_.bind_to_any_port("127.0.0.1")
                                        : (server_.bind_to_port("127.0.0.1", options_.port) ? options_.port : -1);
    ADA_CHECK(port > 0,
              "[watch] port {} of 127.0.0.1 cannot be had: another program has it, or it is not yours to take - "
              "choose another with --port",
              options_.port);
    std::thread listener([this] { server_.listen_after_bind(); });
    started(port);
    auto next = Clock::now();
    while (!stop()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (streams_ == 0 || Clock::now() < next) continue;
      const auto begin = Clock::now();
      {
        const std::lock_guard lock(mutex_);
        look();
      }
      const auto took = Clock::now() - begin;
      next = Clock::now() + std::max<Clock::duration>(options_.interval,
                                                      std::chrono::duration_cast<Clock::duration>(took / kShareOfTime));
    }
    stopping_ = true;
    news_.notify_all();
    server_.stop();
    listener.join();
  }

 private:
  using Handled = httplib::Server::HandlerResponse;

  static Handled refuse(httplib::Response& response, int status, const char* why) {
    response.status = status;
    response.set_content(why, "text/plain");
    return Handled::Handled;
  }

  // A page of another name that was made to point here could read what this server says.
  static Handled admit(const httplib::Request& request, httplib::Response& response) {
    if (request.method != "GET" && request.method != "HEAD") return refuse(response, 405, "read only\n");
    if (request.get_header_value_count("Host") != 1 || !is_loopback_host(request.get_header_value("Host")))
      return refuse(response, 403, "this server answers to localhost alone\n");
    return Handled::Unhandled;
  }

  void look() {
    if (view_.refresh()) news_.notify_all();
  }

  // Everything a page has not got yet, as one event.
  std::string event_since(uint64_t& sent) {
    nlohmann::json parts = nlohmann::json::object();
    for (const LivePart& part : view_.parts()) {
      if (part.version > sent) parts[part.id] = part.html;
    }
    sent = view_.version();
    return "event: parts\ndata: " + parts.dump() + "\n\n";
  }

  void follow(httplib::Response& response) {
    // Counted as long as the answer lives, however it ends.
    std::shared_ptr<void> place(nullptr, [this](void*) { --streams_; });
    if (++streams_ > kMostStreams) {
      refuse(response, 503, "too many pages follow already\n");
      return;
    }
    response.set_chunked_content_provider(
        "text/event-stream", [this, place, sent = uint64_t{0}](size_t, httplib::DataSink& sink) mutable {
          std::string text;
          {
            std::unique_lock lock(mutex_);
            news_.wait_for(lock, kHeartbeat, [&] { return stopping_ || view_.version() > sent; });
            text = stopping_ ? "" : view_.version() > sent ? event_since(sent) : ": still here\n\n";
          }
          if (stopping_) {
            sink.done();
            return true;
          }
          return sink.write(text.data(), text.size());
        });
  }

  LiveView& view_;
  LiveOptions options_;
  httplib::Server server_;
  std::mutex mutex_;  // of view_
  std::condition_variable news_;
  std::atomic<size_t> streams_ = 0;
  std::atomic<bool> stopping_ = false;
};

}  // namespace

void serve_live(LiveView& view, const LiveOptions& options, const std::function<void(int port)>& started,
                const std::function<bool()>& stop) {
  LiveServer(view, options).serve(started, stop);
}

}  // namespace adasample
