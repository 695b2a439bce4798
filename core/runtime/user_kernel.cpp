#include "runtime/user_kernel.h"

#include <cstring>

namespace fw::runtime {

static_assert(static_cast<int>(DataType::F32) == FWL_F32 &&
              static_cast<int>(DataType::Bf16) == FWL_BF16 &&
              static_cast<int>(DataType::I8) == FWL_I8 &&
              static_cast<int>(DataType::I64) == FWL_I64 &&
              static_cast<int>(DataType::U64) == FWL_U64 &&
              static_cast<int>(DataType::Bool) == FWL_BOOL);
static_assert(static_cast<int>(UserRole::Inner) == FWL_INNER &&
              static_cast<int>(UserRole::Output) == FWL_OUTPUT &&
              static_cast<int>(UserKind::Text) == FWL_TEXT);

namespace {

constexpr std::int32_t wordsRoom = 512;
constexpr std::int64_t largestWorkspace = std::int64_t(1) << 40;

// How many bytes of UTF-8 begin here; 0: none.
std::size_t characterAt(const char* text, std::size_t left) {
    const auto first = static_cast<unsigned char>(text[0]);
    std::size_t length = 0;
    if (first >= 32 && first < 127)
        length = 1;
    else if (first >= 0xc2 && first < 0xe0)
        length = 2;
    else if (first >= 0xe0 && first < 0xf0)
        length = 3;
    else if (first >= 0xf0 && first < 0xf5)
        length = 4;
    if (length == 0 || length > left)
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80)
            return 0;
    return length;
}

// Room for the words of a library, which may write anything there.
class Words {
public:
    char* room() { return m_text; }
    std::string text() const {
        std::string out;
        const std::size_t length = strnlen(m_text, wordsRoom);
        for (std::size_t i = 0; i < length;) {
            const std::size_t character = characterAt(m_text + i, length - i);
            if (character == 0)
                out += '?';
            else
                out.append(m_text + i, character);
            i += character == 0 ? 1 : character;
        }
        return out;
    }

private:
    char m_text[wordsRoom] = {};
};

// The call as the library sees it; what it points to belongs to this object and to `call`.
class CallView {
public:
    CallView(const UserCall& call, const std::vector<std::vector<std::int64_t>>& dims, int threads)
        : m_attributes(call.steps.size()) {
        for (std::size_t i = 0; i < call.tensors.size(); ++i)
            m_tensors.push_back({static_cast<std::int32_t>(call.tensors[i].type),
                                 static_cast<std::int32_t>(call.tensors[i].role),
                                 static_cast<std::int32_t>(dims[i].size()), dims[i].data()});
        for (std::size_t s = 0; s < call.steps.size(); ++s) {
            const UserStep& step = call.steps[s];
            for (const UserAttribute& attribute : step.attributes) {
                const std::size_t count = attribute.kind == UserKind::Integers
                                              ? attribute.integers.size()
                                              : attribute.numbers.size();
                m_attributes[s].push_back(
                    {attribute.name.c_str(), static_cast<std::int32_t>(attribute.kind),
                     attribute.kind == UserKind::Text ? 1 : static_cast<std::int32_t>(count),
                     attribute.integers.data(), attribute.numbers.data(), attribute.text.c_str()});
            }
            m_steps.push_back({step.op.c_str(), static_cast<std::int32_t>(step.operands.size()),
                               step.operands.data(), static_cast<std::int32_t>(step.results.size()),
                               step.results.data(),
                               static_cast<std::int32_t>(m_attributes[s].size()),
                               m_attributes[s].data()});
        }
        m_call = {sizeof(fwl_call),
                  threads,
                  static_cast<std::int32_t>(m_tensors.size()),
                  m_tensors.data(),
                  static_cast<std::int32_t>(m_steps.size()),
                  m_steps.data()};
    }
    CallView(const CallView&) = delete;
    CallView& operator=(const CallView&) = delete;

