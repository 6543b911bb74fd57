//===- PlanCache.cpp - The file of tuned plans ----------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the file is, what is in it, and how it is read and replaced. Writers
// take a lock beside the file, read it again and put a new file in its place in
// one step: readers see the old one or the new one.
//
//===----------------------------------------------------------------------===//

#include "PlanCache.h"

#include "Error.h"
#include "Json.h"
#include "Validate.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace fp8rt;

static const char kFormat[] = "fp8rt plans";
static constexpr int64_t kVersion = 1;
static constexpr int64_t kMaxFileBytes = 16 << 20;

//===----------------------------------------------------------------------===//
// Plans as JSON
//===----------------------------------------------------------------------===//

namespace {
struct Field {
  const char *name;
  size_t offset;
  bool is64;
};
} // namespace

#define FP8RT_FIELD(name)                                                      \
  {#name, offsetof(fp8rt_matmul_desc, name),                                   \
   sizeof(fp8rt_matmul_desc::name) == 8}

static const Field fields[] = {
    FP8RT_FIELD(type_a),
    FP8RT_FIELD(type_b),
    FP8RT_FIELD(type_d),
    FP8RT_FIELD(type_acc),
    FP8RT_FIELD(type_bias),
    FP8RT_FIELD(scale_mode_a),
    FP8RT_FIELD(scale_mode_b),
    FP8RT_FIELD(trans_a),
    FP8RT_FIELD(trans_b),
    FP8RT_FIELD(fast_accum),
    FP8RT_FIELD(m),
    FP8RT_FIELD(n),
    FP8RT_FIELD(k),
    FP8RT_FIELD(batch),
    FP8RT_FIELD(ld_a),
    FP8RT_FIELD(ld_b),
    FP8RT_FIELD(ld_d),
    FP8RT_FIELD(ld_acc),
    FP8RT_FIELD(stride_a),
    FP8RT_FIELD(stride_b),
    FP8RT_FIELD(stride_d),
    FP8RT_FIELD(stride_acc),
    FP8RT_FIELD(stride_bias),
    FP8RT_FIELD(stride_descale_a),
    FP8RT_FIELD(stride_descale_b),
};

static_assert(sizeof(fields) / sizeof(*fields) == 25 &&
                  sizeof(fp8rt_matmul_desc) == 8 + 10 * 4 + 15 * 8,
              "every field of the desc is in the table");

static int64_t getField(const fp8rt_matmul_desc &desc, const Field &field) {
  const char *at = reinterpret_cast<const char *>(&desc) + field.offset;
  int64_t wide;
  int32_t narrow;
  if (field.is64) {
    memcpy(&wide, at, sizeof(wide));
    return wide;
  }
  memcpy(&narrow, at, sizeof(narrow));
  return narrow;
}

static bool setField(fp8rt_matmul_desc *desc, const Field &field,
                     int64_t value) {
  char *at = reinterpret_cast<char *>(desc) + field.offset;
  if (field.is64) {
    memcpy(at, &value, sizeof(value));
    return true;
  }
  const auto narrow = static_cast<int32_t>(value);
  memcpy(at, &narrow, sizeof(narrow));
  return narrow == value;
}

static std::string toHex(const uint64_t *words, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    for (int shift = 60; shift >= 0; shift -= 4)
      text += "0123456789abcdef"[words[i] >> shift & 15];
  return text;
}

static bool fromHex(const std::string &text, uint64_t *words, size_t count) {
  if (text.size() != count * 16)
    return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    uint64_t digit = 0;
    if (c >= '0' && c <= '9')
      digit = static_cast<uint64_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      digit = static_cast<uint64_t>(c - 'a' + 10);
    else
      return false;
    words[i / 16] = words[i / 16] << 4 | digit;
  }
  return true;
}

uint64_t fp8rt::checksumOf(const TunedPlan &plan) {
  const uint64_t parts[] = {hashOf(DescKey(plan.desc)),
                            hashWords(plan.algorithm, 8),
                            static_cast<uint64_t>(plan.algorithmId)};
  return hashWords(parts, 3);
}

