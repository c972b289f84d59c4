# The kernel benchmarks, one program: GFLOP/s and % of the measured FMA peak.
find_package(benchmark REQUIRED)
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/kernels/*.cc)
add_executable(kernel_bench ${sources})
target_include_directories(kernel_bench PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(kernel_bench PRIVATE ${OPGRAFT_CORE_TARGET} benchmark::benchmark)
