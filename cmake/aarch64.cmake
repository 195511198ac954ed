# SPDX-License-Identifier: Apache-2.0
# Compiles for 64-bit ARM on a Debian PC: g++-aarch64-linux-gnu and the headers of this machine's packages, which say the same on
# both. Objects only: no library for ARM is asked for, so nothing is linked (make cross).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# Where this machine's packages say what they have.
set(fmt_DIR /usr/lib/x86_64-linux-gnu/cmake/fmt)
set(spdlog_DIR /usr/lib/x86_64-linux-gnu/cmake/spdlog)
set(CMAKE_LIBRARY_PATH /usr/lib/x86_64-linux-gnu)
set(CMAKE_INCLUDE_PATH /usr/include/x86_64-linux-gnu)
# Behind the cross compiler's own, whose libc and libstdc++ must come first.
set(CMAKE_CXX_FLAGS_INIT "-idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu")
list(APPEND CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES /usr/include)
