#include "outbound/call.hpp"

#include "base/char_set.hpp"
#include "base/headers.hpp"
#include "base/without_sigpipe.hpp"
#include "outbound/address.hpp"
#include "outbound/tls_watch.hpp"

#include <umavez/time.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <curl/curl.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <sys/socket.h>
#include <utility>

namespace umavez::outbound {
namespace {

constexpr std::size_t headers_max = 100;
constexpr std::size_t header_bytes_max = 8 * 1024;
constexpr int poll_ms = 1000;  // a stop does not wait for it

constexpr CharSet name_chars{[](unsigned char byte) {
    return is_letter_or_digit(byte) || is_among("!#$%&'*+-.^_`|~", byte);
}};
constexpr CharSet value_chars{[](unsigned char byte) {
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}};

using Easy = std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)>;
using Multi = std::unique_ptr<CURLM, decltype(&::curl_multi_cleanup)>;
using Lines = std::unique_ptr<curl_slist, decltype(&::curl_slist_free_all)>;

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::optional<std::string> find_mistake(const Call& call)
{
    if (call.method.empty() || !name_chars.has_all(call.method)) return "the method is no method";
    for (const Header& header : call.headers) {
        if (header.name.empty() || !name_chars.has_all(header.name)) {
            return "the name of a header has characters that none may have";
        }
        if (!value_chars.has_all(header.value)) {
            return fmt::format("the header {} has control characters", header.name);
        }
    }
    return std::nullopt;
}

// Others hand out contexts of their own making. Without a watch a refusal stays a doubt.
bool has_openssl()
{
    const char* const made_with = ::curl_version_info(CURLVERSION_NOW)->ssl_version;
    return made_with != nullptr && std::string_view{made_with}.starts_with("OpenSSL/");
}

bool is_about_trust(CURLcode code)
{
    return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
}

// One call and what is known of it. The library calls back on the thread that runs it.
class Transfer {
public:
    Transfer(const Call& call, const OutboundRule& rule)
        : call_(call),
          rule_(rule),
          easy_(::curl_easy_init(), ::curl_easy_cleanup),
          multi_(::curl_multi_init(), ::curl_multi_cleanup),
          lines_(nullptr, ::curl_slist_free_all)
    {
    }
    ~Transfer()
    {
        if (is_added_) ::curl_multi_remove_handle(multi_.get(), easy_.get());
    }
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    std::expected<Reply, CallError> run(const std::stop_token& stop)
    {
        stop_ = stop;
        began_ = system_clock().boottime();
        if (!easy_ || !multi_ || !prepare()) return failed(CallFailure::invalid, "no memory");
        is_added_ = ::curl_multi_add_handle(multi_.get(), easy_.get()) == CURLM_OK;
        if (!is_added_) return failed(CallFailure::invalid, "no memory");
        const std::stop_callback wake{stop, [this] { ::curl_multi_wakeup(multi_.get()); }};
        for (int running = 1; running > 0;) {
            if (stop.stop_requested()) return failed(CallFailure::cut, "cut: the sender stops");
            const CURLMcode code = ::curl_multi_perform(multi_.get(), &running);
            if (code != CURLM_OK) {
                return failed(CallFailure::broken, ::curl_multi_strerror(code));
            }
            if (running > 0) ::curl_multi_poll(multi_.get(), nullptr, 0, poll_ms, nullptr);
        }
        int left = 0;
        const CURLMsg* const message = ::curl_multi_info_read(multi_.get(), &left);
        if (message == nullptr) return failed(CallFailure::broken, "the call ended without a word");
        return finish(message->data.result);
    }

private:
    template <typename T>
    void set(CURLoption option, T value)
    {
        is_set_ = ::curl_easy_setopt(easy_.get(), option, value) == CURLE_OK && is_set_;
    }

    void add_line(const std::string& line)
    {
        curl_slist* const longer = ::curl_slist_append(lines_.get(), line.c_str());
        is_set_ = longer != nullptr && is_set_;
        if (longer == nullptr) return;
        static_cast<void>(lines_.release());
        lines_.reset(longer);
    }

