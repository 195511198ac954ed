// SPDX-License-Identifier: Apache-2.0
// A network as an ONNX graph: `input` float (batch, 1, 32, 32), grey values 0 to 255 -> `output` float (batch, 128),
// unit rows where the network's are; other sizes where the network has others. Made of what OpenCV's dnn reads too:
// batch norm folded into the convolutions, InstanceNormalization for the patches (its biased deviation is corrected in
// the first convolution), ReduceL2, Clip, Expand and Div at the end.
#pragma once

#include <string>

#include "adasample/model/weights.h"

namespace adasample {

struct OnnxOptions {
  int opset = 11;  // 11 to 17: the operators mean the same in all; the oldest is read by most
  int batch = 0;   // patches a call; 0: any number

  void validate() const;
};

// A ModelProto. Throws Error for weights that do not fit the network they name.
std::string format_onnx(const Weights& weights, const OnnxOptions& options);

}  // namespace adasample
