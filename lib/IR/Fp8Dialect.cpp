//===- Fp8Dialect.cpp -------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect and its attributes: registration, text, verification.
//
//===----------------------------------------------------------------------===//

#include "Fp8/IR/Fp8Dialect.h"
#include "Fp8/IR/Fp8Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fp8;

#include "Fp8/IR/Fp8Dialect.cpp.inc"
#include "Fp8/IR/Fp8Enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Fp8/IR/Fp8Attributes.cpp.inc"
#include "Fp8/IR/Fp8Interfaces.cpp.inc"

namespace {
/// Every op is pure and may be inlined anywhere.
struct Fp8InlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void Fp8Dialect::initialize() {
  addInterfaces<Fp8InlinerInterface>();
  addOperations<
#define GET_OP_LIST
#include "Fp8/IR/Fp8Ops.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Fp8/IR/Fp8Attributes.cpp.inc"
      >();
}

Operation *Fp8Dialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

SmallVector<Value> fp8::detail::getFloatOperands(Operation *op) {
  return llvm::filter_to_vector(op->getOperands(), [](Value operand) {
    return isa<FloatType>(getElementTypeOrSelf(operand.getType()));
  });
}

//===----------------------------------------------------------------------===//
// GranularityAttr
//===----------------------------------------------------------------------===//

/// `<tensor>`, `<rowwise>`, `<colwise>` or `<block 1x128>`.
Attribute GranularityAttr::parse(AsmParser &parser, Type) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  std::optional<GranularityKind> kind = symbolizeGranularityKind(keyword);
  if (!kind) {
    parser.emitError(loc, "expects 'tensor', 'rowwise', 'colwise' or 'block "
                          "RxC' as granularity, but got '")
        << keyword << "'";
    return {};
  }
  SmallVector<int64_t> sizes(2, 0);
  if (*kind == GranularityKind::Block) {
    sizes.clear();
    if (parser.parseDimensionList(sizes, /*allowDynamic=*/false,
                                  /*withTrailingX=*/false))
      return {};
    if (sizes.size() != 2) {
      parser.emitError(loc, "expects two sizes for a block, but got ")
          << sizes.size();
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    *kind, sizes[0], sizes[1]);
}

void GranularityAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyGranularityKind(getKind());
  if (getKind() == GranularityKind::Block)
    printer << " " << getRows() << "x" << getCols();
  printer << ">";
}

LogicalResult
GranularityAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        GranularityKind kind, int64_t rows, int64_t cols) {
  if (kind == GranularityKind::Block && (rows < 1 || cols < 1))
    return emitError() << "expects a block of at least 1x1, but got " << rows
                       << "x" << cols;
  return success();
}

SmallVector<int64_t>
GranularityAttr::scaleShape(ArrayRef<int64_t> shape) const {
  if (isTensor())
    return {};
  SmallVector<int64_t> result(shape);
  int64_t &rows = result[shape.size() - 2];
  int64_t &cols = result[shape.size() - 1];
  auto blocks = [](int64_t size, int64_t block) {
    return ShapedType::isDynamic(size) ? size : llvm::divideCeil(size, block);
  };
  switch (getKind()) {
  case GranularityKind::Tensor:
    break;
  case GranularityKind::Rowwise:
    cols = 1;
    break;
  case GranularityKind::Colwise:
    rows = 1;
    break;
  case GranularityKind::Block:
    rows = blocks(rows, getRows());
    cols = blocks(cols, getCols());
    break;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// PolicyAttr
//===----------------------------------------------------------------------===//

/// `<>`, `<eps = 1.0e-12>`, `<pow2 = down>`, or both in this order.
Attribute PolicyAttr::parse(AsmParser &parser, Type) {
  double eps = 1e-12;
  Pow2 pow2 = Pow2::Off;
  SMLoc loc = parser.getCurrentLocation();
  auto parseField = [&]() -> ParseResult {
    StringRef field, value;
    SMLoc fieldLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&field) || parser.parseEqual())
      return failure();
    if (field == "eps")
      return parser.parseFloat(eps);
    if (field != "pow2")
      return parser.emitError(fieldLoc,
                              "expects 'eps' or 'pow2' in a policy, but got '")
             << field << "'";
    fieldLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&value))
      return failure();
    std::optional<Pow2> mode = symbolizePow2(value);
    if (!mode)
      return parser.emitError(fieldLoc,
                              "expects 'off' or 'down' for pow2, but got '")
             << value << "'";
    pow2 = *mode;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    Builder(parser.getContext()).getF64FloatAttr(eps), pow2);
}

void PolicyAttr::print(AsmPrinter &printer) const {
  PolicyAttr defaults = PolicyAttr::get(getContext());
  printer << "<";
  if (getEpsAttr() != defaults.getEpsAttr()) {
    printer << "eps = ";
    printer.printFloat(getEpsAttr().getValue());
    printer << (getPow2() != defaults.getPow2() ? ", " : "");
  }
  if (getPow2() != defaults.getPow2())
    printer << "pow2 = " << stringifyPow2(getPow2());
  printer << ">";
}

LogicalResult PolicyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 FloatAttr eps, Pow2 pow2) {
  if (!eps || !eps.getType().isF64())
    return emitError() << "expects eps to be an f64";
  // A smaller floor lets 57344 / eps overflow f32.
  double value = eps.getValueAsDouble();
  if (!(value >= 1e-30) || !(value <= 1.0))
    return emitError() << "expects eps between 1e-30 and 1, but got " << value;
  return success();
}
