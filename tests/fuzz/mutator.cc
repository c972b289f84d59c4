// Parsing protobuf without a schema, and the changes that are made to it.
#include "tests/fuzz/mutator.h"

#include <algorithm>
#include <cstring>

namespace opgraft::fuzz {
namespace {

constexpr size_t kMaxNested = 1 << 20;  // larger bytes are weights
constexpr int kMaxDepth = 40;
constexpr uint32_t kMaxFieldNumber = 64;
constexpr size_t kMaxGrowth = 1 << 20;

bool read_varint(std::string_view* bytes, uint64_t* value) {
  *value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (bytes->empty()) return false;
    const auto byte = static_cast<unsigned char>(bytes->front());
    bytes->remove_prefix(1);
    *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

void write_varint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) *out += static_cast<char>(value | 0x80);
  *out += static_cast<char>(value);
}

bool parse_message(std::string_view bytes, int depth, std::vector<Field>* fields) {
  while (!bytes.empty()) {
    Field field;
    uint64_t tag = 0;
    if (!read_varint(&bytes, &tag)) return false;
    field.number = static_cast<uint32_t>(tag >> 3);
    field.wire_type = tag & 7;
    if (field.number == 0 || (depth > 0 && field.number > kMaxFieldNumber)) return false;
    if (field.wire_type == 0) {
      if (!read_varint(&bytes, &field.value)) return false;
    } else if (field.wire_type == 1 || field.wire_type == 5) {
      const size_t size = field.wire_type == 1 ? 8 : 4;
      if (bytes.size() < size) return false;
      std::memcpy(&field.value, bytes.data(), size);
      bytes.remove_prefix(size);
    } else if (field.wire_type == 2) {
      uint64_t length = 0;
      if (!read_varint(&bytes, &length) || length > bytes.size()) return false;
      const std::string_view content = bytes.substr(0, length);
      bytes.remove_prefix(length);
      field.is_message = !content.empty() && content.size() <= kMaxNested && depth < kMaxDepth &&
                         parse_message(content, depth + 1, &field.fields);
      if (!field.is_message) {
        field.fields.clear();
        field.bytes = content;
      }
    } else {
      return false;
    }
    fields->push_back(std::move(field));
  }
  return true;
}

// All fields, nested ones too, with the list that each stands in.
struct Place {
  std::vector<Field>* list;
  size_t index;
  Field& field() const { return (*list)[index]; }
};

void collect(std::vector<Field>* list, std::vector<Place>* places) {
  for (size_t i = 0; i < list->size(); ++i) {
    places->push_back({list, i});
    collect(&(*list)[i].fields, places);
  }
}

uint64_t interesting_number(uint64_t old, Random& random) {
  static constexpr int64_t kNumbers[] = {0,
                                         1,
                                         -1,
                                         2,
                                         3,
                                         7,
                                         8,
                                         11,
                                         16,
                                         27,
                                         64,
                                         127,
                                         128,
                                         255,
                                         256,
                                         1000,
                                         65536,
                                         INT32_MAX,
                                         INT32_MIN,
                                         UINT32_MAX,
                                         INT64_MAX,
                                         INT64_MIN,
                                         int64_t(1) << 40,
                                         int64_t(1) << 62,
                                         -(int64_t(1) << 62),
                                         0x3fffffff};
  switch (random.below(4)) {
    case 0:
      return old ^ (uint64_t(1) << random.below(64));
    case 1:
      return old + random.below(5) - 2;
    case 2:
      return random.below(30);
    default:
      return static_cast<uint64_t>(kNumbers[random.below(std::size(kNumbers))]);
  }
}

std::string interesting_text(Random& random) {
  static const char* const kTexts[] = {
      "",        "x",    "ai.onnx",  "..",     "../x", "/etc/passwd", "-1",       "99999999999999999999", "Identity",
      "If",      "Loop", "location", "offset", "%s%n", "a/b",         "\xff\xfe", "\xe2\x82\xac",         "then_branch",
      "Constant"};
  return kTexts[random.below(std::size(kTexts))];
}

std::string content_of(const Field& field) { return field.is_message ? serialize(field.fields) : field.bytes; }

void set_content(Field* field, std::string bytes) {
  field->is_message = false;
  field->fields.clear();
  field->bytes = std::move(bytes);
  field->wire_type = 2;
}

void damage_bytes(std::string* bytes, Random& random) {
  switch (bytes->empty() ? 2 : random.below(4)) {
    case 0:
      (*bytes)[random.below(bytes->size())] ^= static_cast<char>(1 << random.below(8));
      break;
    case 1:
      bytes->resize(random.below(bytes->size()));
      break;
    case 2:
      bytes->insert(random.below(bytes->size() + 1),
                    std::string(1 + random.below(16), static_cast<char>(random.next())));
      break;
    default:
      bytes->erase(random.below(bytes->size()), 1 + random.below(8));
  }
}

const Field* pick_bytes(const std::vector<Place>& places, Random& random) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    const Field& field = places[random.below(places.size())].field();
    if (field.wire_type == 2) return &field;
  }
  return nullptr;
}

