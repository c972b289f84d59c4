# og_module, og_operators, og_backend: one library each, from all sources of a folder; og_core joins them.
set(OPGRAFT_ENGINE_PARTS "" CACHE INTERNAL "")

function(og_part name folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cc)
  if(NOT sources)
    message(FATAL_ERROR "src/${folder} has no source")
  endif()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PRIVATE og_flags)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
endfunction()

# A folder of the engine under src/.
function(og_module folder)
  og_part(og_${folder} ${folder})
  target_include_directories(og_${folder} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  set(OPGRAFT_ENGINE_PARTS ${OPGRAFT_ENGINE_PARTS} og_${folder} CACHE INTERNAL "")
endfunction()

# Built-in operators see the public headers only. Each registers itself, so all objects are linked.
function(og_operators folder)
  og_part(og_operators_${folder} ${folder})
  set(OPGRAFT_OPERATORS og_operators_${folder} CACHE INTERNAL "")
endfunction()

# A back end under src/backends/: the public headers and its own folder. Its kernels are not instrumented in sanitizer
# builds (one file would take ten minutes); their tests keep guard bytes around every buffer instead.
function(og_backend folder)
  og_part(og_backend_${folder} backends/${folder})
  target_compile_options(og_backend_${folder} PRIVATE -fno-sanitize=all)
  if(OPGRAFT_FUZZ)  # coverage of unrolled register tiles tells nothing and takes clang ten minutes a file
    target_compile_options(og_backend_${folder} PRIVATE -fno-sanitize=fuzzer-no-link -O0)
  endif()
  target_include_directories(og_backend_${folder} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  set(OPGRAFT_ENGINE_PARTS ${OPGRAFT_ENGINE_PARTS} og_backend_${folder} CACHE INTERNAL "")
endfunction()

# Everything that a program which embeds the engine links.
function(og_core name)
  string(REPLACE ";" "," parts "${OPGRAFT_ENGINE_PARTS}")
  add_library(${name} INTERFACE)
  target_link_libraries(${name} INTERFACE $<LINK_LIBRARY:WHOLE_ARCHIVE,${OPGRAFT_OPERATORS}>
                                          "$<LINK_GROUP:RESCAN,${parts}>" og_flags)
  target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  set(OPGRAFT_CORE_TARGET ${name} PARENT_SCOPE)
endfunction()
