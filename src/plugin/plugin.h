// Finding and loading plug-ins: by path, from the environment, from installed packages, and those already in the
// process.
#ifndef OPGRAFT_PLUGIN_PLUGIN_H_
#define OPGRAFT_PLUGIN_PLUGIN_H_

#include <functional>
#include <string>
#include <vector>

#include "registry/registry.h"

namespace opgraft::plugin {

// Opens a shared library (private symbols, never unloaded) and registers it. The same file twice is a no-op. Throws
// Error kNotFound or kPlugin: nothing of a refused plug-in stays registered.
PluginInfo load_library(const std::string& path);

// Registers every library in the process that exports the entry symbol and is not registered yet: those imported as
// Python extension modules before or after the engine. Cheap when no library was added since the last call. A plug-in
// that is refused is kept for search_report() and does not stop the others.
void collect_loaded();

// Loads what OPGRAFT_PLUGINS names (paths separated by ':'; ignored in set-id processes), once. Throws Error.
void load_environment();

// Asks the finder (set by the Python package: entry points "opgraft.plugins") for installed plug-ins, once.
void load_installed();
void set_installed_finder(std::function<std::string()> finder);  // loads what it finds; returns a line for reports
// Loads a file that is not a shared library (".py"); set by the Python package.
void set_script_loader(std::function<void(const std::string& path)> loader);

// Loads a library or, by extension, a script.
void load_any(const std::string& path);

// What was searched, for errors.
std::string search_report();

}  // namespace opgraft::plugin
#endif  // OPGRAFT_PLUGIN_PLUGIN_H_
