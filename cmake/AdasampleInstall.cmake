# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts: the program, and the engine as one shared library with its headers, a CMake package and a
# pkg-config file. The library's dependencies are its own business: who links it needs none of their headers.
# Packages: program (what users run), weights (what both describe with by default), engine (what programs load), engine-dev
# (what compilers read).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(engine_headers base/exception.h model/layer_table.h model/weights.h model/calibration.h model/default_weights.h model/descriptor.h engine/engine.h)
set(so_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})  # below 1.0 a minor version may break what a major one may later

foreach(module base model kernels engine)
  set_target_properties(adasample_${module} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # Nobody replaces our functions from outside, so that they may be inlined; and no path of this machine in what is installed.
  target_compile_options(adasample_${module} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition;-fmacro-prefix-map=${adasample_SOURCE_DIR}/=>")
endforeach()

configure_file(${CMAKE_CURRENT_LIST_DIR}/adasample_engine.map.in adasample_engine.map @ONLY)
add_library(adasample_engine_library SHARED $<TARGET_OBJECTS:adasample_engine> $<TARGET_OBJECTS:adasample_model>)
target_link_libraries(adasample_engine_library PRIVATE adasample_kernels)
target_link_options(adasample_engine_library PRIVATE
  LINKER:--version-script=${CMAKE_CURRENT_BINARY_DIR}/adasample_engine.map LINKER:--as-needed)
target_compile_features(adasample_engine_library INTERFACE cxx_std_20)
list(TRANSFORM engine_headers PREPEND ${adasample_SOURCE_DIR}/src/adasample/)
target_sources(adasample_engine_library INTERFACE
  FILE_SET HEADERS BASE_DIRS ${adasample_SOURCE_DIR}/src FILES ${engine_headers})
set_target_properties(adasample_engine_library PROPERTIES
  OUTPUT_NAME adasample_engine EXPORT_NAME engine VERSION ${PROJECT_VERSION} SOVERSION ${so_version} LINKER_LANGUAGE CXX
  LINK_DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/adasample_engine.map)
adasample_compile_options(adasample_engine_library)
set_target_properties(adasample adasample_engine_library PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)

install(TARGETS adasample RUNTIME COMPONENT program)
install(FILES ${adasample_SOURCE_DIR}/weights/adasample-l2net.safetensors ${adasample_SOURCE_DIR}/weights/README.md
  DESTINATION ${CMAKE_INSTALL_DATADIR}/adasample COMPONENT weights)
install(TARGETS adasample_engine_library EXPORT adasample-engine
  LIBRARY COMPONENT engine NAMELINK_COMPONENT engine-dev FILE_SET HEADERS COMPONENT engine-dev
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})  # for a CMake that knows no file sets

# adasampleConfig.cmake takes every component whose targets lie beside it.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/adasample)
install(EXPORT adasample-engine NAMESPACE adasample:: DESTINATION ${package_dir} COMPONENT engine-dev)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/adasampleConfig.cmake.in adasampleConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(adasampleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/adasampleConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/adasampleConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT engine-dev)

# From the .pc file's own folder, so that the installed tree may be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE prefix_from_pc)
cmake_path(APPEND libdir_for_pc "\${prefix}" ${CMAKE_INSTALL_LIBDIR})  # an absolute one stays
cmake_path(APPEND includedir_for_pc "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/adasample-engine.pc.in adasample-engine.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/adasample-engine.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT engine-dev)
