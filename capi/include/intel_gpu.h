/* The C ABI of the Intel GPU user-mode driver (libintel_gpu.so).
 *
 * Made by cbindgen from the crate capi; `cargo test -p capi` says so if it is out of date.
 *
 * Handles are opaque. Whoever makes one releases it; releasing NULL does nothing. What a handle
 * needs lives as long as it does: a device may be released before its queues. Every function may
 * be called from any thread, also with one handle from several threads at once; only a release
 * must be the last use of its handle.
 *
 * Functions that can fail give a status, and ig_last_error() says more about the last failure of
 * the calling thread. Results are written through pointers, on success only. Every wait has a
 * timeout in nanoseconds.
 *
 * Pointers: one with a size points to that many bytes, a text ends with a zero, a wait list points
 * to wait_count events; with a size or count of zero the pointer may be null.
 */

#ifndef INTEL_GPU_H
#define INTEL_GPU_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// The major version of this header.
#define IG_VERSION_MAJOR 1

// The minor version of this header.
#define IG_VERSION_MINOR 0

// How a call ended.
typedef enum ig_status {
  // Success.
  IG_STATUS_OK = 0,
  // No memory, or a kernel driver that refuses.
  IG_STATUS_FAILED = 1,
  // The call was wrong: a null pointer, an argument, a size, a range.
  IG_STATUS_USAGE = 2,
  // The kernel file was rejected.
  IG_STATUS_INPUT = 3,
  // The device is missing, lost or hung.
  IG_STATUS_DEVICE = 4,
  // The timeout passed first. The command may still end.
  IG_STATUS_TIMEOUT = 5,
  // An error of the library itself.
  IG_STATUS_INTERNAL = 6,
} ig_status;

// How far a command is.
typedef enum ig_event_status {
  // It waits in this process for other commands.
  IG_EVENT_STATUS_QUEUED = 0,
  // The kernel driver has it.
  IG_EVENT_STATUS_SUBMITTED = 1,
  // It ended.
  IG_EVENT_STATUS_COMPLETE = 2,
  // It failed; `ig_event_wait` says how.
  IG_EVENT_STATUS_FAILED = 3,
} ig_event_status;

// What a sampler does with coordinates outside the image.
typedef enum ig_addressing {
  // CLK_ADDRESS_NONE.
  IG_ADDRESSING_NONE = 0,
  // CLK_ADDRESS_CLAMP_TO_EDGE.
  IG_ADDRESSING_CLAMP_TO_EDGE = 1,
  // CLK_ADDRESS_CLAMP.
  IG_ADDRESSING_CLAMP_TO_BORDER = 2,
  // CLK_ADDRESS_REPEAT.
  IG_ADDRESSING_REPEAT = 3,
  // CLK_ADDRESS_MIRRORED_REPEAT.
  IG_ADDRESSING_MIRRORED_REPEAT = 4,
} ig_addressing;

// What a kernel does with an argument.
typedef enum ig_arg_access {
  // The file does not say.
  IG_ARG_ACCESS_UNKNOWN = 0,
  // It reads.
  IG_ARG_ACCESS_READ_ONLY = 1,
  // It writes.
  IG_ARG_ACCESS_WRITE_ONLY = 2,
  // It does both.
  IG_ARG_ACCESS_READ_WRITE = 3,
} ig_arg_access;

// What an argument takes.
typedef enum ig_arg_kind {
  // Anything; the code does not use it.
  IG_ARG_KIND_UNUSED = 0,
  // A buffer or null.
  IG_ARG_KIND_BUFFER = 1,
  // Bytes of a value.
  IG_ARG_KIND_VALUE = 2,
  // A size of local memory.
  IG_ARG_KIND_LOCAL = 3,
  // An image.
  IG_ARG_KIND_IMAGE = 4,
  // A sampler.
  IG_ARG_KIND_SAMPLER = 5,
} ig_arg_kind;

// The memory that a pointer argument points to.
typedef enum ig_arg_space {
  // The file does not say.
  IG_ARG_SPACE_UNKNOWN = 0,
  // `global`.
  IG_ARG_SPACE_GLOBAL = 1,
  // `constant`.
  IG_ARG_SPACE_CONSTANT = 2,
  // `local`.
  IG_ARG_SPACE_LOCAL = 3,
  // `private`: a value.
  IG_ARG_SPACE_PRIVATE = 4,
} ig_arg_space;

