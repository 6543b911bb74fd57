// RUN: fp8-opt --fp8-generate-gpu-kernels=target=sm_90 --split-input-file --verify-diagnostics %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Two iterations write one element: a race.
// expected-error @below {{'func.func' op expects a kernel whose results have an element of their own for each iteration of the parallel loops}}
func.func private @race(%x: memref<?x?xf32>, %y: memref<?xf32>) attributes {fp8.kernel} {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func private @no_code(%x: memref<?xf64>, %y: memref<?xf64>) attributes {fp8.kernel} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<?xf64>) outs(%y : memref<?xf64>) {
  ^bb0(%in: f64, %out: f64):
    // expected-error @below {{'math.exp' op has no code for a GPU yet on 'f64'}}
    %t = math.exp %in : f64
    linalg.yield %t : f64
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func private @temporary(%x: memref<?xf32>, %n: index) attributes {fp8.kernel} {
  %t = memref.alloc(%n) : memref<?xf32>
  // expected-error @below {{'linalg.generic' op expects arguments and scalars of the kernel as operands, but got one of type 'memref<?xf32>'}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%t : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}
