// RUN: fp8-opt --fp8-add-runtime-arguments --split-input-file --verify-diagnostics %s

// expected-error @below {{'func.func' op expects results as destinations, but returns 'memref<?xi8>'}}
func.func @results(%w: memref<?xi8>) -> memref<?xi8> {
  return %w : memref<?xi8>
}

// -----

// expected-error @below {{'func.func' op expects a workspace as its last argument, which fp8-plan-workspace adds, but got '() -> ()'}}
func.func @nothing() {
  return
}

// -----

// expected-error @below {{'func.func' op expects a workspace as its last argument, which fp8-plan-workspace adds, but got '(memref<4xf32>) -> ()'}}
func.func @no_workspace(%x: memref<4xf32>) {
  return
}

// -----

// expected-error @below {{'func.func' op expects the name 'main_prepare' to be free}}
func.func @main(%w: memref<?xi8>) {
  return
}
// expected-note @below {{this has it}}
func.func private @main_prepare()
