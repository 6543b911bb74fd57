func.func @unranked(%x: tensor<*xbf16>) { %0 = fp8.amax %x : tensor<*xbf16> -> tensor<f32> return }
