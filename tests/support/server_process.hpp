#pragma once

// What private servers of the PostgreSQL family have in common: a folder, a process, a port. As root they run
// as the user `postgres`. Failures throw.

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace umavez::test {

// `pattern` ends with XXXXXX. Not the test's own TMPDIR: a socket's path is short, and the server's user must
// reach it.
std::filesystem::path make_server_folder(std::string pattern);

// Dies with the thread that calls. What it prints is appended to `log`.
pid_t spawn(const std::vector<std::string>& arguments, const std::string& log);
int wait_for(pid_t child);  // its status
// Until libpq can connect to `url`; throws with the log if it does not come to that.
void wait_until_answers(pid_t pid, const std::string& url, const std::filesystem::path& log);

std::string read_all(const std::filesystem::path& path);
int free_port();  // on loopback

}  // namespace umavez::test
