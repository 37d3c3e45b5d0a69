#include "mailing/bare_curl.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <curl/curl.h>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace umavez::bench {
namespace {

std::size_t read_content(char* to, std::size_t size, std::size_t count, void* rest)
{
    auto& left = *static_cast<std::string_view*>(rest);
    const std::size_t taken = std::min(size * count, left.size());
    std::memcpy(to, left.data(), taken);
    left.remove_prefix(taken);
    return taken;
}

}  // namespace

double send_by_curl(const std::string& smtp_url, const std::string& content, std::size_t count)
{
    const std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)> easy{
        ::curl_easy_init(), ::curl_easy_cleanup
    };
    const std::unique_ptr<curl_slist, decltype(&::curl_slist_free_all)> to{
        ::curl_slist_append(nullptr, "<ana@cliente.example>"), ::curl_slist_free_all
    };
    std::string_view left;
    ::curl_easy_setopt(easy.get(), CURLOPT_URL, smtp_url.c_str());
    ::curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
    ::curl_easy_setopt(easy.get(), CURLOPT_MAIL_FROM, "<news@loja.example>");
    ::curl_easy_setopt(easy.get(), CURLOPT_MAIL_RCPT, to.get());
    ::curl_easy_setopt(easy.get(), CURLOPT_UPLOAD, 1L);
    ::curl_easy_setopt(easy.get(), CURLOPT_READFUNCTION, &read_content);
    ::curl_easy_setopt(easy.get(), CURLOPT_READDATA, &left);
    const auto began = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < count; ++i) {
        left = content;
        const CURLcode code = ::curl_easy_perform(easy.get());
        if (code != CURLE_OK) throw std::runtime_error(::curl_easy_strerror(code));
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace umavez::bench
