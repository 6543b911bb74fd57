// What NVIDIA's backend makes of casts with a predicted scale: accesses of 16
// bytes both ways, one reduction in a subgroup, one atomic a block; and of those
// that are done again: nothing but scalars when there is nothing to do.
// RUN: fp8-run %inputs/torch_linear.mlir --backward --recipe=tensorwise_pow2 --target=sm_90 --emit=kernels | fp8-opt - --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,convert-gpu-to-nvvm{has-redux=1},reconcile-unrealized-casts,canonicalize,cse),gpu-module-to-binary{format=isa})" | sed -e 's/\\0A/\n/g' -e 's/\\09/ /g' > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=NEVER < %t.ptx

// NEVER-NOT: div.approx
// NEVER-NOT: div.full
// NEVER-NOT: {{(mul|add|fma|div|sqrt)\.[a-z.]*ftz}}
// NEVER-NOT: {{mul.f32|add.f32}}
// NEVER-NOT: .local

// CHECK-LABEL: .entry cast_transpose_amax(
// CHECK-COUNT-8: ld.global.v4.b32
//       CHECK:   cvt.rn.satfinite.e4m3x2.f32
//       CHECK:   redux.sync.max.s32
//       CHECK:   bar.sync
// CHECK-COUNT-4: st.global.v4.b32
//       CHECK:   atom.global.max.s32
//       CHECK:   cvt.rn.satfinite.e5m2x2.f32
// CHECK-LABEL: .entry redo_cast_transpose(
//   CHECK-NOT:   bar.sync
//   CHECK-NOT:   ld.global.v4
//       CHECK:   rcp.approx.ftz.f32
//   CHECK-NOT:   bar.sync
//   CHECK-NOT:   ld.global.v4
//       CHECK:   bra
//       CHECK:   ld.global.v4.b32
//       CHECK:   cvt.rn.satfinite.e4m3x2.f32
