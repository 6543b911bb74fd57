// RUN: fp8-opt --fp8-add-runtime-arguments --fp8-convert-asserts --split-input-file --verify-diagnostics %s | FileCheck %s

// A condition that does not hold ends the function with a status; equal texts are
// one constant.
//       CHECK: llvm.mlir.global internal constant @fp8_assert_0("mismatched size\00")
//   CHECK-NOT: @fp8_assert_1
// CHECK-LABEL: func.func @main(
//  CHECK-SAME:   %{{.+}}: memref<4xf32>, %[[OK:.+]]: i1,
//       CHECK:   %[[SLOT:.+]] = memref.alloca()
//       CHECK:   cf.cond_br %[[OK]], ^[[REST:.+]], ^[[FAILED:.+]]
//       CHECK: ^[[REST]]:
//       CHECK:   cf.cond_br %[[OK]]
//       CHECK: ^[[FAILED]]:
//       CHECK:   %[[TEXT:.+]] = llvm.mlir.addressof @fp8_assert_0
//       CHECK:   %[[S:.+]] = llvm.call @fp8rt_fail(%[[TEXT]])
//       CHECK:   memref.store %{{.+}}, %[[SLOT]]
//       CHECK:   return
func.func @main(%a: memref<4xf32>, %ok: i1, %w: memref<?xi8>) {
  cf.assert %ok, "mismatched size"
  cf.assert %ok, "mismatched size"
  return
}

// -----

func.func @loop(%a: memref<4xf32>, %ok: i1, %n: index, %w: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'cf.assert' op expects to be in the block of a function, but is in scf.for}}
    cf.assert %ok, "not here"
  }
  return
}