// The shape of an image.
typedef enum ig_image_kind {
  // One dimension.
  IG_IMAGE_KIND_D1 = 0,
  // One dimension, the texels of a buffer.
  IG_IMAGE_KIND_D1_BUFFER = 1,
  // An array of one-dimensional images.
  IG_IMAGE_KIND_D1_ARRAY = 2,
  // Two dimensions.
  IG_IMAGE_KIND_D2 = 3,
  // An array of two-dimensional images.
  IG_IMAGE_KIND_D2_ARRAY = 4,
  // Three dimensions.
  IG_IMAGE_KIND_D3 = 5,
} ig_image_kind;

// What is done with a mapped part of an image.
typedef enum ig_map_access {
  // It is read.
  IG_MAP_ACCESS_READ = 0,
  // It is read, and written in part.
  IG_MAP_ACCESS_READ_WRITE = 1,
  // It is written as a whole; what was there before is not needed.
  IG_MAP_ACCESS_OVERWRITE = 2,
} ig_map_access;

// Memory that kernels and this process share, or a part of it.
typedef struct ig_buffer ig_buffer;

// An open device.
typedef struct ig_device ig_device;

// The end of a command.
typedef struct ig_event ig_event;

// An image.
typedef struct ig_image ig_image;

// An entry point of a program, with arguments.
typedef struct ig_kernel ig_kernel;

// A mapped part of a buffer or image.
typedef struct ig_map ig_map;

// A compiled file in a device's memory.
typedef struct ig_program ig_program;

// Runs commands on a device.
typedef struct ig_queue ig_queue;

// An event that the caller sets. Releasing it unset fails what waits for it.
typedef struct ig_user_event ig_user_event;

// How a device is opened. All zeros is the usual way.
typedef struct ig_device_options {
  // Host threads of the software GPU; 0 for as many as there are cores.
  uint32_t threads;
  // Not 0: the software GPU reports what silicon leaves undefined (`ig_device_next_violation`).
  uint32_t check;
  // Not 0: accesses to unbound pages reach a scratch page instead of failing.
  uint32_t scratch_page;
  // Always 0.
  uint32_t reserved;
  // After how many nanoseconds the software GPU calls a kernel hung; 0 for its default.
  uint64_t hang_timeout;
} ig_device_options;

// When a command passed its stages, in nanoseconds since its device was opened.
typedef struct ig_timestamps {
  // It was enqueued.
  uint64_t queued;
  // The kernel driver got it.
  uint64_t submitted;
  // The device began with it.
  uint64_t started;
  // The device ended it.
  uint64_t ended;
} ig_timestamps;

// What is called when a command has ended: with `IG_STATUS_OK`, or with what `ig_event_wait` then
// gives, and with the caller's own pointer.
typedef void (*ig_event_callback)(enum ig_status status, void *data);

// An image to make.
typedef struct ig_image_info {
  // The shape: one of `ig_image_kind`.
  uint32_t kind;
  // The channel order: the numbers of cl.h.
  uint32_t channel_order;
  // The channel data type: the numbers of cl.h.
  uint32_t channel_type;
  // Texels in a row.
  uint32_t width;
  // Rows; 1 where there are none.
  uint32_t height;
  // Slices; 1 where there are none.
  uint32_t depth;
  // Layers; 1 where there are none.
  uint32_t layers;
  // Bytes from row to row, only for images of a buffer; 0 lets the driver choose.
  uint32_t row_pitch;
} ig_image_info;

// A part of an image, in texels. The layer is the coordinate after an
// image's own: y of 1D arrays, z of 2D arrays.
typedef struct ig_region {
  // The first texel.
  uint32_t origin[3];
  // The number of texels.
  uint32_t size[3];
} ig_region;

