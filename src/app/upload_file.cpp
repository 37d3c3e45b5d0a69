#include "app/upload_file.hpp"

#include "base/without_sigpipe.hpp"

#include <curl/curl.h>
#include <memory>
#include <mutex>

namespace umavez {
namespace {

constexpr std::size_t answer_bytes_max = 1024 * 1024;
constexpr long connect_seconds_max = 10;
constexpr long silence_seconds_max =
    120;  // a large file is flushed to its disk before the answer comes

using OnProgress = std::function<void(std::int64_t sent, std::int64_t total)>;

struct CurlEnd {
    void operator()(CURL* handle) const noexcept { ::curl_easy_cleanup(handle); }
    void operator()(curl_mime* form) const noexcept { ::curl_mime_free(form); }
    void operator()(curl_slist* list) const noexcept { ::curl_slist_free_all(list); }
};

std::size_t take_answer(char* bytes, std::size_t size, std::size_t count, void* user)
{
    auto& body = *static_cast<std::string*>(user);
    if (body.size() + size * count > answer_bytes_max) return 0;
    body.append(bytes, size * count);
    return size * count;
}

int tell_progress(void* user, curl_off_t, curl_off_t, curl_off_t total, curl_off_t sent)
{
    const auto& on_progress = *static_cast<const OnProgress*>(user);
    if (on_progress) on_progress(sent, total);
    return 0;
}

// The file comes last: the server knows what it is for before it has read it.
void fill_form(curl_mime* form, const FileUpload& upload)
{
    for (const auto& [name, value] : upload.fields) {
        curl_mimepart* const part = ::curl_mime_addpart(form);
        ::curl_mime_name(part, name.c_str());
        ::curl_mime_data(part, value.data(), value.size());
    }
    curl_mimepart* const file = ::curl_mime_addpart(form);
    ::curl_mime_name(file, "file");
    ::curl_mime_filedata(file, upload.path.c_str());
    ::curl_mime_filename(file, upload.filename.c_str());
    ::curl_mime_type(file, "text/csv");
}

void set_limits(CURL* handle)
{
    ::curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    ::curl_easy_setopt(handle, CURLOPT_PROXY, "");  // as the program's other requests
    ::curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    ::curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, connect_seconds_max);
    ::curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
    ::curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, silence_seconds_max);
}

}  // namespace

Result<operators::Reply> upload_file(const FileUpload& upload, const OnProgress& on_progress)
{
    static std::once_flag initialised;
    std::call_once(initialised, [] { ::curl_global_init(CURL_GLOBAL_ALL); });
    const WithoutSigpipe without_sigpipe;
    const std::unique_ptr<CURL, CurlEnd> handle{::curl_easy_init()};
    if (!handle) return fail(Errc::store_unavailable, "libcurl cannot be used");
    const std::unique_ptr<curl_mime, CurlEnd> form{::curl_mime_init(handle.get())};
    fill_form(form.get(), upload);
    std::unique_ptr<curl_slist, CurlEnd> headers{
        ::curl_slist_append(nullptr, "Accept: application/json")
    };
    if (!upload.token.empty()) {
        const std::string line = "Authorization: Bearer " + upload.token;
        headers.reset(::curl_slist_append(headers.release(), line.c_str()));
    }
    operators::Reply reply;
    set_limits(handle.get());
    ::curl_easy_setopt(handle.get(), CURLOPT_URL, upload.url.c_str());
    ::curl_easy_setopt(handle.get(), CURLOPT_HTTPHEADER, headers.get());
    ::curl_easy_setopt(handle.get(), CURLOPT_MIMEPOST, form.get());
    ::curl_easy_setopt(handle.get(), CURLOPT_WRITEFUNCTION, take_answer);
    ::curl_easy_setopt(handle.get(), CURLOPT_WRITEDATA, &reply.body);
    ::curl_easy_setopt(handle.get(), CURLOPT_NOPROGRESS, 0L);
    ::curl_easy_setopt(handle.get(), CURLOPT_XFERINFOFUNCTION, tell_progress);
    ::curl_easy_setopt(handle.get(), CURLOPT_XFERINFODATA, const_cast<OnProgress*>(&on_progress));
    const CURLcode code = ::curl_easy_perform(handle.get());
    long status = 0;
    ::curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
    // A refusal that came before all of the file was sent is an answer, whatever became of the connection.
    if (code == CURLE_OK || (status >= 400 && !reply.body.empty())) {
        reply.status = static_cast<int>(status);
        return reply;
    }
    curl_off_t sent = 0;
    ::curl_easy_getinfo(handle.get(), CURLINFO_SIZE_UPLOAD_T, &sent);
    return fail(
        sent == 0 ? Errc::store_unavailable : Errc::store_unknown, ::curl_easy_strerror(code)
    );
}

}  // namespace umavez
