#include "database/sqlite/log_keeper.hpp"

#include "base/limits.hpp"
#include "base/pause.hpp"

#include <utility>

namespace umavez {

void LogKeeper::on_open(Connection& connection)
{
    pages_last_ = 0;
    plan_.on_restart(connection.plan_log());
}

void LogKeeper::on_close(Connection& connection) noexcept
{
    if (copier_) {
        copier_->wait();
        static_cast<void>(take_copy(connection));
        copier_.reset();
    }
    if (is_distrustful_) forget_copies(connection);
    if (is_distrustful_) connection.leave_log();  // closing it would copy
}

bool LogKeeper::tend(Connection& connection, bool others_wait)
{
    if (copier_ && copier_->is_busy()) {
        if (!plan_.is_late(connection.wal_pages())) return true;
        copier_->wait();
    }
    const bool is_taken = take_copy(connection);
    if (is_distrustful_) forget_copies(connection);
    if (is_distrustful_) return true;  // another program is copying: later
    const int pages = connection.wal_pages();
    // All is copied and nothing came since: it may start over, or a reader holds it.
    if (pages == 0) return false;
    if (pages < pages_last_) plan_.on_restart(connection.plan_log());
    pages_last_ = pages;
    const LogStep step = is_taken ? next_step(connection, others_wait) : LogStep::copy_here;
    if (step == LogStep::none) return true;
    if (connection.is_log_copied()) {  // by another program, meanwhile
        connection.on_copied({pages, pages});
        return false;
    }
    const bool is_under_way = step == LogStep::copy_beside && start_copy(connection);
    if (!is_under_way) copy_here(connection, step);
    return false;
}

bool LogKeeper::has_work(const Connection& connection) const
{
    const int pages = connection.wal_pages();
    if (copier_ && copier_->is_busy()) return plan_.is_late(pages);
    const bool has_news = (copier_ && copier_->has_result()) || (pages > 0 && pages < pages_last_);
    return has_news || next_step(connection, false) != LogStep::none;
}

// Whoever reads is waited for; a snapshot that is only kept would be waited for in vain.
Result<void> LogKeeper::drain(Connection& connection)
{
    if (copier_) {
        copier_->wait();
        static_cast<void>(take_copy(connection));
    }
    for (std::size_t i = 0; i < limits::batch_retries_max && is_distrustful_; ++i) {
        if (i > 0) pause_up_to(tuning::retry_pause_most);
        forget_copies(connection);
    }
    if (is_distrustful_) return fail(Errc::store_unavailable, "another program copies the log");
    const ReaderPool::NoSnapshots none{options_.readers};
    const auto copied = connection.checkpoint(CheckpointMode::truncate);
    if (copied) return {};
    if (connection.needs_reopen()) forget_copies(connection);
    return std::unexpected(copied.error());
}

void LogKeeper::end_snapshots()
{
    if (options_.readers != nullptr) options_.readers->end_snapshots();
}

LogStep LogKeeper::next_step(const Connection& connection, bool others_wait) const
{
    return plan_.next({
        .pages = connection.wal_pages(),
        .share = load_.share(),
        .others_wait = others_wait,
        .has_copier = options_.copies_beside,
    });
}

// False: the lane has to do it.
bool LogKeeper::start_copy(const Connection& connection)
{
    if (!copier_) {
        // It opens both files by their names, and would copy our log into another database.
        if (!options_.are_files_ours()) return false;
        auto opened = LogCopier::open(options_.connection);
        if (!opened || !options_.are_files_ours()) return false;
        copier_ = std::move(*opened);
    }
    end_snapshots();  // what they read of the log could not be copied
    copier_->start(plan_.uncopied(connection.wal_pages()));
    return true;
}

// What was copied beside the lane, if anything. False: that failed, and the lane does it itself.
bool LogKeeper::take_copy(Connection& connection)
{
    auto copy = copier_ ? copier_->take_result() : std::nullopt;
    if (!copy) return true;
    if (!*copy) {
        if (copy->error().code == Errc::busy)
            return true;  // another program copies: again, or later
        if (copier_->has_failed_disk()) distrust();
        copier_.reset();
        return false;
    }
    const int pages = connection.wal_pages();
    end_snapshots();  // nobody keeps the log from starting over
    // It has already: that was another log. One that is as long by now is taken for the same, and then copied
    // a little too late or too early.
    if (pages < (*copy)->pages) return true;
    plan_.on_copied({.pages = (*copy)->pages, .copied = (*copy)->copied, .now = pages});
    connection.on_copied(**copy);
    return true;
}

// Who began to read before this may read pages that were lost.
void LogKeeper::forget_copies(Connection& connection) noexcept
{
    is_distrustful_ = !connection.forget_copies();
    if (!is_distrustful_) plan_.on_forgotten();
    end_snapshots();
}

void LogKeeper::copy_here(Connection& connection, LogStep step)
{
    const int pages = connection.wal_pages();
    const bool insists = step == LogStep::insist;
    bool is_copied = false;
    if (insists) {
        is_copied = drain(connection).has_value();
    } else {
        is_copied = connection.checkpoint(CheckpointMode::passive).has_value();
        if (connection.needs_reopen()) forget_copies(connection);
    }
    // Who begins to read now needs nothing of the log, and does not keep it from starting over.
    end_snapshots();
    const bool is_full = !is_copied && connection.is_disk_full();
    plan_.on_checkpoint(
        pages,
        is_full   ? Checkpoint::no_room
        : insists ? Checkpoint::insisted
                  : Checkpoint::tried
    );
}

}  // namespace umavez
