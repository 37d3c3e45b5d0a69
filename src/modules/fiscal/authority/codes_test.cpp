// Every code of the collected vectors: what they call its class is what our tables call its word.

#include "modules/fiscal/authority/cstat_codes.hpp"
#include "modules/fiscal/authority/nacional_codes.hpp"
#include "modules/fiscal/authority/sao_paulo_codes.hpp"
#include "modules/fiscal/ids/test_csv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace umavez::fiscal {
namespace {

constexpr const char* no_vectors = "the shared vectors are not here";

constexpr std::array all_calls = {
    Call::emit, Call::receipt, Call::consult, Call::cancel, Call::void_number, Call::other
};

bool changes_something(Call call)
{
    return call == Call::emit || call == Call::cancel || call == Call::void_number;
}

std::vector<std::string> split_list(const std::string& text)
{
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(", ", begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 2;
    }
    return parts;
}

// What a class means for a document, in the first line that fits.
struct Rule {
    std::string_view class_name;
    Word word;
};

Word word_of(std::span<const Rule> rules, const std::string& class_name, Call call)
{
    for (const Rule& rule : rules) {
        if (rule.class_name != class_name) continue;
        // A question that is refused proves nothing.
        if (rule.word == Word::refused && !changes_something(call)) return Word::unknown;
        return rule.word;
    }
    ADD_FAILURE() << "a class without a rule: " << class_name;
    return Word::unknown;
}

constexpr std::array cstat_rules = {
    Rule{"AUTHORISED", Word::authorised},
    Rule{"CANCELLED", Word::cancelled},
    Rule{"VOIDED", Word::voided},
    Rule{"EVENT_OK", Word::cancelled},
    Rule{"DENIED", Word::denied},
    Rule{"DENIED_OR_REJECTED", Word::refused},  // with a protocol: denied
    Rule{"DEFINITIVE", Word::refused},
    Rule{"RETRY_FIXED", Word::refused},  // other bytes are needed
    Rule{"DUPLICATE", Word::exists},
    Rule{"DUPLICATE_OTHER_KEY", Word::exists},
    Rule{"ALREADY_CANCELLED", Word::exists},
    Rule{"ALREADY_REGISTERED", Word::exists},
    Rule{"CONFLICT", Word::exists},
    Rule{"PARTIAL", Word::exists},
    Rule{"PENDING", Word::exists},
    Rule{"NOT_FOUND", Word::absent},
    Rule{"RETRY", Word::later},
    Rule{"SERVICE_DOWN", Word::later},
    Rule{"THROTTLED", Word::throttled},
    Rule{"UNKNOWN", Word::unknown},
    Rule{"ENVELOPE", Word::unknown},
    Rule{"CONTINGENCY", Word::unknown},
    Rule{"SERVICE_UP", Word::unknown},
    Rule{"DIST", Word::unknown},
    Rule{"DIST_EMPTY", Word::unknown},
};

// Where the class alone is too coarse.
const std::map<std::string, Word> cstat_exceptions = {
    {"136", Word::exists},  // the event is registered, but not linked: consult until 101 appears
    {"206", Word::denied},  // voided, in answer to an emission: the number is used up
    {"218", Word::exists},  // cancelled, in answer to an emission: ask what is there
    {"563", Word::voided},  // the same range, before: the first request's protocol comes back
};

const std::map<std::string, Call> cstat_services = {
    {"authorise", Call::emit},
    {"authorise result", Call::emit},
    {"authorise NF-e", Call::emit},
    {"authorise NFC-e", Call::emit},
    {"authorise (current meaning)", Call::emit},
    {"receipt result", Call::receipt},
    {"consult", Call::consult},
    {"cancel", Call::cancel},
    {"cancel (legacy)", Call::cancel},
    {"event", Call::cancel},
    {"event result", Call::cancel},
    {"event envelope", Call::cancel},
    {"NFC-e cancel by substitution", Call::cancel},
    {"inutilizacao", Call::void_number},
    {"status", Call::other},
    {"distribution", Call::other},
    {"EPEC", Call::other},
    {"EPEC event", Call::other},
};

TEST(CstatCodes, EveryRowOfTheVectorsHasTheWordOfItsClass)
{
    const auto rows = read_vectors("cstat.csv");
    if (rows.empty()) GTEST_SKIP() << no_vectors;

    for (const CsvRow& row : rows) {
        const std::string& code = row.at("cStat");
        std::vector<Call> calls{all_calls.begin(), all_calls.end()};
        if (row.at("service") != "any") {
            calls.clear();
            for (const std::string& service : split_list(row.at("service"))) {
                calls.push_back(cstat_services.at(service));
            }
        }
        for (const Call call : calls) {
            const CodeMeaning meaning = cstat_meaning(code, call);
            const auto exception = cstat_exceptions.find(code);
            const Word expected = exception == cstat_exceptions.end()
                                      ? word_of(cstat_rules, row.at("class"), call)
                                      : exception->second;
            EXPECT_EQ(to_text(meaning.word), to_text(expected)) << code << " " << row.at("class");
            EXPECT_EQ(meaning.meaning, row.at("meaning"));
        }
    }
    EXPECT_EQ(rows.size(), 96U);
    EXPECT_EQ(cstat_rows().size(), rows.size());
}

TEST(CstatCodes, WaitsAreAtLeastWhatTheManualAsks)
{
    using namespace std::chrono_literals;
    EXPECT_GE(cstat_meaning("656", Call::consult).wait, Duration{1h});
    EXPECT_GE(cstat_meaning("103", Call::emit).wait, Duration{15s});
    EXPECT_GE(cstat_meaning("105", Call::receipt).wait, Duration{15s});
    EXPECT_GE(cstat_meaning("635", Call::emit).wait, Duration{15s});
    EXPECT_GE(cstat_meaning("108", Call::emit).wait, Duration{1min});
    EXPECT_FALSE(cstat_meaning("100", Call::emit).wait);
}

TEST(CstatCodes, TheSeedsReadingOf135IsWrong)
{
    // "135 = does not exist" would re-emit a note that has just been cancelled.
    EXPECT_EQ(cstat_meaning("135", Call::cancel).word, Word::cancelled);
    EXPECT_EQ(cstat_meaning("135", Call::consult).word, Word::unknown);
    EXPECT_EQ(cstat_meaning("217", Call::consult).word, Word::absent);
}

TEST(CstatCodes, ADenialHasAProtocol)
{
    for (const char* const code : {"301", "302", "303"}) {
        EXPECT_EQ(cstat_meaning(code, Call::emit, HasProtocol::yes).word, Word::denied);
        EXPECT_EQ(cstat_meaning(code, Call::emit).word, Word::refused);
    }
    EXPECT_EQ(cstat_meaning("781", Call::emit, HasProtocol::yes).word, Word::refused);
}

TEST(CstatCodes, TheRestOfTheCatalogueRefusesAndNothingElseIsKnown)
{
    EXPECT_EQ(cstat_meaning("778", Call::emit).word, Word::refused);
    EXPECT_EQ(cstat_meaning("778", Call::consult).word, Word::unknown);
    // 217 answers a consult, and nobody has seen it answer anything else.
    EXPECT_EQ(cstat_meaning("217", Call::emit).word, Word::unknown);
    for (const char* const code :
         {"", "1", "111", "200", "999", "1000", "77A", "-12", " 10", "0100"}) {
        EXPECT_EQ(cstat_meaning(code, Call::emit).word, Word::unknown) << code;
    }
}

constexpr std::array nacional_rules = {
    Rule{"DUPLICATE", Word::exists},
    Rule{"ALREADY_REGISTERED", Word::exists},
    Rule{"RECONCILE", Word::exists},
    Rule{"DEFINITIVE", Word::refused},
    Rule{"RETRY_FIXED", Word::refused},
    Rule{"DEFINITIVE_OR_RETRY", Word::refused},
    Rule{"RETRY", Word::later},
    Rule{"AUTHORISED", Word::authorised},
    Rule{"NOT_FOUND", Word::absent},
    Rule{"UNKNOWN", Word::unknown},
};

// The statuses that a row such as "HTTP 401/403/429/5xx on /dps" names. Of those, 429 has a word of its own.
std::vector<int> statuses_of(const std::string& code)
{
    std::vector<int> statuses;
    std::string text = code.substr(5, code.find(' ', 5) - 5) + "/";
    while (!text.empty()) {
        const std::string one = text.substr(0, text.find('/'));
        text.erase(0, one.size() + 1);
        if (one == "5xx") {
            for (int status = 500; status < 600; ++status) statuses.push_back(status);
        } else if (one != "429") {
            statuses.push_back(std::stoi(one));
        }
    }
    return statuses;
}

TEST(NacionalCodes, EveryRowOfTheVectorsHasTheWordOfItsClass)
{
    const auto rows = read_vectors("nfse_nacional_codes.csv");
    if (rows.empty()) GTEST_SKIP() << no_vectors;
    const std::map<std::string, std::vector<Call>> calls = {
        {"POST /nfse", {Call::emit}},
        {"POST eventos", {Call::cancel}},
        {"POST /nfse or eventos", {Call::emit, Call::cancel}},
        {"HEAD /dps/{id}", {Call::consult}},
        {"HEAD/GET /dps/{id}", {Call::consult}},
    };

    std::size_t codes = 0;
    for (const CsvRow& row : rows) {
        const std::string& code = row.at("code");
        for (const Call call : calls.at(row.at("call"))) {
            const Word expected = word_of(nacional_rules, row.at("class"), call);
            if (code.starts_with("HTTP ")) {
                for (const int status : statuses_of(code)) {
                    EXPECT_EQ(to_text(nacional_http_meaning(status, call).word), to_text(expected))
                        << code << " " << status;
                }
                continue;
            }
            ++codes;
            const CodeMeaning meaning = nacional_meaning(code, call);
            EXPECT_EQ(to_text(meaning.word), to_text(expected)) << code;
            EXPECT_EQ(meaning.meaning, row.at("meaning"));
            EXPECT_EQ(meaning.wait.has_value(), expected == Word::later) << code;
        }
    }
    EXPECT_EQ(rows.size(), 23U);
    EXPECT_EQ(nacional_rows().size(), codes);
}

TEST(NacionalCodes, Only404OfAConsultIsAbsence)
{
    for (const Call call : all_calls) {
        for (int status = 0; status < 600; ++status) {
            const bool is_absent = nacional_http_meaning(status, call).word == Word::absent;
            EXPECT_EQ(is_absent, call == Call::consult && status == 404) << status;
        }
        EXPECT_EQ(nacional_http_meaning(429, call).word, Word::throttled);
    }
}

TEST(NacionalCodes, TheRestOfTheRuleSheetsRefusesAndNothingElseIsKnown)
{
    EXPECT_EQ(nacional_meaning("E0166", Call::emit).word, Word::refused);
    EXPECT_EQ(nacional_meaning("E0999", Call::cancel).word, Word::refused);
    EXPECT_EQ(nacional_meaning("E0166", Call::consult).word, Word::unknown);
    // Maintenance is of the service, whatever is sent to it.
    EXPECT_EQ(nacional_meaning("E1217", Call::cancel).word, Word::later);
    // Duplicates of one call, met in another.
    EXPECT_EQ(nacional_meaning("E0014", Call::cancel).word, Word::unknown);
    EXPECT_EQ(nacional_meaning("E0840", Call::emit).word, Word::unknown);
    for (const char* const code :
         {"", "E", "E01", "E01660", "e0166", "X0166", "E016A", "Bad Gateway"}) {
        EXPECT_EQ(nacional_meaning(code, Call::emit).word, Word::unknown) << code;
        EXPECT_TRUE(nacional_meaning(code, Call::emit).meaning.empty()) << code;
    }
}

constexpr std::array sao_paulo_rules = {
    Rule{"DUPLICATE", Word::exists},
    Rule{"DANGEROUS_REISSUE", Word::exists},  // there is one note more: ask which is valid
    Rule{"DEFINITIVE", Word::refused},
    Rule{"NOT_FOUND", Word::absent},
    Rule{"ALREADY_CANCELLED", Word::cancelled},
    Rule{"UNKNOWN", Word::unknown},
};

const std::map<std::string, Word> sao_paulo_exceptions = {
    {"324", Word::exists},    // may answer an RPS that was sent before
    {"1302", Word::exists},   // an alert: the note may be cancelled all the same
    {"1105", Word::unknown},  // no such batch is not: no such RPS
};

TEST(SaoPauloCodes, EveryRowOfTheVectorsHasTheWordOfItsClass)
{
    const auto rows = read_vectors("nfse_sp_codes.csv");
    if (rows.empty()) GTEST_SKIP() << no_vectors;
    const std::map<std::string, Call> methods = {
        {"EnvioRPS", Call::emit},
        {"EnvioLoteRPS", Call::emit},
        {"ConsultaLote", Call::receipt},
        {"ConsultaNFe", Call::consult},
        {"ConsultaNFeEmitidas", Call::other},
        {"CancelamentoNFe", Call::cancel},
    };

    for (const CsvRow& row : rows) {
        const std::string& code = row.at("code");
        std::vector<Call> calls{all_calls.begin(), all_calls.end()};
        if (row.at("method") != "any") {
            calls.clear();
            for (const std::string& method : split_list(row.at("method"))) {
                calls.push_back(methods.at(method));
            }
        }
        for (const Call call : calls) {
            const auto exception = sao_paulo_exceptions.find(code);
            const Word expected = exception == sao_paulo_exceptions.end()
                                      ? word_of(sao_paulo_rules, row.at("class"), call)
                                      : exception->second;
            const CodeMeaning meaning =
                code.starts_with("HTTP ") ? sao_paulo_http_meaning(std::stoi(code.substr(5)), call)
                                          : sao_paulo_meaning(code, call);
            EXPECT_EQ(to_text(meaning.word), to_text(expected)) << code;
            EXPECT_EQ(meaning.meaning, row.at("meaning"));
        }
    }
    EXPECT_EQ(rows.size(), 24U);
    EXPECT_EQ(sao_paulo_rows().size(), rows.size());
}

TEST(SaoPauloCodes, OnlyOneAnswerIsAbsence)
{
    for (const CodeRow& row : sao_paulo_rows()) {
        EXPECT_EQ(row.word == Word::absent, row.code == "1106") << row.code;
    }
    EXPECT_EQ(sao_paulo_meaning("1106", Call::emit).word, Word::unknown);
    EXPECT_EQ(sao_paulo_meaning("4711", Call::emit).word, Word::unknown);
    EXPECT_EQ(sao_paulo_http_meaning(500, Call::emit).word, Word::unknown);
    EXPECT_EQ(sao_paulo_http_meaning(404, Call::consult).word, Word::unknown);
}

TEST(Codes, NoTableHasACodeTwice)
{
    for (const auto& table : {cstat_rows(), nacional_rows(), sao_paulo_rows()}) {
        std::set<std::string_view> codes;
        for (const CodeRow& row : table) {
            EXPECT_TRUE(codes.insert(row.code).second) << row.code;
            EXPECT_FALSE(row.meaning.empty()) << row.code;
            EXPECT_NE(row.calls, 0) << row.code;
        }
    }
}

TEST(Codes, OnlyAQuestionIsAnsweredWithAbsence)
{
    // But for 494: there is nothing to cancel.
    for (const auto& table : {cstat_rows(), nacional_rows(), sao_paulo_rows()}) {
        for (const CodeRow& row : table) {
            if (row.word != Word::absent || row.code == "494") continue;
            EXPECT_EQ(row.calls, of(Call::consult)) << row.code;
        }
    }
}

TEST(Word, EachIsReadBackFromItsText)
{
    for (int i = 0; i <= static_cast<int>(Word::unknown); ++i) {
        const auto word = static_cast<Word>(i);
        EXPECT_EQ(parse_word(to_text(word)), word);
    }
    EXPECT_FALSE(parse_word(""));
    EXPECT_FALSE(parse_word("Authorised"));
}

TEST(Word, OfAnAnswerThatTellsNothingTheEffectIsUnknown)
{
    EXPECT_EQ(effect_of(Word::unknown), Effect::unknown);
    EXPECT_EQ(effect_of(Word::exists), Effect::unknown);
    for (const Word word : {Word::refused, Word::later, Word::throttled, Word::unreached}) {
        EXPECT_EQ(effect_of(word), Effect::none) << to_text(word);
    }
    for (const Word word : {Word::authorised, Word::cancelled, Word::denied, Word::voided}) {
        EXPECT_EQ(effect_of(word), Effect::applied) << to_text(word);
    }
}

}  // namespace
}  // namespace umavez::fiscal
