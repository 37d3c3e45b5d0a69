// Settings from their three sources, and every sentence a wrong one earns.

#include "app/settings.hpp"

#include "app/config_file.hpp"
#include "app/operation_settings.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace umavez {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class SettingsTest : public testing::Test {
protected:
    Result<Settings> load(const std::string& text)
    {
        std::ofstream{file_} << text;
        flags_["--config"] = file_;
        return load();
    }

    Result<Settings> load() const
    {
        return load_settings(
            {.flags = flags_,
             .environment = [this](const std::string& name) -> std::optional<std::string> {
                 const auto found = environment_.find(name);
                 return found == environment_.end() ? std::nullopt : std::optional{found->second};
             }}
        );
    }

    std::string refusal(const std::string& text)
    {
        const auto loaded = load(text);
        if (loaded) return "accepted";
        std::string detail = loaded.error().detail;
        if (detail.starts_with(file_)) detail.replace(0, file_.size(), "FILE");
        return detail;
    }

    const test::TemporaryFolder folder_;
    const std::string file_ = folder_.path() + "/settings.toml";
    std::map<std::string, std::string> flags_;
    std::map<std::string, std::string> environment_;
};

TEST_F(SettingsTest, AVariableMayNameAFileThatHoldsTheValue)
{
    std::ofstream{file_} << "sqlite:secret.db\n";
    environment_["UMAVEZ_DATABASE_FILE"] = file_;
    environment_["UMAVEZ_CONFIG"] = "/dev/null";
    EXPECT_EQ(load()->database, "sqlite:secret.db");

    environment_["UMAVEZ_DATABASE"] = "sqlite:other.db";
    EXPECT_THAT(load().error().detail, HasSubstr("are both set"));

    environment_.erase("UMAVEZ_DATABASE");
    environment_["UMAVEZ_DATABASE_FILE"] = file_ + ".missing";
    EXPECT_THAT(load().error().detail, HasSubstr("UMAVEZ_DATABASE_FILE: cannot read"));
}

TEST_F(SettingsTest, APipeWithoutAWriterIsRefusedAndDoesNotHang)
{
    std::filesystem::remove(file_);
    ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
    flags_["--config"] = file_;

    EXPECT_THAT(load().error().detail, HasSubstr("timed out"));
}

TEST_F(SettingsTest, DefaultsRunWithoutAnySource)
{
    const auto settings = load("");

    ASSERT_TRUE(settings) << settings.error().detail;
    EXPECT_EQ(settings->database, "sqlite:umavez.db");
    EXPECT_EQ(settings->listen, (ListenAddress{"127.0.0.1", 8080}));
}

TEST_F(SettingsTest, FlagBeatsEnvironmentBeatsFile)
{
    const std::string text =
        "database = \"sqlite:file.db\"\nlisten = \"127.0.0.1:1\"\n[http]\nthreads = 3\n";
    environment_["UMAVEZ_LISTEN"] = "127.0.0.1:2";
    environment_["UMAVEZ_HTTP_THREADS"] = "4";
    flags_["--http-threads"] = "5";

    const auto settings = load(text);

    ASSERT_TRUE(settings) << settings.error().detail;
    EXPECT_EQ(settings->database, "sqlite:file.db");
    EXPECT_EQ(settings->listen.port, 2);
    EXPECT_EQ(settings->http_threads, 5u);
}

TEST_F(SettingsTest, FlagsThatFindTheDatabaseAreRepeatedWithoutASecret)
{
    environment_["UMAVEZ_DATABASE"] = "sqlite:of-the-environment.db";
    EXPECT_EQ(load()->place_flags, "");
    flags_["--database"] = "sqlite:a b.db";
    EXPECT_EQ(load()->place_flags, " --database 'sqlite:a b.db'");
    flags_["--database"] = "postgres://user:secret@host/x?password=secret";
    EXPECT_EQ(load()->place_flags, " --database URL");
}

TEST_F(SettingsTest, ACertificateNeedsItsKey)
{
    EXPECT_THAT(
        refusal("[tls]\ncert = \"a.pem\"\n"), HasSubstr("tls.cert is given without tls.key")
    );
    EXPECT_THAT(
        refusal("[tls]\nkey = \"a.key\"\n"), HasSubstr("tls.key is given without tls.cert")
    );
    flags_["--tls-key"] = "a.key";
    EXPECT_EQ(refusal("[tls]\ncert = \"a.pem\"\n"), "accepted");
}

