// Names in braces, and values that are only ever text.

#include "mail/template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace umavez::mail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::map<std::string, std::string, std::less<>> fields{
    {"nome", "Ana <b> & \"c\" 'd'"}, {"cupom", "{{nome}}"}, {"situação", "ok"}, {"vazio", ""}
};

std::string render(std::string_view text, Escaping escaping = Escaping::none)
{
    const auto parsed = Template::parse(text);
    if (!parsed) return parsed.error().detail;
    const Template::Lookup lookup = [](std::string_view name) -> std::string_view {
        const auto found = fields.find(name);
        return found == fields.end() ? "?" : std::string_view{found->second};
    };
    return parsed->render(lookup, escaping);
}

TEST(TemplateTest, NamesAreReplaced)
{
    EXPECT_EQ(render("Olá {{nome}}, {{ NOME }}!"), "Olá Ana <b> & \"c\" 'd', Ana <b> & \"c\" 'd'!");
    EXPECT_EQ(render("{{vazio}}{{ Situação }}{{SITUAÇÃO}}"), "okok");
    EXPECT_EQ(render(""), "");
    EXPECT_EQ(render("{ } }} a }} {x} @media{a{b}}"), "{ } }} a }} {x} @media{a{b}}");
}

TEST(TemplateTest, ValuesAreNoTemplates)
{
    EXPECT_EQ(render("{{cupom}}"), "{{nome}}");
}

TEST(TemplateTest, HtmlIsEscapedInValuesOnly)
{
    EXPECT_EQ(
        render("<p>{{nome}}</p>", Escaping::html),
        "<p>Ana &lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;</p>"
    );
}

TEST(TemplateTest, BracesAsTheyAre)
{
    EXPECT_EQ(render("{{{{nome}}"), "{{nome}}");
    EXPECT_EQ(render("a{{{{{{vazio}}b"), "a{{b");
}

TEST(TemplateTest, NamesAreToldOnceEach)
{
    const auto parsed = Template::parse("{{Nome}} {{email}} {{nome}} {{{{x}}");
    ASSERT_TRUE(parsed);
    EXPECT_THAT(parsed->names(), ElementsAre("nome", "email"));
    EXPECT_THAT(Template::parse("nada")->names(), IsEmpty());
}

TEST(TemplateTest, MistakesAreToldWithTheirLine)
{
    EXPECT_EQ(render("a\nb {{nome"), "linha 2: {{ sem }}");
    EXPECT_EQ(render("{{ }}"), "linha 1: nenhum nome entre {{ e }}");
    EXPECT_THAT(render("\n\n{{ {nome} }}"), HasSubstr("linha 3: “{nome}” não é nome de campo"));
    EXPECT_THAT(render("{{a\nb}}"), HasSubstr("não é nome de campo"));
    EXPECT_THAT(render("{{" + std::string(101, 'x') + "}}"), HasSubstr("não é nome de campo"));
    EXPECT_EQ(render("\xe1"), "o texto não é UTF-8");
}

TEST(TemplateTest, FieldNames)
{
    EXPECT_EQ(to_field_name(" Nome Do CLIENTE\t"), "nome do cliente");
    EXPECT_EQ(to_field_name("ÀÉÎÕÜÇÞ×ß"), "àéîõüçþ×ß");
}

}  // namespace
}  // namespace umavez::mail
