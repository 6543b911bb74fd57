// RUN: fp8-opt --fp8-generate-gpu-kernels=target=cpu --verify-diagnostics %s

// expected-error @below {{expects a GPU among cpu, sm_80, sm_89, sm_90, sm_100, sm_120, gfx942, gfx950, but got 'cpu'}}
module {
}