// What a device is and what it can do. Sizes are in bytes, yes is 1 and no is 0.
typedef struct ig_device_info {
  // PCI vendor id.
  uint32_t vendor_id;
  // PCI device id.
  uint32_t device_id;
  // PCI revision.
  uint32_t revision;
  // EUs that are not fused off.
  uint32_t compute_units;
  // Hardware threads of each.
  uint32_t threads_per_compute_unit;
  // Slices.
  uint32_t slices;
  // Subslices, of all slices.
  uint32_t subslices;
  // The most work-items of a group.
  uint32_t max_work_group_size;
  // The most sub-groups of a group.
  uint32_t max_sub_groups;
  // The sizes of sub-groups; the first `sub_group_size_count` count.
  uint32_t sub_group_sizes[4];
  // How many sizes there are.
  uint32_t sub_group_size_count;
  // Whether sub-groups make progress independently of each other.
  uint32_t independent_forward_progress;
  // Whether the device computes in double precision.
  uint32_t fp64;
  // Whether buffers lie in the host's memory.
  uint32_t unified_memory;
  // What the origin of a sub-buffer is a multiple of.
  uint32_t sub_buffer_alignment;
  // Bits of an address.
  uint32_t address_bits;
  // Whether there are images and samplers; what follows about them is 0 if not.
  uint32_t images;
  // The most texels of a 2D image's row, its rows, and those of a 3D image's slice.
  uint32_t image_across;
  // The most slices of a 3D image.
  uint32_t image_depth;
  // The most layers of an array of images.
  uint32_t image_layers;
  // The most texels of a 1D image made of a buffer.
  uint32_t image_buffer;
  // The most samplers of a kernel.
  uint32_t max_samplers;
  // Shared local memory of a group.
  uint64_t local_memory;
  // Memory for buffers.
  uint64_t global_memory;
  // The largest buffer.
  uint64_t max_allocation;
  // What printf can write in one launch.
  uint64_t printf_buffer;
  // Ticks of the profiling timer in a second.
  uint64_t timer_frequency;
} ig_device_info;

// What a kernel takes and needs. Sizes are in bytes.
typedef struct ig_kernel_info {
  // How many arguments it has.
  uint32_t arg_count;
  // The work-items of a full sub-group: also what work-group sizes are best a multiple of.
  uint32_t sub_group_size;
  // The sub-group size that its source required; 0 if none.
  uint32_t required_sub_group_size;
  // The most work-items of a group.
  uint32_t max_local_size;
  // The most sub-groups of a group.
  uint32_t max_sub_groups;
  // The local size that it requires; all 0 if none.
  uint32_t required_local_size[3];
  // Shared local memory of a group, with the arguments that are set now.
  uint32_t local_memory;
  // Private memory of a work-item.
  uint32_t private_memory;
  // Scratch of a thread: spilled registers, stack.
  uint32_t scratch_memory;
  // Registers of a thread.
  uint32_t register_count;
  // Barriers that it uses.
  uint32_t barriers;
  // Whether it prints.
  uint32_t prints;
  // Bytes of code.
  uint64_t code_size;
} ig_kernel_info;

// One argument of a kernel.
typedef struct ig_arg_info {
  // What it takes: one of `ig_arg_kind`.
  uint32_t kind;
  // Bytes of a value; else 0.
  uint32_t size;
  // One of `ig_arg_space`.
  uint32_t space;
  // One of `ig_arg_access`.
  uint32_t access;
  // The shape of an image: one of `ig_image_kind`; else 0.
  uint32_t image_kind;
  // What a buffer's address has to be a multiple of, in bytes.
  uint32_t alignment;
  // Its name; empty if the file has none. The texts are valid as long as the kernel.
  const char *name;
  // Its type in the source; empty if the file has none.
  const char *type_name;
  // Qualifiers of its type: `const`, `restrict`, `volatile`, `pipe`, with spaces between.
  const char *type_qualifiers;
} ig_arg_info;

// What a kernel runs over.
typedef struct ig_range {
  // 1 to 3; what lies beyond is not looked at.
  uint32_t dimensions;
  // Work-items.
  uint64_t global[3];
  // Work-items of a group; all zero lets the driver choose.
  uint32_t local[3];
  // The first work-item's ids.
  uint64_t offset[3];
} ig_range;

// A buffer seen as rows and slices of bytes, and a place in it.
typedef struct ig_rect_layout {
  // The first byte: its place in the row, the row, the slice.
  uint64_t origin[3];
  // Bytes from row to row; 0 if the rows of the region lie one after the other.
  uint64_t row_pitch;
  // Bytes from slice to slice; 0 if the slices of the region lie one after the other.
  uint64_t slice_pitch;
} ig_rect_layout;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Makes a buffer of `size` zero bytes.
enum ig_status ig_buffer_create(const struct ig_device *device,
                                uint64_t size,
                                struct ig_buffer **buffer);

