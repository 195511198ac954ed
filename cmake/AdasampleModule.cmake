# SPDX-License-Identifier: Apache-2.0
# adasample_module(NAME x [DEPS modules] [LIBS third party] [TORCH|COLD] [ROOMS r..] [MAYBE part condition ..]): the only way to
# make a library here. Takes the sources below src/adasample/x, subfolders included; x_test.cpp files become the test program
# x_tests, each y_fuzz.cpp a fuzz target.
# ROOMS: subfolders that are modules of their own, NAME x/r, with their own row in docs/architecture.md.
# MAYBE part condition: part/ and part.cpp are compiled where the condition holds, else no_part.cpp beside them. A missing
# dependency is a stub file, not an #ifdef.
# TORCH modules link LibTorch and share one precompiled <torch/torch.h>. Even so a file that sees Torch costs ten seconds, most
# of them spent on Torch's own inline code: such a module is compiled as one unit, and at -O1, since LibTorch does its arithmetic.
# COLD modules (option parsing, orchestration) are compiled likewise, without Torch.

function(adasample_compile_options target)
  set(cxx $<COMPILE_LANGUAGE:CXX>)  # nvcc has other words
  target_compile_options(${target} PRIVATE
    "$<${cxx}:-Wall;-Wextra;-Wshadow;-Wnon-virtual-dtor;-Woverloaded-virtual;-Wundef>")
  if(adasample_IS_TOP_LEVEL)
    target_compile_options(${target} PRIVATE $<${cxx}:-Werror>)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE $<${cxx}:-Wno-restrict>)  # false alarms on "x" + std::string (GCC bug 105651)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    target_compile_options(${target} PRIVATE "$<${cxx}:-Wno-array-bounds;-Wno-stringop-overflow>")  # false alarms on vectors of small structs
  endif()
  if(ADASAMPLE_HARDENING AND NOT ADASAMPLE_SANITIZE AND NOT ADASAMPLE_FUZZ)
    set(hardened $<AND:$<CONFIG:Release>,${cxx}>)
    target_compile_options(${target} PRIVATE "$<${hardened}:-fstack-protector-strong;-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2;-D_GLIBCXX_ASSERTIONS>")
    target_link_options(${target} PRIVATE $<$<CONFIG:Release>:LINKER:-z,relro,-z,now>)
  endif()
  if(ADASAMPLE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${ADASAMPLE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
      -Wno-maybe-uninitialized)  # GCC's false alarms in libstdc++'s <regex>, with sanitizers alone
    target_link_options(${target} PRIVATE -fsanitize=${ADASAMPLE_SANITIZE})
  endif()
  if(ADASAMPLE_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()

# A file spends much of its time on headers that its neighbours read too, and on code made from them: up to eight files of a
# folder are compiled as one unit.
# A batch never crosses a folder, so that a new file disturbs its own room only. Files with flags of their own stay alone.
function(adasample_compile_in_batches target)
  if(NOT ADASAMPLE_BATCHES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(SORT sources)
  set(at 0)
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    if(NOT folder STREQUAL last_folder)
      set(last_folder ${folder})
      set(at 0)
    endif()
    math(EXPR batch "${at} / 8")
    math(EXPR at "${at} + 1")
    string(REPLACE ${adasample_SOURCE_DIR}/src/adasample/ "" room "${folder}")
    string(MAKE_C_IDENTIFIER "${room}_${batch}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # takes every file of a batch for a header
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
  endif()
endfunction()

if(ADASAMPLE_TORCH)
  # Debian's Torch targets carry the include folders as ordinary ones; as system headers they stay out of -Werror's way.
  add_library(adasample_torch_interface INTERFACE)
  target_link_libraries(adasample_torch_interface INTERFACE ${TORCH_LIBRARIES})
  target_include_directories(adasample_torch_interface SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
  # Newer LibTorch ships its own fmt beside its headers, where it hides the system's: what sees Torch then takes that one, header
  # only. No fmt type crosses from one module to another, so the two can live in one program.
  find_path(ADASAMPLE_TORCH_FMT fmt/format.h PATHS ${TORCH_INCLUDE_DIRS} NO_DEFAULT_PATH)
  if(ADASAMPLE_TORCH_FMT AND NOT ADASAMPLE_TORCH_FMT STREQUAL "/usr/include")
    target_compile_definitions(adasample_torch_interface INTERFACE FMT_HEADER_ONLY=1)
  endif()

  file(WRITE ${CMAKE_BINARY_DIR}/torch_pch.cpp.in "// Only carries the precompiled header.\n")
  configure_file(${CMAKE_BINARY_DIR}/torch_pch.cpp.in ${CMAKE_BINARY_DIR}/torch_pch.cpp COPYONLY)
  add_library(adasample_torch_pch OBJECT ${CMAKE_BINARY_DIR}/torch_pch.cpp)
  target_link_libraries(adasample_torch_pch PUBLIC adasample_torch_interface)
  set(adasample_torch_flags $<$<CONFIG:Release>:-O1> $<$<COMPILE_LANGUAGE:CXX>:-fPIC>)  # for libadasample_train; who shares the header must agree
  target_compile_options(adasample_torch_pch PRIVATE ${adasample_torch_flags})
  adasample_compile_options(adasample_torch_pch)
  target_precompile_headers(adasample_torch_pch PRIVATE <torch/torch.h>)
endif()

function(adasample_use_torch target)
  # Torch's headers and flags for this target alone; those that link it get the libraries only.
  target_link_libraries(${target} PRIVATE adasample_torch_interface)
  target_precompile_headers(${target} REUSE_FROM adasample_torch_pch)
  target_compile_options(${target} PRIVATE ${adasample_torch_flags})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${ADASAMPLE_BATCHES} UNITY_BUILD_BATCH_SIZE 0)
endfunction()

# adasample_position_independent(modules ..): for what goes into a shared library. A second call changes nothing.
function(adasample_position_independent)
  foreach(module ${ARGN})
    get_target_property(done adasample_${module} POSITION_INDEPENDENT_CODE)
    if(NOT done)
      set_target_properties(adasample_${module} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      # Nobody replaces our functions from outside, so that they may be inlined; and no path of this machine in what is installed.
      target_compile_options(adasample_${module} PRIVATE
        "$<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition;-fmacro-prefix-map=${adasample_SOURCE_DIR}/=>")
    endif()
  endforeach()
endfunction()

if(ADASAMPLE_TESTS)
  add_library(adasample_gtest_main OBJECT ${adasample_SOURCE_DIR}/tests/support/gtest_main.cpp)
  target_link_libraries(adasample_gtest_main PUBLIC GTest::gtest spdlog::spdlog)
  target_include_directories(adasample_gtest_main PRIVATE ${adasample_SOURCE_DIR} ${adasample_SOURCE_DIR}/src ${adasample_SOURCE_DIR}/include)
  adasample_compile_options(adasample_gtest_main)
endif()

# Seconds of the long ones: ctest starts them first, so that no core waits at the end.
set(seconds_of_resume_tests 150)
set(seconds_of_experiment_tests 50)
set(seconds_of_experiment_cli_tests 35)
set(seconds_of_train_tests 140)
set(seconds_of_cli_tests 50)
set(seconds_of_distributed_tests 40)
set(seconds_of_consumer_tests 50)
set(seconds_of_export_cli_tests 20)
set(seconds_of_eval_tests 20)

function(adasample_test_program name)
  cmake_parse_arguments(T "TORCH" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE ${T_LIBS} adasample_base adasample_gtest_main)
  target_include_directories(${name} PRIVATE ${adasample_SOURCE_DIR} ${adasample_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE ADASAMPLE_SOURCE_DIR="${adasample_SOURCE_DIR}")
  adasample_compile_options(${name})
  if(T_TORCH)
    adasample_use_torch(${name})
  else()
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    adasample_compile_in_batches(${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  if(DEFINED seconds_of_${name})
    set_tests_properties(${name} PROPERTIES COST ${seconds_of_${name}})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS cpu ENVIRONMENT
    "OMP_WAIT_POLICY=passive;ASAN_OPTIONS=detect_odr_violation=0;LSAN_OPTIONS=suppressions=${adasample_SOURCE_DIR}/tests/support/lsan.supp:print_suppressions=0;TSAN_OPTIONS=suppressions=${adasample_SOURCE_DIR}/tests/support/tsan.supp:die_after_fork=0:atexit_sleep_ms=0")
endfunction()

function(adasample_module)
  cmake_parse_arguments(M "TORCH;COLD" "NAME" "DEPS;LIBS;ROOMS;MAYBE" ${ARGN})
  set(dir ${adasample_SOURCE_DIR}/src/adasample/${M_NAME})
  string(REPLACE "/" "_" name ${M_NAME})
  set(target adasample_${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${dir} ${dir}/*.cpp ${dir}/*.cu)
  foreach(room ${M_ROOMS})
    list(FILTER sources EXCLUDE REGEX "^${room}/")
  endforeach()
  while(M_MAYBE)
    list(POP_FRONT M_MAYBE part condition)
    if(condition)
      list(FILTER sources EXCLUDE REGEX "(^|/)no_${part}(_test)?\\.cpp$")
    else()
      list(FILTER sources EXCLUDE REGEX "(^|/)${part}(/|(_test|_fuzz)?\\.cpp$)")
    endif()
  endwhile()
  list(TRANSFORM sources PREPEND ${dir}/)
  set(tests ${sources})
  set(fuzzers ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "(_test|_fuzz|/main)\\.cpp$")

  add_library(${target} STATIC ${sources})
  add_library(adasample::${name} ALIAS ${target})
  target_include_directories(${target} PUBLIC ${adasample_SOURCE_DIR}/include PRIVATE ${adasample_SOURCE_DIR}/src)
  list(TRANSFORM M_DEPS REPLACE "/" "_")
  list(TRANSFORM M_DEPS PREPEND adasample_)
  target_link_libraries(${target} PUBLIC ${M_DEPS} ${M_LIBS})
  adasample_compile_options(${target})
  if(M_TORCH)
    adasample_use_torch(${target})
    set(torch TORCH)
  elseif(M_COLD)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${ADASAMPLE_BATCHES} UNITY_BUILD_BATCH_SIZE 0)
  else()
    adasample_compile_in_batches(${target})
  endif()

  if(ADASAMPLE_TESTS AND tests)
    adasample_test_program(${name}_tests SOURCES ${tests} LIBS ${target} ${torch})
  endif()
  if(ADASAMPLE_FUZZ)
    foreach(source ${fuzzers})
      get_filename_component(fuzzer ${source} NAME_WE)
      add_executable(${fuzzer} ${source})
      target_link_libraries(${fuzzer} PRIVATE ${target})
      target_include_directories(${fuzzer} PRIVATE ${adasample_SOURCE_DIR}/src ${adasample_SOURCE_DIR})
      adasample_compile_options(${fuzzer})
      target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
    endforeach()
  endif()
endfunction()
