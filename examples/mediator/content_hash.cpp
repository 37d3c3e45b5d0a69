// No key at all: the content is the key. Right for a message that a broker may deliver twice; wrong
// where somebody may want the same thing again, which is why the message carries the number of its
// event.
//
//     content_hash [localhost:6379]

#include <umavez/mediator.hpp>

#include <cstdio>
#include <map>
#include <string>
#include <variant>

using namespace umavez;

namespace {

enum class Channel { email, push };
BOOST_DESCRIBE_ENUM(Channel, email, push)

struct Notify {
    using Result = std::monostate;
    std::int64_t event_id = 0;
    std::string user;
    Channel channel = Channel::email;
    std::map<std::string, std::string> fields;

    std::optional<std::string> idempotency_key() const { return std::nullopt; }
};
BOOST_DESCRIBE_STRUCT(Notify, (), (event_id, user, channel, fields))

void show(Mediator& mediator, const Notify& command)
{
    SendReport report;
    static_cast<void>(mediator.send(command, {.report = &report}));
    std::printf("%s: %s\n", std::string{to_text(report.outcome)}.c_str(), report.key.c_str());
}

}  // namespace

int main(int argc, char** argv)
{
    MediatorBuilder builder;
    if (argc > 1) {
        builder.redis_cache(argv[1]);
    } else {
        builder.memory_cache();
    }
    builder.handle<Notify>([](const Notify& command) {
        std::printf(
            "notified %s of event %lld\n",
            command.user.c_str(),
            static_cast<long long>(command.event_id)
        );
        return std::monostate{};
    });
    const auto mediator = builder.open();
    if (!mediator) {
        std::fprintf(stderr, "content_hash: %s\n", mediator.error().detail.c_str());
        return 1;
    }

    show(**mediator, {1, "ana", Channel::email, {{"pedido", "42"}}});
    show(**mediator, {1, "ana", Channel::email, {{"pedido", "42"}}});  // delivered again
    show(**mediator, {2, "ana", Channel::email, {{"pedido", "42"}}});  // meant again
    show(**mediator, {1, "ana", Channel::push, {{"pedido", "42"}}});
    return 0;
}
