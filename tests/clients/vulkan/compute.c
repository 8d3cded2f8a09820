// A client of Vulkan: buffers, push and specialization constants, images, sub-groups, pointers,
// indirect dispatches, timestamps, events, timeline semaphores, several queues, secondary command
// buffers. It prints a line for each step and compares every result itself.
//
// usage: compute FOLDER
//
// The folder has the shaders beside this file, as SPIR-V: `scale.spv` and so on.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define CHECK(call)                                                                              \
    do {                                                                                         \
        VkResult result_ = (call);                                                               \
        if (result_ != VK_SUCCESS) {                                                             \
            printf("FAIL %s: %d\n", #call, result_);                                             \
            exit(1);                                                                             \
        }                                                                                        \
    } while (0)

enum { COUNT = 1024, WIDTH = 37, HEIGHT = 21, BUFFER = 1 << 16, QUEUES = 4 };

static const uint64_t SECOND = 1000000000;

static VkPhysicalDevice physical;
static VkDevice device;
static VkDescriptorSetLayout set_layout;
static VkPipelineLayout layout;
static VkDescriptorPool pool;
static const char *folder;

// The queues that are made: of each family that computes, up to two.
static struct {
    VkQueue queue;
    uint32_t family;
    uint32_t timestamp_bits;
    int draws;
} queues[QUEUES];
static int queue_count;

static void expect(const char *what, int holds) {
    printf("%s %s\n", holds ? "ok" : "FAIL", what);
    fflush(stdout);
    if (!holds)
        exit(1);
}

static uint32_t memory_type(uint32_t allowed, VkMemoryPropertyFlags wanted) {
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++)
        if (allowed >> i & 1 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    printf("FAIL no memory of type %#x\n", wanted);
    exit(1);
}

static VkDeviceMemory allocate(VkMemoryRequirements needs, VkMemoryPropertyFlags wanted) {
    VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = &flags,
        .allocationSize = needs.size,
        .memoryTypeIndex = memory_type(needs.memoryTypeBits, wanted),
    };
    VkDeviceMemory memory;
    CHECK(vkAllocateMemory(device, &info, NULL, &memory));
    return memory;
}

typedef struct {
    VkBuffer buffer;
    uint32_t *words;
    uint64_t address;
} Buffer;

static Buffer new_buffer(void) {
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = BUFFER,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
    };
    Buffer made;
    CHECK(vkCreateBuffer(device, &info, NULL, &made.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, made.buffer, &needs);
    VkDeviceMemory memory = allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    CHECK(vkBindBufferMemory(device, made.buffer, memory, 0));
    CHECK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&made.words));
    VkBufferDeviceAddressInfo address = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
        .buffer = made.buffer,
    };
    made.address = vkGetBufferDeviceAddress(device, &address);
    return made;
}

static VkImageView new_image(VkImageType type, VkFormat format, uint32_t depth, VkImage *image) {
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = type,
        .format = format,
        .extent = {WIDTH, HEIGHT, depth},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
    };
    CHECK(vkCreateImage(device, &info, NULL, image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, *image, &needs);
    CHECK(vkBindImageMemory(device, *image,
                            allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT), 0));
    VkImageViewCreateInfo view_info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = *image,
        .viewType = type == VK_IMAGE_TYPE_3D ? VK_IMAGE_VIEW_TYPE_3D : VK_IMAGE_VIEW_TYPE_2D,
        .format = format,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    VkImageView view;
    CHECK(vkCreateImageView(device, &view_info, NULL, &view));
    return view;
}

// Sub-groups are as large as threads are wide.
static VkPipeline pipeline(const char *name, const VkSpecializationInfo *constants) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.spv", folder, name);
    static uint32_t code[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file) {
        printf("FAIL cannot open %s\n", path);
        exit(1);
    }
    size_t bytes = fread(code, 1, sizeof code, file);
    fclose(file);
    VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = bytes,
        .pCode = code,
    };
    VkShaderModule module;
    CHECK(vkCreateShaderModule(device, &module_info, NULL, &module));
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage =
            {
                .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .flags = VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = "main",
                .pSpecializationInfo = constants,
            },
        .layout = layout,
    };
    VkPipeline made;
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &made));
    vkDestroyShaderModule(device, module, NULL);
    return made;
}

