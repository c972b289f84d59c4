// Errors of protobuf reading.
#include "formats/protobuf.h"

#include <typeinfo>

namespace opgraft::formats::protobuf {

void Message::overrun(uint64_t length, uint64_t left) const {
  fail("field " + std::to_string(field()) + " wants " + std::to_string(length) + " bytes, " + std::to_string(left) +
       " are left of its message: the file is cut short or damaged");
}

void Message::fault(const protozero::exception& error) const {
  std::string text = "malformed protobuf";
  if (dynamic_cast<const protozero::end_of_buffer_exception*>(&error))
    text = "the message ends in the middle of a field: the file is cut short or damaged";
  else if (dynamic_cast<const protozero::varint_too_long_exception*>(&error))
    text = "a number is longer than 10 bytes: the file is damaged";
  else if (dynamic_cast<const protozero::unknown_pbf_wire_type_exception*>(&error))
    text = "a field of a wire type that does not exist: the file is damaged";
  else if (dynamic_cast<const protozero::invalid_tag_exception*>(&error))
    text = "a field with a number that is not allowed: the file is damaged";
  fail(text);
}

}  // namespace opgraft::formats::protobuf
