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

// How a call ended.
typedef enum ig_status {
  // Well.
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

// A compiled file in a device's memory.
typedef struct ig_program ig_program;

// Runs commands on a device.
typedef struct ig_queue ig_queue;

// An event that the caller sets. Releasing it unset fails what waits for it.
typedef struct ig_user_event ig_user_event;

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

// A part of an image, in texels. Layers count in the direction after the last of one layer.
typedef struct ig_region {
  // The first texel.
  uint32_t origin[3];
  // The number of texels.
  uint32_t size[3];
} ig_region;

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

// Makes a part of a buffer, from `origin` (a multiple of 4) on. It shares the memory.
enum ig_status ig_buffer_create_sub(const struct ig_buffer *parent,
                                    uint64_t origin,
                                    uint64_t size,
                                    struct ig_buffer **buffer);

// Frees a buffer as soon as no command and no part uses it.
void ig_buffer_release(struct ig_buffer *_buffer);

// The size in bytes; 0 for null.
uint64_t ig_buffer_size(const struct ig_buffer *buffer);

// The address that kernels see; 0 for null.
uint64_t ig_buffer_address(const struct ig_buffer *buffer);

// The first byte in this process, valid as long as the buffer. Null for null.
void *ig_buffer_pointer(const struct ig_buffer *buffer);

// Copies bytes out of a buffer now: wait for the commands that write it first.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_buffer_read(const struct ig_buffer *buffer,
                              uint64_t offset,
                              void *data,
                              size_t size);

// Copies bytes into a buffer now: wait for the commands that use it first.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_buffer_write(const struct ig_buffer *buffer,
                               uint64_t offset,
                               const void *data,
                               size_t size);

// Opens a device: a render node's path, `soft:PLATFORM[:REVISION]` (the software GPU), or `auto`.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_device_open(const char *name, struct ig_device **device);

// Closes a device as soon as nothing made of it is left.
void ig_device_release(struct ig_device *_device);

// The name of the device's platform, as `tgl`. Valid as long as the device; null for null.
const char *ig_device_platform(const struct ig_device *device);

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
// See the crate's documentation, "Pointers".
enum ig_status ig_event_printed(const struct ig_event *event,
                                char *buffer,
                                size_t size,
                                size_t *length);

// Forgets an event. The command goes on.
void ig_event_release(struct ig_event *_event);

// Sets a user event: what waits for it goes on.
enum ig_status ig_user_event_complete(const struct ig_user_event *user_event);

// Fails a user event, and what waits for it.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_user_event_fail(const struct ig_user_event *user_event, const char *why);

// Releases a user event; if it was not set, what waits for it fails.
void ig_user_event_release(struct ig_user_event *_user_event);

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
void ig_image_release(struct ig_image *_image);

// Copies texels out of an image now, row after row: wait for the commands that write it first.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_image_read(const struct ig_image *image,
                             const struct ig_region *region,
                             void *texels,
                             size_t size);

// Copies texels into an image now, row after row: wait for the commands that use it first.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_image_write(const struct ig_image *image,
                              const struct ig_region *region,
                              const void *texels,
                              size_t size);

// Makes a kernel of a program, without arguments.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_kernel_create(const struct ig_program *program,
                                const char *name,
                                struct ig_kernel **kernel);

// Frees a kernel. Commands that were enqueued with it go on.
void ig_kernel_release(struct ig_kernel *_kernel);

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

// Sets a value argument; as many bytes as the kernel takes, little endian.
//
// # Safety
// See the crate's documentation, "Pointers".
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

// Makes a buffer of `size` zero bytes.
enum ig_status ig_buffer_create(const struct ig_device *device,
                                uint64_t size,
                                struct ig_buffer **buffer);

// Makes a part of a buffer, from `origin` (a multiple of 4) on. It shares the memory.
enum ig_status ig_buffer_create_sub(const struct ig_buffer *parent,
                                    uint64_t origin,
                                    uint64_t size,
                                    struct ig_buffer **buffer);

// Frees a buffer as soon as no command and no part uses it.
void ig_buffer_release(struct ig_buffer *_buffer);

// The size in bytes; 0 for null.
uint64_t ig_buffer_size(const struct ig_buffer *buffer);

// The address that kernels see; 0 for null.
uint64_t ig_buffer_address(const struct ig_buffer *buffer);

// The first byte in this process, valid as long as the buffer. Null for null.
void *ig_buffer_pointer(const struct ig_buffer *buffer);

// Copies bytes out of a buffer now: wait for the commands that write it first.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_buffer_read(const struct ig_buffer *buffer,
                              uint64_t offset,
                              void *data,
                              size_t size);

// Copies bytes into a buffer now: wait for the commands that use it first.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_buffer_write(const struct ig_buffer *buffer,
                               uint64_t offset,
                               const void *data,
                               size_t size);

// Opens a device: a render node's path, `soft:PLATFORM[:REVISION]` (the software GPU), or `auto`.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_device_open(const char *name, struct ig_device **device);

// Closes a device as soon as nothing made of it is left.
void ig_device_release(struct ig_device *_device);

// The name of the device's platform, as `tgl`. Valid as long as the device; null for null.
const char *ig_device_platform(const struct ig_device *device);

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
// See the crate's documentation, "Pointers".
enum ig_status ig_event_printed(const struct ig_event *event,
                                char *buffer,
                                size_t size,
                                size_t *length);

