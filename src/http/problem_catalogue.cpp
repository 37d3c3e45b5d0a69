#include "http/problem_catalogue.hpp"

#include "base/assert.hpp"

#include <algorithm>

namespace umavez::http {
namespace {

bool is_problem_name(std::string_view name) noexcept
{
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

}  // namespace

const ProblemCatalogue& ProblemCatalogue::of_server()
{
    static const ProblemCatalogue catalogue = [] {
        ProblemCatalogue made;
        made.add_all(server_problems());
        return made;
    }();
    return catalogue;
}

void ProblemCatalogue::add(ProblemKind kind)
{
    UMAVEZ_ASSERT(is_problem_name(kind.name));
    UMAVEZ_ASSERT(find(kind.name) == nullptr);
    kinds_.push_back(std::move(kind));
}

void ProblemCatalogue::add_all(std::vector<ProblemKind> kinds)
{
    for (ProblemKind& kind : kinds) add(std::move(kind));
}

const ProblemKind* ProblemCatalogue::find(std::string_view name) const noexcept
{
    const auto found = std::ranges::find(kinds_, name, &ProblemKind::name);
    return found == kinds_.end() ? nullptr : &*found;
}

const ProblemKind& ProblemCatalogue::get(std::string_view name) const
{
    const ProblemKind* const kind = find(name);
    UMAVEZ_ASSERT(kind != nullptr);
    return *kind;
}

std::string problem_path(std::string_view name)
{
    return "/problems/" + std::string{name};
}

}  // namespace umavez::http
