//===- Json.cpp - A small JSON reader and writer --------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent over the grammar of RFC 8259.
//
//===----------------------------------------------------------------------===//

#include "Json.h"

#include <cmath>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace fp8rt;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Json Json::string(std::string text) {
  Json value;
  value.tag = Kind::String;
  value.text = std::move(text);
  return value;
}

Json Json::integer(int64_t number) {
  Json value;
  value.tag = Kind::Number;
  value.text = std::to_string(number);
  return value;
}

Json Json::number(double number) {
  char digits[40];
  snprintf(digits, sizeof(digits), "%.6g", number);
  Json value;
  value.tag = Kind::Number;
  value.text = digits;
  // A locale may have another decimal point.
  for (char &c : value.text)
    if (c == ',')
      c = '.';
  return value;
}

Json Json::array() {
  Json value;
  value.tag = Kind::Array;
  return value;
}

Json Json::object() {
  Json value;
  value.tag = Kind::Object;
  return value;
}

const Json *Json::find(const std::string &key) const {
  for (size_t i = 0; i < keys.size(); ++i)
    if (keys[i] == key)
      return &items[i];
  return nullptr;
}

bool Json::get(const std::string &key, std::string *value) const {
  const Json *member = find(key);
  if (!member || member->tag != Kind::String)
    return false;
  *value = member->text;
  return true;
}

bool Json::get(const std::string &key, int64_t *value) const {
  const Json *member = find(key);
  if (!member || member->tag != Kind::Number)
    return false;
  char *end = nullptr;
  errno = 0;
  *value = strtoll(member->text.c_str(), &end, 10);
  return errno == 0 && *end == 0;
}

bool Json::get(const std::string &key, double *value) const {
  const Json *member = find(key);
  if (!member || member->tag != Kind::Number)
    return false;
  *value = strtod(member->text.c_str(), nullptr);
  return std::isfinite(*value);
}

