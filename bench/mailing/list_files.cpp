#include "mailing/list_files.hpp"

#include <fmt/format.h>

#include <fstream>

namespace umavez::bench {

ListFiles::ListFiles(const std::string& prefix, std::size_t count)
    : rows(count),
      upload(prefix + ".upload.csv"),
      sqlite(prefix + ".sqlite.csv"),
      postgres(prefix + ".postgres.csv")
{
    std::ofstream as_uploaded{upload};
    std::ofstream all{sqlite};
    std::ofstream filled{postgres};
    as_uploaded << "email;nome;cidade\n";
    for (std::size_t i = 0; i < count; ++i) {
        // Not in the order of an index, as no list is.
        const std::string email =
            fmt::format("pessoa{:08}@cliente{}.example", i * 7'919 % 100'000'007, i % 50);
        const std::string name = fmt::format("Maria Aparecida {}", i);
        const std::string token = fmt::format("{:022}", i * 104'729);
        // As CSV quotes a JSON.
        const std::string fields =
            fmt::format("\"{{\"\"nome\"\":\"\"{}\"\",\"\"cidade\"\":\"\"São Paulo\"\"}}\"", name);
        constexpr const char* now = "1760000000000000";
        as_uploaded << email << ';' << name << ";São Paulo\n";
        all << i + 1 << ",default,1," << email << ',' << token << ",PENDING,0,0,0,," << fields
            << ',' << i + 2 << ",,0," << now << ',' << now << '\n';
        filled << "default,1," << email << ',' << token << ',' << fields << ',' << i + 2 << ','
               << now << ',' << now << '\n';
    }
}

}  // namespace umavez::bench
