"""The host table is append-only: the recorded list of every level stays a prefix of today's."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]


def slots():
    text = (ROOT / "include/opgraft/abi_slots.inc").read_text()
    return re.findall(r"^OG_SLOT\((.+)\)\s*(?://.*)?$", text, re.M)


def test_recorded_levels_are_prefixes():
    now = slots()
    for record in sorted(pathlib.Path(__file__).parent.glob("level*.txt")):
        old = record.read_text().splitlines()
        assert now[: len(old)] == old, f"{record.name}: a slot was changed, moved or removed; slots are only appended"
    assert len(now) > 60


def test_every_slot_is_bound(compile_plugin):
    import opgraft

    source = """#include <opgraft/abi.h>
#include <cstring>
extern "C" __attribute__((visibility("default"))) int32_t opgraft_plugin_v1(const og_host* host, og_registrar* r) {
  const char* empty = nullptr;
#define OG_SLOT(result, name, arguments) if (!host->name) empty = #name;
#include <opgraft/abi_slots.inc>
  if (empty) { host->set_error(empty); return 1; }
  return host->plugin(r, "slots", "1", OG_ABI_LEVEL) || host->size != sizeof(og_host) || host->opset != OG_ABI_OPSET;
}
"""
    opgraft.load_plugin(compile_plugin("slots", source))
