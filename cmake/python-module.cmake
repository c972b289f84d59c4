# The nanobind module opgraft._core and what the wheel carries beside it: headers and the CMake package.
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_ROOT
                OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE nanobind_missing)
if(nanobind_missing)
  message(FATAL_ERROR "nanobind was not found. Install it with\n    ${Python_EXECUTABLE} -m pip install nanobind")
endif()
find_package(nanobind CONFIG REQUIRED)
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/python/*.cc)
nanobind_add_module(_core NOMINSIZE ${sources})
target_link_libraries(_core PRIVATE ${OPGRAFT_CORE_TARGET})
install(TARGETS _core LIBRARY DESTINATION opgraft)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/opgraft DESTINATION opgraft/include)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/opgraft-config.cmake DESTINATION opgraft/cmake)
# Plug-ins may use Highway too; its and protozero's code is in our binary, so their licences go along.
install(DIRECTORY ${OPGRAFT_INCLUDE_hwy_highway_h}/hwy DESTINATION opgraft/include FILES_MATCHING PATTERN "*.h")
foreach(package libhwy-dev libprotozero-dev)
  install(FILES /usr/share/doc/${package}/copyright DESTINATION opgraft/licenses RENAME ${package}.txt OPTIONAL)
endforeach()
