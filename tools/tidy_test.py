#!/usr/bin/env python3
"""Each rule of tools/tidy with what it refuses and what it lets pass."""

import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

sys.dont_write_bytecode = True

from tidy_rules import co_await, cpp, markdown, text  # noqa: E402
from tidy_rules.source import Project, Source, code_of  # noqa: E402


class RuleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, name, content=""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")

    def lines(self, rule, content, name="src/core/a.cpp"):
        """Where `rule` refuses something in a file of this content."""
        source = Source(Project(self.root), name, textwrap.dedent(content))
        return [line for line, _ in sorted(rule(source))]

    def assert_refused(self, rule, content, name="src/core/a.cpp", at=1):
        self.assertEqual(self.lines(rule, content, name), [at], content)

    def assert_passes(self, rule, content, name="src/core/a.cpp"):
        self.assertEqual(self.lines(rule, content, name), [], content)


class CodeOf(unittest.TestCase):
    def assert_code(self, content, code):
        self.assertEqual(code_of(content), code)
        self.assertEqual(len(content), len(code))

    def test_comments_and_the_insides_of_strings_become_spaces(self):
        self.assert_code("a; // b\nc;", "a;     \nc;")
        self.assert_code("a /* b\nc */ d", "a     \n     d")
        self.assert_code('f("a{", x)', 'f("  ", x)')
        self.assert_code("f('{', x)", 'f(" ", x)')

    def test_quotes_within_are_no_end(self):
        self.assert_code(r'f("\"{")', 'f("   ")')
        self.assert_code('f("// a")', 'f("    ")')
        self.assert_code("f('\"') // '", 'f(" ")     ')

    def test_a_raw_string_ends_at_its_mark(self):
        self.assert_code('f(R"(a")")x', 'f("     ")x')
        self.assert_code('R"sql(a)")sql" b', '"            " b')

    def test_separators_of_digits_are_no_quotes(self):
        self.assert_code("f(10'000, '{', 1'0)", 'f(10\'000, " ", 1\'0)')


class TextRules(RuleTest):
    def test_leftovers(self):
        self.assert_refused(text.no_leftovers, "a\n// TODO: b\n", at=2)
        self.assert_refused(text.no_leftovers, "# FIXME", name="dev")
        self.assert_passes(text.no_leftovers, "TODOS, xxx")

    def test_machine_paths(self):
        self.assert_refused(text.no_machine_paths, "see /home/ana/x", name="docs/a.md")
        self.assert_refused(text.no_machine_paths, "a\nb = '/work/x'", name="dev", at=2)
        self.assert_passes(text.no_machine_paths, "src/work/a.hpp ${ROOT}/home/x ../root/x /homework/x")


