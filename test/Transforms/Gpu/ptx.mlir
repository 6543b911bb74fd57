// What NVIDIA's backend makes of the kernels of a linear layer: accesses of 16
// bytes both ways, the hardware's convert, roundings as they were written.
// RUN: fp8-run %inputs/torch_linear.mlir --backward --target=sm_90 --emit=kernels | fp8-opt - --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,convert-gpu-to-nvvm{has-redux=1},reconcile-unrealized-casts,canonicalize,cse),gpu-module-to-binary{format=isa})" | sed -e 's/\\0A/\n/g' -e 's/\\09/ /g' > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=NEVER < %t.ptx

// NEVER-NOT: div.approx
// NEVER-NOT: div.full
// NEVER-NOT: {{(mul|add|fma|div|sqrt)\.[a-z.]*ftz}}
// NEVER-NOT: sqrt.approx
// NEVER-NOT: {{mul.f32|add.f32}}
// NEVER-NOT: .local

// CHECK-LABEL: .entry amax(
//       CHECK:   ld.global.v4.b32
//       CHECK:   redux.sync.max.s32
// CHECK-COUNT-3: atom.global.max.s32
//   CHECK-NOT:   atom

// Three fma of each of the two divisions, and nothing is contracted. Three casts
// in one kernel, whose registers have an upper bound.
// CHECK-LABEL: .entry cast_transpose(
//       CHECK: .minnctapersm 2
// CHECK-COUNT-8: ld.global.v4.b32
//       CHECK:   cvt.rn.satfinite.e4m3x2.f32
//       CHECK:   st.global.v4.b32
//       CHECK:   bar.sync
// CHECK-COUNT-4: st.global.v4.b32
//       CHECK:   ld.global.b16
//       CHECK:   cvt.rn.satfinite.e5m2x2.f32
