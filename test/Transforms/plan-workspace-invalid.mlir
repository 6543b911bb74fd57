// RUN: fp8-opt --fp8-plan-workspace --split-input-file --verify-diagnostics %s

// expected-error @below {{'func.func' op expects one block, but has 2}}
func.func @blocks() {
  cf.br ^end
^end:
  return
}

// -----

func.func @strided() {
  // expected-error @below {{'memref.alloc' op expects a temporary without strides in the default memory space, but got 'memref<4x4xf32, strided<[8, 1]>>'}}
  %a = memref.alloc() : memref<4x4xf32, strided<[8, 1]>>
  return
}

// -----

func.func @memory_space() {
  // expected-error @below {{'memref.alloc' op expects a temporary without strides in the default memory space, but got 'memref<4xf32, 3>'}}
  %a = memref.alloc() : memref<4xf32, 3>
  return
}

// -----

func.func @indices() {
  // expected-error @below {{'memref.alloc' op expects a temporary of integers or floats, but got 'memref<4xindex>'}}
  %a = memref.alloc() : memref<4xindex>
  return
}

// -----

func.func @dynamic_in_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'memref.alloc' op expects a temporary of dynamic size outside of loops, but got 'memref<?xf32>'}}
    %a = memref.alloc(%n) : memref<?xf32>
  }
  return
}

// -----

func.func @size_from_memory(%x: memref<index>) {
  %n = memref.load %x[] : memref<index>
  // expected-error @below {{'memref.alloc' op expects a size that follows from the sizes of the arguments, but it depends on memref.load}}
  %a = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

// The next iteration would write over what it reads.
func.func @leaves_an_iteration(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%b = %x) -> (memref<4xf32>) {
    // expected-error @below {{'memref.alloc' op expects a temporary that is free at the end of an iteration, but it leaves scf.for}}
    %n = memref.alloc() : memref<4xf32>
    linalg.exp ins(%b : memref<4xf32>) outs(%n : memref<4xf32>)
    scf.yield %n : memref<4xf32>
  }
  memref.copy %r, %x : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func @parallel(%x: memref<4xf32>) {
  scf.forall (%i) in (4) {
    // expected-error @below {{'memref.alloc' op expects no temporary in a parallel loop, whose iterations would share it, but is in scf.forall}}
    %n = memref.alloc() : memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%n : memref<4xf32>)
  }
  return
}

// -----

// expected-error @below {{'func.func' op expects results as destinations, but returns 'memref<4xf32>'}}
func.func @returned() -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  return %a : memref<4xf32>
}

// -----

// expected-error @below {{'func.func' op expects the name 'main_workspace' to be free}}
func.func @main() {
  return
}
// expected-note @below {{this has it}}
func.func private @main_workspace()

// -----

func.func @callee() {
  return
}
func.func @caller() {
  // expected-error @below {{'func.call' op expects no call of a public function, but calls 'callee'}}
  call @callee() : () -> ()
  return
}

// -----

// 2^64 bytes would be counted as none.
func.func @bytes_overflow() {
  // expected-error @below {{'memref.alloc' op expects a temporary of fewer than 2^45 elements, but got 'memref<4294967296x1073741824xf32>'}}
  %a = memref.alloc() : memref<4294967296x1073741824xf32>
  return
}

// -----

func.func @kept_of_dynamic_size(%n: index) {
  // expected-error @below {{'memref.alloc' op expects a static size with fp8.kept, but got 'memref<?xf32>'}}
  %a = memref.alloc(%n) {fp8.kept} : memref<?xf32>
  return
}
