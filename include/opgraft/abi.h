// The C boundary between the engine and its plug-ins: plain structs, opaque handles and one table of host callbacks.
//
// A plug-in exports one symbol, `opgraft_plugin_v1`, and imports none from the engine: all it needs comes through the
// host table (`og_host`, slots in abi_slots.inc). Structs on the run path begin with their size and are append-only.
// Nothing here throws. A callback returns 0 for success; on failure it calls `set_error` first and returns non-zero.
// Strings are UTF-8; the host copies every string given to it. Plug-ins written in C++ use op.h instead of this file.
#ifndef OPGRAFT_ABI_H_
#define OPGRAFT_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OG_ABI_MAJOR 1   // A change of major breaks every plug-in; the entry symbol carries it.
#define OG_ABI_LEVEL 1   // Grows with every group of appended slots. Each level names its canonical ONNX opset.
#define OG_ABI_OPSET 28  // Opset of the canonical operators at OG_ABI_LEVEL.

// ---- Tensors (DLPack 1.x layouts and codes, declared here so that no other header is needed) ----

typedef struct og_dl_device {
  int32_t device_type;  // 1 = CPU
  int32_t device_id;
} og_dl_device;

typedef struct og_dl_dtype {
  uint8_t code;  // 0 int, 1 uint, 2 float, 4 bfloat, 5 complex, 6 bool, 7.. float8 kinds as in DLPack 1.x
  uint8_t bits;
  uint16_t lanes;
} og_dl_dtype;

typedef struct og_dl_tensor {
  void* data;
  og_dl_device device;
  int32_t ndim;
  og_dl_dtype dtype;
  int64_t* shape;    // ndim entries, logical dims
  int64_t* strides;  // in elements; NULL = compact row-major
  uint64_t byte_offset;
} og_dl_tensor;

// Element types: the numbers of ONNX's TensorProto.DataType.
typedef enum og_dtype {
  OG_ANY = 0,
  OG_F32 = 1,
  OG_U8 = 2,
  OG_I8 = 3,
  OG_U16 = 4,
  OG_I16 = 5,
  OG_I32 = 6,
  OG_I64 = 7,
  OG_STRING = 8,
  OG_BOOL = 9,
  OG_F16 = 10,
  OG_F64 = 11,
  OG_U32 = 12,
  OG_U64 = 13,
  OG_C64 = 14,
  OG_C128 = 15,
  OG_BF16 = 16,
  OG_F8E4M3FN = 17,
  OG_F8E4M3FNUZ = 18,
  OG_F8E5M2 = 19,
  OG_F8E5M2FNUZ = 20,
  OG_U4 = 21,
  OG_I4 = 22,
  OG_F4E2M1 = 23,
  OG_F8E8M0 = 24,
  OG_U2 = 25,
  OG_I2 = 26,
  OG_F6E2M3 = 27,
  OG_F6E3M2 = 28
} og_dtype;

typedef enum og_kind {
  OG_ABSENT = 0,   // an omitted optional argument
  OG_TENSOR = 1,   // numeric or bool
  OG_STRINGS = 2,  // tensor of strings: read with value_string, written with run_set_string
  OG_SEQUENCE = 3,
  OG_OPTIONAL = 4,
  OG_MAP = 5
} og_kind;

// Layout ids: append-only. Dims are always logical, whatever the layout.
typedef enum og_layout { OG_PLAIN = 0, OG_NHWC = 1, OG_NCHW8C = 2, OG_NCHW16C = 3 } og_layout;

enum { OG_VALUE_CONSTANT = 1 };  // og_value.flags: never changes during the life of the model

typedef struct og_value {
  uint32_t size;
  int32_t kind;         // og_kind
  og_dl_tensor tensor;  // data NULL: shape known, contents not (prepare), or an output that is allocated late (run)
  int32_t dtype;        // og_dtype
  int32_t layout;       // og_layout
  uint32_t flags;
  uint32_t pad;
  uint64_t bytes;  // size of data
  void* handle;    // engine's object; opaque
} og_value;

// A span of bytes; not terminated by zero.
typedef struct og_string {
  const char* data;
  uint64_t length;
} og_string;

