// SPDX-License-Identifier: Apache-2.0
// HDF5 in a process of its own, the program adasample-hdf5 in libexec, with little memory and little time: whatever a
// damaged file makes the library do, whoever asked gets an Error. Why a program and not a fork: a fork of a process
// with threads may call next to nothing safely, and it would inherit gigabytes of LibTorch's address space, so that no
// limit on memory would mean anything. The two talk over a socket; the file is opened here, once, and handed over open.
//   worker   reply to being started, or, where it speaks another protocol, exit code kOtherProtocol
//   caller   length, question (hloc_arrays.h)
//   worker   reply: HlocReply, then floats or the text of an Error
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "adasample/integrate/given_keypoints.h"
#include "adasample/integrate/hloc/hdf5/hloc_arrays.h"

namespace adasample {

inline constexpr const char* kHdf5Program = "adasample-hdf5";

struct WorkerLimits {
  int seconds = 60;                    // for one question
  uint64_t megabytes = 1024;           // of address space; nobody's million keypoints take a tenth
  std::filesystem::path program = {};  // empty: adasample-hdf5, where it is installed
};

// open_hloc_keypoints() with limits of your own.
KeypointReader open_hloc_keypoints(const std::filesystem::path& path, const WorkerLimits& limits);

// The worker's main(): NAME SECONDS MEGABYTES PROTOCOL. `open` gets a path to open the file by, and its name for
// messages.
int serve_hloc_arrays(int argc, char** argv,
                      const std::function<HlocArrayReader(const std::string& path, const std::string& name)>& open);

// Of questions and replies; to be raised with any change of what goes over the socket. Workers from before there was a
// number count their arguments, and end with the same code.
inline constexpr int kWorkerProtocol = 2, kOtherProtocol = 2;

// What goes over the socket.
struct HlocReply {
  enum Kind : uint32_t { kNotNamed, kArrays, kError };
  uint32_t kind = kNotNamed;
  uint32_t places = 0, scales = 0, oris = 0, descriptors = 0;  // floats that follow
  uint32_t text = 0;                                           // bytes that follow
};
inline constexpr int kWorkerSocket = 0, kWorkerFile = 3;  // descriptors
inline constexpr uint32_t kLongestMessage = 4096;         // name or text

// All of it. False when the other side is gone.
bool send_all(int socket, const void* bytes, size_t count);
bool receive_all(int socket, void* bytes, size_t count);

}  // namespace adasample
