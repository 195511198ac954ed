# SPDX-License-Identifier: Apache-2.0
# Debian packages, one a component of AdasampleInstall.cmake: `cpack -G DEB` in a build configured for /usr (make deb).
#   adasample   libadasample-x0.1   libadasample-x-dev   adasample-y for any other component y
# What a program loads of other projects dpkg-shlibdeps finds out; our own and what a compiler reads is written here.
set(CPACK_PACKAGE_NAME adasample)
set(CPACK_PACKAGE_CONTACT "adasample developers <adasample@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_CURRENT_BINARY_DIR})
get_cmake_property(CPACK_COMPONENTS_ALL COMPONENTS)
list(REMOVE_ITEM CPACK_COMPONENTS_ALL Unspecified)

macro(adasample_package component name section description)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
  set(CPACK_COMPONENT_${key}_DESCRIPTION ${description})
  set(package_depends ${ARGN})
  list(JOIN package_depends ", " CPACK_DEBIAN_${key}_PACKAGE_DEPENDS)
  set(package_licence ${adasample_SOURCE_DIR}/LICENSE)
  if(${component} STREQUAL weights)  # learned from pictures under another licence
    set(package_licence ${adasample_SOURCE_DIR}/weights/LICENSE)
  endif()
  install(FILES ${package_licence} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} RENAME copyright COMPONENT ${component})
endmacro()

foreach(component pictures opencv train)
  set(loads_${component} "libadasample-engine${so_version} (= ${PROJECT_VERSION})")
endforeach()
set(reads_pictures "libadasample-engine-dev (= ${PROJECT_VERSION})")
set(reads_opencv "libadasample-engine-dev (= ${PROJECT_VERSION})" libopencv-dev)
set(reads_train "libadasample-engine-dev (= ${PROJECT_VERSION})" nlohmann-json3-dev)
foreach(component ${CPACK_COMPONENTS_ALL})
  if(TARGET adasample_${component}_library)
    get_target_property(description adasample_${component}_library ADASAMPLE_DESCRIPTION)
    set(library libadasample-${component}${so_version})
    adasample_package(${component} ${library} libs ${description} ${loads_${component}})
    adasample_package(${component}-dev libadasample-${component}-dev libdevel "${description}: headers"
      "${library} (= ${PROJECT_VERSION})" ${reads_${component}})
  elseif(NOT component MATCHES "-dev$|^program$|^python$")
    adasample_package(${component} adasample-${component} misc "Local image descriptors learned with AdaSample: ${component}")
  endif()
endforeach()
adasample_package(program adasample science
  "Trains a network that maps a 32x32 grey patch to a vector of 128 numbers, makes its own training data from photographs, reconstructions or nothing, and scores the result by the field's protocols.")
if(python IN_LIST CPACK_COMPONENTS_ALL)
  adasample_package(python python3-adasample python "Local image descriptors learned with AdaSample: the Python package"
    "python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}~)" "python3 (<< ${Python_VERSION_MAJOR}.${python_next_minor}~)" python3-numpy
    "adasample-weights (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS adasample)  # trains
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-torch, python3-opencv")
endif()
if(weights IN_LIST CPACK_COMPONENTS_ALL)  # what "default" means
  foreach(key PROGRAM ENGINE)
    set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "adasample-weights (= ${PROJECT_VERSION})")
  endforeach()
  set(CPACK_DEBIAN_WEIGHTS_PACKAGE_ARCHITECTURE all)
endif()
include(CPack)
