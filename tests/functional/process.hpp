#pragma once

// Process: the built program as a child, its output read as it comes. Every wait has a deadline,
// which fails the test, and so does a program that ended otherwise than it was told, or that a
// sanitizer complained of. Confined to its thread.

#include <string>
#include <sys/types.h>
#include <vector>

namespace umavez::functional {

struct Exited {
    int code = 0;  // 128 + the signal that ended it
    std::string out;
    std::string err;
};

class Process {
public:
    // Starts `umavez arguments…` in `directory`, with UMAVEZ_ variables of the test's own
    // environment removed and `environment` ("NAME=value") added.
    Process(
        const std::string& directory,
        std::vector<std::string> arguments,
        std::vector<std::string> environment = {}
    );
    // Killed if it still runs. If it was dead before, or a sanitizer complained, the test fails.
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    pid_t pid() const noexcept { return pid_; }
    void write_input(const std::string& text);  // and close it
    void signal(int number);

    // Reads standard error until it holds `text`; gives what came so far.
    const std::string& wait_for_error_output(const std::string& text);

    Exited wait_for_exit();

private:
    bool read_some();
    std::string rest_of_error_output();

    pid_t pid_ = -1;
    int in_ = -1;
    int out_ = -1;
    int err_ = -1;
    int sent_ = 0;  // the last signal
    std::string out_text_;
    std::string err_text_;
};

// Starts it, gives it no input, and waits for its end.
Exited run(
    const std::string& directory,
    std::vector<std::string> arguments,
    std::vector<std::string> environment = {}
);

}  // namespace umavez::functional
