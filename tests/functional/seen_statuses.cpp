#include "functional/seen_statuses.hpp"

#include "functional/process.hpp"
#include "functional/scratch.hpp"
#include "http/raw_client.hpp"
#include "json/tree.hpp"
#include "support/wait.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace umavez::functional {
namespace {

struct Seen {
    std::string method;
    std::string path;
    std::string status;
    friend auto operator<=>(const Seen&, const Seen&) = default;
};

std::mutex mutex;
std::set<Seen> all;  // guarded by mutex

std::vector<std::string_view> split(std::string_view path)
{
    std::vector<std::string_view> segments;
    for (;;) {
        const std::size_t slash = path.find('/');
        segments.push_back(path.substr(0, slash));
        if (slash == std::string_view::npos) return segments;
        path.remove_prefix(slash + 1);
    }
}

// Names in the pattern that stand for a segment; nullopt where they do not match.
std::optional<std::size_t> match(std::string_view pattern, std::string_view path)
{
    const auto wanted = split(pattern);
    const auto given = split(path);
    if (wanted.size() != given.size()) return std::nullopt;
    std::size_t names = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].starts_with('{') && !given[i].empty()) {
            ++names;
        } else if (wanted[i] != given[i]) {
            return std::nullopt;
        }
    }
    return names;
}

// The operation that answered: the pattern with the fewest names. Nullopt: no route did.
std::optional<JsonValue> find_operation(const JsonValue& paths, const Seen& seen)
{
    std::optional<JsonValue> found;
    std::size_t fewest = 1000;
    for (const JsonMember& path : paths.members()) {
        const auto names = match(path.name().string(), seen.path);
        if (!names || *names >= fewest) continue;
        fewest = *names;
        found = path.value();
    }
    if (!found) return std::nullopt;
    std::string method = seen.method == "HEAD" ? "get" : seen.method;
    std::ranges::transform(method, method.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return found->find(method);
}

std::string fetch_document()
{
    const Scratch scratch;
    Process server{scratch.path(), {"serve", "--listen", "127.0.0.1:0"}};
    const std::string& log = server.wait_for_error_output("\"pid\":");
    const std::string_view name = "\"port\":";
    http::RawClient client{
        static_cast<std::uint16_t>(std::stoi(log.substr(log.find(name) + name.size()))),
        static_cast<int>(test::wait_limit().count())
    };
    client.send("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    return http::body_of(client.read_all());
}

class AllAreDeclared : public testing::Environment {
public:
    void TearDown() override
    {
        const std::lock_guard guard{mutex};
        if (all.empty()) return;
        const std::string document = fetch_document();
        const auto tree = JsonTree::parse(document);
        ASSERT_TRUE(tree) << document;
        const auto paths = tree->root().find("paths");
        ASSERT_TRUE(paths);
        std::size_t checked = 0;
        for (const Seen& seen : all) {
            const auto operation = find_operation(*paths, seen);
            if (!operation) continue;
            ++checked;
            EXPECT_TRUE(operation->find("responses")->find(seen.status))
                << seen.method << " " << seen.path << " gave " << seen.status
                << ", which its route does not declare";
        }
        EXPECT_GT(checked, 0u);
    }
};

const auto* const environment = testing::AddGlobalTestEnvironment(new AllAreDeclared);

}  // namespace

void note_status(std::string_view request, std::string_view answer)
{
    const std::size_t first = request.find(' ');
    const std::size_t last = request.find_first_of(" ?", first + 1);
    if (answer.size() < 12 || last == std::string_view::npos) return;
    Seen seen{
        .method = std::string{request.substr(0, first)},
        .path = std::string{request.substr(first + 1, last - first - 1)},
        .status = std::string{answer.substr(9, 3)},
    };
    const std::lock_guard guard{mutex};
    all.insert(std::move(seen));
}

}  // namespace umavez::functional
