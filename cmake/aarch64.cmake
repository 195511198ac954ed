# SPDX-License-Identifier: Apache-2.0
# Compiles for 64-bit ARM on a Debian PC: g++-aarch64-linux-gnu and the headers of this machine's packages, which say the same on
# both. Objects only: no library for ARM is asked for, so nothing is linked (make cross).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_NO_SYSTEM_FROM_IMPORTED OFF)
# Behind the cross compiler's own, whose libc and libstdc++ must come first.
set(CMAKE_CXX_FLAGS_INIT "-idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu")
list(APPEND CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES /usr/include)
