#include "modules/fiscal/authority/cstat_codes.hpp"

#include "modules/fiscal/ids/modulo11.hpp"

#include <array>

namespace umavez::fiscal {
namespace {

using namespace std::chrono_literals;

// Of MOC 7.0 and the technical notes after it. What asks for other bytes (a wrong clock, 703) is a rejection.
constexpr auto rows = std::to_array<CodeRow>({
    {"100", of(Call::emit, Call::receipt, Call::consult), Word::authorised, "use authorised"},
    {"101", of(Call::consult), Word::cancelled, "cancellation homologated"},
    {"102", of(Call::void_number), Word::voided, "number range voided"},
    {"103", of(Call::emit), Word::exists, "batch received, receipt issued", 15s},
    {"104", of(Call::emit, Call::receipt), Word::unknown, "batch processed"},
    {"105", of(Call::receipt), Word::exists, "batch still in process", 15s},
    {"106", of(Call::receipt), Word::unknown, "receipt not located"},
    {"107", of(Call::other), Word::unknown, "service in operation"},
    {"108", any_call, Word::later, "stopped for a short time", 60s},
    {"109", any_call, Word::later, "stopped, no forecast", 600s},
    {"110", of(Call::emit, Call::consult), Word::denied, "use denied (legacy)"},
    {"113", of(Call::other), Word::later, "SVC being switched off"},
    {"114", of(Call::other), Word::later, "SVC disabled by the origin state"},
    {"124", of(Call::consult, Call::other), Word::unknown, "EPEC authorised"},
    {"128", of(Call::cancel), Word::unknown, "event batch processed"},
    {"135", of(Call::cancel), Word::cancelled, "event registered and linked to the NF-e"},
    {"136", of(Call::cancel), Word::exists, "event registered, not linked"},
    {"137", of(Call::other), Word::unknown, "no document found"},
    {"138", of(Call::other), Word::unknown, "documents found"},
    {"142", of(Call::other), Word::refused, "EPEC blocked for the issuer"},
    {"150", of(Call::emit, Call::consult), Word::authorised, "authorised, outside the deadline"},
    {"151", of(Call::consult), Word::cancelled, "cancelled, outside the deadline"},
    {"155", of(Call::cancel), Word::cancelled, "cancellation homologated outside the deadline"},
    {"201", of(Call::void_number), Word::refused, "range too large"},
    {"202", any_call, Word::refused, "author or integrity of the file not recognised"},
    {"203", of(Call::emit, Call::cancel), Word::refused, "issuer not enabled"},
    {"204", of(Call::emit), Word::exists, "an NF-e with this natural key is already authorised"},
    {"205", of(Call::emit), Word::denied, "number belongs to a denied NF-e"},
    {"206", of(Call::emit), Word::denied, "number is voided"},
    {"213", any_call, Word::refused, "CNPJ base of the certificate differs"},
    {"214", any_call, Word::refused, "message too large"},
    {"215", any_call, Word::refused, "schema failure"},
    {"217", of(Call::consult), Word::absent, "NF-e is not in the database"},
    {"218", of(Call::emit), Word::exists, "number belongs to a cancelled NF-e"},
    {"219", of(Call::cancel), Word::refused, "circulation verified"},
    {"220", of(Call::emit), Word::refused, "recipient identical to issuer"},
    {"221", of(Call::cancel), Word::refused, "recipient confirmed the operation"},
    {"222", of(Call::cancel), Word::refused, "protocol number differs"},
    {"223", of(Call::receipt), Word::refused, "transmitter of the query differs from the batch"},
    {"225", of(Call::emit), Word::refused, "schema failure of the batch"},
    {"226", of(Call::emit, Call::consult), Word::refused, "state of the key is not this authority"},
    {"228", of(Call::emit), Word::refused, "issue date more than 30 days old"},
    {"236", of(Call::consult, Call::cancel), Word::refused, "check digit of the key is wrong"},
    {"241", of(Call::void_number), Word::exists, "a number of the range was used (also EPEC)"},
    {"248", of(Call::receipt), Word::refused, "state of the receipt differs"},
    {"252", any_call, Word::refused, "environment mismatch"},
    {"253", of(Call::emit), Word::refused, "check digit of the composed key is wrong"},
    {"256", of(Call::void_number), Word::exists, "part of the range already voided"},
    {"280", any_call, Word::refused, "transmitter certificate invalid"},
    {"286", any_call, Word::later, "certificate revocation list unreachable", 60s},
    {"301", of(Call::emit), Word::refused, "issuer irregular"},
    {"302", of(Call::emit), Word::refused, "recipient irregular"},
    {"303", of(Call::emit), Word::refused, "recipient not enabled in the state"},
    {"420", of(Call::cancel), Word::exists, "cancel of an already cancelled NF-e"},
    {"452", of(Call::emit), Word::refused, "async asked for a batch with a single document"},
    {"468", of(Call::emit), Word::refused, "tpEmis 4 without EPEC"},
    {"493", of(Call::cancel), Word::refused, "event schema"},
    {"494", of(Call::cancel), Word::absent, "key does not exist"},
    {"501", of(Call::cancel), Word::refused, "deadline passed (24 h NF-e, state exceptions)"},
    {"502", of(Call::emit), Word::refused, "Id differs from the concatenation of the fields"},
    {"526", of(Call::consult), Word::unknown, "key older than six months"},
    {"539",
     of(Call::emit),
     Word::exists,
     "same natural key already stored with another access key; xMotivo carries the stored key"},
    {"561", of(Call::consult), Word::exists, "month in the key differs from the stored NF-e"},
    {"562",
     of(Call::consult),
     Word::exists,
     "cNF in the key differs; xMotivo may carry the stored key"},
    {"563",
     of(Call::void_number),
     Word::voided,
     "same range already voided; nProt of the first request comes back"},
    {"570", of(Call::emit), Word::refused, "tpEmis 3/6/7 outside SVC"},
    {"573", of(Call::cancel), Word::exists, "duplicate event (tpEvento + chNFe + nSeqEvento)"},
    {"574", of(Call::cancel), Word::refused, "author is not the issuer"},
    {"577", of(Call::cancel), Word::refused, "event date before issue date"},
    {"578", of(Call::cancel), Word::refused, "event date in the future (5 min tolerance)"},
    {"579", of(Call::cancel), Word::refused, "event date before authorisation (5 min tolerance)"},
    {"580",
     of(Call::cancel),
     Word::exists,
     "event needs an authorised NF-e (it is cancelled or denied)"},
    {"594", of(Call::cancel), Word::refused, "sequence number other than 1"},
    {"613", of(Call::consult), Word::exists, "key differs from the stored one"},
    {"614", of(Call::consult, Call::cancel), Word::refused, "unknown state code in the key"},
    {"615", of(Call::consult, Call::cancel), Word::refused, "year out of range in the key"},
    {"616", of(Call::consult, Call::cancel), Word::refused, "month out of range in the key"},
    {"617",
     of(Call::consult, Call::cancel),
     Word::refused,
     "CNPJ/CPF zero or wrong digits in the key"},
    {"618", of(Call::consult, Call::cancel), Word::refused, "model not 55/65"},
    {"619", of(Call::consult, Call::cancel), Word::refused, "number zero"},
    {"635",
     of(Call::emit),
     Word::exists,
     "same number and series already transmitted and waiting",
     15s},
    {"656", any_call, Word::throttled, "undue consumption", 3600s},
    {"690", of(Call::cancel), Word::refused, "CT-e or MDF-e linked"},
    {"691", of(Call::emit), Word::exists, "key differs from the EPEC key"},
    {"692", of(Call::emit), Word::exists, "an EPEC exists for the number"},
    {"703", of(Call::emit), Word::refused, "issue time later than reception (5 min tolerance)"},
    {"704", of(Call::emit), Word::refused, "issue time more than 5 min late"},
    {"713", of(Call::emit), Word::refused, "tpEmis not 6/7 at SVC"},
    {"781", of(Call::emit), Word::refused, "issuer not enabled"},
    {"897", of(Call::emit), Word::refused, "cNF trivial or equal to nNF"},
    {"910", of(Call::cancel), Word::refused, "substitute key invalid"},
    {"912", of(Call::cancel), Word::later, "substitute does not exist"},
    {"913", of(Call::cancel), Word::refused, "substitute denied or cancelled"},
    {"914", of(Call::cancel), Word::refused, "substitute issued more than 2 h apart"},
    {"920", of(Call::cancel), Word::refused, "note to cancel is not tpEmis 1"},
    {"999", any_call, Word::unknown, "uncatalogued error of the authority"},
});

constexpr CodeMeaning rejection{
    .word = Word::refused, .meaning = "rejected; a code of the catalogue that is not listed here"
};

bool is_rejection(std::string_view code) noexcept
{
    if (code.size() != 3 || !digits.has_all(code)) return false;
    const auto number = number_of(code);
    return number >= 201 && number <= 998;
}

}  // namespace

CodeMeaning cstat_meaning(std::string_view code, Call call, HasProtocol has_protocol) noexcept
{
    const bool is_denial = code == "301" || code == "302" || code == "303";
    if (auto found = find_meaning(rows, code, call)) {
        if (is_denial && has_protocol == HasProtocol::yes) found->word = Word::denied;
        return *found;
    }
    const bool changes_something =
        call == Call::emit || call == Call::cancel || call == Call::void_number;
    if (changes_something && is_rejection(code) && !is_more_than_refusal(rows, code))
        return rejection;
    return {};
}

std::span<const CodeRow> cstat_rows() noexcept
{
    return rows;
}

}  // namespace umavez::fiscal
