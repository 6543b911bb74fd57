// RUN: fp8-opt --fp8-partition --remarks-filter-analyse=fp8 %s 2>&1 | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: fp8-opt --fp8-partition="tangents=2,0 results=1" --remarks-filter-analyse=fp8 %s 2>&1 | FileCheck %s --check-prefixes=CHECK,GIVEN --implicit-check-not=JointSignature
// RUN: not fp8-opt --fp8-partition="tangents=3" %s 2>&1 | FileCheck %s --check-prefix=TANGENT
// RUN: not fp8-opt --fp8-partition="results=2" %s 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: fp8-opt --fp8-partition=forward-only %s | FileCheck %s --check-prefix=PLAIN
// RUN: fp8-opt --fp8-partition="forward-only results=1 tangents=0" %s | FileCheck %s --check-prefix=EVAL

// A joint function that an exporter made says nothing of tangents.
// DEFAULT: JointSignature {{.*}}taken for a joint function: tangents are the arguments 2, the forward pass has the results 0
//   CHECK: func.func @joint_forward(
// DEFAULT-SAME: %{{.+}}: tensor<4xf32>, %{{.+}}: tensor<4xf32>) -> tensor<4xf32>
//   GIVEN-SAME: %{{.+}}: tensor<4xf32>) -> tensor<4xf32>
//   CHECK: func.func @joint_backward(
// DEFAULT-SAME: %{{.+}}: tensor<4xf32> {fp8.tangent = 0 : i64})
//   GIVEN-SAME: %{{.+}}: tensor<4xf32> {fp8.argument = 0 : i64}, %{{.+}}: tensor<4xf32>{{.*}}, %{{.+}}: tensor<4xf32>{{.*}})
// TANGENT: error: 'func.func' op expects argument 3 to be a tangent, but has 3
//  RESULT: error: 'func.func' op expects result 2 to be one of the forward pass, but has 2
//   PLAIN: func.func @joint(%{{.+}}: tensor<4xf32>, %{{.+}}: tensor<4xf32>, %{{.+}}: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
//    EVAL: func.func @joint(%{{.+}}: tensor<4xf32>, %{{.+}}: tensor<4xf32>) -> tensor<4xf32>
func.func @joint(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = arith.addf %a, %b : tensor<4xf32>
  return %0, %b : tensor<4xf32>, tensor<4xf32>
}
