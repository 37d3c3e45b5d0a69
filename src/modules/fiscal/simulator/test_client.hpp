#pragma once

// TestClient: one request after the other to the simulator, over mutual TLS, as any client would make them.
// Confined to its thread.

#include "http/message.hpp"
#include "modules/fiscal/simulator/played_authority.hpp"
#include "support/wait.hpp"

#include <curl/curl.h>
#include <string>
#include <string_view>

namespace umavez::fiscal::simulator {

struct Got {
    CURLcode code = CURLE_OK;
    long status = 0;  // 0: no answer
    std::string body = {};
    std::string retry_after = {};
};

class TestClient {
public:
    // `pem` is certificate and key; empty: none is shown.
    TestClient(std::string url, const std::string& ca, const std::string& pem)
        : url_(std::move(url))
    {
        set(CURLOPT_CAINFO, ca.c_str());
        if (!pem.empty()) {
            set(CURLOPT_SSLCERT, pem.c_str());
            set(CURLOPT_SSLKEY, pem.c_str());
        }
    }
    explicit TestClient(const PlayedAuthority& authority)
        : TestClient(authority.url(), authority.files().ca, authority.files().issuers.front().pem)
    {
    }
    ~TestClient() { curl_easy_cleanup(curl_); }
    TestClient(const TestClient&) = delete;
    TestClient& operator=(const TestClient&) = delete;

    // Paths are those of Sefin Nacional, with or without its base; those of the others begin anew.
    Got send(const http::Request& request)
    {
        constexpr std::string_view base = "/SefinNacional";
        std::string path = request.path;
        std::string url = url_;
        if (path.starts_with(base)) path.erase(0, base.size());
        if (path.starts_with("/sefaz/") || path.starts_with("/sp/"))
            url.resize(url.size() - base.size());
        Got got;
        curl_slist* headers = nullptr;
        for (const Header& header : request.headers) {
            headers = curl_slist_append(headers, (header.name + ": " + header.value).c_str());
        }
        set(CURLOPT_HTTPHEADER, headers);
        set(CURLOPT_URL, (url + path).c_str());
        set(CURLOPT_TIMEOUT, static_cast<long>(test::wait_limit().count()));
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_NOBODY, request.method == "HEAD" ? 1L : 0L);
        set(CURLOPT_CUSTOMREQUEST, request.method == "HEAD" ? nullptr : request.method.c_str());
        if (request.method == "POST") {
            set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
            set(CURLOPT_POSTFIELDS, request.body.c_str());
        } else if (request.method == "GET") {
            set(CURLOPT_HTTPGET, 1L);
        }
        set(CURLOPT_WRITEFUNCTION, &append);
        set(CURLOPT_WRITEDATA, &got.body);
        got.code = curl_easy_perform(curl_);
        set(CURLOPT_HTTPHEADER, nullptr);
        curl_slist_free_all(headers);
        curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &got.status);
        curl_header* header = nullptr;
        if (curl_easy_header(curl_, "Retry-After", 0, CURLH_HEADER, -1, &header) == CURLHE_OK) {
            got.retry_after = header->value;
        }
        return got;
    }

private:
    template <typename Value>
    void set(CURLoption option, Value value)
    {
        curl_easy_setopt(curl_, option, value);
    }
    static std::size_t append(char* bytes, std::size_t size, std::size_t count, void* out)
    {
        static_cast<std::string*>(out)->append(bytes, size * count);
        return size * count;
    }

    std::string url_;
    CURL* curl_ = curl_easy_init();
};

}  // namespace umavez::fiscal::simulator