// Makes a buffer of `size` zero bytes in the host's memory, which this process and kernels see
// at one address: `ig_buffer_pointer` and `ig_buffer_address` are the same number.
enum ig_status ig_buffer_create_shared(const struct ig_device *device,
                                       uint64_t size,
                                       struct ig_buffer **buffer);

// Makes a buffer of the caller's own memory, without a copy. It may begin and end anywhere; the
// kernel driver takes the pages of 4096 bytes that it lies in. They must stay mapped, readable
// and writable until the buffer and its parts are released and the commands that use them have
// ended.
//
// # Safety
// See "Pointers" at the top of the header; and the memory stays as said above.
enum ig_status ig_buffer_create_from_host(const struct ig_device *device,
                                          void *memory,
                                          size_t size,
                                          struct ig_buffer **buffer);

// Makes a handle to the part of a buffer that begins at `address`, an address as kernels see it. It
// shares the memory; `ig_buffer_origin` says how far into the buffer the address lies.
enum ig_status ig_buffer_at(const struct ig_device *device,
                            uint64_t address,
                            struct ig_buffer **buffer);

// The offset of a sub-buffer in its parent; 0 for other buffers, and for null.
uint64_t ig_buffer_origin(const struct ig_buffer *buffer);

// Makes a part of a buffer, from `origin` (a multiple of 4) on. It shares the memory.
enum ig_status ig_buffer_create_sub(const struct ig_buffer *parent,
                                    uint64_t origin,
                                    uint64_t size,
                                    struct ig_buffer **buffer);

// Frees a buffer as soon as no command and no part uses it.
void ig_buffer_release(struct ig_buffer *buffer);

// The size in bytes; 0 for null.
uint64_t ig_buffer_size(const struct ig_buffer *buffer);

// The address that kernels see; 0 for null.
uint64_t ig_buffer_address(const struct ig_buffer *buffer);

// The first byte in this process, valid as long as the buffer. Null for null.
void *ig_buffer_pointer(const struct ig_buffer *buffer);

// Copies bytes out of a buffer now: wait for the commands that write it first.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_buffer_read(const struct ig_buffer *buffer,
                              uint64_t offset,
                              void *data,
                              size_t size);

// Copies bytes into a buffer now: wait for the commands that use it first.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_buffer_write(const struct ig_buffer *buffer,
                               uint64_t offset,
                               const void *data,
                               size_t size);

// Opens a device: a render node's path, `soft:PLATFORM[:REVISION][@DRIVER]` (the software GPU),
// `baremetal:PLATFORM` (its registers, without a kernel driver), `tbx:ADDRESS:PORT:PLATFORM` (a simulator
// that speaks TBX), or `auto`. `options` may be null. `options_size` is `sizeof *options`, or 0.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_device_open(const char *name,
                              const struct ig_device_options *options,
                              size_t options_size,
                              struct ig_device **device);

// Copies the text of the oldest violation that was not read yet, in English, as many bytes as there
// is room for and a zero, and marks it as read. `length` becomes the length of the whole
// text without the zero; 0 if there is none. There are none without `check` in the options.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_device_next_violation(const struct ig_device *device,
                                        char *buffer,
                                        size_t size,
                                        size_t *length);

// The version of the interface: `major << 16 | minor`. Programs of another major version do not
// work with this library, whose file name ends in it; later minor versions only add.
uint32_t ig_version(void);

// Closes a device as soon as nothing made of it is left.
void ig_device_release(struct ig_device *device);

// The name of the device's platform, such as `tgl`. Valid as long as the device; null for null.
const char *ig_device_platform(const struct ig_device *device);

// The product line of the device, as `Tiger Lake`. Valid as long as the device; null for null.
const char *ig_device_title(const struct ig_device *device);

// Makes an event that the caller sets, and the handle to set it with.
enum ig_status ig_user_event_create(const struct ig_device *device,
                                    struct ig_user_event **user_event);

// The event of a user event, for wait lists and waits; to be released on its own.
enum ig_status ig_user_event_event(const struct ig_user_event *user_event, struct ig_event **event);

// Waits until a command has ended, at most `timeout` nanoseconds. Can be called again.
enum ig_status ig_event_wait(const struct ig_event *event, uint64_t timeout);

// How far a command is.
enum ig_status ig_event_get_status(const struct ig_event *event, enum ig_event_status *status);

// When a command that has ended passed its stages.
enum ig_status ig_event_timestamps(const struct ig_event *event, struct ig_timestamps *timestamps);