void Json::set(const std::string &key, Json value) {
  keys.push_back(key);
  items.push_back(std::move(value));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::string quote(const std::string &text) {
  std::string quoted = "\"";
  for (char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (code < 0x20) {
      char escape[8];
      snprintf(escape, sizeof(escape), "\\u%04x", code);
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string Json::write(int depth) const {
  if (tag == Kind::Null)
    return "null";
  if (tag == Kind::String)
    return quote(text);
  if (tag == Kind::Number || tag == Kind::Bool)
    return text;
  // What is in an entry of a list of the document stays on a line.
  const bool broken = depth < 2;
  const std::string indent(2 * static_cast<size_t>(depth), ' ');
  const bool isArray = tag == Kind::Array;
  std::string out = isArray ? "[" : "{";
  for (size_t i = 0; i < items.size(); ++i) {
    out += i == 0 ? "" : ",";
    out += broken ? "\n" + indent + "  " : (i == 0 ? "" : " ");
    if (!isArray)
      out += quote(keys[i]) + ": ";
    out += items[i].write(depth + 1);
  }
  if (broken && !items.empty())
    out += "\n" + indent;
  return out + (isArray ? "]" : "}");
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace fp8rt {
class JsonReader {
public:
  JsonReader(const std::string &text, std::string *error)
      : at(text.data()), begin(text.data()), end(text.data() + text.size()),
        error(error) {}

  bool document(Json *value) {
    if (!this->value(value, 0))
      return false;
    space();
    return at == end || refuse("expects the end");
  }

private:
  static constexpr int kMaxDepth = 16;
  static constexpr size_t kMaxKeys = 128;

  bool refuse(const char *what) {
    *error = std::string(what) + " at byte " + std::to_string(at - begin);
    return false;
  }

  void space() {
    while (at != end &&
           (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
      ++at;
  }

  bool take(char c) {
    space();
    if (at == end || *at != c)
      return false;
    ++at;
    return true;
  }

  bool value(Json *out, int depth) {
    if (depth > kMaxDepth)
      return refuse("is nested too deeply");
    space();
    if (at == end)
      return refuse("ends early");
    if (*at == '{' || *at == '[')
      return container(out, depth);
    if (*at == '"') {
      out->tag = Json::Kind::String;
      return string(&out->text);
    }
    if (*at == '-' || (*at >= '0' && *at <= '9'))
      return number(out);
    return word(out, "null", Json::Kind::Null) ||
           word(out, "true", Json::Kind::Bool) ||
           word(out, "false", Json::Kind::Bool) || refuse("expects a value");
  }

  bool word(Json *out, const char *name, Json::Kind kind) {
    const size_t length = strlen(name);
    if (static_cast<size_t>(end - at) < length || memcmp(at, name, length) != 0)
      return false;
    at += length;
    out->tag = kind;
    out->text = name;
    return true;
  }

  bool digits() {
    const char *first = at;
    while (at != end && *at >= '0' && *at <= '9')
      ++at;
    return at != first;
  }

  bool number(Json *out) {
    const char *first = at;
    if (*at == '-')
      ++at;
    const char *integer = at;
    if (!digits() || (*integer == '0' && at - integer > 1))
      return refuse("expects a number");
    if (at != end && *at == '.') {
      ++at;
      if (!digits())
        return refuse("expects digits");
    }
    if (at != end && (*at == 'e' || *at == 'E')) {
      ++at;
      if (at != end && (*at == '+' || *at == '-'))
        ++at;
      if (!digits())
        return refuse("expects digits");
    }
    out->tag = Json::Kind::Number;
    out->text.assign(first, at);
    return true;
  }

  bool escape(std::string *out) {
    static const char names[] = "\"\\/bfnrt";
    static const char codes[] = "\"\\/\b\f\n\r\t";
    if (at == end)
      return refuse("ends early");
    if (const char *name = *at ? strchr(names, *at) : nullptr) {
      *out += codes[name - names];
      ++at;
      return true;
    }
    // Nothing of ours has characters beyond ASCII.
    char hex[5] = {};
    if (*at != 'u' || end - at < 5)
      return refuse("expects an escape");
    memcpy(hex, at + 1, 4);
    char *last = nullptr;
    const long code = strtol(hex, &last, 16);
    if (strspn(hex, "0123456789abcdefABCDEF") != 4 || code > 0x7f)
      return refuse("expects an escape of ASCII");
    *out += static_cast<char>(code);
    at += 5;
    return true;
  }

  bool string(std::string *out) {
    ++at;
    out->clear();
    while (at != end && *at != '"') {
      if (static_cast<unsigned char>(*at) < 0x20)
        return refuse("holds a control character");
      if (*at != '\\') {
        *out += *at++;
        continue;
      }
      ++at;
      if (!escape(out))
        return false;
    }
    if (at == end)
      return refuse("ends early");
    ++at;
    return true;
  }

  bool member(Json *out) {
    space();
    std::string key;
    if (at == end || *at != '"')
      return refuse("expects a key");
    if (!string(&key))
      return false;
    // Looking for doubles is quadratic: no file may make that slow.
    if (out->keys.size() >= kMaxKeys)
      return refuse("has too many keys");
    if (out->find(key))
      return refuse("holds a key twice");
    out->keys.push_back(std::move(key));
    return take(':') || refuse("expects ':'");
  }

  bool container(Json *out, int depth) {
    const bool isArray = *at == '[';
    const char close = isArray ? ']' : '}';
    ++at;
    out->tag = isArray ? Json::Kind::Array : Json::Kind::Object;
    if (take(close))
      return true;
    do {
      if (!isArray && !member(out))
        return false;
      out->items.emplace_back();
      if (!value(&out->items.back(), depth + 1))
        return false;
    } while (take(','));
    return take(close) || refuse("expects ',' or the end of the list");
  }

  const char *at;
  const char *begin;
  const char *end;
  std::string *error;
};
} // namespace fp8rt

bool Json::parse(const std::string &text, Json *value, std::string *error) {
  *value = Json();
  return JsonReader(text, error).document(value);
}