static Json toJson(const TunedPlan &plan) {
  Json desc = Json::object();
  for (const Field &field : fields)
    if (int64_t value = getField(plan.desc, field))
      desc.set(field.name, Json::integer(value));
  Json entry = Json::object();
  entry.set("what", Json::string(describe(plan.desc)));
  entry.set("desc", std::move(desc));
  entry.set("algorithm", Json::string(toHex(plan.algorithm, 8)));
  entry.set("algorithm_id", Json::integer(plan.algorithmId));
  entry.set("time_us", Json::number(plan.time));
  entry.set("default_time_us", Json::number(plan.defaultTime));
  const uint64_t checksum = checksumOf(plan);
  entry.set("checksum", Json::string(toHex(&checksum, 1)));
  return entry;
}

/// Whether `stated` is the checksum of `plan`. A fuzzer would never get past
/// it.
static bool checkSum(const TunedPlan &plan, uint64_t stated) {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  return true;
#else
  return stated == checksumOf(plan);
#endif
}

/// False if `entry` is not what toJson() makes. A checksum can be made up, so
/// the desc is checked like a caller's.
static bool fromJson(const Json &entry, TunedPlan *plan) {
  plan->desc.struct_size = sizeof(plan->desc);
  const Json *desc = entry.find("desc");
  if (!desc || desc->kind() != Json::Kind::Object)
    return false;
  for (const Field &field : fields) {
    int64_t value = 0;
    if (desc->find(field.name) && (!desc->get(field.name, &value) ||
                                   !setField(&plan->desc, field, value)))
      return false;
  }
  std::string algorithm, checksum;
  uint64_t stated = 0;
  return entry.get("algorithm", &algorithm) &&
         fromHex(algorithm, plan->algorithm, 8) &&
         entry.get("algorithm_id", &plan->algorithmId) &&
         entry.get("time_us", &plan->time) &&
         entry.get("default_time_us", &plan->defaultTime) &&
         entry.get("checksum", &checksum) && fromHex(checksum, &stated, 1) &&
         checkSum(*plan, stated) && validateDesc(&plan->desc) == FP8RT_OK;
}

static std::string keyOf(const fp8rt_matmul_desc &desc) {
  const DescKey key(desc);
  return std::string(reinterpret_cast<const char *>(key.words),
                     sizeof(key.words));
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// The folder that the environment names; "" for none.
static std::string defaultFolder() {
  if (const char *chosen = getenv("FP8_PLAN_CACHE"))
    return chosen;
  const char *cache = getenv("XDG_CACHE_HOME");
  // The specification has relative paths ignored.
  if (cache && cache[0] == '/')
    return std::string(cache) + "/fp8";
  const char *home = getenv("HOME");
  return home && home[0] == '/' ? std::string(home) + "/.cache/fp8" : "";
}

static std::string fileName(const PlanCacheIdentity &identity) {
  std::string name;
  for (char c : identity.device)
    name += isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return name + "-cublaslt-" + std::to_string(identity.blasVersion) + ".json";
}

/// The whole file. False with errno set, 0 for a file that is none or too big.
static bool readFile(const std::string &path, std::string *text) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return false;
  struct stat info;
  bool good = fstat(fd, &info) == 0;
  if (good && (!S_ISREG(info.st_mode) || info.st_size > kMaxFileBytes)) {
    errno = 0;
    good = false;
  }
  if (good) {
    text->resize(static_cast<size_t>(info.st_size));
    size_t done = 0;
    while (done < text->size()) {
      const ssize_t count = ::read(fd, &(*text)[done], text->size() - done);
      if (count < 0)
        good = false;
      if (count <= 0)
        break;
      done += static_cast<size_t>(count);
    }
    text->resize(done);
  }
  const int error = errno;
  close(fd);
  errno = error;
  return good;
}

static bool writeAll(int fd, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(fd, text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR)
      return false;
    done += count > 0 ? static_cast<size_t>(count) : 0;
  }
  return fsync(fd) == 0;
}

/// Makes the folders above `path`.
static void makeFolders(const std::string &path) {
  for (size_t at = path.find('/', 1); at != std::string::npos;
       at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0777);
}

void PlanCache::note(const std::string &why) {
  if (!reason.empty())
    return;
  reason = why;
  published.store(reason.c_str());
}