static VkDescriptorSet new_set(Buffer in, Buffer out) {
    VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &set_layout,
    };
    VkDescriptorSet set;
    CHECK(vkAllocateDescriptorSets(device, &info, &set));
    VkDescriptorBufferInfo buffers[2] = {
        {in.buffer, 0, VK_WHOLE_SIZE},
        {out.buffer, 0, VK_WHOLE_SIZE},
    };
    VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = set,
        .descriptorCount = 2,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .pBufferInfo = buffers,
    };
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    return set;
}

static VkCommandBuffer record(int queue, VkCommandBufferLevel level) {
    VkCommandPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = queues[queue].family,
    };
    VkCommandPool commands;
    CHECK(vkCreateCommandPool(device, &pool_info, NULL, &commands));
    VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = commands,
        .level = level,
        .commandBufferCount = 1,
    };
    VkCommandBuffer made;
    CHECK(vkAllocateCommandBuffers(device, &info, &made));
    VkCommandBufferInheritanceInfo inherited = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    };
    VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .pInheritanceInfo = &inherited,
    };
    CHECK(vkBeginCommandBuffer(made, &begin));
    return made;
}

static void bind(VkCommandBuffer commands, VkPipeline what, VkDescriptorSet set) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, what);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
}

static void push(VkCommandBuffer commands, const void *bytes, uint32_t size) {
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, size, bytes);
}

static void barrier(VkCommandBuffer commands) {
    VkMemoryBarrier all = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT |
                         VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_HOST_READ_BIT,
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &all, 0, NULL, 0, NULL);
}

static void run(int queue, VkCommandBuffer commands) {
    barrier(commands);
    CHECK(vkEndCommandBuffer(commands));
    VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    CHECK(vkCreateFence(device, &fence_info, NULL, &fence));
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &commands,
    };
    CHECK(vkQueueSubmit(queues[queue].queue, 1, &info, fence));
    CHECK(vkWaitForFences(device, 1, &fence, VK_TRUE, 120 * SECOND));
    vkDestroyFence(device, fence, NULL);
}

static void open_device(void) {
    VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .apiVersion = VK_API_VERSION_1_3,
    };
    VkInstanceCreateInfo instance_info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &application,
    };
    VkInstance instance;
    CHECK(vkCreateInstance(&instance_info, NULL, &instance));
    uint32_t count = 1;
    VkResult found = vkEnumeratePhysicalDevices(instance, &count, &physical);
    expect("a device", (found == VK_SUCCESS || found == VK_INCOMPLETE) && count == 1);
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);
    printf("%s\n", properties.deviceName);

    VkQueueFamilyProperties families[8];
    count = 8;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    VkDeviceQueueCreateInfo wanted[8];
    uint32_t kinds = 0;
    static const float priorities[2] = {1.0, 1.0};
    for (uint32_t i = 0; i < count; i++) {
        if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) || queue_count + 2 > QUEUES)
            continue;
        uint32_t two = families[i].queueCount > 1 ? 2 : 1;
        wanted[kinds++] = (VkDeviceQueueCreateInfo){
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
            .queueFamilyIndex = i,
            .queueCount = two,
            .pQueuePriorities = priorities,
        };
        for (uint32_t q = 0; q < two; q++) {
            queues[queue_count].family = i;
            queues[queue_count].timestamp_bits = families[i].timestampValidBits;
            queues[queue_count++].draws = families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT;
        }
    }
    VkPhysicalDeviceVulkan13Features features13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .subgroupSizeControl = VK_TRUE,
    };
    VkPhysicalDeviceVulkan12Features features12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .pNext = &features13,
        .bufferDeviceAddress = VK_TRUE,
        .timelineSemaphore = VK_TRUE,
    };
    VkPhysicalDeviceFeatures features = {.shaderInt64 = VK_TRUE};
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features12,
        .queueCreateInfoCount = kinds,
        .pQueueCreateInfos = wanted,
        .pEnabledFeatures = &features,
    };
    CHECK(vkCreateDevice(physical, &info, NULL, &device));
    for (int i = 0, within = 0; i < queue_count; i++) {
        within = i && queues[i].family == queues[i - 1].family ? within + 1 : 0;
        vkGetDeviceQueue(device, queues[i].family, within, &queues[i].queue);
    }

    VkDescriptorSetLayoutBinding bindings[5];
    for (uint32_t i = 0; i < 5; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = i < 2   ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                              : i < 4 ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
                                      : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = 5,
        .pBindings = bindings,
    };
    CHECK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout));
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 8};
    VkPipelineLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &set_layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &range,
    };
    CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
    VkDescriptorPoolSize sizes[3] = {
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 32},
        {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 32},
        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 16},
    };
    VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 16,
        .poolSizeCount = 3,
        .pPoolSizes = sizes,
    };
    CHECK(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
}

