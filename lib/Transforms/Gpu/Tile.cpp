//===- Tile.cpp -------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with a transposed result: a tile goes through shared memory, so that
// loads and stores of 16 bytes lie side by side on both ways. They may take an
// amax on the way, or store under a condition.
//
// A thread has 4 rows of 16 columns. Chunks of 16 bytes of a column of the tile
// are swapped by XOR with the number of the group of 16 columns, so that the
// threads of a subgroup meet all banks of shared memory.
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fp8;

/// Columns and rows of one thread.
static constexpr unsigned kThreadCols = 16, kThreadRows = 4;
static constexpr unsigned kChunkBytes = 16;
/// What the number of a chunk is swapped by, of the number of its group of
/// columns: 8 chunks are all banks of shared memory.
static constexpr unsigned kSwap = 7;

namespace {
/// The size of a tile.
struct TileSize {
  unsigned rows, cols;

  unsigned getThreads() const {
    return rows / kThreadRows * (cols / kThreadCols);
  }
};

class TileStrategy : public PartStrategy {
public:
  StringRef getName() const override { return "tile"; }
  using PartStrategy::takes;
  bool takes(linalg::GenericOp op, const ElementStores &stores) const override;
  unsigned getThreads(linalg::GenericOp op) const override;
  int64_t getSharedBytes(linalg::GenericOp op) const override;
  Value emitCount(OpBuilder &b, Location loc, linalg::GenericOp op,
                  LoopSizeFn size) const override;
  Value emitCount(KernelBuilder &b, linalg::GenericOp op) const override;
  void emitPart(KernelBuilder &b, const KernelPart &part) const override;
};

/// Emits one tile of a kernel. Rows and columns are the last two loops; the
/// others are batches.
class TileEmitter {
public:
  TileEmitter(KernelBuilder &b, const KernelPart &part);
  void emit();

private:
  void placeThread();
  void emitFast();
  void emitSlow();
  /// What each branch starts and ends with.
  void begin();
  void end();
  /// Loads what a thread needs of row `r` of its part.
  SmallVector<Lanes> loadRow(unsigned r);
  /// Puts the transposed values of a thread into shared memory.
  void shareColumns(ArrayRef<Lanes> rows);
  void storeColumns();
  /// The element of a contiguous operand at this row and column.
  Value getIndex(Value row, Value col);
  Value getTransposedIndex(Value row, Value col);
  SmallVector<Value> getCoordinates(Value row, Value col);

  KernelBuilder &b;
  const KernelPart &part;
  const ElementStores &stores;
  linalg::GenericOp op;
  ArrayRef<KernelOperand> outputs;
  /// Number of the transposed output.
  unsigned transposed = 0;
  std::optional<BlockAmax> amax;
  unsigned bytes;
  TileSize tile;
  unsigned threads;
  Value shared;
  Value rows, cols, batch, row0, col0;
  /// Where the thread's part starts in the tile, in i32.
  Value threadRow, threadCol, group;
  /// Where it starts in the matrix, and whether it is in there. A part is as a
  /// whole or not at all; one that is not has the elements of the last one.
  Value threadRow0, threadCol0, isInside;
};
} // namespace

//===----------------------------------------------------------------------===//
// What it takes
//===----------------------------------------------------------------------===//

/// Whether `operand` is contiguous with its last two dimensions swapped.
static bool isTransposed(const KernelOperand &operand) {
  auto type = dyn_cast<MemRefType>(operand.buffer.getType());
  int64_t rank = operand.map.getNumDims();
  if (!type || !type.getLayout().isIdentity() || rank < 2)
    return false;
  SmallVector<int64_t> swapped = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(swapped[rank - 2], swapped[rank - 1]);
  return operand.map ==
         AffineMap::getPermutationMap(swapped, operand.map.getContext());
}