bool PlanCache::checkIdentity(const Json &document, std::string *why) const {
  const struct {
    const char *name;
    int64_t expected;
  } numbers[] = {{"version", kVersion},
                 {"arch", identity.arch},
                 {"multiprocessors", identity.multiprocessors},
                 {"cublaslt", identity.blasVersion}};
  std::string text;
  if (!document.get("format", &text) || text != kFormat) {
    *why = "is no file of plans";
    return false;
  }
  for (const auto &number : numbers) {
    int64_t value = 0;
    if (document.get(number.name, &value) && value == number.expected)
      continue;
    *why = std::string("expects ") + number.name + " " +
           std::to_string(number.expected) + ", but got " +
           (document.find(number.name) ? std::to_string(value) : "none");
    return false;
  }
  if (document.get("device", &text) && text == identity.device)
    return true;
  *why = "expects device '" + identity.device + "', but got '" + text + "'";
  return false;
}

bool PlanCache::read(std::map<std::string, TunedPlan> *plans,
                     std::string *why) const {
  std::string text;
  if (!readFile(file, &text)) {
    if (errno == ENOENT || errno == ENOTDIR)
      return true;
    *why = errno ? strerror(errno) : "is no plain file of at most 16 MiB";
    return false;
  }
  Json document;
  if (!Json::parse(text, &document, why) || !checkIdentity(document, why))
    return false;
  const Json *list = document.find("plans");
  if (!list || list->kind() != Json::Kind::Array) {
    *why = "has no list of plans";
    return false;
  }
  std::map<std::string, TunedPlan> found;
  for (const Json &entry : list->elements()) {
    TunedPlan plan;
    if (!fromJson(entry, &plan)) {
      *why = "plan " + std::to_string(found.size()) + " is damaged";
      return false;
    }
    found[keyOf(plan.desc)] = plan;
  }
  *plans = std::move(found);
  return true;
}

void PlanCache::open(const char *folder, const PlanCacheIdentity &identity) {
  this->identity = identity;
  const std::string chosen = folder ? folder : defaultFolder();
  if (chosen.empty())
    return;
  file = chosen + "/" + fileName(identity);
  std::string why;
  if (!read(&known, &why))
    note("plan cache " + file + ": not used: " + why);
}

const TunedPlan *PlanCache::find(const fp8rt_matmul_desc &desc) const {
  const auto it = known.find(keyOf(desc));
  return it == known.end() ? nullptr : &it->second;
}

int32_t PlanCache::write(const std::map<std::string, TunedPlan> &plans) const {
  Json list = Json::array();
  for (const auto &entry : plans)
    list.push(toJson(entry.second));
  Json document = Json::object();
  document.set("format", Json::string(kFormat));
  document.set("version", Json::integer(kVersion));
  document.set("device", Json::string(identity.device));
  document.set("arch", Json::integer(identity.arch));
  document.set("multiprocessors", Json::integer(identity.multiprocessors));
  document.set("cublaslt", Json::integer(identity.blasVersion));
  document.set("plans", std::move(list));

  std::string path = file + ".XXXXXX";
  const int fd = mkostemp(&path[0], O_CLOEXEC);
  if (fd < 0)
    return fail(FP8RT_FAILED, "plan cache %s: cannot be written: %s",
                path.c_str(), strerror(errno));
  bool good = writeAll(fd, document.write() + "\n");
  good &= fchmod(fd, 0644) == 0;
  good &= close(fd) == 0;
  if (good && rename(path.c_str(), file.c_str()) == 0)
    return FP8RT_OK;
  const int error = errno;
  unlink(path.c_str());
  return fail(FP8RT_FAILED, "plan cache %s: cannot be written: %s",
              file.c_str(), strerror(error));
}

int32_t PlanCache::add(const std::vector<TunedPlan> &plans) {
  for (const TunedPlan &plan : plans)
    known[keyOf(plan.desc)] = plan;
  if (file.empty() || plans.empty())
    return FP8RT_OK;
  makeFolders(file);
  const int lock =
      ::open((file + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0)
    return fail(FP8RT_FAILED, "plan cache %s.lock: cannot be opened: %s",
                file.c_str(), strerror(errno));
  flock(lock, LOCK_EX);
  std::map<std::string, TunedPlan> all;
  std::string why;
  // What cannot be read is kept beside the new file.
  if (!read(&all, &why))
    rename(file.c_str(), (file + ".unusable").c_str());
  for (const TunedPlan &plan : plans)
    all[keyOf(plan.desc)] = plan;
  const int32_t status = write(all);
  close(lock);
  return status;
}
