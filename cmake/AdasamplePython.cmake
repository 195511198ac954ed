# SPDX-License-Identifier: Apache-2.0
# adasample._native, the extension of the Python package (python/): modules of this tree in one file that exports its
# entry alone. No OpenCV and no LibTorch. In the build tree the package lies under build/x/python, ready for PYTHONPATH.
set(python_found)
if(ADASAMPLE_PYTHON AND NOT ADASAMPLE_SANITIZE AND NOT ADASAMPLE_FUZZ AND NOT CMAKE_CROSSCOMPILING)
  if(NOT DEFINED Python_EXECUTABLE AND EXISTS /usr/bin/python3)  # Debian's, whose headers and packages are here
    set(Python_EXECUTABLE /usr/bin/python3)
  endif()
  find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
  find_package(pybind11 2.10 QUIET)
  if(Python_FOUND AND pybind11_FOUND)
    set(python_found ON)
  else()
    message(STATUS "pybind11 or Python's headers are not installed (Debian: pybind11-dev, python3-dev): no Python extension")
  endif()
endif()
if(NOT python_found)
  return()
endif()

math(EXPR python_next_minor "${Python_VERSION_MINOR} + 1")
set(python_dir ${adasample_SOURCE_DIR}/python)
set(python_package ${adasample_BINARY_DIR}/python/adasample)
adasample_position_independent(base image features data model gpu engine eval report)
file(GLOB python_sources CONFIGURE_DEPENDS ${python_dir}/native/*.cpp)
add_library(adasample_python MODULE ${python_sources})
target_link_libraries(adasample_python PRIVATE adasample_engine adasample_features adasample_eval adasample_report pybind11::module)
target_include_directories(adasample_python PRIVATE ${adasample_SOURCE_DIR} ${adasample_SOURCE_DIR}/src)
target_compile_definitions(adasample_python PRIVATE ADASAMPLE_VERSION="${PROJECT_VERSION}")
target_compile_options(adasample_python PRIVATE -fvisibility=hidden -fmacro-prefix-map=${adasample_SOURCE_DIR}/=)
target_link_options(adasample_python PRIVATE LINKER:--exclude-libs,ALL LINKER:--as-needed
  LINKER:-z,nodelete)  # threads of the pool stay: their code must, too
adasample_compile_options(adasample_python)
set_target_properties(adasample_python PROPERTIES PREFIX "" OUTPUT_NAME _native SUFFIX ".${Python_SOABI}.so"
  LIBRARY_OUTPUT_DIRECTORY ${python_package} INSTALL_RPATH "" CXX_VISIBILITY_PRESET hidden)
# The Python files beside it as links: what is edited is what runs.
file(MAKE_DIRECTORY ${python_package})
file(GLOB python_files CONFIGURE_DEPENDS ${python_dir}/adasample/*)
foreach(file ${python_files})
  get_filename_component(name ${file} NAME)
  if(NOT name STREQUAL __pycache__)
    file(CREATE_LINK ${file} ${python_package}/${name} SYMBOLIC)
  endif()
endforeach()

if(ADASAMPLE_INSTALL AND adasample_IS_TOP_LEVEL)
  set(python_destination lib/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/dist-packages/adasample)
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")  # where Debian keeps what its packages bring, for every 3.x
    set(python_destination lib/python3/dist-packages/adasample)
  endif()
  install(TARGETS adasample_python LIBRARY DESTINATION ${python_destination} COMPONENT python)
  install(DIRECTORY ${python_dir}/adasample/ DESTINATION ${python_destination} COMPONENT python
    PATTERN __pycache__ EXCLUDE)
endif()