TEST_F(SettingsTest, OperationsKeepTheirOverrides)
{
    const auto settings =
        load("[operation.\"pedidos.criar\"]\nretention = \"forever\"\ntakeovers_max = 2\n");

    ASSERT_TRUE(settings) << settings.error().detail;
    EXPECT_EQ(settings->operations.at("pedidos.criar").at("takeovers_max"), "2");
}

TEST_F(SettingsTest, EachMistakeIsNamedWithItsCure)
{
    EXPECT_EQ(
        refusal("lisen = \"x\""), "FILE:1: unknown setting \"lisen\" (did you mean \"listen\"?)"
    );
    EXPECT_EQ(
        refusal("\n[http]\nthread = 1"),
        "FILE:3: unknown setting \"http.thread\" (did you mean \"http.threads\"?)"
    );
    EXPECT_EQ(
        refusal("listen = \"here\""),
        "FILE:1: listen: \"here\" is not an address and a port; write 127.0.0.1:8080 or [::1]:8080"
    );
    EXPECT_EQ(
        refusal("[operation.\"a.b\"]\nlese = \"30s\""),
        "FILE:2: operation \"a.b\": unknown setting \"lese\" (did you mean \"lease\"?)"
    );
    EXPECT_EQ(
        refusal("[operation.\"a.b\"]\nlease = \"30\""),
        "FILE:2: operation \"a.b\": lease: \"30\" is not a duration; write a whole number and a "
        "unit: 250ms, 30s, "
        "10min, 24h, 90d"
    );
    EXPECT_EQ(
        refusal("[operation.\"a.b\"]\nguarantee = \"atomc\""),
        "FILE:2: operation \"a.b\": guarantee: \"atomc\" is not one of atomic, leased, cached (did "
        "you mean "
        "\"atomic\"?)"
    );
    EXPECT_THAT(
        refusal("[operation.a.b]\nlease = \"30s\""), HasSubstr("quote a name that has dots")
    );
    EXPECT_THAT(refusal("listen = "), HasSubstr("FILE:1: "));
}

TEST_F(SettingsTest, AWrongTypeIsNamedBesideTheRightOne)
{
    EXPECT_EQ(
        refusal("database = 5"),
        "FILE:1: database: found the integer 5, wanted a string such as \"sqlite:umavez.db\""
    );
    EXPECT_EQ(
        refusal("[http]\nthreads = \"4\""),
        "FILE:2: http.threads: found the string \"4\", wanted an integer such as 2"
    );
    EXPECT_EQ(
        refusal("[http]\nthreads = 2.0"),
        "FILE:2: http.threads: found the number 2, wanted an integer such as 2"
    );
    EXPECT_EQ(
        refusal("listen = [1]"),
        "FILE:1: listen: found an array, wanted a string such as \"127.0.0.1:8080\""
    );
    EXPECT_EQ(
        refusal("listen = 1979-05-27"),
        "FILE:1: listen: found a date or time, wanted a string such as \"127.0.0.1:8080\""
    );
    EXPECT_EQ(
        refusal("[log]\nlevel = true"),
        "FILE:2: log.level: found the boolean true, wanted a string such as \"info\""
    );
    EXPECT_EQ(
        refusal("database = {}"),
        "FILE:1: database: found a table, wanted a string such as \"sqlite:umavez.db\""
    );
    EXPECT_EQ(
        refusal("http = 4"),
        "FILE:1: unknown setting \"http\"; it is a table: [http] with threads, drain_limit"
    );
    EXPECT_EQ(
        refusal("[operation.\"a.b\"]\nlease = 30"),
        "FILE:2: operation \"a.b\": lease: found the integer 30, wanted a string such as \"30s\""
    );
    EXPECT_EQ(
        refusal("[operation.\"a.b\"]\ntakeovers_max = \"5\""),
        "FILE:2: operation \"a.b\": takeovers_max: found the string \"5\", wanted an integer such "
        "as 5"
    );
    EXPECT_EQ(
        refusal("[operation.\"a.b\"]\nlese = 30"),
        "FILE:2: operation \"a.b\": unknown setting \"lese\" (did you mean \"lease\"?)"
    );
}

TEST_F(SettingsTest, EmptyTablesAreNoMistake)
{
    EXPECT_TRUE(load("[http]\n[log]\n[operation]\n[operation.\"a.b\"]\n"));
    EXPECT_EQ(refusal("[quux]\n"), "FILE:1: unknown setting \"quux\"");
}

