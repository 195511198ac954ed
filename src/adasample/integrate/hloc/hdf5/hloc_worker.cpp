// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/hloc/hdf5/hloc_worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "adasample/base/error.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ADASAMPLE_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ADASAMPLE_SANITIZED
#endif
#endif

namespace adasample {
namespace {

volatile sig_atomic_t seconds_left = -1;  // negative: nobody waits
pid_t caller = 0;

// Every second: too long, or nobody is there any more?
void look_at_the_clock(int) {
  if (::getppid() != caller) ::_exit(1);
  if (seconds_left > 0) seconds_left = seconds_left - 1;
  if (seconds_left != 0) return;
  ::signal(SIGALRM, SIG_DFL);
  ::raise(SIGALRM);  // taken when this returns; the caller is told by it
}

void start_clock() {
  caller = ::getppid();
  struct sigaction action {};
  action.sa_handler = look_at_the_clock;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGALRM, &action, nullptr);
  const itimerval every_second = {{1, 0}, {1, 0}};
  ::setitimer(ITIMER_REAL, &every_second, nullptr);
}

// Ctrl-C is the caller's to answer. No core file, no other file written.
void limit_myself([[maybe_unused]] uint64_t megabytes) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_IGN);
  const auto limit = [](__rlimit_resource_t what, rlim_t most) {
    const rlimit both = {most, most};
    ::setrlimit(what, &both);
  };
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
#ifndef ADASAMPLE_SANITIZED  // whose shadows take terabytes of address space
  limit(RLIMIT_AS, megabytes << 20);
#endif
}

bool send_error(const std::string& text) {
  HlocReply reply;
  reply.kind = HlocReply::kError;
  reply.text = static_cast<uint32_t>(std::min<size_t>(text.size(), kLongestMessage));
  return send_all(kWorkerSocket, &reply, sizeof reply) && send_all(kWorkerSocket, text.data(), reply.text);
}

bool send_arrays(const HlocArrays& found) {
  HlocReply reply;
  reply.kind = found.named ? HlocReply::kArrays : HlocReply::kNotNamed;
  reply.places = static_cast<uint32_t>(found.places.size());
  reply.scales = static_cast<uint32_t>(found.scales.size());
  reply.oris = static_cast<uint32_t>(found.oris.size());
  reply.descriptors = static_cast<uint32_t>(found.descriptors.size());
  reply.text = static_cast<uint32_t>(found.names.size());
  bool sent = send_all(kWorkerSocket, &reply, sizeof reply);
  for (const std::vector<float>* array : {&found.places, &found.scales, &found.oris, &found.descriptors}) {
    sent = sent && send_all(kWorkerSocket, array->data(), array->size() * sizeof(float));
  }
  return sent && send_all(kWorkerSocket, found.names.data(), found.names.size());
}

bool receive_name(std::string& name) {
  uint32_t length = 0;
  if (!receive_all(kWorkerSocket, &length, sizeof length) || length > kLongestMessage) return false;
  name.resize(length);
  return receive_all(kWorkerSocket, name.data(), length);
}

// What `answer` gives, or why it does not. False when nobody listens.
bool reply_with(const std::string& file, int seconds, const std::function<HlocArrays()>& answer) {
  HlocArrays found;
  std::string failure;
  seconds_left = seconds + 1;  // the first second may be almost over
  try {
    found = answer();
  } catch (const Error& error) {
    failure = error.what();
  } catch (const std::bad_alloc&) {
    failure = "[hloc] " + file + ": asks for more memory than a file of keypoints may";
  }
  seconds_left = -1;
  return failure.empty() ? send_arrays(found) : send_error(failure);
}

}  // namespace

bool send_all(int socket, const void* bytes, size_t count) {
  const char* from = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t sent = ::send(socket, from, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    from += sent;
    count -= static_cast<size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* bytes, size_t count) {
  char* to = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t received = ::recv(socket, to, count, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    to += received;
    count -= static_cast<size_t>(received);
  }
  return true;
}

int serve_hloc_arrays(int argc, char** argv,
                      const std::function<HlocArrayReader(const std::string& path, const std::string& name)>& open) {
  if (argc != 5 || std::atoi(argv[4]) != kWorkerProtocol) return kOtherProtocol;
  const std::string file = argv[1];
  const int seconds = std::atoi(argv[2]);
  start_clock();
  limit_myself(std::strtoull(argv[3], nullptr, 10));
  HlocArrayReader reader;
  const auto begin = [&] {
    reader = open("/proc/self/fd/" + std::to_string(kWorkerFile), file);
    return HlocArrays{};
  };
  bool heard = reply_with(file, seconds, begin);
  for (std::string picture; heard && reader && receive_name(picture);) {
    heard = reply_with(file, seconds, [&] { return reader(picture); });
  }
  ::_exit(0);  // HDF5 has nothing to tidy up, and may crash over it
}

}  // namespace adasample
