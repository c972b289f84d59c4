// Loading of plug-ins.
#include "plugin/plugin.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include "base/error.h"
#include "registry/contexts.h"

namespace opgraft::plugin {
namespace {

constexpr int kUserPriority = 300;

std::recursive_mutex mutex;  // loading one plug-in may import another
std::set<std::string>& handled() {
  static std::set<std::string> paths;
  return paths;
}
std::vector<std::string>& notes() {
  static std::vector<std::string> list;
  return list;
}
std::function<std::string()> installed_finder;
std::function<void(const std::string&)> script_loader;
unsigned long long last_adds = 0;
bool environment_done = false;
bool installed_done = false;

std::string real_path(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) ? resolved : path;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// What kind of file was mistaken for a library.
std::string describe_file(const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return "";
  unsigned char head[20] = {};
  const size_t count = std::fread(head, 1, sizeof(head), file);
  std::fclose(file);
  if (count == 0) return " (the file is empty)";
  if (count < 20 || std::memcmp(head, "\177ELF", 4) != 0) return " (it is not a shared library)";
  if (head[4] != ELFCLASS64) return " (it is a 32-bit library)";
  return "";
}

PluginInfo enter(void* library, const std::string& path) {
  void* symbol = dlsym(library, OG_ENTRY_SYMBOL);
  if (!symbol)
    throw Error(ErrorCode::kPlugin, path +
                                        " is not an opgraft plug-in: it does not export " OG_ENTRY_SYMBOL
                                        "; add OG_PLUGIN(\"name\", \"version\") to one of its sources (an onnxruntime "
                                        "custom-op library is loaded by SessionOptions.register_custom_ops_library)");
  return register_plugin(reinterpret_cast<og_entry_fn>(symbol), PluginSource{path, kUserPriority, false});
}

// Looks for the entry symbol in one module's own dynamic symbol table.
struct Module {
  std::string path;
  ElfW(Addr) base;
  const ElfW(Dyn) * dynamic;
};

bool exports_entry(const Module& module) {
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  const uint32_t* gnu_hash = nullptr;
  const ElfW(Word)* hash = nullptr;
  const auto address = [&](ElfW(Addr) pointer) { return pointer < module.base ? pointer + module.base : pointer; };
  for (const ElfW(Dyn)* entry = module.dynamic; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(address(entry->d_un.d_ptr));
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(address(entry->d_un.d_ptr));
    if (entry->d_tag == DT_GNU_HASH) gnu_hash = reinterpret_cast<const uint32_t*>(address(entry->d_un.d_ptr));
    if (entry->d_tag == DT_HASH) hash = reinterpret_cast<const ElfW(Word)*>(address(entry->d_un.d_ptr));
  }
  if (!symbols || !strings) return false;
  const auto matches = [&](uint32_t index) {
    return symbols[index].st_shndx != SHN_UNDEF && std::strcmp(strings + symbols[index].st_name, OG_ENTRY_SYMBOL) == 0;
  };
  if (gnu_hash) {
    uint32_t wanted = 5381;
    for (const char* c = OG_ENTRY_SYMBOL; *c; ++c) wanted = wanted * 33 + static_cast<unsigned char>(*c);
    const uint32_t bucket_count = gnu_hash[0], first = gnu_hash[1], bloom_words = gnu_hash[2];
    const uint32_t* buckets = gnu_hash + 4 + bloom_words * (sizeof(ElfW(Addr)) / 4);
    const uint32_t* chain = buckets + bucket_count;
    if (bucket_count == 0) return false;
    uint32_t index = buckets[wanted % bucket_count];
    if (index < first) return false;
    for (;; ++index) {
      const uint32_t found = chain[index - first];
      if ((found | 1u) == (wanted | 1u) && matches(index)) return true;
      if (found & 1u) return false;
    }
  }
  if (hash)
    for (uint32_t index = 0; index < hash[1]; ++index)
      if (matches(index)) return true;
  return false;
}

}  // namespace

PluginInfo load_library(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) throw Error(ErrorCode::kNotFound, "plug-in " + path + " does not exist");
  if (S_ISDIR(status.st_mode))
    throw Error(ErrorCode::kNotFound, "plug-in " + path + " is a folder; name the library or the .py file in it");
  const std::string file = real_path(path);
  const std::lock_guard lock(mutex);
  if (const PluginInfo* known = Registry::current()->find_plugin_file(file)) return *known;
  // Local: its symbols serve nobody else. Never closed: code and data of an operator stay valid.
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    throw Error(ErrorCode::kPlugin, "plug-in " + file + " cannot be opened" + describe_file(file) + ": " +
                                        (reason ? reason : "no reason given"));
  }
  const PluginInfo info = enter(library, file);
  handled().insert(file);
  return info;
}

