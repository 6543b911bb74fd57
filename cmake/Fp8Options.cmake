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
  # Functions of vendors' libraries are called through declarations of our own,
  # whose types differ by name.
  target_compile_options(fp8_options INTERFACE
    -fsanitize=${FP8_SANITIZERS} -fno-omit-frame-pointer -fno-sanitize-recover=all
    $<$<C_COMPILER_ID:Clang>:-fno-sanitize=function>)
  target_link_options(fp8_options INTERFACE -fsanitize=${FP8_SANITIZERS})
endif()
