# CMake package of the installed wheel: opgraft_add_plugin(name sources...) builds an operator library.
#
# find_package(opgraft) finds it when opgraft_DIR is the folder that `opgraft --cmake-dir` (opgraft.cmake_dir()) prints;
# without it, the Python interpreter on the path is asked.
get_filename_component(opgraft_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/../include" ABSOLUTE)
if(NOT EXISTS "${opgraft_INCLUDE_DIR}/opgraft/op.h")
  get_filename_component(opgraft_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/../../include" ABSOLUTE)
endif()
set(opgraft_FOUND TRUE)

# Compiler settings of a plug-in, for targets made otherwise (pybind11_add_module, ...).
function(opgraft_configure_plugin target)
  target_include_directories(${target} PRIVATE "${opgraft_INCLUDE_DIR}")
  target_compile_features(${target} PRIVATE cxx_std_17)
  target_compile_options(${target} PRIVATE -fno-trapping-math -fno-math-errno -ffp-contract=off -fopenmp-simd)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# A loadable library called <name>.so: nothing is linked, one symbol is exported.
function(opgraft_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "")
  opgraft_configure_plugin(${name})
  if(NOT CMAKE_BUILD_TYPE)
    target_compile_options(${name} PRIVATE -O3)
  endif()
endfunction()
