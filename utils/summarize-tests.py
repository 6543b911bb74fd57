#!/usr/bin/env python3
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds up what ctest and lit counted: `N passed, N failed, N skipped`.

Takes lit's JSON file and JUnit files of ctest. Exits with 1 if a test failed or
none ran.
"""

import json
import sys
import xml.etree.ElementTree


def main():
    lit, *junits = sys.argv[1:]
    passed = failed = skipped = 0
    for junit in junits:
        suite = xml.etree.ElementTree.parse(junit).getroot()
        bad = int(suite.get("failures"))
        left = int(suite.get("skipped")) + int(suite.get("disabled"))
        passed += int(suite.get("tests")) - bad - left
        failed += bad
        skipped += left
    with open(lit) as file:
        for test in json.load(file)["tests"]:
            code = test["code"]
            passed += code in ("PASS", "XFAIL", "FLAKYPASS")
            skipped += code in ("UNSUPPORTED", "SKIPPED", "EXCLUDED")
            failed += code in ("FAIL", "XPASS", "UNRESOLVED", "TIMEOUT")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