// A pipeline that scales: the size of its groups, its factor, and whether it negates.
static VkPipeline scale(uint32_t size, uint32_t factor, uint32_t negate) {
    uint32_t values[3] = {size, factor, negate};
    VkSpecializationMapEntry entries[3] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}};
    VkSpecializationInfo constants = {3, entries, sizeof values, values};
    return pipeline("scale", &constants);
}

static void constants(Buffer in, Buffer out, VkDescriptorSet set) {
    for (int queue = 0; queue < queue_count; queue++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            in.words[i] = i * 2654435761u;
            out.words[i] = 0x55555555;
        }
        VkCommandBuffer commands = record(queue, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        bind(commands, scale(queue ? 32 : 48, 7 + queue, queue & 1), set);
        push(commands, (uint32_t[2]){queue * 1000, COUNT - 24}, 8);
        vkCmdDispatch(commands, COUNT / 32, 1, 1);
        run(queue, commands);
        int right = 1;
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t value = in.words[i] * (7 + queue) + queue * 1000;
            value = queue & 1 ? -value : value;
            right &= out.words[i] == (i < COUNT - 24 ? value : 0x55555555);
        }
        char what[80];
        snprintf(what, sizeof what, "push and specialization constants on queue %d", queue);
        expect(what, right);
    }
}

