// SPDX-License-Identifier: Apache-2.0
#include "adasample/convert/pickle.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "adasample/base/error.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view kOrderedDict = "collections.OrderedDict", kParameter = "torch._utils._rebuild_parameter";
constexpr std::array<std::string_view, 2> kTensors = {"torch._utils._rebuild_tensor",  // before 0.4
                                                      "torch._utils._rebuild_tensor_v2"};
constexpr std::array<std::string_view, 5> kStorages = {
    "torch.FloatStorage", "torch.HalfStorage", "torch.BFloat16Storage", "torch.DoubleStorage", "torch.LongStorage"};

bool among(const auto& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

const PickleValue* PickleValue::find(std::string_view key) const {
  const PickleValue* found = nullptr;
  if (kind != Kind::kDict) return found;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i]->is(key)) found = items[i + 1];
  }
  return found;
}

class Pickle::Machine {
 public:
  Machine(Pickle& pickle, ByteCursor& cursor, size_t most_steps)
      : pickle_(pickle), cursor_(cursor), most_steps_(most_steps) {}

  const PickleValue* run() {
    constexpr uint8_t kStop = '.';
    for (uint8_t opcode = cursor_.number<uint8_t>(); opcode != kStop; opcode = cursor_.number<uint8_t>()) {
      count(1);
      step(opcode);
    }
    return pop();
  }

 private:
  using Value = PickleValue*;

  void count(size_t steps) {
    steps_ += steps;
    ADA_CHECK(steps_ <= most_steps_, "{}: more than {} pickle opcodes - not the state dict of a descriptor", where(),
              most_steps_);
  }

  // clang-format off
  void step(uint8_t opcode) {
    switch (opcode) {
      case 0x80: return version();                                     // PROTO
      case 0x95: cursor_.take(8); return;                              // FRAME: a hint to readers of streams
      case 'N': return push({});                                       // NONE
      case 0x88: return push({.kind = Kind::kBool, .integer = 1});     // NEWTRUE
      case 0x89: return push({.kind = Kind::kBool});                   // NEWFALSE
      case 'K': return integer(cursor_.number<uint8_t>());             // BININT1
      case 'M': return integer(cursor_.number<uint16_t>());            // BININT2
      case 'J': return integer(cursor_.number<int32_t>());             // BININT
      case 0x8a: return long_integer();                                // LONG1
      case 'G': cursor_.take(8); return push({.kind = Kind::kFloat});  // BINFLOAT: a learning rate, nobody asks for it
      case 'U': case 0x8c: return string(cursor_.number<uint8_t>());   // SHORT_BINSTRING, SHORT_BINUNICODE
      case 'T': case 'X': return string(cursor_.number<uint32_t>());   // BINSTRING, BINUNICODE
      case '(': return marks_.push_back(stack_.size());                // MARK
      case '0': pop(); return;                                         // POP
      case ')': return push({.kind = Kind::kTuple});                   // EMPTY_TUPLE
      case 0x85: return sequence(Kind::kTuple, last(1));               // TUPLE1
      case 0x86: return sequence(Kind::kTuple, last(2));               // TUPLE2
      case 0x87: return sequence(Kind::kTuple, last(3));               // TUPLE3
      case 't': return sequence(Kind::kTuple, from_mark());            // TUPLE
      case ']': return push({.kind = Kind::kList});                    // EMPTY_LIST
      case 'l': return sequence(Kind::kList, from_mark());             // LIST
      case 'a': return extend(Kind::kList, last(1));                   // APPEND
      case 'e': return extend(Kind::kList, from_mark());               // APPENDS
      case '}': return push({.kind = Kind::kDict});                    // EMPTY_DICT
      case 's': return extend(Kind::kDict, last(2));                   // SETITEM
      case 'u': return extend(Kind::kDict, from_mark());               // SETITEMS
      case 'q': return keep(cursor_.number<uint8_t>());                // BINPUT
      case 'r': return keep(cursor_.number<uint32_t>());               // LONG_BINPUT
      case 0x94: return keep(memo_.size());                            // MEMOIZE
      case 'h': return recall(cursor_.number<uint8_t>());              // BINGET
      case 'j': return recall(cursor_.number<uint32_t>());             // LONG_BINGET
      case 'c': return global_of_lines();                              // GLOBAL
      case 0x93: return global_of_stack();                             // STACK_GLOBAL
      case 'R': return reduce();                                       // REDUCE
      case 'b': return build();                                        // BUILD
      case 'Q': return storage();                                      // BINPERSID
      default:
        ADA_THROW("{}: pickle opcode 0x{:02x} is none that a state dict needs - save net.state_dict() alone", where(),
                  opcode);
    }
  }
  // clang-format on

  std::string where() const { return fmt::format("{}: byte {}", cursor_.label(), cursor_.position()); }

  void version() {
    const auto found = cursor_.number<uint8_t>();
    ADA_CHECK(found >= 2 && found <= 5, "{}: expected pickle protocol 2 to 5, found {}", where(), found);
  }

  Value make(PickleValue value) { return &pickle_.values_.emplace_back(std::move(value)); }
  void push(PickleValue value) { stack_.push_back(make(std::move(value))); }
  void integer(int64_t value) { push({.kind = Kind::kInteger, .integer = value}); }
  void string(uint64_t size) { push({.kind = Kind::kString, .text = cursor_.take(size)}); }