// Copies what a command that has ended printed, as many bytes as there is room for and a zero;
// `length`, if not null, becomes the length of the whole text without the zero.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_event_printed(const struct ig_event *event,
                                char *buffer,
                                size_t size,
                                size_t *length);

// Calls `callback` once, when a command has succeeded or failed; at once if it already has. It is
// called on a thread of this library, or within a call of it: this one if the command had ended. It
// may enqueue commands and set user events; it should not wait.
//
// # Safety
// `callback` may be called on any thread with `data`, also after the event is released.
enum ig_status ig_event_on_complete(const struct ig_event *event,
                                    ig_event_callback callback,
                                    void *data);

// Forgets an event. The command goes on.
void ig_event_release(struct ig_event *event);

// Sets a user event: what waits for it goes on.
enum ig_status ig_user_event_complete(const struct ig_user_event *user_event);

// Fails a user event, and what waits for it.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_user_event_fail(const struct ig_user_event *user_event, const char *why);

// Releases a user event; if it was not set, what waits for it fails.
void ig_user_event_release(struct ig_user_event *user_event);

// Makes an image of zero bytes.
enum ig_status ig_image_create(const struct ig_device *device,
                               const struct ig_image_info *info,
                               struct ig_image **image);

// Makes an image of a buffer's bytes, which it shares: of one or two dimensions.
enum ig_status ig_image_create_from_buffer(const struct ig_device *device,
                                           const struct ig_buffer *buffer,
                                           const struct ig_image_info *info,
                                           struct ig_image **image);

// Frees an image as soon as no command uses it.
void ig_image_release(struct ig_image *image);

// Copies texels out of an image now, row after row: wait for the commands that write it first.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_image_read(const struct ig_image *image,
                             const struct ig_region *region,
                             void *texels,
                             size_t size);

// Copies texels into an image now, row after row: wait for the commands that use it first.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_image_write(const struct ig_image *image,
                              const struct ig_region *region,
                              const void *texels,
                              size_t size);

// What a device is and what it can do: `info_size` is `sizeof *info`.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_device_get_info(const struct ig_device *device,
                                  struct ig_device_info *info,
                                  size_t info_size);

// What a kernel takes and needs: `info_size` is `sizeof *info`.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_kernel_get_info(const struct ig_kernel *kernel,
                                  struct ig_kernel_info *info,
                                  size_t info_size);

// What an argument of a kernel takes: `info_size` is `sizeof *info`.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_kernel_get_arg_info(const struct ig_kernel *kernel,
                                      uint32_t index,
                                      struct ig_arg_info *info,
                                      size_t info_size);

// The name of a kernel, valid as long as the kernel; null for null.
const char *ig_kernel_name(const struct ig_kernel *kernel);

// The attributes in a kernel's source, as CL_KERNEL_ATTRIBUTES has them. Valid as long as the
// kernel; null for null.
const char *ig_kernel_attributes(const struct ig_kernel *kernel);

// The sub-groups of a group of this size; 0 for null.
uint64_t ig_kernel_sub_groups(const struct ig_kernel *kernel, uint32_t x, uint32_t y, uint32_t z);

// The size of groups that have `count` sub-groups; all 0 if there is none.
enum ig_status ig_kernel_local_size_for_sub_groups(const struct ig_kernel *kernel,
                                                   uint32_t count,
                                                   uint32_t (*local)[3]);

// Makes a kernel of a program, without arguments.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_kernel_create(const struct ig_program *program,
                                const char *name,
                                struct ig_kernel **kernel);

// Makes a kernel with the arguments that another one has now. Later changes of one do not matter
// to the other.
enum ig_status ig_kernel_clone(const struct ig_kernel *kernel, struct ig_kernel **clone);

// Frees a kernel. Commands that were enqueued with it go on.
void ig_kernel_release(struct ig_kernel *kernel);

// How many arguments it has; 0 for null.
uint32_t ig_kernel_arg_count(const struct ig_kernel *kernel);

// The work-items of a sub-group; 0 for null.
uint32_t ig_kernel_sub_group_size(const struct ig_kernel *kernel);

// The most work-items of a group; 0 for null.
uint32_t ig_kernel_max_local_size(const struct ig_kernel *kernel);