static void indirect(Buffer in, Buffer out, VkDescriptorSet set, Buffer seen, VkDescriptorSet count) {
    memset(out.words, 0, BUFFER);
    memset(seen.words, 0, BUFFER);
    uint32_t total = 0, greatest = 0, sums[COUNT / 64] = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t value = in.words[i] = i * 40503u % 7919;
        total += value;
        greatest = value > greatest ? value : greatest;
        sums[i / 64] += value;
    }
    VkCommandBuffer inner = record(0, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    bind(inner, pipeline("groups", NULL), set);
    vkCmdDispatch(inner, COUNT / 64, 1, 1);
    CHECK(vkEndCommandBuffer(inner));
    VkCommandBuffer commands = record(0, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    vkCmdExecuteCommands(commands, 1, &inner);
    barrier(commands);
    bind(commands, pipeline("count", NULL), count);
    vkCmdDispatchIndirect(commands, out.buffer, 8);
    run(0, commands);
    expect("sums and maxima of groups",
           out.words[0] == total && out.words[1] == greatest &&
               !memcmp(out.words + 5, sums, sizeof sums));
    int right = seen.words[63] == 321;
    for (int i = 0; i < 6; i++)
        right &= seen.words[i] == 32;
    expect("an indirect dispatch of what a shader wrote", right && seen.words[6] == 0);
}

static void sub_groups(Buffer in, Buffer out, VkDescriptorSet set) {
    for (uint32_t i = 0; i < 256; i++)
        in.words[i] = i * 40503u % 977;
    VkCommandBuffer commands = record(0, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    bind(commands, pipeline("sub_group", NULL), set);
    vkCmdDispatch(commands, 4, 1, 1);
    run(0, commands);
    uint32_t size = out.words[0];
    int right = size == 8 || size == 16 || size == 32;
    // Invocations of a sub-group follow each other here: groups are a multiple of it, and linear.
    for (uint32_t i = 0; right && i < 256; i++) {
        const uint32_t *got = out.words + 8 * i, *first = in.words + i / size * size;
        uint32_t lane = i % size, sum = 0, before = 0, odd = 0, most = 0;
        for (uint32_t k = 0; k < size; k++) {
            sum += first[k];
            before += k <= lane ? first[k] : 0;
            odd += first[k] & 1;
            most = first[k] > most ? first[k] : most;
        }
        uint32_t wanted[8] = {size, lane, sum,  before, first[lane ^ 3],
                              odd,  most, first[5] + 1};
        right &= !memcmp(got, wanted, sizeof wanted);
    }
    expect("operations of sub-groups", right);
}

static void images(Buffer in, Buffer out, VkDescriptorSet set) {
    VkImage picture, volume;
    VkImageView views[2] = {
        new_image(VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, 1, &picture),
        new_image(VK_IMAGE_TYPE_3D, VK_FORMAT_R32_UINT, 3, &volume),
    };
    VkSamplerCreateInfo sampler_info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter = VK_FILTER_LINEAR,
        .minFilter = VK_FILTER_LINEAR,
        .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
        .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
    };
    VkSampler sampler;
    CHECK(vkCreateSampler(device, &sampler_info, NULL, &sampler));
    VkDescriptorImageInfo infos[3] = {
        {VK_NULL_HANDLE, views[0], VK_IMAGE_LAYOUT_GENERAL},
        {VK_NULL_HANDLE, views[1], VK_IMAGE_LAYOUT_GENERAL},
        {sampler, views[0], VK_IMAGE_LAYOUT_GENERAL},
    };
    VkWriteDescriptorSet writes[2] = {
        {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = set,
            .dstBinding = 2,
            .descriptorCount = 2,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
            .pImageInfo = infos,
        },
        {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = set,
            .dstBinding = 4,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
            .pImageInfo = infos + 2,
        },
    };
    vkUpdateDescriptorSets(device, 2, writes, 0, NULL);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        in.words[i] = i * 2654435761u;
    // A family that only computes: nothing draws to make images ready.
    int queue = 0;
    VkCommandBuffer commands = record(queue, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    VkImageMemoryBarrier ready[2];
    for (int i = 0; i < 2; i++)
        ready[i] = (VkImageMemoryBarrier){
            .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
            .dstAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
            .newLayout = VK_IMAGE_LAYOUT_GENERAL,
            .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
            .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
            .image = i ? volume : picture,
            .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
        };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL, 0, NULL, 2, ready);
    uint32_t extent[2] = {WIDTH, HEIGHT};
    bind(commands, pipeline("paint", NULL), set);
    push(commands, extent, 8);
    vkCmdDispatch(commands, (WIDTH + 7) / 8, (HEIGHT + 7) / 8, 1);
    barrier(commands);
    bind(commands, pipeline("look", NULL), set);
    push(commands, extent, 8);
    vkCmdDispatch(commands, (WIDTH + 7) / 8, (HEIGHT + 7) / 8, 1);
    run(queue, commands);
    int fetched = 1, sampled = 1, loaded = 1;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const uint32_t *got = out.words + 3 * (y * WIDTH + x);
            uint32_t here = in.words[y * WIDTH + x];
            fetched &= got[0] == here;
            loaded &= got[2] == here + 7;
            int x1 = x + 1 < WIDTH ? x + 1 : x, y1 = y + 1 < HEIGHT ? y + 1 : y;
            for (int channel = 0; channel < 32; channel += 8) {
                uint32_t sum = 0;
                for (int corner = 0; corner < 4; corner++)
                    sum += in.words[(corner & 2 ? y1 : y) * WIDTH + (corner & 1 ? x1 : x)] >>
                               channel &
                           0xff;
                int off = (int)(4 * (got[1] >> channel & 0xff)) - (int)sum;
                sampled &= off >= -6 && off <= 6;
            }
        }
    expect("texels are stored and fetched", fetched);
    expect("texels are filtered", sampled);
    expect("texels of a volume are loaded, and counted by atomics", loaded);
}