  void long_integer() {
    const std::string_view bytes = cursor_.take(cursor_.number<uint8_t>());
    if (bytes.size() > sizeof(int64_t)) return push({.kind = Kind::kLong, .text = bytes});
    int64_t value = !bytes.empty() && static_cast<signed char>(bytes.back()) < 0 ? -1 : 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    integer(value);
  }

  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  Value top() {
    ADA_CHECK(stack_.size() > floor(), "{}: a pickle opcode finds nothing on its stack", where());
    return stack_.back();
  }
  Value pop() {
    Value value = top();
    stack_.pop_back();
    return value;
  }
  std::vector<const PickleValue*> last(size_t count) {
    ADA_CHECK(stack_.size() >= floor() + count, "{}: a pickle opcode expects {} values on its stack, found {}", where(),
              count, stack_.size() - floor());
    std::vector<const PickleValue*> values(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return values;
  }
  std::vector<const PickleValue*> from_mark() {
    ADA_CHECK(!marks_.empty(), "{}: a pickle opcode expects a mark", where());
    std::vector<const PickleValue*> values = last(stack_.size() - marks_.back());
    marks_.pop_back();
    return values;
  }

  void sequence(Kind kind, std::vector<const PickleValue*> items) { push({.kind = kind, .items = std::move(items)}); }
  void extend(Kind kind, const std::vector<const PickleValue*>& items) {
    Value value = top();
    ADA_CHECK(value->kind == kind && (kind == Kind::kList || items.size() % 2 == 0),
              "{}: a pickle opcode adds to what is no list or dict", where());
    value->items.insert(value->items.end(), items.begin(), items.end());
  }
  void keep(uint64_t index) { memo_[index] = top(); }
  void recall(uint64_t index) {
    const auto found = memo_.find(index);
    ADA_CHECK(found != memo_.end(), "{}: the pickle recalls value {}, which it never kept", where(), index);
    stack_.push_back(found->second);
  }

  // Every name passes here, before anything could be done with it.
  void global(std::string_view module, std::string_view name) {
    const std::string& full = pickle_.names_.emplace_back(fmt::format("{}.{}", module, name));
    ADA_CHECK(full == kOrderedDict || full == kParameter || among(kTensors, full) || among(kStorages, full),
              "{}: refuses to run {} - a state dict needs no such thing; save net.state_dict() alone", where(),
              shown(full));
    push({.kind = Kind::kGlobal, .text = full});
  }

  void global_of_lines() {
    const std::string_view module = cursor_.line();
    global(module, cursor_.line());
  }
  void global_of_stack() {
    const auto names = last(2);
    ADA_CHECK(names[0]->kind == Kind::kString && names[1]->kind == Kind::kString, "{}: a global without a name",
              where());
    global(names[0]->text, names[1]->text);
  }

  void reduce() {
    const auto call = last(2);
    const std::string_view name = call[0]->kind == Kind::kGlobal ? call[0]->text : "";
    const std::vector<const PickleValue*>& arguments = call[1]->items;
    ADA_CHECK(call[1]->kind == Kind::kTuple, "{}: a call without arguments", where());
    if (name == kOrderedDict) return ordered_dict(arguments);
    if (name == kParameter && arguments.size() == 3 && arguments[0]->kind == Kind::kTensor) {
      return push(*arguments[0]);
    }
    if (among(kTensors, name) && arguments.size() >= 4 && arguments.size() <= 7) {
      return push({.kind = Kind::kTensor, .items = arguments});
    }
    ADA_THROW("{}: a call of {} with {} arguments is none that a state dict needs", where(), shown(name),
              arguments.size());
  }

  // Empty, to be filled; or, by Python 2, with a list of [key, value].
  void ordered_dict(const std::vector<const PickleValue*>& arguments) {
    PickleValue dict{.kind = Kind::kDict};
    if (!arguments.empty()) {
      count(arguments[0]->items.size());  // a list can be used again and again
      for (const PickleValue* pair : arguments[0]->items) {
        ADA_CHECK(pair->items.size() == 2, "{}: an OrderedDict of what is no pair", where());
        dict.items.insert(dict.items.end(), pair->items.begin(), pair->items.end());
      }
    }
    push(std::move(dict));
  }

  // An OrderedDict's attributes (_metadata): of no use here.
  void build() {
    pop();
    ADA_CHECK(top()->kind == Kind::kDict, "{}: a pickle sets attributes of what is no dict", where());
  }

  void storage() {
    const Value id = pop();
    ADA_CHECK(
        id->kind == Kind::kTuple && (id->items.size() == 5 || id->items.size() == 6) && id->items[0]->is("storage"),
        "{}: expected a persistent id ('storage', type, key, device, count)", where());
    push({.kind = Kind::kStorage, .items = id->items});
  }

  Pickle& pickle_;
  ByteCursor& cursor_;
  size_t most_steps_, steps_ = 0;
  std::vector<Value> stack_;
  std::vector<size_t> marks_;  // sizes of the stack
  std::unordered_map<uint64_t, Value> memo_;
};

Pickle::Pickle(ByteCursor& cursor, size_t most_steps) : root_(Machine(*this, cursor, most_steps).run()) {}

}  // namespace adasample