static unsigned getTransposedBytes(linalg::GenericOp op) {
  SmallVector<KernelOperand> outputs = getOutputs(op);
  return getElementBytes(llvm::find_if(outputs, isTransposed)->element);
}

/// Bytes of a column of a tile.
static constexpr unsigned kColBytes = 256;

/// Long columns make long stretches of the transposed result. Wide tiles make
/// long ones of the others, and cost registers, which a plain cast can spare.
static TileSize getTileSize(linalg::GenericOp op) {
  unsigned bytes = getTransposedBytes(op);
  std::optional<ElementStores> stores = getElementStores(op);
  bool isWide = bytes > 1 || (isPlainCast(op, *stores) && !stores->slot);
  return {kColBytes / bytes, isWide ? 128u : 64u};
}

bool TileStrategy::takes(linalg::GenericOp op,
                         const ElementStores &stores) const {
  if (op.getNumLoops() < 2 || stores.readsOutputs)
    return false;
  unsigned count = llvm::count_if(stores.outputs, isTransposed);
  return count == 1 && getTransposedBytes(op) <= 4 &&
         llvm::all_of(stores.outputs, [](const KernelOperand &output) {
           return output.isContiguous || isTransposed(output);
         });
}

unsigned TileStrategy::getThreads(linalg::GenericOp op) const {
  return getTileSize(op).getThreads();
}

int64_t TileStrategy::getSharedBytes(linalg::GenericOp op) const {
  return getTileSize(op).cols * kColBytes;
}

Value TileStrategy::emitCount(OpBuilder &b, Location loc, linalg::GenericOp op,
                              LoopSizeFn size) const {
  unsigned loops = op.getNumLoops();
  TileSize tile = getTileSize(op);
  auto tiles = [&](unsigned dim, int64_t length) -> Value {
    return arith::CeilDivUIOp::create(
        b, loc, size(op, dim), arith::ConstantIndexOp::create(b, loc, length));
  };
  Value work = emitProduct(b, loc, op, 0, loops - 2, size);
  work = arith::MulIOp::create(b, loc, work, tiles(loops - 2, tile.rows));
  return arith::MulIOp::create(b, loc, work, tiles(loops - 1, tile.cols));
}

