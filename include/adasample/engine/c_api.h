// SPDX-License-Identifier: Apache-2.0
// Describing patches from C99, and so from whatever can call C. A function that can fail returns a status, and
// adasample_last_error() then says in one line what was wrong. No C++ exception leaves the library.
//
// Threads: every function may be called from any thread, an engine shared by several; only adasample_destroy() must be
// the last to touch it. fork(): the child has none of the threads that this library started, and work that needs them
// fails there with a line that says so; fork before the first engine is made, or call exec(). SIGBUS: weights are read
// through a mapping, and so that a file truncated meanwhile is an error and not the end of the program, the first
// adasample_create() installs a handler; a SIGBUS that is not ours goes to the one that was there before.
#ifndef ADASAMPLE_ENGINE_C_API_H
#define ADASAMPLE_ENGINE_C_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct adasample_engine adasample_engine;

typedef enum adasample_status {
  ADASAMPLE_OK = 0,
  ADASAMPLE_FAILED = 1,  // the world is not as it should be: a file, its content, memory
  ADASAMPLE_USAGE = 2    // the call is not: a null pointer, an unknown name, a number out of range
} adasample_status;

// Grows with each function or member that is added; what is there stays as it is. A program that was compiled with a
// newer header than the library asks adasample_api_version() first.
#define ADASAMPLE_API_VERSION 1
int adasample_api_version(void);

// "0.1.0".
const char* adasample_version(void);

// What the last call of this thread that failed complained of, "" when none has; valid until the next one that does.
const char* adasample_last_error(void);

// `weights`: a weights file, a run folder, or "default". `engine`: "reference", "onednn", "onednn-int8", "simd",
// "simd-int8", "cuda", or NULL for the fastest one in fp32 on a CPU. `threads`: 0 for one a core. *created is NULL
// unless ADASAMPLE_OK is returned.
adasample_status adasample_create(const char* weights, const char* engine, int threads, adasample_engine** created);

// The same with options that may become more: `size` says how many of them the caller knows. Members that a library
// does not know must be 0, else ADASAMPLE_USAGE. NULL is the defaults.
//   adasample_options options = ADASAMPLE_OPTIONS_INIT;
typedef struct adasample_options {
  size_t size;         // sizeof(adasample_options)
  const char* engine;  // as above
  int threads;         // as above
} adasample_options;
#define ADASAMPLE_OPTIONS_INIT \
  { sizeof(adasample_options), NULL, 0 }
adasample_status adasample_create_with(const char* weights, const adasample_options* options,
                                       adasample_engine** created);

// NULL is allowed.
void adasample_destroy(adasample_engine* engine);

// Numbers of a descriptor, 128, and pixels along the side of a patch, 32; 0 for NULL.
int adasample_dimension(const adasample_engine* engine);
int adasample_patch_size(const adasample_engine* engine);

// patches: uint8 [count, 32, 32], row-major. descriptors: float [count, 128], rows of norm 1; a call that is refused
// (ADASAMPLE_USAGE) does not touch them. Several threads may share an engine.
adasample_status adasample_describe(adasample_engine* engine, const uint8_t* patches, size_t count, float* descriptors);

#ifdef __cplusplus
}
#endif

#endif
