// Checks of external data: where it may lie, and that it is all there.
#include "formats/onnx/external_data.h"

#include <filesystem>

#include "formats/onnx/fields.h"

namespace opgraft::formats::onnx {
namespace {

using protobuf::as_bytes;

struct Place {
  std::string_view location;
  uint64_t offset = 0;
  uint64_t length = 0;
  bool has_length = false;
};

uint64_t parse_number(std::string_view text, const char* what) {
  uint64_t number = 0;
  bool good = !text.empty();
  for (const char c : text)
    good = good && c >= '0' && c <= '9' && !__builtin_mul_overflow(number, uint64_t(10), &number) &&
           !__builtin_add_overflow(number, static_cast<uint64_t>(c - '0'), &number);
  if (!good) invalid(std::string("external data: ") + what + " " + quote(text) + " is not a number of bytes");
  return number;
}

Place read_place(Context& context, const std::vector<std::string_view>& entries) {
  Place place;
  for (const std::string_view entry : entries) {
    Message message = context.message(entry);
    std::string_view key, value;
    while (const uint32_t label = message.next()) {
      if (label == as_bytes(StringStringEntryProto::kKey))
        key = message.bytes();
      else if (label == as_bytes(StringStringEntryProto::kValue))
        value = message.bytes();
      else
        message.skip();
    }
    if (key == "location") place.location = value;
    if (key == "offset") place.offset = parse_number(value, "offset");
    if (key == "length") {
      place.length = parse_number(value, "length");
      place.has_length = true;
    }
  }
  return place;
}

// The file that is meant, with all links resolved.
std::string resolve(const Context& context, std::string_view location) {
  namespace fs = std::filesystem;
  if (location.empty()) invalid("external data: there is no location");
  if (location.find('\0') != std::string_view::npos || !is_utf8(location))
    invalid("external data: location " + quote(location) + " is not a path");
  const fs::path relative{std::string(location)};
  const auto refuse = [&](const std::string& reason) {
    invalid("external data: location " + quote(location) + " " + reason +
            "; data must lie in the folder of the model or below it: copy it there and save the model with the new "
            "location");
  };
  if (relative.is_absolute()) refuse("is an absolute path");
  for (const auto& part : relative)
    if (part == "..") refuse("leads out of a folder with \"..\"");
  std::error_code failed;
  fs::path folder = fs::path(context.source).parent_path();
  folder = fs::canonical(folder.empty() ? fs::path(".") : folder, failed);
  if (failed) invalid("external data: the model's folder cannot be resolved: " + failed.message());
  const fs::path target = fs::canonical(folder / relative, failed);
  if (failed)
    throw Error(ErrorCode::kNotFound, "external data: file " + (folder / relative).string() + " cannot be opened (" +
                                          failed.message() + "); put it beside the model, with this name");
  const auto [folder_end, ignored] = std::mismatch(folder.begin(), folder.end(), target.begin(), target.end());
  if (folder_end != folder.end()) refuse("is a link that leads out of the model's folder, to " + target.string());
  return target.string();
}

}  // namespace

ExternalBytes find_external(Context& context, const std::vector<std::string_view>& entries, uint64_t wanted) {
  const Place place = read_place(context, entries);
  if (!context.is_file)
    invalid("its contents are in another file (" + quote(place.location) +
            "), but the model was given as bytes: load it from its path, or save it without external data");
  auto found = context.external.find(place.location);
  if (found == context.external.end()) {
    const std::string path = resolve(context, place.location);
    context.spend(256 + path.size());
    found = context.external.emplace(std::string(place.location), map_file(path)).first;
    context.model->owners.push_back(found->second.owner);
  }
  const MappedFile& file = found->second;
  const uint64_t length = place.has_length ? place.length : wanted;
  if (length != wanted)
    invalid("external data: length " + std::to_string(length) + ", but dims and element type want " +
            std::to_string(wanted) + " bytes");
  if (place.offset > file.size || length > file.size - place.offset)
    invalid("external data: " + std::to_string(length) + " bytes at offset " + std::to_string(place.offset) + " of " +
            quote(place.location) + ", which has only " + std::to_string(file.size) +
            " bytes: the file is cut short or belongs to another model");
  return {file.owner, std::string_view(file.data, file.size).substr(place.offset, length)};
}

}  // namespace opgraft::formats::onnx