class CppRules(RuleTest):
    def test_too_many_lines(self):
        self.assert_refused(cpp.lines_are_few, "a;\n" * (cpp.LINES_MAX + 1), at=cpp.LINES_MAX)
        self.assert_passes(cpp.lines_are_few, "a;\n" * cpp.LINES_MAX)

    def test_long_lines(self):
        self.assert_refused(cpp.lines_are_short, "a\n" + "b" * (cpp.COLUMNS_MAX + 1), at=2)
        self.assert_passes(cpp.lines_are_short, "b" * cpp.COLUMNS_MAX)

    def test_the_clock_of_the_machine(self):
        call = "auto now = std::chrono::system_clock::now();"
        self.assert_refused(cpp.no_forbidden_calls, call)
        self.assert_passes(cpp.no_forbidden_calls, call, name="src/base/time.cpp")

    def test_sleeping(self):
        for call in ("std::this_thread::sleep_for(1s);", "sleep_until(t);", "usleep (3);", "nanosleep(&t);"):
            self.assert_refused(cpp.no_forbidden_calls, call, name="tests/core/a_test.cpp")
        self.assert_passes(cpp.no_forbidden_calls, "asleep(3); sleep_forever(); Sleep{world, 3ms};")

    def test_printing(self):
        for call in ("std::cout << a;", "std::clog << a;", "printf(a);", "fprintf (f, a);", "fmt::print(a);"):
            self.assert_refused(cpp.no_forbidden_calls, call)
            self.assert_passes(cpp.no_forbidden_calls, call, name="src/app/serve.cpp")
        self.assert_passes(cpp.no_forbidden_calls, "snprintf(to, 3, a); outputs(a);")

    def test_random_numbers(self):
        self.assert_refused(cpp.no_forbidden_calls, "int a = rand();")
        self.assert_refused(cpp.no_forbidden_calls, "std::srand(3);")
        self.assert_passes(cpp.no_forbidden_calls, "operand(3); random();")

    def test_what_only_is_told_of_is_not_called(self):
        self.assert_passes(cpp.no_forbidden_calls, "a(); // not printf(a)\nfail(\"std::cout\"); /* rand() */")

    def test_silent_catch(self):
        self.assert_refused(cpp.no_silent_catch, "try {\n} catch (...) {\n}", at=2)
        self.assert_refused(cpp.no_silent_catch, "catch(...) { // because\n // of that\n}")
        self.assert_passes(cpp.no_silent_catch, "catch (...) { ++lost_; }")
        self.assert_passes(cpp.no_silent_catch, "catch (const Stop&) {}")

    def test_headers(self):
        rule = cpp.header_opens_with_a_paragraph
        self.assert_passes(rule, "#pragma once\n\n// What it is.\n", name="src/core/a.hpp")
        self.assert_refused(rule, "// What it is.\n#pragma once\n", name="src/core/a.hpp")
        self.assert_refused(rule, "", name="src/core/a.hpp")
        self.assert_refused(rule, "#pragma once\n\n#include <map>\n", name="src/core/a.hpp", at=3)
        self.assert_passes(rule, "#include <map>\n", name="src/core/a.cpp")

    def test_files_of_no_target(self):
        self.write("src/core/CMakeLists.txt", "add(SOURCES a.cpp b/c.cpp)\nforeach(each d e)")
        for name in ("src/core/a.cpp", "src/core/b/c.cpp", "src/core/e.cpp", "src/core/f.hpp"):
            self.assert_passes(cpp.file_is_in_a_target, "", name=name)
        for name in ("src/core/f.cpp", "src/core/b/aa.cpp", "src/a.cpp"):
            self.assert_refused(cpp.file_is_in_a_target, "", name=name)


class MarkdownRules(RuleTest):
    def test_one_title(self):
        self.assert_passes(markdown.one_title, "# A\n\n## B\n\n```sh\n# comment\n```\n", name="a.md")
        self.assert_refused(markdown.one_title, "A\n", name="a.md")
        self.assert_refused(markdown.one_title, "# A\n\n# B\n", name="a.md", at=3)

    def test_links(self):
        self.write("docs/b.md")
        self.write("README.md")
        rule = markdown.links_lead_somewhere
        for link in ("b.md", "b.md#part", "#part", "../README.md", "/README.md", "https://example.org", "."):
            self.assert_passes(rule, f"see [it]({link}).", name="docs/a.md")
        for link in ("c.md", "README.md", "/b.md#part"):
            self.assert_refused(rule, f"\nsee [it]({link}).", name="docs/a.md", at=2)
        self.assert_passes(rule, "`[it](c.md)`\n```\n[it](c.md)\n```\n", name="docs/a.md")