// Sets a buffer argument; null is the null pointer.
enum ig_status ig_kernel_set_buffer(const struct ig_kernel *kernel,
                                    uint32_t index,
                                    const struct ig_buffer *buffer);

// Sets a buffer argument to an address: one of `ig_buffer_address`, or a pointer into a shared
// buffer. 0 is the null pointer.
enum ig_status ig_kernel_set_address(const struct ig_kernel *kernel,
                                     uint32_t index,
                                     uint64_t address);

// Sets a value argument; as many bytes as the kernel takes, little endian.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_kernel_set_value(const struct ig_kernel *kernel,
                                   uint32_t index,
                                   const void *value,
                                   size_t size);

// Sets an argument in local memory to `size` bytes of it.
enum ig_status ig_kernel_set_local(const struct ig_kernel *kernel, uint32_t index, uint32_t size);

// Sets an image argument.
enum ig_status ig_kernel_set_image(const struct ig_kernel *kernel,
                                   uint32_t index,
                                   const struct ig_image *image);

// Sets a sampler argument. `addressing` is one of `ig_addressing`; `linear` filters linearly,
// else the nearest texel counts; `normalized` coordinates run from 0 to 1.
enum ig_status ig_kernel_set_sampler(const struct ig_kernel *kernel,
                                     uint32_t index,
                                     uint32_t addressing,
                                     uint32_t linear,
                                     uint32_t normalized);

// Maps `size` bytes of a buffer, from `offset` on: once the event has ended, this process may
// access them at `ig_map_pointer` until they are unmapped. They are the buffer's own, so that a
// buffer made of the caller's memory is mapped where that lies.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_enqueue_map_buffer(const struct ig_queue *queue,
                                     const struct ig_buffer *buffer,
                                     uint64_t offset,
                                     uint64_t size,
                                     size_t wait_count,
                                     const struct ig_event *const *wait_list,
                                     struct ig_map **map,
                                     struct ig_event **event);

// Maps a region of an image, as rows of texels: a copy, which goes back when it is unmapped
// unless it was only to be read. `access` is one of `ig_map_access`.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_enqueue_map_image(const struct ig_queue *queue,
                                    const struct ig_image *image,
                                    const struct ig_region *region,
                                    uint32_t access,
                                    size_t wait_count,
                                    const struct ig_event *const *wait_list,
                                    struct ig_map **map,
                                    struct ig_event **event);

// The first mapped byte, valid until the map is unmapped or released. Null for null.
void *ig_map_pointer(const struct ig_map *map);

// Bytes from row to row of a mapped image; all bytes of a buffer. 0 for null.
uint64_t ig_map_row_pitch(const struct ig_map *map);

// Bytes from slice to slice of a mapped image; all bytes of a buffer. 0 for null.
uint64_t ig_map_slice_pitch(const struct ig_map *map);

// Ends a map and releases its handle, also when it fails: commands enqueued later see what was
// written.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_enqueue_unmap(const struct ig_queue *queue,
                                struct ig_map *map,
                                size_t wait_count,
                                const struct ig_event *const *wait_list,
                                struct ig_event **event);

// Releases a map without unmapping it: what was written to an image's is lost.
void ig_map_release(struct ig_map *map);

// Loads a zebin, or the one for the device from an archive that ocloc made.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_program_load(const struct ig_device *device,
                               const void *data,
                               size_t size,
                               struct ig_program **program);

// Assembles and loads a text of `size` bytes, for the device's platform unless the text names one.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_program_assemble(const struct ig_device *device,
                                   const char *assembly,
                                   size_t size,
                                   struct ig_program **program);

// Frees a program as soon as no kernel of it is left.
void ig_program_release(struct ig_program *program);

// How many kernels it has; 0 for null.
size_t ig_program_kernel_count(const struct ig_program *program);

// The name of a kernel, in the order of the file. Valid as long as the program; null if there is
// no such kernel.
const char *ig_program_kernel_name(const struct ig_program *program, size_t index);

// Makes a queue. Its commands run in order if `out_of_order` is zero; else only wait lists and
// barriers order them.
enum ig_status ig_queue_create(const struct ig_device *device,
                               uint32_t out_of_order,
                               struct ig_queue **queue);

// Releases a queue. Waits for the commands that the device has, sixty seconds at most: what has
// not ended then is abandoned, and its events fail. To wait for another time, or to know how the
// commands ended, finish the queue first. Commands that events hold back still go on when those
// are set; the call that sets them waits in place of this one then.
void ig_queue_release(struct ig_queue *queue);