// ---- Types and dimensions ----

// A dimension, or an integer value during inference, is a plain number or a symbol. Symbols are the numbers in
// (OG_SYMBOL_BASE - 2^31, OG_SYMBOL_BASE]; OG_SYMBOL_BASE itself means "unknown".
#define OG_SYMBOL_BASE (-((int64_t)1 << 62))
#define OG_UNKNOWN OG_SYMBOL_BASE

typedef struct og_type {
  uint32_t size;
  int32_t kind;   // og_kind; OG_ABSENT = nothing known
  int32_t dtype;  // OG_ANY = unknown; key type for a map
  int32_t ndim;   // -1 = rank unknown
  const int64_t* dims;
  const struct og_type* element;  // of a sequence, optional, or map value
} og_type;

enum {
  OG_DIM_ADD = 0,
  OG_DIM_SUB = 1,
  OG_DIM_MUL = 2,
  OG_DIM_FLOOR_DIV = 3,
  OG_DIM_CEIL_DIV = 4,
  OG_DIM_MAX = 5,
  OG_DIM_MIN = 6
};

// ---- Attributes: one struct for every ONNX kind (numbers of ONNX's AttributeProto.AttributeType) ----

typedef enum og_attr_kind {
  OG_ATTR_NONE = 0,
  OG_ATTR_FLOAT = 1,
  OG_ATTR_INT = 2,
  OG_ATTR_STRING = 3,
  OG_ATTR_TENSOR = 4,
  OG_ATTR_GRAPH = 5,
  OG_ATTR_FLOATS = 6,
  OG_ATTR_INTS = 7,
  OG_ATTR_STRINGS = 8,
  OG_ATTR_TENSORS = 9,
  OG_ATTR_GRAPHS = 10,
  OG_ATTR_SPARSE_TENSOR = 11,  // in definitions; a node's value arrives dense, as OG_ATTR_TENSOR
  OG_ATTR_TYPE = 13,
  OG_ATTR_TYPES = 14
} og_attr_kind;

typedef struct og_subgraph og_subgraph;  // a graph held by an attribute

typedef struct og_attr {
  uint32_t size;
  int32_t kind;  // og_attr_kind
  const char* name;
  int64_t count;                     // entries; 1 for a scalar kind
  const int64_t* ints;               // INT, INTS
  const float* floats;               // FLOAT, FLOATS
  const og_string* strings;          // STRING, STRINGS
  const og_value* tensors;           // TENSOR, TENSORS
  const og_subgraph* const* graphs;  // GRAPH, GRAPHS
  const og_type* types;              // TYPE, TYPES
} og_attr;

// ---- Opaque handles ----

typedef struct og_registrar og_registrar;  // valid during opgraft_plugin_v1
typedef struct og_op og_op;                // an operator (or an older version of it) being defined
typedef struct og_node og_node;            // a node of a graph, read-only
typedef struct og_infer og_infer;          // one inference call
typedef struct og_graph og_graph;          // a graph being built by a body, lowering, import rule or pattern
typedef struct og_new_node og_new_node;    // a node just added to an og_graph
typedef struct og_pack og_pack;            // one pack call
typedef struct og_prepare og_prepare;      // one supports, prepare or flops call

typedef struct og_node_info {
  uint32_t size;
  int32_t version;  // since_version of the operator in use
  const char* name;
  const char* op_type;
  const char* domain;
  int32_t input_count;  // positions, absent ones included
  int32_t output_count;
  int32_t attr_count;
} og_node_info;

// ---- Parallel loops on the engine's thread pool ----

#define OG_PARALLEL_DEFINED
// Calls body on disjoint ranges that cover [0, n), each at least `grain` long where possible; returns when all are
// done. `worker` < threads indexes per-thread scratch. Must not be called from inside a body.
typedef struct og_parallel {
  uint32_t size;
  int32_t threads;
  void* ctx;
  void (*parallel_for)(void* ctx, int64_t n, int64_t grain,
                       void (*body)(void* user, int64_t begin, int64_t end, int32_t worker), void* user);
} og_parallel;

// ---- Callbacks ----