static void pointers(Buffer in, Buffer out, VkDescriptorSet set) {
    // Node 5, then 2, then 9.
    static const uint32_t order[3] = {5, 2, 9};
    uint32_t sum = 0;
    for (int i = 0; i < 3; i++) {
        uint64_t next = i < 2 ? in.address + 16 * order[i + 1] : 0;
        memcpy(in.words + 4 * order[i], &next, 8);
        in.words[4 * order[i] + 2] = 10 + i;
        sum = sum * 3 + 10 + i;
    }
    uint64_t first = in.address + 16 * order[0];
    VkCommandBuffer commands = record(0, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    bind(commands, pipeline("pointer", NULL), set);
    push(commands, &first, 8);
    vkCmdDispatch(commands, 1, 1, 1);
    run(0, commands);
    expect("a list by addresses", out.words[0] == sum && in.words[4 * 9 + 2] == sum);
}

static void timestamps(Buffer in, Buffer out, VkDescriptorSet set) {
    VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = 2,
    };
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);
    for (int queue = 0; queue < queue_count; queue++) {
        VkQueryPool queries;
        CHECK(vkCreateQueryPool(device, &info, NULL, &queries));
        VkCommandBuffer commands = record(queue, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        vkCmdResetQueryPool(commands, queries, 0, 2);
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, queries, 0);
        bind(commands, scale(64, 3, 0), set);
        push(commands, (uint32_t[2]){0, COUNT}, 8);
        vkCmdDispatch(commands, COUNT / 64, 1, 1);
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, 1);
        barrier(commands);
        vkCmdCopyQueryPoolResults(commands, queries, 0, 2, out.buffer, BUFFER / 2, 8,
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
        run(queue, commands);
        uint64_t times[2];
        CHECK(vkGetQueryPoolResults(device, queries, 0, 2, sizeof times, times, 8,
                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
        double took = (times[1] - times[0]) * (double)properties.limits.timestampPeriod;
        expect("timestamps", queues[queue].timestamp_bits >= 36 && times[0] != 0 &&
                                 times[1] >= times[0] && took < 100.0 * SECOND &&
                                 out.words[3] == in.words[3] * 3);
        expect("timestamps in a buffer",
               !memcmp(out.words + BUFFER / 8, times, sizeof times));
    }
}

static void semaphores(Buffer in, Buffer out, VkDescriptorSet there, VkDescriptorSet back) {
    VkSemaphoreTypeCreateInfo kind = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    VkSemaphoreCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
        .pNext = &kind,
    };
    VkSemaphore timeline;
    CHECK(vkCreateSemaphore(device, &info, NULL, &timeline));
    for (uint32_t i = 0; i < COUNT; i++)
        in.words[i] = i;
    // Steps of the queues in turn, each from one buffer to the other; the host starts the first.
    enum { STEPS = 6 };
    uint32_t wanted[COUNT];
    memcpy(wanted, in.words, sizeof wanted);
    for (uint64_t step = 1; step <= STEPS; step++) {
        int queue = step % queue_count;
        VkCommandBuffer commands = record(queue, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        bind(commands, scale(32, step + 1, 0), step & 1 ? there : back);
        push(commands, (uint32_t[2]){step, COUNT}, 8);
        vkCmdDispatch(commands, COUNT / 32, 1, 1);
        barrier(commands);
        CHECK(vkEndCommandBuffer(commands));
        for (uint32_t i = 0; i < COUNT; i++)
            wanted[i] = wanted[i] * (step + 1) + step;
        uint64_t after = step + 1;
        VkTimelineSemaphoreSubmitInfo values = {
            .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
            .waitSemaphoreValueCount = 1,
            .pWaitSemaphoreValues = &step,
            .signalSemaphoreValueCount = 1,
            .pSignalSemaphoreValues = &after,
        };
        VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        VkSubmitInfo submit = {
            .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
            .pNext = &values,
            .waitSemaphoreCount = 1,
            .pWaitSemaphores = &timeline,
            .pWaitDstStageMask = &stage,
            .commandBufferCount = 1,
            .pCommandBuffers = &commands,
            .signalSemaphoreCount = 1,
            .pSignalSemaphores = &timeline,
        };
        CHECK(vkQueueSubmit(queues[queue].queue, 1, &submit, VK_NULL_HANDLE));
    }
    uint64_t value = 7;
    CHECK(vkGetSemaphoreCounterValue(device, timeline, &value));
    expect("a timeline waits for the host", value == 0);
    VkSemaphoreSignalInfo go = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
        .semaphore = timeline,
        .value = 1,
    };
    CHECK(vkSignalSemaphore(device, &go));
    uint64_t last = STEPS + 1;
    VkSemaphoreWaitInfo wait = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &timeline,
        .pValues = &last,
    };
    CHECK(vkWaitSemaphores(device, &wait, 120 * SECOND));
    Buffer result = STEPS & 1 ? out : in;
    expect("queues in turn, by a timeline", !memcmp(result.words, wanted, sizeof wanted));
}

