// Coroutine frames, recycled per thread.

#include <umavez/task.hpp>

#include <array>
#include <new>
#include <utility>

namespace umavez::detail {
namespace {

// Sizes are rounded up to steps; a larger frame is rare and goes to the heap.
constexpr std::size_t step_bytes = 128;
constexpr std::size_t classes_count = 32;
constexpr std::size_t kept_per_class_max = 16;

// The address sanitizer finds a frame used after its end only if its memory is not used again.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool recycles = false;
#elif defined(__has_feature)
constexpr bool recycles = !__has_feature(address_sanitizer);
#else
constexpr bool recycles = true;
#endif

struct FreeFrame {
    FreeFrame* next;
};

struct FreeList {
    FreeFrame* first = nullptr;
    std::size_t count = 0;
};

// What a thread keeps. A frame may be freed by another thread than the one that made it: it is then kept
// there.
class KeptFrames {
public:
    KeptFrames() = default;
    ~KeptFrames()
    {
        for (FreeList& list : lists_) {
            list.count = kept_per_class_max;  // other destructors of this thread may still free frames
            while (list.first != nullptr) ::operator delete(std::exchange(list.first, list.first->next));
        }
    }
    KeptFrames(const KeptFrames&) = delete;
    KeptFrames& operator=(const KeptFrames&) = delete;

    void* take(std::size_t index) noexcept
    {
        FreeList& list = lists_[index];
        if (list.first == nullptr) return nullptr;
        --list.count;
        return std::exchange(list.first, list.first->next);
    }
    bool keep(void* frame, std::size_t index) noexcept
    {
        FreeList& list = lists_[index];
        if (list.count >= kept_per_class_max) return false;
        ++list.count;
        list.first = ::new (frame) FreeFrame{list.first};
        return true;
    }

private:
    std::array<FreeList, classes_count> lists_{};
};

constinit thread_local KeptFrames kept_frames;

constexpr std::size_t class_of(std::size_t bytes) noexcept
{
    return (bytes - 1) / step_bytes;
}

}  // namespace

void* allocate_frame(std::size_t bytes)
{
    const std::size_t index = class_of(bytes);
    if (!recycles || index >= classes_count) return ::operator new(bytes);
    if (void* const frame = kept_frames.take(index)) return frame;
    return ::operator new((index + 1) * step_bytes);
}

void free_frame(void* frame, std::size_t bytes) noexcept
{
    const std::size_t index = class_of(bytes);
    if (recycles && index < classes_count && kept_frames.keep(frame, index)) return;
    ::operator delete(frame);
}

}  // namespace umavez::detail
