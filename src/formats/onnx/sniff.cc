// Marks by which other kinds of files are recognised.
#include "formats/onnx/sniff.h"

#include <algorithm>

#include "base/utf8.h"

namespace opgraft::formats::onnx {
namespace {

using std::string_view_literals::operator""sv;

struct Mark {
  size_t offset;
  std::string_view bytes;
  const char* meaning;
};

constexpr Mark kMarks[] = {
    {0, "PK\x03\x04"sv, "a ZIP archive (a PyTorch or Keras model, perhaps); export the model to ONNX"},
    {4, "TFL3"sv, "a TensorFlow Lite model"},
    {4, "ORTM"sv, "a model in onnxruntime's own format; use the ONNX model that it was made from"},
    {0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file (a Keras model, perhaps); export the model to ONNX"},
    {0, "version https://git-lfs"sv, "a Git LFS pointer, not the model itself; run `git lfs pull`"},
    {0, "\x1f\x8b"sv, "a gzip archive; unpack it first"},
    {0, "BZh"sv, "a bzip2 archive; unpack it first"},
    {0,
     "\xfd"
     "7zXZ"sv,
     "an xz archive; unpack it first"},
    {0, "\x28\xb5\x2f\xfd"sv, "a Zstandard archive; unpack it first"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "a 7-Zip archive; unpack it first"},
    {257, "ustar"sv, "a tar archive; unpack it first"},
    {0, "\x80\x02"sv, "a Python pickle (an old PyTorch model, perhaps); export the model to ONNX"},
    {0, "\x80\x04"sv, "a Python pickle; export the model to ONNX"},
    {0, "\x93NUMPY"sv, "a NumPy array file"},
    {0, "GGUF"sv, "a GGUF model"},
    {0, "7767517"sv, "an ncnn parameter file"},
    {0,
     "\x7f"
     "ELF"sv,
     "a program or shared library"},
    {0, "\x89PNG"sv, "a PNG image"},
    {0, "\xff\xd8\xff"sv, "a JPEG image"},
    {0, "%PDF"sv, "a PDF document"},
};

bool is_text(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 256);
  for (size_t i = 0; i < head.size();) {
    const auto c = static_cast<unsigned char>(head[i]);
    if (c < 0x80) {
      if (c == 0x7f || (c < 0x20 && c != '\n' && c != '\r' && c != '\t')) return false;
      ++i;
    } else if (const size_t length = utf8_length(head.substr(i))) {
      i += length;
    } else {
      return head.size() == 256 && i > 252;  // cut within a character
    }
  }
  return !head.empty();
}

}  // namespace

std::string looks_like(std::string_view bytes) {
  for (const auto& mark : kMarks)
    if (bytes.size() >= mark.offset && bytes.substr(mark.offset, mark.bytes.size()) == mark.bytes) return mark.meaning;
  if (!bytes.empty() &&
      std::all_of(bytes.begin(), bytes.begin() + static_cast<long>(std::min<size_t>(bytes.size(), 256)),
                  [](char c) { return c == 0; }))
    return "zeros: a file that was never filled, perhaps by a broken download; get it again";
  if (!is_text(bytes)) return "";
  const size_t start = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  const std::string_view head = bytes.substr(start, 9);
  if (!head.empty() && head[0] == '<')
    return "an HTML or XML page, perhaps an error page saved by a download; get it again";
  if (!head.empty() && (head[0] == '{' || head[0] == '[')) return "JSON text; convert it to the binary form of ONNX";
  return "text; ONNX models are binary files (for the text form, convert it with the onnx package)";
}

}  // namespace opgraft::formats::onnx
