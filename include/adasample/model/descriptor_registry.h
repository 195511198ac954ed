// SPDX-License-Identifier: Apache-2.0
// Every way to describe patches that a program has: engines, which run weights, and descriptors that need none (sift).
// Each is registered by a function of its owner, register_x(), which the program or library calls from one list;
// open_model() (engine/open_model.h) looks here and nowhere else.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adasample/model/descriptor.h"
#include "adasample/model/weights.h"

namespace adasample {

struct RunOptions {
  std::string device = "cpu";  // one of DescriptorKind::devices
  int threads = 0;             // 0: one a core
};

struct DescriptorKind {
  std::string name;                  // "onednn", "sift"
  std::string architecture;          // of the weights it runs, "l2net"; empty: it needs none, its name is the model
  std::vector<std::string> devices;  // what it can run on: "cpu", "cuda"
  int preference = 0;                // "auto" takes the highest of those that run here; 0: only by its name
  bool exact = true;                 // fp32; "auto" goes to a GPU only for one of these
  std::string needs;                 // "a program built with oneDNN"
  std::string stand_in = "";         // what takes its place, with a warning, where it cannot run
  std::string engine = "";           // what results call it; empty: its name
  // Why it cannot run on the device in this build, on this machine; empty: it can.
  std::function<std::string(const std::string& device)> problem;
  // `label`: its name() in reports. Throws Error for weights that are not what it runs.
  std::function<std::unique_ptr<Descriptor>(const Weights& weights, const std::string& label,
                                            const RunOptions& options)>
      make;
  // What a user should know of these weights run this way; empty, or no function: nothing.
  std::function<std::string(const Weights& weights)> remark = {};
  bool any_network = false;  // besides `architecture` it runs every network of model/network.h
};

// Replaces one of the same name. Any thread may register and look.
void register_descriptor(DescriptorKind kind);
// In the order in which they were registered.
std::vector<DescriptorKind> registered_descriptors();

}  // namespace adasample