// Forgets an event. The command goes on.
void ig_event_release(struct ig_event *_event);

// Sets a user event: what waits for it goes on.
enum ig_status ig_user_event_complete(const struct ig_user_event *user_event);

// Fails a user event, and what waits for it.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_user_event_fail(const struct ig_user_event *user_event, const char *why);

// Releases a user event; if it was not set, what waits for it fails.
void ig_user_event_release(struct ig_user_event *_user_event);

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
void ig_image_release(struct ig_image *_image);

// Copies texels out of an image now, row after row: wait for the commands that write it first.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_image_read(const struct ig_image *image,
                             const struct ig_region *region,
                             void *texels,
                             size_t size);

// Copies texels into an image now, row after row: wait for the commands that use it first.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_image_write(const struct ig_image *image,
                              const struct ig_region *region,
                              const void *texels,
                              size_t size);

// Makes a kernel of a program, without arguments.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_kernel_create(const struct ig_program *program,
                                const char *name,
                                struct ig_kernel **kernel);

// Frees a kernel. Commands that were enqueued with it go on.
void ig_kernel_release(struct ig_kernel *_kernel);

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

// Sets a value argument; as many bytes as the kernel takes, little endian.
//
// # Safety
// See the crate's documentation, "Pointers".
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

// Loads a zebin, or the one for the device from an archive that ocloc made.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_program_load(const struct ig_device *device,
                               const void *data,
                               size_t size,
                               struct ig_program **program);

// Frees a program as soon as no kernel of it is left.
void ig_program_release(struct ig_program *_program);

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

// Releases a queue. Its commands go on.
void ig_queue_release(struct ig_queue *_queue);

// Waits for all commands that a queue has, at most `timeout` nanoseconds. Gives what the first
// command failed with that failed since the last call.
enum ig_status ig_queue_finish(const struct ig_queue *queue, uint64_t timeout);

// Runs a kernel over a range, with the arguments that are set now, after the events of the wait
// list. `event` may be null.
//
// # Safety
// See the crate's documentation, "Pointers".
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
// See the crate's documentation, "Pointers".
enum ig_status ig_enqueue_marker(const struct ig_queue *queue,
                                 size_t wait_count,
                                 const struct ig_event *const *wait_list,
                                 struct ig_event **event);

// A marker that all commands enqueued later come after.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_enqueue_barrier(const struct ig_queue *queue,
                                  size_t wait_count,
                                  const struct ig_event *const *wait_list,
                                  struct ig_event **event);

// What the last failed call of this thread failed with, in English; empty if none did. Valid
// until the next call of this thread fails.
const char *ig_last_error(void);

// Copies `size` bytes between buffers.
//
// # Safety
// See the crate's documentation, "Pointers".
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
// See the crate's documentation, "Pointers".
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
// See the crate's documentation, "Pointers".
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
// See the crate's documentation, "Pointers".
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
// See the crate's documentation, "Pointers".
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
// See the crate's documentation, "Pointers".
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
// See the crate's documentation, "Pointers".
enum ig_status ig_enqueue_fill_image(const struct ig_queue *queue,
                                     const struct ig_image *image,
                                     const struct ig_region *region,
                                     const void *texel,
                                     size_t texel_size,
                                     size_t wait_count,
                                     const struct ig_event *const *wait_list,
                                     struct ig_event **event);

// Loads a zebin, or the one for the device from an archive that ocloc made.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_program_load(const struct ig_device *device,
                               const void *data,
                               size_t size,
                               struct ig_program **program);

// Frees a program as soon as no kernel of it is left.
void ig_program_release(struct ig_program *_program);

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

// Releases a queue. Its commands go on.
void ig_queue_release(struct ig_queue *_queue);

// Waits for all commands that a queue has, at most `timeout` nanoseconds. Gives what the first
// command failed with that failed since the last call.
enum ig_status ig_queue_finish(const struct ig_queue *queue, uint64_t timeout);

// Runs a kernel over a range, with the arguments that are set now, after the events of the wait
// list. `event` may be null.
//
// # Safety
// See the crate's documentation, "Pointers".
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
// See the crate's documentation, "Pointers".
enum ig_status ig_enqueue_marker(const struct ig_queue *queue,
                                 size_t wait_count,
                                 const struct ig_event *const *wait_list,
                                 struct ig_event **event);

// A marker that all commands enqueued later come after.
//
// # Safety
// See the crate's documentation, "Pointers".
enum ig_status ig_enqueue_barrier(const struct ig_queue *queue,
                                  size_t wait_count,
                                  const struct ig_event *const *wait_list,
                                  struct ig_event **event);

// What the last failed call of this thread failed with, in English; empty if none did. Valid
// until the next call of this thread fails.
const char *ig_last_error(void);

// Copies `size` bytes between buffers.
//
// # Safety
// See the crate's documentation, "Pointers".
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
// See the crate's documentation, "Pointers".
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
// See the crate's documentation, "Pointers".
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
// See the crate's documentation, "Pointers".
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
// See the crate's documentation, "Pointers".
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
// See the crate's documentation, "Pointers".
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
// See the crate's documentation, "Pointers".
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