// Puts a copy of the field into itself: nesting grows.
void nest(Field* field, Random& random) {
  if (!field->is_message || content_of(*field).size() > 4096) return;
  const int levels = 1 + static_cast<int>(random.below(100));
  Field wrapped = *field;
  for (int i = 0; i < levels && content_of(wrapped).size() < kMaxGrowth / 64; ++i) {
    Field outer = *field;
    std::vector<Place> places;
    collect(&outer.fields, &places);
    std::vector<Place> messages;
    for (const auto& place : places)
      if (place.field().wire_type == 2) messages.push_back(place);
    if (messages.empty()) return;
    Field& target = messages[random.below(messages.size())].field();
    const uint32_t number = target.number;
    target = wrapped;
    if (random.one_in(2)) target.number = number;
    wrapped = outer;
  }
  *field = std::move(wrapped);
}

void change(std::vector<Field>* root, Random& random) {
  std::vector<Place> places;
  collect(root, &places);
  if (places.empty()) return;
  const Place place = places[random.below(places.size())];
  std::vector<Field>& list = *place.list;
  Field& field = place.field();
  switch (random.below(16)) {
    case 0:
      list.erase(list.begin() + static_cast<long>(place.index));
      break;
    case 1: {
      const Field copy = field;
      list.insert(list.begin() + static_cast<long>(random.below(list.size() + 1)), copy);
      break;
    }
    case 2:
      std::swap(field, list[random.below(list.size())]);
      break;
    case 3:
    case 4:
    case 5:
      if (field.wire_type != 2) {
        field.value = interesting_number(field.value, random);
        break;
      }
      [[fallthrough]];
    case 6: {
      std::string bytes = content_of(field);
      damage_bytes(&bytes, random);
      set_content(&field, std::move(bytes));
      break;
    }
    case 7:
    case 8:
      // Names that mean something elsewhere: doubled definitions, cycles, captures.
      if (const Field* other = pick_bytes(places, random); other && field.wire_type == 2) {
        const Field copy = *other;
        const uint32_t number = field.number;
        field = copy;
        field.number = number;
      }
      break;
    case 9:
      if (field.wire_type == 2) set_content(&field, interesting_text(random));
      break;
    case 10:
      field.number = 1 + static_cast<uint32_t>(random.below(26));
      break;
    case 11: {
      Field made;
      made.number = 1 + static_cast<uint32_t>(random.below(26));
      made.value = interesting_number(0, random);
      list.insert(list.begin() + static_cast<long>(random.below(list.size() + 1)), made);
      break;
    }
    case 12: {
      const Field copy = field;
      const size_t size = content_of(copy).size() + 8;
      const size_t times = std::min<size_t>(1 + random.below(2000), kMaxGrowth / size);
      list.insert(list.end(), times, copy);
      break;
    }
    case 13:
      nest(&field, random);
      break;
    case 14: {
      const Place target = places[random.below(places.size())];
      const Field copy = field;
      if (target.field().is_message) target.field().fields.push_back(copy);
      break;
    }
    default:
      field.wire_type = std::vector<uint32_t>{0, 1, 2, 5}[random.below(4)];
  }
}

}  // namespace

uint64_t Random::next() {
  // SplitMix64.
  uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::vector<Field> parse(std::string_view bytes) {
  std::vector<Field> fields;
  parse_message(bytes, 0, &fields);
  return fields;
}

std::string serialize(const std::vector<Field>& fields) {
  std::string out;
  for (const auto& field : fields) {
    write_varint(static_cast<uint64_t>(field.number) << 3 | field.wire_type, &out);
    if (field.wire_type == 0) {
      write_varint(field.value, &out);
    } else if (field.wire_type == 2) {
      const std::string content = content_of(field);
      write_varint(content.size(), &out);
      out += content;
    } else {
      out.append(reinterpret_cast<const char*>(&field.value), field.wire_type == 1 ? 8 : 4);
    }
  }
  return out;
}

std::string mutate(const std::vector<Field>& seed, Random& random) {
  std::vector<Field> root = seed;
  const uint64_t changes = 1 + random.below(random.one_in(4) ? 8 : 2);
  for (uint64_t i = 0; i < changes; ++i) change(&root, random);
  std::string bytes = serialize(root);
  // Now and then lengths and tags themselves are wrong.
  if (random.one_in(8)) damage_bytes(&bytes, random);
  return bytes;
}

}  // namespace opgraft::fuzz
