// RUN: fp8-opt --fp8-fuse-glue=target=sm_91 --verify-diagnostics %s

// expected-error @below {{expects a target among cpu, sm_80, sm_89, sm_90, sm_100, sm_120, gfx942, gfx950, but got 'sm_91'}}
module {
}
