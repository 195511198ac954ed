// SPDX-License-Identifier: Apache-2.0
// The side that asks: starts adasample-hdf5, believes nothing that it answers, and says how it ended.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <set>

#include "adasample/base/bytes/finite.h"
#include "adasample/base/error.h"
#include "adasample/base/files/open_file.h"
#include "adasample/base/helper_program.h"
#include "adasample/base/interrupt.h"
#include "adasample/integrate/hloc/hdf5/hloc_worker.h"
#include "adasample/integrate/hloc/hloc_h5.h"
#include "adasample/integrate/hloc/hloc_matches.h"

namespace adasample {
namespace {

constexpr size_t kMostDimension = 4096;  // of a descriptor

class HlocWorker {
 public:
  HlocWorker(const std::filesystem::path& path, const WorkerLimits& limits) : name_(path.string()), limits_(limits) {
    const OpenedFile file = open_to_read(path);
    int ends[2] = {-1, -1};
    ADA_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "[hloc] {}: no socket: {}", name_,
              errno_text(errno));
    socket_ = FileHandle(ends[0]);
    {
      const FileHandle theirs(ends[1]);  // closed here before the first answer: else its end would never be seen
      start(theirs.get(), file.handle.get());
    }
    try {
      receive();
    } catch (...) {
      end();
      throw;
    }
  }
  ~HlocWorker() { end(); }
  HlocWorker(const HlocWorker&) = delete;
  HlocWorker& operator=(const HlocWorker&) = delete;

  GivenKeypoints keypoints(const std::string& picture) {
    const HlocArrays found = ask(picture);
    if (!found.named) return {};
    return hloc_keypoints(found.places, found.scales, found.oris, name_ + ": " + picture);
  }

  std::vector<std::string> pictures() {
    const std::string names = ask(std::string(1, kWhichPictures)).names;
    std::set<std::string> sorted;
    for (size_t begin = 0; begin < names.size();) {
      const size_t end = std::min(names.find('\n', begin), names.size());
      sorted.insert(names.substr(begin, end - begin));
      begin = end + 1;
    }
    return {sorted.begin(), sorted.end()};
  }

  DescribedPicture features(const std::string& picture) {
    const std::string where = name_ + ": " + picture;
    const HlocArrays found = ask(kWithDescriptors + picture);
    ADA_CHECK(found.named, "[hloc] {}: expected features of it, found none", where);
    DescribedPicture described;
    described.keypoints = hloc_keypoints(found.places, found.scales, found.oris, where).keypoints;
    const size_t count = described.keypoints.size(), numbers = found.descriptors.size();
    ADA_CHECK(count == 0 ? numbers == 0 : numbers > 0 && numbers % count == 0 && numbers / count <= kMostDimension,
              "[hloc] {}: expected {} descriptors, found {} numbers", where, count, numbers);
    ADA_CHECK(all_finite(found.descriptors), "[hloc] {}: expected finite descriptors", where);
    described.dimension = count == 0 ? 0 : static_cast<int>(numbers / count);
    described.descriptors = found.descriptors;
    return described;
  }

 private:
  HlocArrays ask(const std::string& picture) {
    const std::lock_guard guard(mutex_);  // one conversation, whoever asks
    const auto length = static_cast<uint32_t>(picture.size());
    ADA_CHECK(length <= kLongestMessage, "[hloc] {}: expected a name of at most {} bytes, found one of {}", name_,
              kLongestMessage, length);
    if (!send_all(socket_.get(), &length, sizeof length) || !send_all(socket_.get(), picture.data(), length)) ended();
    return receive();
  }

