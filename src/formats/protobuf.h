// Reading protobuf messages of untrusted files: every length is checked, every failure is an Error with its byte
// offset.
#ifndef OPGRAFT_FORMATS_PROTOBUF_H_
#define OPGRAFT_FORMATS_PROTOBUF_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/error.h"

// Must stand before protozero is included: its checks of wire types are assertions otherwise.
#define protozero_assert(condition) \
  ((condition) ? void(0) : throw ::opgraft::Error(::opgraft::ErrorCode::kInternal, "protobuf: " #condition))
#include <protozero/pbf_reader.hpp>

namespace opgraft::formats::protobuf {

// Labels for a switch over Message::next(): a field's number together with how it is stored. A known field that is
// stored in another way falls into `default` and is skipped, as protobuf does with unknown fields.
constexpr uint32_t as_varint(uint32_t field) { return field << 3; }
constexpr uint32_t as_fixed64(uint32_t field) { return field << 3 | 1; }
constexpr uint32_t as_bytes(uint32_t field) { return field << 3 | 2; }
constexpr uint32_t as_fixed32(uint32_t field) { return field << 3 | 5; }

// A cursor over one message. Views that it gives point into the file's bytes.
class Message {
 public:
  // `origin` is the file's first byte, for offsets in errors.
  Message(std::string_view bytes, const char* origin)
      : reader_(bytes.data(), bytes.size()), origin_(origin), at_(bytes.data()) {}

  // Goes to the next field; 0 at the end. The field must then be consumed by one of the functions below.
  uint32_t next() {
    at_ = cursor();
    return checked([&] { return reader_.next() ? reader_.tag_and_type() : 0; });
  }
  uint32_t field() const { return reader_.tag(); }

  // Bytes, a string, an embedded message, or packed numbers.
  std::string_view bytes() {
    const protozero::data_view rest = reader_.data();
    const char* data = rest.data();
    const char* const end = data + rest.size();
    const uint64_t length = checked([&] { return protozero::decode_varint(&data, end); });
    if (length > static_cast<uint64_t>(end - data)) overrun(length, static_cast<uint64_t>(end - data));
    const std::string_view view(data, length);
    // Seated anew rather than advanced, since protozero cuts lengths to 32 bits.
    reader_ = protozero::pbf_reader(data + length, static_cast<size_t>(end - data) - length);
    return view;
  }
  int64_t varint() {
    return checked([&] { return reader_.get_int64(); });
  }
  float fixed32() {
    return checked([&] { return reader_.get_float(); });
  }
  double fixed64() {
    return checked([&] { return reader_.get_double(); });
  }
  void skip() {
    if (reader_.wire_type() == protozero::pbf_wire_type::length_delimited)
      bytes();
    else
      checked([&] { reader_.skip(); });
  }
  // The encoded form of one number, as it would stand in a packed field.
  std::string_view encoded() {
    const char* const start = cursor();
    skip();
    return {start, static_cast<size_t>(cursor() - start)};
  }

  uint64_t offset() const { return static_cast<uint64_t>(at_ - origin_); }
  [[noreturn]] void fail(const std::string& text) const {
    throw Error(ErrorCode::kInvalidModel, "at byte " + std::to_string(offset()) + ": " + text);
  }

 private:
  template <class Step>
  std::invoke_result_t<Step> checked(Step step) {
    try {
      return step();
    } catch (const protozero::exception& error) {
      fault(error);
    }
  }
  const char* cursor() const { return reader_.data().data(); }
  [[noreturn]] void overrun(uint64_t length, uint64_t left) const;
  [[noreturn]] void fault(const protozero::exception& error) const;

  protozero::pbf_reader reader_;
  const char* origin_;
  const char* at_;  // where the current field began
};

// Takes one number of a packed field off the front of `packed`, which must not be empty.
inline uint64_t take_varint(std::string_view* packed) {
  const char* data = packed->data();
  uint64_t value = 0;
  try {
    value = protozero::decode_varint(&data, packed->data() + packed->size());
  } catch (const protozero::exception&) {
    throw Error(ErrorCode::kInvalidModel, "a list of numbers is cut in the middle of a number");
  }
  packed->remove_prefix(static_cast<size_t>(data - packed->data()));
  return value;
}

}  // namespace opgraft::formats::protobuf
#endif  // OPGRAFT_FORMATS_PROTOBUF_H_