    const fwl_call* get() const { return &m_call; }

private:
    std::vector<fwl_tensor> m_tensors;
    std::vector<std::vector<fwl_attribute>> m_attributes;
    std::vector<fwl_step> m_steps;
    fwl_call m_call = {};
};

UserAnswer ask(const fwl_kernel& kernel, const std::string& name, const fwl_call* call,
               std::string& why) {
    Words words;
    const std::int32_t answer = kernel.check(call, words.room(), wordsRoom);
    why = words.text();
    if (answer == 0)
        return UserAnswer::Takes;
    if (answer != 1) {
        why = "check of " + name + " answered " + std::to_string(answer) +
              ", which is neither 0 (it takes the call) nor 1 (it refuses)";
        return UserAnswer::Nonsense;
    }
    if (why.empty()) {
        why = "check of " + name + " refused without a reason";
        return UserAnswer::Nonsense;
    }
    return UserAnswer::Refuses;
}

std::string nameOf(const UserCall& call) {
    return call.library + "." + call.kernel;
}

class KernelRun final : public PreparedCall {
public:
    KernelRun(const ShapedCall& call, const fwl_kernel& kernel, int threads)
        : m_user(call.user), m_dims(call.userDims), m_view(m_user, m_dims, threads),
          m_kernel(kernel), m_data(m_user.tensors.size(), nullptr) {}

    Status prepare() {
        std::string why;
        if (ask(m_kernel, nameOf(m_user), m_view.get(), why) != UserAnswer::Takes)
            return fail(FW_LIBRARY_FAILED, "the library %s refuses the call at these sizes: %s",
                        m_user.library.c_str(), why.c_str());
        const std::int64_t bytes = m_kernel.workspace ? m_kernel.workspace(m_view.get()) : 0;
        if (bytes < 0 || bytes > largestWorkspace)
            return fail(FW_LIBRARY_FAILED, "%s wants %lld bytes of working memory",
                        nameOf(m_user).c_str(), static_cast<long long>(bytes));
        m_scratchBytes = static_cast<std::size_t>(bytes);
        return {};
    }

    Status run(void* const* buffers, void* scratch) override {
        for (std::size_t i = 0; i < m_data.size(); ++i)
            if (m_user.tensors[i].role != UserRole::Inner)
                m_data[i] = buffers[m_user.tensors[i].buffer];
        Words words;
        const std::int32_t answer =
            m_kernel.run(m_view.get(), m_data.data(), scratch, words.room(), wordsRoom);
        if (answer == 0)
            return {};
        const std::string why = words.text();
        return fail(FW_LIBRARY_FAILED, "%s failed with %d%s%s", nameOf(m_user).c_str(), answer,
                    why.empty() ? "" : ": ", why.c_str());
    }

private:
    UserCall m_user;
    std::vector<std::vector<std::int64_t>> m_dims;
    CallView m_view;
    const fwl_kernel& m_kernel;
    std::vector<void*> m_data;
};

} // namespace

UserAnswer askUserLibrary(const UserLibrary& library, const UserCall& call,
                          const std::vector<std::vector<std::int64_t>>& dims, int threads,
                          std::string& why) {
    const fwl_kernel* kernel = library.find(call.kernel);
    if (!kernel) {
        why = "it has no kernel " + call.kernel + ", it has " + library.kernels();
        return UserAnswer::Refuses;
    }
    const CallView view(call, dims, threads);
    return ask(*kernel, nameOf(call), view.get(), why);
}

Status prepareUserCall(const ShapedCall& call, int threads,
                       std::unique_ptr<PreparedCall>& prepared) {
    const UserLibrary* library = openedUserLibrary(call.user.library);
    if (!library || library->info.presence != LibraryPresence::Ready)
        return fail(FW_LIBRARY_MISSING, "the library %s was not opened", call.user.library.c_str());
    const fwl_kernel* kernel = library->find(call.user.kernel);
    if (!kernel)
        return fail(FW_LIBRARY_MISSING, "the library %s (%s) has no kernel %s, it has %s",
                    call.user.library.c_str(), library->info.path.c_str(), call.user.kernel.c_str(),
                    library->kernels().c_str());
    std::unique_ptr<KernelRun> made(new KernelRun(call, *kernel, threads));
    if (Status status = made->prepare(); !status.ok())
        return status;
    prepared = std::move(made);
    return {};
}

} // namespace fw::runtime
