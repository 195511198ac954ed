// SPDX-License-Identifier: Apache-2.0
// adasample._native: what python/adasample is built on.
#include "adasample/base/log.h"
#include "python/native/border.h"

PYBIND11_MODULE(_native, module) {
  using namespace adasample;
  set_up_logging(-1);
  python::translate_errors();
  module.attr("VERSION") = ADASAMPLE_VERSION;
  python::bind_models(module);
  python::bind_pictures(module);
  python::bind_stores(module);
  python::bind_scores(module);
  python::bind_runs(module);
}
