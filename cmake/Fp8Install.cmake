# What `cmake --install` copies, and the package that find_package(Fp8) finds.
# The runtime is an export set of its own: who uses it needs no MLIR.

include(CMakePackageConfigHelpers)
set(FP8_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Fp8)

install(TARGETS fp8rt fp8-tune EXPORT Fp8RuntimeTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/fp8rt
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT Fp8RuntimeTargets
  NAMESPACE Fp8:: DESTINATION ${FP8_PACKAGE_DIR})

if(FP8_BUILD_COMPILER)
  install(TARGETS Fp8 fp8-c fp8-compile fp8-lsp-server fp8-opt fp8-run
    EXPORT Fp8CompilerTargets)
  install(TARGETS Fp8Plugin DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY
    ${PROJECT_SOURCE_DIR}/include/Fp8
    ${PROJECT_BINARY_DIR}/include/Fp8
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.h.inc"
    PATTERN CMakeFiles EXCLUDE)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/fp8-c
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT Fp8CompilerTargets
    NAMESPACE Fp8:: DESTINATION ${FP8_PACKAGE_DIR})
endif()

configure_package_config_file(cmake/Fp8Config.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/Fp8Config.cmake
  INSTALL_DESTINATION ${FP8_PACKAGE_DIR})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cmake/Fp8ConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/cmake/Fp8Config.cmake
  ${PROJECT_BINARY_DIR}/cmake/Fp8ConfigVersion.cmake
  DESTINATION ${FP8_PACKAGE_DIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/mlir-fp8)