Value TileStrategy::emitCount(KernelBuilder &b, linalg::GenericOp op) const {
  unsigned loops = op.getNumLoops();
  TileSize tile = getTileSize(op);
  auto tiles = [&](unsigned dim, int64_t length) {
    Value size = b.getLoopSize(op, dim);
    return b.div(b.add(size, b.i64(length - 1)), b.i64(length));
  };
  Value matrices = b.getLoopProduct(op, 0, loops - 2);
  Value down = tiles(loops - 2, tile.rows);
  return b.mul(b.mul(matrices, down), tiles(loops - 1, tile.cols));
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

TileEmitter::TileEmitter(KernelBuilder &b, const KernelPart &part)
    : b(b), part(part), stores(part.stores), op(part.op),
      outputs(stores.outputs),
      transposed(llvm::find_if(outputs, isTransposed) - outputs.begin()),
      bytes(getTransposedBytes(op)), tile(getTileSize(op)),
      threads(tile.getThreads()), shared(part.shared) {
  unsigned loops = op.getNumLoops();
  rows = b.getLoopSize(op, loops - 2);
  cols = b.getLoopSize(op, loops - 1);
  // 32 bits hold the numbers of tiles, as they hold those of blocks. An empty
  // matrix has one block, which the prologue runs in.
  auto tiles = [&](Value size, int64_t length) -> Value {
    Value count = b.div(b.add(size, b.i64(length - 1)), b.i64(length));
    return b.create<arith::MaxUIOp>(
        b.create<arith::TruncIOp>(b.getI32Type(), count), b.i32(1));
  };
  // Neighbouring blocks work along the rows of the input.
  Value across = tiles(cols, tile.cols), down = tiles(rows, tile.rows);
  col0 = b.mul(b.widen(b.rem(part.number, across)), b.i64(tile.cols));
  Value rest = b.div(part.number, across);
  batch = b.i64(0);
  if (loops > 2) {
    batch = b.widen(b.div(rest, down));
    rest = b.rem(rest, down);
  }
  row0 = b.mul(b.widen(rest), b.i64(tile.rows));
  group = b.rem(b.getThread(), b.i32(tile.cols / kThreadCols));
  threadRow = b.mul(b.div(b.getThread(), b.i32(tile.cols / kThreadCols)),
                    b.i32(kThreadRows));
  threadCol = b.mul(group, b.i32(kThreadCols));
  if (stores.slot)
    amax.emplace(b, threads);
}

void TileEmitter::begin() {
  // With a condition it is behind us.
  if (!stores.condition)
    b.emitPrologue(getPrologueOps(part.unit));
}

void TileEmitter::end() {
  if (amax)
    amax->raise(stores.slot);
  if (!stores.condition)
    b.storeScalars(part.number);
}

Value TileEmitter::getIndex(Value row, Value col) {
  Value line = op.getNumLoops() == 2 ? row : b.add(b.mul(batch, rows), row);
  return b.add(b.mul(line, cols), col);
}

Value TileEmitter::getTransposedIndex(Value row, Value col) {
  Value line = op.getNumLoops() == 2 ? col : b.add(b.mul(batch, cols), col);
  return b.add(b.mul(line, rows), row);
}

SmallVector<Value> TileEmitter::getCoordinates(Value row, Value col) {
  SmallVector<Value> coordinates;
  if (!hasStridedInput(op))
    return coordinates;
  coordinates = b.delinearize(op, 0, op.getNumLoops() - 2, batch);
  coordinates.append({row, col});
  return coordinates;
}

SmallVector<Lanes> TileEmitter::loadRow(unsigned r) {
  Value row = b.add(threadRow0, b.i64(r));
  return b.loadInputsAt(op, getCoordinates(row, threadCol0),
                        getIndex(row, threadCol0), kThreadCols,
                        /*vectors=*/true);
}

/// Four fp8 values of one column from rows of bytes.
static Value gatherBytes(KernelBuilder &b, ArrayRef<Value> rows, int64_t col) {
  auto pick = [&](Value x, Value y) -> Value {
    return b.create<vector::ShuffleOp>(
        x, y, ArrayRef<int64_t>{col, kThreadCols + col});
  };
  Value low = pick(rows[0], rows[1]), high = pick(rows[2], rows[3]);
  return b.create<vector::ShuffleOp>(low, high, ArrayRef<int64_t>{0, 1, 2, 3});
}

/// The values of a row as a vector of bytes.
static Value packBytes(KernelBuilder &b, const Lanes &lanes) {
  auto type = VectorType::get(kThreadCols, b.getI8Type());
  if (!lanes.pairs.empty()) {
    auto words = VectorType::get(kThreadCols / 2, b.getI16Type());
    return b.create<vector::BitCastOp>(
        type, b.create<vector::FromElementsOp>(words, lanes.pairs));
  }
  SmallVector<Value> values;
  for (Value value : lanes.values)
    values.push_back(b.toMemory(value));
  return b.create<vector::FromElementsOp>(type, values);
}

void TileEmitter::shareColumns(ArrayRef<Lanes> rows) {
  SmallVector<Value> packed;
  if (bytes == 1)
    for (const Lanes &lanes : rows)
      packed.push_back(packBytes(b, lanes));
  // The chunk of 16 bytes that the thread's rows are in, and where in it.
  Value start = b.mul(threadRow, b.i32(bytes));
  Value chunk = b.div(start, b.i32(kChunkBytes));
  Value inChunk = b.rem(start, b.i32(kChunkBytes));
  Value mask = b.create<arith::AndIOp>(group, b.i32(kSwap));
  Value place = b.add(
      b.mul(b.create<arith::XOrIOp>(chunk, mask), b.i32(kChunkBytes)), inChunk);
  for (unsigned j = 0; j < kThreadCols; ++j) {
    Value word;
    if (bytes == 1) {
      word = gatherBytes(b, packed, j);
    } else {
      SmallVector<Value> values;
      for (const Lanes &lanes : rows)
        values.push_back(b.toMemory(lanes.values[j]));
      word = b.create<vector::FromElementsOp>(
          VectorType::get(kThreadRows, values[0].getType()), values);
    }
    Value col = b.add(threadCol, b.i32(j));
    Value address = b.at(shared, b.add(b.mul(col, b.i32(kColBytes)), place));
    b.create<LLVM::StoreOp>(word, address, kThreadRows * bytes);
  }
}

void TileEmitter::storeColumns() {
  const KernelOperand &output = outputs[transposed];
  unsigned chunks = kColBytes / kChunkBytes, perChunk = kChunkBytes / bytes;
  Type memory = b.getI8Type();
  if (bytes > 1)
    memory = output.element;
  auto type = VectorType::get(perChunk, memory);
  for (unsigned i = 0; i < tile.cols * chunks / threads; ++i) {
    Value number = b.add(b.getThread(), b.i32(i * threads));
    Value col = b.div(number, b.i32(chunks));
    Value chunk = b.rem(number, b.i32(chunks));
    Value mask =
        b.create<arith::AndIOp>(b.div(col, b.i32(kThreadCols)), b.i32(kSwap));
    Value place =
        b.add(b.mul(col, b.i32(kColBytes)),
              b.mul(b.create<arith::XOrIOp>(chunk, mask), b.i32(kChunkBytes)));
    Value vector =
        b.create<LLVM::LoadOp>(type, b.at(shared, place), kChunkBytes);
    Value row = b.add(row0, b.widen(b.mul(chunk, b.i32(perChunk))));
    Value whole = b.add(col0, b.widen(col));
    b.emitIf(b.both(b.less(row, rows), b.less(whole, cols)), [&] {
      Value address = b.at(b.getPointer(output.buffer),
                           b.mul(getTransposedIndex(row, whole), b.i64(bytes)));
      b.create<LLVM::StoreOp>(vector, address, kChunkBytes);
    });
  }
}

void TileEmitter::placeThread() {
  Value row = b.add(row0, b.widen(threadRow));
  Value col = b.add(col0, b.widen(threadCol));
  isInside = b.both(b.less(row, rows), b.less(col, cols));
  threadRow0 = b.create<arith::MinSIOp>(row, b.sub(rows, b.i64(kThreadRows)));
  threadCol0 = b.create<arith::MinSIOp>(col, b.sub(cols, b.i64(kThreadCols)));
}

void TileEmitter::emitFast() {
  placeThread();
  SmallVector<SmallVector<Lanes>> inputs;
  for (unsigned r = 0; r < kThreadRows; ++r)
    inputs.push_back(loadRow(r));
  begin();
  SmallVector<Lanes> columns;
  SmallVector<Value> largest(amax ? 1 : 0, b.i32(0));
  for (unsigned r = 0; r < kThreadRows; ++r) {
    SmallVector<Lanes> results =
        b.emitBody(op, inputs[r], {}, stores.getWanted(), kThreadCols);
    if (amax)
      largest[0] = BlockAmax::emitLargest(b, results.back().values, largest[0]);
    columns.push_back(results[transposed]);
    b.emitIf(isInside, [&] {
      Value index = getIndex(b.add(threadRow0, b.i64(r)), threadCol0);
      for (auto [number, output] : llvm::enumerate(outputs))
        if (number != transposed)
          b.storeLanes(output, index, results[number]);
    });
  }
  shareColumns(columns);
  if (amax)
    amax->share(largest);
  b.create<gpu::BarrierOp>();
  storeColumns();
  end();
}

/// Element by element, and yet with neighbouring threads on neighbouring bytes.
void TileEmitter::emitSlow() {
  begin();
  const KernelOperand &output = outputs[transposed];
  Value count = b.i32(tile.rows * tile.cols), step = b.i32(threads);
  // The word of a column, swapped by the column's number.
  auto getPlace = [&](Value row, Value col) {
    Value swap =
        b.mul(b.create<arith::AndIOp>(col, b.i32(31)), b.i32(4 / bytes));
    Value place =
        b.add(b.mul(col, b.i32(tile.rows)), b.create<arith::XOrIOp>(row, swap));
    return b.at(shared, b.mul(place, b.i32(bytes)));
  };
  auto inside = [&](Value row, Value col) {
    return b.both(b.less(row, rows), b.less(col, cols));
  };
  auto store = [&](Value r, Value c, Value row, Value col, Value largest) {
    Value index = getIndex(row, col);
    SmallVector<Lanes> inputs = b.loadInputsAt(op, getCoordinates(row, col),
                                               index, 1, /*vectors=*/false);
    SmallVector<Lanes> results =
        b.emitBody(op, inputs, {}, stores.getWanted(), 1);
    for (auto [number, operand] : llvm::enumerate(outputs)) {
      Value value = results[number].values[0];
      if (number == transposed)
        b.create<LLVM::StoreOp>(b.toMemory(value), getPlace(r, c));
      else
        b.storeOne(operand, index, value);
    }
    return amax ? BlockAmax::emitLargest(b, results.back().values, largest)
                : Value();
  };
  SmallVector<Value> none(amax ? 1 : 0, b.i32(0));
  SmallVector<Value> largest = b.emitLoop(
      b.getThread(), count, step, none, [&](Value i, ValueRange carried) {
        Value r = b.div(i, b.i32(tile.cols)), c = b.rem(i, b.i32(tile.cols));
        Value row = b.add(row0, b.widen(r)), col = b.add(col0, b.widen(c));
        return b.emitIf(inside(row, col), carried, [&] {
          Value old = amax ? carried[0] : Value();
          return SmallVector<Value>{store(r, c, row, col, old)};
        });
      });
  if (amax)
    amax->share(largest);
  b.create<gpu::BarrierOp>();
  b.emitLoop(
      b.getThread(), count, step, {},
      [&](Value i, ValueRange) -> SmallVector<Value> {
        Value c = b.div(i, b.i32(tile.rows)), r = b.rem(i, b.i32(tile.rows));
        Value row = b.add(row0, b.widen(r)), col = b.add(col0, b.widen(c));
        b.emitIf(inside(row, col), [&] {
          Type memory = bytes == 1 ? Type(b.getI8Type()) : output.element;
          Value value = b.create<LLVM::LoadOp>(memory, getPlace(r, c));
          Value address =
              b.at(b.getPointer(output.buffer),
                   b.mul(getTransposedIndex(row, col), b.i64(bytes)));
          b.create<LLVM::StoreOp>(value, address);
        });
        return {};
      });
  end();
}

void TileEmitter::emit() {
  SmallVector<KernelOperand> wide = getContiguous(getInputs(op));
  llvm::append_range(wide, outputs);
  auto isWhole = [&](Value size) {
    return b.both(b.less(b.i64(0), size),
                  b.isZero(b.rem(size, b.i64(kThreadCols))));
  };
  Value isFast =
      b.both(b.areAligned(wide), b.both(isWhole(rows), isWhole(cols)));
  b.emitIf(isFast, [&] { emitFast(); }, [&] { emitSlow(); });
}

void TileStrategy::emitPart(KernelBuilder &b, const KernelPart &part) const {
  TileEmitter(b, part).emit();
}

std::unique_ptr<PartStrategy> fp8::createTileStrategy() {
  return std::make_unique<TileStrategy>();
}