TEST_F(SettingsTest, ADurationOfZeroIsRefusedWhereItMakesNoSense)
{
    EXPECT_EQ(
        refusal("[audit]\nretention = \"0s\""),
        "FILE:2: audit.retention: 0s keeps nothing; write a duration above zero, such as 90d"
    );
    EXPECT_TRUE(load("[http]\ndrain_limit = \"0s\""));
}

TEST_F(SettingsTest, AFlagIsNamedAsTheUserWroteIt)
{
    flags_["--listen"] = "8080";

    EXPECT_THAT(
        load("").error().detail, testing::StartsWith("--listen: \"8080\" is not an address")
    );
}

TEST_F(SettingsTest, AMissingFileIsRefusedWhenItWasAskedFor)
{
    flags_["--config"] = "/nonexistent/umavez.toml";

    EXPECT_EQ(
        load().error().detail,
        "config: cannot read /nonexistent/umavez.toml: No such file or directory; give the path of "
        "a file with --config"
    );
}

TEST_F(SettingsTest, ADirectoryIsNoEmptyFile)
{
    flags_["--config"] = "/";

    EXPECT_EQ(
        load().error().detail,
        "config: cannot read /: Is a directory; give the path of a file with --config"
    );
}

TEST(Listen, LoopbackIsRecognised)
{
    EXPECT_TRUE(parse_listen("127.0.0.1:0")->is_loopback());
    EXPECT_TRUE(parse_listen("localhost:80")->is_loopback());
    EXPECT_TRUE(parse_listen("[::1]:80")->is_loopback());
    EXPECT_FALSE(parse_listen("0.0.0.0:80")->is_loopback());
    EXPECT_FALSE(parse_listen("[::]:80")->is_loopback());
    for (const char* const wrong :
         {"", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "example:80", "::1:80"}) {
        EXPECT_FALSE(parse_listen(wrong)) << wrong;
    }
}

std::string refusal_of(const PolicyOverrides& overrides)
{
    std::vector<OperationSpec> operations(1);
    operations[0].name = "notas.emitir";
    operations[0].policy.guarantee = Guarantee::leased;
    const auto configured = configure_operations({{"notas.emitir", overrides}}, operations);
    return configured ? "accepted" : configured.error().detail;
}

TEST(ConfigureOperations, PoliciesAreCheckedAsAWhole)
{
    EXPECT_EQ(refusal_of({{"lease", "20s"}}), "accepted");
    EXPECT_EQ(
        refusal_of({{"lease", "1h"}}),
        "operation \"notas.emitir\": lease (3600 s) is longer than run_limit (600 s); shorten the "
        "lease or raise "
        "run_limit"
    );
    EXPECT_THAT(
        refusal_of({{"on_abandoned", "rerun"}}), HasSubstr("write effect = \"deduplicated\"")
    );
    EXPECT_EQ(refusal_of({{"on_abandoned", "rerun"}, {"effect", "harmless"}}), "accepted");
}

TEST(ConfigureOperations, EveryFieldTakesItsDefaultBack)
{
    const PolicyOverrides defaults{
        {"guarantee", "leased"},
        {"key", "optional"},
        {"lease", "30s"},
        {"run_limit", "10min"},
        {"takeovers_max", "5"},
        {"settle", "15s"},
        {"retention", "24h"},
        {"retry_horizon", "forever"},
        {"on_mismatch", "reject"},
        {"replay", "stored"},
        {"on_duplicate", "conflict"},
        {"duplicate_wait", "1s"},
        {"on_abandoned", "automatic"},
        {"effect", "harmful"},
        {"finality", "standard"},
        {"on_store_error", "closed"},
        {"response_bytes_max", "1MiB"},
        {"atomic_run_limit", "2s"},
    };

    EXPECT_EQ(refusal_of(defaults), "accepted");
    EXPECT_EQ(defaults.size(), policy_fields().size());
}

TEST(ConfigureOperations, AnUnknownOperationIsAnsweredWithTheKnownOnes)
{
    std::vector<OperationSpec> operations(2);
    operations[0].name = "pedidos.criar";
    operations[1].name = "notas.emitir";

    const auto refused = configure_operations({{"pedido.criar", {}}}, operations);

    ASSERT_FALSE(refused);
    EXPECT_EQ(
        refused.error().detail,
        "unknown operation \"pedido.criar\" (did you mean \"pedidos.criar\"?); known: "
        "pedidos.criar, notas.emitir"
    );
}

}  // namespace
}  // namespace umavez
