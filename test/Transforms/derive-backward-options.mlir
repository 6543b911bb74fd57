// RUN: fp8-opt --fp8-derive-backward=function=one %s | FileCheck %s --check-prefix=ONE
// RUN: fp8-opt --fp8-derive-backward %s | FileCheck %s --check-prefix=ALL
// RUN: not fp8-opt --fp8-derive-backward=function=three %s 2>&1 | FileCheck %s --check-prefix=NONE

// ONE: func @one(%{{.+}}: tensor<4xf32>, %{{.+}}: tensor<4xf32> {fp8.tangent = 0 : i64})
// ONE: func @two(%{{.+}}: tensor<4xf32>) ->
// ALL: func @one(%{{.+}}: tensor<4xf32>, %{{.+}}: tensor<4xf32> {fp8.tangent = 0 : i64})
// ALL: func @two(%{{.+}}: tensor<4xf32>, %{{.+}}: tensor<4xf32> {fp8.tangent = 0 : i64})
// NONE: error: expects a function with a body named 'three', but the module has none
func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @two(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