  void start(int socket, int file) {
    program_ = (limits_.program.empty() ? helper_program(kHdf5Program) : limits_.program).string();
    std::string words[] = {kHdf5Program, name_, std::to_string(limits_.seconds), std::to_string(limits_.megabytes),
                           std::to_string(kWorkerProtocol)};
    char* const arguments[] = {words[0].data(), words[1].data(), words[2].data(),
                               words[3].data(), words[4].data(), nullptr};
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, socket, kWorkerSocket);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);  // what the C library says
    ::posix_spawn_file_actions_adddup2(&actions, file, kWorkerFile);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);  // to none: its clock is a signal
    const int failure = ::posix_spawn(&process_, program_.c_str(), &actions, &attributes, arguments, environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) process_ = -1;
    ADA_CHECK(failure == 0, "{}: cannot be started: {}", program_, errno_text(failure));
  }

  HlocArrays receive() {
    HlocReply reply;
    if (!receive_all(socket_.get(), &reply, sizeof reply)) ended();
    if (reply.kind == HlocReply::kError && reply.text <= kLongestMessage) {
      std::string text(reply.text, '\0');
      if (!receive_all(socket_.get(), text.data(), text.size())) ended();
      ADA_THROW("{}", text);
    }
    const bool sane = reply.kind <= HlocReply::kArrays && reply.places <= 2 * kMostHlocKeypoints &&
                      reply.places % 2 == 0 && reply.scales <= kMostHlocKeypoints && reply.oris <= kMostHlocKeypoints &&
                      reply.descriptors <= kMostHlocNumbers && reply.text <= kMostHlocNames;
    ADA_CHECK(sane, "[hloc] {}: {} answered what it never should: the file is damaged", name_, kHdf5Program);
    HlocArrays found{reply.kind == HlocReply::kArrays, std::vector<float>(reply.places),
                     std::vector<float>(reply.scales), std::vector<float>(reply.oris)};
    found.descriptors.resize(reply.descriptors);
    found.names.resize(reply.text);
    for (std::vector<float>* array : {&found.places, &found.scales, &found.oris, &found.descriptors}) {
      if (!receive_all(socket_.get(), array->data(), array->size() * sizeof(float))) ended();
    }
    if (!receive_all(socket_.get(), found.names.data(), found.names.size())) ended();
    return found;
  }

  // The worker is gone, in the middle of the conversation.
  [[noreturn]] void ended() {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "interrupted");
    int status = 0;
    const bool known = ::waitpid(process_, &status, 0) == process_;
    process_ = -1;
    if (known && WIFSIGNALED(status)) {
      ADA_CHECK(WTERMSIG(status) != SIGALRM, "[hloc] {}: HDF5 did not come to an end in {} s: the file is damaged",
                name_, limits_.seconds);
      ADA_THROW("[hloc] {}: HDF5 crashed on it ({}): the file is damaged", name_, ::strsignal(WTERMSIG(status)));
    }
    ADA_CHECK(!known || !WIFEXITED(status) || WEXITSTATUS(status) != kOtherProtocol,
              "[hloc] {}: expected a program of the same version as this one, found another - install both from one "
              "build",
              program_);
    ADA_THROW("[hloc] {}: {} ended before it had read it", name_, kHdf5Program);
  }

  void end() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);  // it holds nothing that could be lost
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
  }

  std::string name_, program_;
  WorkerLimits limits_;
  std::mutex mutex_;
  FileHandle socket_;
  pid_t process_ = -1;
};

}  // namespace

HlocFeatures open_hloc_features(const std::filesystem::path& path) {
  auto worker = std::make_shared<HlocWorker>(path, WorkerLimits{});
  return {worker->pictures(), [worker](const std::string& name) { return worker->features(name); }};
}

KeypointReader open_hloc_keypoints(const std::filesystem::path& path, const WorkerLimits& limits) {
  auto worker = std::make_shared<HlocWorker>(path, limits);
  return [worker](const std::string& picture) { return worker->keypoints(picture); };
}

KeypointReader open_hloc_keypoints(const std::filesystem::path& path) {
  return open_hloc_keypoints(path, WorkerLimits{});
}

}  // namespace adasample
