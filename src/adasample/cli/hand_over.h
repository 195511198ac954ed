// SPDX-License-Identifier: Apache-2.0
// OpenCV and LibTorch take a tenth and half a second to load, so the program that users start has neither:
//   bin/adasample                          everything else
//   libexec/adasample/adasample-opencv     and OpenCV
//   libexec/adasample/adasample-torch      and LibTorch
// Each has all commands. Where the work turns out to need a part that a program lacks, HandOver is thrown, and main()
// starts the program that has it in its place, with the same command line. What a program has is decided by the files
// of src/programs that it is linked from: opencv_here.cpp or opencv_elsewhere.cpp, and torch_here.cpp,
// torch_elsewhere.cpp or no_torch.cpp. A build without OpenCV has it "here", and it does nothing.
#pragma once

#include <filesystem>

#include "adasample/model/weights.h"

namespace adasample {

// No Error, so that nobody takes it for a failure of the work and goes on.
struct HandOver {
  const char* program;  // kOpencvProgram or kTorchProgram
};
inline constexpr const char* kOpencvProgram = "adasample-opencv";
inline constexpr const char* kTorchProgram = "adasample-torch";

// The list of all that describes patches, detects, decodes; to be called once, before options are bound.
void register_parts();
void register_opencv_part();
void register_torch_part();

// convert/torchscript/torchscript.h
void export_torchscript(const Weights& weights, const std::filesystem::path& path);

}  // namespace adasample