// Waits for all commands that a queue has, at most `timeout` nanoseconds. Returns the
// error of the first command that has failed since the last call.
enum ig_status ig_queue_finish(const struct ig_queue *queue, uint64_t timeout);

// Runs a kernel over a range, with the arguments that are set now, after the events of the wait
// list. `event` may be null.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_enqueue_kernel(const struct ig_queue *queue,
                                 const struct ig_kernel *kernel,
                                 const struct ig_range *range,
                                 size_t wait_count,
                                 const struct ig_event *const *wait_list,
                                 struct ig_event **event);

// A command that ends once the events of the wait list have; with an empty list, once all
// commands that the queue got before have.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_enqueue_marker(const struct ig_queue *queue,
                                 size_t wait_count,
                                 const struct ig_event *const *wait_list,
                                 struct ig_event **event);

// A marker that all commands enqueued later come after.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_enqueue_barrier(const struct ig_queue *queue,
                                  size_t wait_count,
                                  const struct ig_event *const *wait_list,
                                  struct ig_event **event);

// What a status means, in English. Never null.
const char *ig_status_text(uint32_t status);

// What the last failed call of this thread failed with, in English; empty if none did. Valid
// until the next call of this thread fails.
const char *ig_last_error(void);

// Copies `size` bytes between buffers.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_enqueue_copy_buffer(const struct ig_queue *queue,
                                      const struct ig_buffer *source,
                                      uint64_t source_offset,
                                      const struct ig_buffer *destination,
                                      uint64_t destination_offset,
                                      uint64_t size,
                                      size_t wait_count,
                                      const struct ig_event *const *wait_list,
                                      struct ig_event **event);

// Copies a region of `size[0]` bytes, `size[1]` rows and `size[2]` slices between buffers.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_enqueue_copy_buffer_rect(const struct ig_queue *queue,
                                           const struct ig_buffer *source,
                                           const struct ig_rect_layout *source_layout,
                                           const struct ig_buffer *destination,
                                           const struct ig_rect_layout *destination_layout,
                                           const uint64_t (*size)[3],
                                           size_t wait_count,
                                           const struct ig_event *const *wait_list,
                                           struct ig_event **event);

// Repeats a pattern of 1, 2, 4 … or 128 bytes over `size` bytes of a buffer.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_enqueue_fill_buffer(const struct ig_queue *queue,
                                      const struct ig_buffer *buffer,
                                      uint64_t offset,
                                      uint64_t size,
                                      const void *pattern,
                                      size_t pattern_size,
                                      size_t wait_count,
                                      const struct ig_event *const *wait_list,
                                      struct ig_event **event);

// Copies texels between images of one texel size: the source's region to `origin`.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_enqueue_copy_image(const struct ig_queue *queue,
                                     const struct ig_image *source,
                                     const struct ig_region *region,
                                     const struct ig_image *destination,
                                     const uint32_t (*origin)[3],
                                     size_t wait_count,
                                     const struct ig_event *const *wait_list,
                                     struct ig_event **event);

// Copies texels of an image into a buffer, as rows one after the other.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_enqueue_copy_image_to_buffer(const struct ig_queue *queue,
                                               const struct ig_image *source,
                                               const struct ig_region *region,
                                               const struct ig_buffer *destination,
                                               uint64_t destination_offset,
                                               size_t wait_count,
                                               const struct ig_event *const *wait_list,
                                               struct ig_event **event);

// Copies rows of texels, one after the other in a buffer, into an image.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_enqueue_copy_buffer_to_image(const struct ig_queue *queue,
                                               const struct ig_buffer *source,
                                               uint64_t source_offset,
                                               const struct ig_image *destination,
                                               const struct ig_region *region,
                                               size_t wait_count,
                                               const struct ig_event *const *wait_list,
                                               struct ig_event **event);

// Writes one texel, given in the image's format, all over a region.
//
// # Safety
// See "Pointers" at the top of the header.
enum ig_status ig_enqueue_fill_image(const struct ig_queue *queue,
                                     const struct ig_image *image,
                                     const struct ig_region *region,
                                     const void *texel,
                                     size_t texel_size,
                                     size_t wait_count,
                                     const struct ig_event *const *wait_list,
                                     struct ig_event **event);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* INTEL_GPU_H */