void collect_loaded() {
  const std::lock_guard lock(mutex);
  struct State {
    unsigned long long adds = 0;
    std::vector<Module> modules;
  } state;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* user) {
        auto* s = static_cast<State*>(user);
        s->adds = info->dlpi_adds;
        if (info->dlpi_adds == last_adds) return 1;
        if (!info->dlpi_name || !*info->dlpi_name || std::strstr(info->dlpi_name, "linux-vdso")) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i)
          if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            s->modules.push_back({info->dlpi_name, info->dlpi_addr,
                                  reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr)});
        return 0;
      },
      &state);
  if (state.adds == last_adds) return;
  last_adds = state.adds;
  for (const auto& module : state.modules) {
    const std::string file = real_path(module.path);
    if (handled().count(file) || !exports_entry(module)) continue;
    handled().insert(file);
    void* library = dlopen(module.path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!library) continue;
    try {
      enter(library, file);
    } catch (const Error& error) {
      notes().push_back(error.what());
    }
  }
}

void load_any(const std::string& path) {
  if (ends_with(path, ".py")) {
    if (!script_loader)
      throw Error(ErrorCode::kPlugin, "plug-in " + path + " is a Python file; it can be loaded from Python only");
    struct stat status;
    if (stat(path.c_str(), &status) != 0) throw Error(ErrorCode::kNotFound, "plug-in " + path + " does not exist");
    script_loader(path);
    return;
  }
  load_library(path);
}

void load_environment() {
  const std::lock_guard lock(mutex);
  if (environment_done) return;
  const char* list = getauxval(AT_SECURE) ? nullptr : std::getenv("OPGRAFT_PLUGINS");
  if (!list) {
    environment_done = true;
    return;
  }
  const std::string text = list;
  size_t begin = 0;
  while (begin <= text.size()) {
    size_t end = text.find(':', begin);
    if (end == std::string::npos) end = text.size();
    const std::string path = text.substr(begin, end - begin);
    begin = end + 1;
    if (path.empty()) continue;
    try {
      load_any(path);
    } catch (const Error& error) {
      throw Error(error.code(), std::string("OPGRAFT_PLUGINS: ") + error.what());
    }
  }
  environment_done = true;
}

void load_installed() {
  std::function<std::string()> finder;
  {
    const std::lock_guard lock(mutex);
    if (installed_done || !installed_finder) return;
    installed_done = true;
    finder = installed_finder;
  }
  const std::string note = finder();
  collect_loaded();
  const std::lock_guard lock(mutex);
  if (!note.empty()) notes().push_back(note);
}

void set_installed_finder(std::function<std::string()> finder) {
  const std::lock_guard lock(mutex);
  installed_finder = std::move(finder);
}

void set_script_loader(std::function<void(const std::string&)> loader) {
  const std::lock_guard lock(mutex);
  script_loader = std::move(loader);
}

std::string search_report() {
  const std::lock_guard lock(mutex);
  const char* list = std::getenv("OPGRAFT_PLUGINS");
  std::string text = list && *list ? std::string("OPGRAFT_PLUGINS=") + list : std::string("OPGRAFT_PLUGINS is not set");
  text += installed_finder ? "; installed packages (entry points \"opgraft.plugins\")" : "";
  for (const auto& note : notes()) text += "; " + note;
  return text;
}

}  // namespace opgraft::plugin