static void events(Buffer in, Buffer out, VkDescriptorSet there, VkDescriptorSet back) {
    VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent event;
    CHECK(vkCreateEvent(device, &info, NULL, &event));
    for (uint32_t i = 0; i < COUNT; i++)
        in.words[i] = i;
    VkMemoryBarrier all = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT,
    };
    VkPipelineStageFlags compute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    VkCommandBuffer commands = record(0, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    push(commands, (uint32_t[2]){1, COUNT}, 8);
    bind(commands, scale(64, 5, 0), there);
    vkCmdDispatch(commands, COUNT / 64, 1, 1);
    vkCmdSetEvent(commands, event, compute);
    vkCmdWaitEvents(commands, 1, &event, compute, compute, 1, &all, 0, NULL, 0, NULL);
    bind(commands, scale(64, 3, 0), back);
    vkCmdDispatch(commands, COUNT / 64, 1, 1);
    run(0, commands);
    int right = vkGetEventStatus(device, event) == VK_EVENT_SET;
    for (uint32_t i = 0; i < COUNT; i++)
        right &= in.words[i] == (i * 5 + 1) * 3 + 1 && out.words[i] == i * 5 + 1;
    expect("an event between dispatches", right);
}

static void copies(Buffer in, Buffer out) {
    int queue = 0;
    while (queue < queue_count && queues[queue].draws)
        queue++;
    if (queue == queue_count) {
        printf("skipped copies: each queue that computes also draws\n");
        return;
    }
    for (uint32_t i = 0; i < BUFFER / 4; i++) {
        in.words[i] = i * 2654435761u;
        out.words[i] = 0;
    }
    VkCommandBuffer commands = record(queue, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    VkBufferCopy regions[2] = {{0, 4096, 8192}, {20004, 12, 1000}};
    vkCmdCopyBuffer(commands, in.buffer, out.buffer, 2, regions);
    vkCmdFillBuffer(commands, out.buffer, 16384, 4000, 0xabadcafe);
    uint32_t words[5] = {1, 2, 3, 4, 5};
    vkCmdUpdateBuffer(commands, out.buffer, 32768, sizeof words, words);
    run(queue, commands);
    int right = !memcmp(out.words + 1024, in.words, 8192) &&
                !memcmp(out.words + 3, in.words + 5001, 1000) &&
                !memcmp(out.words + 8192, words, sizeof words) && out.words[2] == 0;
    for (int i = 0; i < 1000; i++)
        right &= out.words[4096 + i] == 0xabadcafe;
    expect("copies, fills and updates", right && out.words[5096] == 0);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: compute FOLDER\n");
        return 2;
    }
    folder = argv[1];
    open_device();
    Buffer in = new_buffer(), out = new_buffer(), third = new_buffer();
    VkDescriptorSet there = new_set(in, out), back = new_set(out, in), count = new_set(in, third);
    constants(in, out, there);
    indirect(in, out, there, third, count);
    sub_groups(in, out, there);
    images(in, out, there);
    pointers(in, out, there);
    timestamps(in, out, there);
    semaphores(in, out, there, back);
    events(in, out, there, back);
    copies(in, out);
    CHECK(vkDeviceWaitIdle(device));
    vkDestroyDevice(device, NULL);
    printf("done\n");
    return 0;
}
