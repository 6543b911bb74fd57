//===- Json.h - A small JSON reader and writer ------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enough JSON for the plan cache: files may be damaged, so the reader takes
// nothing that the grammar does not allow and has bounds on everything.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_COMMON_JSON_H
#define FP8RT_COMMON_JSON_H

#include <stdint.h>
#include <string>
#include <utility>
#include <vector>

namespace fp8rt {

/// A value. Numbers keep their text, so that 64-bit integers stay exact.
class Json {
public:
  enum class Kind { Null, Bool, Number, String, Array, Object };

  Json() = default;
  static Json string(std::string text);
  static Json integer(int64_t value);
  /// Finite; written with enough digits for a time.
  static Json number(double value);
  static Json array();
  static Json object();

  /// Reads all of `text`. False, and in `error` what and where, if it is not
  /// JSON, is nested too deeply or holds a key twice.
  static bool parse(const std::string &text, Json *value, std::string *error);

  Kind kind() const { return tag; }
  const std::vector<Json> &elements() const { return items; }
  /// Null where there is none.
  const Json *find(const std::string &key) const;
  /// The member as what is asked for; false where it is missing or another
  /// thing, or does not fit.
  bool get(const std::string &key, std::string *value) const;
  bool get(const std::string &key, int64_t *value) const;
  bool get(const std::string &key, double *value) const;

  void push(Json value) { items.push_back(std::move(value)); }
  void set(const std::string &key, Json value);
  /// Members of objects of objects are indented, inner ones are on one line.
  std::string write(int depth = 0) const;

private:
  friend class JsonReader;

  Kind tag = Kind::Null;
  /// The text of a string, a number or a truth value.
  std::string text;
  /// Elements, or members, whose keys are in `keys`.
  std::vector<Json> items;
  std::vector<std::string> keys;
};

} // namespace fp8rt

#endif // FP8RT_COMMON_JSON_H
