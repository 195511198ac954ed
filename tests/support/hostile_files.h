// SPDX-License-Identifier: Apache-2.0
// What may stand where a file is expected. Each is made on the spot, costs next to nothing on the disk, and has made some
// program hang, crash or eat memory.
#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace adasample::testing {

struct HostileThing {
  std::string name;
  std::function<void(const std::filesystem::path& at)> put;
};

inline void put_bytes(const std::filesystem::path& at, const std::string& bytes) {
  std::ofstream(at, std::ios::binary | std::ios::trunc) << bytes;
}

inline std::string repeated(const std::string& part, int times) {
  std::string text;
  text.reserve(part.size() * static_cast<size_t>(times));
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

inline std::string random_bytes(size_t count) {
  std::mt19937 generator(7);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(generator());
  return bytes;
}

inline void put_socket(const std::filesystem::path& at) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int folder = ::open(at.parent_path().c_str(), O_PATH | O_DIRECTORY);  // names of sockets must be short
  const std::string name = "/proc/self/fd/" + std::to_string(folder) + "/" + at.filename().string();
  std::strncpy(address.sun_path, name.c_str(), sizeof address.sun_path - 1);
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::close(descriptor);
  ::close(folder);
}

// Files that are none, then files with rubbish in them.
inline std::vector<HostileThing> hostile_things() {
  namespace fs = std::filesystem;
  const std::string screen = "\x1b[2J\x1b]0;title\a\xc2\x9b" "31m\xe2\x80\xae" "gpj.exe";
  return {
      {"nothing", [](const fs::path&) {}},
      {"pipe", [](const fs::path& at) { ::mkfifo(at.c_str(), 0666); }},
      {"socket", put_socket},
      {"folder", [](const fs::path& at) { fs::create_directory(at); }},
      {"link to a device without end", [](const fs::path& at) { fs::create_symlink("/dev/zero", at); }},
      {"link to itself", [](const fs::path& at) { fs::create_symlink(at.filename(), at); }},
      {"empty", [](const fs::path& at) { put_bytes(at, ""); }},
      {"one byte", [](const fs::path& at) { put_bytes(at, "{"); }},
      {"random bytes", [](const fs::path& at) { put_bytes(at, random_bytes(65536)); }},
      {"a terabyte of zeros",
       [](const fs::path& at) {
         put_bytes(at, "");
         fs::resize_file(at, uintmax_t{1} << 40);
       }},
      {"deep lists", [](const fs::path& at) { put_bytes(at, repeated("[", 500'000) + repeated("]", 500'000)); }},
      {"deep objects", [](const fs::path& at) { put_bytes(at, repeated("{\"a\":", 300'000) + "1" + repeated("}", 300'000)); }},
      {"deep keys", [](const fs::path& at) { put_bytes(at, repeated("a.", 200'000) + "a = 1\n"); }},
      {"acts on the screen", [screen](const fs::path& at) { put_bytes(at, repeated(screen + "\n", 50)); }},
      {"key that acts on the screen", [screen](const fs::path& at) { put_bytes(at, "{\"" + screen + "\": }"); }},
      {"one long line", [](const fs::path& at) { put_bytes(at, std::string(4'000'000, 'x')); }},
      {"zeros", [](const fs::path& at) { put_bytes(at, std::string(1'000'000, '\0')); }},
      {"numbers that are none", [](const fs::path& at) { put_bytes(at, repeated("nan,inf,-nan,1e999\n", 1000)); }},
  };
}

}  // namespace adasample::testing