typedef int32_t (*og_infer_fn)(void* user, og_infer* ctx);
// Returns 0 = built, OG_NOT_YET = no graph for these types, else error.
typedef int32_t (*og_graph_fn)(void* user, og_graph* graph);
enum { OG_NOT_YET = -1 };
typedef void (*og_release_fn)(void* user);
typedef int32_t (*og_flops_fn)(void* user, og_prepare* ctx, double* flops);

// ---- Kernels ----

typedef struct og_run {
  uint32_t size;
  int32_t input_count;
  int32_t output_count;
  int32_t pad;
  const og_value* inputs;  // input_count entries; kind OG_ABSENT where omitted
  og_value* outputs;       // planned buffers, 64-byte aligned, engine-owned; data NULL = call run_output first
  const void* state;       // what `pack` returned
  const void* plan;        // what `prepare` returned
  void* scratch;           // 64-byte aligned, as large as prepare_scratch asked
  void* resource;          // session resource, or NULL
  const og_node* node;
  const og_parallel* parallel;
  void* engine;  // opaque
} og_run;

typedef struct og_type_bind {
  const char* variable;  // type variable of the operator ("T"), or NULL for the first input's
  int32_t dtype;
} og_type_bind;

enum {
  OG_KERNEL_ANY_LAYOUT = 1,      // takes inputs in any one layout and writes the same
  OG_KERNEL_CALLING_THREAD = 2,  // must run on the thread that called session run (Python callbacks)
  OG_KERNEL_HOST_THREADS = 4     // makes its own threads: the engine gives it one
};

// A kernel: `pack` once per node and model, `prepare` once per plan, `run` per call (const, many threads at once).
typedef struct og_kernel {
  uint32_t size;
  int32_t priority;     // 0 = the plug-in's band: built-in 100, vendor 200, user 300
  const char* backend;  // "cpu"
  const og_type_bind* types;
  int32_t type_count;  // 0 = every type the operator allows
  uint32_t flags;
  void* user;
  og_release_fn release;                                              // of user; may be NULL
  int32_t (*supports)(void* user, og_prepare* ctx, int32_t* answer);  // NULL = yes
  int32_t (*pack)(void* user, og_pack* ctx, void** state);            // NULL = no state
  void (*free_state)(void* state);
  int32_t (*prepare)(void* user, og_prepare* ctx, void** plan);  // NULL = no plan data, no scratch
  void (*free_plan)(void* plan);
  int32_t (*run)(void* user, og_run* run);
  const char* layouts;   // per argument: "nchw8c,plain->nchw8c"; NULL = plain
  const char* epilogue;  // "tape" when the kernel takes a pointwise tape; NULL = none
} og_kernel;

typedef struct og_resource {
  uint32_t size;
  uint32_t pad;
  void* user;
  int32_t (*create)(void* user, const og_node* node, void** resource);  // once per session and node
  void (*destroy)(void* resource);
} og_resource;

enum { OG_OPTIONAL_ARG = 1, OG_VARIADIC_ARG = 2, OG_HETEROGENEOUS_ARG = 4, OG_HOST_MEMORY_ARG = 8 };
enum { OG_ATTR_REQUIRED = 1 };
enum { OG_STATEFUL = 0, OG_PURE = 1, OG_RANDOM = 2 };
enum { OG_BODY_FIXED = 0, OG_BODY_CONTEXT = 1 };
enum { OG_LOG_INFO = 1, OG_LOG_WARNING = 2 };

// ---- The host table ----

typedef struct og_host {
  uint32_t size;   // of the whole table: a slot beyond it does not exist
  uint32_t major;  // OG_ABI_MAJOR
  uint32_t level;  // OG_ABI_LEVEL
  uint32_t opset;  // OG_ABI_OPSET
#define OG_SLOT(result, name, arguments) result(*name) arguments;
#include "opgraft/abi_slots.inc"
#undef OG_SLOT
} og_host;

#define OG_ENTRY_SYMBOL "opgraft_plugin_v1"
typedef int32_t (*og_entry_fn)(const og_host* host, og_registrar* registrar);

#ifdef __cplusplus
}
#endif
#endif  // OPGRAFT_ABI_H_