    bool prepare()
    {
        set(CURLOPT_ERRORBUFFER, words_.data());
        set(CURLOPT_URL, call_.url.c_str());
        set(CURLOPT_PROTOCOLS_STR, "http,https");
        set(CURLOPT_PATH_AS_IS, 1L);
        set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
        set(CURLOPT_FOLLOWLOCATION, 0L);
        set(CURLOPT_PROXY, "");  // not even that of the environment
        set(CURLOPT_FRESH_CONNECT, 1L);
        set(CURLOPT_FORBID_REUSE, 1L);
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(call_.connect_timeout.count()));
        set(CURLOPT_TIMEOUT_MS, static_cast<long>(call_.total_timeout.count()));
        set(CURLOPT_SSL_VERIFYPEER, 1L);
        set(CURLOPT_SSL_VERIFYHOST, 2L);
        set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
        if (!rule_.ca_file.empty()) set(CURLOPT_CAINFO, rule_.ca_file.c_str());
        if (rule_.certificate) show_certificate(*rule_.certificate);
        if (has_openssl()) {
            set(CURLOPT_SSL_CTX_FUNCTION, &Transfer::watch_tls);
            set(CURLOPT_SSL_CTX_DATA, this);
        }
        set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::open_socket);
        set(CURLOPT_OPENSOCKETDATA, this);
        set(CURLOPT_PREREQFUNCTION, &Transfer::before_request);
        set(CURLOPT_PREREQDATA, this);
        set(CURLOPT_HEADERFUNCTION, &Transfer::take_header);
        set(CURLOPT_HEADERDATA, this);
        set(CURLOPT_WRITEFUNCTION, &Transfer::take_body);
        set(CURLOPT_WRITEDATA, this);
        prepare_request();
        return is_set_;
    }

    void show_certificate(const ClientCertificate& certificate)
    {
        const auto blob = [](const std::string& bytes) {
            // Not written to; the rule outlives the call.
            return curl_blob{const_cast<char*>(bytes.data()), bytes.size(), CURL_BLOB_NOCOPY};
        };
        const curl_blob chain = blob(certificate.chain_pem());
        const curl_blob key = blob(certificate.key_pem());
        set(CURLOPT_SSLCERT_BLOB, &chain);
        set(CURLOPT_SSLCERTTYPE, "PEM");
        set(CURLOPT_SSLKEY_BLOB, &key);
        set(CURLOPT_SSLKEYTYPE, "PEM");
    }

    void prepare_request()
    {
        const bool has_body =
            !call_.body.empty() || (call_.method != "GET" && call_.method != "DELETE");
        if (call_.method == "HEAD") {
            set(CURLOPT_NOBODY, 1L);
        } else if (has_body) {
            set(CURLOPT_POST, 1L);
            set(CURLOPT_POSTFIELDS, call_.body.data());
            set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call_.body.size()));
        }
        set(CURLOPT_CUSTOMREQUEST, call_.method.c_str());
        for (const Header& header : call_.headers) {
            add_line(header.value.empty() ? header.name + ";" : header.name + ": " + header.value);
        }
        add_line("Expect:");  // a round trip that many servers answer with silence
        if (find_lines(call_.headers, "Content-Type").count == 0) add_line("Content-Type:");
        set(CURLOPT_HTTPHEADER, lines_.get());
    }

    std::expected<Reply, CallError> finish(CURLcode code)
    {
        // A body beyond the bound is cut off by ourselves; the rest of the answer is whole.
        const bool is_enough = has_head_ && !call_.needs_body;
        if (code != CURLE_OK && !(code == CURLE_WRITE_ERROR && is_full_) && !is_enough) {
            return fail_by(code);
        }
        long status = 0;
        ::curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
        reply_.status = static_cast<int>(status);
        return std::move(reply_);
    }

    std::unexpected<CallError> fail_by(CURLcode code)
    {
        if (!refused_.empty() && !has_left_) {
            return failed(
                CallFailure::refused_address,
                fmt::format("{} is not an address of the internet", refused_)
            );
        }
        if (is_late_) return failed(CallFailure::timeout, "its time was over before it was sent");
        if (code == CURLE_ABORTED_BY_CALLBACK) {
            return failed(CallFailure::cut, "cut: the sender stops");
        }
        if (tls_.is_refused()) return refused_certificate();
        const std::string why =
            words_.front() != '\0' ? words_.data() : std::string{::curl_easy_strerror(code)};
        if (code == CURLE_OPERATION_TIMEDOUT) return failed(CallFailure::timeout, why);
        if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL) {
            return failed(CallFailure::invalid, why);
        }
        if (has_left_) return failed(CallFailure::broken, why);
        if (is_about_trust(code) || tls_.is_refusing()) return failed(CallFailure::untrusted, why);
        const bool is_about_network = code == CURLE_COULDNT_RESOLVE_HOST ||
                                      code == CURLE_COULDNT_CONNECT || code == CURLE_SEND_ERROR ||
                                      code == CURLE_RECV_ERROR;
        return failed(is_about_network ? CallFailure::unreachable : CallFailure::tls, why);
    }

    std::unexpected<CallError> refused_certificate() const
    {
        return std::unexpected(CallError{
            .failure = CallFailure::certificate_refused,
            .effect = tls_.is_refused_unread() ? Effect::none : Effect::unknown,
            .detail = fmt::format(
                "TLS alert{}: {}", rule_.certificate ? "" : " for want of a certificate", tls_.why()
            ),
        });
    }

    std::unexpected<CallError> failed(CallFailure failure, std::string why) const
    {
        return std::unexpected(
            CallError{failure, has_left_ ? Effect::unknown : Effect::none, std::move(why)}
        );
    }

    static CURLcode watch_tls(CURL*, void* context, void* self)
    {
        static_cast<Transfer*>(self)->tls_.follow(*static_cast<SSL_CTX*>(context));
        return CURLE_OK;
    }

    static curl_socket_t open_socket(void* self, curlsocktype, curl_sockaddr* to)
    {
        auto& transfer = *static_cast<Transfer*>(self);
        const auto address = Address::from(to->addr);
        if (!address || (!transfer.rule_.allow_private && !is_public(*address))) {
            transfer.refused_ = address ? address->text() : "the peer";
            return CURL_SOCKET_BAD;
        }
        return ::socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
    }

    // Connected, handshake done, nothing sent yet. A process may have slept through its time: whoever thinks
    // that the request is not coming any more may have sent another one meanwhile.
    static int before_request(void* self, char*, char*, int, int)
    {
        auto& transfer = *static_cast<Transfer*>(self);
        transfer.is_late_ =
            system_clock().boottime() - transfer.began_ >= transfer.call_.total_timeout;
        if (transfer.is_late_ || transfer.stop_.stop_requested()) return CURL_PREREQFUNC_ABORT;
        transfer.has_left_ = true;
        transfer.tls_.on_connected();
        return CURL_PREREQFUNC_OK;
    }

    static std::size_t take_header(char* data, std::size_t, std::size_t size, void* self)
    {
        auto& transfer = *static_cast<Transfer*>(self);
        auto& reply = transfer.reply_;
        const std::string_view line{data, size};
        if (line.starts_with("HTTP/")) {
            reply.headers.clear();  // what an interim answer said
            transfer.is_interim_ = line.find(" 1") == line.find(' ');
        }
        if (line == "\r\n") transfer.has_head_ = !transfer.is_interim_;
        const std::size_t colon = line.find(':');
        if (colon != std::string_view::npos && size <= header_bytes_max &&
            reply.headers.size() < headers_max) {
            reply.headers.push_back(
                {std::string{line.substr(0, colon)}, std::string{trimmed(line.substr(colon + 1))}}
            );
        }
        return size;
    }

    static std::size_t take_body(char* data, std::size_t, std::size_t size, void* self)
    {
        auto& transfer = *static_cast<Transfer*>(self);
        std::string& body = transfer.reply_.body;
        const std::size_t room = transfer.call_.body_bytes_max - body.size();
        body.append(data, std::min(size, room));
        transfer.is_full_ = size > room;
        return transfer.is_full_ ? 0 : size;
    }

    const Call& call_;
    const OutboundRule& rule_;
    std::array<char, CURL_ERROR_SIZE> words_{};
    Reply reply_;
    std::string refused_;  // the address that was
    std::stop_token stop_;
    Duration began_{};
    bool is_late_ = false;     // it was not sent, because its time was over
    bool has_left_ = false;    // the request, perhaps
    bool is_full_ = false;     // the body of the answer
    bool is_interim_ = false;  // the head that is being read
    bool has_head_ = false;    // of the final answer
    bool is_set_ = true;       // every option so far
    bool is_added_ = false;
    TlsWatch tls_;
    Easy easy_;
    Multi multi_;
    Lines lines_;
};

}  // namespace

std::expected<Reply, CallError> call(
    const Call& call, const OutboundRule& rule, const std::stop_token& stop
)
{
    static std::once_flag initialised;
    std::call_once(initialised, [] { ::curl_global_init(CURL_GLOBAL_ALL); });
    if (auto mistake = find_mistake(call)) {
        return std::unexpected(CallError{CallFailure::invalid, Effect::none, *std::move(mistake)});
    }
    const WithoutSigpipe quiet;
    Transfer transfer{call, rule};
    return transfer.run(stop);
}

}  // namespace umavez::outbound