class CoAwait(RuleTest):
    rule = staticmethod(co_await.no_temporaries_beside_co_await)

    def refuse(self, *statements):
        for statement in statements:
            self.assert_refused(self.rule, f"Task<void> f()\n{{\n{statement}\n}}", at=3)

    def allow(self, *statements):
        for statement in statements:
            self.assert_passes(self.rule, f"Task<void> f()\n{{\n{statement}\n}}")

    def test_a_braced_temporary_as_an_argument(self):
        self.refuse(
            "co_await send(Order{1, name});",
            "co_await send(Order{});",
            "co_await send(shop::Order{.id = 1});",
            "co_await send(std::vector<Order>{a, b});",
            "co_await send(std::map<int, std::function<void(int)>>{a, b});",
            "co_await send(decltype(a){b});",
            "co_await engine.send(id, {1, name});",
            "co_await send({});",
            "co_await send(has ? Order{1} : other);",
            "co_await send(*wrap(Order{1}));",
            "co_await sends[index_of(Order{1})];",
            "co_await Pause{timers_, Order{1}.delay()};",
        )

    def test_wherever_the_co_await_stands(self):
        self.refuse(
            "const auto sent = co_await send({1});",
            "co_return co_await send({1});",
            "if (auto sent = co_await send({1}); !sent) { stop(); }",
            "if (!co_await send({1})) { stop(); }",
            "while (co_await send({1})) count();",
            "for (auto& one : co_await send({1})) count(one);",
            "for (int i = 0; co_await send({1}); ++i) {}",
            "switch (co_await send({1})) { case 1: stop(); }",
            "if (is_open(Order{1})) { co_await send({1}); }",
            "if (is_open(Order{1})) co_await send({1});",
            "if (is_open()) stop(); else co_await send({1});",
            "EXPECT_EQ(co_await send({1}), 3);",
            "co_await (send({1}) || stop());",
            "[[maybe_unused]] const auto [a, b] = co_await send({1});",
        )

    def test_beside_the_co_await(self):
        self.refuse(
            "use(co_await send(), Order{1});",
            "use(Order{1}, co_await send());",
            "const bool is = co_await send() && is_open(Order{1});",
        )

    def test_braces_around_it(self):
        self.refuse(
            "Order order{name, co_await send()};",
            "Order order = {name, co_await send()};",
            "Order order{.name = name, .id = number(co_await send())};",
            "co_return Order{name, co_await send()};",
            "co_return {name, co_await send()};",
        )

    def test_a_capturing_lambda(self):
        self.refuse(
            "co_await run([name] { return name; });",
            "co_await run([&] { return name; });",
            "co_await run([this](const Order& order) -> Result<void> { return {}; });",
            "co_await run([held = std::move(held)]() mutable { held.go(); });",
            "co_await run([name]<typename T>(T value) noexcept { return name; });",
            "co_await [name] { return send(name); }();",
            "co_await run(a, &b, [name](auto) { return name; }, c);",
        )

    def test_the_line_is_where_the_temporary_stands(self):
        self.assert_refused(self.rule, "void f() {\nco_await send(\n    a,\n    Order{1}\n);\n}", at=4)

    def test_each_is_told_once(self):
        statement = "co_await a(co_await b({1}),\n Order{Name{2}, {3}},\n [x] { return T{x}; });"
        self.assertEqual(self.lines(self.rule, f"void f() {{\n{statement}\n}}"), [2, 3, 4])

    def test_an_awaitable_that_may_hold_something(self):
        self.refuse(
            "co_await Send{engine, Order{1}};",
            "co_return co_await Send<std::vector<Order>>{engine};",
            "co_await shop::Order{1}.send();",
        )

    def test_awaitables_that_hold_nothing(self):
        self.allow(
            "co_await FaultPointReached{FaultPoint::claim_before_write};",
            "co_await FaultPointReached{is ? FaultPoint::a : FaultPoint::b};",
            "co_await umavez::Pause{timers_, delay(3)};",
            "co_await ::umavez::Pause{timers_};",
            "use(co_await CurrentCall{});",
            "if (!is_alive(node)) co_await std::suspend_always{};",
        )

    def test_what_was_named_before(self):
        self.allow(
            "const Order order{1, name};\nco_await send(order);",
            "Apply apply = [id](Store& store) { return store.find(id); };\nco_await send(std::move(apply));",
            "if (const Order order{1}; co_await send(order)) stop();",
            "for (Order order{1}; is_open(order);) co_await send(order);",
            "if (is_open(Order{1})) co_await send(order);",
            "while (is_open(Order{1})) { co_await send(order); }",
            "co_await send(order);\nuse(Order{1});",
            "if (co_await send(order)) { use(Order{1}); }",
            "for (auto& one : co_await all()) { use({one}); }",
            "{ use(Order{1}); } co_await send(order);",
            "co_return Order{name, 1};",
        )

    def test_types_without_a_destructor(self):
        self.allow(
            "co_await send(std::size_t{3}, std::chrono::milliseconds{10});",
            "co_await send(Duration{0}, std::string_view{data, size}, std::span<const int>{data, size});",
        )

    def test_a_lambda_that_holds_nothing(self):
        self.allow(
            "co_await run([](const Order& order) { return is_open(order, Name{1}); });",
            "co_await run([] { return std::vector<int>{1, 2}; }, a);",
        )

    def test_what_looks_like_a_lambda(self):
        self.allow(
            "const auto [error, bytes] = co_await stream_.read(space);",
            "auto& [error, bytes] = co_await stream_.read(space);",
            "co_await send(orders[index], names()[0], table[i][j]);",
            "[[maybe_unused]] const bool is = co_await send(order);",
        )

    def test_a_lambda_has_statements_of_its_own(self):
        self.allow(
            "auto go = [name]() -> Task<void> { co_await send(name); };\nuse(Order{1});",
            "run(Order{1}, [name]() -> Task<std::vector<int>> { co_await send(name); });",
            "spawn([&] { use(Order{1}); co_await send(name); use({1}); });",
        )
        self.refuse(
            "run([name]() -> Task<void> { co_await send({name}); });",
            "run([name]() mutable -> Result<void> { if (name) co_await send({name}); });",
        )

    def test_a_coroutine_in_a_class_in_a_function(self):
        self.refuse("struct Local : Base { Task<void> go() const { co_await send({1}); } };")
        self.allow("struct Local : Base { Name name{1}; Task<void> go() { co_await send(name); } };")

    def test_comments_strings_and_directives_are_no_code(self):
        self.allow(
            "co_await send(order); // co_await send({1})",
            "co_await send(/* {1} */ \"{1}\", '{', R\"({1})\");",
            "#define SEND {(\nco_await send(order);",
        )

    def test_the_operator_awaits_nothing(self):
        self.allow("Awaiter operator co_await() && noexcept { return Awaiter{*this, Name{1}}; }")

    def test_only_where_the_library_is_compiled_by_others(self):
        statement = "void f() { co_await send({1}); }"
        for name in ("src/a.cpp", "include/umavez/a.hpp", "examples/a.cpp", "tests/core/a_test.cpp"):
            self.assert_refused(self.rule, statement, name=name)
        self.assert_passes(self.rule, statement, name="bench/a.cpp")


