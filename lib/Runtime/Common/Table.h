//===- Table.h - Table that is read without a lock --------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hash table that only grows: entries are found without a lock, in a call
// that may not wait, and are added by one thread at a time. They live as long
// as the table.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_COMMON_TABLE_H
#define FP8RT_COMMON_TABLE_H

#include <atomic>
#include <memory>
#include <stddef.h>
#include <stdint.h>
#include <vector>

namespace fp8rt {

/// `Key` has hashOf(key) and operator==.
template <class Key, class Value> class Table {
public:
  /// Null where there is no such entry.
  Value *find(const Key &key) const {
    for (Entry *entry =
             buckets[hashOf(key) % kBuckets].load(std::memory_order_acquire);
         entry; entry = entry->next)
      if (entry->key == key)
        return &entry->value;
    return nullptr;
  }

  /// Adds an entry that `fill` completes before anybody can find it. The caller
  /// holds a lock and knows that the key is new.
  template <class Fill> Value *add(const Key &key, Fill fill) {
    entries.push_back(std::make_unique<Entry>(key));
    Entry &entry = *entries.back();
    fill(entry.value);
    std::atomic<Entry *> &bucket = buckets[hashOf(key) % kBuckets];
    entry.next = bucket.load(std::memory_order_relaxed);
    bucket.store(&entry, std::memory_order_release);
    return &entry.value;
  }

  /// In the order they were added. The caller holds the lock of add().
  template <class Visit> void forEach(Visit visit) const {
    for (const std::unique_ptr<Entry> &entry : entries)
      visit(entry->key, entry->value);
  }

private:
  static constexpr size_t kBuckets = 1024;

  struct Entry {
    explicit Entry(const Key &key) : key(key) {}
    const Key key;
    Value value;
    Entry *next = nullptr;
  };

  std::atomic<Entry *> buckets[kBuckets] = {};
  std::vector<std::unique_ptr<Entry>> entries;
};

/// A hash of `count` words.
inline uint64_t hashWords(const uint64_t *words, size_t count) {
  uint64_t hash = count;
  for (size_t i = 0; i < count; ++i) {
    hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return hash;
}

} // namespace fp8rt

#endif // FP8RT_COMMON_TABLE_H
