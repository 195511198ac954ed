# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts: the program, and shared libraries with their headers, CMake packages and pkg-config files. A
# library's dependencies are its own business: who links it needs their headers only where its own headers show them.
#   program                what users run
#   engine  engine-dev     describes patches: C++ and C
#   weights                what `default` means
#   pictures pictures-dev  describes and matches photographs
#   opencv  opencv-dev     a cv::Feature2D
#   train   train-dev      trains, with LibTorch inside
# x is what programs load, x-dev what compilers read.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(so_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})  # below 1.0 a minor version may break what a major one may later
set(weights_files adasample-l2net.safetensors adasample-l2net.vocabulary.safetensors adasample-l2net-free.safetensors
    adasample-l2net-free.vocabulary.safetensors SHA256SUMS README.md LICENSE)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/adasample)
# From the .pc file's own folder, so that the installed tree may be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE prefix_from_pc)
cmake_path(APPEND libdir_for_pc "\${prefix}" ${CMAKE_INSTALL_LIBDIR})  # an absolute one stays
cmake_path(APPEND includedir_for_pc "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})

# adasample_installed_library(NAME DESCRIPTION text SOURCES .. HEADERS .. [PUBLIC libraries] [PRIVATE libraries]
# [REQUIRES pkg-config modules]): lib/libadasample_NAME.so, which exports what adasample_NAME.map.in lists.
function(adasample_installed_library name)
  cmake_parse_arguments(L "" "DESCRIPTION" "SOURCES;HEADERS;PUBLIC;PRIVATE;REQUIRES" ${ARGN})
  set(target adasample_${name}_library)
  set(map ${CMAKE_CURRENT_BINARY_DIR}/adasample_${name}.map)
  configure_file(${adasample_SOURCE_DIR}/cmake/adasample_${name}.map.in ${map} @ONLY)
  add_library(${target} SHARED ${L_SOURCES})
  target_link_libraries(${target} PUBLIC ${L_PUBLIC} PRIVATE ${L_PRIVATE})
  target_link_options(${target} PRIVATE LINKER:--version-script=${map} LINKER:--as-needed
    LINKER:-z,nodelete)  # threads of the pool (base/thread_pool.h) stay: their code must, too
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_sources(${target} INTERFACE FILE_SET HEADERS BASE_DIRS ${adasample_SOURCE_DIR}/include FILES ${L_HEADERS})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME adasample_${name} EXPORT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION ${so_version} LINKER_LANGUAGE CXX
    ADASAMPLE_DESCRIPTION "${L_DESCRIPTION}" LINK_DEPENDS ${map} INSTALL_RPATH $ORIGIN INSTALL_RPATH_USE_LINK_PATH ON)
  adasample_compile_options(${target})
  install(TARGETS ${target} EXPORT adasample-${name}
    LIBRARY COMPONENT ${name} NAMELINK_COMPONENT ${name}-dev FILE_SET HEADERS COMPONENT ${name}-dev
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})  # for a CMake that knows no file sets
  install(EXPORT adasample-${name} NAMESPACE adasample:: DESTINATION ${package_dir} COMPONENT ${name}-dev)
  list(JOIN L_REQUIRES ", " requires)
  set(description ${L_DESCRIPTION})
  configure_file(${adasample_SOURCE_DIR}/cmake/adasample.pc.in adasample-${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/adasample-${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${name}-dev)
endfunction()

set(modules base image features data model gpu engine train_run train_pass eval integrate)
if(ADASAMPLE_OPENCV)
  list(APPEND modules integrate_opencv)
endif()
adasample_position_independent(${modules})

# The public headers are what stands in include/, each in one library.
set(public ${adasample_SOURCE_DIR}/include/adasample)
file(GLOB_RECURSE train_headers CONFIGURE_DEPENDS ${public}/*.h)
file(GLOB opencv_headers CONFIGURE_DEPENDS ${public}/features/region.h ${public}/integrate/*.h)
file(GLOB pictures_headers CONFIGURE_DEPENDS ${public}/features/*.h)
list(REMOVE_ITEM pictures_headers ${public}/features/region.h)
file(GLOB engine_headers CONFIGURE_DEPENDS ${public}/engine/*.h)
foreach(header base/conventions.h base/exception.h model/layer_table.h model/network.h model/weights.h model/calibration.h model/default_weights.h
        model/descriptor.h model/descriptor_registry.h model/pair_metric.h)
  list(APPEND engine_headers ${public}/${header})
endforeach()
list(REMOVE_ITEM train_headers ${engine_headers} ${opencv_headers} ${pictures_headers})

adasample_installed_library(engine DESCRIPTION "Describes image patches with a network learned by adasample (C++20, C99)"
  SOURCES $<TARGET_OBJECTS:adasample_engine> $<TARGET_OBJECTS:adasample_model>
  HEADERS ${engine_headers}
  PRIVATE adasample_gpu ${engine_libs} ${highway_libs})

# The others take from the engine's library what it exports, and the rest of what they need from the modules' archives.
adasample_installed_library(pictures DESCRIPTION "Describes and matches photographs (C++20)"
  SOURCES $<TARGET_OBJECTS:adasample_features>
  HEADERS ${pictures_headers}
  PUBLIC adasample_engine_library PRIVATE adasample_features
  REQUIRES adasample-engine)
if(ADASAMPLE_OPENCV)
  adasample_installed_library(opencv DESCRIPTION "adasample's descriptors as a cv::Feature2D (C++20)"
    SOURCES $<TARGET_OBJECTS:adasample_integrate_opencv>
    HEADERS ${opencv_headers}
    PUBLIC adasample_engine_library opencv_features2d opencv_core PRIVATE adasample_features
    REQUIRES adasample-engine opencv4)
  target_compile_options(adasample_opencv_library PRIVATE -fmacro-prefix-map=${adasample_SOURCE_DIR}/=)
endif()
if(ADASAMPLE_TORCH)
  foreach(module net loss sampler train)
    target_compile_options(adasample_${module} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${adasample_SOURCE_DIR}/=>")
    list(APPEND train_objects $<TARGET_OBJECTS:adasample_${module}>)
  endforeach()
  adasample_installed_library(train DESCRIPTION "Learns local image descriptors with AdaSample (C++20)"
    SOURCES ${train_objects} $<TARGET_OBJECTS:adasample_train_run> $<TARGET_OBJECTS:adasample_train_pass> $<TARGET_OBJECTS:adasample_base> $<TARGET_OBJECTS:adasample_data> $<TARGET_OBJECTS:adasample_eval>
    HEADERS ${train_headers}
    PUBLIC adasample_engine_library nlohmann_json::nlohmann_json PRIVATE adasample_train adasample_eval
    REQUIRES adasample-engine nlohmann_json)
endif()

foreach(target adasample_convert adasample_convert_torchscript adasample_report adasample_report_live adasample_experiment_grid adasample_experiment adasample_cli adasample_cli_train
        ${main_targets})  # the programs' own
  if(TARGET ${target})
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${adasample_SOURCE_DIR}/=>)
  endif()
endforeach()
set_target_properties(adasample ${handed_over_to} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
add_custom_target(adasample_installed DEPENDS adasample)  # everything that is installed, no test and no example
foreach(library engine pictures opencv train)
  if(TARGET adasample_${library}_library)
    add_dependencies(adasample_installed adasample_${library}_library)
  endif()
endforeach()
if(TARGET adasample_python)
  add_dependencies(adasample_installed adasample_python)
endif()
install(TARGETS adasample RUNTIME COMPONENT program)
if(handed_over_to)
  cmake_path(SET installed_helpers NORMALIZE ${CMAKE_INSTALL_BINDIR}/../libexec/adasample)
  install(TARGETS ${handed_over_to} RUNTIME DESTINATION ${installed_helpers} COMPONENT program)
endif()
list(TRANSFORM weights_files PREPEND ${adasample_SOURCE_DIR}/weights/)
install(FILES ${weights_files} DESTINATION ${CMAKE_INSTALL_DATADIR}/adasample COMPONENT weights)

# adasampleConfig.cmake takes every component whose targets lie beside it.
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/adasampleConfig.cmake.in adasampleConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(adasampleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/adasampleConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/adasampleConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT engine-dev)
