# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An editor's session with fp8-lsp-server: diagnostics, hover, completion.

RUN: %python %s
"""

import json
import subprocess

URI = "test:///layer.mlir"
VALID = """\
func.func @cast(%x: tensor<64x32xbf16>) -> tensor<64x32xf8E4M3FN> {
  %a = fp8.amax %x : tensor<64x32xbf16> -> tensor<f32>
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %q = fp8.cast %x scale %s
      : tensor<64x32xbf16>, tensor<f32> -> tensor<64x32xf8E4M3FN>
  return %q : tensor<64x32xf8E4M3FN>
}
"""
# The descale where the scale belongs.
INVALID = VALID.replace("%x scale %s", "%x scale %d")
CAST = VALID[: VALID.index("fp8.cast")].count("\n")


def frame(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def talk(messages):
    """What the server answers, from the first message to its exit."""
    server = subprocess.run(
        ["fp8-lsp-server"],
        input=b"".join(map(frame, messages)),
        capture_output=True,
        check=True,
    )
    answers, rest = [], server.stdout
    while rest:
        head, rest = rest.split(b"\r\n\r\n", 1)
        size = int(head.split(b":")[1])
        answers.append(json.loads(rest[:size]))
        rest = rest[size:]
    return answers


def request(number, method, params):
    return {"id": number, "method": method, "params": params}


def open_document(text):
    document = {"uri": URI, "languageId": "mlir", "version": 1, "text": text}
    return {"method": "textDocument/didOpen", "params": {"textDocument": document}}


def at(line, character):
    return {
        "textDocument": {"uri": URI},
        "position": {"line": line, "character": character},
    }


INITIALIZE = request(
    0,
    "initialize",
    {"processId": 1, "capabilities": {}, "rootUri": None, "trace": "off"},
)
END = [request(9, "shutdown", None), {"method": "exit"}]


def session(text, *messages):
    return talk([INITIALIZE, open_document(text), *messages, *END])


def result(answers, number):
    return next(a["result"] for a in answers if a.get("id") == number)


def diagnostics(answers):
    method = "textDocument/publishDiagnostics"
    (published,) = [a["params"] for a in answers if a.get("method") == method]
    assert published["uri"] == URI, published
    return published["diagnostics"]


def check_diagnostics():
    (found,) = diagnostics(session(INVALID))
    assert found["range"]["start"]["line"] == CAST, found
    assert found["severity"] == 1, found
    expected = "'fp8.cast' op expects the scale of an fp8.scale, but got its descale"
    assert expected in found["message"], found
    # Negative: what verifies has none.
    assert diagnostics(session(VALID)) == []


def check_hover():
    column = VALID.splitlines()[CAST].index("fp8.cast")
    answers = session(VALID, request(1, "textDocument/hover", at(CAST, column)))
    text = result(answers, 1)["contents"]["value"]
    assert '"fp8.cast"' in text and "tensor<64x32xf8E4M3FN>" in text, text


def check_completion():
    text = VALID.replace("fp8.cast %x scale %s", "fp8.")
    column = text.splitlines()[CAST].index("fp8.") + len("fp8.")
    answers = session(text, request(1, "textDocument/completion", at(CAST, column)))
    names = {item["label"] for item in result(answers, 1)["items"]}
    assert {"amax", "cast", "scale", "scaled_mm"} <= names, names


check_diagnostics()
check_hover()
check_completion()
