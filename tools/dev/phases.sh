# Phases of `./dev test` and `./dev check`: a line each with the time it took, and closing lines. Sourced by ./dev.

failed=()
closings=
logs=build/test-logs

# phase NAME COMMAND…: the output is shown only if it failed.
phase() {
    local name=$1 log=$logs/${1// /-}.log began=$SECONDS status=0
    shift
    mkdir -p "$logs"
    printf '%-34s' "$name"
    with_progress "$name" "$log" "$@" || status=$?
    tell_phase "$name" "$status" $((SECONDS - began)) "$log"
    return "$status"
}

# usual_times NAME: what docs/internals/testing.md says of a phase.
usual_times() {
    awk -F ' *[|] *' -v name="$1" '$2 == name { printf "   usually %s s cold", $4 }' docs/internals/testing.md
}

# tell_phase NAME STATUS SECONDS LOG
tell_phase() {
    if (($2 == 0)); then
        printf 'ok      %4d s%s\n' "$3" "$(usual_times "$1")"
        grep -E '^[a-z]+: .* left to ' "$4" || true
    else
        printf 'FAILED  %4d s%s\n' "$3" "$(usual_times "$1")"
        cat "$4"
        failed+=("$1")
    fi
}

# tests_phase PRESET [options of tools/run_tests…]: its closing lines are kept for the end.
tests_phase() {
    local preset=$1 name="test $1" log=$logs/test-$1.log began=$SECONDS status=0
    shift
    mkdir -p "$logs"
    printf '%-34s' "$name"
    # What it says of its progress goes to a terminal.
    [[ -t 2 ]] && printf '\n' >&2
    tools/run_tests "build/$preset" --log "$logs/$preset" --summary "$logs/$preset.json" --progress "$@" \
        >"$log" </dev/null || status=$?
    [[ -t 2 ]] && printf '%-34s' "$name"
    tell_phase "$name" "$status" $((SECONDS - began)) "$log"
    closings="$closings
$name
$(sed -n '/% tests passed/,$p' "$log")
"
}

# close_phases TITLE BEGAN: the last lines, and a failure if there was one.
close_phases() {
    printf '%-34s%s  %4d s\n%s\n' "$1" "$([[ ${failed[*]} ]] && echo FAILED || echo 'ok    ')" \
        $((SECONDS - $2)) "$closings"
    ((${#failed[@]} == 0)) || die "failed: $(printf '%s; ' "${failed[@]}")"
}
