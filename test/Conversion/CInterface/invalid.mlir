// RUN: fp8-opt --fp8-emit-c-interface --split-input-file --verify-diagnostics %s

// expected-error @below {{'func.func' op expects a workspace, a context and a stream, but has 1 arguments}}
func.func @no_runtime_arguments(%x: memref<4xf32>) {
  return
}

// -----

// expected-error @below {{'func.func' op expects companions no_companions_workspace and no_companions_prepare, but one is missing}}
func.func @no_companions(%x: memref<4xf32>, %w: memref<?xi8>, %c: !llvm.ptr, %s: !llvm.ptr) {
  return
}

// -----

// expected-error @below {{'func.func' op expects buffers of floats or integers as arguments, but got 'index'}}
func.func @scalar(%x: index, %w: memref<?xi8>, %c: !llvm.ptr, %s: !llvm.ptr) {
  return
}