class Program(RuleTest):
    """A copy, so that its root is a folder of the test's own."""

    def setUp(self):
        super().setUp()
        tools = Path(__file__).resolve().parent
        for name in ["tidy"] + [f"tidy_rules/{path.name}" for path in tools.glob("tidy_rules/*.py")]:
            self.write(f"tools/{name}", (tools / name).read_text(encoding="utf-8"))

    def run_tidy(self, *names):
        done = subprocess.run([sys.executable, str(self.root / "tools/tidy"), *names],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    def test_a_tidy_project(self):
        self.write("README.md", "# A\n")
        self.assertEqual(self.run_tidy(), (0, []))

    def test_each_complaint_names_its_place(self):
        self.write("README.md", "# A\n[it](b.md)\n")
        self.write("src/a.hpp", "#pragma once\n\n// A: TODO.\n")
        status, told = self.run_tidy()
        self.assertEqual(status, 1)
        self.assertEqual([line.split(": ")[0] for line in told], ["README.md:2", "src/a.hpp:3"])
        self.assertEqual(len(self.run_tidy("src/a.hpp")[1]), 1)

    def test_data_is_left_alone(self):
        (self.root / "data.bin").write_bytes(b"\xff\xfe TODO")
        self.write("tests/fuzz/corpus/json/a", "TODO")
        self.assertEqual(self.run_tidy(), (0, []))


if __name__ == "__main__":
    unittest.main()
