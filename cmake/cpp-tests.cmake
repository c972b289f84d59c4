# All GoogleTest files under tests/ in one program, and the mutants.
find_package(GTest REQUIRED)
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/test_*.cc)
add_executable(opgraft_tests ${sources})
target_include_directories(opgraft_tests PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(opgraft_tests PRIVATE ${OPGRAFT_CORE_TARGET} GTest::gtest GTest::gtest_main)
add_test(NAME opgraft_tests COMMAND opgraft_tests)
set_tests_properties(opgraft_tests PROPERTIES TIMEOUT 1200)
add_subdirectory(${PROJECT_SOURCE_DIR}/tests/fuzz ${PROJECT_BINARY_DIR}/fuzz)
