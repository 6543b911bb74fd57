# What every target of the project is built with.

find_program(FP8_CCACHE ccache)
if(FP8_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${FP8_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FP8_CCACHE})
endif()

add_library(fp8_options INTERFACE)
target_compile_options(fp8_options INTERFACE
  -Wall -Wextra -Wno-unused-parameter
  $<$<CXX_COMPILER_ID:GNU>:-Wno-comment>)

if(FP8_SANITIZERS)
  # Their runtime is a shared library, which processes that are built without
  # sanitizers, such as Python and mlir-opt, preload before they load ours. With
  # libFuzzer, which is static, it would not be the first library of a process.
  set(runtime libasan.so)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(runtime libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so)
  endif()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${runtime}
    OUTPUT_VARIABLE FP8_SANITIZER_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(folder ${FP8_SANITIZER_RUNTIME} DIRECTORY)
  list(APPEND CMAKE_BUILD_RPATH ${folder})
  list(APPEND CMAKE_INSTALL_RPATH ${folder})
  # Functions of vendors' libraries are called through declarations of our own,
  # whose types differ by name.
  target_compile_options(fp8_options INTERFACE
    -fsanitize=${FP8_SANITIZERS} -fno-omit-frame-pointer -fno-sanitize-recover=all
    $<$<C_COMPILER_ID:Clang>:-fno-sanitize=function>)
  add_library(fp8_sanitizer_runtime INTERFACE)
  target_link_options(fp8_sanitizer_runtime INTERFACE
    -fsanitize=${FP8_SANITIZERS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT FP8_FUZZ)
    target_link_options(fp8_sanitizer_runtime INTERFACE -shared-libsan)
  endif()
  target_link_libraries(fp8_options INTERFACE fp8_sanitizer_runtime)
endif()
