#include "modules/mailing/csv_layout.hpp"

#include "base/shown.hpp"
#include "mail/template.hpp"
#include "modules/mailing/csv_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace umavez::mailing {
namespace {

constexpr std::string_view delimiters = ";,\t|";  // where two are as frequent, the first

// Folded (fold_name), the best first: "endereço" is often the street.
constexpr auto address_names = std::to_array<std::string_view>({
    "email",
    "emails",
    "mail",
    "emailaddress",
    "mailaddress",
    "enderecodeemail",
    "enderecoemail",
    "enderecoeletronico",
    "correioeletronico",
    "email1",
    "email1value",
    "endereco",
});

std::unexpected<Error> refuse(std::string sentence)
{
    return fail(Errc::invalid_argument, std::move(sentence));
}

// What the first bytes show that no CSV begins with.
Result<void> check_signature(std::string_view text)
{
    if (text.empty()) return refuse("o arquivo está vazio");
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
        return refuse(
            "o arquivo está em UTF-16 (\"Texto Unicode\" do Excel): salve-o como \"CSV UTF-8\""
        );
    }
    if (text.starts_with("PK\x03\x04") || text.starts_with("\xd0\xcf\x11\xe0")) {
        return refuse("o arquivo é uma planilha, não um CSV: salve-o como \"CSV UTF-8\"");
    }
    return {};
}

// The first line of Excel, "sep=;", as a delimiter.
char excel_delimiter(std::string_view line)
{
    if (line.size() > 1 && line.starts_with('"') && line.ends_with('"')) {
        line = line.substr(1, line.size() - 2);
    }
    const bool is_sep = line.size() == 5 && fold_name(to_utf8_text(line.substr(0, 4))) == "sep=";
    return is_sep && delimiters.contains(line[4]) ? line[4] : no_delimiter;
}

char frequent_delimiter(std::string_view line)
{
    std::array<std::size_t, delimiters.size()> counts{};
    bool is_quoted = false;
    for (const char c : line) {
        if (c == '"') is_quoted = !is_quoted;
        const std::size_t which = delimiters.find(c);
        if (!is_quoted && which != std::string_view::npos) ++counts[which];
    }
    const auto most = std::ranges::max_element(counts);
    return *most == 0 ? no_delimiter : delimiters[static_cast<std::size_t>(most - counts.begin())];
}

// The first one that is more than spaces.
Result<CsvRecord> first_record(CsvReader& reader)
{
    auto record = reader.next();
    while (record && *record && (*record)->text.find_first_not_of(' ') == std::string_view::npos) {
        record = reader.next();
    }
    if (!record) return std::unexpected(record.error());
    if (!*record) return refuse("o arquivo está vazio");
    if ((*record)->text.contains('\0')) {
        return refuse("o arquivo não é um texto (tem bytes nulos): salve-o como \"CSV UTF-8\"");
    }
    if ((*record)->shape != RecordShape::whole) {
        return refuse("o cabeçalho não pode ser lido: aspas sem fechar, ou uma linha longa demais");
    }
    return **record;
}

// Finds the delimiter in the first line, and leaves the reader before the header.
Result<void> find_delimiter(CsvReader& reader)
{
    CsvPosition start = reader.position();
    reader.set_delimiter(no_delimiter);
    auto line = first_record(reader);
    // With the right delimiter its quotes may be read in another way.
    if (!line && line.error().code != Errc::invalid_argument) return std::unexpected(line.error());
    char delimiter = line ? excel_delimiter(line->text) : no_delimiter;
    if (delimiter != no_delimiter) {
        start = line->end;
    } else {
        reader.go_to(start);
        const auto ahead = reader.peek();
        if (!ahead) return std::unexpected(ahead.error());
        const std::size_t from = std::min(ahead->find_first_not_of("\r\n "), ahead->size());
        const std::string_view rest = ahead->substr(from);
        delimiter = frequent_delimiter(rest.substr(0, rest.find_first_of("\r\n")));
    }
    reader.go_to(start);
    reader.set_delimiter(delimiter);
    return {};
}

Result<std::size_t> find_address_column(const std::vector<std::string>& names)
{
    std::vector<std::string> folded;
    for (const std::string& name : names) folded.push_back(fold_name(name));
    for (const std::string_view wanted : address_names) {
        const auto found = std::ranges::find(folded, wanted);
        if (found == folded.end()) continue;
        if (std::ranges::count(folded, wanted) > 1) {
            return refuse("o arquivo tem mais de uma coluna de e-mail: deixe só uma");
        }
        return static_cast<std::size_t>(found - folded.begin());
    }
    return refuse(fmt::format(
        "nenhuma coluna de e-mail: o cabeçalho tem \"{}\"; chame uma das colunas de \"email\"",
        shown(fmt::format("{}", fmt::join(names, "\", \"")))
    ));
}

Result<void> check_names(std::vector<std::string> names)
{
    std::erase(names, "");
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice == names.end()) return {};
    return refuse(fmt::format("a coluna \"{}\" aparece duas vezes no cabeçalho", shown(*twice)));
}

}  // namespace

Result<CsvLayout> read_layout(CsvReader& reader)
{
    reader.go_to({});
    const auto beginning = reader.peek();
    if (!beginning) return std::unexpected(beginning.error());
    if (auto checked = check_signature(*beginning); !checked) {
        return std::unexpected(checked.error());
    }
    if (beginning->starts_with("\xef\xbb\xbf")) reader.skip_bytes(3);
    if (auto known = find_delimiter(reader); !known) return std::unexpected(known.error());

    const CsvPosition start = reader.position();
    const auto header = first_record(reader);
    if (!header) return std::unexpected(header.error());
    CsvLayout layout{
        .delimiter = reader.delimiter(), .names = {}, .address_column = 0, .rows = header->end
    };
    split_record(header->text, layout.delimiter, layout.names);
    if (layout.names.size() == 1 && layout.names.front().contains('@')) {
        layout.names.front() = "email";
        layout.rows = start;
    } else {
        for (std::string& name : layout.names) name = mail::to_field_name(name);
        const auto column = find_address_column(layout.names);
        if (!column) return std::unexpected(column.error());
        layout.address_column = *column;
        layout.names[*column] = "email";
        if (auto checked = check_names(layout.names); !checked) {
            return std::unexpected(checked.error());
        }
    }
    reader.go_to(layout.rows);
    return layout;
}

Result<std::vector<std::string>> read_header(const std::filesystem::path& path)
{
    auto file = open_file(path);
    if (!file) return std::unexpected(file.error());
    CsvReader reader{*std::move(file)};
    auto layout = read_layout(reader);
    if (!layout) return std::unexpected(layout.error());
    std::erase(layout->names, "");
    return std::move(layout->names);
}

}  // namespace umavez::mailing
