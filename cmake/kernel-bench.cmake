# One program per file under bench/kernels/ that uses google-benchmark.
find_package(benchmark REQUIRED)
foreach(name gemm conv)
  add_executable(bench_${name} ${PROJECT_SOURCE_DIR}/bench/kernels/${name}.cc ${PROJECT_SOURCE_DIR}/bench/kernels/fma_peak.cc)
  target_link_libraries(bench_${name} PRIVATE ${OPGRAFT_CORE_TARGET} benchmark::benchmark)
endforeach()
