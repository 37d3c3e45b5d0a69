#include "modules/mailing/ingest_batch.hpp"

#include "base/json_text.hpp"
#include "mail/address.hpp"
#include "modules/mailing/csv_text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace umavez::mailing {
namespace {

std::string_view spoiled_reason(const CsvRecord& record)
{
    switch (record.shape) {
        case RecordShape::whole: break;
        case RecordShape::unclosed: return "aspas sem fechar, ou registro longo demais";
        case RecordShape::too_long: return "linha longa demais";
    }
    return record.text.contains('\0') ? "contém um byte nulo" : "";
}

bool is_empty(const std::string& text) noexcept
{
    return text.empty();
}

std::optional<std::string> to_fields(
    const CsvLayout& layout, const std::vector<std::string>& values
)
{
    std::string json;
    for (std::size_t column = 0; column < layout.names.size(); ++column) {
        const std::string& name = layout.names[column];
        if (column == layout.address_column || name.empty()) continue;
        json += json.empty() ? '{' : ',';
        append_json_text(json, name);
        json += ':';
        append_json_text(json, column < values.size() ? std::string_view{values[column]} : "");
    }
    if (json.empty()) return std::nullopt;
    json += '}';
    return json;
}

// Sorts records into entries and invalid lines.
class BatchMaker {
public:
    BatchMaker(const CsvLayout& layout, Random& random) : layout_(layout), random_(random) {}

    void add(const CsvRecord& record)
    {
        if (const auto reason = spoiled_reason(record); !reason.empty()) {
            return add_invalid(record, std::string{reason});
        }
        split_record(record.text, layout_.delimiter, values_);
        if (std::ranges::all_of(values_, is_empty)) return;
        if (values_.size() > layout_.names.size() &&
            !std::all_of(
                values_.begin() + static_cast<std::ptrdiff_t>(layout_.names.size()),
                values_.end(),
                is_empty
            )) {
            return add_invalid(record, "tem mais colunas do que o cabeçalho");
        }
        const bool has_address = layout_.address_column < values_.size();
        auto email =
            mail::normalise_address(has_address ? values_[layout_.address_column] : std::string{});
        if (!email) return add_invalid(record, std::move(email.error()));
        NewEntry entry{
            .email = *std::move(email),
            .token = make_entry_token(random_),
            .fields = to_fields(layout_, values_),
            .line = record.line
        };
        bytes_ += entry.email.size() + (entry.fields ? entry.fields->size() : 0);
        batch_.entries.push_back(std::move(entry));
    }

    bool is_full(std::size_t rows_max) const noexcept
    {
        return batch_.entries.size() + batch_.invalid.size() >= rows_max ||
               bytes_ >= batch_bytes_max;
    }
    IngestBatch finish(const CsvPosition& end, bool is_last)
    {
        batch_.end = end;
        batch_.is_last = is_last;
        return std::move(batch_);
    }

private:
    void add_invalid(const CsvRecord& record, std::string reason)
    {
        // A record is cut before it is converted: four bytes are the longest character.
        const std::string_view beginning = record.text.substr(0, 4 * invalid_characters_max);
        const bool is_utf8 = is_utf8_text(record.text);
        const std::string text = is_utf8 ? std::string{beginning} : from_windows_1252(beginning);
        batch_.invalid.push_back(
            {.line = record.line,
             .content = cut_text(text, invalid_characters_max),
             .reason = std::move(reason)}
        );
    }

    const CsvLayout& layout_;
    Random& random_;
    std::vector<std::string> values_;
    IngestBatch batch_;
    std::size_t bytes_ = 0;
};

}  // namespace

std::string make_entry_token(Random& random)
{
    constexpr std::string_view base64url =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::string token;
    token.reserve(22);
    std::uint64_t word = random.next();
    // Ten characters and four bits of each word; those four are a character of their own.
    for (const bool is_last : {false, true}) {
        for (int i = 0; i < 10; ++i, word >>= 6U) token += base64url[word & 0x3FU];
        token += base64url[word & 0x3FU];
        if (!is_last) word = random.next();
    }
    return token;
}

Result<std::optional<IngestBatch>> read_batch(
    CsvReader& reader,
    const CsvLayout& layout,
    Random& random,
    std::size_t rows_max,
    const std::stop_token& stop
)
{
    BatchMaker maker{layout, random};
    while (!maker.is_full(rows_max)) {
        if (stop.stop_requested()) return std::nullopt;
        const auto record = reader.next();
        if (!record) return std::unexpected(record.error());
        if (!*record) return maker.finish(reader.position(), true);
        maker.add(**record);
    }
    return maker.finish(reader.position(), false);
}

}  // namespace umavez::mailing
