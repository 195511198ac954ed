// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/c_api.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/engine/open_model.h"

struct adasample_engine {
  std::unique_ptr<adasample::Descriptor> engine;
};

namespace {

using adasample::Error;

thread_local std::array<char, 1024> last_error = {};  // no allocation: memory may be what is missing

void remember(std::string_view message) {
  const size_t length = std::min(message.size(), last_error.size() - 1);
  std::copy_n(message.begin(), length, last_error.begin());
  last_error[length] = '\0';
}

template <typename Work>
adasample_status status_of(const Work& work) noexcept {
  try {
    work();
    return ADASAMPLE_OK;
  } catch (const Error& error) {
    remember(error.what());
    return error.kind() == Error::Kind::kUsage ? ADASAMPLE_USAGE : ADASAMPLE_FAILED;
  } catch (const std::exception& error) {
    remember(error.what());
  } catch (...) {
    remember("an exception of no known type");
  }
  return ADASAMPLE_FAILED;
}

}  // namespace

int adasample_api_version(void) { return ADASAMPLE_API_VERSION; }

const char* adasample_version(void) { return ADASAMPLE_VERSION; }

const char* adasample_last_error(void) { return last_error.data(); }

adasample_status adasample_create(const char* weights, const char* engine, int threads, adasample_engine** created) {
  if (created != nullptr) *created = nullptr;
  return status_of([&] {
    ADA_USAGE(created != nullptr, "[c_api] adasample_create: created = NULL");
    ADA_USAGE(weights != nullptr, "[c_api] adasample_create: weights = NULL, expected a path or \"default\"");
    ADA_USAGE(threads >= 0 && threads <= adasample::kMostThreads,
              "[c_api] adasample_create: threads = {}, must be 0 to {}", threads, adasample::kMostThreads);
    const adasample::ModelOptions options{
        .engine = engine ? engine : "auto", .device = engine ? "auto" : "cpu", .threads = threads};
    adasample::OpenedModel opened = adasample::open_model(weights, options);
    ADA_USAGE(engine == nullptr || opened.engine == engine, "[c_api] adasample_create: {}",
              fmt::join(opened.warnings, "; "));
    *created = new adasample_engine{std::move(opened.descriptor)};
  });
}

adasample_status adasample_create_with(const char* weights, const adasample_options* options,
                                       adasample_engine** created) {
  if (created != nullptr) *created = nullptr;
  adasample_options known = ADASAMPLE_OPTIONS_INIT;
  const adasample_status read = status_of([&] {
    if (options == nullptr) return;
    constexpr size_t kLeast = sizeof known, kMost = 4096;  // the first version's; a part of a member is none
    ADA_USAGE(options->size >= kLeast && options->size <= kMost,
              "[c_api] adasample_create_with: options->size = {}, must be sizeof(adasample_options)", options->size);
    const auto* bytes = reinterpret_cast<const unsigned char*>(options);
    for (size_t i = sizeof known; i < options->size; ++i) {
      ADA_USAGE(bytes[i] == 0,
                "[c_api] adasample_create_with: byte {} of the options is set, of which version {} knows {}", i,
                ADASAMPLE_API_VERSION, sizeof known);
    }
    known = *options;
  });
  return read == ADASAMPLE_OK ? adasample_create(weights, known.engine, known.threads, created) : read;
}

void adasample_destroy(adasample_engine* engine) { delete engine; }

int adasample_dimension(const adasample_engine* engine) { return engine ? engine->engine->dimension() : 0; }

int adasample_patch_size(const adasample_engine* engine) { return engine ? adasample::kPatchSize : 0; }

adasample_status adasample_describe(adasample_engine* engine, const uint8_t* patches, size_t count,
                                    float* descriptors) {
  return status_of([&] {
    constexpr size_t kArea = size_t{adasample::kPatchSize} * adasample::kPatchSize;
    constexpr size_t kMost = std::numeric_limits<ptrdiff_t>::max() / kArea;  // else the bytes cannot be counted
    ADA_USAGE(engine != nullptr, "[c_api] adasample_describe: engine = NULL");
    ADA_USAGE(count <= kMost, "[c_api] adasample_describe: count = {}, must be {} at most", count, kMost);
    if (count == 0) return;
    ADA_USAGE(patches != nullptr, "[c_api] adasample_describe: patches = NULL");
    ADA_USAGE(descriptors != nullptr, "[c_api] adasample_describe: descriptors = NULL");
    const auto dimension = static_cast<size_t>(engine->engine->dimension());
    engine->engine->describe({patches, count * kArea}, static_cast<int64_t>(count), adasample::kPatchSize,
                             {descriptors, count * dimension});
  });
}
